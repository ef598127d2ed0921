#include "platforms/cli/entry.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <utility>

#include "castor/base/error.h"

namespace castor::platforms::cli {

int parse_and_run(CLI::App& app, std::vector<std::string> arguments, const int& result) {
  try {
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes the last first
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      app.exit(error);
      return kGood;
    }
    std::fprintf(stderr, "castor: error %s (castor --help, castor COMMAND --help)\n", error.what());
    return kWrongRequest;
  } catch (const base::InputError& error) {
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

}  // namespace castor::platforms::cli
