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
#include "castor/gpu/functional/running_kernel.h"
#include "castor/gpu/functional/thread_block.h"
#include "castor/gpu/functional/tickets.h"
#include "castor/gpu/grid_workspaces.h"
#include "castor/gpu/kernel_rows.h"
#include "castor/gpu/launch/launch_rows.h"
#include "castor/gpu/launch/launcher.h"
#include "castor/gpu/loaded_program.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/outside_reads.h"

namespace castor::gpu::functional {

/// Returns whether as many kernels as the kernel table has entries occupy one.
[[nodiscard]] bool table_is_full(const std::list<RunningKernel>& kernels, const Machine& machine);

/// The functional machine: executes programs without timing, as fast as the host allows, with the same results as any
/// machine.
///
/// The number of resident thread blocks follows the machine's occupancy. Blocks are taken from the head kernels of all
/// queues. Warps and blocks execute in turns of a fixed number of instructions, so programs whose warps or blocks spin
/// on each other terminate.
///
/// Launches by device code start as soon as the kernel table has room, oldest first, before kernels of the queues.
/// Blocks that wait for their launches are not resident. Nor are blocks that sleep at device-wide synchronisation, on a
/// machine whose blocks of hardware swap them out (docs/gpu/synchronisation.md).
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
  /// A launch by the host whose launch tree is not closed.
  struct Root {
    unsigned queue = 0;
    Ticket ticket = 0;
  };
  bool serve_queues();
  [[nodiscard]] bool serve_queue_head(unsigned index, Queue& queue);
  void start_kernel(unsigned queue, Ticket ticket, const KernelPacket& packet);
  void start_child();
  void place_blocks();
  void start_block(Resident& resident);
  void turn();
  [[nodiscard]] std::optional<Fault> run_block(Resident& resident);
  void put_to_sleep(Resident resident);
  void wake_blocks(RunningKernel& kernel);
  void finish_if_done(RunningKernel& kernel);
  void retire(RunningKernel& kernel);
  void close_trees();
  [[nodiscard]] bool bring_back(double& used);
  void stop(RunningKernel& kernel, Fault fault);
  bool stop_sleepers();
  /// Runs until `reached` returns true. `host_waits`: the host is blocked until work completes.
  Outcome advance(const std::function<bool()>& reached, bool host_waits);
  [[nodiscard]] std::string waiting_chain() const;

  Machine machine_;
  Options options_;
  Store store_;
  GridWorkspaces workspaces_;
  Interpreter interpreter_;
  ProgramTable programs_;
  std::vector<Queue> queues_;
  Launcher launcher_;
  std::list<RunningKernel> running_;  ///< started kernels that are not complete
  std::unordered_map<LaunchId, Root> roots_;
  std::deque<Resident> resident_;                  ///< in the order of their turns
  std::unordered_map<BlockId, Resident> waiting_;  ///< blocks that wait for their launches, by number of the block
  std::deque<Resident> returning_;                 ///< blocks to become resident again: their launches are closed, or
                                                   ///< they were woken
  std::vector<std::unique_ptr<ThreadBlock>> spare_blocks_;   ///< thread blocks to be reused
  std::unordered_map<std::uint64_t, std::uint64_t> events_;  ///< count of each event, by its number
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
