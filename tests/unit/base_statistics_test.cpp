#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "castor/base/statistics.h"

namespace castor::base::base_statistics_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(Histogram, BinsArePowersOfTwo) {
  StatisticGroup root("gpu");
  Histogram wait(root, {"wait", "cycles", "from launch to placement"}, 6);
  for (const std::uint64_t value : {0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 1000}) wait.record(value);
  wait.record(5, 10);
  // 0 | 1 | 2-3 | 4-7 | 8-15 | 16 and above
  const std::vector<std::uint64_t> expected = {1, 1, 2, 12, 2, 3};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(wait.bin(i), expected[i]) << i;
  EXPECT_EQ(wait.count(), 21U);
  EXPECT_EQ(wait.sum(), 1087U + 50U);
  EXPECT_EQ(wait.largest(), 1000U);
  EXPECT_EQ(json::parse(root.json())["wait"],
            json::parse(R"({"count":21,"sum":1137,"largest":1000,"from_0":1,"from_1":1,"from_2":2,"from_4":12,
                            "from_8":2,"from_16":3})"));
  EXPECT_EQ(json::parse(root.json_legend())["wait"]["unit"], "cycles");
  EXPECT_THAT(root.text(), HasSubstr("wait 21 cycles  # from launch to placement\nwait.count 21\nwait.sum 1137\n"));
  root.reset();
  EXPECT_EQ(wait.count() + wait.sum() + wait.largest() + wait.bin(3), 0U);
}

TEST(Histogram, HoldsTheLargestNumbers) {
  StatisticGroup root("gpu");
  Histogram all(root, {"all", "", "values"}, 65);
  all.record(~std::uint64_t{0});
  all.record(std::uint64_t{1} << 63U);
  all.record((std::uint64_t{1} << 63U) - 1);
  EXPECT_EQ(all.bin(64), 2U);
  EXPECT_EQ(all.bin(63), 1U);
  EXPECT_EQ(all.part_name(3 + 64), "from_9223372036854775808");
}

TEST(CounterArray, IsAnArrayInReports) {
  StatisticGroup root("gpu");
  CounterArray issued(root, {"issued", "instructions", "by entry"}, 4);
  issued[1] += 5;
  ++issued[3];
  EXPECT_EQ(json::parse(root.json())["issued"], json::parse("[0,5,0,1]"));
  EXPECT_EQ(root.text(), "issued 6 instructions  # by entry\nissued[1] 5\nissued[3] 1\n");
  EXPECT_EQ(root.find("issued")->integer(), 6U);
  root.reset();
  EXPECT_EQ(issued.integer(), 0U);
}

TEST(CounterArray, HashSeesEveryElement) {
  const auto hash = [](std::size_t index) {
    StatisticGroup root("gpu");
    CounterArray array(root, {"a", "", "count"}, 4);
    array[index] = 1;
    return root.hash();
  };
  EXPECT_EQ(hash(1), hash(1));
  EXPECT_NE(hash(1), hash(2));
}

TEST(Total, SumsOneStatisticOverGroups) {
  StatisticGroup root("gpu");
  const Total total(root, {"issued", "", "all SMs"}, root, "sm", "core.issued");
  std::deque<StatisticGroup> groups;
  std::deque<Counter> counters;
  for (unsigned i = 0; i < 13; ++i) {
    StatisticGroup& sm = groups.emplace_back(root, "sm" + std::to_string(i));
    StatisticGroup& core = groups.emplace_back(sm, "core");
    counters.emplace_back(core, StatisticInfo{"issued", "", "instructions"}) += i;
  }
  StatisticGroup& slice = groups.emplace_back(root, "slice0");
  StatisticGroup& core = groups.emplace_back(slice, "core");
  counters.emplace_back(core, StatisticInfo{"issued", "", "no SM's"}) += 1000;
  const StatisticGroup& without = groups.emplace_back(root, "sm_none");
  (void)without;
  EXPECT_EQ(total.integer(), 78U);
  counters.clear();
  while (!groups.empty()) groups.pop_back();
  EXPECT_EQ(total.integer(), 0U);
}

TEST(Statistics, AreDeclaredAndDestroyedByTheThousand) {
  std::deque<std::string> names;
  for (unsigned i = 0; i < 5000; ++i) names.push_back("counter" + std::to_string(i));
  const auto start = std::chrono::steady_clock::now();
  {
    StatisticGroup root("gpu");
    std::deque<StatisticGroup> groups;
    std::deque<Counter> counters;
    for (unsigned sm = 0; sm < 13; ++sm) {
      StatisticGroup& group = groups.emplace_back(root, "sm" + std::to_string(sm));
      for (const std::string& name : names) counters.emplace_back(group, StatisticInfo{name.c_str(), "", "count"});
    }
    ++counters.back();
    EXPECT_EQ(root.groups().size(), 13U);
    EXPECT_EQ(groups.back().statistics().size(), names.size());
    ASSERT_NE(root.find("sm12.counter4999"), nullptr);
    EXPECT_EQ(root.find("sm12.counter4999")->integer(), 1U);
    while (!counters.empty()) counters.pop_back();
    EXPECT_TRUE(groups.front().statistics().empty());
    EXPECT_EQ(root.find("sm12.counter4999"), nullptr);
    while (!groups.empty()) groups.pop_back();
    EXPECT_TRUE(root.groups().empty());
  }
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  std::cout << "13 x 5000 counters: " << took.count() << " ms\n";  // informative only; ctest's time limit catches
                                                                   // absurd values
}

}  // namespace
}  // namespace castor::base::base_statistics_test
