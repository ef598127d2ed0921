#pragma once

#include <array>
#include <iosfwd>

#include "castor/saws/ports.h"

namespace castor::saws {

inline constexpr unsigned kMaxSchedulers = 4;
inline constexpr unsigned kMaxCtas = 32;
inline constexpr unsigned kMaxMessages = 16;  ///< messages per queue

/// Bits of `err` (docs/blocks/saws.md, "Breaking the rules").
enum Error : U8 {
  kErrorCta = 1,      ///< event of a warp that is not live; illegal placement or release of a CTA
  kErrorTwice = 2,    ///< a blocked warp blocks again
  kErrorMessage = 4,  ///< a message was lost because its queue was full
};

/// The thread blocks (CTAs) of one scheduler in order of priority, and the scheduler's pointer. Entries from `length`
/// on are 0.
struct List {
  std::array<U64, kMaxCtas> warps{};  ///< by position: warp slots of the CTA on this scheduler, bit = hardware warp
  std::array<U8, kMaxCtas> cta{};     ///< by position: slot of the CTA
  U8 length = 0;                      ///< number of CTAs
  U8 pointer = 0;                     ///< GTO: greedy warp, local number. SAWS: promotion register, a position
  bool greedy = false;  ///< GTO: `pointer` is valid; set by an issue, cleared when the warp's CTA is freed

  [[nodiscard]] friend bool operator==(const List& a, const List& b) {
    return a.warps == b.warps && a.cta == b.cta && a.length == b.length && a.pointer == b.pointer &&
           a.greedy == b.greedy;
  }
};

/// Message about a barrier that a CTA has reached on one scheduler; it changes the order of the lists.
struct Message {
  U8 cta = 0;                ///< CTA that reached the barrier
  bool hit = false;          ///< first hit: promotes the CTA on the other schedulers
  bool all_blocked = false;  ///< all live warps of the CTA on this scheduler are blocked: moves the CTA to the tail
                             ///< here
  bool killed = false;       ///< the CTA was freed before the message acts: no effect

  [[nodiscard]] friend bool operator==(const Message& a, const Message& b) {
    return a.cta == b.cta && a.hit == b.hit && a.all_blocked == b.all_blocked && a.killed == b.killed;
  }
};

/// Messages of one scheduler. Entries from `count` on are 0.
struct Queue {
  std::array<Message, kMaxMessages> messages{};  ///< messages, oldest first
  U8 count = 0;                                  ///< number of waiting messages

  [[nodiscard]] friend bool operator==(const Queue& a, const Queue& b) {
    return a.messages == b.messages && a.count == b.count;
  }
};

/// All registers of the warp schedulers. Plain data: copied, compared and printed as a whole. Warps are hardware warps.
struct State {
  Mode mode = Mode::kGto;  ///< kSaws from the first barrier of a kernel on, or from its start; kGto
                           ///< otherwise
  U8 selected = 0;         ///< mode_sel of the running kernel, taken with kernel_start
  bool toggling = true;    ///< toggle_en of the running kernel, taken with kernel_start
  U8 turn = 0;             ///< scheduler whose queue is served first
  U8 waiting = 0;          ///< schedulers whose queue is not empty
  U8 err = 0;              ///< errors of the last edge, for output `err`
  U32 cta_used = 0;        ///< CTA slots in use: set by placement, cleared when the CTA is freed
  /// CTAs whose next first hit promotes them: set by placement, inverted by each first hit (toggling)
  U32 toggle = 0;
  U64 allocated = 0;  ///< warp slots of placed CTAs: set by placement, cleared when the CTA is freed
  U64 live = 0;       ///< warps that have not exited: set by placement, cleared by the exit
  U64 blocked = 0;    ///< warps that wait at a barrier: set by their arrival, cleared when the barrier completes
  std::array<U64, kMaxCtas> cta_warps{};       ///< warp slots of each CTA slot, on all schedulers
  std::array<U8, 64> warp_cta{};               ///< CTA slot of each warp
  std::array<List, kMaxSchedulers> lists{};    ///< order of each scheduler
  std::array<Queue, kMaxSchedulers> queues{};  ///< messages of each scheduler
};

[[nodiscard]] bool operator==(const State& a, const State& b);
[[nodiscard]] inline bool operator!=(const State& a, const State& b) { return !(a == b); }

/// Prints a few lines: mode, warps, and per scheduler the order of the CTAs, the pointer and the messages.
std::ostream& operator<<(std::ostream& out, const State& state);

}  // namespace castor::saws
