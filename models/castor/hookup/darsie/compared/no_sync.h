#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/hookup/darsie/compared/compared_system.h"

namespace castor::hookup {

/// What skipping without synchronisation does in one SM.
struct NoSyncStatistics {
  explicit NoSyncStatistics(base::StatisticGroup& parent) : group(parent, "no_cf_sync") {}

  base::StatisticGroup group;
  base::Counter leads{group, {"leads", "", "redundant instructions that one warp executes for all"}};
  base::Counter skips{group, {"skips", "", "instructions that a warp skips"}};
  base::Counter squashes{group, {"squashes", "", "instructions that were fetched and have to wait for a leader"}};
  base::Counter no_rows{group, {"no_rows", "", "instructions that every warp executes for want of virtual rows"}};
  base::Counter leavers{group, {"leavers", "", "warps that go on alone"}};
  base::Counter copies{group, {"copies", "", "registers that a leaving warp gets back"}};
};

/// NO-CF-SYNC (Yeh 2020, section 7.7.3): DARSIE without its synchronisation, which no hardware could be. Of one SM.
///
/// An instance is what warps of a TB execute at one PC with one history: the outcomes of the branches since the last
/// barrier of the whole block. Between two such points a path passes each PC once, so no count of occurrences is
/// needed. The first warp to decode an instance leads, the others take its result behind its write-back and never meet.
/// Warps whose lanes part, or that the SM cannot follow, are on their own until the next barrier of the block. No limit
/// of entries; rows are virtual, 256 per TB, and if none is free all execute the instance. A warp skips one instruction
/// per tick, and is fetched without delay where there is nothing to skip. Registers come back by copies as in DARSIE.
///
/// The source gives the name and says that nothing waits; the rest is ours.
class NoSync final : public ComparedSystem {
 public:
  void attach(const gpu::HookSite& site) override;
  void reset() override;
  const gpu::FetchOut& settle(const gpu::FetchIn& in) override;
  void clock(const gpu::FetchIn& in) override;

 private:
  static constexpr unsigned kSlots = 32;  // registers that can be renamed
  static constexpr std::int16_t kNone = -1;
  static constexpr std::size_t kInstances = 1024;  // per TB, for which there is room without more memory

  struct Instance {
    std::uint64_t pc = 0, history = 0;
    gpu::WarpMask passed = 0;  ///< warps that have executed or skipped it
    bool shared = false;       ///< it has rows; else every warp executes it
    std::uint8_t results = 0;
    std::uint8_t slot[2] = {}, tag[2] = {};
  };
  struct Tb {
    bool promote = false;
    gpu::WarpMask together = 0;  ///< warps that share
    std::uint16_t base = 0;
    std::vector<Instance> instances;
    std::array<std::uint8_t, gpu::kVirtualRows> users{};  ///< per row: warps that refer to it, and its instance
    std::bitset<gpu::kVirtualRows> unwritten;
  };
  struct Warp {
    std::uint8_t tb = 0;
    std::uint64_t history = 0;
    std::array<std::int16_t, kSlots> tag{};  ///< row that stands for a register
  };

  void detach_statistics() override { statistics_.reset(); }
  [[nodiscard]] bool shares(unsigned w) const { return (tbs_[warps_[w].tb].together >> w & 1) != 0; }
  /// What `w` would do at a PC: its instance, if another warp was there before.
  [[nodiscard]] Instance* next(unsigned w, std::uint64_t pc);
  [[nodiscard]] Instance* find(unsigned w, std::uint64_t pc);
  [[nodiscard]] static bool written(const Tb& tb, const Instance& instance);
  void choose(gpu::WarpMask eligible, const std::uint64_t* pc);
  void judge(const gpu::DecodeGroup& group);
  void start(const gpu::TbStartEvent& event);
  void take_decoded(const gpu::DecodeGroup& group);
  void take_issued(const gpu::IssueSlot& slot);
  void refer(unsigned w, unsigned slot, std::int16_t tag);
  void pass(Tb& tb, unsigned w, Instance& instance);
  void forget(Tb& tb, const Instance& instance);
  void leave(gpu::WarpMask warps);
  void meet(unsigned t, gpu::WarpMask join);
  void ask_for_copy();

  std::array<Tb, 64> tbs_;
  std::array<Warp, 64> warps_;
  gpu::WarpMask copying_ = 0;
  std::array<std::uint64_t, 64> skipped_at_{};  // of the tick: PC of the warps in out_.skip
  gpu::FetchOut out_;
  std::unique_ptr<NoSyncStatistics> statistics_;
};

}  // namespace castor::hookup
