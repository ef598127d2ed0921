#pragma once

#include <cstdint>

namespace castor::lax {

/// State of a job, one per queue (docs/blocks/lax.md, "Machine").
enum class JobState : std::uint8_t { kFree, kInit, kReady, kRunning, kDone, kRejected };

/// State of the main machine. The machine refreshes rates, updates priorities, admits jobs and ranks them for PREMA.
enum class MainState : std::uint8_t {
  kIdle,   ///< chooses the next task; table registers are accessible
  kKOpen,  ///< refresh: samples the counters of the next kernel type
  kKMul,   ///< refresh: computes the measured time
  kKDiv,   ///< refresh: divides the time by the completions
  kKWb,    ///< refresh: writes the new rate
  kVOpen,  ///< visit: reads list and job of the next queue
  kVMac,   ///< visit: multiplies TBs by cycles per TB of a slot
  kVAcc,   ///< visit: adds the last product
  kVKey,   ///< visit: computes the job's record, and its ranking key or admission verdict
  kVDiv,   ///< visit, PREMA: divides for the growth of the token
  kVTok,   ///< visit, PREMA: writes new token and key
  kANext,  ///< takes the next job that waits for admission
  kR1,     ///< PREMA: finds the largest token
  kR2,     ///< PREMA: assigns classes and finds the job to preempt
  kR3,     ///< PREMA: makes the preemption request
};

/// State of the submit machine, which takes headers and lists of jobs: wait for a header, take list beats, check the
/// submission; for an append: check whether it fits, merge it, give its verdict.
enum class SubmitState : std::uint8_t { kIdle, kList, kCommit, kCheck, kMerge, kVerdict };

/// Purpose of the main machine's visits to queues: update, scan of work ahead, admission.
enum class Phase : std::uint8_t { kUpdate, kScan, kAdmit };

/// Names for waves, coverage and messages; index = value of the enumeration. `enum_names` is found by
/// argument-dependent lookup.
inline constexpr const char* kJobStateNames[] = {"Free", "Init", "Ready", "Running", "Done", "Rejected"};
inline constexpr const char* kMainStateNames[] = {"Idle", "KOpen", "KMul", "KDiv",  "KWb", "VOpen", "VMac", "VAcc",
                                                  "VKey", "VDiv",  "VTok", "ANext", "R1",  "R2",    "R3"};
inline constexpr const char* kSubmitStateNames[] = {"SIdle", "SList", "SCommit", "SChk", "SMrg", "SVer"};
inline constexpr const char* kPhaseNames[] = {"Update", "Scan", "Admit"};
[[nodiscard]] constexpr auto& enum_names(JobState) { return kJobStateNames; }
[[nodiscard]] constexpr auto& enum_names(MainState) { return kMainStateNames; }
[[nodiscard]] constexpr auto& enum_names(SubmitState) { return kSubmitStateNames; }
[[nodiscard]] constexpr auto& enum_names(Phase) { return kPhaseNames; }

}  // namespace castor::lax
