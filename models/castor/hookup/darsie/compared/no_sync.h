#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/hookup/darsie/compared/compared_system.h"

namespace castor::hookup {

/// Statistics of skipping without synchronisation in one SM.
struct NoSyncStatistics {
  explicit NoSyncStatistics(base::StatisticGroup& parent) : group(parent, "no_cf_sync") {}

  base::StatisticGroup group;
  base::Counter leads{group, {"leads", "", "redundant instructions that one warp executed for all warps"}};
  base::Counter skips{group, {"skips", "", "instructions that a warp skipped"}};
  base::Counter squashes{
      group, {"squashes", "", "instructions squashed after their fetch, because they have to wait for a leader"}};
  base::Counter no_rows{group,
                        {"no_rows", "", "instructions that every warp executed, because no virtual row was free"}};
  base::Counter leavers{group, {"leavers", "", "warps that left the majority and execute alone"}};
  base::Counter copies{group, {"copies", "", "registers that are copied back for a leaving warp"}};
};

/// NO-CF-SYNC (Yeh 2020, section 7.7.3): DARSIE without its synchronisation, which hardware cannot build. For one SM.
///
/// An instance is the execution of one PC by warps of a TB with the same history. The history is the outcomes of all
/// branches since the last barrier of the whole block. A path passes each PC once per history, so no count of
/// occurrences is needed. The first warp to decode an instance leads. Other warps take its result after the write-back;
/// warps never wait for each other at synchronisation points. A warp whose lanes diverge, or that the SM cannot track,
/// executes alone until the next barrier of the block. The number of entries is not limited. Each TB has 256
/// rows beyond the register file; if none is free, all warps execute the instance. A warp skips at most one instruction
/// per tick; fetching a warp without a skip is not delayed. Renamed registers are restored by copies as in DARSIE.
///
/// The publication gives the name and says that no warp waits; all other details are Castor's.
class NoSync final : public ComparedSystem {
 public:
  using ComparedSystem::attach;
  void attach(const gpu::HookSite& site) override;
  [[nodiscard]] unsigned rows() const override { return kRows; }
  void reset() override;
  const gpu::FetchOut& settle(const gpu::FetchIn& in) override;
  gpu::WarpMask act(gpu::WarpMask /*eligible*/) override { return wait_; }
  void clock(const gpu::FetchIn& in) override;

 private:
  static constexpr unsigned kSlots = 32;  // registers that can be renamed
  static constexpr std::int16_t kNone = -1;
  static constexpr std::size_t kInstances = 1024;  // instances per TB that fit without reallocation

  struct Instance {
    std::uint64_t pc = 0, history = 0;
    gpu::WarpMask passed = 0;  ///< warps that have executed or skipped the instance
    bool shared = false;       ///< rows are allocated for the result; if false, every warp executes the instance
    std::uint8_t results = 0;
    std::uint8_t slot[2] = {}, tag[2] = {};
  };
  struct Tb {
    bool promote = false;
    gpu::WarpMask together = 0;  ///< warps that share results
    std::uint16_t base = 0;
    std::vector<Instance> instances;
    std::array<std::uint8_t, kRows>
        users{};  ///< [row] number of registers renamed to it, plus 1 if its instance is live
    std::bitset<kRows> unwritten;
  };
  struct Warp {
    std::uint8_t tb = 0;
    std::uint64_t history = 0;
    std::array<std::int16_t, kSlots> tag{};  ///< row to which each register is renamed; kNone: none
  };

  void detach_statistics() override { statistics_.reset(); }
  [[nodiscard]] bool shares(unsigned w) const { return (tbs_[warps_[w].tb].together >> w & 1) != 0; }
  /// Returns the instance that warp `w` would skip at a PC: another warp leads it, and `w` has not passed it. Else
  /// null.
  [[nodiscard]] Instance* next(unsigned w, std::uint64_t pc);
  [[nodiscard]] Instance* find(unsigned w, std::uint64_t pc);
  [[nodiscard]] static bool written(const Tb& tb, const Instance& instance);
  void choose(gpu::WarpMask eligible);
  void judge(const gpu::DecodeGroup& group);
  void begin(const gpu::TbStartEvent& event);
  void take_decoded(const gpu::DecodeGroup& group);
  void take_issued(const gpu::IssueSlot& slot);
  void refer(unsigned w, unsigned slot, std::int16_t tag);
  void pass(Tb& tb, unsigned w, Instance& instance);
  void forget(Tb& tb, const Instance& instance);
  void leave(gpu::WarpMask warps);
  void meet(unsigned t, gpu::WarpMask join);
  void request_copy();

  std::array<Tb, 64> tbs_;
  std::array<Warp, 64> warps_;
  gpu::WarpMask copying_ = 0;
  gpu::WarpMask wait_ = 0;  // warps that skip their instruction in this tick, or wait for its result
  std::array<std::uint64_t, 64> skipped_at_{};  // PC in this tick of each warp in out_.skip
  gpu::FetchOut out_;
  std::unique_ptr<NoSyncStatistics> statistics_;
};

}  // namespace castor::hookup
