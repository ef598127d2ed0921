#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "platforms/experiments/plot.h"
#include "platforms/experiments/progress.h"
#include "platforms/experiments/run_table.h"
#include "workloads/spread.h"

namespace castor::platforms::experiments {
namespace {

using testing::HasSubstr;
using testing::Not;
using workloads::Spread;

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

TEST(Confidence, IsStudentsIntervalOfTheMean) {
  // 97.5 % points of the t distribution, from printed tables.
  for (const auto& [count, point] : {std::pair{2U, 12.706}, {3U, 4.303}, {5U, 2.776}, {10U, 2.262}, {31U, 2.042}}) {
    EXPECT_NEAR(workloads::confidence(Spread{7, 2, count}) * std::sqrt(count) / 2, point, 5e-4) << count;
  }
  EXPECT_TRUE(std::isinf(workloads::confidence(Spread{7, 0, 1}))) << "one value says nothing of others";
}

experiments::Run run_of(const char* program, const char* policy, unsigned seed) {
  experiments::Run run;
  run.parameters = {{"program", program}, {"policy", policy}, {"seed", seed}};
  return run;
}

TEST(RunTable, GivesBackWhatWasWritten) {
  std::vector<experiments::Run> runs(2);
  runs[0].name = "first";
  runs[0].parameters = {{"number", 5},           {"text", "5"},         {"empty", ""},
                        {"quotes", "a \"b\""},   {"comma", "a, b"},     {"lines", "a\nb"},
                        {"list", {1, "x", "y"}}, {"a \"b\"", "column"}, {"truth", "true"}};
  runs[0].result = {{"cycles", 7}, {"nested", {{"a/b", 1.5}, {"~1", false}}}};
  runs[1].name = "second";
  runs[1].parameters = {{"number", -1}, {"text", "null"}};
  runs[1].result = {{"cycles", 8}, {"more", "\""}};
  const std::vector<experiments::Run> read = read_runs(write_runs(runs), "table");
  ASSERT_EQ(read.size(), runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    EXPECT_EQ(read[i].name, runs[i].name);
    EXPECT_EQ(read[i].parameters.dump(), runs[i].parameters.dump());
    EXPECT_EQ(read[i].result.dump(), runs[i].result.dump());
  }
}

TEST(Estimate, TakesTheRunsThatHaveMostInCommon) {
  std::vector<experiments::Run> runs = {run_of("lps", "GTO", 1), run_of("sad", "GTO", 1), run_of("lps", "GTO", 2),
                                        run_of("sad", "GTO", 2), run_of("ray", "LRR", 9)};
  std::vector<experiments::Run*> pointers;
  pointers.reserve(runs.size());
  for (experiments::Run& run : runs) pointers.push_back(&run);
  Estimate estimate(pointers);
  EXPECT_EQ(estimate.seconds_of(2), 0) << "nothing is known";
  estimate.finished(0, 10);
  EXPECT_EQ(estimate.seconds_of(2), 10);
  EXPECT_EQ(estimate.seconds_of(3), 10) << "the only one";
  estimate.finished(1, 2);
  EXPECT_EQ(estimate.seconds_of(2), 10) << "program and policy are the same";
  EXPECT_EQ(estimate.seconds_of(3), 2);
  EXPECT_EQ(estimate.seconds_of(4), 6) << "nothing in common with either: their mean";
}

TEST(Estimate, IsToldInUnitsThatPeopleUse) {
  EXPECT_EQ(duration_text(0.4), "0 s");
  EXPECT_EQ(duration_text(59.4), "59 s");
  EXPECT_EQ(duration_text(59.6), "1 min 0 s");
  EXPECT_EQ(duration_text(200), "3 min 20 s");
  EXPECT_EQ(duration_text(8040), "2 h 14 min");
}

/// Returns the limits of the y axis that a plot script sets.
std::pair<double, double> y_range(const std::string& script) {
  const std::string word = "set yrange [";
  const std::size_t at = script.find(word) + word.size(), colon = script.find(':', at);
  return {std::stod(script.substr(at)), std::stod(script.substr(colon + 1))};
}

Plot small_effect() {
  Plot plot;
  plot.file = "effect";
  plot.base = 1;
  plot.groups = {"a", "b"};
  plot.series.resize(1);
  plot.series[0].name = "ours";
  return plot;
}

TEST(Bars, BeginAtTheBaseAndTheAxisShowsTheEffect) {
  Plot plot = small_effect();
  plot.series[0].add(Spread{1.01, 0.001, 3}, kNothing);
  plot.series[0].add(Spread{0.995, 0.001, 3}, kNothing);
  const std::string script = gnuplot_script(plot);
  const auto [low, high] = y_range(script);
  EXPECT_GT(low, 0.98);
  EXPECT_LT(low, 0.995);
  EXPECT_GT(high, 1.01);
  EXPECT_LT(high, 1.02);
  EXPECT_THAT(script, HasSubstr("0 1.01 -0.378 0.378 1 1.01\n"));
  EXPECT_THAT(script, HasSubstr("1 0.995 0.622 1.378 0.995 1\n"));
  EXPECT_THAT(script, HasSubstr("background '#ffffff'"));
  EXPECT_THAT(script, Not(HasSubstr("'source'")));
}

TEST(Bars, HaveIntervalsAndMarksOfTheSource) {
  Plot plot = small_effect();
  plot.series[0].add(Spread{1.01, 0.001, 3}, 1.09);
  plot.series[0].add(Spread{1.02, 0, 1}, kNothing);
  const std::string script = gnuplot_script(plot);
  EXPECT_GT(y_range(script).second, 1.09) << "the source's figure is on the picture";
  EXPECT_THAT(script, HasSubstr("$source0 << EOD\n0 1.09\nEOD"));
  EXPECT_THAT(script, HasSubstr("title 'source'"));
  // 4.3027 x 0.001 / sqrt(3); of one run there is none.
  EXPECT_THAT(script, HasSubstr("0 1.007515862\n0 1.012484138\n"));
  EXPECT_THAT(script, Not(HasSubstr("1 1.02\n1 1.02\n")));
  EXPECT_THAT(script, HasSubstr("title '95 % confidence'"));
}

TEST(Bars, OfAnIntervalThatWouldPressThemFlatTheEndIsCutOff) {
  Plot plot = small_effect();
  plot.series[0].add(Spread{1.01, 0.5, 2}, kNothing);
  plot.series[0].add(Spread{1.02, 0.001, 2}, kNothing);
  const auto [low, high] = y_range(gnuplot_script(plot));
  EXPECT_GT(low, 0.99);
  EXPECT_LT(high, 1.03);
}

TEST(Bars, WhoseIntervalIsCutHaveAHeadAtTheAxis) {
  Plot plot = small_effect();
  plot.series[0].add(Spread{1.01, 0.5, 2}, kNothing);
  plot.series[0].add(Spread{1.02, 0.0001, 2}, kNothing);
  const std::string script = gnuplot_script(plot);
  const auto [low, high] = y_range(script);
  EXPECT_THAT(script, HasSubstr("$above0 << EOD\n0 "));
  EXPECT_THAT(script, HasSubstr("$below0 << EOD\n0 "));
  EXPECT_THAT(script, HasSubstr("title 'goes on beyond the axis'"));
  EXPECT_GT(low, 0.9) << "the interval of the first bar begins far below";
  EXPECT_LT(high, 1.1);
  plot.series[0].confidence[0] = 0.001;
  EXPECT_THAT(gnuplot_script(plot), Not(HasSubstr("beyond the axis"))) << "nothing is cut";
}

TEST(Bars, OfSharesStandOnAnAxisFrom0To100) {
  Plot plot = small_effect();
  plot.base = 0;
  plot.percent = true;
  plot.series[0].add(Spread{96, 40, 2}, kNothing);
  plot.series[0].add(Spread{3, 4, 2}, kNothing);
  EXPECT_EQ(y_range(gnuplot_script(plot)), (std::pair{0.0, 100.0}));
  plot.series[0].values[1] = -10;
  EXPECT_LT(y_range(gnuplot_script(plot)).first, -10) << "a share of what was lost";
}

TEST(Bars, OnALogarithmicAxisShowWhatTheFiguresAreLogarithmsOf) {
  Plot plot = small_effect();
  plot.base = 0;
  plot.log_y = true;
  plot.series[0].add(Spread{3, 0.1, 1}, kNothing);
  plot.series[0].add(Spread{-1, 0.1, 1}, kNothing);
  const std::string script = gnuplot_script(plot);
  EXPECT_THAT(script, HasSubstr("set logscale y 2\n"));
  EXPECT_THAT(script, HasSubstr("0 8 -0.378 0.378 1 8\n"));
  EXPECT_THAT(script, HasSubstr("1 0.5 0.622 1.378 0.5 1\n"));
  EXPECT_THAT(script, HasSubstr("plot 1 with lines"));
}

TEST(Pictures, HaveEightSeriesAtMostThoseNamedFirst) {
  Plot plot;
  for (const char* const name : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}) {
    plot.series.emplace_back();
    plot.series.back().name = name;
  }
  plot.series.emplace_back();
  plot.series.back().marks = true;
  plot.title = "Ten";
  limit_series(plot, {"j", "i"});
  std::string names;
  for (const Plot::Series& series : plot.series) names += series.name;
  EXPECT_EQ(names, "abcdefij");
  EXPECT_TRUE(plot.series.back().marks) << "the source's does not count";
  EXPECT_EQ(plot.title, "Ten (8 of 10)");
  limit_series(plot);
  EXPECT_EQ(plot.title, "Ten (8 of 10)");
}

TEST(Pictures, KeepWhatIsSeen) {
  EXPECT_EQ(
      compact_svg("<svg\n width='1'>\n\n  <!-- made by -->\n\t<path id='gpPt1' d='M0'/>\n\t<path id='gpPt2' d='M1'/>\n"
                  "<g fill='none'>\n</g>\n<g fill='red'>\n<use xlink:href='#gpPt2'/>\n</g>\n</svg>\n"),
      "<svg\nwidth='1'>\n<path id='gpPt2' d='M1'/>\n<g fill='red'>\n<use xlink:href='#gpPt2'/>\n</g>\n</svg>\n");
}

TEST(Bars, WithoutARunAreLeftOut) {
  Plot plot = small_effect();
  plot.series[0].add(Spread{}, kNothing);
  plot.series[0].add(Spread{1.02, 0.001, 2}, kNothing);
  const std::string script = gnuplot_script(plot);
  EXPECT_THAT(script, Not(HasSubstr("NaN\n")));
  EXPECT_THAT(script, HasSubstr("$bars0 << EOD\n1 1.02 "));
}

TEST(Lines, ShowASourceAsPoints) {
  Plot plot;
  plot.kind = Plot::Kind::kLines;
  plot.series.resize(2);
  plot.series[0].name = "a \"chip\"";
  plot.series[0].marks = true;
  plot.series[1].name = "ours";
  for (Plot::Series& series : plot.series) {
    series.x = {1, 2};
    series.values = {3, 4};
  }
  const std::string script = gnuplot_script(plot);
  EXPECT_THAT(script, HasSubstr("plot $data0 with points "));
  EXPECT_THAT(script, HasSubstr("title \"a \\\"chip\\\"\""));
  EXPECT_THAT(script, HasSubstr(", $data1 with linespoints "));
}

}  // namespace
}  // namespace castor::platforms::experiments
