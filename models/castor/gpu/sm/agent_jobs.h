#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "castor/gpu/away_tbs.h"
#include "castor/gpu/hooks/swap_engine.h"
#include "castor/gpu/page_port.h"
#include "castor/gpu/sm/mechanism.h"

namespace castor::gpu {

/// Thread blocks of the kernel that owns the machine, as the jobs of an SM's synchronisation agent move them
/// (docs/gpu/swapping.md, "Jobs of an agent"): checks jobs, starts the thread blocks that come in, and has the images
/// of those that go out. SwapPort owns it.
class AgentJobs {
 public:
  explicit AgentJobs(const SmParts& parts) : parts_(parts), pages_(parts.outbox, parts.page_grants) {}

  /// A thread block of a kernel that owns the machine starts. `constants`: those of the kernel for the engine.
  void own(const KernelContext& kernel, const SwapKernel& constants);
  /// Returns the constants of the kernel, which jobs have.
  [[nodiscard]] const SwapKernel& constants() const { return constants_; }
  /// Returns the program of the kernel, whose sites jobs name.
  [[nodiscard]] const isa::Program& program() const { return *kernel_->program; }
  /// Returns whether the engine is still to be configured with the constants. `configured`: it has been.
  [[nodiscard]] bool configures() const { return configures_; }
  void configured() { configures_ = false; }
  /// Returns whether the kernel was stopped.
  [[nodiscard]] bool stopped() const;

  /// Checks a job. Returns false if nothing is to be done, because the thread block that it moves out was stopped.
  /// Otherwise, if it moves one out, asks TbMover to freeze that thread block in this tick.
  [[nodiscard]] bool accept(const SwapJob& job, const Hook& engine);
  /// Returns the contexts whose thread block is not frozen yet. `frozen`: it is.
  [[nodiscard]] TbMask asked() const { return asked_; }
  void frozen(unsigned context) { asked_ &= ~(TbMask{1} << context); }
  /// Requests an image, once. Returns its address when it has been granted.
  [[nodiscard]] Maybe<std::uint64_t> image();
  /// The context of a thread block has been moved out; the thread block leaves the SM in a later tick.
  void announce(std::uint32_t gid);

  /// Returns whether the thread block of a job may start in its context: it has been left, and the thread block has
  /// left its own.
  [[nodiscard]] bool may_start(const SwapJob& job, const Hook& engine) const;
  /// Starts the thread block of a job in the next tick. `free`: image that the engine gives back; `took`: ticks in
  /// which the context was moved in.
  void start(const SwapJob& job, const Maybe<std::uint64_t>& free, Tick took, const Hook& engine);

  /// Brings the store of swapped-out thread blocks up to date, between ticks.
  void hand_over();

 private:
  [[nodiscard]] const AwayTbs::Saved& away(std::uint32_t gid, const Hook& engine) const;
  void check_stalled(const TbState& tb, const Hook& engine) const;

  const SmParts parts_;
  PagePort pages_;
  const KernelContext* kernel_ = nullptr;  // the last kernel that owned the machine; valid while a job is open
  Ticket ticket_ = 0;                      // its ticket
  SwapKernel constants_;
  bool configures_ = false;  // the engine does not have the constants yet
  bool requested_ = false;   // an image was requested and has not been granted
  TbMask asked_ = 0;         // contexts that TbMover is to freeze in this tick
  // Thread blocks that were announced, and those that are back, since the last `hand_over`.
  std::vector<std::uint32_t> announced_, back_;
};

}  // namespace castor::gpu
