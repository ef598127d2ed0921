#pragma once

#include <cstdint>
#include <memory>

#include "castor/gpu/hooks/dispatch_policy.h"
#include "castor/hookup/laperm/laperm_statistics.h"
#include "castor/hookup/lazy_twin.h"
#include "castor/laperm/ports.h"
#include "castor/twin/twin.h"

namespace castor::hookup {

/// Locality-aware thread block scheduling as dispatch policy of a GPU (docs/gpu/launches.md, "Locality-aware
/// scheduling").
///
/// | port of the block | the GPU's |
/// |---|---|
/// | push_* | kernels written and groups attached, with level, SM of the parent and needs of a TB |
/// | scan_sm, room_* | SM that is examined; whether it is open, its free resources, clamped to the width of the ports |
/// | kd_ok | kernels below the governors' quota on that SM |
/// | pl_* | offer of a TB for that SM |
/// | hold | kernels that must stay in the table |
/// | mem_*, mem_r* | memory of the policy: a ring of 2^list_log2 slots of 32 bytes for each set and level |
///
/// Timing: the twin settles twice in F5 (placement): first for the SM that its registers name, then with the free
/// resources of that SM. Its edge is in F10. It is clocked lazily (lazy_twin.h). The adapter accepts a memory request
/// at the edge if no earlier request waits to be sent.
///
/// Errors of the block are reported: 0x80 push, 0x81 reply.
class LapermAdapter final : public gpu::DispatchPolicy {
 public:
  /// Inputs of the block that are constant on a machine.
  struct Settings {
    std::uint8_t policy = laperm::kAdaptiveBind;
    unsigned list_log2 = 0;  ///< slots of a list in memory, as a binary logarithm; 0: no lists in memory
  };
  LapermAdapter(std::unique_ptr<twin::Twin<laperm::Block>> twin, const Settings& settings);
  ~LapermAdapter() override;

  /// Returns the twin after all skipped cycles have been applied.
  [[nodiscard]] twin::Twin<laperm::Block>& twin() { return laperm_.twin(); }

  [[nodiscard]] const char* block() const override { return laperm::Block::kBlock; }
  void attach(const gpu::HookSite& site) override;
  /// Adds ports and probes of the block as <scope>.laperm; masks of kernel entries and lists are split into words of 64
  /// bits.
  void add_waves(gpu::Waves& waves, const std::string& scope) override { laperm_.add_waves(waves, scope); }
  void detach() override;
  void reset() override;
  [[nodiscard]] gpu::Cycle quiet() const override { return laperm_.quiet(); }
  /// The block examines one SM after the other while TBs wait. If nothing else happens in the machine, one pass over
  /// all SMs without a placement shows that no TB fits.
  [[nodiscard]] bool inert() const override { return unchanged_ > laperm_.params().NumSm; }
  void idle(gpu::Cycle n) override { laperm_.idle(n); }
  const gpu::DispatchOut& settle(const gpu::DispatchIn& in) override;
  void clock(const gpu::DispatchIn& in) override;

 private:
  void present_room(const gpu::DispatchIn& in, unsigned sm);
  void present_push(const gpu::WorkItem& item);
  void take_reply(const gpu::MemoryReply& reply);
  void send_request();

  LazyTwin<laperm::Block> laperm_;
  const Settings settings_;
  gpu::DispatchOut out_;
  gpu::HookMemory* memory_ = nullptr;
  std::uint64_t lists_ = 0;  ///< device address of the lists in memory
  gpu::HookError error_;
  std::unique_ptr<LapermStatistics> statistics_;
  gpu::Cycle unchanged_ = 0;   ///< cycles since the last push, memory access or change of the SMs' resources
  std::uint64_t changes_ = 0;  ///< ResourceView::changes in the last cycle
};

}  // namespace castor::hookup
