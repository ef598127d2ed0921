// Liveness for lanes that share physical registers.
//
// For a single lane, ordinary liveness is right, divergence or not. Every lane follows one path through the
// control-flow graph, and writes are masked. So a lane's element of a register changes only when that lane executes a
// write. A register that is dead on one path and live on the other may be reused on the first, for the lanes that take
// it. A guarded write does not end the life of the old value, since the lanes with a false guard keep it.
//
// That argument needs each lane to have its own bytes in a physical register. The two layouts break this assumption. In
// a single register, lane i is element i of 4 bytes; in a pair, it is element i of 8 bytes. The bytes of R0 hold lane
// 20 of the single register R0 and lane 10 of the pair R0:R1 at the same place. Suppose lane 20 waits with a live value
// while lane 10 executes elsewhere and writes a pair: the value is lost. So the lives of waiting lanes also count
// between registers of different layouts. While some lanes run between a branch and its reconvergence point, the others
// wait at a successor of that branch or at the reconvergence point. They wait nowhere else, because the SIMT stack
// pushes entries for these blocks only. Values live at one of these blocks are therefore held throughout the region in
// between. Lanes that wait in a caller are covered by the call. Registers live across the call, waiting lanes included,
// are kept out of the registers that the callee uses in the other layout.

#include "compiler/intervals.h"

#include <algorithm>
#include <utility>

#include "compiler/control_flow.h"

namespace castor::compiler {
namespace {

using isa::Kind;

/// Bit set of a size that is known at run time.
class Bits {
 public:
  explicit Bits(std::size_t size) : words_((size + 63) / 64, 0) {}
  void set(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
  void clear(std::size_t i) { words_[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }
  [[nodiscard]] bool test(std::size_t i) const { return (words_[i / 64] >> (i % 64) & 1) != 0; }
  /// Adds the bits of `other`; returns true if any bit was new.
  bool add(const Bits& other) {
    std::uint64_t changed = 0;
    for (std::size_t w = 0; w < words_.size(); ++w) {
      changed |= other.words_[w] & ~words_[w];
      words_[w] |= other.words_[w];
    }
    return changed != 0;
  }
  void remove(const Bits& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= ~other.words_[w];
  }
  void keep(const Bits& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= other.words_[w];
  }
  /// Takes the bits of `other`; calls f(i, set) for those that change. f may look at neither.
  template <class F>
  void become(const Bits& other, const F& f) {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      const std::uint64_t now = other.words_[w];
      for (std::uint64_t bits = words_[w] ^ now; bits != 0; bits &= bits - 1) {
        const auto bit = static_cast<unsigned>(__builtin_ctzll(bits));
        f(64 * w + bit, (now >> bit & 1) != 0);
      }
      words_[w] = now;
    }
  }

 private:
  std::vector<std::uint64_t> words_;
};

/// Tree of the immediate post-dominators: a block lies below the block where its paths meet.
class PostDominatorTree {
 public:
  explicit PostDominatorTree(const Code& code) : code_(code), first_(code.blocks.size()), last_(code.blocks.size()) {
    const auto blocks = static_cast<std::uint32_t>(code.blocks.size());
    std::vector<std::vector<std::uint32_t>> below(blocks);
    std::vector<std::pair<std::uint32_t, std::size_t>> path;  // block, and how many blocks below it are visited
    for (std::uint32_t b = 0; b < blocks; ++b) {
      if (code.blocks[b].post_dominator != kNoIndex) below[code.blocks[b].post_dominator].push_back(b);
    }
    std::uint32_t next = 1;
    for (std::uint32_t root = 0; root < blocks; ++root) {
      if (code.blocks[root].post_dominator != kNoIndex) continue;
      path.emplace_back(root, 0);
      while (!path.empty()) {
        const std::uint32_t b = path.back().first;
        if (path.back().second == 0) first_[b] = next++;
        if (path.back().second < below[b].size()) {
          path.emplace_back(below[b][path.back().second++], 0);
        } else {
          last_[b] = next;
          path.pop_back();
        }
      }
    }
  }

  /// Returns the visit number of a block, which is lower than the numbers of all blocks below it; 0 for kNoIndex.
  [[nodiscard]] std::uint32_t order(std::uint32_t block) const { return block == kNoIndex ? 0 : first_[block]; }
  /// True if the successors of every block lie below the block's post-dominator in the tree.
  [[nodiscard]] bool nests_regions() const {
    for (const Block& block : code_.blocks) {
      const std::uint32_t end = block.post_dominator;
      if (end == kNoIndex) continue;
      for (const std::uint32_t s : block.successors)
        if (first_[s] < first_[end] || last_[s] > last_[end]) return false;
    }
    return true;
  }

 private:
  const Code& code_;
  std::vector<std::uint32_t> first_, last_;
};

/// Liveness analysis of one function, for its predicates or for its other registers.
class Liveness {
 public:
  Liveness(const Code& code, bool predicates) : code_(code), predicates_(predicates) {}

  Intervals run() {
    find_globals();
    solve_definitions();
    solve_liveness();
    if (!predicates_) widen();
    Intervals intervals(code_.registers.size());
    build(intervals);
    return intervals;
  }

 private:
  static constexpr std::uint32_t kLocal = kNoIndex;

  [[nodiscard]] bool mine(RegisterId id) const {
    return (code_.registers[id].cls == RegisterClass::kPredicate) == predicates_;
  }
  template <class F>
  void uses(const Inst& inst, const F& f) const {
    for_each_use(inst, [&](RegisterId id) {
      if (mine(id)) f(id);
    });
    if (predicates_) return;
    if (inst.call != kNoIndex)
      for (const RegisterId id : code_.calls[inst.call].arguments) f(id);
    if (inst.kind == Kind::kReturn)
      for (const RegisterId id : code_.exit_registers) f(id);
  }
  template <class F>
  void defs(const Inst& inst, const F& f) const {
    for_each_def(inst, [&](RegisterId id) {
      if (mine(id)) f(id);
    });
    if (!predicates_ && inst.call != kNoIndex)
      for (const RegisterId id : code_.calls[inst.call].results) f(id);
  }
  [[nodiscard]] bool kills(const Inst& inst, RegisterId id) const {
    return !inst.guard.valid() || code_.registers[id].temporary;
  }

  /// Finds the registers of the data flow: registers read in a block before they are written there.
  void find_globals() {
    global_.assign(code_.registers.size(), kLocal);
    std::vector<std::uint32_t> killed(code_.registers.size(), kNoIndex);
    for (std::uint32_t b = 0; b < code_.blocks.size(); ++b)
      for (std::uint32_t i = code_.blocks[b].first; i < code_.blocks[b].last; ++i) {
        const Inst& inst = code_.insts[i];
        uses(inst, [&](RegisterId id) {
          if (killed[id] == b || global_[id] != kLocal) return;
          global_[id] = static_cast<std::uint32_t>(names_.size());
          names_.push_back(id);
        });
        defs(inst, [&](RegisterId id) {
          if (kills(inst, id)) killed[id] = b;
        });
      }
  }

  /// Forward pass: finds the registers that may hold a value at a block's begin. Any other register is not live there,
  /// whatever reads follow.
  void solve_definitions() {
    const std::size_t n = code_.blocks.size();
    defined_in_.assign(n, Bits(names_.size()));
    std::vector<Bits> made(n, Bits(names_.size()));
    for (std::size_t b = 0; b < n; ++b)
      for (std::uint32_t i = code_.blocks[b].first; i < code_.blocks[b].last; ++i)
        defs(code_.insts[i], [&](RegisterId id) {
          if (global_[id] != kLocal) made[b].set(global_[id]);
        });
    for (const RegisterId id : code_.entry_registers)
      if (!predicates_ && global_[id] != kLocal) defined_in_[0].set(global_[id]);
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t b = 0; b < n; ++b) {
        Bits out = defined_in_[b];
        out.add(made[b]);
        for (const std::uint32_t s : code_.blocks[b].successors)
          if (defined_in_[s].add(out)) changed = true;
      }
    }
  }

  void solve_liveness() {
    const std::size_t n = code_.blocks.size();
    live_in_.assign(n, Bits(names_.size()));
    live_out_.assign(n, Bits(names_.size()));
    std::vector<Bits> killed(n, Bits(names_.size()));
    for (std::size_t b = 0; b < n; ++b)
      for (std::uint32_t i = code_.blocks[b].first; i < code_.blocks[b].last; ++i) {
        const Inst& inst = code_.insts[i];
        uses(inst, [&](RegisterId id) {
          if (global_[id] != kLocal && !killed[b].test(global_[id])) live_in_[b].set(global_[id]);
        });
        defs(inst, [&](RegisterId id) {
          if (global_[id] != kLocal && kills(inst, id)) killed[b].set(global_[id]);
        });
      }
    for (std::size_t b = 0; b < n; ++b) live_in_[b].keep(defined_in_[b]);
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t b = n; b-- > 0;) {
        bool grown = false;
        for (const std::uint32_t s : code_.blocks[b].successors)
          if (live_out_[b].add(live_in_[s])) grown = true;
        if (!grown) continue;
        Bits in = live_out_[b];
        in.remove(killed[b]);
        in.keep(defined_in_[b]);
        if (live_in_[b].add(in)) changed = true;
      }
    }
  }

  /// Returns the registers held by lanes that wait while others execute after the branch at the end of block `b`.
  [[nodiscard]] Bits waiting_at(std::uint32_t b) const {
    const Block& block = code_.blocks[b];
    Bits waiting(names_.size());
    for (const std::uint32_t s : block.successors) waiting.add(live_in_[s]);
    if (block.post_dominator != kNoIndex) waiting.add(live_in_[block.post_dominator]);
    return waiting;
  }

  /// Finds, per block, the registers held by waiting lanes: each branch adds its waiting registers to all blocks of its
  /// divergent region.
  ///
  /// If the regions nest like the post-dominators of their branches, all branches with the same end are processed
  /// together, outer ends first. A block then propagates its registers only if it has received new ones; all its other
  /// registers have been propagated before.
  void widen() {
    const auto blocks = static_cast<std::uint32_t>(code_.blocks.size());
    held_.assign(blocks, Bits(names_.size()));
    std::vector<std::uint32_t> branches;
    for (std::uint32_t b = 0; b < blocks; ++b)
      if (code_.blocks[b].successors.size() >= 2) branches.push_back(b);
    const PostDominatorTree tree(code_);
    if (!tree.nests_regions()) {
      for (const std::uint32_t b : branches) {
        const Bits waiting = waiting_at(b);
        for (const std::uint32_t inside : divergent_region(code_, b)) held_[inside].add(waiting);
      }
      return;
    }
    const auto order = [&](std::uint32_t b) { return tree.order(code_.blocks[b].post_dominator); };
    std::stable_sort(branches.begin(), branches.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return order(a) < order(b); });
    std::vector<std::uint32_t> work;
    std::vector<bool> queued(blocks, false);
    for (std::size_t i = 0; i < branches.size();) {
      const std::uint32_t end = code_.blocks[branches[i]].post_dominator;
      const auto hand = [&](const Bits& what, std::uint32_t from) {
        for (const std::uint32_t s : code_.blocks[from].successors) {
          if (s == end || !held_[s].add(what) || queued[s]) continue;
          queued[s] = true;
          work.push_back(s);
        }
      };
      for (; i < branches.size() && code_.blocks[branches[i]].post_dominator == end; ++i)
        hand(waiting_at(branches[i]), branches[i]);
      while (!work.empty()) {
        const std::uint32_t b = work.back();
        work.pop_back();
        queued[b] = false;
        hand(held_[b], b);
      }
    }
  }

  /// Ends the open segment of a register. Segments are found backwards, so lists are in descending order.
  void close(Interval& interval, RegisterId id, std::uint32_t begin) {
    auto& list = interval.active;
    if (!list.empty() && list.back().begin <= end_[id])
      list.back().begin = std::min(list.back().begin, begin);
    else
      list.push_back({begin, end_[id]});
    end_[id] = 0;
    if (global_[id] == kLocal) return;
    open_.clear(global_[id]);
    through_.clear(global_[id]);
  }

  /// Builds the segments of one block, backwards. Segments of registers in the data flow may stay open at its begin,
  /// for the block before it.
  void build_block(std::uint32_t b, Intervals& intervals) {
    const Block& block = code_.blocks[b];
    std::vector<RegisterId> locals;
    for (std::uint32_t i = block.first; i < block.last; ++i)
      defs(code_.insts[i], [&](RegisterId id) {
        if (stamp_[id] == b) return;
        stamp_[id] = b;
        first_def_[id] = i;
      });
    for (std::uint32_t i = block.last; i-- > block.first;) {
      const Inst& inst = code_.insts[i];
      defs(inst, [&](RegisterId id) {
        const bool comes_in = global_[id] != kLocal && defined_in_[b].test(global_[id]);
        const bool ends = kills(inst, id) || (first_def_[id] == i && !comes_in);
        const bool dead = end_[id] == 0;
        if (dead) end_[id] = 2 * i + 2;  // the result is never read, but the write still occupies the register
        if (dead || ends) close(intervals[id], id, 2 * i + 1);
      });
      // A destination may be written before some lanes have read a source of another width. The same holds for the
      // second source of an instruction with two predicate results.
      const bool two_results = predicates_ && inst.pdst[0] != kNoRegister && inst.pdst[1] != kNoRegister;
      const bool lane = inst.kind == Kind::kLane && inst.dst.is_register();
      uses(inst, [&](RegisterId id) {
        const bool late =
            predicates_ ? two_results : lane && code_.registers[id].cls != code_.registers[inst.dst.reg].cls;
        if (global_[id] != kLocal) open_.set(global_[id]);
        if (global_[id] == kLocal && end_[id] == 0) locals.push_back(id);
        end_[id] = std::max(end_[id], 2 * i + (late ? 2 : 1));
      });
    }
    for (const RegisterId id : locals)
      if (end_[id] != 0) close(intervals[id], id, 2 * block.first);
  }

  /// Goes from position `at`, between two blocks, to the end of the block before it, which holds `live`: closes the
  /// segments of other registers and opens those of further ones.
  void pass_border(std::uint32_t at, const Bits& live, Intervals& intervals) {
    std::vector<RegisterId> ended;
    open_.become(live, [&](std::size_t g, bool opens) {
      if (opens)
        end_[names_[g]] = at;
      else
        ended.push_back(names_[g]);
    });
    for (const RegisterId id : ended) close(intervals[id], id, at);
  }

  void build(Intervals& intervals) {
    end_.assign(code_.registers.size(), 0);
    first_def_.assign(code_.registers.size(), 0);
    stamp_.assign(code_.registers.size(), kNoIndex);
    const Bits none(names_.size());
    open_ = waits_ = through_ = none;
    std::vector<std::uint32_t> wait_end(names_.size(), 0);
    const auto wait = [&](std::uint32_t at, const Bits& held) {
      waits_.become(held, [&](std::size_t g, bool begins) {
        if (begins)
          wait_end[g] = at;
        else
          intervals[names_[g]].waiting.push_back({at, wait_end[g]});
      });
    };
    for (auto b = static_cast<std::uint32_t>(code_.blocks.size()); b-- > 0;) {
      const Block& block = code_.blocks[b];
      if (block.first == block.last) continue;
      borders_.push_back(2 * block.last);
      pass_border(2 * block.last, live_out_[b], intervals);
      through_ = live_out_[b];
      build_block(b, intervals);
      if (predicates_) continue;
      held_[b].remove(through_);
      wait(2 * block.last, held_[b]);
    }
    pass_border(0, none, intervals);
    wait(0, none);
    borders_.push_back(0);
    std::reverse(borders_.begin(), borders_.end());
    for (Interval& interval : intervals) {
      std::reverse(interval.active.begin(), interval.active.end());
      join_neighbours(interval.active);
      std::reverse(interval.waiting.begin(), interval.waiting.end());
      interval.waiting = beyond(interval);
    }
  }

  /// Returns the waiting segments of an interval without the blocks throughout which executing lanes hold the value.
  [[nodiscard]] std::vector<Segment> beyond(const Interval& interval) const {
    std::vector<Segment> rest;
    auto active = interval.active.begin();
    for (const Segment& run : interval.waiting) {
      std::uint32_t at = run.begin;
      while (active != interval.active.end() && active->end <= at) ++active;
      for (auto held = active; held != interval.active.end() && held->begin < run.end; ++held) {
        const auto first = std::lower_bound(borders_.begin(), borders_.end(), held->begin);
        const auto behind = std::upper_bound(first, borders_.end(), held->end);
        if (behind - first < 2) continue;  // no whole block
        const std::uint32_t begin = std::max(*first, at), end = std::min(*(behind - 1), run.end);
        if (begin >= end) continue;
        if (at < begin) rest.push_back({at, begin});
        at = end;
      }
      if (at < run.end) rest.push_back({at, run.end});
    }
    return rest;
  }

  static void join_neighbours(std::vector<Segment>& list) {
    if (list.empty()) return;
    std::size_t kept = 0;
    for (std::size_t k = 1; k < list.size(); ++k) {
      if (list[k].begin <= list[kept].end)
        list[kept].end = std::max(list[kept].end, list[k].end);
      else
        list[++kept] = list[k];
    }
    list.resize(kept + 1);
  }

  const Code& code_;
  const bool predicates_;
  std::vector<std::uint32_t> global_;  // register -> index in the data flow
  std::vector<RegisterId> names_;
  std::vector<Bits> defined_in_, live_in_, live_out_, held_;
  std::vector<std::uint32_t> end_;  // end of the open segment of a register, 0 if none is open
  std::vector<std::uint32_t> first_def_, stamp_;
  Bits open_{0};                        // registers in the data flow with an open segment
  Bits through_{0};                     // registers that executing lanes hold throughout the block
  Bits waits_{0};                       // registers that only waiting lanes hold, in the block processed before (the
                                        // next one in order)
  std::vector<std::uint32_t> borders_;  // positions between blocks that are not empty, ascending
};

}  // namespace

Intervals live_intervals(const Code& code, bool predicates) { return Liveness(code, predicates).run(); }

bool overlap(const std::vector<Segment>& a, const std::vector<Segment>& b) {
  auto i = a.begin();
  auto j = b.begin();
  while (i != a.end() && j != b.end()) {
    if (i->end <= j->begin)
      ++i;
    else if (j->end <= i->begin)
      ++j;
    else
      return true;
  }
  return false;
}

void unite(std::vector<Segment>& into, const std::vector<Segment>& other) {
  std::vector<Segment> all;
  all.reserve(into.size() + other.size());
  std::merge(into.begin(), into.end(), other.begin(), other.end(), std::back_inserter(all),
             [](const Segment& x, const Segment& y) { return x.begin < y.begin; });
  into.clear();
  for (const Segment& s : all) {
    if (!into.empty() && s.begin <= into.back().end)
      into.back().end = std::max(into.back().end, s.end);
    else
      into.push_back(s);
  }
}

}  // namespace castor::compiler
