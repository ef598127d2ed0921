// Tests of the parser's parts alone: each reads its construct at a cursor.

#include "ptx/declarations.h"
#include "ptx/directives.h"
#include "ptx/labels.h"
#include "ptx/spellings.h"
#include "ptx_support.h"

namespace castor::ptx::ptx_parts_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Kind = Constant::Kind;

const std::string kFile = "part.ptx";

/// Returns the message of the InputError that an action throws, or "no error".
template <class F>
std::string message_of(F action) {
  try {
    action();
  } catch (const base::InputError& error) {
    return error.message();
  }
  return "no error";
}

/// Parser parts that live as long as a text.
struct Reader {
  explicit Reader(std::string_view characters, std::uint64_t bytes = 1 << 20)
      : text(characters, kFile),
        memory(bytes),
        expressions(text),
        places(text, expressions, module),
        symbols(text, module, memory),
        initialisers(text, expressions, symbols, memory),
        declarations(text, expressions, places, symbols, initialisers) {}

  isa::Module module;
  Cursor text;
  Budget memory;
  Expressions expressions;
  SourcePlaces places;
  Symbols symbols;
  Initialisers initialisers;
  Declarations declarations;
};

TEST(Budget, HoldsWhatItHasAndNoMore) {
  Budget budget(10);
  EXPECT_TRUE(budget.take(4));
  EXPECT_TRUE(budget.take(6));
  EXPECT_FALSE(budget.take(1));
}

TEST(Cursor, TakesOnlyWhatIsThere) {
  Cursor text("a , .b", kFile);
  EXPECT_FALSE(text.accept(','));
  EXPECT_EQ(text.take().text, "a");
  EXPECT_TRUE(text.at(','));
  EXPECT_TRUE(text.next_is('.'));
  EXPECT_TRUE(text.accept(','));
  EXPECT_FALSE(text.accept_dot(".c"));
  EXPECT_TRUE(text.accept_dot(".b"));
  EXPECT_EQ(text.token().kind, TokenKind::kEnd);
}

TEST(Cursor, SaysWhatItExpectedAndWhatThereIs) {
  Cursor text("a", kFile);
  EXPECT_EQ(message_of([&] { text.expect(punctuation("<<"), "before it"); }), "expected '<<' before it, found 'a'");
  Cursor sink("_", kFile);
  EXPECT_EQ(message_of([&] { sink.expect_identifier("a name"); }), "expected a name, found '_'");
}

TEST(Cursor, DropsTheRestOfTheNextTokensLine) {
  Cursor text("a b c\nd", kFile);
  text.take();
  text.skip_line();
  EXPECT_EQ(text.token().text, "d");
  EXPECT_EQ(text.token().line, 2U);
}

TEST(Cursor, ReadsAheadAndStays) {
  Cursor text("a b c", kFile);
  Lexer ahead = text.ahead();
  EXPECT_EQ(ahead.next().text, "b");
  EXPECT_EQ(ahead.next().text, "c");
  EXPECT_EQ(text.take().text, "a");
  EXPECT_EQ(text.token().text, "b");
}

TEST(Cursor, RefusesWhatIsNestedTooDeeply) {
  Cursor text("a", kFile);
  for (unsigned i = 0; i < kMostNesting; ++i) text.enter(text.token(), "too deep");
  text.leave();
  text.enter(text.token(), "too deep");
  EXPECT_EQ(message_of([&] { text.enter(text.token(), "too deep"); }), "too deep");
}

TEST(Directives, SkipTheirOwnTextOnly) {
  Cursor text(".pragma \"a\", \"b\"; .section .debug { .b8 1 { } } x", kFile);
  skip_pragma(text);
  ASSERT_TRUE(text.at_dot(".section"));
  skip_section(text);
  EXPECT_EQ(text.token().text, "x");
  Cursor open(".section .debug { .b8", kFile);
  EXPECT_EQ(message_of([&] { skip_section(open); }), "section without its closing '}'");
}

TEST(Expressions, BindAsTheirOperatorsDo) {
  Reader reader("1 + 2 * 3 << 1 ; 5 - 2 - 1 ; 1 ? 7 : 8 ; (.u64) -1 >> 63 ;");
  std::vector<std::uint64_t> values;
  while (reader.expressions.at_constant()) {
    values.push_back(reader.expressions.constant_expression().bits);
    reader.text.expect(';', "after a value");
  }
  EXPECT_THAT(values, ElementsAre(14, 2, 7, 1));
}

TEST(Expressions, ReadNoMoreThanTheLevelSays) {
  Reader reader("2 * 3 + 4");
  EXPECT_EQ(reader.expressions.binary_expression(10).bits, 6U);
  EXPECT_TRUE(reader.text.at('+'));
}

TEST(Expressions, ANumberIsCheckedAgainstItsRange) {
  Reader reader("8 -1 1.5");
  EXPECT_EQ(reader.expressions.unsigned_constant("a count", 8), 7U);  // 8 - 1
  EXPECT_THAT(message_of([&] { (void)reader.expressions.unsigned_constant("a count", 8); }),
              HasSubstr("expected a count from 0 to 8, found '1.5'"));
}

TEST(SourcePlaces, FilesAreKnownAtTheEndOnly) {
  Reader reader(".loc 7 30 ; .file 7 \"late.cu\" ");
  reader.places.location_directive();
  const isa::SourceLine where = reader.places.place(reader.text.token());
  EXPECT_EQ(where.source_file, 7U);
  EXPECT_EQ(where.source_line, 30U);
  isa::Function function;
  function.body.resize(2);
  function.body[0].where = where;
  function.body[1].where = where;
  function.body[1].where.source_file = 8;  // a file number without a .file directive
  reader.module.functions.push_back(function);
  reader.text.expect(';', "here");
  reader.places.file_directive();
  reader.places.resolve();
  EXPECT_EQ(reader.module.functions[0].body[0].where.source_file, 1U);
  EXPECT_EQ(reader.module.functions[0].body[1].where.source_file, 0U);
  EXPECT_EQ(reader.module.functions[0].body[1].where.source_line, 0U);
}

TEST(SourcePlaces, AFunctionBeginsWithoutAPlace) {
  Reader reader(".loc 7 30 ;");
  reader.places.location_directive();
  reader.places.forget();
  const isa::SourceLine where = reader.places.place(reader.text.token());
  EXPECT_EQ(where.source_file, 0U);
  EXPECT_EQ(where.source_line, 0U);
  EXPECT_EQ(where.column, 11U);
}

TEST(SourcePlaces, ANumberStandsForOneName) {
  Reader reader(".file 1 \"a\" .file 1 \"a\" .file 1 \"b\"");
  reader.places.file_directive();
  reader.places.file_directive();
  EXPECT_EQ(message_of([&] { reader.places.file_directive(); }), "file number 1 stands for two names");
}

isa::Function function(const std::string& name, bool defined) {
  isa::Function made;
  made.name = name;
  made.defined = defined;
  return made;
}

TEST(Symbols, ADefinitionStandsForItsDeclaration) {
  Reader reader("f f f");
  const Token name = reader.text.token();
  EXPECT_EQ(reader.symbols.function("f"), nullptr);
  EXPECT_EQ(reader.symbols.declare(function("f", false), name), 0U);
  EXPECT_EQ(reader.symbols.declare(function("f", true), name), 0U);
  EXPECT_TRUE(reader.symbols.function("f")->defined);
  EXPECT_EQ(reader.symbols.declare(function("f", false), name), 0U);
  EXPECT_TRUE(reader.symbols.function("f")->defined);
  EXPECT_EQ(message_of([&] { reader.symbols.declare(function("f", true), name); }), "'f' is declared twice");
  EXPECT_EQ(message_of([&] { reader.symbols.declare(isa::Variable{}, name); }), "'f' is declared twice");
}

TEST(Symbols, NamesAreKeptOnce) {
  Reader reader("");
  EXPECT_EQ(reader.symbols.name_index("a"), 0U);
  EXPECT_EQ(reader.symbols.name_index("b"), 1U);
  EXPECT_EQ(reader.symbols.name_index("a"), 0U);
  EXPECT_THAT(reader.module.names, ElementsAre("a", "b"));
}

TEST(Symbols, UsesAreCheckedAtTheEnd) {
  Reader reader("f");
  SymbolUse use;
  use.at = reader.text.token();
  use.width = 32;
  reader.symbols.use(use);
  EXPECT_EQ(message_of([&] { reader.symbols.finish(); }), "unknown name 'f'");
  reader.symbols.declare(function("f", true), use.at);
  EXPECT_EQ(message_of([&] { reader.symbols.finish(); }), "the address of function 'f' takes 64 bits");
}

TEST(Symbols, AnAliasIsASecondBodyAndCostsOne) {
  Reader reader("f g", 1500);
  const Token f = reader.text.take();
  const Token g = reader.text.take();
  reader.symbols.alias(g, f);
  EXPECT_EQ(message_of([&] { reader.symbols.finish(); }), ".alias needs a function that is defined here, 'f' is none");
  reader.symbols.declare(function("f", true), f);
  reader.symbols.finish();
  ASSERT_NE(reader.symbols.function("g"), nullptr);
  EXPECT_TRUE(reader.symbols.function("g")->defined);
  Reader poor("f g", 10);
  poor.symbols.declare(function("f", true), f);
  poor.symbols.alias(g, f);
  EXPECT_EQ(message_of([&] { poor.symbols.finish(); }), "the aliases of this file take more memory than is allowed");
}

TEST(Declarations, VariablesOfAModuleAreToldToTheSymbols) {
  Reader reader(".global .align 8 .u16 a[2][3] = {{1, 2}, {3}}, b; .const .u32 c = 5;");
  reader.declarations.module_variables({});
  reader.declarations.module_variables({});
  const isa::Variable& a = *reader.symbols.variable("a");
  EXPECT_EQ(a.size, 12U);
  EXPECT_EQ(a.align, 8U);
  EXPECT_THAT(a.data, ElementsAre(1, 0, 2, 0, 0, 0, 3, 0));
  EXPECT_EQ(reader.symbols.variable("b")->size, 2U);
  EXPECT_EQ(reader.symbols.variable("c")->space, isa::Space::kConst);
}

TEST(Initialisers, TakeNoMoreThanThereIs) {
  Reader reader(".global .u32 a[4] = {1, 2, 3}; .global .u32 b = 1;", 12);
  reader.declarations.module_variables({});
  EXPECT_EQ(message_of([&] { reader.declarations.module_variables({}); }),
            "the initial values of this file take more than 12 bytes");
}

TEST(Initialisers, AnAddressIsAUseOfItsSymbolWithItsWidth) {
  Reader reader(".global .u32 a = far + 8;");
  reader.declarations.module_variables({});
  const isa::Relocation& relocation = reader.symbols.variable("a")->relocations.at(0);
  EXPECT_EQ(relocation.symbol, "far");
  EXPECT_EQ(relocation.addend, 8);
  Cursor text("far", kFile);
  isa::Variable far;
  far.space = isa::Space::kGlobal;
  reader.symbols.declare(std::move(far), text.token());
  EXPECT_EQ(message_of([&] { reader.symbols.finish(); }),
            "the address of .global variable 'far' takes 64 bits, not 32");
}

/// Labels of a function with one instruction of two operands, and their scopes.
struct LabelRig {
  explicit LabelRig(std::string_view tokens) : text(tokens, kFile), names(function), labels(text, function, names) {
    function.body.resize(1);
    function.body[0].operands.resize(2);
  }
  void declare(std::uint32_t position) { labels.declare(text.take(), {Labelled::Kind::kPosition, position}); }
  void use(std::size_t operand) { labels.use(text.take(), Labels::Where::kOperand, 0, operand); }

  Cursor text;
  isa::Function function;
  Names names;
  Labels labels;
};

TEST(Labels, AreFoundFromInsideAndNotFromOutside) {
  LabelRig rig("a a a a");
  rig.declare(3);
  rig.use(0);
  rig.names.open_scope();
  rig.use(1);  // the inner label, which is defined later
  rig.declare(9);
  EXPECT_EQ(rig.labels.find("a", rig.names.scope())->index, 9U);
  rig.names.close_scope();
  EXPECT_EQ(rig.labels.find("a", rig.names.scope())->index, 3U);
  EXPECT_EQ(rig.labels.find("b", rig.names.scope()), nullptr);
  rig.labels.resolve();
  ASSERT_EQ(rig.function.labels.size(), 2U);
  EXPECT_EQ(rig.function.labels[rig.function.body[0].operands[0].index].position, 3U);
  EXPECT_EQ(rig.function.labels[rig.function.body[0].operands[1].index].position, 9U);
}

TEST(Labels, AnInnerScopeSeesThoseOfTheOuterOnes) {
  LabelRig rig("a a");
  rig.declare(3);
  rig.names.open_scope();
  rig.names.open_scope();
  EXPECT_EQ(rig.labels.find("a", rig.names.scope())->index, 3U);
  rig.use(0);
  rig.labels.resolve();
  EXPECT_EQ(rig.function.labels.at(0).position, 3U);
}

TEST(Labels, ThoseThatNobodyNamesAreNotKept) {
  LabelRig rig("a b b");
  rig.declare(0);
  rig.declare(1);
  rig.use(0);
  rig.labels.resolve();
  ASSERT_EQ(rig.function.labels.size(), 1U);
  EXPECT_EQ(rig.function.labels[0].name, "b");
}

TEST(Labels, SayWhatIsMissing) {
  LabelRig twice("a a");
  twice.declare(0);
  EXPECT_EQ(message_of([&] { twice.declare(1); }), "'a' is declared twice");
  LabelRig unknown("a");
  unknown.use(0);
  EXPECT_EQ(message_of([&] { unknown.labels.resolve(); }), "unknown label 'a'");
  LabelRig list("a a");
  list.labels.declare(list.text.take(), {Labelled::Kind::kTargets, 0});
  list.use(0);
  EXPECT_THAT(message_of([&] { list.labels.resolve(); }), HasSubstr("a label that stands before an instruction"));
}

TEST(Spellings, WhiteSpaceInsideChangesNothing) {
  Cursor text("ld.global.v2.u32 ld .global .v2.u32 nothing.u32", kFile);
  Spellings spellings(text);
  std::string_view spelled;
  const Token glued = text.take();
  const Spelling& first = spellings.read(glued, spelled);
  EXPECT_EQ(spelled, "ld.global.v2.u32");
  EXPECT_EQ(first.elements, 2U);
  EXPECT_EQ(first.space, isa::Space::kGlobal);
  EXPECT_TRUE(first.relaxed);
  const Token loose = text.take();
  EXPECT_EQ(&spellings.read(loose, spelled), &first);
  EXPECT_EQ(spelled, "ld.global.v2.u32");
  const Token unknown = text.take();
  EXPECT_THAT(message_of([&] { (void)spellings.read(unknown, spelled); }), HasSubstr("nothing"));
}

}  // namespace
}  // namespace castor::ptx::ptx_parts_test
