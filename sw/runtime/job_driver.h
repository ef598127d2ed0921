#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "castor/gpu/device.h"
#include "castor/gpu/job.h"

namespace castor::runtime {

/// Driver software for jobs with deadlines (docs/gpu/jobs.md, "Jobs"): manages streams, JOB packets, signal words and
/// the table of kernel types. Writes the registers of the block that judges jobs, as that block's JobControl describes.
/// Works on every device. If no block judges jobs, all jobs are accepted; a machine without inspector executes only the
/// kernels.
///
/// If jobs are judged, each stream has a queue of its own. Otherwise streams in excess of the number of queues share
/// queues; such a stream accepts no further work while its job is in flight.
///
/// A stream has one job at a time: enqueue kernels, submit, poll until the job is over; then the stream accepts the
/// next job. Kernels submitted while a job is in flight are appended to it. Kernels appended too late become a new job
/// with the same deadline.
/// Errors: InputError for an unknown stream, a deadline of 0 or beyond 2^32 - 2 cycles, no queue left.
/// Limits: not thread-safe; a job has at most 65535 kernels.
class JobDriver {
 public:
  using StreamId = unsigned;
  static constexpr std::uint64_t kNoDeadline = ~std::uint64_t{0};

  /// Options of a driver.
  struct Settings {
    unsigned first_queue = 0;   ///< the driver uses no queue below this number
    bool from_top = false;      ///< streams are assigned queues from the highest number down
    unsigned kernel_types = 0;  ///< number of kernel types; 0: as many as the judging block can distinguish, else 64
    double core_mhz = 0;        ///< core clock in MHz; 0: from the machine
  };
  JobDriver(gpu::Device& device, const Settings& settings);
  explicit JobDriver(gpu::Device& device);
  ~JobDriver();

  /// Creates a stream whose jobs must complete within `deadline_ns` of their submission; kNoDeadline: best effort.
  [[nodiscard]] StreamId create(std::uint64_t deadline_ns);
  /// Destroys an idle stream. Its queue may be used again.
  void destroy(StreamId stream);
  /// Returns the number of further streams that can be created with a queue of their own.
  [[nodiscard]] std::size_t available() const { return free_.size(); }
  [[nodiscard]] unsigned queue(StreamId stream) const;

  /// Holds a kernel back until the stream's next `submit`. Sets the kernel's type number.
  void enqueue(StreamId stream, gpu::KernelPacket kernel);
  /// Rings the doorbell: the JOB packet (or several, of at most eight kernel types each) and the kernels enter the
  /// queue. The job starts now, or in core cycle `start` if that is not 0. Returns the completion handles of the
  /// kernels.
  std::vector<gpu::Ticket> submit(StreamId stream, std::uint64_t start = 0);
  /// Returns the present state of the signal words, without any simulated time. kPending: not judged yet, or nothing
  /// was ever submitted. Once a job is over (kRejected, kDone, kDoneLate) its queue is returned to the judging block,
  /// and `submit` starts a new job.
  [[nodiscard]] gpu::JobSignal poll(StreamId stream);
  /// Returns the most recent kernel submitted for the stream; 0: none.
  [[nodiscard]] gpu::Ticket last_ticket(StreamId stream) const { return streams_[stream].last; }
  /// True if the stream's job was submitted and is not over.
  [[nodiscard]] bool busy(StreamId stream) const;

  /// Sets the external priority of the stream's queue, for schedulers that use it: smaller is more urgent.
  void set_priority(StreamId stream, std::uint32_t value);
  /// Returns the type number of a kernel with blocks of `block_threads` threads. Equal programs with equal block sizes
  /// share a type. If all numbers are taken, a new type gets the least recently used number, after that number's entry
  /// of the profiling table was cleared.
  [[nodiscard]] std::uint8_t kid_of(gpu::ProgramHandle program, std::uint64_t block_threads);

  /// Sets the isolated execution time of a kernel type: core cycles per TB, in 24.8 fixed point, on a device without
  /// other work. No effect if no block judges jobs. Errors: InputError for a value that the block refuses.
  void set_isolated_time(std::uint8_t kid, std::uint32_t value);

  /// True if a block of the device judges jobs.
  [[nodiscard]] bool judged() const { return control_ != nullptr; }
  /// Reads a register of the block that judges jobs. Errors: InputError with offset and answer, or if no block judges
  /// jobs.
  std::uint32_t read_register(std::uint32_t offset);
  /// Writes a register of the block that judges jobs. Errors: as read_register.
  void write_register(std::uint32_t offset, std::uint32_t value);

 private:
  /// One JOB packet of a job, with its kernels and its signal word.
  struct Part {
    gpu::JobPacket packet;
    std::vector<gpu::KernelPacket> kernels;
    std::uint64_t signal = 0;
  };
  /// State of one stream with a deadline.
  struct Stream {
    bool open = false;
    bool shared = false;                                   ///< another stream uses the same queue
    std::uint32_t deadline = gpu::JobPacket::kNoDeadline;  ///< deadline of the stream's jobs in cycles
    /// Kernels enqueued and not yet submitted.
    std::vector<gpu::KernelPacket> waiting;
    std::deque<Part> parts;  ///< JOB packets of the job in flight; the first one created the job
    gpu::JobSignal result;
    bool busy = false;
    gpu::Ticket last = 0;
  };
  /// Entry of the table of kernel types.
  struct Kind {
    gpu::ProgramHandle program = 0;
    std::uint64_t threads = 0;
    std::uint64_t used = 0;  ///< value of `uses_` at the last use
    bool taken = false;
  };

  [[nodiscard]] Stream& at(StreamId stream);
  [[nodiscard]] std::uint64_t new_signal();
  [[nodiscard]] std::uint64_t signal_word(std::uint64_t address) const;
  std::vector<gpu::Ticket> send(StreamId stream, std::vector<gpu::KernelPacket> kernels, bool append,
                                std::uint64_t start);
  void finish(StreamId stream);
  void write(const gpu::RegisterAccess& access);
  void post(const std::optional<gpu::RegisterAccess>& access);
  [[nodiscard]] unsigned window() const;

  gpu::Device& device_;
  Settings settings_;
  const gpu::JobControl* control_;  ///< null: no block judges jobs
  unsigned list_types_ = 0;         ///< most kernel types that one JOB packet can list
  std::vector<Stream> streams_;
  std::deque<StreamId> free_;
  std::vector<Kind> kinds_;
  std::uint64_t uses_ = 0;  ///< counter of uses of kernel types
  std::uint32_t next_job_ = 1;
  std::vector<std::uint64_t> signals_;       ///< free signal words
  std::vector<std::uint64_t> signal_pages_;  ///< device allocations that hold the signal words
};

}  // namespace castor::runtime
