#include <algorithm>

#include "tb/saws/environment.h"

// Illegal inputs that the block must refuse or survive. Afterwards the model's view of the warps still agrees with the
// block's state.

namespace castor::saws::tb {

void Environment::break_a_rule(Inputs& in, const Outputs& out) {
  switch (below(4)) {
    case 0:
      break_by_operation(in);
      return;
    case 1:
      // Unblocks warps that do not wait, and acknowledges schedulers without a pick.
      for (unsigned w = 0; w < params_.NumWarps; ++w) {
        if (warps_[w].does != Does::kWaits && chance(kAlways / 8)) in.unblock.set(w);
      }
      in.issue_ack = static_cast<U8>(in.issue_ack | (~out.issue_valid & below(1U << params_.NumSched)));
      return;
    default:
      break_by_event(in);
  }
}

void Environment::break_by_event(Inputs& in) {
  const unsigned s = below(params_.NumSched);
  if ((in.wev_valid >> s & 1U) != 0) return;
  const unsigned count = params_.warps_per_scheduler(), range = 1U << params_.index_bits(), how = below(4);
  const unsigned from = below(count);
  std::optional<unsigned> local;
  for (unsigned i = 0; i < count && !local; ++i) {
    const unsigned candidate = (from + i) % count, w = candidate * params_.NumSched + s;
    const Does does = warps_[w].does;
    // Chooses a dead warp, or a waiting warp, to be reported as blocked again or as exited.
    if (how < 2 ? does == Does::kNothing || does == Does::kExited : does == Does::kWaits) local = candidate;
  }
  if (how == 0 && range > count) local = count + below(range - count);
  if (!local) return;
  const unsigned w = *local * params_.NumSched + s;
  in.wev_valid = static_cast<U8>(in.wev_valid | 1U << s);
  in.wev_idx[s] = static_cast<U8>(*local);
  const bool exits = how == 3 || (how < 2 && chance(kAlways / 2));
  in.wev_exit = static_cast<U8>((in.wev_exit & ~(1U << s)) | (exits ? 1U << s : 0U));
  if (how == 3) {
    // The exited warp never reaches its barrier again. The wait of the other warps ends when another warp arrives or
    // exits, or never.
    warps_[w].does = Does::kExited;
  }
}

void Environment::break_by_operation(Inputs& in) {
  if (in.cta_valid != 0) return;
  std::vector<unsigned> used, unused;
  U64 room = 0;
  for (unsigned c = 0; c < params_.MaxCta; ++c) (ctas_[c].used ? used : unused).push_back(c);
  for (unsigned w = 0; w < params_.NumWarps; ++w) {
    if (warps_[w].does == Does::kNothing) room |= U64{1} << w;
  }
  const auto one_of = [this](const std::vector<unsigned>& slots) {
    return static_cast<U8>(slots[below(static_cast<unsigned>(slots.size()))]);
  };
  const unsigned range = 1U << params_.cta_bits(), how = below(5);
  if (how == 0 && range > params_.MaxCta) {
    in.cta_id = static_cast<U8>(params_.MaxCta + below(range - params_.MaxCta));
    in.cta_free = static_cast<U8>(below(2));
    in.cta_wmask = WarpBits(room);
  } else if (how == 1 && !unused.empty()) {
    in.cta_id = one_of(unused);
    in.cta_free = 1;
  } else if (how == 2 && !used.empty()) {
    in.cta_id = one_of(used);
    in.cta_free = 0;
    in.cta_wmask = WarpBits(room);
  } else if (how == 3 && !unused.empty()) {
    in.cta_id = one_of(unused);
    in.cta_free = 0;
    in.cta_wmask = {};
  } else if (how == 4 && !unused.empty() && !used.empty()) {
    in.cta_id = one_of(unused);
    in.cta_free = 0;
    in.cta_wmask = WarpBits((room & random_()) | ctas_[used.front()].warps);
  } else {
    return;
  }
  in.cta_valid = 1;
}

}  // namespace castor::saws::tb
