#include "tb/darsie/program.h"

#include <algorithm>

namespace castor::darsie::tb {
namespace {

constexpr std::uint32_t mixed(std::uint32_t hash, std::uint32_t value) {
  hash = (hash ^ value) * 0x9E3779B1U;
  return hash ^ hash >> 15U;
}

/// Returns the hash of an instruction's sources, without its guard, in one lane.
std::uint32_t hashed(const Instruction& instruction, unsigned which, const std::array<Vector, 8>& sources,
                     unsigned lane) {
  const unsigned values = instruction.nsrc - (instruction.guarded ? 1 : 0);
  std::uint32_t hash = mixed(instruction.imm, which);
  for (unsigned s = 0; s < values; ++s) hash = mixed(hash, sources[s][lane]);
  return hash;
}

bool writes(const Instruction& instruction, const std::array<Vector, 8>& sources, LaneMask lanes, unsigned lane) {
  if ((lanes >> lane & 1U) == 0) return false;
  return !instruction.guarded || (sources[instruction.nsrc - 1][lane] & 1U) != 0;
}

constexpr std::uint32_t kTableSeed = 0x7461626CU, kTableCells = 97;

}  // namespace

LaneMask Shape::lanes(unsigned warp) const {
  const unsigned before = warp * kLanes;
  if (before + kLanes <= threads()) return ~LaneMask{0};
  return before >= threads() ? 0 : (LaneMask{1} << (threads() - before)) - 1;
}

void Path::go(unsigned pc) {
  stack_.back().pc = pc;
  while (stack_.size() > 1 && stack_.back().pc == stack_.back().until) stack_.pop_back();
}

bool Path::branch(LaneMask taken, unsigned target, unsigned reconverges) {
  const LaneMask lanes = stack_.back().lanes;
  const unsigned behind = stack_.back().pc + 1;
  if (taken == 0 || taken == lanes) {
    go(taken == 0 ? behind : target);
    return false;
  }
  stack_.back().pc = reconverges;
  if (behind != reconverges) stack_.push_back({behind, reconverges, lanes & ~taken});
  if (target != reconverges) stack_.push_back({target, reconverges, taken});
  go(stack_.back().pc);
  return true;
}

Vector computed(const Instruction& instruction, unsigned which, const std::array<Vector, 8>& sources, const Vector& old,
                LaneMask lanes, const Shape& shape, unsigned warp) {
  Vector result = old;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!writes(instruction, sources, lanes, lane)) continue;
    const unsigned thread = warp * kLanes + lane;
    switch (instruction.op) {
      case Op::kCount:
        result[lane] = sources[0][lane] + 1;
        break;
      case Op::kTid:
        result[lane] = instruction.imm == 0   ? thread % shape.x
                       : instruction.imm == 1 ? thread / shape.x % shape.y
                                              : warp;
        break;
      default:
        result[lane] = hashed(instruction, which, sources, lane);
    }
  }
  return result;
}

LaneMask taken_lanes(const Instruction& branch, const Vector& source, LaneMask lanes) {
  LaneMask taken = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const std::uint32_t value = branch.modulus != 0 ? source[lane] % branch.modulus : source[lane];
    if ((lanes >> lane & 1U) != 0 && value < branch.imm) taken |= LaneMask{1} << lane;
  }
  return taken;
}

Vector Memory::load(const Instruction& load, unsigned which, const std::array<Vector, 8>& sources, const Vector& old,
                    LaneMask lanes) const {
  Vector result = old;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!writes(load, sources, lanes, lane)) continue;
    const std::uint32_t address = hashed(load, which, sources, lane);
    result[lane] =
        load.space == Space::kShared ? shared_[address % threads_] : mixed(kTableSeed, address % kTableCells);
  }
  return result;
}

void Memory::store(const Instruction& store, const std::array<Vector, 8>& sources, LaneMask lanes, unsigned warp) {
  if (store.space == Space::kOut) out_.resize(std::max<std::size_t>(out_.size(), (store.imm + 1) * threads_));
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const unsigned thread = warp * kLanes + lane;
    if (thread >= threads_ || !writes(store, sources, lanes, lane)) continue;
    (store.space == Space::kOut ? out_[store.imm * threads_ + thread] : shared_[thread]) =
        hashed(store, 0, sources, lane);
  }
}

namespace {

/// Reference execution of a thread block without DARSIE: each warp runs from barrier to barrier, one after another.
class Alone {
 public:
  Alone(const Kernel& kernel, const Shape& shape) : kernel_(kernel), shape_(shape), memory_(shape) {
    for (unsigned w = 0; w < shape.warps(); ++w) {
      warps_.push_back({Path(0, shape.lanes(w)), std::vector<Vector>(kernel.registers), false});
    }
  }

  Memory run() {
    while (std::any_of(warps_.begin(), warps_.end(), [](const Warp& warp) { return !warp.over; })) {
      for (unsigned w = 0; w < warps_.size(); ++w) {
        while (!warps_[w].over && step(w)) {
        }
      }
    }
    return std::move(memory_);
  }

 private:
  struct Warp {
    Path path;
    std::vector<Vector> registers;
    bool over;
  };

  /// Executes one instruction. Returns false after a barrier, where the next warp continues.
  bool step(unsigned w) {
    Warp& warp = warps_[w];
    const unsigned pc = warp.path.pc();
    const Instruction& now = kernel_.code[pc];
    std::array<Vector, 8> sources{};
    for (unsigned s = 0; s < now.nsrc; ++s) sources[s] = warp.registers[now.src[s]];
    const LaneMask lanes = warp.path.lanes();
    std::array<Vector, 2> results{};
    for (unsigned d = 0; d < now.ndst; ++d) {
      const Vector& old = warp.registers[now.dst[d]];
      results[d] = now.op == Op::kLoad ? memory_.load(now, d, sources, old, lanes)
                                       : computed(now, d, sources, old, lanes, shape_, w);
    }
    for (unsigned d = 0; d < now.ndst; ++d) warp.registers[now.dst[d]] = results[d];
    if (now.stores() && !now.litmus()) memory_.store(now, sources, lanes, w);
    if (now.op == Op::kAdd) memory_.add(lanes);
    if (now.op == Op::kBranch) {
      warp.path.branch(taken_lanes(now, sources[0], lanes), now.target, kernel_.reconverges[pc]);
    } else if (now.op == Op::kExit) {
      warp.over = true;
    } else {
      warp.path.go(now.op == Op::kJump ? now.target : pc + 1);
    }
    return now.op != Op::kBarrier;
  }

  const Kernel& kernel_;
  const Shape shape_;
  Memory memory_;
  std::vector<Warp> warps_;
};

}  // namespace

Memory run_alone(const Kernel& kernel, const Shape& shape) { return Alone(kernel, shape).run(); }

}  // namespace castor::darsie::tb
