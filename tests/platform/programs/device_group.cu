// Groups of thread blocks that device code launches with cudaLaunchAggGroup: of the kernel that launches and of others,
// from many lanes, recursive, in three dimensions, beside launches of kernels; errors of the call; work that a thread
// without a buffer does itself. Each result is compared with the host's. Machines may attach a group to a kernel that
// is resident or make a kernel of it: what is printed is the same.
#include <castor_groups.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <vector>

namespace {

constexpr int kWords = 16384;
int* words = nullptr;  // managed

void say(const char* what, bool right) { std::printf("%s: %s\n", what, right ? "right" : "WRONG"); }
bool run() { return cudaDeviceSynchronize() == cudaSuccess; }
void clear() { std::fill(words, words + kWords, 0); }
template <class F>
bool all(int count, F value) {
  for (int i = 0; i < count; ++i) {
    if (words[i] != value(i)) {
      std::printf("  %d: %d, expected %d\n", i, words[i], value(i));
      return false;
    }
  }
  return true;
}

template <auto kernel>
__device__ void* value_of() {
  return reinterpret_cast<void*>(castor::launch_detail::Address<decltype(kernel), kernel>::value);
}
/// A group of `kernel` with those arguments, as the kernel's parameters have them.
template <auto kernel, class... Arguments>
__device__ cudaError_t group(dim3 grid, dim3 block, unsigned shared, Arguments... arguments) {
  namespace detail = castor::launch_detail;
  void* const buffer = cudaGetParameterBuffer(64, detail::bytes(0, static_cast<Arguments*>(nullptr)...));
  if (buffer == nullptr) return cudaErrorMemoryAllocation;
  detail::write(static_cast<char*>(buffer), 0, arguments...);
  return cudaLaunchAggGroup(value_of<kernel>(), buffer, grid, block, shared);
}

// --- A group of another kernel, with mixed parameters.

struct Mixed {
  char c;
  double d;
};
__global__ void child(int* out, Mixed mixed, short s, int factor) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  out[i] = i * factor + mixed.c + static_cast<int>(mixed.d) + s;
}
__global__ void simple(int* out) { group<child>(3, 32, 0, out, Mixed{2, 5.5}, short{-3}, 7); }

// --- All lanes of several blocks, each with a group of its own size.

__global__ void piece(int* out, int from, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) atomicAdd(out + from + i, from + 1);
}
constexpr int kPieces = 256, kMost = 50;
__host__ __device__ constexpr int size_of(int thread) { return thread * 37 % kMost + 1; }
__global__ void deal(int* out) {
  const int thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int count = size_of(thread);
  if (group<piece>((count + 31) / 32, 32, 0, out, thread * kMost, count) != cudaSuccess) atomicAdd(out + kWords - 1, 1);
}

// --- Recursion: a kernel's groups join it. A tree of nodes, and a chain that is deeper than levels are counted.

__global__ void tree(int* out, int node, int nodes) {
  if (node >= nodes) return;
  atomicAdd(out + node, 1);
  if (threadIdx.x < 2) group<tree>(1, 32, 0, out, 2 * node + static_cast<int>(threadIdx.x), nodes);
}
__global__ void chain(int* out, int left) {
  atomicAdd(out + left, static_cast<int>(threadIdx.x) + 1);
  if (left > 0 && threadIdx.x == 0) group<chain>(1, 32, 0, out, left - 1);
}

// --- Quicksort: both parts are groups.

__global__ void quicksort(int* data, int left, int right, int depth) {
  if (left >= right) return;
  if (depth == 0) {
    for (int i = left + 1; i <= right; ++i) {
      for (int j = i; j > left && data[j - 1] > data[j]; --j) {
        const int t = data[j];
        data[j] = data[j - 1];
        data[j - 1] = t;
      }
    }
    return;
  }
  const int pivot = data[(left + right) / 2];
  int i = left, j = right;
  while (i <= j) {
    while (data[i] < pivot) ++i;
    while (data[j] > pivot) --j;
    if (i > j) break;
    const int t = data[i];
    data[i++] = data[j];
    data[j--] = t;
  }
  group<quicksort>(1, 1, 0, data, left, j, depth - 1);
  group<quicksort>(1, 1, 0, data, i, right, depth - 1);
}

// --- Three dimensions: each thread of the group writes where it is.

constexpr int kX = 5, kY = 3, kZ = 2, kThreads = 24;
__global__ void where(int* out, int number) {
  if (number < 0) {
    const int thread = static_cast<int>((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x);
    if (thread < 4) {
      group<where>(dim3(kX, kY, kZ), dim3(4, 3, 2), 0, out + thread * kX * kY * kZ * kThreads, 100 * thread);
    }
    return;
  }
  const int block = static_cast<int>((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x);
  const int thread = static_cast<int>((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x);
  const bool right =
      gridDim.x == kX && gridDim.y == kY && gridDim.z == kZ && blockDim.x == 4 && blockDim.y == 3 && blockDim.z == 2;
  atomicAdd(out + block * kThreads + thread, right ? number + 1 + block : -1);
}

// --- Shared memory, static and dynamic, of blocks of groups that run at once.

__global__ void sums(int* out, int number) {
  extern __shared__ int dynamic[];
  __shared__ int fixed[64];
  fixed[threadIdx.x] = number + static_cast<int>(threadIdx.x);
  dynamic[threadIdx.x] = 2 * fixed[threadIdx.x];
  __syncthreads();
  if (number < 0) {
    group<sums>(2, 64, 256, out, static_cast<int>(threadIdx.x));
    return;
  }
  int sum = 0;
  for (int i = 0; i < 64; ++i) sum += fixed[63 - i] + dynamic[i];
  if (threadIdx.x == 0) atomicAdd(out + number, sum);
}

// --- Beside launches of kernels, in a loop, and two kernels from one warp.

__global__ void add(int* out, int value) { atomicAdd(out, value); }
__global__ void twice(int* out, int value) { atomicAdd(out, 2 * value); }
__global__ void mixed_launches(int* out) {
  int* const mine = out + threadIdx.x;
  for (int i = 0; i < 3; ++i) {
    if (threadIdx.x % 2 == 0) {
      group<add>(2, 3, 0, mine, i + 1);
    } else {
      group<twice>(1, 5, 0, mine, i + 1);
    }
    if (threadIdx.x % 8 == 0) castor::launch<add>(1, 1)(mine, 1000);
  }
}

// --- Stores before the call are seen by the group; what follows in the stream waits for all groups.

__global__ void read_back(int* out, const int* from) {
  out[threadIdx.x] = from[threadIdx.x] + static_cast<int>(threadIdx.x);
}
__global__ void stores(int* out) {
  out[1024 + threadIdx.x] = 7 * static_cast<int>(threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) group<read_back>(1, 128, 0, out, out + 1024);
}
__global__ void copy(int* to, const int* from) { to[threadIdx.x] = from[threadIdx.x]; }

// --- What the call returns.

__global__ void errors(int* out) {
  void* const value = value_of<add>();
  int* const target = out + 50;
  const auto args = [&](void* buffer) {
    *static_cast<int**>(buffer) = target;
    static_cast<int*>(buffer)[2] = 1;
    return buffer;
  };
  *out++ = cudaLaunchAggGroup(value, nullptr, dim3(1), dim3(1), 0);
  *out++ = cudaLaunchAggGroup(value, out, dim3(1), dim3(1), 0);
  void* const small = cudaGetParameterBuffer(64, 4);
  *out++ = cudaLaunchAggGroup(value, small, dim3(1), dim3(1), 0);
  void* const buffer = args(cudaGetParameterBuffer(64, 12));
  *out++ = cudaLaunchAggGroup(nullptr, buffer, dim3(0), dim3(1), 0);
  *out++ = cudaLaunchAggGroup(value, static_cast<char*>(buffer) + 4, dim3(1), dim3(1), 0);
  *out++ = cudaLaunchAggGroup(value, buffer, dim3(0), dim3(1), 0);
  *out++ = cudaLaunchAggGroup(value, buffer, dim3(1, 1, 0), dim3(1), 0);
  *out++ = cudaLaunchAggGroup(value, buffer, dim3(1), dim3(1, 0), 0);
  *out++ = cudaLaunchAggGroup(value, buffer, dim3(1, 65536), dim3(1), 0);
  *out++ = cudaLaunchAggGroup(value, buffer, dim3(1, 1, 65536), dim3(1), 0);
  *out++ = cudaLaunchAggGroup(value, buffer, dim3(65538, 65535), dim3(1), 0);
  *out++ = cudaLaunchAggGroup(value, buffer, dim3(1), dim3(1025), 0);
  *out++ = cudaLaunchAggGroup(value, buffer, dim3(1), dim3(1, 1, 65), 0);
  *out++ = cudaLaunchAggGroup(value, buffer, dim3(1), dim3(1), 1 << 20);
  *out++ = cudaGetLastError();
  *out++ = cudaGetLastError();
  *out++ = cudaLaunchAggGroup(value, buffer, dim3(3), dim3(2), 0);
  *out++ = cudaLaunchAggGroup(value, buffer, dim3(1), dim3(1), 0);
  *out++ = cudaLaunchDevice(value, buffer, dim3(1), dim3(1), 0, nullptr);
}
constexpr int kErrors[] = {1, 1, 1, 1, 1, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 0, 0, 1, 1};

// --- Limits: pending launches do not limit groups; who gets no buffer does the work himself.

__global__ void many(int* out) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (group<add>(1, 1, 0, out + i, 5) != cudaSuccess) atomicAdd(out + kWords - 1, 1);
}
__global__ void large(int* out) {
  void* const buffer = cudaGetParameterBuffer(64, 32 << 20);
  __syncthreads();
  if (buffer == nullptr) {
    atomicAdd(out + threadIdx.x, 9);
    atomicAdd(out + 1000, 1);
    return;
  }
  *static_cast<int**>(buffer) = out + threadIdx.x;
  static_cast<int*>(buffer)[2] = 9;
  if (cudaLaunchAggGroup(value_of<add>(), buffer, dim3(1), dim3(1), 0) != cudaSuccess) atomicAdd(out + 1001, 1);
}

}  // namespace

int main() {
  cudaMallocManaged(&words, kWords * sizeof(int));

  clear();
  simple<<<1, 1>>>(words);
  say("a group", run() && all(128, [](int i) { return i < 96 ? i * 7 + 2 + 5 - 3 : 0; }));

  clear();
  deal<<<4, kPieces / 4>>>(words);
  say("groups of 256 threads", run() && words[kWords - 1] == 0 && all(kPieces * kMost, [](int i) {
                                 return i % kMost < size_of(i / kMost) ? i / kMost * kMost + 1 : 0;
                               }));

  clear();
  tree<<<1, 32>>>(words, 1, 300);
  say("a tree of groups", run() && all(400, [](int i) { return i >= 1 && i < 300 ? 32 : 0; }));
  clear();
  chain<<<1, 32>>>(words, 40);
  say("a chain of 40", run() && all(50, [](int i) { return i <= 40 ? 32 * 33 / 2 : 0; }));

  std::vector<int> sorted(1000);
  unsigned random = 1;
  for (int i = 0; i < 1000; ++i) {
    random = random * 1664525 + 1013904223;
    words[i] = sorted[i] = static_cast<int>(random >> 20);
  }
  std::sort(sorted.begin(), sorted.end());
  quicksort<<<1, 1>>>(words, 0, 999, 6);
  say("quicksort", run() && all(1000, [&](int i) { return sorted[i]; }));

  clear();
  where<<<1, dim3(4, 3, 2)>>>(words, -1);
  say("three dimensions", run() && all(4 * kX * kY * kZ * kThreads, [](int i) {
                            const int of_group = kX * kY * kZ * kThreads;
                            return 100 * (i / of_group) + 1 + i % of_group / kThreads;
                          }));

  clear();
  sums<<<1, 64, 256>>>(words, -1);
  say("shared memory", run() && all(64, [](int i) { return 2 * 3 * (64 * i + 63 * 64 / 2); }));

  clear();
  mixed_launches<<<1, 64>>>(words);
  say("two kernels, and launches of kernels",
      run() && all(64, [](int i) { return (i % 2 == 0 ? 6 : 10) * (1 + 2 + 3) + (i % 8 == 0 ? 3000 : 0); }));

  clear();
  stores<<<1, 128>>>(words);
  copy<<<1, 128>>>(words + 2048, words);
  say("stores before, kernels behind",
      run() && all(128, [](int i) { return 8 * i; }) && std::equal(words, words + 128, words + 2048));
  clear();
  cudaStream_t one, two;
  cudaEvent_t event;
  cudaStreamCreate(&one);
  cudaStreamCreate(&two);
  cudaEventCreate(&event);
  stores<<<1, 128, 0, one>>>(words);
  cudaEventRecord(event, one);
  cudaStreamWaitEvent(two, event, 0);
  copy<<<1, 128, 0, two>>>(words + 2048, words);
  say("an event behind groups", cudaStreamSynchronize(two) == cudaSuccess && all(128, [](int i) { return 8 * i; }) &&
                                    std::equal(words, words + 128, words + 2048));
  run();

  clear();
  errors<<<1, 1>>>(words);
  say("errors", run() && all(19, [](int i) { return kErrors[i]; }) && words[50] == 6);

  cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 10);
  clear();
  many<<<8, 128>>>(words);
  say("1024 groups, pending limit of 10", run() && all(1024, [](int) { return 5; }) && words[kWords - 1] == 0);
  for (int round = 0; round < 2; ++round) {
    clear();
    large<<<1, 64>>>(words);
    say("without buffers",
        run() && all(64, [](int) { return 9; }) && words[1000] > 0 && words[1000] < 64 && words[1001] == 0);
  }

  cudaDeviceReset();
  cudaMallocManaged(&words, kWords * sizeof(int));
  clear();
  tree<<<1, 32>>>(words, 1, 100);
  say("after a reset", run() && all(150, [](int i) { return i >= 1 && i < 100 ? 32 : 0; }));

  // A kernel that is held ends when it is let go, also if the machine has nothing else to do.
  const void* const held = reinterpret_cast<const void*>(tree);
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  clear();
  const bool holds = castorHoldKernel(held, 1) == cudaSuccess;
  tree<<<1, 32, 0, one>>>(words, 1, 2);
  int word = 0;
  cudaMemcpy(&word, words, sizeof word, cudaMemcpyDefault);
  say("a kernel that was held", holds && castorHoldKernel(held, 0) == cudaSuccess && run());
  say("no kernel", castorHoldKernel(&words, 1) == cudaErrorInvalidDeviceFunction);
  return 0;
}
