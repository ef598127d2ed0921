// Random traffic of all initiators through tiny queues: every initiator sees its own words as if it were alone, atomics
// lose nothing, nothing stops, and neither sleeping nor the order of ticks changes a cycle.

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <vector>

#include "castor/base/hash.h"
#include "gpu_memory_support.h"
#include "tests/common/sanitized.h"

namespace castor::gpu::gpu_memory_traffic_test {
namespace {

using test::ClockMode;
using test::memory_machine;
using test::MemoryRig;

/// Returns a machine with queues of 1 to 8 entries, a small cache and random short latencies.
Machine random_machine(base::Xoshiro256& rng) {
  const auto pick = [&rng](std::int64_t low, std::int64_t high) { return std::to_string(rng.between(low, high)); };
  const std::uint64_t sets = std::uint64_t{1} << rng.below(3);
  const std::uint64_t ways = 1 + rng.below(4);
  const std::uint64_t line = rng.below(4) == 0 ? 64 : 128;
  if (sets * ways * line < 256) return random_machine(rng);  // the smallest cache a machine may have
  std::vector<std::string> keys = {"l2.sets=" + std::to_string(sets),
                                   "l2.ways=" + std::to_string(ways),
                                   "l2.line=" + std::to_string(line),
                                   "l2.bytes=" + std::to_string(sets * ways * line * 4),
                                   "l1.line=" + std::to_string(line),
                                   "l2.mshrs=" + pick(1, 8),
                                   "l2.merges=" + pick(1, 8),
                                   "l2.miss_queue=" + pick(2, 8),
                                   "l2.latency=" + pick(1, 9),
                                   "l2.port_bytes=" + std::to_string(8 << rng.below(4)),
                                   "dram.queue=" + pick(2, 8),
                                   "dram.return_queue=" + pick(1, 8),
                                   "dram.extra_latency=" + pick(0, 9),
                                   "xbar.latency=" + pick(1, 4),
                                   "xbar.fifo_flits=" + pick(5, 12),
                                   "xbar.flit_bytes=" + pick(30, 48),
                                   "xbar.voq=" + pick(0, 1),
                                   "atomic.latency=" + pick(0, 6),
                                   "atomic.words_per_cycle=" + pick(1, 32),
                                   "atomic.word_cycles=" + pick(1, 3),
                                   "dram.atom=" + std::to_string(32 << rng.below(2)),
                                   "dram.bytes_per_clk=" + std::to_string(8 << rng.below(3)),
                                   "dram.banks=4",
                                   "dram.groups=2",
                                   "dram.row_bytes=512",
                                   "dram.trefi=" + std::to_string(rng.below(2) * 300),
                                   "clock.dram_mhz=" + pick(300, 2000),
                                   std::string("map.hash=") + (rng.below(2) == 0 ? "off" : "xor")};
  if (line == 64) keys.insert(keys.end(), {"l1.sets=64", "l1.ways=4"});
  return memory_machine(keys, "tiny");
}

/// One request in the program of an initiator, with the expected reply.
struct Step {
  Cycle cycle = 0;
  RequestKind kind = RequestKind::kLoad;
  std::uint64_t line = 0;
  std::uint8_t sectors = 0;
  std::uint64_t mask[2] = {0, 0};
  std::vector<LaneOperand> lanes;
  std::vector<std::uint8_t> data;  ///< stores: bytes to write; loads: expected bytes where `mask` is set
  std::vector<std::uint64_t> old;  ///< atomics on own words: expected old values
};

constexpr std::uint64_t kLines = 24;
constexpr std::uint64_t kCounterLine = Store::kBase + kLines * 128;

/// Word w of every line belongs to initiator w mod inputs; the words of one more line are counters that all add to.
struct Program {
  std::vector<std::vector<Step>> steps;  ///< per initiator
  std::vector<std::uint8_t> memory;      ///< bytes of the private lines at the end
  std::uint64_t additions[32] = {};      ///< sum added to each counter

  Program(base::Xoshiro256& rng, unsigned inputs, unsigned line_bytes, unsigned count)
      : steps(inputs), memory(kLines * line_bytes) {
    for (unsigned i = 0; i < inputs; ++i) {
      Cycle cycle = rng.below(20);
      const unsigned kinds = static_cast<unsigned>(1 + rng.below(5));
      for (unsigned n = 0; n < count; ++n) {
        steps[i].push_back(make(rng, i, inputs, line_bytes, kinds));
        steps[i].back().cycle = cycle;
        cycle += rng.below(10) == 0 ? rng.below(400) : rng.below(3);
      }
    }
  }

 private:
  Step make(base::Xoshiro256& rng, unsigned initiator, unsigned inputs, unsigned line_bytes, unsigned kinds) {
    Step step;
    const unsigned words = line_bytes / 4;
    const std::uint64_t index = rng.below(kLines);
    std::uint8_t* const bytes = &memory[index * line_bytes];
    step.line = Store::kBase + index * line_bytes;
    const auto own_word = [&] {
      return static_cast<unsigned>(initiator + inputs * rng.below((words - 1 - initiator) / inputs + 1));
    };
    switch (rng.below(kinds)) {
      case 0:  // load
        step.kind = RequestKind::kLoad;
        step.sectors = static_cast<std::uint8_t>(1 + rng.below((1U << line_bytes / 32) - 1));
        step.data.assign(bytes, bytes + line_bytes);
        for (unsigned w = initiator; w < words; w += inputs) {
          if ((step.sectors >> w / 8 & 1) != 0) step.mask[w / 16] |= std::uint64_t{0xf} << w % 16 * 4;
        }
        break;
      case 1:
      case 2: {  // store of some bytes of some own words, or of the whole line's own words
        step.kind = RequestKind::kStore;
        step.data.resize(line_bytes);
        const bool whole = inputs == 1 || rng.below(2) == 0;
        for (unsigned w = initiator; w < words; w += inputs) {
          const std::uint64_t part = whole ? 0xf : rng.below(16);
          step.mask[w / 16] |= part << w % 16 * 4;
        }
        if ((step.mask[0] | step.mask[1]) == 0) step.mask[initiator / 16] |= std::uint64_t{1} << initiator % 16 * 4;
        for (unsigned b = 0; b < line_bytes; ++b) {
          if ((step.mask[b / 64] >> b % 64 & 1) == 0) continue;
          step.data[b] = bytes[b] = static_cast<std::uint8_t>(rng());
          step.sectors |= static_cast<std::uint8_t>(1U << b / 32);
        }
        break;
      }
      case 3: {  // atomic on own words, several lanes on one word included
        step.kind = RequestKind::kAtomic;
        const unsigned lanes = static_cast<unsigned>(1 + rng.below(6));
        for (unsigned lane = 0; lane < lanes; ++lane) {
          const unsigned w = own_word();
          const auto value = static_cast<std::uint32_t>(rng());
          std::uint32_t old = 0;
          std::memcpy(&old, bytes + w * 4, 4);
          const std::uint32_t sum = old + value;
          std::memcpy(bytes + w * 4, &sum, 4);
          step.old.push_back(old);
          step.lanes.push_back({static_cast<std::uint8_t>(lane), static_cast<std::uint8_t>(w * 4), value, 0});
          step.sectors |= static_cast<std::uint8_t>(1U << w / 8);
        }
        break;
      }
      default: {  // shared counters
        step.kind = rng.below(3) == 0   ? RequestKind::kAtomic
                    : rng.below(2) == 0 ? RequestKind::kReduction
                                        : RequestKind::kPosted;
        step.line = kCounterLine;
        const unsigned lanes = step.kind == RequestKind::kPosted ? 1 : static_cast<unsigned>(1 + rng.below(8));
        for (unsigned lane = 0; lane < lanes; ++lane) {
          const auto w = static_cast<unsigned>(rng.below(words));
          ++additions[w];
          step.lanes.push_back({static_cast<std::uint8_t>(lane), static_cast<std::uint8_t>(w * 4), 1, 0});
          step.sectors |= static_cast<std::uint8_t>(1U << w / 8);
        }
        break;
      }
    }
    return step;
  }
};

struct Result {
  bool ended = false;
  std::uint64_t cycles = 0;      ///< digest of all cycles
  std::uint64_t statistics = 0;  ///< digest
};

Result run(const Machine& machine, const Program& program, ClockMode mode, bool check_links) {
  MemoryRig rig(machine, mode);
  const unsigned line_bytes = machine.l2.line;
  std::memset(rig.store.host(Store::kBase), 0, (kLines + 1) * 128);
  std::vector<std::vector<Cycle>> performed(rig.initiators.size());
  std::vector<std::vector<Cycle>> taken(rig.initiators.size());
  std::map<std::pair<unsigned, std::uint64_t>, unsigned> counter_values;  // (word, old value) seen by atomics
  for (unsigned i = 0; i < rig.initiators.size(); ++i) {
    const std::vector<Step>& steps = program.steps[i];
    performed[i].resize(steps.size());
    taken[i].resize(steps.size());
    for (const Step& step : steps) {
      MemoryRequest& request = rig.initiators[i]->send_at(step.cycle, step.kind, step.line, step.sectors).request;
      request.client = static_cast<Client>(i % static_cast<unsigned>(Client::kCount));
      request.entry = static_cast<std::uint16_t>(i);
      if (step.kind == RequestKind::kStore) {
        request.byte_mask[0] = step.mask[0];
        request.byte_mask[1] = step.mask[1];
        std::memcpy(request.data, step.data.data(), line_bytes);
      }
      request.op = isa::AtomicOp::kAdd;
      request.type = isa::Type::kU32;
      request.lane_count = static_cast<std::uint8_t>(step.lanes.size());
      std::copy(step.lanes.begin(), step.lanes.end(), request.lanes);
    }
    rig.initiators[i]->on_reply = [&, i](Transaction& reply, Cycle now) {
      const MemoryRequest& request = reply.request;
      const Step& step = program.steps[i][request.id];
      performed[i][request.id] = request.performed;
      taken[i][request.id] = now;
      EXPECT_EQ(request.kind, step.kind);
      EXPECT_EQ(reply.get_response_status(), tlm::TLM_OK_RESPONSE);
      if (step.kind == RequestKind::kLoad) {
        for (unsigned b = 0; b < line_bytes; ++b) {
          if ((step.mask[b / 64] >> b % 64 & 1) == 0) continue;
          ASSERT_EQ(static_cast<std::uint8_t>(request.data[b]), step.data[b])
              << "initiator " << i << ", request " << request.id << ", byte " << b;
        }
      }
      for (std::size_t lane = 0; lane < step.old.size(); ++lane) {
        ASSERT_EQ(request.lanes[lane].value, step.old[lane]) << "initiator " << i << ", request " << request.id;
      }
      if (step.line == kCounterLine && step.kind == RequestKind::kAtomic) {
        for (std::size_t lane = 0; lane < step.lanes.size(); ++lane) {
          const auto key = std::make_pair(step.lanes[lane].offset / 4U, request.lanes[lane].value);
          EXPECT_EQ(++counter_values[key], 1U) << "two atomics saw one value";
        }
      }
    };
  }
  if (check_links) {
    rig.between_cycles = [&rig, &machine] {
      rig.memory.check_links();
      for (unsigned i = 0; i < rig.initiators.size(); ++i) {
        const InitiatorPort& port = rig.initiators[i]->port;
        ASSERT_EQ(port.credits().total() + rig.memory.crossbar().queued_request_flits(i), machine.xbar.fifo_flits);
        ASSERT_EQ(rig.memory.input(i).credits().total() + port.queued_cost(), machine.xbar.fifo_flits);
      }
    };
  }
  Result result;
  result.ended = rig.run(2'000'000);
  EXPECT_TRUE(result.ended) << "cycle " << rig.now << "\n" << rig.memory.waiting();
  base::Hash hash;
  for (unsigned i = 0; i < rig.initiators.size(); ++i) {
    std::map<std::uint64_t, Cycle> last;
    for (std::size_t n = 0; n < performed[i].size(); ++n) {
      // A slice serves one request per cycle, so two requests of one line are performed in different cycles.
      Cycle& before = last[program.steps[i][n].line];
      EXPECT_LT(before, performed[i][n] + 1) << "initiator " << i << ", request " << n;
      before = performed[i][n] + 1;
      hash.add(performed[i][n]);
      hash.add(taken[i][n]);
    }
  }
  result.cycles = hash.value();
  result.statistics = rig.statistics.hash();
  EXPECT_EQ(std::memcmp(rig.store.host(Store::kBase), program.memory.data(), program.memory.size()), 0);
  const auto* const counters = reinterpret_cast<const std::uint32_t*>(rig.store.host(kCounterLine));
  for (unsigned w = 0; w < line_bytes / 4; ++w) EXPECT_EQ(counters[w], program.additions[w]) << "counter " << w;
  return result;
}

class RandomTraffic : public ::testing::TestWithParam<int> {};

TEST_P(RandomTraffic, KeepsOrderAndValuesHoweverItIsClocked) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  for (std::uint64_t round = 0; round < 12; ++round) {
    SCOPED_TRACE("--gtest_filter=*RandomTraffic*/" + std::to_string(seed) + ", round " + std::to_string(round));
    base::Xoshiro256 rng(seed * 1000 + round);
    const Machine machine = random_machine(rng);
    const Program program(rng, machine.chip.sms + 3, machine.l2.line, 60);
    const Result reference = run(machine, program, {true, 0}, false);
    if (!reference.ended || HasFailure()) return;
    const Result awake = run(machine, program, {false, 0}, true);
    const Result shuffled = run(machine, program, {true, seed + 1}, false);
    const Result awake_shuffled = run(machine, program, {false, seed + 2}, false);
    EXPECT_EQ(awake.cycles, reference.cycles);
    EXPECT_EQ(shuffled.cycles, reference.cycles);
    EXPECT_EQ(awake_shuffled.cycles, reference.cycles);
    EXPECT_EQ(awake.statistics, reference.statistics);
    EXPECT_EQ(shuffled.statistics, reference.statistics);
    EXPECT_EQ(awake_shuffled.statistics, reference.statistics);
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTraffic, ::testing::Range(0, unless_sanitized(16, 6)));

TEST(FullMachineTraffic, KeepsOrderAndValuesHoweverItIsClocked) {
  base::Xoshiro256 rng(99);
  const Machine machine = memory_machine({"l2.sets=1", "l2.ways=2", "l2.bytes=2560", "map.hash=xor"});
  const Program program(rng, machine.chip.sms + 3, machine.l2.line, 300);
  const Result reference = run(machine, program, {true, 0}, false);
  const Result shuffled = run(machine, program, {false, 5}, false);
  EXPECT_EQ(shuffled.cycles, reference.cycles);
  EXPECT_EQ(shuffled.statistics, reference.statistics);
}

}  // namespace
}  // namespace castor::gpu::gpu_memory_traffic_test
