// Breadth-first search over a seeded random graph of 2^k nodes in CSR form. Each block collects the nodes that it finds
// in a queue in shared memory and copies them to the global queue with one atomic operation. Barriers separate filling,
// reserving space, copying and clearing of the block's queue. Nodes that do not fit into the block's queue go to the
// global queue directly.
#include <cuda_runtime.h>

#include "common/graph.h"
#include "common/program.h"

using namespace kernels;

constexpr unsigned kHolds = 256;  // capacity of a block's queue, in nodes

__global__ void expand(const int* first_edge, const int* target, const int* frontier, unsigned size, int* next,
                       unsigned* next_size, int* level, int depth) {
  __shared__ int found[kHolds];
  __shared__ unsigned count, base;
  for (unsigned begin = blockIdx.x * blockDim.x; begin < size; begin += gridDim.x * blockDim.x) {
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    const unsigned i = begin + threadIdx.x;
    if (i < size) {
      const int node = frontier[i], end = first_edge[node + 1];
      for (int edge = first_edge[node]; edge < end; ++edge) {
        const int neighbour = target[edge];
        if (level[neighbour] >= 0 || atomicCAS(&level[neighbour], -1, depth) != -1) continue;
        const unsigned place = atomicAdd(&count, 1u);
        if (place < kHolds) {
          found[place] = neighbour;
        } else {
          next[atomicAdd(next_size, 1u)] = neighbour;
        }
      }
    }
    __syncthreads();
    const unsigned held = min(count, kHolds);
    if (threadIdx.x == 0) base = atomicAdd(next_size, held);
    __syncthreads();
    for (unsigned k = threadIdx.x; k < held; k += blockDim.x) next[base + k] = found[k];
    __syncthreads();
  }
}

int main(int argc, char** argv) {
  long k = 10, degree = 4, source = 0, block = 128, grid = 64, seed = 1;
  Options options("bfs_queue", "levels of a breadth-first search with a queue in each block");
  options.add("k", &k, 0, 22, "logarithm of the number of nodes");
  options.add("degree", &degree, 0, 64, "mean number of edges that leave a node");
  options.add("source", &source, 0, (1 << 22) - 1, "node the search starts from, modulo the number of nodes");
  options.add("block", &block, 1, 1024, "threads of a block");
  options.add("grid", &grid, 1, 65535, "most blocks of a launch");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the graph");
  options.parse(argc, argv);

  const long nodes = 1l << k, start = source % nodes;
  const RandomGraph graph(nodes, degree, seed);
  std::vector<int> level(nodes, -1);
  level[start] = 0;
  DeviceArray<int> device_first(graph.first_edge), device_target(graph.target), device_level(level);
  DeviceArray<int> queue_a(nodes), queue_b(nodes);
  DeviceArray<unsigned> next_size(1);
  const int start_node = static_cast<int>(start);
  int *frontier = queue_a.get(), *next = queue_b.get(), depth = 0;
  CUDA_CHECK(cudaMemcpy(frontier, &start_node, sizeof start_node, cudaMemcpyHostToDevice));
  long reached = 0;
  for (unsigned size = 1; size > 0;) {
    reached += size;
    next_size.fill_bytes(0);
    const unsigned blocks = std::min(blocks_for(size, block), static_cast<unsigned>(grid));
    expand<<<blocks, static_cast<unsigned>(block)>>>(device_first.get(), device_target.get(), frontier, size, next,
                                                     next_size.get(), device_level.get(), ++depth);
    CUDA_CHECK(cudaGetLastError());
    size = next_size.download()[0];
    std::swap(frontier, next);
  }

  const Levels expected(graph, start_node);
  Verdict verdict(options);
  verdict.equal("levels", device_level.download(), expected.level);
  verdict.equal("nodes reached", reached, expected.reached);
  verdict.equal("depth", depth - 1, expected.deepest);
  return verdict.finish();
}
