// Removes the macros that barriers.h defines for the time while clang's headers are read.
#undef __nvvm_bar0_and
#undef __nvvm_bar0_or
#undef __nvvm_bar0_popc
#undef __nvvm_bar_warp_sync
#undef __nvvm_barrier_sync
#undef __nvvm_barrier_sync_cnt
#undef __nvvm_membar_cta
#undef __nvvm_membar_gl
#undef __nvvm_membar_sys
