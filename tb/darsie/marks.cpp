#include "tb/darsie/marks.h"

#include <algorithm>
#include <boost/dynamic_bitset.hpp>
#include <numeric>
#include <optional>
#include <utility>

namespace castor::darsie::tb {
namespace {

using Class = unsigned;  // 0 V, 1 CR, 2 DR
constexpr Class kV = 0, kCr = 1, kDr = 2;
using Classes = std::vector<Class>;
using Set = boost::dynamic_bitset<>;  // set of instructions; one additional element is the end of the kernel

/// Returns the successors of each instruction; the successor of an exit is the end of the kernel.
std::vector<std::vector<unsigned>> graph_of(const Kernel& kernel) {
  const unsigned size = static_cast<unsigned>(kernel.code.size());
  std::vector<std::vector<unsigned>> next(size + 1);
  for (unsigned i = 0; i < size; ++i) {
    const Instruction& now = kernel.code[i];
    if (now.op == Op::kExit) {
      next[i] = {size};
    } else if (now.op == Op::kJump) {
      next[i] = {now.target};
    } else {
      next[i] = {i + 1};
      if (now.op == Op::kBranch && now.target != i + 1) next[i].push_back(now.target);
    }
  }
  return next;
}

/// Returns for each node of `inside` the nodes that are on all paths from `roots` to the node; empty for unreachable
/// nodes.
std::vector<Set> dominators(const std::vector<std::vector<unsigned>>& next, const std::vector<unsigned>& roots,
                            const Set& inside, std::optional<unsigned> stop) {
  const std::size_t size = next.size();
  std::vector<Set> result(size);
  for (const unsigned root : roots) {
    result[root] = Set(size);
    result[root][root] = true;
  }
  const auto is_root = [&](unsigned node) { return std::find(roots.begin(), roots.end(), node) != roots.end(); };
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned from = 0; from < size; ++from) {
      if (result[from].empty() || from == stop) continue;
      for (const unsigned to : next[from]) {
        if (!inside[to]) continue;
        Set now = result[from];
        if (!result[to].empty()) now &= result[to];
        if (is_root(to)) now.reset();
        now[to] = true;
        if (now == result[to]) continue;
        result[to] = std::move(now);
        changed = true;
      }
    }
  }
  return result;
}

/// Returns the immediate post-dominator of each instruction; kNowhere if only the end of the kernel follows.
std::vector<unsigned> post_dominators(const std::vector<std::vector<unsigned>>& next) {
  const unsigned size = static_cast<unsigned>(next.size());
  std::vector<std::vector<unsigned>> back(size);
  for (unsigned i = 0; i < size; ++i) {
    for (const unsigned to : next[i]) back[to].push_back(i);
  }
  const std::vector<Set> all = dominators(back, {size - 1}, Set(size).set(), std::nullopt);
  const auto count = [&](unsigned node) { return all[node].count(); };
  std::vector<unsigned> result(size - 1, Kernel::kNowhere);
  for (unsigned i = 0; i + 1 < size; ++i) {
    for (unsigned to = 0; to + 1 < size; ++to) {
      if (!all[i].empty() && to != i && all[i][to] && count(to) + 1 == count(i)) result[i] = to;
    }
  }
  return result;
}

/// A branch whose sides may define different values.
struct Fork {
  unsigned branch;
  std::vector<unsigned> joins;
  std::vector<bool> defines;  // registers that the sides of the branch define
};

std::vector<Fork> forks_of(const Kernel& kernel, const std::vector<std::vector<unsigned>>& next) {
  const unsigned size = static_cast<unsigned>(next.size());
  std::vector<Fork> result;
  for (unsigned b = 0; b + 1 < size; ++b) {
    if (next[b].size() < 2) continue;
    const unsigned stop = kernel.reconverges[b] == Kernel::kNowhere ? size - 1 : kernel.reconverges[b];
    const auto reached = [&](const std::vector<unsigned>& from) {
      Set seen(size);
      std::vector<unsigned> left = from;
      while (!left.empty()) {
        const unsigned node = left.back();
        left.pop_back();
        if (seen[node]) continue;
        seen[node] = true;
        if (node != stop) left.insert(left.end(), next[node].begin(), next[node].end());
      }
      return seen;
    };
    const Set inside = reached(next[b]);
    const std::vector<Set> over = dominators(next, next[b], inside, stop);
    Fork fork{b, {}, std::vector<bool>(kernel.registers)};
    for (unsigned y = 0; y < size; ++y) {
      if (!inside[y]) continue;
      const auto side = std::find(next[b].begin(), next[b].end(), y);
      const bool joins =
          side != next[b].end() ? reached({next[b][side == next[b].begin() ? 1 : 0]})[y] : over[y].count() == 1;
      if (joins) fork.joins.push_back(y);
      if (y == stop || y + 1 == size) continue;
      for (unsigned d = 0; d < kernel.code[y].ndst; ++d) fork.defines[kernel.code[y].dst[d]] = true;
    }
    result.push_back(std::move(fork));
  }
  return result;
}

Class class_of_result(const Instruction& now, const Classes& before) {
  if (now.op == Op::kTid) return now.imm == 0 ? kCr : kV;
  Class result = kDr;
  for (unsigned s = 0; s < now.nsrc; ++s) result = std::min(result, before[now.src[s]]);
  for (unsigned d = 0; now.guarded && d < now.ndst; ++d) result = std::min(result, before[now.dst[d]]);
  return result;
}

/// Returns the class of each instruction's results.
Classes classes_of(const Kernel& kernel, const std::vector<std::vector<unsigned>>& next, bool joins) {
  const unsigned size = static_cast<unsigned>(next.size());
  const std::vector<Fork> forks = joins ? forks_of(kernel, next) : std::vector<Fork>{};
  std::vector<Classes> before(size), behind(size);
  Classes result(size, kV);
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned i = 0; i < size; ++i) {
      Classes now = i == 0 ? Classes(kernel.registers, kV) : Classes();
      for (unsigned from = 0; from < size; ++from) {
        if (behind[from].empty() || std::find(next[from].begin(), next[from].end(), i) == next[from].end()) continue;
        if (now.empty()) now = behind[from];
        for (unsigned r = 0; r < kernel.registers; ++r) now[r] = std::min(now[r], behind[from][r]);
      }
      if (now.empty()) continue;
      for (const Fork& fork : forks) {
        if (std::find(fork.joins.begin(), fork.joins.end(), i) == fork.joins.end()) continue;
        if (before[fork.branch].empty()) continue;
        const Class predicate = before[fork.branch][kernel.code[fork.branch].src[0]];
        for (unsigned r = 0; r < kernel.registers; ++r) {
          if (fork.defines[r]) now[r] = std::min(now[r], predicate);
        }
      }
      before[i] = now;
      if (i + 1 < size) {
        const Instruction& instruction = kernel.code[i];
        result[i] = class_of_result(instruction, now);
        for (unsigned d = 0; d < instruction.ndst; ++d) now[instruction.dst[d]] = result[i];
      }
      if (now == behind[i]) continue;
      behind[i] = std::move(now);
      changed = true;
    }
  }
  return result;
}

bool may_be_skipped(const Instruction& now) { return now.ndst > 0 && !now.guarded; }

/// Returns the registers that benefit most from a row, the register with the largest benefit first.
std::vector<unsigned> rename_set(const Kernel& kernel, const Classes& classes, const MarkRules& rules) {
  std::vector<std::uint64_t> worth(kernel.registers);
  for (unsigned i = 0; i < kernel.code.size(); ++i) {
    const Instruction& now = kernel.code[i];
    if (!may_be_skipped(now) || classes[i] == kV) continue;
    std::uint64_t weight = 1;
    for (unsigned d = 0; d < now.depth; ++d) weight *= 10;
    for (unsigned d = 0; d < now.ndst; ++d) worth[now.dst[d]] += weight;
  }
  for (const Instruction& now : kernel.code) {
    for (unsigned d = 0; rules.keep_guarded_out && now.guarded && d < now.ndst; ++d) worth[now.dst[d]] = 0;
  }
  std::vector<unsigned> set;
  for (unsigned r = 0; r < kernel.registers; ++r) {
    if (worth[r] != 0) set.push_back(r);
  }
  std::stable_sort(set.begin(), set.end(), [&](unsigned a, unsigned b) { return worth[a] > worth[b]; });
  set.resize(std::min<std::size_t>(set.size(), rules.limit));
  return set;
}

}  // namespace

void mark(Kernel& kernel, const MarkRules& rules) {
  const auto next = graph_of(kernel);
  kernel.reconverges = post_dominators(next);
  const Classes classes = classes_of(kernel, next, rules.joins);
  const std::vector<unsigned> set = rename_set(kernel, classes, rules);
  std::vector<unsigned> name(kernel.registers, kernel.registers);
  for (unsigned i = 0; i < set.size(); ++i) name[set[i]] = i;
  unsigned free = static_cast<unsigned>(set.size());
  for (unsigned& n : name) {
    if (n == kernel.registers) n = free++;
  }
  kernel.renamed = static_cast<unsigned>(set.size());
  for (unsigned i = 0; i < kernel.code.size(); ++i) {
    Instruction& now = kernel.code[i];
    bool in_set = may_be_skipped(now);
    for (unsigned s = 0; s < now.nsrc; ++s) now.src[s] = name[now.src[s]];
    for (unsigned d = 0; d < now.ndst; ++d) {
      now.dst[d] = name[now.dst[d]];
      in_set = in_set && now.dst[d] < kernel.renamed;
    }
    now.mark = in_set ? classes[i] : kV;
  }
}

}  // namespace castor::darsie::tb
