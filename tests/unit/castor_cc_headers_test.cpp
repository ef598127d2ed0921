// Tests of precompiled headers: castor-cc gives the same results with and without them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <string>
#include <vector>

#include "castor_cc/header_cache.h"
#include "castor_cc_fixture.h"

namespace castor::castor_cc::castor_cc_headers_test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kSource =
    "#include <cstdio>\n#include \"mine.h\"\n"
    "__global__ void k(float* p) { p[threadIdx.x] = mine(p[0]); }\n"
    "int main() { k<<<1, 32>>>(nullptr); std::printf(\"%d\\n\", WIDTH); }\n";

class CastorCcHeaders : public CastorCc {
 protected:
  void SetUp() override {
    CastorCc::SetUp();
    setenv("CASTOR_CACHE", (directory_ / "cache").c_str(), 1);
    source("a.cu", kSource);
    source("mine.h", "#pragma once\ninline __host__ __device__ float mine(float x) { return x + 1.0F; }\n");
  }
  void TearDown() override {
    unsetenv("CASTOR_CACHE");
    CastorCc::TearDown();
  }
  [[nodiscard]] std::set<fs::path> headers() const {
    std::set<fs::path> found;
    if (!fs::exists(directory_ / "cache/headers")) return found;
    for (const auto& entry : fs::directory_iterator(directory_ / "cache/headers")) found.insert(entry.path());
    return found;
  }
  /// Compiles a.cu to `object` and returns the object's bytes.
  static std::string compiled(std::vector<std::string> more = {}, const std::string& text = "") {
    more.insert(more.end(), {"-DWIDTH=3", "-c", "a.cu", "-o", "a.o"});
    const ProcessResult r = castor_cc(more);
    EXPECT_EQ(r.exit_code, 0) << r.error_text;
    EXPECT_EQ(r.error_text, text);
    return read("a.o");
  }
};

TEST_F(CastorCcHeaders, AreMadeOnceForEachSideAndChangeNothing) {
  source("no", "a file where the cache would be a folder");
  setenv("CASTOR_CACHE", (directory_ / "no").c_str(), 1);
  const std::string plain = compiled();
  setenv("CASTOR_CACHE", (directory_ / "cache").c_str(), 1);
  EXPECT_EQ(compiled(), plain);
  const std::set<fs::path> made = headers();
  EXPECT_EQ(made.size(), 2);
  EXPECT_EQ(compiled(), plain);
  EXPECT_EQ(headers(), made);
  EXPECT_TRUE(no_temporary_files());
}

TEST_F(CastorCcHeaders, ServeSourcesThatReadVariableArguments) {
  source("a.cu",
         std::string("#include <string>\n") + kSource +
             "int last(int n, ...) {\n  __builtin_va_list list;\n  __builtin_va_start(list, n);\n"
             "  const int first = __builtin_va_arg(list, int);\n  __builtin_va_end(list);\n  return first;\n}\n");
  setenv("CASTOR_CACHE", "/dev/null", 1);
  const std::string plain = compiled();
  setenv("CASTOR_CACHE", (directory_ / "cache").c_str(), 1);
  EXPECT_EQ(compiled(), plain);
  EXPECT_EQ(headers().size(), 2) << "clang refused one";
}

TEST_F(CastorCcHeaders, AreOthersForOtherOptions) {
  compiled();
  for (const char* option : {"-DEXTRA", "-I."}) {
    const std::size_t before = headers().size();
    EXPECT_EQ(castor_cc({option, "-DWIDTH=3", "-ptx", "a.cu"}).exit_code, 0);
    EXPECT_EQ(headers().size(), before + 1) << option;
  }
  const std::size_t before = headers().size();
  compiled({"-include", "mine.h"});
  EXPECT_EQ(headers().size(), before) << "a header of the user's in front of the source is read anew";
}

TEST_F(CastorCcHeaders, OfAFolderThatIsNamedRelativelyAreThoseOfTheCurrentFolder) {
  for (const char* option : {"-Iinclude", "-I."}) {
    for (const char* folder : {"one", "two"}) {
      fs::create_directories(directory_ / folder / "include");
      fs::current_path(directory_ / folder);
      const std::size_t before = headers().size();
      EXPECT_EQ(castor_cc({option, "-DWIDTH=3", "-ptx", "../a.cu"}).exit_code, 0);
      EXPECT_EQ(headers().size(), before + 1) << option << " in " << folder;
    }
  }
}

TEST_F(CastorCcHeaders, AreMadeAnewWhenAHeaderHasChanged) {
  compiled();
  const fs::path first = *headers().begin();
  source("other.pch", read(first) + "cut");
  for (const fs::path& file : headers()) {
    fs::copy_file("other.pch", file, fs::copy_options::overwrite_existing);
    fs::resize_file(file, fs::file_size(file) / 2);
  }
  compiled();
  EXPECT_TRUE(headers().empty()) << "what clang refuses goes";
  compiled();
  EXPECT_EQ(headers().size(), 2);
}

TEST_F(CastorCcHeaders, AHeaderOfCastorsThatIsWrittenAgainIsNoticed) {
  // Castor's own folders, with copies of the headers instead of the links to them.
  const fs::path build = test_tree::build_folder();
  fs::create_directories("prefix/bin");
  fs::create_directories("prefix/share/castor");
  fs::copy_file(build / "bin/castor-cc", "prefix/bin/castor-cc");
  fs::copy(build / "share/castor/include/", "prefix/share/castor/include", fs::copy_options::recursive);
  fs::copy_file(build / "share/castor/castor_libdevice.bc", "prefix/share/castor/castor_libdevice.bc");
  source("b.cu", "#ifdef CASTOR_TRIAL\n#error the new header was read\n#endif\n");
  const std::vector<std::string> command = {"prefix/bin/castor-cc", "-c", "b.cu"};
  for (int i = 0; i < 2; ++i) ASSERT_EQ(run_process(command).exit_code, 0);
  const fs::path header = "prefix/share/castor/include/cuda_runtime.h";
  std::ofstream(header, std::ios::app) << "#define CASTOR_TRIAL\n";
  EXPECT_THAT(run_process(command).error_text, HasSubstr("the new header was read"));
}

TEST_F(CastorCcHeaders, LeaveMessagesAsTheyAre) {
  compiled();
  source("a.cu", std::string(kSource) + "int* wrong() { return 1; }\n");
  const ProcessResult r = castor_cc({"-DWIDTH=3", "-c", "a.cu"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(r.error_text, HasSubstr("a.cu:5:23: error: cannot initialize return object"));
  EXPECT_THAT(r.error_text, Not(HasSubstr("pch")));
  EXPECT_EQ(headers().size(), 2) << "an error of the program's says nothing of the header";
}

TEST_F(CastorCcHeaders, DependenciesAreThoseOfTheSource) {
  for (int i = 0; i < 2; ++i) {
    compiled({"-MD", "-MF", "a.d", "-MT", "a.o"});
    const std::string listed = read("a.d");
    for (const char* name : {"a.o:", "a.cu", "mine.h", "cuda_runtime.h", "/cmath"}) {
      EXPECT_THAT(listed, HasSubstr(name));
    }
    EXPECT_THAT(listed, Not(HasSubstr("/dev/null")));
    compiled({"-MMD", "-MF", "b.d", "-MT", "a.o"});
    EXPECT_EQ(read("b.d"), "a.o: a.cu mine.h\n");
  }
}

TEST_F(CastorCcHeaders, TheLatestAreKept) {
  compiled();
  const fs::path one = *headers().begin();
  for (std::size_t i = 0; i < HeaderCache::kKept + 10; ++i) {
    const fs::path file = directory_ / "cache/headers" / ("old" + std::to_string(i) + ".pch");
    fs::copy_file(one, file);
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(1 + i));
  }
  compiled({"-DMORE"});
  EXPECT_EQ(headers().size(), HeaderCache::kKept);
  EXPECT_EQ(headers().count(directory_ / "cache/headers/old73.pch"), 0) << "the oldest";
  EXPECT_EQ(headers().count(directory_ / "cache/headers/old0.pch"), 1);
}

}  // namespace
}  // namespace castor::castor_cc::castor_cc_headers_test
