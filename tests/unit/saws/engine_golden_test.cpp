// The worked examples of docs/blocks/saws.md, cycle by cycle through the ports: the lists and promotion registers of
// every scheduler.

#include "unit/saws/engine_support.h"

namespace castor::saws::test::engine_golden_test {
namespace {

struct Row {
  int cycle;
  std::string first, second;  // lists of schedulers 0 and 1
};

/// Runs the first example, up to cycle 36. A row of `expected` holds from the cycle that it names to the next row.
void run_first_example(bool toggle, unsigned floor, const std::vector<Row>& expected, bool with_register) {
  Bench b(small(floor));
  b.start(kAuto, toggle).step();
  b.place(0, 0x00f).step();
  b.place(1, 0x0f0).step();
  b.place(2, 0xf00).step();
  b.ready(warp_mask({4, 1})).acknowledge(3).step().ready(0);
  std::size_t row = 0;
  for (; b.cycle <= 36; b.step()) {
    switch (b.cycle) {
      case 5:
        b.block(4);
        break;
      case 8:
        b.block(6);
        break;
      case 11:
        b.block(1);
        break;
      case 14:
        b.block(3);
        break;
      case 17:
        b.block(0);
        break;
      case 19:
        b.unblock({0, 1, 3});
        break;
      case 20:
        b.block(5);
        break;
      case 22:
        b.unblock({4, 5, 6});
        break;
      case 24:
        b.block(0);
        break;
      case 27:
        b.block(5);
        break;
      case 30:
        b.block(2);
        break;
      case 33:
        b.block(7);
        break;
      default:
        break;
    }
    while (row + 1 < expected.size() && expected[row + 1].cycle <= b.cycle) ++row;
    const Row& want = expected[row];
    const bool saws = b.cycle >= 7;
    ASSERT_EQ(b.look().mode_saws, saws ? 1 : 0) << "cycle " << b.cycle;
    if (with_register && saws) {
      ASSERT_EQ(b.order(0), want.first) << "cycle " << b.cycle;
      ASSERT_EQ(b.order(1), want.second) << "cycle " << b.cycle;
    } else {
      ASSERT_EQ(b.ctas(0), want.first.substr(0, 5)) << "cycle " << b.cycle;
      ASSERT_EQ(b.ctas(1), want.second.substr(0, 5)) << "cycle " << b.cycle;
    }
  }
  EXPECT_EQ(b.take_errors(), 0U);
}

const std::vector<Row> kWithoutToggle{{4, "0 1 2", "0 1 2"},          {7, "1 0 2 (1)", "0 1 2 (1)"},
                                      {8, "1 0 2 (1)", "0 1 2 (2)"},  {10, "0 2 1 (1)", "0 1 2 (2)"},
                                      {13, "0 2 1 (1)", "0 1 2 (2)"}, {16, "0 2 1 (1)", "1 2 0 (1)"},
                                      {26, "0 2 1 (1)", "1 0 2 (2)"}, {29, "0 1 2 (2)", "1 0 2 (2)"},
                                      {32, "1 2 0 (1)", "1 0 2 (2)"}, {35, "1 2 0 (1)", "0 2 1 (1)"}};
const std::vector<Row> kWithToggle{{4, "0 1 2", "0 1 2"},          {7, "1 0 2 (1)", "0 1 2 (1)"},
                                   {8, "1 0 2 (1)", "0 1 2 (2)"},  {10, "0 2 1 (1)", "0 1 2 (2)"},
                                   {13, "0 2 1 (1)", "0 1 2 (2)"}, {16, "0 2 1 (1)", "1 2 0 (1)"},
                                   {26, "0 2 1 (1)", "1 2 0 (1)"}, {29, "0 2 1 (1)", "1 2 0 (1)"},
                                   {32, "2 1 0 (1)", "1 2 0 (1)"}, {35, "2 1 0 (1)", "2 0 1 (1)"}};

TEST(SawsGolden, FirstExampleWithoutToggle) { run_first_example(false, 1, kWithoutToggle, true); }
TEST(SawsGolden, FirstExampleWithToggle) { run_first_example(true, 1, kWithToggle, true); }
TEST(SawsGolden, FirstExampleHasTheSameOrdersWhenTheRegisterMayReachZero) {
  run_first_example(false, 0, kWithoutToggle, false);
  run_first_example(true, 0, kWithToggle, false);
}

/// The second example: CTAs A to F with two warps on each of four schedulers. Its list operations do not belong to
/// complete barriers: the first hit of A, which has no row, must not promote. It is lost in a full queue, before the
/// switch to SAWS, together with the CTA Z that fills the queue.
class SecondExample : public Bench {
 public:
  static constexpr unsigned kA = 0, kB = 1, kC = 2, kD = 3, kE = 4, kG = 6, kZ = 7;

  SecondExample() : Bench(params(4, 64, 8, 1)) {
    start(kAuto).step();
    for (unsigned cta = 0; cta < 6; ++cta) place(cta, warps_of(cta)).step();
    ready(warp_mask({warp(kA, 0), warp(kB, 1), warp(kC, 2), warp(kA, 3)})).acknowledge(15).step().ready(0);
    // The message of Z waits, because CTA operations have priority, and fills the queue of scheduler 0.
    place(kZ, warps_of(kZ)).step();
    block(warp(kZ, 0)).place(kZ, 1).step();  // the placement is illegal, but holds messages back
    EXPECT_EQ(look().wev_ready, 0xe);
    block(warp(kA, 0)).place(kZ, 1).step();  // its toggle flips, its message is lost
    EXPECT_EQ(take_errors(), unsigned(kErrorCta | kErrorMessage));
    unblock({warp(kA, 0)}).release(kZ).step();
    step();  // the mode switches because of a message that changes nothing
    EXPECT_EQ(look().mode_saws, 1);
    step();  // which goes
    EXPECT_EQ(look().wev_ready, 0xf);
  }

  /// Returns warp `nth` (0, 1) of a CTA on a scheduler.
  static unsigned warp(unsigned cta, unsigned scheduler, unsigned nth = 0) { return 8 * cta + 4 * nth + scheduler; }
  static std::uint64_t warps_of(unsigned cta) { return std::uint64_t{0xff} << 8 * cta; }

  void expect(const char* row, const char* sc0, const char* sc1, const char* sc2, const char* sc3) {
    EXPECT_EQ(letters(0), sc0) << row;
    EXPECT_EQ(letters(1), sc1) << row;
    EXPECT_EQ(letters(2), sc2) << row;
    EXPECT_EQ(letters(3), sc3) << row;
  }

 private:
  [[nodiscard]] std::string letters(unsigned scheduler) const {
    const std::string text = order(scheduler);
    std::string result;
    for (const char c : text.substr(0, text.find(" ("))) {
      if (c != ' ') result += static_cast<char>('A' + (c - '0'));
    }
    return result + text.substr(text.find(" (") + 1);
  }
};

// An event of a warp is in its queue in the next cycle, and its message takes effect in the one after: two steps.
TEST(SawsGolden, SecondExampleOnFourSchedulers) {
  SecondExample b;
  constexpr unsigned kA = SecondExample::kA, kB = SecondExample::kB, kD = SecondExample::kD, kE = SecondExample::kE,
                     kG = SecondExample::kG;
  const auto warp = [](unsigned cta, unsigned scheduler, unsigned nth = 0) {
    return SecondExample::warp(cta, scheduler, nth);
  };
  b.expect("0 start", "ABCDEF(1)", "BACDEF(1)", "CABDEF(1)", "ABCDEF(1)");
  b.block(warp(kD, 1)).steps(2);
  b.expect("1 first hit of D on 1", "ADBCEF(2)", "BACDEF(1)", "CDABEF(2)", "ADBCEF(2)");
  b.block(warp(kE, 3)).steps(2);
  b.expect("2 first hit of E on 3", "ADEBCF(3)", "BEACDF(2)", "CDEABF(3)", "ADBCEF(2)");
  b.block(warp(kA, 0)).steps(2);  // the second hit of A: not promoted
  b.expect("2, still", "ADEBCF(3)", "BEACDF(2)", "CDEABF(3)", "ADBCEF(2)");
  b.block(warp(kA, 0, 1)).steps(2);
  b.expect("3 A all blocked on 0", "DEBCFA(2)", "BEACDF(2)", "CDEABF(3)", "ADBCEF(2)");
  b.block(warp(kD, 1, 1)).steps(2);
  b.expect("4 D all blocked on 1", "DEBCFA(2)", "BEACFD(2)", "CDEABF(3)", "ADBCEF(2)");
  b.unblock({warp(kA, 0), warp(kA, 0, 1)}).step();
  b.block(warp(kA, 2)).steps(2);
  b.expect("5 first hit of A on 2", "DEABCF(3)", "BEACFD(3)", "CDEABF(3)", "ADBCEF(2)");
  b.block(warp(kE, 3, 1)).steps(2);
  b.expect("6 E all blocked on 3", "DEABCF(3)", "BEACFD(3)", "CDEABF(3)", "ADBCFE(2)");
  b.block(warp(kD, 0)).steps(2);
  b.block(warp(kD, 0, 1)).steps(2);
  b.expect("7 D all blocked on 0", "EABCFD(2)", "BEACFD(3)", "CDEABF(3)", "ADBCFE(2)");
  b.block(warp(kA, 3)).step();
  b.block(warp(kA, 3, 1)).steps(2);
  b.expect("8 A all blocked on 3", "EABCFD(2)", "BEACFD(3)", "CDEABF(3)", "DBCFEA(1)");
  b.unblock({warp(kD, 0), warp(kD, 0, 1), warp(kD, 1), warp(kD, 1, 1)}).step();
  b.block(warp(kD, 2)).steps(2);
  b.expect("9 second barrier of D on 2", "EABCFD(2)", "BEACFD(3)", "CDEABF(3)", "DBCFEA(1)");
  b.release(kB).step();
  b.expect("10 B is freed", "EACFD(2)", "EACFD(2)", "CDEAF(3)", "DCFEA(1)");
  b.place(kG, SecondExample::warps_of(kG)).step();
  b.expect("11 G is placed", "EACFDG(2)", "EACFDG(2)", "CDEAFG(3)", "DCFEAG(1)");
  b.block(warp(kG, 0)).steps(2);
  b.expect("12 first hit of G on 0", "EACFDG(2)", "EAGCFD(3)", "CDEGAF(4)", "DGCFEA(2)");
  b.block(warp(kG, 1)).step();
  b.block(warp(kG, 1, 1)).steps(2);
  b.expect("13 G all blocked on 1", "EACFDG(2)", "EACFDG(2)", "CDEGAF(4)", "DGCFEA(2)");
  EXPECT_EQ(b.take_errors(), 0U);
}

}  // namespace
}  // namespace castor::saws::test::engine_golden_test
