// Tests of input that nvcc accepts and castor-cc must accept, too: spellings that clang does not have, device code over
// several files, images under other names, OpenMP, and messages about missing headers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "castor_cc_fixture.h"

namespace castor::castor_cc::castor_cc_nvcc_test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

TEST_F(CastorCc, TakesLaunchBracketsThatAreApart) {
  source("launch.cuh",
         "#pragma once\n__global__ void h(int* p) { *p = 1; }\n"
         "inline void from_header(int* p) { h << <1, 1>> >(p); }\n");
  source("a.cu",
         "#include \"launch.cuh\"\n#include <launch2.cuh>\n"
         "template <class T> __global__ void k(T* o) { *o = 1; }\n"
         "#define RUN(k, g, b) k<< <g, b>> >\n"
         "int main() {\n  int* p = nullptr;\n  k<int><< <dim3(1), 1>> >(p);\n  RUN(k<int>, 1, 3)(p);\n"
         "  static_assert(__LINE__ == 9, \"lines keep their numbers\");\n  from_header(p); second(p);\n}\n");
  fs::create_directories("inc");
  source("inc/launch2.cuh", "inline void second(int* p) { h<< <1, 1>> >(p); }\n");
  const ProcessResult r = castor_cc({"-c", "-Wall", "-MMD", "-I", "inc", "a.cu"});
  EXPECT_EQ(r.exit_code, 0) << r.error_text;
  EXPECT_EQ(r.error_text, "");
  EXPECT_THAT(read("a.d"), HasSubstr("inc/launch2.cuh"));
  EXPECT_THAT(read("a.d"), Not(HasSubstr("tmp"))) << "files have their own names";
  EXPECT_THAT(castor_cc({"-ptx", "a.cu", "-I", "inc"}).error_text, "");
  EXPECT_TRUE(no_temporary_files());
}

TEST_F(CastorCc, NamesFileLineAndTextOfTheUserInARewrittenSource) {
  source("a.cu", "__global__ void k(int) {}\nint main() {\n  k<< <1, 1>> >(1);\n  k<< <1, 1>> >(1, 2);\n}\n");
  const ProcessResult r = castor_cc({"-c", "a.cu"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(r.error_text, HasSubstr("a.cu:4:20: error: too many arguments"));
}

TEST_F(CastorCc, ReadsSpecialRegistersWithOneOrTwoPercentSigns) {
  // A program may define a function of this name itself.
  std::string text =
      "static __device__ __forceinline__ unsigned long long __globaltimer() {\n  unsigned long long t;\n"
      "  asm volatile(\"mov.u64 %0, %globaltimer;\" : \"=l\"(t));\n  return t;\n}\n"
      "__global__ void k(unsigned long long* o) {\n  unsigned long long t; unsigned a;\n";
  for (const char* name : {"globaltimer", "clock64"}) {
    for (const char* sign : {"%", "%%"}) {
      text += std::string("  asm volatile(\"mov.u64 %0, ") + sign + name + ";\" : \"=l\"(t)); o[0] += t;\n";
    }
  }
  const std::vector<std::string> words = {"clock", "laneid", "warpid", "smid", "nsmid", "tid.x", "lanemask_lt"};
  for (const std::string& name : words) {
    text += "  asm volatile(\"mov.u32 %0, %" + name + ";\" : \"=r\"(a)); o[0] += a;\n";
  }
  source("a.cu", text + "  o[1] = __globaltimer();\n}\n");
  const ProcessResult r = castor_cc({"-ptx", "a.cu"});
  ASSERT_EQ(r.exit_code, 0) << r.error_text;
  const std::string ptx = read("a.ptx");
  for (const std::string& name : words) EXPECT_THAT(ptx, HasSubstr(", %" + name + ";"));
  EXPECT_THAT(ptx, Not(HasSubstr("%%")));
  std::size_t timers = 0;
  for (std::size_t at = ptx.find(", %globaltimer;"); at != std::string::npos;
       at = ptx.find(", %globaltimer;", at + 1)) {
    ++timers;
  }
  EXPECT_EQ(timers, 3U);
}

TEST_F(CastorCc, SaysWhatAMissingHeaderBelongsToAndWhatToDo) {
  // Names that no package has: the families are known by the beginning of a name.
  source("a.cu", "#if __has_include(<thrust/of_nobody.h>)\n#error not here\n#endif\n#include <thrust/of_nobody.h>\n");
  const ProcessResult cuda = castor_cc({"-c", "a.cu"});
  EXPECT_EQ(cuda.exit_code, 1);
  EXPECT_THAT(cuda.error_text, HasSubstr("a.cu:4:10: fatal error: 'thrust/of_nobody.h' file not found"));
  const std::size_t last = cuda.error_text.rfind('\n', cuda.error_text.size() - 2) + 1;
  EXPECT_THAT(cuda.error_text.substr(last),
              testing::StartsWith("castor-cc: note: <thrust/of_nobody.h> belongs to Thrust"));
  source("b.cpp", "#include <cublas_of_nobody.h>\nint main() {}\n");
  const ProcessResult plain = castor_cc({"b.cpp", "-o", "b"});
  EXPECT_EQ(plain.exit_code, 1);
  EXPECT_THAT(plain.error_text, HasSubstr("castor-cc: note: <cublas_of_nobody.h> belongs to cuBLAS"));
}

TEST_F(CastorCc, SaysNothingOfAHeaderThatIsThere) {
  fs::create_directories(directory_ / "with/thrust");
  source("with/thrust/of_nobody.h", "__device__ inline int three() { return 3; }\n");
  source("a.cu", "#include <thrust/of_nobody.h>\n__global__ void k(int* o) { *o = three(); }\n");
  const ProcessResult there = castor_cc({"-c", "a.cu", "-isystem", "with"});
  EXPECT_EQ(there.exit_code, 0);
  EXPECT_EQ(there.error_text, "");
  // Errors inside the header are reported unchanged.
  source("with/thrust/of_nobody.h", "__device__ inline int three() { return three; }\n");
  const ProcessResult wrong = castor_cc({"-c", "a.cu", "-isystem", "with"});
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_THAT(wrong.error_text, HasSubstr("with/thrust/of_nobody.h:1:"));
  EXPECT_THAT(wrong.error_text, Not(HasSubstr("belongs to")));
}

TEST_F(CastorCc, WritesImagesUnderOtherNames) {
  source("a.cu", "__global__ void k(int* o) { *o = 1; }\n");
  ASSERT_EQ(castor_cc({"-cubin", "a.cu"}).exit_code, 0);
  ASSERT_EQ(castor_cc({"-fatbin", "a.cu", "-o", "x"}).exit_code, 0);
  for (const char* file : {"a.cubin", "x"}) {
    const std::string image = read(file);
    EXPECT_THAT(image, HasSubstr(".entry _Z1kPi"));
    EXPECT_THAT(image, EndsWith(std::string("}\n\0", 3))) << "programs pass the bytes on as they are";
    EXPECT_EQ(image.find('\0'), image.size() - 1);
  }
}

/// Two files that need each other's device code, and have kernels and variables of the same local name.
class LinkedDeviceCode : public CastorCc {
 protected:
  void SetUp() override {
    CastorCc::SetUp();
    source(
        "shared.h",
        "static __constant__ int table[2] = {3, 4};\nstatic __device__ int scaled(int x) { return x * table[1]; }\n");
    source("a.cu",
           "#include \"shared.h\"\nextern __device__ int add(int);\nextern __device__ int counter;\n"
           "extern __constant__ float factors[4];\nstatic __global__ void local(int* o) { *o = 1; }\n"
           "__global__ void k(int* o) { *o = add(1) + scaled(2) + (int)factors[1]; counter = 5; }\n"
           "void run(int* o) { local<<<1, 1>>>(o); k<<<1, 1>>>(o); }\n");
    source("b.cu",
           "#include \"shared.h\"\n__device__ int counter = 7;\n__constant__ float factors[4];\n"
           "__device__ int add(int x) { return x + counter; }\nstatic __global__ void local(int* o) { *o = add(2) + "
           "scaled(1); }\n"
           "void run(int*);\nint main() { run(nullptr); local<<<1, 1>>>(nullptr); }\n");
  }
};

TEST_F(LinkedDeviceCode, IsOneModuleInTheProgram) {
  const ProcessResult r = castor_cc({"-rdc=true", "-Wall", "a.cu", "b.cu", "-o", "app", "-keep", "--cudart", "none",
                                     "-shared", "-Xcompiler", "-fPIC"});
  ASSERT_EQ(r.exit_code, 0) << r.error_text;
  EXPECT_EQ(r.error_text, "");
  const std::string ptx = read("a_dlink.ptx");
  EXPECT_THAT(ptx, HasSubstr(".entry _Z1kPi("));
  EXPECT_THAT(ptx, HasSubstr(".entry _ZL5localPi("));
  EXPECT_THAT(ptx, HasSubstr(".entry _ZL5localPi__2("));
  EXPECT_THAT(ptx, Not(HasSubstr(".extern")));
  EXPECT_THAT(ptx, HasSubstr("counter = 7;"));
  const std::string program = read("app");
  EXPECT_EQ(program.find(".version 6"), program.rfind(".version 6")) << "one image";
  EXPECT_THAT(program, Not(HasSubstr("define dso_local"))) << "parts stay behind";
  EXPECT_TRUE(no_temporary_files());
}

TEST_F(LinkedDeviceCode, ComesFromObjectsArchivesAndLibraries) {
  const std::vector<std::string> rest = {"-o", "app", "--cudart", "none", "-shared"};
  const auto links = [&](std::vector<std::string> files) {
    files.insert(files.end(), rest.begin(), rest.end());
    return castor_cc(files);
  };
  ASSERT_EQ(castor_cc({"-dc", "-Xcompiler", "-fPIC", "a.cu", "b.cu"}).error_text, "");
  ASSERT_EQ(castor_cc({"-lib", "b.o", "-o", "libb.a"}).error_text, "");
  EXPECT_EQ(links({"a.o", "b.o"}).error_text, "");
  EXPECT_EQ(links({"a.o", "libb.a"}).error_text, "");
  EXPECT_EQ(links({"a.o", "-L.", "-lb"}).error_text, "");
  ASSERT_EQ(castor_cc({"-dlink", "a.o", "b.o", "-o", "device.o"}).error_text, "");
  EXPECT_EQ(links({"a.o", "b.o", "device.o"}).error_text, "") << "not linked a second time";
  const ProcessResult host = shell("c++ -shared a.o b.o device.o -o app");
  EXPECT_EQ(host.exit_code, 0) << host.error_text;
  const ProcessResult without = shell("c++ -shared -Wl,-z,defs a.o b.o -o app");
  EXPECT_THAT(without.error_text, HasSubstr("__castor_needs_device_link_")) << "the name says what is missing";
}

TEST_F(LinkedDeviceCode, NamesWhatIsMissingOrDefinedTwice) {
  ASSERT_EQ(castor_cc({"-dc", "a.cu", "b.cu"}).error_text, "");
  const ProcessResult missing = castor_cc({"-dlink", "a.o"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.error_text, HasSubstr("device code uses 'add(int)', which no file of the link defines"));
  EXPECT_THAT(missing.error_text, HasSubstr("'counter'"));
  EXPECT_FALSE(fs::exists("a_dlink.o"));
  ASSERT_EQ(castor_cc({"-dc", "b.cu", "-o", "b2.o"}).error_text, "");
  const ProcessResult twice = castor_cc({"-dlink", "a.o", "b.o", "b2.o"});
  EXPECT_EQ(twice.exit_code, 1);
  EXPECT_THAT(twice.error_text, HasSubstr("b2.o: error: device code defines 'counter'"));
  ASSERT_EQ(castor_cc({"-dc", "-use_fast_math", "b.cu"}).error_text, "");
  const ProcessResult unlike = castor_cc({"-dlink", "a.o", "b.o"});
  EXPECT_EQ(unlike.exit_code, 2);
  EXPECT_THAT(unlike.error_text, HasSubstr("b.o"));
  EXPECT_THAT(unlike.error_text, HasSubstr("give both the same -use_fast_math"));
  EXPECT_TRUE(no_temporary_files());
}

TEST_F(LinkedDeviceCode, IsRefusedInAnObjectThatIsCutOff) {
  ASSERT_EQ(castor_cc({"-dc", "a.cu", "b.cu"}).error_text, "");
  const std::string whole = read("b.o");
  for (const std::size_t size : {whole.size() / 2, whole.size() - 1, std::size_t{20}}) {
    source("b.o", whole.substr(0, size));
    const ProcessResult r = castor_cc({"-dlink", "a.o", "b.o"});
    EXPECT_EQ(r.exit_code, 2) << size;
    EXPECT_THAT(r.error_text, HasSubstr("b.o: error the object file is cut off"));
  }
}

TEST_F(CastorCc, LinksOneOpenMpRuntime) {
  source("a.cu",
         "int main() {\n  int n = 0;\n#pragma omp parallel num_threads(3) reduction(+ : n)\n  n += 1;\n  return n - "
         "3;\n}\n");
  ASSERT_EQ(castor_cc({"-c", "-Xcompiler", "-fopenmp", "a.cu"}).error_text, "");
  const std::vector<std::string> rest = {"-o", "app", "--cudart", "none"};
  const auto links = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    return castor_cc(arguments);
  };
  const ProcessResult without = links({"a.o"});
  EXPECT_EQ(without.exit_code, 1);
  EXPECT_THAT(without.error_text, HasSubstr("give -Xcompiler -fopenmp at the link"));
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"-Xcompiler", "-fopenmp", "a.cu", "-lgomp"},
        std::vector<std::string>{"a.o", "-lgomp"}}) {
    const ProcessResult r = links(arguments);
    if (r.error_text.find("apt-get install libomp-14-dev") != std::string::npos) GTEST_SKIP() << "no libomp here";
    ASSERT_EQ(r.exit_code, 0) << r.error_text;
    EXPECT_THAT(r.error_text, HasSubstr("castor-cc: note: -lgomp: clang's OpenMP runtime is linked in its place"));
    const std::string program = read("app");
    EXPECT_THAT(program, HasSubstr("libomp.so"));
    EXPECT_THAT(program, Not(HasSubstr("libgomp")));
    EXPECT_EQ(shell("./app").exit_code, 0);
  }
}

}  // namespace
}  // namespace castor::castor_cc::castor_cc_nvcc_test
