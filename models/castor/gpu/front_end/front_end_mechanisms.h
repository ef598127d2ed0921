#pragma once

#include "castor/gpu/front_end/dispatch_port.h"
#include "castor/gpu/front_end/governor_side.h"
#include "castor/gpu/front_end/job_side.h"
#include "castor/gpu/front_end/launch_side.h"
#include "castor/gpu/front_end/mechanism.h"
#include "castor/gpu/front_end/preemptor.h"

namespace castor::gpu {

/// The mechanisms of the timing GPU's front end. A block that is added stands behind the others, so that the order of
/// their counters stays.
using FrontEndMechanisms = FrontEndMechanismList<Preemptor, LaunchSide, GovernorSide, DispatchPort, JobSide>;

}  // namespace castor::gpu
