#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/host/host.h"

namespace castor::workloads {

/// Latencies of a host in core cycles.
struct HostLatencies {
  Cycle communication = 6'000;  ///< 4 us: message from host to device, per kernel
  Cycle parse = 3'000;  ///< 2 us: parsing by the command processor, per kernel; included in every measured run time
  Cycle model_call = 75'000;  ///< 50 us: one evaluation of Baymax's regression
  Cycle update = 150'000;     ///< 100 us: update period of LAX on the host
};

/// Host side of schedulers inside the command processor: submits every job to the device on arrival.
class SubmitAll final : public Scheduler {
 public:
  void on_arrival(Host& host, JobIndex job) override { host.submit(job); }
};

/// BatchMaker (BAT): jobs whose next kernels are of one type run them as one grid. A batch takes the oldest jobs first,
/// up to the number that fills the device, since a larger batch gains nothing. A type has at most one batch on the
/// device at a time. The type with the most waiting jobs is launched first, then the one with the oldest job. Deadlines
/// are ignored. This is our interpretation of the published one-line description.
class BatchMaker final : public Scheduler {
 public:
  static constexpr std::size_t kMaxJobs = 64;  ///< limit of jobs in one batch

  explicit BatchMaker(const HostLatencies& latencies) : latencies_(latencies) {}
  void on_arrival(Host& host, JobIndex job) override;
  void on_kernel_done(Host& host, JobIndex job) override;

 private:
  /// Jobs whose next kernel is of one kernel type.
  struct Kind {
    std::vector<JobIndex> waiting;  ///< jobs waiting for this type, in ascending order and thus oldest first
    std::size_t running = 0;        ///< members of the batch in flight whose kernel is not complete
    std::vector<JobIndex> batch;
  };
  void wait(Host& host, JobIndex job);
  void launch(Host& host);

  HostLatencies latencies_;
  std::map<unsigned, Kind> kinds_;
};

/// Batches of fixed size. Jobs wait until `size` jobs of one variant (Job::variant) are present and are then launched
/// together. Every kernel is one grid for all members, and all members receive their result when the longest is done.
/// After the last arrival the remaining jobs are launched as smaller batches. With size 1 every job runs in a stream of
/// its own.
class FixedBatches final : public Scheduler {
 public:
  FixedBatches(std::size_t size, const HostLatencies& latencies) : size_(size), latencies_(latencies) {}
  void on_arrival(Host& host, JobIndex job) override;
  void on_kernel_done(Host& host, JobIndex job) override;
  /// Returns the members of each job's batch, by job; complete after the run.
  [[nodiscard]] const std::map<JobIndex, std::vector<JobIndex>>& batches() const { return batches_; }

 private:
  void start(Host& host, std::vector<JobIndex> jobs);
  void step(Host& host, const std::vector<JobIndex>& jobs);

  std::size_t size_;
  HostLatencies latencies_;
  std::map<unsigned, std::vector<JobIndex>> waiting_;  ///< waiting jobs, by variant
  std::map<JobIndex, std::vector<JobIndex>> batches_;  ///< by job: all jobs of the batch to which the job belongs
  std::map<JobIndex, std::size_t> running_;  ///< kernels in flight that are not complete, by first member of the batch
};

/// Baymax (BAY): a regression predicts the isolated run time of a job; a call takes 50 us, one call at a time. headroom
/// = deadline - elapsed time - wait for the work ahead - the job's own prediction. Jobs are launched in order of
/// increasing headroom, while every running job keeps a headroom of at least 0. Jobs with negative headroom wait and
/// are evaluated again when a job ends. The device runs jobs concurrently while their mean shares of the device sum to
/// at most 1. Beyond that a job waits for the work ahead. Predictions are isolated run times with a normally
/// distributed error of 5 %. This is our interpretation of the published one-line description.
class Baymax final : public Scheduler {
 public:
  Baymax(const HostLatencies& latencies, std::uint64_t seed) : latencies_(latencies), seed_(seed) {}
  void on_arrival(Host& host, JobIndex job) override;
  void on_kernel_done(Host& host, JobIndex job) override;
  void on_timer(Host& host, std::uint64_t tag) override;

 private:
  /// A job on the device: predicted end, and mean share of the device (x 2^20).
  struct Running {
    JobIndex job = 0;
    Cycle ends = 0;  ///< predicted end
    std::uint64_t share = 0;
  };
  void launch(Host& host);

  HostLatencies latencies_;
  std::uint64_t seed_;
  Cycle model_free_ = 0;
  std::map<JobIndex, Cycle> waiting_;  ///< predicted duration
  std::vector<Running> running_;
};

/// Prophet (PRO): predicts from offline profiles that concurrent jobs take their isolated time x max(1, sum of their
/// shares of TB slots, sum of their shares of bandwidth). It launches the oldest waiting job only if every job then
/// meets its deadline. A job that cannot meet its deadline even alone is refused. The bandwidth share is relative to
/// the load from which on TBs slow down (JobStream::w0), which is the simulator's own constant. Without `knows_w0` only
/// TB slots count. This is our interpretation of the published one-line description.
class Prophet final : public Scheduler {
 public:
  explicit Prophet(const HostLatencies& latencies, bool knows_w0 = true) : latencies_(latencies), knows_w0_(knows_w0) {}
  void on_arrival(Host& host, JobIndex job) override;
  void on_kernel_done(Host& host, JobIndex job) override;

 private:
  void launch(Host& host);
  /// Returns whether all running jobs and `candidate` would meet their deadlines, by the prediction.
  [[nodiscard]] bool all_in_time(const Host& host, JobIndex candidate) const;

  HostLatencies latencies_;
  bool knows_w0_;
  std::deque<JobIndex> waiting_;
  std::vector<JobIndex> running_;
};

/// The computations of LAX, on the host: rates of kernel types, admission, priorities (docs/blocks/lax.md, "Remaining
/// time and laxity"). Integer arithmetic as in the engine: cycles per TB in 24.8 bits.
class LaxityTable {
 public:
  /// Sets the cycles per TB of a kernel type; 0 = not known.
  void set_rate(unsigned type, std::uint32_t tpw);
  /// Returns the work of the job's remaining kernels in cycles. Types without a rate count 0 and set `*unknown`.
  [[nodiscard]] Cycle work(const Host& host, JobIndex job, bool* unknown = nullptr) const;
  /// Returns whether the job can finish in time after the `ahead` jobs, by Little's law. A job ahead with a kernel type
  /// whose rate is not known counts with its deadline.
  [[nodiscard]] bool admits(const Host& host, JobIndex job, const std::vector<JobIndex>& ahead) const;

  /// Priority of a job: class, then value; smaller is more urgent. Class 0: laxity; 1: predicted to miss; 2: no
  /// deadline; 3: late.
  struct Priority {
    std::uint8_t cls = 0;
    Cycle value = 0;
    [[nodiscard]] bool operator<(const Priority& other) const {
      return cls != other.cls ? cls < other.cls : value < other.value;
    }
  };
  /// Returns the job's current priority.
  [[nodiscard]] Priority priority(const Host& host, JobIndex job) const;

 private:
  std::vector<std::uint32_t> tpw_;
};

/// LAX on the host without support from the command processor (LAX-SW). Rates come from the kernel completions that the
/// host sees. The host sends each kernel only when it should run, which costs 4 us per kernel.
class LaxSoftware final : public Scheduler {
 public:
  explicit LaxSoftware(const HostLatencies& latencies) : latencies_(latencies) {}
  void on_arrival(Host& host, JobIndex job) override;
  void on_kernel_done(Host& host, JobIndex job) override;
  void on_timer(Host& host, std::uint64_t tag) override;

 private:
  struct Window {           ///< rate window of a kernel type, as in the engine
    std::uint64_t tbs = 0;  ///< completed TBs
    /// Cycles with a kernel of the type on the device; start of the current active period
    Cycle active = 0, since = 0;
    unsigned running = 0;
  };
  /// An admitted job that is not complete. `running`: one of its kernels is on the device.
  struct Live {
    LaxityTable::Priority priority;  ///< priority computed at the last update; class 0, value 0 before the first update
    bool running = false;
  };
  /// Launches kernels in order of priority while they fit into the device.
  void dispatch(Host& host);
  [[nodiscard]] std::vector<JobIndex> admitted() const;

  HostLatencies latencies_;
  LaxityTable table_;
  std::vector<Window> windows_;
  std::map<JobIndex, Live> live_;
  std::uint64_t used_ = 0;  ///< share of the device that running kernels use, x 2^20
  bool ticking_ = false;
};

/// LAX on the host with priorities in registers of the command processor (LAX-CPU). All kernels of a job are submitted
/// at once. Every 100 us the host reads rates and writes priorities, 4 us each way. The host also decides admission.
class LaxCpu final : public Scheduler {
 public:
  explicit LaxCpu(const HostLatencies& latencies) : latencies_(latencies) {}
  void on_arrival(Host& host, JobIndex job) override;
  void on_job_end(Host& host, JobIndex job) override;
  void on_timer(Host& host, std::uint64_t tag) override;

 private:
  HostLatencies latencies_;
  LaxityTable table_;
  std::vector<JobIndex> live_;          ///< admitted jobs that have not ended, in ascending order
  std::vector<std::uint32_t> sampled_;  ///< rates in transfer to the host
  bool ticking_ = false;
};

/// Returns the share of the device that a kernel uses, x 2^20, rounded up: its TBs / the TBs that fit.
[[nodiscard]] std::uint64_t share(const Host& host, const KernelCall& call);
inline constexpr std::uint64_t kWholeDevice = std::uint64_t{1} << 20U;
/// Returns the largest share of the device over the job's remaining kernels.
[[nodiscard]] std::uint64_t widest_share(const Host& host, JobIndex job);
/// Returns the mean share of the device over all kernels of the job, weighted by service time.
[[nodiscard]] std::uint64_t mean_share(const Host& host, JobIndex job);

/// Where a scheduler of the evaluation runs.
enum class Place : std::uint8_t {
  kCommandProcessor,  ///< a policy of the laxity engine; jobs are submitted whole
  kHost,              ///< on the host, kernel by kernel; the command processor serves its queues round robin
  kShared,            ///< on the host, through the engine's external priorities
};
struct SchedulerInfo {
  const char* name;
  Place place;
  const char* policy;  ///< policy of the laxity engine, as machine key blocks.lax.policy names it; empty for kHost
  const char* what;    ///< description in one line
};
/// Returns all schedulers in the order of the source's tables.
[[nodiscard]] const std::vector<SchedulerInfo>& schedulers();
/// Returns the scheduler of that name, or nullptr if there is none.
[[nodiscard]] const SchedulerInfo* find_scheduler(std::string_view name);
/// Creates a scheduler; for policies inside the command processor a SubmitAll.
[[nodiscard]] std::unique_ptr<Scheduler> make_scheduler(const SchedulerInfo& info, const HostLatencies& latencies,
                                                        std::uint64_t seed);

}  // namespace castor::workloads
