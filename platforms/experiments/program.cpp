#include "platforms/experiments/program.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>

#include "castor/base/error.h"
#include "castor/base/hash.h"

namespace castor::platforms::experiments {
namespace {

namespace fs = std::filesystem;

/// Runs a program to its end, both outputs into a file; its wait status. `set_up` changes the environment.
template <class SetUp>
int run_process(const std::string& path, const std::vector<std::string>& arguments, const std::string& output,
                SetUp set_up) {
  std::vector<std::string> words = {path};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw base::Error(std::string("no process for ") + path + ": " + std::strerror(errno));
  if (child == 0) {
    const int out = ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(out, STDERR_FILENO);
    set_up();
    ::execv(path.c_str(), pointers.data());
    std::fprintf(stderr, "%s: %s\n", path.c_str(), std::strerror(errno));
    ::_exit(127);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw base::Error(std::string("waiting for ") + path + ": " + std::strerror(errno));
  }
  return status;
}

// Where the loader finds the runtime of a program; empty if it needs none.
std::string runtime_of(const std::string& path) {
  const Scratch scratch;
  const std::string said = scratch.file("libraries");
  run_process(path, {}, said, [] { ::setenv("LD_TRACE_LOADED_OBJECTS", "1", 1); });
  const std::string text = contents(said);
  const std::size_t name = text.find("libcastor_cudart");
  const std::size_t arrow = name == std::string::npos ? name : text.find("=> ", name);
  if (arrow == std::string::npos) return "";
  return text.substr(arrow + 3, text.find_first_of(" \n", arrow + 3) - arrow - 3);
}

// Programs of one build load one runtime, which is read once.
std::uint64_t hash_of_runtime(const std::string& path) {
  static std::map<std::string, std::uint64_t> known;
  const auto found = known.find(path);
  if (found != known.end()) return found->second;
  return known[path] = base::Hash().add(contents(path)).value();
}

}  // namespace

Scratch::Scratch() {
  std::string name = (fs::temp_directory_path() / "castor-experiment-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw base::Error("no temporary folder: " + std::string(std::strerror(errno)));
  folder_ = name;
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

CudaProgram::CudaProgram(const std::string& name, const std::string& path) : path_(path) {
  std::error_code failed;
  if (path_.empty()) {
    const fs::path self = fs::read_symlink("/proc/self/exe", failed);
    path_ = (self.parent_path().parent_path() / "kernels" / name).string();
  }
  if (path_.find('/') == std::string::npos) path_.insert(0, "./");
  if (fs::is_directory(path_, failed) || ::access(path_.c_str(), X_OK) != 0) {
    throw base::InputError("no program " + base::printable(path_, std::string::npos),
                           "build sw/kernels/" + name + " with castor-cc and say where it is");
  }
  base::Hash hash;
  hash.add(contents(path_));
  const std::string runtime = runtime_of(path_);
  if (!runtime.empty()) hash.add(hash_of_runtime(runtime));
  fingerprint_ = hash.text();
}

CudaProgram::Finished CudaProgram::finish(const std::string& machine, const std::vector<std::string>& overrides,
                                          const std::vector<std::string>& arguments) const {
  const Scratch scratch;
  const std::string report = scratch.file("report.json"), said = scratch.file("output");
  std::string settings;
  for (const std::string& one : overrides) settings += (settings.empty() ? "" : ";") + one;
  const int status = run_process(path_, arguments, said, [&] {
    ::setenv("CASTOR_PLATFORM", machine.c_str(), 1);
    ::setenv("CASTOR_SET", settings.c_str(), 1);
    ::setenv("CASTOR_REPORT", report.c_str(), 1);
    for (const char* other : {"CASTOR_REPLAY", "CASTOR_TIMELINE", "CASTOR_WAVE", "CASTOR_SUMMARY"}) ::unsetenv(other);
  });
  Finished out;
  out.said = contents(said);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || out.said.find("PASS ") == std::string::npos) {
    throw base::Error(path_ + " failed: " + out.said);
  }
  out.report = Json::parse(contents(report), nullptr, false);
  if (out.report.is_discarded()) throw base::Error(path_ + " left no report");
  return out;
}

Json CudaProgram::run(const std::string& machine, const std::vector<std::string>& overrides,
                      const std::vector<std::string>& arguments) const {
  return finish(machine, overrides, arguments).report;
}

Json CudaProgram::result(const std::string& machine, const std::vector<std::string>& overrides,
                         const std::vector<std::string>& arguments) const {
  static const std::string kWord = "RESULT ";
  const std::string said = "\n" + finish(machine, overrides, arguments).said;
  const std::size_t at = said.find("\n" + kWord);
  if (at != std::string::npos) {
    const std::size_t begin = at + 1 + kWord.size();
    Json out = Json::parse(said.substr(begin, said.find('\n', begin) - begin), nullptr, false);
    if (out.is_object()) return out;
  }
  throw base::Error(path_ + " printed no RESULT: " + said.substr(1));
}

}  // namespace castor::platforms::experiments
