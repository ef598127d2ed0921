#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "castor/isa/record.h"
#include "castor/isa/types.h"

namespace castor::isa {

/// Barrier state of one thread block: 16 barriers that count CUDA warps of 32 threads (docs/gpu/program.md,
/// "Barriers"). The unit has no notion of time: the machine decides when arrivals and exits take effect and when
/// released warps resume.
class BarrierUnit {
 public:
  static constexpr unsigned kBarriers = 16;

  struct Arrival {
    unsigned warp = 0;                ///< number of the hardware warp inside the block
    unsigned barrier = 0;             ///< barrier id, 0..15
    std::optional<unsigned> threads;  ///< expected number of threads (multiple of 32); absent: all live warps
    BarrierKind kind = BarrierKind::kSync;
    LaneMask lanes = 0;  ///< lanes that arrive at the barrier
    LaneMask votes = 0;  ///< reduction operand of the arriving lanes
  };

  enum class Error : std::uint8_t {
    kNone,
    kBadId,           ///< barrier id above 15
    kBadCount,        ///< count is no multiple of 32, zero where not allowed, or larger than the block
    kCountDisagrees,  ///< warps give different counts within one barrier generation
    kDivergent,       ///< a live lane of the warp is inactive at an aligned barrier
  };

  /// Result of a completed barrier: the warps that may resume, and the value of the reduction.
  struct Release {
    unsigned barrier = 0;
    std::uint64_t warps = 0;      ///< hardware warps that waited at the barrier
    std::uint32_t reduction = 0;  ///< reduction result; popc: count; and, or: 0 or 1
  };

  /// Starts a block of `halves.size()` hardware warps; warp w has `halves[w]` CUDA warps (1, or up to 2 with 64 lanes).
  void start(const std::vector<std::uint8_t>& halves);
  /// Records an arrival. Adds the barriers that it completes to `released`.
  [[nodiscard]] Error arrive(const Arrival& arrival, std::vector<Release>& released);
  /// Removes a warp whose lanes have all exited: barriers without a count now wait for fewer warps. Completed barriers
  /// are added to `released`.
  void exit(unsigned warp, std::vector<Release>& released);
  /// Returns the hardware warps that wait at `barrier`.
  [[nodiscard]] std::uint64_t waiting(unsigned barrier) const { return barriers_[barrier].waiting; }
  [[nodiscard]] unsigned arrived(unsigned barrier) const { return barriers_[barrier].arrived; }
  /// Returns the number of CUDA warps for which `barrier` waits in total; 0 if no warp has arrived.
  [[nodiscard]] unsigned expected(unsigned barrier) const;

 private:
  struct State {
    std::uint64_t waiting = 0;
    unsigned arrived = 0;   // CUDA warps that have arrived
    unsigned expected = 0;  // CUDA warps to wait for, 0: all live warps
    std::uint32_t count = 0;
    bool all = true;
    bool any = false;
    BarrierKind reduction = BarrierKind::kSync;
    bool open = false;
  };
  void complete_if_full(unsigned barrier, std::vector<Release>& released);

  std::array<State, kBarriers> barriers_;
  std::vector<std::uint8_t> halves_;
  unsigned live_ = 0;  // CUDA warps that have not exited
  unsigned total_ = 0;
};

}  // namespace castor::isa
