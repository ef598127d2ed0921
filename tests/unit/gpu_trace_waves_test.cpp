#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "castor/base/error.h"
#include "castor/base/rng.h"
#include "castor/gpu/trace/wave_file.h"
#include "tests/unit/gpu_trace_support.h"

namespace castor::gpu::gpu_trace_waves_test {
namespace {

using base::Cycle;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

int check(const TemporaryPath& dump, const std::string& expected) {
  const TemporaryPath file(".txt");
  std::ofstream(file.path()) << expected;
  return run_script("tests/unit/check_waves.py", "'" + dump.path() + "' '" + file.path() + "'");
}

/// One value fewer than the signal has.
constexpr const char* kStates[] = {"Idle", "Busy", "Done"};

/// Signals of every type that change at random, with the values that were driven.
struct Signals {
  bool flag = false;
  std::uint8_t byte = 0;
  std::uint16_t half = 0;
  std::uint32_t word = 0;
  std::uint64_t wide = 0;
  std::int32_t negative = 0;
  std::uint32_t still = 5;
  std::ostringstream expected;

  void add_to(Waves& waves) {
    waves.add("gpu", "flag", 1, &flag);
    waves.add("gpu.sm1.lsu", "byte", 8, &byte);
    waves.add("gpu.sm0", "half", 12, &half);
    waves.add("gpu.sm1", "word", 32, &word);
    waves.add("gpu.sm0", "wide", 64, &wide);
    waves.add("gpu.sm0.lsu", "negative", 32, &negative);
    waves.add("gpu.sm0.lsu", "still", 3, &still);
    waves.add("gpu", "sum", 16, [this] { return byte + half; });
    waves.add(
        "gpu.sm0", "state", 3, [this] { return std::uint64_t{word % 4}; }, base::ValueNames(kStates));
    expected << "var gpu.flag 1\nvar gpu.sm1.lsu.byte 8\nvar gpu.sm0.half 12\nvar gpu.sm1.word 32\nvar gpu.sm0.wide "
                "64\nvar gpu.sm0.lsu.negative 32\nvar gpu.sm0.lsu.still 3\nvar gpu.sum 16\nvar gpu.sm0.state 3\n"
                "var gpu.sm0.state_name 0\n";
  }
  void change(base::Xoshiro256& random) {
    if (random.below(3) == 0) flag = !flag;
    if (random.below(4) == 0) byte = static_cast<std::uint8_t>(random());
    if (random.below(5) == 0) half = static_cast<std::uint16_t>(random());
    if (random.below(6) == 0) word = static_cast<std::uint32_t>(random());
    if (random.below(7) == 0) wide = random() >> random.below(64);
    if (random.below(8) == 0) negative = -static_cast<std::int32_t>(random.below(100));
  }
  void expect(base::Picoseconds time) {
    expected << time << " gpu.flag " << flag << '\n'
             << time << " gpu.sm1.lsu.byte " << unsigned{byte} << '\n'
             << time << " gpu.sm0.half " << (half & 0xfff) << '\n'
             << time << " gpu.sm1.word " << word << '\n'
             << time << " gpu.sm0.wide " << wide << '\n'
             << time << " gpu.sm0.lsu.negative " << static_cast<std::uint32_t>(negative) << '\n'
             << time << " gpu.sm0.lsu.still 5\n"
             << time << " gpu.sum " << ((byte + half) & 0xffff) << '\n'
             << time << " gpu.sm0.state " << word % 4 << '\n'
             << time << " gpu.sm0.state_name " << (word % 4 == 3 ? "3" : kStates[word % 4]) << '\n';
  }
};

TEST(WaveFile, HoldWhatWasDriven) {
  const std::uint64_t seed = 21;
  const TemporaryPath file(".vcd");
  Signals signals;
  WaveFile waves(file.path(), {});
  signals.add_to(waves);
  EXPECT_EQ(waves.signals(), 9U);
  base::Xoshiro256 random(seed);
  base::Picoseconds time = 0;
  for (Cycle cycle = 0; cycle < 200000;) {
    signals.change(random);
    ASSERT_TRUE(waves.active(cycle));
    waves.sample(cycle, time);
    signals.expect(time);
    const std::uint64_t skip = random.below(10) == 0 ? random.below(1000) : 1;  // the device skips cycles
    cycle += skip + 1;
    time += (skip + 1) * 1416;
    signals.expect(time - 1);  // values hold
  }
  waves.close(time);
  EXPECT_THAT(waves.error(), IsEmpty());
  EXPECT_EQ(check(file, signals.expected.str()), 0) << "seed " << seed;
}

/// Two dumps use the same identifiers, which also occur as signals.
TEST(WaveFile, HoldDumpsOfOthersApart) {
  const TemporaryPath file(".vcd");
  WaveFile waves(file.path(), {"gpu.x*"});
  std::uint64_t values[300] = {};
  std::string expected;
  for (unsigned i = 0; i < 300; ++i) {
    waves.add("gpu.x", "s" + std::to_string(i), 16, &values[i]);
    expected += "var gpu.x.s" + std::to_string(i) + " 16\n";
  }
  const std::vector<std::string> identifiers{"!", "\"", "a", "!!", "!\"", "\"!", "\"\"", "\"\"!", "\"!!", "~~", "!!\""};
  std::string declarations = "$scope module top $end\n$scope module inner $end\n";
  for (std::size_t i = 0; i < identifiers.size(); ++i) {
    declarations += "$var wire 8 " + identifiers[i] + " d" + std::to_string(i) + " [7:0] $end\n";
  }
  declarations += "$upscope $end\n$var wire 1 z bit $end\n$var string 1 y bit_name $end\n$upscope $end\n";
  unsigned number = 0;
  std::string changes[2];
  for (unsigned k = 0; k < 2; ++k) {
    const std::string scope = "gpu.x.rtl" + std::to_string(k);
    EXPECT_TRUE(waves.add_dump(scope, declarations, [&, k]() -> const std::string& {
      if (k == 0) ++number;
      changes[k].clear();
      if (k == 1 && number % 3 == 0) return changes[k];
      for (std::size_t i = 0; i < identifiers.size(); ++i) {
        if (number > 1 && (number + i) % 2 == 0) continue;
        changes[k] += "b";
        for (unsigned bit = 8; bit-- > 0;) changes[k] += static_cast<char>('0' + ((number + 20 * i + k) >> bit & 1U));
        changes[k] += " " + identifiers[i] + "\n";
      }
      if (number == 1) changes[k] += "1z\nsHigh y\n";
      return changes[k];
    }));
    for (std::size_t i = 0; i < identifiers.size(); ++i) {
      expected += "var " + scope + ".top.inner.d" + std::to_string(i) + " 8\n";
    }
    expected += "var " + scope + ".top.bit 1\nvar " + scope + ".top.bit_name 0\n10000 " + scope +
                ".top.bit_name High\n10000 " + scope + ".top.bit 1\n";
  }
  EXPECT_FALSE(waves.add_dump("gpu.y", declarations, []() -> const std::string& { throw std::logic_error("asked"); }));
  for (Cycle cycle = 0; cycle < 20; ++cycle) {
    for (unsigned i = 0; i < 300; ++i) values[i] = i + (i % 7 == 0 ? cycle : 0);
    waves.sample(cycle, cycle * 1000);
    for (unsigned i = 0; i < 300; ++i) {
      expected +=
          std::to_string(cycle * 1000) + " gpu.x.s" + std::to_string(i) + " " + std::to_string(values[i]) + "\n";
    }
    for (unsigned k = 0; k < 2; ++k) {
      for (std::size_t i = 0; i < identifiers.size(); ++i) {
        if ((k == 1 && number % 3 == 0) || (number > 1 && (number + i) % 2 == 0)) continue;
        expected += std::to_string(cycle * 1000) + " gpu.x.rtl" + std::to_string(k) + ".top.inner.d" +
                    std::to_string(i) + " " + std::to_string((number + 20 * i + k) & 0xffU) + "\n";
      }
    }
  }
  waves.close(20000);
  EXPECT_EQ(check(file, expected), 0);
}

TEST(WaveFile, OnlyTheWindowIsSampled) {
  const TemporaryPath file(".vcd");
  std::uint32_t value = 0;
  WaveFile waves(file.path(), {}, 100, 199);
  waves.add("gpu", "value", 32, &value);
  for (Cycle cycle = 0; cycle < 1000; ++cycle) {
    value = static_cast<std::uint32_t>(cycle);
    if (waves.active(cycle)) waves.sample(cycle, cycle * 1000);
  }
  EXPECT_FALSE(waves.active(1000));
  EXPECT_EQ(check(file, "var gpu.value 32\n100000 gpu.value 100\n150000 gpu.value 150\n199000 gpu.value 199\n"), 0);
  const std::string text = file.text();
  EXPECT_EQ(text.find("#99000\n"), std::string::npos);
  EXPECT_THAT(text, HasSubstr("#200000\n")) << "the end of the last value";
  EXPECT_EQ(text.find("#201000\n"), std::string::npos);
  EXPECT_EQ(text.rfind('#'), text.find("#200000"));
}

TEST(WaveFile, ScopesAreChosenByPatterns) {
  const auto traced = [](std::vector<std::string> patterns, const char* scope) {
    const TemporaryPath file(".vcd");
    return WaveFile(file.path(), std::move(patterns)).traced(scope);
  };
  EXPECT_TRUE(traced({}, "gpu.sm0"));
  EXPECT_TRUE(traced({"gpu.sm0"}, "gpu.sm0"));
  EXPECT_TRUE(traced({"gpu.sm0"}, "gpu.sm0.lsu")) << "what lies below, too";
  EXPECT_FALSE(traced({"gpu.sm1"}, "gpu.sm10"));
  EXPECT_FALSE(traced({"gpu.sm0"}, "gpu"));
  EXPECT_TRUE(traced({"gpu.sm?"}, "gpu.sm7.l1"));
  EXPECT_FALSE(traced({"gpu.sm?"}, "gpu.sm12"));
  EXPECT_TRUE(traced({"*.lsu"}, "gpu.sm3.lsu"));
  EXPECT_FALSE(traced({"*.lsu"}, "gpu.sm3.lsu2"));
  EXPECT_TRUE(traced({"gpu.*.l1", "gpu.xbar"}, "gpu.xbar"));
  EXPECT_TRUE(traced({"*"}, "gpu.anything"));
  EXPECT_FALSE(traced({"nothing"}, "gpu.sm0"));

  const TemporaryPath file(".vcd");
  const std::uint32_t a = 1, b = 2;
  WaveFile waves(file.path(), {"gpu.sm1*"});
  EXPECT_FALSE(waves.add("gpu.sm0", "a", 32, &a));
  EXPECT_TRUE(waves.add("gpu.sm1", "b", 32, &b));
  EXPECT_THAT(waves.unmatched(), IsEmpty());
  waves.sample(0, 0);
  waves.close(10);
  EXPECT_EQ(check(file, "var gpu.sm1.b 32\n0 gpu.sm1.b 2\n"), 0);

  const TemporaryPath other(".vcd");
  WaveFile some(other.path(), {"gpu.sm1", "gpu.sm2", "*.l1"});
  EXPECT_TRUE(some.add("gpu.sm1.l1", "a", 32, &a));
  EXPECT_THAT(some.unmatched(), ElementsAre("gpu.sm2"));
}

TEST(WaveFile, ManySignalsHaveCodesOfTheirOwn) {
  const TemporaryPath file(".vcd");
  std::vector<std::uint16_t> values(20000);
  std::ostringstream expected;
  WaveFile waves(file.path(), {});
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<std::uint16_t>(i * 7);
    waves.add("gpu.sm" + std::to_string(i % 13), "s" + std::to_string(i), 16, &values[i]);
    expected << "var gpu.sm" << i % 13 << ".s" << i << " 16\n5 gpu.sm" << i % 13 << ".s" << i << ' ' << values[i]
             << '\n';
  }
  waves.sample(0, 5);
  waves.close(6);
  EXPECT_EQ(check(file, expected.str()), 0);
}

TEST(WaveFile, AreReadableWhileTheRunGoesOnAndWhenTheDiskIsFull) {
  Signals all;
  for (const rlim_t limit : {rlim_t{0}, rlim_t{300000}}) {
    const TemporaryPath file(".vcd");
    Signals signals;
    WaveFile waves(file.path(), {});
    signals.add_to(waves);
    const std::string declared = signals.expected.str();
    base::Xoshiro256 random(5);
    {
      const FileLimit full(limit == 0 ? RLIM_INFINITY : limit);
      for (Cycle cycle = 0; cycle < 100000; ++cycle) {
        signals.change(random);
        if (waves.active(cycle)) waves.sample(cycle, cycle * 1000);
        if (cycle < 1000) signals.expect(cycle * 1000);
      }
    }
    if (limit != 0) {
      EXPECT_EQ(waves.error(), "cannot write '" + file.path() + "': File too large");
      EXPECT_FALSE(waves.active(100000));
    }
    EXPECT_THAT(file.text(), Not(IsEmpty()));
    EXPECT_EQ(check(file, signals.expected.str()), 0);
  }
}

TEST(WaveFile, WithoutASampleTheDumpHasItsDeclarations) {
  const TemporaryPath file(".vcd");
  const bool a = true;
  WaveFile waves(file.path(), {}, 10, 20);
  waves.add("gpu", "a", 1, &a);
  waves.sample(5, 50);
  waves.close(100);
  EXPECT_EQ(check(file, "var gpu.a 1\n"), 0);
}

TEST(WaveFile, PathThatCannotBeWrittenIsAnInputError) {
  EXPECT_THROW(WaveFile("/nonexistent/w.vcd", {}), base::InputError);
}

}  // namespace
}  // namespace castor::gpu::gpu_trace_waves_test
