#pragma once

#include <cstdint>

#include "castor/twin/block.h"

// The one description of the block's parameters and ports: structs, pins, comparison, waves and stimulus come from it.
// Names are those of the SystemVerilog, ports without _i/_o. castor/twin/ports.h says what the columns mean.
//
// As it stands the block lets the machine's own choices through: what is offered is picked. Put your ports in their place.

// clang-format off
#define @UPPER@_PARAMS(X)                                                                           \
  /*name      default    minimum  maximum        rule  meaning */                                   \
  X(NumLanes, @LANES@, 1, @MAX_LANES@, kAny, "@LANES_MEANING@")                                     \
  X(Width,    @WIDTH@, 1, @MAX_WIDTH@, kAny, "@WIDTH_MEANING@")

#define @UPPER@_INPUTS(X)                                                                           \
  /*name         type   elements    bits        class   timing   meaning */                         \
  X(offer_valid, U32,   1,          p.NumLanes, kLevel, kSettle, "lanes with an offer")             \
  X(offer,       Words, p.NumLanes, p.Width,    kLevel, kSettle, "@OFFER_MEANING@")                 \
  X(taken,       U32,   1,          p.NumLanes, kEvent, kEdge,   "@TAKEN_MEANING@")

#define @UPPER@_OUTPUTS(X)                                                                          \
  /*name        type   elements    bits        class   timing          meaning */                   \
  X(pick_valid, U32,   1,          p.NumLanes, kLevel, kCombinational, "lanes with a pick")         \
  X(pick,       Words, p.NumLanes, p.Width,    kLevel, kCombinational, "what is picked, 0 without")

#define @UPPER@_PROBES(X)                                                                           \
  /*name  type  elements  bits     meaning */                                                       \
  X(count, U8,  1,        8,       "cycles in which a pick was taken, modulo 256")                  \
  X(last,  U64, 1,        p.Width, "pick that was taken last, of the lowest lane")
// clang-format on

namespace blocks::@NAME@ {

namespace twin = castor::twin;
using twin::U32;
using twin::U64;
using twin::U8;
using Words = twin::Lanes<U64, @MAX_LANES@>;

struct Params {
  @UPPER@_PARAMS(CASTOR_PARAM_FIELD)

  template <class F>
  static void each(F f) {
    @UPPER@_PARAMS(CASTOR_VISIT_PARAM)
  }
  /// Throws InputError for an illegal value.
  void check() const {
    each([this](const twin::Param& param, auto member) { twin::check_param("@NAME@", param, this->*member); });
  }
  // $clog2 of SystemVerilog is twin::log2_ceil (castor/twin/ports.h), for widths that follow from a parameter.
};

CASTOR_PORT_LISTS(@UPPER@, @NAME@)

class Engine;

/// What Castor knows the block by (castor/twin/block.h).
struct Block : PortLists {
  static constexpr const char* kBlock = "@NAME@";
  static constexpr const char* kTop = "castor_@NAME@";
  static constexpr const char* kMeaning = "skeleton on hook @HOOK@: lets the machine's own choices through";
  using Engine = @NAME@::Engine;

  /// Engine::quiet for the RTL, out of its probes. Idle edges change nothing.
  static twin::Cycle quiet(const Probes& /*probes*/, const Inputs& /*last*/, const Params& /*params*/) {
    return castor::base::kForever;
  }
};

}  // namespace blocks::@NAME@
