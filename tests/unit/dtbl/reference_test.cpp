#include "unit/dtbl/reference.h"

#include <gtest/gtest.h>

#include <map>

// The reference equals cycles worked out by hand. Other tests compare the engine and the RTL with the reference.

namespace castor::dtbl::reference::reference_test {
namespace {

constexpr U32 kOff = 0x80000000U;

Params params_of(unsigned kernels, unsigned groups, unsigned hash = 0) {
  Params params;
  params.NumKde = kernels;
  params.AgtSize = groups;
  params.HashMode = hash;
  return params;
}

Inputs quiet_inputs(const Params& params) {
  Inputs in;
  in.fb_ready = in.mem_ready = 1;
  in.fits = KdeBits::ones(params.NumKde);
  return in;
}

Inputs beat(const Params& params, unsigned warp, unsigned lane, U64 dim, U32 count, U32 param, bool first, bool last) {
  Inputs in = quiet_inputs(params);
  in.agg_valid = 1;
  in.agg_warp = static_cast<U8>(warp);
  in.agg_lane = static_cast<U8>(lane);
  in.agg_dim = dim;
  in.agg_cnt = count;
  in.agg_param = param;
  in.agg_first = first ? 1 : 0;
  in.agg_last = last ? 1 : 0;
  in.agg_key = Key(7);
  return in;
}

U64 dims(U64 x, U64 y = 1, U64 z = 1) { return x | y << 32U | z << 48U; }

Machine::Push group(unsigned kernel, U32 agei, U64 dim, U32 param) { return {true, kernel, agei, param, dim}; }

Inputs push_kernel(const Params& params, unsigned kernel, U64 dim) {
  Inputs in = quiet_inputs(params);
  in.push_valid = 1;
  in.push_kd = static_cast<U8>(kernel);
  in.push_dim = dim;
  return in;
}

// ---- One command of three lanes: two groups in the table, one in memory, beside a native kernel of two thread blocks.

struct TraceRow {
  Search st;
  unsigned ptr;
  Slot slot;
  bool offered;
  U32 agei, pos;
  bool last;
  unsigned launch_hold, dispatch_hold, used;
};

constexpr TraceRow kTrace[] = {
    {Search::kSearch, 0, Slot::kFree, false, 0, 0, false, 0, 0, 0},
    {Search::kSearch, 0, Slot::kRun, true, 0xFFFFFFFFU, 0, false, 0, 2, 0},
    {Search::kSearch, 1, Slot::kRun, true, 0xFFFFFFFFU, 1, true, 2, 2, 0},
    {Search::kGrant, 1, Slot::kFree, false, 0, 0, false, 2, 0, 0},
    {Search::kGrant, 1, Slot::kFree, false, 0, 0, false, 2, 0, 1},
    {Search::kGrant, 1, Slot::kRun, true, 0, 0, false, 2, 2, 2},
    {Search::kSearch, 0, Slot::kRun, true, 0, 1, true, 2, 2, 2},
    {Search::kSearch, 0, Slot::kRun, true, 1, 0, true, 0, 2, 2},
    {Search::kSearch, 0, Slot::kReq, false, 0, 0, false, 0, 2, 2},
    {Search::kSearch, 0, Slot::kWait, false, 0, 0, false, 0, 2, 2},
    {Search::kSearch, 0, Slot::kWait, false, 0, 0, false, 0, 2, 2},
    {Search::kSearch, 0, Slot::kWait, false, 0, 0, false, 0, 2, 2},
    {Search::kSearch, 0, Slot::kRun, true, 0x80000120U, 0, false, 0, 2, 2},
    {Search::kSearch, 0, Slot::kRun, true, 0x80000120U, 1, true, 0, 2, 2},
    {Search::kSearch, 0, Slot::kFree, false, 0, 0, false, 0, 0, 1},
    {Search::kSearch, 0, Slot::kFree, false, 0, 0, false, 0, 0, 0},
    {Search::kSearch, 0, Slot::kFree, false, 0, 0, false, 0, 0, 0},
    {Search::kSearch, 0, Slot::kFree, false, 0, 0, false, 0, 0, 0},
    {Search::kSearch, 0, Slot::kFree, false, 0, 0, false, 0, 0, 0},
    {Search::kSearch, 0, Slot::kFree, false, 0, 0, false, 0, 0, 0},
    {Search::kSearch, 0, Slot::kFree, false, 0, 0, false, 0, 0, 0},
};

TEST(DtblReference, GoldenTraceCycleByCycle) {
  const Params params = params_of(4, 4);
  Machine machine(params);
  Queues queues(params);
  const unsigned lanes[] = {0, 1, 4};
  const U64 sizes[] = {dims(2), dims(1), dims(1, 2)};
  const U32 counts[] = {2, 1, 2}, addresses[] = {0x104, 0x114, 0x124};
  std::map<unsigned, U32> completions;  // by cycle
  unsigned next = 0, reply_at = 0;
  for (unsigned c = 0; c < std::size(kTrace); ++c) {
    SCOPED_TRACE("cycle " + std::to_string(c));
    const TraceRow& row = kTrace[c];
    Inputs in = quiet_inputs(params);
    if (c == 0) in = push_kernel(params, 1, dims(2));
    if (c >= 1 && next < 3) {
      in = beat(params, 0, lanes[next], sizes[next], counts[next], addresses[next], next == 0, next == 2);
      in.agg_sm = 2;
    }
    in.key_valid = machine.launch().ptr == 1 && c >= 1 ? 1 : 0;
    in.key_rd = Key(7);
    if (completions.count(c) != 0) {
      in.done_valid = 1;
      in.done_agei = completions[c];
    }
    if (reply_at != 0 && c == reply_at) {
      in.rsp_valid = 1;
      in.rsp_dim = dims(1, 2);
      in.rsp_next = 0x1234;
    }
    const Outputs out = machine.settle(in);
    EXPECT_EQ(out.att_ready, 1);
    EXPECT_EQ(out.push_ready, c >= 4 && c <= 6 ? 0 : 1);
    in.pl_taken = out.pl_valid;
    EXPECT_EQ(machine.launch().st, row.st);
    EXPECT_EQ(out.key_idx, row.ptr);
    EXPECT_EQ(machine.dispatch().st, row.slot);
    EXPECT_EQ(out.pl_valid != 0, row.offered);
    EXPECT_EQ(out.pl_agei, row.agei);
    EXPECT_EQ(out.pl_pos, row.pos);
    EXPECT_EQ(out.pl_last != 0, row.last);
    EXPECT_EQ(out.launch_hold.word(0), row.launch_hold);
    EXPECT_EQ(out.dispatch_hold.word(0), row.dispatch_hold);
    EXPECT_EQ(out.agt_used, row.used);
    EXPECT_EQ(out.agg_ready != 0, c >= 3 && c <= 5);
    EXPECT_EQ(out.att_valid != 0, c >= 4 && c <= 6);
    EXPECT_EQ(out.mem_valid != 0, c == 8);
    EXPECT_EQ(out.mem_addr, c == 8 ? 0x1200U : 0U);
    EXPECT_EQ(out.rel_valid != 0, c == 14 || c == 15);
    EXPECT_EQ(out.rel_idx, c == 15 ? 1 : 0);
    EXPECT_EQ(out.launch_err, 0);
    EXPECT_EQ(out.dispatch_err, 0);
    EXPECT_EQ(machine.broken(), "");
    if (out.pl_agei == (kOff | 0x120U)) {
      EXPECT_EQ(out.pl_param, 0x124U);
    }
    if (out.mem_valid != 0) reply_at = c + 3;
    if (in.pl_taken != 0) completions[c + 6] = out.pl_agei;
    if (out.agg_ready != 0) ++next;
    queues.see(in, out);
    machine.clock(in);
  }
  EXPECT_EQ(queues.problem(), "");
  EXPECT_TRUE(queues.drained());
  EXPECT_EQ(queues.thread_blocks(), 7U);
}

// ---- Launch half

/// Clocks a beat until it is accepted. Returns the number of cycles.
unsigned deliver(Machine& machine, Inputs in, unsigned most = 600) {
  for (unsigned c = 1; c <= most; ++c) {
    const bool taken = machine.settle(in).agg_ready != 0;
    machine.clock(in);
    if (taken) return c;
  }
  return 0;
}

TEST(DtblReference, ThirtyTwoLanesWithoutKernelFallBackInOrder) {
  const Params params = params_of(32, 1024);
  Machine machine(params);
  for (unsigned lane = 0; lane < 32; ++lane) {
    const Inputs in = beat(params, 3, lane, dims(1), 1, 0x1004 + 16 * lane, lane == 0, lane == 31);
    EXPECT_EQ(deliver(machine, in), lane == 0 ? 33U : 1U);  // all lanes share one search
    const Outputs out = machine.settle(quiet_inputs(params));
    EXPECT_EQ(out.fb_valid, 1);
    EXPECT_EQ(out.fb_ord, lane + 1);
    EXPECT_EQ(out.fb_rec, 0x1000 + 16 * lane);
    EXPECT_EQ(out.att_valid, 0);
    EXPECT_EQ(out.agt_used, 0);
  }
  const Inputs in = beat(params, 0, 0, dims(1), 1, 0x5004, true, true);
  deliver(machine, in);
  EXPECT_EQ(machine.settle(quiet_inputs(params)).fb_ord, 1);  // ordinals begin again
}

TEST(DtblReference, AnotherKeyInsideACommandSearchesAgain) {
  const Params params = params_of(2, 4);
  Machine machine(params);
  Inputs in = beat(params, 0, 0, dims(1), 1, 0x104, true, false);
  in.key_valid = 1;
  in.key_rd = in.agg_key;
  EXPECT_EQ(deliver(machine, in), 2U);
  in.agg_key.set_word(1, 1);  // differs in the high bits alone
  in.agg_first = 0;
  in.agg_last = 1;
  in.agg_lane = 1;
  // The beat has another key, two entries are examined in vain, and the third accepts it: four cycles.
  EXPECT_EQ(deliver(machine, in), 4U);
  EXPECT_EQ(machine.settle(quiet_inputs(params)).fb_valid, 1);
}

TEST(DtblReference, IndexFreedInTheCycleOfAnAllocationIsAMiss) {
  const Params params = params_of(1, 1);
  for (const unsigned pause : {0U, 1U}) {
    Machine machine(params);
    Inputs in = beat(params, 0, 0, dims(1), 1, 0x104, true, false);
    in.key_valid = 1;
    in.key_rd = in.agg_key;
    deliver(machine, in);
    Inputs done = quiet_inputs(params);
    done.done_valid = 1;
    done.done_agei = 0;
    machine.clock(done);
    for (unsigned i = 0; i < pause; ++i) machine.clock(quiet_inputs(params));
    in.agg_first = 0;
    in.agg_last = 1;
    in.agg_param = 0x204;
    EXPECT_EQ(deliver(machine, in), 1U);
    EXPECT_EQ(machine.settle(quiet_inputs(params)).att_agei, pause == 0 ? kOff | 0x200U : 0U);
  }
}

TEST(DtblReference, CompletionStallsAnAllocationForOneCycle) {
  const Params params = params_of(1, 4);
  Machine machine(params);
  Inputs in = beat(params, 0, 0, dims(5), 5, 0x104, true, false);
  in.key_valid = 1;
  in.key_rd = in.agg_key;
  deliver(machine, in);
  Inputs done = quiet_inputs(params);
  done.done_valid = 1;
  machine.clock(done);
  in.agg_first = 0;
  in.agg_lane = 1;
  EXPECT_EQ(deliver(machine, in), 2U);
  // An index in use needs no write: no stall.
  machine.clock(done);
  in.agg_lane = 0;
  EXPECT_EQ(deliver(machine, in), 1U);
  EXPECT_EQ(machine.launch().left.at(0), 3U);
}

TEST(DtblReference, HashWithTheSm) {
  const Params params = params_of(1, 2048, 1);
  Machine machine(params);
  Inputs in = beat(params, 63, 31, dims(1), 1, 0x104, true, true);
  in.agg_sm = 31;  // 79 * 31 = 2449 = 0x991; 0x7ff ^ 0x991 = 0xe6e; modulo 2048 0x66e
  in.key_valid = 1;
  in.key_rd = in.agg_key;
  deliver(machine, in);
  EXPECT_EQ(machine.settle(quiet_inputs(params)).att_agei, 0x66EU);
}

TEST(DtblReference, LaunchErrors) {
  const Params params = params_of(1, 4);
  Machine machine(params);
  const auto error_of = [&](U32 agei) {
    Inputs done = quiet_inputs(params);
    done.done_valid = 1;
    done.done_agei = agei;
    machine.clock(done);
    unsigned seen = machine.settle(quiet_inputs(params)).launch_err;
    machine.clock(quiet_inputs(params));
    return seen << 4U | machine.settle(quiet_inputs(params)).launch_err;
  };
  EXPECT_EQ(error_of(kNone), 0U);
  EXPECT_EQ(error_of(kOff | 1), 0U);
  EXPECT_EQ(error_of(4), 0x20U);  // entry beyond the table: reported at once
  EXPECT_EQ(error_of(3), 0x02U);  // unused entry: reported when it is counted
  machine.clock(quiet_inputs(params));
  deliver(machine, beat(params, 0, 0, dims(1), 1, 0x104, false, true));
  EXPECT_EQ(machine.settle(quiet_inputs(params)).launch_err, 1);
}

// ---- Dispatch half

TEST(DtblReference, AttachInTheCycleOfTheLastThreadBlockMarksAgain) {
  const Params params = params_of(2, 4);
  Machine machine(params);
  machine.clock(quiet_inputs(params), group(0, 1, dims(1), 0x10));
  machine.clock(push_kernel(params, 1, dims(1)));
  Inputs in = quiet_inputs(params);
  in.pl_taken = 1;
  ASSERT_EQ(machine.settle(in).pl_last, 1);
  machine.clock(in, group(0, 2, dims(1), 0x20));
  EXPECT_EQ(machine.dispatch().kd, 1U);  // kernel 1 has waited longer
  EXPECT_FALSE(machine.dispatch().entries[0].first);
  in = quiet_inputs(params);
  in.pl_taken = 1;
  machine.clock(in);
  EXPECT_EQ(machine.settle(in).pl_agei, 2U);
  EXPECT_EQ(machine.broken(), "");
}

TEST(DtblReference, LinkOfATailInTheSlotIsForwardedInEveryState) {
  // The link arrives in REQ, in WAIT, in the cycle of the reply, and in RUN.
  for (unsigned when = 0; when < 4; ++when) {
    SCOPED_TRACE(when);
    const Params params = params_of(1, 4);
    Machine machine(params);
    machine.clock(quiet_inputs(params), group(0, kOff | 0x100, dims(2), 0x104));
    for (unsigned c = 0; c < 4; ++c) {
      Inputs in = quiet_inputs(params);
      if (c == 2) {
        in.rsp_valid = 1;
        in.rsp_dim = dims(2);
        in.rsp_next = 0x55;
      }
      in.pl_taken = machine.settle(in).pl_valid;
      EXPECT_EQ(machine.settle(in).mem_write, 0);
      if (c == when) {
        machine.clock(in, group(0, 3, dims(1), 0x30));
      } else {
        machine.clock(in);
      }
    }
    Inputs in = quiet_inputs(params);
    in.pl_taken = 1;
    EXPECT_EQ(machine.settle(in).pl_pos, 1U);
    machine.clock(in);
    EXPECT_EQ(machine.settle(in).pl_agei, 3U);
  }
}

TEST(DtblReference, LinkWriteGoesBeforeTheReadOfItsRecord) {
  const Params params = params_of(1, 4);
  Machine machine(params);
  machine.clock(quiet_inputs(params), group(0, 0, dims(1), 0x10));
  machine.clock(quiet_inputs(params), group(0, kOff | 0x100, dims(1), 0x104));
  Inputs in = quiet_inputs(params);
  in.pl_taken = 1;
  in.mem_ready = 0;
  const Machine::Push behind = group(0, 1, dims(1), 0x20);
  machine.clock(in, behind);  // the slot goes to 0x100 while the link of 0x100 arrives: forwarded to the slot
  EXPECT_FALSE(machine.dispatch().lw);
  EXPECT_TRUE(machine.dispatch().ob.nv);
  machine.reset();
  machine.clock(quiet_inputs(params), group(0, 0, dims(2), 0x10));
  machine.clock(quiet_inputs(params), group(0, kOff | 0x100, dims(1), 0x104));
  in.pl_taken = 0;
  machine.clock(in, behind);
  Inputs wait = quiet_inputs(params);
  wait.mem_ready = 0;
  for (unsigned c = 0; c < 500; ++c) {
    wait.pl_taken = machine.settle(wait).pl_valid;
    const Outputs out = machine.settle(wait);
    EXPECT_EQ(out.mem_write, 1);
    EXPECT_EQ(out.mem_addr, 0x1038U);
    EXPECT_EQ(out.mem_wdata, 1U);
    EXPECT_EQ(out.push_ready, 0);
    machine.clock(wait);
  }
  machine.clock(quiet_inputs(params));
  EXPECT_EQ(machine.settle(wait).mem_addr, 0x1000U);
  EXPECT_EQ(machine.settle(wait).mem_write, 0);
}

TEST(DtblReference, ReadOnThePortStays) {
  const Params params = params_of(2, 4);
  Machine machine(params);
  Inputs wait = quiet_inputs(params);
  wait.mem_ready = 0;
  const auto push = [&](unsigned kernel, U32 agei) {
    machine.clock(wait, group(kernel, agei, dims(1), (agei & ~kOff) + 4));
  };
  push(0, kOff | 0x100);
  push(1, kOff | 0x200);
  push(1, kOff | 0x300);  // a link into 0x200 waits
  for (unsigned c = 0; c < 3; ++c) {
    EXPECT_EQ(machine.settle(wait).mem_addr, 0x1000U);
    EXPECT_EQ(machine.settle(wait).mem_write, 0);
    EXPECT_EQ(machine.settle(wait).push_ready, 0);
    machine.clock(wait);
  }
}

TEST(DtblReference, OdometerOfThreeDimensions) {
  const Params params = params_of(1, 4);
  Machine machine(params);
  machine.clock(push_kernel(params, 0, dims(3, 2, 2)));
  for (U32 position = 0; position < 12; ++position) {
    Inputs in = quiet_inputs(params);
    in.pl_taken = 1;
    const Outputs out = machine.settle(in);
    EXPECT_EQ(out.pl_pos, position);
    EXPECT_EQ(out.pl_last, position == 11 ? 1 : 0);
    EXPECT_EQ(machine.probes().cur_od, dims(position % 3, position / 3 % 2, position / 6));
    machine.clock(in);
  }
  EXPECT_EQ(machine.settle(quiet_inputs(params)).dispatch_hold.none(), true);
}

TEST(DtblReference, DispatchErrorsChangeNothing) {
  const Params params = params_of(2, 4);
  Machine machine(params);
  Inputs in = quiet_inputs(params);
  in.pl_taken = 1;
  in.rsp_valid = 1;
  machine.clock(in);
  EXPECT_EQ(machine.settle(quiet_inputs(params)).dispatch_err, 6);
  machine.clock(push_kernel(params, 1, dims(2)));
  machine.clock(push_kernel(params, 1, dims(9)));
  EXPECT_EQ(machine.settle(quiet_inputs(params)).dispatch_err, 1);
  EXPECT_EQ(machine.settle(quiet_inputs(params)).pl_dim, dims(2));
}

TEST(DtblReference, ChainOfTenThousandGroupsWithoutAGap) {
  const Params params = params_of(1, 2048);
  Machine machine(params);
  for (unsigned c = 0; c <= 10000; ++c) {
    Inputs in = quiet_inputs(params);
    const Outputs out = machine.settle(in);
    EXPECT_EQ(out.pl_valid, c == 0 ? 0 : 1);
    in.pl_taken = out.pl_valid;
    if (c == 10000) break;
    machine.clock(in, group(0, c % 2048, dims(1), c));
  }
}

}  // namespace
}  // namespace castor::dtbl::reference::reference_test
