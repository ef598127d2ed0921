#include "tb/common/block_main.h"

#include <cstdio>
#include <string>

#include "tb/common/cosim_options.h"

namespace castor::tb {

int block_main(int argc, char** argv, const BlockEntry& block) {
  CosimRequest request;
  request.program = argv[0];
  bool sets = false, defaults = false;
  std::string description;
  CLI::App app{block.name + ": " + block.meaning + ". Model against RTL."};
  add_cosim_options(app, request);
  app.add_flag("--list", sets, "List the parameter sets and sequences");
  app.add_option("--describe", description, "Ports and parameters of the set: json, or markdown tables")
      ->check(CLI::IsMember({"json", "markdown"}));
  app.add_flag("--defaults", defaults, "With --describe: at the default of every parameter, whatever the sets are");
  app.footer("Example: --params odd --cycles 1000000 --seed 7\nExit codes: 0 good, 1 mismatch, 2 wrong request.");
  try {
    app.parse(argc, argv);
    if (sets) {
      for (const auto& [name, params] : block.sets) std::printf("%-10s %s\n", name.c_str(), params.c_str());
      for (const SequenceInfo& info : block.sequences) {
        std::printf("--sequence %s: %s\n", std::string(info.name).c_str(), std::string(info.meaning).c_str());
      }
      return 0;
    }
    if (!description.empty()) {
      const Description described = block.describe(defaults ? "" : request.params);
      std::fputs((description == "json" ? json(described) : markdown(described)).c_str(), stdout);
      return 0;
    }
    return cosim(block, request);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    std::fprintf(stderr, "%s: %s (--help)\n", argv[0], error.what());
    return 2;
  } catch (const base::InputError& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 1;
  }
}

}  // namespace castor::tb
