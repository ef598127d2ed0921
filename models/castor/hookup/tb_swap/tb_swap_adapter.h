#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "castor/gpu/hooks/swap_engine.h"
#include "castor/hookup/lazy_twin.h"
#include "castor/hookup/tb_swap/tb_swap_statistics.h"
#include "castor/tb_swap/ports.h"
#include "castor/twin/twin.h"

namespace castor::hookup {

/// The block tb_swap as swap engine of one SM (docs/gpu/swapping.md). Addresses of the block are in lines, those of the
/// GPU in bytes.
///
/// | port of the block | the SM's |
/// |---|---|
/// | cfg_* | constants of a kernel, layout of the spare storage; and the settings |
/// | site_*, ro_* | live registers of a site; read-only segment of a TB |
/// | job_* | oldest job, until it is taken |
/// | local_room, parked_*, enter_* | as the hook's |
/// | page_* | image in device memory |
/// | access_*, load_done, block_memory | as the hook's |
/// | outstanding | requests of the SM without a reply, at most 1023 |
///
/// A TB whose number has more than 24 bits keeps its number, although the block carries the low 24 bits only.
///
/// Timing: settles in S0 (start of a tick), one clock edge per tick in S9 (edges of hooks). All outputs are registered.
/// The twin is clocked lazily (lazy_twin.h).
class TbSwapAdapter final : public gpu::SwapEngine {
 public:
  struct Settings {
    bool live = true;              ///< only live registers move
    bool stay = true;              ///< TBs may stay in the SM
    std::uint8_t queue = 64;       ///< most TBs that stay in the SM
    std::uint8_t segments = 2;     ///< most read-only segments of a TB; 0: none
    std::uint16_t threshold = 64;  ///< requests at which accesses to memory pause; 0: they never pause
  };
  TbSwapAdapter(std::unique_ptr<twin::Twin<tb_swap::Block>> twin, const Settings& settings);
  ~TbSwapAdapter() override;

  /// Returns the twin after all skipped cycles have been applied.
  [[nodiscard]] twin::Twin<tb_swap::Block>& twin() { return swap_.twin(); }

  [[nodiscard]] const char* block() const override { return tb_swap::Block::kBlock; }
  [[nodiscard]] gpu::SwapStorage storage() const override;
  void attach(const gpu::HookSite& site) override;
  /// Adds ports and probes of the block as <scope>.tb_swap.
  void add_waves(gpu::Waves& waves, const std::string& scope) override { swap_.add_waves(waves, scope); }
  void detach() override { statistics_.reset(); }
  void reset() override;
  [[nodiscard]] gpu::Cycle quiet() const override { return swap_.quiet(); }
  void idle(gpu::Cycle n) override { swap_.idle(n); }
  const gpu::SwapOut& settle(const gpu::SwapIn& in) override;
  void clock(const gpu::SwapIn& in) override;

 private:
  void show();
  void present(const gpu::SwapIn& in);
  void configure(const gpu::SwapKernel& kernel);

  LazyTwin<tb_swap::Block> swap_;
  const Settings settings_;
  unsigned sm_ = 0;
  gpu::SwapOut out_;
  std::array<std::uint32_t, 64> in_gid_{};  ///< [context] SwapJob::in_gid of the job that the block has taken
  std::deque<std::uint8_t> leaving_;        ///< contexts whose TB the block moves out, in the order of the jobs
  std::unique_ptr<TbSwapStatistics> statistics_;
};

}  // namespace castor::hookup
