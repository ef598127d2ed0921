#include "compiler/control_flow.h"

#include <algorithm>

#include "castor/base/error.h"

namespace castor::compiler {

using isa::Kind;

namespace {

bool is_branch(const Inst& inst) { return inst.kind == Kind::kBranch || inst.kind == Kind::kBranchIndirect; }

/// True if some lanes may leave the kernel at `inst` while the others continue.
bool guarded_exit(const Inst& inst) {
  return (inst.kind == Kind::kReturn || inst.kind == Kind::kExit) && inst.guard.valid();
}

/// True if control does not always continue with the next instruction.
bool ends_block(const Inst& inst) { return is_branch(inst) || inst.ends || guarded_exit(inst); }

bool falls_through(const Inst& last) {
  if (last.ends) return false;
  // A brx.idx continues only for lanes whose guard is false: an index outside the table is an error of the program.
  return !is_branch(last) || last.guard.valid();
}

void find_successors(const Code& code, const std::vector<std::uint32_t>& block_of, std::vector<Block>& blocks) {
  for (std::uint32_t b = 0; b < blocks.size(); ++b) {
    Block& block = blocks[b];
    const auto add = [&](std::uint32_t s) {
      if (s < blocks.size() && std::find(block.successors.begin(), block.successors.end(), s) == block.successors.end())
        block.successors.push_back(s);
    };
    if (block.first == block.last) {
      add(b + 1);
      continue;
    }
    const Inst& last = code.insts[block.last - 1];
    if (falls_through(last)) add(b + 1);
    if (last.kind == Kind::kBranch) add(block_of[code.labels[last.target]]);
    if (last.kind == Kind::kBranchIndirect)
      for (const std::uint32_t label : code.tables[last.target]) add(block_of[code.labels[label]]);
  }
}

/// Returns the exit instruction that execution from `at` reaches through unconditional branches only, or kNoIndex.
std::uint32_t plain_exit(const Code& code, std::uint32_t at) {
  for (std::size_t hops = 0; at < code.insts.size() && hops < code.insts.size(); ++hops) {
    const Inst& inst = code.insts[at];
    if (inst.guard.valid()) return kNoIndex;
    if (inst.kind == Kind::kReturn || inst.kind == Kind::kExit) return at;
    if (inst.kind != Kind::kBranch) return kNoIndex;
    at = code.labels[inst.target];
  }
  return kNoIndex;
}

/// Replaces branches of a kernel to its end by exits. Lanes then exit at once, as on hardware, instead of waiting at
/// the end for the others. Barriers and warp-level operations after `if (i >= n) return;` depend on early exits. The
/// code after an early return also gets a reconvergence point before the kernel's end.
void exit_in_place(Code& code) {
  std::vector<Inst> insts;
  std::vector<std::uint32_t> place(code.insts.size() + 1);
  for (std::uint32_t i = 0; i < code.insts.size(); ++i) {
    place[i] = static_cast<std::uint32_t>(insts.size());
    const Inst& inst = code.insts[i];
    const auto leave = [&](std::uint32_t exit, bool negated) {
      Inst end = code.insts[exit];
      end.guard = inst.guard;
      end.guard.negated = inst.guard.negated != negated;
      end.ends = !end.guard.valid();
      end.where = inst.where;
      insts.push_back(end);
    };
    if (inst.kind == Kind::kBranch) {
      if (const std::uint32_t exit = plain_exit(code, code.labels[inst.target]); exit != kNoIndex) {
        leave(exit, false);
        continue;
      }
      if (const std::uint32_t exit = plain_exit(code, i + 1); inst.guard.valid() && exit != kNoIndex) {
        leave(exit, true);
        insts.push_back(inst);
        insts.back().guard = {};
        continue;
      }
    }
    insts.push_back(inst);
  }
  place[code.insts.size()] = static_cast<std::uint32_t>(insts.size());
  code.insts = std::move(insts);
  for (std::uint32_t& label : code.labels)
    if (label < place.size()) label = place[label];
}

}  // namespace

void build_control_flow(Code& code) {
  if (code.kernel) exit_in_place(code);
  const auto n = static_cast<std::uint32_t>(code.insts.size());
  std::vector<bool> leader(n + 1, false);
  leader[0] = true;
  const auto lead = [&](std::uint32_t label) {
    CASTOR_ASSERT(label < code.labels.size() && code.labels[label] <= n, "a branch to label %u", label);
    leader[code.labels[label]] = true;
  };
  for (std::uint32_t i = 0; i < n; ++i) {
    const Inst& inst = code.insts[i];
    if (!ends_block(inst)) continue;
    leader[i + 1] = true;
    if (inst.kind == Kind::kBranch) lead(inst.target);
    if (inst.kind == Kind::kBranchIndirect)
      for (const std::uint32_t label : code.tables[inst.target]) lead(label);
  }
  std::vector<Block> all;
  std::vector<std::uint32_t> block_of(n + 1, 0);
  for (std::uint32_t i = 0; i < n; ++i) {
    if (leader[i]) {
      if (!all.empty()) all.back().last = i;
      all.emplace_back();
      all.back().first = i;
    }
    block_of[i] = static_cast<std::uint32_t>(all.size() - 1);
  }
  all.back().last = n;
  block_of[n] = static_cast<std::uint32_t>(all.size());
  find_successors(code, block_of, all);

  std::vector<bool> reached(all.size(), false);
  std::vector<std::uint32_t> work{0};
  reached[0] = true;
  while (!work.empty()) {
    const std::uint32_t b = work.back();
    work.pop_back();
    for (const std::uint32_t s : all[b].successors) {
      if (reached[s]) continue;
      reached[s] = true;
      work.push_back(s);
    }
  }

  // Renumber the reachable blocks and compact the instructions. A branch to the next block in order is dropped.
  std::vector<std::uint32_t> number(all.size(), kNoIndex);
  std::uint32_t count = 0;
  for (std::uint32_t b = 0; b < all.size(); ++b)
    if (reached[b]) number[b] = count++;
  std::vector<Inst> insts;
  insts.reserve(code.insts.size());
  code.blocks.clear();
  for (std::uint32_t b = 0; b < all.size(); ++b) {
    if (!reached[b]) continue;
    Block block;
    block.first = static_cast<std::uint32_t>(insts.size());
    for (std::uint32_t i = all[b].first; i < all[b].last; ++i) {
      Inst inst = code.insts[i];
      if (inst.kind == Kind::kBranch) {
        inst.target = number[block_of[code.labels[inst.target]]];
        if (!inst.guard.valid() && inst.target == number[b] + 1) continue;
      }
      insts.push_back(inst);
    }
    block.last = static_cast<std::uint32_t>(insts.size());
    for (const std::uint32_t s : all[b].successors) block.successors.push_back(number[s]);
    code.blocks.push_back(std::move(block));
  }
  code.insts = std::move(insts);
  for (auto& table : code.tables)
    for (std::uint32_t& label : table) {
      const std::uint32_t at = code.labels[label];
      label = at < n ? number[block_of[at]] : kNoIndex;
    }
  code.labels.clear();

  std::vector<std::vector<std::uint32_t>> successors;
  PathEnds ends(code.blocks.size());
  for (std::uint32_t b = 0; b < code.blocks.size(); ++b) {
    const Block& block = code.blocks[b];
    for (const std::uint32_t s : block.successors) code.blocks[s].predecessors.push_back(b);
    successors.push_back(block.successors);
    if (block.last > block.first && guarded_exit(code.insts[block.last - 1])) ends.stops[b] = true;
    if (!block.successors.empty()) continue;
    const Inst& last = code.insts[block.last - 1];
    const bool regular = last.kind == Kind::kReturn || (code.kernel && last.kind == Kind::kExit);
    const bool stop = last.kind == Kind::kReturn || last.kind == Kind::kExit;
    (regular ? ends.exits : stop ? ends.stops : ends.faults)[b] = true;
    // A backward edge encloses a loop. The loop's blocks are assumed to be contiguous in source order, as compilers
    // emit them.
  }
  for (std::uint32_t b = 0; b < code.blocks.size(); ++b)
    for (const std::uint32_t s : code.blocks[b].successors)
      if (s <= b)
        for (std::uint32_t inside = s; inside <= b; ++inside) ++code.blocks[inside].loop_depth;
  const std::vector<std::uint32_t> dominators = post_dominators(successors, ends);
  for (std::uint32_t b = 0; b < code.blocks.size(); ++b) code.blocks[b].post_dominator = dominators[b];
}

std::vector<std::uint32_t> divergent_region(const Code& code, std::uint32_t block) {
  const std::uint32_t end = code.blocks[block].post_dominator;
  std::vector<bool> seen(code.blocks.size(), false);
  std::vector<std::uint32_t> region;
  for (const std::uint32_t s : code.blocks[block].successors) {
    if (s == end || seen[s]) continue;
    seen[s] = true;
    region.push_back(s);
  }
  for (std::size_t i = 0; i < region.size(); ++i)
    for (const std::uint32_t s : code.blocks[region[i]].successors) {
      if (s == end || seen[s]) continue;
      seen[s] = true;
      region.push_back(s);
    }
  return region;
}

}  // namespace castor::compiler
