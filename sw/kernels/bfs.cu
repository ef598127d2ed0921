// Breadth-first search over a seeded random graph of 2^k nodes in CSR form. A queue holds the frontier. The first
// thread whose compare-and-swap sets a node's level puts the node into the next queue; one atomic per warp reserves the
// queue slots.
#include <cuda_runtime.h>

#include "common/graph.h"
#include "common/program.h"

using namespace kernels;

__device__ unsigned next_size;

__device__ unsigned place_in_queue(unsigned* counter) {
  const unsigned together = __activemask();
  const unsigned lane = threadIdx.x % 32, leader = __ffs(together) - 1;
  unsigned base = 0;
  if (lane == leader) base = atomicAdd(counter, __popc(together));
  return __shfl_sync(together, base, leader) + __popc(together & ((1u << lane) - 1));
}

__global__ void expand(const int* first_edge, const int* target, const int* frontier, unsigned size, int* next,
                       int* level, int depth) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const int node = frontier[i];
  for (int edge = __ldg(&first_edge[node]); edge < __ldg(&first_edge[node + 1]); ++edge) {
    const int neighbour = target[edge];
    if (level[neighbour] < 0 && atomicCAS(&level[neighbour], -1, depth) == -1) {
      next[place_in_queue(&next_size)] = neighbour;
    }
  }
}

int main(int argc, char** argv) {
  long k = 12, degree = 4, source = 0, block = 128, seed = 1;
  Options options("bfs", "levels of a breadth-first search over a random graph of 2^k nodes");
  options.add("k", &k, 0, 22, "logarithm of the number of nodes");
  options.add("degree", &degree, 0, 64, "mean number of edges that leave a node");
  options.add("source", &source, 0, (1 << 22) - 1, "node the search starts from, modulo the number of nodes");
  options.add("block", &block, 1, 1024, "threads of a block");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the graph");
  options.parse(argc, argv);

  const long nodes = 1l << k, start = source % nodes;
  const RandomGraph graph(nodes, degree, seed);
  std::vector<int> level(nodes, -1);
  level[start] = 0;
  DeviceArray<int> device_first(graph.first_edge), device_target(graph.target), device_level(level);
  DeviceArray<int> queue_a(nodes), queue_b(nodes);
  const int start_node = static_cast<int>(start);
  int *frontier = queue_a.get(), *next = queue_b.get(), depth = 0;
  CUDA_CHECK(cudaMemcpy(frontier, &start_node, sizeof start_node, cudaMemcpyHostToDevice));
  for (unsigned size = 1; size > 0;) {
    const unsigned zero = 0;
    CUDA_CHECK(cudaMemcpyToSymbol(next_size, &zero, sizeof zero));
    expand<<<blocks_for(size, block), static_cast<unsigned>(block)>>>(device_first.get(), device_target.get(), frontier,
                                                                      size, next, device_level.get(), ++depth);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpyFromSymbol(&size, next_size, sizeof size));
    std::swap(frontier, next);
  }

  const Levels expected(graph, start_node);
  Verdict verdict(options);
  verdict.equal("levels", device_level.download(), expected.level);
  verdict.equal("depth", depth - 1, expected.deepest);
  return verdict.finish();
}
