#pragma once

#include "castor/gpu/sm/device_calls.h"
#include "castor/gpu/sm/device_runtime.h"
#include "castor/gpu/sm/filter_unit.h"
#include "castor/gpu/sm/hook_port.h"
#include "castor/gpu/sm/mechanism_list.h"
#include "castor/gpu/sm/read_only_segments.h"
#include "castor/gpu/sm/swap_port.h"
#include "castor/gpu/sm/sync_agent_port.h"
#include "castor/gpu/sm/tb_mover.h"

namespace castor::gpu {

/// The mechanisms of an SM, in the order of their construction and calls.
using SmMechanisms =
    MechanismList<DeviceCalls, TbMover, DeviceRuntime, FilterUnit, HookPort, SyncAgentPort, SwapPort, ReadOnlySegments>;

}  // namespace castor::gpu
