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

/// Checks what a fetch filter has warps skip and read (machine key check.skips; docs/gpu/fetch-filter.md, "Checking
/// skips"): for each warp of a TB that it acts on the registers are kept a second time, as they would be if the warp
/// executed every instruction itself. A skipped instruction is executed on them and compared with what its leader left
/// in the rows, of a load the addresses; every operand that an instruction or a copy reads is compared too. Registers
/// whose value lies in a row alone must not be read from the register.
///
/// What a warp does is checked in program order, and waits for its loads: a difference is found when all older loads
/// of the warp have their data, and reported as a fault of the warp with the cycle in which it was skipped or read.
///
/// S0 `start_tb`, `start`, `stop`; S1 `loaded`; S5 the others. The warp's PC is that of the instruction, except where
/// one is given. Only there if the key is set.
class SkipCheck {
 public:
  SkipCheck(const Machine& machine, unsigned sm, const SmClock& clock, WarpTable& warps, FaultPort& faults);

  /// A TB begins in the context: nobody has led yet.
  void start_tb(unsigned context) { leads_[context].clear(); }
  /// A warp begins in the slot, its registers are zero.
  void start(unsigned w);
  /// What the warps did is not of interest any more.
  void stop(WarpMask warps);

  /// An instruction issues for the lanes of `mask`, and its operands lie in the warp's own registers. `rows`: of each
  /// source the row that it was taken from, negative = it is the own register.
  void reads(unsigned w, const Decoded& decoded, const std::int16_t* rows, LaneMask mask);
  /// Before its PC moves on: a leader's result goes to rows. Loads: the addresses are kept.
  void leads(unsigned w, const isa::Record& record);
  /// It has issued at `pc`: its results, if it writes registers at once, are there. `lead`: the own registers that it
  /// writes do not count.
  void issued(unsigned w, std::uint32_t pc, const Decoded& decoded, LaneMask mask, bool lead);
  /// The registers of a load or atomic that issued at `pc` are written.
  void loaded(unsigned w, std::uint32_t pc);
  /// The instruction at the warp's PC is skipped; `rows`: values that it takes over, null if nobody has led it.
  void skipped(unsigned w, const std::byte* const* rows);
  /// The own register `reg` has got the value of a row.
  void copied(unsigned w, unsigned reg);

  /// Skips that were checked.
  [[nodiscard]] std::uint64_t checked() const { return checked_; }

 private:
  /// A value that an instruction reads: one register, or the pair of a 64-bit one.
  struct Operand {
    std::uint8_t reg = 0, count = 0;
  };
  /// What a warp did.
  struct Step {
    enum class Kind : std::uint8_t { kRead, kWrite, kLoad, kSkip, kCopy };
    Kind kind = Kind::kRead;
    bool ready = true;  // loads: the data have come
    bool led = false;   // skips: somebody has executed it
    std::uint8_t leader = 0;
    std::uint8_t reg = 0, count = 0;  // written, skipped or copied registers
    std::uint32_t pc = 0;
    Cycle cycle = 0;
    std::vector<Operand> reads;
    std::vector<std::byte> rows;           // values
    std::vector<std::uint64_t> addresses;  // skipped loads: the leader's
    std::array<LaneMask, 8> predicates{};  // skips
  };
  struct Lead {
    std::uint8_t warp = 0;
    std::vector<std::uint64_t> addresses;
  };
  /// Registers that an instruction writes later than it issues, while the warp waits (barrier, call): before it does
  /// anything but copy.
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
  AlignedBytes values_;                                              // architectural registers, per warp slot
  std::array<std::array<std::uint64_t, 4>, kMaxWarps> elsewhere_{};  // bit per register whose value lies in a row alone
  std::vector<std::deque<Step>> steps_;                              // per warp slot, in program order
  std::vector<std::unordered_map<std::uint32_t, Lead>> leads_;       // per TB context, by PC
  std::array<std::optional<Late>, kMaxWarps> late_;
  WarpMask failed_ = 0;
  isa::Access access_;
  std::uint64_t checked_ = 0;
};

}  // namespace castor::gpu
