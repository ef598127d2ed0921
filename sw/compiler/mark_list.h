#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "castor/isa/program.h"
#include "compiler/marks.h"

namespace castor::compiler {

/// The marks of one kernel as lines of text: for people, and to be edited and read back.
///
///   kernel NAME, RECORDS records, renamed COUNT
///   INDEX MARK CLASS  DISASSEMBLY  ; PTX line and, of a record without mark, why
///
/// MARK and CLASS are V, CR or DR.
[[nodiscard]] std::string marks_text(const isa::Program& program, const MarkReport& report);

/// Marks read back from such text, of any number of kernels. Lines that are empty or begin with '#' are skipped. A
/// record that is not listed keeps its mark.
class MarkList {
 public:
  MarkList() = default;
  /// `file`: for messages. Errors: base::InputError with file and line.
  [[nodiscard]] static MarkList parse(std::string_view text, const std::string& file);

  [[nodiscard]] bool empty() const { return kernels_.empty(); }
  /// Replaces the marks, and the number of renamed registers, of a program that the list names; others stay. MARK may
  /// be any number, and COUNT too: what is no mark is refused when the program enters a device.
  /// Errors: base::InputError if the program is another one than the list was made from: number of records, or
  /// disassembly, numbers in it aside (addresses differ from run to run).
  void apply(isa::Program& program) const;

 private:
  struct Line {
    std::uint32_t pc = 0;
    std::uint8_t mark = 0;
    std::string disassembly;
    int line = 0;  ///< of the file
  };
  struct Kernel {
    std::string name;
    std::uint32_t records = 0;
    std::uint32_t renamed = 0;
    std::vector<Line> lines;
    int line = 0;
  };
  std::string file_;
  std::vector<Kernel> kernels_;
};

}  // namespace castor::compiler
