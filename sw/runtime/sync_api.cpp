// API functions for device-wide synchronisation (castor_sync.h).

#include <memory>
#include <vector>

#include "castor/gpu/sync_support.h"
#include "castor_sync.h"
#include "runtime/session.h"

using namespace castor;
using namespace castor::runtime;

namespace {

static_assert(castorSyncMostEvents == gpu::SyncOptions::kMostEvents);

std::shared_ptr<const gpu::SyncOptions> options_of(const castorSyncOptions& from) {
  const bool ranks = from.ranks != nullptr;
  if (from.events == 0 || from.events > castorSyncMostEvents || ranks != (from.blocks != 0) ||
      from.exit > castorSyncExitShrink || from.swap > castorSyncSwapNever)
    throw ApiError{cudaErrorInvalidValue};
  auto options = std::make_shared<gpu::SyncOptions>();
  options->events = from.events;
  options->exit = from.exit == castorSyncExitShrink ? gpu::SyncExit::kShrink : gpu::SyncExit::kError;
  options->swap = static_cast<gpu::SyncSwap>(from.swap);
  if (ranks) options->order = gpu::placement_order({from.ranks, from.ranks + from.blocks});
  return options;
}

}  // namespace

extern "C" {

cudaError_t castorSetSyncOptions(const void* func, const castorSyncOptions* options) {
  return api([&](Session& session) {
    LoadedKernel& kernel = session.modules().kernel_of(func);
    kernel.sync = options != nullptr ? options_of(*options) : nullptr;
  });
}

}  // extern "C"
