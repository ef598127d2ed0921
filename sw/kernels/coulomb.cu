// Electric potential of point charges on a plane of a lattice. The charges are in constant memory, as four arrays. Each
// thread computes kPlaces lattice points of a row, blockDim.x apart, so that terms which depend only on the row are
// computed once.
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

constexpr int kMostAtoms = 2048;
constexpr int kPlaces = 4;  // lattice points per thread
constexpr float kSpacing = 0.1f;

// Charges: x, y, squared distance from the plane, and charge.
__constant__ float atom_x[kMostAtoms], atom_y[kMostAtoms], atom_z2[kMostAtoms], atom_charge[kMostAtoms];

__global__ void potential(float* out, int width, int height, int count) {
  const int x = blockIdx.x * (blockDim.x * kPlaces) + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const float fx = kSpacing * static_cast<float>(x), fy = kSpacing * static_cast<float>(y);
  const float apart = kSpacing * static_cast<float>(blockDim.x);
  float sum[kPlaces] = {};
  for (int i = 0; i < count; ++i) {
    const float dy = fy - atom_y[i], rest = dy * dy + atom_z2[i], charge = atom_charge[i];
    float dx = fx - atom_x[i];
#pragma unroll
    for (int k = 0; k < kPlaces; ++k) {
      sum[k] += charge * rsqrtf(dx * dx + rest);
      dx += apart;
    }
  }
#pragma unroll
  for (int k = 0; k < kPlaces; ++k) {
    const int column = x + k * static_cast<int>(blockDim.x);
    if (column < width && y < height) out[y * width + column] = sum[k];
  }
}

int main(int argc, char** argv) {
  long width = 100, height = 20, atoms = 40, block_x = 16, block_y = 8, seed = 1;
  Options options("coulomb", "electric potential of point charges on a plane");
  options.add("width", &width, 1, 4096, "columns of the lattice");
  options.add("height", &height, 1, 4096, "rows of the lattice");
  options.add("atoms", &atoms, 1, kMostAtoms, "point charges");
  options.add("block_x", &block_x, 1, 1024, "threads of a block in x");
  options.add("block_y", &block_y, 1, 1024, "threads of a block in y");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the charges");
  options.parse(argc, argv);
  if (block_x * block_y > 1024) options.fail("a block has at most 1024 threads");

  Random random(seed);
  std::vector<float> ax(atoms), ay(atoms), az2(atoms), charge(atoms);
  for (long i = 0; i < atoms; ++i) {
    const double z = random.real(0.5, 3);
    ax[i] = static_cast<float>(random.real(0, kSpacing * width));
    ay[i] = static_cast<float>(random.real(0, kSpacing * height));
    az2[i] = static_cast<float>(z * z);
    charge[i] = static_cast<float>(random.real(-1, 2));
  }
  CUDA_CHECK(cudaMemcpyToSymbol(atom_x, ax.data(), atoms * sizeof(float)));
  CUDA_CHECK(cudaMemcpyToSymbol(atom_y, ay.data(), atoms * sizeof(float)));
  CUDA_CHECK(cudaMemcpyToSymbol(atom_z2, az2.data(), atoms * sizeof(float)));
  CUDA_CHECK(cudaMemcpyToSymbol(atom_charge, charge.data(), atoms * sizeof(float)));
  DeviceArray<float> out(width * height);
  const dim3 block(block_x, block_y), grid(blocks_for(width, block_x * kPlaces), blocks_for(height, block_y));
  potential<<<grid, block>>>(out.get(), static_cast<int>(width), static_cast<int>(height), static_cast<int>(atoms));
  CUDA_CHECK(cudaGetLastError());

  std::vector<double> expected;
  for (long y = 0; y < height; ++y) {
    for (long x = 0; x < width; ++x) {
      double sum = 0;
      for (long i = 0; i < atoms; ++i) {
        const double dx = kSpacing * static_cast<double>(x) - ax[i], dy = kSpacing * static_cast<double>(y) - ay[i];
        sum += charge[i] / std::sqrt(dx * dx + dy * dy + az2[i]);
      }
      expected.push_back(sum);
    }
  }
  Verdict verdict(options);
  verdict.close("potentials", out.download(), expected, 1e-4, 1e-5 * static_cast<double>(atoms));
  return verdict.finish();
}
