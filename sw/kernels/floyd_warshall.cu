// Shortest paths between all pairs of nodes by the blocked Floyd-Warshall algorithm: first the tile on the diagonal,
// then the tiles of its row and column, then all others.
#include <cuda_runtime.h>

#include <queue>

#include "common/program.h"

using namespace kernels;

constexpr int kTile = 16;
constexpr int kFar = 1 << 29;  // distance without a path; the sum of two does not overflow

__global__ void on_diagonal(int* distance, int stride, int round) {
  __shared__ int d[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y;
  int* const place = &distance[(round * kTile + y) * stride + round * kTile + x];
  d[y][x] = *place;
  __syncthreads();
  for (int k = 0; k < kTile; ++k) {
    d[y][x] = min(d[y][x], d[y][k] + d[k][x]);
    __syncthreads();
  }
  *place = d[y][x];
}

// blockIdx.y 0: tiles in the row of the diagonal tile; 1: tiles in its column.
__global__ void in_cross(int* distance, int stride, int round) {
  if (blockIdx.x == round) return;
  __shared__ int diagonal[kTile][kTile], d[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y == 0 ? round : blockIdx.x, column = blockIdx.y == 0 ? blockIdx.x : round;
  int* const place = &distance[(row * kTile + y) * stride + column * kTile + x];
  diagonal[y][x] = distance[(round * kTile + y) * stride + round * kTile + x];
  d[y][x] = *place;
  __syncthreads();
  for (int k = 0; k < kTile; ++k) {
    const int through = blockIdx.y == 0 ? diagonal[y][k] + d[k][x] : d[y][k] + diagonal[k][x];
    __syncthreads();
    d[y][x] = min(d[y][x], through);
    __syncthreads();
  }
  *place = d[y][x];
}

__global__ void elsewhere(int* distance, int stride, int round) {
  if (blockIdx.x == round || blockIdx.y == round) return;
  __shared__ int column[kTile][kTile], row[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y;
  int* const place = &distance[(blockIdx.y * kTile + y) * stride + blockIdx.x * kTile + x];
  column[y][x] = distance[(blockIdx.y * kTile + y) * stride + round * kTile + x];
  row[y][x] = distance[(round * kTile + y) * stride + blockIdx.x * kTile + x];
  __syncthreads();
  int best = *place;
  for (int k = 0; k < kTile; ++k) best = min(best, column[y][k] + row[k][x]);
  *place = best;
}

int main(int argc, char** argv) {
  long nodes = 70, degree = 4, seed = 1;
  Options options("floyd_warshall", "shortest paths between all pairs of nodes");
  options.add("nodes", &nodes, 1, 2048, "nodes");
  options.add("degree", &degree, 0, 64, "edges that leave a node");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the graph");
  options.parse(argc, argv);

  const int tiles = blocks_for(nodes, kTile), stride = tiles * kTile;
  Random random(seed);
  std::vector<int> distance(stride * stride, kFar);
  std::vector<std::vector<std::pair<int, int>>> edges(nodes);
  for (int i = 0; i < nodes; ++i) {
    distance[i * stride + i] = 0;
    for (long e = 0; e < degree; ++e) {
      const int target = static_cast<int>(random.range(0, nodes - 1)), length = static_cast<int>(random.range(1, 100));
      edges[i].push_back({target, length});
      distance[i * stride + target] = std::min(distance[i * stride + target], length);
    }
  }
  DeviceArray<int> device(distance);
  const dim3 block(kTile, kTile);
  for (int round = 0; round < tiles; ++round) {
    on_diagonal<<<1, block>>>(device.get(), stride, round);
    in_cross<<<dim3(tiles, 2), block>>>(device.get(), stride, round);
    elsewhere<<<dim3(tiles, tiles), block>>>(device.get(), stride, round);
  }
  CUDA_CHECK(cudaGetLastError());
  const std::vector<int> result = device.download();

  // The reference: Dijkstra's algorithm from every node.
  std::vector<int> got, expected;
  for (int source = 0; source < nodes; ++source) {
    std::vector<int> best(nodes, kFar);
    std::priority_queue<std::pair<int, int>> open;
    best[source] = 0;
    open.push({0, source});
    while (!open.empty()) {
      const std::pair<int, int> top = open.top();
      open.pop();
      if (-top.first > best[top.second]) continue;
      for (const auto& edge : edges[top.second]) {
        if (best[top.second] + edge.second >= best[edge.first]) continue;
        best[edge.first] = best[top.second] + edge.second;
        open.push({-best[edge.first], edge.first});
      }
    }
    expected.insert(expected.end(), best.begin(), best.end());
    got.insert(got.end(), result.begin() + source * stride, result.begin() + source * stride + nodes);
  }
  Verdict verdict(options);
  verdict.equal("distances", got, expected);
  return verdict.finish();
}
