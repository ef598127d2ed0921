#pragma once

#include <cstdint>

namespace castor::lax {

/// State of a job, one per queue (docs/blocks/lax.md, "Machine").
enum class JobState : std::uint8_t { kFree, kInit, kReady, kRunning, kDone, kRejected };

/// State of the main machine, which refreshes rates, updates priorities, admits jobs and ranks them for PREMA.
enum class MainState : std::uint8_t {
  kIdle,   ///< chooses what is next; table registers are served
  kKOpen,  ///< refresh: next kernel type, its counters are sampled
  kKMul,   ///< refresh: the measured time
  kKDiv,   ///< refresh: divides it by the completions
  kKWb,    ///< refresh: writes the new rate
  kVOpen,  ///< visit: next queue, its list and job are read
  kVMac,   ///< visit: TBs times cycles per TB of a slot
  kVAcc,   ///< visit: adds the last product
  kVKey,   ///< visit: record, key or verdict
  kVDiv,   ///< visit, PREMA: growth of the token
  kVTok,   ///< visit, PREMA: new token and key
  kANext,  ///< next job that waits for admission
  kR1,     ///< PREMA: largest token
  kR2,     ///< PREMA: classes, and the job to preempt
  kR3,     ///< PREMA: the request
};

/// State of the submit machine, which takes headers and lists of jobs: waits for a header, takes beats, judges; of an
/// append, whether it fits, adds it, and its verdict.
enum class SubmitState : std::uint8_t { kIdle, kList, kCommit, kCheck, kMerge, kVerdict };

/// Why the main machine visits queues.
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
