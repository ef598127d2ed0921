#include "castor/isa/barrier.h"

#include <numeric>

#include "castor/base/error.h"

namespace castor::isa {
namespace {

unsigned count_bits(LaneMask mask) { return static_cast<unsigned>(__builtin_popcountll(mask)); }

/// Returns how many CUDA warps of a hardware warp (1 or 2) have a lane in `lanes`.
unsigned halves_in(LaneMask lanes) { return ((lanes & 0xffffffffu) != 0 ? 1u : 0u) + ((lanes >> 32) != 0 ? 1u : 0u); }

}  // namespace

void BarrierUnit::start(const std::vector<std::uint8_t>& halves) {
  CASTOR_ASSERT(halves.size() <= 64, "a thread block of %zu warps", halves.size());
  barriers_ = {};
  halves_ = halves;
  live_ = total_ = std::accumulate(halves.begin(), halves.end(), 0u);
}

unsigned BarrierUnit::expected(unsigned barrier) const {
  const State& state = barriers_[barrier];
  if (!state.open) return 0;
  return state.expected != 0 ? state.expected : live_;
}

BarrierUnit::Error BarrierUnit::arrive(const Arrival& arrival, std::vector<Release>& released) {
  if (arrival.barrier >= kBarriers) return Error::kBadId;
  unsigned warps = 0;
  if (arrival.threads) {
    const unsigned threads = *arrival.threads;
    if (threads == 0 || threads % 32 != 0 || threads / 32 > total_) return Error::kBadCount;
    warps = threads / 32;
  } else if (arrival.kind == BarrierKind::kArrive) {
    return Error::kBadCount;  // without a count, the number of warps to wait for would not be known
  }
  State& state = barriers_[arrival.barrier];
  if (!state.open) {
    state = State{};
    state.open = true;
    state.expected = warps;
  } else if (state.expected != warps) {
    // A count of all warps of the block equals an absent count, as long as no warp of the block has exited.
    const unsigned here = warps != 0 ? warps : live_;
    if (here != expected(arrival.barrier)) return Error::kCountDisagrees;
  }
  // A barrier without a count counts whole warps, as PTX defines for `bar`. A counted one may be reached by one half of
  // a 64-lane warp.
  state.arrived += warps != 0 && arrival.lanes != 0 ? halves_in(arrival.lanes) : halves_[arrival.warp];
  if (arrival.kind != BarrierKind::kArrive) state.waiting |= std::uint64_t{1} << arrival.warp;
  if (arrival.kind == BarrierKind::kRedPopc || arrival.kind == BarrierKind::kRedAnd ||
      arrival.kind == BarrierKind::kRedOr) {
    const LaneMask votes = arrival.votes & arrival.lanes;
    state.reduction = arrival.kind;
    state.count += count_bits(votes);
    state.all = state.all && votes == arrival.lanes;
    state.any = state.any || votes != 0;
  }
  complete_if_full(arrival.barrier, released);
  return Error::kNone;
}

void BarrierUnit::exit(unsigned warp, std::vector<Release>& released) {
  live_ -= halves_[warp];
  halves_[warp] = 0;
  for (unsigned barrier = 0; barrier < kBarriers; ++barrier) complete_if_full(barrier, released);
}

void BarrierUnit::complete_if_full(unsigned barrier, std::vector<Release>& released) {
  State& state = barriers_[barrier];
  if (!state.open || state.arrived == 0 || state.arrived < expected(barrier)) return;
  Release release;
  release.barrier = barrier;
  release.warps = state.waiting;
  switch (state.reduction) {
    case BarrierKind::kRedPopc:
      release.reduction = state.count;
      break;
    case BarrierKind::kRedAnd:
      release.reduction = state.all ? 1 : 0;
      break;
    case BarrierKind::kRedOr:
      release.reduction = state.any ? 1 : 0;
      break;
    default:
      break;
  }
  state = State{};
  released.push_back(release);
}

}  // namespace castor::isa
