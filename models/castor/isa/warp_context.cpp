#include "castor/isa/warp_context.h"

#include "castor/base/error.h"
#include "castor/isa/record.h"

namespace castor::isa {

std::uint64_t read(const WarpContext& context, SpecialRegister reg, unsigned lane) {
  // Lane ids and masks refer to the CUDA warp, which is one half of a 64-lane warp.
  const unsigned id = lane & 31;
  const std::uint32_t bit = std::uint32_t{1} << id;
  switch (reg) {
    case SpecialRegister::kTidX:
      return context.tid[0][lane];
    case SpecialRegister::kTidY:
      return context.tid[1][lane];
    case SpecialRegister::kTidZ:
      return context.tid[2][lane];
    case SpecialRegister::kNtidX:
      return context.ntid[0];
    case SpecialRegister::kNtidY:
      return context.ntid[1];
    case SpecialRegister::kNtidZ:
      return context.ntid[2];
    case SpecialRegister::kCtaidX:
      return context.ctaid[0];
    case SpecialRegister::kCtaidY:
      return context.ctaid[1];
    case SpecialRegister::kCtaidZ:
      return context.ctaid[2];
    case SpecialRegister::kNctaidX:
      return context.nctaid[0];
    case SpecialRegister::kNctaidY:
      return context.nctaid[1];
    case SpecialRegister::kNctaidZ:
      return context.nctaid[2];
    case SpecialRegister::kLaneId:
      return id;
    case SpecialRegister::kWarpId:
      return context.first_warp + lane / 32;
    case SpecialRegister::kNwarpId:
      return context.warp_slots;
    case SpecialRegister::kSmId:
      return context.sm;
    case SpecialRegister::kNsmId:
      return context.sms;
    case SpecialRegister::kGridId:
      return context.grid;
    case SpecialRegister::kLanemaskEq:
      return bit;
    case SpecialRegister::kLanemaskLe:
      return bit | (bit - 1);
    case SpecialRegister::kLanemaskLt:
      return bit - 1;
    case SpecialRegister::kLanemaskGe:
      return static_cast<std::uint32_t>(~(bit - 1));
    case SpecialRegister::kLanemaskGt:
      return static_cast<std::uint32_t>(~(bit | (bit - 1)));
    case SpecialRegister::kClock:
      return static_cast<std::uint32_t>(context.clock);
    case SpecialRegister::kClockHi:
      return context.clock >> 32;
    case SpecialRegister::kClock64:
      return context.clock;
    case SpecialRegister::kGlobalTimer:
      return context.global_timer;
    case SpecialRegister::kGlobalTimerLo:
      return static_cast<std::uint32_t>(context.global_timer);
    case SpecialRegister::kGlobalTimerHi:
      return context.global_timer >> 32;
    case SpecialRegister::kTotalSmemSize:
      return context.total_shared;
    case SpecialRegister::kDynamicSmemSize:
      return context.dynamic_shared;
    case SpecialRegister::kWarpSize:
      return 32;
    case SpecialRegister::kCooperative:
      return context.cooperative ? 1 : 0;
    case SpecialRegister::kGridWorkspaceHigh:
      return context.grid_workspace >> 32;
    case SpecialRegister::kGridWorkspaceLow:
      return static_cast<std::uint32_t>(context.grid_workspace);
    case SpecialRegister::kParameterBase:
      return context.parameter_base;
    case SpecialRegister::kCount:
      break;
  }
  CASTOR_ASSERT(false, "special register %u does not exist", static_cast<unsigned>(reg));
  return 0;
}

bool may_read_clock(const Record& record) {
  if (record.src[0] != kNoOperand) return false;
  const auto reg = static_cast<SpecialRegister>(record.imm);
  return reg >= SpecialRegister::kClock && reg <= SpecialRegister::kGlobalTimerHi;
}

}  // namespace castor::isa
