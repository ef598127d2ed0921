#pragma once

#include "castor/gpu/sm/fetch_stage.h"
#include "castor/gpu/sm/mechanism_list.h"
#include "castor/gpu/sm/scoreboard.h"
#include "castor/gpu/sm/sm_clock.h"
#include "castor/gpu/sm/sm_memory.h"
#include "castor/gpu/sm/warp_table.h"

namespace castor::gpu {

/// Receives the notifications of the memory side of an SM (S2, S3) and forwards them to the parts and mechanisms
/// concerned.
template <class Mechanisms>
class MemoryReplies final : public SmMemoryClient {
 public:
  MemoryReplies(const SmParts& parts, Mechanisms& mechanisms)
      : clock_(parts.clock),
        warps_(parts.warps),
        scoreboard_(parts.scoreboard),
        fetch_(parts.fetch),
        mechanisms_(mechanisms) {}

  void data_ready(MemoryOperation& operation, Tick ready) override {
    const MemoryIssue& instruction = SmMemory::instruction(operation);
    const unsigned w = instruction.warp;
    const Decoded& decoded = warps_[w].decoded[instruction.pc];
    bool taken = false;
    mechanisms_.each([&](auto& one) { taken = taken || one.expect_load(w, decoded, ready, operation); });
    if (!taken) scoreboard_.expect_load(w, decoded, clock_.tick(), ready, operation);
  }
  void acknowledged(unsigned w) override { scoreboard_.acknowledged(w); }
  void record_stored(unsigned w, std::uint32_t number) override {
    mechanisms_.each([&](auto& one) { one.record_stored(w, number); });
  }
  void swap_loaded(MemoryOperation& operation, Tick ready) override {
    mechanisms_.each([&](auto& one) { one.swap_loaded(operation, ready); });
  }
  void swap_stored(unsigned context) override {
    mechanisms_.each([&](auto& one) { one.swap_stored(context); });
  }
  void resume(unsigned w) override { scoreboard_.resume(w); }
  void fetched(std::uint64_t line) override {
    fetch_.line_arrived(line);
    clock_.stir();
  }

 private:
  SmClock& clock_;
  const WarpTable& warps_;
  Scoreboard& scoreboard_;
  FetchStage& fetch_;
  Mechanisms& mechanisms_;
};

}  // namespace castor::gpu
