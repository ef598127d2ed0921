#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "castor/isa/program.h"
#include "compiler/marks.h"

namespace castor::compiler {

/// Writes the marks of one kernel as lines of text, which can be edited and read back:
///
///   kernel NAME, RECORDS records, renamed COUNT
///   INDEX MARK CLASS  DISASSEMBLY  ; PTX line and, for a record without mark, the reason
///
/// MARK and CLASS are V, CR or DR.
[[nodiscard]] std::string marks_text(const isa::Program& program, const MarkReport& report);

/// Marks read from a text that `marks_text` wrote, for any number of kernels. Empty lines and lines that begin with '#'
/// are skipped. A record that is not listed keeps its mark.
class MarkList {
 public:
  MarkList() = default;
  /// Parses a list of marks. `file` is used in messages. Errors: base::InputError with file and line.
  [[nodiscard]] static MarkList parse(std::string_view text, const std::string& file);

  [[nodiscard]] bool empty() const { return kernels_.empty(); }
  /// Replaces the listed marks, and the number of renamed registers, of a program; a program that the list does not
  /// name stays unchanged. MARK and COUNT may be any number: invalid values are refused when the program is loaded to a
  /// device.
  /// Errors: base::InputError if the list was made from another program. The number of records and the disassembly must
  /// agree; numbers in hexadecimal are ignored, since addresses differ between runs.
  void apply(isa::Program& program) const;

 private:
  /// Mark of one record, as one line of the list.
  struct Line {
    std::uint32_t pc = 0;
    std::uint8_t mark = 0;
    std::string disassembly;
    int line = 0;  ///< line number in the file
  };
  /// Marks of one kernel.
  struct Kernel {
    std::string name;
    std::uint32_t records = 0;
    std::uint32_t renamed = 0;
    std::vector<Line> lines;
    int line = 0;  ///< line number in the file
  };
  std::string file_;
  std::vector<Kernel> kernels_;
};

}  // namespace castor::compiler
