#include "platforms/experiments/program.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <utility>

#include "castor/base/error.h"
#include "castor/base/hash.h"
#include "platforms/experiments/compiled.h"

namespace castor::platforms::experiments {
namespace {

namespace fs = std::filesystem;

// Returns the path of the runtime library that the loader finds for a program; empty if the program needs none.
std::string runtime_of(const std::string& path) {
  const Scratch scratch;
  const std::string said = scratch.file("libraries");
  wait_for(start_process({path}, said, [] { ::setenv("LD_TRACE_LOADED_OBJECTS", "1", 1); }));
  const std::string text = contents(said);
  const std::size_t name = text.find("libcastor_cudart");
  const std::size_t arrow = name == std::string::npos ? name : text.find("=> ", name);
  if (arrow == std::string::npos) return "";
  return text.substr(arrow + 3, text.find_first_of(" \n", arrow + 3) - arrow - 3);
}

// Returns the hash of a runtime library. It is cached, because all programs of a build load the same library.
std::uint64_t hash_of_runtime(const std::string& path) {
  static std::map<std::string, std::uint64_t> known;
  const auto found = known.find(path);
  if (found != known.end()) return found->second;
  return known[path] = base::Hash().add(contents(path)).value();
}

}  // namespace

CudaProgram::CudaProgram(const std::string& name, std::string path) : path_(std::move(path)) {
  std::error_code failed;
  if (path_.find('/') == std::string::npos) path_.insert(0, "./");
  if (fs::is_directory(path_, failed) || ::access(path_.c_str(), X_OK) != 0) {
    throw base::InputError("no program " + base::printable(path_, std::string::npos),
                           "build sw/kernels/" + name + " with castor-cc, or let the experiment do that");
  }
  base::Hash hash;
  hash.add(contents(path_));
  const std::string runtime = runtime_of(path_);
  if (!runtime.empty()) hash.add(hash_of_runtime(runtime));
  fingerprint_ = hash.text();
}

CudaProgram::Finished CudaProgram::finish(const std::string& machine, const std::vector<std::string>& overrides,
                                          const std::vector<std::string>& arguments, const Variables& variables) const {
  const Scratch scratch;
  const std::string report = scratch.file("report.json"), said = scratch.file("output");
  std::string settings;
  for (const std::string& one : overrides) settings += (settings.empty() ? "" : ";") + one;
  std::vector<std::string> words = {path_};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const int status = wait_for(start_process(words, said, [&] {
    ::setenv("CASTOR_PLATFORM", machine.c_str(), 1);
    ::setenv("CASTOR_SET", settings.c_str(), 1);
    ::setenv("CASTOR_REPORT", report.c_str(), 1);
    for (const char* other : {"CASTOR_REPLAY", "CASTOR_TIMELINE", "CASTOR_WAVE", "CASTOR_SUMMARY"}) ::unsetenv(other);
    for (const auto& [name, value] : variables) ::setenv(name, value.c_str(), 1);
  }));
  Finished out;
  out.said = contents(said);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || out.said.find("PASS ") == std::string::npos) {
    refuse_full_disk(path_, out.said);
    throw base::Error(path_ + " failed: " + out.said);
  }
  out.report = Json::parse(contents(report), nullptr, false);
  if (out.report.is_discarded()) throw base::Error(path_ + " left no report");
  return out;
}

std::map<std::string, CudaProgram> find_programs(const std::vector<std::string>& names, const std::string& folder,
                                                 unsigned workers) {
  std::vector<std::string> paths;
  if (folder.empty()) {
    paths = compiled_programs(names, workers);
  } else {
    for (const std::string& name : names) paths.push_back(folder + "/" + name);
  }
  std::map<std::string, CudaProgram> out;
  for (std::size_t i = 0; i < names.size(); ++i) out.try_emplace(names[i], names[i], paths[i]);
  return out;
}

Json CudaProgram::run(const std::string& machine, const std::vector<std::string>& overrides,
                      const std::vector<std::string>& arguments) const {
  return finish(machine, overrides, arguments).report;
}

Json CudaProgram::result(const std::string& machine, const std::vector<std::string>& overrides,
                         const std::vector<std::string>& arguments) const {
  return result_in(finish(machine, overrides, arguments).said);
}

Json CudaProgram::result_in(const std::string& said) const {
  static const std::string kWord = "\nRESULT ";
  const std::string lines = "\n" + said;
  const std::size_t at = lines.find(kWord);
  if (at != std::string::npos) {
    const std::size_t begin = at + kWord.size();
    Json out = Json::parse(lines.substr(begin, lines.find('\n', begin) - begin), nullptr, false);
    if (out.is_object()) return out;
  }
  throw base::Error(path_ + " printed no RESULT: " + said);
}

}  // namespace castor::platforms::experiments
