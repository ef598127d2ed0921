#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "castor/gpu/device.h"
#include "castor/gpu/execution/aligned_bytes.h"
#include "castor/gpu/execution/barrier_arrival.h"
#include "castor/gpu/functional/kernel_sync.h"
#include "castor/gpu/functional/mark_check.h"
#include "castor/gpu/functional/memory_path.h"
#include "castor/gpu/functional/redundancy.h"
#include "castor/gpu/hooks/execution_study.h"
#include "castor/gpu/launch/runtime_call.h"
#include "castor/gpu/launch_record.h"
#include "castor/gpu/spin_report.h"
#include "castor/isa/barrier.h"
#include "castor/isa/memory_access.h"
#include "castor/isa/program.h"
#include "castor/isa/simt_stack.h"
#include "castor/isa/warp_context.h"

namespace castor::gpu::functional {

using gpu::AlignedBytes;

enum class WarpState : std::uint8_t { kReady, kAtBarrier, kAwaitsChildren, kSynchronises, kDone };

/// State of a warp of the functional machine.
struct Warp {
  isa::SimtStack stack;
  alignas(64) isa::LaneMask predicates[8] = {};
  isa::WarpContext context;
  std::byte* registers = nullptr;
  std::byte* local = nullptr;
  WarpState state = WarpState::kReady;
  BarrierWait barrier;                    ///< valid in state kAtBarrier
  SyncWait sync;                          ///< valid in state kSynchronises
  std::unique_ptr<RuntimeState> runtime;  ///< null before the warp's first call of the device runtime
};

/// Promise of a thread block that a range of its shared memory holds the bytes of a range of global memory
/// (isa::SyncOp::kReadOnly).
struct ReadOnlyRange {
  std::uint32_t shared = 0;  ///< offset in shared memory
  std::uint64_t global = 0;  ///< generic address
  std::uint32_t bytes = 0;
};

/// A resident thread block of the functional machine: registers, shared and local memory, warps, barriers. The object
/// is reused for later blocks.
class ThreadBlock {
 public:
  /// Sets up block `index` of a launch. `lanes`: lanes per warp; `sm`, `sms` and `warp_slots` give the values of
  /// special registers. `check_marks`: compares marked records between warps, if the program has marks. `study`: counts
  /// redundant instructions. `execution`: hook that sees the block's instructions, or null.
  void start(const Launch& launch, Dim3 index, unsigned lanes, unsigned sm, unsigned sms, unsigned warp_slots,
             bool check_marks = false, bool study = false, ExecutionStudy* execution = nullptr);

  [[nodiscard]] const Launch& launch() const { return *launch_; }
  [[nodiscard]] Dim3 index() const { return index_; }
  [[nodiscard]] std::vector<Warp>& warps() { return warps_; }
  [[nodiscard]] isa::BarrierUnit& barriers() { return barriers_; }
  [[nodiscard]] Windows windows(const Warp& warp) const;
  [[nodiscard]] isa::RegisterView view(Warp& warp) const;
  [[nodiscard]] bool done() const { return live_warps_ == 0; }
  [[nodiscard]] unsigned lanes() const { return lanes_; }
  /// Returns the checker of redundancy marks; null if marks are not checked.
  [[nodiscard]] MarkCheck* marks() { return marks_.get(); }
  /// Returns the redundancy limit study; null if the study is off.
  [[nodiscard]] RedundancyStudy* study() { return study_.get(); }
  /// Returns the block's study by a hook, or null.
  [[nodiscard]] BlockStudy* hook() { return hook_.get(); }
  /// Returns the detector of endless loops, or null while loops are not watched.
  [[nodiscard]] SpinWatch* spin_watch() { return spin_watch_.get(); }
  /// Starts or ends the detection of endless loops.
  void watch_loops(bool on);
  /// Returns whether every live warp waits or was seen repeating a loop in the current watch.
  [[nodiscard]] bool repeats() const;
  /// Adds the warps that repeat a loop to `list`.
  void add_spinning(std::vector<SpinningWarp>& list) const;
  /// Returns whether an observer has to be called for every executed record.
  [[nodiscard]] bool observed() const {
    return marks_ != nullptr || study_ != nullptr || hook_ != nullptr || spin_watch_ != nullptr;
  }
  /// Returns the index of the thread in one lane of a warp.
  [[nodiscard]] Dim3 thread(const Warp& warp, unsigned lane) const;

  /// Sets the block's identity as a caller of the device runtime.
  void set_caller(const Caller& caller) { caller_ = caller; }
  [[nodiscard]] const Caller& caller() const { return caller_; }
  /// Returns whether a single warp is ready, and all other live warps wait.
  [[nodiscard]] bool waits_for_one() const;
  /// Returns whether some warp waits for launches of the block.
  [[nodiscard]] bool awaits_children() const;
  /// Resumes the warps that wait for launches of the block, since these are closed.
  void children_closed();

  /// Sets the synchronisation of the block's kernel. Must be set if the program can signal.
  void set_sync(KernelSync* sync) { sync_ = sync; }
  [[nodiscard]] KernelSync* sync() { return sync_; }
  /// Returns whether every live warp waits at device-wide synchronisation.
  [[nodiscard]] bool sleeps() const;
  /// Returns the wait of the first live warp. The block must sleep.
  [[nodiscard]] const SyncWait& sync_wait() const;
  /// Returns the wait of a warp that waits for something else than the first one, if there is such a warp.
  [[nodiscard]] std::optional<SyncWait> other_sync_wait() const;
  /// Resumes all warps that wait at device-wide synchronisation.
  void wake();
  /// Returns the block's promises about shared memory. Kept only while they are checked.
  [[nodiscard]] std::vector<ReadOnlyRange>& read_only() { return read_only_; }

  /// Ends a warp whose lanes have all exited, and releases the barriers that this completes.
  void retire(Warp& warp);
  /// Resumes the warps of released barriers.
  void release(const std::vector<isa::BarrierUnit::Release>& released);

 private:
  const Launch* launch_ = nullptr;
  Dim3 index_;
  Caller caller_;
  KernelSync* sync_ = nullptr;
  std::vector<ReadOnlyRange> read_only_;
  unsigned lanes_ = 32;
  unsigned live_warps_ = 0;
  AlignedBytes registers_;
  AlignedBytes shared_;
  AlignedBytes local_;
  std::vector<Warp> warps_;
  isa::BarrierUnit barriers_;
  std::unique_ptr<MarkCheck> marks_;
  std::unique_ptr<RedundancyStudy> study_;
  std::unique_ptr<BlockStudy> hook_;
  std::unique_ptr<SpinWatch> spin_watch_;
};

}  // namespace castor::gpu::functional
