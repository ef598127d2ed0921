#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "castor/gpu/device.h"
#include "castor/gpu/execution/aligned_bytes.h"
#include "castor/gpu/execution/barrier_arrival.h"
#include "castor/gpu/functional/affine_probe.h"
#include "castor/gpu/functional/mark_check.h"
#include "castor/gpu/functional/memory_path.h"
#include "castor/gpu/functional/redundancy.h"
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

enum class WarpState : std::uint8_t { kReady, kAtBarrier, kAwaitsChildren, kDone };

struct Warp {
  isa::SimtStack stack;
  alignas(64) isa::LaneMask predicates[8] = {};
  isa::WarpContext context;
  std::byte* registers = nullptr;
  std::byte* local = nullptr;
  WarpState state = WarpState::kReady;
  BarrierWait barrier;                    ///< in kAtBarrier
  std::unique_ptr<RuntimeState> runtime;  ///< from its first call of the device runtime on
};

/// One resident thread block: registers, shared and local memory, barriers. Can be used again for the next block.
class ThreadBlock {
 public:
  /// Sets up block `index` of a launch. `lanes` of the machine's warps, `slot` = first warp slot on SM `sm`.
  /// `check_marks`: marked records are compared between warps, if the program has any. `study`: redundant instructions
  /// are counted. `find_affine`: affine instances are looked for.
  void start(const Launch& launch, Dim3 index, unsigned lanes, unsigned sm, unsigned sms, unsigned warp_slots,
             bool check_marks = false, bool study = false, bool find_affine = false);

  [[nodiscard]] const Launch& launch() const { return *launch_; }
  [[nodiscard]] Dim3 index() const { return index_; }
  [[nodiscard]] std::vector<Warp>& warps() { return warps_; }
  [[nodiscard]] isa::BarrierUnit& barriers() { return barriers_; }
  [[nodiscard]] Windows windows(const Warp& warp) const;
  [[nodiscard]] isa::RegisterView view(Warp& warp) const;
  [[nodiscard]] bool done() const { return live_warps_ == 0; }
  [[nodiscard]] unsigned lanes() const { return lanes_; }
  /// The check of marks, or null.
  [[nodiscard]] MarkCheck* marks() { return marks_.get(); }
  /// The limit study, or null.
  [[nodiscard]] RedundancyStudy* study() { return study_.get(); }
  /// What looks for affine instances, or null.
  [[nodiscard]] AffineProbe* affine() { return affine_.get(); }
  /// The search for loops that change nothing, or null.
  [[nodiscard]] SpinWatch* spin_watch() { return spin_watch_.get(); }
  /// Begins to look for such loops, from here on; ends it.
  void watch_loops(bool on);
  /// Every live warp waits, or repeats a loop, as far as was looked at.
  [[nodiscard]] bool repeats() const;
  /// Adds the warps that repeat a loop.
  void add_spinning(std::vector<SpinningWarp>& list) const;
  /// Somebody looks at every record that is executed.
  [[nodiscard]] bool observed() const {
    return marks_ != nullptr || study_ != nullptr || affine_ != nullptr || spin_watch_ != nullptr;
  }
  /// Index of the thread in one lane of a warp.
  [[nodiscard]] Dim3 thread(const Warp& warp, unsigned lane) const;

  /// Which block of which launch it is, as a caller of the device runtime.
  void set_caller(const Caller& caller) { caller_ = caller; }
  [[nodiscard]] const Caller& caller() const { return caller_; }
  /// Some warp waits for launches of the block.
  [[nodiscard]] bool awaits_children() const;
  /// Those launches are closed: such warps go on.
  void children_closed();

  void retire(Warp& warp);
  void release(const std::vector<isa::BarrierUnit::Release>& released);

 private:
  const Launch* launch_ = nullptr;
  Dim3 index_;
  Caller caller_;
  unsigned lanes_ = 32;
  unsigned live_warps_ = 0;
  AlignedBytes registers_;
  AlignedBytes shared_;
  AlignedBytes local_;
  std::vector<Warp> warps_;
  isa::BarrierUnit barriers_;
  std::unique_ptr<MarkCheck> marks_;
  std::unique_ptr<RedundancyStudy> study_;
  std::unique_ptr<AffineProbe> affine_;
  std::unique_ptr<SpinWatch> spin_watch_;
};

}  // namespace castor::gpu::functional
