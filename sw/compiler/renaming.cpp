// Choice of the renamed registers. A register's number is its slot in the machine, so no table from registers to slots
// is needed: the program is renumbered instead (docs/marks.md).

#include "compiler/renaming.h"

#include <algorithm>
#include <bitset>
#include <cctype>
#include <limits>
#include <numeric>

#include "castor/base/error.h"
#include "castor/isa/mark_check.h"

namespace castor::compiler {
namespace {

using isa::Record;
using isa::RegisterUse;

constexpr std::uint32_t kMostDepth = 15;  // loop depth beyond which the rank would overflow 64 bits

/// Neighbouring registers that some record uses together.
struct Group {
  std::uint32_t first = 0;
  std::uint32_t size = 1;
  std::uint64_t rank = 0;
  bool barred = false;
  bool used = false;
};

using RegisterBits = std::bitset<kMaxRegisters>;

RegisterBits bits_of(const Group& group) {
  RegisterBits bits;
  for (std::uint32_t r = group.first; r < group.first + group.size; ++r) bits.set(r);
  return bits;
}

/// Calls f(first register, count) for every register operand of a record.
template <class F>
void for_each_operand(const Record& record, const RegisterUse& use, F f) {
  if (use.dst != 0) f(record.dst, use.dst);
  for (unsigned s = 0; s < 4; ++s)
    if (use.src[s] != 0) f(record.src[s], use.src[s]);
}

std::vector<std::uint64_t> ranks(const isa::Program& program, const ProgramFlow& flow,
                                 const std::vector<bool>& marked) {
  std::vector<std::uint64_t> rank(program.registers, 0);
  for (std::uint32_t pc = 0; pc < program.code.size(); ++pc) {
    if (!marked[pc]) continue;
    std::uint64_t weight = 1;
    for (std::uint32_t depth = std::min(flow.loop_depth(pc), kMostDepth); depth > 0; --depth) weight *= 10;
    for (unsigned i = 0; i < program.uses[pc].dst; ++i) rank[program.code[pc].dst + i] += weight;
  }
  return rank;
}

std::vector<Group> find_groups(const isa::Program& program, const ProgramFlow& flow, const std::vector<bool>& marked) {
  const std::uint32_t n = program.registers;
  std::vector<bool> joined(n, false);  // the register belongs to the same group as the register before it
  std::vector<bool> used(n, false);
  for (std::uint32_t pc = 0; pc < program.code.size(); ++pc)
    for_each_operand(program.code[pc], program.uses[pc], [&](std::uint32_t first, std::uint32_t count) {
      for (std::uint32_t r = first; r < first + count; ++r) {
        used[r] = true;
        if (r != first) joined[r] = true;
      }
    });
  const std::vector<std::uint64_t> rank = ranks(program, flow, marked);
  const std::vector<std::uint32_t> barred = barred_registers(program);
  std::vector<Group> groups;
  for (std::uint32_t r = 0; r < n; ++r) {
    if (!joined[r]) groups.push_back({r, 0, 0, false, false});
    Group& group = groups.back();
    ++group.size;
    group.rank = std::max(group.rank, rank[r]);
    group.barred = group.barred || barred[r] != kNoIndex;
    group.used = group.used || used[r];
  }
  groups.erase(std::remove_if(groups.begin(), groups.end(), [](const Group& g) { return !g.used; }), groups.end());
  return groups;
}

/// True if no record reads more registers of `admitted` than the machine can look up at once.
bool can_be_read(const isa::Program& program, const RegisterBits& admitted) {
  for (std::uint32_t pc = 0; pc < program.code.size(); ++pc) {
    const std::uint8_t* const width = program.uses[pc].src;
    if (width[0] + width[1] + width[2] + width[3] <= static_cast<int>(isa::kMostRenamedRead)) continue;
    if ((isa::registers_read(program.code[pc], program.uses[pc]) & admitted).count() > isa::kMostRenamedRead)
      return false;
  }
  return true;
}

/// New positions of register groups in a program.
class Layout {
 public:
  explicit Layout(std::uint32_t registers) : taken_(registers, false), number_(registers, 0) {}

  /// Places a group at the first free position in [low, high) that satisfies its alignment; returns false if there is
  /// none.
  bool place(const Group& group, std::uint32_t low, std::uint32_t high) {
    for (std::uint32_t at = low; at + group.size <= high; ++at) {
      if (group.size > 1 && at % 2 != group.first % 2) continue;
      if (std::any_of(taken_.begin() + at, taken_.begin() + at + group.size, [](bool t) { return t; })) continue;
      std::fill_n(taken_.begin() + at, group.size, true);
      std::iota(number_.begin() + group.first, number_.begin() + group.first + group.size,
                static_cast<std::uint16_t>(at));
      return true;
    }
    return false;
  }
  [[nodiscard]] std::uint32_t end() const {
    const auto last = std::find(taken_.rbegin(), taken_.rend(), true);
    return static_cast<std::uint32_t>(taken_.rend() - last);
  }
  [[nodiscard]] std::vector<std::uint16_t> numbers() const { return number_; }

 private:
  std::vector<bool> taken_;
  std::vector<std::uint16_t> number_;  // new number of each old register
};

/// Lays out the chosen groups at the front, widest first, and all other groups after them. One of the other groups may
/// fill free registers at the front if marked records may write its registers. Returns false if some group does not
/// fit.
bool lay_out(const isa::Program& program, const std::vector<Group>& chosen, const std::vector<Group>& others,
             const isa::MarkOptions& options, Renaming& result) {
  const auto widest_first = [](std::vector<Group> groups) {
    std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
      return a.size != b.size ? a.size > b.size : a.barred && !b.barred;
    });
    return groups;
  };
  const std::uint32_t n = program.registers;
  Layout layout(n);
  RegisterBits in_front;
  for (const Group& group : widest_first(chosen)) {
    if (!layout.place(group, 0, std::min(n, options.most_renamed))) return false;
    in_front |= bits_of(group);
  }
  result.renamed = layout.end();
  for (const Group& group : widest_first(others)) {
    if (layout.place(group, result.renamed, n)) continue;
    if (group.barred || !layout.place(group, 0, result.renamed)) return false;
    in_front |= bits_of(group);
  }
  result.number = layout.numbers();
  return can_be_read(program, in_front);
}

/// Replaces "R12" and "R12:R13" in a line of disassembly by the new numbers.
std::string respelled(const std::string& line, const std::vector<std::uint16_t>& number) {
  std::string text;
  for (std::size_t i = 0; i < line.size();) {
    const bool starts = line[i] == 'R' && (i == 0 || std::isalnum(static_cast<unsigned char>(line[i - 1])) == 0);
    std::size_t end = i + 1;
    while (starts && end < line.size() && std::isdigit(static_cast<unsigned char>(line[end])) != 0) ++end;
    if (end == i + 1) {
      text += line[i++];
      continue;
    }
    text += 'R' + std::to_string(number[std::stoul(line.substr(i + 1, end - i - 1))]);
    i = end;
  }
  return text;
}

}  // namespace

std::vector<std::uint32_t> barred_registers(const isa::Program& program) {
  std::vector<std::uint32_t> barred(program.registers, kNoIndex);
  for (std::uint32_t pc = 0; pc < program.code.size(); ++pc) {
    const RegisterUse& use = program.uses[pc];
    if (program.code[pc].guard == isa::kNoGuard && use.dst <= isa::kMostRenamedWritten) continue;
    for (unsigned i = 0; i < use.dst; ++i)
      if (barred[program.code[pc].dst + i] == kNoIndex) barred[program.code[pc].dst + i] = pc;
  }
  return barred;
}

Renaming choose_renaming(const isa::Program& program, const ProgramFlow& flow, const std::vector<bool>& marked,
                         const isa::MarkOptions& options) {
  const std::vector<Group> groups = find_groups(program, flow, marked);
  std::vector<Group> candidates;
  for (const Group& group : groups)
    if (group.rank != 0 && !group.barred) candidates.push_back(group);
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Group& a, const Group& b) { return a.rank > b.rank; });
  std::vector<Group> chosen;
  RegisterBits admitted;
  std::uint32_t size = 0;
  for (const Group& group : candidates) {
    if (size + group.size > options.most_renamed) continue;
    if (!can_be_read(program, admitted | bits_of(group))) continue;
    admitted |= bits_of(group);
    size += group.size;
    chosen.push_back(group);
  }
  // If the front has no room for all chosen groups because of their alignment, the lowest-ranked groups are dropped.
  for (;; chosen.pop_back()) {
    std::vector<Group> others;
    for (const Group& group : groups)
      if (std::none_of(chosen.begin(), chosen.end(), [&](const Group& c) { return c.first == group.first; }))
        others.push_back(group);
    Renaming result;
    if (chosen.empty()) {
      result.number.resize(program.registers);
      std::iota(result.number.begin(), result.number.end(), std::uint16_t{0});
      return result;
    }
    if (lay_out(program, chosen, others, options, result)) return result;
  }
}

void renumber(isa::Program& program, const Renaming& renaming) {
  std::uint32_t registers = 1;
  for (std::uint32_t pc = 0; pc < program.code.size(); ++pc) {
    Record& record = program.code[pc];
    const RegisterUse& use = program.uses[pc];
    if (record.kind != isa::Kind::kCall) program.spellings[pc] = respelled(program.spellings[pc], renaming.number);
    if (use.dst != 0) record.dst = renaming.number[record.dst];
    for (unsigned s = 0; s < 4; ++s)
      if (use.src[s] != 0) record.src[s] = renaming.number[record.src[s]];
    for_each_operand(record, use,
                     [&](std::uint32_t first, std::uint32_t count) { registers = std::max(registers, first + count); });
  }
  CASTOR_ASSERT(registers <= program.registers, "%u registers became %u", program.registers, registers);
  program.registers = registers;
}

}  // namespace castor::compiler
