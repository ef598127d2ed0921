#pragma once

#include <array>

#include "castor/tb_swap/ports.h"

namespace castor::tb_swap {

/// Order to move TBs: the TB of a context out, a parked TB in, or both in this order.
struct Job {
  U8 slot = 0;         // TB context
  bool out = false;    // the TB of the context is moved out
  U32 gid = 0;         // with `out`: number of the TB
  U8 site = 0;         // with `out`: site at which the TB waits
  bool fresh = false;  // nothing is moved in
  U32 in_gid = 0;      // number of the TB that starts or is moved in
  Entry entry;         // without `fresh`: entry of the TB that is moved in
};

/// FIFO of the jobs that wait for the machine that moves TBs out.
class JobQueue {
 public:
  void reset(const Params& params) {
    size_ = static_cast<U8>(params.MaxTb);
    head_ = count_ = 0;
  }
  [[nodiscard]] unsigned count() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] bool full() const { return count_ == size_; }

  /// Appends the job at the ports job_*; the queue must not be full.
  void push(const Inputs& in) {
    const unsigned end = head_ + count_;
    Job& job = jobs_[end < size_ ? end : end - size_];
    job = {in.job_slot, in.job_out != 0, in.job_gid, in.job_site, in.job_new != 0, in.job_in_gid, in.job_entry};
    ++count_;
  }
  /// Removes the oldest job and returns it; the queue must not be empty. The reference is valid until the next push.
  const Job& pop() {
    const Job& job = jobs_[head_];
    head_ = static_cast<U8>(head_ + 1U == size_ ? 0 : head_ + 1U);
    --count_;
    return job;
  }

 private:
  std::array<Job, 64> jobs_;  // ring of `size_` rows
  U8 size_ = 0;               // MaxTb
  U8 head_ = 0;               // row of the oldest job
  U8 count_ = 0;              // jobs that wait
};

/// Second part of a job, between the machine that moves TBs out and the machine that moves TBs in.
struct HandOver {
  bool valid = false;  // set by the former machine, cleared when the latter takes the job
  U8 slot = 0;         // TB context
  bool fresh = false;  // nothing is moved in
  U32 gid = 0;         // number of the TB that starts or is moved in
  U8 rhome = 0;        // register home of the context from now on
  U8 shome = 0;        // shared home of the context from now on
  Entry entry;         // without `fresh`: entry of the TB that is moved in
};

}  // namespace castor::tb_swap
