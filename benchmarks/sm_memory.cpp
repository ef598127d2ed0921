// Measures the host time of an SM's memory pipeline per warp instruction: issue, passes, L1 lookup, write-back. The
// pipeline accepts one instruction per tick, or fewer if instructions need several passes. The SM core is left out.
//
//   benchmarks/sm_memory --benchmark_counters_tabular=true

#include "castor/gpu/sm/sm_memory.h"

#include <benchmark/benchmark.h>

#include <cstring>
#include <systemc>
#include <vector>

#include "platforms/machines.h"

namespace castor::gpu {
namespace {

template <class Port>
struct PortModule : sc_core::sc_module {
  PortModule(sc_core::sc_module_name /*name*/, Unit& owner, std::uint32_t depth) : port("port", owner, depth) {}
  Port port;
};

/// Memory system stand-in: answers every request of the SM in the cycle in which the request arrives.
class Answers : public Unit {
 public:
  explicit Answers(std::uint32_t depth) : module_(sc_core::sc_gen_unique_name("memory"), *this, depth) {}
  TargetPort& port() { return module_.port; }
  void tick(Cycle now) override {
    while (module_.port.request(now) != nullptr) {
      Transaction& request = module_.port.take_request(now);
      request.request.performed = now;
      module_.port.reply(request, 1, now, now + 1);
    }
  }

 private:
  PortModule<TargetPort> module_;
};

class Rig : public Unit, public SmMemoryClient {
 public:
  static constexpr unsigned kWarps = 32;
  static constexpr isa::OperandIndex kAddress = 0;
  static constexpr isa::OperandIndex kLoaded = 2;

  Rig()
      : machine_(platforms::load_machine("kepler_k20c_study", {}).machine),
        store_({std::uint64_t{1} << 28, false}),
        module_(sc_core::sc_gen_unique_name("sm"), *this, machine_.xbar.fifo_flits),
        memory_(machine_.xbar.fifo_flits),
        group_("sm"),
        shared_(48 << 10),
        rows_(std::size_t{kWarps} * 4 * 32 * 4 + 64),
        contexts_(machine_.sm.tb_contexts),
        lsu_(machine_, 0, store_, module_.port, *this, contexts_.data(), group_) {
    connect(module_.port, memory_.port());
    kernel_.program = &program_;
    for (TbMemory& context : contexts_) {
      context.kernel = &kernel_;
      context.shared = shared_.data();
      context.shared_bytes = static_cast<std::uint32_t>(shared_.size());
    }
    heap = *store_.allocate(1 << 22, AllocationKind::kHeap);
  }

  void tick(Cycle /*now*/) override {}
  void data_ready(MemoryOperation& operation, Tick /*ready*/) override {
    lsu_.complete(operation, SmMemory::instruction(operation).view);
  }
  void acknowledged(unsigned /*warp*/) override {}
  void record_stored(unsigned /*warp*/, std::uint32_t /*number*/) override {}
  void resume(unsigned) override {}
  void fetched(std::uint64_t /*line*/) override {}

  isa::RegisterView view(unsigned warp) {
    auto at = (reinterpret_cast<std::uintptr_t>(rows_.data()) + 63) / 64 * 64;
    return {reinterpret_cast<std::byte*>(at) + std::size_t{warp} * 4 * 32 * 4, nullptr, nullptr, 32};
  }
  void set_address(unsigned warp, unsigned lane, std::uint64_t address) {
    std::memcpy(view(warp).registers + lane * std::size_t{8}, &address, 8);
  }
  /// Runs one tick. Issues `record` for `warp` if the memory pipeline can accept it, and returns whether it did.
  bool step(const isa::Record& record, unsigned warp) {
    ++now_;
    lsu_.take_reply(now_, now_);
    lsu_.advance(now_, now_);
    bool issued = false;
    if (lsu_.can_accept(record)) {
      MemoryIssue issue;
      issue.record = &record;
      issue.view = view(warp);
      issue.mask = 0xffffffff;
      issue.warp = warp;
      issue.dispatch = now_ + 4;
      issue.now = issue.tick = now_;
      MemoryAccepted accepted;
      issued = !lsu_.issue(issue, accepted);
    }
    memory_.tick(now_);
    return issued;
  }
  static isa::Record load(isa::Space space) {
    isa::Record record;
    record.kind = isa::Kind::kMemory;
    record.memory = {};
    record.memory.space = space;
    record.memory.type = isa::Type::kF32;
    record.memory.elements = 1;
    record.memory.register_bits = 32;
    record.memory.address_bits = 64;
    record.src[0] = kAddress;
    record.dst = kLoaded;
    return record;
  }

  std::uint64_t heap = 0;

 private:
  Machine machine_;
  Store store_;
  PortModule<InitiatorPort> module_;
  Answers memory_;
  base::StatisticGroup group_;
  std::vector<std::byte> shared_, rows_;
  isa::Program program_;
  KernelContext kernel_;
  std::vector<TbMemory> contexts_;
  SmMemory lsu_;
  Cycle now_ = 0;
};

void run(benchmark::State& state, Rig& rig, isa::Space space) {
  const isa::Record record = Rig::load(space);
  unsigned warp = 0;
  std::int64_t issued = 0;
  for (auto _ : state) {
    while (!rig.step(record, warp)) {
    }
    warp = (warp + 1) % Rig::kWarps;
    ++issued;
  }
  state.SetItemsProcessed(issued);
}

// Global loads of one line per instruction. All lines hit in the L1.
void load_that_hits(benchmark::State& state) {
  Rig rig;
  for (unsigned warp = 0; warp < Rig::kWarps; ++warp)
    for (unsigned lane = 0; lane < 32; ++lane) rig.set_address(warp, lane, rig.heap + 128 * warp + 4 * lane);
  run(state, rig, isa::Space::kGlobal);
}
BENCHMARK(load_that_hits);

// Shared loads with unit stride: one round over the banks.
void shared_load(benchmark::State& state) {
  Rig rig;
  for (unsigned warp = 0; warp < Rig::kWarps; ++warp)
    for (unsigned lane = 0; lane < 32; ++lane) rig.set_address(warp, lane, 128 * warp + 4 * lane);
  run(state, rig, isa::Space::kShared);
}
BENCHMARK(shared_load);

// Shared loads of one word per bank in permuted order: one round. The model counts the accesses of each bank.
void shared_permuted_load(benchmark::State& state) {
  Rig rig;
  for (unsigned warp = 0; warp < Rig::kWarps; ++warp)
    for (unsigned lane = 0; lane < 32; ++lane) rig.set_address(warp, lane, 132 * lane + 4 * warp);
  run(state, rig, isa::Space::kShared);
}
BENCHMARK(shared_permuted_load);

// Global loads of 32 lines per instruction. All lines hit in the L1.
void scattered_load_that_hits(benchmark::State& state) {
  Rig rig;
  for (unsigned warp = 0; warp < Rig::kWarps; ++warp)
    for (unsigned lane = 0; lane < 32; ++lane) rig.set_address(warp, lane, rig.heap + 128 * lane + 4 * warp);
  run(state, rig, isa::Space::kGlobal);
}
BENCHMARK(scattered_load_that_hits);

// Global loads of 32 lines per instruction out of 1 MB. Every line misses in the L1 and needs a request and a reply.
void scattered_load_that_misses(benchmark::State& state) {
  Rig rig;
  for (unsigned warp = 0; warp < Rig::kWarps; ++warp)
    for (unsigned lane = 0; lane < 32; ++lane)
      rig.set_address(warp, lane, rig.heap + 128 * ((lane * 977 + warp * 32 * 8) % 8192));
  run(state, rig, isa::Space::kGlobal);
}
BENCHMARK(scattered_load_that_misses);

}  // namespace
}  // namespace castor::gpu

BENCHMARK_MAIN();
