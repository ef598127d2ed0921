#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "castor/gpu/machine.h"
#include "castor/gpu/observer.h"
#include "castor/gpu/trace/trace_events.h"

namespace castor::gpu {

/// Writes a timeline for Perfetto and chrome://tracing (Trace Event Format, JSON object form).
///
/// Processes of the timeline: the front end's queues, the copy engines, and each SM. A queue has one track for its
/// kernels from grant to completion, divided into parsing and running, and one track for each waiting kernel. A queue
/// has at most `kTracks` of each type. An SM has one track per TB context, so that TBs that overlap are on different
/// tracks. A TB that is swapped out has one slice per stay on an SM. An arrow leads from each stay to the next.
///
/// Counters, per window: resident TBs per SM, swapped-out TBs, waiting kernels per queue, and those of `add_counter`.
/// args.cycle is the core cycle. A TB that retires in cycle c ends at the start of c + 1.
///
/// Slices are written when they end, so memory use depends on the unfinished slices and not on the length of the run.
/// The file is valid at any time (TraceFile). `close` also writes unfinished slices. If the file can no longer be
/// written, `error` returns why, and the run continues.
class Timeline final : public Observer {
 public:
  static constexpr unsigned kTracks = 32;

  /// Events outside cycles `from` .. `to` are omitted. Slices that overlap the window are written completely. Errors:
  /// InputError if `path` cannot be written.
  Timeline(const std::string& path, const Machine& machine, Cycle from = 0, Cycle to = kForever);
  ~Timeline() override;

  /// One series of a counter, which shows the growth of `value` in each window. The data that `value` reads must live
  /// until `close`.
  struct Series {
    const char* name;  ///< string literal
    std::function<std::uint64_t()> value;
  };
  /// Adds a counter to the process of an SM, with one or more series that are drawn stacked ("issue": warp
  /// instructions; "stall": by class). To be called before the first sample.
  void add_counter(unsigned sm, std::string name, std::vector<Series> series);
  /// Adds a counter to the front end's process.
  void add_counter(std::string name, std::vector<Series> series);
  /// Returns the first cycle in which `sample` should be called again; kForever without counters.
  [[nodiscard]] Cycle next_sample() const { return next_sample_; }
  /// Ends the window before cycle `now`. Statistics must be up to date (Unit::count_until). A window has
  /// machine.run.window cycles. A call after several windows writes their mean per window.
  void sample(Cycle now);

  void tb_started(const Tb& event) override;
  void tb_retired(const Tb& event) override;
  void kernel_submitted(const Kernel& event) override;
  void kernel_granted(const Kernel& event) override;
  void kernel_written(const Kernel& event) override;
  void launched(const Launch& event) override;
  void kernel_completed(const Kernel& event) override;
  void copy_started(const Copy& event) override;
  void copy_completed(const Copy& event) override;

  /// Writes unfinished slices as of the start of cycle `now`, marked "unfinished", and the counters of the last,
  /// shorter window. Closes the file. Statistics must be up to date.
  void close(Cycle now);
  /// Returns the error of the file in one line, or empty.
  [[nodiscard]] const std::string& error() const { return events_.error(); }

 private:
  static constexpr unsigned kQueues = 1, kCopies = 2, kFirstSm = 10;  // process numbers

  /// Unfinished slice of a TB.
  struct OpenTb {
    bool open = false;
    Cycle start = 0;
    const std::string* kernel = nullptr;
    Ticket ticket = 0;
    std::uint64_t gid = 0;
    std::uint32_t group = kNoGroup;
    bool returned = false;  ///< the TB was swapped out before, from SM `from`, for `away` cycles
    unsigned from = 0;
    Cycle away = 0;
  };
  /// TB that is swapped out.
  struct AwayTb {
    std::uint64_t arrow = 0;  ///< number of the arrow to the TB's next stay; 0 = outside the window, none is drawn
    unsigned sm = 0;          ///< SM that the TB has left
    Cycle left = 0;           ///< cycle in which it has left
  };
  /// Ticket of the launch, group and number of a TB.
  using TbKey = std::tuple<Ticket, std::uint32_t, std::uint64_t>;
  /// Unfinished slice of a kernel.
  struct OpenKernel {
    std::string name;
    unsigned queue = 0, entry = 0;
    unsigned track = kTracks;  ///< track of the waiting, later of the running kernel in its queue; kTracks = none
    Cycle submitted = 0, granted = kForever, written = kForever;
  };
  /// Unfinished slice of a copy.
  struct OpenCopy {
    bool open = false;
    Cycle start = 0;
    Ticket ticket = 0;
    std::uint64_t bytes = 0;
    const char* what = "";
  };
  /// Tracks of a queue.
  struct QueueState {
    std::uint32_t used[2] = {};   ///< bit masks of occupied tracks: running, waiting
    std::uint32_t named[2] = {};  ///< bit masks of tracks whose name is in the file: running, waiting
    unsigned waiting = 0;         ///< number of waiting kernels
  };
  /// A counter with its series.
  struct Counter {
    unsigned process;
    std::string name;
    std::vector<Series> series;
    std::vector<std::uint64_t> last;  ///< per series: value at the last sample
  };

  [[nodiscard]] QueueState& queue(unsigned index);
  [[nodiscard]] unsigned take_track(unsigned queue, bool waiting);
  void free_track(unsigned queue, bool waiting, unsigned track);
  [[nodiscard]] unsigned queue_track(unsigned queue, bool waiting, unsigned track);
  /// Returns a kernel's demangled name. The reference stays valid.
  const std::string& readable(const std::string& kernel);
  void counter(unsigned process, std::string_view name, std::string_view series, std::uint64_t value, Cycle cycle);
  /// `state` is empty for a TB that has retired.
  void write_tb(unsigned sm, unsigned context, OpenTb& tb, Cycle end, std::string_view state);
  void swap_out(const Tb& event);
  void come_back(const Tb& event, OpenTb& tb);
  void drop_away(Ticket kernel, Cycle cycle);
  void write_waiting(OpenKernel& kernel, Ticket ticket, Cycle end, bool finished);
  void write_kernel(OpenKernel& kernel, Ticket ticket, Cycle end, bool finished);
  void write_copy(unsigned engine, OpenCopy& copy, Cycle end, bool finished);
  void sample_counters(Cycle now, std::uint64_t windows);

  TraceEvents events_;
  /// Window length; cycle of the next sample; cycle of the last sample.
  Cycle window_ = 0, next_sample_ = kForever, sampled_ = 0;
  bool closed_ = false;

  unsigned contexts_;
  std::vector<OpenTb> tbs_;          ///< [sm * contexts_ + context]
  std::vector<bool> named_;          ///< [sm * contexts_ + context]: the track's name is in the file
  std::vector<unsigned> resident_;   ///< [sm]: resident TBs
  std::map<TbKey, AwayTb> away_;     ///< swapped-out TBs
  std::uint64_t arrows_of_tbs_ = 0;  ///< arrows between stays of a TB
  std::vector<OpenCopy> copies_;     ///< [engine] copy in progress
  std::vector<QueueState> queues_;   ///< [queue] tracks and kernels of the queue
  std::unordered_map<std::string, std::string> readable_;  ///< demangled names by PTX name
  std::unordered_map<Ticket, OpenKernel> kernels_;
  std::unordered_set<Ticket> arrows_;  ///< tickets of launches by device code whose first TB has not started
  std::vector<Counter> counters_;
};

}  // namespace castor::gpu
