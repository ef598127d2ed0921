#pragma once

/* Groups of thread blocks: Castor's extension of the CUDA runtime for machines that run groups, launched by device code
 * (cudaLaunchAggGroup), as part of a resident kernel (docs/gpu/launches.md, "Groups of thread blocks").
 *
 *     castorHoldKernel((const void*)work, 1);
 *     work<<<1, 64, 0, warm>>>(...);          // resident from now on: groups of `work` run as part of it
 *     ... kernels that launch groups of `work` ...
 *     castorHoldKernel((const void*)work, 0);  // the kernel may end once its groups have ended
 */

#include <driver_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Holds ended kernels of a function resident while `on` is not 0, so that groups can still run as part of them. The
 * stream of a held kernel is blocked, so `on` = 0 must be called before a wait for that stream. No effect on machines
 * without such groups. Errors: invalid device function, the device's fault. */
cudaError_t castorHoldKernel(const void* func, int on);

#ifdef __cplusplus
}
#endif
