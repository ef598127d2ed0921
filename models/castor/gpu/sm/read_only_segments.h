#pragma once

#include "castor/gpu/sm/mechanism.h"
#include "castor/gpu/sm/thread_blocks.h"

namespace castor::gpu {

/// Mechanism that keeps the read-only segments of thread blocks (docs/gpu/swapping.md, "Read-only segments"): it
/// executes tb.readonly and tb.writable for kernels that own the machine, and stops a kernel that stores to a segment.
/// Present only if a swap engine has entries for segments (SwapStorage::segments). The tables are in EngineMoves, from
/// which SwapPort tells the engine.
class ReadOnlySegments : public SmMechanism {
 public:
  static constexpr bool kOptional = true;
  static bool present(const SmParts& parts);

  explicit ReadOnlySegments(const SmParts& parts);

  void start(TbStart& start);
  bool issue(unsigned scheduler, unsigned w, const isa::Record& record, const Decoded& decoded, LaneMask mask);

 private:
  void execute(unsigned context, unsigned w, const isa::Record& record, LaneMask mask);
  [[nodiscard]] bool refuse(unsigned context, unsigned w, const isa::Record& record, LaneMask mask);

  const SmParts parts_;
  EngineMoves& moves_;
  const unsigned entries_;  // of a table
};

}  // namespace castor::gpu
