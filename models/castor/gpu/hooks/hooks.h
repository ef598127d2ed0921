#pragma once

#include <vector>

#include "castor/gpu/hooks/dispatch_policy.h"
#include "castor/gpu/hooks/fetch_filter.h"
#include "castor/gpu/hooks/issue_policy.h"
#include "castor/gpu/hooks/job_scheduler.h"
#include "castor/gpu/hooks/launch_unit.h"
#include "castor/gpu/hooks/sm_governor.h"
#include "castor/gpu/hooks/source_order.h"
#include "castor/gpu/hooks/swap_engine.h"
#include "castor/gpu/hooks/sync_agent.h"
#include "castor/gpu/hooks/sync_hub.h"

namespace castor::gpu {

/// All hooks of one device. A null pointer selects the built-in behaviour. The pointers are not owned.
struct Hooks {
  JobScheduler* job_scheduler = nullptr;
  DispatchPolicy* dispatch = nullptr;
  LaunchUnit* launch = nullptr;
  SourceOrder* sources = nullptr;
  std::vector<SmGovernor*> governors;      ///< any number, none of them null; the machine combines their outputs
  std::vector<FetchFilter*> fetch_filter;  ///< empty, or one per SM
  std::vector<IssuePolicyHook*> issue;     ///< empty, or one per SM
  SyncHub* hub = nullptr;                  ///< plugged in together with `agents`
  std::vector<SyncAgent*> agents;          ///< empty, or one per SM
  std::vector<SwapEngine*> swap;           ///< empty, or one per SM
};

}  // namespace castor::gpu
