// castor area, prove, netlist, coverage, lint, mutate, faults, evidence: flows over the blocks' RTL, written in Python
// (rtl/synthesis).

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "castor/base/error.h"
#include "castor/base/installation.h"
#include "platforms/cli/commands.h"

namespace castor::platforms::cli {
namespace {

namespace fs = std::filesystem;

/// Returns the path of the flow script of this installation or build tree. Sets the environment variables that tell the
/// script which program called it, and from which tree.
std::string find_script() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  ::setenv("CASTOR_PROGRAM", self.c_str(), 1);
  ::setenv("CASTOR_PREFIX", base::prefix().c_str(), 1);
  const fs::path script = fs::path(base::data_folder()) / "rtl/synthesis/flows.py";
  if (!fs::exists(script, error)) {
    throw base::InputError("the flows are not installed: no file '" + script.string() + "'", "install all of Castor");
  }
  return script.string();
}

/// Replaces the process by the script; returns only by an exception.
void become_flow(const std::string& command, const std::vector<std::string>& words) {
  std::vector<std::string> all = flow_command(command, words);
  std::vector<char*> argv;
  argv.reserve(all.size() + 1);
  for (std::string& word : all) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::fflush(nullptr);
  ::execvp(argv[0], argv.data());
  throw base::InputError("cannot run python3: " + std::string(std::strerror(errno)), "apt-get install python3");
}

void add_flow(CLI::App& app, const std::string& command, const std::string& meaning) {
  CLI::App* const flow = app.add_subcommand(command, meaning);
  flow->set_help_flag();  // the script defines the options and their help
  flow->prefix_command();
  flow->callback([flow, command] { become_flow(command, flow->remaining()); });
}

}  // namespace

std::vector<std::string> flow_command(const std::string& flow, const std::vector<std::string>& words) {
  std::vector<std::string> all{"python3", "-B", find_script(), flow};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

void add_flows(CLI::App& app) {
  add_flow(app, "area", "Gates, flip-flops, memory bits, levels and clock period of RTL");
  add_flow(app, "prove", "Prove the properties of a block's RTL");
  add_flow(app, "netlist", "Write the gate netlist of a block with functional models of its cells");
  add_flow(app, "coverage", "Lines and toggles of a block's RTL that its sequences reach");
  add_flow(app, "lint", "Every warning about the blocks' RTL, at every parameter set");
  add_flow(app, "evidence", "Climb rungs of a block's ladder and record what was measured");
  add_flow(app, "faults", "Does lockstep find the faults that were put in by hand?");
  add_flow(app, "mutate", "Break a block's RTL in many small ways; does lockstep notice?");
}

}  // namespace castor::platforms::cli
