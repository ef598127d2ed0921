#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "castor/base/time.h"
#include "castor/gpu/device.h"
#include "castor/gpu/front_end/device_launcher.h"
#include "castor/gpu/front_end/kernel_table.h"
#include "castor/gpu/front_end/launch_descriptor.h"
#include "castor/gpu/front_end/launch_trees.h"
#include "castor/gpu/front_end/parse_lanes.h"
#include "castor/gpu/front_end/queues.h"
#include "castor/gpu/front_end/source_select.h"
#include "castor/gpu/grid_workspaces.h"
#include "castor/gpu/loaded_program.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/observer.h"
#include "castor/gpu/store.h"

namespace castor::gpu {

/// Parse stage: takes kernels from their launch descriptor in a queue to their entry in the kernel table
/// (docs/gpu/front-end.md, "Parsing", "Launch descriptor", "Kernel table"). The front end owns it.
///
/// In a cycle: `begin` in F1; in F8 (parse) `pick` if no job scheduler picks, `grant`, then `write`. `submitted` is
/// called between cycles. The masks of ready queues exclude queues whose kernels may not be granted (jobs that are not
/// accepted).
class ParseStage {
 public:
  struct Granted {
    unsigned entry = 0;
    std::optional<Fault> fault;  ///< set if no memory is left for the launch; the kernel must then be stopped
  };

  /// `observer`: null if no observer is attached.
  ParseStage(const Machine& machine, Store& store, const ProgramTable& programs, Queues& queues, ParseLanes& lanes,
             KernelTable& table, LaunchTrees& trees, Observer* observer);

  /// Returns the launch descriptor of a kernel whose packet enters a queue.
  [[nodiscard]] PacketImage submitted(unsigned queue, const KernelPacket& packet, Ticket ticket, Cycle visible) const;
  /// Starts a cycle. `ready`: queues whose kernel may be granted, as of the start of this cycle. `resting`: queues
  /// whose kernel could be granted at the end of the last tick.
  void begin(const QueueMask& ready, const QueueMask& resting, Cycle now) {
    ready_ = ready;
    select_.advance(ready, resting, now);
  }
  /// Returns the ready queues of the last `begin`.
  [[nodiscard]] const QueueMask& ready() const { return ready_; }
  /// Returns whether an entry can be reserved.
  [[nodiscard]] bool entry_free(Cycle now) const { return entry_per_queue_ || table_.first_free(now) >= 0; }
  /// Returns the source that the built-in choice grants if a lane is free, -1 = none. Sources are the queues, then
  /// `device_source` if a launch by device code `waits`, then `return_source` if a suspended TB `returns`.
  [[nodiscard]] int pick(bool waits, bool returns, Cycle now) const {
    if (!waits && !returns) return ready_.none() || !entry_free(now) ? -1 : select_.offer(ready_);
    QueueMask sources;
    if (entry_free(now)) sources = ready_;
    sources[device_source()] = waits && entry_free(now);
    sources[return_source()] = returns;
    return sources.none() ? -1 : select_.offer(sources);
  }
  /// Returns the source number of a source order's pick; -1 for null.
  [[nodiscard]] int source_of(const SourcePick* pick) const {
    if (pick == nullptr) return -1;
    if (pick->kind == SourcePick::Kind::kQueue) return static_cast<int>(pick->queue);
    return static_cast<int>(pick->kind == SourcePick::Kind::kList ? device_source() : return_source());
  }
  /// Return the source numbers of launches by device code and of suspended TBs.
  [[nodiscard]] unsigned device_source() const { return machine_.queue.count; }
  [[nodiscard]] unsigned return_source() const { return machine_.queue.count + 1; }
  /// Records that a suspended TB was granted a lane. If `entry` is not negative, its kernel has taken that entry.
  [[nodiscard]] std::optional<Fault> returned(int entry, Cycle now);
  /// Grants an entry and a free lane to the kernel of a ready queue.
  [[nodiscard]] Granted grant(unsigned queue, Cycle now);
  /// Grants an entry and a free lane to a launch by device code.
  [[nodiscard]] Granted grant(const DeviceLauncher::Granted& launch, Cycle now);
  /// Writes the kernel of the oldest lane, which is done, into its entry. Returns the entry. A kernel that was stopped
  /// meanwhile has no TB to place.
  [[nodiscard]] unsigned write(Cycle now);
  /// Returns the first cycle after `now` in which a kernel may be granted if nothing else changes. `ready`: queues
  /// whose kernels may be granted by then. `waits`: a launch by device code waits for its grant.
  [[nodiscard]] Cycle next(const QueueMask& ready, bool waits, Cycle now) const;
  /// Takes back the workspace of a complete kernel's grid barrier.
  void completed(KernelContext& context) {
    if (context.grid_workspace != 0) workspaces_.give_back(std::exchange(context.grid_workspace, 0));
  }
  /// Frees the memory kept for launches by device code, when the device is reset.
  void reset();

 private:
  /// Local memory of an entry for launches by device code. An arena only grows.
  struct Arena {
    std::uint64_t address = 0, bytes = 0;
  };
  [[nodiscard]] std::optional<Fault> prepare(KernelContext& context, const KernelPacket& packet, std::uint64_t image);
  [[nodiscard]] std::optional<Fault> prepare_local(KernelContext& context, const Dim3& block, Arena* arena);
  void fill(KernelContext& context, const LaunchDescriptor& descriptor, Cycle now) const;

  const Machine& machine_;
  Store& store_;
  const ProgramTable& programs_;
  Queues& queues_;
  ParseLanes& lanes_;
  KernelTable& table_;
  LaunchTrees& trees_;
  Observer* observer_;
  base::Clock clock_;
  bool entry_per_queue_;  // each queue in memory has its own entry; set if the table is large enough
  SourceSelect select_;
  QueueMask ready_;
  GridWorkspaces workspaces_;
  std::vector<Arena> arenas_;  // [entry] arena for the local memory of launches by device code
};

}  // namespace castor::gpu
