// Tests of castor-cc's changes to PTX text and to the compiler's messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <string>

#include "castor/base/words.h"
#include "castor_cc/diagnostics.h"
#include "castor_cc/ir_zeros.h"
#include "castor_cc/process.h"
#include "castor_cc/ptx_repairs.h"
#include "castor_cc/ptx_text.h"

namespace castor::castor_cc::castor_cc_text_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(CapRegisters, WritesTheCapIntoEveryKernelWithoutBounds) {
  const std::string ptx =
      ".visible .entry a(\n\t.param .u64 a_param_0\n)\n{\n\tret;\n}\n"
      ".entry b()\n.maxntid 128, 1, 1\n{\n\tret;\n}\n"
      ".func c()\n{\n\tret;\n}\n";
  EXPECT_EQ(cap_registers(ptx, 40),
            ".visible .entry a(\n\t.param .u64 a_param_0\n)\n.maxnreg 40\n{\n\tret;\n}\n"
            ".entry b()\n.maxntid 128, 1, 1\n{\n\tret;\n}\n"
            ".func c()\n{\n\tret;\n}\n");
}

TEST(CapRegisters, IgnoresCommentsAndNamesThatContainTheWord) {
  const std::string ptx = "// .entry none\n.global .u32 x.entry_count;\n.func entry()\n{\n}\n";
  EXPECT_EQ(cap_registers(ptx, 40), ptx);
}

TEST(RepairPtx, MakesAShiftAndAMaskOfABitFieldBeyondTheSign) {
  const std::string ptx = "{\n\tld.param.u64 \t%rd1, [a];\n\tbfe.u64 \t%rd2, %rd1, 63, 3;\n\tret;\n}\n";
  EXPECT_EQ(repair_ptx(ptx),
            "{\n\tld.param.u64 \t%rd1, [a];\n\tshr.s64 \t%rd2, %rd1, 63;\n\tand.b64 \t%rd2, %rd2, 7;\n\tret;\n}\n");
  EXPECT_THAT(repair_ptx("\tbfe.u64 \t%rd2, %rd1, 2, 63;\n"), HasSubstr("and.b64 \t%rd2, %rd2, 9223372036854775807;"));
  for (const std::string right : {"\tbfe.u64 \t%rd2, %rd1, 61, 3;\n", "\tbfe.s64 \t%rd2, %rd1, 63, 3;\n",
                                  "\tbfe.u32 \t%r2, %r1, 31, 3;\n", "\tbfe.u64 \t%rd2, %rd1, %r1, %r2;\n",
                                  "\t// begin inline asm\n\tbfe.u64 %rd2, %rd1, 63, 3;\n\t// end inline asm\n",
                                  "\tbfe.u64 \t%rd2, %rd1, 63, 3", ""})
    EXPECT_EQ(repair_ptx(right), right);
}

TEST(RepairPtx, ShiftsAWideNumberByWhatIsNoFactor) {
  EXPECT_EQ(repair_ptx("\tmul.wide.s32 \t%rd5, %r1, -2147483648;\n"),
            "\tcvt.s64.s32 \t%rd5, %r1;\n\tshl.b64 \t%rd5, %rd5, 31;\n");
  EXPECT_EQ(repair_ptx("\tmul.wide.s16 \t%r5, %rs1, -32768;\n"),
            "\tcvt.s32.s16 \t%r5, %rs1;\n\tshl.b32 \t%r5, %r5, 15;\n");
  for (const char* const right : {"\tmul.wide.u32 \t%rd5, %r1, -2147483648;\n",
                                  "\tmul.wide.s32 \t%rd5, %r1, 1073741824;\n", "\tmul.wide.s32 \t%rd5, %r1, %r2;\n"}) {
    EXPECT_EQ(repair_ptx(right), right);
  }
}

TEST(RepairPtx, RotatesByTheAmountModulo64) {
  const auto rotation = [](const std::string& left, const std::string& right, const std::string& declared,
                           const std::string& amount, const std::string& rest) {
    return "\t{\n\t.reg .b64 %lhs;\n\t.reg .b64 %rhs;\n\t.reg .u32 %amt2;\n" + declared + "\t" + left +
           " \t%lhs, %rd1, " + amount + ";\n\tsub.u32 \t%amt2, 64, " + rest + ";\n\t" + right +
           " \t%rhs, %rd1, %amt2;\n\tadd.u64 \t%rd2, %lhs, %rhs;\n\t}\n";
  };
  const std::string masked = "\t.reg .b32 %amt;\n\tand.b32 \t%amt, %r1, 63;\n";
  EXPECT_EQ(repair_ptx(rotation("shl.b64", "shr.b64", "", "%r1", "%r1")),
            rotation("shl.b64", "shr.b64", masked, "%amt", "%amt"));
  EXPECT_EQ(repair_ptx(rotation("shr.b64", "shl.b64", "", "%r1", "%r1")),
            rotation("shr.b64", "shl.b64", masked, "%amt", "%amt"));
  const std::string by_constant = "\tshl.b64 \t%lhs, %rd1, 13;\n\tshr.b64 \t%rhs, %rd1, 51;\n";
  for (const std::string& right :
       {by_constant, rotation("shl.b64", "shr.b64", "", "%r1", "%r3"), std::string("\tshl.b64 \t%lhs, %rd1, %r1;")})
    EXPECT_EQ(repair_ptx(right), right);
}

TEST(SignsOfZeros, AMinimumOrMaximumWithAZeroIsSuspect) {
  EXPECT_TRUE(has_minimum_with_zero("\tmin.f64 \t%fd2, %fd1, 0d0000000000000000;\n"));
  EXPECT_TRUE(has_minimum_with_zero("\tmax.ftz.f32 \t%f2, %f1, 0f80000000;\n"));
  for (const char* const other : {"\tmin.f64 \t%fd2, %fd1, %fd3;\n", "\tmin.f64 \t%fd2, %fd1, 0d3FF0000000000000;\n",
                                  "\tmin.s32 \t%r2, %r1, 0;\n",
                                  "\t// begin inline asm\n\tmin.f32 %f2, %f1, 0f00000000;\n\t// end inline asm\n"}) {
    EXPECT_FALSE(has_minimum_with_zero(other)) << other;
  }
}

/// Returns the text of a function that selects between %x and a zero.
std::string selecting(const std::string& flags, const std::string& compare, const std::string& arms) {
  return "define void @f(double %x) {\n  %1 = fcmp " + flags + compare + "\n  %2 = select contract i1 %1, " + arms +
         ", !prof !5\n  ret void\n}\n";
}

TEST(SignsOfZeros, SelectionsWhoseZeroHasAnotherSignAreTurnedRound) {
  const std::string x = "double %x", plus = "double 0.000000e+00", minus = "double -0.000000e+00";
  struct Case {
    std::string compare, arms, opposite, value, turned;
  };
  const Case cases[] = {
      {"olt double %x, 0.000000e+00", x + ", " + plus, "uge", "0.000000e+00", plus + ", " + x},
      {"ogt double 0.000000e+00, %x", x + ", " + plus, "uge", "0.000000e+00", plus + ", " + x},
      {"ogt double %x, -0.000000e+00", x + ", " + minus, "ule", "-0.000000e+00", minus + ", " + x},
      {"ult double %x, 0.000000e+00", plus + ", " + x, "oge", "0.000000e+00", x + ", " + plus},
      {"ugt double %x, -0.000000e+00", minus + ", " + x, "ole", "-0.000000e+00", x + ", " + minus},
      {"ult double %x, 0.000000e+00, !dbg !7", plus + ", " + x, "oge", "0.000000e+00", x + ", " + plus},
      {"olt double %x, -0.000000e+00", x + ", " + plus, "uge", "-0.000000e+00", plus + ", " + x},
      {"ugt double %x, 0.000000e+00", minus + ", " + x, "ole", "0.000000e+00", x + ", " + minus},
  };
  for (const Case& one : cases) {
    const std::string text = keep_signs_of_zeros(selecting("contract ", one.compare, one.arms));
    EXPECT_THAT(text, HasSubstr("  %kept.zero.0 = fcmp " + one.opposite + " double %x, " + one.value +
                                "\n  %2 = select i1 %kept.zero.0, " + one.turned + "\n  ret void\n}\n"))
        << one.compare;
  }
  // Selections that stay: the zero already has the right sign, or its sign does not matter; another constant; integers;
  // a comparison in another function.
  for (const std::string& same :
       {selecting("", "ogt double %x, 0.000000e+00", x + ", " + plus),
        selecting("", "olt double %x, 0.000000e+00", plus + ", " + x),
        selecting("nsz ", "olt double %x, 0.000000e+00", x + ", " + plus),
        selecting("fast ", "olt double %x, 0.000000e+00", x + ", " + plus),
        selecting("", "olt double %x, 1.000000e+00", x + ", double 1.000000e+00"),
        selecting("", "ogt double %x, -0.000000e+00", x + ", " + plus),
        selecting("", "olt double %x, 0.000000e+00", "i32 %a, i32 0"),
        std::string("define void @g() {\n  %1 = fcmp olt double %x, 0.000000e+00\n}\ndefine void @h(i1 %1) {\n"
                    "  %2 = select i1 %1, double %x, double 0.000000e+00\n}\n")}) {
    EXPECT_EQ(keep_signs_of_zeros(same), same);
  }
}

TEST(SignsOfZeros, ExchangedZerosNeedAComparisonAndANegativeZeroOrAConversion) {
  const std::string compares = "\tsetp.gt.f64 \t%p1, %fd1, 0d0000000000000000;\n";
  const std::string gives = "\tselp.f64 \t%fd2, 0d8000000000000000, %fd1, %p1;\n";
  const std::string converts = "\tcvt.f64.f32 \t%fd1, %f1;\n", rounds = "\tcvt.rzi.s32.f32 \t%r1, %f1;\n";
  EXPECT_TRUE(may_have_exchanged_zeros(compares + gives));
  EXPECT_TRUE(may_have_exchanged_zeros(converts + compares));
  for (const std::string& other : {compares, gives, converts, compares + rounds, gives + converts})
    EXPECT_FALSE(may_have_exchanged_zeros(other)) << other;
}

TEST(SignsOfZeros, DoubtfulAreNegativeZerosAndZerosThatAreConverted) {
  const std::string compare = "ogt double %x, 0.000000e+00";
  const std::string zero = selecting("", compare, "double %x, double 0.000000e+00");
  const auto before_end = [](std::string text, const std::string& line) {
    return text.insert(text.find("  ret"), "  " + line + "\n");
  };
  EXPECT_TRUE(has_doubtful_zeros(selecting("", compare, "double -0.000000e+00, double %x")));
  EXPECT_TRUE(has_doubtful_zeros(selecting("", "ule double 0.000000e+00, %x", "double %x, double -0.000000e+00")));
  EXPECT_TRUE(has_doubtful_zeros(before_end(zero, "%3 = fptrunc double %2 to float")));
  for (const std::string& other : {zero, before_end(zero, "%3 = fptrunc double %x to float"),
                                   selecting("nsz ", compare, "double -0.000000e+00, double %x"),
                                   selecting("", "oeq double %x, 0.000000e+00", "double -0.000000e+00, double %x"),
                                   selecting("", "ogt double %x, 1.000000e+00", "double -0.000000e+00, double %x")}) {
    EXPECT_FALSE(has_doubtful_zeros(other)) << other;
  }
}

TEST(SignsOfZeros, ComparisonsAreHiddenAndShownAgain) {
  const auto function = [](const std::string& lines) { return "define void @f(double %0) {\n" + lines + "}\n"; };
  const std::string hidden = hide_comparisons(function("  %2 = fcmp olt double %0, %1, !dbg !3\n"));
  EXPECT_EQ(hidden, function("  %castor.same.0 = call double @castor.same.double(double %1)\n"
                             "  %2 = fcmp olt double %0, %castor.same.0, !dbg !3\n") +
                        "declare double @castor.same.double(double) nofree nosync nounwind readnone speculatable "
                        "willreturn\n");
  // Comparisons that stay: with a number, by equality, of vectors, or where the sign of the zero does not matter.
  for (const char* const other : {"olt double %0, 1.000000e+00", "ogt float 2.000000e+00, %1", "oeq double %0, %1",
                                  "olt <2 x float> %0, %1", "nsz olt double %0, %1"}) {
    const std::string text = function("  %2 = fcmp " + std::string(other) + "\n");
    EXPECT_EQ(hide_comparisons(text), text);
  }
  // The optimiser changes names, order and numbers of values. Each function has values of its own.
  EXPECT_EQ(show_comparisons("\n" +
                             function("  %2 = fcmp ogt double %castor.same.0.i, %0\n"
                                      "  %castor.same.0.i = tail call double @castor.same.double(double %4) #6\n") +
                             function("  %2 = tail call double @castor.same.double(double -0.000000e+00)\n"
                                      "  %3 = fcmp ogt double %0, %2\n  %4 = fneg double %castor.same.0.i\n") +
                             "declare double @castor.same.double(double) #2\n"),
            "\n" +
                function("  %2 = fcmp ogt double %4, %0\n"
                         "  %castor.same.0.i = bitcast double %4 to double\n") +
                function("  %2 = bitcast double -0.000000e+00 to double\n"
                         "  %3 = fcmp ogt double %0, -0.000000e+00\n  %4 = fneg double %castor.same.0.i\n"));
}

TEST(UnresolvedNames, ListsFunctionsAndVariablesDefinedElsewhere) {
  const std::string ptx =
      ".extern .func  (.param .b32 func_retval0) vprintf\n(\n\t.param .b64 vprintf_param_0\n)\n;\n"
      ".extern .func  (.param .b32 func_retval0) _Z5otheri\n(\n\t.param .b32 _Z5otheri_param_0\n)\n;\n"
      ".extern .func _Z4voidv\n()\n;\n"
      ".extern .global .align 4 .u32 far;\n"
      ".extern .global .align 4 .b8 table[];\n"
      ".extern .shared .align 4 .b8 dynamic[];\n"
      ".extern .func _Z4voidv\n()\n;\n";
  EXPECT_THAT(unresolved_names(ptx), ElementsAre("_Z5otheri", "_Z4voidv", "far", "table"));
}

TEST(UnresolvedNames, AreNoneInASelfContainedModule) {
  EXPECT_THAT(unresolved_names(".version 6.0\n.visible .func f()\n{\n\tret;\n}\n"), IsEmpty());
}

TEST(Diagnostics, ReplacesACrashReportByOneMessage) {
  const std::string report =
      "a.cu:3:5: warning: unused variable 'q' [-Wunused-variable]\n"
      "fatal error: error in backend: Unsupported expression in static initializer: getelementptr\n"
      "PLEASE submit a bug report to somewhere\nStack dump:\n0.\tProgram arguments: clang\n"
      " #0 0x00007f llvm::sys::PrintStackTrace\n"
      "clang: error: clang frontend command failed with exit code 70 (use -v to see invocation)\n"
      "Debian clang version 14\n";
  const std::string ir =
      "@t = dso_local addrspace(1) externally_initialized global [4 x i32] zeroinitializer, align 4\n"
      "@fine = addrspace(1) global i32* addrspacecast (getelementptr inbounds ([4 x i32], [4 x i32] addrspace(1)* @t, "
      "i64 0, i64 0) to i32*)\n"
      "@_ZN1n1pE = addrspace(1) global i32* getelementptr inbounds ([4 x i32], [4 x i32]* @t, i64 0, i64 2), align 8\n";
  const std::string text = translate_device_errors(report, "a.cu", ir);
  EXPECT_THAT(text, HasSubstr("a.cu:3:5: warning: unused variable"));
  EXPECT_THAT(text, HasSubstr("a.cu: error: the variable 'n::p' is initialised with an address plus an offset"));
  EXPECT_THAT(text, HasSubstr("cudaMemcpyToSymbol"));
  EXPECT_THAT(text, Not(HasSubstr("Stack dump")));
  EXPECT_THAT(text, Not(HasSubstr("bug report")));
  EXPECT_THAT(text, Not(HasSubstr("exit code 70")));
}

TEST(Diagnostics, KeepsOrdinaryErrorsWithoutTheirCount) {
  const std::string text = translate_device_errors(
      "a.cu:2:1: error: unknown type name 'foo'\nfoo x;\n^\n1 error generated when compiling for sm_60.\n", "a.cu", "");
  EXPECT_EQ(text, "a.cu:2:1: error: unknown type name 'foo'\nfoo x;\n^\n");
}

TEST(Diagnostics, DropsFromTheHostSideWhatTheDeviceSideSaid) {
  const std::string device = "a.cu:1:2: warning: one\n  code\n  ^\n";
  const std::string host =
      "a.cu:1:2: warning: one\n  code\n  ^\na.cu:9:2: warning: two\n  more\n  ^\n2 warnings generated.\n";
  EXPECT_EQ(without_repeats(host, device), "a.cu:9:2: warning: two\n  more\n  ^\n");
}

TEST(Diagnostics, ShowsNamesAsTheSourceHasThem) {
  EXPECT_EQ(readable_name("_Z5otheri"), "other(int)");
  EXPECT_EQ(readable_name("plain"), "plain");
}

TEST(ShellLine, QuotesWhatAShellWouldSplit) {
  EXPECT_EQ(base::shell_line({"a", "b c", "it's", "x=$y", ""}), "a 'b c' 'it'\\''s' 'x=$y' ''");
}

TEST(RunProcess, ReturnsExitCodeAndErrorText) {
  const ProcessResult r = run_process({"sh", "-c", "echo wrong >&2; exit 7"});
  EXPECT_EQ(r.exit_code, 7);
  EXPECT_EQ(r.error_text, "wrong\n");
}

TEST(RunProcess, SaysWhichSignalEndedAProcessThatSaidNothing) {
  const ProcessResult r = run_process({"sh", "-c", "kill -SEGV $$"});
  EXPECT_EQ(r.exit_code, 128 + SIGSEGV);
  EXPECT_EQ(r.error_text, "castor-cc: error: sh was ended by signal 11 (Segmentation fault)\n");
  EXPECT_EQ(run_process({"sh", "-c", "echo wrong >&2; kill -SEGV $$"}).error_text, "wrong\n");
}

}  // namespace
}  // namespace castor::castor_cc::castor_cc_text_test
