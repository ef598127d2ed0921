#include "tb/lax/register_driver.h"

#include <algorithm>
#include <iterator>

namespace castor::lax::tb {

bool legal_control(U32 value) {
  const auto field = [value](unsigned high, unsigned low) {
    return (value >> low) & static_cast<U32>(twin::mask(high - low + 1));
  };
  return field(7, 4) <= 9 && field(11, 10) != 3 && field(14, 13) != 3 && field(19, 17) <= 4 && field(22, 20) != 0;
}

RegisterDriver::RegisterDriver(const Params& params, const Knobs& knobs, base::Xoshiro256& rng)
    : params_(params), knobs_(knobs), rng_(rng) {
  configure();
}

void RegisterDriver::configure() {
  const auto write = [this](unsigned address, U32 data) { first_.push_back({true, static_cast<U16>(address), data}); };
  write(reg::kUpdatePeriod, knobs_.update_period);
  write(reg::kPremaPeriod, knobs_.prema_period);
  write(reg::kMinGroups, knobs_.min_groups);
  write(reg::kPremaPriority, knobs_.prema_priority);
  write(reg::kIrqEnable, static_cast<U32>(rng_() & 0x7FU));
  const unsigned types = knobs_.kernel_types == 0 ? params_.NumKt : std::min(knobs_.kernel_types, params_.NumKt);
  for (unsigned i = 0; i < types; ++i) {
    const unsigned kid = spread(i, params_.NumKt);
    const bool other = knobs_.isolated_other != 0 && i % 2 == 1;
    const U32 isolated = rate(4, 20);
    write(reg::kIsolated + 4 * kid, other ? knobs_.isolated_other : knobs_.isolated != 0 ? knobs_.isolated : isolated);
    if (!chance(knobs_.preload)) continue;
    const U32 drawn = rate(4, 20);
    write(reg::kProfile + 32 * kid, knobs_.preload_value != 0 ? knobs_.preload_value : drawn);
  }
  U32 control = knobs_.control;
  if (knobs_.random_control) control = random_control(control);
  if (knobs_.policy < 10) control = (control & ~U32{0xF0}) | (knobs_.policy << 4U);
  write(reg::kControl, control);
}

// Returns a random rate: cycles per TB in 24.8 fixed point, below a random power of two from 2^`least` to 2^(`least` +
// `more` - 1). With the knob `powers`, some rates are powers of two.
U32 RegisterDriver::rate(unsigned least, unsigned more) {
  if (knobs_.powers != 0 && chance(knobs_.powers)) return U32{1} << rng_.below(32);
  return static_cast<U32>(rng_.below(std::uint64_t{1} << (least + rng_.below(more))));
}

// Returns a control register with random fields; ENABLE is that of `value`, and soft reset is 0.
U32 RegisterDriver::random_control(U32 value) {
  U32 control = static_cast<U32>(rng_.below(10)) << 4U;
  if (rng_.below(2) == 0) control = 8U << 4U;  // half of all runs under LAX
  control |= static_cast<U32>(rng_.below(4)) << 8U | static_cast<U32>(rng_.below(3)) << 10U;
  control |= static_cast<U32>(rng_.below(4) != 0) << 12U | static_cast<U32>(rng_.below(3)) << 13U;
  control |= static_cast<U32>(rng_.below(4) == 0) << 15U | static_cast<U32>(rng_.below(4) == 0) << 16U;
  control |= static_cast<U32>(rng_.below(5)) << 17U | static_cast<U32>(1 + rng_.below(7)) << 20U;
  control |= static_cast<U32>(rng_.below(2)) << 23U | static_cast<U32>(rng_.below(4) == 0) << 24U;
  control |= static_cast<U32>(rng_.below(4) != 0) << 1U | static_cast<U32>(rng_.below(16) == 0) << 3U;
  return control | (value & reg::kEnable);
}

// Returns the control register with one of the policies that the knobs allow.
U32 RegisterDriver::other_policy() {
  unsigned policy = 0;
  do {
    policy = static_cast<unsigned>(rng_.below(10));
  } while ((knobs_.policies >> policy & 1U) == 0);
  return (control_ & ~U32{0xF0}) | policy << 4U;
}

void RegisterDriver::present(Inputs& in) const {
  in.reg_req = active_ ? 1 : 0;
  if (!active_) return;
  in.reg_we = current_.write ? 1 : 0;
  in.reg_addr = current_.address;
  in.reg_wdata = current_.data;
}

void RegisterDriver::drive(Inputs& in, int ended) {
  if (!active_ && !first_.empty()) {
    current_ = first_.front();
    first_.pop_front();
    active_ = true;
  } else if (!active_ && (knobs_.poll_tables || chance(knobs_.access))) {
    current_ = random_access(ended);
    active_ = true;
  }
  present(in);
}

void RegisterDriver::interrupt(const Access& access, Inputs& in) {
  current_ = access;
  active_ = true;
  present(in);
}

RegisterDriver::Done RegisterDriver::observe(const Outputs& out, Inputs& in) {
  Done done;
  if (!active_ || out.reg_ack == 0) return done;
  done.valid = true;
  done.access = current_;
  done.error = out.reg_err;
  done.data = out.reg_rdata;
  if (done.access.write && done.error == 0 && done.access.address == reg::kControl) {
    control_ = done.access.data & ~reg::kSoftReset;
    starting_ = false;
  }
  active_ = false;
  // The engine ignores the request in the cycle of the acknowledge: drives the old request, none, or noise.
  switch (rng_.below(3)) {
    case 0:
      in.reg_req = 0;
      in.reg_we = 0;
      in.reg_addr = 0;
      in.reg_wdata = 0;
      break;
    case 1:
      in.reg_addr = static_cast<U16>(rng_());
      in.reg_we = 1;
      in.reg_wdata = static_cast<U32>(rng_());
      break;
    default:
      break;
  }
  return done;
}

bool RegisterDriver::resets(const Outputs& out, const Inputs& in) const {
  return in.reg_req != 0 && out.reg_ack == 0 && in.reg_we != 0 && in.reg_addr == reg::kControl &&
         (in.reg_wdata & reg::kSoftReset) != 0 && legal_control(in.reg_wdata);
}

Access RegisterDriver::random_access(int ended) {
  if (knobs_.verdict_pops != 0 && chance(knobs_.verdict_pops)) return {false, reg::kVerdictPop, 0};
  if (knobs_.status_reads != 0 && chance(knobs_.status_reads)) {
    constexpr U16 kReads[] = {reg::kStatus, reg::kErrStat, reg::kIrqStat};
    return {false, kReads[rng_.below(std::size(kReads))], 0};
  }
  if (ended >= 0 && chance(knobs_.acknowledge)) {
    return {true, static_cast<U16>(reg::kQueueState + 4 * ended), reg::kAcknowledge};
  }
  // The record of an ended job must not change until the queue's next job arrives.
  if (ended >= 0 && chance(knobs_.read_ended)) {
    return {false, static_cast<U16>(reg::kJob + 128 * ended + 4 * rng_.below(8)), 0};
  }
  if (knobs_.poll_tables) {
    return {false, static_cast<U16>(reg::kJob + 128 * rng_.below(params_.NumQueues) + 4 * rng_.below(8)), 0};
  }
  if (knobs_.beyond != 0 && chance(knobs_.beyond)) return beyond();
  if (chance(knobs_.illegal_access)) return illegal_access();
  return chance(knobs_.write) ? random_write() : random_read();
}

Access RegisterDriver::random_read() {
  const auto queue = static_cast<unsigned>(rng_.below(params_.NumQueues));
  const auto type = static_cast<unsigned>(rng_.below(params_.NumKt));
  unsigned address = 0;
  switch (rng_.below(10)) {
    case 0:
      address = static_cast<unsigned>(4 * rng_.below(16));
      if (rng_.below(2) == 0) address = rng_.below(2) == 0 ? reg::kErrStat : reg::kIrqStat;
      break;
    case 1:
      address = 0x40 + static_cast<unsigned>(4 * rng_.below(13));
      break;
    case 2:
      address = rng_.below(2) == 0 ? reg::kVerdictPop : reg::kDonePop;
      break;
    case 3:
      address = reg::kExternal + 4 * queue;
      break;
    case 4:
      address = reg::kQueueState + 4 * queue;
      break;
    case 5:
      address = reg::kIsolated + 4 * type;
      break;
    case 6:
    case 7:
      address = reg::kProfile + 32 * type + static_cast<unsigned>(4 * rng_.below(8));
      break;
    case 8:
      address = reg::kJob + 128 * queue + static_cast<unsigned>(4 * rng_.below(8));
      break;
    default:
      address = reg::kJob + 128 * queue + 0x40 + static_cast<unsigned>(4 * rng_.below(params_.MaxKt));
      break;
  }
  return {false, static_cast<U16>(address), static_cast<U32>(rng_())};
}

Access RegisterDriver::random_write() {
  const auto queue = static_cast<unsigned>(rng_.below(params_.NumQueues));
  const auto type = static_cast<unsigned>(rng_.below(params_.NumKt));
  const auto word = static_cast<U32>(rng_());
  const U32 drawn = rate(1, 32);
  if (knobs_.clears != 0 && chance(knobs_.clears)) return clearing();
  if (chance(knobs_.soft_reset)) return {true, reg::kControl, control_ | reg::kSoftReset};
  if (chance(knobs_.reconfigure)) {
    if (knobs_.priorities && (knobs_.policies == 0 || rng_.below(2) == 0)) {
      constexpr U32 kPriorities[] = {1, 3, 9};
      return {true, reg::kPremaPriority, kPriorities[rng_.below(3)]};
    }
    if (knobs_.policies != 0) return {true, reg::kControl, other_policy()};
    switch (rng_.below(7)) {
      case 0:
        return {true, reg::kUpdatePeriod, period(knobs_.update_period)};
      case 1:
        return {true, reg::kPremaPeriod, period(knobs_.prema_period)};
      case 2:
        return {true, reg::kMinGroups, 1 + static_cast<U32>(rng_.below(rng_.below(4) == 0 ? 255 : 4))};
      case 3:
        return {true, reg::kPremaPriority, rng_.below(2) == 0 ? U32{3} : U32{9}};
      case 4:  // disables the engine until the next reconfiguration enables it again
        return {true, reg::kControl, control_ ^ (rng_.below(4) == 0 ? reg::kEnable : 0)};
      default:
        return {true, reg::kControl, random_control(reg::kEnable)};
    }
  }
  switch (rng_.below(9)) {
    case 0:
    case 1:
      return {true, static_cast<U16>(reg::kExternal + 4 * queue), rng_.below(2) == 0 ? word : word & 3U};
    case 2:
      return {true, static_cast<U16>(reg::kIsolated + 4 * type), drawn};
    case 3:
      return {true, static_cast<U16>(reg::kProfile + 32 * type), drawn};
    case 4:
      return {true, static_cast<U16>(reg::kProfile + 32 * type + 0x18), U32{1} << 30U};
    case 5:
      return {true, reg::kIrqStat, word};
    case 6:
      return {true, reg::kIrqEnable, word & 0x7FU};
    case 7:
      return {true, rng_.below(2) == 0 ? U16{0x0014} : U16{0x002C}, 1 + word % 0xFFFFU};
    default:
      return {true, reg::kErrStat, word};
  }
}

// Returns a period near `usual`; sometimes a period that is longer than any run.
U32 RegisterDriver::period(unsigned usual) {
  if (rng_.below(8) == 0) return 0xFFFFFFU - static_cast<U32>(rng_.below(1U << 23U));
  return 1000 + static_cast<U32>(rng_.below(2 * usual));
}

// Returns a write that clears errors, interrupts or a kernel type, or a pop of a verdict.
Access RegisterDriver::clearing() {
  switch (rng_.below(4)) {
    case 0:
      return {true, reg::kErrStat, ~U32{0}};
    case 1:
      return {true, reg::kIrqStat, ~U32{0}};
    case 2:
      return {false, reg::kVerdictPop, 0};
    default: {
      const unsigned used = knobs_.kernel_types == 0 ? params_.NumKt : std::min(knobs_.kernel_types, params_.NumKt);
      const unsigned type = spread(static_cast<unsigned>(rng_.below(used)), params_.NumKt);
      return {true, static_cast<U16>(reg::kProfile + 32 * type + 0x18), U32{1} << 30U};
    }
  }
}

// Returns a write of a legal value, or of 0, with one bit above the width of the register.
Access RegisterDriver::beyond() {
  struct Narrow {
    U16 address;
    unsigned bits;  // width of the register
    U32 legal;      // a value that it accepts
  };
  static constexpr Narrow kNarrow[] = {{reg::kUpdatePeriod, 24, 1000}, {reg::kPremaPeriod, 24, 1000},
                                       {reg::kParseLatency, 16, 5},    {reg::kSwitchBandwidth, 16, 5},
                                       {reg::kMinGroups, 8, 1},        {reg::kPremaPriority, 4, 3}};
  const Narrow& chosen = kNarrow[rng_.below(std::size(kNarrow))];
  const U32 bit = U32{1} << (chosen.bits + rng_.below(32 - chosen.bits));
  return {true, chosen.address, bit | (rng_.below(2) == 0 ? 0 : chosen.legal)};
}

// Returns an illegal access: unmapped, misaligned or read-only address, or illegal value.
Access RegisterDriver::illegal_access() {
  const auto word = static_cast<U32>(rng_());
  const bool write = rng_.below(2) == 0;
  static constexpr U16 kReadOnly[] = {0x0000, 0x0004, 0x000C, 0x0030, 0x0034, 0x0038, 0x003C, 0x0040,
                                      0x006C, 0x0080, 0x0084, 0x4004, 0x4014, 0x8000, 0x8040};
  static constexpr Access kBadValues[] = {
      {true, 0x0010, 999},        {true, 0x0010, 1U << 24U},  {true, 0x0018, 0},          {true, 0x0018, 256},
      {true, 0x001C, 0},          {true, 0x0070, 2},          {true, 0x0070, 0},          {true, 0x002C, 0},
      {true, 0x0008, 0x003015A3}, {true, 0x0008, 0x001015F3}, {true, 0x0008, 0x00301D83}, {true, 0x0008, 0x00307583},
      {true, 0x0008, 0x003A1583}, {true, 0x0008, 0x00001583}, {true, 0x0800, 0},          {true, 0x4018, 0}};
  switch (rng_.below(6)) {
    case 0:
      return {write, static_cast<U16>(word), word};
    case 1:
      return {write, static_cast<U16>((word & 0x00FFU) | 1U), word};
    case 2:
      return {true, kReadOnly[rng_.below(std::size(kReadOnly))], word};
    case 3:
      return {write, static_cast<U16>(reg::kQueueState + 4 * params_.NumQueues), word};
    case 4:  // acknowledges a queue in any state, with data that the engine must refuse
      return {true, static_cast<U16>(reg::kQueueState + 4 * rng_.below(params_.NumQueues)), word & 0x7FFFFFFFU};
    default:
      return kBadValues[rng_.below(std::size(kBadValues))];
  }
}

}  // namespace castor::lax::tb
