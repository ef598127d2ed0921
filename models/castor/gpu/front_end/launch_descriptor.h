#pragma once

#include <cstddef>
#include <cstdint>

#include "castor/gpu/device.h"
#include "castor/gpu/launch/launch_service.h"

namespace castor::gpu {

/// A kernel launch as its descriptor holds it, one format for every kind of launch (docs/gpu/front-end.md, "Launch
/// descriptor").
struct LaunchDescriptor {
  std::uint64_t code_base = 0;  ///< device address of the program's record 0
  std::uint64_t parameters = 0;
  Dim3 grid, block;
  std::uint32_t registers = 0;     ///< per thread
  std::uint32_t shared_bytes = 0;  ///< static and dynamic
  std::uint32_t local_bytes = 0;   ///< per thread
  std::uint32_t stream = 0;
  std::uint32_t serial = 0;  ///< low bits of the ticket
  std::uint8_t kid = 0;      ///< kernel type as jobs name it
  bool by_device = false;
  std::uint32_t level = 0;     ///< by the device: launches above it; the descriptor has 15 for more
  std::uint8_t parent_sm = 0;  ///< by the device: of the TB that made it
  bool group = false;          ///< by the device: of thread blocks; the record counts them
};

/// In the record of a group: its TBs that have not completed, 4 bytes. Behind it, at 0x38, the group after it.
inline constexpr std::uint64_t kGroupLeft = 0x30;

enum class PacketKind : std::uint8_t { kKernel, kCopy, kFill, kEventRecord, kEventWait, kHostCall, kJob };
[[nodiscard]] PacketKind packet_kind(const Packet& packet);
[[nodiscard]] const char* packet_name(PacketKind kind);

[[nodiscard]] PacketImage encode(const LaunchDescriptor& descriptor);
[[nodiscard]] LaunchDescriptor decode_launch(const std::byte* image);

/// Packets other than kernels. Of a host call only the kind is in the image: functions cannot lie in device memory.
[[nodiscard]] PacketImage encode(const Packet& packet);
[[nodiscard]] Packet decode_packet(const std::byte* image);

/// A JOB packet has a layout of its own, in which word 1 is not ours: the queue's slot says what it is.
[[nodiscard]] PacketImage encode(const JobPacket& job);
[[nodiscard]] JobPacket decode_job(const std::byte* image);

}  // namespace castor::gpu
