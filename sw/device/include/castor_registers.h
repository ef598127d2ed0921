#pragma once

/* Registers of hardware blocks: Castor's extension of the CUDA runtime for programs that set up or read a block of the
 * machine (docs/gpu/hooks.md, "Registers").
 *
 * A register number is 65536 x the number of the block's register window + the byte offset of a 32-bit register in it.
 * The block's document has both. Accesses take effect in program order, also those of other API functions. They take
 * simulated time: two core cycles, or more for a table of a busy block.
 *
 *     unsigned version;
 *     castorRegisterRead(0x00000, &version);
 */

#include <driver_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reads and writes a register. Errors:
 * cudaErrorNotSupported: the machine has no block with that window; a line on stderr names the block that has it, or
 * says that no block has, or that the functional machine has no blocks; cudaErrorInvalidValue: null pointer; the block
 * has no register there; cudaErrorNotPermitted: the block refuses the access: read-only register, value out of range,
 * not now; the device's fault. */
cudaError_t castorRegisterRead(unsigned number, unsigned* value);
cudaError_t castorRegisterWrite(unsigned number, unsigned value);

#ifdef __cplusplus
}
#endif
