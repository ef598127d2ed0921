#pragma once

#include <array>
#include <deque>

#include "castor/saws/ports.h"
#include "tb/common/block_points.h"

/// Subjects of SAWS's cover points. The points track the waiting messages from ports and probes.
namespace castor::saws::tb {

using castor::tb::CoverList;
using castor::tb::Needs;
using castor::tb::Points;

/// Features of a parameter set that cover points may require.
namespace has {
inline constexpr Needs kSaws = 1U << 0U,  ///< the SAWS hardware
    kSchedulers = 1U << 1U,               ///< more than one scheduler
    kFourSchedulers = 1U << 2U,           //
    kFloor = 1U << 3U,                    ///< PFloor is 1: P does not fall below 1
    kNoFloor = 1U << 4U,                  //
    kByAge = 1U << 5U,                    ///< the switch to SAWS keeps the lists in order of age
    kByGreed = 1U << 6U,                  ///< the switch to SAWS moves the greedy CTA to the head
    kDemotesAtHit = 1U << 7U,             //
    kLocalWarps = 1U << 8U,               ///< more than one warp per scheduler
    kWarps = 1U << 9U,                    ///< more than one warp in all
    kTwoCtas = 1U << 10U,                 ///< a list can hold at least two CTAs
    kThreeCtas = 1U << 11U,               //
    kFourCtas = 1U << 12U,                //
    kCtas = 1U << 13U,                    ///< more than one CTA on the SM
    kAllSlots = 1U << 14U,                ///< enough warps to use all CTA slots
    kLongestList = 1U << 15U,             ///< enough CTA slots for one CTA per warp of a scheduler
    kRaggedWarps = 1U << 16U,             ///< some values of the local warp number have no warp
    kRaggedSlots = 1U << 17U,             ///< some values of the CTA number have no slot
    kDeepQueues = 1U << 18U;              ///< a queue holds more than one message
}  // namespace has
[[nodiscard]] Needs features(const Params& params);

[[nodiscard]] constexpr bool at(U64 mask, unsigned bit) { return (mask >> bit & 1U) != 0; }
[[nodiscard]] inline unsigned lowest(U64 mask) { return static_cast<unsigned>(__builtin_ctzll(mask)); }

struct Message {
  unsigned cta;
  bool hit, all_blocked, killed;
};

/// Waiting messages of each scheduler, oldest first.
struct Queues {
  std::array<std::deque<Message>, 4> of;

  [[nodiscard]] bool any() const;
  void clear();
};

/// A cycle, with the state of warps and CTAs as the registers show it.
struct Now : castor::tb::Cycle<Block> {
  const std::array<U64, 4>& on;  ///< mask of the warps of each scheduler

  [[nodiscard]] bool gto() const { return probes.mode == Mode::kGto; }
  [[nodiscard]] bool operates() const { return in.cta_valid != 0; }
  [[nodiscard]] bool frees() const { return operates() && in.cta_free != 0; }
  [[nodiscard]] bool frees(unsigned cta) const { return frees() && in.cta_id == cta; }
  /// Returns the warps that may be picked.
  [[nodiscard]] U64 ready() const { return in.w_ready.word(0) & probes.allocated.word(0); }
  [[nodiscard]] unsigned warp(unsigned scheduler, unsigned local) const { return local * params.NumSched + scheduler; }
  [[nodiscard]] U64 warps_of(unsigned cta) const;
  /// Returns a warp of the CTA on the scheduler; NumWarps if the CTA has none there.
  [[nodiscard]] unsigned warp_on(unsigned cta, unsigned scheduler) const;
  /// Returns the CTA of the greedy warp, if the greedy pointer is valid; MaxCta if the pointer names a free warp slot.
  [[nodiscard]] unsigned greedy_cta(unsigned scheduler) const;
};

}  // namespace castor::saws::tb
