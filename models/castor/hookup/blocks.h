#pragma once

#include <memory>
#include <string>
#include <vector>

#include "castor/gpu/hooks/hooks.h"
#include "castor/gpu/machine.h"
#include "castor/hookup/block_type.h"
#include "castor/twin/rtl_object.h"

namespace castor::hookup {

/// Returns the registration of the block of that name. The first call loads the block's model.so. Throws InputError if
/// the block does not exist, has no adapter, or its object is of another version.
[[nodiscard]] const BlockType& block_type(const std::string& name);

/// A block that a machine enables, with its settings.
struct ChosenBlock {
  const BlockType* type = nullptr;
  Settings settings;
};

/// The enabled blocks of a machine with their twins, and the hooks that plug them into a GPU (docs/gpu/hooks.md,
/// "Composition"). `machine` and `chosen` must outlive this object, and this object must outlive the GPU. Throws
/// InputError if two blocks exclude each other or a block does not fit the machine (check_claims), and for the reasons
/// given at BlockType::plug.
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
