#pragma once

#include <cstdint>

namespace castor::gpu {

class Store;
struct JobPacket;

/// Whether a signal word can be at `address`: 8-byte aligned, in device memory.
[[nodiscard]] bool is_signal_address(std::uint64_t address, const Store& store);

/// Whether a JOB packet may be served; an invalid one stops its queue (docs/gpu/jobs.md, "Jobs").
[[nodiscard]] bool is_valid(const JobPacket& packet, const Store& store);

}  // namespace castor::gpu
