#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace castor::gpu {

/// A file that grows while a simulation runs and is whole after every write: the text so far and a tail that closes it.
/// The next write goes over the tail. Whatever stops the process, the file on disk can be opened; at most what is in
/// the buffer is missing.
///
/// A write that fails (full disk, limit of size) is kept as `error`; the file is cut back to its last whole state, and
/// everything written from then on is dropped, so the simulation goes on. Memory: the buffer. On something that cannot
/// be positioned, such as a pipe, the tail comes at the end only.
class TraceFile {
 public:
  /// `tail` closes the file at any point between two calls of `append`. Errors: InputError if `path` cannot be written.
  TraceFile(std::string path, std::string tail);
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;
  /// Closes the file.
  ~TraceFile();

  /// Adds text that the tail may follow.
  void append(std::string_view text) {
    if (file_ < 0) return;
    buffer_ += text;
    if (buffer_.size() >= kBuffer) flush();
  }
  /// Brings everything to disk.
  void flush();
  /// Flushes and closes; later appends are dropped.
  void close();

  /// "cannot write '<path>': <reason>", or empty.
  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] bool good() const { return file_ >= 0; }

 private:
  static constexpr std::size_t kBuffer = std::size_t{1} << 18U;

  bool write_at(std::int64_t position, std::string_view text);
  void fail();

  std::string path_, tail_, buffer_, error_;
  int file_ = -1;
  bool positioned_ = true;
  std::int64_t end_ = 0;       ///< where the tail stands
  std::int64_t previous_ = 0;  ///< where it stood before
};

}  // namespace castor::gpu
