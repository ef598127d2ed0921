// Work in several streams: pinned memory, asynchronous copies and sets in all directions, events that one stream
// records and another waits for, host functions, and queries.
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

__global__ void scramble(unsigned* data, int n, unsigned key) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    data[i] = (data[i] ^ key) * 2654435761u;
  }
}

__global__ void add_to(unsigned* sum, const unsigned* data, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum[i] += data[i];
}

struct Log {  // values that host functions observed
  const unsigned* sum;
  unsigned first_word;
  int calls;
};

void CUDART_CB look(void* user) {
  Log* log = static_cast<Log*>(user);
  log->first_word = log->sum[0];
  ++log->calls;
}

int main(int argc, char** argv) {
  long n = 5000, workers = 4, seed = 1;
  Options options("streams", "several streams that wait for each other");
  options.add("n", &n, 1, 1 << 22, "words of each worker");
  options.add("workers", &workers, 1, 32, "streams besides the one that adds up");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.parse(argc, argv);

  const std::size_t bytes = n * sizeof(unsigned);
  unsigned *pinned = nullptr, *pinned_sum = nullptr, *device = nullptr, *copies = nullptr, *sum = nullptr;
  CUDA_CHECK(cudaMallocHost(&pinned, workers * bytes));
  CUDA_CHECK(cudaMallocHost(&pinned_sum, bytes));
  CUDA_CHECK(cudaMalloc(&device, workers * bytes));
  CUDA_CHECK(cudaMalloc(&copies, workers * bytes));
  CUDA_CHECK(cudaMalloc(&sum, bytes));
  Random random(seed);
  std::vector<unsigned> expected(n, 0x01010101u);
  for (long i = 0; i < workers * n; ++i) {
    pinned[i] = static_cast<unsigned>(random.next());
    expected[i % n] += (pinned[i] ^ static_cast<unsigned>(i / n)) * 2654435761u;
  }

  cudaStream_t adder;
  cudaEvent_t begin, end;
  CUDA_CHECK(cudaStreamCreateWithFlags(&adder, cudaStreamNonBlocking));
  CUDA_CHECK(cudaEventCreate(&begin));
  CUDA_CHECK(cudaEventCreate(&end));
  std::vector<cudaStream_t> stream(workers);
  std::vector<cudaEvent_t> done(workers);
  CUDA_CHECK(cudaEventRecord(begin, adder));
  CUDA_CHECK(cudaMemsetAsync(sum, 1, bytes, adder));
  for (long w = 0; w < workers; ++w) {
    CUDA_CHECK(cudaStreamCreate(&stream[w]));
    CUDA_CHECK(cudaEventCreateWithFlags(&done[w], cudaEventDisableTiming));
    unsigned *mine = device + w * n, *copy = copies + w * n;
    CUDA_CHECK(cudaMemcpyAsync(mine, pinned + w * n, bytes, cudaMemcpyHostToDevice, stream[w]));
    scramble<<<8, 128, 0, stream[w]>>>(mine, n, w);
    CUDA_CHECK(cudaMemcpyAsync(copy, mine, bytes, cudaMemcpyDeviceToDevice, stream[w]));
    CUDA_CHECK(cudaEventRecord(done[w], stream[w]));
    CUDA_CHECK(cudaMemsetAsync(mine, 0xee, bytes, stream[w]));  // must not overtake the copy before it
    CUDA_CHECK(cudaStreamWaitEvent(adder, done[w], 0));
    add_to<<<8, 128, 0, adder>>>(sum, copy, n);
  }
  CUDA_CHECK(cudaGetLastError());
  Log log = {pinned_sum, 0, 0};
  CUDA_CHECK(cudaMemcpyAsync(pinned_sum, sum, bytes, cudaMemcpyDefault, adder));
  CUDA_CHECK(cudaLaunchHostFunc(adder, look, &log));
  CUDA_CHECK(cudaLaunchHostFunc(adder, look, &log));
  CUDA_CHECK(cudaEventRecord(end, adder));
  long polls = 0;
  cudaError_t status = cudaEventQuery(end);
  for (; status == cudaErrorNotReady; status = cudaEventQuery(end)) ++polls;
  CUDA_CHECK(status);
  float milliseconds = -1;
  CUDA_CHECK(cudaEventElapsedTime(&milliseconds, begin, end));

  Verdict verdict(options);
  verdict.equal("sums", std::vector<unsigned>(pinned_sum, pinned_sum + n), expected);
  verdict.equal("host function calls", log.calls, 2);
  verdict.equal("word it saw", log.first_word, expected[0]);
  verdict.holds("time > 0", milliseconds > 0);
  bool all_done = true;
  for (long w = 0; w < workers; ++w) {
    CUDA_CHECK(cudaStreamSynchronize(stream[w]));
    all_done = all_done && cudaStreamQuery(stream[w]) == cudaSuccess;
    CUDA_CHECK(cudaEventDestroy(done[w]));
    CUDA_CHECK(cudaStreamDestroy(stream[w]));
  }
  verdict.holds("streams are done", all_done);
  CUDA_CHECK(cudaEventDestroy(begin));
  CUDA_CHECK(cudaEventDestroy(end));
  CUDA_CHECK(cudaStreamDestroy(adder));
  for (unsigned* host : {pinned, pinned_sum}) CUDA_CHECK(cudaFreeHost(host));
  for (unsigned* array : {device, copies, sum}) CUDA_CHECK(cudaFree(array));
  return verdict.finish();
}
