#pragma once

#include "castor/base/error.h"

namespace castor::base {

/// Debug check that the tick of one unit writes no shared state. While a TickWall lives, its thread runs the tick of
/// `owner`. Functions that write shared state call `check`, which fails an assertion inside any tick but the owner's.
///
/// Active only in builds with CASTOR_TICK_WALLS (Debug, and all with sanitizers); in other builds the class is empty.
class TickWall {
 public:
#ifdef CASTOR_TICK_WALLS
  explicit TickWall(const void* owner) : outer_(inside()) { inside() = owner; }
  ~TickWall() { inside() = outer_; }
  /// Fails an assertion if the current tick may not write `what`. `owner`: unit to which `what` belongs; null if it
  /// belongs to no single unit.
  static void check(const char* what, const void* owner = nullptr) {
    CASTOR_ASSERT(inside() == nullptr || inside() == owner, "a tick writes state outside its unit: %s", what);
  }
#else
  explicit TickWall(const void* /*owner*/) {}
  static void check(const char* /*what*/, const void* /*owner*/ = nullptr) {}
#endif
  TickWall(const TickWall&) = delete;
  TickWall& operator=(const TickWall&) = delete;

#ifdef CASTOR_TICK_WALLS
 private:
  static const void*& inside() {
    static thread_local const void* owner = nullptr;
    return owner;
  }
  const void* outer_;
#endif
};

}  // namespace castor::base
