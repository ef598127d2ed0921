#include "platforms/experiments/compiled.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "castor/base/error.h"
#include "castor/base/hash.h"
#include "castor/base/installation.h"
#include "platforms/experiments/experiment.h"
#include "platforms/experiments/process.h"

namespace castor::platforms::experiments {
namespace {

namespace fs = std::filesystem;
using Paths = std::vector<fs::path>;

/// Part of every program's cache key. Increase it when a change affects compiled programs but none of the other parts
/// of the key.
constexpr unsigned kRecipe = 1;
constexpr const char* kLevel = "-O2";
/// Programs whose names begin with `beginning` have their sources in `folder` and need these compiler options.
struct Family {
  const char *beginning, *folder;
  std::vector<std::string> options;
};
const std::vector<Family>& families() {
  static const std::vector<Family> kFamilies = {{"micro_", "microbenchmarks", {}},
                                                {"dynamic_", "dynamic", {"-std=c++17"}}};
  return kFamilies;
}
/// Returns the family of a program; nullptr if the program belongs to none.
const Family* family_of(const std::string& name) {
  for (const Family& family : families()) {
    if (name.rfind(family.beginning, 0) == 0) return &family;
  }
  return nullptr;
}

fs::path sources_folder() { return fs::path(base::data_folder()) / "kernels"; }
fs::path compiler() { return fs::path(base::prefix()) / "bin/castor-cc"; }

std::string shown(const fs::path& path) { return base::printable(path.string(), std::string::npos); }

/// Returns the regular files below a folder, or the file itself, sorted by name. Links are followed.
Paths files_below(const fs::path& place) {
  std::error_code failed;
  if (fs::is_regular_file(place, failed)) return {place};
  Paths out;
  for (const auto& entry :
       fs::recursive_directory_iterator(place, fs::directory_options::follow_directory_symlink, failed)) {
    if (entry.is_regular_file(failed)) out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// Returns the source files of a program: its file and the files that its family shares, or all sources of the
/// program's folder.
Paths sources_of(const std::string& name) {
  const fs::path root = sources_folder();
  const Family* const family = family_of(name);
  const fs::path file = family == nullptr
                            ? root / (name + ".cu")
                            : root / family->folder / (name.substr(std::strlen(family->beginning)) + ".cu");
  std::error_code failed;
  Paths out;
  if (fs::is_regular_file(file, failed)) {
    out.push_back(file);
    if (family == nullptr) return out;
    for (const fs::path& path : files_below(root / family->folder)) {
      if (path.extension() == ".cpp") out.push_back(path);
    }
    return out;
  }
  for (const fs::path& path : files_below(root / name)) {
    if (path.extension() == ".cu" || path.extension() == ".cpp") out.push_back(path);
  }
  if (out.empty()) {
    throw base::InputError("no program '" + base::printable(name) + "': no source '" + shown(file) + "'",
                           "install all of Castor");
  }
  return out;
}

/// Inputs that all programs have in common: every header of the sources folder, and the compiler with its headers and
/// libraries.
class SharedParts {
 public:
  SharedParts() {
    for (const fs::path& path : files_below(sources_folder())) {
      if (path.extension() == ".h") parts_.push_back(path);
    }
    const fs::path data = base::data_folder();
    for (const fs::path& place :
         {compiler(), data / "include", data / "castor_libdevice.bc", data / "castor_opencl.bc"}) {
      const Paths more = files_below(place);
      parts_.insert(parts_.end(), more.begin(), more.end());
    }
  }
  [[nodiscard]] const Paths& parts() const { return parts_; }
  /// Returns a digest of names and contents; computed on the first call.
  [[nodiscard]] const std::string& digest() {
    if (digest_.empty()) digest_ = digest_of(parts_);
    return digest_;
  }
  static std::string digest_of(const Paths& parts) {
    base::Hash hash;
    for (const fs::path& part : parts) hash.add(part.string()).add(contents(part.string()));
    return hash.text();
  }

 private:
  Paths parts_;
  std::string digest_;
};

std::string key_of(const std::string& name, const Paths& sources, SharedParts& shared) {
  base::Hash hash;
  // The compiled program contains the path of the runtime library that it loads, so the path is part of the key.
  hash.add(kRecipe).add(name).add(kLevel).add(base::prefix());
  if (const Family* const family = family_of(name); family != nullptr) {
    for (const std::string& option : family->options) hash.add(option);
  }
  return hash.add(SharedParts::digest_of(sources)).add(shared.digest()).text();
}

/// Returns the program in the build tree; empty if it does not exist or is older than its inputs.
fs::path built_program(const std::string& name, const Paths& sources, const SharedParts& shared) {
  const fs::path path = fs::path(base::prefix()) / "kernels" / name;
  std::error_code failed;
  if (fs::is_directory(path, failed) || ::access(path.c_str(), X_OK) != 0) return {};
  const fs::file_time_type built = fs::last_write_time(path, failed);
  const auto newer = [&](const fs::path& part) {
    const fs::file_time_type written = fs::last_write_time(part, failed);
    return !failed && written > built;
  };
  const auto any_newer = [&](const Paths& parts) { return std::any_of(parts.begin(), parts.end(), newer); };
  return any_newer(sources) || any_newer(shared.parts()) ? fs::path() : path;
}

/// Returns <cache>/programs, which is created if missing. RTL objects are in the same cache.
fs::path programs_cache() {
  const fs::path folder = base::cache_folder();
  std::error_code failed;
  fs::create_directories(folder / "programs", failed);
  if (!failed && ::access((folder / "programs").c_str(), W_OK | X_OK) != 0) {
    failed = std::error_code(errno, std::generic_category());
  }
  if (failed) {
    throw base::InputError(
        "programs are compiled into a cache, and '" + shown(folder) + "' cannot be written: " + failed.message(),
        "environment variable CASTOR_CACHE names another folder");
  }
  return fs::canonical(folder / "programs");
}

struct Wanted {
  std::string name;
  Paths sources;
  fs::path folder;  ///< <cache>/programs/<name>-<key>
  [[nodiscard]] fs::path program() const { return folder / name; }
};

/// Lock that lets one process at a time build a program. The lock is the folder <final>.part. Files that a killed
/// builder left in that folder are removed by the next builder.
class Building {
 public:
  explicit Building(const fs::path& final) : part_(final.string() + ".part") {
    for (;;) {
      ::mkdir(part_.c_str(), 0777);
      lock_ = ::open(part_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
      if (lock_ < 0) {
        if (errno == ENOENT) continue;
        throw base::Error("cannot open '" + shown(part_) + "': " + std::strerror(errno));
      }
      ::flock(lock_, LOCK_EX);
      struct stat ours {
      }, there{};
      if (::fstat(lock_, &ours) == 0 && ::stat(part_.c_str(), &there) == 0 && ours.st_ino == there.st_ino) break;
      ::close(lock_);  // another process has renamed or removed this folder while this process waited
    }
    std::error_code ignored;
    for (const auto& old : fs::directory_iterator(part_, ignored)) fs::remove_all(old.path(), ignored);
  }
  ~Building() {
    std::error_code ignored;
    fs::remove_all(part_, ignored);
    ::close(lock_);
  }
  Building(const Building&) = delete;
  Building& operator=(const Building&) = delete;

  /// Returns a new empty folder, which becomes the final folder by a rename.
  [[nodiscard]] fs::path folder() const {
    std::string name = (part_ / "XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw base::Error("no folder '" + name + "': " + std::strerror(errno));
    ::chmod(name.c_str(), 0755);
    return name;
  }

 private:
  fs::path part_;
  int lock_ = -1;
};

std::vector<std::string> command_of(const std::string& name, const Paths& sources) {
  std::vector<std::string> words = {compiler().string(), kLevel};
  if (const Family* const family = family_of(name); family != nullptr) {
    words.insert(words.end(), family->options.begin(), family->options.end());
  }
  for (const fs::path& source : sources) words.push_back(source.string());
  return words;
}

void compile(const Wanted& wanted) {
  const Building building(wanted.folder);
  std::error_code failed;
  // another process has compiled the program while this process waited
  if (fs::exists(wanted.program(), failed)) return;
  const fs::path folder = building.folder();
  const fs::path log = folder / "log";
  std::vector<std::string> words = command_of(wanted.name, wanted.sources);
  words.insert(words.end(), {"-o", (folder / wanted.name).string()});
  const int status = wait_for(start_process(words, log.string()));
  if (status != 0 || ::access((folder / wanted.name).c_str(), X_OK) != 0) {
    cannot_compile(wanted.name, words, log.string());
  }
  fs::remove(log, failed);
  fs::rename(folder, wanted.folder);
}

/// Starts the process that compiles a program. The process holds its own lock, so that two processes that want the same
/// programs wait for each other in any order. Errors are written to `errors`.
pid_t start_compiler(const Wanted& wanted, const SharedText& errors) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw base::Error(std::string("no process for the compiler: ") + std::strerror(errno));
  if (child != 0) return child;
  int code = 0;
  try {
    end_with_parent();
    compile(wanted);
  } catch (const std::exception& error) {
    errors.write(error.what());
    code = 1;
  }
  std::fflush(nullptr);
  ::_exit(code);
}

void compile_all(const std::vector<Wanted>& missing, unsigned workers) {
  std::string list;
  for (const Wanted& one : missing) list += " " + one.name;
  std::fprintf(stderr, "castor: compiling (once):%s\n", list.c_str());
  std::vector<std::unique_ptr<SharedText>> said(missing.size());
  std::string first_error;
  Processes work;
  work.count = missing.size();
  work.workers = workers;
  work.start = [&](std::size_t i) {
    said[i] = std::make_unique<SharedText>();
    return start_compiler(missing[i], *said[i]);
  };
  work.ended = [&](std::size_t i, int status) {
    const std::unique_ptr<SharedText> errors = std::move(said[i]);
    if (status == 0 || !first_error.empty()) return;
    first_error = WIFSIGNALED(status)
                      ? missing[i].name + " cannot be compiled: ended by signal " + std::to_string(WTERMSIG(status))
                      : errors->read();
  };
  run_all(work, "interrupted; the same command compiles what is left");
  if (!first_error.empty()) throw base::InputError(first_error);
}

}  // namespace

void cannot_compile(const std::string& what, const std::vector<std::string>& words, const std::string& log) {
  std::string command;
  for (const std::string& word : words) command += (command.empty() ? "" : " ") + word;
  std::string said = contents(log);
  while (!said.empty() && said.back() == '\n') said.pop_back();
  refuse_full_disk(what, said);
  throw base::Error(what + " cannot be compiled: " + command + "\n" + said);
}

std::vector<std::string> compile_command(const std::string& name) { return command_of(name, sources_of(name)); }

std::vector<std::string> compiled_programs(const std::vector<std::string>& names, unsigned workers) {
  std::vector<std::string> out;
  std::vector<Wanted> missing;
  SharedParts shared;
  for (const std::string& name : names) {
    const Paths sources = sources_of(name);
    const fs::path built = built_program(name, sources, shared);
    if (!built.empty()) {
      out.push_back(built.string());
      continue;
    }
    Wanted wanted{name, sources, programs_cache() / (name + "-" + key_of(name, sources, shared))};
    out.push_back(wanted.program().string());
    std::error_code failed;
    const auto same = [&](const Wanted& other) { return other.name == name; };
    if (!fs::exists(wanted.program(), failed) && std::none_of(missing.begin(), missing.end(), same)) {
      missing.push_back(std::move(wanted));
    }
  }
  if (!missing.empty()) compile_all(missing, workers);
  return out;
}

}  // namespace castor::platforms::experiments
