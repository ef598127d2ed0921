#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "castor/isa/record.h"
#include "castor/isa/types.h"

namespace castor::isa {

/// Barrier state of one thread block: 16 barriers that count CUDA warps of 32 threads (docs/gpu/program.md,
/// "Barriers"). No time in it; a machine says when arrivals and exits act and when released warps go on.
class BarrierUnit {
 public:
  static constexpr unsigned kBarriers = 16;

  struct Arrival {
    unsigned warp = 0;                ///< hardware warp inside the block
    unsigned barrier = 0;             ///< id, 0..15
    std::optional<unsigned> threads;  ///< expected threads (multiple of 32); absent: all live warps
    BarrierKind kind = BarrierKind::kSync;
    LaneMask lanes = 0;  ///< lanes that arrive
    LaneMask votes = 0;  ///< reduction operand of these lanes
  };

  enum class Error : std::uint8_t {
    kNone,
    kBadId,           ///< barrier id above 15
    kBadCount,        ///< not a multiple of 32, zero where not allowed, or more than the block has
    kCountDisagrees,  ///< warps name different counts for one barrier generation
    kDivergent,       ///< a live lane of the warp is not active at an aligned barrier
  };

  /// What a completed barrier leaves: waiting warps may go on, with the reduction's result for each.
  struct Release {
    unsigned barrier = 0;
    std::uint64_t warps = 0;      ///< hardware warps that waited
    std::uint32_t reduction = 0;  ///< popc: count; and, or: 0 or 1
  };

  /// `warps` hardware warps, of which warp w has `halves[w]` started CUDA warps (1, or 2 on 64 lanes).
  void start(const std::vector<std::uint8_t>& halves);
  [[nodiscard]] Error arrive(const Arrival& arrival, std::vector<Release>& released);
  /// The warp has no live lane any more: full barriers wait for one warp less.
  void exit(unsigned warp, std::vector<Release>& released);
  /// Hardware warps that wait at `barrier`.
  [[nodiscard]] std::uint64_t waiting(unsigned barrier) const { return barriers_[barrier].waiting; }
  [[nodiscard]] unsigned arrived(unsigned barrier) const { return barriers_[barrier].arrived; }
  /// CUDA warps that barrier `barrier` waits for in all; 0 if nobody has arrived.
  [[nodiscard]] unsigned expected(unsigned barrier) const;

 private:
  struct State {
    std::uint64_t waiting = 0;
    unsigned arrived = 0;   // CUDA warps
    unsigned expected = 0;  // CUDA warps, 0: all live
    std::uint32_t count = 0;
    bool all = true;
    bool any = false;
    BarrierKind reduction = BarrierKind::kSync;
    bool open = false;
  };
  void complete_if_full(unsigned barrier, std::vector<Release>& released);

  std::array<State, kBarriers> barriers_;
  std::vector<std::uint8_t> halves_;
  unsigned live_ = 0;  // CUDA warps
  unsigned total_ = 0;
};

}  // namespace castor::isa
