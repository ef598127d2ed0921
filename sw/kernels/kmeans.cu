// k-means clustering (Lloyd) of points with integer coordinates: centres in constant memory, sums by 64-bit atomics.
// Integer sums make every step exact.
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

constexpr int kMaxClusters = 64;

__constant__ int3 centre[kMaxClusters];

__host__ __device__ long long square_distance(int3 a, int3 b) {
  const long long x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
  return x * x + y * y + z * z;
}

struct Sums {
  unsigned long long x, y, z, members;
};

__global__ void assign(const int3* point, int n, int clusters, int* cluster_of, Sums* sums, unsigned* moved) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int changed = 0;
  if (i < n) {
    const int3 p = point[i];
    int best = 0;
    for (int c = 1; c < clusters; ++c) {
      if (square_distance(p, centre[c]) < square_distance(p, centre[best])) best = c;
    }
    changed = cluster_of[i] != best;
    cluster_of[i] = best;
    // Signed coordinates are added as unsigned words, in two's complement.
    atomicAdd(&sums[best].x, static_cast<unsigned long long>(static_cast<long long>(p.x)));
    atomicAdd(&sums[best].y, static_cast<unsigned long long>(static_cast<long long>(p.y)));
    atomicAdd(&sums[best].z, static_cast<unsigned long long>(static_cast<long long>(p.z)));
    atomicAdd(&sums[best].members, 1ull);
  }
  const unsigned vote = __ballot_sync(0xffffffffu, changed);
  if (threadIdx.x % 32 == 0 && vote != 0) atomicAdd(moved, static_cast<unsigned>(__popc(vote)));
}

int3 mean(const Sums& s, int3 old) {
  const long long members = static_cast<long long>(s.members);
  if (members == 0) return old;
  return make_int3(static_cast<int>(static_cast<long long>(s.x) / members),
                   static_cast<int>(static_cast<long long>(s.y) / members),
                   static_cast<int>(static_cast<long long>(s.z) / members));
}

int main(int argc, char** argv) {
  long n = 3000, clusters = 7, steps = 20, seed = 1;
  Options options("kmeans", "k-means clustering of points in space");
  options.add("n", &n, 1, 1 << 22, "points");
  options.add("clusters", &clusters, 1, kMaxClusters, "clusters");
  options.add("steps", &steps, 1, 1000, "most steps");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.parse(argc, argv);

  Random random(seed);
  std::vector<int3> points(n), middles(clusters), centres(clusters), host_centres;
  for (int3& m : middles) {
    for (int* c : {&m.x, &m.y, &m.z}) *c = static_cast<int>(random.range(-9000, 9000));
  }
  for (int3& p : points) {
    p = middles[random.range(0, clusters - 1)];
    for (int* c : {&p.x, &p.y, &p.z}) *c += static_cast<int>(random.range(-1500, 1500));
  }
  for (int3& c : centres) c = points[random.range(0, n - 1)];
  host_centres = centres;

  DeviceArray<int3> device_points(points);
  DeviceArray<int> cluster_of(n);
  DeviceArray<Sums> sums(clusters);
  DeviceArray<unsigned> moved(1);
  cluster_of.fill_bytes(0xff);
  int device_steps = 0;
  for (bool changed = true; changed && device_steps < steps; ++device_steps) {
    CUDA_CHECK(cudaMemcpyToSymbol(centre, centres.data(), clusters * sizeof(int3)));
    sums.fill_bytes(0);
    moved.fill_bytes(0);
    assign<<<blocks_for(n, 128), 128>>>(device_points.get(), n, clusters, cluster_of.get(), sums.get(), moved.get());
    CUDA_CHECK(cudaGetLastError());
    const std::vector<Sums> totals = sums.download();
    for (long c = 0; c < clusters; ++c) centres[c] = mean(totals[c], centres[c]);
    changed = moved.download()[0] != 0;
  }

  std::vector<int> expected(n, -1);
  int host_steps = 0;
  for (bool changed = true; changed && host_steps < steps; ++host_steps) {
    changed = false;
    std::vector<long long> x(clusters), y(clusters), z(clusters), members(clusters);
    for (long i = 0; i < n; ++i) {
      const auto nearer = [&](const int3& a, const int3& b) {
        return square_distance(points[i], a) < square_distance(points[i], b);
      };
      const int best = std::min_element(host_centres.begin(), host_centres.end(), nearer) - host_centres.begin();
      changed = changed || best != expected[i];
      expected[i] = best;
      x[best] += points[i].x;
      y[best] += points[i].y;
      z[best] += points[i].z;
      ++members[best];
    }
    for (long c = 0; c < clusters; ++c) {
      if (members[c] == 0) continue;
      host_centres[c] = make_int3(x[c] / members[c], y[c] / members[c], z[c] / members[c]);
    }
  }
  std::vector<int> got_centres, expected_centres;
  for (long c = 0; c < clusters; ++c) {
    for (int v : {centres[c].x, centres[c].y, centres[c].z}) got_centres.push_back(v);
    for (int v : {host_centres[c].x, host_centres[c].y, host_centres[c].z}) expected_centres.push_back(v);
  }
  Verdict verdict(options);
  verdict.equal("steps", device_steps, host_steps);
  verdict.equal("clusters", cluster_of.download(), expected);
  verdict.equal("centres", got_centres, expected_centres);
  return verdict.finish();
}
