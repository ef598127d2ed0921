#pragma once

#include <cstdint>

#include "castor/twin/block.h"

// Single definition of the block's parameters and ports. Names are those of the SystemVerilog module, ports without
// _i/_o.

// clang-format off
#define PACKER_PARAMS(X)                                          \
  /*name    default  minimum  maximum  rule  meaning */           \
  X(NumSms, 15,      1,       64,      kAny, "SMs of the machine")

#define PACKER_INPUTS(X)                                                                            \
  /*name         type  elements  bits      class   timing   meaning */                              \
  X(fits,        U64,  1,        p.NumSms, kLevel, kSettle, "SMs that take the next thread block")  \
  X(depth,       U8,   1,        8,        kLevel, kSettle,                                         \
    "thread blocks in a row for one SM; 0 = until the SM is full")                                  \
  X(place_grant, U8,   1,        1,        kEvent, kEdge,   "the thread block is placed on the offered SM")

#define PACKER_OUTPUTS(X)                                                                           \
  /*name         type  elements  bits         class     timing          meaning */                  \
  X(place_valid, U8,   1,        1,           kLevel,   kCombinational, "an SM is offered")         \
  X(place_sm,    U8,   1,        p.sm_bits(), kPayload, kCombinational, "which")

#define PACKER_PROBES(X)                                                                            \
  /*name  type  elements  bits         meaning */                                                   \
  X(sm,   U8,   1,        p.sm_bits(), "SM of the last thread block")                               \
  X(run,  U8,   1,        8,           "thread blocks in a row on that SM, saturating at 255; 0 before the first")
// clang-format on

namespace blocks::packer {

namespace twin = castor::twin;
using twin::U64;
using twin::U8;

/// Parameters of the block: a field for each row of PACKER_PARAMS.
struct Params {
  PACKER_PARAMS(CASTOR_PARAM_FIELD)

  template <class F>
  static void each(F f) {
    PACKER_PARAMS(CASTOR_VISIT_PARAM)
  }
  /// Throws InputError for an illegal value.
  void check() const {
    each([this](const twin::Param& param, auto member) { twin::check_param("packer", param, this->*member); });
  }
  /// Returns the number of bits of an SM's number: $clog2 of SystemVerilog, which is twin::log2_ceil in C++
  /// (castor/twin/ports.h).
  [[nodiscard]] unsigned sm_bits() const { return NumSms > 1 ? twin::log2_ceil(NumSms) : 1; }
};

CASTOR_PORT_LISTS(PACKER, packer)

class Engine;

/// Description of the block for Castor's templates: name, RTL top module, engine (castor/twin/block.h).
struct Block : PortLists {
  static constexpr const char* kBlock = "packer";
  static constexpr const char* kTop = "castor_packer";
  static constexpr const char* kMeaning = "places thread blocks on one SM after another";
  using Engine = packer::Engine;

  /// Returns the number of edges that may be skipped. Without events the RTL never changes.
  static twin::Cycle quiet(const Probes& /*probes*/, const Inputs& /*last*/, const Params& /*params*/) {
    return castor::base::kForever;
  }
};

}  // namespace blocks::packer
