#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "castor/gpu/execution/aligned_bytes.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/sm/fault_port.h"
#include "castor/gpu/sm/sm_clock.h"
#include "castor/gpu/sm/warp_table.h"
#include "castor/isa/memory_access.h"

namespace castor::gpu {

/// Checker of the instructions that warps skip because of a fetch filter, and of the pool rows that the warps read
/// (machine key check.skips; docs/gpu/fetch-filter.md, "Checking skips"). For each warp on which the filter acts, the
/// checker keeps a second set of registers: their values as if the warp executed every instruction itself. A skipped
/// instruction is executed on this set, and its results are compared with the leader's rows; for loads, the addresses
/// are compared. Every operand that an instruction or a copy reads is compared too. If a register's value is only in a
/// pool row, the register itself must not be read.
///
/// The steps of a warp are checked in program order, once all older loads of the warp have their data. A difference is
/// reported as a fault of the warp, with the cycle of the skip or read.
///
/// Steps: `start_tb`, `start` and `stop` in S0, start; `loaded` in S1, events; `leaves` in S8, bookkeeping; the other
/// functions in S5, issue.
/// Functions without `pc` act on the instruction at the warp's PC. Present only if the key is set.
class SkipCheck {
 public:
  SkipCheck(const Machine& machine, unsigned sm, const SmClock& clock, WarpTable& warps, FaultPort& faults);

  /// Clears the leaders of a context in which a TB starts.
  void start_tb(unsigned context) { leads_[context].clear(); }
  /// Clears the slot's steps and sets its second registers to zero, for a warp that starts in it.
  void start(unsigned w);
  /// Drops the unchecked steps of these warps.
  void stop(WarpMask warps);

  /// Checks the sources of an instruction that issues for the lanes `mask`; the operand values must already be in the
  /// warp's own registers. `rows`: row from which each source was taken, negative = own register.
  void reads(unsigned w, const Decoded& decoded, const std::int16_t* rows, LaneMask mask);
  /// Records that the warp leads the instruction at its PC, before the PC advances. For loads, the addresses are
  /// recorded.
  void leads(unsigned w, const isa::Record& record);
  /// Records the results of an instruction that has issued at `pc`; arithmetic results have already been written to the
  /// registers. `lead`: the results are in pool rows, so the warp's own registers must not be read.
  void issued(unsigned w, std::uint32_t pc, const Decoded& decoded, LaneMask mask, bool lead);
  /// Records the data of a load or atomic, issued at `pc`, whose registers have been written.
  void loaded(unsigned w, std::uint32_t pc);
  /// Checks the skip of the instruction at the warp's PC. `rows`: result values that the skip assigns to the warp; null
  /// if the instruction has no leader.
  void skipped(unsigned w, const std::byte* const* rows);
  /// Checks the value of a row that was copied to the own register `reg`.
  void copied(unsigned w, unsigned reg);
  /// Checks that the own registers of a warp hold the right values, because its TB is swapped out. The warp has nothing
  /// in flight.
  void leaves(unsigned w);

  /// Returns the number of skips checked so far.
  [[nodiscard]] std::uint64_t checked() const { return checked_; }

 private:
  // Operand of an instruction: one register, or the pair of a 64-bit value.
  struct Operand {
    std::uint8_t reg = 0, count = 0;
  };
  // Step of a warp that is to be checked: a read, write, load, skip or copy.
  struct Step {
    enum class Kind : std::uint8_t { kRead, kWrite, kLoad, kSkip, kCopy };
    Kind kind = Kind::kRead;
    bool ready = true;  // loads: the data have arrived
    bool led = false;   // skips: a leader has executed the instruction
    std::uint8_t leader = 0;
    std::uint8_t reg = 0, count = 0;  // registers that the step writes, skips or copies
    std::uint32_t pc = 0;
    Cycle cycle = 0;
    std::vector<Operand> reads;
    std::vector<std::byte> rows;           // values that the step reads, writes, copies or gets by a skip
    std::vector<std::uint64_t> addresses;  // skipped loads: addresses of the leader's lanes
    std::array<LaneMask, 8> predicates{};  // skips: predicates of the warp at the skip
  };
  // Last leader of a record: number of the warp in its TB, and addresses of a load.
  struct Lead {
    std::uint8_t warp = 0;
    std::vector<std::uint64_t> addresses;
  };
  // Registers that a waiting instruction (barrier, call) writes after its issue. They are read before the warp's next
  // step.
  struct Late {
    std::uint8_t reg = 0, count = 0;
    std::uint32_t pc = 0;
  };

  [[nodiscard]] isa::RegisterView shadow(unsigned w, LaneMask* predicates);
  [[nodiscard]] Step& push(unsigned w, Step::Kind kind, std::uint32_t pc);
  void take_own(unsigned w, Step& step, unsigned reg, unsigned count);
  void set_elsewhere(unsigned w, const Decoded& decoded, bool elsewhere);
  [[nodiscard]] bool reads_stale(unsigned w, const Decoded& decoded, const std::int16_t* rows, LaneMask mask);
  void take_late(unsigned w);
  void drain(unsigned w);
  [[nodiscard]] std::optional<ExecutionFault> run(unsigned w, Step& step);
  [[nodiscard]] std::optional<ExecutionFault> run_skip(unsigned w, Step& step);
  [[nodiscard]] std::optional<ExecutionFault> compare_addresses(unsigned w, const Step& step,
                                                                const isa::Record& record);
  [[nodiscard]] std::optional<ExecutionFault> compare(unsigned w, const Step& step, Operand operand,
                                                      const std::byte* rows, const char* what) const;
  [[nodiscard]] std::string place(unsigned w, std::uint32_t pc, Cycle cycle) const;
  void write(unsigned w, const Step& step);
  void fail(unsigned w, std::uint32_t pc, const ExecutionFault& what);
  [[nodiscard]] std::byte* row_of(unsigned w, unsigned reg) { return values_.data() + w * stride_ + reg * row_bytes_; }
  [[nodiscard]] const std::byte* row_of(unsigned w, unsigned reg) const {
    return values_.data() + w * stride_ + reg * row_bytes_;
  }

  const unsigned sm_;
  const SmClock& clock_;
  WarpTable& warps_;
  FaultPort& faults_;
  const std::size_t row_bytes_, stride_;
  AlignedBytes values_;  // second registers, per warp slot
  // [warp] bit per register whose value is only in a pool row
  std::array<std::array<std::uint64_t, 4>, kMaxWarps> elsewhere_{};
  std::vector<std::deque<Step>> steps_;                         // [warp slot] unchecked steps in program order
  std::vector<std::unordered_map<std::uint32_t, Lead>> leads_;  // [TB context] leader of each record
  std::array<std::optional<Late>, kMaxWarps> late_;
  // warps that are no longer checked: a difference was reported, or their TB was stopped
  WarpMask failed_ = 0;
  isa::Access access_;
  std::uint64_t checked_ = 0;
};

}  // namespace castor::gpu
