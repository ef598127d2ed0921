#pragma once

#include <deque>

#include "castor/base/rng.h"
#include "tb/lax/knobs.h"

namespace castor::lax::tb {

/// One access to the register port.
struct Access {
  bool write = false;
  U16 address = 0;
  U32 data = 0;
};

/// Byte addresses of the register map (docs/blocks/lax.md, "Registers").
namespace reg {
inline constexpr U16 kControl = 0x0008, kStatus = 0x000C, kUpdatePeriod = 0x0010, kParseLatency = 0x0014,
                     kMinGroups = 0x0018, kPremaPeriod = 0x001C, kSwitchBandwidth = 0x002C, kIrqStat = 0x0020,
                     kIrqEnable = 0x0024, kErrStat = 0x0028, kPremaPriority = 0x0070, kVerdictPop = 0x0080,
                     kDonePop = 0x0084, kExternal = 0x0400, kQueueState = 0x0800, kIsolated = 0x0C00, kProfile = 0x4000,
                     kJob = 0x8000;
inline constexpr U32 kEnable = 1, kSoftReset = 4, kPreparse = U32{1} << 24U, kAcknowledge = U32{1} << 31U;
}  // namespace reg

/// Returns whether the control register accepts `value`.
[[nodiscard]] bool legal_control(U32 value);

/// Master of the register port. It performs one access at a time: first the requested accesses, then random ones. The
/// Environment owns it.
class RegisterDriver {
 public:
  RegisterDriver(const Params& params, const Knobs& knobs, base::Xoshiro256& rng);

  /// Drives the request of this cycle. `ended` is a queue that the host may acknowledge, or -1.
  void drive(Inputs& in, int ended);

  /// Puts an access before all others; the next `drive` presents it if the port is free.
  void ask(const Access& access) { first_.push_front(access); }
  [[nodiscard]] bool active() const { return active_; }
  /// Starts an access in this cycle; the port must be free.
  void interrupt(const Access& access, Inputs& in);

  /// Access that ends in this cycle, with its result; `valid` is false if no access ends.
  struct Done {
    bool valid = false;
    Access access;
    unsigned error = 0;
    U32 data = 0;
  };
  [[nodiscard]] Done observe(const Outputs& out, Inputs& in);

  /// Returns whether this cycle's request is a soft reset.
  [[nodiscard]] bool resets(const Outputs& out, const Inputs& in) const;

  /// Returns the control register as last written.
  [[nodiscard]] U32 control() const { return control_; }
  /// Returns whether all writes of the initial configuration have been acknowledged.
  [[nodiscard]] bool configured() const { return first_.empty() && !starting_; }

 private:
  void configure();
  [[nodiscard]] Access random_access(int ended);
  [[nodiscard]] Access random_read();
  [[nodiscard]] Access random_write();
  [[nodiscard]] U32 period(unsigned usual);
  [[nodiscard]] U32 rate(unsigned least, unsigned more);
  [[nodiscard]] Access clearing();
  [[nodiscard]] Access illegal_access();
  [[nodiscard]] Access beyond();
  [[nodiscard]] U32 random_control(U32 value);
  U32 other_policy();
  [[nodiscard]] bool chance(Chance value) { return (rng_() & 0xFFFFU) < value; }
  void present(Inputs& in) const;

  const Params& params_;
  const Knobs& knobs_;
  base::Xoshiro256& rng_;
  std::deque<Access> first_;
  Access current_;
  U32 control_ = 0x00301582;
  bool active_ = false;
  bool starting_ = true;
};

/// Returns the number of the i-th kernel type or queue in use. The numbers are taken alternately from both ends of the
/// table.
[[nodiscard]] inline unsigned spread(unsigned i, unsigned count) { return i % 2 == 0 ? i / 2 : count - 1 - i / 2; }

}  // namespace castor::lax::tb
