// The runtime of device code: streams that every launch has, memory, questions.
#include <cuda.h>
#include <cuda_runtime.h>

#include "check.h"

/// Numbers in the order in which kernels have written them.
struct Log {
  int count;
  int entries[64];
};
__device__ void note(Log* log, int what) {
  __threadfence();
  log->entries[atomicAdd(&log->count, 1)] = what;
}
__global__ void leaf(Log* log, int what, int wait) {
  for (int i = 0; i < wait; ++i) __nanosleep(100);
  note(log, what);
}
__global__ void child_with_child(Log* log, int what) {
  leaf<<<1, 1>>>(log, what + 1, 50);
  note(log, what);
}
__global__ void tail_with_tail(Log* log) {
  leaf<<<1, 1, 0, cudaStreamTailLaunch>>>(log, 31, 0);
  leaf<<<1, 1>>>(log, 30, 50);
}
/// Tail launches: after the grid with its children's children, one after the other, each with its own tails.
__global__ void tails(Log* log) {
  leaf<<<1, 1, 0, cudaStreamTailLaunch>>>(log, 20, 50);
  tail_with_tail<<<1, 1, 0, cudaStreamTailLaunch>>>(log);
  leaf<<<1, 1, 0, cudaStreamTailLaunch>>>(log, 40, 0);
  child_with_child<<<1, 1>>>(log, 10);
  cudaDeviceSynchronize();  // not for tails
  note(log, 12);
}
__global__ void after(Log* log) { note(log, 50); }

/// The first waits for what the second writes.
__global__ void wait_for(volatile int* flag, int* out) {
  for (int i = 0; i < 100000 && *flag == 0; ++i) __nanosleep(100);
  *out = *flag;
}
__global__ void set(volatile int* flag) { *flag = 7; }
__global__ void fire(int* flag, int* out) {
  wait_for<<<1, 1, 0, cudaStreamFireAndForget>>>(flag, out);
  set<<<1, 1, 0, cudaStreamFireAndForget>>>(flag);
}
__global__ void copy_word(const int* from, int* to) { *to = *from; }

/// A tail launch that repeats its own grid, as solvers do.
__global__ void iterate(int* left, int* sum) {
  if (blockIdx.x == 0) atomicSub(left, 1);
  atomicAdd(sum, 1);
}
__global__ void control(int* left, int* sum) {
  if (*left == 0) return;
  iterate<<<3, 1>>>(left, sum);
  control<<<1, 1, 0, cudaStreamTailLaunch>>>(left, sum);
}

__global__ void memory(unsigned char* bytes, int* codes) {
  int n = 0;
  unsigned char* from = bytes;
  codes[n++] = cudaMemsetAsync(bytes + 1024, 0xa5, 100);
  codes[n++] = cudaMemsetAsync(bytes + 1201, 0x5a, 7, 0);
  codes[n++] = cudaMemcpyAsync(bytes + 2048, from, 512, cudaMemcpyDeviceToDevice);
  codes[n++] = cudaMemcpyAsync(bytes + 2564, from + 4, 36, cudaMemcpyDefault);
  codes[n++] = cudaMemcpyAsync(bytes + 2609, from + 3, 5, cudaMemcpyDeviceToDevice, 0);
  codes[n++] = cudaMemcpy2DAsync(bytes + 3072, 20, from, 16, 7, 5, cudaMemcpyDeviceToDevice);
  codes[n++] = cudaMemset2DAsync(bytes + 3200, 16, 9, 3, 4);
  cudaMemcpy3DParms box = {};
  box.srcPtr = make_cudaPitchedPtr(from, 16, 16, 4);
  box.dstPtr = make_cudaPitchedPtr(bytes + 3328, 8, 8, 3);
  box.srcPos = make_cudaPos(1, 1, 0);
  box.extent = make_cudaExtent(4, 3, 2);
  box.kind = cudaMemcpyDeviceToDevice;
  codes[n++] = cudaMemcpy3DAsync(&box);
  codes[n++] = cudaMemset3DAsync(make_cudaPitchedPtr(bytes + 3456, 8, 8, 4), 3, make_cudaExtent(4, 2, 2));
  codes[n++] = cudaMemsetAsync(bytes, 1, 0);
  cudaDeviceSynchronize();
  codes[n++] = cudaMemcpyAsync(bytes, bytes + 8, 8, cudaMemcpyHostToDevice);
  codes[n++] = cudaMemsetAsync(nullptr, 1, 8);
  codes[n++] = cudaMemset2DAsync(bytes, 2, 9, 3, 4);
  int local[2] = {n, n};
  codes[n++] = cudaMemcpyAsync(bytes, local, 8, cudaMemcpyDeviceToDevice);
  int* heap = nullptr;
  codes[n++] = cudaMalloc(&heap, 4 * sizeof(int));
  for (int i = 0; i < 4; ++i) heap[i] = 100 + i;
  codes[n++] = cudaMemcpyAsync(bytes + 3584, heap, 16, cudaMemcpyDeviceToDevice);
  cudaDeviceSynchronize();
  codes[n++] = cudaFree(heap);
  codes[n++] = cudaMalloc(reinterpret_cast<void**>(&heap), size_t{1} << 40);
  codes[n++] = heap == nullptr;
  *reinterpret_cast<int**>(bytes + 3840) = heap;  // memory that nobody uses may be taken for there
}

template <int N>
__global__ void __launch_bounds__(96) figures(int* out) {
  __shared__ int shared[N];
  shared[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = shared[N - 1 - threadIdx.x];
}
struct Answers {
  cudaFuncAttributes attributes;
  int codes[8];
  int blocks[3];
  int grid, block;
  int device, count, version, warp, sms, threads;
  char name[40], text[40];
  size_t pending;
};
__host__ __device__ void ask(Answers* a) {
  a->codes[0] = cudaFuncGetAttributes(&a->attributes, figures<500>);
  a->codes[1] = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a->blocks[0], figures<500>, 64, 0);
  a->codes[1] += cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a->blocks[1], figures<500>, 96, 20000);
  a->codes[2] = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&a->blocks[2], figures<500>, 2048, 0, 0);
  a->codes[3] = cudaOccupancyMaxPotentialBlockSize(&a->grid, &a->block, figures<500>);
  a->codes[4] = cudaGetDevice(&a->device) + cudaGetDeviceCount(&a->count) + cudaRuntimeGetVersion(&a->version);
  a->codes[5] = cudaDeviceGetAttribute(&a->warp, cudaDevAttrWarpSize, 0) +
                cudaDeviceGetAttribute(&a->sms, cudaDevAttrMultiProcessorCount, 0) +
                cudaDeviceGetAttribute(&a->threads, cudaDevAttrMaxThreadsPerMultiProcessor, 0);
  a->codes[6] = cudaDeviceGetAttribute(&a->threads, static_cast<cudaDeviceAttr>(5000), 0);
  a->codes[7] = cudaDeviceGetAttribute(&a->threads, cudaDevAttrWarpSize, 1);
  const char* name = cudaGetErrorName(cudaErrorLaunchPendingCountExceeded);
  const char* text = cudaGetErrorString(cudaErrorInvalidConfiguration);
  for (int i = 0; i < 39; ++i) {
    a->name[i] = *name == 0 ? 0 : *name++;
    a->text[i] = *text == 0 ? 0 : *text++;
  }
  a->name[39] = a->text[39] = 0;
}
__global__ void ask_device(Answers* a) { ask(a); }

static_assert(CUDA_VERSION == CUDART_VERSION && __CUDART_API_VERSION == CUDART_VERSION, "one version");
static_assert(1000 * __CUDACC_VER_MAJOR__ + 10 * __CUDACC_VER_MINOR__ == CUDART_VERSION, "one version");
void check_version() {
  int runtime = 0;
  int driver = 0;
  CUDA_OK(cudaRuntimeGetVersion(&runtime));
  CUDA_OK(cudaDriverGetVersion(&driver));
  EXPECT_SAME("version of the runtime", runtime, CUDART_VERSION);
  EXPECT_SAME("version of the driver", driver, CUDART_VERSION);
}

void check_order() {
  Shared<Log> log(1);
  tails<<<1, 1>>>(log.get());
  after<<<1, 1>>>(log.get());
  CUDA_OK(cudaDeviceSynchronize());
  const int wanted[] = {10, 11, 12, 20, 30, 31, 40, 50};
  EXPECT_SAME("launches in order", log[0].count, 8);
  for (int i = 0; i < 8; ++i) EXPECT_SAME("launch", log[0].entries[i], wanted[i]);
  Shared<int> flag(3);
  fire<<<1, 1>>>(flag.get(), flag.get() + 1);
  copy_word<<<1, 1>>>(flag.get() + 1, flag.get() + 2);
  CUDA_OK(cudaDeviceSynchronize());
  EXPECT_SAME("side by side, and before the next kernel of the host", flag[2], 7);
  Shared<int> loop(2);
  loop[0] = 20;
  control<<<1, 1>>>(loop.get(), loop.get() + 1);
  CUDA_OK(cudaDeviceSynchronize());
  EXPECT_SAME("grids that repeat themselves", loop[1], 60);
}

void check_memory() {
  Shared<unsigned char> bytes(4096);
  Shared<int> codes(32);
  std::vector<unsigned char> want(4096);
  for (int i = 0; i < 1024; ++i) want[i] = bytes[i] = static_cast<unsigned char>(i * 7 + i / 256);
  memory<<<1, 1>>>(bytes.get(), codes.get());
  CUDA_OK(cudaDeviceSynchronize());
  std::memset(&want[1024], 0xa5, 100);
  std::memset(&want[1201], 0x5a, 7);
  std::memcpy(&want[2048], &want[0], 512);
  std::memcpy(&want[2564], &want[4], 36);
  std::memcpy(&want[2609], &want[3], 5);
  for (int y = 0; y < 5; ++y) std::memcpy(&want[3072 + 20 * y], &want[16 * y], 7);
  for (int y = 0; y < 4; ++y) std::memset(&want[3200 + 16 * y], 9, 3);
  for (int z = 0; z < 2; ++z)
    for (int y = 0; y < 3; ++y) std::memcpy(&want[3328 + 24 * z + 8 * y], &want[64 * z + 16 * (y + 1) + 1], 4);
  for (int z = 0; z < 2; ++z)
    for (int y = 0; y < 2; ++y) std::memset(&want[3456 + 32 * z + 8 * y], 3, 4);
  for (int i = 0; i < 4; ++i) want[3584 + 4 * i] = static_cast<unsigned char>(100 + i);
  for (int i = 0; i < 4096; ++i) EXPECT_SAME("byte", bytes[i], want[i]);
  const int wanted[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, cudaErrorInvalidMemcpyDirection, 1, 1, 1, 0, 0, 0, 2, 1};
  for (int i = 0; i < 19; ++i) EXPECT_SAME("code", codes[i], wanted[i]);
}

void check_answers() {
  Shared<Answers> device(1);
  ask_device<<<1, 1>>>(device.get());
  CUDA_OK(cudaDeviceSynchronize());
  Answers host = {};
  ask(&host);
  const Answers& a = device[0];
  for (int i = 0; i < 8; ++i) EXPECT_SAME("code of an answer", a.codes[i], host.codes[i]);
  EXPECT_SAME("shared bytes", a.attributes.sharedSizeBytes, size_t{2000});
  EXPECT_SAME("local bytes", a.attributes.localSizeBytes, host.attributes.localSizeBytes);
  EXPECT_SAME("registers", a.attributes.numRegs, host.attributes.numRegs);
  EXPECT_SAME("threads", a.attributes.maxThreadsPerBlock, 96);
  EXPECT_SAME("binary", a.attributes.binaryVersion, host.attributes.binaryVersion);
  EXPECT_SAME("dynamic", a.attributes.maxDynamicSharedSizeBytes, host.attributes.maxDynamicSharedSizeBytes);
  for (int i = 0; i < 3; ++i) EXPECT_SAME("blocks", a.blocks[i], host.blocks[i]);
  EXPECT_SAME("some blocks", a.blocks[0] > a.blocks[1] && a.blocks[1] > 0, true);
  EXPECT_SAME("grid", a.grid, host.grid);
  EXPECT_SAME("block", a.block, host.block);
  EXPECT_SAME("device", a.device, 0);
  EXPECT_SAME("devices", a.count, 1);
  EXPECT_SAME("version", a.version, CUDART_VERSION);
  EXPECT_SAME("warp", a.warp, 32);
  EXPECT_SAME("SMs", a.sms, host.sms);
  EXPECT_SAME("threads of an SM", a.threads, host.threads);
  EXPECT_SAME("name", std::strcmp(a.name, "cudaErrorLaunchPendingCountExceeded"), 0);
  EXPECT_SAME("text", std::strcmp(a.text, "invalid configuration argument"), 0);
}

int main() {
  check_version();
  check_order();
  check_memory();
  check_answers();
  return verdict();
}
