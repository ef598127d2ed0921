#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "castor/base/statistics.h"
#include "castor/gpu/hooks/hook.h"

namespace castor::gpu {

/// A block behind a hook has found an error; both numbers are its own.
using HookErrors = std::function<void(const std::string& hook, unsigned code, std::uint64_t info)>;

/// What every hook of the front end gets when it is plugged in.
struct HookPlace {
  const Machine& machine;
  base::StatisticGroup& statistics;  ///< of the front end; each hook has a group below
  HookErrors errors;
};

/// A hook in its place: attached and reset when this is made, detached when it ends.
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

/// First cycle after `now` whose edge may change an output of a hook that was clocked in `now`, while its inputs rest.
[[nodiscard]] inline Cycle next_edge_of(const Hook& hook, Cycle now) {
  const Cycle quiet = hook.quiet();
  return quiet >= kForever - now - 1 ? kForever : now + 1 + quiet;
}

}  // namespace castor::gpu
