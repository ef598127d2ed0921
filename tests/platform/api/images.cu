// Loads the images named on the command line, which castor-cc -cubin and -fatbin have written, in each way that the
// driver API has: by name, and from bytes exactly as long as the file.
#include <cuda.h>

#include <fstream>
#include <iterator>
#include <vector>

#include "check.h"

static void run(CUmodule module) {
  constexpr int kCount = 100;
  CUfunction kernel = nullptr;
  CHECK(cuModuleGetFunction(&kernel, module, "triple") == CUDA_SUCCESS);
  int* values = nullptr;
  GOOD(cudaMallocManaged(&values, kCount * sizeof(int)));
  for (int i = 0; i < kCount; ++i) values[i] = i;
  int n = kCount;
  void* arguments[] = {&values, &n};
  CHECK(cuLaunchKernel(kernel, 4, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr) == CUDA_SUCCESS);
  GOOD(cudaDeviceSynchronize());
  int right = 0;
  for (int i = 0; i < kCount; ++i) right += values[i] == 3 * i;
  CHECK(right == kCount);
  GOOD(cudaFree(values));
  CHECK(cuModuleUnload(module) == CUDA_SUCCESS);
}

int main(int argc, char** argv) {
  CHECK(argc == 3);
  CHECK(cuInit(0) == CUDA_SUCCESS);
  CUcontext context = nullptr;
  CHECK(cuCtxCreate(&context, 0, 0) == CUDA_SUCCESS);
  for (int file = 1; file < argc; ++file) {
    std::ifstream in(argv[file], std::ios::binary);
    const std::vector<char> bytes((std::istreambuf_iterator<char>(in)), {});
    CUmodule module = nullptr;
    CHECK(cuModuleLoad(&module, argv[file]) == CUDA_SUCCESS);
    run(module);
    CHECK(cuModuleLoadData(&module, bytes.data()) == CUDA_SUCCESS);
    run(module);
    CHECK(cuModuleLoadFatBinary(&module, bytes.data()) == CUDA_SUCCESS);
    run(module);
  }
  return verdict();
}
