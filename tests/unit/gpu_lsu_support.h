#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "castor/base/rng.h"
#include "castor/base/statistics.h"
#include "castor/gpu/memory/memory_system.h"
#include "castor/gpu/sm/sm_memory.h"
#include "platforms/machines.h"

// Shared code of the tests of an SM's memory side: SmMemory with a memory behind its port, registers of warps, and a
// client that completes finished instructions, all clocked by hand.
namespace castor::gpu::test {

inline Machine lsu_machine(const std::vector<std::string>& overrides = {},
                           const std::string& name = "kepler_k20c_study") {
  return platforms::load_machine(name, overrides).machine;
}

/// SystemC ports must belong to a module.
template <class Port>
struct PortModule : sc_core::sc_module {
  PortModule(sc_core::sc_module_name /*name*/, Unit& owner, std::uint32_t depth) : port("port", owner, depth) {}
  Port port;
};

/// Network and memory in one unit. A request is performed, and its reply sent, `delay` cycles after it becomes visible,
/// plus up to `jitter` cycles that depend on the line. Requests of one line keep their order.
class PlainMemory : public Unit {
 public:
  PlainMemory(const Store& store, std::uint32_t reply_credits)
      : module_(sc_core::sc_gen_unique_name("memory"), *this, reply_credits), port(module_.port), store_(store) {}

 private:
  PortModule<TargetPort> module_;

 public:
  TargetPort& port;
  Cycle delay = 20;
  unsigned jitter = 0;
  bool frozen = false;         ///< takes nothing
  bool hold_requests = false;  ///< accepts nothing from its FIFO, so returns no credits
  std::uint64_t seed = 1;
  std::function<void(const Transaction&, Cycle)> on_perform;
  /// A request as it arrived.
  struct Seen {
    MemoryRequest request;
    std::uint64_t address = 0;
    [[nodiscard]] std::uint64_t line() const { return address; }
  };
  std::vector<std::pair<Cycle, std::shared_ptr<const Seen>>> seen;  ///< requests with the cycle in which they became
                                                                    ///< visible
  bool remember = true;

  void tick(Cycle now) override {
    if (frozen) return;
    while (!hold_requests && port.request(now) != nullptr) {
      Transaction& request = port.take_request(now);
      if (remember) seen.push_back({now, std::make_shared<const Seen>(Seen{request.request, request.line()})});
      if (on_arrival) on_arrival(request, now);
      const Cycle extra = jitter == 0 ? 0 : base::SplitMix64(seed ^ request.line())() % (jitter + 1);
      Cycle due = now + delay + extra;
      for (const Waiting& other : waiting_)
        if (other.transaction->line() == request.line()) due = std::max(due, other.due);
      waiting_.push_back({&request, due});
    }
    for (auto it = waiting_.begin(); it != waiting_.end(); ++it) {
      if (it->due > now) continue;
      Transaction& request = *it->transaction;
      if (!port.can_reply(1, now)) return;
      waiting_.erase(it);
      perform(request, now);
      port.reply(request, 1, now, now + 1);
      return;
    }
  }
  std::function<void(const Transaction&, Cycle)> on_arrival;
  [[nodiscard]] bool idle() const { return waiting_.empty() && port.waiting() == 0; }

 private:
  struct Waiting {
    Transaction* transaction;
    Cycle due;
  };

  void perform(Transaction& transaction, Cycle now) {
    MemoryRequest& request = transaction.request;
    request.performed = now;
    std::byte* const bytes = store_.host(transaction.line());
    switch (request.kind) {
      case RequestKind::kLoad:
      case RequestKind::kFetch:
        std::memset(request.data, 0xee, sizeof request.data);  // bytes that were not requested must not be used
        for (unsigned s = 0; s < 4; ++s)
          if ((request.sectors >> s & 1) != 0) std::memcpy(request.data + 32 * s, bytes + 32 * s, 32);
        break;
      case RequestKind::kStore:
        for (unsigned i = 0; i < kMaxLineBytes; ++i)
          if ((request.byte_mask[i / 64] >> (i % 64) & 1) != 0) bytes[i] = request.data[i];
        break;
      default:
        for (unsigned i = 0; i < request.lane_count; ++i) atomic(request, request.lanes[i], bytes);
        break;
    }
    if (on_perform) on_perform(transaction, now);
  }

  // Performs the atomics that the tests use: 32-bit additions, exchanges and compare-and-swaps.
  static void atomic(const MemoryRequest& request, LaneOperand& lane, std::byte* bytes) {
    const unsigned size = isa::bytes(request.type);
    std::uint64_t old = 0;
    std::memcpy(&old, bytes + lane.offset, size);
    std::uint64_t value = old;
    switch (request.op) {
      case isa::AtomicOp::kAdd:
        value = old + lane.value;
        break;
      case isa::AtomicOp::kExch:
        value = lane.value;
        break;
      case isa::AtomicOp::kCas:
        if (old == lane.compare) value = lane.value;
        break;
      default:
        ADD_FAILURE() << "atomic that the test's memory does not know";
    }
    std::memcpy(bytes + lane.offset, &value, size);
    lane.value = old;
  }

  const Store& store_;
  std::deque<Waiting> waiting_;
};

/// Registers of the tests' instructions.
inline constexpr isa::OperandIndex kAddressReg = 0;  // a pair
inline constexpr isa::OperandIndex kDataReg = 2;     // up to 4 pairs
inline constexpr isa::OperandIndex kLoadedReg = 10;  // up to 4 pairs
inline constexpr isa::OperandIndex kSwapReg = 18;    // a pair: new value of a compare-and-swap
inline constexpr unsigned kRegisters = 20;

struct Instruction {
  isa::MemoryKind kind = isa::MemoryKind::kLoad;
  isa::Space space = isa::Space::kGlobal;
  isa::Type type = isa::Type::kU32;
  unsigned elements = 1;
  isa::CacheOp cache = isa::CacheOp::kDefault;
  isa::Ordering ordering = isa::Ordering::kWeak;
  isa::AtomicOp atomic = isa::AtomicOp::kAdd;
  bool prefetch = false;
  unsigned address_bits = 64;

  [[nodiscard]] isa::Record record() const {
    isa::Record record;
    record.kind = prefetch ? isa::Kind::kPrefetch : isa::Kind::kMemory;
    record.memory = {};
    record.memory.kind = kind;
    record.memory.atomic = atomic;
    record.memory.space = space;
    record.memory.type = type;
    record.memory.elements = static_cast<std::uint8_t>(elements);
    record.memory.cache = cache;
    record.memory.ordering = ordering;
    record.memory.register_bits = isa::bytes(type) == 8 ? 64 : 32;
    record.memory.address_bits = static_cast<std::uint8_t>(address_bits);
    record.src[0] = kAddressReg;
    if (!prefetch && kind != isa::MemoryKind::kLoad) record.src[1] = kDataReg;
    if (kind >= isa::MemoryKind::kAtomic && atomic == isa::AtomicOp::kCas) record.src[2] = kSwapReg;
    if (!prefetch && (kind == isa::MemoryKind::kLoad || kind == isa::MemoryKind::kAtomic)) record.dst = kLoadedReg;
    return record;
  }
};

/// Registers of one warp.
class WarpRegisters {
 public:
  explicit WarpRegisters(unsigned lanes) : lanes_(lanes), bytes_(std::size_t{kRegisters} * lanes * 4 + 64) {}

  [[nodiscard]] isa::RegisterView view() {
    auto at = reinterpret_cast<std::uintptr_t>(bytes_.data());
    at = (at + 63) / 64 * 64;
    return {reinterpret_cast<std::byte*>(at), nullptr, predicates_, lanes_};
  }
  /// Writes an element of a register row; `bits` is 32 or 64.
  void put(unsigned reg, unsigned bits, unsigned element, unsigned lane, std::uint64_t value) {
    std::memcpy(where(reg, bits, element, lane), &value, bits / 8);
  }
  [[nodiscard]] std::uint64_t get(unsigned reg, unsigned bits, unsigned element, unsigned lane) {
    std::uint64_t value = 0;
    std::memcpy(&value, where(reg, bits, element, lane), bits / 8);
    return value;
  }

 private:
  std::byte* where(unsigned reg, unsigned bits, unsigned element, unsigned lane) {
    const unsigned rows = bits / 32;
    return view().registers + (std::size_t{reg} + std::size_t{element} * rows) * lanes_ * 4 +
           std::size_t{lane} * bits / 8;
  }

  unsigned lanes_;
  std::vector<std::byte> bytes_;
  isa::LaneMask predicates_[8] = {};
};

/// Events of an instruction that has a result.
struct Done {
  unsigned warp = 0;
  std::uint32_t pc = 0;  ///< number the test gave
  Tick ready = 0;        ///< tick reported by the memory side
  Tick told = 0;
};

/// SmMemory under test. `step` runs one tick; ticks and cycles are equal unless the test slows the SM down.
class LsuRig : public Unit, public SmMemoryClient {
 public:
  static constexpr std::uint32_t kSharedBytes = 8192;
  static constexpr std::uint32_t kLocalBytes = 64;
  static constexpr std::uint32_t kParameterBytes = 256;

  /// `real`: connects the port to the machine's crossbars, slices and channels.
  explicit LsuRig(const Machine& machine_, unsigned warps = 8, bool real = false)
      : machine(machine_),
        store({std::uint64_t{1} << 28, false}),
        module(sc_core::sc_gen_unique_name("sm"), *this, machine_.xbar.fifo_flits),
        port(module.port),
        memory(store, machine_.xbar.fifo_flits),
        statistics("sm"),
        below("memory"),
        system(real ? std::make_unique<MemorySystem>(machine, store, below) : nullptr),
        shared(machine.sm.tb_contexts, std::vector<std::byte>(kSharedBytes)),
        contexts(machine.sm.tb_contexts),
        lsu(machine, 0, store, port, *this, contexts.data(), statistics) {
    if (machine.tlb.l1_entries != 0) {
      if (!real) tlb = std::make_unique<SharedTlb>(machine, below);
      lsu.translate(real ? *system->tlb() : *tlb, statistics);
    }
    connect(port, real ? system->input(0) : memory.port);
    program.local_bytes = kLocalBytes;
    program.parameter_bytes = kParameterBytes;
    kernel.program = &program;
    kernel.entry = 3;
    kernel.parameters = *store.allocate(kParameterBytes, AllocationKind::kParameters);
    kernel.local_stride = std::uint64_t{kLocalBytes} * machine.sm.lanes;
    kernel.local_base = *store.allocate(kernel.local_stride * machine.sm.warps * machine.sm.tb_contexts,
                                        AllocationKind::kLocal, "local", 4096);
    for (unsigned c = 0; c < machine.sm.tb_contexts; ++c) {
      contexts[c].kernel = &kernel;
      contexts[c].shared = shared[c].data();
      contexts[c].shared_bytes = kSharedBytes;
      contexts[c].parameters = kernel.parameters;
      contexts[c].local_base = kernel.local_base + kernel.local_stride * machine.sm.warps * c;
    }
    for (unsigned w = 0; w < warps; ++w) registers.emplace_back(machine.sm.lanes);
    acknowledged_lines.resize(warps);
    heap = *store.allocate(1 << 16, AllocationKind::kHeap, "heap", 4096);
  }

  void tick(Cycle /*now*/) override {}

  [[nodiscard]] isa::LaneMask all() const {
    return machine.sm.lanes == 64 ? ~isa::LaneMask{0} : (isa::LaneMask{1} << machine.sm.lanes) - 1;
  }
  [[nodiscard]] WarpRegisters& warp(unsigned w) { return registers[w]; }
  void set_address(unsigned w, unsigned lane, std::uint64_t address) {
    registers[w].put(kAddressReg, 64, 0, lane, address);
  }
  void set_addresses(unsigned w, std::uint64_t first, std::uint64_t step) {
    for (unsigned lane = 0; lane < machine.sm.lanes; ++lane) set_address(w, lane, first + step * lane);
  }
  void set_data(unsigned w, std::uint64_t value) {
    for (unsigned lane = 0; lane < machine.sm.lanes; ++lane) registers[w].put(kDataReg, 32, 0, lane, value);
  }
  [[nodiscard]] std::uint64_t loaded(unsigned w, unsigned lane, unsigned bits = 32, unsigned element = 0) {
    return registers[w].get(kLoadedReg, bits, element, lane);
  }

  /// Issues an instruction in the tick that the next `step` ends. The mask defaults to all lanes. `accepted` is the
  /// last result.
  std::optional<AccessFault> issue(const Instruction& instruction, unsigned w = 0, unsigned context = 0,
                                   isa::LaneMask mask = 0) {
    records.push_back(instruction.record());
    MemoryIssue issue;
    issue.record = &records.back();
    issue.view = registers[w].view();
    issue.mask = mask == 0 ? all() : mask;
    issue.warp = w;
    issue.warp_in_tb = w / 2;
    issue.context = context;
    issue.pc = static_cast<std::uint32_t>(records.size() - 1);
    issue.dispatch = now + machine.oc_cycles;
    issue.now = now;
    issue.tick = now;
    accepted = {};
    auto fault = lsu.issue(issue, accepted);
    issued_ = true;
    if (!fault) {
      const bool result = instruction.kind == isa::MemoryKind::kLoad || instruction.kind == isa::MemoryKind::kAtomic;
      under_way += result ? 1 : 0;
      lines_expected += accepted.acknowledges;
      if (accepted.holds) held |= warp_bit(w);
    }
    return fault;
  }

  /// Records that a fence of the block ended, or the block started, in this tick.
  void acquire(unsigned context) {
    contexts[context].acquire = now;
    issued_ = true;
  }
  /// Runs steps S2 and S3 of tick `now`. Instructions that issue afterwards belong to the same tick.
  void begin() {
    finish();
    complete_due();
    if (!sleeping || due_ <= now || port.next_reply() <= now || woken_ <= now) {
      if (woken_ <= now) woken_ = kForever;
      ++awake;
      lsu.take_reply(now, now);
      lsu.advance(now, now);
      due_ = lsu.next(now);
    }
    begun_ = true;
  }
  /// Ends the tick.
  void finish() {
    if (!begun_) return;
    if (issued_) due_ = lsu.next(now);
    issued_ = false;
    if (system != nullptr) {
      for (Unit* unit : system->units()) unit->tick(now);
    } else {
      memory.tick(now);
    }
    lsu.check_stale(now);
    woken_ = std::min(woken_, lsu.request_translations(now));
    woken_ = std::min(woken_, wake());
    if (port.next_credit() > now) woken_ = std::min(woken_, port.next_credit());
    sleep_until(kForever);
    ++now;
    begun_ = false;
  }
  void run(Cycle ticks) {
    for (Cycle i = 0; i < ticks; ++i) begin();
    finish();
  }
  /// Runs until all issued instructions are complete; fails after `limit` ticks.
  void drain(Cycle limit = 100000) {
    for (Cycle i = 0; i < limit; ++i) {
      if (under_way == 0 && lines_expected == lines_seen && lsu.idle() && memory.idle() &&
          (system == nullptr || system->idle()))
        return;
      begin();
      finish();
    }
    FAIL() << "not idle after " << limit << " ticks: " << lsu.waiting();
  }

  [[nodiscard]] std::uint64_t count(const std::string& name) {
    lsu.catch_up(now == 0 ? 0 : now - 1);
    const base::Statistic* const statistic = statistics.find(name);
    if (statistic == nullptr) throw std::runtime_error("no statistic " + name);
    return statistic->integer();
  }
  template <class T>
  void set(std::uint64_t address, T value) {
    std::memcpy(store.host(address), &value, sizeof value);
  }
  template <class T>
  [[nodiscard]] T value(std::uint64_t address) const {
    T value;
    std::memcpy(&value, store.host(address), sizeof value);
    return value;
  }

  void data_ready(MemoryOperation& operation, Tick ready) override {
    const MemoryIssue& issue = SmMemory::instruction(operation);
    done.push_back({issue.warp, issue.pc, ready, now});
    EXPECT_GE(ready, now);
    waiting_.push_back({&operation, ready});
  }
  void record_stored(unsigned /*w*/, std::uint32_t /*number*/) override {}
  void acknowledged(unsigned w) override {
    ++acknowledged_lines[w];
    ++lines_seen;
  }
  void resume(unsigned w) override {
    EXPECT_NE(held & warp_bit(w), 0U);
    held &= ~warp_bit(w);
  }
  void fetched(std::uint64_t line) override { fetched_lines.push_back({now, line}); }

  Machine machine;
  Store store;
  PortModule<InitiatorPort> module;
  InitiatorPort& port;
  PlainMemory memory;
  base::StatisticGroup statistics, below;
  std::unique_ptr<MemorySystem> system;
  std::unique_ptr<SharedTlb> tlb;
  isa::Program program;
  KernelContext kernel;
  std::vector<std::vector<std::byte>> shared;
  std::vector<TbMemory> contexts;
  std::vector<WarpRegisters> registers;
  SmMemory lsu;
  std::uint64_t heap = 0;

  Cycle now = 0;
  bool sleeping = false;
  std::uint64_t awake = 0;  ///< ticks in which the SM's memory side ran
  MemoryAccepted accepted;
  WarpMask held = 0;  ///< warps that may not issue
  std::vector<Done> done;
  std::vector<std::uint64_t> acknowledged_lines;
  std::uint64_t lines_expected = 0, lines_seen = 0;
  unsigned under_way = 0;
  std::vector<std::pair<Cycle, std::uint64_t>> fetched_lines;
  std::deque<isa::Record> records;
  /// Called when an instruction's registers have been written.
  std::function<void(unsigned warp, std::uint32_t pc)> on_complete;

 private:
  struct Ready {
    MemoryOperation* operation;
    Tick ready;
  };
  void complete_due() {
    for (std::size_t i = 0; i < waiting_.size();) {
      if (waiting_[i].ready >= now) {
        ++i;
        continue;
      }
      MemoryOperation& operation = *waiting_[i].operation;
      const MemoryIssue issue = SmMemory::instruction(operation);
      waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
      lsu.complete(operation, issue.view);
      --under_way;
      if (on_complete) on_complete(issue.warp, issue.pc);
    }
  }

  std::vector<Ready> waiting_;
  bool begun_ = false;
  bool issued_ = false;  // the core was awake
  Tick due_ = 0;
  Cycle woken_ = 0;
};

}  // namespace castor::gpu::test
