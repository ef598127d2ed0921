#pragma once

#include <vector>

#include "castor/gpu/hooks/dispatch_policy.h"
#include "castor/gpu/hooks/fetch_filter.h"
#include "castor/gpu/hooks/issue_policy.h"
#include "castor/gpu/hooks/job_scheduler.h"
#include "castor/gpu/hooks/launch_unit.h"
#include "castor/gpu/hooks/sm_governor.h"
#include "castor/gpu/hooks/source_order.h"

namespace castor::gpu {

/// The hooks of one device; null = built in. Not owned.
struct Hooks {
  JobScheduler* job_scheduler = nullptr;
  DispatchPolicy* dispatch = nullptr;
  LaunchUnit* launch = nullptr;
  SourceOrder* sources = nullptr;
  std::vector<SmGovernor*> governors;      ///< none of them null; their outputs are combined
  std::vector<FetchFilter*> fetch_filter;  ///< empty, or one per SM
  std::vector<IssuePolicyHook*> issue;     ///< empty, or one per SM
};

}  // namespace castor::gpu
