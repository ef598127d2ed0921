// Tests of castor-cc as a process: compilations of the programs in castor_cc_data, refusals, and files left on disk.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "castor_cc_fixture.h"

namespace castor::castor_cc::castor_cc_compile_test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Returns the names on .extern lines, except those of dynamic shared memory.
std::set<std::string> externs(const std::string& ptx) {
  std::set<std::string> names;
  static const std::regex kExtern(R"(\.extern \.(?:func|global)\s+(?:\(\.param[^)]*\)\s*)?(?:\.\w+ (?:\d+ )?)*(\w+))");
  for (std::sregex_iterator it(ptx.begin(), ptx.end(), kExtern), end; it != end; ++it) names.insert((*it)[1]);
  return names;
}

TEST_F(CastorCc, CompilesEveryProgramAtEveryLevelWithoutOpenReferences) {
  const std::set<std::string> allowed = {"vprintf", "malloc", "free", "__assertfail", "__cxa_pure_virtual"};
  struct Case {
    const char* name;
    const char* level;
    const char* arch;
  };
  for (const Case& c :
       {Case{"maths", "-O0", "sm_60"}, Case{"maths", "-O2", "sm_60"}, Case{"structs", "-O0", "sm_60"},
        Case{"structs", "-O3", "sm_60"}, Case{"warp", "-O0", "sm_60"}, Case{"warp", "-O3", "sm_60"},
        Case{"warp", "-O2", "sm_70"}, Case{"warp", "-O2", "sm_86"}, Case{"printing", "-O0", "sm_60"},
        Case{"printing", "-O2", "sm_70"}, Case{"groups", "-O0", "sm_60"}, Case{"groups", "-O2", "sm_60"}}) {
    SCOPED_TRACE(std::string(c.name) + " " + c.level + " " + c.arch);
    const ProcessResult r =
        castor_cc({"-ptx", c.level, "-arch", c.arch, data(std::string(c.name) + ".cu"), "-o", "x.ptx"});
    ASSERT_EQ(r.exit_code, 0) << r.error_text;
    EXPECT_EQ(r.error_text, "");
    const std::string ptx = read("x.ptx");
    EXPECT_THAT(ptx, HasSubstr(std::string(".target ") + c.arch));
    for (const std::string& open : externs(ptx)) EXPECT_EQ(allowed.count(open), 1U) << open;
  }
  EXPECT_TRUE(no_temporary_files());
}

/// Returns the bytes of each access that `kernel` makes to a state space, in the order of the text; an empty list if
/// the kernel uses local memory.
std::vector<int> accesses(const std::string& ptx, const std::string& kernel, const std::string& space = "global") {
  const std::size_t begin = ptx.find(".entry " + kernel + "(");
  EXPECT_NE(begin, std::string::npos) << kernel;
  const std::string body = ptx.substr(begin, ptx.find("\n}", begin) - begin);
  if (body.find(".local") != std::string::npos) return {};
  std::vector<int> bytes;
  static const std::regex kAccess(R"((?:ld|st)\.(\w+)(?:\.nc)?(?:\.v(\d))?\.[a-z](\d+)\s)");
  for (std::sregex_iterator it(body.begin(), body.end(), kAccess), end; it != end; ++it) {
    if ((*it)[1] != space) continue;
    bytes.push_back(std::stoi((*it)[3]) / 8 * ((*it)[2].matched ? std::stoi((*it)[2]) : 1));
  }
  return bytes;
}

TEST_F(CastorCc, CopiesOfStructuresAreAsWideAsTheirAlignment) {
  using testing::ElementsAre;
  for (const char* level : {"-O1", "-O2", "-O3"}) {
    ASSERT_EQ(castor_cc({"-ptx", level, data("copies.cu"), "-o", "x.ptx"}).exit_code, 0);
    const std::string ptx = read("x.ptx");
    for (const std::string how : {"copy_", "change_", "pass_"}) {
      SCOPED_TRACE(how + level);
      for (const char* type : {"float4", "int4", "double2"})
        EXPECT_THAT(accesses(ptx, how + type), ElementsAre(16, 16)) << type;
      // A reference may refer to a variable whose bytes do not all have a value. Numbers of 1 and 2 bytes are therefore
      // accessed one by one, and the back end joins four or eight of them.
      for (const char* type : {"shorts", "names"}) {
        if (how == "pass_")
          EXPECT_THAT(accesses(ptx, how + type), ElementsAre(8, 8, 8, 8)) << type;
        else
          EXPECT_THAT(accesses(ptx, how + type), ElementsAre(16, 16)) << type;
      }
      // Through references the optimiser sees numbers of 4 and of 8 bytes, which it does not join.
      if (how == "pass_")
        EXPECT_THAT(accesses(ptx, how + "mixed"), ElementsAre(8, 8, 8, 8));
      else
        EXPECT_THAT(accesses(ptx, how + "mixed"), ElementsAre(16, 16));
      EXPECT_THAT(accesses(ptx, how + "long"), ElementsAre(16, 16, 16, 16));
      for (const char* type : {"float2", "pair", "short4"})
        EXPECT_THAT(accesses(ptx, how + type), ElementsAre(8, 8)) << type;
      EXPECT_THAT(accesses(ptx, how + "uchar4"), ElementsAre(4, 4));
      EXPECT_THAT(accesses(ptx, how + "five"), ElementsAre(4, 4, 4, 4, 4, 4, 4, 4, 4, 4));
    }
    EXPECT_THAT(accesses(ptx, "branch"), ElementsAre(16, 4)) << level;
    EXPECT_THAT(accesses(ptx, "staged"), ElementsAre(16, 16)) << level;
    EXPECT_THAT(accesses(ptx, "staged", "shared"), ElementsAre(16, 16)) << level;
    EXPECT_THAT(accesses(ptx, "halves"), ElementsAre(16, 16)) << level;
  }
}

TEST_F(CastorCc, CompilesHostAndDeviceSideIntoOneObject) {
  const ProcessResult r = castor_cc({"-c", "-Wall", "-Wextra", data("groups.cu")});
  ASSERT_EQ(r.exit_code, 0) << r.error_text;
  const std::string object = read("groups.o");
  EXPECT_THAT(object, HasSubstr(".target sm_60"));
  EXPECT_THAT(object, HasSubstr("__cudaRegisterFatBinary"));
  EXPECT_TRUE(no_temporary_files());
}

TEST_F(CastorCc, DefinesEveryLibdeviceFunctionThatClangDeclares) {
  ASSERT_EQ(shell("'" + std::string(CASTOR_CC_CLANGXX) + "' -print-resource-dir > resource").exit_code, 0);
  std::string resource = read("resource");
  resource.erase(resource.find_last_not_of('\n') + 1);
  const std::string header = read(resource + "/include/__clang_cuda_libdevice_declares.h");
  std::set<std::string> names;
  static const std::regex kName(R"(\b(__nv_\w+)\()");
  for (std::sregex_iterator it(header.begin(), header.end(), kName), end; it != end; ++it) names.insert((*it)[1]);
  ASSERT_GT(names.size(), 400U);
  std::ostringstream text;
  text << "__global__ void all(void** out) {\n";
  int i = 0;
  for (const std::string& name : names) text << "  out[" << i++ << "] = (void*)" << name << ";\n";
  text << "}\n";
  source("all.cu", text.str());
  const ProcessResult r = castor_cc({"-ptx", "all.cu"});
  ASSERT_EQ(r.exit_code, 0) << r.error_text;
  const std::string ptx = read("all.ptx");
  EXPECT_TRUE(externs(ptx).empty());
  for (const std::string& name : names) EXPECT_THAT(ptx, HasSubstr(name));
}

TEST_F(CastorCc, CompilesOpenClKernelsToPtx) {
  for (const char* level : {"-O0", "-O2"}) {
    const ProcessResult r = castor_cc({level, data("kernels.cl")});
    ASSERT_EQ(r.exit_code, 0) << r.error_text;
    const std::string ptx = read("kernels.ptx");
    for (const char* kernel : {".entry saxpy", ".entry reduce", ".entry maths", ".entry histogram"}) {
      EXPECT_THAT(ptx, HasSubstr(kernel));
    }
    EXPECT_TRUE(externs(ptx).empty());
  }
}

TEST_F(CastorCc, CompilesOlderStandards) {
  for (const char* standard : {"-std=c++11", "-std=c++20"}) {
    const ProcessResult r = castor_cc({"-c", standard, data("warp.cu"), "-o", "x.o"});
    EXPECT_EQ(r.exit_code, 0) << standard << "\n" << r.error_text;
  }
}

TEST_F(CastorCc, CompilesSeveralFilesAndReportsEach) {
  source("good.cu", "__global__ void k() {}\n");
  source("bad.cu", "__global__ void k() { nonsense }\n");
  const ProcessResult r = castor_cc({"-c", "good.cu", "bad.cu"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_TRUE(fs::exists("good.o"));
  EXPECT_FALSE(fs::exists("bad.o"));
  const std::size_t first = r.error_text.find("bad.cu:1:23: error: use of undeclared identifier");
  ASSERT_NE(first, std::string::npos) << r.error_text;
  EXPECT_EQ(r.error_text.find("bad.cu:1:23: error:", first + 1), std::string::npos) << "said once, not per side";
  EXPECT_TRUE(no_temporary_files());
}

TEST_F(CastorCc, CompilesHostFilesThatIncludeTheRuntime) {
  source("host.cpp",
         "#include <cuda_runtime.h>\n#include <memory>\n#include <cuda.h>\n#include <cuda_bf16.h>\n#include "
         "<cuda_fp16.h>\n"
         "#include <cuda_occupancy.h>\n#include <curand_kernel.h>\nstatic_assert(sizeof(curandState) > 24, \"\");\n"
         "int main() { float* p; float4 v = make_float4(1, 2, 3, 4);\n"
         "  return cudaMalloc(&p, 4) + cuInit(0) + static_cast<int>(v.x) + static_cast<int>(dim3(2).y); }\n");
  source("plain.c", "#include <cuda_runtime_api.h>\nint f(void) { return cudaDeviceSynchronize(); }\n");
  const ProcessResult r = castor_cc({"-c", "-Wall", "-Wextra", "host.cpp", "plain.c"});
  EXPECT_EQ(r.exit_code, 0) << r.error_text;
  EXPECT_EQ(r.error_text, "");
  const ProcessResult gcc = shell(std::string("g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -c host.cpp -I '") +
                                  test_tree::source_folder() + "/sw/device/include'");
  EXPECT_EQ(gcc.exit_code, 0) << gcc.error_text;
}

TEST_F(CastorCc, HasTheHeadersAndGuardsThatProgramsAskFor) {
  std::string text;
  for (const char* header : {"cuda_runtime.h",
                             "cuda_runtime_api.h",
                             "cuda.h",
                             "device_launch_parameters.h",
                             "cuda_fp16.h",
                             "cuda_fp16.hpp",
                             "cuda_bf16.h",
                             "cuda_bf16.hpp",
                             "cuda_occupancy.h",
                             "curand_kernel.h",
                             "library_types.h",
                             "cooperative_groups.h",
                             "math_constants.h",
                             "vector_types.h",
                             "vector_functions.h",
                             "driver_types.h",
                             "builtin_types.h",
                             "device_functions.h",
                             "sm_20_atomic_functions.h",
                             "sm_35_intrinsics.h",
                             "cuComplex.h",
                             "cuda_profiler_api.h",
                             "cudaProfiler.h",
                             "nvToolsExt.h",
                             "nvtx3/nvToolsExt.h",
                             "math_functions.h",
                             "host_defines.h",
                             "cuda_device_runtime_api.h",
                             "texture_types.h",
                             "surface_types.h",
                             "channel_descriptor.h"}) {
    text += std::string("#include <") + header + ">\n";
  }
  text +=
      "#if !defined(__DRIVER_TYPES_H__) || !defined(__CUDA_RUNTIME_H__) || !defined(__cuda_cuda_h__)\n"
      "#error guards\n#endif\n"
      "#if !defined(__CUDACC__) || !defined(__NVCC__) || CUDART_VERSION < 11000\n#error macros\n#endif\n"
      "__global__ void k(cuFloatComplex* c) { c[0] = cuCdivf(cuCmulf(c[1], make_cuFloatComplex(1, 2)), cuConjf(c[2])); "
      "}\n"
      "int main() { nvtxRangePush(\"x\"); return nvtxRangePop() + static_cast<int>(cuCabs(make_cuDoubleComplex(3, "
      "4))); }\n";
  source("a.cu", text);
  const ProcessResult r = castor_cc({"-c", "-Wall", "-Wextra", "-Werror", "a.cu"});
  EXPECT_EQ(r.exit_code, 0) << r.error_text;
}

TEST_F(CastorCc, NamesTheVariableWhoseInitialiserHasAnOffset) {
  source("a.cu",
         "__device__ int t[8];\n__device__ int* fine = t;\n__device__ int* fifth = &t[4];\n"
         "__global__ void k(int* o) { *o = *fifth + *fine; }\n");
  const ProcessResult r = castor_cc({"-c", "a.cu"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(r.error_text,
              HasSubstr("a.cu: error: the variable 'fifth' is initialised with an address plus an offset"));
  EXPECT_THAT(r.error_text, Not(HasSubstr("Stack dump")));
  EXPECT_TRUE(no_temporary_files());
}

TEST_F(CastorCc, RefusesManagedVariablesTexturesAndGridsAsGroupsWithAWayOut) {
  source("managed.cu", "__managed__ int m;\n__global__ void k() { m = 1; }\n");
  source("texture.cu", "texture<float, 2> t;\n__global__ void k(float* o) { *o = tex2D<float>(t, 1, 1); }\n");
  source("object.cu", "__global__ void k(cudaTextureObject_t t, float* o) { *o = tex1Dfetch<float>(t, 1); }\n");
  source("grid.cu",
         "#include <cooperative_groups.h>\n"
         "__device__ void meet(const cooperative_groups::thread_group& group) { group.sync(); }\n"
         "__global__ void k() { meet(cooperative_groups::this_grid()); }\n");
  const ProcessResult managed = castor_cc({"-c", "managed.cu"});
  EXPECT_EQ(managed.exit_code, 1);
  EXPECT_THAT(managed.error_text, HasSubstr("allocate with cudaMallocManaged"));
  for (const char* file : {"texture.cu", "object.cu"}) {
    const ProcessResult texture = castor_cc({"-c", file});
    EXPECT_EQ(texture.exit_code, 1);
    EXPECT_THAT(texture.error_text, HasSubstr("castor-cc: textures and surfaces are not supported"));
  }
  const ProcessResult grid = castor_cc({"-c", "grid.cu"});
  EXPECT_EQ(grid.exit_code, 1);
  EXPECT_THAT(grid.error_text, HasSubstr("a grid as thread_group is not supported"));
  EXPECT_THAT(grid.error_text, HasSubstr("use grid_group"));
}

TEST_F(CastorCc, RefusesDeviceCodeThatIsDefinedInAnotherFile) {
  source("a.cu", "__device__ int other(int);\n__global__ void k(int* o) { *o = other(1); }\n");
  const ProcessResult r = castor_cc({"-c", "a.cu"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(r.error_text, HasSubstr("device code uses 'other(int)', which this file declares but does not define"));
  EXPECT_THAT(r.error_text, HasSubstr("compile all files with -rdc=true"));
}

TEST_F(CastorCc, AnswersWrongRequestsWithExitCode2) {
  EXPECT_EQ(castor_cc({}).exit_code, 2);
  EXPECT_EQ(castor_cc({"missing.cu"}).exit_code, 2);
  EXPECT_EQ(castor_cc({"--what", "a.cu"}).exit_code, 2);
  EXPECT_THAT(castor_cc({"-c", "missing.cu"}).error_text, HasSubstr("missing.cu: error no such file"));
}

TEST_F(CastorCc, WritesRegisterCapsAndLineNumbersIntoThePtx) {
  source("a.cu",
         "__global__ void free_kernel(int* o) { *o = 1; }\n"
         "__global__ void __launch_bounds__(64) bound_kernel(int* o) { *o = 2; }\n");
  ASSERT_EQ(castor_cc({"-ptx", "-maxrregcount=24", "-lineinfo", "a.cu"}).exit_code, 0);
  const std::string ptx = read("a.ptx");
  EXPECT_THAT(ptx, HasSubstr(".maxnreg 24"));
  EXPECT_EQ(ptx.find(".maxnreg"), ptx.rfind(".maxnreg")) << "kernels with bounds keep theirs";
  EXPECT_THAT(ptx, HasSubstr(".loc"));
  EXPECT_THAT(ptx, HasSubstr("a.cu"));
}

TEST_F(CastorCc, ContractsUnlessToldNotTo) {
  source("a.cu", "__global__ void k(float* o) { o[0] = o[1] * o[2] + o[3]; o[4] = o[5] / o[6]; o[7] = sinf(o[8]); }\n");
  ASSERT_EQ(castor_cc({"-ptx", "a.cu"}).exit_code, 0);
  const std::string plain = read("a.ptx");
  EXPECT_THAT(plain, HasSubstr("fma.rn.f32"));
  EXPECT_THAT(plain, HasSubstr("div.rn.f32"));
  source("b.cu", "__global__ void k(float* o) { o[0] = o[1] * o[2] + o[3]; }\n");
  ASSERT_EQ(castor_cc({"-ptx", "-fmad=false", "b.cu"}).exit_code, 0);
  EXPECT_THAT(read("b.ptx"), Not(HasSubstr("fma.rn")));
  ASSERT_EQ(castor_cc({"-ptx", "-use_fast_math", "a.cu"}).exit_code, 0);
  const std::string fast = read("a.ptx");
  EXPECT_THAT(fast, HasSubstr("div.approx.ftz.f32"));
  EXPECT_THAT(fast, HasSubstr("sin.approx"));
}

TEST_F(CastorCc, RoundedIntrinsicsAreSingleInstructions) {
  source("a.cu",
         "__global__ void k(float* f, double* d) {\n"
         "  f[0] = __fadd_rz(f[1], f[2]); f[3] = __fmul_ru(f[4], f[5]); f[6] = __fmaf_rd(f[1], f[2], f[3]);\n"
         "  f[7] = __fsqrt_ru(f[8]); f[9] = __frcp_rd(f[9]); d[0] = __ddiv_rz(d[1], d[2]);\n"
         "  f[10] = __int2float_rd((int)f[11]); f[12] = rsqrtf(f[13]); d[3] = __dsub_ru(d[4], d[5]); }\n");
  ASSERT_EQ(castor_cc({"-ptx", "-O0", "a.cu"}).exit_code, 0);
  const std::string ptx = read("a.ptx");
  for (const char* instruction : {"add.rz.f32", "mul.rp.f32", "fma.rm.f32", "sqrt.rp.f32", "rcp.rm.f32", "div.rz.f64",
                                  "cvt.rm.f32.s32", "rsqrt.approx.f32", "add.rp.f64"}) {
    EXPECT_THAT(ptx, HasSubstr(instruction));
  }
}

TEST_F(CastorCc, WritesDependenciesForMake) {
  source("h.h", "#define VALUE 3\n");
  source("a.cu", "#include \"h.h\"\n__global__ void k(int* o) { *o = VALUE; }\n");
  ASSERT_EQ(castor_cc({"-c", "a.cu", "-o", "out.o", "-MMD", "-MP"}).exit_code, 0);
  const std::string rule = read("out.d");
  EXPECT_THAT(rule, HasSubstr("out.o: a.cu"));
  EXPECT_THAT(rule, HasSubstr("h.h"));
  EXPECT_THAT(rule, Not(HasSubstr("cuda_runtime"))) << "not a header of the user";
}

TEST_F(CastorCc, PrefersItsOwnHeadersToThoseOfAToolkit) {
  fs::create_directories("toolkit/include");
  source("toolkit/include/cuda_runtime.h", "#error the wrong header\n");
  source("a.cu", "#include <cuda_runtime.h>\n__global__ void k() {}\n");
  const ProcessResult r = castor_cc({"-c", "-Itoolkit/include", "a.cu"});
  EXPECT_EQ(r.exit_code, 0) << r.error_text;
}

TEST_F(CastorCc, OnlyShowsCommandsInADryRun) {
  source("a.cu", "__global__ void k() {}\n");
  const ProcessResult r =
      shell("'" + test_tree::build_folder() + "/bin/castor-cc' --dryrun a.cu -o app -lcudart > shown");
  ASSERT_EQ(r.exit_code, 0) << r.error_text;
  const std::string shown = read("shown");
  EXPECT_THAT(shown, HasSubstr("--cuda-device-only"));
  EXPECT_THAT(shown, HasSubstr("--cuda-host-only"));
  EXPECT_THAT(shown, HasSubstr("-lcastor_cudart"));
  EXPECT_THAT(shown, Not(HasSubstr("-lcudart")));
  EXPECT_FALSE(fs::exists("app"));
  EXPECT_TRUE(no_temporary_files());
}

TEST_F(CastorCc, KeepsPtxWhenAsked) {
  source("a.cu", "__global__ void k() {}\n");
  ASSERT_EQ(castor_cc({"-c", "-keep", "a.cu"}).exit_code, 0);
  EXPECT_THAT(read("a.ptx"), HasSubstr(".entry"));
}

}  // namespace
}  // namespace castor::castor_cc::castor_cc_compile_test
