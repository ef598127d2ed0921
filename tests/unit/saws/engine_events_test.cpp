// Tests of the path from warp events to messages, of the effects of messages, and of every error.

#include "unit/saws/engine_support.h"

namespace castor::saws::test::engine_events_test {
namespace {

/// Returns a bench with two schedulers in SAWS mode: C0 = warps 0 to 3, C1 = 4 to 7, C2 = 8 to 11, placed in this
/// order.
Bench placed(const Params& p = small(), unsigned mode_sel = kAlways, bool toggle = true) {
  Bench b(p);
  b.start(mode_sel, toggle).step();
  for (unsigned cta = 0; cta < 3; ++cta) b.place(cta, std::uint64_t{0xf} << 4 * cta).step();
  return b;
}
unsigned waiting(const Bench& b, unsigned scheduler) { return b.engine.probes().waiting[scheduler]; }
const Message& message(const Bench& b, unsigned scheduler, unsigned nth = 0) {
  return b.engine.state().queues[scheduler].messages[nth];
}

TEST(SawsEvents, FirstHitPromotesElsewhereAndLeavesItsOwnScheduler) {
  Bench b = placed();
  b.block(8).step();
  EXPECT_EQ(waiting(b, 0), 1U);
  EXPECT_EQ(message(b, 0), (Message{2, true, false, false}));
  b.step();
  EXPECT_EQ(b.order(0), "0 1 2 (1)");
  EXPECT_EQ(b.order(1), "0 2 1 (2)");
}

TEST(SawsEvents, HeadAndPromotedThreadBlocksStay) {
  Bench b = placed(small(), kAlways, false);
  b.block(0).steps(2);  // C0 is the head of scheduler 1
  EXPECT_EQ(b.order(1), "0 1 2 (1)");
  b.block(8).steps(2);
  EXPECT_EQ(b.order(1), "0 2 1 (2)");
  b.unblock({8}).step();
  b.block(8).steps(2);  // C2 is promoted already
  EXPECT_EQ(b.order(1), "0 2 1 (2)");
  b.block(4).steps(2);  // C1 is already at the position, and counts as promoted now
  EXPECT_EQ(b.order(1), "0 2 1 (3)");
}

TEST(SawsEvents, AllBlockedMovesToTheTailAndLowersTheRegisterOnlyAboveIt) {
  Bench b = placed();
  b.block(8).steps(2);
  b.block(10).steps(2);  // C2 all blocked on scheduler 0, position 2, register 1
  EXPECT_EQ(b.order(0), "0 1 2 (1)");
  b.block(9).step();
  b.block(11).steps(2);  // and on scheduler 1, position 1, register 2
  EXPECT_EQ(b.order(1), "0 1 2 (1)");
  b.block(1).steps(2);
  b.block(3).steps(2);  // C0: the head, register 1
  EXPECT_EQ(b.order(1), "1 2 0 (1)");
}

TEST(SawsEvents, RegisterMayReachZeroWithoutAFloor) {
  Bench b = placed(small(0));
  b.block(1).step();
  b.block(3).steps(3);
  EXPECT_EQ(b.order(1), "1 2 0 (0)");
  b.block(8).steps(2);  // a promotion now goes before the head
  EXPECT_EQ(b.order(1), "2 1 0 (1)");
}

TEST(SawsEvents, DemotionAtTheFirstHitMovesTheHitterWithIt) {
  Bench b = placed(params(2, 12, 3, 4, 1, 0, 1));
  b.block(0).steps(2);
  EXPECT_EQ(b.order(0), "1 2 0 (1)");
  b.unblock({0}).block(0).steps(3);  // the second hit is not promoted: no move
  EXPECT_EQ(b.order(0), "1 2 0 (1)");
  b.block(4).steps(2);
  EXPECT_EQ(b.order(0), "2 0 1 (1)");
  b.block(2).steps(2);  // all blocked moves again
  EXPECT_EQ(b.order(0), "2 1 0 (1)");
}

TEST(SawsEvents, ToggleFlipsOnEveryHitOfItsThreadBlockOnly) {
  Bench b = placed();
  for (unsigned barrier = 1; barrier <= 6; ++barrier) {
    b.block(4).step();
    EXPECT_EQ(waiting(b, 0), barrier % 2) << barrier;
    EXPECT_EQ(b.engine.probes().toggle, barrier % 2 == 1 ? 0b101U : 0b111U) << barrier;
    b.block(5).step();  // not a first hit
    EXPECT_EQ(waiting(b, 1), 0U);
    b.unblock({4, 5}).steps(2);
  }
}

TEST(SawsEvents, WithoutTogglingEveryHitPromotes) {
  Bench b = placed(small(), kAlways, false);
  for (unsigned barrier = 1; barrier <= 4; ++barrier) {
    b.block(4).step();
    EXPECT_EQ(waiting(b, 0), 1U) << barrier;
    EXPECT_EQ(b.engine.probes().toggle, 7U);
    b.unblock({4}).steps(2);
  }
}

TEST(SawsEvents, LowerSchedulerHitsWhenTwoArriveInOneCycle) {
  Bench b = placed();
  b.block(4).block(5).step();
  EXPECT_EQ(waiting(b, 0), 1U);
  EXPECT_EQ(waiting(b, 1), 0U);
  b.step();
  EXPECT_EQ(b.order(1), "0 1 2 (2)");
  EXPECT_EQ(b.order(0), "0 1 2 (1)");
}

TEST(SawsEvents, DifferentThreadBlocksHitInOneCycle) {
  Bench b = placed();
  b.block(8).block(5).step();
  EXPECT_EQ(message(b, 0), (Message{2, true, false, false}));
  EXPECT_EQ(message(b, 1), (Message{1, true, false, false}));
  b.step();  // queue 0 first
  EXPECT_EQ(b.order(0), "0 1 2 (1)");
  EXPECT_EQ(b.order(1), "0 2 1 (2)");
  b.step();
  EXPECT_EQ(b.order(0), "0 1 2 (2)");
}

TEST(SawsEvents, QueuesTakeTurns) {
  Bench b = placed();
  // Four messages while CTA operations, here illegal ones, hold them back.
  b.block(0).block(5).place(0, 1).step();
  b.block(8).place(0, 1).step();
  b.block(2).place(0, 1).step();
  EXPECT_EQ(waiting(b, 0), 3U);
  EXPECT_EQ(waiting(b, 1), 1U);
  const unsigned turns[] = {1, 0, 1, 1};
  const unsigned left0[] = {2, 2, 1, 0};
  for (unsigned i = 0; i < 4; ++i) {
    b.step();
    EXPECT_EQ(b.engine.probes().turn, turns[i]) << i;
    EXPECT_EQ(waiting(b, 0), left0[i]) << i;
    EXPECT_EQ(waiting(b, 1), i == 0 ? 1U : 0U) << i;
  }
  b.take_errors();
}

TEST(SawsEvents, ArrivalInTheCycleOfTheClearIsANewHit) {
  Bench b = placed(small(), kAlways, false);
  b.block(4).steps(2);
  b.block(6).unblock({4}).step();
  EXPECT_EQ(waiting(b, 0), 1U);
  EXPECT_EQ(message(b, 0), (Message{1, true, false, false}));
  EXPECT_EQ(b.engine.probes().blocked, WarpBits(warp_mask({6})));
  b.block(6).unblock({6}).step();  // a second event, even of the same warp
  EXPECT_EQ(b.take_errors(), 0U);
  EXPECT_EQ(b.engine.probes().blocked, WarpBits(warp_mask({6})));
}

TEST(SawsEvents, ExitCanMakeTheRestAllBlocked) {
  Bench b = placed();
  b.block(4).steps(2);
  b.exit(6).step();
  EXPECT_EQ(message(b, 0), (Message{1, false, true, false}));
  b.step();
  EXPECT_EQ(b.order(0), "0 2 1 (1)");
  EXPECT_EQ(b.engine.probes().live, WarpBits(0xfbf));
}

TEST(SawsEvents, ExitThatCompletesTheBarrierRaisesNothing) {
  Bench b = placed();
  b.block(4).steps(2);
  b.exit(6).unblock({4}).step();
  EXPECT_EQ(waiting(b, 0), 0U);
  b.exit(4).step();  // last warp of the thread block on this scheduler
  EXPECT_EQ(waiting(b, 0), 0U);
  EXPECT_EQ(b.ctas(0), "0 1 2");  // the thread block keeps its position until it is freed
  EXPECT_EQ(b.take_errors(), 0U);
}

TEST(SawsEvents, ExitOfABlockedWarpUnblocksIt) {
  Bench b = placed();
  b.block(4).steps(2);
  b.exit(4).step();
  EXPECT_TRUE(b.engine.probes().blocked.none());
  EXPECT_EQ(waiting(b, 0), 0U);
  EXPECT_EQ(b.take_errors(), 0U);
}

TEST(SawsEvents, HitAndAllBlockedTravelInOneMessage) {
  Bench b(params(4, 64, 32, 4));
  b.start(kAlways).step();
  b.place(3, 0b0111).step();  // three warps on four schedulers
  b.place(4, 0xf0).step();
  b.block(1).step();
  EXPECT_EQ(message(b, 1), (Message{3, true, true, false}));
  b.step();
  EXPECT_EQ(b.order(1), "4 3 (1)");
  EXPECT_EQ(b.order(0), "3 4 (1)");  // the head stays
  EXPECT_EQ(b.order(3), "4 (1)");    // scheduler 3 has no warp of it
}

TEST(SawsEvents, OneSchedulerHasNobodyToPromote) {
  Bench b(params(1, 8, 2, 2));
  b.start(kAlways).step();
  b.place(0, 0x0f).step();
  b.place(1, 0xf0).step();
  b.block(4).steps(2);
  EXPECT_EQ(b.order(0), "0 1 (1)");
  for (unsigned w : {5, 6, 7}) b.block(w).step();
  b.block(0).steps(3);
  for (unsigned w : {1, 2, 3}) b.block(w).step();
  b.steps(2);
  EXPECT_EQ(b.order(0), "1 0 (1)");
}

TEST(SawsEvents, CtaOperationsGoBeforeMessages) {
  Bench b = placed();
  b.block(8).step();
  for (unsigned i = 0; i < 20; ++i) {
    if (i % 2 == 0) {
      b.release(0).step();
    } else {
      b.place(0, 0xf).step();
    }
    EXPECT_EQ(waiting(b, 0), 1U) << i;
  }
  EXPECT_EQ(b.order(1), "1 2 0 (1)");
  b.step();
  EXPECT_EQ(waiting(b, 0), 0U);
  EXPECT_EQ(b.order(1), "1 2 0 (2)");
}

TEST(SawsEvents, AFreedThreadBlocksMessagesDoNothingToItsSuccessor) {
  Bench b = placed();
  b.block(8).step();
  b.release(2).step();
  EXPECT_EQ(message(b, 0), (Message{2, true, false, true}));
  b.place(2, 0xf00).step();
  EXPECT_EQ(waiting(b, 0), 1U);
  b.step();
  EXPECT_EQ(waiting(b, 0), 0U);
  EXPECT_EQ(b.engine.probes().turn, 1);  // the scheduler had its turn
  EXPECT_EQ(b.order(1), "0 1 2 (1)");
}

TEST(SawsEvents, NoMessageOfAThreadBlockFreedInThatCycle) {
  Bench b = placed();
  b.block(8).release(2).step();
  EXPECT_EQ(waiting(b, 0), 0U);
  EXPECT_EQ(b.take_errors(), 0U);
  EXPECT_TRUE(b.engine.probes().blocked.none());
  EXPECT_EQ(b.engine.probes().toggle, 0b011U);  // the hit counts nevertheless
}

TEST(SawsEvents, FreeingAPromotedThreadBlockLowersTheRegister) {
  Bench b = placed();
  b.block(8).steps(2);
  EXPECT_EQ(b.order(1), "0 2 1 (2)");
  b.release(1).step();
  EXPECT_EQ(b.order(1), "0 2 (2)");
  b.release(2).step();
  EXPECT_EQ(b.order(1), "0 (1)");
  b.release(0).step();
  EXPECT_EQ(b.order(1), " (1)");
}

TEST(SawsEvents, PlacementSetsTheToggleAgain) {
  Bench b = placed();
  b.block(8).steps(2);
  EXPECT_EQ(b.engine.probes().toggle, 0b011U);
  b.release(2).step();
  EXPECT_EQ(b.engine.probes().toggle, 0b011U);
  b.place(2, 0xf00).step();
  EXPECT_EQ(b.engine.probes().toggle, 0b111U);
}

TEST(SawsEvents, FullQueueTakesItsReadyDownAndPassesItInTheNextCycle) {
  Bench b = placed(params(2, 12, 3, 1), kAlways, false);
  b.block(0).place(0, 1);
  EXPECT_EQ(b.look().wev_ready, 3);
  b.step();
  EXPECT_EQ(b.look().wev_ready, 2);
  b.step();  // the message is broadcast
  EXPECT_EQ(b.look().wev_ready, 3);
  EXPECT_EQ(b.take_errors(), unsigned(kErrorCta));  // error of the placement that held the message back
}

TEST(SawsEvents, GtoOnlyHasNoMessagesAndNeverLeavesGto) {
  Bench b = placed(params(2, 12, 3, 1), kGtoOnly);
  for (unsigned w : {0, 2, 1, 3, 8, 9}) {
    b.block(w).step();
    EXPECT_EQ(waiting(b, 0) + waiting(b, 1), 0U);
    EXPECT_EQ(b.look().wev_ready, 3);
  }
  EXPECT_EQ(b.look().mode_saws, 0);
  EXPECT_EQ(b.engine.probes().blocked, WarpBits(0x30f));
  EXPECT_EQ(b.take_errors(), 0U);
}

// --- errors: `err` in the next cycle, for one cycle, and nothing else changes

/// Expects that the bench's current inputs raise `error` and change no state except `err`.
void expect_refused(Bench& b, unsigned error) {
  State before = b.engine.state();
  b.take_errors();
  b.step();
  EXPECT_EQ(b.look().err, error);
  State after = b.engine.state();
  before.err = after.err = 0;
  EXPECT_EQ(before, after);
  b.step();
  EXPECT_EQ(b.look().err, 0);
}

TEST(SawsErrors, EventOfAWarpThatIsNotLive) {
  Bench b = placed();
  b.exit(4).step();
  for (const bool exits : {false, true}) {
    exits ? b.exit(4) : b.block(4);
    expect_refused(b, kErrorCta);
  }
  b.release(0).step();
  b.block(1);  // slot not allocated
  expect_refused(b, kErrorCta);
}

TEST(SawsErrors, EventOfAWarpThatDoesNotExist) {
  Bench b = placed();  // six warps per scheduler, three bits of index
  for (const unsigned index : {6U, 7U}) {
    b.in.wev_valid = 2;
    b.in.wev_idx[1] = static_cast<U8>(index);
    expect_refused(b, kErrorCta);
  }
}

TEST(SawsErrors, ABlockedWarpBlocksAgain) {
  Bench b = placed();
  b.block(4).steps(2);
  b.block(4);
  expect_refused(b, kErrorTwice);
}

TEST(SawsErrors, EventWithoutRoom) {
  Bench b = placed(params(2, 12, 3, 1));
  b.block(0).place(0, 1).step();
  b.block(4).place(0, 1).step();  // a hit, but the queue is full
  EXPECT_EQ(b.look().err, kErrorCta | kErrorMessage);
  EXPECT_EQ(waiting(b, 0), 1U);
  EXPECT_TRUE(b.engine.probes().blocked[4]);    // the warp is blocked nevertheless
  EXPECT_EQ(b.engine.probes().toggle, 0b100U);  // and its hit is recorded
  b.take_errors();
  b.exit(10).step();  // no message is needed, so a full queue is no error
  EXPECT_EQ(b.take_errors(), 0U);
}

TEST(SawsErrors, EventWithoutRoomInTheCycleInWhichAMessageGoes) {
  Bench b = placed(params(2, 12, 3, 1));
  b.block(0).step();
  b.block(4).step();  // the message of C0 leaves in this cycle, but free entries count at its start
  EXPECT_EQ(b.look().err, unsigned(kErrorMessage));
  EXPECT_EQ(waiting(b, 0), 0U);
}

TEST(SawsErrors, IllegalPlacements) {
  Bench b = placed(params(2, 14, 5, 4));
  const auto refused = [&b](unsigned cta, std::uint64_t warps) {
    b.place(cta, warps);
    expect_refused(b, kErrorCta);
  };
  refused(0, 0x1000);  // slot in use
  refused(3, 0);       // a thread block without warps
  refused(3, 0x1008);  // a warp that is already allocated
  refused(5, 0x1000);  // no such slot
  refused(7, 0x1000);
  b.take_errors();
  b.place(4, 0x3000).step();
  EXPECT_EQ(b.take_errors(), 0U);
  EXPECT_EQ(b.ctas(0), "0 1 2 4");
}

TEST(SawsErrors, ReleaseOfAnUnusedSlot) {
  Bench b = placed(params(2, 14, 5, 4));
  for (const unsigned cta : {3U, 5U, 7U}) {
    b.release(cta);
    expect_refused(b, kErrorCta);
  }
}

TEST(SawsErrors, AllOfOneCycleAreShown) {
  Bench b = placed(params(2, 12, 3, 1));
  b.block(1).place(0, 1).step();
  b.take_errors();
  b.exit(4).place(0, 1).step();
  b.block(4);  // not live
  b.block(5);  // a hit while the queue is full
  b.place(0, 1).step();
  EXPECT_EQ(b.look().err, kErrorCta | kErrorMessage);
  Bench c = placed();
  c.block(4).steps(2);
  c.block(4).exit(5).step();
  EXPECT_EQ(c.look().err, unsigned(kErrorTwice));
  EXPECT_FALSE(c.engine.probes().live[5]);  // the other scheduler's event counts
}

TEST(SawsErrors, AnEventInTheCycleOfItsThreadBlocksReleaseIsGood) {
  Bench b = placed();
  b.block(4).exit(1).release(1).step();  // C1 is freed with its event
  EXPECT_EQ(b.take_errors(), 0U);
  b.block(4).step();
  EXPECT_EQ(b.look().err, unsigned(kErrorCta));
}

}  // namespace
}  // namespace castor::saws::test::engine_events_test
