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

/// The driver's side of jobs with deadlines (docs/gpu/jobs.md, "Jobs"): streams, JOB packets, signal words, the table
/// of kernel types, and what the driver writes into the registers of a block that judges jobs, as the block's
/// JobControl says. It works on every device: where nobody judges jobs all are accepted, and a machine without
/// inspector takes the kernels alone.
///
/// Where jobs are judged a stream has a queue of its own; elsewhere streams beyond the number of queues share them, and
/// take no further work while a job is under way.
///
/// A stream has one job at a time: enqueue kernels, submit, poll until it is over; then it takes the next one. What is
/// enqueued and submitted while a job is under way is appended to it; if that comes too late the rest becomes a job of
/// its own with the same deadline.
/// Errors: InputError for a stream that is not there, a deadline of 0 or beyond 2^32 - 2 cycles, no queue left.
/// Limits: not thread-safe; a job has at most 65535 kernels.
class JobDriver {
 public:
  using StreamId = unsigned;
  static constexpr std::uint64_t kNoDeadline = ~std::uint64_t{0};

  struct Settings {
    unsigned first_queue = 0;   ///< queues below are left to others
    bool from_top = false;      ///< streams get the highest queues first
    unsigned kernel_types = 0;  ///< 0: as many as those who judge can tell apart, else 64
    double core_mhz = 0;        ///< 0: the machine's
  };
  JobDriver(gpu::Device& device, const Settings& settings);
  explicit JobDriver(gpu::Device& device);
  ~JobDriver();

  /// A stream whose jobs have to be done `deadline_ns` after their submission, or best effort.
  [[nodiscard]] StreamId create(std::uint64_t deadline_ns);
  /// The stream is idle. Its queue may be used again.
  void destroy(StreamId stream);
  /// Streams that can be created now and get a queue of their own.
  [[nodiscard]] std::size_t available() const { return free_.size(); }
  [[nodiscard]] unsigned queue(StreamId stream) const;

  /// Adds a kernel to what the next `submit` announces. Its kernel type is filled in.
  void enqueue(StreamId stream, gpu::KernelPacket kernel);
  /// The doorbell: JOB packet (or packets: at most eight kernel types each) and kernels go to the queue. The job starts
  /// now, or in the cycle `start` if that is not 0. Returns the tickets of the kernels.
  std::vector<gpu::Ticket> submit(StreamId stream, std::uint64_t start = 0);
  /// What the signal words say now; costs no time. kPending also if nothing was ever submitted. Once a job is over
  /// (kRejected, kDone, kDoneLate) the queue is given back to those who judge, and `submit` starts a new job.
  [[nodiscard]] gpu::JobSignal poll(StreamId stream);
  /// Youngest kernel that was given to the device for the stream; 0 = none.
  [[nodiscard]] gpu::Ticket last_ticket(StreamId stream) const { return streams_[stream].last; }
  /// The job of the stream was submitted and is not over.
  [[nodiscard]] bool busy(StreamId stream) const;

  /// External priority of the stream's queue, for schedulers that use one: smaller is more urgent.
  void set_priority(StreamId stream, std::uint32_t value);
  /// Type number of a kernel with blocks of so many threads: equal for equal programs and blocks. The least recently
  /// used number is given to a new kernel when all are taken, after its entry of the profiling table was cleared.
  [[nodiscard]] std::uint8_t kid_of(gpu::ProgramHandle program, std::uint64_t block_threads);

  /// Core cycles per TB, in 24.8 bits, that kernels of a type take of a device that they have alone; nothing happens
  /// where nobody judges. Errors: InputError for a value that the block refuses.
  void set_isolated_time(std::uint8_t kid, std::uint32_t value);

  /// Something on the device judges jobs.
  [[nodiscard]] bool judged() const { return control_ != nullptr; }
  /// Register of what judges jobs. Errors: InputError naming offset and answer, or that nobody judges.
  std::uint32_t read_register(std::uint32_t offset);
  void write_register(std::uint32_t offset, std::uint32_t value);

 private:
  struct Part {  ///< one JOB packet
    gpu::JobPacket packet;
    std::vector<gpu::KernelPacket> kernels;
    std::uint64_t signal = 0;
  };
  struct Stream {
    bool open = false;
    bool shared = false;                                   ///< its queue is another stream's too
    std::uint32_t deadline = gpu::JobPacket::kNoDeadline;  ///< cycles
    std::vector<gpu::KernelPacket> waiting;
    std::deque<Part> parts;  ///< of the job under way, the one that created it first
    gpu::JobSignal result;
    bool busy = false;
    gpu::Ticket last = 0;
  };
  struct Kind {
    gpu::ProgramHandle program = 0;
    std::uint64_t threads = 0;
    std::uint64_t used = 0;
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
  const gpu::JobControl* control_;  ///< null: nobody judges
  unsigned list_types_ = 0;         ///< that one JOB packet announces
  std::vector<Stream> streams_;
  std::deque<StreamId> free_;
  std::vector<Kind> kinds_;
  std::uint64_t uses_ = 0;
  std::uint32_t next_job_ = 1;
  std::vector<std::uint64_t> signals_;       ///< free signal words
  std::vector<std::uint64_t> signal_pages_;  ///< allocations
};

}  // namespace castor::runtime
