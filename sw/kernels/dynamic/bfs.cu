// Breadth-first search, level by level. A thread has one node of the frontier and visits its neighbours. If the node
// has many edges, a child visits them with a thread for each edge.
// With --together 1 the flat form visits edges as Merrill, Garland and Grimshaw do. The whole block visits the edges of
// a node with at least as many edges as the block has threads; the warp visits those of a node with 32 or more; the
// thread visits the others. The other forms then launch children for exactly the nodes of the first two groups, with
// child blocks as large as the group of threads that would have visited them.
#include <cuda_runtime.h>

#include "../common/child_launch.h"
#include "../common/graph_input.h"
#include "../common/program.h"
#include "graph_reference.h"

using namespace kernels;

struct Search {
  const int *first_edge, *target;
  int* level;      ///< level of each node, or kUnreached
  int* next;       ///< frontier of the next level
  unsigned* size;  ///< number of nodes in `next`
};

__device__ void visit(const Search& search, const Children& children, int edge, int depth) {
  children.count_item(edge);
  const int neighbour = search.target[edge];
  if (__ldcg(&search.level[neighbour]) <= depth) return;
  if (atomicMin(&search.level[neighbour], depth) == kUnreached) search.next[atomicAdd(search.size, 1u)] = neighbour;
}

__global__ void visit_edges(Search search, Children children, int first, int depth, int edges) {
  const int i = thread_in_grid();
  if (i < edges) visit(search, children, first + i, depth);
}

template <Form form>
__global__ void expand(Search search, Children children, const int* frontier, unsigned size, int depth) {
  const unsigned i = thread_in_grid();
  if (i >= size) return;
  const int first = search.first_edge[frontier[i]], degree = search.first_edge[frontier[i] + 1] - first;
  spread<form, visit_edges>(
      children, degree, [&](int edge) { visit(search, children, first + edge, depth); }, search, children, first,
      depth);
}

/// Flat form: the block, then the warp, visit edges of their threads' nodes together. Returns how many edges of the
/// calling thread's node have been visited.
__device__ int visit_together(const Search& search, const Children& children, int first, int degree, int depth) {
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  __shared__ int owner, shared_first, shared_degree;
  int begin = 0;
  for (;;) {
    __syncthreads();
    if (thread == 0) owner = -1;
    __syncthreads();
    if (degree - begin >= threads) owner = thread;
    __syncthreads();
    if (owner < 0) break;
    if (owner == thread) {
      shared_first = first;
      shared_degree = begin = degree;
    }
    __syncthreads();
    for (int edge = thread; edge < shared_degree; edge += threads) {
      visit(search, children, shared_first + edge, depth);
    }
  }
  const int lane = thread % 32, lanes = min(32, threads - (thread - lane));
  const unsigned all = lanes == 32 ? ~0u : (1u << lanes) - 1;
  for (unsigned wide = __ballot_sync(all, degree - begin >= 32); wide != 0; wide &= wide - 1) {
    const int leader = __ffs(static_cast<int>(wide)) - 1;
    const int its_first = __shfl_sync(all, first, leader), its_degree = __shfl_sync(all, degree, leader);
    for (int edge = lane; edge < its_degree; edge += lanes) visit(search, children, its_first + edge, depth);
    if (lane == leader) begin = degree;
    __syncwarp(all);
  }
  return begin;
}

template <Form form>
__global__ void expand_together(Search search, Children children, const int* frontier, unsigned size, int depth) {
  const unsigned i = thread_in_grid();
  const int first = i < size ? search.first_edge[frontier[i]] : 0;
  const int degree = i < size ? search.first_edge[frontier[i] + 1] - first : 0;
  int begin;
  if constexpr (form == Form::kFlat) {
    begin = visit_together(search, children, first, degree, depth);
  } else {
    Children fitting = children;
    fitting.block = degree >= static_cast<int>(blockDim.x) ? static_cast<int>(blockDim.x) : 32;
    begin = give_to_child<form, visit_edges>(fitting, degree, search, children, first, depth);
  }
  for (int edge = begin; edge < degree; ++edge) visit(search, children, first + edge, depth);
}

int main(int argc, char** argv) {
  long source = -1, block = 128, together = 0, seed = 1;
  GraphInput input(20000);
  ChildForm form(32);
  Options options("dynamic_bfs", "levels of a breadth-first search");
  form.add(options);
  input.add(options);
  options.add("source", &source, -1, INT32_MAX,
              "node the search starts from, modulo their number; -1 = that of the largest degree");
  options.add("block", &block, 1, 1024, "threads of a block");
  options.add("together", &together, 0, 1, "1 = blocks and warps visit the edges of nodes with many together");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the graph");
  form.add_numbers(options);
  options.parse(argc, argv);
  form.check(options);

  const Csr graph = input.load(options, seed);
  const int start = source_node(graph, source);
  DeviceGraph device(graph);
  std::vector<int> level(graph.nodes(), kUnreached);
  level[start] = 0;
  DeviceArray<int> device_level(level), queue_a(graph.nodes()), queue_b(graph.nodes());
  DeviceArray<unsigned> device_size(1);
  form.start(graph.edges());
  form.keep_resident<visit_edges>();
  int *frontier = queue_a.get(), *next = queue_b.get(), depth = 0;
  CUDA_CHECK(cudaMemcpy(frontier, &start, sizeof start, cudaMemcpyHostToDevice));
  for (unsigned size = 1; size > 0;) {
    const Search search{device.first_edge.get(), device.target.get(), device_level.get(), next, device_size.get()};
    device_size.fill_bytes(0);
    ++depth;
    form.with_form([&](auto tag) {
      const auto kernel = together != 0 ? &expand_together<tag.value> : &expand<tag.value>;
      kernel<<<blocks_for(size, block), static_cast<unsigned>(block)>>>(search, form.children(), frontier, size, depth);
    });
    CUDA_CHECK(cudaGetLastError());
    size = device_size.download()[0];
    std::swap(frontier, next);
  }

  const std::vector<int> expected = levels_by_boost(graph, start);
  int deepest = 0;
  std::vector<unsigned> visits;
  for (long node = 0; node < graph.nodes(); ++node) {
    const bool reached = expected[node] != kUnreached;
    if (reached) deepest = std::max(deepest, expected[node]);
    visits.insert(visits.end(), graph.degree(node), reached ? 1 : 0);
  }
  Verdict verdict(options);
  verdict.equal("levels", device_level.download(), expected);
  verdict.equal("depth", depth - 1, deepest);
  form.finish(options, input.description(graph), verdict, visits);
  return verdict.finish();
}
