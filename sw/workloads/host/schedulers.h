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

/// Latencies of a host, core cycles.
struct HostLatencies {
  Cycle communication = 6'000;  ///< 4 us: host to device, per kernel
  Cycle parse = 3'000;          ///< 2 us: of the command processor, per kernel; part of every measured run time
  Cycle model_call = 75'000;    ///< 50 us: Baymax's regression
  Cycle update = 150'000;       ///< 100 us: LAX on the host
};

/// For schedulers inside the command processor: every job goes to the device when it comes.
class SubmitAll final : public Scheduler {
 public:
  void on_arrival(Host& host, JobIndex job) override { host.submit(job); }
};

/// BatchMaker (BAT): jobs whose next kernels are of one type run it as one grid, the oldest jobs first and no more of
/// them than fill the device, where a larger batch gains nothing. While the device has a batch of a type no second one
/// of it is launched. Deadline-blind. The type with most waiting jobs goes first, then the one with the oldest job. Our
/// reading of the published one-line description.
class BatchMaker final : public Scheduler {
 public:
  static constexpr std::size_t kMaxJobs = 64;  ///< in one batch

  explicit BatchMaker(const HostLatencies& latencies) : latencies_(latencies) {}
  void on_arrival(Host& host, JobIndex job) override;
  void on_kernel_done(Host& host, JobIndex job) override;

 private:
  struct Kind {
    std::vector<JobIndex> waiting;  ///< ascending, so oldest first
    std::size_t running = 0;        ///< members of the batch under way
    std::vector<JobIndex> batch;
  };
  void wait(Host& host, JobIndex job);
  void launch(Host& host);

  HostLatencies latencies_;
  std::map<unsigned, Kind> kinds_;
};

/// Jobs wait until `size` of their kind (JobStream's variant) are there and then go to the device together: every
/// kernel is one grid for all members, and all of them have their answer when the longest is done. What is left behind
/// the last arrival goes as it is. Size 1: every job in a stream of its own.
class FixedBatches final : public Scheduler {
 public:
  FixedBatches(std::size_t size, const HostLatencies& latencies) : size_(size), latencies_(latencies) {}
  void on_arrival(Host& host, JobIndex job) override;
  void on_kernel_done(Host& host, JobIndex job) override;
  /// By job, the members of its batch; of use when all is over.
  [[nodiscard]] const std::map<JobIndex, std::vector<JobIndex>>& batches() const { return batches_; }

 private:
  void start(Host& host, std::vector<JobIndex> jobs);
  void step(Host& host, const std::vector<JobIndex>& jobs);

  std::size_t size_;
  HostLatencies latencies_;
  std::map<unsigned, std::vector<JobIndex>> waiting_;  ///< by kind
  std::map<JobIndex, std::vector<JobIndex>> batches_;  ///< by member
  std::map<JobIndex, std::size_t> running_;            ///< by first member: kernels that are not complete
};

/// Baymax (BAY): a regression predicts how long a job takes alone, 50 us a call and one call at a time; jobs are
/// launched in the order of increasing headroom = deadline - elapsed - wait for what is ahead - own prediction, only
/// while all of them keep a headroom of at least 0. Jobs with a negative one wait and are looked at again when a job
/// ends. The device takes jobs side by side while their mean shares of it sum up to at most 1; beyond that a job waits
/// until the work ahead is done. Predictions are isolated run times with a normal error of 5 %. Our reading of the
/// published one-line description.
class Baymax final : public Scheduler {
 public:
  Baymax(const HostLatencies& latencies, std::uint64_t seed) : latencies_(latencies), seed_(seed) {}
  void on_arrival(Host& host, JobIndex job) override;
  void on_kernel_done(Host& host, JobIndex job) override;
  void on_timer(Host& host, std::uint64_t tag) override;

 private:
  struct Running {
    JobIndex job = 0;
    Cycle ends = 0;  ///< as predicted
    std::uint64_t share = 0;
  };
  void launch(Host& host);

  HostLatencies latencies_;
  std::uint64_t seed_;
  Cycle model_free_ = 0;
  std::map<JobIndex, Cycle> waiting_;  ///< predicted duration
  std::vector<Running> running_;
};

/// Prophet (PRO): from profiles taken beforehand it predicts that co-run jobs take their time alone x max(1, sum of
/// their shares of TB slots, sum of their shares of bandwidth), and launches the oldest waiting job only if every job
/// then meets its deadline. A job that cannot meet its deadline alone any more is refused. The share of bandwidth is
/// that of the load from which on TBs slow down (JobStream::w0), the simulator's own constant; without `knows_w0` only
/// slots count. Our reading of the published one-line description.
class Prophet final : public Scheduler {
 public:
  explicit Prophet(const HostLatencies& latencies, bool knows_w0 = true) : latencies_(latencies), knows_w0_(knows_w0) {}
  void on_arrival(Host& host, JobIndex job) override;
  void on_kernel_done(Host& host, JobIndex job) override;

 private:
  void launch(Host& host);
  [[nodiscard]] bool all_in_time(const Host& host, JobIndex candidate) const;

  HostLatencies latencies_;
  bool knows_w0_;
  std::deque<JobIndex> waiting_;
  std::vector<JobIndex> running_;
};

/// What LAX computes, on the host: rates of kernel types, admission, priorities (docs/blocks/lax.md, "Remaining time
/// and laxity"). Whole numbers as in the engine: cycles per TB in 24.8 bits.
class LaxityTable {
 public:
  /// Cycles per TB of a type; 0 = not known.
  void set_rate(unsigned type, std::uint32_t tpw);
  /// Sum of the work of the job's kernels that are not complete; unknown types count 0 and set `unknown`.
  [[nodiscard]] Cycle work(const Host& host, JobIndex job, bool* unknown = nullptr) const;
  /// Little's law: the job is finished in time behind the `ahead` jobs. A job ahead with an unknown type counts its
  /// deadline.
  [[nodiscard]] bool admits(const Host& host, JobIndex job, const std::vector<JobIndex>& ahead) const;

  /// Class and value: smaller is more urgent. Class 0 laxity, 1 predicted to miss, 2 no deadline, 3 late.
  struct Priority {
    std::uint8_t cls = 0;
    Cycle value = 0;
    [[nodiscard]] bool operator<(const Priority& other) const {
      return cls != other.cls ? cls < other.cls : value < other.value;
    }
  };
  [[nodiscard]] Priority priority(const Host& host, JobIndex job) const;

 private:
  std::vector<std::uint32_t> tpw_;
};

/// LAX on the host without help of the command processor (LAX-SW): rates from the completions of kernels that the host
/// sees; the host sends a kernel only when it should run, 4 us each.
class LaxSoftware final : public Scheduler {
 public:
  explicit LaxSoftware(const HostLatencies& latencies) : latencies_(latencies) {}
  void on_arrival(Host& host, JobIndex job) override;
  void on_kernel_done(Host& host, JobIndex job) override;
  void on_timer(Host& host, std::uint64_t tag) override;

 private:
  struct Window {                 ///< of a kernel type, as the engine's
    std::uint64_t tbs = 0;        ///< complete
    Cycle active = 0, since = 0;  ///< cycles with a kernel of the type on the device
    unsigned running = 0;
  };
  struct Live {
    LaxityTable::Priority priority;  ///< of the last update; class 0, value 0 before
    bool running = false;
  };
  void dispatch(Host& host);
  [[nodiscard]] std::vector<JobIndex> admitted() const;

  HostLatencies latencies_;
  LaxityTable table_;
  std::vector<Window> windows_;
  std::map<JobIndex, Live> live_;
  std::uint64_t used_ = 0;  ///< share of the device that is taken
  bool ticking_ = false;
};

/// LAX on the host, with priorities written into the command processor's registers (LAX-CPU): all kernels are given to
/// the device at once; every 100 us rates are read and priorities written, 4 us each way. Admission on the host.
class LaxCpu final : public Scheduler {
 public:
  explicit LaxCpu(const HostLatencies& latencies) : latencies_(latencies) {}
  void on_arrival(Host& host, JobIndex job) override;
  void on_job_end(Host& host, JobIndex job) override;
  void on_timer(Host& host, std::uint64_t tag) override;

 private:
  HostLatencies latencies_;
  LaxityTable table_;
  std::vector<JobIndex> live_;          ///< ascending
  std::vector<std::uint32_t> sampled_;  ///< rates under way to the host
  bool ticking_ = false;
};

/// Share of the device that a kernel takes, x 2^20, rounded up: its TBs over the TBs that fit.
[[nodiscard]] std::uint64_t share(const Host& host, const KernelCall& call);
inline constexpr std::uint64_t kWholeDevice = std::uint64_t{1} << 20U;
/// Largest share of the job's kernels that are not complete.
[[nodiscard]] std::uint64_t widest_share(const Host& host, JobIndex job);
/// Share over all kernels of the job, weighted by how long they take.
[[nodiscard]] std::uint64_t mean_share(const Host& host, JobIndex job);

/// Where a scheduler of the evaluation runs.
enum class Place : std::uint8_t {
  kCommandProcessor,  ///< a policy of the laxity engine; jobs are submitted whole
  kHost,              ///< kernel by kernel; the command processor serves its queues round robin
  kShared,            ///< on the host, through the engine's external priorities
};
struct SchedulerInfo {
  const char* name;
  Place place;
  const char* policy;  ///< of the laxity engine, as machine key blocks.lax.policy writes it; of kHost none
  const char* what;    ///< one line
};
/// In the order of the source's tables.
[[nodiscard]] const std::vector<SchedulerInfo>& schedulers();
/// nullptr if there is none.
[[nodiscard]] const SchedulerInfo* find_scheduler(std::string_view name);
[[nodiscard]] std::unique_ptr<Scheduler> make_scheduler(const SchedulerInfo& info, const HostLatencies& latencies,
                                                        std::uint64_t seed);

}  // namespace castor::workloads
