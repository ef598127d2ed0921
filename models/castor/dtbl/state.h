#pragma once

#include <array>

#include "castor/dtbl/ports.h"

namespace castor::dtbl {

inline constexpr unsigned kMaxKdes = 256;
inline constexpr unsigned kMaxAges = 2048;

/// Bits of `launch_err` (docs/blocks/dtbl.md, "Breaking the rules").
enum LaunchError : U8 {
  kErrorFrame = 1,  ///< first beat inside a command, or another beat outside a command
  kErrorDone = 2,   ///< completion of an entry that is not in use or does not exist
};

/// Bits of `dispatch_err` (docs/blocks/dtbl.md, "Breaking the rules").
enum DispatchError : U8 {
  kErrorPush = 1,   ///< kernel push to a marked entry
  kErrorReply = 2,  ///< reply without a read
  kErrorTaken = 4,  ///< pl_taken without pl_valid
};

/// Output register of the launch half: an attachment or a fallback.
struct Output {
  bool valid = false;     ///< set by an accepted beat, cleared when the attachment or fallback is taken
  bool fallback = false;  ///< the register holds a fallback; else an attachment
  U8 kd = 0;              ///< kernel entry of the attachment; 0 for a fallback
  U8 level = 0;           ///< level of nesting
  U8 sm = 0;              ///< SM of the launching thread
  U8 ord = 0;             ///< fallback: number of the fallback in its command, from 1
  U32 agei = 0;           ///< reference to the group: table entry, or kOffChip and the address of its record / 16
  U32 cnt = 0;            ///< number of the group's thread blocks
  U32 param = 0;          ///< address of the group's parameters / 16
  U64 dim = 0;            ///< the group's thread blocks per dimension: {z 16, y 16, x 32}
};

/// Registers of the launch half.
struct Launch {
  LaunchState st = LaunchState::kSearch;  ///< kSearch, or handling of the current run of beats
  U8 ptr = 0;                             ///< kernel entry that is examined, or granted
  U8 ford = 0;                            ///< number of fallbacks so far in the current command
  bool mid = false;        ///< inside a command: set by a beat that is not the command's last, cleared by the last beat
  Key rk;                  ///< key of the current run of beats; set at the end of the search
  bool cq_valid = false;   ///< the last edge accepted a completion, which the next edge counts
  U16 cq_age = 0;          ///< table entry of that completion; 0 while cq_valid is 0
  bool rel_valid = false;  ///< the last edge freed a table entry
  U16 rel_age = 0;         ///< the freed table entry; 0 while rel_valid is 0
  U16 used = 0;            ///< number of table entries in use
  U8 err = 0;              ///< errors of the last edge
  Output o;                ///< output register, held until it is accepted
  AgeBits busy;            ///< table entries in use; set when a group gets the entry, cleared when `left` is 0
  std::array<U32, kMaxAges> left{};  ///< thread blocks of each table entry not completed; undefined unless busy;
                                     ///< memory without reset
};

/// Number of thread blocks per dimension, or the position of a thread block.
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
  DispatchState st = DispatchState::kFree;  ///< state of the current item
  U8 kd = 0;                                ///< kernel entry that is being distributed, or was last
  U32 agei = kNone;                         ///< current group of the entry; kNone: native thread blocks
  Dim od;                                   ///< position of the next thread block
  U32 pos = 0;                              ///< number of the next thread block in the item
  U64 ob_dim = 0;                           ///< current off-chip group: thread blocks per dimension, as Dim::bits
  U32 ob_next = 0;                          ///< current off-chip group: next group in the pool
  bool ob_linked = false;                   ///< ob_next was set by an attachment, which is newer than the link in the
                                            ///< record
  bool lw_valid =
      false;        ///< a link waits for memory: set by an attachment behind an off-chip group, cleared by the write
  U32 lw_rec = 0;   ///< address / 16 of the record into which the link is written
  U32 lw_data = 0;  ///< reference to the linked group
  bool ro = false;  ///< the read request is shown on the port until it is accepted
  U8 err = 0;       ///< errors of the last edge

  U16 head = 0;   ///< ring of waiting marked entries (without the current one): slot of the oldest
  U16 count = 0;  ///< number of entries in the ring
  KdeBits mark;   ///< entries with thread blocks to distribute: set by a push or attachment, cleared by the last block
  KdeBits first;  ///< entries whose native thread blocks are not all distributed; set by a kernel push
  std::array<U8, kMaxKdes> fq{};      ///< ring of waiting marked entries
  std::array<U32, kMaxKdes> nagei{};  ///< by entry: first group of the pool, current or next; kNone: empty
  std::array<U32, kMaxKdes> lagei{};  ///< by entry: group attached last
  std::array<U64, kMaxKdes> kdim{};   ///< by entry: grid of the kernel

  std::array<U64, kMaxAges> ldim{};    ///< list bank, by table entry: thread blocks per dimension of the group; no
                                       ///< reset
  std::array<U32, kMaxAges> lparam{};  ///< address of the group's parameters / 16
  std::array<U32, kMaxAges> lnext{};   ///< next group in the pool
};

}  // namespace castor::dtbl
