#pragma once

#include "castor/twin/block.h"

// A block that only has a registration: it answers all operations of device-wide synchronisation, so that kernels with
// them are launched on machines that enable it. Its engine does nothing.

// clang-format off
#define ROSTER_PARAMS(X)                                              \
  /*name   default  minimum  maximum  rule  meaning */                \
  X(Width, 1,       1,       1,       kAny, "has no meaning")

#define ROSTER_INPUTS(X)                                              \
  /*name type elements bits class   timing meaning */                 \
  X(ask, U8,  1,       1,   kEvent, kEdge, "has no meaning")

#define ROSTER_OUTPUTS(X)                                             \
  /*name  type elements bits class   timing       meaning */          \
  X(told, U8,  1,       1,   kEvent, kRegistered, "never")

#define ROSTER_PROBES(X)                                              \
  /*name type elements bits meaning */                                \
  X(none, U8, 1,       1,   "0")
// clang-format on

namespace castor::roster {

using twin::U8;

struct Params {
  ROSTER_PARAMS(CASTOR_PARAM_FIELD)

  template <class F>
  static void each(F f) {
    ROSTER_PARAMS(CASTOR_VISIT_PARAM)
  }
  void check() const {
    each([this](const twin::Param& param, auto member) { twin::check_param("roster", param, this->*member); });
  }
};

CASTOR_PORT_LISTS(ROSTER, roster)

class Engine;

struct Block : PortLists {
  static constexpr const char* kBlock = "roster";
  static constexpr const char* kTop = "castor_roster";
  static constexpr const char* kMeaning = "test block that answers device-wide synchronisation";
  using Engine = roster::Engine;
  static twin::Cycle quiet(const Probes& /*probes*/, const Inputs& /*last*/, const Params& /*params*/) {
    return base::kForever;
  }
};

}  // namespace castor::roster
