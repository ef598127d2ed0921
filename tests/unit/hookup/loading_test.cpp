// Tests that blocks are found in folders and loaded when a machine names them, and that errors name the block.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "castor/base/error.h"
#include "castor/hookup/blocks.h"
#include "castor/twin/block_folder.h"
#include "platforms/machines.h"
#include "tests/common/tree.h"

namespace castor::platforms {
namespace {

namespace fs = std::filesystem;

/// Returns the path of an object that is wrong in one way: the values of ODD in odd_object.cpp.
std::string odd_object(int odd) {
  return test_tree::build_folder() + "/tests/objects/odd_object_" + std::to_string(odd) + ".so";
}
using ::testing::HasSubstr;

/// Test with block folders of its own, which CASTOR_BLOCKS names. A block without an `add`ed object has a manifest
/// only.
class Loading : public testing::Test {
 protected:
  void SetUp() override {
    const auto* const info = testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::path(testing::TempDir()) / (std::string("castor_loading_") + info->name());
    fs::remove_all(root_);
  }
  void TearDown() override {
    unsetenv("CASTOR_BLOCKS");
    fs::remove_all(root_);
  }

  void add(const std::string& folder, const std::string& block, const std::string& object = "") {
    const fs::path place = root_ / folder / block;
    fs::create_directories(place);
    std::ofstream(place / "block.json") << "{}\n";
    if (!object.empty()) fs::copy_file(object, place / "model.so");
  }
  void use(const std::vector<std::string>& folders) {
    std::string path;
    for (const std::string& folder : folders) path += (path.empty() ? "" : ":") + (root_ / folder).string();
    setenv("CASTOR_BLOCKS", path.c_str(), 1);
  }
  static std::string error_of(const std::vector<std::string>& overrides) {
    try {
      (void)load_machine("tiny", overrides);
    } catch (const base::InputError& error) {
      return error.what();
    }
    return {};
  }

  fs::path root_;
};

TEST_F(Loading, BlocksOfAllFoldersAreFoundInOneOrder) {
  add("first", "zeta");
  add("second", "alpha");
  std::vector<std::string> names[2];
  for (unsigned i = 0; i < 2; ++i) {
    use(i == 0 ? std::vector<std::string>{"first", "second"} : std::vector<std::string>{"second", "first", "first"});
    for (const twin::BlockFolder& block : twin::find_blocks()) names[i].push_back(block.name);
  }
  EXPECT_EQ(names[0], names[1]);
  EXPECT_THAT(names[0], testing::IsSupersetOf({"alpha", "zeta"}));
  EXPECT_TRUE(std::is_sorted(names[0].begin(), names[0].end()));
}

TEST_F(Loading, TwoBlocksOfOneNameAreRefusedWithBothPlaces) {
  add("first", "twice");
  add("second", "twice");
  use({"second", "first"});
  const std::string error = error_of({"blocks.twice.enable=1"});
  EXPECT_THAT(error, HasSubstr("two blocks are called twice"));
  EXPECT_THAT(error, HasSubstr("first/twice"));
  EXPECT_THAT(error, HasSubstr("second/twice"));
}

TEST_F(Loading, ABlockThatIsNotThereIsRefusedAtItsKey) {
  const std::string error = error_of({"blocks.nowhere.enable=1"});
  EXPECT_THAT(error, HasSubstr("command line"));
  EXPECT_THAT(error, HasSubstr("no block 'nowhere'"));
  EXPECT_THAT(error, HasSubstr("CASTOR_BLOCKS"));
  EXPECT_THAT(error_of({"blocks.nowhere.enable=0"}), HasSubstr("no block 'nowhere'"));
}

TEST_F(Loading, AFolderThatIsNotThereIsRefused) {
  use({"nowhere"});
  EXPECT_THAT(error_of({"blocks.any.enable=1"}), HasSubstr("CASTOR_BLOCKS names a folder that is not there"));
}

TEST_F(Loading, AnObjectOfAnotherVersionIsRefusedByName) {
  add("odd", "odd", odd_object(1));
  use({"odd"});
  const std::string error = error_of({"blocks.odd.enable=1"});
  EXPECT_THAT(error, HasSubstr("odd/odd/model.so' was built for another version of Castor: castor 0.0.1"));
}

TEST_F(Loading, AnObjectOfAnotherBlockIsRefused) {
  add("odd", "odd", odd_object(2));
  use({"odd"});
  EXPECT_THAT(error_of({"blocks.odd.enable=1"}), HasSubstr("is the model of block even, not the model of block odd"));
}

TEST_F(Loading, AnObjectWithoutTheFunctionIsRefused) {
  add("odd", "odd", odd_object(3));
  use({"odd"});
  EXPECT_THAT(error_of({"blocks.odd.enable=1"}), HasSubstr("has no function castor_model_object"));
}

TEST_F(Loading, ABlockWithoutAnObjectIsRefused) {
  add("odd", "odd");
  use({"odd"});
  EXPECT_THAT(error_of({"blocks.odd.enable=1"}), HasSubstr("block odd does not plug into a GPU"));
}

TEST_F(Loading, AnObjectThatIsNoneIsRefused) {
  add("odd", "odd", "/proc/self/cmdline");
  use({"odd"});
  EXPECT_THAT(error_of({"blocks.odd.enable=1"}), HasSubstr("cannot load"));
}

TEST_F(Loading, NothingIsLoadedUnlessAKeyNamesIt) {
  add("odd", "odd", odd_object(1));
  use({"odd"});
  EXPECT_EQ(error_of({}), "");
}

TEST_F(Loading, KeysOfABlockAreCheckedAndHaveDefaults) {
  EXPECT_THAT(error_of({"blocks.saws.evq_depth=17"}), HasSubstr("1 to 16 messages"));
  EXPECT_THAT(error_of({"blocks.saws.evq_deph=3"}), HasSubstr("did you mean blocks.saws.evq_depth?"));
  EXPECT_THAT(error_of({"blocks.saws.engine=rlt"}), HasSubstr("model, rtl or lockstep"));
  const LoadedMachine loaded = load_machine("tiny", {"blocks.saws.enable=1", "blocks.saws.mode=always"});
  ASSERT_EQ(loaded.blocks.size(), 1U);
  EXPECT_EQ(loaded.blocks[0].settings.choice("mode"), 2U);
  EXPECT_EQ(loaded.blocks[0].settings.number("evq_depth"), 4U);
  EXPECT_THAT(loaded.config.to_yaml(), HasSubstr("blocks.saws.evq_depth"));
  EXPECT_TRUE(load_machine("tiny", {"blocks.saws.mode=always"}).blocks.empty());
  EXPECT_THAT(load_machine("tiny").config.to_yaml(), testing::Not(HasSubstr("blocks.")));
}

TEST_F(Loading, AReportMayNameBlocksThatAreNotThereIfTheyWereDisabled) {
  const std::string path = testing::TempDir() + "castor_report_with_blocks.json";
  const auto report = [&](const char* enabled) {
    std::string text = load_machine("tiny").config.to_json();
    const std::string key = "\"keys\": {";
    text.replace(text.find(key), key.size(),
                 key + "\"blocks.gone.enable\": {\"value\": " + enabled +
                     ", \"unit\": \"flag\", \"origin\": \"\"}, \"blocks.gone.depth\": {\"value\": 3, \"unit\": "
                     "\"entries\", \"origin\": \"\"},");
    std::ofstream(path) << "{\"configuration\": " << text << "}";
    try {
      (void)load_machine(path);
    } catch (const base::InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(report("0"), "");
  EXPECT_THAT(report("1"), HasSubstr("no block 'gone'"));
}

}  // namespace
}  // namespace castor::platforms
