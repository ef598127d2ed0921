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
  bool fallback = false;
  U8 kd = 0;
  U8 level = 0;
  U8 sm = 0;
  U8 ord = 0;
  U32 agei = 0;
  U32 cnt = 0;
  U32 param = 0;
  U64 dim = 0;
};

/// Registers of the launch half.
struct Launch {
  LaunchState st = LaunchState::kSearch;
  U8 ptr = 0;  ///< entry looked at, or granted
  U8 ford = 0;
  bool mid = false;
  Key rk;
  bool cq_valid = false;
  U16 cq_age = 0;
  bool rel_valid = false;
  U16 rel_age = 0;
  U16 used = 0;
  U8 err = 0;
  Output o;
  AgeBits busy;
  std::array<U32, kMaxAges> left{};  ///< meaningful while busy; memory without reset
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
  DispatchState st = DispatchState::kFree;
  U8 kd = 0;
  U32 agei = kNone;
  Dim od;
  U32 pos = 0;
  U64 ob_dim = 0;
  U32 ob_next = 0;
  bool ob_linked = false;
  bool lw_valid = false;
  U32 lw_rec = 0;
  U32 lw_data = 0;
  bool ro = false;
  U8 err = 0;

  U16 head = 0;  ///< of the ring of marked entries that are not in hand
  U16 count = 0;
  KdeBits mark;
  KdeBits first;
  std::array<U8, kMaxKdes> fq{};
  std::array<U32, kMaxKdes> nagei{};
  std::array<U32, kMaxKdes> lagei{};
  std::array<U64, kMaxKdes> kdim{};

  std::array<U64, kMaxAges> ldim{};  ///< the list bank: memories without reset
  std::array<U32, kMaxAges> lparam{};
  std::array<U32, kMaxAges> lnext{};
};

}  // namespace castor::dtbl
