#pragma once

#include <cstdint>
#include <string_view>

#include "castor/twin/block.h"

// The block on which the twin contract itself is tested: an arbiter with a queue, a timer and registers. It has every
// kind of port and parameter that the contract knows, and does nothing useful. See engine.h for what it does.

// clang-format off
#define TURNSTILE_PARAMS(X)                                                      \
  /*name     default  minimum  maximum  rule  meaning */                         \
  X(NumPorts, 96,      1,       128,     kAny, "ports that ask to pass")         \
  X(NumWays,  3,       1,       4,       kAny, "ways; port p goes way p mod NumWays") \
  X(Depth,    5,       1,       16,      kAny, "entries of the queue behind it")

#define TURNSTILE_INPUTS(X)                                                                                  \
  /*name        type     elements   bits        class     timing   meaning */                                \
  X(now,        U64,     1,         48,         kTime,    kEdge,   "cycle counter")                          \
  X(req,        Ports,   1,         p.NumPorts, kLevel,   kSettle, "ports that want to pass")                \
  X(pick_grant, U8,      1,         1,          kEvent,   kEdge,   "the port offered passes")                \
  X(weight,     Weights, p.NumWays, 4,          kLevel,   kEdge,   "weight of what passes on each way")      \
  X(out_ready,  U8,      1,         1,          kLevel,   kEdge,   "the head of the queue is taken")         \
  X(reg_req,    U8,      1,         1,          kEvent,   kEdge,   "register access, held until reg_ack")    \
  X(reg_we,     U8,      1,         1,          kPayload, kEdge,   "1: write")                               \
  X(reg_addr,   U16,     1,         16,         kPayload, kEdge,   "byte address")                           \
  X(reg_wdata,  U32,     1,         32,         kPayload, kEdge,   "data of a write")

#define TURNSTILE_OUTPUTS(X)                                                                                     \
  /*name        type    elements   bits           class     timing          meaning */                           \
  X(pick_valid, U8,     1,         1,             kEvent,   kCombinational, "a port is offered")                 \
  X(pick_port,  U8,     1,         p.port_bits(), kPayload, kCombinational, "which")                             \
  X(out_valid,  U8,     1,         1,             kEvent,   kRegistered,    "the queue is not empty")            \
  X(out_port,   U8,     1,         p.port_bits(), kPayload, kRegistered,    "port of its head")                  \
  X(out_weight, U8,     1,         4,             kPayload, kRegistered,    "weight when it passed")             \
  X(out_stamp,  U16,    1,         16,            kPayload, kRegistered,    "low bits of the time at which it passed") \
  X(total,      Totals, p.NumWays, 12,            kLevel,   kRegistered,    "passes on each way, modulo 4096")   \
  X(beat,       U8,     1,         1,             kEvent,   kRegistered,    "pulse every PERIOD cycles")         \
  X(reg_ack,    U8,     1,         1,             kEvent,   kRegistered,    "end of the register access")        \
  X(reg_err,    U8,     1,         2,             kPayload, kRegistered,    "0 good, 1 address error, 2 refused") \
  X(reg_rdata,  U32,    1,         32,            kPayload, kRegistered,    "data of a read")

#define TURNSTILE_PROBES(X)                                                           \
  /*name     type      elements  bits           meaning */                            \
  X(level,   Level,    1,        2,             "how full the queue is")              \
  X(count,   U8,       1,        5,             "its entries")                        \
  X(pointer, U8,       1,        p.port_bits(), "port that is asked first")           \
  X(served,  Ports,    1,        p.NumPorts,    "ports that passed in this round")    \
  X(timer,   U16,      1,        16,            "cycles since the last beat")         \
  X(period,  U16,      1,        16,            "register PERIOD")                    \
  X(beating, U8,       1,        1,             "the beat is shown")
// clang-format on

namespace castor::turnstile {

using twin::U16;
using twin::U32;
using twin::U64;
using twin::U8;
using Ports = twin::Bits<128>;
using Weights = twin::Lanes<U8, 4>;
using Totals = twin::Lanes<U16, 4>;

enum class Level : std::uint8_t { kEmpty, kSome, kFull };
inline constexpr const char* kLevelNames[] = {"Empty", "Some", "Full"};
[[nodiscard]] constexpr auto& enum_names(Level) { return kLevelNames; }

struct Params {
  TURNSTILE_PARAMS(CASTOR_PARAM_FIELD)

  template <class F>
  static void each(F f) {
    TURNSTILE_PARAMS(CASTOR_VISIT_PARAM)
  }
  void check() const {
    each([this](const twin::Param& param, auto member) { twin::check_param("turnstile", param, this->*member); });
  }
  [[nodiscard]] unsigned port_bits() const { return NumPorts > 1 ? twin::log2_ceil(NumPorts) : 1; }
};

CASTOR_PORT_LISTS(TURNSTILE, turnstile)

class Engine;

struct Block : PortLists {
  static constexpr const char* kBlock = "turnstile";
  static constexpr const char* kTop = "castor_turnstile";
  static constexpr const char* kMeaning = "test block of the twin contract";
  using Engine = turnstile::Engine;
  static constexpr std::string_view kRunning[] = {"timer"};

  /// Returns the same bound for RTL. A register access of the last edge is answered now, and the answer ends at the
  /// next edge.
  static twin::Cycle quiet(const Probes& probes, const Inputs& last, const Params& /*params*/) {
    if (last.reg_req != 0 || probes.beating != 0 || (probes.level != Level::kEmpty && last.out_ready != 0)) return 0;
    if (probes.period == 0) return base::kForever;
    return probes.timer + 1U < probes.period ? probes.period - probes.timer - 1U : 0;
  }
};

}  // namespace castor::turnstile
