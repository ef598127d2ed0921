#include "castor/gpu/front_end/composition.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "castor/base/error.h"
#include "castor/gpu/sm/simt_lines.h"

namespace castor::gpu {
namespace {

void check_limit(const char* key, std::uint64_t value, std::uint64_t limit) {
  if (value <= limit) return;
  throw base::InputError(
      "key " + std::string(key) + ": " + std::to_string(value) + " is more than the front end's hooks can name",
      "at most " + std::to_string(limit));
}

template <class T>
void check_per_sm(const Machine& machine, const std::vector<T*>& hooks, const char* what) {
  if (hooks.empty()) return;
  const bool missing = std::find(hooks.begin(), hooks.end(), nullptr) != hooks.end();
  if (hooks.size() == machine.chip.sms && !missing) return;
  throw base::InputError(std::string(what) + " is plugged into " + std::to_string(hooks.size()) + " SMs of " +
                             std::to_string(machine.chip.sms) + (missing ? ", and some of these hooks are null" : ""),
                         "plug in one hook per SM, or none");
}

[[noreturn]] void lacks(const char* hook, const std::string& key, const std::string& value, const std::string& hint) {
  throw base::InputError(std::string(hook) + " does not work on this machine: key " + key + " is " + value, hint);
}

// Throws InputError if two hooks serve the same window of registers.
void check_windows(const Hooks& hooks) {
  std::map<int, std::string> owners;
  for (const auto& [name, hook] : front_end_hooks(hooks)) {
    if (hook->window() < 0) continue;
    const std::string block = hook->block();
    const auto [owner, fresh] =
        owners.emplace(hook->window(), name + (block.empty() ? std::string() : " (block " + block + ")"));
    if (fresh) continue;
    throw base::InputError(owner->second + " and " + name + (block.empty() ? "" : " (block " + block + ")") +
                               " both serve register window " + std::to_string(hook->window()),
                           "disable one of them");
  }
}

// Returns "block x", or the name of a hook that no block implements.
std::string name_of(const Hook& hook, const char* what) {
  const std::string block = hook.block();
  return block.empty() ? what : "block " + block;
}

// Throws InputError if the swap engines would have jobs of synchronisation agents and of the SM's own mover.
void check_one_asker(const Machine& machine, const Hooks& hooks) {
  if (hooks.hub == nullptr) return;
  const auto refuse = [&](const std::string& key, const char* hint) {
    const std::string block = hooks.hub->block();
    throw base::InputError("key " + key + " does not fit beside " + name_of(*hooks.hub, "a SyncHub") +
                               (block.empty() ? std::string() : " (key blocks." + block + ".enable)") +
                               ": its agents give jobs to the swap engines of " +
                               name_of(*hooks.swap.front(), "SwapEngine") + ", and an engine has one source of jobs",
                           hint);
  };
  if (machine.context.mover == ContextMover::kEngine) refuse("context.mover: engine", "drain or rate");
  if (machine.context.random != 0) refuse("context.random: " + std::to_string(machine.context.random), "0");
}

// Throws InputError if the swap engines of a machine with `context.mover: engine` have no images that hold the whole
// context of a thread block.
void check_whole_contexts(const SwapLimits& limits, const Hooks& hooks) {
  if (limits.images && limits.warp_bytes + limits.predicate_bytes >= sizeof(SimtRecord)) return;
  throw base::InputError("key context.mover: engine does not fit: " + name_of(*hooks.swap.front(), "SwapEngine") +
                             (limits.images ? " has images that are too small for whole contexts of thread blocks: " +
                                                  std::to_string(limits.warp_bytes + limits.predicate_bytes) +
                                                  " bytes of control state per warp, at least " +
                                                  std::to_string(sizeof(SimtRecord)) + " are needed"
                                            : " has no images for contexts of thread blocks (BlockType::swap_limits)"),
                         "drain or rate");
}

// Throws InputError if the machine lacks a part that swap engines need, or has a part that is incompatible with them.
void check_swaps(const Machine& machine, const Hooks& hooks) {
  if (hooks.swap.empty()) {
    if (machine.context.mover != ContextMover::kEngine) return;
    throw base::InputError("key context.mover: engine does not fit: no block of this machine moves contexts",
                           "drain or rate");
  }
  if (machine.sm.lanes != 32) lacks("SwapEngine", "sm.lanes", std::to_string(machine.sm.lanes), "32");
  if (machine.l1.line != kSwapLineBytes) lacks("SwapEngine", "l1.line", std::to_string(machine.l1.line), "128");
  if (!hooks.fetch_filter.empty()) throw base::InputError("FetchFilter and SwapEngine cannot be combined");
  check_one_asker(machine, hooks);
  if (machine.context.mover == ContextMover::kEngine) check_whole_contexts(machine.chip.sync.limits, hooks);
}

// Checks that the machine has what its hooks need. Throws InputError otherwise.
void check_hooks(const Machine& machine, const Hooks& hooks) {
  check_per_sm(machine, hooks.fetch_filter, "FetchFilter");
  check_per_sm(machine, hooks.issue, "IssuePolicy");
  check_per_sm(machine, hooks.agents, "SyncAgent");
  check_per_sm(machine, hooks.swap, "SwapEngine");
  if ((hooks.hub != nullptr) != !hooks.agents.empty()) {
    throw base::InputError(std::string("a SyncHub and SyncAgents need each other, and only ") +
                               (hooks.hub != nullptr ? "the hub is" : "agents are") + " plugged in",
                           "plug in a hub and one agent per SM, or neither");
  }
  if (std::find(hooks.governors.begin(), hooks.governors.end(), nullptr) != hooks.governors.end()) {
    throw base::InputError("an SmGovernor that is plugged in is null");
  }
  if (hooks.sources != nullptr && (hooks.job_scheduler != nullptr || hooks.launch != nullptr)) {
    throw base::InputError("SourceOrder cannot be combined with a JobScheduler or a LaunchUnit");
  }
  check_windows(hooks);
  check_swaps(machine, hooks);
  // The built-in policy fills the machine with a kernel that owns it, and knows when the fill is over.
  if (hooks.hub != nullptr && machine.chip.sync.swaps && (hooks.dispatch != nullptr || hooks.launch != nullptr)) {
    throw base::InputError(std::string("a SyncHub whose kernels have more thread blocks than fit cannot be combined "
                                       "with a ") +
                               (hooks.dispatch != nullptr ? "DispatchPolicy" : "LaunchUnit"),
                           "disable one of the blocks");
  }
  const bool inside =
      !hooks.fetch_filter.empty() || !hooks.issue.empty() || !hooks.agents.empty() || !hooks.swap.empty();
  if (inside && machine.schedulers > kMaxSchedulers) {
    lacks("a hook inside an SM", "schedulers", std::to_string(machine.schedulers),
          "at most " + std::to_string(kMaxSchedulers));
  }
  if (hooks.fetch_filter.empty()) return;
  if (machine.fetch.warps != 1) lacks("FetchFilter", "fetch.warps", std::to_string(machine.fetch.warps), "1");
  if (machine.fetch.insns > kMaxDecode) {
    lacks("FetchFilter", "fetch.insns", std::to_string(machine.fetch.insns), "at most " + std::to_string(kMaxDecode));
  }
  if (machine.ibuffer.refill != IbufferRefill::kEmpty) lacks("FetchFilter", "ibuffer.refill", "slot", "empty");
  const unsigned acting = (machine.schedulers + machine.issue.period - 1) / machine.issue.period;
  const unsigned issues = acting * machine.issue.warps * machine.issue.per_warp;
  if (issues > kMaxIssue) {
    lacks("FetchFilter", "issue.warps", std::to_string(machine.issue.warps),
          "at most " + std::to_string(kMaxIssue) + " instructions in a tick");
  }
}

}  // namespace

std::vector<NamedHook> front_end_hooks(const Hooks& hooks) {
  std::vector<NamedHook> all;
  const auto add = [&all](const char* name, const Hook* hook) {
    if (hook != nullptr) all.push_back({name, hook});
  };
  add("job_scheduler", hooks.job_scheduler);
  add("dispatch_policy", hooks.dispatch);
  add("launch_unit", hooks.launch);
  add("source_order", hooks.sources);
  add("sync_hub", hooks.hub);
  for (std::size_t i = 0; i < hooks.governors.size(); ++i) {
    all.push_back({"governor" + std::to_string(i), hooks.governors[i]});
  }
  return all;
}

const Machine& checked(const Machine& machine, const Hooks& hooks) {
  check_limit("chip.sms", machine.chip.sms, kMaxSms);
  check_limit("queue.count", machine.queue.count, kMaxQueues);
  check_limit("table.entries", machine.table.entries, kMaxEntries);
  check_hooks(machine, hooks);
  return machine;
}

}  // namespace castor::gpu
