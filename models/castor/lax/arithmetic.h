#pragma once

#include <algorithm>
#include <cstdint>

/// The fixed-point rules of the laxity engine (docs/blocks/lax.md, "Arithmetic"), one pure function per rule.
///
/// Times are 48-bit cycle counts that wrap; their differences are taken modulo 2^48. Durations used in decisions are
/// 32-bit cycle counts that saturate at `kLongest`; all ones means "none".
namespace castor::lax {

inline constexpr std::uint32_t kNone = 0xffff'ffffU;     ///< no deadline; also the key value that sorts last
inline constexpr std::uint32_t kLongest = 0xffff'fffeU;  ///< value at which durations saturate
inline constexpr std::uint32_t kMostTbs = 0xff'ffffU;    ///< value at which counts of TBs and tokens saturate
inline constexpr std::uint64_t kTimeMask = (std::uint64_t{1} << 48U) - 1;

[[nodiscard]] constexpr std::uint64_t wrap48(std::uint64_t value) { return value & kTimeMask; }
/// Returns (later - earlier) modulo 2^48, in cycles.
[[nodiscard]] constexpr std::uint64_t elapsed(std::uint64_t later, std::uint64_t earlier) {
  return wrap48(later - earlier);
}
/// Whether a time lies in the future, given its difference (now - time) modulo 2^48: bit 47 is set.
[[nodiscard]] constexpr bool is_future(std::uint64_t difference) { return ((difference >> 47U) & 1U) != 0; }
/// Clips a measured value to 2^32 - 1.
[[nodiscard]] constexpr std::uint32_t clip(std::uint64_t value) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, kNone));
}
/// Saturates a computed duration at 2^32 - 2.
[[nodiscard]] constexpr std::uint32_t saturate(std::uint64_t value) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, kLongest));
}
/// Returns the cycles from `start` to `now`; 0 if `start` lies in the future.
[[nodiscard]] constexpr std::uint32_t duration(std::uint64_t now, std::uint64_t start) {
  const std::uint64_t difference = elapsed(now, start);
  return is_future(difference) ? 0 : saturate(difference);
}
/// Returns the predicted time from start to end of a job, in cycles.
[[nodiscard]] constexpr std::uint32_t completion(std::uint32_t remaining, std::uint32_t dur) {
  return saturate(std::uint64_t{remaining} + dur);
}
/// Returns the sum of two counts of TBs, saturated.
[[nodiscard]] constexpr std::uint32_t add_tbs(std::uint32_t a, std::uint32_t b) {
  return std::min(a + b, kMostTbs);  // both operands are below 2^24
}
/// Returns deadline minus predicted completion in cycles, clamped to a signed 32-bit value; the largest value without a
/// deadline.
[[nodiscard]] constexpr std::int32_t laxity(std::uint32_t deadline, std::uint32_t remaining, std::uint32_t dur) {
  if (deadline == kNone) return INT32_MAX;
  const std::int64_t value = std::int64_t{deadline} - completion(remaining, dur);
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(value, INT32_MIN, INT32_MAX));
}

/// Definition of the time that a rate divides by the completions of a kernel type.
enum class RateMode : std::uint8_t {
  kWall,      ///< cycles since the window opened
  kActive,    ///< cycles with at least one instance in flight
  kInstance,  ///< cycles summed over the instances in flight
  kPeakHold,  ///< as kActive, but the time per TB rises by at most a fraction per refresh
};

/// Returns the new rate of a kernel type in cycles per TB (UQ24.8), at least 1. `measured` is the rate of the window
/// that closes; `old` and `valid` are from the table entry.
[[nodiscard]] constexpr std::uint32_t refreshed_rate(std::uint32_t measured, std::uint32_t old, bool valid,
                                                     RateMode mode, unsigned leak, unsigned ewma_shift) {
  std::uint32_t next = measured;
  if (valid && mode == RateMode::kPeakHold) {
    next = std::min(measured, clip(std::uint64_t{old} + (old >> leak)));
  } else if (valid) {
    // Arithmetic shift of the signed difference: rounds towards minus infinity.
    const std::int64_t step = (std::int64_t{measured} - std::int64_t{old}) >> ewma_shift;
    next = static_cast<std::uint32_t>(std::int64_t{old} + step);
  }
  return std::max(next, 1U);
}

/// Scheduling policy, which ranks the jobs (docs/blocks/lax.md, "Policies").
enum class Policy : std::uint8_t { kRr, kFcfs, kEdf, kSjf, kLjf, kSrf, kMlfq, kPrema, kLax, kExt };

/// Combines priority class (2 bits) and value (48 bits) in one key; the smaller key goes first.
[[nodiscard]] constexpr std::uint64_t make_key(unsigned key_class, std::uint64_t value) {
  return std::uint64_t{key_class} << 48U | wrap48(value);
}
[[nodiscard]] constexpr unsigned key_class(std::uint64_t key) { return static_cast<unsigned>(key >> 48U); }
[[nodiscard]] constexpr std::uint64_t key_value(std::uint64_t key) { return wrap48(key); }

/// Inputs of a job's key.
struct KeyInput {
  Policy policy;
  bool classes = true;             ///< LAX: the priority class ranks above the value; otherwise all jobs have class 0
  bool admitted = false;           ///< LAX: the job is being admitted
  unsigned initial = 0;            ///< LAX: initial priority of a job being admitted: 0 highest, 1 lowest, 2 computed
                                   ///< as in an update
  std::uint64_t start = 0;         ///< time at which the job was enqueued
  std::uint32_t deadline = 0;      ///< cycles from the start; kNone: none
  std::uint32_t remaining = 0;     ///< remaining time, cycles
  std::uint32_t dur = 0;           ///< cycles since the start
  std::uint32_t iso = 0;           ///< isolated time at admission, cycles
  std::uint32_t token = 0;         ///< PREMA token, UQ16.8
  unsigned threshold = 1;          ///< PREMA threshold: 1, 3 or 9
  std::uint32_t external_key = 0;  ///< key that software wrote, for policy EXT
};

/// Returns the key of LAX with its class. Order: smallest positive laxity first; then jobs predicted to miss their
/// deadline, by completion; then jobs without deadline, by start; last the jobs that are late.
[[nodiscard]] constexpr std::uint64_t lax_key(const KeyInput& in) {
  if (in.deadline == kNone) return in.classes ? make_key(2, in.start) : make_key(0, kNone);
  if (in.admitted && in.initial == 0) return make_key(0, 0);
  if (in.admitted && in.initial == 1) return make_key(3, kNone);
  if (in.dur > in.deadline) return make_key(3, kNone);
  const std::uint32_t end = completion(in.remaining, in.dur);
  return in.deadline > end ? make_key(0, in.deadline - end) : make_key(1, end);
}

/// Returns the key of a job under the selected policy.
[[nodiscard]] constexpr std::uint64_t job_key(const KeyInput& in) {
  switch (in.policy) {
    case Policy::kRr:
      return make_key(0, 0);
    case Policy::kFcfs:
      return make_key(0, in.start);
    case Policy::kEdf:
      return make_key(0, in.start + in.deadline);
    case Policy::kSjf:
      return make_key(0, in.iso);
    case Policy::kLjf:
      return make_key(0, kTimeMask - in.iso);
    case Policy::kSrf:
      return make_key(0, in.remaining);
    case Policy::kMlfq: {
      const std::uint64_t thrice = std::uint64_t{3} * in.dur;
      const bool low = thrice > in.deadline && thrice <= std::uint64_t{2} * in.deadline;
      return make_key(low ? 1 : 0, 0);
    }
    case Policy::kPrema:
      return in.token >= in.threshold * 256U ? make_key(0, in.remaining) : make_key(1, kTimeMask - in.token);
    case Policy::kLax:
      return in.classes ? lax_key(in) : key_value(lax_key(in));
    case Policy::kExt:
      return make_key(0, in.external_key);
  }
  return 0;
}

}  // namespace castor::lax
