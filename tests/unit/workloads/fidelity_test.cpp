// Published values and how machines are judged by them: the files that are compiled in, and small ones made for the
// tests.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "castor/base/error.h"
#include "workloads/fidelity/judge.h"

namespace castor::workloads::fidelity::fidelity_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const char* const kRows = R"(
sources:
  - {source: study, authors: A. Author, title: A Study, where: Somewhere 2017}
rows:
  - {row: chains.add, title: dependent add, unit: clocks}
  - {row: rates.add, title: rate of add, unit: lanes per clock}
  - {row: copies.all, title: copy, unit: GB/s}
  - {row: blocks.most, title: blocks, unit: blocks, rule: equal}
)";

std::string chip(const std::string& more, const std::string& value = "9") {
  return "machine: kepler\nchip: A Kepler\ngeneration: Kepler\nclocks_per_tick: 1\nvalues:\n"
         "  - {row: chains.add, value: " +
         value + ", chip: K40, source: study, place: table 1, class: read}\n" + more;
}

Published read(const std::string& text, const std::string& rows = kRows) {
  return read_published({{"rows.yaml", rows}, {"kepler.yaml", text}});
}

std::string error_of(const std::string& text, const std::string& rows = kRows) {
  try {
    (void)read(text, rows);
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(PublishedValues, ThoseOfTheTreeAreReadWithSourceAndChip) {
  const Published published = read_published(data_files());
  std::set<std::string> generations;
  for (const Chip& one : published.chips) {
    generations.insert(one.generation);
    EXPECT_FALSE(one.curve.points.empty()) << one.machine;
    for (const Value& value : one.values) {
      const Source* const source = published.find_source(value.source);
      ASSERT_NE(source, nullptr) << value.source;
      EXPECT_FALSE(source->authors.empty() || source->title.empty() || value.place.empty() || value.chip.empty());
    }
    for (const Reason& reason : one.reasons) EXPECT_NE(one.value_of(reason.row), nullptr) << reason.row;
  }
  EXPECT_THAT(generations, ElementsAre("Fermi", "Kepler", "Maxwell", "Pascal", "Turing"));
}

TEST(PublishedValues, ParametersOfModelsAreNeverCompared) {
  const std::string model = "  - {row: rates.add, value: 32, chip: K40, source: study, place: x, class: model}\n";
  const Published published = read(chip(model));
  EXPECT_EQ(published.chips[0].value_of("rates.add"), nullptr);
  EXPECT_EQ(compare(published, published.chips[0], {{"rates.add", 64}})[1].judgement, Judgement::kNoValue);
  // Behind one that was measured, and before it.
  const Published mixed = read(chip(
      model + "  - {row: rates.add, value: 64, chip: K40, source: study, place: x, class: quoted, set: [a.key]}\n"));
  EXPECT_EQ(mixed.chips[0].value_of("rates.add")->low, 64);
}

struct Wrong {
  const char* name;
  std::string text, said, rows = kRows;
};

class WrongData : public testing::TestWithParam<Wrong> {};

TEST_P(WrongData, IsRefusedWithPlaceAndReason) {
  EXPECT_THAT(error_of(GetParam().text, GetParam().rows), HasSubstr(GetParam().said));
}

const char* const kValue = "  - {row: rates.add, value: 9, chip: K40, source: study, place: x, class: ";
INSTANTIATE_TEST_SUITE_P(
    PublishedValues, WrongData,
    testing::Values(
        Wrong{"row", chip("  - {row: rates.mul, value: 9, chip: K40, source: study, place: x, class: read}\n"),
              "kepler.yaml:7:11: error no row 'rates.mul'"},
        Wrong{"source", chip("  - {row: rates.add, value: 9, chip: K40, source: me, place: x, class: read}\n"),
              "no source 'me'"},
        Wrong{"no_source", chip("  - {row: rates.add, value: 9, chip: K40, place: x, class: read}\n"),
              "key 'source' is missing"},
        Wrong{"no_chip", chip("  - {row: rates.add, value: 9, source: study, place: x, class: read}\n"),
              "key 'chip' is missing"},
        Wrong{"unknown_key", chip("colour: red\n"), "unknown key 'colour'"},
        Wrong{"standing", chip(std::string(kValue) + "guessed}\n"), "one of read, quoted, model"},
        Wrong{"model_sets", chip(std::string(kValue) + "model, set: [oc_cycles]}\n"), "sets nothing"},
        Wrong{"second_sets",
              chip("  - {row: chains.add, value: 8, chip: K80, source: study, place: x, class: read, "
                   "set: [oc_cycles]}\n"),
              "not the value that is compared"},
        Wrong{"second_follows",
              chip("  - {row: chains.add, value: 8, chip: K80, source: study, place: x, class: read, "
                   "follows: [oc_cycles]}\n"),
              "not the value that is compared"},
        Wrong{"set_and_follows", chip(std::string(kValue) + "read, set: [oc_cycles], follows: [units.sp]}\n"),
              "set already"},
        Wrong{"number", chip("", "nine"), "'nine' is no number above 0"},
        Wrong{"zero", chip("", "0"), "no number above 0"}, Wrong{"interval", chip("", "[9, 8]"), "wrong order"},
        Wrong{"three_ends", chip("", "[7, 8, 9]"), "two ends"},
        Wrong{"reason", chip("reasons:\n  - {row: rates.add, reason: because}\n"),
              "a reason for a row without a value"},
        Wrong{"two_reasons", chip("reasons:\n  - {row: chains.add, reason: a}\n  - {row: chains.add, reason: b}\n"),
              "two reasons"},
        Wrong{"like", chip("like: fermi\n"), "kepler is like 'fermi'"},
        Wrong{"curve", chip("curve: {chip: K40, source: study, place: x, class: read, points: [[8, 9], [4, 9]]}\n"),
              "by size"},
        Wrong{"yaml", "machine: [", "kepler.yaml:"},
        Wrong{"row_twice", chip(""), "row 'chains.add' stands twice",
              std::string(kRows) + "  - {row: chains.add, title: again, unit: clocks}\n"},
        Wrong{"row_name", chip(""), "benchmark.figure",
              std::string(kRows) + "  - {row: add, title: add, unit: clocks}\n"}),
    [](const testing::TestParamInfo<Wrong>& info) { return std::string(info.param.name); });

TEST(PublishedValues, OneFileForEachMachine) {
  EXPECT_THROW((void)read_published({{"rows.yaml", kRows}, {"a.yaml", chip("")}, {"b.yaml", chip("")}}),
               base::InputError);
  EXPECT_THROW((void)read_published({{"a.yaml", chip("")}}), base::InputError);
}

TEST(PublishedValues, AChipLikeAnotherHasWhatDoesNotDependOnTheBoard) {
  const std::string first = chip(
      "  - {row: copies.all, value: 170, chip: K20, source: study, place: x, class: read}\n"
      "  - {row: rates.add, value: 192, chip: K20, source: study, place: x, class: read}\n"
      "reasons:\n  - {row: copies.all, reason: a}\n  - {row: rates.add, reason: b}\n");
  const std::string second =
      "machine: other\nchip: Another\ngeneration: Kepler\nclocks_per_tick: 1\nlike: kepler\nvalues:\n"
      "  - {row: chains.add, value: 10, chip: Titan, source: study, place: x, class: read}\n";
  const Published published = read_published({{"rows.yaml", kRows}, {"1.yaml", first}, {"2.yaml", second}});
  const Chip& other = *published.find_chip("other");
  EXPECT_EQ(other.value_of("chains.add")->low, 10);
  EXPECT_EQ(other.value_of("rates.add")->low, 192);
  EXPECT_EQ(other.value_of("copies.all"), nullptr);
  EXPECT_NE(other.reason_of("rates.add"), nullptr);
  EXPECT_EQ(other.reason_of("copies.all"), nullptr);
}

Compared first_row(const std::string& text, double figure, const char* row = "chains.add") {
  static Published published;
  published = read(text);
  for (const Compared& one : compare(published, published.chips[0], {{row, figure}})) {
    if (one.row->name == row) return one;
  }
  return {};
}

TEST(Fidelity, FifteenPercentIsWithinAndHalfIsNotFar) {
  EXPECT_EQ(first_row(chip("", "100"), 115).judgement, Judgement::kWithin);
  EXPECT_EQ(first_row(chip("", "100"), 85).judgement, Judgement::kWithin);
  EXPECT_EQ(first_row(chip("", "100"), 115.1).judgement, Judgement::kBeyond);
  EXPECT_EQ(first_row(chip("", "100"), 84.9).judgement, Judgement::kBeyond);
  EXPECT_EQ(first_row(chip("", "100"), 150).judgement, Judgement::kBeyond);
  EXPECT_EQ(first_row(chip("", "100"), 49).judgement, Judgement::kFar);
  EXPECT_EQ(first_row(chip("", "100"), 151).judgement, Judgement::kFar);
}

TEST(Fidelity, AnIntervalIsComparedByItsNearerEnd) {
  EXPECT_DOUBLE_EQ(first_row(chip("", "[90, 100]"), 95).deviation, 0);
  EXPECT_NEAR(first_row(chip("", "[90, 100]"), 110).deviation, 0.1, 1e-12);
  EXPECT_NEAR(first_row(chip("", "[90, 100]"), 81).deviation, -0.1, 1e-12);
}

TEST(Fidelity, CountsAreEqual) {
  const std::string blocks = "  - {row: blocks.most, value: 16, chip: K40, source: study, place: x, class: read}\n";
  EXPECT_EQ(first_row(chip(blocks), 16, "blocks.most").judgement, Judgement::kWithin);
  EXPECT_EQ(first_row(chip(blocks), 15, "blocks.most").judgement, Judgement::kBeyond);
}

TEST(Fidelity, FiguresAreOfTheClockOfTheChip) {
  std::string text = chip("  - {row: rates.add, value: 32, chip: K40, source: study, place: x, class: read}\n", "18");
  text.replace(text.find("clocks_per_tick: 1"), 18, "clocks_per_tick: 2");
  EXPECT_DOUBLE_EQ(first_row(text, 9).ours, 18);
  EXPECT_DOUBLE_EQ(first_row(text, 64, "rates.add").ours, 32);
}

TEST(Fidelity, RowsAreCountedByWhatIsKnownOfThem) {
  const Published published =
      read(chip("  - {row: rates.add, value: 192, chip: K40, source: study, place: x, class: quoted, set: [units.sp]}\n"
                "  - {row: copies.all, value: 100, chip: K40, source: study, place: x, class: read}\n"));
  const Counts counts =
      count(compare(published, published.chips[0], {{"chains.add", 9}, {"rates.add", 100}, {"copies.all", 160}}));
  EXPECT_EQ(counts.all.rows, 3U);
  EXPECT_EQ(counts.all.within, 1U);
  EXPECT_EQ(counts.set.rows, 1U);
  EXPECT_EQ(counts.set.within, 0U);
  EXPECT_EQ(counts.predicted.rows, 2U);
  EXPECT_EQ(counts.read.rows, 2U);
  EXPECT_EQ(counts.quoted.rows, 1U);
  EXPECT_EQ(counts.far, 1U);
  EXPECT_FALSE(counts.enough());
  // A result that another row of the source already determines does not count as a prediction.
  const Published decided = read(
      chip("  - {row: rates.add, value: 192, chip: K40, source: study, place: x, class: read, follows: [units.sp]}\n"));
  const Counts rest = count(compare(decided, decided.chips[0], {{"chains.add", 9}, {"rates.add", 192}}));
  EXPECT_EQ(rest.follows.rows, 1U);
  EXPECT_EQ(rest.follows.within, 1U);
  EXPECT_EQ(rest.set.rows, 0U);
  EXPECT_EQ(rest.predicted.rows, 1U);
  // Four in five are enough.
  Counts four;
  four.all = {5, 4};
  EXPECT_TRUE(four.enough());
  four.all = {5, 3};
  EXPECT_FALSE(four.enough());
  // A result that was not measured counts nowhere.
  EXPECT_EQ(count(compare(published, published.chips[0], {{"chains.add", 9}})).all.rows, 1U);
}

TEST(Fidelity, ARowBeyondNeedsItsReasonAndAFarOneWhatIsMissing) {
  const auto broken = [](const std::string& more, double figure) {
    const Published published = read(chip(more, "100"));
    return without_reason(published.chips[0], compare(published, published.chips[0], {{"chains.add", figure}}));
  };
  const std::string reason = "reasons:\n  - {row: chains.add, reason: because}\n",
                    missing = "reasons:\n  - {row: chains.add, reason: because, missing: a cache}\n";
  EXPECT_THAT(broken("", 110), IsEmpty());
  EXPECT_THAT(broken("", 120), ElementsAre("kepler: chains.add: +20 % without a reason"));
  EXPECT_THAT(broken(reason, 120), IsEmpty());
  EXPECT_THAT(broken(reason, 160), ElementsAre("kepler: chains.add: +60 % without the name of what is missing"));
  EXPECT_THAT(broken(missing, 160), IsEmpty());
}

TEST(Fidelity, AReasonThatNoRowNeedsIsTold) {
  const Published published = read(chip("reasons:\n  - {row: chains.add, reason: because}\n"));
  EXPECT_THAT(needless_reasons(published.chips[0], compare(published, published.chips[0], {{"chains.add", 9}})),
              ElementsAre("kepler: chains.add"));
  EXPECT_THAT(needless_reasons(published.chips[0], compare(published, published.chips[0], {{"chains.add", 20}})),
              IsEmpty());
}

}  // namespace
}  // namespace castor::workloads::fidelity::fidelity_test
