#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "castor/base/statistics.h"
#include "castor/gpu/front_end/register_port.h"
#include "castor/gpu/hook_check.h"
#include "castor/gpu/hooks/hook.h"
#include "castor/gpu/wait_graph.h"

namespace castor::gpu {

/// Callback for an error reported by a block behind a hook. The block defines the meaning of `code` and `info`.
/// `blamed`: kernel table entry of the only kernel that is stopped; empty = all kernels are.
using HookErrors =
    std::function<void(const std::string& hook, unsigned code, std::uint64_t info, Maybe<unsigned> blamed)>;

/// Arguments common to all hooks of the front end when they are attached.
struct HookMount {
  const Machine& machine;
  base::StatisticGroup& statistics;  ///< group of the front end; each hook has a group below it
  HookErrors errors;
  RegisterPort& registers;  ///< accesses to the hooks' registers
};

/// Attachment of a hook: attaches and resets the hook on construction and detaches it on destruction. Connects the hook
/// to the register port.
class MountedHook {
 public:
  MountedHook(Hook& hook, const std::string& name, const HookMount& place, HookMemory* memory = nullptr,
              HookMemory* second_memory = nullptr)
      : hook_(hook),
        name_(name),
        registers_(place.registers),
        window_(hook.window()),
        statistics_(place.statistics, name) {
    HookSite site;
    site.machine = &place.machine;
    site.memory = memory;
    site.second_memory = second_memory;
    site.statistics = &statistics_;
    site.error = HookError([errors = place.errors, name](unsigned code, std::uint64_t info, Maybe<unsigned> blamed) {
      errors(name, code, info, blamed);
    });
    hook.attach(site);
    hook.reset();
    if (window_ >= 0) registers_.serve(static_cast<unsigned>(window_));
  }
  MountedHook(const MountedHook&) = delete;
  MountedHook& operator=(const MountedHook&) = delete;
  ~MountedHook() { hook_.detach(); }

  /// Returns the access to the hook's registers that is presented in this cycle; empty if there is none.
  [[nodiscard]] const Maybe<RegisterAccess>& access() const { return registers_.shown(window_); }
  /// Takes the reply of the hook's outputs, if there is one. Returns whether there was.
  bool take(const Maybe<RegisterReply>& reply, Cycle now) const {
    if (!reply) return false;
    CASTOR_HOOK_CHECK(hook_, now, access().has_value() && registers_.open().has_value(),
                      "%s answers an access to its registers that nobody made", name_.c_str());
    registers_.answer(*reply, now);
    return true;
  }
  /// Adds the work that waits at the hook.
  void waits(WaitGraph& graph) const {
    graph.speaks(name_, hook_.block());
    hook_.waits(graph);
    if (access() && registers_.open()) graph.say("has not answered an access to its registers");
  }

 private:
  Hook& hook_;
  std::string name_;
  RegisterPort& registers_;
  int window_;
  base::StatisticGroup statistics_;
};

/// Returns the first cycle after `now` in which a clock edge may change an output of a hook that was clocked in `now`,
/// while its inputs do not change.
[[nodiscard]] inline Cycle next_edge_of(const Hook& hook, Cycle now) {
  const Cycle quiet = hook.quiet();
  return quiet >= kForever - now - 1 ? kForever : now + 1 + quiet;
}

}  // namespace castor::gpu
