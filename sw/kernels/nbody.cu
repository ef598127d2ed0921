// Gravitation between n bodies, all pairs: tiles of positions in shared memory, rsqrtf, leapfrog integration steps.
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

constexpr int kBlock = 64;
constexpr float kSoftening = 0.01f;

__device__ float3 pull(float4 body, float4 other, float3 sum) {
  const float3 r = make_float3(other.x - body.x, other.y - body.y, other.z - body.z);
  const float inverse = rsqrtf(r.x * r.x + r.y * r.y + r.z * r.z + kSoftening);
  const float factor = other.w * inverse * inverse * inverse;
  return make_float3(sum.x + r.x * factor, sum.y + r.y * factor, sum.z + r.z * factor);
}

__global__ __launch_bounds__(kBlock) void advance(const float4* position, float4* next, float4* velocity, int n,
                                                  float dt) {
  __shared__ float4 tile[kBlock];
  const int i = blockIdx.x * kBlock + threadIdx.x;
  const float4 body = i < n ? position[i] : make_float4(0, 0, 0, 0);
  float3 acceleration = make_float3(0, 0, 0);
  for (int first = 0; first < n; first += kBlock) {
    // Threads past the last body load a body without mass.
    tile[threadIdx.x] = first + threadIdx.x < n ? position[first + threadIdx.x] : make_float4(0, 0, 0, 0);
    __syncthreads();
    for (int j = 0; j < kBlock; ++j) acceleration = pull(body, tile[j], acceleration);
    __syncthreads();
  }
  if (i >= n) return;
  float4 v = velocity[i];
  v.x += dt * acceleration.x;
  v.y += dt * acceleration.y;
  v.z += dt * acceleration.z;
  velocity[i] = v;
  next[i] = make_float4(body.x + dt * v.x, body.y + dt * v.y, body.z + dt * v.z, body.w);
}

int main(int argc, char** argv) {
  long n = 200, steps = 2, seed = 1;
  Options options("nbody", "gravitation between n bodies, all pairs");
  options.add("n", &n, 1, 1 << 17, "bodies");
  options.add("steps", &steps, 1, 100, "steps in time");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.parse(argc, argv);

  const float dt = 0.01f;
  Random random(seed);
  std::vector<float4> start(n), rest(n, make_float4(0, 0, 0, 0));
  std::vector<double> x(3 * n), v(3 * n), a(3 * n);
  for (long i = 0; i < n; ++i) {
    start[i].x = static_cast<float>(x[3 * i] = random.real(-1, 1));
    start[i].y = static_cast<float>(x[3 * i + 1] = random.real(-1, 1));
    start[i].z = static_cast<float>(x[3 * i + 2] = random.real(-1, 1));
    start[i].w = 1.0f / static_cast<float>(n);
  }
  DeviceArray<float4> front(start), back(start.size()), velocity(rest);
  float4 *from = front.get(), *to = back.get();
  for (long step = 0; step < steps; ++step) {
    advance<<<blocks_for(n, kBlock), kBlock>>>(from, to, velocity.get(), n, dt);
    CUDA_CHECK(cudaGetLastError());
    std::swap(from, to);
  }

  for (long step = 0; step < steps; ++step) {
    std::fill(a.begin(), a.end(), 0.0);
    for (long i = 0; i < n; ++i) {
      for (long j = i + 1; j < n; ++j) {  // each pair is computed once, with opposite forces on both bodies
        double r[3], square = kSoftening;
        for (int k = 0; k < 3; ++k) {
          r[k] = x[3 * j + k] - x[3 * i + k];
          square += r[k] * r[k];
        }
        const double factor = 1.0 / (n * square * std::sqrt(square));
        for (int k = 0; k < 3; ++k) {
          a[3 * i + k] += r[k] * factor;
          a[3 * j + k] -= r[k] * factor;
        }
      }
    }
    for (long k = 0; k < 3 * n; ++k) x[k] += dt * (v[k] += dt * a[k]);
  }
  const std::vector<float4> end = (steps % 2 == 0 ? front : back).download(), speed = velocity.download();
  std::vector<float> got_x, got_v;
  for (long i = 0; i < n; ++i) {
    for (float c : {end[i].x, end[i].y, end[i].z}) got_x.push_back(c);
    for (float c : {speed[i].x, speed[i].y, speed[i].z}) got_v.push_back(c);
  }
  Verdict verdict(options);
  verdict.close("positions", got_x, x, 1e-5, 1e-5);
  verdict.close("velocities", got_v, v, 1e-4, 1e-4);
  return verdict.finish();
}
