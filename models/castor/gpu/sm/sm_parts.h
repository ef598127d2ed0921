#pragma once

#include "castor/gpu/hooks/fetch_filter.h"
#include "castor/gpu/hooks/issue_policy.h"
#include "castor/gpu/hooks/swap_engine.h"
#include "castor/gpu/hooks/sync_agent.h"

namespace castor::gpu {

class AwayTbs;
class Barriers;
class BlockedWarps;
class EventWheel;
class Executor;
class FaultPort;
class FetchStage;
class HandOver;
class InstructionBuffer;
class IssueStage;
class Pipelines;
class Scoreboard;
class SmClock;
class SmMemory;
class SmOutbox;
class SpinWatch;
class ThreadBlocks;
class WarpTable;
struct PageGrantMessage;
struct SmCounters;
struct TbStartMessage;
template <class Message>
class Mailbox;

/// Hooks plugged into one SM; a null pointer selects the built-in behaviour. Not owned.
struct SmHooks {
  FetchFilter* fetch_filter = nullptr;
  IssuePolicyHook* issue = nullptr;
  SyncAgent* agent = nullptr;
  SwapEngine* swap = nullptr;
  AwayTbs* away = nullptr;  ///< with `agent` and `swap`: thread blocks that agents have swapped out, of all SMs
};

/// References to the parts of an SM's core, for mechanisms and for parts that use many of them. Constructors may only
/// store the references; constructors of mechanisms may also use the parts, except `executor`.
struct SmParts {
  const Machine& machine;
  unsigned sm;  ///< index of the SM
  SmHooks hooks;
  base::StatisticGroup& statistics;  ///< group of the SM
  SmCounters& counters;
  SmOutbox& outbox;
  Mailbox<TbStartMessage>& inbox;  ///< thread blocks that start in this SM
  Mailbox<PageGrantMessage>& page_grants;
  HandOver& hand_over;  ///< flag to raise in a tick whose output needs `hand_over`
  SmClock& clock;
  EventWheel& wheel;
  Pipelines& pipelines;
  BlockedWarps& blocked;
  WarpTable& warps;
  Scoreboard& scoreboard;
  InstructionBuffer& buffer;
  SpinWatch& watch;
  ThreadBlocks& tbs;
  FaultPort& faults;
  SmMemory& memory;
  FetchStage& fetch;
  IssueStage& issue;
  Barriers& barriers;
  Executor& executor;
};

}  // namespace castor::gpu
