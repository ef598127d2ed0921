// Locks that every lane of a warp wants, each in a loop that releases the lock where it has got it: all usual spellings.
// A lane that leaves by `break` or `return`, or by a flag, must not wait for the others before its release. The one form
// whose release is written behind the loop is a deadlock that is reported.
#include "check.h"

struct State {
  int lock, lock2, count, next, serving;
  int locks[8], counts[8];
};
#define KERNEL(name) __global__ void name(State* s, int every)
#define TAKES_PART (threadIdx.x % every == 0)

KERNEL(flag) {
  bool done = !TAKES_PART;
  while (!done) {
    if (atomicCAS(&s->lock, 0, 1) == 0) {
      s->count++;
      __threadfence();
      atomicExch(&s->lock, 0);
      done = true;
    }
  }
}
KERNEL(leave_by_break) {
  if (TAKES_PART) {
    while (true) {
      if (atomicCAS(&s->lock, 0, 1) == 0) {
        s->count++;
        __threadfence();
        atomicExch(&s->lock, 0);
        break;
      }
    }
  }
}
KERNEL(leave_by_return) {
  if (!TAKES_PART) return;
  while (true) {
    if (atomicExch(&s->lock, 1) == 0) {
      s->count++;
      __threadfence();
      atomicExch(&s->lock, 0);
      return;
    }
  }
}
KERNEL(flag_of_for) {
  for (bool leave = !TAKES_PART; !leave;) {
    if (atomicExch(&s->lock, 1) == 0) {
      volatile int* count = &s->count;
      *count = *count + 1;
      __threadfence();
      atomicExch(&s->lock, 0);
      leave = true;
    }
  }
}
KERNEL(do_while) {
  if (!TAKES_PART) return;
  int done = 0;
  do {
    if (atomicCAS(&s->lock, 0, 1) == 0) {
      s->count += 1;
      __threadfence();
      atomicExch(&s->lock, 0);
      done = 1;
    }
  } while (!done);
}
KERNEL(plain_store) {
  bool done = !TAKES_PART;
  while (!done) {
    if (atomicCAS(&s->lock, 0, 1) == 0) {
      s->count++;
      __threadfence();
      s->lock = 0;
      done = true;
    }
  }
}
KERNEL(volatile_store) {
  bool done = !TAKES_PART;
  while (!done) {
    if (atomicCAS(&s->lock, 0, 1) == 0) {
      volatile int* const count = &s->count;
      *count = *count + 1;
      *(volatile int*)&s->lock = 0;
      done = true;
    }
  }
}
KERNEL(scopes) {
  bool done = !TAKES_PART;
  while (!done) {
    if (atomicCAS_system(&s->lock, 0, 1) == 0) {
      s->count++;
      __threadfence_system();
      atomicExch_system(&s->lock, 0);
      done = true;
    }
  }
}
KERNEL(assembly) {
  if (!TAKES_PART) return;
  for (;;) {
    int old;
    asm volatile("atom.global.cas.b32 %0, [%1], 0, 1;" : "=r"(old) : "l"(&s->lock) : "memory");
    if (old == 0) {
      s->count++;
      asm volatile("membar.gl; st.volatile.global.u32 [%0], 0;" ::"l"(&s->lock) : "memory");
      break;
    }
  }
}
KERNEL(go_to) {
  if (!TAKES_PART) return;
again:
  if (atomicCAS(&s->lock, 0, 1) == 0) {
    s->count++;
    __threadfence();
    atomicExch(&s->lock, 0);
  } else {
    goto again;
  }
}
KERNEL(go_out_of_two_loops) {
  if (!TAKES_PART) return;
  for (;;) {
    for (int i = 0; i < 4; ++i) {
      if (atomicCAS(&s->lock, 0, 1) == 0) {
        s->count++;
        __threadfence();
        atomicExch(&s->lock, 0);
        goto out;
      }
    }
  }
out:
  s->counts[threadIdx.x % 8] = 1;
}
KERNEL(continue_with_flag) {
  bool done = !TAKES_PART;
  while (!done) {
    if (atomicCAS(&s->lock, 0, 1) != 0) continue;
    s->count++;
    __threadfence();
    atomicExch(&s->lock, 0);
    done = true;
  }
}
KERNEL(continue_or_break) {
  if (TAKES_PART) {
    while (true) {
      if (atomicCAS(&s->lock, 0, 1) != 0) continue;
      s->count++;
      __threadfence();
      atomicExch(&s->lock, 0);
      break;
    }
  }
}
KERNEL(counted_tries) {
  if (!TAKES_PART) return;
  for (int tries = 0;; ++tries) {
    if (atomicCAS(&s->lock, 0, 1) != 0) continue;
    s->count++;
    __threadfence();
    atomicExch(&s->lock, 0);
    break;
  }
}
KERNEL(backoff) {
  if (!TAKES_PART) return;
  for (unsigned wait = 1;; wait = wait < 64 ? 2 * wait : wait) {
    if (atomicCAS(&s->lock, 0, 1) == 0) {
      s->count++;
      __threadfence();
      atomicExch(&s->lock, 0);
      break;
    }
#if __CUDA_ARCH__ >= 700
    __nanosleep(wait);
#else
    for (unsigned i = 0; i < wait; ++i) *(volatile unsigned*)&s->next = i;
#endif
  }
}
KERNEL(few_tries_at_a_time) {
  bool done = !TAKES_PART;
  while (!done) {
    bool got = false;
    for (int i = 0; i < 3; ++i) {
      if (atomicCAS(&s->lock, 0, 1) == 0) {
        got = true;
        break;
      }
    }
    if (got) {
      s->count++;
      __threadfence();
      atomicExch(&s->lock, 0);
      done = true;
    }
  }
}

struct Mutex {
  int* word;
  __device__ bool try_lock() {
    const bool got = atomicCAS(word, 0, 1) == 0;
    if (got) __threadfence();
    return got;
  }
  __device__ void unlock() {
    __threadfence();
    atomicExch(word, 0);
  }
};
KERNEL(members) {
  Mutex mutex{&s->lock};
  bool need = TAKES_PART;
  while (need) {
    if (mutex.try_lock()) {
      s->count++;
      mutex.unlock();
      need = false;
    }
  }
}
template <class Lock, class F>
__device__ void locked(Lock& lock, F f) {
  for (;;) {
    if (lock.try_lock()) {
      f();
      lock.unlock();
      return;
    }
  }
}
KERNEL(lambda) {
  Mutex mutex{&s->lock};
  if (TAKES_PART) locked(mutex, [&] { s->count++; });
}
KERNEL(loop_in_lambda) {
  bool done = !TAKES_PART;
  const auto work = [&] {
    while (!done) {
      if (atomicCAS(&s->lock, 0, 1) == 0) {
        s->count++;
        __threadfence();
        atomicExch(&s->lock, 0);
        done = true;
      }
    }
  };
  work();
}

// What cuda::atomic has of them.
template <class T>
struct Atomic {
  T* value;
  __device__ bool compare_exchange_strong(T& expected, T desired) {
    const T old = atomicCAS(value, expected, desired);
    const bool same = old == expected;
    expected = old;
    return same;
  }
  __device__ void store(T desired) { atomicExch(value, desired); }
};
KERNEL(atomic_object) {
  if (!TAKES_PART) return;
  Atomic<int> lock{&s->lock};
  while (true) {
    int expected = 0;
    if (lock.compare_exchange_strong(expected, 1)) {
      s->count++;
      __threadfence();
      lock.store(0);
      break;
    }
  }
}
struct Guard {
  Mutex& mutex;
  bool got;
  __device__ explicit Guard(Mutex& m) : mutex(m), got(m.try_lock()) {}
  __device__ ~Guard() {
    if (got) mutex.unlock();
  }
};
KERNEL(guard) {
  if (!TAKES_PART) return;
  Mutex mutex{&s->lock};
  while (true) {
    Guard lock(mutex);
    if (lock.got) {
      s->count++;
      break;
    }
  }
}
__device__ bool try_to_count(State* s) {
  if (atomicCAS(&s->lock, 0, 1) != 0) return false;
  s->count++;
  __threadfence();
  atomicExch(&s->lock, 0);
  return true;
}
KERNEL(try_function) {
  if (TAKES_PART) {
    while (!try_to_count(s)) {
    }
  }
}
KERNEL(try_function_and_break) {
  if (!TAKES_PART) return;
  for (;;)
    if (try_to_count(s)) break;
}
__device__ __noinline__ int number(State* s) {
  while (true) {
    if (atomicCAS(&s->lock, 0, 1) == 0) {
      const int mine = s->count++;
      __threadfence();
      atomicExch(&s->lock, 0);
      return mine;
    }
  }
}
KERNEL(value_returned) {
  if (TAKES_PART) s->counts[number(s) % 8] = 1;
}
KERNEL(return_in_section) {
  if (!TAKES_PART) return;
  while (true) {
    if (atomicCAS(&s->lock, 0, 1) == 0) {
      for (int i = 0; i < 4; ++i) {
        if (i == int(threadIdx.x % 4)) {
          s->count++;
          __threadfence();
          atomicExch(&s->lock, 0);
          return;
        }
      }
      atomicExch(&s->lock, 0);
    }
  }
}
KERNEL(many_sections) {
  if (!TAKES_PART) return;
  for (int i = 0; i < 3; ++i) {
    while (true) {
      if (atomicCAS(&s->locks[i], 0, 1) == 0) {
        if (i == 2) s->count++;
        __threadfence();
        atomicExch(&s->locks[i], 0);
        break;
      }
    }
  }
}
KERNEL(two_locks) {
  bool done = !TAKES_PART;
  while (!done) {
    if (atomicCAS(&s->lock, 0, 1) == 0) {
      if (atomicCAS(&s->lock2, 0, 1) == 0) {
        s->count++;
        __threadfence();
        atomicExch(&s->lock2, 0);
        done = true;
      }
      atomicExch(&s->lock, 0);
    }
  }
}
KERNEL(two_locks_two_loops) {
  if (!TAKES_PART) return;
  while (true) {
    if (atomicCAS(&s->lock, 0, 1) == 0) {
      while (true) {
        if (atomicCAS(&s->lock2, 0, 1) == 0) {
          s->count++;
          __threadfence();
          atomicExch(&s->lock2, 0);
          break;
        }
      }
      __threadfence();
      atomicExch(&s->lock, 0);
      break;
    }
  }
}
KERNEL(pairs_in_order) {
  if (!TAKES_PART) return;
  const int a = threadIdx.x % 8, b = (a + 1 + threadIdx.x / 8 % 7) % 8;
  const int first = min(a, b), second = max(a, b);
  for (bool done = false; !done;) {
    if (atomicCAS(&s->locks[first], 0, 1) == 0) {
      if (atomicCAS(&s->locks[second], 0, 1) == 0) {
        s->counts[a]++;
        s->counts[b]--;
        __threadfence();
        atomicExch(&s->locks[second], 0);
        done = true;
      }
      __threadfence();
      atomicExch(&s->locks[first], 0);
    }
  }
  atomicAdd(&s->count, 1);
}
KERNEL(switch_in_section) {
  if (!TAKES_PART) return;
  while (true) {
    if (atomicCAS(&s->lock, 0, 1) == 0) {
      switch (threadIdx.x % 3) {
        case 0: s->count += 3; break;
        case 1: s->count -= 1; break;
        default: s->count += 1;
      }
      s->count -= threadIdx.x % 3 == 0 ? 2 : threadIdx.x % 3 == 1 ? -2 : 0;
      __threadfence();
      atomicExch(&s->lock, 0);
      break;
    }
  }
}
KERNEL(state_machine) {
  int state = TAKES_PART ? 0 : 2;
  while (state != 2) {
    switch (state) {
      case 0:
        if (atomicCAS(&s->lock, 0, 1) == 0) state = 1;
        break;
      case 1:
        s->count++;
        __threadfence();
        atomicExch(&s->lock, 0);
        state = 2;
        break;
    }
  }
}
KERNEL(bit) {
  bool done = !TAKES_PART;
  while (!done) {
    if ((atomicOr(&s->lock, 4) & 4) == 0) {
      s->count++;
      __threadfence();
      atomicAnd(&s->lock, ~4);
      done = true;
    }
  }
}
KERNEL(readers_and_writers) {
  if (!TAKES_PART) return;
  if (threadIdx.x % 4 == 0) {
    while (true) {
      if (atomicCAS(&s->lock, 0, -1) == 0) {
        s->next = s->next + 1;
        __threadfence();
        atomicExch(&s->lock, 0);
        break;
      }
    }
  } else {
    for (bool done = false; !done;) {
      const int readers = *(volatile int*)&s->lock;
      if (readers >= 0 && atomicCAS(&s->lock, readers, readers + 1) == readers) {
        if (*(volatile int*)&s->next >= 0) done = true;
        __threadfence();
        atomicSub(&s->lock, 1);
      }
    }
  }
  atomicAdd(&s->count, 1);
}
class Tickets {
 public:
  __device__ Tickets(int* next, int* serving) : next_(next), serving_(serving) {}
  __device__ int draw() { return atomicAdd(next_, 1); }
  __device__ bool serves(int ticket) const { return *(volatile int*)serving_ == ticket; }
  __device__ void advance() {
    __threadfence();
    atomicAdd(serving_, 1);
  }

 private:
  int* next_;
  int* serving_;
};
KERNEL(tickets) {
  if (!TAKES_PART) return;
  Tickets tickets(&s->next, &s->serving);
  const int mine = tickets.draw();
  while (true) {
    if (tickets.serves(mine)) {
      s->count++;
      tickets.advance();
      break;
    }
  }
}
KERNEL(buckets) {
  if (!TAKES_PART) return;
  const int bucket = threadIdx.x * 5 % 8;
  bool done = false;
  while (!done) {
    if (atomicCAS(&s->locks[bucket], 0, 1) == 0) {
      s->counts[bucket]++;
      __threadfence();
      atomicExch(&s->locks[bucket], 0);
      done = true;
    }
  }
  atomicAdd(&s->count, 1);
}
KERNEL(buckets_by_return) {
  if (!TAKES_PART) return;
  int* const lock = &s->locks[threadIdx.x % 8];
  while (true) {
    if (atomicCAS(lock, 0, 1) == 0) {
      s->counts[threadIdx.x % 8]++;
      atomicAdd(&s->count, 1);
      __threadfence();
      *(volatile int*)lock = 0;
      return;
    }
  }
}
KERNEL(shared_lock) {
  __shared__ int lock, count;
  if (threadIdx.x == 0) lock = count = 0;
  __syncthreads();
  bool done = !TAKES_PART;
  while (!done) {
    if (atomicCAS(&lock, 0, 1) == 0) {
      *(volatile int*)&count = *(volatile int*)&count + 1;
      __threadfence_block();
      atomicExch(&lock, 0);
      done = true;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(&s->count, count);
}
// Behind the loop of a lane that waits for the lock of another: the lanes meet again, all with the value.
KERNEL(meet_again) {
  if (TAKES_PART) {
    while (true) {
      if (atomicCAS(&s->lock, 0, 1) == 0) {
        s->count++;
        __threadfence();
        atomicExch(&s->lock, 0);
        break;
      }
    }
  }
  __syncthreads();
  if (threadIdx.x == 0 && every == 1) s->counts[0] = __shfl_sync(1, s->count, 0);
}

// The release is written behind the loop: the owner waits for the others there, and they wait for its release.
KERNEL(behind_the_loop) {
  while (atomicCAS(&s->lock, 0, 1) != 0) {
  }
  s->count += every;
  __threadfence();
  atomicExch(&s->lock, 0);
}

using Kernel = void (*)(State*, int);

void check(const char* name, Kernel kernel, Shared<State>& state) {
  struct {
    int blocks, threads, every;
  } const shapes[] = {{1, 32, 1}, {2, 64, 1}, {3, 40, 3}};
  for (const auto& shape : shapes) {
    std::memset(static_cast<void*>(state.get()), 0, sizeof(State));
    kernel<<<shape.blocks, shape.threads>>>(state.get(), shape.every);
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
      std::printf("%s: %s\n", name, cudaGetErrorString(error));
      std::exit(1);
    }
    const int want = shape.blocks * ((shape.threads + shape.every - 1) / shape.every);
    EXPECT_SAME(name, state[0].count, want);
    EXPECT_SAME(name, state[0].lock, 0);
  }
}

#define ALL(DO)                                                                                                    \
  DO(flag) DO(leave_by_break) DO(leave_by_return) DO(flag_of_for) DO(do_while) DO(plain_store) DO(volatile_store)  \
  DO(scopes) DO(assembly) DO(go_to) DO(go_out_of_two_loops) DO(continue_with_flag) DO(continue_or_break)           \
  DO(counted_tries) DO(backoff) DO(few_tries_at_a_time) DO(members) DO(lambda) DO(loop_in_lambda) DO(atomic_object) \
  DO(guard) DO(try_function) DO(try_function_and_break) DO(value_returned) DO(return_in_section) DO(many_sections) \
  DO(two_locks) DO(two_locks_two_loops) DO(pairs_in_order) DO(switch_in_section) DO(state_machine) DO(bit)          \
  DO(readers_and_writers) DO(tickets) DO(buckets) DO(buckets_by_return) DO(shared_lock) DO(meet_again)

// With "deadlock": the form that is one must be reported. With a number: that form alone. Without: all of them.
int main(int argc, char** argv) {
  Shared<State> state(1);
  if (argc > 1 && std::strcmp(argv[1], "deadlock") == 0) {
    behind_the_loop<<<1, 32>>>(state.get(), 1);
    return cudaDeviceSynchronize() == cudaErrorLaunchTimeout ? 0 : 1;
  }
  int form = 0;
#define CHECK(name) \
  if (form++, argc < 2 || std::atoi(argv[1]) == form) check(#name, name, state);
  ALL(CHECK)
  return verdict();
}
