// Tests of castor-cc's pass over loops that retry a lock in LLVM text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "castor_cc/ir_locks.h"

namespace castor::castor_cc::castor_cc_locks_test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char kCalled[] =
    "; ModuleID = 'k.cu'\n"
    "define internal i32 @cas(i32* noundef %0) #2 {\n"
    "  %2 = alloca i32*, align 8\n"
    "  store i32* %0, i32** %2, align 8\n"
    "  %3 = load i32*, i32** %2, align 8\n"
    "  %4 = cmpxchg i32* %3, i32 0, i32 1 seq_cst seq_cst, align 4\n"
    "  %5 = extractvalue { i32, i1 } %4, 0\n"
    "  ret i32 %5\n}\n"
    "\ndefine internal i32 @exchange(i32* noundef %0) #2 {\n"
    "  %2 = atomicrmw xchg i32* %0, i32 0 seq_cst, align 4\n"
    "  ret i32 %2\n}\n"
    "\ndefine internal void @fence() #2 {\n"
    "  call void asm sideeffect \"membar.gl;\", \"~{memory}\"() #7\n"
    "  ret void\n}\n\n";

std::string function(const std::string& body, const std::string& result = "void") {
  return kCalled + ("define dso_local " + result + " @k(i32* noundef %0, i32* noundef %1) #0 {\n") + body + "}\n";
}

/// `while (true) { if (cas(lock) == 0) { fence(); exchange(lock); <leave> } }`
std::string loop(
    const std::string& leave, const std::string& behind = "\n9:\n  ret void\n",
    const std::string& release = "  call void @fence() #7\n  %6 = call i32 @exchange(i32* noundef %0) #7\n",
    const std::string& result = "void") {
  return function(
      "  br label %3\n\n3:                 ; preds = %2, %8\n  %4 = call i32 @cas(i32* noundef %0) #7\n"
      "  %5 = icmp eq i32 %4, 0\n  br i1 %5, label %7, label %8\n\n7:                ; preds = %3\n" +
          release + leave + "\n8:               ; preds = %3\n  br label %3, !llvm.loop !27\n" + behind,
      result);
}

TEST(KeepLockReleases, ABreakGoesThroughTheEndOfTheLoop) {
  const std::string out = keep_lock_releases(loop("  br label %9, !dbg !4\n"));
  EXPECT_THAT(out, HasSubstr("#0 {\n  %castor.lock.0.exit = alloca i32\n  store i32 0, i32* %castor.lock.0.exit\n"
                             "  br label %3\n\n"
                             "castor.lock.0.to.1:\n  store i32 0, i32* %castor.lock.0.exit\n  br label %9\n\n"
                             "castor.lock.0.meet:\n  %castor.lock.0.taken = load i32, i32* %castor.lock.0.exit\n"));
  EXPECT_THAT(out, HasSubstr("= call i32 asm sideeffect \"\", \"=r,0\"(i32 %castor.lock.0.taken) convergent nounwind\n"
                             "  switch i32 %castor.lock.0.kept, label %3 [\n"
                             "    i32 1, label %castor.lock.0.to.1\n  ]\n\n3:  "));
  EXPECT_THAT(out, HasSubstr("  %6 = call i32 @exchange(i32* noundef %0) #7\n"
                             "  store i32 1, i32* %castor.lock.0.exit\n  br label %castor.lock.0.meet\n\n8:"));
  EXPECT_THAT(out, HasSubstr("  br label %castor.lock.0.meet, !llvm.loop !27\n"));
}

TEST(KeepLockReleases, SoDoReturnsWithTheirValues) {
  const std::string none = keep_lock_releases(loop("  ret void, !dbg !4\n", ""));
  EXPECT_THAT(none, HasSubstr("castor.lock.0.to.1:\n  store i32 0, i32* %castor.lock.0.exit\n  ret void, !dbg !4\n"));
  const std::string value = keep_lock_releases(loop("  ret i32 %6\n", "",
                                                    "  call void @fence() #7\n  %6 = call i32 "
                                                    "@exchange(i32* noundef %0) #7\n",
                                                    "i32"));
  EXPECT_THAT(value, HasSubstr("  %castor.lock.0.value.1 = alloca i32\n"));
  EXPECT_THAT(value,
              HasSubstr("  store i32 %6, i32* %castor.lock.0.value.1\n  store i32 1, i32* %castor.lock.0.exit\n"));
  EXPECT_THAT(value, HasSubstr("  %castor.lock.0.result.1 = load i32, i32* %castor.lock.0.value.1\n"
                               "  ret i32 %castor.lock.0.result.1\n"));
}

TEST(KeepLockReleases, AFlagThatIsSetInTheBranchEndsTheLoopAsItIsWritten) {
  const std::string out = keep_lock_releases(function(
      "  %3 = alloca i8, align 1\n  store i8 0, i8* %3, align 1\n  br label %4\n\n4:\n  %5 = load i8, i8* %3, align 1\n"
      "  %6 = trunc i8 %5 to i1\n  br i1 %6, label %12, label %7\n\n7:\n  %8 = call i32 @cas(i32* noundef %0) #7\n"
      "  %9 = icmp eq i32 %8, 0\n  br i1 %9, label %10, label %11\n\n10:\n  call void @fence() #7\n"
      "  store volatile i32 0, i32* %0, align 4\n  store i8 1, i8* %3, align 1\n  br label %11\n\n"
      "11:\n  br label %4\n\n12:\n  ret void\n"));
  EXPECT_THAT(out, HasSubstr("castor.lock.0.meet:\n  call void asm sideeffect \"\", \"\"() convergent nounwind\n"
                             "  br label %4\n\n4:\n"));
  EXPECT_THAT(out, HasSubstr("11:\n  br label %castor.lock.0.meet\n"));
  EXPECT_THAT(out, HasSubstr("  br i1 %6, label %12, label %7\n")) << "nothing is held there";
}

TEST(KeepLockReleases, OtherLoopsStayAsTheyAre) {
  const auto stays = [](const std::string& text) { return keep_lock_releases(text) == text; };
  EXPECT_TRUE(stays(loop("  br label %9\n", "\n9:\n  ret void\n", ""))) << "nothing is released";
  EXPECT_TRUE(
      stays(loop("  br label %9\n", "\n9:\n  ret void\n", "  %6 = atomicrmw add i32* %1, i32 1 seq_cst, align 4\n")))
      << "something else is written";
  EXPECT_TRUE(
      stays(function("  br label %3\n\n3:\n  %4 = call i32 @cas(i32* noundef %0) #7\n  %5 = icmp eq i32 %4, 0\n"
                     "  br i1 %5, label %7, label %6\n\n6:\n  br label %3\n\n7:\n  call void @fence() #7\n"
                     "  %8 = call i32 @exchange(i32* noundef %0) #7\n  ret void\n")))
      << "the release is written behind the loop";
  EXPECT_TRUE(
      stays(function("  br label %3\n\n3:\n  call void @fence() #7\n  %4 = call i32 @cas(i32* noundef %0) #7\n"
                     "  %5 = icmp eq i32 %4, 0\n  br i1 %5, label %6, label %3\n\n6:\n  ret void\n")))
      << "a loop of a compare-and-swap";
}

TEST(KeepLockReleases, SpellingsThatAreUnknownStayAsTheyAre) {
  const auto stays = [](const std::string& text) { return keep_lock_releases(text) == text; };
  EXPECT_TRUE(stays("")) << "no function";
  EXPECT_TRUE(stays(loop("  callbr void asm \"\", \"X\"(i8* blockaddress(@k, %9)) to label %9 [label %9]\n")));
  EXPECT_TRUE(stays(loop("  br label %9\n", "\n9:\n  %10 = phi i32 [ %6, %7 ]\n  ret void\n")))
      << "a value depends on where the loop was left";
  EXPECT_TRUE(stays(loop("  br label %9\n", "\n9:\n  store i32 %6, i32* %1, align 4\n  ret void\n")))
      << "a value of the loop is used behind it";
}

TEST(KeepLockReleases, ALoopThatCallsAFunctionWhichTriesIsOne) {
  const std::string tries =
      "define internal i1 @try(i32* noundef %0) #2 {\n  %2 = call i32 @cas(i32* noundef %0) #7\n"
      "  %3 = icmp eq i32 %2, 0\n  br i1 %3, label %4, label %6\n\n4:\n"
      "  %5 = call i32 @exchange(i32* noundef %0) #7\n  ret i1 true\n\n6:\n  ret i1 false\n}\n\n";
  const std::string caller =
      "define dso_local void @all(i32* noundef %0) #0 {\n  br label %2\n\n2:\n"
      "  %3 = call i1 @try(i32* noundef %0) #7\n  br i1 %3, label %5, label %4\n\n4:\n  br label %2\n\n5:\n  ret "
      "void\n}\n";
  const std::string out = keep_lock_releases(kCalled + tries + caller);
  EXPECT_THAT(out, HasSubstr(tries));
  EXPECT_THAT(out, HasSubstr("  br i1 %3, label %castor.lock.0.edge.0, label %4\n\n"
                             "castor.lock.0.edge.0:\n  store i32 1, i32* %castor.lock.0.exit\n"));
}

TEST(KeepLockReleases, NamesMayBeQuotedAndFunctionsWithoutLocksAreCopied) {
  std::string text = loop("  br label %9\n");
  for (std::size_t at = text.find("label %9"); at != std::string::npos; at = text.find("label %9", at))
    text.replace(at, 8, "label %\"a b\"");
  text.replace(text.find("\n9:"), 3, "\n\"a b\":");
  const std::string out = keep_lock_releases(text);
  EXPECT_THAT(out, HasSubstr("castor.lock.0.to.1:\n  store i32 0, i32* %castor.lock.0.exit\n  br label %\"a b\"\n"));
  EXPECT_THAT(out, HasSubstr(kCalled));
  EXPECT_THAT(out, Not(HasSubstr("castor.lock.1")));
}

}  // namespace
}  // namespace castor::castor_cc::castor_cc_locks_test
