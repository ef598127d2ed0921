#include "compiler/allocate.h"

#include <algorithm>
#include <array>
#include <limits>

#include "castor/base/error.h"
#include "castor/base/words.h"
#include "compiler/intervals.h"
#include "compiler/link.h"

namespace castor::compiler {
namespace {

constexpr std::uint32_t kNoBundle = kNoIndex;
/// Owner of segments that must stay in their register: registers destroyed by calls, and fixed registers.
constexpr std::uint32_t kPinned = kNoIndex - 1;
constexpr unsigned kWidestBundle = 8;
constexpr float kInfinite = std::numeric_limits<float>::infinity();
/// Cost of recomputing a parameter or special register, relative to a store and loads of local memory.
constexpr float kComputedAgain = 0.25F;

/// Life of one unit of a bundle, by register layout (index 0: single, 1: pair). The lives of waiting lanes conflict
/// only with the other layout; intervals.cpp explains why.
struct Life {
  std::array<std::vector<Segment>, 2> active;
  std::array<std::vector<Segment>, 2> waiting;

  [[nodiscard]] bool empty() const { return active[0].empty() && active[1].empty(); }
  [[nodiscard]] bool conflicts(const Life& other) const {
    for (unsigned a = 0; a < 2; ++a) {
      if (active[a].empty()) continue;
      if (overlap(active[a], other.active[0]) || overlap(active[a], other.active[1]) ||
          overlap(active[a], other.waiting[1 - a]) || overlap(waiting[a], other.active[1 - a]))
        return true;
    }
    return false;
  }
  void unite(const Life& other) {
    for (unsigned a = 0; a < 2; ++a) {
      compiler::unite(active[a], other.active[a]);
      compiler::unite(waiting[a], other.waiting[a]);
    }
  }
};

/// Virtual registers that occupy neighbouring physical registers, or share one: the unit of allocation.
struct Bundle {
  unsigned width = 1;  ///< size in 32-bit units
  unsigned align = 1;  ///< alignment in 32-bit units
  /// virtual registers of the bundle, each with the unit of the bundle at which it begins
  std::vector<std::pair<RegisterId, unsigned>> members;
  std::vector<Life> lives;         ///< life of each 32-bit unit of the bundle
  float uses = 0;                  ///< uses of all members, weighted by loop depth
  bool unspillable = false;        ///< contains a register that must not be spilled
  std::int16_t fixed = -1;         ///< required physical register, or -1
  std::int16_t hint = -1;          ///< physical register tried first, to save a copy; -1: none
  std::int32_t base = -1;          ///< assigned physical register of unit 0, or -1
  std::uint32_t begin = kNoIndex;  ///< position at which the first life begins

  [[nodiscard]] std::uint32_t earliest() const {
    std::uint32_t position = kNoIndex;
    for (const Life& life : lives)
      for (unsigned a = 0; a < 2; ++a) {
        if (!life.active[a].empty()) position = std::min(position, life.active[a].front().begin);
        if (!life.waiting[a].empty()) position = std::min(position, life.waiting[a].front().begin);
      }
    return position;
  }
};

/// Occupied segments of one physical register, with the bundles that own them.
class Timeline {
 public:
  [[nodiscard]] bool free(const std::vector<Segment>& lives) const {
    if (lives.empty() || all_.empty() || all_.back().end <= lives.front().begin) return true;
    auto at =
        std::partition_point(all_.begin(), all_.end(), [&](const Segment& t) { return t.end <= lives.front().begin; });
    for (const Segment& s : lives) {
      while (at != all_.end() && at->end <= s.begin) ++at;
      if (at == all_.end()) return true;
      if (at->begin < s.end) return false;
    }
    return true;
  }
  /// Calls f(bundle) for each overlap, possibly more than once for a bundle.
  template <class F>
  void conflicts(const std::vector<Segment>& lives, const F& f) const {
    if (free(lives)) return;
    for (const auto& [bundle, segments] : owners_)
      if (overlap(segments, lives)) f(bundle);
  }
  void take(const std::vector<Segment>& lives, std::uint32_t bundle) {
    if (lives.empty()) return;
    owners_.emplace_back(bundle, lives);
    for (const Segment& s : lives) add(s);
  }
  void release(std::uint32_t bundle) {
    owners_.erase(std::remove_if(owners_.begin(), owners_.end(), [&](const auto& o) { return o.first == bundle; }),
                  owners_.end());
    all_.clear();
    for (const auto& owner : owners_)
      for (const Segment& s : owner.second) add(s);
  }
  /// Forgets owners whose segments end before `position`. Allowed only if no later life begins before `position`.
  void forget_before(std::uint32_t position) {
    owners_.erase(
        std::remove_if(owners_.begin(), owners_.end(), [&](const auto& o) { return o.second.back().end <= position; }),
        owners_.end());
  }

 private:
  void add(Segment s) {
    const auto first =
        std::partition_point(all_.begin(), all_.end(), [&](const Segment& t) { return t.end < s.begin; });
    auto last = first;
    for (; last != all_.end() && last->begin <= s.end; ++last) {
      s.begin = std::min(s.begin, last->begin);
      s.end = std::max(s.end, last->end);
    }
    if (first == last) {
      all_.insert(first, s);
    } else {
      *first = s;
      all_.erase(first + 1, last);
    }
  }

  std::vector<Segment> all_;  // all occupied segments, ascending and disjoint
  std::vector<std::pair<std::uint32_t, std::vector<Segment>>> owners_;
};

/// Occupation of one physical register by lives of both layouts, for executing and for waiting lanes.
class PhysicalRegister {
 public:
  [[nodiscard]] bool free(const Life& life) const {
    for (unsigned a = 0; a < 2; ++a) {
      if (life.active[a].empty()) continue;
      if (!active_[0].free(life.active[a]) || !active_[1].free(life.active[a]) ||
          !waiting_[1 - a].free(life.active[a]) || !active_[1 - a].free(life.waiting[a]))
        return false;
    }
    return true;
  }
  template <class F>
  void conflicts(const Life& life, const F& f) const {
    for (unsigned a = 0; a < 2; ++a) {
      active_[0].conflicts(life.active[a], f);
      active_[1].conflicts(life.active[a], f);
      waiting_[1 - a].conflicts(life.active[a], f);
      active_[1 - a].conflicts(life.waiting[a], f);
    }
  }
  void take(const Life& life, std::uint32_t bundle) {
    for (unsigned a = 0; a < 2; ++a) {
      active_[a].take(life.active[a], bundle);
      waiting_[a].take(life.waiting[a], bundle);
    }
  }
  void release(std::uint32_t bundle) {
    for (unsigned a = 0; a < 2; ++a) {
      active_[a].release(bundle);
      waiting_[a].release(bundle);
    }
  }
  void forget_before(std::uint32_t position) {
    for (unsigned a = 0; a < 2; ++a) {
      active_[a].forget_before(position);
      waiting_[a].forget_before(position);
    }
  }
  void pin(unsigned layout, std::vector<Segment> segments) {
    std::sort(segments.begin(), segments.end(), [](const Segment& a, const Segment& b) { return a.begin < b.begin; });
    std::vector<Segment> all;
    unite(all, segments);
    active_[layout].take(all, kPinned);
  }

 private:
  std::array<Timeline, 2> active_;
  std::array<Timeline, 2> waiting_;
};

float frequency(const Block& block) {
  float f = 1;
  for (std::uint32_t d = 0; d < std::min(block.loop_depth, 6U); ++d) f *= 8;
  return f;
}

/// Register allocation of one function, for its predicates or for its other registers.
class Allocator {
 public:
  Allocator(Code& code, bool predicates, unsigned limit, PlaceFirst first)
      : code_(code), predicates_(predicates), limit_(limit), first_(first), physical_(limit) {}

  std::vector<SpillGroup> run() {
    for (;;) {
      intervals_ = live_intervals(code_, predicates_);
      make_bundles();
      if (predicates_ || join_vectors()) break;
    }
    weigh();
    join_copies();
    if (!predicates_) cheap_ = cheap_definitions(code_);
    pin();
    place_all();
    std::vector<SpillGroup> spilled;
    for (const std::uint32_t b : spilled_) {
      SpillGroup group{bundles_[b].members, bundles_[b].width, {}};
      for (const Life& life : bundles_[b].lives)
        for (const auto& lives : life.active) unite(group.life, lives);
      spilled.push_back(std::move(group));
    }
    if (spilled.empty()) write_back();
    return spilled;
  }

 private:
  void make_bundles() {
    bundles_.clear();
    bundle_of_.assign(code_.registers.size(), kNoBundle);
    unit_of_.assign(code_.registers.size(), 0);
    for (RegisterId id = 0; id < code_.registers.size(); ++id) {
      const VirtualRegister& r = code_.registers[id];
      if (intervals_[id].active.empty()) continue;
      Bundle bundle;
      bundle.width = bundle.align = units(r.cls);
      bundle.members.emplace_back(id, 0);
      Life life;
      const unsigned layout = bundle.width - 1;
      life.active[layout] = std::move(intervals_[id].active);
      life.waiting[layout] = std::move(intervals_[id].waiting);
      bundle.lives.assign(bundle.width, life);
      bundle.unspillable = r.unspillable || r.fixed >= 0;
      bundle.fixed = r.fixed;
      bundle_of_[id] = static_cast<std::uint32_t>(bundles_.size());
      bundles_.push_back(std::move(bundle));
    }
  }

  /// Merges bundle `from` into `into`, with unit 0 of `from` at unit `delta` of `into`. Returns false if their lives or
  /// alignments forbid it.
  bool merge(std::uint32_t into, std::uint32_t from, int delta) {
    Bundle& a = bundles_[into];
    Bundle& b = bundles_[from];
    if (a.fixed >= 0 || b.fixed >= 0) return false;
    const int low = std::min(0, delta);
    const int high = std::max(static_cast<int>(a.width), static_cast<int>(b.width) + delta);
    const auto width = static_cast<unsigned>(high - low);
    const auto shift_a = static_cast<unsigned>(-low);
    const auto shift_b = static_cast<unsigned>(delta - low);
    if (width > kWidestBundle || shift_a % a.align != 0 || shift_b % b.align != 0) return false;
    for (unsigned u = 0; u < b.width; ++u) {
      const int in_a = static_cast<int>(u) + delta;
      if (in_a >= 0 && in_a < static_cast<int>(a.width) && a.lives[static_cast<unsigned>(in_a)].conflicts(b.lives[u]))
        return false;
    }
    if (shift_a != 0) {
      a.lives.insert(a.lives.begin(), shift_a, {});
      for (auto& [id, unit] : a.members) {
        unit += shift_a;
        unit_of_[id] = unit;
      }
    }
    a.lives.resize(width);
    for (unsigned u = 0; u < b.width; ++u) {
      if (a.lives[u + shift_b].empty())
        a.lives[u + shift_b] = std::move(b.lives[u]);
      else
        a.lives[u + shift_b].unite(b.lives[u]);
    }
    for (const auto& [id, unit] : b.members) {
      a.members.emplace_back(id, unit + shift_b);
      bundle_of_[id] = into;
      unit_of_[id] = unit + shift_b;
    }
    a.width = width;
    a.align = std::max(a.align, b.align);
    a.uses += b.uses;
    a.unspillable = a.unspillable || b.unspillable;
    if (a.hint < 0 && b.hint >= 0 && shift_b == 0) a.hint = b.hint;
    b = Bundle{};
    b.width = 0;
    return true;
  }

  bool merge_smaller(RegisterId first, RegisterId second, int distance) {
    // `distance`: offset in units from `first` to `second`.
    const std::uint32_t a = bundle_of_[first];
    const std::uint32_t b = bundle_of_[second];
    const int delta = static_cast<int>(unit_of_[first]) + distance - static_cast<int>(unit_of_[second]);
    if (a == b) return delta == 0;
    if (bundles_[a].members.size() >= bundles_[b].members.size()) return merge(a, b, delta);
    return merge(b, a, -delta);
  }

  bool join_vector(const Inst& inst) {
    const unsigned width = units(code_.registers[inst.elements[0]].cls);
    const unsigned align = width * inst.element_count;
    const RegisterId first = inst.elements[0];
    for (unsigned i = 1; i < inst.element_count; ++i)
      if (!merge_smaller(first, inst.elements[i], static_cast<int>(i * width))) return false;
    Bundle& bundle = bundles_[bundle_of_[first]];
    if (unit_of_[first] % align != 0) return false;
    bundle.align = std::max(bundle.align, align);
    return true;
  }

  /// Makes the elements of vector operands neighbours. Returns false if copies had to be inserted, which changes the
  /// lives.
  bool join_vectors() {
    std::vector<bool> failed;
    bool any = false;
    for (std::size_t i = 0; i < code_.insts.size(); ++i) {
      const Inst& inst = code_.insts[i];
      if (inst.vector == VectorOperand::kNone || inst.element_count < 2) continue;
      if (join_vector(inst)) continue;
      failed.resize(code_.insts.size(), false);
      failed[i] = true;
      any = true;
    }
    if (!any) return true;
    std::vector<Inst> insts;
    insts.reserve(code_.insts.size() + 16);
    for (Block& block : code_.blocks) {
      const std::uint32_t first = block.first;
      block.first = static_cast<std::uint32_t>(insts.size());
      for (std::uint32_t i = first; i < block.last; ++i) {
        Inst inst = code_.insts[i];
        if (!failed[i]) {
          insts.push_back(inst);
          continue;
        }
        std::vector<Inst> after;
        for (unsigned e = 0; e < inst.element_count; ++e) {
          const RegisterId own = inst.elements[e];
          const RegisterClass cls = code_.registers[own].cls;
          const RegisterId temporary = code_.make(cls);
          inst.elements[e] = temporary;
          Inst copy = move_inst_for(cls, inst);
          const bool load = inst.vector == VectorOperand::kDestination;
          copy.dst = Value::of(load ? own : temporary);
          copy.src[0] = Value::of(load ? temporary : own);
          (load ? after : insts).push_back(copy);
        }
        insts.push_back(inst);
        insts.insert(insts.end(), after.begin(), after.end());
      }
      block.last = static_cast<std::uint32_t>(insts.size());
    }
    code_.insts = std::move(insts);
    return false;
  }

  static Inst move_inst_for(RegisterClass cls, const Inst& origin);

  void weigh() {
    for (const Block& block : code_.blocks) {
      const float f = frequency(block);
      for (std::uint32_t i = block.first; i < block.last; ++i) {
        const auto count = [&](RegisterId id) {
          if (bundle_of_[id] != kNoBundle) bundles_[bundle_of_[id]].uses += f;
        };
        for_each_use(code_.insts[i], count);
        for_each_def(code_.insts[i], count);
      }
    }
  }

  void join_copies() {
    struct Copy {
      float weight;
      RegisterId to, from;
    };
    std::vector<Copy> copies;
    for (const Block& block : code_.blocks)
      for (std::uint32_t i = block.first; i < block.last; ++i) {
        const Inst& inst = code_.insts[i];
        if (!inst.move || inst.guard.valid()) continue;
        const RegisterId to = predicates_ ? inst.pdst[0] : inst.dst.reg;
        const RegisterId from = predicates_ ? inst.psrc[0].reg : inst.src[0].reg;
        if (to == kNoRegister || from == kNoRegister || to == from) continue;
        if (bundle_of_[to] == kNoBundle || bundle_of_[from] == kNoBundle) continue;
        copies.push_back({frequency(block), to, from});
      }
    std::stable_sort(copies.begin(), copies.end(), [](const Copy& a, const Copy& b) { return a.weight > b.weight; });
    for (const Copy& copy : copies) {
      const VirtualRegister& to = code_.registers[copy.to];
      const VirtualRegister& from = code_.registers[copy.from];
      if (to.fixed >= 0 && from.fixed < 0) {
        give_hint(copy.from, to.fixed);
      } else if (from.fixed >= 0 && to.fixed < 0) {
        give_hint(copy.to, from.fixed);
      } else if (!to.unspillable && !from.unspillable && bundle_of_[copy.to] != bundle_of_[copy.from]) {
        merge_smaller(copy.to, copy.from, 0);
      }
    }
  }

  void give_hint(RegisterId id, std::int16_t physical) {
    Bundle& bundle = bundles_[bundle_of_[id]];
    const int base = physical - static_cast<int>(unit_of_[id]);
    if (bundle.hint < 0 && base >= 0) bundle.hint = static_cast<std::int16_t>(base);
  }

  /// Marks fixed registers, and the registers that calls destroy, as occupied in the timelines.
  void pin() {
    std::vector<std::array<std::vector<Segment>, 2>> pinned(limit_);
    for (const Bundle& bundle : bundles_) {
      if (bundle.fixed < 0 || bundle.width == 0) continue;
      for (unsigned u = 0; u < bundle.width; ++u) {
        const unsigned reg = static_cast<unsigned>(bundle.fixed) + u;
        CASTOR_ASSERT(reg < limit_, "fixed register R%u above the limit %u", reg, limit_);
        for (unsigned a = 0; a < 2; ++a) {
          const auto& lives = bundle.lives[u].active[a];
          pinned[reg][a].insert(pinned[reg][a].end(), lives.begin(), lives.end());
        }
      }
    }
    // In a program with a call stack, the stack register holds nothing but the stack pointer.
    if (code_.stack_pointer != kNoRegister && !predicates_) {
      const auto end = static_cast<std::uint32_t>(2 * code_.insts.size());
      for (auto& segments : pinned[kStackRegister]) segments.assign(1, {0, end});
    }
    for (std::uint32_t i = 0; i < code_.insts.size(); ++i) {
      if (code_.insts[i].call == kNoIndex) continue;
      const PhysicalSet& clobbers = code_.calls[code_.insts[i].call].clobbers;
      const Segment here{2 * i + 1, 2 * i + 2};
      for (unsigned r = 0; r < limit_; ++r) {
        if (predicates_ && (clobbers.predicates >> r & 1) != 0) pinned[r][0].push_back(here);
        for (unsigned a = 0; a < 2 && !predicates_; ++a)
          if (clobbers.registers[a][r]) pinned[r][a].push_back(here);
      }
    }
    for (unsigned r = 0; r < limit_; ++r)
      for (unsigned a = 0; a < 2; ++a) physical_[r].pin(a, std::move(pinned[r][a]));
  }

  [[nodiscard]] bool fits(const Bundle& bundle, unsigned base) const {
    for (unsigned u = 0; u < bundle.width; ++u)
      if (!physical_[base + u].free(bundle.lives[u])) return false;
    return true;
  }

  void place(std::uint32_t index, unsigned base) {
    Bundle& bundle = bundles_[index];
    bundle.base = static_cast<std::int32_t>(base);
    for (unsigned u = 0; u < bundle.width; ++u) physical_[base + u].take(bundle.lives[u], index);
    top_ = std::max(top_, base + bundle.width);
  }

  [[nodiscard]] std::int32_t find_place(const Bundle& bundle) const {
    if (bundle.width > limit_) return -1;
    if (bundle.hint >= 0) {
      const auto base = static_cast<unsigned>(bundle.hint);
      if (base % bundle.align == 0 && base + bundle.width <= limit_ && fits(bundle, base)) return bundle.hint;
    }
    std::int32_t first = -1;
    for (unsigned base = 0; base + bundle.width <= limit_; base += bundle.align) {
      if (!fits(bundle, base)) continue;
      if (bundle.width > 1 || predicates_) return static_cast<std::int32_t>(base);
      if (first < 0) first = static_cast<std::int32_t>(base);
      // A single register is placed next to an occupied register, so that free pairs stay available.
      if (base >= top_) break;
      if ((base ^ 1U) < limit_ && !physical_[base ^ 1U].free(bundle.lives[0])) return static_cast<std::int32_t>(base);
    }
    return first;
  }

  [[nodiscard]] float weight(const Bundle& bundle) const {
    if (bundle.unspillable || bundle.fixed >= 0) return kInfinite;
    std::uint32_t length = 0;
    for (const Life& life : bundle.lives)
      for (const auto& lives : life.active)
        for (const Segment& s : lives) length += s.end - s.begin;
    const bool cheap =
        !predicates_ && std::all_of(bundle.members.begin(), bundle.members.end(),
                                    [&](const auto& member) { return cheap_[member.first] != kNoIndex; });
    return (cheap ? kComputedAgain : 1.0F) * bundle.uses / (static_cast<float>(length) + 8);
  }

  void place_all() {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < bundles_.size(); ++i) {
      Bundle& bundle = bundles_[i];
      if (bundle.width == 0) continue;
      if (bundle.fixed >= 0) {
        bundle.base = bundle.fixed;
        top_ = std::max(top_, static_cast<unsigned>(bundle.fixed) + bundle.width);
        continue;
      }
      for (const Life& life : bundle.lives)
        for (const auto& lives : life.active)
          if (!lives.empty()) bundle.begin = std::min(bundle.begin, lives.front().begin);
      order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      const Bundle& x = bundles_[a];
      const Bundle& y = bundles_[b];
      if (first_ == PlaceFirst::kWidest && x.width != y.width) return x.width > y.width;
      return x.begin != y.begin ? x.begin < y.begin : x.width > y.width;
    });
    // First position that this bundle or a later bundle in the order occupies. Positions at which lanes wait count as
    // occupied.
    std::vector<std::uint32_t> horizon(order.size() + 1, kNoIndex);
    for (std::size_t k = order.size(); k-- > 0;) horizon[k] = std::min(horizon[k + 1], bundles_[order[k]].earliest());
    std::uint32_t forgotten = 0;
    for (std::size_t k = 0; k < order.size(); ++k) {
      const std::int32_t base = find_place(bundles_[order[k]]);
      if (base >= 0) {
        place(order[k], static_cast<unsigned>(base));
        continue;
      }
      if (horizon[k] > forgotten + 200) {
        forgotten = horizon[k];
        for (PhysicalRegister& r : physical_) r.forget_before(forgotten);
      }
      make_room(order[k]);
    }
  }

  /// Spills the bundle itself, or the bundles that occupy its cheapest place, whichever has the lower weight.
  void make_room(std::uint32_t index) {
    const Bundle& bundle = bundles_[index];
    const float own = weight(bundle);
    float best = kInfinite;
    unsigned best_base = 0;
    std::vector<std::uint32_t> others;
    for (unsigned base = 0; base + bundle.width <= limit_; base += bundle.align) {
      others.clear();
      float cost = 0;
      for (unsigned u = 0; u < bundle.width && cost < best; ++u)
        physical_[base + u].conflicts(bundle.lives[u], [&](std::uint32_t other) {
          if (other == kPinned) {
            cost = kInfinite;
          } else if (std::find(others.begin(), others.end(), other) == others.end()) {
            others.push_back(other);
            cost += weight(bundles_[other]);
          }
        });
      if (cost < best) {
        best = cost;
        best_base = base;
      }
    }
    if (best < own) {
      others.clear();
      for (unsigned u = 0; u < bundle.width; ++u)
        physical_[best_base + u].conflicts(bundle.lives[u], [&](std::uint32_t other) {
          if (std::find(others.begin(), others.end(), other) == others.end()) others.push_back(other);
        });
      for (const std::uint32_t other : others) {
        Bundle& gone = bundles_[other];
        for (unsigned u = 0; u < gone.width; ++u) physical_[static_cast<unsigned>(gone.base) + u].release(other);
        gone.base = -1;
        spilled_.push_back(other);
      }
      place(index, best_base);
      return;
    }
    if (own == kInfinite)
      fail(*code_.module, code_.function->where,
           "'" + base::printable(base::readable_name(code_.function->name), 200) + "' does not fit into " +
               std::to_string(limit_) + (predicates_ ? " predicates" : " registers per thread"),
           "allow more registers");
    spilled_.push_back(index);
  }

  void write_back() {
    code_.physical.resize(code_.registers.size(), -1);
    for (const Bundle& bundle : bundles_) {
      if (bundle.width == 0) continue;
      for (const auto& [id, unit] : bundle.members) {
        const unsigned base = static_cast<unsigned>(bundle.base) + unit;
        code_.physical[id] = static_cast<std::int16_t>(base);
        if (predicates_) {
          code_.used.predicates = static_cast<std::uint8_t>(code_.used.predicates | (1U << base));
        } else {
          const unsigned width = units(code_.registers[id].cls);
          for (unsigned u = 0; u < width; ++u) code_.used.registers[width - 1].set(base + u);
        }
      }
    }
  }

  Code& code_;
  const bool predicates_;
  const unsigned limit_;
  const PlaceFirst first_;
  Intervals intervals_;
  std::vector<Bundle> bundles_;
  std::vector<std::uint32_t> bundle_of_;
  std::vector<unsigned> unit_of_;
  std::vector<PhysicalRegister> physical_;
  std::vector<std::uint32_t> spilled_;
  std::vector<std::uint32_t> cheap_;  // result of cheap_definitions
  unsigned top_ = 0;
};

Inst Allocator::move_inst_for(RegisterClass cls, const Inst& origin) {
  Inst copy;
  copy.match = isa::InstructionTable::instance().internal(cls == RegisterClass::kPair ? "$move.b64" : "$move.b32");
  const isa::Row& row = copy.match.row();
  copy.kind = row.kind;
  copy.timing = row.timing;
  copy.handler = row.select(copy.match);
  copy.move = true;
  copy.guard = origin.guard;
  copy.where = origin.where;
  return copy;
}

}  // namespace

std::vector<SpillGroup> allocate(Code& code, bool predicates, unsigned limit, PlaceFirst first) {
  return Allocator(code, predicates, limit, first).run();
}

}  // namespace castor::compiler
