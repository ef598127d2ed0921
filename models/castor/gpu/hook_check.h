#pragma once

#include <cstdint>

#include "castor/gpu/hooks/hook.h"

namespace castor::gpu {

/// Throws base::Error with the block's name (Hook::block), the text and the core cycle.
[[noreturn, gnu::cold, gnu::format(printf, 3, 4)]] void hook_failed(const char* block, Cycle cycle, const char* format,
                                                                    ...);

}  // namespace castor::gpu

// CASTOR_HOOK_CHECK(hook, cycle, condition, printf format, arguments...): checks an output of a hook, or of a module
// behind a port, on which the platform relies. If the condition is false, throws base::Error that names the block
// (hook.block()), because the block and not the platform is at fault.
#define CASTOR_HOOK_CHECK(hook, cycle, condition, ...) \
  ((condition) ? (void)0 : ::castor::gpu::hook_failed((hook).block(), cycle, __VA_ARGS__))
