#pragma once

/* Groups of thread blocks: what Castor adds to the CUDA runtime for machines that run groups, launched by device code
 * (cudaLaunchAggGroup), with a resident kernel (docs/gpu/launches.md, "Groups of thread blocks").
 *
 *     castorHoldKernel((const void*)work, 1);
 *     work<<<1, 64, 0, warm>>>(...);          // resident from now on: groups of it find a kernel to run with
 *     ... kernels that launch groups of `work` ...
 *     castorHoldKernel((const void*)work, 0);  // it may end when its groups have
 */

#include <driver_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* While `on` is not 0, a kernel of this function that has ended stays resident, so groups can still run with it. Its
 * stream does not go on until it is let go, so `on` = 0 has to come before a wait for that stream. Without effect on
 * machines that have no such groups. Errors: invalid device function, the device's fault. */
cudaError_t castorHoldKernel(const void* func, int on);

#ifdef __cplusplus
}
#endif
