#include "castor/gpu/front_end/composition.h"

#include <algorithm>
#include <string>
#include <vector>

#include "castor/base/error.h"

namespace castor::gpu {
namespace {

bool governs(const Machine& machine, Block block) {
  const auto& governors = machine.hooks.governors;
  return std::find(governors.begin(), governors.end(), slug(block)) != governors.end();
}

[[noreturn]] void exclude(Block first, Block second, const std::string& why, const std::string& hint) {
  throw base::InputError(
      "blocks " + std::string(slug(first)) + " and " + std::string(slug(second)) + " exclude each other: " + why, hint);
}

void check_limit(const char* key, std::uint64_t value, std::uint64_t limit) {
  if (value <= limit) return;
  throw base::InputError(
      "key " + std::string(key) + ": " + std::to_string(value) + " is more than the front end's hooks can name",
      "at most " + std::to_string(limit));
}

// A key that names the block plugged into a hook: the block must be enabled, and be one of `able`.
void check_named(const Machine& machine, const char* key, const std::string& name, const std::vector<Block>& able) {
  if (name == "none") return;
  std::string names;
  for (const Block block : able) {
    names += std::string(names.empty() ? "" : ", ") + std::string(slug(block));
    if (name != slug(block)) continue;
    if (machine.block(block).enable) return;
    throw base::InputError("key " + std::string(key) + ": block " + name + " is not enabled",
                           "set blocks." + name + ".enable, or " + key + " to none");
  }
  throw base::InputError("key " + std::string(key) + ": " + base::printable(name) + " cannot be plugged in there",
                         "none, or one of " + names);
}

void check_blocks(const Machine& machine) {
  check_named(machine, "hooks.dispatch", machine.hooks.dispatch,
              {Block::kLax, Block::kMias, Block::kDtbl, Block::kLaperm});
  check_named(machine, "hooks.issue", machine.hooks.issue, {Block::kSaws});
  for (const std::string& name : machine.hooks.governors) {
    check_named(machine, "hooks.governors", name, {Block::kMias, Block::kPower});
  }
  const auto on = [&](Block block) { return machine.block(block).enable; };
  const auto places = [&](Block block) { return on(block) && !governs(machine, block); };

  for (const Block block : {Block::kDtbl, Block::kLaperm}) {
    if (!on(block) || machine.launch.enable) continue;
    throw base::InputError("block " + std::string(slug(block)) + " needs launches by device code, machine " +
                               base::printable(machine.name) + " has none (launch.enable 0)",
                           "another machine, or disable the block");
  }

  std::vector<Block> policies;
  for (const Block block : {Block::kLax, Block::kMias, Block::kLaperm}) {
    if (places(block)) policies.push_back(block);
  }
  if (policies.size() > 1) {
    exclude(policies[0], policies[1], "both decide which thread block is placed next",
            "disable one, or make mias a governor (hooks.governors)");
  }
  if (on(Block::kDtbl) && !policies.empty() && policies[0] != Block::kLaperm) {
    exclude(Block::kDtbl, policies[0], "only the dispatch policies of dtbl and laperm know groups of thread blocks",
            "disable one of them");
  }
  for (const Block policy : policies) {
    if (machine.hooks.dispatch == "none" || machine.hooks.dispatch == slug(policy)) continue;
    throw base::InputError("blocks " + std::string(slug(policy)) + " and " + machine.hooks.dispatch +
                               " exclude each other: key hooks.dispatch names one, the other decides too which thread "
                               "block is placed next",
                           "disable one");
  }
  for (const Block sync : {Block::kGsync, Block::kWaitSignal}) {
    if (on(sync) && on(Block::kMias) && governs(machine, Block::kMias)) {
      exclude(Block::kMias, sync,
              "quotas count thread blocks that retire, those of " + std::string(slug(sync)) +
                  " leave an SM without retiring",
              "disable one of them");
    }
  }
  if (machine.replay.enable) {
    for (const Block block : {Block::kDarsie, Block::kSaws, Block::kGsync, Block::kWaitSignal}) {
      if (!on(block)) continue;
      throw base::InputError("block " + std::string(slug(block)) +
                                 " and replay.enable exclude each other: a replayed SM executes no instructions",
                             "disable one of them");
    }
  }
}

template <class T>
void check_per_sm(const Machine& machine, const std::vector<T*>& hooks, const char* what) {
  if (hooks.empty()) return;
  const bool missing = std::find(hooks.begin(), hooks.end(), nullptr) != hooks.end();
  if (hooks.size() == machine.chip.sms && !missing) return;
  throw base::InputError(std::string(what) + " is plugged into " + std::to_string(hooks.size()) + " SMs of " +
                             std::to_string(machine.chip.sms) + (missing ? ", some of them none" : ""),
                         "one per SM, or none at all");
}

[[noreturn]] void lacks(const char* hook, const std::string& key, const std::string& value, const std::string& hint) {
  throw base::InputError(std::string(hook) + " does not work on this machine: key " + key + " is " + value, hint);
}

// What hooks need of a machine.
void check_hooks(const Machine& machine, const Hooks& hooks) {
  check_per_sm(machine, hooks.fetch_filter, "FetchFilter");
  check_per_sm(machine, hooks.issue, "IssuePolicy");
  if (std::find(hooks.governors.begin(), hooks.governors.end(), nullptr) != hooks.governors.end()) {
    throw base::InputError("an SmGovernor that is plugged in is none");
  }
  const bool inside = !hooks.fetch_filter.empty() || !hooks.issue.empty();
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

const Machine& checked(const Machine& machine, const Hooks& hooks) {
  check_limit("chip.sms", machine.chip.sms, sizeof(SmMask) * 8);
  check_limit("queue.count", machine.queue.count, kMaxQueues);
  check_limit("table.entries", machine.table.entries, kMaxEntries);
  check_blocks(machine);
  check_hooks(machine, hooks);
  if (hooks.dispatch == nullptr && machine.dispatch.policy != "fcfs") {
    throw base::InputError(
        "key dispatch.policy: " + base::printable(machine.dispatch.policy) + " is no built-in dispatch policy",
        "fcfs, or a block that brings its own");
  }
  return machine;
}

}  // namespace castor::gpu
