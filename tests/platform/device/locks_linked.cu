// Locks that every lane of a warp wants: taken and released by functions of another file, and with checks in the
// section that end the kernel.
#include <cassert>

#include "check.h"
#include "locks_linked.h"

struct State {
  int lock, count;
};

__global__ void leave_by_break(State* s, int) {
  while (true) {
    if (try_lock(&s->lock)) {
      s->count++;
      unlock(&s->lock);
      break;
    }
  }
}
__global__ void flag(State* s, int) {
  bool done = false;
  while (!done) {
    if (try_lock(&s->lock)) {
      s->count++;
      unlock(&s->lock);
      done = true;
    }
  }
}
__global__ void try_function(State* s, int) {
  while (!try_to_count(&s->lock)) {
  }
}
__global__ void trap(State* s, int limit) {
  while (true) {
    if (atomicCAS(&s->lock, 0, 1) == 0) {
      if (s->count >= limit) __trap();
      s->count++;
      __threadfence();
      atomicExch(&s->lock, 0);
      break;
    }
  }
}
__global__ void builtin_trap(State* s, int limit) {
  while (true) {
    if (atomicCAS(&s->lock, 0, 1) == 0) {
      if (s->count >= limit) __builtin_trap();
      s->count++;
      __threadfence();
      atomicExch(&s->lock, 0);
      return;
    }
  }
}
__global__ void assertion(State* s, int limit) {
  bool done = false;
  while (!done) {
    if (atomicCAS(&s->lock, 0, 1) == 0) {
      assert(s->count < limit);
      s->count++;
      __threadfence();
      atomicExch(&s->lock, 0);
      done = true;
    }
  }
}
__global__ void assertion_and_break(State* s, int limit) {
  while (true) {
    if (try_lock(&s->lock)) {
      assert(s->count < limit);
      s->count++;
      unlock(&s->lock);
      break;
    }
  }
}

void check(const char* name, void (*kernel)(State*, int), State* state) {
  constexpr int kBlocks = 2;
  constexpr int kThreads = 40;
  *state = {};
  kernel<<<kBlocks, kThreads>>>(state, kBlocks * kThreads);
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) {
    std::printf("%s: %s\n", name, cudaGetErrorString(error));
    std::exit(1);
  }
  EXPECT_SAME(name, state->count, kBlocks * kThreads);
  EXPECT_SAME(name, state->lock, 0);
}

int main() {
  Shared<State> state(1);
#define CHECK(name) check(#name, name, state.get());
  CHECK(leave_by_break)
  CHECK(flag)
  CHECK(try_function)
  CHECK(trap)
  CHECK(builtin_trap)
  CHECK(assertion)
  CHECK(assertion_and_break)
  return verdict();
}
