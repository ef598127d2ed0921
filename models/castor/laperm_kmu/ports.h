#pragma once

#include "castor/laperm_kmu/params.h"
#include "castor/twin/bits.h"
#include "castor/twin/block.h"
#include "castor/twin/lanes.h"

/// Ports of the launcher's kernel choice (docs/blocks/laperm_kmu.md, "Ports"). In the lists, `p` is a Params.
// clang-format off
#define LAPERM_KMU_INPUTS(X)                                                                                   \
  /*name       type       elements  bits      class   timing meaning */                                        \
  X(list_rdy,   Levels,    p.NumSm, p.LvlMax, kLevel, kEdge,                                                   \
    "ready lists; SM s and level l: bit s * LvlMax + l - 1")                                                   \
  X(susp_rdy,   U8,        1,       1,        kLevel, kEdge, "a suspended thread block is ready to resume")    \
  X(host_rdy,   QueueBits, 1,       p.NumHq,  kLevel, kEdge, "host queues with a kernel at their head")        \
  X(pick_grant, U8,        1,       1,        kEvent, kEdge, "the offered source is accepted")

#define LAPERM_KMU_OUTPUTS(X)                                                                                     \
  /*name       type  elements  bits           class     timing       meaning */                                   \
  X(pick_valid, U8,  1,        1,             kEvent,   kRegistered, "a source is offered")                       \
  X(pick_kind,  U8,  1,        2,             kPayload, kRegistered,                                              \
    "1: list, 2: suspended thread block, 3: queue of the host")                                                   \
  X(pick_idx,   U16, 1,        p.index_bits(), kPayload, kRegistered,                                                 \
    "list: SM * LvlMax + level - 1; host queue: its number; else 0")

/// Registers that a test bench can observe.
#define LAPERM_KMU_PROBES(X)                                                                      \
  /*name    type   elements  bits            meaning */                                           \
  X(state,   State, 1,       2,              "state of the block")                                \
  X(next_sm, U8,    1,       p.sm_bits(),    "vp: SM that is visited first")                      \
  X(next_hq, U8,    1,       p.queue_bits(), "hp: host queue that is examined first")             \
  X(sm,      U8,    1,       p.sm_bits(),                                                          \
    "SM that is visited; 0 unless a list is searched or offered")                                  \
  X(level,   U8,    1,       4,                                                                     \
    "level that is examined next; 0 unless a list is searched")                                     \
  X(kind,    U8,    1,       2,              "register of the output pick_kind")                   \
  X(index,   U16,   1,       p.index_bits(), "register of the output pick_idx")
// clang-format on

namespace castor::laperm_kmu {

using twin::U16;
using twin::U32;
using twin::U64;
using twin::U8;
using Levels = twin::Lanes<U16, 32>;  ///< element per SM, bit level - 1
using QueueBits = twin::Bits<128>;    ///< bit per host queue

enum class State : std::uint8_t { kIdle, kSearch, kOffer };
inline constexpr const char* kStateNames[] = {"Idle", "Search", "Offer"};
[[nodiscard]] constexpr auto& enum_names(State) { return kStateNames; }

/// Values of the port `pick_kind`: class of the offered source; 0 while no source is offered.
enum Kind : std::uint8_t { kNothing = 0, kList = 1, kSuspended = 2, kHost = 3 };

CASTOR_PORT_LISTS(LAPERM_KMU, laperm_kmu)

class Engine;

/// The launcher's kernel choice as a block for the twin interface (castor/twin/block.h).
struct Block : PortLists {
  static constexpr const char* kBlock = "laperm_kmu";
  static constexpr const char* kTop = "castor_laperm_kmu";
  static constexpr const char* kMeaning = "which launch enters the kernel table next, by level and SM of its parent";
  using Engine = laperm_kmu::Engine;

  /// Whether the offered source is ready.
  [[nodiscard]] static bool ready(const Inputs& in, const Outputs& out, const Params& params) {
    if (out.pick_kind == kSuspended) return in.susp_rdy != 0;
    if (out.pick_kind == kHost) return in.host_rdy.test(out.pick_idx);
    return (in.list_rdy[out.pick_idx / params.LvlMax] >> out.pick_idx % params.LvlMax & 1U) != 0;
  }
  /// Whether any source is ready.
  [[nodiscard]] static bool any_ready(const Inputs& in, const Params& params) {
    U32 lists = 0;
    for (unsigned sm = 0; sm < params.NumSm; ++sm) lists |= in.list_rdy[sm];
    return lists != 0 || in.susp_rdy != 0 || in.host_rdy.any();
  }

  /// Returns the bound of Engine::quiet, computed from probes (for RTL). An offer remains as long as its source is
  /// ready, and the source was ready at the last edge.
  static base::Cycle quiet(const Probes& probes, const Inputs& last, const Params& params) {
    if (probes.state == State::kOffer) return base::kForever;
    return probes.state == State::kIdle && !any_ready(last, params) ? base::kForever : 0;
  }
};

}  // namespace castor::laperm_kmu
