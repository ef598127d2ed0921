// Jobs with deadlines, up to eight at a time: each job is a chain of three kernels on a stream of its own, announced to
// the device as one job. A device with a laxity engine refuses jobs that it cannot finish in time, and the program
// computes these on the host. Other devices run all jobs. `--report 1` prints the outcome of each job.
#include <castor_jobs.h>
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

__host__ __device__ inline unsigned mixed(unsigned x, unsigned key, int rounds) {
  for (int i = 0; i < rounds; ++i) x = (x ^ (x >> 15) ^ key) * 2654435761u + 12345u;
  return x;
}

__global__ void mix(unsigned* data, int n, unsigned key, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = mixed(data[i], key, rounds);
}

__global__ void pair_up(unsigned* out, const unsigned* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] + 3 * in[n - 1 - i];
}

__global__ void add_up(unsigned* sum, const unsigned* data, int n) {
  unsigned mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine += data[i];
  atomicAdd(sum, mine);
}

unsigned on_host(const unsigned* data, long n, unsigned key, int rounds) {
  std::vector<unsigned> mixed_data(n);
  for (long i = 0; i < n; ++i) mixed_data[i] = mixed(data[i], key, rounds);
  unsigned sum = 0;
  for (long i = 0; i < n; ++i) sum += mixed_data[i] + 3 * mixed_data[n - 1 - i];
  return sum;
}

int main(int argc, char** argv) {
  long n = 600, jobs = 12, rounds = 20, deadline = 400, seed = 1, report = 0;
  Options options("deadline_jobs", "jobs with deadlines, each a chain of three kernels");
  options.add("n", &n, 1, 1 << 20, "words of each job");
  options.add("jobs", &jobs, 1, 500, "jobs, eight streams work on them");
  options.add("rounds", &rounds, 1, 1 << 16, "work per word");
  options.add("deadline", &deadline, 1, 1000000, "microseconds of most jobs; every fourth has one");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.add("report", &report, 0, 1, "1: a line for each job on standard error");
  options.parse(argc, argv);

  const std::size_t bytes = n * sizeof(unsigned);
  const long workers = std::min(jobs, 8L);
  Random random(seed);
  std::vector<unsigned> input(jobs * n), expected(jobs), result(jobs);
  for (unsigned& word : input) word = static_cast<unsigned>(random.next());
  for (long j = 0; j < jobs; ++j) expected[j] = on_host(&input[j * n], n, static_cast<unsigned>(j), rounds);
  DeviceArray<unsigned> data(input), pairs(workers * n), sums(jobs);
  sums.fill_bytes(0);
  CUDA_CHECK(cudaDeviceSynchronize());

  // A deadline is a property of a stream, so there are two sets of streams: relaxed and tight.
  std::vector<cudaStream_t> relaxed(workers), tight(workers);
  for (long w = 0; w < workers; ++w) {
    CUDA_CHECK(castorStreamCreateWithDeadline(&relaxed[w], deadline * 1000ull, 0));
    CUDA_CHECK(castorStreamCreateWithDeadline(&tight[w], 1000, 0));
  }
  const char* const names[] = {"pending", "accepted", "rejected", "done", "done late", "error"};
  long open = 0, over = 0;
  for (long first = 0; first < jobs; first += workers) {
    const long last = std::min(first + workers, jobs);
    for (long j = first; j < last; ++j) {
      const cudaStream_t stream = j % 4 == 3 ? tight[j - first] : relaxed[j - first];
      unsigned *mine = data.get() + j * n, *other = pairs.get() + (j - first) * n;
      mix<<<blocks_for(n, 64), 64, 0, stream>>>(mine, n, j, rounds);
      pair_up<<<blocks_for(n, 64), 64, 0, stream>>>(other, mine, n);
      add_up<<<2, 128, 0, stream>>>(sums.get() + j, other, n);
      CUDA_CHECK(cudaGetLastError());
      CUDA_CHECK(castorStreamSubmit(stream));
    }
    for (long j = first; j < last; ++j) {
      castorJobInfo info;
      CUDA_CHECK(castorStreamWaitJob(j % 4 == 3 ? tight[j - first] : relaxed[j - first], &info));
      if (report != 0) {
        std::fprintf(stderr, "job %ld: %s, reason %d, %u cycles\n", j, names[info.status],
                     static_cast<int>(info.reason), info.cycles);
      }
      if (info.status == castorJobRejected) {
        result[j] = on_host(&input[j * n], n, static_cast<unsigned>(j), rounds);
      } else if (info.status == castorJobDone || info.status == castorJobDoneLate) {
        CUDA_CHECK(cudaMemcpy(&result[j], sums.get() + j, sizeof(unsigned), cudaMemcpyDeviceToHost));
      } else {
        ++open;
      }
      ++over;
    }
  }

  Verdict verdict(options);
  verdict.equal("sums", result, expected);
  verdict.equal("jobs that are over", over, jobs);
  verdict.equal("jobs that are not", open, 0L);
  // A rejected job leaves its sum at the initial value.
  const std::vector<unsigned> on_device = sums.download();
  bool untouched = true;
  for (long j = 0; j < jobs; ++j) untouched = untouched && (on_device[j] == 0 || on_device[j] == expected[j]);
  verdict.holds("sums on the device are whole or untouched", untouched);
  for (long w = 0; w < workers; ++w) {
    CUDA_CHECK(cudaStreamDestroy(relaxed[w]));
    CUDA_CHECK(cudaStreamDestroy(tight[w]));
  }
  return verdict.finish();
}
