#pragma once

#include "castor/gpu/sm/sm.h"

namespace castor::gpu {

/// Inputs of an SM's hooks that are collected during a tick, and what the hooks answered.
struct Sm::HookState {
  explicit HookState(Sm& owner) : sm(owner) {}

  void begin_tick() {
    tb_start.reset();
    tb_free.reset();
    kernel_start = false;
    if (late_start) tb_start = std::exchange(late_start, std::nullopt);
  }
  [[nodiscard]] WarpMask fetch_held() const { return hold; }
  void started(const TbStartEvent& event, bool first) {
    kernel_start = first;
    (first ? late_start : tb_start) = event;
  }

  Sm& sm;
  Maybe<TbStartEvent> tb_start, late_start;  ///< a kernel's first start is told a tick later
  Maybe<std::uint8_t> tb_free;
  bool kernel_start = false;
  WarpMask hold = 0;
  WarpMask eligible = 0;  ///< at S0, for the fetch filter
  std::uint8_t barrier_ok = 0xff;
  std::array<std::uint8_t, kMaxPicks> picks{};  ///< bit s of [j]: scheduler s has a j-th pick

  IssueIn issue;
  FetchIn fetch;
  std::array<std::uint8_t, kMaxWarps> tb_of{};
  std::array<std::uint32_t, kMaxWarps> age_of{};
  std::array<std::uint64_t, kMaxWarps> pc_of{};
  Picks picked{};
};

}  // namespace castor::gpu
