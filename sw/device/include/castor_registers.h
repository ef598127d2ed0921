#pragma once

/* Registers of hardware blocks: Castor's extension of the CUDA runtime for programs that set up or read a block of the
 * machine (docs/gpu/hooks.md, "Registers"). Host and device code call the same functions.
 *
 * A register number is 65536 x the number of the block's register window + the byte offset of a 32-bit register in it.
 * The block's document has both. Accesses of the host take effect in program order, also those of other API functions.
 * They take simulated time: two core cycles, or more for a table of a busy block. An access of device code waits for the
 * warp's older memory accesses, like printf; then the accesses of the warp's lanes follow each other in ascending order,
 * and the warp resumes when all have been answered.
 *
 *     unsigned version;
 *     castorRegisterRead(0x00000, &version);
 */

#include <driver_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reads and writes a register. Errors:
 * cudaErrorNotSupported: the machine has no block with that window; for the host, a line on stderr names the block that
 * has it, or says that no block has, or that the functional machine has no blocks; cudaErrorInvalidValue: null pointer;
 * the block has no register there; cudaErrorNotPermitted: the block refuses the access: read-only register, value out of
 * range, not now; the device's fault. */
cudaError_t castorRegisterRead(unsigned number, unsigned* value);
cudaError_t castorRegisterWrite(unsigned number, unsigned value);

#if defined(__cplusplus) && defined(__CUDACC__)
/* Supplied by the loader: the value read, and in the upper half the error. */
__device__ unsigned long long __castor_register(unsigned number, unsigned write, unsigned value);

static inline __device__ cudaError_t castorRegisterRead(unsigned number, unsigned* value) {
  if (value == nullptr) return cudaErrorInvalidValue;
  const unsigned long long reply = __castor_register(number, 0, 0);
  if (reply >> 32 == cudaSuccess) *value = static_cast<unsigned>(reply);
  return static_cast<cudaError_t>(reply >> 32);
}
static inline __device__ cudaError_t castorRegisterWrite(unsigned number, unsigned value) {
  return static_cast<cudaError_t>(__castor_register(number, 1, value) >> 32);
}
#endif

#ifdef __cplusplus
}
#endif
