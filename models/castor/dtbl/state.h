#pragma once

#include <array>

#include "castor/dtbl/ports.h"

namespace castor::dtbl {

inline constexpr unsigned kMaxKdes = 256;
inline constexpr unsigned kMaxAges = 2048;

/// Bits of `launch_err` (docs/blocks/dtbl.md, "Breaking the rules").
enum LaunchError : U8 {
  kErrorFrame = 1,  ///< a command that begins twice, or a beat outside one
  kErrorDone = 2,   ///< completion of an entry that is not in use or does not exist
};

/// Bits of `dispatch_err`.
enum DispatchError : U8 {
  kErrorPush = 1,   ///< kernel push to a marked entry
  kErrorReply = 2,  ///< reply without a read
  kErrorTaken = 4,  ///< pl_taken without pl_valid
};

/// Output register of the launch half: an attachment or a fallback.
struct Output {
  bool valid = false;
  bool fallback = false;  ///< a fallback; else an attachment
  U8 kd = 0;              ///< kernel entry attached to; 0 of a fallback
  U8 level = 0;           ///< of nesting
  U8 sm = 0;              ///< of the launching thread
  U8 ord = 0;             ///< fallback: how many so far in its command
  U32 agei = 0;           ///< the group: table entry, or kOffChip and its record
  U32 cnt = 0;            ///< its thread blocks
  U32 param = 0;          ///< address of its parameters / 16
  U64 dim = 0;            ///< its thread blocks: {z 16, y 16, x 32}
};

/// Registers of the launch half.
struct Launch {
  LaunchState st = LaunchState::kSearch;  ///< search, or what the run of beats does
  U8 ptr = 0;                             ///< entry looked at, or granted
  U8 ford = 0;                            ///< fallbacks of the command so far
  bool mid = false;                       ///< a command has begun and not ended
  Key rk;                                 ///< key of the run: of the beats that Grant and Fall take
  bool cq_valid = false;                  ///< a completion was taken at the last edge
  U16 cq_age = 0;                         ///< its table entry; 0 while cq_valid is 0
  bool rel_valid = false;                 ///< a table entry became free at the last edge
  U16 rel_age = 0;                        ///< that entry; 0 while rel_valid is 0
  U16 used = 0;                           ///< table entries in use
  U8 err = 0;                             ///< errors of the last edge
  Output o;                               ///< what is shown until it is taken
  AgeBits busy;                           ///< table entries in use
  std::array<U32, kMaxAges> left{};       ///< TBs not completed, meaningful while busy; memory without reset
};

/// Thread blocks per dimension, or the position of one.
struct Dim {
  U32 x = 0;
  U16 y = 0;
  U16 z = 0;

  [[nodiscard]] static constexpr Dim of(U64 bits) {
    return {static_cast<U32>(bits), static_cast<U16>(bits >> 32U), static_cast<U16>(bits >> 48U)};
  }
  [[nodiscard]] constexpr U64 bits() const { return U64{z} << 48U | U64{y} << 32U | x; }
};

/// Registers of the dispatch half.
struct Dispatch {
  DispatchState st = DispatchState::kFree;  ///< what is in hand
  U8 kd = 0;                                ///< entry that is being distributed, or was last
  U32 agei = kNone;                         ///< its group in hand; kNone: native thread blocks
  Dim od;                                   ///< next thread block
  U32 pos = 0;                              ///< its number
  U64 ob_dim = 0;                           ///< off-chip group in hand: its thread blocks, as Dim::bits
  U32 ob_next = 0;                          ///< off-chip group in hand: the one behind it
  bool ob_linked = false;                   ///< ob_next came from an attachment; the record's is older
  bool lw_valid = false;                    ///< a link waits for the memory port
  U32 lw_rec = 0;                           ///< record that it goes to, address / 16
  U32 lw_data = 0;                          ///< the group linked
  bool ro = false;                          ///< the read is on the port and stays until it is taken
  U8 err = 0;                               ///< errors of the last edge

  U16 head = 0;                       ///< ring of marked entries that are not in hand: slot of the oldest
  U16 count = 0;                      ///< entries in the ring
  KdeBits mark;                       ///< entries with something to distribute
  KdeBits first;                      ///< entries whose native thread blocks are not all distributed
  std::array<U8, kMaxKdes> fq{};      ///< the ring
  std::array<U32, kMaxKdes> nagei{};  ///< first group of the entry's pool, in hand or next; kNone: empty
  std::array<U32, kMaxKdes> lagei{};  ///< group attached last
  std::array<U64, kMaxKdes> kdim{};   ///< grid of the kernel

  std::array<U64, kMaxAges> ldim{};    ///< list bank, by table entry: thread blocks of the group; no reset
  std::array<U32, kMaxAges> lparam{};  ///< address of its parameters / 16
  std::array<U32, kMaxAges> lnext{};   ///< the group behind it
};

}  // namespace castor::dtbl
