#pragma once

#include <cstdint>
#include <memory>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "castor/gpu/machine.h"
#include "castor/gpu/observer.h"
#include "castor/gpu/replay/replay_file.h"
#include "castor/gpu/timing_device.h"
#include "workloads/host/host.h"
#include "workloads/host/outcome.h"

namespace castor::workloads {

/// A host with a scheduler and a GPU whose SMs replay the stream's kernels. It is an event loop over arrivals, timers
/// and completions. A job owns a queue from its first launch to its end; jobs wait in the host while no queue is free.
///
/// The host learns of an event of device cycle c in cycle c + 1. The device sees an action of cycle c with delay d in
/// cycle c + d. Within a cycle, completions come first, then arrivals, then timers in the order in which they were set.
///
/// Limits: the command processor serves its queues in round robin, so priorities have no effect. One per process.
class ReplayHost final : public Host, private gpu::Observer {
 public:
  /// All references must outlive the host. The machine's SMs must replay (replay.enable).
  ReplayHost(const gpu::Machine& machine, const JobStream& stream, Scheduler& scheduler);
  ~ReplayHost() override;

  /// Runs until no work is left. Jobs that the scheduler never submits stay open.
  RunOutcome run();

  [[nodiscard]] Cycle now() const override { return now_; }
  [[nodiscard]] const JobStream& stream() const override { return stream_; }
  [[nodiscard]] std::size_t kernels_done(JobIndex job) const override { return jobs_[job].done; }
  [[nodiscard]] std::uint64_t slots(unsigned type) const override { return slots_[type]; }
  [[nodiscard]] std::uint32_t measured_tpw(unsigned type) const override;
  void submit(JobIndex job) override;
  void launch(JobIndex job, Cycle delay) override;
  void launch_merged(const std::vector<JobIndex>& jobs, Cycle delay) override;
  void reject(JobIndex job) override;
  void set_priority(JobIndex /*job*/, std::uint32_t /*value*/, Cycle /*delay*/) override {}
  void set_timer(Cycle at, std::uint64_t tag) override;

 private:
  static constexpr unsigned kNoQueue = ~0U;
  /// State of a job: its queue (kNoQueue: none), completed kernels, result.
  struct State {
    unsigned queue = kNoQueue;
    std::size_t done = 0;
    JobOutcome outcome;
  };
  /// A timer or an arrival in the event queue. For an arrival, `tag` is the job.
  struct Event {
    Cycle at = 0;
    bool timer = false;  ///< true: a timer; false: an arrival
    std::uint64_t order = 0, tag = 0;
    [[nodiscard]] bool operator>(const Event& other) const {
      return std::tie(at, timer, order) > std::tie(other.at, other.timer, other.order);
    }
  };
  /// A submission of jobs to the device. `visible`: cycle in which the device sees the submission.
  struct Pending {
    std::vector<JobIndex> jobs;
    bool whole = false;
    Cycle visible = 0;
  };

  void tb_placed(const Tb& event) override;
  void kernel_completed(const Kernel& event) override;
  void deliver_completions();
  void give(const std::vector<JobIndex>& jobs, bool whole, Cycle visible);
  [[nodiscard]] bool take_queue(const std::vector<JobIndex>& jobs);
  void send(const Pending& pending);

  const gpu::Machine& machine_;
  const JobStream& stream_;
  Scheduler& scheduler_;
  gpu::ReplayFile file_;
  std::unique_ptr<gpu::TimingDevice> device_;
  std::vector<gpu::ProgramHandle> programs_;  ///< programs in the device, indexed by kernel type
  std::vector<std::uint64_t> slots_;
  Cycle now_ = 0;
  std::vector<State> jobs_;
  std::vector<unsigned> free_queues_;  ///< in descending order; the lowest is allocated first
  std::vector<Pending> waiting_;       ///< submissions that wait for a free queue
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t order_ = 0;
  std::unordered_map<gpu::Ticket, std::vector<JobIndex>> tickets_;
  std::vector<std::pair<gpu::Ticket, Cycle>> completed_;
};

}  // namespace castor::workloads
