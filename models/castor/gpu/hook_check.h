#pragma once

#include <cstdint>

#include "castor/gpu/hooks/hook.h"

namespace castor::gpu {

/// Throws base::Error: block (Hook::block), text, core cycle.
[[noreturn, gnu::cold, gnu::format(printf, 3, 4)]] void hook_failed(const char* block, Cycle cycle, const char* format,
                                                                    ...);

}  // namespace castor::gpu

// CASTOR_HOOK_CHECK(hook, cycle, condition, printf format, arguments...): what the platform relies on in the answers of
// a hook, or of what is behind a port, whose block() says whose they are. Broken, it throws base::Error with that name:
// it is no fault of the platform's.
#define CASTOR_HOOK_CHECK(hook, cycle, condition, ...) \
  ((condition) ? (void)0 : ::castor::gpu::hook_failed((hook).block(), cycle, __VA_ARGS__))
