// The instruction table as data: patterns, look-up, messages.

#include <set>

#include "castor/base/error.h"
#include "castor/isa/row_parser.h"
#include "unit/isa_harness.h"

namespace castor::isa::isa_table_test {
namespace {

Match find(const std::string& spelling) {
  LookupError error;
  return InstructionTable::instance().find(spelling, error);
}
std::string message(const std::string& spelling) {
  LookupError error;
  EXPECT_FALSE(InstructionTable::instance().find(spelling, error).valid()) << spelling;
  return error.message;
}

TEST(RowParser, ReadsSyntaxAndOperands) {
  Row row;
  row.syntax = "op.lit.{rnd:rn|rz}.[ftz].{t:u32|f32}.[L1::a|L1::b]";
  row.operands = "=d:2t, =p:pred|, a:[t], b:<t>, c:%t, n:imm, x:u64?, l:label";
  row.kind = Kind::kNop;
  detail::parse_row(row);
  EXPECT_EQ(row.opcode, "op");
  ASSERT_EQ(row.items.size(), 5u);
  EXPECT_EQ(row.items[0].alternatives, std::vector<std::string>{"lit"});
  EXPECT_EQ(row.items[1].label, "rnd");
  EXPECT_FALSE(row.items[1].optional);
  EXPECT_TRUE(row.items[2].optional);
  EXPECT_EQ(row.items[2].label, "");
  EXPECT_EQ(row.items[3].types, (std::vector<Type>{Type::kU32, Type::kF32}));
  EXPECT_EQ(row.items[4].label, "");
  EXPECT_EQ(row.items[4].alternatives, (std::vector<std::string>{"L1::a", "L1::b"}));
  ASSERT_EQ(row.specs.size(), 8u);
  EXPECT_TRUE(row.specs[0].destination && row.specs[0].widen);
  EXPECT_EQ(row.specs[0].type_label, "t");
  EXPECT_EQ(row.specs[1].shape, OperandShape::kPredicate);
  EXPECT_TRUE(row.specs[1].second_predicate);
  EXPECT_EQ(row.specs[2].shape, OperandShape::kAddress);
  EXPECT_EQ(row.specs[3].shape, OperandShape::kVector);
  EXPECT_EQ(row.specs[4].shape, OperandShape::kPack);
  EXPECT_EQ(row.specs[5].shape, OperandShape::kImmediate);
  EXPECT_TRUE(row.specs[6].optional);
  EXPECT_EQ(row.specs[6].type, Type::kU64);
  EXPECT_EQ(row.specs[7].shape, OperandShape::kLabel);
}

TEST(RowParser, RefusesRowsThatMakeNoSense) {
  const auto refused = [](const char* syntax, const char* operands) {
    Row row;
    row.syntax = syntax;
    row.operands = operands;
    row.kind = Kind::kNop;
    EXPECT_THROW(detail::parse_row(row), base::InputError) << syntax << " " << operands;
  };
  refused("", "");
  refused("op.{a|b", "");
  refused("op.{a||b}", "");
  refused("op.[t:u32|u64]", "=d:t");  // the type may be absent
  refused("op.{t:u32|wide}", "=d:t");
  refused("op.{t:u32|u64}", "=d:q");
  refused("op", "d");
  Row without_handler;
  without_handler.syntax = "op";
  EXPECT_THROW(detail::parse_row(without_handler), base::InputError);
}

TEST(Find, GivesChoicesAndTypes) {
  const Match match = find("mul.wide.s16");
  ASSERT_TRUE(match.valid());
  EXPECT_EQ(match["t"], "s16");
  EXPECT_EQ(match["nothing"], "");
  EXPECT_TRUE(match.has("wide"));
  EXPECT_FALSE(match.has("hi"));
  EXPECT_EQ(match.type("t"), Type::kS16);
  EXPECT_EQ(match.type(match.row().specs[0]), Type::kS32);
  EXPECT_EQ(match.type(match.row().specs[1]), Type::kS16);
  EXPECT_EQ(match.spelling(), "mul.wide.s16");
}

TEST(Find, TakesPartsInAnySequenceExceptTypes) {
  for (const char* const text : {"atom.global.gpu.acq_rel.add.u32", "atom.gpu.global.acq_rel.add.u32",
                                 "atom.add.acq_rel.global.gpu.u32", "atom.u32.add.gpu.acq_rel.global"})
    EXPECT_EQ(find(text).valid() ? find(text).spelling() : "", "atom.acq_rel.gpu.global.add.u32") << text;
  EXPECT_EQ(find("vote.ballot.sync.b32").spelling(), "vote.sync.ballot.b32");
  EXPECT_EQ(find("ld.ca.global.u32.v2").spelling(), "ld.global.ca.v2.u32");
  EXPECT_EQ(find("add.f32.ftz.rn").spelling(), "add.rn.ftz.f32");
  EXPECT_EQ(find("cvt.f32.rn.u64").spelling(), "cvt.rn.f32.u64");
  // From float to integer the spelling would need .rni. In the other direction the types have the opposite order.
  EXPECT_FALSE(find("cvt.rn.u64.f32").valid());
  EXPECT_FALSE(find("cvt.u64.rn.f32").valid());
  EXPECT_FALSE(find("add.u32.u32").valid());
  EXPECT_FALSE(find("atom.global.gpu.gpu.add.u32").valid());
  EXPECT_FALSE(find("atom.global.gpu.acq_rel.u32").valid());
}

TEST(Find, SaysWhatWasExpected) {
  EXPECT_EQ(message("div.f32"), "expected .rn, .rz, .rm, .rp, .approx or .full after 'div', found '.f32'");
  EXPECT_EQ(message("mad.s32"), "expected .lo, .hi or .wide after 'mad', found '.s32'");
  EXPECT_EQ(message("setp.s32"),
            "expected .eq, .ne, .lt, .le, .gt, .ge, .lo, .ls, .hi or .hs after 'setp', found '.s32'");
  EXPECT_EQ(message("bra.foo"), "expected .uni or nothing more after 'bra', found '.foo'");
  EXPECT_EQ(message("exit.u32"), "expected nothing more after 'exit', found '.u32'");
  EXPECT_EQ(message("membar"), "expected .cta, .gl or .sys after 'membar'");
  EXPECT_EQ(message("setp.lt.b32"), "'setp.lt.b32' does not exist: its modifiers do not go together");
  EXPECT_EQ(message("adf.s32"), "unknown instruction 'adf'; did you mean 'add'?");
  EXPECT_EQ(message("frobnicate.u32"), "unknown instruction 'frobnicate'");
  EXPECT_EQ(message(""), "unknown instruction ''");
  EXPECT_EQ(message("."), "unknown instruction ''");
  EXPECT_EQ(message("bra."), "expected .uni or nothing more after 'bra', found '.'");
}

TEST(Find, RefusesWithAReason) {
  for (const std::string spelling :
       {"tex.2d.v4.f32.f32", "suld.b.1d.b32.clamp", "wmma.load.a.sync.aligned.row.m16n16k16.f16",
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", "ldmatrix.sync.aligned.m8n8.x4.shared.b16",
        "cp.async.ca.shared.global", "mbarrier.init.shared.b64", "alloca.u64", "stacksave.u64", "tcgen05.alloc",
        "wgmma.fence.sync.aligned", "barrier.cluster.wait", "ld.global.v8.b32", "barrier.cluster.arrive",
        "red.async.relaxed.cluster"}) {
    const std::string text = message(spelling);
    EXPECT_NE(text.find("'" + spelling + "' is not supported: "), std::string::npos) << text;
    EXPECT_TRUE(InstructionTable::instance().is_opcode(spelling.substr(0, spelling.find('.'))));
  }
}

TEST(Find, HidesTheRowsOfTheCompiler) {
  EXPECT_FALSE(find("$move.b32").valid());
  EXPECT_FALSE(InstructionTable::instance().is_opcode("$move"));
  EXPECT_TRUE(InstructionTable::instance().internal("$move.b32").valid());
}

TEST(Find, KnowsOpcodes) {
  const InstructionTable& table = InstructionTable::instance();
  for (const char* opcode : {"add", "ret", "ld", "tex", "bar", "shfl", "cvt"}) EXPECT_TRUE(table.is_opcode(opcode));
  for (const char* word : {"", "addd", "reg", "add.u32"}) EXPECT_FALSE(table.is_opcode(word));
}

/// Spellings of a row: all of them up to a limit, then a random part.
std::vector<std::string> spellings(const Row& row, std::size_t limit) {
  std::vector<std::string> result;
  double all = 1;
  for (const PatternItem& item : row.items)
    all *= static_cast<double>(item.alternatives.size() + (item.optional ? 1 : 0));
  std::mt19937 random(1);
  const auto count = static_cast<std::size_t>(std::min(all, static_cast<double>(limit)));
  for (std::size_t n = 0; n < count; ++n) {
    std::string text = row.opcode;
    std::size_t rest = n;
    for (const PatternItem& item : row.items) {
      const std::size_t choices = item.alternatives.size() + (item.optional ? 1 : 0);
      const std::size_t choice = all <= static_cast<double>(limit) ? rest % choices : random() % choices;
      rest /= choices;
      if (choice < item.alternatives.size()) text += "." + item.alternatives[choice];
    }
    result.push_back(text);
  }
  return result;
}

TEST(Rows, AreFoundByEverySpellingOfTheirs) {
  const InstructionTable& table = InstructionTable::instance();
  for (const auto& row : table.rows()) {
    if (row->opcode[0] == '$') continue;
    unsigned found = 0;
    for (const std::string& spelling : spellings(*row, 300)) {
      LookupError error;
      const Match match = table.find(spelling, error);
      if (!match.valid()) {
        // The only allowed reason is a handler that does not exist for the combination.
        EXPECT_NE(row->select, nullptr) << spelling << ": " << error.message;
        continue;
      }
      EXPECT_EQ(match.spelling(), spelling);
      found += &match.row() == row.get() ? 1 : 0;
    }
    EXPECT_GT(found, 0u) << row->syntax << " is hidden by other rows";
  }
}

TEST(Rows, SayWhatTheyMean) {
  for (const auto& row : InstructionTable::instance().rows()) {
    EXPECT_FALSE(row->meaning.empty()) << row->syntax;
    EXPECT_EQ(row->meaning.find('\n'), std::string::npos) << row->syntax;
    EXPECT_LT(row->timing, TimingClass::kCount) << row->syntax;
    unsigned sources = 0;
    unsigned immediates = 0;
    for (const OperandSpec& spec : row->specs) {
      if (spec.shape == OperandShape::kImmediate)
        ++immediates;
      else if (!spec.destination && spec.shape != OperandShape::kPredicate)
        ++sources;
    }
    EXPECT_LE(sources, 4u) << row->syntax;
    EXPECT_LE(immediates, 2u) << row->syntax;
    EXPECT_FALSE(immediates != 0 && row->immediate != nullptr) << row->syntax << ": imm is used twice";
  }
}

TEST(Variants, HaveTheSameRows) {
  const auto tables = test::all_tables();
  for (const InstructionTable* table : tables) {
    ASSERT_EQ(table->rows().size(), tables[0]->rows().size());
    for (std::size_t i = 0; i < table->rows().size(); ++i)
      EXPECT_EQ(table->rows()[i]->syntax, tables[0]->rows()[i]->syntax);
  }
  EXPECT_THROW((void)InstructionTable::of_variant("sse"), base::InputError);
}

TEST(Types, HaveNamesAndWidths) {
  std::set<std::string_view> names;
  for (auto t = static_cast<std::uint8_t>(Type::kB8); t <= static_cast<std::uint8_t>(Type::kPred); ++t) {
    const auto type = static_cast<Type>(t);
    EXPECT_TRUE(names.insert(name(type)).second);
    EXPECT_EQ(type_from_name(name(type)), type);
  }
  EXPECT_EQ(type_from_name(""), std::nullopt);
  EXPECT_EQ(type_from_name("u128"), std::nullopt);
  EXPECT_EQ(name(Type::kBf16x2), "bf16x2");
  EXPECT_EQ(name(Space::kShared), "shared");
  EXPECT_EQ(key(TimingClass::kF32Fma), "f32_fma");
  EXPECT_EQ(key(TimingClass::kSystem), "system");
}

}  // namespace
}  // namespace castor::isa::isa_table_test
