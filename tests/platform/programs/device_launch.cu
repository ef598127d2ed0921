// Launches by device code: children, recursion, lanes that launch together, both ways to write a launch, streams and
// events, waiting for children, errors of the calls, limits. Each result is compared with the host's.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <vector>

namespace {

constexpr int kWords = 4096;
int* words = nullptr;  // managed

void say(const char* what, bool right) { std::printf("%s: %s\n", what, right ? "right" : "WRONG"); }
bool run() { return cudaDeviceSynchronize() == cudaSuccess; }
void clear() { std::fill(words, words + kWords, 0); }
template <class F>
bool all(int count, F value) {
  for (int i = 0; i < count; ++i) {
    if (words[i] != value(i)) return false;
  }
  return true;
}

// --- A child writes an array.

struct Mixed {
  char c;
  double d;
};

__global__ void child(int* out, Mixed mixed, short s, int factor) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  out[i] = i * factor + mixed.c + static_cast<int>(mixed.d) + s;
}
template <class T, int N>
__global__ void scale(T* out, T by) {
  out[threadIdx.x] = static_cast<T>(threadIdx.x) * by + N;
}
__global__ void by_function(int* out) {
  castor::launch<child>(3, 32)(out, Mixed{2, 5.5}, -3, 7);
  castor::launch<scale<int, 9>>(dim3(1), dim3(16, 2))(out + 96, 4);
}
__global__ void by_brackets(int* out) {
  child<<<3, 32>>>(out, Mixed{2, 5.5}, -3, 7);
  scale<int, 9><<<dim3(1), dim3(16, 2)>>>(out + 96, 4);
}
int expected(int i) { return i < 96 ? i * 7 + 2 + 5 - 3 : (i < 112 ? (i - 96) * 4 + 9 : 0); }

// --- Launches of several lanes, from a template that the host calls too.

__global__ void mark(int* out, int value) { atomicAdd(out, value); }
template <class T>
__host__ __device__ void mark_all(T* out, int value) {
  for (int i = 0; i < 2; ++i) mark<<<1, 2>>>(out, value);
}
__global__ void lanes(int* out) {
  if (threadIdx.x % 3 == 0) mark_all(out + threadIdx.x, static_cast<int>(threadIdx.x) + 1);
}

// --- Recursion: quicksort, and a sum whose parts come back through memory.

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
  cudaStream_t one, two;
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
  quicksort<<<1, 1, 0, one>>>(data, left, j, depth - 1);
  quicksort<<<1, 1, 0, two>>>(data, i, right, depth - 1);
  cudaStreamDestroy(one);
  cudaStreamDestroy(two);
}
__global__ void deep(int* out, int depth) {
  out[depth] = depth * depth;
  if (depth > 0) deep<<<1, 1>>>(out, depth - 1);
}
__global__ void sum(int* out, int node, int depth) {
  if (depth == 0) {
    out[node] = node;
    return;
  }
  __shared__ int kept;
  if (threadIdx.x == 0) kept = 1000;
  __syncthreads();
  sum<<<1, 2>>>(out, 2 * node + static_cast<int>(threadIdx.x), depth - 1);
  const cudaError_t waited = cudaDeviceSynchronize();
  __syncthreads();
  if (threadIdx.x == 0) out[node] = waited == cudaSuccess ? out[2 * node] + out[2 * node + 1] + kept - 1000 : -1;
}

// --- Order: the null stream, a stream, an event between streams.

__global__ void append(int* list, int value) { list[1 + atomicAdd(list, 1)] = value; }
// Every third takes its time, so that those behind it would come first if nothing held them.
__global__ void grow(int* list, int value) {
  volatile int spent = 0;
  while (value % 3 == 0 && spent < 40000) spent = spent + 1;
  if (threadIdx.x == 0) append<<<1, 1>>>(list, value);
}
__global__ void ordered(int* out) {
  for (int i = 0; i < 20; ++i) grow<<<1, 32>>>(out, i);
  cudaStream_t s, t;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
  for (int i = 0; i < 20; ++i) grow<<<1, 32, 0, s>>>(out + 100, i);
  cudaEvent_t e;
  cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
  cudaEventRecord(e, s);
  cudaStreamWaitEvent(t, e, 0);
  for (int i = 20; i < 25; ++i) grow<<<1, 32, 0, t>>>(out + 100, i);
  cudaEventDestroy(e);
}

// --- What the calls return.

__device__ cudaStream_t kept_stream;

__global__ void errors(int* out) {
  void* const value = reinterpret_cast<void*>(castor::launch_detail::Address<decltype(&mark), &mark>::value);
  const auto args = [&](void* buffer) {
    *static_cast<int**>(buffer) = out + 50;
    static_cast<int*>(buffer)[2] = 1;
    return buffer;
  };
  *out++ = cudaLaunchDevice(value, nullptr, dim3(1), dim3(1), 0, nullptr);
  *out++ = cudaLaunchDevice(value, out, dim3(1), dim3(1), 0, nullptr);
  *out++ = cudaLaunchDevice(value, cudaGetParameterBuffer(64, 4), dim3(1), dim3(1), 0, nullptr);
  void* const twice = args(cudaGetParameterBuffer(64, 12));
  *out++ = cudaLaunchDevice(nullptr, twice, dim3(1), dim3(1), 0, nullptr);
  *out++ = cudaLaunchDevice(value, twice, dim3(0), dim3(1), 0, nullptr);
  *out++ = cudaLaunchDevice(value, twice, dim3(1), dim3(1, 0, 1), 0, nullptr);
  *out++ = cudaLaunchDevice(value, twice, dim3(1), dim3(1025), 0, nullptr);
  *out++ = cudaLaunchDevice(value, twice, dim3(1), dim3(1, 1, 65), 0, nullptr);
  *out++ = cudaLaunchDevice(value, twice, dim3(1, 65536), dim3(1), 0, nullptr);
  *out++ = cudaLaunchDevice(value, twice, dim3(1), dim3(1), 1 << 20, nullptr);
  *out++ = cudaPeekAtLastError();
  *out++ = cudaGetLastError();
  *out++ = cudaGetLastError();
  *out++ = cudaLaunchDevice(value, twice, dim3(1), dim3(1), 0, nullptr);
  *out++ = cudaLaunchDevice(value, twice, dim3(1), dim3(1), 0, nullptr);
  *out++ = cudaGetParameterBuffer(128, 4) == nullptr;
  *out++ = cudaGetParameterBufferV2(nullptr, dim3(1), dim3(1), 0) == nullptr;
  void* const second = args(cudaGetParameterBufferV2(value, dim3(2), dim3(3), 0));
  *out++ = cudaLaunchDeviceV2(second, nullptr);
  *out++ = cudaLaunchDeviceV2(second, nullptr);
  cudaStream_t stream;
  *out++ = cudaStreamCreateWithFlags(&stream, cudaStreamDefault);
  *out++ = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  *out++ = cudaStreamDestroy(stream);
  *out++ = cudaStreamDestroy(stream);
  cudaStreamCreateWithFlags(&kept_stream, cudaStreamNonBlocking);
}
__global__ void other_block(int* out) { *out = castor::launch<mark>(1, 1, 0, kept_stream)(out + 1, 1); }
constexpr int kErrors[] = {1, 1, 1, 1, 9, 9, 9, 9, 9, 9, 9, 9, 0, 0, 1, 1, 1, 0, 1, 1, 0, 0, 400};

// --- Limits: who may not launch does the work himself.

__global__ void many(int* out, int* refused) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const cudaError_t error = castor::launch<mark>(1, 1)(out + i, 5);
  if (error == 69) {
    atomicAdd(refused, 1);
    atomicAdd(out + i, 5);
  }
}
__global__ void limits(int* out) {
  size_t value = 0;
  out[0] = cudaDeviceGetLimit(&value, cudaLimitDevRuntimePendingLaunchCount);
  out[1] = static_cast<int>(value);
  out[2] = cudaDeviceGetLimit(&value, cudaLimitDevRuntimeSyncDepth);
  out[3] = static_cast<int>(value);
  out[4] = cudaDeviceGetLimit(&value, cudaLimitStackSize);
}

}  // namespace

int main() {
  cudaMallocManaged(&words, kWords * sizeof(int));
  clear();
  by_function<<<1, 1>>>(words);
  say("child, castor::launch", run() && all(128, expected));
  clear();
  by_brackets<<<1, 1>>>(words);
  say("child, <<<>>>", run() && all(128, expected));

  clear();
  lanes<<<1, 64>>>(words);
  say("several lanes", run() && all(64, [](int i) { return i % 3 == 0 ? 4 * (i + 1) : 0; }));
  clear();
  mark_all(words, 3);
  say("the same function on the host", run() && words[0] == 12);

  std::vector<int> sorted(1000);
  unsigned random = 1;
  for (int i = 0; i < 1000; ++i) {
    random = random * 1664525 + 1013904223;
    words[i] = sorted[i] = static_cast<int>(random >> 20);
  }
  std::sort(sorted.begin(), sorted.end());
  quicksort<<<1, 1>>>(words, 0, 999, 5);
  say("quicksort to depth 5", run() && all(1000, [&](int i) { return sorted[i]; }));
  clear();
  deep<<<1, 1>>>(words, 30);
  say("recursion to depth 30", run() && all(31, [](int i) { return i * i; }));

  clear();
  sum<<<1, 2>>>(words, 1, 5);
  run();
  say("waiting beyond the limit", words[1] == -4 && words[4] == -1 && words[16] == -1);
  cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 5);
  clear();
  sum<<<1, 2>>>(words, 1, 5);
  say("sum of a tree of depth 5", run() && words[1] == (32 + 63) * 16);

  clear();
  ordered<<<1, 1>>>(words);
  say("null stream in order", run() && words[0] == 20 && std::is_sorted(words + 1, words + 21));
  say("stream and event in order", words[100] == 25 && std::is_sorted(words + 101, words + 126));

  clear();
  errors<<<1, 1>>>(words);
  say("errors", run() && all(23, [](int i) { return kErrors[i]; }) && words[53] == 1 && words[67] == 6);
  for (int i = 0; i < 23; ++i) {
    if (words[i] != kErrors[i]) std::printf("  %d: %d, expected %d\n", i, words[i], kErrors[i]);
  }
  clear();
  other_block<<<1, 1>>>(words);
  say("stream of another block", run() && words[0] == 400 && words[1] == 0);

  clear();
  many<<<16, 128>>>(words, words + 3000);
  say("2048 launches", run() && all(2048, [](int) { return 5; }) && words[3000] == 0);
  cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 10);
  clear();
  many<<<16, 128>>>(words, words + 3000);
  say("pending limit of 10", run() && all(2048, [](int) { return 5; }));
  clear();
  limits<<<1, 1>>>(words);
  const int told[] = {0, 10, 0, 5, 42};
  say("limits in device code", run() && all(5, [&](int i) { return told[i]; }));
  say("limits too high", cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 1 << 19) == cudaErrorInvalidValue &&
                             cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 25) == cudaErrorInvalidValue);
  cudaDeviceReset();
  cudaMallocManaged(&words, kWords * sizeof(int));
  limits<<<1, 1>>>(words);
  const int reset[] = {0, 2048, 0, 2, 42};
  say("limits after a reset", run() && all(5, [&](int i) { return reset[i]; }));
  return 0;
}
