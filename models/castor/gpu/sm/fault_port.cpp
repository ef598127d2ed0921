#include "castor/gpu/sm/fault_port.h"

#include <cinttypes>
#include <cstdio>
#include <string>

#include "castor/base/error.h"
#include "castor/base/words.h"

namespace castor::gpu {

void FaultPort::report(unsigned w, std::uint32_t pc, const ExecutionFault& what) {
  const WarpState& warp = warps_[w];
  const TbState& tb = tbs_[warp.tb];
  watch_.disturb();
  outbox_.report({clock_.now() + 1, tb.kernel, make_fault(*tb.kernel, tb.index, warp.identity, pc, what)});
  if ((warps_.live() & warp_bit(w)) != 0) blocked_.fault(w);
}

void FaultPort::report_hook(const char* name, unsigned code, std::uint64_t info, Maybe<unsigned> blamed) {
  char text[160];
  std::snprintf(text, sizeof text, "%s of SM %u reports error 0x%x, information 0x%" PRIx64, name, sm_, code, info);
  // On an SM without thread blocks no kernel can be stopped, so the error is an assertion.
  CASTOR_ASSERT_AT(clock_.now(), tbs_.resident() != 0, "%s", text);
  const unsigned context = blamed.value_or(lowest(tbs_.resident()));
  CASTOR_ASSERT_AT(clock_.now(), context < 64 && (tbs_.resident() >> context & 1) != 0,
                   "%s, and blames TB context %u: empty", text, context);
  const TbState& tb = tbs_[context];
  Fault fault;
  fault.kind = FaultKind::kIllegalInstruction;
  fault.kernel = tb.kernel->program->kernel;
  fault.block = tb.index;
  fault.message = std::string(text) + "\n  in kernel " + base::readable_name(fault.kernel);
  outbox_.report({clock_.now() + 1, tb.kernel, fault});
}

}  // namespace castor::gpu
