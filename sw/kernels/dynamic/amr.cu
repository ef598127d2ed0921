// Adaptive mesh refinement of a temperature field: a cell is hot, and refined into 8 x 8 cells of the next level, if
// its energy is above a limit. The energy is computed from the cell's mean temperature. The flat form has a kernel per
// level, in which one thread refines all sub-cells of its cell. The other forms launch a child with one thread per
// sub-cell, which launches the same kernel again for sub-cells that are hot.
#include <cuda_runtime.h>

#include "../common/child_launch.h"
#include "../common/program.h"

using namespace kernels;

constexpr int kSide = 8;  ///< side of a refined cell, in cells of the next level
constexpr int kParts = kSide * kSide;
constexpr int kMostLevels = 3;
constexpr int kSamples = 4;  ///< sampled points per row and per column of a cell

struct Cell {
  int level, x, y;
};

/// The mesh: level 0 has base x base cells; cells of the last level are points of the temperature field.
struct Mesh {
  const int* temperature;
  int* energy;  ///< energy of each cell, by level, then by row; -1 = the cell does not exist
  int base, levels, limit;

  __host__ __device__ int side(int level) const {
    int cells = base;
    while (level-- > 0) cells *= kSide;
    return cells;
  }
  __host__ __device__ int index(const Cell& cell) const {
    int first = 0;
    for (int level = 0; level < cell.level; ++level) first += side(level) * side(level);
    return first + cell.y * side(cell.level) + cell.x;
  }
  __host__ __device__ int cells() const { return index({levels + 1, 0, 0}); }
};

__host__ __device__ Cell part(const Cell& cell, int i) {
  return {cell.level + 1, cell.x * kSide + i % kSide, cell.y * kSide + i / kSide};
}

/// Returns the energy of a cell: the square of its mean temperature.
__host__ __device__ int energy_of(const Mesh& mesh, const Cell& cell) {
  const int size = mesh.side(mesh.levels) / mesh.side(cell.level), samples = size < kSamples ? size : kSamples;
  int sum = 0;
  for (int y = 0; y < samples; ++y) {
    for (int x = 0; x < samples; ++x) {
      const int row = cell.y * size + y * (size / samples), column = cell.x * size + x * (size / samples);
      sum += mesh.temperature[row * mesh.side(mesh.levels) + column];
    }
  }
  const int mean = sum / (samples * samples);
  return mean * mean;
}

/// Computes and stores the energy of a cell. Returns true if the cell is to be refined.
__device__ bool make(const Mesh& mesh, const Children& children, const Cell& cell) {
  const int index = mesh.index(cell), energy = energy_of(mesh, cell);
  children.count_item(index);
  mesh.energy[index] = energy;
  return energy > mesh.limit && cell.level < mesh.levels;
}

template <Form form>
__global__ void make_parts(Mesh mesh, Children children, Cell cell, int parts);

/// Computes a cell and, if it is refined, all cells below it.
template <Form form>
__device__ void make_all(const Mesh& mesh, const Children& children, const Cell& top) {
  struct Open {
    Cell cell;
    int next;
  };
  Open open[kMostLevels];
  int depth = 0;
  Cell cell = top;
  for (;;) {
    if (make(mesh, children, cell)) {
      open[depth++] = {cell, give_to_child<form, make_parts<form>>(children, kParts, mesh, children, cell)};
    }
    while (depth > 0 && open[depth - 1].next == kParts) --depth;
    if (depth == 0) return;
    cell = part(open[depth - 1].cell, open[depth - 1].next++);
  }
}

template <Form form>
__global__ void make_parts(Mesh mesh, Children children, Cell cell, int parts) {
  const int i = thread_in_grid();
  if (i < parts) make_all<form>(mesh, children, part(cell, i));
}

template <Form form>
__global__ void make_base(Mesh mesh, Children children) {
  const int i = thread_in_grid();
  if (i < mesh.base * mesh.base) make_all<form>(mesh, children, {0, i % mesh.base, i / mesh.base});
}

// Kernels of the flat form, which collect the hot cells of a level in a list.

__device__ void make_listed(const Mesh& mesh, const Children& children, const Cell& cell, Cell* hot, int* count) {
  if (make(mesh, children, cell)) hot[atomicAdd(count, 1)] = cell;
}

__global__ void make_base_flat(Mesh mesh, Children children, Cell* hot, int* count) {
  const int i = thread_in_grid();
  if (i < mesh.base * mesh.base) make_listed(mesh, children, {0, i % mesh.base, i / mesh.base}, hot, count);
}

__global__ void refine_flat(Mesh mesh, Children children, const Cell* cells, int cell_count, Cell* hot, int* count) {
  const int i = thread_in_grid();
  if (i >= cell_count) return;
  for (int k = 0; k < kParts; ++k) make_listed(mesh, children, part(cells[i], k), hot, count);
}

/// Returns a temperature field with `flames` random heat sources.
std::vector<int> make_field(int side, long flames, long seed) {
  Random random(seed);
  std::vector<int> field(static_cast<std::size_t>(side) * side);
  for (; flames > 0; --flames) {
    const long x = random.range(0, side - 1), y = random.range(0, side - 1), heat = random.range(500, 2000);
    const long radius = std::max<long>(1, side / random.range(8, 40));
    for (long row = 0; row < side; ++row) {
      for (long column = 0; column < side; ++column) {
        const long distance = (row - y) * (row - y) + (column - x) * (column - x);
        field[row * side + column] += static_cast<int>(heat * radius * radius / (radius * radius + distance));
      }
    }
  }
  return field;
}

void make_on_host(const Mesh& mesh, const Cell& cell, std::vector<int>& energies) {
  const int energy = energies[mesh.index(cell)] = energy_of(mesh, cell);
  if (energy <= mesh.limit || cell.level == mesh.levels) return;
  for (int i = 0; i < kParts; ++i) make_on_host(mesh, part(cell, i), energies);
}

int main(int argc, char** argv) {
  long base = 16, levels = 2, flames = 6, limit = 500, block = 64, seed = 1;
  ChildForm form(64);
  Options options("dynamic_amr", "adaptive mesh refinement of a field of temperatures");
  form.add(options);
  options.add("base", &base, 1, 32, "cells of the coarsest level, in a row and in a column");
  options.add("levels", &levels, 0, kMostLevels, "levels below it");
  options.add("flames", &flames, 0, 20, "hot places of the field");
  options.add("limit", &limit, 0, 20000, "temperature above which a cell is refined");
  options.add("block", &block, 1, 1024, "threads of a block");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the field");
  form.add_numbers(options);
  options.parse(argc, argv);
  form.check(options);

  Mesh mesh{nullptr, nullptr, static_cast<int>(base), static_cast<int>(levels), static_cast<int>(limit * limit)};
  const int side = mesh.side(mesh.levels), cells = mesh.cells();
  if (side > 8192) options.fail("the field has more than 8192 points in a row; take less 'base' or 'levels'");
  const std::vector<int> field = make_field(side, flames, seed);
  DeviceArray<int> temperature(field), energy(cells);
  energy.fill_bytes(0xff);
  form.start(cells);
  mesh.temperature = temperature.get();
  mesh.energy = energy.get();
  const unsigned threads = static_cast<unsigned>(block);
  form.with_form([&](auto tag) {
    if constexpr (tag.value != Form::kFlat) {
      form.keep_resident<make_parts<tag.value>>();
      make_base<tag.value><<<blocks_for(base * base, block), threads>>>(mesh, form.children());
    } else {
      DeviceArray<Cell> list_a(cells), list_b(cells);
      DeviceArray<int> count(1);
      Cell *hot = list_a.get(), *next = list_b.get();
      count.fill_bytes(0);
      make_base_flat<<<blocks_for(base * base, block), threads>>>(mesh, form.children(), hot, count.get());
      for (int listed = count.download()[0]; listed > 0; listed = count.download()[0]) {
        count.fill_bytes(0);
        refine_flat<<<blocks_for(listed, block), threads>>>(mesh, form.children(), hot, listed, next, count.get());
        std::swap(hot, next);
      }
    }
  });
  CUDA_CHECK(cudaGetLastError());

  std::vector<int> expected(cells, -1);
  Mesh on_host = mesh;
  on_host.temperature = field.data();
  for (int i = 0; i < base * base; ++i) {
    make_on_host(on_host, {0, static_cast<int>(i % base), static_cast<int>(i / base)}, expected);
  }
  std::vector<unsigned> made;
  long count = 0;
  for (const int value : expected) {
    made.push_back(value != -1);
    count += value != -1;
  }
  Verdict verdict(options);
  verdict.equal("energies", energy.download(), expected);
  form.finish(options,
              "field of " + std::to_string(side) + " x " + std::to_string(side) + ": cells " + std::to_string(count) +
                  " of " + std::to_string(cells),
              verdict, made);
  return verdict.finish();
}
