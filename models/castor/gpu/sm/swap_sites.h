#pragma once

#include <bitset>
#include <cstddef>
#include <vector>

#include "castor/gpu/hooks/swap_engine.h"
#include "castor/isa/program.h"

namespace castor::gpu {

/// Returns whether SwapJob::site may be `site` for a thread block of the program: a site with a register set of its
/// own, or SwapJob::kAllRegisters.
[[nodiscard]] bool is_swap_site(const isa::Program& program, unsigned site);
/// Returns the registers that a thread block needs when it resumes behind the site. `site` is a SwapJob::site.
[[nodiscard]] std::bitset<256> live_registers(const isa::Program& program, unsigned site);

/// Register sets of a program's sites (docs/gpu/synchronisation.md, "Sites") that the swap engine of an SM is still to
/// be told, one per tick. SwapSetup owns it.
class SwapSites {
 public:
  /// The engine has been configured for a kernel of the program. Null: its jobs name no site.
  void start(const isa::Program* program);
  /// Returns whether the engine is still to be told of a site.
  [[nodiscard]] bool pending() const { return next_ < masks_.size(); }
  /// Returns the next site. `pending` must be true.
  [[nodiscard]] const SiteMask& next() const { return masks_[next_]; }
  /// The engine has been told of the next site.
  void told() { ++next_; }

 private:
  std::vector<SiteMask> masks_;  // sites of the program with a register set of their own, in ascending order
  std::size_t next_ = 0;         // index of the first one that the engine does not know
};

/// Kernel for which the swap engine of an SM is configured, and what the engine is still to be told of it. SwapPort
/// owns it.
class SwapSetup {
 public:
  /// The engine is configured. `program`: of the kernel; null if its jobs name no site.
  void configure(const SwapKernel& kernel, const isa::Program* program) {
    kernel_ = kernel;
    sites_.start(program);
  }
  /// Returns whether the engine has these constants.
  [[nodiscard]] bool knows(const SwapKernel& kernel) const;
  [[nodiscard]] const SwapSites& sites() const { return sites_; }
  [[nodiscard]] SwapSites& sites() { return sites_; }

 private:
  Maybe<SwapKernel> kernel_;  // empty before the first kernel
  SwapSites sites_;
};

}  // namespace castor::gpu
