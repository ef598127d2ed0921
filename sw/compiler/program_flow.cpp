// Control flow of linked programs, and the places where paths of a branch meet.
//
// Warps of a thread block may take different sides of a branch and then execute the same code together again. A
// register that both sides write from redundant operands then holds different values in different warps. So at every
// place where diverged paths of a branch can meet, registers written in between are at most as redundant as the
// branch's condition. There are two types of such places. The first are the joins of the branch: nodes of the graph
// below the branch that no single node dominates, with the branch's successors as roots. The second are barriers on a
// side of the branch. In PTX, warps may arrive at one barrier in different iterations of a loop. After it, any register
// written on the way from the branch to the barrier may differ.

#include "compiler/program_flow.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dominator_tree.hpp>

#include "compiler/control_flow.h"

namespace castor::compiler {
namespace {

using isa::Kind;
using isa::Record;

bool is_branch(const Record& record) { return record.kind == Kind::kBranch || record.kind == Kind::kBranchIndirect; }

/// True if the thread, or the function, ends at `record`.
bool is_end(const Record& record) {
  return record.kind == Kind::kReturn || record.kind == Kind::kExit || record.kind == Kind::kTrap;
}

/// Returns true if warps may wait at `record` for all other warps of the thread block. For some barriers, the number of
/// awaited warps is known only at run time.
bool is_barrier(const Record& record) {
  if (isa::is_sync_site(record)) return true;
  return record.kind == Kind::kBarrier && record.barrier.kind != isa::BarrierKind::kWarp &&
         record.barrier.kind != isa::BarrierKind::kArrive;
}

bool ends_block(const Record& record) { return is_branch(record) || is_end(record) || is_barrier(record); }

bool goes_on(const Record& record) {
  return is_barrier(record) || !ends_block(record) || record.guard != isa::kNoGuard;
}

RegisterSet written_by_record(const Record& record, const isa::RegisterUse& use) {
  RegisterSet set;
  for (unsigned i = 0; i < use.dst; ++i) set.set(record.dst + i);
  for (unsigned p = 0; p < kPredicateRegisters; ++p)
    if ((use.predicates_written >> p & 1) != 0) set.set(kMaxRegisters + p);
  return set;
}

}  // namespace

std::vector<std::uint32_t> joins_below(const std::vector<FlowBlock>& blocks, const std::vector<std::uint32_t>& roots,
                                       const std::vector<bool>& inside, std::uint32_t stop) {
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;
  const std::size_t n = blocks.size();
  Graph graph(n + 1);  // vertex n is the parent of all roots
  for (const std::uint32_t root : roots) boost::add_edge(n, root, graph);
  for (std::uint32_t b = 0; b < n; ++b) {
    if (!inside[b] || b == stop) continue;
    for (const std::uint32_t s : blocks[b].successors) boost::add_edge(b, s, graph);
  }
  std::vector<Graph::vertex_descriptor> dominator(n + 1, Graph::null_vertex());
  const auto map = boost::make_iterator_property_map(dominator.begin(), boost::get(boost::vertex_index, graph));
  boost::lengauer_tarjan_dominator_tree(graph, n, map);
  std::vector<std::uint32_t> joins;
  for (std::uint32_t b = 0; b < n; ++b)
    if (inside[b] && dominator[b] == n && std::find(roots.begin(), roots.end(), b) == roots.end()) joins.push_back(b);
  for (const std::uint32_t root : roots) {
    std::vector<bool> seen(n, false);
    std::vector<std::uint32_t> work;
    for (const std::uint32_t other : roots)
      if (other != root) {
        seen[other] = true;
        work.push_back(other);
      }
    while (!work.empty() && !seen[root]) {
      const std::uint32_t b = work.back();
      work.pop_back();
      if (b == stop) continue;
      for (const std::uint32_t s : blocks[b].successors) {
        if (seen[s]) continue;
        seen[s] = true;
        work.push_back(s);
      }
    }
    if (seen[root]) joins.push_back(root);
  }
  return joins;
}

ProgramFlow::ProgramFlow(const isa::Program& program) : program_(program) {
  cut();
  for (std::uint32_t b = 0; b < blocks_.size(); ++b) connect(b);
  for (std::uint32_t b = 0; b < blocks_.size(); ++b)
    for (const std::uint32_t s : blocks_[b].successors) {
      blocks_[s].predecessors.push_back(b);
      // A backward edge encloses a loop. The loop's blocks are assumed to be contiguous in the order of the code, as
      // compilers emit them.
      for (std::uint32_t inner = s; s <= b && inner <= b; ++inner) ++blocks_[inner].loop_depth;
    }
  find_post_dominators();
  find_writes();
  joins_.resize(blocks_.size());
  for (std::uint32_t b = 0; b < blocks_.size(); ++b)
    if (blocks_[b].successors.size() > 1 && is_branch(program_.code[blocks_[b].last - 1])) find_joins(b);
}

std::uint32_t ProgramFlow::function_at(std::uint32_t pc) const {
  const auto& functions = program_.functions;
  for (std::uint32_t f = 0; f < functions.size(); ++f)
    if (pc >= functions[f].first && pc - functions[f].first < functions[f].count) return f;
  return kNoIndex;
}

/// Returns the records to which the branch at `pc` can go, except the next record.
std::vector<std::uint32_t> ProgramFlow::targets(std::uint32_t pc) const {
  const Record& record = program_.code[pc];
  if (record.kind == Kind::kBranch) return {record.branch.target};
  std::vector<std::uint32_t> result;
  for (const std::uint32_t target : program_.branch_tables[record.imm])
    if (target != isa::kNoPc) result.push_back(target);
  return result;
}

void ProgramFlow::cut() {
  const auto n = static_cast<std::uint32_t>(program_.code.size());
  std::vector<bool> leads(n + 1, false);
  std::vector<bool> enters(n + 1, false);
  for (const isa::ProgramFunction& function : program_.functions) leads[function.first] = enters[function.first] = true;
  for (std::uint32_t pc = 0; pc < n; ++pc) {
    const Record& record = program_.code[pc];
    if (ends_block(record)) leads[pc + 1] = true;
    if (is_branch(record))
      for (const std::uint32_t target : targets(pc)) leads[target] = true;
  }
  block_of_.resize(n);
  for (std::uint32_t pc = 0; pc < n; ++pc) {
    if (leads[pc] || pc == 0) {
      blocks_.emplace_back();
      blocks_.back().first = pc;
      blocks_.back().entry = enters[pc] || pc == 0;
    }
    blocks_.back().last = pc + 1;
    block_of_[pc] = static_cast<std::uint32_t>(blocks_.size() - 1);
  }
}

void ProgramFlow::connect(std::uint32_t block) {
  FlowBlock& from = blocks_[block];
  const auto add = [&](std::uint32_t pc) {
    const std::uint32_t to = block_of_[pc];
    if (std::find(from.successors.begin(), from.successors.end(), to) == from.successors.end())
      from.successors.push_back(to);
  };
  const std::uint32_t last = from.last - 1;
  const Record& record = program_.code[last];
  const bool inside = last + 1 < program_.code.size() && function_at(last) == function_at(last + 1);
  if (goes_on(record) && inside) add(last + 1);
  if (is_branch(record))
    for (const std::uint32_t target : targets(last)) add(target);
}

void ProgramFlow::find_post_dominators() {
  std::vector<std::vector<std::uint32_t>> successors;
  PathEnds ends(blocks_.size());
  for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
    successors.push_back(blocks_[b].successors);
    const Record& last = program_.code[blocks_[b].last - 1];
    const bool fault = last.kind == Kind::kTrap;
    if (is_end(last) && !fault && !blocks_[b].successors.empty()) ends.stops[b] = true;
    if (blocks_[b].successors.empty()) (fault ? ends.faults : ends.exits)[b] = true;
  }
  const std::vector<std::uint32_t> dominators = post_dominators(successors, ends);
  for (std::uint32_t b = 0; b < blocks_.size(); ++b) blocks_[b].post_dominator = dominators[b];
}

// Functions may call each other recursively, so the sets grow until no function adds a register.
void ProgramFlow::find_writes() {
  std::vector<RegisterSet> written_by(program_.functions.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t f = 0; f < program_.functions.size(); ++f) {
      RegisterSet set = written_by[f];
      const isa::ProgramFunction& function = program_.functions[f];
      for (std::uint32_t pc = function.first; pc < function.first + function.count; ++pc)
        set |= writes_of(pc, written_by);
      changed = changed || set != written_by[f];
      written_by[f] = set;
    }
  }
  for (std::uint32_t pc = 0; pc < program_.code.size(); ++pc) written_.push_back(writes_of(pc, written_by));
}

RegisterSet ProgramFlow::writes_of(std::uint32_t pc, const std::vector<RegisterSet>& written_by) const {
  RegisterSet set = written_by_record(program_.code[pc], program_.uses[pc]);
  if (program_.code[pc].kind == Kind::kCall)
    if (const std::uint32_t callee = function_at(program_.code[pc].branch.target); callee != kNoIndex)
      set |= written_by[callee];
  // Without addresses, as in a listing, the callees of an indirect call are unknown. The call then counts as writing
  // all registers.
  if (program_.code[pc].kind == Kind::kCallIndirect) set.set();
  return set;
}

RegisterSet ProgramFlow::written_in(std::uint32_t block) const {
  RegisterSet set;
  for (std::uint32_t pc = blocks_[block].first; pc < blocks_[block].last; ++pc) set |= written_[pc];
  return set;
}

RegisterSet ProgramFlow::written_between(std::uint32_t from, std::uint32_t to) const {
  const auto closure = [&](std::vector<std::uint32_t> work, std::vector<std::uint32_t> FlowBlock::*next) {
    std::vector<bool> seen(blocks_.size(), false);
    for (const std::uint32_t b : work) seen[b] = true;
    while (!work.empty()) {
      const std::uint32_t b = work.back();
      work.pop_back();
      for (const std::uint32_t n : blocks_[b].*next) {
        if (seen[n]) continue;
        seen[n] = true;
        work.push_back(n);
      }
    }
    return seen;
  };
  const std::vector<bool> behind = closure(blocks_[from].successors, &FlowBlock::successors);
  const std::vector<bool> before = closure({to}, &FlowBlock::predecessors);
  RegisterSet set;
  for (std::uint32_t b = 0; b < blocks_.size(); ++b)
    if (behind[b] && before[b]) set |= written_in(b);
  return set;
}

void ProgramFlow::find_joins(std::uint32_t branch) {
  const std::vector<std::uint32_t>& roots = blocks_[branch].successors;
  const std::uint32_t stop = blocks_[branch].post_dominator;
  std::vector<bool> inside(blocks_.size(), false);
  std::vector<std::uint32_t> work = roots;
  for (const std::uint32_t root : roots) inside[root] = true;
  RegisterSet written;
  std::vector<std::uint32_t> barriers;
  while (!work.empty()) {
    const std::uint32_t b = work.back();
    work.pop_back();
    if (b == stop) continue;
    written |= written_in(b);
    if (is_barrier(program_.code[blocks_[b].last - 1])) barriers.push_back(b);
    for (const std::uint32_t s : blocks_[b].successors) {
      if (inside[s]) continue;
      inside[s] = true;
      work.push_back(s);
    }
  }
  for (const std::uint32_t barrier : barriers) {
    const RegisterSet way = written_between(branch, barrier);
    for (const std::uint32_t behind : blocks_[barrier].successors) joins_[behind].push_back({branch, way});
  }
  for (const std::uint32_t join : joins_below(blocks_, roots, inside, stop)) joins_[join].push_back({branch, written});
}

}  // namespace castor::compiler
