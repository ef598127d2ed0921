#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "castor/base/statistics.h"
#include "castor/gpu/hooks/hook.h"

namespace castor::gpu {

/// Callback for an error reported by a block behind a hook. The block defines the meaning of `code` and `info`.
using HookErrors = std::function<void(const std::string& hook, unsigned code, std::uint64_t info)>;

/// Arguments common to all hooks of the front end when they are attached.
struct HookPlace {
  const Machine& machine;
  base::StatisticGroup& statistics;  ///< group of the front end; each hook has a group below it
  HookErrors errors;
};

/// Attachment of a hook: attaches and resets the hook on construction and detaches it on destruction.
class MountedHook {
 public:
  MountedHook(Hook& hook, const std::string& name, const HookPlace& place, HookMemory* memory = nullptr)
      : hook_(hook), statistics_(place.statistics, name) {
    HookSite site;
    site.machine = &place.machine;
    site.memory = memory;
    site.statistics = &statistics_;
    site.error = [errors = place.errors, name](unsigned code, std::uint64_t info) { errors(name, code, info); };
    hook.attach(site);
    hook.reset();
  }
  MountedHook(const MountedHook&) = delete;
  MountedHook& operator=(const MountedHook&) = delete;
  ~MountedHook() { hook_.detach(); }

 private:
  Hook& hook_;
  base::StatisticGroup statistics_;
};

/// Returns the first cycle after `now` in which a clock edge may change an output of a hook that was clocked in `now`,
/// while its inputs do not change.
[[nodiscard]] inline Cycle next_edge_of(const Hook& hook, Cycle now) {
  const Cycle quiet = hook.quiet();
  return quiet >= kForever - now - 1 ? kForever : now + 1 + quiet;
}

}  // namespace castor::gpu
