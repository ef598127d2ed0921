#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "castor/base/config.h"

namespace castor::base::base_config_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Schema schema() {
  Schema made;
  made.add({"sm.warps", ValueType::kInteger, "warps", 1, 64, {}, {}, "warp slots"});
  made.add({"sm.lanes", ValueType::kInteger, "lanes", 0, 0, {32, 64}, {}, "lanes"});
  made.add({"sm.bytes", ValueType::kInteger, "bytes", 0, 1 << 20, {}, {}, "memory"});
  made.add({"clock", ValueType::kReal, "MHz", 1, 2000, {}, {}, "clock"});
  made.add({"ideal", ValueType::kBoolean, "flag", 0, 0, {}, {}, "ideal"});
  made.add({"policy", ValueType::kChoice, "name", 0, 0, {}, {"gto", "lrr", "oldest"}, "policy"});
  made.add({"version", ValueType::kVersion, "version", 0, 0, {}, {}, "version"});
  made.add({"limit", ValueType::kOptionalInteger, "cycles", 1, 1e18, {}, {}, "limit"});
  made.add({"hook", ValueType::kName, "name", 0, 0, {}, {}, "hook"});
  made.add({"hooks", ValueType::kNames, "names", 0, 0, {}, {}, "hooks"});
  return made;
}

const char* const kGood = R"(machine: m
title: "A title: with a colon"
sm.warps: [48, warps, "a \"paper\", 4.2"]
sm:
  lanes: 32
  bytes: [48KiB, bytes, ours]
clock: 1752.5
ideal: true
policy: lrr
version: 6.1
limit: none
hook: none
hooks: [[a, b-c], names, ours]
)";

ConfigDocument no_base(const std::string& name, const SourceLocation& where) { throw InputError(where, "no " + name); }

Config load(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return {merge_config(parse_config(text, "m.yaml"), no_base, overrides), schema()};
}

std::string error_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    (void)load(text, overrides);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// Returns kGood with the line of `key` replaced by `line`.
std::string with(const std::string& key, const std::string& line) {
  std::string text = kGood;
  const std::size_t begin = text.find("\n" + key) + 1;
  const std::size_t end = text.find('\n', begin);
  return text.replace(begin, end - begin, line);
}

TEST(Config, ReadsEveryTypeFlatOrNested) {
  const Config config = load(kGood);
  EXPECT_EQ(config.name(), "m");
  EXPECT_EQ(config.title(), "A title: with a colon");
  EXPECT_EQ(config.at("sm.warps").integer, 48U);
  EXPECT_EQ(config.at("sm.warps").entry.unit, "warps");
  EXPECT_EQ(config.at("sm.warps").entry.origin, "a \"paper\", 4.2");
  EXPECT_EQ(config.at("sm.lanes").integer, 32U);
  EXPECT_EQ(config.at("sm.bytes").integer, 49152U);
  EXPECT_EQ(config.at("clock").real, 1752.5);
  EXPECT_EQ(config.at("ideal").integer, 1U);
  EXPECT_EQ(config.at("policy").integer, 1U);
  EXPECT_EQ(config.at("version").integer, 61U);
  EXPECT_TRUE(config.at("limit").none);
  EXPECT_THAT(config.at("hook").names, ElementsAre("none"));
  EXPECT_THAT(config.at("hooks").names, ElementsAre("a", "b-c"));
}

TEST(Config, KnowsThePlaceOfEveryValue) {
  const Config config = load(kGood);
  EXPECT_EQ(config.at("sm.warps").where(), (SourceLocation{"m.yaml", 3, 12}));
  EXPECT_EQ(config.at("sm.lanes").where(), (SourceLocation{"m.yaml", 5, 10}));
  EXPECT_EQ(config.at("hooks").where().line, 13);
}

TEST(Config, EffectiveRecordCanBeReadAgain) {
  const Config config = load(kGood, {"clock=700", "hooks=x,y"});
  const std::string record = config.to_yaml();
  const Config again(parse_config(record, "record.yaml"), schema());
  EXPECT_EQ(again.to_yaml(), record);
  EXPECT_EQ(again.at("sm.warps").entry.origin, "a \"paper\", 4.2");
  EXPECT_EQ(again.at("sm.lanes").entry.unit, "lanes");
  EXPECT_EQ(again.at("clock").real, 700);
  EXPECT_EQ(again.at("clock").entry.origin, "command line");
  EXPECT_THAT(again.at("hooks").names, ElementsAre("x", "y"));
  EXPECT_EQ(again.title(), config.title());
  EXPECT_THAT(record, HasSubstr("sm.warps: [48, warps, \"a \\\"paper\\\", 4.2\"]"));
}

TEST(Config, JsonRecordHasValueUnitAndOrigin) {
  const std::string json = load(kGood).to_json(-1);
  EXPECT_THAT(json, HasSubstr(R"("sm.bytes":{"value":49152,"unit":"bytes","origin":"ours"})"));
  EXPECT_THAT(json, HasSubstr(R"("limit":{"value":null,"unit":"cycles","origin":""})"));
}

TEST(Config, RejectsUnknownKeyAndSuggestsTheNearest) {
  EXPECT_EQ(error_of(with("policy", "polcy: lrr")), "m.yaml:9:8: error unknown key \"polcy\" (did you mean policy?)");
  EXPECT_THAT(error_of(with("policy", "scheduler.warps: 3")), HasSubstr("did you mean sm.warps?"));
  EXPECT_THAT(error_of(with("policy", "zzzzzzzz: 3")), HasSubstr("docs/machines.md"));
}

TEST(Config, RejectsWrongTypes) {
  EXPECT_EQ(error_of(with("sm.warps", "sm.warps: many")),
            "m.yaml:3:11: error key sm.warps: \"many\" is not a whole number (allowed: 1 to 64 warps)");
  EXPECT_THAT(error_of(with("sm.warps", "sm.warps: 4.5")), HasSubstr("not a whole number"));
  EXPECT_THAT(error_of(with("sm.warps", "sm.warps: -4")), HasSubstr("not a whole number"));
  EXPECT_THAT(error_of(with("sm.warps", "sm.warps: 0x10")), HasSubstr("not a whole number"));
  EXPECT_THAT(error_of(with("sm.warps", "sm.warps: 4KiB")), HasSubstr("not a whole number"));
  EXPECT_THAT(error_of(with("clock", "clock: nan")), HasSubstr("not a decimal number"));
  EXPECT_THAT(error_of(with("clock", "clock: inf")), HasSubstr("not a decimal number"));
  EXPECT_THAT(error_of(with("clock", "clock: 1e3")), HasSubstr("not a decimal number"));
  EXPECT_THAT(error_of(with("ideal", "ideal: maybe")), HasSubstr("neither 0 nor 1 (allowed: 0 or 1)"));
  EXPECT_THAT(error_of(with("policy", "policy: ltr")),
              HasSubstr("\"ltr\" is unknown (allowed: gto, lrr or oldest; did you mean lrr?)"));
  EXPECT_THAT(error_of(with("version", "version: 61")), HasSubstr("is no version"));
  EXPECT_THAT(error_of(with("limit", "limit: never")), HasSubstr("allowed: none, 1 to"));
  EXPECT_THAT(error_of(with("hook", "hook: \"a b\"")), HasSubstr("\"a b\" is not a name"));
  EXPECT_THAT(error_of(with("hook", "hook: [[a]]")), HasSubstr("is a list"));
}

TEST(Config, RejectsValuesOutOfRangeAndNamesTheRange) {
  EXPECT_EQ(error_of(with("sm.warps", "sm.warps: [65, warps, x]")),
            "m.yaml:3:12: error key sm.warps: \"65\" is out of range (allowed: 1 to 64 warps)");
  EXPECT_THAT(error_of(with("sm.warps", "sm.warps: 0")), HasSubstr("out of range"));
  EXPECT_THAT(error_of(with("sm.warps", "sm.warps: 99999999999999999999999")), HasSubstr("out of range"));
  EXPECT_THAT(error_of(with("  lanes", "  lanes: 48")), HasSubstr("\"48\" is not allowed (allowed: 32 or 64 lanes)"));
  EXPECT_THAT(error_of(with("  lanes", "  lanes: 18446744073709551648")), HasSubstr("is not allowed"));
  EXPECT_THAT(error_of(with("  bytes", "  bytes: 2MiB")), HasSubstr("allowed: 0 to 1MiB bytes"));
  EXPECT_THAT(error_of(with("  bytes", "  bytes: 99999999999999GiB")), HasSubstr("out of range"));
  EXPECT_THAT(error_of(with("clock", "clock: 0.5")), HasSubstr("allowed: 1 to 2000 MHz"));
}

TEST(Config, AcceptsBothEndsOfARange) {
  EXPECT_EQ(load(with("sm.warps", "sm.warps: 1")).at("sm.warps").integer, 1U);
  EXPECT_EQ(load(with("sm.warps", "sm.warps: 64")).at("sm.warps").integer, 64U);
  EXPECT_EQ(load(with("  bytes", "  bytes: 1MiB")).at("sm.bytes").integer, 1048576U);
}

TEST(Config, RejectsAForeignUnit) {
  EXPECT_EQ(error_of(with("sm.warps", "sm.warps: [48, threads]")),
            "m.yaml:3:12: error key sm.warps: unit \"threads\" is wrong (this key is in warps)");
}

TEST(Config, RejectsDuplicateKeysHoweverTheyAreWritten) {
  EXPECT_EQ(error_of(with("ideal", "policy: gto")),
            "m.yaml:9:1: error key \"policy\" is given twice (keep one of them)");
  EXPECT_THAT(error_of(with("ideal", "sm.lanes: 32")), HasSubstr("\"sm.lanes\" is given twice"));
  EXPECT_THAT(error_of(with("ideal", "machine: b")), HasSubstr("\"machine\" is given twice"));
}

TEST(Config, NamesMissingKeysWithTheirRange) {
  EXPECT_EQ(error_of(with("policy", "")),
            "m.yaml: error missing key policy [gto, lrr or oldest] (a machine states every key; begin with \"extends: "
            "<machine>\" to change only some)");
  EXPECT_THAT(error_of("machine: m"), HasSubstr("and 5 more"));
}

TEST(Config, FillsKeysThatHaveADefault) {
  Schema made = schema();
  made.add({"block.depth", ValueType::kInteger, "entries", 1, 64, {}, {}, "depth", "16"});
  made.add({"block.bytes", ValueType::kInteger, "bytes", 0, 1 << 20, {}, {}, "memory", "4KiB"});
  made.add({"block.order", ValueType::kChoice, "name", 0, 0, {}, {"age", "greedy"}, "order", "greedy"});
  made.add({"block.limit", ValueType::kOptionalInteger, "cycles", 1, 1e18, {}, {}, "limit", "none"});
  made.add({"block.names", ValueType::kNames, "names", 0, 0, {}, {}, "names", "a,b"});
  const auto read = [&made](const std::string& text, const std::vector<std::string>& overrides = {}) {
    return Config(merge_config(parse_config(text, "m.yaml"), no_base, overrides), made);
  };

  const Config filled = read(kGood);
  EXPECT_EQ(filled.at("block.depth").integer, 16U);
  EXPECT_EQ(filled.at("block.depth").entry.origin, "default");
  EXPECT_EQ(filled.at("block.depth").entry.unit, "entries");
  EXPECT_EQ(filled.at("block.depth").where().file, "m.yaml");
  EXPECT_EQ(filled.at("block.bytes").integer, 4096U);
  EXPECT_EQ(filled.at("block.order").integer, 1U);
  EXPECT_TRUE(filled.at("block.limit").none);
  EXPECT_THAT(filled.at("block.names").names, ElementsAre("a", "b"));
  EXPECT_EQ(filled.values().size(), made.rows().size());
  EXPECT_EQ(filled.values()[10].entry.key, "block.depth") << "values keep the order of the schema";
  EXPECT_EQ(Config(parse_config(filled.to_yaml(), "r"), made).to_yaml(), filled.to_yaml());

  const Config stated = read(kGood + std::string("block.depth: [8, entries, ours]\n"), {"block.order=age"});
  EXPECT_EQ(stated.at("block.depth").integer, 8U);
  EXPECT_EQ(stated.at("block.depth").entry.origin, "ours");
  EXPECT_EQ(stated.at("block.order").integer, 0U);
  EXPECT_EQ(stated.at("block.order").entry.origin, "command line");

  EXPECT_THROW((void)read(with("policy", "block.depth: 8")), InputError) << "keys without a default stay mandatory";
}

TEST(ConfigDeathTest, RefusesADefaultThatIsNotAllowed) {
  Schema made = schema();
  EXPECT_DEATH(made.add({"depth", ValueType::kInteger, "entries", 1, 64, {}, {}, "depth", "65"}),
               "key depth: its default 65 is not allowed");
}

TEST(Config, OverridesComeLastAndAreNamedInErrors) {
  EXPECT_EQ(load(kGood, {"sm.warps=8", "sm.warps=9"}).at("sm.warps").integer, 9U);
  EXPECT_EQ(error_of(kGood, {"sm.warps=65"}),
            "command line: error key sm.warps: \"65\" is out of range (allowed: 1 to 64 warps)");
  EXPECT_THAT(error_of(kGood, {"sm.wraps=6"}), HasSubstr("did you mean sm.warps?"));
  EXPECT_THAT(error_of(kGood, {"sm.warps"}), HasSubstr("write key=value"));
  EXPECT_THAT(error_of(kGood, {"=3"}), HasSubstr("write key=value"));
  EXPECT_THAT(error_of(kGood, {"sm.warps="}), HasSubstr("write key=value"));
}

TEST(Config, ExtendsReplacesSingleKeys) {
  const auto resolve = [](const std::string& name, const SourceLocation& where) {
    if (name != "m") throw InputError(where, "no " + name);
    return parse_config(kGood, "m.yaml");
  };
  const ConfigDocument child = parse_config("machine: c\nextends: m\nsm.warps: [7, warps, mine]\n", "c.yaml");
  const Config config(merge_config(child, resolve, {}), schema());
  EXPECT_EQ(config.name(), "c");
  EXPECT_EQ(config.title(), "A title: with a colon");
  EXPECT_EQ(config.at("sm.warps").integer, 7U);
  EXPECT_EQ(config.at("sm.warps").where().file, "c.yaml");
  EXPECT_EQ(config.at("sm.lanes").where().file, "m.yaml");
  EXPECT_EQ(Config(parse_config(config.to_yaml(), "r"), schema()).to_yaml(), config.to_yaml());
}

TEST(Config, RejectsCircularAndEndlessExtends) {
  const auto circle = [](const std::string& name, const SourceLocation&) {
    return parse_config("machine: " + name + "\nextends: " + (name == "a" ? "b" : "a"), name + ".yaml");
  };
  try {
    (void)merge_config(circle("a", {}), circle, {});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "b.yaml:2:10: error machine a extends itself (break the circle of extends)");
  }
  int made = 0;
  const auto endless = [&made](const std::string& name, const SourceLocation&) {
    ++made;
    return parse_config("machine: " + name + "\nextends: " + name + "x", name + ".yaml");
  };
  EXPECT_THROW((void)merge_config(endless("a", {}), endless, {}), InputError);
  EXPECT_LT(made, 20);
}

struct Hostile {
  const char* name;
  std::string text;
  const char* expected;
};

class HostileText : public testing::TestWithParam<Hostile> {};

TEST_P(HostileText, IsRefusedWithAPlace) { EXPECT_THAT(error_of(GetParam().text), HasSubstr(GetParam().expected)); }

std::string repeat(const std::string& text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

std::string many_keys() {
  std::string out;
  for (int i = 0; i < 20'000; ++i) out += "k" + std::to_string(i) + ": 1\n";
  return out;
}

INSTANTIATE_TEST_SUITE_P(
    Config, HostileText,
    testing::Values(
        Hostile{"empty", "", "m.yaml: error the file is empty"}, Hostile{"comment_only", "# nothing\n", "m.yaml"},
        Hostile{"scalar", "just words", "m.yaml:1:1: error the file is not a list of keys"},
        Hostile{"sequence", "- a\n- b\n", "not a list of keys"},
        Hostile{"anchor", "sm.warps: &a 3\n", "m.yaml:1:11: error anchors and aliases are not used"},
        Hostile{"alias_bomb", "a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n", "anchors and aliases are not used"},
        Hostile{"unknown_alias", "a: *b\n", "m.yaml:1:"},
        Hostile{"tag", "sm.warps: !!int 3\n", "m.yaml:1:11: error tag"},
        Hostile{"two_documents", "machine: a\n---\nmachine: b\n", "a second document"},
        Hostile{"deep_flow", "a: " + repeat("[", 100'000), "nested more than 8 deep"},
        Hostile{"deep_maps", repeat("{a: ", 5'000), "nested more than 8 deep"},
        Hostile{"deep_block", "- " + repeat("- ", 5'000) + "a", "nested more than 8 deep"},
        Hostile{"deep_questions", repeat("? ", 5'000) + "a", "m.yaml"},
        Hostile{"not_utf8", "machine: a\ntitle: \xff\xfe", "m.yaml:2:8: error the text is not UTF-8"},
        Hostile{"overlong_utf8", "title: \xc0\xaf", "not UTF-8"},
        Hostile{"utf16",
                std::string("\xff\xfe"
                            "a\0:\0",
                            6),
                "not UTF-8"},
        Hostile{"binary",
                std::string("\x7f"
                            "ELF\0\0",
                            6),
                "m.yaml:1:1: error byte 127 in a text file"},
        Hostile{"nul", std::string("machine: a\0b", 12), "byte 0 in a text file"},
        Hostile{"escaped_nul", "title: \"a\\0b\"\n", "control character in \"a\\x00b\""},
        Hostile{"escaped_newline", "hook: \"a\\nb\"\n", "control character"},
        Hostile{"unclosed_quote", "machine: \"a\n", "m.yaml:"},
        Hostile{"unclosed_flow", "sm.warps: [1, 2\n", "not YAML"}, Hostile{"tab", "sm:\n\twarps: 3\n", "m.yaml:2:"},
        Hostile{"null_value", "sm.warps:\n", "value is empty or not a word"},
        Hostile{"empty_list", "sm.warps: []\n", "0 items"},
        Hostile{"too_many_items", "sm.warps: [1, warps, a, b]\n", "4 items"},
        Hostile{"map_as_value", "sm.warps: [{a: b}]\n", "value is empty or not a word"},
        Hostile{"list_as_unit", "sm.warps: [1, [a]]\n", "unit is empty or not a word"},
        Hostile{"nested_list", "hooks: [[[a]]]\n", "name is empty or not a word"},
        Hostile{"list_as_key", "[a, b]: 1\n", "a key that is not a word"},
        Hostile{"map_as_key", "{a: b}: 1\n", "a key that is not a word"},
        Hostile{"header_map", "machine:\n  a: b\n", "key machine: expected a word"},
        Hostile{"header_list", "extends: [a]\n", "key extends: expected a word"},
        Hostile{"long_value", "title: " + repeat("x", 5'000), "a value of 5000 characters"},
        Hostile{"long_key", repeat("x", 5'000) + ": 3", "m.yaml"},
        Hostile{"many_values", many_keys(), "more than 20000 values"},
        Hostile{"too_large", repeat("# comment\n", 200'000), "larger than 1048576 bytes"},
        Hostile{"bad_directive", "%YAML 9.9\n---\na: b\n", "m.yaml"}),
    [](const testing::TestParamInfo<Hostile>& info) { return std::string(info.param.name); });

TEST(Config, AcceptsByteOrderMarkAndWindowsLineEnds) {
  std::string text = "\xef\xbb\xbf";
  for (const char* c = kGood; *c != '\0'; ++c) text += *c == '\n' ? std::string("\r\n") : std::string(1, *c);
  EXPECT_EQ(load(text).at("sm.warps").integer, 48U);
}

TEST(Config, RejectsFilesThatCannotBeRead) {
  EXPECT_THROW((void)read_config("/nonexistent/m.yaml"), InputError);
  EXPECT_THROW((void)read_config(testing::TempDir()), InputError);
}

TEST(Config, ReadsAFile) {
  const std::string path = testing::TempDir() + "/castor_config_test.yaml";
  std::ofstream(path) << kGood;
  EXPECT_EQ(read_config(path).name, "m");
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace castor::base::base_config_test
