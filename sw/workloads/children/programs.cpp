#include "workloads/children/programs.h"

namespace castor::workloads::children {
namespace {

/// Limit of pending launches, so large that it is never reached.
constexpr const char* kPending = "262144";

std::vector<Program> of_the_source() {
  const char *const bfs = "dynamic_bfs", *const clr = "dynamic_colouring", *const sssp = "dynamic_sssp",
                    *const regx = "dynamic_regexp", *const join = "dynamic_join";
  return {
      {"amr", "dynamic_amr", "mesh refinement", "combustion", {}, {{"base", 16, 32}}},
      {"bht", "dynamic_barnes_hut", "forces between points", "random points", {"clusters"}, {{"points", 800, 2000}}},
      {"bfs_citation", bfs, "breadth-first search", "citation network", {"citation"}, {{"nodes", 25000, 60000}}},
      {"bfs_road", bfs, "breadth-first search", "USA road", {"road"}, {{"nodes", 3000, 12000}}},
      {"bfs_balanced",
       bfs,
       "breadth-first search",
       "cage15",
       {"random"},
       {{"nodes", 20000, 60000}, {"degree", 24, 24}}},
      {"clr_citation", clr, "colouring", "citation network", {"citation"}, {{"nodes", 1500, 5000}}},
      {"clr_road", clr, "colouring", "USA road", {"road"}, {{"nodes", 3000, 12000}}},
      {"clr_kronecker", clr, "colouring", "graph500", {"kronecker"}, {{"nodes", 700, 2000}}},
      {"clr_balanced", clr, "colouring", "cage15", {"random"}, {{"nodes", 1500, 5000}, {"degree", 24, 24}}},
      {"regx_packets", regx, "regular expressions", "DARPA packets", {"packets"}, {{"streams", 16, 32}}},
      {"regx_strings", regx, "regular expressions", "random strings", {"strings"}, {{"streams", 16, 32}}},
      {"pre", "dynamic_recommend", "recommendation", "MovieLens", {"ratings"}, {{"customers", 300, 1200}}},
      {"join_uniform", join, "relational join", "uniform keys", {"uniform"}, {{"left", 4000, 16000}}},
      {"join_gaussian", join, "relational join", "gaussian keys", {"gaussian"}, {{"left", 4000, 16000}}},
      {"sssp_citation", sssp, "shortest paths", "citation network", {"citation"}, {{"nodes", 3000, 12000}}},
      {"sssp_road", sssp, "shortest paths", "USA road", {"road"}, {{"nodes", 1000, 4000}}},
      {"sssp_flights", sssp, "shortest paths", "flights", {"citation"}, {{"nodes", 5000, 20000}, {"degree", 1, 1}}},
      {"sssp_balanced", sssp, "shortest paths", "cage15", {"random"}, {{"nodes", 3000, 12000}, {"degree", 24, 24}}},
  };
}

}  // namespace

const std::vector<Program>& programs() {
  static const std::vector<Program> kPrograms = of_the_source();
  return kPrograms;
}

const Program* find_program(const std::string& name) {
  for (const Program& program : programs()) {
    if (program.name == name) return &program;
  }
  return nullptr;
}

std::vector<std::string> program_names() {
  std::vector<std::string> out;
  for (const Program& program : programs()) out.push_back(program.name);
  return out;
}

std::vector<std::string> arguments(const Program& program, const std::string& form, const std::string& size,
                                   std::uint64_t seed) {
  std::vector<std::string> out = {form};
  out.insert(out.end(), program.words.begin(), program.words.end());
  for (const Program::Option& option : program.options) {
    out.push_back("--" + std::string(option.name));
    out.push_back(std::to_string(size == "small" ? option.small : option.large));
  }
  for (const char* const word : {"--count", "0", "--pending", kPending, "--seed"}) out.emplace_back(word);
  out.push_back(std::to_string(seed));
  return out;
}

}  // namespace castor::workloads::children
