#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/hookup/darsie/compared/compared_system.h"

namespace castor::hookup {

/// What the reuse buffer of one SM does.
struct UniformVectorStatistics {
  explicit UniformVectorStatistics(base::StatisticGroup& parent) : group(parent, "uniform_vector") {}

  base::StatisticGroup group;
  base::Counter hits{group, {"hits", "", "instructions whose result was in the buffer: eliminated"}};
  base::Counter misses{group, {"misses", "", "instructions that were looked for and executed"}};
  base::Counter evictions{group, {"evictions", "", "results that gave way to another"}};
};

/// UV, uniform vector (Yeh 2020, sections 2.5.1, 7.6): an instruction reuse buffer at issue, behind fetch and decode.
/// Of one SM.
///
/// Looked for are instructions marked DR, whatever the block's shape, that all lanes execute, without guard, predicate
/// and memory, with one 32-bit result and up to three 32-bit source values that are scalars (a 64-bit source is two).
/// The key is the PC, the TB context and the source values. A hit takes its issue slot, no collector and no unit, and
/// writes in the next tick; a miss executes, and its result is in the buffer behind its write-back. The least recently
/// used result gives way. What the source says of the form is that it reuses instructions that read uniform scalars;
/// the key, the costs and the order of replacement are ours.
///
/// Limits: a warp is picked only if the unit that it would need accepts, also for what then hits.
class UniformVector final : public ComparedSystem {
 public:
  /// `entries` results.
  explicit UniformVector(unsigned entries) : entries_(entries) {}

  void attach(const gpu::HookSite& site) override;
  void reset() override;
  const gpu::FetchOut& settle(const gpu::FetchIn& in) override;
  void clock(const gpu::FetchIn& in) override;

 private:
  static constexpr unsigned kSources = 3;

  struct Entry {
    bool valid = false;
    std::uint8_t tb = 0;
    std::uint8_t sources = 0;
    std::array<std::uint32_t, kSources> value{};
    std::uint64_t pc = 0;
    gpu::Cycle written = 0;  ///< its result is there behind this cycle
    std::uint64_t used = 0;  ///< number of the last use
  };

  void detach_statistics() override { statistics_.reset(); }
  [[nodiscard]] static bool is_candidate(const gpu::IssueValues& values);
  [[nodiscard]] Entry* find(unsigned warp, const gpu::IssueValues& values);
  [[nodiscard]] Entry& victim();
  void look_up(unsigned warp, const gpu::IssueValues& values, gpu::Cycle now);

  std::vector<Entry> entries_;
  std::array<std::uint8_t, 64> tb_of_{};  // per warp
  std::uint64_t uses_ = 0;
  gpu::FetchOut out_;
  std::unique_ptr<UniformVectorStatistics> statistics_;
};

}  // namespace castor::hookup
