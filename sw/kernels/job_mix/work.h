// What the families of job_mix have in common: a job, and what it takes to run and to check it.
#pragma once

#include <cuda_runtime.h>

#include <string>
#include <vector>

#include "../common/program.h"

namespace job_mix {

/// One job of the list. Times in nanoseconds; arrivals count from the start of the stream of jobs.
struct Job {
  std::string kind;
  long steps = 1;  ///< of a recurrent network
  unsigned long long arrival = 0, deadline = 0;
};

/// Sizes that all jobs share.
struct Sizes {
  long divide = 1;   ///< thread counts of the full size are divided by it
  long longest = 1;  ///< steps of the longest job
  unsigned seed = 1;
};

/// All jobs of one kind: tables on the device, kernels, expected results.
class Family {
 public:
  virtual ~Family() = default;
  /// Room and inputs for a job. Returns its number in the family.
  virtual int add(const Job& job) = 0;
  /// Inputs go to the device, results are set to bytes that no job writes.
  virtual void upload() = 0;
  /// Launches the job's kernels, in order.
  virtual void launch(int number, cudaStream_t stream) = 0;
  /// Fetches the results; after it `check` may be called.
  virtual void download() = 0;
  /// Compares the results of the jobs for which `ran` holds with those of the host. The others' must be untouched.
  virtual void check(const std::vector<bool>& ran, kernels::Verdict& verdict) = 0;
  /// Tells the device how long a block of kernel `name` takes alone. False: no kernel of this family has that name.
  virtual bool set_isolated(const std::string& name, unsigned time) = 0;
};

/// 32 well-mixed bits; the same on host and device.
__host__ __device__ inline unsigned mixed(unsigned x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

/// Results per job in one array on the device, filled with 0xff before jobs run.
template <class T>
class Results {
 public:
  explicit Results(std::size_t per_job) : per_job_(per_job) {}
  ~Results() { cudaFree(data_); }
  Results(const Results&) = delete;
  Results& operator=(const Results&) = delete;

  void upload(std::size_t jobs) {
    CUDA_CHECK(cudaMalloc(&data_, jobs * per_job_ * sizeof(T)));
    CUDA_CHECK(cudaMemset(data_, 0xff, jobs * per_job_ * sizeof(T)));
    host_.resize(jobs * per_job_);
  }
  void download() { CUDA_CHECK(cudaMemcpy(host_.data(), data_, host_.size() * sizeof(T), cudaMemcpyDeviceToHost)); }
  T* device(int job) const { return data_ + job * per_job_; }
  const T* begin(int job) const { return host_.data() + job * per_job_; }
  std::vector<T> of(int job) const { return {begin(job), begin(job) + per_job_}; }
  bool untouched(int job) const {
    const auto* const bytes = reinterpret_cast<const unsigned char*>(begin(job));
    return std::all_of(bytes, bytes + per_job_ * sizeof(T), [](unsigned char byte) { return byte == 0xff; });
  }

 private:
  std::size_t per_job_;
  T* data_ = nullptr;
  std::vector<T> host_;
};

/// Announces the isolated time of a kernel.
void set_isolated(const void* kernel, unsigned block_threads, unsigned time);

}  // namespace job_mix
