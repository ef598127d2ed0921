#pragma once

#include <atomic>
#include <deque>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "castor/gpu/device.h"
#include "castor/gpu/functional/interpreter.h"
#include "castor/gpu/functional/run_end.h"
#include "castor/gpu/functional/thread_block.h"
#include "castor/gpu/functional/tickets.h"
#include "castor/gpu/kernel_rows.h"
#include "castor/gpu/launch/launch_rows.h"
#include "castor/gpu/launch/launcher.h"
#include "castor/gpu/loaded_program.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/outside_reads.h"

namespace castor::gpu::functional {

/// The functional machine: executes programs without timing, as fast as the host allows, with the same results as any
/// machine.
///
/// The number of resident thread blocks follows the machine's occupancy. Blocks are taken from the head kernels of all
/// queues. Warps and blocks execute in turns of a fixed number of instructions, so programs whose warps or blocks spin
/// on each other terminate.
///
/// Launches by device code start as soon as the kernel table has room, oldest first, before kernels of the queues.
/// Blocks that wait for their launches are not resident.
///
/// Simulated time is only an order of magnitude: warp instructions / (SMs x schedulers) core cycles (our choice).
/// Copies and fills take no time. Limits: no caches, no contention; one thread at a time.
class FunctionalDevice final : public Device {
 public:
  struct Options {
    std::string configuration_json;         ///< effective configuration for the report; may be empty
    bool poison = false;                    ///< fresh memory reads 0xcd instead of 0
    std::shared_ptr<ExecutionStudy> study;  ///< hook that sees every instruction, or null
  };
  FunctionalDevice(const Machine& machine, Options options);
  ~FunctionalDevice() override;

  [[nodiscard]] const Machine& machine() const override { return machine_; }
  [[nodiscard]] bool has_timing() const override { return false; }
  [[nodiscard]] Store& store() override { return store_; }
  ProgramHandle load(std::shared_ptr<const isa::Program> program) override;
  [[nodiscard]] const isa::Program& program(ProgramHandle handle) const override;
  Ticket submit(unsigned queue, Packet packet) override;
  [[nodiscard]] bool complete(Ticket ticket) const override { return tickets_.is_complete(ticket); }
  [[nodiscard]] Picoseconds completion_time(Ticket ticket) const override { return tickets_.time(ticket); }
  Outcome advance_until(Ticket ticket) override;
  Outcome advance_until_enough(const std::function<bool()>& enough, Picoseconds time) override;
  [[nodiscard]] Picoseconds now() const override;
  [[nodiscard]] const std::optional<Fault>& fault() const override { return fault_; }
  void reset() override;
  void set_print_sink(std::function<void(std::string_view)> sink) override;
  void interrupt() noexcept override { interrupted_ = true; }
  void name_kernel(std::uint64_t value, std::optional<ProgramHandle> program) override {
    programs_.name(value, program);
  }
  void set_heap_limit(std::uint64_t bytes) override { interpreter_.services().heap_bytes = bytes; }
  [[nodiscard]] Launcher& launcher() override { return launcher_; }
  [[nodiscard]] const std::vector<KernelStatistics>& kernels() const override { return finished_.rows(); }
  [[nodiscard]] std::string report_json() const override;

 private:
  /// Packet in a queue with its ticket.
  struct Queued {
    Ticket ticket = 0;
    Packet packet;
  };
  /// Hardware queue of the functional machine.
  struct Queue {
    std::deque<Queued> packets;
    bool busy = false;         ///< the head kernel runs; the queue serves no packet until the kernel completes
    bool error = false;        ///< an invalid JOB packet was found: kernels and jobs are dropped
    std::uint64_t signal = 0;  ///< signal address of the current job
    std::uint32_t left = 0;    ///< kernels of the current job that are not complete

    /// Starts or extends a job, and writes its signal word.
    void begin_job(const JobPacket& packet, Store& store);
    /// Ends the running kernel of the queue, and its job if this was the last kernel.
    void end_kernel(Store& store);
  };
  /// A started kernel that is not complete.
  struct Running {
    Launch launch;
    LaunchId id = 0;
    LaunchId root = 0;        ///< launch by the host that is the root of this kernel's launch tree
    unsigned level = 0;       ///< nesting depth below `root`
    unsigned limit = 1;       ///< number of the kernel's blocks that fill the whole machine
    std::uint64_t total = 0;  ///< blocks of the grid
    std::uint64_t next = 0;   ///< next block to place
    std::uint64_t resident = 0;
    std::uint64_t waiting = 0;  ///< blocks that wait for their launches and are not resident
    KernelStatistics statistics;
    OutsideReads outside_reads;
    MarkCounts marks;
    RedundancyCounts redundancy;  ///< check.redundancy: counts
    GridRedundancy grid;          ///< check.redundancy: instances redundant in all blocks

    /// Returns whether the kernel occupies an entry of the kernel table.
    [[nodiscard]] bool is_active() const { return resident != 0 || next < total; }
  };
  /// A launch by the host whose launch tree is not closed.
  struct Root {
    unsigned queue = 0;
    Ticket ticket = 0;
  };
  /// A resident thread block, or one that waits for launches.
  struct Resident {
    Running* kernel = nullptr;
    std::uint64_t index = 0;             ///< number of the block in the grid
    std::unique_ptr<ThreadBlock> block;  ///< null until its first turn
    std::size_t next_warp = 0;
    std::uint64_t watch = 0;  ///< number of the spin watch that includes the block; 0 = none
    bool spins = false;       ///< in the last turn no warp reached a barrier or exited
    bool waits = false;       ///< every live warp waits, at least one of them for launches of the block
  };

  bool serve_queues();
  [[nodiscard]] bool serve_queue_head(unsigned index, Queue& queue);
  void start_kernel(unsigned queue, Ticket ticket, const KernelPacket& packet);
  void start_child();
  [[nodiscard]] Running running(const LoadedProgram& loaded, const Dim3& grid, const Dim3& block,
                                std::uint32_t dynamic_shared);
  [[nodiscard]] bool table_is_full() const;
  void place_blocks();
  void turn();
  [[nodiscard]] std::optional<Fault> run_block(Resident& resident);
  void collect_outside_reads(Running& kernel);
  void finish_if_done(Running& kernel);
  void retire(Running& kernel);
  void close_trees();
  [[nodiscard]] bool bring_back(double& used);
  void stop(Running& kernel, Fault fault);
  /// Runs until `reached` returns true. `host_waits`: the host is blocked until work completes.
  Outcome advance(const std::function<bool()>& reached, bool host_waits);
  [[nodiscard]] Picoseconds work_time() const;
  [[nodiscard]] std::string waiting_chain() const;

  Machine machine_;
  Options options_;
  Store store_;
  Interpreter interpreter_;
  ProgramTable programs_;
  std::vector<Queue> queues_;
  Launcher launcher_;
  std::list<Running> running_;  ///< started kernels that are not complete
  std::unordered_map<LaunchId, Root> roots_;
  std::deque<Resident> resident_;                  ///< in the order of their turns
  std::unordered_map<BlockId, Resident> waiting_;  ///< blocks that wait for their launches, by number of the block
  std::deque<Resident> returning_;                 ///< blocks whose launches are closed, to become resident again
  std::vector<std::unique_ptr<ThreadBlock>> spare_blocks_;   ///< thread blocks to be reused
  std::unordered_map<std::uint64_t, std::uint64_t> events_;  ///< event number to count
  Tickets tickets_;
  std::uint64_t placed_ = 0;  ///< blocks started so far
  Counters counters_;
  Picoseconds idle_time_ = 0;  ///< time that passed without work
  std::optional<Fault> fault_;
  RunEnd end_;
  LaunchRows rows_;
  KernelRows finished_;
  OutsideReadNotice outside_read_notice_;
  std::atomic<bool> interrupted_{false};
};

}  // namespace castor::gpu::functional
