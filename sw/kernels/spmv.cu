// Sparse matrix times vector in CSR form, with a thread per row or a warp per row, in double precision. Row lengths are
// uneven and some rows are empty. Entries are integers, so sums are equal in any order.
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

struct Matrix {  // passed to kernels by value
  const int* first;
  const int* column;
  const double* value;
  int rows;
};

__global__ void row_per_thread(Matrix a, const double* __restrict__ x, double* __restrict__ y) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= a.rows) return;
  double sum = 0;
  for (int i = a.first[row]; i < a.first[row + 1]; ++i) sum += a.value[i] * x[a.column[i]];
  y[row] = sum;
}

__global__ void row_per_warp(Matrix a, const double* __restrict__ x, double* __restrict__ y) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
  const int lane = threadIdx.x % warpSize;
  if (row >= a.rows) return;
  double sum = 0;
  for (int i = a.first[row] + lane; i < a.first[row + 1]; i += warpSize) sum += a.value[i] * x[a.column[i]];
  for (int distance = warpSize / 2; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffffu, sum, distance);
  if (lane == 0) y[row] = sum;
}

int main(int argc, char** argv) {
  long rows = 1000, columns = 0, mean = 8, seed = 1;
  Options options("spmv", "sparse matrix times vector, CSR scalar and vector");
  options.add("rows", &rows, 1, 1 << 22, "rows");
  options.add("columns", &columns, 0, 1 << 22, "columns, 0 for as many as rows");
  options.add("mean", &mean, 0, 256, "mean number of entries in a row");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.parse(argc, argv);
  if (columns == 0) columns = rows;

  Random random(seed);
  std::vector<int> first(rows + 1), column;
  std::vector<double> value, x(columns), expected(rows);
  for (double& element : x) element = static_cast<double>(random.range(-1000, 1000));
  for (long row = 0; row < rows; ++row) {
    // About one row in eight is empty, one in thirty-two is long.
    const long draw = random.range(0, 31);
    const long entries = draw % 8 == 0 ? 0 : draw == 1 ? 12 * mean : random.range(0, 2 * mean);
    for (long i = 0; i < entries; ++i) {
      column.push_back(static_cast<int>(random.range(0, columns - 1)));
      value.push_back(static_cast<double>(random.range(-1000, 1000)));
      expected[row] += value.back() * x[column.back()];
    }
    first[row + 1] = static_cast<int>(column.size());
  }
  column.push_back(0);  // the array must have at least one element
  value.push_back(0);

  DeviceArray<int> device_first(first), device_column(column);
  DeviceArray<double> device_value(value), device_x(x), y(rows);
  const Matrix matrix = {device_first.get(), device_column.get(), device_value.get(), static_cast<int>(rows)};
  Verdict verdict(options);
  y.fill_bytes(0xff);
  row_per_thread<<<blocks_for(rows, 128), 128>>>(matrix, device_x.get(), y.get());
  verdict.equal("scalar", y.download(), expected);
  y.fill_bytes(0xff);
  row_per_warp<<<blocks_for(rows * 32, 128), 128>>>(matrix, device_x.get(), y.get());
  verdict.equal("vector", y.download(), expected);
  CUDA_CHECK(cudaGetLastError());
  return verdict.finish();
}
