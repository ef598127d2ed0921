#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "castor/gpu/front_end/kernel_table.h"
#include "castor/gpu/front_end/launch_trees.h"
#include "castor/gpu/front_end/mounted_hook.h"
#include "castor/gpu/front_end/register_port.h"
#include "castor/gpu/saved_tb.h"
#include "gpu_front_end_support.h"

// Shared code of the tests of the front end's parts: kernels in a table without queues and lanes, a memory port, and
// hooks whose behaviour a test sets.
namespace castor::gpu::test {

/// A hook whose behaviour is given by functions.
template <class In, class Out, class Hook = ClockedHook<In, Out>>
class Scripted : public Hook {
 public:
  void attach(const HookSite& given) override { site = given; }
  void detach() override { ++detached; }
  void reset() override { ++resets; }
  [[nodiscard]] Cycle quiet() const override { return quiet_edges; }
  void idle(Cycle n) override { idled += n; }
  const Out& settle(const In& in) override {
    if (decide) decide(in, out);
    return out;
  }
  void clock(const In& in) override {
    ++edges;
    if (see) see(in);
  }
  HookSite site;
  Out out;
  Cycle quiet_edges = 0, edges = 0, idled = 0;
  unsigned resets = 0, detached = 0;
  std::function<void(const In&, Out&)> decide;
  std::function<void(const In&)> see;
};

/// Stand-in for an SM that sends the messages a test sets, and records those it receives.
class WireSm final : public SmUnit {
 public:
  WireSm(const Machine& machine, unsigned index) : SmUnit(index, machine.done_fifo) {}
  void tick(Cycle /*now*/) override {}
  void kill(const KernelContext& kernel, Cycle visible) override { kills.push_back({kernel.entry, visible}); }
  void swap_out(const SwapOutRequest& request) override { swaps.push_back(request); }
  void set_clock_enable(bool /*enable*/, Cycle /*from*/) override {}
  std::optional<Fault> serve(unsigned warp, DeviceServices* services, Cycle resume) override {
    (services == nullptr ? cancels : serves).push_back({warp, resume});
    if (services == nullptr) return std::nullopt;
    if (services->register_replies != nullptr) replies = *services->register_replies;
    return answer;
  }
  [[nodiscard]] bool idle() const override { return true; }
  [[nodiscard]] std::string waiting() const override { return {}; }

  /// Ends a TB. Its exit wire is visible from cycle `visible` on.
  void leave(const KernelContext& kernel, std::uint64_t gid, Cycle visible) {
    TbRetireMessage message;
    message.visible = visible;
    message.kernel = &kernel;
    message.gid = gid;
    message.slot = static_cast<std::uint8_t>(gid);
    message.warp_instructions = 10;
    message.thread_instructions = 320;
    outbox_.retire(message);
    done_credits_.spend(1);
  }
  /// Swaps out a TB.
  void give_up(const KernelContext& kernel, std::uint64_t gid, Cycle visible,
               SwapReason reason = SwapReason::kPreemption, BlockId caller = 0) {
    auto tb = std::make_shared<SavedTb>();
    tb->reason = reason;
    tb->kernel = &kernel;
    tb->gid = gid;
    tb->group = kernel.group;
    tb->caller = caller;
    outbox_.save({visible, tb}, reason == SwapReason::kChildren);
  }
  void fault(const KernelContext& kernel, const std::string& text, Cycle visible) {
    FaultMessage message;
    message.visible = visible;
    message.kernel = &kernel;
    message.fault.kind = FaultKind::kTrap;
    message.fault.message = text;
    outbox_.report(message);
  }
  void call(const KernelContext* kernel, unsigned warp, Cycle visible, std::vector<RegisterAccess> registers = {}) {
    outbox_.ask({visible, warp, kernel, std::move(registers)});
  }
  /// Takes the oldest TB start message that was not examined yet.
  std::optional<TbStartMessage> started() {
    if (inbox_.size() == 0) return std::nullopt;
    const TbStartMessage message = *inbox_.head(kForever);
    inbox_.pop();
    return message;
  }
  [[nodiscard]] std::uint32_t done_room(Cycle now) { return done_credits_.available(now); }

  std::vector<std::pair<unsigned, Cycle>> kills;  ///< entry, visible
  std::vector<SwapOutRequest> swaps;
  std::vector<std::pair<unsigned, Cycle>> serves;   ///< warp, resume
  std::vector<std::pair<unsigned, Cycle>> cancels;  ///< cancelled calls, which have no effect
  std::vector<RegisterReply> replies;               ///< replies to the last call that accessed registers
  std::optional<Fault> answer;                      ///< to calls
};

/// Wire SMs, one for each SM of a machine.
class WireSms {
 public:
  explicit WireSms(const Machine& machine) {
    for (unsigned i = 0; i < machine.chip.sms; ++i) {
      owned_.push_back(std::make_unique<WireSm>(machine, i));
      units.push_back(owned_.back().get());
    }
  }
  WireSm& operator[](unsigned sm) { return *owned_[sm]; }
  std::vector<SmUnit*> units;

 private:
  std::vector<std::unique_ptr<WireSm>> owned_;
};

/// The front end's memory port with a memory, ticked by hand.
class MemoryRig final : public sc_core::sc_module, public Unit {
 public:
  MemoryRig(const sc_core::sc_module_name& name, const Machine& machine, Store& store, base::StatisticGroup& group,
            Cycle latency = 20)
      : sc_module(name),
        port("port", *this, machine.xbar.fifo_flits),
        memory(machine, port, group),
        stub("stub", machine, store, latency, 0) {
    connect(port, *stub.ports[0]);
  }
  void tick(Cycle now) override {
    stub.tick(now);
    memory.step(now);
  }
  MemoryClient& client(FrontEndMemory::User user) { return memory.client(user); }
  InitiatorPort port;
  FrontEndMemory memory;
  StubMemory stub;
};

class PartRig {
 public:
  explicit PartRig(Machine m = load())
      : machine(std::move(m)),
        group("front_end"),
        registers(group),
        table(machine.table.entries, trees.records(), group),
        program_(new isa::Program) {
    program_->kernel = "k";
  }

  /// Reserves an entry for a kernel of `tbs` TBs from a queue, without writing it.
  KernelContext& reserve(unsigned entry, std::uint32_t tbs, unsigned queue = 0) {
    KernelContext& context = table.reserve(entry, trees.records().take());
    context.queue = static_cast<std::uint16_t>(queue);
    context.ticket = 100 + entry;
    context.program = program_.get();
    context.grid = {tbs, 1, 1};
    context.block = {32, 1, 1};
    context.need = {1, static_cast<std::uint16_t>(machine.sm.lanes), 1, 0};
    return context;
  }
  /// Reserves an entry as above, and writes it in cycle `written`.
  const KernelContext& write(unsigned entry, std::uint32_t tbs, Cycle written = 0, unsigned queue = 0) {
    KernelContext& context = reserve(entry, tbs, queue);
    context.written = written;
    EXPECT_TRUE(table.write(entry, written));
    return context;
  }

  [[nodiscard]] std::uint64_t statistic(const std::string& name) const {
    const base::Statistic* const found = group.find(name);
    EXPECT_NE(found, nullptr) << name;
    return found == nullptr ? 0 : found->integer();
  }

  /// Returns a mount for hooks whose errors go to `errors`.
  [[nodiscard]] HookMount place() {
    return {machine, group,
            [this](const std::string& hook, unsigned code, std::uint64_t info, Maybe<unsigned> blamed) {
              errors.push_back(hook + " " + std::to_string(code) + " " + std::to_string(info) +
                               (blamed ? " of " + std::to_string(*blamed) : ""));
            },
            registers};
  }

  const Machine machine;
  base::StatisticGroup group;
  std::vector<std::string> errors;
  RegisterPort registers;
  LaunchTrees trees;
  KernelTable table;

 private:
  std::unique_ptr<isa::Program> program_;
};

}  // namespace castor::gpu::test
