#pragma once

#include <optional>
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
#include "castor/gpu/loaded_program.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/observer.h"
#include "castor/gpu/store.h"

namespace castor::gpu {

/// The parse stage: kernels from their launch descriptor in a queue to their entry in the kernel table
/// (docs/gpu/front-end.md, "Parsing", "Launch descriptor", "Kernel table").
///
/// In a cycle: `begin` in F1; in F8 `pick`, where no job scheduler picks, `grant`, then `write`. `submitted` between
/// cycles. What stands between a queue and its grant (jobs that are not accepted) is told by the masks of ready queues.
class ParseStage {
 public:
  struct Granted {
    unsigned entry = 0;
    std::optional<Fault> fault;  ///< no memory is left for the launch: the kernel is to be stopped
  };

  /// `observer`: null = none.
  ParseStage(const Machine& machine, Store& store, const ProgramTable& programs, Queues& queues, ParseLanes& lanes,
             KernelTable& table, LaunchTrees& trees, Observer* observer);

  /// The descriptor of a kernel whose packet comes into a queue.
  [[nodiscard]] PacketImage submitted(unsigned queue, const KernelPacket& packet, Ticket ticket, Cycle visible) const;
  /// Queues whose kernel may be granted, as of the start of the cycle, and those of the end of the last that ran.
  void begin(const QueueMask& ready, const QueueMask& resting, Cycle now) {
    ready_ = ready;
    select_.advance(ready, resting, now);
  }
  /// Those of the last `begin`.
  [[nodiscard]] const QueueMask& ready() const { return ready_; }
  /// An entry can be reserved.
  [[nodiscard]] bool entry_free(Cycle now) const { return entry_per_queue_ || table_.first_free(now) >= 0; }
  /// What the built-in choice grants, if a lane is free: a queue; behind the last of them `device_source`, if a launch
  /// by device code `waits`, and `return_source`, if a suspended TB `returns`; -1 = none.
  [[nodiscard]] int pick(bool waits, bool returns, Cycle now) const {
    if (!waits && !returns) return ready_.none() || !entry_free(now) ? -1 : select_.offer(ready_);
    QueueMask sources;
    if (entry_free(now)) sources = ready_;
    sources[device_source()] = waits && entry_free(now);
    sources[return_source()] = returns;
    return sources.none() ? -1 : select_.offer(sources);
  }
  /// The number of what a source order has picked, null = none.
  [[nodiscard]] int source_of(const SourcePick* pick) const {
    if (pick == nullptr) return -1;
    if (pick->kind == SourcePick::Kind::kQueue) return static_cast<int>(pick->queue);
    return static_cast<int>(pick->kind == SourcePick::Kind::kList ? device_source() : return_source());
  }
  [[nodiscard]] unsigned device_source() const { return machine_.queue.count; }
  [[nodiscard]] unsigned return_source() const { return machine_.queue.count + 1; }
  /// A suspended TB has been granted a lane; its kernel has taken `entry`, if that is not negative.
  [[nodiscard]] std::optional<Fault> returned(int entry, Cycle now);
  /// A ready queue's kernel takes an entry and a lane, which is free.
  [[nodiscard]] Granted grant(unsigned queue, Cycle now);
  /// The same of a launch by device code.
  [[nodiscard]] Granted grant(const DeviceLauncher::Granted& launch, Cycle now);
  /// The kernel of the oldest lane, which is done, is written into its entry. Returns the entry; a kernel that was
  /// stopped meanwhile has no TB to place.
  [[nodiscard]] unsigned write(Cycle now);
  /// First cycle after `now` in which a kernel may be granted if nothing else happens; `ready` are the queues whose
  /// kernel may be by then, a launch by device code if it `waits`.
  [[nodiscard]] Cycle next(const QueueMask& ready, bool waits, Cycle now) const;
  /// The device is reset: memory that was kept for launches by device code is free.
  void reset();

 private:
  /// Local memory of an entry, for launches by device code: it only grows.
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
  bool entry_per_queue_;  // queues in memory have an entry each, if the table is large enough
  SourceSelect select_;
  QueueMask ready_;
  std::vector<Arena> arenas_;  // by entry
};

}  // namespace castor::gpu
