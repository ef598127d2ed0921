#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "castor/base/time.h"
#include "castor/lax/ports.h"
#include "tb/common/sequence_table.h"
#include "tb/lax/knobs.h"

/// Stimulus of the laxity engine (docs/blocks/lax.md, "Use").
namespace castor::lax::tb {

/// What surrounds the engine, one cycle at a time. The same parameters, name and seed give the same stimulus for the
/// same outputs, whatever the twin is.
///
/// Per cycle, from 0 on without gaps: `drive`, then the twin's `settle`, then `observe`, then the twin's `clock`.
class Sequence {
 public:
  Sequence() = default;
  Sequence(const Sequence&) = delete;
  Sequence& operator=(const Sequence&) = delete;
  virtual ~Sequence() = default;

  /// Sets every field of `in` that an output of this cycle may depend on, and what does not depend on outputs.
  virtual void drive(base::Cycle cycle, Inputs& in) = 0;

  /// Sees the outputs of this cycle; may still change inputs that only the clock edge sees (grants, events, registers).
  virtual void observe(const Outputs& out, Inputs& in) = 0;

  /// Cycles from `next` on, the one that would be driven next, in which nothing happens and all levels stay. Instead of
  /// driving them one by one the bench may let the twin skip n of them; the next `drive` is then n cycles further.
  [[nodiscard]] virtual base::Cycle rest(base::Cycle /*next*/) const { return 0; }
};

using SequenceInfo = castor::tb::SequenceInfo;

/// All sequences, random ones first.
[[nodiscard]] const std::vector<SequenceInfo>& sequences();

/// A sequence by name; throws InputError, with the list of names, if there is none such. `seed` decides everything that
/// is random in it. `params` must be legal.
[[nodiscard]] std::unique_ptr<Sequence> make_sequence(std::string_view name, const Params& params, std::uint64_t seed);

/// The surroundings with knobs of one's own.
[[nodiscard]] std::unique_ptr<Sequence> make_environment(const Params& params, const Knobs& knobs, std::uint64_t seed);

/// The knobs that stand behind a name and a seed; throws InputError for "chaos", which has none.
[[nodiscard]] Knobs knobs_of(std::string_view name, const Params& params, std::uint64_t seed);

}  // namespace castor::lax::tb
