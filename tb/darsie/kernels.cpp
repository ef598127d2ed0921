#include "tb/darsie/kernels.h"

#include <algorithm>
#include <initializer_list>

namespace castor::darsie::tb {
namespace {

constexpr unsigned kDeepest = 3;  // maximum nesting of loops and branches

/// Generator of one kernel. The kernel's registers are: a half with mostly redundant values, a half with any values, a
/// counter per loop depth, one register for conditions and one for litmus loads.
class Maker {
 public:
  Maker(const Style& style, base::Xoshiro256& random)
      : style_(style),
        random_(random),
        redundant_((std::max(2U, style.registers) + 1) / 2),
        general_(std::max(2U, style.registers)) {
    kernel_.registers = general_ + kDeepest + 2;
  }

  Kernel make() {
    prologue();
    const unsigned epilogue = (general_ + style_.sources - 1) / style_.sources + 1;
    const unsigned room = style_.instructions - std::min(style_.instructions, size() + epilogue);
    if (chance(style_.straight)) {
      straight(room);
    } else {
      body(room, 0, true, nullptr);
    }
    finish();
    mark(kernel_, style_.marks);
    return std::move(kernel_);
  }

 private:
  /// Jumps of the innermost loop whose targets are not known yet: breaks and continues.
  struct Loop {
    std::vector<unsigned> breaks, continues;
  };

  [[nodiscard]] unsigned size() const { return static_cast<unsigned>(kernel_.code.size()); }
  [[nodiscard]] bool chance(unsigned in_256) { return random_.below(256) < in_256; }
  [[nodiscard]] unsigned below(unsigned bound) { return static_cast<unsigned>(random_.below(bound)); }
  [[nodiscard]] unsigned any_redundant() { return below(redundant_); }
  [[nodiscard]] unsigned any_other() {
    return redundant_ == general_ ? any() : redundant_ + below(general_ - redundant_);
  }
  [[nodiscard]] unsigned any() { return below(general_); }
  [[nodiscard]] unsigned counter(unsigned depth) const { return general_ + depth; }
  [[nodiscard]] unsigned condition() const { return general_ + kDeepest; }
  [[nodiscard]] unsigned litmus_register() const { return general_ + kDeepest + 1; }

  Instruction& add(Op op, std::initializer_list<unsigned> dst, std::initializer_list<unsigned> src,
                   std::uint32_t imm = 0) {
    Instruction now;
    now.op = op;
    now.imm = imm;
    now.depth = loops_;
    for (const unsigned d : dst) now.dst[now.ndst++] = d;
    for (const unsigned s : src) now.src[now.nsrc++] = s;
    kernel_.code.push_back(now);
    return kernel_.code.back();
  }
  std::uint32_t some() { return static_cast<std::uint32_t>(random_() & 0xFFFFU); }

  void prologue() {
    add(Op::kTid, {0}, {}, 0);
    add(Op::kTid, {general_ - 1}, {}, 1 + below(2));
    // Registers that are read before they are written have class V, so the prologue writes the redundant half.
    for (unsigned r = 1; r < redundant_; ++r) {
      if (chance(128)) {
        add(Op::kMix, {r}, {}, some());
      } else {
        add(Op::kMix, {r}, {below(r)}, some());
      }
    }
  }

  void straight(unsigned room) {
    const unsigned dst = any_redundant();
    for (unsigned i = 0; i < room; ++i) {
      if (chance(16)) {
        add(Op::kMix, {any_other()}, {any()}, some());
      } else {
        add(Op::kMix, {chance(200) ? dst : any_redundant()}, {any_redundant()}, some());
      }
    }
  }

  /// Adds statements of at most `room` instructions. `uniform`: all threads of the thread block execute them together.
  void body(unsigned room, unsigned depth, bool uniform, Loop* loop) {
    const unsigned end = size() + room;
    for (unsigned tries = 0; size() < end && tries < 4 * room; ++tries) statement(end - size(), depth, uniform, loop);
  }

  void statement(unsigned room, unsigned depth, bool uniform, Loop* loop) {
    unsigned at = below(256);
    const auto is = [&at](unsigned rate) {
      if (at < rate) return true;
      at -= rate;
      return false;
    };
    if (is(style_.branch)) {
      if (room > 6 && depth < kDeepest) branch(room, depth, uniform, loop);
    } else if (is(style_.loop)) {
      if (room > 8 && depth < kDeepest) this->loop(room, depth, uniform);
    } else if (is(style_.barrier)) {
      if (uniform) add(Op::kBarrier, {}, {});
    } else if (is(style_.publish)) {
      if (uniform && room > 4) publish();
    } else if (is(style_.named)) {
      if (depth == 0) add(Op::kNamed, {}, {});
    } else if (is(style_.exit)) {
      if (depth == 0 && room > 4) early_exit();
    } else if (loop != nullptr && is(style_.jump_out / 4)) {
      if (room > 2) jump_out(*loop);
    } else if (is(style_.litmus)) {
      if (room > 3) litmus();
    } else {
      simple(at);
    }
  }

  void simple(unsigned at) {
    const auto is = [&at](unsigned rate) {
      if (at < rate) return true;
      at -= rate;
      return false;
    };
    if (is(style_.store)) {
      sources(add(Op::kStore, {}, {}, below(2)), [this] { return any(); }).space = Space::kOut;
    } else if (is(style_.add)) {
      add(Op::kAdd, {}, {});
    } else if (is(style_.fence)) {
      add(Op::kFence, {}, {});
    } else if (is(style_.load)) {
      load();
    } else if (is(style_.guarded)) {
      guarded();
    } else if (is(style_.vector)) {
      sources(add(Op::kMix, {chance(style_.leak) ? any_redundant() : any_other()}, {}, some()),
              [this] { return any(); });
    } else {
      Instruction& now = add(Op::kMix, {any_redundant()}, {}, some());
      sources(now, [this] { return any_redundant(); });
      pair(now);
    }
  }

  template <class Pick>
  Instruction& sources(Instruction& now, Pick pick) {
    const unsigned count = below(style_.sources) + (chance(240) ? 1 : 0);
    for (unsigned s = 0; s < count && now.nsrc < style_.sources; ++s) now.src[now.nsrc++] = pick();
    return now;
  }

  void pair(Instruction& now) {
    if (!chance(style_.pair) || redundant_ < 2) return;
    do now.dst[1] = any_redundant();
    while (now.dst[1] == now.dst[0]);
    now.ndst = 2;
  }

  void load() {
    static constexpr Space kSpaces[] = {Space::kConstant, Space::kTable, Space::kShared, Space::kShared};
    const bool redundant = !chance(style_.vector);
    Instruction& now =
        add(Op::kLoad, {redundant ? any_redundant() : any_other()}, {redundant ? any_redundant() : any()}, some());
    now.space = kSpaces[below(4)];
    if (redundant) pair(now);
  }

  void guarded() {
    Instruction& now = add(Op::kMix, {chance(style_.guard_leak) ? any_redundant() : any_other()}, {}, some());
    while (now.nsrc + 1 < style_.sources && chance(128)) now.src[now.nsrc++] = any();
    now.src[now.nsrc++] = chance(128) ? any_redundant() : any();
    now.guarded = true;
  }

  /// Returns a register on which a branch may depend. Clears `uniform` if the condition is divergent.
  unsigned decide(bool& uniform) {
    by_halves_ = style_.halves != 0 && chance(style_.halves);
    if (by_halves_) {
      uniform = false;
      add(Op::kTid, {condition()}, {}, 2);
    } else if (chance(style_.divergent)) {
      uniform = false;
      add(Op::kMix, {condition()}, {chance(160) ? any_other() : any_redundant()}, some());
    } else {
      // A loop counter is uniform if the loop is.
      add(Op::kMix, {condition()}, {}, some());
      if (loops_ > 0 && chance(128)) {
        kernel_.code.back().nsrc = 1;
        kernel_.code.back().src[0] = counter(loops_ - 1);
      }
    }
    return condition();
  }

  Instruction& branch_on(unsigned source) {
    Instruction& now = add(Op::kBranch, {}, {source}, by_halves_ ? 1 : 1 + below(4));
    now.modulus = by_halves_ ? 2 : 5;
    return now;
  }

  void branch(unsigned room, unsigned depth, bool uniform, Loop* loop) {
    const unsigned from = decide(uniform), first = size();
    branch_on(from);
    const bool both = chance(128);
    body(1 + below(std::min(10U, room - 5)) / 2, depth + 1, uniform, loop);
    if (both) {
      const unsigned jump = size();
      add(Op::kJump, {}, {});
      kernel_.code[first].target = size();
      body(1 + below(std::min(8U, room > size() - first + 2 ? room - (size() - first) : 1)) / 2, depth + 1, uniform,
           loop);
      kernel_.code[jump].target = size();
    } else {
      kernel_.code[first].target = size();
    }
    settle();
  }

  /// Adds an instruction, so that a branch target is never the end of the code.
  void settle() { add(Op::kMix, {any_redundant()}, {any_redundant()}, some()); }

  void loop(unsigned room, unsigned depth, bool uniform) {
    const unsigned count = counter(loops_);
    add(Op::kMix, {count}, {}, 0);
    // kMix without sources does not give 0 for imm 0. The loop therefore counts from the constant that it gives.
    const std::uint32_t from = computed(kernel_.code.back(), 0, {}, {}, ~LaneMask{0}, {}, 0)[0];
    ++loops_;
    const unsigned head = size();
    Loop inner;
    const bool leaves = !uniform || chance(style_.divergent);
    body(2 + below(std::min(14U, room - 6)), depth + 1, uniform && !leaves, leaves ? &inner : nullptr);
    const unsigned next = size();
    add(Op::kCount, {count}, {count});
    add(Op::kBranch, {}, {count}, from + 1 + below(4)).target = head;
    --loops_;
    for (const unsigned at : inner.continues) kernel_.code[at].target = next;
    for (const unsigned at : inner.breaks) kernel_.code[at].target = size();
    settle();
  }

  void jump_out(Loop& loop) {
    bool uniform = false;
    const unsigned from = decide(uniform);
    (chance(128) ? loop.breaks : loop.continues).push_back(size());
    branch_on(from);
  }

  void publish() {
    add(Op::kBarrier, {}, {});
    add(Op::kStore, {}, {any()}, some()).space = Space::kShared;
    add(Op::kBarrier, {}, {});
    add(Op::kLoad, {any_redundant()}, {any_redundant()}, some()).space = Space::kShared;
  }

  /// Adds an early exit of some warps, selected by their numbers.
  void early_exit() {
    add(Op::kTid, {condition()}, {}, 2);
    Instruction& now = add(Op::kBranch, {}, {condition()}, 1 + below(3));
    now.modulus = 4;
    now.target = size() + 1;
    add(Op::kExit, {}, {});
    settle();
  }

  void litmus() {
    const Space space = chance(128) ? Space::kLitmusShared : Space::kLitmusGlobal;
    if (chance(110)) {
      add(Op::kStore, {}, {}).space = space;
      return;
    }
    if (chance(60)) add(Op::kFence, {}, {});
    add(Op::kLoad, {litmus_register()}, {}).space = space;
    add(Op::kCheck, {}, {litmus_register()}).space = space;
  }

  void finish() {
    for (unsigned r = 0; r < general_;) {
      Instruction& now = add(Op::kStore, {}, {}, 2 + r);
      now.space = Space::kOut;
      while (now.nsrc < style_.sources && r < general_) now.src[now.nsrc++] = r++;
    }
    add(Op::kExit, {}, {});
  }

  const Style style_;
  base::Xoshiro256& random_;
  Kernel kernel_;
  const unsigned redundant_, general_;
  unsigned loops_ = 0;
  bool by_halves_ = false;  // the last condition splits the warps into halves
};

}  // namespace

Kernel make_kernel(const Style& style, base::Xoshiro256& random) {
  for (;;) {
    Kernel kernel = Maker(style, random).make();
    if (kernel.code.size() <= style.instructions) return kernel;
  }
}

}  // namespace castor::darsie::tb
