// Interfaces shared by the job families of job_mix: a job, its family, and its results.
#pragma once

#include <cuda_runtime.h>

#include <string>
#include <vector>

#include "../common/program.h"

namespace job_mix {

/// One job of the list. Times in nanoseconds; arrivals count from the start of the stream of jobs.
struct Job {
  std::string kind;
  long steps = 1;  ///< time steps of a recurrent network; 1 for other types
  unsigned long long arrival = 0, deadline = 0;
};

/// Sizes that all jobs share.
struct Sizes {
  long divide = 1;   ///< thread counts of the full size are divided by this number
  long longest = 1;  ///< time steps of the longest job
  unsigned seed = 1;
};

/// All jobs of one type: their device tables, kernels and expected results.
class Family {
 public:
  virtual ~Family() = default;
  /// Allocates buffers and generates inputs for a job. Returns the number of the job in its family.
  virtual int add(const Job& job) = 0;
  /// Copies the inputs to the device and fills the results with a byte pattern that no job writes.
  virtual void upload() = 0;
  /// Launches the job's kernels, in order.
  virtual void launch(int number, cudaStream_t stream) = 0;
  /// Copies the results to the host; call it before check().
  virtual void download() = 0;
  /// Compares results with the host's for the jobs where `ran` is true. Results of the other jobs must be untouched.
  virtual void check(const std::vector<bool>& ran, kernels::Verdict& verdict) = 0;
  /// Passes the execution time of one block of kernel `name`, running alone, to the device. Returns false if the family
  /// has no kernel of that name.
  virtual bool set_isolated(const std::string& name, unsigned time) = 0;
};

/// Returns a 32-bit hash of x, equal on host and device.
__host__ __device__ inline unsigned mixed(unsigned x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

/// Results of all jobs of a family in one device array, filled with 0xff before jobs run.
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

/// Passes the isolated execution time of a kernel's block to the device, in 1/256 core cycles.
void set_isolated(const void* kernel, unsigned block_threads, unsigned time);

}  // namespace job_mix
