// Every thread sees its own program order, on every machine and with queues of every size (docs/gpu/closed-forms.md,
// "Closed forms", T29): random programs on private bytes in shared lines against a reference that runs thread by
// thread.
//
// CASTOR_TIMING_SEED=<n> replays the programs of one seed, CASTOR_TIMING_PROGRAMS=<n> sets how many run per case.

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "platform/timing/predictions.h"
#include "platform/timing/random_program.h"
#include "platform/timing/rig.h"
#include "platform/timing/small_queues.h"

namespace castor::gpu::timing_test::order_test {
namespace {

std::uint64_t number(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 0);
}

/// Runs programs one after the other on one device, on the same bytes.
void run_programs(const std::string& machine, const std::vector<std::string>& overrides, std::uint64_t programs,
                  const RandomProgram::Size& size) {
  Rig rig(machine, overrides);
  rig.recorder.keep_issues = false;
  const std::uint64_t seed = number("CASTOR_TIMING_SEED", hash_bytes(machine.data(), machine.size()) % 100'000);
  std::uint64_t data = 0, out = 0;
  for (std::uint64_t i = 0; i < number("CASTOR_TIMING_PROGRAMS", programs); ++i) {
    SCOPED_TRACE("replay with CASTOR_TIMING_SEED=" + std::to_string(seed) + ", program " + std::to_string(i));
    const RandomProgram program(seed + 1000 * i, size);
    std::vector<std::uint8_t> expected(program.global_bytes());
    base::Xoshiro256 random(seed + i);
    for (auto& byte : expected) byte = static_cast<std::uint8_t>(random());
    if (data == 0) {
      data = rig.buffer(program.global_bytes());
      out = rig.buffer(std::size_t{4} * program.total());
    }
    std::memcpy(rig.device->store().host(data), expected.data(), expected.size());
    const ProgramHandle kernel = rig.load(program.body(), 2, program.declarations());
    rig.run(kernel, {size.blocks}, {size.threads}, {data, out});
    const auto results = program.reference(expected);
    unsigned wrong = 0;
    for (unsigned t = 0; t < program.total() && wrong < 4; ++t) {
      const auto result = rig.get<std::uint32_t>(out + 4ULL * t);
      if (result == results[t]) continue;
      ++wrong;
      ADD_FAILURE() << "thread " << t << ": " << result << ", expected " << results[t];
    }
    for (std::size_t at = 0; at < expected.size() && wrong < 8; ++at) {
      const auto byte = rig.get<std::uint8_t>(data + at);
      if (byte == expected[at]) continue;
      ++wrong;
      ADD_FAILURE() << "byte " << at << ": " << unsigned{byte} << ", expected " << unsigned{expected[at]};
    }
    if (wrong != 0) return;
  }
}

class Order : public ::testing::TestWithParam<std::string> {};

TEST_P(Order, T29ThreadsSeeTheirProgramOrder) { run_programs(GetParam(), {}, 6, {}); }

TEST_P(Order, T29WithManyThreadsPerLine) { run_programs(GetParam(), {}, 2, {8, 256, 30, 2, false}); }

TEST_P(Order, T29WithAllQueuesAtTheirSmallest) {
  run_programs(GetParam(), smallest_queues(GetParam()), 3, {4, 64, 30, 2, false});
}

TEST_P(Order, T29WithQueuesOfRandomSize) {
  const std::uint64_t seed = number("CASTOR_TIMING_SEED", 7);
  for (std::uint64_t i = 0; i < 4; ++i) {
    const auto overrides = random_queues(GetParam(), seed + i);
    std::string text;
    for (const auto& one : overrides) text += one + " ";
    SCOPED_TRACE(text);
    // Each device needs a process of its own; failures are returned as text.
    EXPECT_NO_THROW(in_child([&] {
      run_programs(GetParam(), overrides, 2, {4, 64, 30, 2, false});
      if (testing::Test::HasFailure()) throw std::runtime_error("a thread saw another order, see above");
      return std::vector<std::uint64_t>{};
    }));
  }
}

TEST_P(Order, T29LoadKeepsItsValueBeforeAStoreBehindIt) {
  Rig rig(GetParam());
  const std::uint64_t data = rig.buffer(128), out = rig.buffer(16);
  for (const char* load : {"ld.global", "ld.global.ca", "ld.global.cg", "ld.global.cv", "ld.volatile.global",
                           "ld.relaxed.gpu.global", "ld.acquire.gpu.global"}) {
    for (const char* store : {"st.global", "st.global.cg", "st.global.wt", "st.volatile.global",
                              "st.relaxed.gpu.global", "st.release.gpu.global", "red.global.add", "atom.global.exch"}) {
      SCOPED_TRACE(std::string(load) + " " + store);
      // Runs once with the line in no cache, then with the caches as the first run left them.
      std::string change = std::string(store) + ".u32 [%rd0], %r0;\n";
      if (std::string(store) == "atom.global.exch") change = "atom.global.exch.b32 %r9, [%rd0], %r0;\n";
      const ProgramHandle kernel = rig.load("mov.u32 %r0, 1000;\n" + std::string(load) + ".u32 %r1, [%rd0];\n" +
                                                change + load + ".u32 %r2, [%rd0];\n" + change + load +
                                                ".u32 %r3, [%rd0];\nst.global.u32 [%rd1], %r1; st.global.u32 [%rd1+4], "
                                                "%r2; st.global.u32 [%rd1+8], %r3; ret;",
                                            2);
      rig.set<std::uint32_t>(data, 7);
      rig.run(kernel, {}, {1}, {data, out});
      const bool adds = std::string(store) == "red.global.add";
      EXPECT_EQ(rig.get<std::uint32_t>(out), 7U);
      EXPECT_EQ(rig.get<std::uint32_t>(out + 4), adds ? 1007U : 1000U);
      EXPECT_EQ(rig.get<std::uint32_t>(out + 8), adds ? 2007U : 1000U);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, Order, ::testing::ValuesIn(kMachines), [](const auto& info) { return info.param; });

/// One key at its smallest value, on one machine.
class OrderOfOneKey : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(OrderOfOneKey, T29WithOneKeyAtItsSmallest) {
  const auto& [machine, key] = GetParam();
  const auto overrides = smallest_key(machine, key);
  if (overrides.empty()) GTEST_SKIP() << machine << " has no " << key;
  run_programs(machine, overrides, 2, {4, 64, 30, 2, false});
}

INSTANTIATE_TEST_SUITE_P(Machines, OrderOfOneKey,
                         ::testing::Combine(::testing::ValuesIn(kMachines), ::testing::ValuesIn(kQueueKeys)),
                         [](const auto& info) {
                           std::string name = std::get<0>(info.param) + "_" + std::get<1>(info.param);
                           for (char& c : name) c = c == '.' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace castor::gpu::timing_test::order_test
