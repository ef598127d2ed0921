#pragma once

#include <array>

#include "castor/base/rng.h"
#include "tb/lax/knobs.h"
#include "tb/lax/register_driver.h"
#include "tb/lax/sequences.h"

namespace castor::lax::tb {

/// Sequence of random inputs without any protocol, with three exceptions. A payload stays constant while its valid
/// waits. The request of the register port is held until the acknowledge. All kernels of a queue have the same type, so
/// that a kernel end never removes another queue's instance. The sequence models no surroundings, so it reaches
/// combinations that no directed sequence contains.
class Chaos final : public Sequence {
 public:
  Chaos(const Params& params, std::uint64_t seed);

  void drive(Inputs& in) override;
  void react(Inputs& in, const Outputs& out) override;

 private:
  [[nodiscard]] bool chance(Chance value) { return (rng_() & 0xFFFFU) < value; }
  [[nodiscard]] U8 queue() { return static_cast<U8>(spread(draw(queues_), params_.NumQueues)); }
  [[nodiscard]] U8 type_of(unsigned q) const { return static_cast<U8>(spread(q % types_, params_.NumKt)); }
  [[nodiscard]] unsigned draw(std::uint64_t bound) { return static_cast<unsigned>(rng_.below(bound)); }
  void toggle(QueueBits& bits);
  void new_phase();

  const Params params_;
  base::Xoshiro256 rng_;
  Knobs knobs_;
  RegisterDriver registers_;
  unsigned queues_ = 1, types_ = 1;
  U64 base_;
  base::Cycle cycle_ = 0;  ///< cycle that is driven next
  // Chances of the current phase
  base::Cycle phase_ends_ = 0;
  Chance header_ = 0, beat_ = 0, event_ = 0, grant_ = 0, ready_ = 0, toggle_ = 0;
  // Inputs held until they are accepted
  Inputs held_;
  QueueBits pe_, de_, df_;
  U8 last_queue_ = 0;
};

}  // namespace castor::lax::tb
