#pragma once

#include <cstdint>

namespace castor::gpu {

class Store;
struct JobPacket;

/// Returns whether a signal word can be at `address`: 8-byte aligned, inside a live allocation of device memory.
[[nodiscard]] bool is_signal_address(std::uint64_t address, const Store& store);

/// Returns whether a JOB packet is valid. An invalid packet stops its queue (docs/gpu/jobs.md, "Jobs").
[[nodiscard]] bool is_valid(const JobPacket& packet, const Store& store);

}  // namespace castor::gpu
