#include "castor/gpu/execution/fault.h"

namespace castor::gpu {

std::string index_text(const Dim3& index) {
  return "(" + std::to_string(index.x) + "," + std::to_string(index.y) + "," + std::to_string(index.z) + ")";
}

Fault make_fault(const Launch& launch, const Dim3& block, const isa::WarpContext& warp, std::uint32_t pc,
                 const ExecutionFault& fault) {
  const isa::Program& program = *launch.program;
  Fault result;
  result.kind = fault.kind;
  result.kernel = program.kernel;
  result.address = fault.address;
  result.block = block;
  result.thread = {warp.tid[0][fault.lane], warp.tid[1][fault.lane], warp.tid[2][fault.lane]};
  result.line = pc < program.lines.size() ? program.lines[pc].line : 0;
  result.message = fault.what + "\n  in " + program.describe(pc) + ", block " + index_text(result.block) + ", thread " +
                   index_text(result.thread);
  if (pc < program.spellings.size()) result.message += "\n  instruction: " + program.spellings[pc];
  return result;
}

const char* text_of(isa::LaneFault fault) {
  return fault == isa::LaneFault::kSyncMaskSelf ? "an executing lane is missing from its own member mask"
                                                : "the member mask names a lane that has not exited and does not "
                                                  "execute this instruction; divergent lanes "
                                                  "reconverge only after the divergent code";
}

}  // namespace castor::gpu
