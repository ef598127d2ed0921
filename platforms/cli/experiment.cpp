// castor experiment: executes the program castor-experiment, which is in the same folder as castor. In a build tree it
// is built on first use, like the models of blocks.

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "castor/base/child_process.h"
#include "castor/base/error.h"
#include "castor/base/words.h"
#include "platforms/cli/commands.h"
#include "platforms/cli/experiment_options.h"
#include "platforms/cli/experiment_titles.h"

namespace castor::platforms::cli {
namespace {

namespace fs = std::filesystem;

/// Returns the folder of this program and of castor-experiment.
fs::path program_folder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

/// Returns the folder in which a build tree was configured, according to its CMake cache.
std::string configured_in(const fs::path& build) {
  static const std::string kKey = "CMAKE_CACHEFILE_DIR:INTERNAL=";
  std::ifstream cache(build / "CMakeCache.txt");
  for (std::string line; std::getline(cache, line);) {
    if (line.compare(0, kKey.size(), kKey) == 0) return line.substr(kKey.size());
  }
  return {};
}

/// Builds castor-experiment in a build tree. If several processes need it, one builds it and the others wait.
void build_experiment(const fs::path& build, const fs::path& program) {
  std::error_code ignored;
  if (const std::string told = configured_in(build); !fs::equivalent(told, build, ignored)) {
    throw base::InputError("the experiments are not built, and this build was configured in '" + told + "'",
                           "a build that was moved has to be configured again, in a folder of its own");
  }
  const int lock = ::open(build.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock >= 0) ::flock(lock, LOCK_EX);
  if (!fs::exists(program, ignored)) {
    const std::vector<std::string> words = {"cmake", "--build", build.string(), "--target", "castor_experiment"};
    std::string line;
    for (const std::string& word : words) line += " " + word;
    std::fprintf(stderr, "castor: building the experiments (once, some minutes):%s\n", line.c_str());
    const auto began = std::chrono::steady_clock::now();
    const base::Answer answer = base::run(words);
    if (answer.status != 0 || !fs::exists(program, ignored)) {
      std::fputs(answer.text.c_str(), stderr);
      throw base::InputError("the experiments cannot be built", "the lines above say why");
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    std::fprintf(stderr, "castor: built the experiments in %.0f s\n", took.count());
  }
  if (lock >= 0) ::close(lock);
}

/// Returns whether the words ask only for help.
bool ask_for_help(const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(), [](const auto& word) { return word == "--help" || word == "-h"; });
}

/// Replaces the process by castor-experiment, which is built first if necessary. Help and wrong words build nothing.
/// Throws if the program cannot be built or executed.
void become_experiment(const ExperimentTitle& one, const std::vector<std::string>& words) {
  std::error_code error;
  const fs::path folder = program_folder();
  const fs::path program = folder / "castor-experiment", build = folder.parent_path();
  if (!fs::exists(program, error) && fs::exists(build / "CMakeCache.txt", error)) {
    if (ask_for_help(words)) {
      std::fputs(experiment_help(one).c_str(), stdout);
      return;
    }
    check_experiment_words(one, words);
    build_experiment(build, program);
  }
  std::vector<std::string> all{program.string(), one.name};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> argv;
  argv.reserve(all.size() + 1);
  for (std::string& word : all) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::fflush(nullptr);
  ::execv(argv[0], argv.data());
  throw base::InputError("cannot run '" + program.string() + "': " + std::strerror(errno), "install all of Castor");
}

}  // namespace

bool complete_experiment(const std::vector<std::string>& arguments) {
  const std::vector<std::string> begin{"complete", "--", "experiment"};
  // The names of experiments are known without castor-experiment; it only has to complete words after an experiment's
  // name.
  if (arguments.size() <= begin.size() + 1 || !std::equal(begin.begin(), begin.end(), arguments.begin())) return false;
  std::vector<std::string> words{(program_folder() / "castor-experiment").string(), "complete", "--"};
  words.insert(words.end(), arguments.begin() + static_cast<std::ptrdiff_t>(begin.size()), arguments.end());
  std::error_code error;
  if (fs::exists(words[0], error)) std::fputs(base::run(words).text.c_str(), stdout);
  return true;
}

void add_experiment(CLI::App& app) {
  CLI::App* const command = app.add_subcommand("experiment", "Many runs, compared with what a source published");
  command->require_subcommand(1);
  command->footer("Example: castor experiment saws --program lps --schedulers 4 --size small");
  for (const ExperimentTitle& title : experiment_titles()) {
    CLI::App* const one = command->add_subcommand(title.name, title.title);
    one->set_help_flag();  // castor-experiment defines the options and their help
    one->prefix_command();
    one->callback([one, title] { become_experiment(title, one->remaining()); });
  }
}

}  // namespace castor::platforms::cli
