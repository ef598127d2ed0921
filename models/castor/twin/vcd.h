#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "castor/base/value_names.h"

namespace castor::twin {

/// Writes a value change dump (IEEE 1364, clause 18; time scale 1 ps). Signals are declared, then sampled: what has not
/// changed is not written.
class VcdFile {
 public:
  /// Throws InputError if the file cannot be written.
  explicit VcdFile(std::string path);
  ~VcdFile();
  VcdFile(const VcdFile&) = delete;
  VcdFile& operator=(const VcdFile&) = delete;

  /// Scopes nest; signals belong to the innermost one. Only before the first `at`.
  void open_scope(std::string_view name);
  void close_scope();
  /// Number of the new signal; width 1 or more. With `names` a variable <name>_name beside it shows them.
  unsigned add(std::string_view name, unsigned width, base::ValueNames names = {});
  /// The same signal once more, in another scope or by another name.
  void add_again(std::string_view name, unsigned signal);

  /// Samples from here on belong to this time in ps, not less than the last one.
  void at(std::uint64_t picoseconds);
  /// `words`: bits 64 i + 63 .. 64 i in word i.
  void set(unsigned signal, const std::uint64_t* words);

  /// Flushes and closes. Throws base::Error if something could not be written. The destructor closes without telling.
  void close();
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  struct Signal {
    std::string id, name_id;
    unsigned width;
    base::ValueNames names;
    bool known;  // has a value
    std::vector<std::uint64_t> value;
  };
  void declare(std::string_view name, const Signal& signal);
  void write_time();
  void flush();

  std::string path_;
  std::ofstream file_;
  std::string buffer_;  // of changes
  std::vector<Signal> signals_;
  std::size_t identifiers_ = 0;
  unsigned depth_ = 0;
  bool declaring_ = true;
  bool time_written_ = false;
  std::uint64_t time_ = 0;
};

/// One of the files that `merge_vcd` reads, and the scope that it becomes.
struct VcdSource {
  std::string path;
  std::string scope;  ///< empty: the file's own scopes stay as they are
};

/// Merges dumps into one at the finest time scale of all, each under a scope of its own. A file whose only top scope
/// has that name already gets no second one. Throws InputError with file and line for what is no VCD.
void merge_vcd(const std::vector<VcdSource>& sources, const std::string& output);

}  // namespace castor::twin
