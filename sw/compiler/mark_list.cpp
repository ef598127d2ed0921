#include "compiler/mark_list.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <optional>

#include "castor/base/error.h"
#include "castor/base/words.h"
#include "castor/isa/mark_check.h"

namespace castor::compiler {
namespace {

constexpr std::size_t kDisassemblyWidth = 44;

/// Removes the first word from a line and returns it.
std::string_view take_word(std::string_view& line) {
  line = base::trimmed(line);
  const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
  const std::string_view word = line.substr(0, end);
  line = base::trimmed(line.substr(end));
  return word;
}

std::optional<std::uint32_t> number_of(std::string_view word) {
  if (word.empty() || word.size() > 9) return std::nullopt;
  std::uint32_t number = 0;
  for (const char digit : word) {
    if (std::isdigit(static_cast<unsigned char>(digit)) == 0) return std::nullopt;
    number = 10 * number + static_cast<std::uint32_t>(digit - '0');
  }
  return number;
}

std::optional<std::uint8_t> mark_of(std::string_view word) {
  if (word == "V") return static_cast<std::uint8_t>(isa::Mark::kVector);
  if (word == "CR") return static_cast<std::uint8_t>(isa::Mark::kConditional);
  if (word == "DR") return static_cast<std::uint8_t>(isa::Mark::kRedundant);
  const auto number = number_of(word);
  if (!number || *number > 0xff) return std::nullopt;
  return static_cast<std::uint8_t>(*number);
}

/// Returns the disassembly without parts that differ between runs: hexadecimal numbers and blanks.
std::string comparable(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (std::isspace(static_cast<unsigned char>(text[i])) != 0) continue;
    if (text.substr(i, 2) == "0x") {
      i += 2;
      while (i < text.size() && std::isxdigit(static_cast<unsigned char>(text[i])) != 0) ++i;
      --i;
      result += '#';
      continue;
    }
    result += text[i];
  }
  // An address may have an offset in one run and none in another, because the variable lies elsewhere.
  for (std::size_t at = result.find("+#]"); at != std::string::npos; at = result.find("+#]")) result.erase(at, 2);
  for (std::size_t at = result.find("-#]"); at != std::string::npos; at = result.find("-#]")) result.erase(at, 2);
  return result;
}

[[noreturn]] void refuse(const std::string& file, int line, const std::string& message) {
  throw base::InputError({file, line, 0}, message,
                         "lines are as castor list marks prints them for the same machine and options");
}

}  // namespace

std::string marks_text(const isa::Program& program, const MarkReport& report) {
  std::string text = "kernel " + program.kernel + ", " + std::to_string(program.code.size()) + " records, renamed " +
                     std::to_string(program.renamed_registers) + "\n";
  for (std::size_t pc = 0; pc < program.code.size(); ++pc) {
    char head[40];
    std::snprintf(head, sizeof head, "%5zu  %-2s %-2s  ", pc,
                  isa::mark_name(program.marks.empty() ? 0 : program.marks[pc]).c_str(),
                  isa::mark_name(static_cast<std::uint8_t>(report.classes[pc])).c_str());
    std::string line = program.spellings[pc];
    if (line.size() < kDisassemblyWidth) line.resize(kDisassemblyWidth, ' ');
    text += head + line + "  ; line " + std::to_string(program.lines[pc].line);
    if (!report.reasons[pc].empty()) text += ": " + report.reasons[pc];
    text += '\n';
  }
  return text;
}

MarkList MarkList::parse(std::string_view text, const std::string& file) {
  MarkList list;
  list.file_ = file;
  int number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = base::trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#') continue;
    std::string_view rest = line;
    const std::string_view first = take_word(rest);
    if (first == "kernel") {
      Kernel kernel;
      std::string_view name = take_word(rest);
      if (!name.empty() && name.back() == ',') name.remove_suffix(1);
      const auto records = number_of(take_word(rest));
      const bool words = take_word(rest) == "records," && take_word(rest) == "renamed";
      const auto renamed = number_of(take_word(rest));
      if (name.empty() || !records || !words || !renamed || !rest.empty())
        refuse(file, number, "expected 'kernel NAME, N records, renamed N'");
      kernel.name = name;
      kernel.records = *records;
      kernel.renamed = *renamed;
      kernel.line = number;
      list.kernels_.push_back(std::move(kernel));
      continue;
    }
    const auto pc = number_of(first);
    const auto mark = mark_of(take_word(rest));
    const auto its_class = mark_of(take_word(rest));
    if (!pc || !mark || !its_class) refuse(file, number, "expected a record's number, its mark and its class");
    if (list.kernels_.empty()) refuse(file, number, "a record stands before the line of its kernel");
    Kernel& kernel = list.kernels_.back();
    if (*pc >= kernel.records)
      refuse(file, number,
             "kernel '" + base::printable(kernel.name, 200) + "' has " + std::to_string(kernel.records) +
                 " records, this is number " + std::to_string(*pc));
    kernel.lines.push_back({*pc, *mark, std::string(base::trimmed(rest.substr(0, rest.find(" ;")))), number});
  }
  return list;
}

void MarkList::apply(isa::Program& program) const {
  for (const Kernel& kernel : kernels_) {
    if (kernel.name != program.kernel) continue;
    if (kernel.records != program.code.size())
      refuse(file_, kernel.line,
             "kernel '" + base::printable(kernel.name, 200) + "' has " + std::to_string(program.code.size()) +
                 " records here, not " + std::to_string(kernel.records));
    program.marks.resize(program.code.size(), 0);
    program.renamed_registers = kernel.renamed;
    for (const Line& line : kernel.lines) {
      if (comparable(line.disassembly) != comparable(program.spellings[line.pc]))
        refuse(file_, line.line,
               "record " + std::to_string(line.pc) + " is '" + program.spellings[line.pc] + "' here, not '" +
                   base::printable(line.disassembly, 200) + "'");
      program.marks[line.pc] = line.mark;
    }
  }
}

}  // namespace castor::compiler
