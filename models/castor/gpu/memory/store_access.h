#pragma once

#include "castor/gpu/memory/transaction.h"
#include "castor/gpu/store.h"

namespace castor::gpu {

/// Performs a request on the bytes of its line in the store. A load copies the touched sectors into request.data. A
/// store writes the bytes of its mask. An atomic updates memory lane by lane in ascending order and returns the old
/// values in its lanes (docs/gpu/memory.md, "Where values live"). The caller sets the stamp `performed`.
void perform(const Store& store, std::uint64_t line, MemoryRequest& request);

/// Return the mask of sectors of which a store writes every byte (`whole_sectors`), and of sectors of which it writes
/// only some bytes.
[[nodiscard]] std::uint8_t whole_sectors(const MemoryRequest& store);
[[nodiscard]] std::uint8_t partial_sectors(const MemoryRequest& store);

/// Returns the cycles for which an atomic packet keeps its slice busy: the larger of (most lanes on one word x cycles
/// per update) and (active lanes / words per cycle) (docs/gpu/sm-memory.md, "Fences, atomics, order").
[[nodiscard]] unsigned atomic_cycles(const MemoryRequest& atomic, unsigned words_per_cycle, unsigned word_cycles);

/// Handles TLM debug transport: copies bytes between the payload and the store, as L2 and DRAM see them. Returns the
/// number of bytes. Returns 0 with an error status for addresses outside the store.
unsigned debug_access(const Store& store, tlm::tlm_generic_payload& payload);

}  // namespace castor::gpu
