#pragma once

#include <array>
#include <deque>

#include "castor/saws/ports.h"
#include "tb/common/block_points.h"

/// What the cover points of SAWS are about. They follow the messages themselves, out of ports and probes.
namespace castor::saws::tb {

using castor::tb::CoverList;
using castor::tb::Needs;
using castor::tb::Points;

/// What a parameter set may have.
namespace has {
inline constexpr Needs kSaws = 1U << 0U,  ///< the SAWS hardware
    kSchedulers = 1U << 1U,               ///< more than one scheduler
    kFourSchedulers = 1U << 2U,           //
    kFloor = 1U << 3U,                    ///< P never falls below 1
    kNoFloor = 1U << 4U,                  //
    kByAge = 1U << 5U,                    ///< the switch keeps the order of age
    kByGreed = 1U << 6U,                  ///< ... puts the greedy CTA first
    kDemotesAtHit = 1U << 7U,             //
    kLocalWarps = 1U << 8U,               ///< more than one warp of a scheduler
    kWarps = 1U << 9U,                    ///< more than one warp
    kTwoCtas = 1U << 10U,                 ///< room in a list
    kThreeCtas = 1U << 11U,               //
    kFourCtas = 1U << 12U,                //
    kCtas = 1U << 13U,                    ///< more than one CTA on the SM
    kAllSlots = 1U << 14U,                ///< enough warps for all slots
    kLongestList = 1U << 15U,             ///< enough slots for a CTA per warp of a scheduler
    kRaggedWarps = 1U << 16U,             ///< local numbers that no warp has
    kRaggedSlots = 1U << 17U,             ///< slot numbers that no slot has
    kDeepQueues = 1U << 18U;              ///< room for a message behind another one
}  // namespace has
[[nodiscard]] Needs features(const Params& params);

[[nodiscard]] constexpr bool at(U64 mask, unsigned bit) { return (mask >> bit & 1U) != 0; }
[[nodiscard]] inline unsigned lowest(U64 mask) { return static_cast<unsigned>(__builtin_ctzll(mask)); }

struct Message {
  unsigned cta;
  bool hit, all_blocked, killed;
};

/// The messages that wait, by scheduler.
struct Queues {
  std::array<std::deque<Message>, 4> of;

  [[nodiscard]] bool any() const;
  void clear();
};

/// A cycle, and what the registers say of warps and CTAs in it.
struct Now : castor::tb::Cycle<Block> {
  const std::array<U64, 4>& on;  ///< warps of each scheduler

  [[nodiscard]] bool gto() const { return probes.mode == Mode::kGto; }
  [[nodiscard]] bool operates() const { return in.cta_valid != 0; }
  [[nodiscard]] bool frees() const { return operates() && in.cta_free != 0; }
  [[nodiscard]] bool frees(unsigned cta) const { return frees() && in.cta_id == cta; }
  /// Warps that may be picked.
  [[nodiscard]] U64 ready() const { return in.w_ready.word(0) & probes.allocated.word(0); }
  [[nodiscard]] unsigned warp(unsigned scheduler, unsigned local) const { return local * params.NumSched + scheduler; }
  [[nodiscard]] U64 warps_of(unsigned cta) const;
  /// A warp of the CTA on the scheduler; NumWarps if there is none.
  [[nodiscard]] unsigned warp_on(unsigned cta, unsigned scheduler) const;
  /// The CTA of the greedy warp's slot, if the pointer is valid; MaxCta for a free slot.
  [[nodiscard]] unsigned greedy_cta(unsigned scheduler) const;
};

}  // namespace castor::saws::tb
