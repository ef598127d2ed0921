#include "workloads/saws/programs.h"

namespace castor::workloads::saws {

const std::vector<Program>& programs() {
  static const std::vector<Program> kPrograms = {
      {"matmul", true, "sgemm", "matrix product in tiles of 16 x 16", {{"n", 160, 208, 16}, {"tile", 16, 16, 0}}},
      {"lps",
       true,
       "lps",
       "Laplace in three dimensions, two barriers for each layer",
       {{"width", 160, 224, 0}, {"height", 160, 208, 16}, {"depth", 6, 8, 0}, {"steps", 2, 2, 0}}},
      {"sad",
       true,
       "sad",
       "sums of absolute differences of picture blocks",
       {{"width", 208, 208, 0}, {"height", 128, 208, 16}, {"range", 2, 3, 0}}},
      {"ray",
       true,
       "ray",
       "ray tracing, rays packed between reflections",
       {{"width", 208, 304, 0}, {"height", 128, 160, 0}, {"spheres", 5, 6, 0}, {"bounces", 3, 4, 0}}},
      {"bfs_queue",
       true,
       "bfs",
       "breadth-first search, a queue in each thread block",
       {{"k", 13, 14, 0}, {"degree", 8, 12, 0}, {"grid", 208, 208, 0}}},
      {"floyd_warshall",
       true,
       "",
       "shortest paths in tiles; the source has lud, blocked in the same way",
       {{"nodes", 112, 160, 16}}},
      {"hotspot",
       true,
       "",
       "temperature of a chip, tiles that shrink",
       {{"width", 208, 256, 0}, {"height", 160, 240, 16}, {"steps", 3, 4, 0}}},
      {"srad",
       true,
       "",
       "speckle removal",
       {{"width", 208, 256, 0}, {"height", 160, 240, 16}, {"steps", 1, 2, 0}, {"blocks", 104, 104, 0}}},
      {"pathfinder", true, "", "cheapest ways down a grid", {{"columns", 33280, 49920, 2048}, {"rows", 11, 16, 0}}},
      {"needleman_wunsch",
       true,
       "",
       "alignments, a barrier for each diagonal",
       {{"rows", 12, 20, 4}, {"columns", 128, 128, 0}, {"pairs", 104, 130, 0}, {"tile", 128, 128, 0}}},
      {"backprop", true, "", "training of a network, tree of sums", {{"n", 8192, 16384, 512}, {"epochs", 1, 1, 0}}},
      {"reduction", true, "", "sum, largest, smallest", {{"n", 150000, 400000, 20000}}},
      {"scan", true, "", "prefix sums", {{"n", 120000, 260000, 20000}}},
      {"transpose",
       true,
       "",
       "matrix transpose through shared memory",
       {{"width", 256, 448, 0}, {"height", 320, 368, 16}}},
      {"fft", true, "", "Fourier transforms, a barrier for each stage", {{"log2n", 8, 9, 0}, {"batch", 104, 104, 13}}},
      {"vector_add", false, "", "sum of vectors", {{"n", 100000, 300000, 10000}}},
      {"spmv", false, "", "sparse matrix times vector", {{"rows", 2000, 5000, 100}}},
      {"black_scholes", false, "", "option prices", {{"n", 3000, 8000, 500}, {"streams", 1, 1, 0}}},
      {"kmeans", false, "", "clustering", {{"n", 20000, 30000, 1000}, {"steps", 1, 2, 0}}},
      {"monte_carlo_pi", false, "", "pi by random points", {{"threads", 26624, 53248, 1024}, {"points", 20, 30, 0}}},
      {"sha256", false, "", "hashes of messages", {{"n", 600, 1500, 100}, {"longest", 130, 130, 0}}},
      {"base64", false, "", "text of bytes", {{"n", 300000, 700000, 20000}}},
      {"hash_table", false, "", "sums by key", {{"n", 15000, 30000, 1000}}},
      {"bignum", false, "", "256-bit arithmetic", {{"n", 1000, 2500, 100}}},
      {"bit_tricks", false, "", "integer intrinsics", {{"n", 15000, 30000, 1000}}},
      {"bfs", false, "", "breadth-first search, warps add to one queue", {{"k", 12, 14, 0}, {"degree", 8, 8, 0}}},
  };
  return kPrograms;
}

const Program* find_program(const std::string& name) {
  for (const Program& program : programs()) {
    if (name == program.name) return &program;
  }
  return nullptr;
}

std::vector<std::string> program_names(bool barriers) {
  std::vector<std::string> names;
  for (const Program& program : programs()) {
    if (program.barriers == barriers) names.emplace_back(program.name);
  }
  return names;
}

std::vector<std::string> arguments(const Program& program, const std::string& size, std::uint64_t seed) {
  std::vector<std::string> words;
  for (const Program::Option& option : program.options) {
    const std::uint64_t value = (size == "large" ? option.large : option.small) + option.step * (seed - 1);
    words.push_back(std::string("--") + option.name);
    words.push_back(std::to_string(value));
  }
  words.emplace_back("--seed");
  words.push_back(std::to_string(seed));
  return words;
}

}  // namespace castor::workloads::saws
