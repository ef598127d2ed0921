// Discrete cosine transform of 8x8 blocks of an image (as in JPEG), and its inverse. The basis is in constant memory,
// written and read back through its symbol. Images may have any size; the last row and column are repeated to fill a
// block.
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

__constant__ float basis[8][8];  // [frequency][place]

__global__ void forward(const unsigned char* image, int width, int height, float* coefficients) {
  __shared__ float pixel[8][8], rows[8][8];
  const int u = threadIdx.x, v = threadIdx.y;
  const int x = min(static_cast<int>(blockIdx.x) * 8 + u, width - 1);
  const int y = min(static_cast<int>(blockIdx.y) * 8 + v, height - 1);
  pixel[v][u] = static_cast<float>(image[y * width + x]) - 128.0f;
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 8; ++i) sum += basis[u][i] * pixel[v][i];
  rows[v][u] = sum;
  __syncthreads();
  sum = 0;
  for (int i = 0; i < 8; ++i) sum += basis[v][i] * rows[i][u];
  coefficients[(blockIdx.y * gridDim.x + blockIdx.x) * 64 + v * 8 + u] = sum;
}

__global__ void inverse(const float* coefficients, unsigned char* image, int width, int height) {
  __shared__ float block[8][8], rows[8][8];
  const int x = threadIdx.x, y = threadIdx.y;
  block[y][x] = coefficients[(blockIdx.y * gridDim.x + blockIdx.x) * 64 + y * 8 + x];
  __syncthreads();
  float sum = 0;
  for (int u = 0; u < 8; ++u) sum += basis[u][x] * block[y][u];
  rows[y][x] = sum;
  __syncthreads();
  sum = 128.0f;
  for (int v = 0; v < 8; ++v) sum += basis[v][y] * rows[v][x];
  const int column = blockIdx.x * 8 + x, row = blockIdx.y * 8 + y;
  if (column < width && row < height) {
    image[row * width + column] = static_cast<unsigned char>(__float2int_rn(__saturatef(sum / 255.0f) * 255.0f));
  }
}

int main(int argc, char** argv) {
  long width = 60, height = 44, seed = 1;
  Options options("dct", "8x8 discrete cosine transform of an image, and back");
  options.add("width", &width, 1, 8192, "columns");
  options.add("height", &height, 1, 8192, "rows");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.parse(argc, argv);

  double exact[8][8];
  float single[8][8], read_back[8][8];
  for (int u = 0; u < 8; ++u) {
    for (int i = 0; i < 8; ++i) {
      exact[u][i] = (u == 0 ? std::sqrt(0.125) : 0.5) * std::cos((2 * i + 1) * u * M_PI / 16);
      single[u][i] = static_cast<float>(exact[u][i]);
    }
  }
  CUDA_CHECK(cudaMemcpyToSymbol(basis, single, sizeof single / 2));
  CUDA_CHECK(cudaMemcpyToSymbol(basis, &single[4], sizeof single / 2, sizeof single / 2));
  CUDA_CHECK(cudaMemcpyFromSymbol(read_back, basis, sizeof read_back));

  Random random(seed);
  std::vector<unsigned char> image(width * height);
  for (unsigned char& pixel : image) pixel = static_cast<unsigned char>(random.range(0, 255));
  const dim3 grid(blocks_for(width, 8), blocks_for(height, 8)), block(8, 8);
  DeviceArray<unsigned char> device_image(image), restored(image.size());
  DeviceArray<float> coefficients(static_cast<std::size_t>(grid.x) * grid.y * 64);
  forward<<<grid, block>>>(device_image.get(), width, height, coefficients.get());
  inverse<<<grid, block>>>(coefficients.get(), restored.get(), width, height);
  CUDA_CHECK(cudaGetLastError());

  std::vector<double> expected;
  for (long by = 0; by < grid.y; ++by) {
    for (long bx = 0; bx < grid.x; ++bx) {
      for (int v = 0; v < 8; ++v) {
        for (int u = 0; u < 8; ++u) {
          double sum = 0;
          for (long y = 0; y < 8; ++y) {
            for (long x = 0; x < 8; ++x) {
              const long row = std::min(by * 8 + y, height - 1), column = std::min(bx * 8 + x, width - 1);
              sum += exact[v][y] * exact[u][x] * (image[row * width + column] - 128.0);
            }
          }
          expected.push_back(sum);
        }
      }
    }
  }
  Verdict verdict(options);
  verdict.holds("symbol read back", std::memcmp(single, read_back, sizeof single) == 0);
  verdict.close("coefficients", coefficients.download(), expected, 1e-5, 1e-3);
  verdict.equal("restored", restored.download(), image);
  return verdict.finish();
}
