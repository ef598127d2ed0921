#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "castor/base/time.h"
#include "castor/gpu/dim3.h"
#include "castor/gpu/job.h"
#include "castor/gpu/sm_time.h"
#include "castor/gpu/store.h"
#include "castor/isa/program.h"

namespace castor::gpu {

class JobControl;
struct Machine;

/// Simulated time in picoseconds since the device was made.
using base::Picoseconds;

/// A program that a device has loaded. Stays valid until the device is destroyed.
using ProgramHandle = std::uint32_t;

/// Identifies submitted work; tickets of one device grow with every submission.
using Ticket = std::uint64_t;

/// Packets of a queue (docs/gpu/program.md, "Queues and packets"). A queue works on its packets in order.
struct KernelPacket {
  ProgramHandle program = 0;
  Dim3 grid;
  Dim3 block;
  std::uint32_t dynamic_shared = 0;   ///< bytes
  std::vector<std::byte> parameters;  ///< parameter block as the entry lays it out; copied at submission
  std::uint8_t kid = 0;               ///< kernel type as jobs name it
};
struct CopyPacket {
  /// One side may be host memory (pointer), the other is device memory; both device for device-to-device.
  std::variant<std::uint64_t, const std::byte*> source;
  std::variant<std::uint64_t, std::byte*> destination;
  std::size_t width = 0;  ///< bytes per row
  std::size_t rows = 1;
  std::size_t source_pitch = 0;  ///< bytes from row to row; ignored for one row
  std::size_t destination_pitch = 0;
};
struct FillPacket {
  std::uint64_t address = 0;
  std::size_t width = 0;  ///< bytes per row
  std::size_t rows = 1;
  std::size_t pitch = 0;
  std::uint32_t pattern = 0;
  unsigned pattern_bytes = 1;  ///< 1, 2 or 4
};
struct EventRecordPacket {
  std::uint64_t event = 0;  ///< named by the caller
  std::uint64_t count = 0;  ///< the event holds this count from then on
};
struct EventWaitPacket {
  std::uint64_t event = 0;
  std::uint64_t count = 0;  ///< waits until the event's count is at least this
};
struct HostCallPacket {
  std::function<void()> call;  ///< runs in the thread that advances time; must not submit or advance
};
using Packet =
    std::variant<KernelPacket, CopyPacket, FillPacket, EventRecordPacket, EventWaitPacket, HostCallPacket, JobPacket>;

/// Why a kernel was stopped.
enum class FaultKind : std::uint8_t {
  kNone,
  kIllegalAddress,  ///< outside any allocation, null, freed, outside the window, store to read-only memory
  kMisalignedAddress,
  kIllegalInstruction,  ///< e.g. a `.sync` operation whose mask names an inactive live lane; indirect call to no
                        ///< function
  kTrap,                ///< trap instruction
  kAssert,              ///< device assert
  kBarrier,             ///< barrier misuse
  kDeadlock,            ///< nothing can proceed
  kSpinDeadlock,        ///< warps wait for each other by spinning, for ever
  kInstructionLimit,    ///< run.max_instructions reached
  kCycleLimit,
  kHostLimit,      ///< run.max_seconds reached
  kStackOverflow,  ///< the call stack has no room, recursion without one, local memory exhausted
  kWrongMark,      ///< check.marks: a marked instruction gave two warps different results
  kWrongSkip,      ///< check.skips: a warp skipped or read what it would not have computed
};

struct Fault {
  FaultKind kind = FaultKind::kNone;
  std::string message;  ///< one or more lines, complete: address, space, kernel, PTX line, block and thread
  std::string kernel;
  std::uint64_t address = 0;
  Dim3 block{0, 0, 0};     ///< index
  Dim3 thread{0, 0, 0};    ///< index
  std::uint32_t line = 0;  ///< PTX line
};

/// What device code may have of launches.
struct LaunchLimits {
  static constexpr std::uint64_t kMostPending = (std::uint64_t{1} << 19) - 1;
  static constexpr std::uint64_t kDeepestSync = 24;
  std::uint64_t pending = 2048;  ///< admitted and not started
  std::uint64_t sync_depth = 2;  ///< levels that may wait for children; launches of the host are the first
};

/// Launches by device code beyond a limit: those that went on, later (`pool.full: spill`), and those that were refused,
/// for the pending limit (error 69) or without room for their parameters.
struct LaunchesBeyond {
  std::uint64_t spilled = 0, refused = 0, without_room = 0;
};

/// What ended an advance. kStopped: so many kernels as the machine key run.stop_after says are complete.
enum class Outcome : std::uint8_t { kDone, kFault, kDeadlock, kLimit, kInterrupted, kStopped };

/// A call of the host's API that keeps the host busy: launches and fills, synchronisations, copies, questions whether
/// something is complete.
enum class HostCall : std::uint8_t { kLaunch, kSynchronize, kCopy, kQuery };

/// How a kernel was launched, and what its program takes.
struct LaunchShape {
  Dim3 grid, block;
  unsigned registers = 0;       ///< per thread
  unsigned static_shared = 0;   ///< bytes per block
  unsigned dynamic_shared = 0;  ///< bytes per block
  unsigned local = 0;           ///< bytes per thread, spills included
  unsigned spills = 0;          ///< bytes per thread
};

struct KernelStatistics {
  std::string kernel;
  LaunchShape shape;
  Ticket ticket = 0;
  Picoseconds start = 0, end = 0;
  std::uint64_t thread_blocks = 0;
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
  unsigned entry = 0;  ///< kernel table entry that it had; machines with timing
  unsigned level = 0;  ///< generations below the host's launch of its tree
  /// Of a row that stands for several (KernelRows): how many, and sums of what each took.
  struct Sum {
    std::uint64_t kernels = 0;  ///< 0 = it stands for itself
    Picoseconds time = 0;
    std::uint64_t cycles = 0;  ///< machines with timing
  } sum{};
  /// Machines with timing: what SMs did while they held thread blocks of this kernel and of no other.
  SmTime alone;
  std::uint64_t l2_bytes = 0;  ///< sectors that its requests to L2 asked for or wrote
  /// What else was counted for it, by name, without those that are 0. Names are literals.
  std::vector<std::pair<std::string_view, std::uint64_t>> counts;
};

class Launcher;

/// The one device interface: the functional machine and the timing GPU implement it. Not thread-safe: the caller
/// serialises. Bad arguments are InputError; what device code does wrong is a Fault, kept until `reset`.
class Device {
 public:
  virtual ~Device() = default;

  [[nodiscard]] virtual const Machine& machine() const = 0;
  /// False for a machine without timing: times are then "no estimate" in reports.
  [[nodiscard]] virtual bool has_timing() const = 0;

  /// Bytes of the device and its allocations.
  [[nodiscard]] virtual Store& store() = 0;

  /// Takes a compiled program, gives its code addresses.
  virtual ProgramHandle load(std::shared_ptr<const isa::Program> program) = 0;
  [[nodiscard]] virtual const isa::Program& program(ProgramHandle handle) const = 0;
  /// What device code launches by the value of a kernel from now on; nullopt: nothing any more.
  virtual void name_kernel(std::uint64_t /*value*/, std::optional<ProgramHandle> /*program*/) {}
  /// Launches of this kernel that are complete stay resident as long as this is on, for groups of thread blocks to run
  /// with them; what waits for them goes on waiting. For machines with a launch unit.
  virtual void hold_kernel(ProgramHandle /*program*/, bool /*on*/) {}

  /// Appends a packet to queue `queue` (0..machine queue.count - 1). A full queue advances time until there is room;
  /// what ends that wait instead (deadlock, limit, interrupt, end of the run) ends the next advance too, the packet is
  /// dropped, and its ticket is complete as those of a reset are.
  /// Errors: InputError for launches that exceed the machine (checked before anything happens).
  virtual Ticket submit(unsigned queue, Packet packet) = 0;
  [[nodiscard]] virtual bool complete(Ticket ticket) const = 0;
  /// Simulated time at which `ticket` completed; 0 while it has not.
  [[nodiscard]] virtual Picoseconds completion_time(Ticket ticket) const = 0;

  /// The only places in which time moves. Errors: what a block of the device throws, such as twin::MismatchError
  /// in lockstep; the device is then of no use any more, apart from `end_recording`.
  virtual Outcome advance_until(Ticket ticket) = 0;
  Outcome advance_to(Picoseconds time) {
    return advance_until_enough([] { return false; }, time);
  }
  static constexpr Picoseconds kNoTime = ~Picoseconds{0};
  /// As `advance_to`, and also returns kDone as soon as `enough` holds, which is asked after every cycle (functional:
  /// every turn). With kNoTime nothing else but a fault, a deadlock, a limit ends it.
  virtual Outcome advance_until_enough(const std::function<bool()>& enough, Picoseconds time) = 0;
  [[nodiscard]] virtual Picoseconds now() const = 0;

  /// Core cycles up to the last one with work; 0 for a machine without timing.
  [[nodiscard]] virtual std::uint64_t cycles() const { return 0; }

  /// For reports: a call keeps the host busy for `span`. Moves no time.
  virtual void count_host_call(HostCall /*call*/, Picoseconds /*span*/) {}

  // Jobs and registers (docs/gpu/jobs.md, "Jobs"). The defaults are those of a device that has neither.

  /// Notices are collected from now on, or no more.
  virtual void collect_notices(bool /*on*/) {}
  /// Those collected since the last call, in the order in which the host can know them.
  [[nodiscard]] virtual std::vector<Notice> take_notices() { return {}; }
  /// As `advance_until_enough` with a notice as what is enough.
  virtual Outcome advance_to_notice(Picoseconds time) { return advance_to(time); }
  /// Accesses a register and advances time until it is answered: two core cycles, more for tables of a busy block.
  virtual RegisterReply access_register(const RegisterAccess& /*access*/) { return {RegisterError::kAddress, 0}; }
  /// A write that nobody waits for; accesses take effect in the order in which they were made.
  virtual void post_register(const RegisterAccess& /*access*/) {}
  /// How to use what judges jobs; null where nobody does: then all jobs are accepted.
  [[nodiscard]] virtual const JobControl* job_control() const { return nullptr; }

  /// First fault since the last reset.
  [[nodiscard]] virtual const std::optional<Fault>& fault() const = 0;
  /// Drops all pending work and the fault. Memory is untouched.
  virtual void reset() = 0;

  /// Device printf output goes here in the order in which it is made; default: stdout.
  virtual void set_print_sink(std::function<void(std::string_view)> sink) = 0;
  /// Asks the running advance to return kInterrupted soon; may be called from a signal handler.
  virtual void interrupt() noexcept = 0;

  /// Limit of device-side malloc, bytes (default 8 MiB, as CUDA's).
  virtual void set_heap_limit(std::uint64_t bytes) = 0;
  /// Launches by device code: their limits, and what has become of those beyond.
  [[nodiscard]] virtual Launcher& launcher() = 0;

  /// Completed kernels in the order of completion.
  [[nodiscard]] virtual const std::vector<KernelStatistics>& kernels() const = 0;
  /// Effective configuration, versions, totals and kernels as one JSON object (text).
  [[nodiscard]] virtual std::string report_json() const = 0;
  /// Ends what is recorded of the run (timeline, waves), as of now. Returns what went wrong with files that could not
  /// be written to their end, one line each; nothing when called again.
  [[nodiscard]] virtual std::vector<std::string> end_recording() { return {}; }
};

}  // namespace castor::gpu
