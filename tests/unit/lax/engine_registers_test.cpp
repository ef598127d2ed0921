// Every register of docs/blocks/lax.md, "Registers": access, reset values, limits, side effects, errors.

#include <gmock/gmock.h>

#include <array>
#include <cstring>
#include <set>

#include "unit/lax/engine_support.h"
#include "unit/lax/parameter_sets.h"

namespace castor::lax::test::engine_registers_test {
namespace {

constexpr unsigned kAddressError = 1;
constexpr unsigned kRefused = 2;

class LaxRegisters : public testing::TestWithParam<ParameterSet> {};
INSTANTIATE_TEST_SUITE_P(Sets, LaxRegisters, testing::ValuesIn(kParameterSets),
                         [](const auto& info) { return info.param.name; });

const Register& row(const char* name) {
  for (const Register& r : kRegisters) {
    if (std::strcmp(r.name, name) == 0) return r;
  }
  throw std::runtime_error(std::string("no register ") + name);
}

/// Addresses of all elements of a row.
std::vector<std::uint32_t> addresses(const Register& r, const Params& p) {
  std::vector<std::uint32_t> result;
  for (unsigned i = 0; i < r.elements(p); ++i) {
    for (unsigned s = 0; s < (r.repeat == Repeat::kSlot ? p.MaxKt : 1); ++s) result.push_back(r.address(i, s));
  }
  return result;
}

TEST_P(LaxRegisters, ExactlyTheAddressesOfTheMapAnswer) {
  Bench bench(GetParam().params);
  std::set<std::uint32_t> mapped;
  for (const Register& r : kRegisters) {
    for (const std::uint32_t address : addresses(r, GetParam().params)) {
      EXPECT_TRUE(mapped.insert(address).second) << r.name;
    }
  }
  for (std::uint32_t address = 0; address < 0x10000; address += 4) {
    const unsigned expected = mapped.count(address) != 0 ? 0 : kAddressError;
    ASSERT_EQ(bench.access(false, address).err, expected) << address;
    if (expected == kAddressError) {
      ASSERT_EQ(bench.write_error(address, 0), kAddressError) << address;
    }
  }
  EXPECT_EQ(bench.errors(), 0U);
}

TEST_P(LaxRegisters, UnalignedAddressesAreErrors) {
  Bench bench(GetParam().params);
  for (const Register& r : kRegisters) {
    for (const std::uint32_t off : {1U, 2U, 3U}) {
      EXPECT_EQ(bench.access(false, r.offset + off).err, kAddressError) << r.name;
      EXPECT_EQ(bench.write_error(r.offset + off, 0), kAddressError) << r.name;
    }
  }
  EXPECT_EQ(bench.errors(), 0U);
}

TEST_P(LaxRegisters, ReadAsTheMapSaysAfterReset) {
  Bench bench(GetParam().params);
  const Params& p = GetParam().params;
  for (const Register& r : kRegisters) {
    if (r.offset == reg::kCap || r.offset == reg::kNowLow) continue;
    for (const std::uint32_t address : addresses(r, p)) EXPECT_EQ(bench.read(address), r.reset) << r.name;
  }
  const std::uint32_t cap = bench.read(reg::kCap);
  unsigned log2_width = 0;
  while ((1U << log2_width) < p.SelWidth) ++log2_width;
  EXPECT_EQ(cap & 0x1ffU, p.NumQueues);
  EXPECT_EQ(cap >> 9U & 0x1fU, p.MaxKt);
  EXPECT_EQ(cap >> 14U & 0x1ffU, p.NumKt);
  EXPECT_EQ(cap >> 23U & 0xfU, p.ParseLanes);
  EXPECT_EQ(cap >> 27U, log2_width);
}

TEST_P(LaxRegisters, WritesToReadOnlyWordsAreRefusedAndReported) {
  Bench bench(GetParam().params);
  for (const Register& r : kRegisters) {
    const bool read_only =
        r.access == Access::kReadOnly || r.access == Access::kReadPops || r.access == Access::kReadLatches;
    if (!read_only) continue;
    for (const std::uint32_t address : addresses(r, GetParam().params)) {
      ASSERT_EQ(bench.write_error(address, ~0U), kRefused) << r.name;
      ASSERT_EQ(bench.errors(), err::kReadOnly) << r.name;
    }
  }
  EXPECT_EQ(bench.read(reg::kIrqStat), irq::kProtocol);
}

TEST_P(LaxRegisters, ReadsHaveNoSideEffectAndShowWhatADebuggerSees) {
  Bench bench(GetParam().params);
  const Params& p = GetParam().params;
  bench.policy(Policy::kLax);
  bench.in.adm_ready = 0;
  const unsigned last = p.NumQueues - 1;
  bench.submit({last, {{0, 3}}});
  bench.run(1'000);
  bench.launch(last, 0);
  bench.step();
  bench.wgc(last, 0);
  bench.kd(last, 0, true);
  bench.step();
  bench.ctrl(0, 1);  // disabled: no state changes by itself
  // One pass, so that the group is the same after an access of two cycles.
  bench.run(4 * p.groups());
  for (const Register& r : kRegisters) {
    if (r.access == Access::kReadPops || r.access == Access::kReadLatches) continue;
    for (const std::uint32_t address : addresses(r, p)) {
      while (bench.engine.state().g != 0) bench.step();
      const State before = bench.engine.state();
      const std::optional<U32> peeked = bench.engine.peek(static_cast<U16>(address));
      const std::uint32_t data = bench.read(address);
      ASSERT_EQ(peeked, data) << r.name;
      while (bench.engine.state().g != 0) bench.step();
      if (p.NumQueues <= 16 || address < reg::kTables) {
        ASSERT_EQ(bench.engine.state(), before) << r.name;
      }
    }
  }
  // Registers that pop: a debugger reads the entry without removing it.
  const std::uint32_t verdict = reg::kValid | 1U << 8U | last;
  EXPECT_EQ(bench.engine.peek(reg::kVerdictPop), verdict);
  EXPECT_EQ(bench.engine.peek(reg::kDonePop), verdict);
  EXPECT_EQ(bench.read(reg::kVerdictPop), verdict);
  EXPECT_EQ(bench.read(reg::kVerdictPop), 0U);
  EXPECT_EQ(bench.read(reg::kDonePop), verdict);
  EXPECT_EQ(bench.read(reg::kDonePop), 0U);
  EXPECT_EQ(bench.engine.peek(0x0074), std::nullopt);
}

TEST_P(LaxRegisters, HoldWhatIsWrittenAtBothEndsOfTheTables) {
  Bench bench(GetParam().params);
  const Params& p = GetParam().params;
  const std::uint32_t last_q = p.NumQueues - 1;
  const std::uint32_t last_k = p.NumKt - 1;
  bench.write(reg::kQPrio + 4 * last_q, 0xdeadbeef);
  bench.write(reg::kTpwIso + 4 * last_k, 0x12345678);
  bench.write(reg::kKpt + 32 * last_k, 0xfedcba98);
  EXPECT_EQ(bench.read(reg::kQPrio + 4 * last_q), 0xdeadbeefU);
  EXPECT_EQ(bench.read(reg::kTpwIso + 4 * last_k), 0x12345678U);
  EXPECT_EQ(bench.read(reg::kKpt + 32 * last_k), 0xfedcba98U);
  EXPECT_EQ(bench.read(reg::kQPrio), 0U);
  if (last_k > 0) {
    EXPECT_EQ(bench.read(reg::kTpwIso), 0U);
    EXPECT_EQ(bench.read(reg::kKpt), 0U);
  }
}

struct Limits {
  const char* name;
  std::vector<std::uint32_t> legal;
  std::vector<std::uint32_t> illegal;
};

TEST(LaxRegisterValues, AreTakenWithinTheirLimitsAndRefusedOutside) {
  Bench bench;
  const std::vector<Limits> all{
      {"UPD_PERIOD", {1'000, 150'000, 0xffffff}, {0, 999, 0x1000000, ~0U}},
      {"PREMA_PERIOD", {1'000, 375'000, 0xffffff}, {0, 999, 0x1000000, ~0U}},
      {"PARSE_LAT", {0, 1, 0xffff}, {0x10000, ~0U}},
      {"MIN_WG", {1, 2, 255}, {0, 256, ~0U}},
      {"CKPT_BW", {1, 64, 0xffff}, {0, 0x10000, ~0U}},
      {"PREMA_P", {1, 3, 9}, {0, 2, 4, 8, 10, 257, 259, ~0U}},
  };
  for (const Limits& limits : all) {
    const std::uint32_t address = row(limits.name).offset;
    for (const std::uint32_t value : limits.legal) {
      bench.write(address, value);
      ASSERT_EQ(bench.read(address), value) << limits.name;
      for (const std::uint32_t wrong : limits.illegal) {
        ASSERT_EQ(bench.write_error(address, wrong), kRefused) << limits.name << ' ' << wrong;
        ASSERT_EQ(bench.read(address), value) << limits.name << ' ' << wrong;
      }
    }
  }
  EXPECT_EQ(bench.errors(), 0U);  // refused values are no protocol errors
}

TEST(LaxRegisterValues, CtrlTakesEachFieldAndNothingElse) {
  const Register& ctrl = row("CTRL");
  for (const Field& field : ctrl.fields) {
    if (field.width == 0 || field.low == 2) continue;
    Bench bench;
    for (std::uint32_t value = 0; value < 1U << field.width; ++value) {
      const bool illegal = (field.low == 4 && value > 9) || (field.low == 10 && value == 3) ||
                           (field.low == 13 && value == 3) || (field.low == 17 && value > 4) ||
                           (field.low == 20 && value == 0);
      const std::uint32_t before = bench.read(reg::kCtrl);
      const std::uint32_t mask = ((1U << field.width) - 1) << field.low;
      // Another field changes in the same write: the write is accepted or refused as a whole.
      const std::uint32_t written = ((before & ~mask) | value << field.low) ^ (field.low == 3 ? 1U : 8U);
      EXPECT_EQ(bench.write_error(reg::kCtrl, written), illegal ? kRefused : 0U) << field.name << ' ' << value;
      EXPECT_EQ(bench.read(reg::kCtrl), illegal ? before : written) << field.name << ' ' << value;
    }
  }
  Bench bench;
  bench.write(reg::kCtrl, reg::kCtrlReset | 0xfe000004U);
  EXPECT_EQ(bench.read(reg::kCtrl), reg::kCtrlReset);  // bits 31:25 and the soft reset read 0
}

TEST(LaxRegisterValues, ConfigurationTakesEffectInTheNextCycle) {
  Bench bench;
  bench.in.reg_req = bench.in.reg_we = 1;
  bench.in.reg_addr = reg::kCtrl;
  bench.in.reg_wdata = reg::kCtrlReset | 1U;
  bench.step();
  EXPECT_EQ(bench.engine.probes().update_timer, 0U);  // the timers did not see it yet
  bench.step();
  EXPECT_EQ(bench.engine.probes().update_timer, 1U);
}

TEST(LaxRegisterValues, ABitThatIsSetWhileItIsClearedStaysSet) {
  Bench bench;
  bench.in.psel_grant = 1;  // a grant without an offer
  bench.step();
  EXPECT_EQ(bench.read(reg::kErrStat), err::kGrant);
  EXPECT_EQ(bench.read(reg::kIrqStat), irq::kProtocol);
  for (const std::uint32_t address : {reg::kErrStat, reg::kIrqStat}) {
    bench.in.reg_req = bench.in.reg_we = 1;
    bench.in.reg_addr = static_cast<U16>(address);
    bench.in.reg_wdata = ~0U;
    bench.in.dsel_grant = 1;
    bench.step();
    EXPECT_EQ(bench.look().reg_ack, 1);
    bench.step();
    EXPECT_NE(bench.read(address), 0U);
  }
  // Written 0 leaves a bit, written 1 clears it.
  bench.write(reg::kErrStat, err::kAll & ~err::kGrant);
  EXPECT_EQ(bench.read(reg::kErrStat), err::kGrant);
  bench.write(reg::kErrStat, err::kGrant);
  EXPECT_EQ(bench.read(reg::kErrStat), 0U);
  bench.write(reg::kIrqStat, irq::kProtocol);
  EXPECT_EQ(bench.read(reg::kIrqStat), 0U);
}

TEST(LaxRegisterValues, InterruptsRaiseTheOutputOnlyWhenEnabled) {
  Bench bench;
  bench.in.psel_grant = 1;
  bench.step();
  EXPECT_EQ(bench.look().irq, 0);
  bench.write(reg::kIrqEn, irq::kAll & ~irq::kProtocol);
  EXPECT_EQ(bench.look().irq, 0);
  bench.write(reg::kIrqEn, ~0U);
  EXPECT_EQ(bench.read(reg::kIrqEn), irq::kAll);
  EXPECT_EQ(bench.look().irq, 1);
  bench.write(reg::kIrqStat, irq::kProtocol);
  EXPECT_EQ(bench.look().irq, 0);
}

TEST(LaxRegisterValues, TheLowWordOfTimeLatchesTheHighOne) {
  Bench bench;
  bench.time = 0x1234'ffff'fff0;
  const auto request = [&] {
    bench.in.reg_req = 1;
    bench.in.reg_addr = reg::kNowLow;
    bench.step();
    const std::uint32_t data = bench.look().reg_rdata;
    bench.step();
    return data;
  };
  EXPECT_EQ(request(), 0xffff'fff0U);
  bench.run(100);  // the low word wraps meanwhile
  EXPECT_EQ(bench.read(reg::kNowHigh), 0x1234U);
  const std::uint64_t then = wrap48(static_cast<std::uint64_t>(bench.now) + bench.time);
  EXPECT_EQ(request(), static_cast<std::uint32_t>(then));
  EXPECT_EQ(bench.read(reg::kNowHigh), 0x1235U);
  EXPECT_EQ(bench.write_error(reg::kNowLow, 0), kRefused);
  bench.time += std::uint64_t{1} << 32U;
  EXPECT_EQ(bench.write_error(reg::kNowLow, 0), kRefused);  // a refused write latches nothing
  EXPECT_EQ(bench.read(reg::kNowHigh), 0x1235U);
}

TEST(LaxRegisterPorts, TheVerdictPortGoesBeforeThePop) {
  Bench bench;
  bench.policy(Policy::kLax);
  bench.in.adm_ready = 0;
  bench.submit({1, {{0, 1}}});
  bench.submit({2, {{0, 1}}, 0});  // deadline 0 is refused
  bench.run(100);
  EXPECT_EQ(bench.look().adm_qid, 2);  // refused at once, before the first job's verdict
  bench.in.adm_ready = 1;
  bench.in.reg_req = 1;
  bench.in.reg_addr = reg::kVerdictPop;
  bench.step();
  bench.in.adm_ready = 0;
  EXPECT_EQ(bench.look().reg_ack, 1);
  EXPECT_EQ(bench.look().reg_err, 0);
  EXPECT_EQ(bench.look().reg_rdata, 0U);
  bench.step();
  EXPECT_EQ(bench.engine.probes().verdict_count, 1);
  EXPECT_EQ(bench.write_error(reg::kVerdictPop, 0), kRefused);
  EXPECT_EQ(bench.engine.probes().verdict_count, 1);
  EXPECT_EQ(bench.read(reg::kVerdictPop), reg::kValid | 1U << 8U | 1U);
  EXPECT_EQ(bench.look().adm_valid, 0);
  bench.submit({2, {{0, 1}}, 0});
  bench.run(10);
  constexpr std::uint32_t kBadDeadline = 6;
  EXPECT_EQ(bench.read(reg::kVerdictPop), reg::kValid | kBadDeadline << 9U | 2U);
}

TEST(LaxRegisterPorts, TablesWaitUntilTheMainMachineIsIdleAndGoFirst) {
  Bench bench(params(4, 2, 8, 4));
  bench.write(reg::kUpdPeriod, 1'000);
  bench.policy(Policy::kLax);
  while (bench.look().upd_busy == 0) bench.step();
  // An update of 8 kernel types and 4 queues, all skipped: 12 cycles, of which this is the first.
  const std::int64_t first = bench.now;
  const Bench::Access status = bench.access(false, reg::kStatus);
  EXPECT_EQ(status.ack, first + 1);
  EXPECT_EQ(status.data, 1U);
  const Bench::Access table = bench.access(false, reg::kQState);
  EXPECT_EQ(table.ack, first + 12 + 1);
  // At the next tick a table access holds the update back by one cycle.
  while (bench.engine.state().upd_pend == 0) bench.step();
  const std::int64_t tick = bench.now;
  bench.in.reg_req = bench.in.reg_we = 1;
  bench.in.reg_addr = reg::kQPrio;
  bench.step();
  EXPECT_EQ(bench.look().reg_ack, 1);
  EXPECT_EQ(bench.look().upd_busy, 0);
  bench.step();
  EXPECT_EQ(bench.now, tick + 2);
  EXPECT_EQ(bench.look().upd_busy, 1);
}

TEST(LaxRegisterPorts, AnAcknowledgedRequestIsNotServedTwice) {
  Bench bench;
  bench.in.adm_ready = 0;
  bench.policy(Policy::kLax);
  bench.submit({1, {{0, 1}}, 0});
  bench.submit({2, {{0, 1}}, 0});
  bench.run(10);
  for (const unsigned q : {1U, 2U}) {
    bench.in.reg_req = 1;
    bench.in.reg_addr = reg::kVerdictPop;
    bench.step();
    EXPECT_EQ(bench.look().reg_rdata & 0xffU, q);
    bench.in.reg_req = 1;  // the interrupt is still set in the cycle of the acknowledge
    bench.step();
    EXPECT_EQ(bench.look().reg_ack, 0);
    EXPECT_EQ(bench.look().reg_rdata, 0U);
  }
  EXPECT_EQ(bench.engine.probes().verdict_count, 0);
}

TEST(LaxRegisterTables, ExternalPriorityIsTheKeyAtOnceUnderItsPolicyOnly) {
  Bench bench;
  bench.policy(Policy::kExt);
  bench.write(reg::kQPrio + 4, 7);
  bench.judge({0, {{0, 1}}});
  bench.judge({1, {{0, 1}}});
  EXPECT_EQ(bench.job(0, 0x18), 0U);
  EXPECT_EQ(bench.job(1, 0x18), 7U);  // written before the job came
  bench.write(reg::kQPrio, 0xffff'ffff);
  EXPECT_EQ(bench.job(0, 0x18), 0xffff'ffffU);
  EXPECT_EQ(bench.class_of(0), 0U);
  bench.write(reg::kQPrio + 8, 3);
  EXPECT_EQ(bench.job(2, 0x18), 0U);  // free
  bench.policy(Policy::kFcfs);
  bench.write(reg::kQPrio, 5);
  EXPECT_EQ(bench.read(reg::kQPrio), 5U);
  EXPECT_EQ(bench.job(0, 0x18), 0xffff'ffffU);  // stored, no effect until keys are computed
}

TEST(LaxRegisterTables, TheHostFreesDoneAndRejectedJobsOnly) {
  Bench bench;
  bench.policy(Policy::kLax);
  const auto ack = [&](unsigned q) { return bench.write_error(reg::kQState + 4 * q, reg::kHostAck); };
  EXPECT_EQ(ack(0), kRefused);  // free
  bench.judge({0, {{0, 1}}});
  EXPECT_EQ(ack(0), kRefused);  // ready
  bench.launch(0, 0);
  bench.step();
  EXPECT_EQ(bench.state_of(0), JobState::kRunning);
  EXPECT_EQ(ack(0), kRefused);
  bench.kd(0, 0, true);
  bench.step();
  EXPECT_EQ(bench.state_of(0), JobState::kDone);
  EXPECT_EQ(bench.write_error(reg::kQState, ~reg::kHostAck), kRefused);
  EXPECT_EQ(ack(0), 0U);
  EXPECT_EQ(bench.state_of(0), JobState::kFree);
  EXPECT_FALSE(bench.judge({1, {{0, 1}}, 10, 0}).accept);
  EXPECT_EQ(bench.state_of(1), JobState::kRejected);
  EXPECT_EQ(ack(1), 0U);
  EXPECT_EQ(bench.state_of(1), JobState::kFree);
  EXPECT_EQ(bench.errors(), 0U);
}

TEST(LaxRegisterTables, AFreedQueueTakesASubmissionOfTheSameCycle) {
  Bench bench;
  bench.policy(Policy::kLax);
  EXPECT_FALSE(bench.judge({1, {{0, 1}}, 10, 0}).accept);
  bench.submit({1, {{0, 1}}});
  // The submit machine commits in this cycle.
  bench.in.reg_req = bench.in.reg_we = 1;
  bench.in.reg_addr = reg::kQState + 4;
  bench.in.reg_wdata = reg::kHostAck;
  bench.step();
  bench.step();
  EXPECT_TRUE(bench.verdict(1).accept);
}

TEST(LaxRegisterTables, JobReadsFollowItsLife) {
  Bench bench;
  bench.policy(Policy::kLax);
  bench.preload(3, 200 << 8);
  bench.write(reg::kUpdPeriod, 1'000);
  bench.time = 0x0123'4567'0000;
  EXPECT_EQ(bench.job(2, 0), 0U);  // free
  const std::uint64_t start = 0x0123'4566'ff00;
  bench.submit({2, {{3, 20}, {5, 1}}, 60'000, start});
  while (bench.engine.state().job_state(2) != JobState::kInit) bench.step();
  EXPECT_EQ(bench.engine.peek(reg::kJob + 256 + 0x00), 60'000U);
  EXPECT_EQ(bench.engine.peek(reg::kJob + 256 + 0x0c), 0U);
  EXPECT_EQ(bench.engine.peek(reg::kJob + 256 + 0x14), 0U);
  EXPECT_EQ(bench.engine.peek(reg::kJob + 256 + 0x18), 0U);
  EXPECT_EQ(bench.engine.peek(reg::kJob + 256 + 0x40), 3U << 24U | 20U);
  bench.run(40);
  bench.update();
  EXPECT_EQ(bench.state_of(2), JobState::kReady);
  EXPECT_EQ(bench.job(2, 0x00), 60'000U);
  EXPECT_EQ(bench.job(2, 0x04), static_cast<std::uint32_t>(start));
  EXPECT_EQ(bench.job(2, 0x08), 0x0123U);
  EXPECT_EQ(bench.job(2, 0x0c), 4'000U);
  const std::uint32_t dur = bench.job(2, 0x10);
  EXPECT_GT(dur, 0x100U);
  EXPECT_EQ(bench.job(2, 0x14), 60'000U - 4'000U - dur);
  EXPECT_EQ(bench.job(2, 0x18), 60'000U - 4'000U - dur);
  EXPECT_EQ(bench.job(2, 0x1c), 2U << 16U);
  EXPECT_EQ(bench.slot(2, 0), 3U << 24U | 20U);
  EXPECT_EQ(bench.slot(2, 1), 5U << 24U | 1U);
  bench.judge({0, {{3, 1}}});
  EXPECT_EQ(bench.job(0, 0x1c), 1U | 1U << 16U);  // second arrival, one slot
  EXPECT_EQ(bench.slot(0, 1), 0U);
  bench.launch(2, 3);
  bench.step();
  bench.kd(2, 3, true);
  bench.step();
  EXPECT_EQ(bench.job(2, 0x0c), 4'000U);  // done: the record stays, the key goes
  EXPECT_EQ(bench.job(2, 0x18), 0U);
  bench.write(reg::kQState + 8, reg::kHostAck);
  for (const std::uint32_t word : {0x0U, 0x4U, 0x8U, 0xcU, 0x10U, 0x14U, 0x18U, 0x1cU, 0x40U, 0x44U}) {
    EXPECT_EQ(bench.job(2, word), 0U) << word;
  }
}

TEST(LaxRegisterTables, ProfilesAreWrittenAndCleared) {
  Bench bench;
  bench.policy(Policy::kLax);
  bench.write(reg::kUpdPeriod, 1'000);
  bench.preload(4, 0);
  EXPECT_EQ(bench.kpt(4, 0), 1U);  // 0 is stored as 1
  EXPECT_EQ(bench.kpt(4, 0x18), 1U << 30U);
  bench.judge({0, {{4, 3}}});
  bench.launch(0, 4);
  bench.step();
  bench.wgc(0, 4);
  bench.step();
  EXPECT_EQ(bench.kpt(4, 0x04), 1U);
  EXPECT_EQ(bench.kpt(4, 0x08), 0U);  // no refresh yet
  EXPECT_EQ(bench.kpt(4, 0x18), 1U | 1U << 30U | 1U << 31U);
  EXPECT_EQ(bench.write_error(reg::kKpt + 128 + 0x18, reg::kKptClear), kRefused);
  EXPECT_EQ(bench.errors(), err::kOrder);
  EXPECT_EQ(bench.kpt(4, 0x18), 1U | 1U << 30U | 1U << 31U);
  bench.update();
  EXPECT_EQ(bench.kpt(4, 0x04), 0U);
  EXPECT_EQ(bench.kpt(4, 0x08), 1U);
  bench.kd(0, 4, true);
  bench.step();
  EXPECT_EQ(bench.write_error(reg::kKpt + 128 + 0x18, ~reg::kKptClear), kRefused);
  EXPECT_EQ(bench.errors(), 0U);
  bench.write(reg::kKpt + 128 + 0x18, reg::kKptClear);
  for (std::uint32_t word = 0; word <= 0x18; word += 4) EXPECT_EQ(bench.kpt(4, word), 0U) << word;
}

TEST(LaxRegisterTables, EndOfAKernelTypeThatWasClearedIsAnError) {
  // A kernel of type 1 starts, but the end is reported of a kernel of type 2. Type 2 is cleared in between.
  Bench bench;
  bench.policy(Policy::kLax);
  bench.judge({0, {{1, 1}, {2, 1}}});
  bench.kernel(0, 2, 1, 10, false);
  bench.write(reg::kKpt + 64 + 0x18, reg::kKptClear);
  bench.launch(0, 1);
  bench.step();
  bench.kd(0, 2, true);
  bench.step();
  EXPECT_EQ(bench.errors(), err::kInFlight);
  EXPECT_EQ(bench.state_of(0), JobState::kRunning);
}

TEST(LaxRegisterStatus, CountsQueuesAndNamesTheActivity) {
  Bench bench(params(256, 1, 1, 256));
  bench.write(reg::kUpdPeriod, 1'000);
  bench.write(reg::kPremaPeriod, 1'000);
  for (unsigned q = 0; q < 256; ++q) {
    if (q == 0) bench.policy(Policy::kRr);
    bench.judge({q, {{0, 1}}});
    bench.launch(q, 0);
    bench.step();
  }
  EXPECT_EQ(bench.read(reg::kStatus) >> 8U & 0xffU, 255U);
  EXPECT_EQ(bench.read(reg::kStatus) >> 16U, 255U);
  for (unsigned q = 0; q < 3; ++q) {
    bench.kd(q, 0, true);
    bench.step();
    bench.write(reg::kQState + 4 * q, reg::kHostAck);
  }
  EXPECT_EQ(bench.read(reg::kStatus) >> 8U, 253U << 8U | 253U);
  bench.policy(Policy::kPrema);
  std::set<std::uint32_t> seen;
  bench.submit({0, {{0, 1}}});
  for (int i = 0; i < 4'000; ++i) {
    const Engine& engine = bench.engine;
    const MainState f = engine.state().f;
    const bool update = bench.look().upd_busy != 0;
    const std::uint32_t expected = f == MainState::kIdle ? 0U : (f >= MainState::kR1 ? 4U : (update ? 1U : 2U));
    ASSERT_EQ(*engine.peek(reg::kStatus) & 7U, expected);
    seen.insert(expected);
    bench.step();
  }
  EXPECT_THAT(seen, testing::ElementsAre(0, 1, 2, 4));
}

}  // namespace
}  // namespace castor::lax::test::engine_registers_test
