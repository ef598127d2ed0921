#include "castor/gpu/sm/study_port.h"

#include <cstring>

#include "castor/base/error.h"
#include "castor/gpu/sm/executor.h"
#include "castor/gpu/sm/scoreboard.h"
#include "castor/gpu/sm/sm_clock.h"
#include "castor/gpu/sm/warp_table.h"

namespace castor::gpu {

StudiedWarp StudyPort::warp(unsigned w) const {
  const WarpState& warp = parts_.warps[w];
  return {warp.program, warp.pc, warp.code_base, isa::guarded(warp.records[warp.pc], warp.predicates, warp.active)};
}

isa::RegisterView StudyPort::registers(unsigned w) { return parts_.warps.view(w); }

bool StudyPort::ready(unsigned w) const {
  const WarpState& warp = parts_.warps[w];
  return parts_.scoreboard.ready(w, warp.decoded[warp.pc]);
}

void StudyPort::compute(unsigned w) {
  const WarpState& warp = parts_.warps[w];
  const isa::Record& record = warp.records[warp.pc];
  CASTOR_ASSERT_AT(parts_.clock.now(), record.kind == isa::Kind::kLane && ready(w),
                   "a study executes more than arithmetic that is ready, warp %u", w);
  (void)parts_.executor.compute(w, record, warp.decoded[warp.pc], this->warp(w).mask);
  advance(w);
}

void StudyPort::load_rows(unsigned w, const std::uint16_t* rows) {
  const WarpState& warp = parts_.warps[w];
  const Decoded& decoded = warp.decoded[warp.pc];
  CASTOR_ASSERT_AT(parts_.clock.now(),
                   warp.records[warp.pc].kind == isa::Kind::kMemory && decoded.dst_count <= 2 && ready(w),
                   "a study takes rows for more than a load that is ready, warp %u", w);
  const isa::RegisterView view = registers(w);
  for (unsigned i = 0; i < decoded.dst_count; ++i) {
    std::memcpy(view.dst(static_cast<isa::OperandIndex>(decoded.dst + i)), rows_.value(rows[i]), view.row_bytes());
  }
  advance(w);
}

void StudyPort::advance(unsigned w) {
  parts_.executor.control().advance(w);
  parts_.clock.stir();
}

}  // namespace castor::gpu
