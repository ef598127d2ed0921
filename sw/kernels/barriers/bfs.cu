// Breadth-first search, level by level: a thread has a node, and visits its neighbours if the node belongs to the
// current level. All thread blocks meet between two levels. The systems differ in how they meet:
//   relaunch   a kernel per level; the host waits for it and copies the flag that says whether a node was reached
//   barrier    one cooperative kernel with CUDA's grid barrier, which tests the flag itself
//   atomic     the same with a counter as barrier
//   flags      the same with flags as barrier
//   dp         a parent kernel per level; each of its threads launches a child for the neighbours of its node
//   queue      persistent threads, which fetch nodes from and post nodes to a queue with one lock; flags
#include <cuda_runtime.h>

#include "../common/graph_input.h"
#include "../common/program.h"
#include "../dynamic/graph_reference.h"
#include "grid_barrier.h"

using namespace kernels;

constexpr unsigned kMostThreads = 512;
constexpr unsigned kBlocksPerProcessor = 4;  ///< blocks of 512 threads that a processor of 2048 threads is to hold
constexpr unsigned kChildThreads = 128;
constexpr int kFlags = 3;

struct Search {
  const int *first_edge, *target;
  int nodes;
  int* level;    ///< level of each node, or kUnreached
  int* reached;  ///< reached[d % 3]: 1 if a node of level d + 1 exists
};

/// Gives a neighbour of a node of level `depth` its level, unless it has one.
__device__ void visit(const Search& search, int edge, int depth) {
  volatile int* const level = &search.level[search.target[edge]];
  if (*level != kUnreached) return;
  *level = depth + 1;  // other threads may write the same value
  search.reached[depth % kFlags] = 1;
}

__device__ bool in_level(const Search& search, int node, int depth) {
  return node < search.nodes && *static_cast<const volatile int*>(&search.level[node]) == depth;
}

__device__ void expand(const Search& search, int node, int depth) {
  if (!in_level(search, node, depth)) return;
  const int end = search.first_edge[node + 1];
  for (int edge = search.first_edge[node]; edge < end; ++edge) visit(search, edge, depth);
}

__global__ void level(Search search, int depth) { expand(search, static_cast<int>(rank_in_grid()), depth); }

template <class Barrier>
__global__ void __launch_bounds__(kMostThreads, kBlocksPerProcessor)
    levels(BarrierMemory memory, Search search, int* depths) {
  Barrier barrier(memory);
  const int self = static_cast<int>(rank_in_grid());
  int depth = 0;
  for (bool reached = true; reached; ++depth) {
    // The flag of the next level was last read before the previous barrier, and is written after the next one.
    if (self == 0) search.reached[(depth + 1) % kFlags] = 0;
    expand(search, self, depth);
    barrier.sync();
    reached = *static_cast<const volatile int*>(&search.reached[depth % kFlags]) != 0;
  }
  if (self == 0) *depths = depth;
}

__global__ void visit_all(Search search, int first, int edges, int depth) {
  const int i = static_cast<int>(rank_in_grid());
  if (i < edges) visit(search, first + i, depth);
}

/// Launches a child for each node of the level. A thread whose launch is refused visits the neighbours itself.
__global__ void parents(Search search, int depth) {
  const int node = static_cast<int>(rank_in_grid());
  if (!in_level(search, node, depth)) return;
  const int first = search.first_edge[node], edges = search.first_edge[node + 1] - first;
  if (edges == 0) return;
  visit_all<<<(edges + kChildThreads - 1) / kChildThreads, kChildThreads>>>(search, first, edges, depth);
  if (cudaGetLastError() != cudaSuccess) expand(search, node, depth);
}

/// A queue of nodes with one lock. Every node is posted once, so the nodes of a level lie one behind the other.
struct Queue {
  unsigned* lock;             ///< 1 while a thread holds the queue
  volatile int* node;         ///< the nodes, in the order in which they were posted
  volatile unsigned* taken;   ///< number of nodes that were fetched
  volatile unsigned* posted;  ///< posted[d % 3]: number of nodes of level d
};

/// Calls `function` with the queue locked.
template <class Function>
__device__ void locked(const Queue& queue, const Function& function) {
  for (bool waiting = true; waiting;) {
    if (atomicCAS(queue.lock, 0u, 1u) != 0) continue;
    __threadfence();
    function();
    __threadfence();
    atomicExch(queue.lock, 0u);
    waiting = false;
  }
}

/// Returns the next node before place `end`, or -1.
__device__ int fetch(const Queue& queue, unsigned end) {
  int node = -1;
  if (*queue.taken >= end) return node;
  locked(queue, [&] {
    const unsigned place = *queue.taken;
    if (place >= end) return;
    node = queue.node[place];
    *queue.taken = place + 1;
  });
  return node;
}

/// Gives a neighbour its level and posts it behind place `end`, unless it has a level.
__device__ void post(const Search& search, const Queue& queue, int node, unsigned end, int depth) {
  if (atomicCAS(&search.level[node], kUnreached, depth + 1) != kUnreached) return;
  locked(queue, [&] {
    volatile unsigned& count = queue.posted[(depth + 1) % kFlags];
    queue.node[end + count] = node;
    count = count + 1;
  });
}

__global__ void __launch_bounds__(kMostThreads, kBlocksPerProcessor)
    work(BarrierMemory memory, Search search, Queue queue, int* depths) {
  FlagBarrier barrier(memory);
  unsigned end = 1;
  int depth = 0;
  for (unsigned nodes = 1; nodes != 0; ++depth, end += nodes) {
    if (rank_in_grid() == 0) queue.posted[(depth + 2) % kFlags] = 0;
    for (int node = fetch(queue, end); node >= 0; node = fetch(queue, end)) {
      const int last = search.first_edge[node + 1];
      for (int edge = search.first_edge[node]; edge < last; ++edge) {
        post(search, queue, search.target[edge], end, depth);
      }
    }
    barrier.sync();
    nodes = queue.posted[(depth + 1) % kFlags];
  }
  if (rank_in_grid() == 0) *depths = depth;
}

/// Runs a kernel per level. `children`: its threads launch children. Returns the number of levels.
int relaunch(const Search& search, unsigned block, bool children) {
  int depth = 0;
  for (int reached = 1; reached != 0; ++depth) {
    int* const flag = search.reached + depth % kFlags;
    CUDA_CHECK(cudaMemset(flag, 0, sizeof *flag));
    const auto kernel = children ? &parents : &level;
    kernel<<<blocks_for(search.nodes, block), block>>>(search, depth);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(&reached, flag, sizeof reached, cudaMemcpyDeviceToHost));
  }
  return depth;
}

template <class Barrier>
int meet(const Search& search, unsigned block) {
  DeviceArray<int> depths(1);
  run_with_barriers<Barrier>(&levels<Barrier>, blocks_for(search.nodes, block), block, search, depths.get());
  return depths.download()[0];
}

int persist(const Search& search, int start, unsigned blocks, unsigned block) {
  DeviceArray<int> depths(1), node(search.nodes);
  DeviceArray<unsigned> words(2 + kFlags);
  words.fill_bytes(0);
  CUDA_CHECK(cudaMemcpy(node.get(), &start, sizeof start, cudaMemcpyHostToDevice));
  if (blocks == 0) blocks = resident_blocks(&work, block);
  const Queue queue{words.get(), node.get(), words.get() + 1, words.get() + 2};
  run_with_barriers<FlagBarrier>(&work, blocks, block, search, queue, depths.get());
  return depths.download()[0];
}

int run(const std::string& system, const Search& search, int start, unsigned blocks, unsigned block) {
  if (system == "barrier") return meet<CooperativeBarrier>(search, block);
  if (system == "atomic") return meet<AtomicBarrier>(search, block);
  if (system == "flags") return meet<FlagBarrier>(search, block);
  if (system == "queue") return persist(search, start, blocks, block);
  return relaunch(search, block, system == "dp");
}

int main(int argc, char** argv) {
  long source = -1, block = 256, blocks = 0, seed = 1;
  System system({"relaunch", "barrier", "atomic", "flags", "dp", "queue"});
  GraphInput input(8192);
  Options options("barriers_bfs", "levels of a breadth-first search, between which all thread blocks meet");
  system.add(options);
  input.add(options);
  options.add("source", &source, -1, INT32_MAX,
              "node the search starts from, modulo their number; -1 = that of the largest degree");
  options.add("block", &block, 1, kMostThreads, "threads of a block");
  options.add("blocks", &blocks, 0, 1 << 16, "blocks of persistent threads; 0 = as many as the device holds");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the graph");
  options.parse(argc, argv);
  system.check(options);

  const Csr graph = input.load(options, seed);
  const int start = source_node(graph, source);
  const DeviceGraph device(graph);
  std::vector<int> found(graph.nodes(), kUnreached);
  found[start] = 0;
  DeviceArray<int> device_level(found), reached(kFlags);
  reached.fill_bytes(0);
  const Search search{device.first_edge.get(), device.target.get(), static_cast<int>(graph.nodes()), device_level.get(),
                      reached.get()};
  const int depths = run(system.name, search, start, static_cast<unsigned>(blocks), static_cast<unsigned>(block));

  const std::vector<int> expected = levels_by_boost(graph, start);
  int deepest = 0;
  for (const int one : expected) deepest = one == kUnreached ? deepest : std::max(deepest, one);
  Verdict verdict(options);
  verdict.equal("levels", depths, deepest + 1);
  verdict.equal("level of nodes", device_level.download(), expected);
  return verdict.finish();
}
