#pragma once

#include <memory>
#include <string>
#include <vector>

#include "castor/gpu/hooks/hooks.h"
#include "castor/gpu/machine.h"
#include "castor/hookup/block_type.h"
#include "castor/twin/rtl_object.h"

namespace castor::hookup {

/// The registration of the block of that name: its model.so is loaded when it is asked for, once. Errors: InputError if
/// there is no such block, if it has no adapter, or if its object is of another version.
[[nodiscard]] const BlockType& block_type(const std::string& name);

/// A block that a machine has, with its settings there.
struct ChosenBlock {
  const BlockType* type = nullptr;
  Settings settings;
};

/// The blocks of a machine, each with its twins, and the hooks that plug them into a GPU (docs/gpu/hooks.md,
/// "Composition"). `machine` and `chosen` must live as long; the blocks as long as the GPU. Errors: InputError if two
/// exclude each other or one does not fit the machine (check_claims), and those of BlockType::plug.
class Blocks {
 public:
  Blocks(const gpu::Machine& machine, const std::vector<ChosenBlock>& chosen, twin::RtlSource& rtl);
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  [[nodiscard]] const gpu::Hooks& hooks() const { return hooks_; }

 private:
  gpu::Hooks hooks_;
  std::vector<std::shared_ptr<void>> owners_;
};

}  // namespace castor::hookup
