#pragma once

#include <memory>
#include <vector>

#include "castor/gpu/hooks/hooks.h"
#include "castor/gpu/machine.h"

namespace castor::hookup {

class LaxAdapter;
class SawsAdapter;

/// The blocks that a machine enables, each with its twin, and the hooks that plug them into a GPU (docs/gpu.md,
/// "Laxity engine", "Warp schedulers"). `machine` must live as long; the blocks as long as the GPU.
/// Errors: InputError for illegal parameters of a block, for RTL that this build does not have at them (with the list
/// of those it has), and for a block that nothing here can plug in yet.
class Blocks {
 public:
  explicit Blocks(const gpu::Machine& machine);
  ~Blocks();
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  [[nodiscard]] const gpu::Hooks& hooks() const { return hooks_; }
  /// Null unless blocks.lax.enable.
  [[nodiscard]] LaxAdapter* lax() { return lax_.get(); }
  /// One per SM; empty unless blocks.saws.enable.
  [[nodiscard]] const std::vector<std::unique_ptr<SawsAdapter>>& saws() const { return saws_; }

 private:
  void plug_lax(const gpu::Machine& machine);
  void plug_saws(const gpu::Machine& machine);

  gpu::Hooks hooks_;
  std::unique_ptr<LaxAdapter> lax_;
  std::vector<std::unique_ptr<SawsAdapter>> saws_;
};

}  // namespace castor::hookup
