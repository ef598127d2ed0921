#pragma once

#include <cstdint>
#include <functional>
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
/// | push_* | kernels written and groups attached, with level, SM of the parent and need |
/// | scan_sm, room_* | SM that is examined; its ledger, whether it is open; needs and room of more than a port holds
/// count as its most | | kd_ok | below the governors' quota on that SM | | pl_* | offer of a TB for that SM | | hold |
/// kernels that stay in the table | | mem_*, mem_r* | memory of the policy: a ring of 2^list_log2 slots of 32 bytes for
/// each set and level |
///
/// Timing: the twin settles in F5, first what its registers show, then with the room of the SM that they name; its edge
/// is in F10. It is clocked lazily (lazy_twin.h). A request to memory is handed over at the edge, if none waits to be
/// sent.
///
/// Errors of the block are reported: 0x80 push, 0x81 reply.
class LapermAdapter final : public gpu::DispatchPolicy {
 public:
  struct Settings {
    std::uint8_t policy = laperm::kAdaptiveBind;
    unsigned list_log2 = 0;  ///< slots of a list in memory; 0: there are none
  };
  LapermAdapter(std::unique_ptr<twin::Twin<laperm::Block>> twin, const Settings& settings);
  ~LapermAdapter() override;

  /// Up to date.
  [[nodiscard]] twin::Twin<laperm::Block>& twin() { return laperm_.twin(); }

  [[nodiscard]] const char* block() const override { return laperm::Block::kBlock; }
  void attach(const gpu::HookSite& site) override;
  /// <scope>.laperm: ports and probes of the block, masks of kernel entries and lists in words of 64.
  void add_waves(gpu::Waves& waves, const std::string& scope) override { laperm_.add_waves(waves, scope); }
  void detach() override;
  void reset() override;
  [[nodiscard]] gpu::Cycle quiet() const override { return laperm_.quiet(); }
  /// It looks at one SM after the other while anything waits: if the rest of the machine does nothing, a turn is enough
  /// to know that nothing fits.
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
  std::uint64_t lists_ = 0;  ///< device address
  std::function<void(unsigned code, std::uint64_t info)> error_;
  std::unique_ptr<LapermStatistics> statistics_;
  gpu::Cycle unchanged_ = 0;  ///< cycles since something went in or out
};

}  // namespace castor::hookup
