#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "workloads/host/host.h"
#include "workloads/host/outcome.h"

namespace castor::workloads {

/// A host over a device that runs every kernel in its service time, however many there are: what a scheduler decides
/// can be read off from the launches.
class FakeHost final : public Host {
 public:
  struct Launch {
    Cycle at = 0;  ///< seen by the device
    std::vector<JobIndex> jobs;
    unsigned type = 0;
  };
  struct Priority {
    Cycle at = 0;
    JobIndex job = 0;
    std::uint32_t value = 0;
  };

  FakeHost(const JobStream& stream, Scheduler& scheduler, std::vector<std::uint64_t> slots)
      : stream_(stream), scheduler_(scheduler), slots_(std::move(slots)), done_(stream.jobs.size()) {
    outcome.jobs.resize(stream.jobs.size());
    tpw.resize(stream.types.size());
    for (JobIndex job = 0; job < stream.jobs.size(); ++job) {
      at(stream.jobs[job].arrival, 1, [this, job] { scheduler_.on_arrival(*this, job); });
    }
  }

  void run() {
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.at;
      event.action();
    }
  }

  [[nodiscard]] Cycle now() const override { return now_; }
  [[nodiscard]] const JobStream& stream() const override { return stream_; }
  [[nodiscard]] std::size_t kernels_done(JobIndex job) const override { return done_[job]; }
  [[nodiscard]] std::uint64_t slots(unsigned type) const override { return slots_[type]; }
  [[nodiscard]] std::uint32_t measured_tpw(unsigned type) const override { return tpw[type]; }
  void submit(JobIndex job) override {
    submitted.push_back(job);
    at(now_ + stream_.isolated(stream_.jobs[job]), 0, [this, job] {
      done_[job] = stream_.jobs[job].kernels.size();
      finish(job);
      scheduler_.on_job_end(*this, job);
    });
  }
  void launch(JobIndex job, Cycle delay) override { launch_merged({job}, delay); }
  void launch_merged(const std::vector<JobIndex>& jobs, Cycle delay) override {
    const unsigned type = next_kernel(*this, jobs.front()).type;
    for (const JobIndex job : jobs) EXPECT_EQ(next_kernel(*this, job).type, type);
    launches.push_back({now_ + delay, jobs, type});
    at(now_ + delay + stream_.types[type].service, 0, [this, jobs] {
      for (const JobIndex job : jobs) {
        outcome.jobs[job].tbs += stream_.jobs[job].kernels[done_[job]].tbs;
        if (++done_[job] == stream_.jobs[job].kernels.size()) finish(job);
      }
      for (const JobIndex job : jobs) scheduler_.on_kernel_done(*this, job);
    });
  }
  void reject(JobIndex job) override { outcome.jobs[job].end = JobOutcome::End::kRejected; }
  void set_priority(JobIndex job, std::uint32_t value, Cycle delay) override {
    priorities.push_back({now_ + delay, job, value});
  }
  void set_timer(Cycle when, std::uint64_t tag) override {
    at(when, 2, [this, tag] { scheduler_.on_timer(*this, tag); });
  }

  /// For tests of what is computed from the state: puts it somewhere.
  void set_now(Cycle now) { now_ = now; }

  std::vector<Launch> launches;
  std::vector<JobIndex> submitted;
  std::vector<Priority> priorities;
  std::vector<std::uint32_t> tpw;
  RunOutcome outcome;

 private:
  struct Event {
    Cycle at;
    unsigned rank;
    std::uint64_t order;
    std::function<void()> action;
    [[nodiscard]] bool operator>(const Event& other) const {
      return std::tie(at, rank, order) > std::tie(other.at, other.rank, other.order);
    }
  };
  void at(Cycle when, unsigned rank, std::function<void()> action) {
    events_.push({when, rank, order_++, std::move(action)});
  }
  void finish(JobIndex job) {
    outcome.jobs[job].end = JobOutcome::End::kDone;
    outcome.jobs[job].finished = now_;
  }

  const JobStream& stream_;
  Scheduler& scheduler_;
  std::vector<std::uint64_t> slots_;
  std::vector<std::size_t> done_;
  Cycle now_ = 0;
  std::uint64_t order_ = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

}  // namespace castor::workloads
