#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "castor/gpu/machine_table.h"
#include "platforms/machines.h"
#include "tests/common/tree.h"

namespace castor::platforms::machine_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string error_of(const std::string& name, const std::vector<std::string>& overrides = {}) {
  try {
    (void)load_machine(name, overrides);
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Machines, ShipsAllOfThem) {
  EXPECT_THAT(shipped_machines(),
              ElementsAre("fermi_gtx480", "fermi_gtx480_study", "gcn_apu", "gcn_apu_hbm2", "gcn_apu_replay",
                          "kepler_hw", "kepler_ideal", "kepler_k20c", "kepler_k20c_study", "kepler_k40", "kepler_power",
                          "kepler_replay4", "kepler_titan", "maxwell_gtx980", "maxwell_liu13", "maxwell_liu13_s1",
                          "maxwell_liu13_s2", "maxwell_liu25", "maxwell_liu30", "pascal_fetch8", "pascal_titanx",
                          "pascal_titanx_study", "tiny", "turing_8sm", "turing_rtx2060", "turing_rtx2060_study"));
}

class Shipped : public testing::TestWithParam<std::string> {};

TEST_P(Shipped, LoadsWithUnitAndOriginForEveryKey) {
  const LoadedMachine loaded = load_machine(GetParam());
  EXPECT_EQ(loaded.machine.name, GetParam());
  EXPECT_FALSE(loaded.machine.title.empty());
  for (const base::ConfigValue& value : loaded.config.values()) {
    EXPECT_FALSE(value.entry.unit.empty()) << value.entry.key;
    EXPECT_FALSE(value.entry.origin.empty()) << value.entry.key;
  }
}

TEST_P(Shipped, EffectiveConfigurationIsTheSameMachine) {
  const LoadedMachine loaded = load_machine(GetParam());
  const LoadedMachine again = load_machine_text(loaded.config.to_yaml(), "record.yaml");
  EXPECT_EQ(again.config.to_yaml(), loaded.config.to_yaml());
  EXPECT_EQ(again.config.to_json(), loaded.config.to_json());
  EXPECT_EQ(again.machine.name, loaded.machine.name);
}

INSTANTIATE_TEST_SUITE_P(Machines, Shipped, testing::ValuesIn(shipped_machines()),
                         [](const testing::TestParamInfo<std::string>& info) { return info.param; });

// The peak bandwidth printed in the platform's specification equals that from channels, width and clock, which are the
// keys.
TEST(Machines, PeakBandwidthIsThePublishedOne) {
  const auto peak = [](const char* name) { return load_machine(name).machine.peak_gb_per_s(); };
  EXPECT_NEAR(peak("fermi_gtx480"), 177, 1);
  EXPECT_NEAR(peak("kepler_k20c"), 208, 1);
  EXPECT_NEAR(peak("maxwell_gtx980"), 224, 1);
  EXPECT_NEAR(peak("maxwell_liu13"), 224, 1);
  EXPECT_NEAR(peak("pascal_titanx"), 480, 1);
  EXPECT_NEAR(peak("turing_rtx2060"), 336, 1);
  EXPECT_NEAR(peak("gcn_apu"), 256, 1);
  EXPECT_NEAR(peak("kepler_titan"), 288, 1);
}

TEST(Machines, MembersHoldWhatTheFileSays) {
  const gpu::Machine pascal = load_machine("pascal_titanx_study").machine;
  EXPECT_EQ(pascal.chip.sms, 28U);
  EXPECT_EQ(pascal.chip.capability.major_number, 6U);
  EXPECT_EQ(pascal.chip.capability.minor_number, 1U);
  EXPECT_EQ(pascal.memory.bytes, 12ULL << 30U);
  EXPECT_EQ(pascal.sm.smem_bytes, 98304U);
  EXPECT_TRUE(pascal.icache.ideal);
  EXPECT_EQ(pascal.map.hash, gpu::AddressHash::kXor);
  EXPECT_EQ(pascal.l1.ways, 96U);
  EXPECT_FALSE(pascal.run.max_cycles.has_value());
  EXPECT_EQ(pascal.check.stale, gpu::StaleCheck::kCount);

  const gpu::Machine kepler = load_machine("kepler_k20c_study").machine;
  EXPECT_EQ(kepler.timing(isa::TimingClass::kInt).latency, 4U);
  EXPECT_EQ(kepler.timing(isa::TimingClass::kIntMinMax).latency, 13U);
  EXPECT_EQ(kepler.timing(isa::TimingClass::kF64).interval, 2U);
  EXPECT_EQ(kepler.timing(isa::TimingClass::kPredicate).interval, 1U);

  const gpu::Machine gcn = load_machine("gcn_apu").machine;
  EXPECT_EQ(gcn.sm.lanes, 64U);
  EXPECT_EQ(gcn.issue.policy, gpu::IssuePolicy::kOldest);
  EXPECT_EQ(gcn.dispatch.bypass, gpu::DispatchBypass::kSticky);
  EXPECT_EQ(gcn.inspect, gpu::Inspect::kPacket);
  EXPECT_TRUE(gcn.memory.unified);
}

TEST(Machines, VariantsChangeOnlyWhatTheySay) {
  const LoadedMachine base = load_machine("maxwell_liu13");
  const LoadedMachine variant = load_machine("maxwell_liu25");
  std::vector<std::string> changed;
  for (const base::ConfigValue& value : variant.config.values()) {
    if (value.entry.words != base.config.at(value.entry.key).entry.words) changed.push_back(value.entry.key);
  }
  EXPECT_THAT(changed, ElementsAre("chip.sms", "issue.policy"));
  EXPECT_EQ(variant.machine.chip.sms, 25U);
  EXPECT_EQ(variant.machine.issue.policy, gpu::IssuePolicy::kLrr);
}

// Published experiments use these machines. A key that is not in the file is newer than the experiments.
class Study : public testing::TestWithParam<const char*> {};

TEST_P(Study, KeepsItsValuesKeyByKey) {
  const LoadedMachine loaded = load_machine(GetParam());
  std::ifstream file(test_tree::source_folder() + "/tests/data/machines/" + GetParam() + ".txt");
  std::string key, value;
  unsigned keys = 0;
  while (file >> key >> value) {
    ++keys;
    EXPECT_THAT(loaded.config.at(key).entry.words, ElementsAre(value)) << key;
  }
  EXPECT_EQ(keys, 182U);
}

INSTANTIATE_TEST_SUITE_P(Machines, Study,
                         testing::Values("fermi_gtx480_study", "gcn_apu", "kepler_k20c_study", "maxwell_liu13",
                                         "pascal_titanx_study", "turing_rtx2060_study"),
                         [](const testing::TestParamInfo<const char*>& info) { return std::string(info.param); });

TEST(Machines, BaseIsNoMachineButCanBeExtended) {
  EXPECT_THAT(shipped_machines(), Not(Contains("common")));
  EXPECT_THAT(error_of("common"), HasSubstr("unknown machine \"common\""));
  try {
    (void)load_machine_text("extends: common\n", "mine.yaml");
    FAIL() << "a base is a whole machine";
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("mine.yaml: error missing keys chip.sms [1 to 256 SMs], "));
  }
}

TEST(Machines, ValuesOfTheBaseKeepPlaceAndOrigin) {
  const LoadedMachine loaded = load_machine("kepler_k40");
  EXPECT_EQ(loaded.config.at("barrier.register").where().file, "common.yaml");
  EXPECT_EQ(loaded.config.at("barrier.register").entry.origin, "ours (no latency in Liu 2018)");
  EXPECT_EQ(loaded.config.at("sm.warps").where().file, "kepler_k20c.yaml");
}

TEST(Machines, UnknownNameListsTheShippedOnes) {
  const std::string error = error_of("kepler_k20");
  EXPECT_THAT(error, HasSubstr("unknown machine \"kepler_k20\" (did you mean kepler_k20c? shipped: fermi_gtx480, "));
  EXPECT_THAT(error, HasSubstr("turing_rtx2060"));
}

TEST(Machines, PathThatDoesNotExistIsNamed) {
  EXPECT_THAT(error_of("./nowhere.yaml"), HasSubstr("./nowhere.yaml: error the file cannot be read"));
}

TEST(Machines, ErrorInAnOverrideNamesKeyAndRange) {
  EXPECT_EQ(error_of("tiny", {"sm.warps=128"}),
            "command line: error key sm.warps: \"128\" is out of range (allowed: 1 to 64 warps)");
}

class MachineFiles : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
  }

  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) /
      ("castor_machines_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
};

TEST_F(MachineFiles, ExtendAShippedMachine) {
  const LoadedMachine loaded = load_machine(write("mine.yaml", "extends: tiny\nchip.sms: 3\n"), {"queue.count=4"});
  EXPECT_EQ(loaded.machine.name, "mine");
  EXPECT_EQ(loaded.machine.chip.sms, 3U);
  EXPECT_EQ(loaded.machine.queue.count, 4U);
  EXPECT_EQ(loaded.machine.sm.warps, 16U);
  EXPECT_EQ(loaded.config.at("queue.count").entry.origin, "command line");
}

TEST_F(MachineFiles, ExtendAFileRelativeToThemselves) {
  write("base/big.yaml", "extends: tiny\nchip.sms: 9\n");
  const std::string path = write("variants/bigger.yaml", "extends: ../base/big.yaml\nqueue.count: 2\n");
  const LoadedMachine loaded = load_machine(path);
  EXPECT_EQ(loaded.machine.chip.sms, 9U);
  EXPECT_EQ(loaded.machine.queue.count, 2U);
}

TEST_F(MachineFiles, ReportNamesItsGoneKeysInOneLineAndLoads) {
  const LoadedMachine tiny = load_machine("tiny");
  std::string keys = tiny.config.to_json();
  const std::string current = write("current.json", "{\"configuration\": " + keys + "}");
  testing::internal::CaptureStderr();
  EXPECT_EQ(load_machine(current).config.to_json(), tiny.config.to_json());
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");

  const std::string first = "\"keys\": {";
  keys.insert(keys.find(first) + first.size(), R"("pool.scan": {"value": 8, "unit": "kernels", "origin": "ours"},
      "launch.stream": {"value": 0, "unit": "ticks", "origin": "ours"},
      "old.names": {"value": ["a"], "unit": "names", "origin": "ours"},)");
  const std::string old = write("old.json", "{\"configuration\": " + keys + "}");
  testing::internal::CaptureStderr();
  EXPECT_EQ(load_machine(old).config.to_json(), tiny.config.to_json());
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "[machines] warning: " + old +
                ": ignored keys that machines no longer have: launch.stream, old.names, pool.scan\n");

  EXPECT_THAT(error_of(write("mine.yaml", "extends: tiny\npool.scan: 8\n")),
              HasSubstr("mine.yaml:2:12: error unknown key \"pool.scan\""));
  EXPECT_THAT(error_of(old, {"pool.scan=8"}), HasSubstr("command line: error unknown key \"pool.scan\""));
}

TEST_F(MachineFiles, UnknownMachineInExtendsIsShownWhereItStands) {
  const std::string path = write("mine.yaml", "# mine\nextends: tinny\n");
  EXPECT_THAT(error_of(path), HasSubstr("mine.yaml:2:10: error unknown machine \"tinny\" (did you mean tiny?"));
}

TEST_F(MachineFiles, FileThatExtendsItselfIsRefused) {
  const std::string path = write("mine.yaml", "extends: mine.yaml\n");
  EXPECT_THAT(error_of(path), HasSubstr("extend each other"));
}

TEST(MachineTable, EveryKeyHasUnitRangeAndMeaning) {
  for (const gpu::MachineKey& key : gpu::machine_table()) {
    EXPECT_FALSE(key.row.unit.empty()) << key.row.key;
    EXPECT_FALSE(key.row.meaning.empty()) << key.row.key;
    EXPECT_FALSE(key.row.allowed().empty()) << key.row.key;
    const bool ranged = key.row.type == base::ValueType::kReal || key.row.type == base::ValueType::kInteger ||
                        key.row.type == base::ValueType::kOptionalInteger;
    if (ranged && key.row.values.empty()) {
      EXPECT_LT(key.row.low, key.row.high) << key.row.key;
    }
  }
}

}  // namespace
}  // namespace castor::platforms::machine_test
