#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace castor::castor_cc {

/// Returns the PTX with `.maxnreg count` in every kernel header without launch bounds (.maxntid, .reqntid or
/// .minnctapersm); implements -maxrregcount.
[[nodiscard]] std::string cap_registers(std::string_view ptx, int count);

/// Distinguishes, line by line, the inline assembly of the source in PTX from the code that clang generated.
class InlineAssembly {
 public:
  /// Reads the next line. Returns true if it is inline assembly, or one of the two comments around it.
  bool holds(std::string_view line) {
    const bool begins = line.find("// begin inline asm") != std::string_view::npos;
    const bool ends = line.find("// end inline asm") != std::string_view::npos;
    const bool held = inside_ || begins;
    inside_ = held && !ends;
    return held || ends;
  }

 private:
  bool inside_ = false;
};

/// Returns the functions and variables that the PTX uses but does not define, as mangled names, each once, in order.
/// Leaves out dynamic shared memory and names that the loader supplies (vprintf, malloc, free, __assertfail,
/// device-side launch).
[[nodiscard]] std::vector<std::string> unresolved_names(std::string_view ptx);

}  // namespace castor::castor_cc
