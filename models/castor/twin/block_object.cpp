#include "castor/twin/block_object.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <vector>

#include "castor/base/child_process.h"
#include "castor/base/error.h"

namespace castor::twin {
namespace {

namespace fs = std::filesystem;

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// Lock on a build tree: one process at a time may build in the tree.
class Lock {
 public:
  explicit Lock(const std::string& folder) : file_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (file_ >= 0) ::flock(file_, LOCK_EX);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() {
    if (file_ >= 0) ::close(file_);
  }

 private:
  int file_;
};

using Strings = std::vector<std::string>;

/// Whether a source file, or a file in a folder of sources, is younger than the object.
bool outdated(const std::string& object, const Strings& sources) {
  std::error_code wrong;
  const fs::file_time_type built = fs::last_write_time(object, wrong);
  const auto younger = [&](const fs::path& file) {
    const fs::file_time_type written = fs::last_write_time(file, wrong);
    return !wrong && written > built;
  };
  for (const std::string& source : sources) {
    if (fs::is_regular_file(source, wrong) && younger(source)) return true;
    for (const auto& entry : fs::recursive_directory_iterator(source, wrong)) {
      if (entry.is_regular_file(wrong) && younger(entry)) return true;
    }
  }
  return false;
}

/// Throws InputError if the build tree was moved or copied, because its build files still name the old folder.
void refuse_moved(const BlockFolder& block, const std::string& told) {
  std::error_code gone;
  if (told.empty() || fs::equivalent(told, block.path, gone)) return;
  throw base::InputError("block " + block.name + " was configured in '" + told + "' and is now in '" + block.path + "'",
                         "a build that was moved has to be configured again, in a folder of its own");
}

}  // namespace

std::string block_object(const BlockFolder& block, const std::string& kind) {
  const std::string path = block.path + "/" + kind + ".so";
  std::ifstream file(block.manifest());
  const auto manifest = nlohmann::json::parse(file, nullptr, false);
  const bool readable = !manifest.is_discarded() && manifest.is_object();
  const Strings sources = readable ? manifest.value("sources", Strings{}) : Strings{};
  const auto good = [&] { return exists(path) && !outdated(path, sources); };
  if (good()) return path;
  if (!readable) {
    throw base::InputError("'" + block.manifest() + "' is no JSON", "castor_block of CMake writes it");
  }
  const std::string target = "castor_" + kind + "_" + block.name;
  Strings words = manifest.value("build", Strings{});
  if (kind == "model" && manifest.value("registration", "").empty()) {
    throw base::InputError("block " + block.name + " does not plug into a GPU: it has no registration",
                           "docs/guides/adding-a-block.md");
  }
  if (words.empty()) {
    throw base::InputError("block " + block.name + " has no " + kind + ": no file '" + path + "'",
                           "castor_block of CMake makes it, as target " + target);
  }
  refuse_moved(block, manifest.value("folder", ""));
  words.push_back(target);
  const Lock lock(fs::path(block.path).parent_path());
  if (good()) return path;
  std::string line;
  for (const std::string& word : words) line += " " + word;
  std::fprintf(stderr, "castor: building the %s of %s (once):%s\n", kind.c_str(), block.name.c_str(), line.c_str());
  const auto began = std::chrono::steady_clock::now();
  const base::Answer answer = base::run(words);
  if (answer.status != 0 || !exists(path)) {
    std::fputs(answer.text.c_str(), stderr);
    throw base::InputError("the " + kind + " of block " + block.name + " cannot be built", "the lines above say why");
  }
  // If the build tool found nothing to do, the younger file does not affect the object. Setting the object's time
  // prevents another build at the next call.
  std::error_code ignored;
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  std::fprintf(stderr, "castor: built the %s of %s in %.1f s\n", kind.c_str(), block.name.c_str(), took.count());
  return path;
}

}  // namespace castor::twin
