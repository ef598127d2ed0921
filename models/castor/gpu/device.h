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
#include "castor/gpu/sync_support.h"
#include "castor/isa/program.h"

namespace castor::gpu {

class JobControl;
struct Machine;

/// Simulated time in picoseconds since the device was made.
using base::Picoseconds;

/// Handle of a program that a device has loaded, valid until the device is destroyed.
using ProgramHandle = std::uint32_t;

/// Completion handle of submitted work. The tickets of one device grow with every submission.
using Ticket = std::uint64_t;

/// Packets of a hardware queue (docs/gpu/program.md, "Queues and packets"). A queue executes its packets in order.
struct KernelPacket {
  ProgramHandle program = 0;
  Dim3 grid;
  Dim3 block;
  std::uint32_t dynamic_shared = 0;   ///< bytes
  std::vector<std::byte> parameters;  ///< parameter block as the entry lays it out; copied at submission
  std::uint8_t kid = 0;               ///< kernel type number that JOB packets use for this kernel
  bool cooperative = false;           ///< all thread blocks of the grid are resident at once
  bool synchronises = false;          ///< timing GPU: its thread blocks take part in device-wide synchronisation
  /// Timing GPU: the kernel has the machine to itself, because not all its thread blocks fit at once and a block swaps
  /// them out. Such a kernel synchronises.
  bool owned = false;
  std::shared_ptr<const SyncOptions> sync;  ///< options of device-wide synchronisation; null: the defaults
};
/// Copies a rectangle of bytes between host and device memory or inside device memory.
struct CopyPacket {
  /// At most one of source and destination is host memory (a pointer). An integer is a device address.
  std::variant<std::uint64_t, const std::byte*> source;
  std::variant<std::uint64_t, std::byte*> destination;
  std::size_t width = 0;  ///< bytes per row
  std::size_t rows = 1;
  std::size_t source_pitch = 0;  ///< bytes from row to row; ignored for one row
  std::size_t destination_pitch = 0;
};
/// Fills a rectangle of device memory with a pattern.
struct FillPacket {
  std::uint64_t address = 0;
  std::size_t width = 0;  ///< bytes per row
  std::size_t rows = 1;
  std::size_t pitch = 0;
  std::uint32_t pattern = 0;
  unsigned pattern_bytes = 1;  ///< width of the repeated pattern: 1, 2 or 4
};
/// Sets the counter of an event when the packets before it in the queue are complete.
struct EventRecordPacket {
  std::uint64_t event = 0;  ///< event number, chosen by the caller
  std::uint64_t count = 0;  ///< value to which the event's counter is set
};
/// Blocks the queue until the counter of an event has reached a value.
struct EventWaitPacket {
  std::uint64_t event = 0;
  std::uint64_t count = 0;  ///< waits until the event's count is at least this
};
/// Calls a function of the host when the packets before it in the queue are complete.
struct HostCallPacket {
  std::function<void()> call;  ///< runs in the thread that advances time; must neither submit packets nor advance time
};
using Packet =
    std::variant<KernelPacket, CopyPacket, FillPacket, EventRecordPacket, EventWaitPacket, HostCallPacket, JobPacket>;

/// Reason for which a kernel was stopped.
enum class FaultKind : std::uint8_t {
  kNone,            ///< no fault
  kIllegalAddress,  ///< address outside every allocation, null, freed or outside its window; store to read-only memory
  kMisalignedAddress,
  kIllegalInstruction,  ///< e.g. a `.sync` operation whose mask names an inactive live lane; indirect call to an
                        ///< address that is no function
  kTrap,                ///< trap instruction
  kAssert,              ///< device assert
  kBarrier,             ///< barrier misuse
  kDeadlock,            ///< no warp and no unit can proceed
  kSpinDeadlock,        ///< warps spin on each other's memory writes and none can proceed
  kInstructionLimit,    ///< run.max_instructions reached
  kCycleLimit,          ///< run.max_cycles reached
  kHostLimit,           ///< run.max_seconds reached
  kStackOverflow,       ///< call stack full, recursion in a program without call stack, or local memory exhausted
  kWrongMark,           ///< check.marks: an instruction marked redundant gave two warps different results
  kWrongSkip,           ///< check.skips: a value that a warp took without executing the instruction differs from the
                        ///< instruction's result
};

/// Error of device code that stopped a kernel, or reason for which a run was ended.
struct Fault {
  FaultKind kind = FaultKind::kNone;
  std::string message;  ///< one or more lines, complete: address, space, kernel, PTX line, block and thread
  std::string kernel;
  std::uint64_t address = 0;
  Dim3 block{0, 0, 0};     ///< index of the thread block in the grid
  Dim3 thread{0, 0, 0};    ///< index of the thread in the block
  std::uint32_t line = 0;  ///< line of the PTX source
};

/// Limits of kernel launches by device code (dynamic parallelism).
struct LaunchLimits {
  static constexpr std::uint64_t kMostPending = (std::uint64_t{1} << 19) - 1;
  static constexpr std::uint64_t kDeepestSync = 24;
  std::uint64_t pending = 2048;  ///< launches that may be admitted and not yet started
  std::uint64_t sync_depth = 2;  ///< nesting levels that may wait for child grids; launches by the host are level 1
};

/// Counts of launches by device code beyond a limit. `spilled`: launches beyond the pending limit that ran later
/// (`pool.full: spill`). `refused`: launches rejected because of the pending limit (error 69). `without_room`: launches
/// rejected because no memory was left for their parameters.
struct LaunchesBeyond {
  std::uint64_t spilled = 0, refused = 0, without_room = 0;
};

/// Reason for which an advance of simulated time returned. kStopped: the number of kernels given by the machine key
/// run.stop_after has completed, or the core cycles given by run.stop_at have passed.
enum class Outcome : std::uint8_t { kDone, kFault, kDeadlock, kLimit, kInterrupted, kStopped };

/// Class of a host API call that keeps the host busy: kLaunch (launches and fills), kSynchronize, kCopy, kQuery
/// (completion queries).
enum class HostCall : std::uint8_t { kLaunch, kSynchronize, kCopy, kQuery };

/// Dimensions of a kernel launch and the resources that its program uses.
struct LaunchShape {
  Dim3 grid, block;
  unsigned registers = 0;       ///< registers per thread
  unsigned static_shared = 0;   ///< bytes of static shared memory per block
  unsigned dynamic_shared = 0;  ///< bytes of dynamic shared memory per block
  unsigned local = 0;           ///< bytes per thread, spills included
  unsigned spills = 0;          ///< bytes of spilled registers per thread
};

/// Statistics row of a completed kernel, or of several kernels (KernelRows).
struct KernelStatistics {
  std::string kernel;
  LaunchShape shape;
  Ticket ticket = 0;
  Picoseconds start = 0, end = 0;
  std::uint64_t thread_blocks = 0;
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
  unsigned entry = 0;  ///< index of the kernel's entry in the kernel table; only machines with timing
  unsigned level = 0;  ///< nesting depth of the launch; 0 for a launch by the host
  /// For a row that sums several kernels (KernelRows): number of kernels, and sums of their times and cycles.
  struct Sum {
    std::uint64_t kernels = 0;  ///< number of kernels in the row; 0 = the row is one kernel
    Picoseconds time = 0;
    std::uint64_t cycles = 0;  ///< only machines with timing
  } sum{};
  /// Only machines with timing: activity of the SMs while they held thread blocks of this kernel and of no other.
  SmTime alone;
  std::uint64_t l2_bytes = 0;  ///< bytes of the sectors that the kernel's L2 requests read or wrote
  /// Further counters of the kernel, by name; counters with value 0 are left out. Names are string literals.
  std::vector<std::pair<std::string_view, std::uint64_t>> counts;
};

class Launcher;

/// Interface of a simulated device: the functional machine and the timing GPU implement it, and the host runtime calls
/// it. Not thread-safe; the caller serialises the calls. Bad arguments throw InputError. An error of device code is a
/// Fault, which is kept until `reset`.
class Device {
 public:
  virtual ~Device() = default;

  [[nodiscard]] virtual const Machine& machine() const = 0;
  /// Returns false for a machine without timing; reports then give times as "no estimate".
  [[nodiscard]] virtual bool has_timing() const = 0;

  /// Returns the store, which holds the bytes of device memory and its allocations.
  [[nodiscard]] virtual Store& store() = 0;

  /// Loads a compiled program and assigns code addresses to it.
  virtual ProgramHandle load(std::shared_ptr<const isa::Program> program) = 0;
  [[nodiscard]] virtual const isa::Program& program(ProgramHandle handle) const = 0;
  /// Binds `value` to a program: device code that launches a kernel by this value launches `program` from now on.
  /// nullopt removes the binding.
  virtual void name_kernel(std::uint64_t /*value*/, std::optional<ProgramHandle> /*program*/) {}
  /// While on, completed launches of this kernel stay resident, so that groups of thread blocks can still be added to
  /// them. Packets and warps that wait for such a launch continue to wait. For machines with a launch unit.
  virtual void hold_kernel(ProgramHandle /*program*/, bool /*on*/) {}

  /// Appends a packet to queue `queue` (0..machine queue.count - 1). If the queue is full, advances time until a slot
  /// is free. A deadlock, limit, interrupt or end of the run may end this wait instead. Then the packet is dropped, its
  /// ticket counts as complete (as after `reset`), and the next advance ends for the same reason.
  ///
  /// Errors: InputError for launches that exceed the machine's limits, checked before any other effect.
  virtual Ticket submit(unsigned queue, Packet packet) = 0;
  [[nodiscard]] virtual bool complete(Ticket ticket) const = 0;
  /// Returns the simulated time at which `ticket` completed; 0 while it has not completed.
  [[nodiscard]] virtual Picoseconds completion_time(Ticket ticket) const = 0;

  /// Advances simulated time until `ticket` is complete. Time moves only in the `advance` functions, in `submit` to a
  /// full queue, and in `access_register`. Errors: any exception of a hardware block, such as twin::MismatchError in
  /// lockstep. After an exception only `end_recording` may be called on the device.
  virtual Outcome advance_until(Ticket ticket) = 0;
  Outcome advance_to(Picoseconds time) {
    return advance_until_enough([] { return false; }, time);
  }
  static constexpr Picoseconds kNoTime = ~Picoseconds{0};
  /// Advances time to `time`, or until `enough` returns true (outcome kDone). The timing GPU evaluates `enough` after
  /// every cycle, the functional machine after every turn. With kNoTime only `enough`, a fault, a deadlock or a limit
  /// ends the advance.
  virtual Outcome advance_until_enough(const std::function<bool()>& enough, Picoseconds time) = 0;
  [[nodiscard]] virtual Picoseconds now() const = 0;

  /// Returns the number of core cycles up to the last cycle with work; 0 for a machine without timing.
  [[nodiscard]] virtual std::uint64_t cycles() const { return 0; }

  /// Records for reports that a host call kept the host busy for `span`. Does not advance time.
  virtual void count_host_call(HostCall /*call*/, Picoseconds /*span*/) {}

  // Jobs and registers (docs/gpu/jobs.md, "Jobs"). The default implementations suit a device with neither.

  /// Switches the collection of notices on or off.
  virtual void collect_notices(bool /*on*/) {}
  /// Returns the notices collected since the last call, in the order in which the host could observe them.
  [[nodiscard]] virtual std::vector<Notice> take_notices() { return {}; }
  /// Advances time to `time`, or until a notice has been collected.
  virtual Outcome advance_to_notice(Picoseconds time) { return advance_to(time); }
  /// Accesses a register and advances time until the reply: two core cycles, or more for a table of a busy block.
  virtual RegisterReply access_register(const RegisterAccess& /*access*/) { return {RegisterError::kNoBlock, 0}; }
  /// Writes a register without waiting for the reply. Register accesses take effect in program order.
  virtual void post_register(const RegisterAccess& /*access*/) {}
  /// Returns why the registers of a window cannot be accessed, for users; empty if a block serves the window.
  [[nodiscard]] virtual std::string refuses_registers(unsigned /*window*/) const {
    return "the functional machine has no blocks and no registers of blocks: run.functional=0";
  }
  /// Returns the interface of the block that admits jobs. Null without such a block; all jobs are accepted then.
  [[nodiscard]] virtual const JobControl* job_control() const { return nullptr; }

  /// Returns the first fault since the last reset.
  [[nodiscard]] virtual const std::optional<Fault>& fault() const = 0;
  /// Returns the reason for the stop of the run (Outcome::kStopped), for users; empty if the run was not stopped.
  [[nodiscard]] const std::string& stopped() const { return stopped_; }
  /// Drops all pending work and the fault. Memory contents are kept.
  virtual void reset() = 0;

  /// Sets the receiver of device printf output, which arrives in the order of the calls; default: stdout.
  virtual void set_print_sink(std::function<void(std::string_view)> sink) = 0;
  /// Makes the running advance return kInterrupted soon; may be called from a signal handler.
  virtual void interrupt() noexcept = 0;

  /// Sets the limit of device-side malloc in bytes (default 8 MiB, as in CUDA).
  virtual void set_heap_limit(std::uint64_t bytes) = 0;
  /// Returns the object that holds the limits of launches by device code and counts launches beyond a limit.
  [[nodiscard]] virtual Launcher& launcher() = 0;

  /// Returns the completed kernels in the order of completion.
  [[nodiscard]] virtual const std::vector<KernelStatistics>& kernels() const = 0;
  /// Returns one JSON object (text) with the effective configuration, versions, totals and kernels.
  [[nodiscard]] virtual std::string report_json() const = 0;
  /// Ends the recordings of the run (timeline, waveforms) at the current time. Returns one line for each output file
  /// that could not be completed. Further calls return nothing.
  [[nodiscard]] virtual std::vector<std::string> end_recording() { return {}; }

 protected:
  std::string stopped_;
};

}  // namespace castor::gpu
