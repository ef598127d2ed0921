#pragma once

#include <cstdint>

#include "castor/gpu/hooks/hooks.h"

// Interface of a shared object that knows the GPU by its hooks only.
namespace castor::gpu::timing_test {

/// Adapters of all types for one device, with counts of their activity.
class ModuleHooks {
 public:
  virtual ~ModuleHooks() = default;
  [[nodiscard]] virtual const Hooks& hooks() const = 0;
  /// Sets the word of device memory that the dispatch policy uses: at its first edge it adds 1 to the word and reads
  /// it.
  virtual void set_word(std::uint64_t address) = 0;

  struct Seen {
    std::uint64_t picks = 0, placements = 0, retired = 0, issues = 0, starts = 0, pulses = 0, detached = 0;
    std::uint64_t messages = 0;    ///< messages that the synchronisation hub has accepted
    std::uint64_t free_warps = 0;  ///< free warps of all SMs when the first kernel arrived
    std::uint32_t word = 0;        ///< word that the dispatch policy has read
    std::size_t open = 0;          ///< requests without a reply at the end
    RegisterAccess access;         ///< last access that the job scheduler answered
  };
  [[nodiscard]] virtual Seen seen() const = 0;
};

/// The one function of the module; the caller deletes what it returns.
using MakeModuleHooks = ModuleHooks* (*)(unsigned sms);

}  // namespace castor::gpu::timing_test
