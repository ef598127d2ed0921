#include "castor/gpu/sm/ghost_unit.h"

#include <algorithm>
#include <cstring>

#include "castor/base/error.h"

namespace castor::gpu {

// Returns the address from which all lanes load, or kNowhere if there are several or a lane does not load.
std::uint64_t GhostUnit::address_of(unsigned w, const isa::Record& record, LaneMask mask) {
  if (mask != warps_.all_lanes()) return kNowhere;
  isa::address(record, warps_.view(w), mask, access_);
  const std::uint64_t* const first = access_.address;
  const bool one = std::all_of(first, first + warps_.lanes(), [first](std::uint64_t each) { return each == *first; });
  return one ? *first : kNowhere;
}

void GhostUnit::lead(unsigned w, const isa::Record& record, LaneMask mask, unsigned row) {
  address_[row] = address_of(w, record, mask);
}

GhostUnit::Answer GhostUnit::execute(unsigned w, const GhostLoad* load) {
  const WarpState& warp = warps_[w];
  const isa::Record& record = warp.records[warp.pc];
  const Decoded& decoded = warp.decoded[warp.pc];
  const bool is_load = record.kind == isa::Kind::kMemory && record.memory.kind == isa::MemoryKind::kLoad;
  CASTOR_ASSERT(load != nullptr ? is_load && decoded.dst_count <= 2 : record.kind == isa::Kind::kLane,
                "a fetch filter makes a ghost of more than arithmetic, or of a load without a row");
  if (!scoreboard_.ready(w, decoded)) return Answer::kPending;
  const LaneMask mask = isa::guarded(record, warp.predicates, warp.active);
  if (load == nullptr) {
    (void)executor_.compute(w, record, decoded, mask);
    return Answer::kDone;
  }
  const std::uint64_t address = address_of(w, record, mask);
  if (address == kNowhere || address != address_[load->row[0]]) return Answer::kRefused;
  const isa::RegisterView view = warps_.view(w);
  for (unsigned i = 0; i < decoded.dst_count; ++i) {
    std::memcpy(view.dst(static_cast<isa::OperandIndex>(decoded.dst + i)), rows_.value(load->row[i]), view.row_bytes());
  }
  return Answer::kDone;
}

}  // namespace castor::gpu
