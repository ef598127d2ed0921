// The `castor` command.

#include <algorithm>
#include <cstdio>
#include <exception>

#include "castor/base/error.h"
#include "platforms/cli/commands.h"

int main(int argc, char** argv) {
  using namespace castor::platforms::cli;
  CLI::App app{"Castor: GPU hardware blocks, and a GPU platform that runs CUDA programs.", "castor"};
  app.require_subcommand(1);
  app.set_version_flag("--version", "castor " CASTOR_VERSION);
  app.footer(
      "Exit codes: 0 good, 1 the thing under test failed, 2 the request was wrong.\n"
      "castor COMMAND --help has an example.");
  int result = kGood;
  add_run(app, result);
  add_list(app, result);
  add_elaborate(app, result);
  add_cosim(app, result);
  add_flows(app);
  add_wave(app, result);
  add_experiment(app, result);
  try {
    auto arguments = protect_program_arguments({argv + 1, argv + argc});
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes the last first
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      app.exit(error);
      return kGood;
    }
    std::fprintf(stderr, "castor: error %s (castor --help, castor COMMAND --help)\n", error.what());
    return kWrongRequest;
  } catch (const castor::base::InputError& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "castor: %s\n", error.what());
    return kWrongRequest;
  } catch (const std::exception& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "castor: %s\n", error.what());
    return kFailed;
  }
  return result;
}
