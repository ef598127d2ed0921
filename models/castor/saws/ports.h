#pragma once

#include "castor/saws/params.h"
#include "castor/twin/bits.h"
#include "castor/twin/block.h"
#include "castor/twin/lanes.h"

/// Ports of the warp scheduler SAWS (docs/blocks/saws.md, "Ports"). In the lists, `p` is a Params. Vectors over warps
/// are indexed by hardware warp, vectors over schedulers by scheduler.
// clang-format off
#define SAWS_INPUTS(X)                                                                                                \
  /*name          type      elements    bits            class     timing   meaning */                                 \
  X(kernel_start, U8,       1,          1,              kEvent,   kEdge,                                              \
    "a kernel starts: resets all state and loads the settings")                                                       \
  X(mode_sel,     U8,       1,          2,              kPayload, kEdge,                                              \
    "0 GTO, 1 AUTO (SAWS from the first barrier), 2 SAWS")                                                            \
  X(toggle_en,    U8,       1,          1,              kPayload, kEdge,                                              \
    "toggling: promote at every other barrier of a CTA only")                                                         \
  X(cta_valid,    U8,       1,          1,              kEvent,   kEdge,   "a CTA (thread block) is placed or freed") \
  X(cta_free,     U8,       1,          1,              kPayload, kEdge,   "0: placed, 1: freed")                     \
  X(cta_id,       U8,       1,          p.cta_bits(),   kPayload, kEdge,   "slot of the CTA")                         \
  X(cta_wmask,    WarpBits, 1,          p.NumWarps,     kPayload, kEdge,   "warps of the placed CTA")                 \
  X(wev_valid,    U8,       1,          p.NumSched,     kEvent,   kEdge,   "a warp of the scheduler blocks or exits") \
  X(wev_exit,     U8,       1,          p.NumSched,     kPayload, kEdge,                                              \
    "0: the warp blocks at a barrier, 1: it exits")                                                                   \
  X(wev_idx,      Indices,  p.NumSched, p.index_bits(), kPayload, kEdge,                                              \
    "local number of the warp that blocks or exits")                                                                  \
  X(unblock,      WarpBits, 1,          p.NumWarps,     kEvent,   kEdge,   "waiting warps whose barrier completes")   \
  X(w_ready,      WarpBits, 1,          p.NumWarps,     kLevel,   kSettle, "warps that could issue")                  \
  X(issue_ack,    U8,       1,          p.NumSched,     kEvent,   kEdge,   "the picked warp has issued")

#define SAWS_OUTPUTS(X)                                                                                            \
  /*name         type     elements    bits            class     timing          meaning */                         \
  X(wev_ready,   U8,      1,          p.NumSched,     kEvent,   kRegistered,                                       \
    "queue has room; if 0, issue no barrier and no exit")                                                          \
  X(issue_valid, U8,      1,          p.NumSched,     kEvent,   kCombinational, "the scheduler picks a warp")      \
  X(issue_idx,   Indices, p.NumSched, p.index_bits(), kPayload, kCombinational, "local number of the picked warp") \
  X(mode_saws,   U8,      1,          1,              kLevel,   kRegistered,    "mode: 0 GTO, 1 SAWS")             \
  X(err,         U8,      1,          3,              kEvent,   kRegistered,                                       \
    "errors: bit 0 unknown CTA or warp, bit 1 warp blocks twice, bit 2 message lost")

/// Registers that a test bench can observe.
#define SAWS_PROBES(X)                                                                       \
  /*name       type      elements    bits               meaning */                           \
  X(mode,      Mode,     1,          1,                 "GTO or SAWS")                       \
  X(selected,  U8,       1,          2,                 "mode_sel of the running kernel")    \
  X(toggling,  U8,       1,          1,                 "toggle_en of the running kernel")   \
  X(turn,      U8,       1,          2,                                                      \
    "scheduler whose messages are served first")                                             \
  X(cta_used,  U32,      1,          p.MaxCta,          "CTA slots in use")                  \
  X(toggle,    U32,      1,          p.MaxCta,          "the CTA's next first hit promotes") \
  X(allocated, WarpBits, 1,          p.NumWarps,        "warp slots of placed CTAs")         \
  X(live,      WarpBits, 1,          p.NumWarps,        "warps that have not exited")        \
  X(blocked,   WarpBits, 1,          p.NumWarps,        "warps that wait at a barrier")      \
  X(warp_cta,  PerWarp,  p.NumWarps, p.cta_bits(),      "CTA slot of each warp")             \
  X(position,  PerWarp,  p.NumWarps, p.position_bits(),                                      \
    "position of each warp's CTA in the list")                                               \
  X(pointer,   Indices,  p.NumSched, p.position_bits(),                                      \
    "greedy warp (GTO) or promotion register (SAWS)")                                        \
  X(greedy,    U8,       1,          p.NumSched,        "the greedy pointer is valid")       \
  X(length,    Indices,  p.NumSched, p.position_bits(),                                      \
    "number of CTAs in each scheduler's list")                                               \
  X(waiting,   Indices,  p.NumSched, 5,                                                      \
    "messages that wait in each scheduler's queue")                                          \
  X(oldest,    Indices,  p.NumSched, 8,                                                      \
    "oldest message: bit 7 CTA freed, bit 6 all blocked, bit 5 hit, CTA")                    \
  X(error,     U8,       1,          3,                 "register of the output err")
// clang-format on

namespace castor::saws {

using twin::U16;
using twin::U32;
using twin::U64;
using twin::U8;
using WarpBits = twin::Bits<64>;      ///< bit per hardware warp
using PerWarp = twin::Lanes<U8, 64>;  ///< element per hardware warp
using Indices = twin::Lanes<U8, 4>;   ///< element per scheduler

/// Order of the thread blocks: greedy-then-oldest, or SAWS.
enum class Mode : std::uint8_t { kGto, kSaws };
inline constexpr const char* kModeNames[] = {"Gto", "Saws"};
[[nodiscard]] constexpr auto& enum_names(Mode) { return kModeNames; }

CASTOR_PORT_LISTS(SAWS, saws)

class Engine;

/// The warp schedulers of an SM as a block for the twin interface (castor/twin/block.h).
struct Block : PortLists {
  static constexpr const char* kBlock = "saws";
  static constexpr const char* kTop = "castor_saws";
  static constexpr const char* kMeaning = "warp schedulers that tell each other of barriers (SAWS), and plain GTO";
  using Engine = saws::Engine;

  /// Returns the bound of Engine::quiet, computed from probes (for RTL).
  static base::Cycle quiet(const Probes& probes, const Inputs& /*last*/, const Params& params) {
    for (unsigned s = 0; s < params.NumSched; ++s) {
      if (probes.waiting[s] != 0) return 0;
    }
    return probes.error != 0 ? 0 : base::kForever;
  }
};

}  // namespace castor::saws
