// The `castor` command.

#include "platforms/cli/commands.h"
#include "platforms/cli/complete.h"

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
  add_experiment(app);
  add_new_block(app, result);
  add_help(app);
  add_manual(app, result);
  const std::vector<std::string> arguments{argv + 1, argv + argc};
  if (complete_experiment(arguments)) return kGood;
  const auto words = [&app](const Place& place) {
    return place.command == "help" && place.position == 0 ? command_names(app) : value_words(place);
  };
  return parse_and_run(app, protect_program_arguments(arguments), result, words);
}
