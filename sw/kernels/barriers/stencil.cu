// Five-point stencil over a field of float (Jacobi's method): rounds of several iterations, until no point changes by
// more than a tolerance. An iteration needs the results of the one before it from neighbouring thread blocks, so all
// thread blocks meet between two iterations. The systems differ in how they meet:
//   relaunch        a kernel per iteration; its end is the barrier (implicit synchronisation)
//   relaunch_sync   the same, and the host waits for each kernel (explicit synchronisation)
//   barrier         one cooperative kernel with CUDA's grid barrier
//   atomic, flags   one kernel with a barrier in software
//   neighbor        persistent threads, each with a contiguous run of points; flags
//   interleave      persistent threads, each with every G-th point of G threads; flags
//   dp              a parent kernel launches the iterations, and waits for them on the device
#include <cuda_runtime.h>

#include "../common/exact.h"
#include "../common/program.h"
#include "grid_barrier.h"

using namespace kernels;

constexpr int kTile = 16;
constexpr unsigned kThreads = kTile * kTile;
constexpr unsigned kBlocksPerProcessor = 8;  ///< thread blocks that a processor of 2048 threads is to hold at once

struct Field {
  int width, height;
  float* plane[2];  ///< read and written alternately
  int inner;        ///< iterations between two tests for convergence
  int rounds;       ///< largest number of tests
  float tolerance;  ///< largest change in one iteration of a field that has converged; negative = never
  int* unsteady;    ///< unsteady[r]: 1 if the test of round r found a larger change; zero at the start
  int* done;        ///< number of rounds that were run
};

/// Returns a point after one iteration. Points outside the field have the value of the nearest point inside.
__host__ __device__ inline float relaxed(const float* from, int width, int height, int x, int y) {
  const float* const point = from + y * width + x;
  const float own = *point;
  const float west = x > 0 ? point[-1] : own, east = x + 1 < width ? point[1] : own;
  const float north = y > 0 ? point[-width] : own, south = y + 1 < height ? point[width] : own;
  const float sum = exact_add(exact_add(west, east), exact_add(north, south));
  return exact_add(exact_mul(0.5f, own), exact_mul(0.125f, sum));
}

__host__ __device__ inline bool differs(float now, float before, float tolerance) {
  return fabsf(exact_sub(now, before)) > tolerance;
}

/// One point per thread, in tiles of 16x16 points.
struct OnePoint {
  template <class Function>
  static __device__ void each(const Field& field, const Function& function) {
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    if (x < field.width && y < field.height) function(x, y);
  }
};

/// A contiguous run of points per thread.
struct Neighbor {
  static __device__ int first_point(const Field& field, unsigned thread) {
    const long long points = static_cast<long long>(field.width) * field.height;
    return static_cast<int>(thread * points / threads_of_grid());
  }
  template <class Function>
  static __device__ void each(const Field& field, const Function& function) {
    const int end = first_point(field, rank_in_grid() + 1);
    for (int i = first_point(field, rank_in_grid()); i < end; ++i) function(i % field.width, i / field.width);
  }
};

/// Thread g of G has the points g, g + G, g + 2 G and so on.
struct Interleave {
  template <class Function>
  static __device__ void each(const Field& field, const Function& function) {
    const int points = field.width * field.height, stride = static_cast<int>(threads_of_grid());
    for (int i = static_cast<int>(rank_in_grid()); i < points; i += stride) function(i % field.width, i / field.width);
  }
};

template <class Points>
__device__ void iterate(const Field& field, const float* from, float* to) {
  Points::each(field, [&](int x, int y) { to[y * field.width + x] = relaxed(from, field.width, field.height, x, y); });
}

/// Notes in unsteady[round] whether a point of the block has changed by more than the tolerance.
template <class Points>
__device__ void test(const Field& field, const float* now, const float* before, int round) {
  bool unsteady = false;
  Points::each(field, [&](int x, int y) {
    const int i = y * field.width + x;
    unsteady = unsteady || differs(now[i], before[i], field.tolerance);
  });
  if (__syncthreads_or(unsteady) && rank_in_block() == 0) field.unsteady[round] = 1;
}

__global__ void iteration(Field field, int from) { iterate<OnePoint>(field, field.plane[from], field.plane[1 - from]); }
__global__ void convergence(Field field, int now, int round) {
  test<OnePoint>(field, field.plane[now], field.plane[1 - now], round);
}

template <class Barrier, class Points>
__global__ void __launch_bounds__(kThreads, kBlocksPerProcessor) iterations(BarrierMemory memory, Field field) {
  Barrier barrier(memory);
  float *from = field.plane[0], *to = field.plane[1];
  int round = 0;
  for (bool unsteady = true; unsteady && round < field.rounds; ++round) {
    for (int i = 0; i < field.inner; ++i) {
      iterate<Points>(field, from, to);
      barrier.sync();
      float* const written = to;
      to = from;
      from = written;
    }
    test<Points>(field, from, to, round);
    barrier.sync();
    unsteady = *static_cast<const volatile int*>(&field.unsteady[round]) != 0;
  }
  if (rank_in_grid() == 0) *field.done = round;
}

/// Parent of a grid of thread blocks for each iteration. It has one thread.
__global__ void parent(Field field, dim3 grid) {
  int round = 0, from = 0;
  for (bool unsteady = true; unsteady && round < field.rounds; ++round) {
    for (int i = 0; i < field.inner; ++i, from = 1 - from) {
      iteration<<<grid, dim3(kTile, kTile)>>>(field, from);
      cudaDeviceSynchronize();
    }
    convergence<<<grid, dim3(kTile, kTile)>>>(field, from, round);
    cudaDeviceSynchronize();
    unsteady = *static_cast<const volatile int*>(&field.unsteady[round]) != 0;
  }
  *field.done = round;
}

/// Runs with a kernel per iteration and per test. `explicitly`: the host waits for each kernel.
void relaunch(const Field& field, dim3 grid, bool explicitly) {
  const dim3 block(kTile, kTile);
  int round = 0, from = 0, unsteady = 1;
  for (; unsteady != 0 && round < field.rounds; ++round) {
    for (int i = 0; i < field.inner; ++i, from = 1 - from) {
      iteration<<<grid, block>>>(field, from);
      CUDA_CHECK(cudaGetLastError());
      if (explicitly) CUDA_CHECK(cudaDeviceSynchronize());
    }
    convergence<<<grid, block>>>(field, from, round);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(&unsteady, field.unsteady + round, sizeof unsteady, cudaMemcpyDeviceToHost));
  }
  CUDA_CHECK(cudaMemcpy(field.done, &round, sizeof round, cudaMemcpyHostToDevice));
}

/// Runs persistent threads on `blocks` blocks; 0 = as many as the device holds.
template <class Points>
void persist(const Field& field, unsigned blocks) {
  const auto kernel = &iterations<FlagBarrier, Points>;
  if (blocks == 0) blocks = resident_blocks(kernel, kThreads);
  run_with_barriers<FlagBarrier>(kernel, blocks, kThreads, field);
}

void run(const std::string& system, const Field& field, unsigned blocks) {
  const dim3 grid(blocks_for(field.width, kTile), blocks_for(field.height, kTile)), block(kTile, kTile);
  if (system == "relaunch" || system == "relaunch_sync") return relaunch(field, grid, system == "relaunch_sync");
  if (system == "barrier") {
    return run_with_barriers<CooperativeBarrier>(&iterations<CooperativeBarrier, OnePoint>, grid, block, field);
  }
  if (system == "atomic")
    return run_with_barriers<AtomicBarrier>(&iterations<AtomicBarrier, OnePoint>, grid, block, field);
  if (system == "flags") return run_with_barriers<FlagBarrier>(&iterations<FlagBarrier, OnePoint>, grid, block, field);
  if (system == "neighbor") return persist<Neighbor>(field, blocks);
  if (system == "interleave") return persist<Interleave>(field, blocks);
  parent<<<1, 1>>>(field, grid);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
}

/// Runs on the host. `plane` holds the result. Returns the number of rounds.
int run_on_host(const Field& field, std::vector<float>& plane) {
  std::vector<float> next(plane.size());
  int round = 0;
  for (bool unsteady = true; unsteady && round < field.rounds; ++round) {
    for (int i = 0; i < field.inner; ++i) {
      for (int y = 0; y < field.height; ++y) {
        for (int x = 0; x < field.width; ++x) {
          next[y * field.width + x] = relaxed(plane.data(), field.width, field.height, x, y);
        }
      }
      plane.swap(next);
    }
    unsteady = false;
    for (std::size_t i = 0; i < plane.size(); ++i) unsteady = unsteady || differs(plane[i], next[i], field.tolerance);
  }
  return round;
}

int main(int argc, char** argv) {
  long width = 128, height = 128, inner = 10, rounds = 3, tolerance = 0, blocks = 0, seed = 1;
  System system({"relaunch", "relaunch_sync", "barrier", "atomic", "flags", "neighbor", "interleave", "dp"});
  Options options("barriers_stencil", "five-point stencil, in iterations between which all thread blocks meet");
  system.add(options);
  options.add("width", &width, 1, 8192, "columns");
  options.add("height", &height, 1, 8192, "rows");
  options.add("inner", &inner, 1, 1000, "iterations between two tests for convergence");
  options.add("rounds", &rounds, 1, 10000, "largest number of tests");
  options.add("tolerance", &tolerance, 0, INT32_MAX, "of the test, in millionths; 0 = run all rounds");
  options.add("blocks", &blocks, 0, 1 << 16, "blocks of persistent threads; 0 = as many as the device holds");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.parse(argc, argv);
  system.check(options);

  Random random(seed);
  std::vector<float> plane(width * height);
  for (float& value : plane) value = static_cast<float>(random.real(0, 100));
  DeviceArray<float> first(plane), second(plane.size());
  DeviceArray<int> unsteady(rounds), done(1);
  unsteady.fill_bytes(0);
  done.fill_bytes(0);
  const Field field{static_cast<int>(width),
                    static_cast<int>(height),
                    {first.get(), second.get()},
                    static_cast<int>(inner),
                    static_cast<int>(rounds),
                    tolerance == 0 ? -1.0f : static_cast<float>(tolerance) * 1e-6f,
                    unsteady.get(),
                    done.get()};
  run(system.name, field, static_cast<unsigned>(blocks));

  const int expected = run_on_host(field, plane), got = done.download()[0];
  Verdict verdict(options);
  verdict.equal("rounds", got, expected);
  verdict.equal("field", (got * inner % 2 == 0 ? first : second).download(), plane);
  return verdict.finish();
}
