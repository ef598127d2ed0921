#include "castor_cc/header_cache.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "castor/base/hash.h"
#include "castor/base/installation.h"

namespace castor::castor_cc {
namespace {

namespace fs = std::filesystem;

/// Source of a precompiled header: an empty file, so that only the headers included by the command line are read.
constexpr const char* kSource = "/dev/null";

/// Returns true if the precompiled header can be used for every source compiled with these options: the command line
/// includes one header only.
bool usable(const std::vector<std::string>& reading) {
  std::size_t included = 0;
  for (const std::string& word : reading) {
    if (word.compare(0, 8, "-include") == 0 || word.compare(0, 8, "-imacros") == 0) ++included;
  }
  return included == 1;
}

std::string key_of(const std::vector<std::string>& reading) {
  base::Hash hash;
  bool relative = false;
  for (std::size_t i = 0; i < reading.size(); ++i) {
    const std::string& word = reading[i];
    hash.add(word).add_byte(0);
    const std::string folder = word == "-I" && i + 1 < reading.size() ? reading[i + 1]
                               : word.compare(0, 2, "-I") == 0        ? word.substr(2)
                                                                      : "/";
    relative = relative || folder.compare(0, 1, "/") != 0;
  }
  std::error_code ignored;  // an unnamed folder is hashed as no folder
  if (relative) hash.add(fs::current_path(ignored).string());
  return hash.text();
}

/// Removes all files except the kKept used last.
void prune(const fs::path& folder) {
  std::error_code failed;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    std::error_code gone;
    const fs::file_time_type used = fs::last_write_time(entry->path(), gone);
    if (!gone) files.emplace_back(used, entry->path());
  }
  if (files.size() <= HeaderCache::kKept) return;
  std::sort(files.begin(), files.end());
  files.resize(files.size() - HeaderCache::kKept);
  for (const auto& [used, path] : files) fs::remove(path, failed);
}

/// Removes kSource from a dependency file.
void forget_source(const std::string& depend) {
  std::ifstream in(depend, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::string word = std::string(" ") + kSource;
  const std::size_t at = text.find(word);
  if (at == std::string::npos) return;
  text.erase(at, word.size());
  std::ofstream(depend, std::ios::binary) << text;
}

}  // namespace

std::string HeaderCache::find_or_make(const std::vector<std::string>& reading) {
  if (!usable(reading)) return {};
  const std::lock_guard<std::mutex> lock(mutex_);
  const fs::path folder = fs::path(base::cache_folder()) / "headers";
  const fs::path file = folder / (key_of(reading) + ".pch");
  std::error_code failed;
  if (fs::exists(file, failed)) {
    fs::last_write_time(file, fs::file_time_type::clock::now(), failed);
    return file.string();
  }
  fs::create_directories(folder, failed);
  if (failed || ::access(folder.c_str(), W_OK | X_OK) != 0) return {};
  // The file has a process-specific name until it is complete. If two processes create it, the later rename wins.
  const std::string part = file.string() + "." + std::to_string(::getpid());
  std::vector<std::string> command = reading;
  command.insert(command.end(),
                 {"-w", "-fsyntax-only", "-Xclang", "-emit-pch", "-Xclang", "-o", "-Xclang", part, kSource});
  const ProcessResult made = run_process(command);
  if (made.exit_code == 0) fs::rename(part, file, failed);
  if (made.exit_code != 0 || failed) {
    fs::remove(part, failed);
    return {};
  }
  prune(folder);
  return file.string();
}

ProcessResult HeaderCache::run(const std::vector<std::string>& command, const std::vector<std::string>& reading,
                               const std::string& depend) {
  const std::string file = find_or_make(reading);
  if (file.empty() || deferred_signal() != 0) return run_process(command);
  std::vector<std::string> with = command;
  // System headers may change too, so they are validated. When generating code for the host, clang 14 finds
  // __builtin_va_list twice: in the precompiled header and built in. __builtin_va_list is then ambiguous, but the name
  // that stdarg.h gives the type is not.
  with.insert(with.end(), {"-Xclang", "-include-pch", "-Xclang", file, "-Xclang", "-fmodules-validate-system-headers",
                           "-D__builtin_va_list=__gnuc_va_list"});
  ProcessResult result = run_process(with);
  if (result.exit_code == 0 && !depend.empty()) forget_source(depend);
  if (result.exit_code == 0 || deferred_signal() != 0) return result;
  result = run_process(command);
  std::error_code ignored;  // another process may have removed the file
  if (result.exit_code == 0) fs::remove(file, ignored);
  return result;
}

}  // namespace castor::castor_cc
