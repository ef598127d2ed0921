#include "castor/gpu/job_check.h"

#include "castor/gpu/job.h"
#include "castor/gpu/store.h"

namespace castor::gpu {

bool is_signal_address(std::uint64_t address, const Store& store) {
  constexpr std::uint64_t kBytes = sizeof(std::uint64_t);
  return address % kBytes == 0 && store.contains(address, kBytes);
}

bool is_valid(const JobPacket& packet, const Store& store) {
  return packet.subtype == JobPacket::kSubtype && is_signal_address(packet.signal, store);
}

}  // namespace castor::gpu
