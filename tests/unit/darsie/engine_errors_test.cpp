// Tests of violated rules: every bit of err, refused and performed inputs; and parameters out of range.

#include "castor/base/error.h"
#include "unit/darsie/engine_support.h"

namespace castor::darsie::test::engine_errors_test {
namespace {

/// Sizes that are no power of two, so that every port can name what does not exist.
Params odd() {
  Params p;
  p.NumWarps = 12;
  p.NumTbs = 3;
  p.NumRows = 5;
  p.NumSlots = 5;
  return p;
}

Launch legal() { return {0, warps({0, 1}), 5, 5, 0, true}; }

/// Returns the error that this cycle raises. The error must be cleared in the next cycle.
unsigned raised(Bench& b) {
  b.step();
  const unsigned error = b.errors();
  EXPECT_EQ(b.probes().error, error);
  EXPECT_TRUE(error == 0 || b.engine.quiet() == 0);
  b.step();
  EXPECT_EQ(b.errors(), 0U);
  return error;
}

}  // namespace

TEST(DarsieEngineErrors, IllegalLaunchesAreRefused) {
  Bench b(odd());
  std::vector<Launch> bad(6, legal());
  bad[0].tb = 3;
  bad[1].warps = 0;
  bad[2].rows = 6;
  bad[3].slots = 6;
  bad[4].full = 0;  // set below to a full warp that does not belong to the TB
  bad[5].warps = 0;
  for (std::size_t i = 0; i < bad.size(); ++i) {
    b.launch(bad[i]);
    if (i == 4) b.in.lnch_full = warps({2});
    EXPECT_EQ(raised(b), kErrorLaunch) << i;
    EXPECT_EQ(b.probes().live, 0U) << i;
    EXPECT_EQ(b.probes().tl, 0U) << i;
  }
  b.launch(legal());
  EXPECT_EQ(raised(b), 0U);
  Launch again = legal();
  again.warps = warps({2, 3});
  b.launch(again);
  EXPECT_EQ(raised(b), kErrorLaunch) << "TB slot in use";
  again.tb = 1;
  again.warps = warps({1, 2});
  b.launch(again);
  EXPECT_EQ(raised(b), kErrorLaunch) << "warp slot in use";
  EXPECT_EQ(b.probes().live, warps({0, 1}));
}

TEST(DarsieEngineErrors, IllegalRetiresAreRefused) {
  Bench b(odd());
  b.retire(0);
  EXPECT_EQ(raised(b), kErrorRetire);
  b.retire(3);
  EXPECT_EQ(raised(b), kErrorRetire);
  b.launch(legal()).step();
  b.retire(0);
  EXPECT_EQ(raised(b), kErrorRetire);
  b.exit(3).retire(0);  // both warps are live at the start of the cycle
  EXPECT_EQ(raised(b), kErrorRetire);
  EXPECT_EQ(b.probes().tl, 1U);
  b.retire(0);
  EXPECT_EQ(raised(b), 0U);
  EXPECT_EQ(b.probes().tl, 0U);
}

// The SM reports the retirement of a thread block and reuses its slot in the same cycle.
TEST(DarsieEngineErrors, ATbSlotMayBeLaunchedInTheCycleOfItsRetire) {
  Bench b(odd());
  b.launch(legal()).step().exit(3).step();
  Launch next = legal();
  next.warps = warps({4, 5});
  next.base = 60;
  b.retire(0).launch(next);
  EXPECT_EQ(raised(b), 0U);
  EXPECT_EQ(b.look().maj, warps({4, 5}));
  EXPECT_EQ(b.probes().base[0], 60);
  next.warps = warps({6});
  b.retire(0).launch(next);  // the launch is an error if the retirement is refused
  EXPECT_EQ(raised(b), kErrorRetire | kErrorLaunch);
}

TEST(DarsieEngineErrors, WriteBacksOfRowsThatAreWritten) {
  Bench b(odd());
  b.launch(legal()).step();
  b.write_back(0, 0);
  EXPECT_EQ(raised(b), kErrorWb);
  b.write_back(0, 5);
  EXPECT_EQ(raised(b), kErrorWb);
  b.write_back(3, 0);
  EXPECT_EQ(raised(b), kErrorWb);
  b.judge(0, 0, dr(0));
  b.write_back(0, 0);
  EXPECT_EQ(raised(b), 0U);
  b.judge(0, 8, dr(0));
  b.write_back(0, 1).write_back(0, 1);  // both see a row that is not written
  EXPECT_EQ(raised(b), 0U);
}

TEST(DarsieEngineErrors, MarksThatMeanNothingPass) {
  Bench b(odd());
  b.launch(legal()).step();
  const auto decode = [&](unsigned mark, unsigned destinations) {
    b.decode(0, 0, {{mark, 0}});
    b.in.d_ndst[0] = static_cast<U8>(destinations);
    EXPECT_EQ(b.acts(), "PASS") << mark << ", " << destinations;
    return raised(b);
  };
  EXPECT_EQ(decode(3, 1), kErrorMark);
  EXPECT_EQ(decode(3, 0), kErrorMark);
  EXPECT_EQ(decode(1, 0), kErrorMark);
  EXPECT_EQ(decode(2, 0), kErrorMark);
  EXPECT_EQ(decode(2, 3), kErrorMark);
  EXPECT_EQ(decode(0, 0), 0U);
  EXPECT_EQ(decode(0, 3), 0U);
}

TEST(DarsieEngineErrors, WarpsThatDoNotExist) {
  Bench b(odd());
  b.launch(legal()).step();
  for (const unsigned warp : {2U, 11U, 12U, 15U}) {
    b.decode(warp, 0, {dr(0)});
    EXPECT_EQ(b.acts(), "PASS");
    EXPECT_EQ(raised(b), kErrorWarp) << warp;
    b.issue({warp, {0}, {0}, {0}});
    EXPECT_EQ(b.source(0, 0), -1);
    EXPECT_EQ(raised(b), kErrorWarp) << warp;
  }
  b.exit(warps({0, 2}));
  EXPECT_EQ(raised(b), kErrorWarp);
  EXPECT_EQ(b.probes().live, warps({1}));
}

TEST(DarsieEngineErrors, WarpsThatWaitDoNotDecodeOrExit) {
  for (const char* state : {"stop", "lat", "cpy"}) {
    SCOPED_TRACE(state);
    Bench b(odd());
    b.launch({0, warps({0, 1, 2}), 5, 5, 0, true}).step();
    b.lead(0, 0, 0, 0);
    b.eligible({1}, 0).step();
    if (*state == 's') b.branch({1}).step();
    if (*state == 'l') b.judge(0, 8, dr(1)), b.judge(1, 8, dr(1));
    if (*state == 'c') b.leave(1).step();
    b.decode(1, 16, {vector_op()});
    EXPECT_EQ(raised(b), kErrorState);
    b.exit(warps({1}));
    EXPECT_EQ(raised(b), kErrorState);
    EXPECT_EQ(b.probes().live, warps({0, 2}));
  }
}

TEST(DarsieEngineErrors, BarriersWithSomethingPendingArePerformed) {
  Bench b(odd());
  b.launch(legal()).step();
  b.judge(0, 0, dr(0));
  b.barrier(0, 3);
  EXPECT_EQ(raised(b), kErrorBar);
  EXPECT_EQ(b.probes().pend[1], 0U);
  EXPECT_EQ(b.probes().pv[0], 0U);
  b.branch({0}).step();
  b.barrier(0, 3);
  EXPECT_EQ(raised(b), kErrorBar);
  EXPECT_EQ(b.probes().stop, 0U);
  b.barrier(0, 3);
  EXPECT_EQ(raised(b), 0U);
}

TEST(DarsieEngineErrors, AcknowledgesWithoutRequest) {
  Bench b(odd());
  b.acknowledge();
  EXPECT_EQ(raised(b), kErrorAck);
}

TEST(DarsieEngineErrors, ParametersOutOfRangeAreRefused) {
  Params::each([](const twin::Param& param, auto member) {
    Params p;
    p.*member = param.maximum + 1;
    EXPECT_THROW(Engine{p}, base::InputError) << param.name;
    if (param.minimum == 0) return;
    p.*member = param.minimum - 1;
    EXPECT_THROW(Engine{p}, base::InputError) << param.name;
  });
}

}  // namespace castor::darsie::test::engine_errors_test
