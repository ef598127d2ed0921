#include "compiler/barriers.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "compiler/mark_classes.h"
#include "compiler/program_flow.h"

namespace castor::compiler {
namespace {

using isa::BarrierKind;
using isa::Kind;
using isa::Record;

bool is_zero(const isa::Program& program, isa::OperandIndex operand) {
  if (operand == isa::kNoOperand) return true;
  if (operand < isa::kConstantOperand) return false;
  const auto row = static_cast<std::uint32_t>(operand - isa::kConstantOperand);
  const auto found = std::find(program.constant_row.begin(), program.constant_row.end(), row);
  return found != program.constant_row.end() &&
         program.constants[static_cast<std::size_t>(found - program.constant_row.begin())].bits == 0;
}

/// True for a barrier that cannot mix with arrivals at another one: a warp barrier, or the thread block's plain barrier
/// 0.
bool is_plain(const isa::Program& program, const Record& record) {
  if (record.kind != Kind::kBarrier || record.barrier.kind == BarrierKind::kWarp) return true;
  return record.barrier.kind == BarrierKind::kSync && is_zero(program, record.src[0]) &&
         record.src[1] == isa::kNoOperand;
}

/// True if threads of a thread block may diverge at the end of `block`, by a condition that is not redundant. A block
/// in which some threads end is not counted: barriers do not wait for ended threads.
bool parts(const isa::Program& program, const FlowBlock& block, const std::vector<RecordClass>& classes) {
  const std::uint32_t last = block.last - 1;
  const Record& record = program.code[last];
  if (block.successors.size() < 2) return false;
  return record.kind != Kind::kBranch || classes[last].result.value != isa::Mark::kRedundant;
}

/// Returns, per block, whether some threads of a thread block may reach the block while other threads do not.
std::vector<bool> apart(const isa::Program& program, const ProgramFlow& flow) {
  isa::MarkOptions options;
  options.rule = isa::MarkRule::kSound;
  const std::vector<RecordClass> classes = classify(program, flow, options);
  const std::vector<FlowBlock>& blocks = flow.blocks();
  std::vector<bool> result(blocks.size(), false);
  for (const FlowBlock& from : blocks) {
    if (!parts(program, from, classes)) continue;
    std::vector<bool> seen(blocks.size(), false);
    std::vector<std::uint32_t> work = from.successors;
    while (!work.empty()) {
      const std::uint32_t b = work.back();
      work.pop_back();
      if (seen[b] || b == from.post_dominator) continue;
      seen[b] = result[b] = true;
      work.insert(work.end(), blocks[b].successors.begin(), blocks[b].successors.end());
    }
  }
  return result;
}

/// Positions of the new barriers, per record: in front of the record, or after it.
struct Places {
  std::vector<bool> before, behind;
  std::uint32_t count = 0;
};

Places find_places(const isa::Program& program) {
  const ProgramFlow flow(program);
  const std::vector<bool> bad = apart(program, flow);
  Places places;
  places.before.resize(program.code.size());
  places.behind.resize(program.code.size());
  const isa::ProgramFunction& kernel = program.functions.front();
  for (std::uint32_t b = 0; b < flow.blocks().size(); ++b) {
    const std::uint32_t last = flow.blocks()[b].last - 1;
    if (bad[b] || last < kernel.first || last >= kernel.first + kernel.count) continue;
    const Record& record = program.code[last];
    if (record.kind == Kind::kBranch || record.kind == Kind::kBranchIndirect) {
      places.before[last] = true;
    } else if (record.kind != Kind::kBarrier && !isa::is_sync_site(record) && !flow.blocks()[b].successors.empty()) {
      places.behind[last] = true;
    } else {
      continue;
    }
    ++places.count;
  }
  return places;
}

/// Copies a program record by record and inserts barrier records.
class Stretching {
 public:
  Stretching(const isa::Program& from, const Places& places) : from_(from), places_(places) {}

  /// Copies records and side tables, and adjusts the targets of branches and calls.
  [[nodiscard]] isa::Program run() {
    isa::Program to = from_;
    to.code.clear();
    to.uses.clear();
    to.lines.clear();
    to.spellings.clear();
    for (std::uint32_t pc = 0; pc < from_.code.size(); ++pc) {
      place_.push_back(static_cast<std::uint32_t>(to.code.size()));
      if (places_.before[pc]) add_barrier(to, pc);
      add(to, from_.code[pc], from_.uses[pc], from_.spellings[pc], pc);
      if (places_.behind[pc]) add_barrier(to, pc);
    }
    place_.push_back(static_cast<std::uint32_t>(to.code.size()));
    redirect(to);
    to.barriers = std::max(to.barriers, 1U);
    return to;
  }

 private:
  void add(isa::Program& to, const Record& record, const isa::RegisterUse& use, const std::string& spelling,
           std::uint32_t pc) const {
    to.code.push_back(record);
    to.uses.push_back(use);
    to.lines.push_back(from_.lines[pc]);
    to.spellings.push_back(spelling);
  }
  void add_barrier(isa::Program& to, std::uint32_t pc) const {
    Record record;
    record.kind = Kind::kBarrier;
    record.barrier = {BarrierKind::kSync, true};
    add(to, record, {}, "bar.sync 0", pc);
  }
  void move(std::uint32_t& pc) const {
    if (pc != isa::kNoPc) pc = place_[pc];
  }
  /// Replaces the target at the end of a direct branch's disassembly.
  void respell(std::string& spelling, std::uint32_t target) const {
    if (target == isa::kNoPc) return;
    const std::string end = ' ' + std::to_string(target);
    if (spelling.size() < end.size() || spelling.compare(spelling.size() - end.size(), end.size(), end) != 0) return;
    spelling.replace(spelling.size() - end.size(), end.size(), ' ' + std::to_string(place_[target]));
  }
  void redirect(isa::Program& to) const {
    for (std::uint32_t pc = 0; pc < to.code.size(); ++pc) {
      Record& record = to.code[pc];
      const bool jumps = record.kind == Kind::kBranch || record.kind == Kind::kBranchIndirect ||
                         record.kind == Kind::kCall || record.kind == Kind::kCallIndirect;
      if (!jumps) continue;
      respell(to.spellings[pc], record.branch.target);
      move(record.branch.target);
      move(record.branch.reconvergence);
    }
    for (auto& table : to.branch_tables) {
      for (std::uint32_t& target : table) move(target);
    }
    for (auto& [value, first] : to.functions_by_value) move(first);
    for (isa::ProgramFunction& function : to.functions) {
      const std::uint32_t end = place_[function.first + function.count];
      function.first = place_[function.first];
      function.count = end - function.first;
    }
  }

  const isa::Program& from_;
  const Places& places_;
  std::vector<std::uint32_t> place_;  // new index of each record, or of the barrier in front of it
};

}  // namespace

std::uint32_t insert_barriers(isa::Program& program) {
  const auto plain = [&](const Record& record) { return is_plain(program, record); };
  if (!std::all_of(program.code.begin(), program.code.end(), plain)) return 0;
  const Places places = find_places(program);
  if (places.count != 0) program = Stretching(program, places).run();
  return places.count;
}

}  // namespace castor::compiler
