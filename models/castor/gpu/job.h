#pragma once

#include <cstdint>
#include <vector>

#include "castor/base/time.h"

/// Messages between host and device about jobs (docs/gpu/jobs.md, "Jobs"): the packet that announces a job, the signal
/// word with the job's status, notices, and accesses to the registers of blocks.
namespace castor::gpu {

/// Element of a job's list: a number of thread blocks of one kernel type.
struct JobElement {
  std::uint8_t kid = 0;   ///< kernel type
  std::uint32_t tbs = 0;  ///< number of thread blocks, 24 bits
};

/// Announces the kernel packets that follow in the queue as one job. The packet has 64 bytes, sixteen little-endian
/// words (docs/gpu/jobs.md, "Jobs").
struct JobPacket {
  static constexpr std::uint8_t kSubtype = 0x4a;
  static constexpr std::uint32_t kNoDeadline = 0xffffffff;
  /// List elements per packet; a longer list continues in further packets (append).
  static constexpr unsigned kElements = 8;

  std::uint8_t subtype = kSubtype;  ///< any other value makes the packet invalid
  bool append = false;       ///< the packet extends the list of the queue's current job; deadline and start are ignored
  bool best_effort = false;  ///< the job has no deadline
  std::uint32_t id = 0;      ///< tag chosen by software
  std::uint32_t deadline = 0;    ///< core cycles from `start`
  std::uint16_t kernels = 0;     ///< number of following kernel packets that belong to the job
  std::uint64_t start = 0;       ///< core cycle from which the deadline counts, 48 bits; 0 = cycle of the doorbell
  std::vector<JobElement> list;  ///< the packet can announce at most 15 elements and carries at most 8
  std::uint64_t signal = 0;      ///< device address of the job's 64-bit signal word, 8-byte aligned; 0 is invalid
};

/// Status of a job: low byte of its signal word.
enum class JobStatus : std::uint8_t {
  kPending,   ///< written by the host before it submits the job
  kAccepted,  ///< value: completion time in cycles, as estimated by the admission test
  /// reason: why the job was rejected; value: completion time in cycles, as estimated by the admission test
  kRejected,
  kDone,      ///< completed in time; value: latency in cycles
  kDoneLate,  ///< completed after its deadline; value: latency in cycles
  kError,     ///< the packet is invalid; its queue executes no further packet
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

/// Event that the host can observe: the store of a packet's completion word or of a signal word has been acknowledged.
struct Notice {
  enum class What : std::uint8_t { kPacketDone, kSignal };
  What what = What::kPacketDone;
  unsigned queue = 0;
  std::uint64_t ticket = 0;  ///< ticket of the completed packet; of a signal: ticket of the JOB packet
  base::Cycle cycle = 0;     ///< cycle in which the event happened on the device
  bool discarded = false;    ///< kPacketDone: the packet was dropped together with its job
  JobSignal signal;          ///< kSignal: content of the signal word
};

/// Register numbers in the window of one hook: bytes, in 32-bit words.
inline constexpr std::uint32_t kRegisterWindow = 1U << 16;

/// Access of the host or of device code to the registers of a block. `window` is the number of the block's 64 KB window
/// (Hook::window).
struct RegisterAccess {
  unsigned window = 0;
  bool write = false;
  std::uint32_t offset = 0;  ///< bytes from the start of the window
  std::uint32_t value = 0;   ///< data of a write
};

/// Result of a register access.
enum class RegisterError : std::uint8_t {
  kNone,
  kAddress,  ///< the offset is unmapped or not aligned
  kRefused,  ///< illegal value, or write to a read-only word
  kNoBlock,  ///< no block serves the window
};

/// Reply to a register access.
struct RegisterReply {
  RegisterError error = RegisterError::kNone;
  std::uint32_t value = 0;  ///< data of a read
};

}  // namespace castor::gpu
