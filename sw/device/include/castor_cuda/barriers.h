// Barriers and fences as inline PTX, each of which may change any memory.
//
// clang 14 assumes that its barrier intrinsics cannot write a variable whose address is not taken. It moves loads of
// `__shared__ int x` above the __syncthreads() that waits for the store. An asm statement with a memory clobber
// prevents this. While clang's headers are read, macros redirect the intrinsics to the functions of this file;
// barriers_end.h removes these macros.
#pragma once

#define CASTOR_BARRIER static __device__ inline __attribute__((always_inline, convergent))

CASTOR_BARRIER void castor_syncthreads() { asm volatile("bar.sync 0;" ::: "memory"); }

// Barriers with a reduction: each thread contributes whether its value is not 0.
#define CASTOR_BARRIER_REDUCTION(name)                                              \
  CASTOR_BARRIER int castor_bar0_##name(int value) {                                \
    int result;                                                                     \
    asm volatile("{\n\t.reg .pred p, q;\n\tsetp.ne.u32 p, %1, 0;\n\tbar.red." #name \
                 ".pred q, 0, p;\n\tselp.u32 %0, 1, 0, q;\n\t}"                     \
                 : "=r"(result)                                                     \
                 : "r"(value)                                                       \
                 : "memory");                                                       \
    return result;                                                                  \
  }
CASTOR_BARRIER_REDUCTION(and)
CASTOR_BARRIER_REDUCTION(or)
#undef CASTOR_BARRIER_REDUCTION

CASTOR_BARRIER int castor_bar0_popc(int value) {
  int result;
  asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %1, 0;\n\tbar.red.popc.u32 %0, 0, p;\n\t}"
               : "=r"(result)
               : "r"(value)
               : "memory");
  return result;
}
CASTOR_BARRIER void castor_bar_warp_sync(unsigned mask) { asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory"); }
CASTOR_BARRIER void castor_barrier_sync(unsigned id) { asm volatile("barrier.sync %0;" ::"r"(id) : "memory"); }
CASTOR_BARRIER void castor_barrier_sync_cnt(unsigned id, unsigned count) {
  asm volatile("barrier.sync %0, %1;" ::"r"(id), "r"(count) : "memory");
}
CASTOR_BARRIER void castor_membar_cta() { asm volatile("membar.cta;" ::: "memory"); }
CASTOR_BARRIER void castor_membar_gl() { asm volatile("membar.gl;" ::: "memory"); }
CASTOR_BARRIER void castor_membar_sys() { asm volatile("membar.sys;" ::: "memory"); }
#undef CASTOR_BARRIER

// Programs call this builtin themselves, so its macro stays defined.
#define __syncthreads() castor_syncthreads()

#define __nvvm_bar0_and castor_bar0_and
#define __nvvm_bar0_or castor_bar0_or
#define __nvvm_bar0_popc castor_bar0_popc
#define __nvvm_bar_warp_sync castor_bar_warp_sync
#define __nvvm_barrier_sync castor_barrier_sync
#define __nvvm_barrier_sync_cnt castor_barrier_sync_cnt
#define __nvvm_membar_cta castor_membar_cta
#define __nvvm_membar_gl castor_membar_gl
#define __nvvm_membar_sys castor_membar_sys
