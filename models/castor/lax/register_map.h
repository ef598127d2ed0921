#pragma once

#include <array>
#include <cstdint>

#include "castor/lax/params.h"

/// The register map of the laxity engine as data (docs/blocks/lax.md, "Registers"). Software, the TLM socket and the
/// documents take names, offsets and fields from `kRegisters`; the engine decodes addresses with the same offsets.
namespace castor::lax {

/// Byte offsets of registers; for arrays, of the first element. They do not depend on parameters.
namespace reg {
inline constexpr std::uint32_t kId = 0x0000;
inline constexpr std::uint32_t kCap = 0x0004;
inline constexpr std::uint32_t kCtrl = 0x0008;
inline constexpr std::uint32_t kStatus = 0x000c;
inline constexpr std::uint32_t kUpdPeriod = 0x0010;
inline constexpr std::uint32_t kParseLat = 0x0014;
inline constexpr std::uint32_t kMinWg = 0x0018;
inline constexpr std::uint32_t kPremaPeriod = 0x001c;
inline constexpr std::uint32_t kIrqStat = 0x0020;
inline constexpr std::uint32_t kIrqEn = 0x0024;
inline constexpr std::uint32_t kErrStat = 0x0028;
inline constexpr std::uint32_t kCkptBw = 0x002c;
inline constexpr std::uint32_t kNowLow = 0x0030;
inline constexpr std::uint32_t kNowHigh = 0x0034;
inline constexpr std::uint32_t kTotLow = 0x0038;
inline constexpr std::uint32_t kTotHigh = 0x003c;
inline constexpr std::uint32_t kCounters = 0x0040;  ///< N_SUBMIT, then one word per counter
inline constexpr std::uint32_t kPremaP = 0x0070;
inline constexpr std::uint32_t kVerdictPop = 0x0080;
inline constexpr std::uint32_t kDonePop = 0x0084;
inline constexpr std::uint32_t kTables = 0x0400;  ///< from this offset on, an access waits until the main machine is
                                                  ///< idle
inline constexpr std::uint32_t kQPrio = 0x0400;
inline constexpr std::uint32_t kQState = 0x0800;
inline constexpr std::uint32_t kTpwIso = 0x0c00;
inline constexpr std::uint32_t kKpt = 0x4000;
inline constexpr std::uint32_t kKptStride = 32;
inline constexpr std::uint32_t kKptState = 0x18;  ///< offset within an element
inline constexpr std::uint32_t kJob = 0x8000;
inline constexpr std::uint32_t kJobStride = 128;
inline constexpr std::uint32_t kJobSlots = 0x40;  ///< offset within an element

inline constexpr std::uint32_t kIdValue = 0x4c41'5801;
inline constexpr std::uint32_t kCtrlReset = 0x0030'1582;
inline constexpr std::uint32_t kCtrlSoftReset = 1U << 2U;
inline constexpr std::uint32_t kValid = 1U << 31U;      ///< VERDICT_POP, DONE_POP: the queue had an entry
inline constexpr std::uint32_t kHostAck = 1U << 31U;    ///< QSTATE: frees a job that is done or rejected
inline constexpr std::uint32_t kKptClear = 1U << 30U;   ///< KPT +18: clears the entry of the kernel type
inline constexpr std::uint32_t kKptActive = 1U << 31U;  ///< KPT +18: an instance is in flight
}  // namespace reg

/// Access rule and side effects of a register.
enum class Access : std::uint8_t {
  kReadOnly,       ///< a write is refused and sets E_RO
  kReadWrite,      ///< an illegal value is refused
  kWriteOneClear,  ///< a written 1 clears the bit
  kReadPops,       ///< read-only; a read removes an entry from a queue
  kReadLatches,    ///< read-only; a read latches the following word
  kCommand,        ///< readable; a write executes a command and is refused if the command is not possible
};

/// Index over which a register is repeated.
enum class Repeat : std::uint8_t { kOnce, kQueue, kKernelType, kSlot };

/// A field of a register.
struct Field {
  const char* name = "";
  std::uint8_t low = 0;
  std::uint8_t width = 0;  ///< 0 ends the list; kQueueBits: log2 NumQueues, kQueueBits + 1: log2 NumQueues + 1
  const char* meaning = "";
};
inline constexpr std::uint8_t kQueueBits = 64;

/// One row of the register map. A kSlot register is repeated MaxKt times in every element of JOB, at +4 each.
struct Register {
  static constexpr unsigned kMostFields = 15;

  const char* name;
  std::uint32_t offset;
  Access access;
  Repeat repeat;
  std::uint32_t stride;  ///< bytes from one element to the next
  std::uint32_t reset;
  const char* meaning;
  std::array<Field, kMostFields> fields;

  [[nodiscard]] constexpr unsigned elements(const Params& p) const {
    switch (repeat) {
      case Repeat::kOnce:
        return 1;
      case Repeat::kKernelType:
        return p.NumKt;
      default:
        return p.NumQueues;
    }
  }
  /// Returns the byte address of element `index` (and of its slot `slot`).
  [[nodiscard]] constexpr std::uint32_t address(unsigned index = 0, unsigned slot = 0) const {
    return offset + stride * index + 4 * slot;
  }
};

// clang-format off
inline constexpr Register kRegisters[] = {
  {"ID", reg::kId, Access::kReadOnly, Repeat::kOnce, 0, reg::kIdValue, "the block", {}},
  {"CAP", reg::kCap, Access::kReadOnly, Repeat::kOnce, 0, 0, "parameters", {{
    {"NUM_QUEUES", 0, 9, "compute queues"},
    {"MAX_KT", 9, 5, "kernel types in a job's list"},
    {"NUM_KT", 14, 9, "kernel types of the profiling table"},
    {"PARSE_LANES", 23, 4, "parse lanes of the command processor"},
    {"LOG2_SEL_WIDTH", 27, 5, "log2 of the queues compared per cycle"}}}},
  {"CTRL", reg::kCtrl, Access::kReadWrite, Repeat::kOnce, 0, reg::kCtrlReset, "configuration; refused as a whole", {{
    {"ENABLE", 0, 1, "ticks, admission and selection"},
    {"ADMIT_EN", 1, 1, "policies 8, 9: refuse jobs that cannot make it"},
    {"SOFT_RESET", 2, 1, "writing 1 resets all but configuration, IRQ_EN, QPRIO, TPW_ISO; reads 0"},
    {"FREEZE", 3, 1, "update ticks are dropped"},
    {"POLICY", 4, 4, "0 RR, 1 FCFS, 2 EDF, 3 SJF, 4 LJF, 5 SRF, 6 MLFQ, 7 PREMA, 8 LAX, 9 EXT"},
    {"RATE_MODE", 8, 2, "0 WALL, 1 ACTIVE, 2 INSTANCE, 3 PEAKHOLD"},
    {"WARM_POLICY", 10, 2, "0 optimistic, 1 deadline of jobs ahead, 2 preloaded"},
    {"PRIO_CLASS_EN", 12, 1, "policy 8: class above the value"},
    {"INIT_PRIO", 13, 2, "new job: 0 highest, 1 lowest, 2 computed"},
    {"BYPASS_EN", 15, 1, "accept a job that fits at once although work is ahead"},
    {"DROP_EXPIRED", 16, 1, "policy 8: reject late jobs that have not started"},
    {"EWMA_SHIFT", 17, 3, "0..4, weight of a new rate is 2^-shift"},
    {"LEAK", 20, 3, "1..7, PEAKHOLD rises by 2^-leak at most"},
    {"INSPECT_MODE", 23, 1, "storage: 0 JOB packet, 1 walk the queue"},
    {"PREPARSE", 24, 1, "running queues may be parsed"}}}},
  {"STATUS", reg::kStatus, Access::kReadOnly, Repeat::kOnce, 0, 0, "what goes on", {{
    {"UPD_BUSY", 0, 1, "periodic update"},
    {"ADMITTING", 1, 1, "admission pass"},
    {"RANKING", 2, 1, "PREMA ranking"},
    {"QUEUES", 8, 8, "queues that are not free, at most 255"},
    {"RUNNING", 16, 8, "queues that run, at most 255"}}}},
  {"UPD_PERIOD", reg::kUpdPeriod, Access::kReadWrite, Repeat::kOnce, 0, 150'000, "cycles from update to update", {{
    {"CYCLES", 0, 24, "1000..2^24-1"}}}},
  {"PARSE_LAT", reg::kParseLat, Access::kReadWrite, Repeat::kOnce, 0, 3'000, "storage: cycles of a parse slot", {{
    {"CYCLES", 0, 16, "0..2^16-1"}}}},
  {"MIN_WG", reg::kMinWg, Access::kReadWrite, Repeat::kOnce, 0, 1, "completions that are needed to compute a rate", {{
    {"TBS", 0, 8, "1..255"}}}},
  {"PREMA_PERIOD", reg::kPremaPeriod, Access::kReadWrite, Repeat::kOnce, 0, 375'000, "cycles from ranking to ranking", {{
    {"CYCLES", 0, 24, "1000..2^24-1"}}}},
  {"IRQ_STAT", reg::kIrqStat, Access::kWriteOneClear, Repeat::kOnce, 0, 0, "pending interrupts", {{
    {"REJECT", 0, 1, "a job was rejected or dropped"},
    {"DONE", 1, 1, "a job ended"},
    {"MISSED", 2, 1, "a job missed its deadline"},
    {"BUSY", 3, 1, "a job was submitted to a busy queue"},
    {"PROTOCOL", 4, 1, "a bit of ERR_STAT was set"},
    {"CLIPPED", 5, 1, "a counter saturated or a measured time was clipped"},
    {"OVERRUN", 6, 1, "an update tick was lost"}}}},
  {"IRQ_EN", reg::kIrqEn, Access::kReadWrite, Repeat::kOnce, 0, 0, "interrupts that raise irq", {{
    {"ENABLE", 0, 7, "bits as IRQ_STAT"}}}},
  {"ERR_STAT", reg::kErrStat, Access::kWriteOneClear, Repeat::kOnce, 0, 0, "errors seen", {{
    {"E_UNDERFLOW", 0, 1, "TB completed, its slot is at 0"},
    {"E_NOJOB", 1, 1, "event or append for a queue without a live job"},
    {"E_NOSLOT", 2, 1, "kernel type not in the list, or none"},
    {"E_INFLIGHT", 3, 1, "completion outside a kernel; end of a kernel type with no instance in flight"},
    {"E_ORDER", 4, 1, "start, issue or end in the wrong state; clear of a kernel type in flight"},
    {"E_TIME", 5, 1, "start of a job in the future"},
    {"E_BEAT", 6, 1, "list beats differ from the number announced"},
    {"E_GRANT", 7, 1, "grant without an offer"},
    {"E_RO", 8, 1, "write to a read-only register"},
    {"E_DQFULL", 9, 1, "done queue full, entry lost"}}}},
  {"CKPT_BW", reg::kCkptBw, Access::kReadWrite, Repeat::kOnce, 0, 64, "storage: checkpoint bytes per cycle", {{
    {"BYTES", 0, 16, "1..2^16-1"}}}},
  {"NOW", reg::kNowLow, Access::kReadLatches, Repeat::kOnce, 0, 0, "cycle counter, low word", {}},
  {"NOW_HIGH", reg::kNowHigh, Access::kReadOnly, Repeat::kOnce, 0, 0, "high word as latched", {{
    {"HIGH", 0, 16, "bits 47..32"}}}},
  {"TOT_REM", reg::kTotLow, Access::kReadOnly, Repeat::kOnce, 0, 0, "work ahead in the last admission pass, low", {}},
  {"TOT_REM_HIGH", reg::kTotHigh, Access::kReadOnly, Repeat::kOnce, 0, 0, "the same, high", {{
    {"HIGH", 0, 8, "bits 39..32"}}}},
  {"N_SUBMIT", reg::kCounters + 0x00, Access::kReadOnly, Repeat::kOnce, 0, 0, "headers taken", {}},
  {"N_ACCEPT", reg::kCounters + 0x04, Access::kReadOnly, Repeat::kOnce, 0, 0, "headers accepted", {}},
  {"N_REJECT", reg::kCounters + 0x08, Access::kReadOnly, Repeat::kOnce, 0, 0, "headers rejected", {}},
  {"N_DONE", reg::kCounters + 0x0c, Access::kReadOnly, Repeat::kOnce, 0, 0, "jobs ended", {}},
  {"N_MET", reg::kCounters + 0x10, Access::kReadOnly, Repeat::kOnce, 0, 0, "of them by their deadline", {}},
  {"N_LATE", reg::kCounters + 0x14, Access::kReadOnly, Repeat::kOnce, 0, 0, "of them too late", {}},
  {"N_UPD", reg::kCounters + 0x18, Access::kReadOnly, Repeat::kOnce, 0, 0, "updates", {}},
  {"N_WG", reg::kCounters + 0x1c, Access::kReadOnly, Repeat::kOnce, 0, 0, "TBs completed", {}},
  {"N_WG_USEFUL", reg::kCounters + 0x20, Access::kReadOnly, Repeat::kOnce, 0, 0, "of jobs that met their deadline", {}},
  {"N_PARSE", reg::kCounters + 0x24, Access::kReadOnly, Repeat::kOnce, 0, 0, "parse grants", {}},
  {"N_PREEMPT", reg::kCounters + 0x28, Access::kReadOnly, Repeat::kOnce, 0, 0, "preemptions requested", {}},
  {"N_DROP", reg::kCounters + 0x2c, Access::kReadOnly, Repeat::kOnce, 0, 0, "jobs dropped after their deadline", {}},
  {"PREMA_P", reg::kPremaP, Access::kReadWrite, Repeat::kOnce, 0, 1, "user priority of every job", {{
    {"P", 0, 4, "1, 3 or 9"}}}},
  {"VERDICT_POP", reg::kVerdictPop, Access::kReadPops, Repeat::kOnce, 0, 0, "oldest verdict; 0 if none or the port takes it", {{
    {"QID", 0, kQueueBits, "queue"},
    {"ACCEPT", 8, 1, "accepted"},
    {"REASON", 9, 3, "reason code"},
    {"VALID", 31, 1, "there was one"}}}},
  {"DONE_POP", reg::kDonePop, Access::kReadPops, Repeat::kOnce, 0, 0, "oldest job that ended; 0 if none", {{
    {"QID", 0, kQueueBits, "queue"},
    {"MET", 8, 1, "by its deadline"},
    {"VALID", 31, 1, "there was one"}}}},
  {"QPRIO", reg::kQPrio, Access::kReadWrite, Repeat::kQueue, 4, 0, "priority of policy 9; at once if the job is live", {}},
  {"QSTATE", reg::kQState, Access::kCommand, Repeat::kQueue, 4, 0, "state; writing ACK frees a done or rejected job", {{
    {"STATE", 0, 3, "0 free, 1 init, 2 ready, 3 running, 4 done, 5 rejected"},
    {"CLASS", 3, 2, "priority class of a live job"},
    {"ACK", 31, 1, "write 1: host ack"}}}},
  {"TPW_ISO", reg::kTpwIso, Access::kReadWrite, Repeat::kKernelType, 4, 0, "isolated cycles per TB, UQ24.8", {}},
  {"KPT_TPW", reg::kKpt + 0x00, Access::kReadWrite, Repeat::kKernelType, 32, 0, "cycles per TB, UQ24.8; a write makes it valid", {}},
  {"KPT_CNT", reg::kKpt + 0x04, Access::kReadOnly, Repeat::kKernelType, 32, 0, "completions in the open window", {{
    {"TBS", 0, 24, "saturating"}}}},
  {"KPT_SNAP_CNT", reg::kKpt + 0x08, Access::kReadOnly, Repeat::kKernelType, 32, 0, "last refresh: completions", {}},
  {"KPT_SNAP_ACT", reg::kKpt + 0x0c, Access::kReadOnly, Repeat::kKernelType, 32, 0, "last refresh: active cycles", {}},
  {"KPT_SNAP_INS", reg::kKpt + 0x10, Access::kReadOnly, Repeat::kKernelType, 32, 0, "last refresh: instance cycles", {}},
  {"KPT_SNAP_WAL", reg::kKpt + 0x14, Access::kReadOnly, Repeat::kKernelType, 32, 0, "last refresh: cycles of the window", {}},
  {"KPT_STATE", reg::kKpt + 0x18, Access::kCommand, Repeat::kKernelType, 32, 0, "writing VALID clears the entry unless it is active", {{
    {"INFLIGHT", 0, kQueueBits + 1, "instances in flight"},
    {"VALID", 30, 1, "there is a rate; write 1: clear"},
    {"ACTIVE", 31, 1, "an instance is in flight"}}}},
  {"JOB_DEADLINE", reg::kJob + 0x00, Access::kReadOnly, Repeat::kQueue, 128, 0, "cycles, all ones: none", {}},
  {"JOB_START", reg::kJob + 0x04, Access::kReadOnly, Repeat::kQueue, 128, 0, "start time, low", {}},
  {"JOB_START_HIGH", reg::kJob + 0x08, Access::kReadOnly, Repeat::kQueue, 128, 0, "start time, high", {{
    {"HIGH", 0, 16, "bits 47..32"}}}},
  {"JOB_REM", reg::kJob + 0x0c, Access::kReadOnly, Repeat::kQueue, 128, 0, "remaining cycles at the last visit", {}},
  {"JOB_DUR", reg::kJob + 0x10, Access::kReadOnly, Repeat::kQueue, 128, 0, "cycles since the start at the last visit", {}},
  {"JOB_LAXITY", reg::kJob + 0x14, Access::kReadOnly, Repeat::kQueue, 128, 0, "laxity at the last visit, signed cycles", {}},
  {"JOB_KEY", reg::kJob + 0x18, Access::kReadOnly, Repeat::kQueue, 128, 0, "key value 31..0 of a live job", {}},
  {"JOB_SEQ", reg::kJob + 0x1c, Access::kReadOnly, Repeat::kQueue, 128, 0, "arrival", {{
    {"SEQ", 0, 16, "number of the arrival"},
    {"NL", 16, 5, "slots in use"}}}},
  {"JOB_SLOT", reg::kJob + reg::kJobSlots, Access::kReadOnly, Repeat::kSlot, 128, 0, "slot of the list, +4 each", {{
    {"NUMWG", 0, 24, "TBs that have not completed"},
    {"KID", 24, 8, "kernel type"}}}},
};
// clang-format on

}  // namespace castor::lax
