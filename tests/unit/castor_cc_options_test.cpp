// Tests of castor-cc's command line parser.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "castor/base/error.h"
#include "castor_cc/options.h"

namespace castor::castor_cc::castor_cc_options_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

Options parse(std::vector<std::string> arguments) { return parse_command_line(arguments); }

std::string refusal(const std::vector<std::string>& arguments) {
  try {
    (void)parse_command_line(arguments);
  } catch (const base::InputError& e) {
    return e.what();
  }
  return "";
}

TEST(CastorCcOptions, TellsInputsByTheirExtension) {
  const Options o = parse({"a.cu", "b.cpp", "c.c", "d.o", "e.a", "f.cc"});
  ASSERT_EQ(o.inputs.size(), 6U);
  EXPECT_EQ(o.inputs[0].kind, InputKind::kCuda);
  EXPECT_EQ(o.inputs[1].kind, InputKind::kCxx);
  EXPECT_EQ(o.inputs[2].kind, InputKind::kC);
  EXPECT_EQ(o.inputs[3].kind, InputKind::kObject);
  EXPECT_EQ(o.inputs[4].kind, InputKind::kObject);
  EXPECT_EQ(o.inputs[5].kind, InputKind::kCxx);
  EXPECT_EQ(o.stage, Stage::kLink);
}

TEST(CastorCcOptions, TakesEverythingForAnInputBehindTwoDashes) {
  const Options o = parse({"-o", "app", "--", "-x.cu", "--", "b.cpp"});
  ASSERT_EQ(o.inputs.size(), 3U);
  EXPECT_EQ(o.inputs[0].path, "./-x.cu");  // a file name, not an option of the compilers that castor-cc calls
  EXPECT_EQ(o.inputs[0].kind, InputKind::kCuda);
  EXPECT_EQ(o.inputs[1].path, "./--");
  EXPECT_EQ(o.inputs[2].path, "b.cpp");
  EXPECT_EQ(o.output, "app");
  EXPECT_THAT(refusal({"--"}), HasSubstr("no input file"));
}

TEST(CastorCcOptions, TreatsFilesAsCudaBehindXcu) {
  const Options o = parse({"-x", "cu", "a.cpp", "-x", "none", "b.cpp"});
  EXPECT_EQ(o.inputs[0].kind, InputKind::kCuda);
  EXPECT_EQ(o.inputs[1].kind, InputKind::kCxx);
}

TEST(CastorCcOptions, TakesValuesJoinedSeparateAndByLongName) {
  for (const std::vector<std::string>& form :
       {std::vector<std::string>{"-Iinc", "-DN=3", "-oapp", "a.cu"},
        {"-I", "inc", "-D", "N=3", "-o", "app", "a.cu"},
        {"--include-path=inc", "--define-macro=N=3", "--output-file=app", "a.cu"},
        {"--include-path", "inc", "--define-macro", "N=3", "--output-file", "app", "a.cu"}}) {
    const Options o = parse(form);
    EXPECT_THAT(o.common_flags, ElementsAre("-Iinc", "-DN=3"));
    EXPECT_EQ(o.output, "app");
  }
}

TEST(CastorCcOptions, ChoosesTheArchitectureThePlatformCanRun) {
  EXPECT_EQ(parse({"a.cu"}).device_arch, 60);
  EXPECT_EQ(parse({"-arch=sm_70", "a.cu"}).device_arch, 70);
  EXPECT_EQ(parse({"-arch", "compute_75", "a.cu"}).device_arch, 75);
  EXPECT_EQ(parse({"-arch=sm_90a", "a.cu"}).device_arch, 86);
  EXPECT_EQ(parse({"-arch=sm_35", "a.cu"}).device_arch, 50);
  EXPECT_EQ(parse({"-arch=native", "a.cu"}).device_arch, 60);
  EXPECT_EQ(parse({"-gencode", "arch=compute_70,code=[sm_70,compute_70]", "a.cu"}).device_arch, 70);
  // If several architectures are named, castor-cc takes the newest one that a device of compute capability 6.1 may run.
  EXPECT_EQ(parse({"-gencode=arch=compute_50,code=sm_50", "-gencode=arch=compute_60,code=sm_60", "--generate-code",
                   "arch=compute_80,code=sm_80", "a.cu"})
                .device_arch,
            60);
}

TEST(CastorCcOptions, HandsHostFlagsToTheHostOnly) {
  const Options o = parse({"-Xcompiler", "-Wall,-fPIC", "-Xcompiler=-O3", "-march=native", "a.cu"});
  EXPECT_THAT(o.host_flags, ElementsAre("-Wall", "-fPIC", "-O3", "-march=native"));
  EXPECT_TRUE(o.common_flags.empty());
}

TEST(CastorCcOptions, DropsWhatOnlyNvccKnows) {
  const Options o =
      parse({"-Xptxas", "-v,-O3", "-Xptxas=-v", "--ptxas-options=-v", "-ccbin", "g++-9", "--expt-relaxed-constexpr",
             "--extended-lambda", "-rdc=true", "-m64", "--compiler-bindir=/usr/bin/g++", "-Xcudafe",
             "--diag_suppress=1", "-diag-suppress", "177", "-restrict", "-cudart=static", "a.cu"});
  ASSERT_EQ(o.inputs.size(), 1U);
  EXPECT_TRUE(o.common_flags.empty());
  EXPECT_TRUE(o.host_flags.empty());
  EXPECT_TRUE(o.device_flags.empty());
  EXPECT_TRUE(o.link_flags.empty());
}

TEST(CastorCcOptions, LeavesOutTheLibrariesThatTheRuntimeReplaces) {
  const Options o = parse({"a.cu", "-lcudart", "-lcuda", "-lm", "-L/opt/lib", "-Xlinker", "--as-needed"});
  EXPECT_THAT(o.link_flags, ElementsAre("-lm", "-L/opt/lib", "-Wl,--as-needed"));
}

TEST(CastorCcOptions, ReadsWerrorWithAndWithoutAKind) {
  EXPECT_THAT(parse({"-Werror", "a.cu"}).common_flags, ElementsAre("-Werror"));
  EXPECT_THAT(parse({"-Werror", "all-warnings", "a.cu"}).common_flags, ElementsAre("-Werror"));
  EXPECT_TRUE(parse({"-Werror", "cross-execution-space-call", "a.cu"}).common_flags.empty());
  EXPECT_THAT(parse({"-Werror=unused", "a.cu"}).common_flags, ElementsAre("-Werror=unused"));
}

TEST(CastorCcOptions, ReadsTheFloatingPointSwitches) {
  EXPECT_TRUE(parse({"a.cu"}).fused_multiply_add);
  EXPECT_FALSE(parse({"-fmad=false", "a.cu"}).fused_multiply_add);
  EXPECT_FALSE(parse({"--fmad=false", "a.cu"}).fused_multiply_add);
  EXPECT_THAT(parse({"--use_fast_math", "a.cu"}).device_flags, Contains("-fcuda-approx-transcendentals"));
  EXPECT_THAT(parse({"-ftz=true", "a.cu"}).device_flags, Contains("-fcuda-flush-denormals-to-zero"));
  EXPECT_TRUE(parse({"-ftz=false", "a.cu"}).device_flags.empty());
  EXPECT_THAT(refusal({"-fmad=maybe", "a.cu"}), HasSubstr("true or false"));
}

TEST(CastorCcOptions, KeepsLevelsOfOptimisation) {
  EXPECT_EQ(parse({"a.cu"}).optimisation, "");
  EXPECT_EQ(parse({"-O0", "a.cu"}).optimisation, "-O0");
  EXPECT_EQ(parse({"-O", "3", "a.cu"}).inputs.size(), 2U) << "-O takes its level joined, as compilers have it";
  EXPECT_EQ(parse({"--optimize", "3", "a.cu"}).optimisation, "-O3");
  EXPECT_EQ(parse({"-O1", "-O3", "a.cu"}).optimisation, "-O3");
}

TEST(CastorCcOptions, ReadsARegisterCapInEveryForm) {
  EXPECT_EQ(parse({"-maxrregcount=32", "a.cu"}).max_registers, 32);
  EXPECT_EQ(parse({"-maxrregcount", "40", "a.cu"}).max_registers, 40);
  EXPECT_EQ(parse({"--maxrregcount", "64", "a.cu"}).max_registers, 64);
  EXPECT_THAT(refusal({"-maxrregcount=many", "a.cu"}), HasSubstr("from 0 to 255"));
  EXPECT_THAT(refusal({"-maxrregcount=300", "a.cu"}), HasSubstr("from 0 to 255"));
}

TEST(CastorCcOptions, MakesPtxOfOpenClFiles) {
  EXPECT_EQ(parse({"a.cl"}).stage, Stage::kPtx);
  EXPECT_EQ(parse({"-c", "a.cu"}).stage, Stage::kObject);
  EXPECT_EQ(parse({"--ptx", "a.cu"}).stage, Stage::kPtx);
  EXPECT_EQ(parse({"-dc", "a.cu"}).stage, Stage::kObject);
  EXPECT_THAT(refusal({"a.cl", "b.cu"}), HasSubstr("OpenCL kernels compile to PTX"));
}

TEST(CastorCcOptions, ReadsWhatDeviceCodeIsFor) {
  EXPECT_FALSE(parse({"-c", "a.cu"}).relocatable);
  EXPECT_TRUE(parse({"-dc", "a.cu"}).relocatable);
  EXPECT_TRUE(parse({"-rdc=true", "-c", "a.cu"}).relocatable);
  EXPECT_TRUE(parse({"--relocatable-device-code", "-c", "a.cu"}).relocatable);
  EXPECT_FALSE(parse({"-rdc=true", "-rdc=false", "-c", "a.cu"}).relocatable);
  EXPECT_FALSE(parse({"-dw", "a.cu"}).relocatable);
  EXPECT_EQ(parse({"--cubin", "a.cu"}).image, ".cubin");
  EXPECT_EQ(parse({"-fatbin", "a.cu"}).image, ".fatbin");
  EXPECT_EQ(parse({"-fatbin", "a.cu"}).stage, Stage::kPtx);
  EXPECT_EQ(parse({"-dlink", "a.o"}).stage, Stage::kDeviceLink);
}

TEST(CastorCcOptions, SplitsResponseFilesAsAShellWould) {
  EXPECT_THAT(split_response("-O2 -DNAME='a b'\n\"c d.cu\"  e\\ f.cu -D\"X=\\\"q\\\"\""),
              ElementsAre("-O2", "-DNAME=a b", "c d.cu", "e f.cu", "-DX=\"q\""));
  EXPECT_TRUE(split_response(" \n ").empty());
  EXPECT_THROW((void)split_response("'open"), base::InputError);
}

TEST(CastorCcOptions, ReadsArgumentsFromResponseFiles) {
  const std::string path = testing::TempDir() + "castor_cc_response.txt";
  std::ofstream(path) << "-O3 a.cu\n-DQ";
  const Options o = parse({"@" + path, "-o", "app"});
  EXPECT_EQ(o.optimisation, "-O3");
  EXPECT_THAT(o.common_flags, ElementsAre("-DQ"));
  EXPECT_EQ(parse({"--options-file", path}).inputs.size(), 1U);
  EXPECT_THAT(refusal({"@/nowhere/to.be.found"}), HasSubstr("cannot read the response file"));
}

TEST(CastorCcOptions, RefusesWhatItCannotServe) {
  EXPECT_THAT(refusal({}), HasSubstr("no input file"));
  EXPECT_THAT(refusal({"--no-such-option", "a.cu"}), HasSubstr("unknown option '--no-such-option'"));
  EXPECT_THAT(refusal({"a.cu", "-o"}), HasSubstr("needs a value"));
  EXPECT_THAT(refusal({"-cuda", "a.cu"}), HasSubstr("use -c or -E"));
  EXPECT_THAT(refusal({"-dlink", "-cubin", "a.o"}), HasSubstr("writes an object"));
  EXPECT_THAT(refusal({"-dlink", "a.cu"}), HasSubstr("compile it with -dc first"));
  EXPECT_THAT(refusal({"-rdc=true", "-S", "a.cu"}), HasSubstr("use -c"));
  EXPECT_THAT(refusal({"-rdc=true", "-cubin", "a.cu"}), HasSubstr("leave out -rdc=true"));
  EXPECT_THAT(refusal({"-c", "a.cu", "b.cu", "-o", "x.o"}), HasSubstr("-o names one file"));
  EXPECT_THAT(refusal({"-ptx", "a.cpp"}), HasSubstr("holds no device code"));
  EXPECT_THAT(refusal({"kernel.ptx"}), HasSubstr("castor run"));
  EXPECT_THAT(refusal({"-m32", "a.cu"}), HasSubstr("64-bit"));
  EXPECT_THAT(refusal({"--machine", "32", "a.cu"}), HasSubstr("64-bit"));
  EXPECT_THAT(refusal({"-x", "fortran", "a.f"}), HasSubstr("takes cu, c, c++ or cl"));
}

TEST(CastorCcOptions, HelpFitsAScreen) {
  const std::string_view help = help_text();
  EXPECT_LE(std::count(help.begin(), help.end(), '\n'), 40);
  std::size_t longest = 0;
  std::size_t start = 0;
  while (start < help.size()) {
    const std::size_t end = std::min(help.find('\n', start), help.size());
    longest = std::max(longest, end - start);
    start = end + 1;
  }
  EXPECT_LE(longest, 80U);
}

}  // namespace
}  // namespace castor::castor_cc::castor_cc_options_test
