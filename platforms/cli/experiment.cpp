// castor experiment: becomes the program castor-experiment, which lies beside this one.

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "castor/base/error.h"
#include "platforms/cli/commands.h"

namespace castor::platforms::cli {
namespace {

/// Returns only by an exception.
void become_experiment(const std::vector<std::string>& words) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  const std::string program = (folder / "castor-experiment").string();
  std::vector<std::string> all{program};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> argv;
  argv.reserve(all.size() + 1);
  for (std::string& word : all) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::fflush(nullptr);
  ::execv(argv[0], argv.data());
  const int why = errno;
  const fs::path build = folder.parent_path();
  if (why == ENOENT && fs::exists(build / "CMakeCache.txt", error)) {
    throw base::InputError("the experiments are not built",
                           "cmake --build " + build.string() + " --target castor_experiment");
  }
  throw base::InputError("cannot run '" + program + "': " + std::strerror(why), "install all of Castor");
}

}  // namespace

void add_experiment(CLI::App& app) {
  CLI::App* const command = app.add_subcommand("experiment", "Many runs, compared with what a source published");
  command->set_help_flag();  // that program has the experiments, their options and their help
  command->prefix_command();
  command->callback([command] { become_experiment(command->remaining()); });
}

}  // namespace castor::platforms::cli
