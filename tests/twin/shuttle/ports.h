#pragma once

#include "castor/twin/block.h"

// A block that only has a registration and hooks in C++: swap engines that move contexts in random order. Its twin does
// nothing.

// clang-format off
#define SHUTTLE_PARAMS(X)                                             \
  /*name   default  minimum  maximum  rule  meaning */                \
  X(Width, 1,       1,       1,       kAny, "has no meaning")

#define SHUTTLE_INPUTS(X)                                             \
  /*name type elements bits class   timing meaning */                 \
  X(ask, U8,  1,       1,   kEvent, kEdge, "has no meaning")

#define SHUTTLE_OUTPUTS(X)                                            \
  /*name  type elements bits class   timing       meaning */          \
  X(told, U8,  1,       1,   kEvent, kRegistered, "never")

#define SHUTTLE_PROBES(X)                                             \
  /*name type elements bits meaning */                                \
  X(none, U8, 1,       1,   "0")
// clang-format on

namespace castor::shuttle {

using twin::U8;

struct Params {
  SHUTTLE_PARAMS(CASTOR_PARAM_FIELD)

  template <class F>
  static void each(F f) {
    SHUTTLE_PARAMS(CASTOR_VISIT_PARAM)
  }
  void check() const {
    each([this](const twin::Param& param, auto member) { twin::check_param("shuttle", param, this->*member); });
  }
};

CASTOR_PORT_LISTS(SHUTTLE, shuttle)

class Engine;

struct Block : PortLists {
  static constexpr const char* kBlock = "shuttle";
  static constexpr const char* kTop = "castor_shuttle";
  static constexpr const char* kMeaning = "test block that moves contexts of thread blocks in random order";
  using Engine = shuttle::Engine;
  static twin::Cycle quiet(const Probes& /*probes*/, const Inputs& /*last*/, const Params& /*params*/) {
    return base::kForever;
  }
};

}  // namespace castor::shuttle
