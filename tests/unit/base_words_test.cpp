#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "castor/base/terminal.h"
#include "castor/base/words.h"

namespace castor::base::base_words_test {
namespace {

using testing::IsEmpty;

TEST(Words, NearestIsEmptyWhenNothingIsNear) {
  EXPECT_EQ(closest_word("kepler_k20", {"kepler_k20c", "kepler_k40"}), "kepler_k20c");
  EXPECT_THAT(closest_word("abc", {"xyz"}), IsEmpty());
  EXPECT_THAT(closest_word("abc", {}), IsEmpty());
  EXPECT_THAT(closest_word(std::string(10'000, 'a'), {"aaa"}), IsEmpty());
}

TEST(Words, SwappedNeighboursAreOneMistake) {
  EXPECT_EQ(closest_word("lsit", {"run", "list", "wave"}), "list");
  EXPECT_EQ(closest_word("rnu", {"run", "list"}), "run");
  EXPECT_EQ(closest_word("--platfrom", {"--platform", "--wave-from"}), "--platform");
  EXPECT_THAT(closest_word("tsil", {"list"}), IsEmpty());
}

TEST(Words, WhiteSpaceAtTheEndsIsLeftOut) {
  EXPECT_EQ(trimmed("\t one  word \r\n"), "one  word");
  EXPECT_EQ(trimmed("word"), "word");
  EXPECT_EQ(trimmed(" \t "), "");
  EXPECT_EQ(trimmed(""), "");
}

TEST(Words, AQuestionOrNothing) {
  EXPECT_EQ(did_you_mean("runn", {"run"}), "did you mean run?");
  EXPECT_EQ(did_you_mean("runn", {"run"}, " "), "did you mean run? ");
  EXPECT_THAT(did_you_mean("elephant", {"run"}, " "), IsEmpty());
}

TEST(Words, NamesOfCppAreReadable) {
  EXPECT_EQ(demangled("_Z3addPKfPfi"), "add(float const*, float*, int)");
  EXPECT_EQ(demangled("_Z8multiplyILi16EEvPKfS1_Pfiii"),
            "void multiply<16>(float const*, float const*, float*, int, int, int)");
  EXPECT_EQ(demangled("_ZN12_GLOBAL__N_15scaleEPf"), "(anonymous namespace)::scale(float*)");
  EXPECT_EQ(demangled("_Z5applyIZ4mainEUliE_EvPiT_"), "void apply<main::{lambda(int)#1}>(int*, main::{lambda(int)#1})");
}

TEST(Words, OtherNamesStayAsTheyAre) {
  for (const char* const name : {"saxpy", "i", "f", "Pf", "_Z", "_Zzz", "_Z3ad", "$_Z3addPfi", ""}) {
    EXPECT_EQ(demangled(name), name);
  }
}

TEST(Words, FunctionsWithoutResultAndParameters) {
  const auto function = [](const char* name) { return function_name(demangled(name)); };
  EXPECT_EQ(function("_Z3addPKfPfi"), "add");
  EXPECT_EQ(function("_Z8multiplyILi16EEvPKfS1_Pfiii"), "multiply<16>");
  EXPECT_EQ(function("_ZN12_GLOBAL__N_15scaleEPf"), "(anonymous namespace)::scale");
  EXPECT_EQ(function("_Z5applyIZ4mainEUliE_EvPiT_"), "apply<main::{lambda(int)#1}>");
  EXPECT_EQ(function_name("k(void (*)(int))"), "k");
  EXPECT_EQ(function_name("saxpy"), "saxpy");
  EXPECT_EQ(function_name("strange)"), "strange)");
  EXPECT_THAT(function_name(""), IsEmpty());
}

TEST(Words, TheUserMayWantNamesAsTheyAre) {
  ::unsetenv("CASTOR_MANGLED");
  EXPECT_EQ(readable_name("_Z3addPf"), "add(float*)");
  ::setenv("CASTOR_MANGLED", "1", 1);
  EXPECT_EQ(readable_name("_Z3addPf"), "_Z3addPf");
  ::setenv("CASTOR_MANGLED", "0", 1);
  EXPECT_EQ(readable_name("_Z3addPf"), "add(float*)");
  ::unsetenv("CASTOR_MANGLED");
}

TEST(Terminal, ColoursTheWordThatSaysHowBadItIs) {
  EXPECT_EQ(with_coloured_word("castor: error no such", true), "castor: \x1b[1;31merror\x1b[0m no such");
  EXPECT_EQ(with_coloured_word("castor: a.yaml:1:2: error no error", true),
            "castor: a.yaml:1:2: \x1b[1;31merror\x1b[0m no error");
  EXPECT_EQ(with_coloured_word("castor: warning: an error: x", true), "castor: \x1b[1;35mwarning\x1b[0m: an error: x");
  EXPECT_EQ(with_coloured_word("castor: errors: 3, terror", true), "castor: errors: 3, terror");
  EXPECT_EQ(with_coloured_word("castor: error no such", false), "castor: error no such");
}

TEST(Terminal, APipeHasNoColour) {
  // Standard error of a test is a file or a pipe.
  EXPECT_FALSE(stderr_has_colour());
}

}  // namespace
}  // namespace castor::base::base_words_test
