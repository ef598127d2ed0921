#pragma once

#include <cstdint>

#include "castor/gpu/hooks/hook.h"
#include "castor/isa/memory_access.h"
#include "castor/isa/program.h"

/// Hook for studies: lets a system that hardware is compared with act in an SM as no hardware can
/// (docs/gpu/fetch-filter.md, "Studies"). For comparison systems only: a run with a study says nothing about the cost
/// of hardware.
namespace castor::gpu {

struct KernelContext;

/// A warp of a studied SM.
struct StudiedWarp {
  const isa::Program* program = nullptr;
  std::uint32_t pc = 0;         ///< record of its next instruction
  std::uint64_t code_base = 0;  ///< device address of record 0; record i is at code_base + 8 i
  isa::LaneMask mask = 0;       ///< lanes for which the instruction at `pc` executes: active, and its guard is true
};

/// An SM as a study may read and change it. Valid from Study::attach to Hook::detach. "The instruction" of a warp is
/// the one at its PC.
class StudiedSm {
 public:
  virtual ~StudiedSm() = default;
  [[nodiscard]] virtual StudiedWarp warp(unsigned w) const = 0;
  [[nodiscard]] virtual isa::RegisterView registers(unsigned w) = 0;
  /// Returns whether no register that the warp's instruction reads or writes has a write in flight.
  [[nodiscard]] virtual bool ready(unsigned w) const = 0;
  /// Executes the warp's instruction for its values alone, without issue slot and time, and advances its PC. Allowed in
  /// Study::act, for arithmetic that is `ready` (asserted).
  virtual void compute(unsigned w) = 0;
  /// Writes pool rows to the results of the warp's load, in order, and advances its PC. Allowed in Study::act, for
  /// loads of one or two results that are `ready` (asserted).
  virtual void load_rows(unsigned w, const std::uint16_t* rows) = 0;
};

/// An instruction that issues, before it executes.
struct StudyIssue {
  std::uint8_t warp = 0;   ///< warp slot
  std::uint32_t pc = 0;    ///< record
  isa::LaneMask mask = 0;  ///< lanes for which it issues
  std::int16_t row = -1;   ///< leaders: pool row of the first result, base + tag; -1 for other instructions
};

/// Study of one SM, part of a fetch filter (FilterTerms::study). With a study the filter may also skip eligible warps
/// that it does not hold.
class Study {
 public:
  virtual ~Study() = default;
  /// Returns the number of rows that each TB context has beyond the register file, at most 256. They are numbered after
  /// the rows of the register file and take no register space. A row may get its next value while an older instruction
  /// still reads it. 0: the filter has no rows and acts on issue alone. Constant.
  [[nodiscard]] virtual unsigned rows() const { return 0; }
  /// Called once, after the filter's `attach` and `reset`.
  virtual void attach(StudiedSm& /*sm*/) {}
  /// S0, start: a TB starts. `kernel` is valid until the TB retires.
  virtual void start(unsigned /*context*/, const KernelContext& /*kernel*/) {}
  /// S5, issue, when the filter has settled and nothing has issued. `eligible`: FetchIn::eligible. Returns the warps
  /// that must not be fetched in this tick. The study may advance eligible warps. It keeps the SM awake by its `quiet`.
  virtual WarpMask act(WarpMask /*eligible*/) { return 0; }
  /// S5: an instruction of a TB on which the filter acts issues. Returns whether its result is known: it then takes no
  /// collector and no unit and writes in the next tick (arithmetic only).
  virtual bool issue(const StudyIssue& /*issue*/) { return false; }
  /// S5: the arithmetic instruction that issued last is written back in `cycle`, bank conflicts ignored.
  virtual void writes(Cycle /*cycle*/) {}
};

}  // namespace castor::gpu
