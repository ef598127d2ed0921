#pragma once

#include "castor/gpu/memory/transaction.h"
#include "castor/gpu/store.h"

namespace castor::gpu {

/// Performs a request on the bytes of its line: loads copy the touched sectors into request.data, stores write the
/// bytes of their mask, atomics act lane by lane in ascending order and leave the old values in their lanes
/// (docs/gpu/memory.md, "Where values live"). The stamp is the caller's to set.
void perform(const Store& store, std::uint64_t line, MemoryRequest& request);

/// Sectors of which a store writes every byte, and those of which it writes some.
[[nodiscard]] std::uint8_t whole_sectors(const MemoryRequest& store);
[[nodiscard]] std::uint8_t partial_sectors(const MemoryRequest& store);

/// Cycles for which an atomic packet keeps its slice busy: the most lanes on one word by the cycles of an update, or
/// active lanes by words per cycle, whichever is more (docs/gpu/sm-memory.md, "Fences, atomics, order").
[[nodiscard]] unsigned atomic_cycles(const MemoryRequest& atomic, unsigned words_per_cycle, unsigned word_cycles);

/// Debug transport: exchanges bytes with the store as L2 and DRAM see them; returns their number, 0 and an error status
/// if they are out of reach.
unsigned debug_access(const Store& store, tlm::tlm_generic_payload& payload);

}  // namespace castor::gpu
