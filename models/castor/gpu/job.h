#pragma once

#include <cstdint>
#include <vector>

#include "castor/base/time.h"

/// Messages between host and device about jobs (docs/gpu/jobs.md, "Jobs"): the packet that announces one, the
/// word that tells how it went, notices, and accesses to the registers of blocks.
namespace castor::gpu {

/// An element of a job's list: so many thread blocks of a kernel type.
struct JobElement {
  std::uint8_t kid = 0;   ///< kernel type
  std::uint32_t tbs = 0;  ///< 24 bits
};

/// Announces the kernel packets behind it as one job: 64 bytes, sixteen little-endian words (docs/gpu/jobs.md, "Jobs").
struct JobPacket {
  static constexpr std::uint8_t kSubtype = 0x4a;
  static constexpr std::uint32_t kNoDeadline = 0xffffffff;
  static constexpr unsigned kElements = 8;  ///< that one packet holds; longer lists go on in further packets (append)

  std::uint8_t subtype = kSubtype;  ///< anything else makes the packet invalid
  bool append = false;              ///< adds to the queue's job; deadline and start are ignored
  bool best_effort = false;         ///< no deadline
  std::uint32_t id = 0;             ///< software's tag
  std::uint32_t deadline = 0;       ///< core cycles from the start
  std::uint16_t kernels = 0;        ///< kernel packets behind that belong to it
  std::uint64_t start = 0;          ///< core cycle, 48 bits; 0 = the doorbell's
  std::vector<JobElement> list;     ///< at most 15 can be announced, 8 are carried
  std::uint64_t signal = 0;         ///< device address of its 64-bit signal word, 8-byte aligned; 0 is invalid
};

/// Low byte of a signal word.
enum class JobStatus : std::uint8_t {
  kPending,   ///< what the host writes before it submits
  kAccepted,  ///< value: estimated completion in cycles, of an admission test
  kRejected,  ///< reason; value: the same
  kDone,      ///< value: latency in cycles
  kDoneLate,  ///< value: the same
  kError,     ///< the packet is invalid; its queue does nothing any more
};

/// A signal word: bits 7:0 status, 15:8 reason, 63:32 value.
struct JobSignal {
  JobStatus status = JobStatus::kPending;
  std::uint8_t reason = 0;
  std::uint32_t value = 0;

  [[nodiscard]] std::uint64_t word() const {
    return static_cast<std::uint64_t>(status) | std::uint64_t{reason} << 8 | std::uint64_t{value} << 32;
  }
  [[nodiscard]] static JobSignal of(std::uint64_t word) {
    return {static_cast<JobStatus>(word & 0xff), static_cast<std::uint8_t>(word >> 8 & 0xff),
            static_cast<std::uint32_t>(word >> 32)};
  }
};

/// Something that the host can know: the store of the completion or signal word that tells it is acknowledged.
struct Notice {
  enum class What : std::uint8_t { kPacketDone, kSignal };
  What what = What::kPacketDone;
  unsigned queue = 0;
  std::uint64_t ticket = 0;  ///< of the packet; of a signal: of the JOB packet
  base::Cycle cycle = 0;     ///< in which it happened on the device
  bool discarded = false;    ///< of a packet: it was dropped with its job
  JobSignal signal;          ///< of a signal
};

/// An access to the registers of a block: `window` is the number of its 64 KB window (Hook::window).
struct RegisterAccess {
  unsigned window = 0;
  bool write = false;
  std::uint32_t offset = 0;  ///< bytes, inside the window
  std::uint32_t value = 0;   ///< of a write
};

enum class RegisterError : std::uint8_t {
  kNone,
  kAddress,  ///< nobody serves the window, unmapped, not aligned
  kRefused,  ///< illegal value, write to a read-only word
};

struct RegisterReply {
  RegisterError error = RegisterError::kNone;
  std::uint32_t value = 0;  ///< of a read
};

}  // namespace castor::gpu
