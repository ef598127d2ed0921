#include "castor/gpu/functional/memory_packets.h"

#include <cstring>
#include <type_traits>
#include <variant>

namespace castor::gpu::functional {

void perform(const CopyPacket& packet, const Store& store) {
  const auto host = [&](const auto& side) {
    using Pointer = std::variant_alternative_t<1, std::decay_t<decltype(side)>>;
    if (const auto* const address = std::get_if<std::uint64_t>(&side)) return Pointer{store.host(*address)};
    return std::get<Pointer>(side);
  };
  const std::byte* const from = host(packet.source);
  std::byte* const to = host(packet.destination);
  for (std::size_t row = 0; row < packet.rows; ++row) {
    std::memmove(to + row * packet.destination_pitch, from + row * packet.source_pitch, packet.width);
  }
}

void perform(const FillPacket& packet, const Store& store) {
  for (std::size_t row = 0; row < packet.rows; ++row) {
    std::byte* const to = store.host(packet.address) + row * packet.pitch;
    if (packet.pattern_bytes == 1) {
      std::memset(to, static_cast<int>(packet.pattern & 0xff), packet.width);
    } else {
      for (std::size_t i = 0; i + packet.pattern_bytes <= packet.width; i += packet.pattern_bytes) {
        std::memcpy(to + i, &packet.pattern, packet.pattern_bytes);
      }
    }
  }
}

}  // namespace castor::gpu::functional
