// Graph colouring by independent sets (Jones and Plassmann). In each round a node gets the round's colour if its random
// value exceeds those of all its uncoloured neighbours. A thread has one node and compares it with its neighbours. If
// the node has many neighbours, a child compares them with a thread for each.
#include <cuda_runtime.h>

#include <numeric>

#include "../common/child_launch.h"
#include "../common/graph_input.h"
#include "../common/program.h"

using namespace kernels;

constexpr int kNone = -1;

/// Returns a 32-bit hash of `node` and `seed`.
__host__ __device__ unsigned value_of(int node, unsigned seed) {
  unsigned x = static_cast<unsigned>(node) * 0x9e3779b9u + seed;
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

/// Returns whether `node` comes before `other`: the node with the larger hash value first, ties by larger number.
__host__ __device__ bool comes_before(int node, int other, unsigned seed) {
  const unsigned a = value_of(node, seed), b = value_of(other, seed);
  return a != b ? a > b : node > other;
}

struct Colouring {
  const int *first_edge, *target;
  const int* colour;  ///< colour of each node after the previous rounds
  int* beaten;        ///< for each node: not 0 if an uncoloured neighbour comes before it
  unsigned seed;
};

__device__ bool is_beaten(const Colouring& graph, const Children& children, int node, int edge) {
  children.count_item(edge);
  const int other = graph.target[edge];
  return graph.colour[other] == kNone && comes_before(other, node, graph.seed);
}

__global__ void compare_edges(Colouring graph, Children children, int node, int first, int edges) {
  const int i = thread_in_grid();
  if (i < edges && is_beaten(graph, children, node, first + i)) graph.beaten[node] = 1;
}

template <Form form>
__global__ void compare(Colouring graph, Children children, int nodes) {
  const int node = thread_in_grid();
  if (node >= nodes || graph.colour[node] != kNone) return;
  const int first = graph.first_edge[node], degree = graph.first_edge[node + 1] - first;
  bool beaten = false;
  spread<form, compare_edges>(
      children, degree, [&](int edge) { beaten |= is_beaten(graph, children, node, first + edge); }, graph, children,
      node, first);
  if (beaten) graph.beaten[node] = 1;
}

__global__ void colour_winners(int* colour, int* beaten, int* left, int round, int nodes) {
  const int node = thread_in_grid();
  if (node >= nodes || colour[node] != kNone) return;
  if (beaten[node] != 0) {
    beaten[node] = 0;
    atomicAdd(left, 1);
  } else {
    colour[node] = round;
  }
}

/// Returns the colours by the sequential algorithm: each node gets one more than the highest colour among its
/// neighbours that come before it.
std::vector<int> colours_by_host(const Csr& graph, unsigned seed) {
  std::vector<int> order(graph.nodes()), colour(graph.nodes(), kNone);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) { return comes_before(a, b, seed); });
  for (const int node : order) {
    int highest = kNone;
    for (int edge = graph.first_edge[node]; edge < graph.first_edge[node + 1]; ++edge) {
      highest = std::max(highest, colour[graph.target[edge]]);
    }
    colour[node] = highest + 1;
  }
  return colour;
}

int main(int argc, char** argv) {
  long block = 128, seed = 1;
  GraphInput input(5000);
  ChildForm form(32);
  Options options("dynamic_colouring", "colours for the nodes of a graph, so that no edge joins two of one colour");
  form.add(options);
  input.add(options);
  options.add("block", &block, 1, 1024, "threads of a block");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the graph and of the nodes' values");
  form.add_numbers(options);
  options.parse(argc, argv);
  form.check(options);

  const Csr graph = symmetric(input.load(options, seed));
  const int nodes = static_cast<int>(graph.nodes());
  DeviceGraph device(graph);
  DeviceArray<int> colour(std::vector<int>(nodes, kNone)), beaten(nodes), left(1);
  beaten.fill_bytes(0);
  form.start(graph.edges());
  form.keep_resident<compare_edges>();
  const Colouring colouring{device.first_edge.get(), device.target.get(), colour.get(), beaten.get(),
                            static_cast<unsigned>(seed)};
  const unsigned blocks = blocks_for(nodes, block), threads = static_cast<unsigned>(block);
  int rounds = 0;
  for (bool all = false; !all; ++rounds) {
    left.fill_bytes(0);
    form.with_form([&](auto tag) { compare<tag.value><<<blocks, threads>>>(colouring, form.children(), nodes); });
    colour_winners<<<blocks, threads>>>(colour.get(), beaten.get(), left.get(), rounds, nodes);
    CUDA_CHECK(cudaGetLastError());
    all = left.download()[0] == 0;
  }

  const std::vector<int> got = colour.download(), expected = colours_by_host(graph, static_cast<unsigned>(seed));
  bool proper = true;
  std::vector<unsigned> compared;
  for (int node = 0; node < nodes; ++node) {
    compared.insert(compared.end(), graph.degree(node), static_cast<unsigned>(expected[node] + 1));
    for (int edge = graph.first_edge[node]; edge < graph.first_edge[node + 1]; ++edge) {
      proper = proper && got[node] != got[graph.target[edge]] && got[node] >= 0;
    }
  }
  Verdict verdict(options);
  verdict.holds("no edge of one colour", proper);
  verdict.equal("colours", got, expected);
  verdict.equal("number of colours", rounds, *std::max_element(expected.begin(), expected.end()) + 1);
  form.finish(options, input.description(graph), verdict, compared);
  return verdict.finish();
}
