#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "castor/base/rng.h"
#include "castor/gpu/front_end/front_end.h"
#include "castor/gpu/page_port.h"
#include "castor/gpu/sync_link.h"
#include "platforms/machines.h"

// Shared code of the front end's tests: SMs with fixed service times, a memory of fixed latency, and a rig that ticks
// all of it by hand, in every cycle or only when due, in a fixed or a shuffled order.
namespace castor::gpu::test {

inline Machine load(const std::vector<std::string>& overrides = {}, const std::string& name = "kepler_k20c_study") {
  return platforms::load_machine(name, overrides).machine;
}

/// An SM that runs every TB for a time S. A TB placed in cycle c runs in c + 1 .. c + S. Its retire wire is visible in
/// c + S + 1, or later if the done FIFO or other TBs delay it. The SM keeps its own account of its free resources.
class FakeSm final : public SmUnit {
 public:
  using Service = std::function<Cycle(const KernelContext&, std::uint64_t gid)>;

  FakeSm(const Machine& machine, unsigned index, Service service)
      : SmUnit(index, machine.done_fifo),
        machine_(machine),
        service_(std::move(service)),
        slots_(machine.sm.tb_slots),
        link_(machine.xbar.sync_latency) {
    outbox_.set_sync_link(link_);
    sleep_until(kForever);
  }

  void tick(Cycle now) override {
    if (const TbStartMessage* const start = inbox_.head(now)) {
      begin(*start, now);
      inbox_.pop();
    }
    bool waits = false;
    Cycle next = inbox_.next();
    bool retired_one = false;
    unsigned resident = 0;
    for (unsigned i = 0; i < slots_.size(); ++i) {
      Slot& slot = slots_[i];
      if (slot.kernel == nullptr) continue;
      ++resident;
      if (slot.end > now) {
        next = std::min(next, slot.end);
      } else if (!retired_one && done_credits_.covers(1, now)) {
        retired_one = true;
        --resident;
        done_credits_.spend(1);
        TbRetireMessage message;
        message.visible = now + 1;
        message.kernel = slot.kernel;
        message.gid = slot.gid;
        message.slot = static_cast<std::uint8_t>(i);
        message.warp_instructions = 10;
        message.thread_instructions = 320;
        outbox_.retire(message);
        if (on_retire) on_retire(index(), *slot.kernel, slot.gid, now);
        leave(slot);
      } else {
        waits = true;
      }
    }
    SmPulse pulse;
    pulse.lanes = static_cast<std::uint16_t>(resident);
    set_pulse(pulse, now);
    if (retired_one && waits) next = now + 1;
    if (waits) next = std::min(next, done_credits_.next());
    sleep_until(next == kForever ? next : std::max(next, now + 1));
  }

  void set_clock_enable(bool /*enable*/, Cycle /*from*/) override {}
  void kill(const KernelContext& kernel, Cycle visible) override {
    killed_.push_back({&kernel, kernel.ticket});
    for (Slot& slot : slots_) {
      if (slot.kernel == &kernel) slot.end = std::min(slot.end, visible);
    }
    wake_at(visible);
  }
  std::optional<Fault> serve(unsigned warp, DeviceServices* services, Cycle resume) override {
    return on_serve ? on_serve(index(), warp, services, resume) : std::nullopt;
  }
  [[nodiscard]] bool idle() const override {
    return inbox_.size() == 0 &&
           std::all_of(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.kernel == nullptr; });
  }
  [[nodiscard]] std::string waiting() const override { return {}; }

  /// Raises a fault as device code would.
  void fault_now(const KernelContext& kernel, const std::string& message, Cycle now) {
    FaultMessage fault;
    fault.visible = now + 1;
    fault.kernel = &kernel;
    fault.fault.kind = FaultKind::kTrap;
    fault.fault.message = message;
    outbox_.report(fault);
  }
  /// Sets the activity that the SM reports in its pulse.
  void set_activity(std::uint16_t lanes, Cycle now) {
    SmPulse pulse;
    pulse.lanes = lanes;
    set_pulse(pulse, now);
  }
  void ask_now(const KernelContext& kernel, unsigned warp, Cycle now) { outbox_.ask({now + 1, warp, &kernel, {}}); }
  [[nodiscard]] const SmResources& used() const { return used_; }
  PagePort pages{outbox_, page_grants_};

  // For kernels that own the machine: TBs end when a test requests it, and others take their slots.

  /// Swaps out the TB of a slot and gives the slot to another TB.
  void exchange(std::uint64_t gid, std::uint64_t other) { slot_of(gid).gid = other; }
  /// Starts a TB that the dispatcher has not placed.
  void enter(const KernelContext& kernel, std::uint64_t gid, Cycle now) {
    TbStartMessage start;
    start.kernel = &kernel;
    start.gid = gid;
    begin(start, now);
  }
  /// Ends a TB in cycle `now`. Its retire message follows when the done FIFO has a free entry.
  void finish(std::uint64_t gid, Cycle now) {
    slot_of(gid).end = now;
    wake_at(now);
  }

  std::function<void(unsigned sm, const TbStartMessage&, Cycle)> on_start;
  std::function<void(unsigned sm, const KernelContext&, std::uint64_t gid, Cycle)> on_retire;
  std::function<std::optional<Fault>(unsigned sm, unsigned warp, DeviceServices*, Cycle)> on_serve;

 private:
  struct Slot {
    const KernelContext* kernel = nullptr;
    std::uint64_t gid = 0;
    Cycle end = 0;
  };

  void begin(const TbStartMessage& start, Cycle now) {
    const auto slot = std::find_if(slots_.begin(), slots_.end(), [](const Slot& s) { return s.kernel == nullptr; });
    ASSERT_NE(slot, slots_.end());
    const KernelContext& kernel = *start.kernel;
    const bool killed =
        std::find(killed_.begin(), killed_.end(), std::make_pair(&kernel, kernel.ticket)) != killed_.end();
    *slot = {&kernel, start.gid, killed ? now : now + service_(kernel, start.gid) - 1};
    used_.tbs += 1;
    used_.warps += kernel.need.warps;
    used_.threads += kernel.need.threads;
    used_.reg_units += kernel.need.reg_units;
    used_.smem_units += kernel.need.smem_units;
    EXPECT_LE(used_.warps, machine_.sm.warps);
    EXPECT_LE(used_.threads, machine_.sm.threads);
    EXPECT_LE(used_.reg_units * machine_.sm.reg_alloc_unit, machine_.sm.registers);
    EXPECT_LE(used_.smem_units * machine_.sm.smem_alloc_unit, machine_.sm.smem_bytes);
    if (on_start) on_start(index(), start, now);
  }
  Slot& slot_of(std::uint64_t gid) {
    const auto slot = std::find_if(slots_.begin(), slots_.end(),
                                   [gid](const Slot& s) { return s.kernel != nullptr && s.gid == gid; });
    EXPECT_NE(slot, slots_.end()) << "TB " << gid << " is not on SM " << index();
    return *slot;
  }
  void leave(Slot& slot) {
    const TbNeed& need = slot.kernel->need;
    used_.tbs -= 1;
    used_.warps -= need.warps;
    used_.threads -= need.threads;
    used_.reg_units -= need.reg_units;
    used_.smem_units -= need.smem_units;
    slot.kernel = nullptr;
  }

  const Machine& machine_;
  Service service_;
  std::vector<Slot> slots_;
  SmResources used_;
  std::vector<std::pair<const KernelContext*, Ticket>> killed_;
  SyncLink link_;
};

/// Memory that answers the ports of the front end and the copy engines. A request visible in cycle c is performed in c
/// + latency + a delay that depends on its line. Requests keep their order per line and per port's reply FIFO.
class StubMemory final : public sc_core::sc_module, public Unit {
 public:
  struct Access {
    Cycle visible = 0;  ///< cycle in which the request is visible at the memory
    unsigned port = 0;
    RequestKind kind{};
    std::uint64_t line = 0;
    std::uint8_t sectors = 0;
    std::uint64_t byte_mask[2] = {0, 0};
  };

  StubMemory(const sc_core::sc_module_name& name, const Machine& machine, Store& store, Cycle latency, unsigned spread)
      : sc_module(name),
        line_(machine.l2.line),
        flit_(machine.xbar.flit_bytes),
        store_(store),
        latency_(latency),
        spread_(spread) {
    static const char* const kNames[] = {"front_end_side", "copy0_side", "copy1_side"};
    for (const char* const name : kNames) {
      ports.push_back(std::make_unique<TargetPort>(name, *this, machine.xbar.fifo_flits));
    }
    sleep_until(kForever);
  }

  void tick(Cycle now) override {
    for (unsigned i = 0; i < ports.size(); ++i) {
      TargetPort& port = *ports[i];
      if (port.request(now) != nullptr) {
        Transaction& transaction = port.take_request(now);
        const MemoryRequest& request = transaction.request;
        accesses.push_back(
            {now, i, request.kind, transaction.line(), request.sectors, {request.byte_mask[0], request.byte_mask[1]}});
        const Cycle extra = spread_ == 0 ? 0 : base::mix(transaction.line()) % spread_;
        under_way_.push_back({now + latency_ + extra, i, &transaction});
      }
    }
    for (unsigned i = 0; i < ports.size(); ++i) {
      const auto due = std::find_if(under_way_.begin(), under_way_.end(),
                                    [&](const BusyWarps& way) { return way.port == i && way.due <= now; });
      if (due == under_way_.end()) continue;
      perform(*due->transaction, now);
      ports[i]->reply(*due->transaction, flits(due->transaction->request.reply_bytes(), flit_), now, now + 1);
      under_way_.erase(due);
    }
    Cycle next = kForever;
    for (const BusyWarps& way : under_way_) next = std::min(next, std::max(way.due, now + 1));
    for (const auto& port : ports) {
      if (port->waiting() != 0) next = std::min(next, std::max(port->next_request(), now + 1));
    }
    sleep_until(next);
  }

  std::vector<std::unique_ptr<TargetPort>> ports;
  std::vector<Access> accesses;

 private:
  struct BusyWarps {
    Cycle due;
    unsigned port;
    Transaction* transaction;
  };
  void perform(Transaction& transaction, Cycle now) {
    MemoryRequest& request = transaction.request;
    request.performed = now;
    for (unsigned i = 0; i < line_; ++i) {
      std::byte* const at = store_.host(transaction.line() + i);
      if (request.kind == RequestKind::kStore) {
        if ((request.byte_mask[i / 64] >> i % 64 & 1) == 0) continue;
        EXPECT_NE(request.sectors >> i / kSectorBytes & 1, 0);
        *at = request.data[i];
      } else if ((request.sectors >> i / kSectorBytes & 1) != 0) {
        request.data[i] = *at;
      }
    }
  }

  unsigned line_, flit_;
  Store& store_;
  Cycle latency_;
  unsigned spread_;
  std::vector<BusyWarps> under_way_;
};

/// One event of a run: type, cycle, and up to four numbers.
struct Logged {
  std::string what;
  Cycle cycle = 0;
  std::uint64_t a = 0, b = 0, c = 0;
  friend bool operator==(const Logged& x, const Logged& y) {
    return std::tie(x.what, x.cycle, x.a, x.b, x.c) == std::tie(y.what, y.cycle, y.a, y.b, y.c);
  }
  friend bool operator<(const Logged& x, const Logged& y) {
    return std::tie(x.cycle, x.what, x.a, x.b, x.c) < std::tie(y.cycle, y.what, y.a, y.b, y.c);
  }
  friend std::ostream& operator<<(std::ostream& out, const Logged& event) {
    return out << event.what << "@" << event.cycle << "(" << event.a << "," << event.b << "," << event.c << ")";
  }
};

class Log final : public Observer {
 public:
  void tb_placed(const Tb& e) override { add({"placed", e.cycle, e.kernel->ticket, e.gid, e.sm}); }
  void kernel_submitted(const Kernel& e) override { add({"submitted", e.cycle, e.ticket, e.queue, 0}); }
  void kernel_granted(const Kernel& e) override { add({"granted", e.cycle, e.ticket, e.queue, e.entry}); }
  void kernel_written(const Kernel& e) override { add({"written", e.cycle, e.ticket, e.queue, e.entry}); }
  void kernel_completed(const Kernel& e) override { add({"completed", e.cycle, e.ticket, e.queue, e.entry}); }
  void copy_started(const Copy& e) override { add({"copy started", e.cycle, e.ticket, e.engine, e.bytes}); }
  void copy_completed(const Copy& e) override { add({"copy completed", e.cycle, e.ticket, e.engine, e.bytes}); }
  void add(Logged event) { events.push_back(std::move(event)); }

  [[nodiscard]] std::vector<Logged> of(const std::string& what) const {
    std::vector<Logged> result;
    std::copy_if(events.begin(), events.end(), std::back_inserter(result),
                 [&](const Logged& e) { return e.what == what; });
    return result;
  }
  /// Returns the cycle of the only event of type `what` whose first number is `a`.
  [[nodiscard]] Cycle cycle(const std::string& what, std::uint64_t a) const {
    for (const Logged& event : events) {
      if (event.what == what && event.a == a) return event.cycle;
    }
    ADD_FAILURE() << "no event " << what << " of " << a;
    return 0;
  }
  std::vector<Logged> events;
};

/// A front end with its SMs, copy engines and memory.
template <class Front>
class BasicRig {
 public:
  struct Options {
    bool every_cycle = false;   ///< no sleeping
    std::uint64_t shuffle = 0;  ///< seed of the order of units, 0 = fixed
    Cycle latency = 20;         ///< latency of the memory
    unsigned spread = 0;        ///< largest additional latency, by line
    Hooks hooks;
    FakeSm::Service service;
  };

  explicit BasicRig(Machine m, Options options)
      : machine(std::move(m)),
        store({machine.memory.bytes, false}),
        programs(machine.sm.lanes, &store),
        options_(std::move(options)),
        shuffle_(options_.shuffle),
        group_("gpu"),
        copy_groups_{std::make_unique<base::StatisticGroup>(group_, "copy0"),
                     std::make_unique<base::StatisticGroup>(group_, "copy1")},
        front_group_(group_, "front_end"),
        memory("stub_memory", machine, store, options_.latency, options_.spread) {
    std::vector<SmUnit*> units;
    for (unsigned i = 0; i < machine.chip.sms; ++i) {
      sms.push_back(std::make_unique<FakeSm>(machine, i, [this](const KernelContext& kernel, std::uint64_t gid) {
        return options_.service ? options_.service(kernel, gid) : service;
      }));
      sms.back()->on_start = [this](unsigned sm, const TbStartMessage& m, Cycle now) {
        log.add({"started", now, m.kernel->ticket, m.gid, sm});
      };
      sms.back()->on_retire = [this](unsigned sm, const KernelContext& kernel, std::uint64_t gid, Cycle now) {
        log.add({"retired", now, kernel.ticket, gid, sm});
      };
      units.push_back(sms.back().get());
    }
    for (unsigned i = 0; i < 2; ++i) {
      copies[i] = std::make_unique<CopyEngine>(i == 0 ? "copy0" : "copy1", machine, store, i, &log, *copy_groups_[i]);
      connect(copies[i]->memory_port(), *memory.ports[i + 1]);
    }
    front_end = std::make_unique<Front>("front_end", machine, store, programs, units,
                                        std::array<CopyEngine*, 2>{copies[0].get(), copies[1].get()}, options_.hooks,
                                        &log, front_group_);
    connect(front_end->memory_port(), *memory.ports[0]);
    for (const auto& sm : sms) units_.push_back(sm.get());
    units_.push_back(copies[0].get());
    units_.push_back(copies[1].get());
    units_.push_back(&memory);
    units_.push_back(front_end.get());
  }

  ProgramHandle program(const std::string& name, unsigned registers = 16, unsigned shared = 0, unsigned parameters = 0,
                        unsigned local = 0) {
    auto made = std::make_shared<isa::Program>();
    made->kernel = name;
    made->registers = registers;
    made->shared_bytes = shared;
    made->parameter_bytes = parameters;
    made->local_bytes = local;
    made->code.resize(4);
    return programs.load(std::move(made));
  }
  static KernelPacket kernel(ProgramHandle program, std::uint32_t tbs, std::uint32_t threads,
                             std::uint32_t shared = 0) {
    KernelPacket packet;
    packet.program = program;
    packet.grid = {tbs, 1, 1};
    packet.block = {threads, 1, 1};
    packet.dynamic_shared = shared;
    return packet;
  }
  Ticket submit(unsigned queue, Packet packet, Cycle visible) {
    return front_end->submit(queue, std::move(packet), visible);
  }

  /// Runs until all work is done or cycle `limit` is over.
  void run(Cycle limit = 1'000'000) {
    run_until([&] { return front_end->idle(); }, limit);
  }
  template <class Reached>
  void run_until(Reached reached, Cycle limit = 1'000'000) {
    while (!reached() && now < limit) {
      step();
      ++now;
      if (options_.every_cycle) continue;
      Cycle next = kForever;
      for (const Unit* const unit : units_) next = std::min(next, unit->wake());
      const auto pin = pins.lower_bound(now);
      if (pin != pins.end()) next = std::min(next, *pin);
      if (next == kForever) break;
      now = std::max(now, std::min(next, limit));
    }
  }
  /// Runs cycle `now`.
  void step() {
    if (before) before(now);
    order_.resize(units_.size());
    std::iota(order_.begin(), order_.end(), 0);
    if (options_.shuffle != 0) {
      for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[shuffle_.below(i)]);
    }
    for (const std::size_t i : order_) {
      if (options_.every_cycle || units_[i]->wake() <= now) units_[i]->tick(now);
    }
    if (front_end->releases().fresh() != nullptr) front_end->releases().file();
    ++ticks;
  }

  [[nodiscard]] std::uint64_t statistic(const std::string& name) {
    for (Unit* const unit : units_) unit->count_until(now);
    const base::Statistic* const found = group_.find(name);
    EXPECT_NE(found, nullptr) << name;
    return found == nullptr ? 0 : found->integer();
  }
  [[nodiscard]] std::string statistics() {
    for (Unit* const unit : units_) unit->count_until(now);
    return group_.text();
  }

  Machine machine;
  Store store;
  ProgramTable programs;
  Cycle service = 100;
  Cycle now = 0;
  std::uint64_t ticks = 0;
  Log log;
  std::function<void(Cycle)> before;  ///< called before every cycle that is not skipped
  std::set<Cycle> pins;               ///< cycles that are not skipped

 private:
  Options options_;
  base::Xoshiro256 shuffle_;
  base::StatisticGroup group_;
  std::unique_ptr<base::StatisticGroup> copy_groups_[2];
  base::StatisticGroup front_group_;
  std::vector<Unit*> units_;
  std::vector<std::size_t> order_;

 public:
  StubMemory memory;
  std::vector<std::unique_ptr<FakeSm>> sms;
  std::unique_ptr<CopyEngine> copies[2];
  std::unique_ptr<Front> front_end;
};

using Rig = BasicRig<FrontEnd>;

}  // namespace castor::gpu::test
