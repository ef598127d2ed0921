#pragma once

#include "castor/gpu/front_end/dispatch_port.h"
#include "castor/gpu/front_end/governor_side.h"
#include "castor/gpu/front_end/job_side.h"
#include "castor/gpu/front_end/launch_side.h"
#include "castor/gpu/front_end/mechanism.h"
#include "castor/gpu/front_end/page_side.h"
#include "castor/gpu/front_end/preemptor.h"
#include "castor/gpu/front_end/sync_side.h"

namespace castor::gpu {

/// Mechanisms of the timing GPU's front end. A new mechanism is appended at the end, so that the order of the existing
/// counters does not change.
using FrontEndMechanisms =
    FrontEndMechanismList<Preemptor, LaunchSide, GovernorSide, DispatchPort, JobSide, SyncSide, PageSide>;

}  // namespace castor::gpu
