#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "castor/gpu/machine.h"
#include "castor/gpu/observer.h"
#include "castor/gpu/trace/trace_events.h"

namespace castor::gpu {

/// Writes a timeline that opens in Perfetto and chrome://tracing (Trace Event Format, JSON object form).
///
/// Processes: the front end's queues (per queue a track with its kernels from grant to completion, divided into parsing
/// and running, and one for each kernel that waits; of each at most `kTracks` a queue), the copy engines, and each SM
/// (a track per TB context, so that TBs that overlap lie in tracks of their own). Counters: resident TBs per SM,
/// waiting kernels per queue, and whatever `add_counter` names, per window. args.cycle is the core cycle. A TB that
/// retires in cycle c lasts to the start of c + 1.
///
/// Slices are written when they end, so memory follows what is under way, not the length of the run. The file is valid
/// at any moment (TraceFile); `close` also writes what is under way. A file that cannot be written further ends in
/// `error`, and the run goes on.
///
/// Limits: TBs that change their context while they live (swapped ones) are not followed.
class Timeline final : public Observer {
 public:
  static constexpr unsigned kTracks = 32;

  /// Events outside cycles `from` .. `to` are left out; slices that reach into the window are whole. Errors: InputError
  /// if `path` cannot be written.
  Timeline(const std::string& path, const Machine& machine, Cycle from = 0, Cycle to = kForever);
  ~Timeline() override;

  /// A value of a counter: what `value` grows by in a window. What it reads must live until `close`.
  struct Series {
    const char* name;  ///< a literal
    std::function<std::uint64_t()> value;
  };
  /// A counter with one or more series, drawn stacked, in the process of an SM ("issue": warp instructions; "stall": by
  /// class). Before the first sample.
  void add_counter(unsigned sm, std::string name, std::vector<Series> series);
  /// Same, in the front end's process.
  void add_counter(std::string name, std::vector<Series> series);
  /// First cycle in which `sample` wants to be called again; kForever without counters.
  [[nodiscard]] Cycle next_sample() const { return next_sample_; }
  /// The window that ends with cycle `now` - 1. Statistics must be up to date (Unit::count_until). Windows are
  /// machine.run.window cycles; a call after several windows gives their mean per window.
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

  /// Writes what is under way at the start of cycle `now`, marked "unfinished", the counts of the last window, which is
  /// shorter, and closes the file. Statistics must be up to date.
  void close(Cycle now);
  /// What went wrong with the file, one line, or empty.
  [[nodiscard]] const std::string& error() const { return events_.error(); }

 private:
  static constexpr unsigned kQueues = 1, kCopies = 2, kFirstSm = 10;  // process numbers

  struct OpenTb {
    bool open = false;
    Cycle start = 0;
    const std::string* kernel = nullptr;
    Ticket ticket = 0;
    std::uint64_t gid = 0;
    std::uint32_t group = kNoGroup;
  };
  struct OpenKernel {
    std::string name;
    unsigned queue = 0, entry = 0;
    unsigned track = kTracks;  ///< among those that wait, then among those that run; kTracks = none
    Cycle submitted = 0, granted = kForever, written = kForever;
  };
  struct OpenCopy {
    bool open = false;
    Cycle start = 0;
    Ticket ticket = 0;
    std::uint64_t bytes = 0;
    const char* what = "";
  };
  struct QueueState {
    std::uint32_t used[2] = {};   ///< tracks with a kernel: running, waiting
    std::uint32_t named[2] = {};  ///< tracks with a name in the file
    unsigned waiting = 0;
  };
  struct Counter {
    unsigned process;
    std::string name;
    std::vector<Series> series;
    std::vector<std::uint64_t> last;
  };

  [[nodiscard]] QueueState& queue(unsigned index);
  [[nodiscard]] unsigned take_track(unsigned queue, bool waiting);
  void free_track(unsigned queue, bool waiting, unsigned track);
  [[nodiscard]] unsigned queue_track(unsigned queue, bool waiting, unsigned track);
  /// A kernel's name for people; stays where it is.
  const std::string& readable(const std::string& kernel);
  void counter(unsigned process, std::string_view name, std::string_view series, std::uint64_t value, Cycle cycle);
  void write_tb(unsigned sm, unsigned context, OpenTb& tb, Cycle end, bool finished);
  void write_waiting(OpenKernel& kernel, Ticket ticket, Cycle end, bool finished);
  void write_kernel(OpenKernel& kernel, Ticket ticket, Cycle end, bool finished);
  void write_copy(unsigned engine, OpenCopy& copy, Cycle end, bool finished);
  void sample_counters(Cycle now, std::uint64_t windows);

  TraceEvents events_;
  Cycle window_ = 0, next_sample_ = kForever, sampled_ = 0;
  bool closed_ = false;

  unsigned contexts_;
  std::vector<OpenTb> tbs_;                                ///< [sm * contexts_ + context]
  std::vector<bool> named_;                                ///< same index: the track has a name
  std::vector<unsigned> resident_;                         ///< [sm]
  std::vector<OpenCopy> copies_;                           ///< [engine]
  std::vector<QueueState> queues_;                         ///< [queue]
  std::unordered_map<std::string, std::string> readable_;  ///< names asked for before
  std::unordered_map<Ticket, OpenKernel> kernels_;
  std::unordered_set<Ticket> arrows_;  ///< launches by device code without a block yet
  std::vector<Counter> counters_;
};

}  // namespace castor::gpu
