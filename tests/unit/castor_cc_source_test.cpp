// Tests of castor-cc's changes to sources for clang, its messages about missing headers, and its linking of device
// code.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "castor/base/error.h"
#include "castor_cc/device_link.h"
#include "castor_cc/diagnostics.h"
#include "castor_cc/launch_places.h"
#include "castor_cc/launch_text.h"
#include "castor_cc/missing_functions.h"
#include "castor_cc/missing_headers.h"
#include "castor_cc/options.h"
#include "castor_cc/source_text.h"

namespace castor::castor_cc::castor_cc_source_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Returns the rewritten text, or the text itself if nothing changes.
std::string rewritten(const std::string& text) {
  const auto changed = rewrite_for_clang(text);
  if (changed) {
    EXPECT_EQ(std::count(changed->begin(), changed->end(), '\n'), std::count(text.begin(), text.end(), '\n'));
    EXPECT_NE(*changed, text) << "says that it changed nothing";
  }
  return changed.value_or(text);
}

TEST(LaunchBrackets, CloseUpAndLeaveTheRestWhereItWas) {
  EXPECT_EQ(rewritten("k<< <grid, block>> >(p);"), "k<<< grid, block>>> (p);");
  EXPECT_EQ(rewritten("k << < g, b, 0, s >> > (p);"), "k <<<  g, b, 0, s >>>  (p);");
  EXPECT_EQ(rewritten("k<T><< <g(1, 2), a[3]>> >(p);"), "k<T><<< g(1, 2), a[3]>>> (p);");
  EXPECT_EQ(rewritten("k<<\n<1,\n1>>\n>();"), "k<<<\n1,\n1>>>\n();");
  EXPECT_EQ(rewritten("a<< <1, 1>> >(), b<< <1, 1>> >();"), "a<<< 1, 1>>> (), b<<< 1, 1>>> ();");
}

TEST(LaunchBrackets, MayBeApartOnOneSideOnly) {
  EXPECT_EQ(rewritten("k<< <1, 1>>>();"), "k<<< 1, 1>>>();");
  EXPECT_EQ(rewritten("k<<<1, 1>> >();"), "k<<<1, 1>>> ();");
}

TEST(LaunchBrackets, AreFoundBehindTemplateArguments) {
  EXPECT_EQ(rewritten("k<< <f<g<h<int>> >(3), 1>> >();"), "k<<< f<g<h<int>> >(3), 1>>> ();");
  EXPECT_EQ(rewritten("k<<<f<g<h<int>> >(3), 1>>>();"), "k<<<f<g<h<int>> >(3), 1>>>();");
}

TEST(LaunchBrackets, AreRewrittenInMacros) {
  EXPECT_EQ(rewritten("#define RUN(k, g) k<< <g, \\\n  1>> >\nRUN(a, 2)();\n"),
            "#define RUN(k, g) k<<< g, \\\n  1>>> \nRUN(a, 2)();\n");
}

TEST(LaunchBrackets, OfNoLaunchStay) {
  for (const char* text : {
           "// k<< <1, 1>> >();",
           "/* k<< <1, 1>> >();\n */ int x;",
           "// one line \\\n k<< <1, 1>> >();",
           "const char* s = \"k<< <1, 1>> >()\";",
           "const char* s = R\"x(k<< <1, 1>> >())\" k<< <1, 1>> >() )x\";",
           "std::ostream& operator<< <T>(std::ostream&, V<T>);",
           "std::vector<std::vector<std::vector<int>> >(3);",
           "A<B<C> > x; A<B<C<D>> > y(3);",
           "int x = 1 << 2; int y = a >> (b > c);",
           "char c = '\"'; int n = 1'000'000;",
           "x = 3 << < 2;",
           "#if 0\n#error don't\n#endif\n#include <a<b>\n",
       }) {
    EXPECT_EQ(rewrite_for_clang(text), std::nullopt) << text;
  }
}

TEST(LaunchBrackets, AreFoundBehindOddLiterals) {
  EXPECT_EQ(rewritten("char c = '\"'; int n = 1'000; k<< <1, 1>> >();"),
            "char c = '\"'; int n = 1'000; k<<< 1, 1>>> ();");
  EXPECT_EQ(rewritten("#error don't\nk<< <1, 1>> >();"), "#error don't\nk<<< 1, 1>>> ();");
  EXPECT_EQ(rewritten("auto s = R\"(\")\"; k<< <1, 1>> >();"), "auto s = R\"(\")\"; k<<< 1, 1>>> ();");
}

TEST(AssemblyText, GetsTheSecondPercentSignOfARegister) {
  EXPECT_EQ(rewritten(R"(asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));)"),
            R"(asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));)");
  EXPECT_EQ(rewritten(R"(asm("mov.u32 %0, %tid.x;\n\t" "mov.u32 %1, %lanemask_lt;" : "=r"(a), "=r"(b));)"),
            R"(asm("mov.u32 %0, %%tid.x;\n\t" "mov.u32 %1, %%lanemask_lt;" : "=r"(a), "=r"(b));)");
  EXPECT_EQ(rewritten("__asm__ __volatile__(R\"(mov.u32 %0, %smid;)\" :: \"r\"(f(1)));"),
            "__asm__ __volatile__(R\"(mov.u32 %0, %%smid;)\" :: \"r\"(f(1)));");
  EXPECT_EQ(rewritten("#define CLOCK(x) \\\n  asm(\"mov.u32 %0, %clock;\" \\\n  : \"=r\"(x))\n"),
            "#define CLOCK(x) \\\n  asm(\"mov.u32 %0, %%clock;\" \\\n  : \"=r\"(x))\n");
}

TEST(AssemblyText, WithoutOperandsHasSinglePercentSigns) {
  EXPECT_EQ(rewritten(R"(asm("mov.u32 t, %%laneid;");)"), R"(asm("mov.u32 t, %laneid;");)");
  EXPECT_EQ(rewrite_for_clang(R"(asm("mov.u32 t, %laneid;");)"), std::nullopt);
}

TEST(AssemblyText, KeepsOperandsAndWhatIsRightAlready) {
  for (const char* text :
       {R"(asm("add %0, %1, %2;" : "=r"(a) : "r"(b), "r"(c));)", R"(asm("mov.u64 %0, %%clock64;" : "=l"(t));)",
        R"(asm("add %[d], %[a], %c1;" : [d] "=r"(x) : [a] "r"(y), "n"(3));)", R"(printf("%g %s: %d", a, b, c);)",
        R"(int asm_count = 0; f(asm_count, "%globaltimer" ":");)"}) {
    EXPECT_EQ(rewrite_for_clang(text), std::nullopt) << text;
  }
}

TEST(IncludedNames, AreThoseOfDirectivesOnly) {
  const auto names = included_names(
      "#include \"a.h\"\n  #  include <b/c.h> // #include \"no\"\n/*\n#include \"no\"\n*/\n"
      "const char* s = \"\\\n#include <no>\";\n#if 0\n#include \"d.cuh\"\n#endif\n#include MACRO\n");
  ASSERT_EQ(names.size(), 3U);
  EXPECT_EQ(names[0].name, "a.h");
  EXPECT_TRUE(names[0].quoted);
  EXPECT_EQ(names[1].name, "b/c.h");
  EXPECT_FALSE(names[1].quoted);
  EXPECT_EQ(names[2].name, "d.cuh");
}

std::string not_found(const std::string& header) {
  return "a.cu:1:10: fatal error: '" + header + "' file not found\n#include <" + header + ">\n         ^~~\n";
}

TEST(MissingHeaders, AreExplainedWithAWayOut) {
  struct Case {
    const char* header;
    const char* what;
    const char* instead;
  };
  for (const Case& c :
       {Case{"thrust/device_vector.h", "Thrust", "kernel"}, Case{"cublas_v2.h", "cuBLAS", "kernel"},
        Case{"cub/cub.cuh", "CUB", "__syncthreads"}, Case{"cufft.h", "cuFFT", "fft.cu"},
        Case{"nvrtc.h", "NVRTC", "cuModuleLoad"}, Case{"mma.h", "tensor cores", "fma"},
        Case{"curand.h", "host side of cuRAND", "curand_kernel.h"}, Case{"cuda/std/atomic", "libcu++", "atomicAdd"},
        Case{"cuda_gl_interop.h", "OpenGL", "cudaMemcpy"}, Case{"inc/helper_cuda.h", "samples", "-I"},
        Case{"omp.h", "OpenMP", "libomp"}}) {
    const std::string note = explain_missing_headers(not_found(c.header));
    EXPECT_THAT(note, HasSubstr(c.what)) << c.header;
    EXPECT_THAT(note, HasSubstr(c.instead)) << c.header;
    EXPECT_EQ(std::count(note.begin(), note.end(), '\n'), 1) << note;
  }
}

TEST(MissingHeaders, OfTheUserAreNotExplained) {
  EXPECT_EQ(explain_missing_headers(not_found("my/header.h")), "");
  EXPECT_EQ(explain_missing_headers("a.cu:1:1: error: use of undeclared identifier 'cublas'\n"), "");
  EXPECT_EQ(explain_missing_headers(""), "");
}

/// Removes the characters that mark positions from `text`: `@` a kernel's name, `$` a `<<<`, `?` a deduced launch, `!`
/// a kernel, `~` a use of the macro of that name, which `text` itself defines.
DeviceLaunches places_in(std::string& text) {
  DeviceLaunches places;
  for (std::size_t at = text.find_first_of("@$?!~"); at != std::string::npos; at = text.find_first_of("@$?!~")) {
    const char sign = text[at];
    text.erase(at, 1);
    const std::size_t line = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
    const SourcePlace place{
        1 + static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n')),
        line == std::string::npos ? at + 1 : at - line};
    if (sign == '@') places.named.push_back(place);
    if (sign == '$') places.launches.push_back(place);
    if (sign == '?') places.deduced.push_back(place);
    if (sign == '!') places.kernels.push_back(place);
    if (sign == '~') places.macros.push_back({place, text.substr(at, text.find_first_of("( ;", at) - at), "a.cu", 1});
  }
  return places;
}

/// Returns `text` with the marked parts rewritten.
std::string launched(std::string text, bool older = false) {
  const DeviceLaunches places = places_in(text);
  LaunchContext context;
  context.older = older;
  context.read = [&text](const std::string&) { return text; };
  context.defining = [](std::string_view) { return std::string(); };
  add_found_kernels(text, places.kernels, context.found);
  const auto changed = rewrite_launches(text, places, context);
  if (changed) {
    EXPECT_EQ(std::count(changed->begin(), changed->end(), '\n'), std::count(text.begin(), text.end(), '\n'));
  }
  return changed.value_or(text);
}

TEST(DeviceLaunches, BecomeCallsOfAFunction) {
  EXPECT_EQ(launched("{ @k$<<<g, b>>>(p); }"), "{ ::castor::launch<k>(g, b)(p); }");
  EXPECT_EQ(launched("\n  if (x) n::@k<<<dim3(1,\n 2), b >> 1, 0, s>>> (p);"),
            "\n  if (x) ::castor::launch<n::k>(dim3(1,\n 2), b >> 1, 0, s) (p);");
  EXPECT_EQ(launched("return ::@k<T, (2 > 1)> <<<1, 1>>>(p);"), "return ::castor::launch<::k<T, (2 > 1)>>(1, 1)(p);");
  EXPECT_EQ(launched("x::y<a<b>>::@k<c<d<e>>><<<1, 1>>>();"), "::castor::launch<x::y<a<b>>::k<c<d<e>>>>(1, 1)();");
  EXPECT_EQ(launched("@a<<<1, 1>>>(), @b<<<2, 2>>>();"), "::castor::launch<a>(1, 1)(), ::castor::launch<b>(2, 2)();");
  EXPECT_EQ(launched("@k<<<1, 1>>>();", true), "::castor::launch_of<decltype(&k), &k>(1, 1)();");
}

TEST(DeviceLaunches, ThroughPointersTakeTheWholeExpression) {
  const auto pointer = [](const std::string& before, const std::string& expression) {
    EXPECT_EQ(launched(before + expression + "$<<<g, b>>>(p);"),
              before + "::castor::launch_pointer(" + expression + ", g, b)(p);");
  };
  for (const char* expression : {"k", "n::k", "t[i + 1]", "(*k)", "s->table[1].k", "f(a, b)", "f<int>(a)[2]"}) {
    pointer("{ ", expression);
    pointer("if (x) ", expression);
    pointer("return ", expression);
  }
}

TEST(DeviceLaunches, NamesOfKernelsBecomeValues) {
  EXPECT_EQ(launched("auto p = @k;"), "auto p = ::castor::kernel<k>();");
  EXPECT_EQ(launched("f(&@k, n::@k<int>);"), "f(::castor::kernel<k>(), ::castor::kernel<n::k<int>>());");
  EXPECT_EQ(launched("return a && @k;"), "return a && ::castor::kernel<k>();");
  EXPECT_EQ(launched("auto p = @k;", true), "auto p = ::castor::kernel_of<decltype(&k), &k>();");
}

TEST(DeviceLaunches, FindKernelsByTheirArguments) {
  EXPECT_EQ(launched("int i;\ntemplate <class T, int N = 2>\n__global__ void !k(T* a, int n = 3) {}\n"
                     "{ n::?k<int><<<1, 2>>>(p, 1 + 1); ?k<int, 1><<<1, 2>>>(p, 0); }"),
            "int i;\ntemplate <class T, int N> __global__ void k(T* a, int n = 3); template <class T, int N = 2> "
            "__host__ __device__ ::castor::launch_detail::Found<void (*)(T* a, int n), &k<T, N>> castor_find_k(T* a, "
            "int n); template <class T, int N = 2>\n__global__ void k(T* a, int n ) {}\n"
            "{ ::castor::launch_found<decltype(n::castor_find_k<int>(p, 1 + 1))>(1, 2)(p, 1 + 1); "
            "::castor::launch<k<int, 1>>(1, 2)(p, 0); }");
  const std::string packs = launched("template <typename... A, typename = void> __global__ void !k(A... a) {}");
  EXPECT_THAT(packs, HasSubstr("&k<A..., castor_1>> castor_find_k(A... a);"));
  EXPECT_THAT(packs, HasSubstr("typename castor_1 = void> __host__"));
}

TEST(DeviceLaunches, WithoutADeclarationToReadStayTheUsers) {
  EXPECT_EQ(launched("KERNEL !k(T* a) {}\n{ ?k<<<1, 2>>>(p); }"),
            "KERNEL k(T* a) {}\n{ ::castor::launch<k>(1, 2)(p); }");
}

TEST(DeviceLaunches, InMacrosStandWhereTheMacroIsUsed) {
  const std::string macro = "#define GO(k, n, ...) do { k##n<<<1, 2>>>(__VA_ARGS__); f(#k); } while (0)\n";
  EXPECT_EQ(launched(macro + "{ ~GO(a, 1, p,\n q); }"),
            macro + "{ do { a1<<<1, 2>>>(p, q); f(\"a\"); } while (0)\n; }");
  EXPECT_EQ(launched("#define RUN(k) g(k, #k)\n{ RUN(@k); h(@k); }"),
            "#define RUN(k) g(k, #k)\n{ g(k, \"k\"); h(::castor::kernel<k>()); }");
  const std::string rest = "#define GO(k, a, ...) k<<<1, 2>>>(a, ##__VA_ARGS__)\n";
  EXPECT_EQ(launched(rest + "{ ~GO(k, p); }"), rest + "{ k<<<1, 2>>>(p); }");
  // A launch among the arguments is rewritten there.
  EXPECT_EQ(launched("#define CHECK(x) x\n{ ~CHECK(@k$<<<1, 2>>>(p)); }"),
            "#define CHECK(x) x\n{ CHECK(::castor::launch<k>(1, 2)(p)); }");
}

TEST(DeviceLaunches, OthersStay) {
  for (const char* text : {"@<<<1, 1>>>();", "@k<<<1, 1", "k<<<1, 1>>>();", "~GO(1);", "{ $<<<1, 1>>>(p); }"})
    EXPECT_EQ(launched(text).find("castor"), std::string::npos) << text;
}

TEST(DeviceLaunches, AreFoundInWhatClangSays) {
  const FileLaunches places = device_launches(
      "a/b.cu:8:46: error: reference to __global__ function 'self' in __global__ function\n"
      "a/b.cu:8:17: note: 'self' declared here\n"
      "c.h:11:13: error: reference to __host__ function '__cudaPushCallConfiguration' in __global__ function\n"
      "d.h:3:9: note: expanded from macro 'GO'\n"
      "c.h:12:13: error: reference to __host__ function 'f' in __global__ function\n"
      "c.h:14:3: error: no matching function for call to 'k'\n"
      "d.h:5:20: note: candidate function not viable: call to __global__ function from __global__ function\n"
      "c.h:15:3: error: no matching function for call to 'f'\n"
      "c.h:16:7: error: reference to __global__ function 'last' in __global__ function\n"
      "fatal error: too many errors emitted, stopping now [-ferror-limit=]\n");
  ASSERT_EQ(places.size(), 3U);
  ASSERT_EQ(places.at("a/b.cu").named.size(), 1U);
  EXPECT_EQ(places.at("a/b.cu").named[0].line, 8U);
  EXPECT_EQ(places.at("a/b.cu").named[0].column, 46U);
  const DeviceLaunches& header = places.at("c.h");
  EXPECT_TRUE(header.named.empty()) << "the last of too many errors may have another behind it";
  ASSERT_EQ(header.launches.size(), 1U);
  EXPECT_EQ(header.launches[0].line, 11U);
  ASSERT_EQ(header.macros.size(), 1U);
  EXPECT_EQ(header.macros[0].name + header.macros[0].file, "GOd.h");
  EXPECT_EQ(header.macros[0].line, 3U);
  ASSERT_EQ(header.deduced.size(), 1U);
  EXPECT_EQ(header.deduced[0].line, 14U);
  ASSERT_EQ(places.at("d.h").kernels.size(), 1U);
  EXPECT_EQ(places.at("d.h").kernels[0].column, 20U);
}

TEST(MissingHeaders, AreExplainedOnceEach) {
  const std::string note = explain_missing_headers(not_found("cufft.h") + not_found("cufft.h") + not_found("npp.h"));
  EXPECT_EQ(std::count(note.begin(), note.end(), '\n'), 2) << note;
}

TEST(MissingFunctions, AreExplainedOncePerFeature) {
  const std::string note = explain_missing_functions(
      "a.cu:1:1: error: use of undeclared identifier 'cudaGraphCreate'; did you mean 'cudaEventCreate'?\n"
      "a.cu:2:1: error: use of undeclared identifier 'cudaGraphLaunch'\n"
      "a.cu:3:1: error: use of undeclared identifier 'cudaIpcGetMemHandle'\n"
      "a.cu:4:1: error: reference to __global__ function 'child' in __global__ function\n");
  EXPECT_EQ(std::count(note.begin(), note.end(), '\n'), 3) << note;
  for (const char* part : {"'cudaGraphCreate' belongs to parts of CUDA graphs", "'cudaIpcGetMemHandle' belongs to",
                           "'child' is launched by device code (dynamic parallelism)"}) {
    EXPECT_THAT(note, HasSubstr(part));
  }
}

TEST(MissingFunctions, OfTheUserAreNotExplained) {
  for (const char* const error :
       {"use of undeclared identifier 'castor_find_child'; did you mean 'inner::castor_find_child'?",
        "no member named 'castor_find_child' in namespace 'outer'"}) {
    EXPECT_THAT(explain_missing_functions("a.cu:1:1: error: " + std::string(error) + "\n"),
                HasSubstr("device code launches 'child' by a name that a using declaration brings"));
  }
  EXPECT_EQ(explain_missing_functions("a.cu:1:1: error: use of undeclared identifier 'count'\n"), "");
  EXPECT_EQ(explain_missing_functions("a.cu:1:1: error: reference to __device__ function 'f' in __host__ function\n"),
            "");
}

TEST(OpenMp, HasOneRuntime) {
  const auto no = [] { return false; };
  const auto yes = [] { return true; };
  std::vector<std::string> flags = {"-lm", "-lgomp", "-fopenmp"};
  EXPECT_THAT(settle_openmp(flags, no), HasSubstr("-lgomp"));
  EXPECT_THAT(flags, ElementsAre("-lm", "-fopenmp"));
  flags = {"-Wl,-lgomp"};
  EXPECT_THAT(settle_openmp(flags, yes), HasSubstr("-lgomp"));
  EXPECT_THAT(flags, ElementsAre("-fopenmp"));
  flags = {"-lgomp"};
  EXPECT_EQ(settle_openmp(flags, no), "") << "objects of another compiler alone need their own";
  EXPECT_THAT(flags, ElementsAre("-lgomp"));
  flags = {"-fopenmp"};
  EXPECT_EQ(settle_openmp(flags, yes), "");
  EXPECT_THAT(flags, ElementsAre("-fopenmp"));
}

DevicePart part(const std::string& file, const std::string& ir) {
  DevicePart p;
  p.file = file;
  p.unit = file;
  p.arch = 60;
  p.ir = ir;
  return p;
}

TEST(DeviceParts, AreReadAsWritten) {
  DevicePart p = part("a.o", "define void @k() {\n\n}\n");
  p.max_registers = 40;
  p.code_flags = {"-mllvm", "-nvptx-prec-divf32=0"};
  const DevicePart back = read_part("b.o", write_part(p));
  EXPECT_EQ(back.file, "b.o");
  EXPECT_EQ(back.unit, "a.o");
  EXPECT_EQ(back.arch, 60);
  EXPECT_EQ(back.max_registers, 40);
  EXPECT_EQ(back.code_flags, p.code_flags);
  EXPECT_EQ(back.ir, p.ir);
  EXPECT_THROW((void)read_part("c.o", "castor-device 99\n"), base::InputError);
}

TEST(DeviceParts, MustBeCompiledAlike) {
  DevicePart a = part("a.o", "");
  DevicePart b = part("b.o", "");
  b.arch = 70;
  EXPECT_EQ(common_options({a, b}).arch, 70);
  b.max_registers = 32;
  try {
    (void)common_options({a, b});
    FAIL() << "takes different caps on registers";
  } catch (const base::InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("b.o"));
    EXPECT_THAT(e.what(), HasSubstr("32 registers at most"));
    EXPECT_THAT(e.what(), HasSubstr("a.o"));
  }
}

TEST(LocalNames, GetASuffixInTheSecondFileThatHasThem) {
  const std::string ir =
      "$_ZL1kPi = comdat any\n"
      "@_ZN12_GLOBAL__N_11vE = internal addrspace(1) global i32 1, align 4\n"
      "@_ZN1aL1sE = dso_local addrspace(4) externally_initialized global i32 1\n"
      "@_ZL5tile_ = internal addrspace(3) global [32 x i32] undef\n"
      "@shared = dso_local addrspace(1) global i32 0\n"
      "define dso_local void @_ZL1kPi(i32* %0) #0 comdat {\n  store i32 1, i32* @_ZN1aL1sE\n}\n"
      "define internal void @_ZL6helperv() {\n}\n"
      "define dso_local void @_Z7globalkv() {\n  call void @_ZL1kPi2()\n}\n";
  std::vector<DevicePart> parts = {part("a", ir), part("b", ir), part("c", ir)};
  const std::vector<Renaming> renamed = separate_local_names(parts);
  EXPECT_EQ(parts[0].ir, ir);
  EXPECT_THAT(renamed[0], IsEmpty());
  EXPECT_THAT(renamed[1],
              testing::UnorderedElementsAre(testing::Pair("_ZL1kPi", "_ZL1kPi__2"),
                                            testing::Pair("_ZN12_GLOBAL__N_11vE", "_ZN12_GLOBAL__N_11vE__2"),
                                            testing::Pair("_ZN1aL1sE", "_ZN1aL1sE__2")));
  EXPECT_EQ(renamed[2].size(), 3U);
  EXPECT_THAT(parts[1].ir, HasSubstr("$_ZL1kPi__2 = comdat any"));
  EXPECT_THAT(parts[1].ir, HasSubstr("void @_ZL1kPi__2(i32* %0)"));
  EXPECT_THAT(parts[1].ir, HasSubstr("i32* @_ZN1aL1sE__2\n"));
  EXPECT_THAT(parts[1].ir, HasSubstr("call void @_ZL1kPi2()")) << "another name that begins alike";
  EXPECT_THAT(parts[1].ir, Not(HasSubstr("_ZL5tile___2")));
  EXPECT_THAT(parts[2].ir, HasSubstr("@_ZL1kPi__3("));
  const std::string source = registration_source("x.ptx", parts, renamed);
  EXPECT_THAT(source, HasSubstr("\"_ZL1kPi\", \"_ZL1kPi__2\""));
  EXPECT_THAT(source, HasSubstr("__castor_needs_device_link_c("));
}

TEST(LocalNames, OfAnonymousNamespacesAreKeptForTheHost) {
  EXPECT_EQ(expose_local_variables("@_ZN12_GLOBAL__N_11vE = internal addrspace(1) global i32 1, align 4\n"
                                   "@_ZN12_GLOBAL__N_11cE = internal addrspace(4) global i32 0, align 4\n"
                                   "@_ZN12_GLOBAL__N_11sE = internal addrspace(3) global i32 undef, align 4\n"
                                   "@_ZN12_GLOBAL__N_11kE = internal addrspace(4) constant i32 1\n"
                                   "@_ZL6tables = internal addrspace(4) global i32 1"),
            "@_ZN12_GLOBAL__N_11vE = dso_local addrspace(1) externally_initialized global i32 1, align 4\n"
            "@_ZN12_GLOBAL__N_11cE = dso_local addrspace(4) externally_initialized global i32 0, align 4\n"
            "@_ZN12_GLOBAL__N_11sE = internal addrspace(3) global i32 undef, align 4\n"
            "@_ZN12_GLOBAL__N_11kE = dso_local addrspace(4) constant i32 1\n"
            "@_ZL6tables = internal addrspace(4) global i32 1");
}

TEST(LinkErrors, NameWhatIsDefinedTwice) {
  EXPECT_EQ(
      readable_link_errors("fatal error: cannot link module 'b.o': Linking globals named '_Z1fi': symbol multiply "
                           "defined!\n1 error generated.\n"),
      "b.o: error: device code defines 'f(int)', which a file before it in the link defines, too\n"
      "1 error generated.\n");
  EXPECT_EQ(readable_link_errors("something else\n"), "something else\n");
}

}  // namespace
}  // namespace castor::castor_cc::castor_cc_source_test
