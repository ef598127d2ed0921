#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace castor::gpu {

/// An output file that is valid after every write while a simulation runs: it consists of the text so far and a closing
/// tail. The next write overwrites the tail. If the process is killed, the file on disk can be opened; only the
/// contents of the buffer are missing.
///
/// A write error (full disk, size limit) is kept as `error`. The file is then truncated to its last valid state, later
/// text is dropped, and the simulation continues. Memory use: the buffer. If the output is not seekable, such as a
/// pipe, the tail is written only at the end.
class TraceFile {
 public:
  /// `tail` makes the file valid at any point between two calls of `append`. Errors: InputError if `path` cannot be
  /// written.
  TraceFile(std::string path, std::string tail);
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;
  /// Closes the file.
  ~TraceFile();

  /// Appends text after which the tail may follow.
  void append(std::string_view text) {
    if (file_ < 0) return;
    buffer_ += text;
    if (buffer_.size() >= kBuffer) flush();
  }
  /// Writes the buffer to disk.
  void flush();
  /// Flushes and closes the file; later text is dropped.
  void close();

  /// Returns "cannot write '<path>': <reason>", or empty.
  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] bool good() const { return file_ >= 0; }

 private:
  static constexpr std::size_t kBuffer = std::size_t{1} << 18U;

  bool write_at(std::int64_t position, std::string_view text);
  void fail();

  std::string path_, tail_, buffer_, error_;
  int file_ = -1;
  bool positioned_ = true;
  std::int64_t end_ = 0;       ///< position of the tail
  std::int64_t previous_ = 0;  ///< previous position of the tail
};

}  // namespace castor::gpu
