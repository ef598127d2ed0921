// Launches a kernel with barriers and prints "done", whatever the device reports.

#include <cuda.h>

#include <cstdio>

int main() {
  constexpr const char* kText = R"(
.version 6.0
.target sm_50
.address_size 64
.visible .entry meet()
{
  .reg .b32 %r<4>;
  .reg .pred %p;
  mov.u32 %r0, 0;
again:
  bar.sync 0;
  add.u32 %r0, %r0, 1;
  setp.lt.u32 %p, %r0, 5;
  @%p bra again;
  ret;
}
)";
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction kernel = nullptr;
  if (cuInit(0) != CUDA_SUCCESS || cuCtxCreate(&context, 0, 0) != CUDA_SUCCESS ||
      cuModuleLoadData(&module, kText) != CUDA_SUCCESS ||
      cuModuleGetFunction(&kernel, module, "meet") != CUDA_SUCCESS) {
    std::puts("no kernel");
    return 3;
  }
  static_cast<void>(cuLaunchKernel(kernel, 3, 1, 1, 256, 1, 1, 0, nullptr, nullptr, nullptr));
  static_cast<void>(cuCtxSynchronize());
  std::puts("done");
  return 0;
}
