#pragma once

#include <atomic>
#include <deque>
#include <fstream>
#include <list>
#include <map>
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

/// The machine without timing: executes programs as fast as the host allows, with the results of any machine.
///
/// As many thread blocks are resident as the machine's occupancy allows, taken from the heads of all queues; warps and
/// blocks take turns of a fixed number of instructions, so programs whose warps or blocks wait for each other by
/// spinning end. Launches by device code start as soon as the kernel table has room, the oldest first, before kernels
/// of queues; blocks that wait for theirs are not resident meanwhile. Simulated time is an order of magnitude only:
/// warp instructions / (SMs x schedulers) core cycles (our choice); copies and fills take none. Limits: no caches, no
/// contention; one thread at a time.
class FunctionalDevice final : public Device {
 public:
  struct Options {
    std::string configuration_json;  ///< effective configuration for the report; may be empty
    bool poison = false;             ///< fresh memory reads 0xcd
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
  struct Queued {
    Ticket ticket = 0;
    Packet packet;
  };
  struct Queue {
    std::deque<Queued> packets;
    bool busy = false;         ///< its head kernel runs; the queue is invisible until that completes
    bool error = false;        ///< an invalid JOB packet: kernels and jobs are dropped
    std::uint64_t signal = 0;  ///< of the job under way
    std::uint32_t left = 0;    ///< its kernels that are not complete

    void begin_job(const JobPacket& packet, Store& store);
    /// Its head kernel is complete.
    void end_kernel(Store& store);
  };
  /// A kernel whose blocks are being executed.
  struct Running {
    Launch launch;
    LaunchId id = 0;
    LaunchId root = 0;   ///< the host's launch at the top of its tree
    unsigned level = 0;  ///< generations below that
    unsigned limit = 1;  ///< blocks of it that fill the whole machine
    std::uint64_t total = 0;
    std::uint64_t next = 0;  ///< next block to place
    std::uint64_t resident = 0;
    std::uint64_t waiting = 0;  ///< blocks that wait for launches of theirs
    KernelStatistics statistics;
    OutsideReads outside_reads;
    MarkCounts marks;
    RedundancyCounts redundancy;
    GridRedundancy grid;
    std::map<std::string, std::vector<std::uint64_t>> affine;  ///< thread blocks by what of them was affine

    /// It needs a place in the kernel table.
    [[nodiscard]] bool is_active() const { return resident != 0 || next < total; }
  };
  /// A launch of the host whose tree is open.
  struct Root {
    unsigned queue = 0;
    Ticket ticket = 0;
  };
  struct Resident {
    Running* kernel = nullptr;
    std::uint64_t index = 0;
    std::unique_ptr<ThreadBlock> block;  ///< null until its first turn
    std::size_t next_warp = 0;
    std::uint64_t watch = 0;  ///< number of the watch for loops that it takes part in
    bool spins = false;       ///< in its last turn no warp met a barrier or ended
    bool waits = false;       ///< every live warp waits, one at least for launches of the block
  };

  bool serve_queues();
  [[nodiscard]] bool serve_head(unsigned index, Queue& queue);
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
  /// `host_waits`: it does nothing before something completes.
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
  std::list<Running> running_;
  std::unordered_map<LaunchId, Root> roots_;
  std::deque<Resident> resident_;
  std::unordered_map<BlockId, Resident> waiting_;  ///< for their launches
  std::deque<Resident> returning_;                 ///< have waited
  std::vector<std::unique_ptr<ThreadBlock>> spare_blocks_;
  std::unordered_map<std::uint64_t, std::uint64_t> events_;
  Tickets tickets_;
  std::uint64_t placed_ = 0;
  Counters counters_;
  Picoseconds idle_time_ = 0;
  std::optional<Fault> fault_;
  RunEnd end_;
  LaunchRows rows_;
  KernelRows finished_;
  OutsideReadNotice outside_read_notice_;
  std::ofstream affine_file_;  ///< run.affine, if it is there
  std::atomic<bool> interrupted_{false};
};

}  // namespace castor::gpu::functional
