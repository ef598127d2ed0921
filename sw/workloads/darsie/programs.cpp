#include "workloads/darsie/programs.h"

#include <utility>

namespace castor::workloads::darsie {
namespace {

// Small inputs give eight waves of thread blocks on 7 SMs, large inputs eight waves on 28 SMs. FW and FWS use the sizes
// nearest to eight waves (docs/results/darsie.md, "Machine, programs, inputs").
std::vector<Program> of_the_source() {
  return {
      {"BIN",
       "binomial_options",
       "binomial trees",
       "256x1",
       false,
       8,
       true,
       {},
       {{"n", 448, 1792, 56}, {"steps", 60, 60, 0}, {"block", 256, 256, 0}}},
      {"PT",
       "pathfinder",
       "cheapest ways down a grid",
       "1024x1",
       false,
       32,
       true,
       {},
       {{"columns", 112896, 451584, 14112}, {"rows", 9, 9, 0}, {"together", 8, 8, 0}, {"block", 1024, 1024, 0}}},
      {"FW",
       "walsh",
       "Walsh transforms",
       "256x1",
       false,
       8,
       true,
       {},
       {{"log2n", 18, 20, 0}, {"block", 256, 256, 0}, {"taps", 8, 8, 1}}},
      {"SR1",
       "srad",
       "speckle removal",
       "512x1",
       false,
       16,
       true,
       {},
       {{"width", 448, 896, 0},
        {"height", 256, 512, 32},
        {"steps", 1, 1, 0},
        {"blocks", 224, 896, 0},
        {"line", 1, 1, 0}}},
      {"LIB",
       "libor",
       "paths of forward rates, the same shocks in all",
       "256x1",
       false,
       8,
       false,
       {"sm.max_regs_per_thread=56", "compile.renamed=24"},
       {{"paths", 57344, 229376, 7168}, {"block", 256, 256, 0}, {"shared", 1, 1, 0}}},
      {"INLM",
       "denoise",
       "non-local means",
       "16x16",
       true,
       8,
       false,
       {"compile.renamed=16"},
       {{"width", 384, 768, 48},
        {"height", 224, 448, 0},
        {"window", 1, 1, 0},
        {"patch", 1, 1, 0},
        {"block_x", 16, 16, 0},
        {"block_y", 16, 16, 0}}},
      {"BP",
       "backprop",
       "training of a network",
       "16x16",
       true,
       8,
       true,
       {},
       {{"n", 7168, 28672, 896}, {"epochs", 1, 1, 0}},
       "6output"},
      {"DCT",
       "dct",
       "cosine transform and back",
       "8x8",
       true,
       2,
       true,
       {},
       {{"width", 448, 896, 0}, {"height", 256, 512, 32}}},
      {"FWS", "floyd_warshall", "shortest paths", "16x16", true, 8, true, {}, {{"nodes", 256, 352, 32}}},
      {"HS",
       "hotspot",
       "temperature of a chip",
       "16x16",
       true,
       8,
       true,
       {},
       {{"width", 336, 672, 0}, {"height", 192, 384, 24}, {"steps", 2, 2, 0}, {"together", 2, 2, 0}}},
      {"CP",
       "coulomb",
       "potential of point charges",
       "16x8",
       true,
       4,
       false,
       {"sm.max_regs_per_thread=24"},
       {{"width", 512, 1024, 0},
        {"height", 896, 1792, 112},
        {"atoms", 20, 20, 0},
        {"block_x", 16, 16, 0},
        {"block_y", 8, 8, 0}}},
      {"CONVTEX",
       "convolution_direct",
       "separable filter",
       "16x16",
       true,
       8,
       false,
       {},
       {{"width", 448, 896, 0},
        {"height", 256, 512, 32},
        {"radius", 8, 8, 0},
        {"block_x", 16, 16, 0},
        {"block_y", 16, 16, 0}}},
      {"MM",
       "matmul",
       "matrix product in tiles",
       "32x32",
       true,
       32,
       true,
       {"sm.max_regs_per_thread=24"},
       {{"n", 448, 896, 0}, {"m", 256, 512, 32}, {"k", 64, 64, 0}, {"tile", 32, 32, 0}}},
  };
}

/// Shapes of blocks of 256 threads.
constexpr struct {
  unsigned x, y;
  const char* text;
} kShapes[] = {{256, 1, "256x1"}, {128, 2, "128x2"}, {64, 4, "64x4"},
               {32, 8, "32x8"},   {16, 16, "16x16"}, {8, 32, "8x32"}};

std::string shape_name(const Program& program, const char* shape) { return program.name + "/" + shape; }

// Adds a variant of program `name` for every shape. `width` x `height`: an image of eight waves that every shape
// divides.
void add_shapes(std::vector<Program>& all, const char* name, unsigned width, unsigned height) {
  for (const Program& base : std::vector<Program>(all)) {
    if (base.name != name) continue;
    for (const auto& shape : kShapes) {
      Program one = base;
      one.name = shape_name(base, shape.text);
      one.shape = shape.text;
      one.two_dimensional = shape.y > 1;
      one.variant = true;
      one.warps = 8;
      for (Program::Option& option : one.options) {
        const std::string word = option.name;
        if (word == "block_x") option.small = option.large = shape.x;
        if (word == "block_y") option.small = option.large = shape.y;
        if (word == "width") option.small = width, option.large = 2 * width;
        if (word == "height") option.small = height, option.large = 2 * height, option.step = 32;
      }
      all.push_back(std::move(one));
    }
  }
}

std::vector<Program> make_programs() {
  std::vector<Program> all = of_the_source();
  Program own = all[4];
  own.name = "LIB/own";
  own.description = "paths of forward rates, each with its own shocks";
  own.variant = true;
  for (Program::Option& option : own.options) {
    if (std::string(option.name) == "shared") option.small = option.large = 0;
  }
  all.push_back(std::move(own));
  add_shapes(all, "CONVTEX", 512, 224);
  add_shapes(all, "CP", 1024, 448);
  return all;
}

}  // namespace

const std::vector<Program>& programs() {
  static const std::vector<Program> kPrograms = make_programs();
  return kPrograms;
}

const Program* find_program(const std::string& name) {
  for (const Program& program : programs()) {
    if (name == program.name) return &program;
  }
  return nullptr;
}

std::vector<std::string> program_names(bool two_dimensional) {
  std::vector<std::string> names;
  for (const Program& program : programs()) {
    if (!program.variant && program.two_dimensional == two_dimensional) names.push_back(program.name);
  }
  return names;
}

std::vector<std::string> shape_names() {
  std::vector<std::string> names;
  for (const char* const name : {"CONVTEX", "CP"}) {
    for (const auto& shape : kShapes) names.push_back(shape_name(*find_program(name), shape.text));
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

}  // namespace castor::workloads::darsie
