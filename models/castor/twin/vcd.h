#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "castor/base/value_names.h"

namespace castor::twin {

/// Writer of a value change dump (IEEE 1364, clause 18; time scale 1 ps). Signals are declared first, then sampled;
/// only changes are written.
class VcdFile {
 public:
  /// Throws InputError if the file cannot be written.
  explicit VcdFile(std::string path);
  ~VcdFile();
  VcdFile(const VcdFile&) = delete;
  VcdFile& operator=(const VcdFile&) = delete;

  /// Opens a nested scope; signals are added to the innermost scope. Only before the first `at`.
  void open_scope(std::string_view name);
  void close_scope();
  /// Adds a signal and returns its number; `width` is 1 or more. With `names`, a variable <name>_name beside the signal
  /// shows its value as text.
  unsigned add(std::string_view name, unsigned width, base::ValueNames names = {});
  /// Declares a signal once more, in another scope or by another name.
  void add_again(std::string_view name, unsigned signal);

  /// Sets the time in ps of the samples that follow; it must not be less than the last one.
  void at(std::uint64_t picoseconds);
  /// Samples the value of a signal: bits 64 i + 63 .. 64 i are in `words[i]`.
  void set(unsigned signal, const std::uint64_t* words);

  /// Flushes and closes the file. Throws base::Error if a write failed. The destructor closes without reporting errors.
  void close();
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  struct Signal {
    std::string id, name_id;
    unsigned width;
    base::ValueNames names;
    bool known;  // whether the signal has been sampled
    std::vector<std::uint64_t> value;
  };
  void declare(std::string_view name, const Signal& signal);
  void write_time();
  void flush();

  std::string path_;
  std::ofstream file_;
  std::string buffer_;  // changes not yet written to the file
  std::vector<Signal> signals_;
  std::size_t identifiers_ = 0;
  unsigned depth_ = 0;
  bool declaring_ = true;
  bool time_written_ = false;
  std::uint64_t time_ = 0;
};

/// A file that `merge_vcd` reads, and the scope under which its signals appear.
struct VcdSource {
  std::string path;
  std::string scope;  ///< empty: the scopes of the file stay unchanged
};

/// Merges dumps into one, at the finest time scale of all, each under its own scope. A file whose only top scope
/// already has that name gets no additional scope. Throws InputError, with file and line, for a file that is no VCD.
void merge_vcd(const std::vector<VcdSource>& sources, const std::string& output);

}  // namespace castor::twin
