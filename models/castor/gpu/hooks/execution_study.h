#pragma once

#include <cstdint>
#include <memory>

#include "castor/isa/memory_access.h"

/// Hook for studies of execution: sees every instruction that the functional machine executes
/// (docs/gpu/functional.md, "The functional machine"). For comparison systems only; it changes nothing and stands for
/// no hardware.
namespace castor::gpu {

struct Launch;

/// Study of one thread block.
class BlockStudy {
 public:
  virtual ~BlockStudy() = default;
  /// Called before a warp executes record `pc` for the lanes of `mask`.
  virtual void before(unsigned warp, std::uint32_t pc, const isa::RegisterView& view, isa::LaneMask mask) = 0;
  /// Called after a warp has executed the record of the last `before`, if that is a lane operation or memory access.
  virtual void after(unsigned warp, std::uint32_t pc, const isa::RegisterView& view) = 0;
};

/// Study of a run.
class ExecutionStudy {
 public:
  virtual ~ExecutionStudy() = default;
  /// A thread block of `warps` warps of `lanes` lanes starts. Returns its study, or null for a thread block that is not
  /// studied.
  [[nodiscard]] virtual std::unique_ptr<BlockStudy> start(const Launch& launch, unsigned warps, unsigned lanes) = 0;
  /// Thread block number `block` of the launch's grid has completed.
  virtual void end(const Launch& launch, std::uint64_t block, BlockStudy& study) = 0;
  /// A launch has ended: all its thread blocks have completed, or it was stopped.
  virtual void end(const Launch& launch) = 0;
};

}  // namespace castor::gpu
