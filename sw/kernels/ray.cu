// A small ray tracer: spheres over a checkered floor, one distant lamp with shadows, mirrors. Between two reflections
// the block compacts the rays that are still followed (a prefix sum over the block), so whole warps become empty and
// wait.
#include <cuda_runtime.h>

#include "common/exact.h"
#include "common/program.h"

using namespace kernels;

constexpr int kTileX = 16, kTileY = 8, kRays = kTileX * kTileY;
constexpr float kNear = 1e-3f, kFar = 1e9f;

struct Vector {
  float x, y, z;
};

struct Ray {
  Vector origin, direction;
  float weight;
  int pixel;  // index of the pixel in the tile
};

struct Hit {
  float distance;
  int what;  // index of the sphere; the number of spheres = the floor; -1 = the sky
};

__host__ __device__ inline Vector plus(Vector a, Vector b, float factor) {
  return {exact_add(a.x, exact_mul(b.x, factor)), exact_add(a.y, exact_mul(b.y, factor)),
          exact_add(a.z, exact_mul(b.z, factor))};
}

__host__ __device__ inline float dot(Vector a, Vector b) {
  return exact_add(exact_add(exact_mul(a.x, b.x), exact_mul(a.y, b.y)), exact_mul(a.z, b.z));
}

__host__ __device__ inline Hit nearest(const float4* spheres, int count, Vector origin, Vector direction) {
  Hit hit = {kFar, -1};
  if (direction.y < 0.0f) {
    const float distance = exact_div(-origin.y, direction.y);
    if (distance > kNear && distance < hit.distance) hit = {distance, count};
  }
  for (int i = 0; i < count; ++i) {
    const float4 sphere = spheres[i];
    const Vector to_centre = plus({sphere.x, sphere.y, sphere.z}, origin, -1.0f);
    const float along = dot(to_centre, direction);
    const float beside = exact_sub(dot(to_centre, to_centre), exact_mul(along, along));
    const float inside = exact_sub(exact_mul(sphere.w, sphere.w), beside);
    if (inside <= 0.0f) continue;
    const float distance = exact_sub(along, exact_sqrt(inside));
    if (distance > kNear && distance < hit.distance) hit = {distance, i};
  }
  return hit;
}

__host__ __device__ inline Ray first_ray(int x, int y, int width, int height, int pixel) {
  const float across = exact_div(static_cast<float>(2 * x + 1 - width), static_cast<float>(height));
  const float up = exact_div(static_cast<float>(height - 2 * y - 1), static_cast<float>(height));
  const Vector direction = {across, exact_sub(up, 0.25f), 1.5f};
  const float shorter = exact_div(1.0f, exact_sqrt(dot(direction, direction)));
  return {{0.0f, 3.0f, -8.0f}, plus({0.0f, 0.0f, 0.0f}, direction, shorter), 1.0f, pixel};
}

// Follows the ray to the object that it hits and adds the light from there. Returns true if the reflected ray is worth
// following.
__host__ __device__ inline bool reflect(const float4* spheres, int count, Ray& ray, int& light) {
  const Vector lamp = {0.48f, 0.8f, -0.36f};
  const Hit hit = nearest(spheres, count, ray.origin, ray.direction);
  float bright = exact_add(0.5f, exact_mul(0.5f, ray.direction.y)), mirror = 0.0f;
  if (hit.what >= 0) {
    const Vector point = plus(ray.origin, ray.direction, hit.distance);
    Vector normal = {0.0f, 1.0f, 0.0f};
    float colour = 0.875f;
    mirror = 0.25f;
    if (hit.what < count) {
      const float4 sphere = spheres[hit.what];
      const Vector outward = plus(point, {sphere.x, sphere.y, sphere.z}, -1.0f);
      normal = plus({0.0f, 0.0f, 0.0f}, outward, exact_div(1.0f, sphere.w));
      mirror = exact_mul(0.125f, static_cast<float>(1 + hit.what % 7));
    } else if ((static_cast<int>(floorf(point.x)) + static_cast<int>(floorf(point.z))) % 2 != 0) {
      colour = 0.25f;
    }
    float shade = dot(normal, lamp);
    if (shade <= 0.0f || nearest(spheres, count, point, lamp).what >= 0) shade = 0.0f;
    bright = exact_mul(colour, exact_add(0.125f, exact_mul(0.875f, shade)));
    ray.origin = point;
    ray.direction = plus(ray.direction, normal, exact_mul(-2.0f, dot(ray.direction, normal)));
  }
  const float here = exact_mul(ray.weight, exact_mul(bright, exact_sub(1.0f, mirror)));
  light += static_cast<int>(exact_mul(here, 65536.0f));
  ray.weight = exact_mul(ray.weight, mirror);
  return ray.weight > 0.015625f;
}

__global__ void trace(const float4* spheres, int count, int* image, int width, int height, int bounces) {
  __shared__ Ray rays[kRays];
  __shared__ int light[kRays], place[kRays];
  const int t = threadIdx.x;
  const int x = blockIdx.x * kTileX + t % kTileX, y = blockIdx.y * kTileY + t / kTileX;
  const bool inside = x < width && y < height;
  light[t] = 0;
  Ray ray = first_ray(x, y, width, height, t);
  bool goes_on = inside;
  for (int bounce = 0;; ++bounce) {
    place[t] = goes_on ? 1 : 0;
    __syncthreads();
    for (int distance = 1; distance < kRays; distance *= 2) {
      const int before = t >= distance ? place[t - distance] : 0;
      __syncthreads();
      place[t] += before;
      __syncthreads();
    }
    const int left = place[kRays - 1];
    if (goes_on) rays[place[t] - 1] = ray;
    __syncthreads();
    if (left == 0 || bounce == bounces) break;
    goes_on = t < left;
    if (goes_on) {
      ray = rays[t];
      goes_on = reflect(spheres, count, ray, light[ray.pixel]);
    }
  }
  if (inside) image[y * width + x] = light[t];
}

int main(int argc, char** argv) {
  long width = 64, height = 32, spheres = 6, bounces = 5, seed = 1;
  Options options("ray", "picture of reflecting spheres by ray tracing");
  options.add("width", &width, 1, 4096, "columns");
  options.add("height", &height, 1, 4096, "rows");
  options.add("spheres", &spheres, 1, 1000, "spheres");
  options.add("bounces", &bounces, 1, 100, "most surfaces that a ray meets");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the spheres");
  options.parse(argc, argv);

  Random random(seed);
  std::vector<float4> scene(spheres);
  for (float4& sphere : scene) {
    sphere.w = static_cast<float>(random.real(0.4, 1.6));
    sphere.x = static_cast<float>(random.real(-6, 6));
    sphere.y = sphere.w + static_cast<float>(random.real(0, 3));
    sphere.z = static_cast<float>(random.real(-3, 8));
  }
  DeviceArray<float4> device_scene(scene);
  DeviceArray<int> device_image(width * height);
  trace<<<dim3(blocks_for(width, kTileX), blocks_for(height, kTileY)), kRays>>>(
      device_scene.get(), static_cast<int>(spheres), device_image.get(), static_cast<int>(width),
      static_cast<int>(height), static_cast<int>(bounces));
  CUDA_CHECK(cudaGetLastError());

  // Reference: each ray is followed alone, from the eye to its end.
  std::vector<int> image(width * height, 0);
  for (long i = 0; i < width * height; ++i) {
    Ray ray = first_ray(static_cast<int>(i % width), static_cast<int>(i / width), static_cast<int>(width),
                        static_cast<int>(height), 0);
    for (long bounce = 0; bounce < bounces; ++bounce) {
      if (!reflect(scene.data(), static_cast<int>(spheres), ray, image[i])) break;
    }
  }
  Verdict verdict(options);
  verdict.equal("pixels", device_image.download(), image);
  return verdict.finish();
}
