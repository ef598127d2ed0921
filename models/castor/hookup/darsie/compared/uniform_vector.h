#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/hookup/darsie/compared/compared_system.h"
#include "castor/hookup/darsie/compared/issue_values.h"

namespace castor::hookup {

/// Statistics of the reuse buffer of one SM.
struct UniformVectorStatistics {
  explicit UniformVectorStatistics(base::StatisticGroup& parent) : group(parent, "uniform_vector") {}

  base::StatisticGroup group;
  base::Counter hits{group, {"hits", "", "instructions whose result was in the buffer, which were not executed"}};
  base::Counter misses{group, {"misses", "", "instructions whose result was not in the buffer, which were executed"}};
  base::Counter evictions{group, {"evictions", "", "results replaced by another result"}};
};

/// UV, uniform vector (Yeh 2020, sections 2.5.1, 7.6): an instruction reuse buffer at issue, after fetch and decode.
/// For one SM.
///
/// An instruction is looked up if it is marked DR (whatever the block's shape), executes in all lanes, and has no
/// guard, predicate or memory access. It must have one 32-bit result and up to three 32-bit source values that are
/// scalars (a 64-bit source counts as two). The key is the PC, the TB context and the source values. A hit uses its
/// issue slot but no operand collector and no unit, and writes in the next tick. A miss executes; its result enters the
/// buffer at write-back. The least recently used result is replaced. The publication only says that the buffer reuses
/// instructions that read uniform scalars; key, costs and replacement are Castor's.
///
/// Limits: a warp is picked only if the required unit accepts its instruction, even if the instruction then hits.
class UniformVector final : public ComparedSystem {
 public:
  /// `entries`: number of results in the buffer.
  explicit UniformVector(unsigned entries) : entries_(entries) {}

  using ComparedSystem::attach;
  void attach(const gpu::HookSite& site) override;
  void reset() override;
  const gpu::FetchOut& settle(const gpu::FetchIn& in) override;
  bool issue(const gpu::StudyIssue& issue) override;
  void writes(gpu::Cycle cycle) override { issued_.back().values.written = cycle; }
  void clock(const gpu::FetchIn& in) override;

 private:
  static constexpr unsigned kSources = 3;

  struct Entry {
    bool valid = false;
    std::uint8_t tb = 0;
    std::uint8_t sources = 0;
    std::array<std::uint32_t, kSources> value{};
    std::uint64_t pc = 0;
    gpu::Cycle written = 0;  ///< cycle of the write-back; the entry hits in later cycles
    std::uint64_t used = 0;  ///< sequence number of the last use
  };

  struct Issued {
    unsigned warp = 0;
    IssueValues values;
  };

  void detach_statistics() override { statistics_.reset(); }
  [[nodiscard]] static bool is_candidate(const IssueValues& values);
  [[nodiscard]] Entry* find(unsigned warp, const IssueValues& values);
  [[nodiscard]] bool hits(unsigned warp, const IssueValues& values);
  [[nodiscard]] Entry& victim();
  void look_up(const Issued& issued);

  std::vector<Entry> entries_;
  std::array<std::uint8_t, 64> tb_of_{};  // TB context of each warp
  std::uint64_t uses_ = 0;
  gpu::Cycle now_ = 0;
  std::vector<Issued> issued_;  // instructions that have issued in this tick
  gpu::FetchOut out_;
  std::unique_ptr<UniformVectorStatistics> statistics_;
};

}  // namespace castor::hookup
