// Kernels whose blocks are resident at once: beside each other and beside other kernels, launched with attributes, by
// the driver API, from graphs and from device code; what is refused.
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda_runtime.h>

#include <vector>

#include "check.h"

namespace cg = cooperative_groups;

#define DRIVER(code, call)                                         \
  do {                                                             \
    const CUresult result_ = (call);                               \
    const char* name_ = "?";                                       \
    cuGetErrorName(result_, &name_);                               \
    if (result_ != (code)) fail(__FILE__, __LINE__, #call, name_); \
  } while (0)
#define DONE(call) DRIVER(CUDA_SUCCESS, call)

constexpr unsigned kThreads = 128;

// Every block counts, and after the barrier sees that all have: seen[block] = count. seen[blocks]: is_valid() + 1.
__global__ void meet(unsigned* count, unsigned* seen) {
  const cg::grid_group grid = cg::this_grid();
  if (threadIdx.x == 0) atomicAdd(count, 1u);
  grid.sync();
  if (threadIdx.x == kThreads - 1) seen[blockIdx.x] = *count;
  grid.sync();
  if (grid.thread_rank() == 0) seen[gridDim.x] = grid.is_valid() ? 2 : 1;
}
// Takes a while, and counts.
__global__ void busy(unsigned* count, unsigned rounds) {
  unsigned x = threadIdx.x;
  for (unsigned i = 0; i < rounds; ++i) x = x * 1664525u + 1013904223u;
  if (threadIdx.x == 0) atomicAdd(count, x == 12345u ? 2u : 1u);
}
__global__ void parent(unsigned* count, unsigned* seen, int* error) {
  meet<<<1, kThreads>>>(count, seen);
  *error = cudaGetLastError();
}

unsigned most = 0;  // blocks of `meet` that the device holds
unsigned *counts = nullptr, *seen = nullptr;
cudaStream_t streams[4];

struct Launch {
  unsigned* count;
  unsigned* seen;
  void* pointers[2];
  explicit Launch(unsigned which) : count(counts + which), seen(::seen + which * (most + 1)) {
    pointers[0] = &count;
    pointers[1] = &seen;
  }
};
void clear() {
  GOOD(cudaMemset(counts, 0, 16 * sizeof *counts));
  GOOD(cudaMemset(seen, 0, 16 * (most + 1) * sizeof *seen));
}
// Each of `blocks` blocks has seen `count`, and the kernel whether its launch is cooperative.
bool right(unsigned which, unsigned blocks, bool cooperative, unsigned count = 0) {
  std::vector<unsigned> values(blocks + 1);
  GOOD(cudaMemcpy(values.data(), seen + which * (most + 1), values.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
  bool good = values[blocks] == (cooperative ? 2u : 1u);
  for (unsigned i = 0; i < blocks; ++i) good = good && values[i] == (count == 0 ? blocks : count);
  return good;
}

void two_at_once() {
  clear();
  // Each needs more than half of the device, so they run one after the other.
  const unsigned blocks = most / 2 + 1;
  for (unsigned i = 0; i < 4; ++i) {
    Launch launch(i);
    GOOD(cudaLaunchCooperativeKernel(meet, blocks, kThreads, launch.pointers, 0, streams[i]));
  }
  GOOD(cudaDeviceSynchronize());
  for (unsigned i = 0; i < 4; ++i) CHECK(right(i, blocks, true));
  // These fit beside each other.
  clear();
  for (unsigned i = 0; i < 4; ++i) {
    Launch launch(i);
    GOOD(cudaLaunchCooperativeKernel(meet, i + 1, kThreads, launch.pointers, 0, streams[i]));
  }
  GOOD(cudaDeviceSynchronize());
  for (unsigned i = 0; i < 4; ++i) CHECK(right(i, i + 1, true));
}

void beside_others() {
  clear();
  for (unsigned round = 0; round < 3; ++round) {
    busy<<<2 * most + 1, kThreads, 0, streams[0]>>>(counts + 8, 20);
    busy<<<3, kThreads, 0, streams[1]>>>(counts + 8, 300);
    Launch launch(round);
    GOOD(cudaLaunchCooperativeKernel(meet, most, kThreads, launch.pointers, 0, streams[2]));
    meet<<<most - 1, kThreads, 0, streams[3]>>>(counts + 4 + round, seen + (4 + round) * (most + 1));
    GOOD(cudaGetLastError());
    busy<<<most, kThreads, 0, streams[1]>>>(counts + 8, 50);
  }
  GOOD(cudaDeviceSynchronize());
  for (unsigned round = 0; round < 3; ++round) {
    CHECK(right(round, most, true));
    CHECK(right(4 + round, most - 1, false));
  }
  unsigned count = 0;
  GOOD(cudaMemcpy(&count, counts + 8, sizeof count, cudaMemcpyDeviceToHost));
  CHECK(count == 3 * (2 * most + 1 + 3 + most));
}

void attributes() {
  clear();
  Launch launch(0);
  cudaLaunchAttribute attribute[2] = {};
  attribute[0].id = cudaLaunchAttributeCooperative;
  attribute[0].val.cooperative = 1;
  attribute[1].id = cudaLaunchAttributePriority;
  cudaLaunchConfig_t config = {};
  config.gridDim = most;
  config.blockDim = kThreads;
  config.stream = streams[1];
  config.attrs = attribute;
  config.numAttrs = 2;
  GOOD(cudaLaunchKernelEx(&config, meet, launch.count, launch.seen));
  GOOD(cudaDeviceSynchronize());
  CHECK(right(0, most, true));
  attribute[0].val.cooperative = 0;
  Launch second(1);
  GOOD(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(meet), second.pointers));
  GOOD(cudaDeviceSynchronize());
  CHECK(right(1, most, false));
  config.numAttrs = 0;
  config.attrs = nullptr;
  GOOD(cudaLaunchKernelEx(&config, busy, counts + 9, 3));
  config.gridDim = most + 1;
  RETURNS(cudaErrorCooperativeLaunchTooLarge, cudaLaunchKernelEx(&config, meet, launch.count, launch.seen));
  config.gridDim = 1;
  config.numAttrs = 1;
  RETURNS(cudaErrorInvalidValue, cudaLaunchKernelEx(&config, meet, launch.count, launch.seen));
  RETURNS(cudaErrorInvalidValue, cudaLaunchKernelExC(nullptr, reinterpret_cast<const void*>(meet), launch.pointers));
  config.attrs = attribute;
  attribute[0].id = cudaLaunchAttributeClusterDimension;
  attribute[0].val.clusterDim = {1, 1, 1};
  Launch third(2);
  GOOD(cudaLaunchKernelEx(&config, meet, third.count, third.seen));
  GOOD(cudaDeviceSynchronize());
  CHECK(right(2, 1, false));
  attribute[0].val.clusterDim.x = 2;
  RETURNS(cudaErrorNotSupported, cudaLaunchKernelEx(&config, meet, launch.count, launch.seen));
  attribute[0].id = cudaLaunchAttributeProgrammaticEvent;
  RETURNS(cudaErrorNotSupported, cudaLaunchKernelEx(&config, meet, launch.count, launch.seen));
  RETURNS(cudaErrorNotSupported, cudaGetLastError());
}

void graphs() {
  clear();
  Launch launch(0);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  GOOD(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal));
  GOOD(cudaLaunchCooperativeKernel(meet, most, kThreads, launch.pointers, 0, streams[0]));
  GOOD(cudaStreamEndCapture(streams[0], &graph));
  GOOD(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  for (unsigned times = 1; times <= 2; ++times) {
    GOOD(cudaGraphLaunch(exec, streams[1]));
    GOOD(cudaStreamSynchronize(streams[1]));
    CHECK(right(0, most, true, times * most));
  }
  // A node stays cooperative when it gets other parameters.
  cudaGraphNode_t node = nullptr;
  size_t nodes = 1;
  GOOD(cudaGraphGetNodes(graph, &node, &nodes));
  cudaKernelNodeParams params = {};
  GOOD(cudaGraphKernelNodeGetParams(node, &params));
  CHECK(params.gridDim.x == most);
  Launch second(1);
  params.gridDim.x = most - 1;
  params.kernelParams = second.pointers;
  GOOD(cudaGraphExecKernelNodeSetParams(exec, node, &params));
  GOOD(cudaGraphLaunch(exec, streams[1]));
  GOOD(cudaDeviceSynchronize());
  CHECK(right(1, most - 1, true));
  params.gridDim.x = most + 1;
  RETURNS(cudaErrorCooperativeLaunchTooLarge, cudaGraphExecKernelNodeSetParams(exec, node, &params));
  RETURNS(cudaErrorCooperativeLaunchTooLarge, cudaGraphKernelNodeSetParams(node, &params));
  GOOD(cudaGraphExecDestroy(exec));
  params.gridDim.x = 3;
  Launch third(2);
  params.kernelParams = third.pointers;
  GOOD(cudaGraphKernelNodeSetParams(node, &params));
  // A node that was not captured belongs to a plain launch.
  Launch fourth(3);
  params.kernelParams = fourth.pointers;
  GOOD(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params));
  GOOD(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  GOOD(cudaGraphLaunch(exec, streams[2]));
  GOOD(cudaDeviceSynchronize());
  CHECK(right(2, 3, true));
  CHECK(right(3, 3, false));
  GOOD(cudaGraphExecDestroy(exec));
  GOOD(cudaGraphDestroy(graph));
  static_cast<void>(cudaGetLastError());
}

// Blocks of one thread: out[block] = blocks that have arrived before; out[blocks + block] = flag of a cooperative
// launch.
const char* const kPtx = R"(
.version 7.0
.target sm_35
.address_size 64
.visible .entry meets(.param .u64 out) {
  .reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .pred %p<4>;
  ld.param.u64 %rd0, [out];
  mov.u32 %r1, %envreg1; mov.u32 %r2, %envreg2; mov.b64 %rd1, {%r2, %r1};
  mov.u32 %r3, %ctaid.x; mov.u32 %r4, %nctaid.x;
  sub.u32 %r5, 0x80000001, %r4; setp.eq.u32 %p0, %r3, 0; selp.u32 %r5, %r5, 1, %p0;
  mul.wide.u32 %rd2, %r3, 4; add.u64 %rd2, %rd0, %rd2; mul.wide.u32 %rd3, %r4, 4; add.u64 %rd3, %rd2, %rd3;
  mov.u32 %r8, %envreg0; st.global.u32 [%rd3], %r8;
  mul.wide.u32 %rd4, %r4, 8; add.u64 %rd4, %rd0, %rd4;
  atom.global.add.u32 %r9, [%rd4], 1;
  membar.gl;
  atom.global.add.u32 %r6, [%rd1], %r5;
again:
  ld.volatile.global.u32 %r7, [%rd1]; xor.b32 %r7, %r7, %r6; and.b32 %r7, %r7, 0x80000000;
  setp.eq.u32 %p1, %r7, 0; @%p1 bra again;
  membar.gl;
  ld.global.u32 %r9, [%rd4]; st.global.u32 [%rd2], %r9;
  ret;
}
)";

void driver() {
  CUmodule module = nullptr;
  CUfunction meets = nullptr;
  CUdevice device = 0;
  int cooperative = 0, per_sm = 0, sms = 0;
  DONE(cuDeviceGet(&device, 0));
  DONE(cuDeviceGetAttribute(&cooperative, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, device));
  DONE(cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device));
  CHECK(cooperative == 1);
  DONE(cuModuleLoadData(&module, kPtx));
  DONE(cuModuleGetFunction(&meets, module, "meets"));
  DONE(cuOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, meets, 1, 0));
  const unsigned blocks = static_cast<unsigned>(per_sm * sms);
  CUdeviceptr out = 0;
  const size_t bytes = (2 * blocks + 1) * sizeof(unsigned);
  DONE(cuMemAlloc(&out, bytes));
  void* arguments[] = {&out};
  std::vector<unsigned> values(2 * blocks + 1);
  const auto good = [&](unsigned flag) {
    DONE(cuMemcpyDtoH(values.data(), out, bytes));
    bool all = values[2 * blocks] == blocks;
    for (unsigned i = 0; i < blocks; ++i) all = all && values[i] == blocks && values[blocks + i] == flag;
    DONE(cuMemsetD8(out, 0, bytes));
    return all;
  };
  DONE(cuMemsetD8(out, 0, bytes));
  DONE(cuLaunchCooperativeKernel(meets, blocks, 1, 1, 1, 1, 1, 0, nullptr, arguments));
  CHECK(good(1));
  DONE(cuLaunchKernel(meets, blocks, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  CHECK(good(0));
  CUlaunchAttribute attribute = {};
  attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  attribute.value.cooperative = 1;
  CUlaunchConfig config = {};
  config.gridDimX = blocks;
  config.gridDimY = config.gridDimZ = config.blockDimX = config.blockDimY = config.blockDimZ = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  DONE(cuLaunchKernelEx(&config, meets, arguments, nullptr));
  CHECK(good(1));
  config.gridDimX = blocks + 1;
  DRIVER(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, cuLaunchKernelEx(&config, meets, arguments, nullptr));
  DRIVER(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
         cuLaunchCooperativeKernel(meets, blocks + 1, 1, 1, 1, 1, 1, 0, nullptr, arguments));
  DRIVER(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
         cuLaunchKernel(meets, blocks + 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuLaunchKernelEx(nullptr, meets, arguments, nullptr));
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim.x = 2;
  config.gridDimX = 2;
  DRIVER(CUDA_ERROR_NOT_SUPPORTED, cuLaunchKernelEx(&config, meets, arguments, nullptr));
  DONE(cuMemFree(out));
  DONE(cuModuleUnload(module));
}

void from_device_code() {
  clear();
  int* error = nullptr;
  int value = 0;
  GOOD(cudaMalloc(&error, sizeof *error));
  parent<<<1, 1>>>(counts, seen, error);
  GOOD(cudaDeviceSynchronize());
  GOOD(cudaMemcpy(&value, error, sizeof value, cudaMemcpyDeviceToHost));
  CHECK(value == cudaErrorNotSupported);
  // A kernel that launches others cannot be launched cooperatively.
  void* arguments[] = {&counts, &seen, &error};
  RETURNS(cudaErrorNotSupported, cudaLaunchCooperativeKernel(parent, 1, 1, arguments));
  RETURNS(cudaErrorNotSupported, cudaGetLastError());
  GOOD(cudaFree(error));
}

int main() {
  cudaDeviceProp properties;
  GOOD(cudaGetDeviceProperties(&properties, 0));
  int per_sm = 0, again = 0;
  GOOD(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, meet, kThreads, 0));
  GOOD(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&again, meet, kThreads, 0,
                                                              cudaOccupancyDisableCachingOverride));
  CHECK(per_sm == again && per_sm > 0);
  most = static_cast<unsigned>(per_sm * properties.multiProcessorCount);
  GOOD(cudaMalloc(&counts, 16 * sizeof *counts));
  GOOD(cudaMalloc(&seen, 16 * (most + 1) * sizeof *seen));
  for (cudaStream_t& stream : streams) GOOD(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  two_at_once();
  beside_others();
  attributes();
  graphs();
  driver();
  from_device_code();
  return verdict();
}
