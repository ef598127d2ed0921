// Shortest paths from one node, by rounds of the Bellman-Ford algorithm. A thread has one node and takes the minimum of
// distance plus edge weight over its neighbours. If the node has many neighbours, a child evaluates them with a thread
// for each, and its warps reduce to a minimum. A round reads the distances of the previous round, so its result does
// not depend on the order of the nodes.
#include <cuda_runtime.h>

#include "../common/child_launch.h"
#include "../common/graph_input.h"
#include "../common/program.h"
#include "graph_reference.h"

using namespace kernels;

/// The reversed graph, whose edges lead from a node to the neighbours that have an edge to it, and the distances.
struct Paths {
  const int *first_edge, *neighbour, *weight;
  const int* distance;  ///< distance of each node after the previous round, or kUnreached
  int* nearer;          ///< distance of each node in this round
};

__device__ int way_by(const Paths& paths, const Children& children, int edge) {
  children.count_item(edge);
  const int before = paths.distance[paths.neighbour[edge]];
  return before == kUnreached ? kUnreached : before + paths.weight[edge];
}

__global__ void relax_by_edges(Paths paths, Children children, int node, int first, int edges) {
  const int i = thread_in_grid();
  int way = i < edges ? way_by(paths, children, first + i) : kUnreached;
  for (int distance = 16; distance > 0; distance /= 2) way = min(way, __shfl_xor_sync(~0u, way, distance));
  if (threadIdx.x % 32 == 0 && way != kUnreached) atomicMin(&paths.nearer[node], way);
}

template <Form form>
__global__ void relax(Paths paths, Children children, int nodes) {
  const int node = thread_in_grid();
  if (node >= nodes) return;
  const int first = paths.first_edge[node], degree = paths.first_edge[node + 1] - first;
  int best = kUnreached;
  spread<form, relax_by_edges>(
      children, degree, [&](int edge) { best = min(best, way_by(paths, children, first + edge)); }, paths, children,
      node, first);
  if (best != kUnreached) atomicMin(&paths.nearer[node], best);
}

__global__ void settle(int* distance, const int* nearer, int* changes, int nodes) {
  const int node = thread_in_grid();
  if (node >= nodes || nearer[node] >= distance[node]) return;
  distance[node] = nearer[node];
  atomicAdd(changes, 1);
}

/// Returns the number of rounds until a round changes nothing. That is one more than the most edges on a shortest path,
/// if each path has as few edges as possible.
unsigned rounds_by_host(const Csr& graph, int start) {
  std::vector<int> distance(graph.nodes(), kUnreached), changed{start};
  distance[start] = 0;
  unsigned rounds = 1;
  for (;; ++rounds) {
    const std::vector<int> before = distance;
    std::vector<int> next;
    for (const int node : changed) {
      for (int edge = graph.first_edge[node]; edge < graph.first_edge[node + 1]; ++edge) {
        const int way = before[node] + graph.weight[edge], to = graph.target[edge];
        if (way >= distance[to]) continue;
        if (distance[to] == before[to]) next.push_back(to);
        distance[to] = way;
      }
    }
    if (next.empty()) return rounds;
    changed.swap(next);
  }
}

int main(int argc, char** argv) {
  long source = -1, block = 128, seed = 1;
  GraphInput input(5000);
  ChildForm form(32);
  Options options("dynamic_sssp", "shortest paths from one node to all");
  form.add(options);
  input.add(options);
  options.add("source", &source, -1, INT32_MAX,
              "node the paths start from, modulo their number; -1 = that of the largest degree");
  options.add("block", &block, 1, 1024, "threads of a block");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the graph");
  form.add_numbers(options);
  options.parse(argc, argv);
  form.check(options);

  const Csr graph = input.load(options, seed);
  const int start = source_node(graph, source), nodes = static_cast<int>(graph.nodes());
  const Csr incoming = transposed(graph);
  DeviceGraph device(incoming);
  std::vector<int> distance(nodes, kUnreached);
  distance[start] = 0;
  DeviceArray<int> device_distance(distance), nearer(distance), changes(1);
  form.start(graph.edges());
  form.keep_resident<relax_by_edges>();
  const Paths paths{device.first_edge.get(), device.target.get(), device.weight.get(), device_distance.get(),
                    nearer.get()};
  const unsigned blocks = blocks_for(nodes, block), threads = static_cast<unsigned>(block);
  unsigned rounds = 0;
  for (bool changed = true; changed; ++rounds) {
    changes.fill_bytes(0);
    form.with_form([&](auto tag) { relax<tag.value><<<blocks, threads>>>(paths, form.children(), nodes); });
    settle<<<blocks, threads>>>(device_distance.get(), nearer.get(), changes.get(), nodes);
    CUDA_CHECK(cudaGetLastError());
    changed = changes.download()[0] != 0;
  }

  Verdict verdict(options);
  verdict.equal("distances", device_distance.download(), distances_by_boost(graph, start));
  verdict.equal("rounds", rounds, rounds_by_host(graph, start));
  form.finish(options, input.description(graph), verdict, std::vector<unsigned>(graph.edges(), rounds));
  return verdict.finish();
}
