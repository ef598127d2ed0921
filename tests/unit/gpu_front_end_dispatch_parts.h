#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "castor/gpu/front_end/device_launcher.h"
#include "castor/gpu/front_end/dispatcher.h"
#include "castor/gpu/front_end/suspender.h"
#include "gpu_front_end_parts.h"

// A dispatcher in a minimal environment: SMs are reduced to their wires, and kernels are in the table at once.
namespace castor::gpu::test {

using ScriptedGovernor = Scripted<GovernIn, GovernOut>;
using ScriptedPolicy = Scripted<DispatchIn, DispatchOut>;

class DispatcherRig : public PartRig {
 public:
  struct Options {
    std::vector<std::string> keys;
    std::vector<SmGovernor*> governors;
    DispatchPolicy* policy = nullptr;
    bool hooks = false;  ///< other hooks want events
  };
  explicit DispatcherRig(const Options& options)
      : PartRig(load(options.keys)),
        store({machine.memory.bytes, false}),
        memory("memory", machine, store, group),
        queues(machine, store),
        host(queues, memory.client(FrontEndMemory::User::kCompletions)),
        jobs(machine.queue.count, false, host, group),
        sms(machine),
        ledger(machine),
        events(options.hooks || options.policy != nullptr || !options.governors.empty(), machine.chip.sms),
        governors(options.governors, place(), sms.units, ledger, events),
        policy(options.policy, place(), ledger, memory.client(FrontEndMemory::User::kDispatchPolicy), events),
        retire(machine, sms.units, table, ledger, events),
        dispatcher(machine, sms.units, table, ledger, governors, policy, retire, jobs, events, nullptr, group),
        programs(machine.sm.lanes, &store),
        lanes(machine, store, memory.client(FrontEndMemory::User::kDescriptors)),
        launches(machine, store, programs, sms.units, table, trees, memory.client(FrontEndMemory::User::kPool), nullptr,
                 group),
        suspender(machine, sms.units, table, ledger, dispatcher, retire, launches, lanes, events, group) {}
  DispatcherRig() : DispatcherRig(Options{}) {}

  /// Writes and pushes a kernel whose TBs need `need` each.
  const KernelContext& push(unsigned entry, std::uint32_t tbs, TbNeed need, unsigned queue = 0, Cycle written = 0) {
    KernelContext& context = reserve(entry, tbs, queue);
    context.need = need;
    context.written = written;
    EXPECT_TRUE(table.write(entry, written));
    dispatcher.push(entry);
    return context;
  }
  /// Runs steps F4 and F5 of a cycle.
  void step(Cycle now) {
    events.begin(now);
    governors.begin(now);
    policy.begin();
    governors.settle(now);
    dispatcher.step(now);
  }
  /// Runs steps F4 and F5 of a cycle. Returns the TB start that was sent and its SM, if any.
  std::optional<std::pair<unsigned, TbStartMessage>> placed(Cycle now) {
    step(now);
    for (unsigned sm = 0; sm < machine.chip.sms; ++sm) {
      if (const auto message = sms[sm].started()) return std::make_pair(sm, *message);
    }
    return std::nullopt;
  }
  [[nodiscard]] std::optional<unsigned> placed_on(Cycle now) {
    const auto one = placed(now);
    return one ? std::optional<unsigned>(one->first) : std::nullopt;
  }
  /// Runs steps F4 and F5 of a cycle. Returns the kernel table entry of the TB that was placed.
  [[nodiscard]] int placed_of(Cycle now) {
    const auto one = placed(now);
    return one ? one->second.kernel->entry : -1;
  }

  Store store;
  MemoryRig memory;
  Queues queues;
  CompletionPort host;
  JobTable jobs;
  WireSms sms;
  Ledger ledger;
  HookEvents events;
  Governors governors;
  DispatchPort policy;
  RetireUnit retire;
  Dispatcher dispatcher;
  ProgramTable programs;
  ParseLanes lanes;
  DeviceLauncher launches;
  Suspender suspender;
};

}  // namespace castor::gpu::test
