// Back pressure: throttling, images, access and handshake ports that wait, the job queue.

#include "unit/tb_swap/engine_support.h"

namespace castor::tb_swap::test::engine_flow_test {
namespace {

Inputs kernel() {
  Inputs k = small_kernel();
  k.cfg_regs = 200;
  k.cfg_smem = 0;
  k.cfg_threshold = 20;
  return k;
}

// An engine that offers an access in each cycle.
void begin_stores(SwapBench& b, const Inputs& k) {
  b.start(k);
  b.jobs.push_back(job_out(0, 1));
  b.to_access();
  b.steps(5);
}

bool offers(SwapBench& b) { return b.engine.settle(b.in).access_valid != 0; }

TEST(TbSwapFlow, AccessesPauseAtTheThresholdAndResumeFourBelow) {
  SwapBench b;
  begin_stores(b, kernel());
  b.outstanding = 19;
  b.steps(5);
  EXPECT_TRUE(offers(b));
  b.outstanding = 20;
  b.step();
  EXPECT_EQ(b.engine.probes().stopped, 1);
  EXPECT_TRUE(offers(b));  // it was written in the cycle in which the threshold was reached
  b.step();
  EXPECT_FALSE(offers(b));
  b.outstanding = 17;
  b.steps(5);
  EXPECT_EQ(b.engine.probes().stopped, 1);
  EXPECT_FALSE(offers(b));
  EXPECT_EQ(b.engine.counters().throttled, 6U);
  b.outstanding = 16;
  b.step();
  EXPECT_EQ(b.engine.probes().stopped, 0);
  EXPECT_FALSE(offers(b));
  b.step();
  EXPECT_TRUE(offers(b));
  b.outstanding = 19;  // between the two: accesses continue
  b.steps(5);
  EXPECT_TRUE(offers(b));
  EXPECT_EQ(b.engine.counters().throttled, 7U);
  b.drain();
  EXPECT_EQ(b.accesses.size(), 201U);
}

TEST(TbSwapFlow, TheSmallestAndTheLargestThreshold) {
  for (const U16 threshold : {U16{8}, U16{1023}}) {
    Inputs k = kernel();
    k.cfg_threshold = threshold;
    SwapBench b;
    begin_stores(b, k);
    b.outstanding = threshold;
    b.steps(2);
    EXPECT_FALSE(offers(b));
    b.outstanding = static_cast<U16>(threshold - 4);
    b.steps(2);
    EXPECT_TRUE(offers(b));
  }
}

TEST(TbSwapFlow, AnAccessThatIsOfferedStaysAtTheThreshold) {
  SwapBench b;
  begin_stores(b, kernel());
  b.access_ready = false;
  b.outstanding = 1000;
  b.steps(2);
  const Outputs before = b.engine.settle(b.in);
  b.steps(50);
  ASSERT_TRUE(offers(b));
  EXPECT_EQ(text(b.engine.settle(b.in)), text(before));
  EXPECT_EQ(b.engine.counters().throttled, 0U);  // the register was not empty
  b.access_ready = true;
  b.step();
  EXPECT_FALSE(offers(b));
}

TEST(TbSwapFlow, CopiesAreNotThrottled) {
  Inputs k = kernel();
  k.cfg_shomes = 1;
  k.cfg_copies = 1;
  k.cfg_direction = 1;
  SwapBench b;
  b.outstanding = 1000;
  b.start(k);
  b.run(job_out(0, 1));
  b.run(job_in(0, b.last_entry()));
  EXPECT_EQ(b.accesses.size(), 402U);
  EXPECT_EQ(b.engine.counters().throttled, 0U);
}

TEST(TbSwapFlow, ReadOnlyLinesAreThrottledAmongCopies) {
  Inputs k = small_kernel();
  k.cfg_smem = 4;
  k.cfg_read_only = 1;
  k.cfg_rhomes = 2;
  k.cfg_copies = 1;
  k.cfg_direction = 2;
  SwapBench b;
  b.start(k);
  b.segment(0, 0, 1, 2, 0x900);
  b.run(job_out(0, 1));
  EXPECT_EQ(b.accesses.size(), 4U);
  b.accesses.clear();
  b.outstanding = 64;
  b.jobs.push_back(job_in(0, b.last_entry()));
  while (b.accesses.empty()) b.step();
  b.segment(0, 0, 1, 2, 0x900);
  b.steps(50);
  EXPECT_EQ(b.accesses.size(), 3U);
  b.outstanding = 60;
  b.drain();
  ASSERT_EQ(b.accesses.size(), 5U);
  EXPECT_EQ(text(b.accesses[3].out), "ro2 h0 < 900");
  EXPECT_EQ(text(b.accesses[4].out), "s3 h0 < p0+3");
}

TEST(TbSwapFlow, ThrottlingEndsWithTheLastJob) {
  SwapBench b;
  b.outstanding = 1000;
  b.start(in_place_kernel(1, 1, 1));
  b.run(job_out(0, 1));
  EXPECT_EQ(b.engine.probes().stopped, 0);
  b.steps(10);
  EXPECT_EQ(b.engine.probes().stopped, 0);
}

TEST(TbSwapFlow, AnImageAtOnceAndAfterTenThousandCycles) {
  for (const U64 delay : {0U, 1U, 10'000U}) {
    SwapBench b;
    b.page_delay = delay;
    b.start(small_kernel());
    b.run(job_out(0, 1));
    EXPECT_EQ(b.requests.size(), 1U);
    EXPECT_EQ(b.accesses[0].cycle - b.accepted_jobs[0], 5U + delay);
  }
}

TEST(TbSwapFlow, AnImageWithoutARequestIsIgnored) {
  SwapBench b;
  b.start(in_place_kernel(1, 1, 1));
  Engine other = b.engine;
  Inputs in;
  in.page_valid = 1;
  in.page_address = 0x123;
  other.clock(in);
  EXPECT_TRUE(equal(b.engine, other));
}

TEST(TbSwapFlow, TheContextGetsItsNextTbAfterTheLastStoreIsAccepted) {
  SwapBench b;
  b.start(small_kernel());
  b.jobs.push_back(job_out(0, 1));
  while (b.accesses.size() < 4) b.step();  // all but the last store
  b.access_ready = false;
  b.steps(100);
  EXPECT_EQ(b.parked.size(), 1U);
  EXPECT_TRUE(b.entered.empty());
  EXPECT_EQ(b.engine.probes().out_state, OutState::kHand);
  EXPECT_EQ(text(b.engine.settle(b.in)), "s0 h0 > 104");
  b.access_ready = true;
  const U64 accepted = b.cycle;
  b.drain();
  EXPECT_EQ(b.entered[0].cycle, accepted + 3U);
}

TEST(TbSwapFlow, TheOutPartGoesFirst) {
  Inputs k = small_kernel();
  k.cfg_slots = k.cfg_rhomes = k.cfg_shomes = 2;
  k.cfg_regs = 100;
  SwapBench b;
  b.start(k);
  b.run(job_out(0, 1));
  b.accesses.clear();
  b.jobs.push_back(job_in(0, b.last_entry()));
  b.steps(10);
  b.page = 0x1000;
  b.jobs.push_back(job_out(1, 2));
  b.drain();
  // The loads pause while the stores of the other TB go, but for the cycles in which the machine prepares.
  unsigned turns = 0;
  for (std::size_t i = 1; i < b.accesses.size(); ++i) {
    turns += b.accesses[i].out.access_store != b.accesses[i - 1].out.access_store ? 1U : 0U;
  }
  EXPECT_EQ(b.accesses.size(), 204U);
  EXPECT_EQ(turns, 4U);  // stores begin, one load after the SIMT line, one after the registers
}

TEST(TbSwapFlow, OneAccessPerCycleWhileOneTbGoesAndAnotherComes) {
  SwapBench b;
  Inputs k = small_kernel();
  k.cfg_slots = k.cfg_rhomes = k.cfg_shomes = 4;
  k.cfg_regs = 64;
  b.start(k);
  b.run(job_out(0, 1));
  b.page = 0x1000;
  for (U8 slot = 1; slot < 4; ++slot) b.jobs.push_back(job_exchange(slot, 10, b.last_entry()));
  b.drain();
  std::vector<U64> cycles;
  for (const Seen& seen : b.accesses) cycles.push_back(seen.cycle);
  for (std::size_t i = 1; i < cycles.size(); ++i) EXPECT_LT(cycles[i - 1], cycles[i]);
  EXPECT_EQ(b.accesses.size(), 7U * 66U);
  EXPECT_EQ(b.entered.size(), 4U);
  EXPECT_EQ(b.parked.size(), 4U);
}

TEST(TbSwapFlow, TheJobQueueHoldsOneJobPerContext) {
  for (const unsigned contexts : {1U, 2U, 5U, 64U}) {
    Params params;
    params.MaxTb = contexts;
    SwapBench b(params);
    b.parked_ready = false;
    Inputs k = small_kernel();
    k.cfg_slots = k.cfg_rhomes = k.cfg_shomes = static_cast<U8>(contexts);
    b.start(k);
    const unsigned given = contexts + 5;
    for (unsigned i = 0; i < given; ++i) b.jobs.push_back(job_out(static_cast<U8>(i % contexts), i));
    b.steps(200);
    // One job is in the machine, which waits for parked_ready.
    EXPECT_EQ(b.accepted_jobs.size(), contexts + 1U);
    EXPECT_EQ(b.engine.probes().jobs, contexts);
    EXPECT_EQ(b.engine.settle(b.in).job_ready, 0);
    b.parked_ready = true;
    b.drain();
    ASSERT_EQ(b.parked.size(), given);
    for (unsigned i = 0; i < given; ++i) {
      EXPECT_EQ(b.parked[i].out.parked_entry.word(2) >> 8U, i);  // in order
      EXPECT_EQ(b.entered[i].out.enter_gid, i + 100);
    }
  }
}

TEST(TbSwapFlow, AFullQueueTakesNoJobInTheCycleInWhichItIsRead) {
  Params params;
  params.MaxTb = 1;
  SwapBench b(params);
  b.start(small_kernel());
  b.jobs.push_back(job_out(0, 1));
  b.jobs.push_back(job_out(0, 2));
  b.step();
  EXPECT_EQ(b.engine.settle(b.in).job_ready, 0);
  b.step();
  EXPECT_EQ(b.engine.settle(b.in).job_ready, 1);
  b.step();
  EXPECT_EQ(b.accepted_jobs.size(), 2U);
  EXPECT_EQ(b.accepted_jobs[1] - b.accepted_jobs[0], 2U);
}

TEST(TbSwapFlow, OffersStayUntilTheyAreAccepted) {
  SwapBench b;
  b.parked_ready = b.enter_ready = false;
  b.start(small_kernel());
  b.jobs.push_back(job_out(0, 1));
  while (b.engine.settle(b.in).parked_valid == 0) b.step();
  const Outputs parked = b.engine.settle(b.in);
  b.steps(20);
  EXPECT_EQ(b.engine.settle(b.in).parked_valid, 1);
  EXPECT_EQ(b.engine.settle(b.in).parked_entry, parked.parked_entry);
  EXPECT_EQ(b.engine.settle(b.in).enter_valid, 0);
  b.parked_ready = true;
  b.steps(20);
  EXPECT_EQ(b.parked.size(), 1U);
  EXPECT_EQ(b.engine.settle(b.in).enter_valid, 1);
  EXPECT_EQ(b.engine.settle(b.in).enter_gid, 101U);
  b.enter_ready = true;
  b.drain();
  EXPECT_EQ(b.entered.size(), 1U);
}

TEST(TbSwapFlow, TheNextJobLeavesWhileTheContextOfTheLastOneFills) {
  Inputs k = small_kernel();
  k.cfg_slots = k.cfg_rhomes = k.cfg_shomes = 3;
  SwapBench b;
  b.load_latency = 500;
  b.start(k);
  b.run(job_out(0, 1));
  b.page = 0x200;
  b.jobs.push_back(job_in(0, b.last_entry()));
  b.jobs.push_back(job_out(1, 2));
  b.jobs.push_back(job_out(2, 3));
  b.steps(100);
  EXPECT_EQ(b.parked.size(), 3U);  // the third waits to hand its job over
  EXPECT_EQ(b.engine.probes().hand_valid, 1);
  EXPECT_EQ(b.engine.probes().hand_slot, 1);
  EXPECT_EQ(b.engine.probes().out_state, OutState::kHand);
  EXPECT_EQ(b.entered.size(), 1U);
  b.drain();
  ASSERT_EQ(b.entered.size(), 4U);
  EXPECT_EQ(b.entered[3].out.enter_slot, 2);
}

}  // namespace
}  // namespace castor::tb_swap::test::engine_flow_test
