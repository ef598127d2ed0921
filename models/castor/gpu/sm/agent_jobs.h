#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "castor/gpu/away_tbs.h"
#include "castor/gpu/hooks/swap_engine.h"
#include "castor/gpu/sm/mechanism.h"

namespace castor::gpu {

/// Thread blocks of the kernel that owns the machine, as the jobs of an SM's synchronisation agent move them
/// (docs/gpu/swapping.md, "Jobs of an agent"): checks jobs, and starts the thread blocks that come in. SwapPort owns
/// it.
class AgentJobs {
 public:
  explicit AgentJobs(const SmParts& parts) : parts_(parts) {}

  /// A thread block of a kernel that owns the machine starts. `constants`: those of the kernel for the engine.
  void own(const KernelContext& kernel, const SwapKernel& constants);
  /// Returns the kernel, whose thread blocks jobs move.
  [[nodiscard]] const KernelContext& kernel() const { return *kernel_; }
  /// Returns the constants of the kernel, which jobs have.
  [[nodiscard]] const SwapKernel& constants() const { return constants_; }
  /// Returns the program of the kernel, whose sites jobs name.
  [[nodiscard]] const isa::Program& program() const { return *kernel_->program; }
  /// Returns whether the engine is still to be configured with the constants. `configured`: it has been.
  [[nodiscard]] bool configures() const { return configures_; }
  void configured() { configures_ = false; }
  /// Checks a job. Returns false if nothing is to be done, because the thread block that it moves out was stopped.
  /// Otherwise, if it moves one out, asks TbMover to freeze that thread block in this tick.
  [[nodiscard]] bool accept(const SwapJob& job, const Hook& engine);
  /// Returns the contexts whose thread block is not frozen yet. `frozen`: it is.
  [[nodiscard]] TbMask asked() const { return asked_; }
  void frozen(unsigned context) { asked_ &= ~(TbMask{1} << context); }
  /// The context of a thread block has been moved out to an image, 0 = none; the thread block leaves the SM in a later
  /// tick.
  void announce(std::uint32_t gid, std::uint64_t image);
  /// Returns the address of the image of a thread block that is swapped out; 0 = none.
  [[nodiscard]] std::uint64_t image_of(std::uint32_t gid, const Hook& engine) const { return away(gid, engine).image; }

  /// Returns whether the thread block of a job may start in its context: it has been left, and the thread block has
  /// left its own.
  [[nodiscard]] bool may_start(const SwapJob& job, const Hook& engine) const;
  /// Starts the thread block of a job in the next tick. `took`: ticks in which the context was moved in.
  void start(const SwapJob& job, Tick took, const Hook& engine);

  /// Brings the store of swapped-out thread blocks up to date, between ticks.
  void hand_over();

 private:
  [[nodiscard]] bool stopped() const;
  [[nodiscard]] const AwayTbs::Place& away(std::uint32_t gid, const Hook& engine) const;
  void check_stalled(const TbState& tb, const Hook& engine) const;

  const SmParts parts_;
  const KernelContext* kernel_ = nullptr;  // the last kernel that owned the machine; valid while a job is open
  Ticket ticket_ = 0;                      // its ticket
  SwapKernel constants_;
  bool configures_ = false;  // the engine does not have the constants yet
  TbMask asked_ = 0;         // contexts that TbMover is to freeze in this tick
  // Thread blocks that were announced, with their images, and those that are back, since the last `hand_over`.
  std::vector<std::pair<std::uint32_t, std::uint64_t>> announced_;
  std::vector<std::uint32_t> back_;
};

}  // namespace castor::gpu
