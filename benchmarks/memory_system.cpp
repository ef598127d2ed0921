// Measures the host time of one memory transaction from an SM's port and back: through the crossbar, an L2 slice and,
// on a miss, a DRAM channel. docs/performance.md cites the figures.

#include "castor/gpu/memory/memory_system.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "castor/base/rng.h"
#include "platforms/machines.h"

namespace castor::gpu {
namespace {

/// Traffic generator in place of an SM: keeps `window` requests in flight, with addresses from a table.
class Stream final : public Unit {
 public:
  Stream(const std::string& name, const Machine& machine, unsigned window)
      : port(name.c_str(), *this, machine.xbar.fifo_flits), flit_bytes_(machine.xbar.flit_bytes), window_(window) {}

  InitiatorPort port;
  const std::uint64_t* lines = nullptr;
  std::size_t count = 0, next = 0;
  RequestKind kind = RequestKind::kLoad;
  std::uint64_t to_send = 0, answered = 0;

  void tick(Cycle now) override {
    if (port.reply(now) != nullptr) {
      port.take_reply(now).release();
      ++answered;
    }
    bool sent = false, blocked = false;
    if (to_send > 0 && port.outstanding() < window_) {
      const std::uint32_t cost = flits(kind == RequestKind::kStore ? kMaxLineBytes : 0, flit_bytes_);
      if (port.can_send(cost, now)) {
        Transaction& transaction = pool_.get();
        MemoryRequest& request = transaction.request;
        request.kind = kind;
        request.sectors = 0xf;
        request.byte_mask[0] = request.byte_mask[1] = kind == RequestKind::kStore ? ~std::uint64_t{0} : 0;
        transaction.prepare(lines[next]);
        next = next + 1 == count ? 0 : next + 1;
        --to_send;
        port.send(transaction, cost, now, now + 1);
        sent = true;
      } else {
        blocked = true;
      }
    }
    Cycle wake = port.next_reply() == kForever ? kForever : std::max(port.next_reply(), now + 1);
    if (sent && to_send > 0 && port.outstanding() < window_) wake = now + 1;
    if (blocked) wake = std::min(wake, port.next_credit());
    sleep_until(wake);
  }

 private:
  unsigned flit_bytes_, window_;
  TransactionPool pool_;
};

class Bench : public sc_core::sc_module {
 public:
  explicit Bench(unsigned window) : Bench(sc_core::sc_module_name(sc_core::sc_gen_unique_name("bench")), window) {}
  Bench(const sc_core::sc_module_name& name, unsigned window)
      : sc_module(name),
        machine(platforms::load_machine("kepler_k20c_study").machine),
        store({std::uint64_t{256} << 20, false}),
        statistics("memory"),
        memory(machine, store, statistics) {
    for (unsigned sm = 0; sm < machine.chip.sms; ++sm) {
      streams.push_back(std::make_unique<Stream>("sm" + std::to_string(sm), machine, window));
      connect(streams.back()->port, memory.input(sm));
    }
    units = memory.units();
    for (const auto& stream : streams) units.push_back(stream.get());
  }

  /// Lets each traffic generator send `requests` requests. Returns the number of cycles in which some unit ticked.
  std::uint64_t run(std::uint64_t requests) {
    for (const auto& stream : streams) {
      stream->to_send = requests;
      stream->wake_at(now);
    }
    std::uint64_t active = 0;
    for (;;) {
      Cycle next = kForever;
      for (const Unit* unit : units) next = std::min(next, unit->wake());
      if (next == kForever) return active;
      now = std::max(now, next);
      for (Unit* unit : units) {
        if (unit->wake() <= now) unit->tick(now);
      }
      ++now;
      ++active;
    }
  }

  Machine machine;
  Store store;
  base::StatisticGroup statistics;
  MemorySystem memory;
  std::vector<std::unique_ptr<Stream>> streams;
  std::vector<Unit*> units;
  Cycle now = 0;
};

enum Pattern { kStreaming, kRandom };

/// Arguments: address pattern; megabytes touched (1 fits into the L2, 128 does not); 1 for stores, 0 for loads;
/// requests in flight per SM.
void transactions(benchmark::State& state) {
  Bench bench(static_cast<unsigned>(state.range(3)));
  const auto sms = static_cast<std::uint64_t>(bench.machine.chip.sms);
  const std::uint64_t lines = (static_cast<std::uint64_t>(state.range(1)) << 20) / bench.machine.l2.line;
  base::Xoshiro256 rng(1);
  std::vector<std::vector<std::uint64_t>> tables(sms);
  for (std::uint64_t sm = 0; sm < sms; ++sm) {
    const std::uint64_t share = lines / sms;
    for (std::uint64_t i = 0; i < share; ++i) {
      // Streaming: blocks of 64 lines go to the SMs in turn.
      const std::uint64_t line =
          state.range(0) == kRandom ? rng.below(lines) : (i / 64 * sms + sm) * 64 % lines + i % 64;
      tables[sm].push_back(Store::kBase + line * bench.machine.l2.line);
    }
    bench.streams[sm]->lines = tables[sm].data();
    bench.streams[sm]->count = tables[sm].size();
    bench.streams[sm]->kind = state.range(2) != 0 ? RequestKind::kStore : RequestKind::kLoad;
  }
  // The host maps the pages of the store before the time is measured.
  std::memset(bench.store.host(Store::kBase), 0, lines * bench.machine.l2.line);
  bench.run(std::min<std::uint64_t>(lines / sms, 20'000));
  const Cycle before = bench.now;
  std::uint64_t done = 0, active = 0;
  constexpr std::uint64_t kRequests = 2000;
  for (auto _ : state) {
    active += bench.run(kRequests);
    done += kRequests * sms;
  }
  state.counters["per_transaction"] =
      benchmark::Counter(static_cast<double>(done), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["transactions_per_cycle"] = static_cast<double>(done) / static_cast<double>(bench.now - before);
  state.counters["active_cycles"] = static_cast<double>(active) / static_cast<double>(bench.now - before);
}
BENCHMARK(transactions)
    ->ArgNames({"random", "MB", "store", "window"})
    ->Args({kStreaming, 1, 0, 64})
    ->Args({kRandom, 1, 0, 64})
    ->Args({kRandom, 1, 1, 64})
    ->Args({kRandom, 1, 0, 1})
    ->Args({kStreaming, 128, 0, 64})
    ->Args({kStreaming, 128, 1, 64})
    ->Args({kRandom, 128, 0, 64})
    ->Args({kRandom, 128, 0, 1})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace castor::gpu

BENCHMARK_MAIN();
