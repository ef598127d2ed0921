#include <gtest/gtest.h>

#include <string>

#include "castor/gpu/hooks/hooks.h"
#include "castor/gpu/replay/replay_file.h"

namespace castor::gpu::gpu_replay_file_test {
namespace {

constexpr const char* kText = R"(castor-replay 1
# Two kernels.
w0 220
w0 sm 3 16
kernel gemm
  threads 256   # per TB
  registers 32
  shared 4096
  tbs 64
  service normal 12000 1500
  pulse lanes 12.5 misses 0.01 stall 0.25 outstanding 2
  energy 120
kernel act
  threads 64
  registers 16
  tbs 4
  service table 500 510
  more 498 502

rates gemm act
  row 1 1 : 0.9 0.75
  row 1 0 : 1 -
)";

TEST(ReplayFile, HoldsWhatTheTextSays) {
  const ReplayFile file = ReplayFile::parse(kText, "f");
  ASSERT_EQ(file.types().size(), 2U);
  const ReplayType& gemm = file.type("gemm");
  EXPECT_EQ(gemm.threads, 256U);
  EXPECT_EQ(gemm.registers, 32U);
  EXPECT_EQ(gemm.shared, 4096U);
  EXPECT_EQ(gemm.tbs, 64U);
  EXPECT_EQ(gemm.energy, 120U);
  EXPECT_EQ(gemm.service.kind, ServiceLaw::Kind::kNormal);
  EXPECT_EQ(gemm.service.a, 12000U);
  EXPECT_EQ(gemm.service.b, 1500U);
  EXPECT_EQ(gemm.pulse.lanes, 25ULL << 31U);
  EXPECT_EQ(gemm.pulse.misses, 42949672U);  // floor(2^32 / 100)
  EXPECT_EQ(gemm.pulse.stall, 1ULL << 30U);
  EXPECT_EQ(gemm.pulse.outstanding, 2ULL << 32U);
  const ReplayType& act = file.type("act");
  EXPECT_EQ(act.shared, 0U);
  EXPECT_TRUE(act.pulse.none());
  EXPECT_EQ(act.service.values, (std::vector<std::uint32_t>{500, 510, 498, 502}));
  EXPECT_EQ(file.find("gemm"), 0);
  EXPECT_EQ(file.find("act"), 1);
  EXPECT_EQ(file.find("no"), -1);
  EXPECT_TRUE(file.has_pulses());
  EXPECT_EQ(file.w0(7), 220U);
  EXPECT_EQ(file.w0(3U, 7), 16U);
  EXPECT_EQ(file.w0(2U, 7), 220U);
}

TEST(ReplayFile, RatesAreFoundByTheNumbersOfTbs) {
  const ReplayFile file = ReplayFile::parse(kText, "f");
  ASSERT_TRUE(file.has_rates());
  const ReplayRates::Row* const both = file.rates().find({1, 1});
  ASSERT_NE(both, nullptr);
  EXPECT_EQ(both->rates[0], 3865470566U);  // floor(0.9 x 2^32)
  EXPECT_EQ(both->rates[1], 3221225472U);  // 0.75 x 2^32
  ASSERT_NE(file.rates().find({1, 0}), nullptr);
  EXPECT_EQ(file.rates().find({1, 0})->rates[0], 1ULL << 32U);
  EXPECT_EQ(file.rates().find({0, 1}), nullptr);
  EXPECT_EQ(file.rates().find({2, 0}), nullptr);
}

TEST(ReplayFile, ProgramsHaveNoCodeAndTheTypesNeeds) {
  const ReplayFile file = ReplayFile::parse(kText, "f");
  const isa::Program& program = *file.type("gemm").program;
  EXPECT_EQ(program.kernel, "gemm");
  EXPECT_TRUE(program.code.empty());
  EXPECT_EQ(program.registers, 32U);
  EXPECT_EQ(program.shared_bytes, 4096U);
  EXPECT_EQ(program.parameter_bytes, 0U);
  const KernelPacket packet = ReplayFile::packet(file.type("gemm"), 5);
  EXPECT_EQ(packet.program, 5U);
  EXPECT_EQ(packet.grid.count(), 64U);
  EXPECT_EQ(packet.block.count(), 256U);
}

TEST(ReplayFile, WhatIsWrongIsNamedWithFileAndLine) {
  const std::string head = "castor-replay 1\n";
  const std::string kernel = head + "kernel k\nthreads 32\nregisters 8\ntbs 2\n";  // lines 2..5
  const std::string whole = kernel + "service constant 5\n";                       // line 6
  const std::vector<std::tuple<std::string, int, std::string>> wrong = {
      {"", 0, "empty"},
      {"# nothing\n", 1, "empty"},
      {"hello\n", 1, "no replay file"},
      {"castor-replay 2\n", 1, "out of range"},
      {head + "threads 32\n", 2, "belongs to no kernel"},
      {head + "kernel\n", 2, "missing name"},
      {whole + "kernel k\n", 7, "declared twice"},
      {kernel, 2, "has no 'service'"},
      {head + "kernel k\nregisters 8\ntbs 2\nservice constant 5\n", 2, "has no 'threads'"},
      {kernel + "service constant -5\n", 6, "negative"},
      {kernel + "service table 5 -1\n", 6, "negative"},
      {kernel + "service constant 4294967296\n", 6, "out of range"},
      {kernel + "service constant 99999999999999999999999\n", 6, "out of range"},
      {kernel + "service constant five\n", 6, "no whole number"},
      {kernel + "service constant 5 6\n", 6, "one word too many"},
      {kernel + "service constant\n", 6, "missing service"},
      {kernel + "service weibull 5\n", 6, "unknown service law 'weibull'"},
      {kernel + "service uniform 9 5\n", 6, "out of range"},
      {kernel + "service table 5\n", 6, "2 TBs and 1 recorded services"},
      {kernel + "more 5\n", 6, "continues a list"},
      {whole + "threads 64\n", 7, "given twice"},
      {whole + "colour red\n", 7, "unknown statement 'colour'"},
      {whole + "pulse lanes -1\n", 7, "negative"},
      {whole + "pulse stall 1.5\n", 7, "out of range"},
      {whole + "pulse lanes 1.2.3\n", 7, "no decimal number"},
      {whole + "pulse speed 1\n", 7, "unknown wire 'speed'"},
      {whole + "row 1 : 1\n", 7, "belongs to a table"},
      {whole + "rates k other\n", 7, "unknown kernel 'other'"},
      {whole + "rates k k\n", 7, "two columns"},
      {whole + "rates k\nrow 1 : 0\n", 8, "never end"},
      {whole + "rates k\nrow 1 : 1.5\n", 8, "out of range"},
      {whole + "rates k\nrow 0 : 1\n", 8, "no speed"},
      {whole + "rates k\nrow 1 1\n", 8, "expected ':'"},
      {whole + "rates k\nrow 1 : 1\nrow 1 : 0.5\n", 9, "line 8 already"},
      {whole + "rates k\nrates k\n", 8, "second table"},
      {head + "w0 0\n", 2, "out of range"},
      {head + "w0 1\nw0 2\n", 3, "twice"},
      {head + "kernel \x01\xff\nthreads -1\n", 3, "negative"},
  };
  for (const auto& [text, line, says] : wrong) {
    try {
      (void)ReplayFile::parse(text, "some.file");
      ADD_FAILURE() << "accepted: " << text;
    } catch (const base::InputError& error) {
      EXPECT_EQ(error.where().file, "some.file");
      EXPECT_EQ(error.where().line, line) << text << error.what();
      EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << text << error.what();
    }
  }
}

TEST(ReplayFile, UnknownKernelIsNamedWithWhatTheFileHolds) {
  const ReplayFile file = ReplayFile::parse(kText, "some.file");
  try {
    (void)file.type("gem");
    FAIL();
  } catch (const base::InputError& error) {
    EXPECT_STREQ(error.what(), "some.file: error unknown kernel 'gem' (the file declares gemm, act)");
  }
}

TEST(ReplayFile, MissingFileIsAnInputError) {
  EXPECT_THROW((void)ReplayFile::read("/nonexistent/file"), base::InputError);
}

TEST(ReplayFile, HooksInsideAnSmAreRefused) {
  Hooks hooks;
  EXPECT_NO_THROW(refuse_hooks_in_replay(hooks));
  hooks.governors.push_back(nullptr);
  EXPECT_NO_THROW(refuse_hooks_in_replay(hooks));
  Hooks filter, issue;
  filter.fetch_filter.push_back(nullptr);
  issue.issue.push_back(nullptr);
  EXPECT_THROW(refuse_hooks_in_replay(filter), base::InputError);
  EXPECT_THROW(refuse_hooks_in_replay(issue), base::InputError);
}

}  // namespace
}  // namespace castor::gpu::gpu_replay_file_test
