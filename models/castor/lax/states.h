#pragma once

#include <cstdint>

namespace castor::lax {

/// State of a job, one per queue (docs/blocks/lax.md, "Machine").
enum class JobState : std::uint8_t { kFree, kInit, kReady, kRunning, kDone, kRejected };

/// State of the main machine, which refreshes rates, updates priorities, admits jobs and ranks them for PREMA.
enum class MainState : std::uint8_t {
  kIdle,
  kKOpen,
  kKMul,
  kKDiv,
  kKWb,
  kVOpen,
  kVMac,
  kVAcc,
  kVKey,
  kVDiv,
  kVTok,
  kANext,
  kR1,
  kR2,
  kR3,
};

/// State of the submit machine, which takes headers and lists of jobs.
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
