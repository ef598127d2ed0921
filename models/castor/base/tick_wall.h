#pragma once

#include "castor/base/error.h"

namespace castor::base {

/// While one of these lives, its thread runs the tick of `owner`, which writes nothing that others share. What is
/// shared says so by `check` in the functions that write it: called inside of somebody's tick, it is an assertion.
///
/// Only in builds with CASTOR_TICK_WALLS (Debug, and all with sanitizers); in others nothing is kept and nothing asked.
class TickWall {
 public:
#ifdef CASTOR_TICK_WALLS
  explicit TickWall(const void* owner) : outer_(inside()) { inside() = owner; }
  ~TickWall() { inside() = outer_; }
  /// `what` is about to be written, which is `owner`'s; null: nobody's own.
  static void check(const char* what, const void* owner = nullptr) {
    CASTOR_ASSERT(inside() == nullptr || inside() == owner, "a tick writes what is not its own: %s", what);
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
