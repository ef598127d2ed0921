#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "castor/gpu/launch_record.h"
#include "castor/gpu/sync_support.h"

namespace castor::gpu::functional {

/// Wait of a thread block or warp at device-wide synchronisation.
struct SyncWait {
  isa::SyncOp op = isa::SyncOp::kGridBarrier;
  std::uint32_t event = 0, target = 0;  ///< kWait: operands
  std::uint32_t pc = 0;                 ///< index of the record
};

/// Returns "tb.gridsync", or "tb.wait of event 3 with target 2".
[[nodiscard]] std::string wait_text(const SyncWait& wait);

/// Misuse of device-wide synchronisation: the error, the thread block and the record.
struct SyncError {
  std::string what;
  std::uint64_t block = 0;  ///< number of the thread block in the grid
  std::uint32_t pc = 0;
};

/// Device-wide synchronisation of one kernel on the functional machine: its grid barrier, its events, and its sleeping
/// thread blocks with their waits. Thread blocks are identified by their numbers in the grid. A count and the wake-ups
/// that it causes are one step.
class KernelSync {
 public:
  /// Starts a kernel. `options`: null for the defaults. `swaps`: the machine swaps out thread blocks that sleep.
  void start(const Launch& launch, bool swaps, std::shared_ptr<const SyncOptions> options);

  /// Returns the number of the thread block at `position` in the order of placement.
  [[nodiscard]] std::uint64_t block_at(std::uint64_t position) const {
    return options_->order.empty() ? position : options_->order[position];
  }
  /// Returns whether a thread block that sleeps at the operation stays resident.
  [[nodiscard]] bool stays_resident(isa::SyncOp op) const {
    return !swaps_ || (op == isa::SyncOp::kWait && options_->swap == SyncSwap::kNever);
  }
  /// Returns whether the kernel starts with all its thread blocks resident at once. `most`: thread blocks that fit
  /// together.
  [[nodiscard]] bool starts_whole(std::uint64_t most) const;

  /// Puts a thread block to sleep. All its live warps must have arrived. The thread block may be woken at once
  /// (take_woken).
  [[nodiscard]] std::optional<SyncError> sleep(std::uint64_t block, const SyncWait& wait);
  /// Counts at an event. Returns the error, or an empty string.
  [[nodiscard]] std::string signal(std::uint32_t event, std::uint32_t target);
  /// Records the end of a thread block.
  [[nodiscard]] std::optional<SyncError> end(std::uint64_t block);
  /// Returns the thread blocks that were woken since the last call, in the order of waking.
  [[nodiscard]] std::vector<std::uint64_t> take_woken() { return std::exchange(woken_, {}); }

  [[nodiscard]] bool any_asleep() const { return !asleep_.empty(); }
  /// Returns a sleeping thread block and its wait. At least one must sleep.
  [[nodiscard]] std::pair<std::uint64_t, SyncWait> first_asleep() const { return *asleep_.begin(); }
  /// Returns the events with a count other than 0, such as "event 3 at 1 of 2", or an empty string. For a kernel that
  /// has ended.
  [[nodiscard]] std::string unbalanced() const;
  /// Returns one line per grid barrier or event at which thread blocks sleep, for a deadlock report.
  [[nodiscard]] std::string report() const;
  /// Adds the counts of the kernel for the report of a run.
  void add_counts(std::vector<std::pair<std::string_view, std::uint64_t>>& counts) const;

 private:
  /// An event with a count other than 0.
  struct Event {
    std::uint32_t count = 0, target = 0;
    std::vector<std::uint64_t> sleepers;
  };

  [[nodiscard]] std::optional<SyncError> arrive(std::uint64_t block, std::uint32_t pc);
  [[nodiscard]] std::string count(std::uint32_t event, std::uint32_t target, std::optional<std::uint64_t> sleeper);
  void wake(std::uint64_t block);
  void complete_barrier();
  [[nodiscard]] std::string sleepers(const std::vector<std::uint64_t>& blocks) const;

  const isa::Program* program_ = nullptr;
  Dim3 grid_;
  bool swaps_ = false;
  std::shared_ptr<const SyncOptions> options_;
  std::map<std::uint64_t, SyncWait> asleep_;  ///< by number of the thread block
  std::uint64_t arrived_ = 0;                 ///< thread blocks at the grid barrier
  std::uint64_t ended_ = 0;                   ///< thread blocks that have ended
  std::uint64_t first_ended_ = 0;             ///< number of the first thread block that has ended
  std::map<std::uint32_t, Event> events_;
  std::vector<std::uint64_t> woken_;
  std::uint64_t barriers_ = 0, waits_ = 0, signals_ = 0;  ///< completed grid barriers, waits, signals
};

}  // namespace castor::gpu::functional
