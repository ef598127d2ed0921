#pragma once

#include <cstddef>
#include <cstdint>

#include "castor/gpu/device.h"
#include "castor/gpu/launch/launch_service.h"

namespace castor::gpu {

/// Fields of a launch descriptor: one format for launches by the host and by device code, of kernels and of groups
/// (docs/gpu/front-end.md, "Launch descriptor").
struct LaunchDescriptor {
  std::uint64_t code_base = 0;  ///< device address of the program's first record
  std::uint64_t parameters = 0;
  Dim3 grid, block;
  std::uint32_t registers = 0;     ///< registers per thread
  std::uint32_t shared_bytes = 0;  ///< static and dynamic shared memory of a TB
  std::uint32_t local_bytes = 0;   ///< local memory per thread
  std::uint32_t stream = 0;
  std::uint32_t serial = 0;  ///< low bits of the ticket
  std::uint8_t kid = 0;      ///< kernel type (kid) as jobs name it
  bool by_device = false;
  std::uint32_t level = 0;      ///< launches by device code: nesting depth of the launch; 15 stands for 15 or more
  std::uint16_t parent_sm = 0;  ///< launches by device code: SM of the TB that made the launch
  bool group = false;  ///< launches by device code: the launch is a group of thread blocks; its record counts its TBs
};

/// Offset in a group's launch record of the number of its TBs that are not complete, 4 bytes. The link to the next
/// group follows at 0x38.
inline constexpr std::uint64_t kGroupLeft = 0x30;

enum class PacketKind : std::uint8_t { kKernel, kCopy, kFill, kEventRecord, kEventWait, kHostCall, kJob };
[[nodiscard]] PacketKind packet_kind(const Packet& packet);
/// Returns the name of a packet kind for messages.
[[nodiscard]] const char* packet_name(PacketKind kind);

[[nodiscard]] PacketImage encode(const LaunchDescriptor& descriptor);
[[nodiscard]] LaunchDescriptor decode_launch(const std::byte* image);

/// Encodes a packet other than a kernel. The image of a host call holds only the kind of packet, because functions
/// cannot be stored in device memory.
[[nodiscard]] PacketImage encode(const Packet& packet);
[[nodiscard]] Packet decode_packet(const std::byte* image);

/// Encodes a JOB packet. It has a layout of its own, in which word 1 does not hold the kind of packet; the queue's slot
/// identifies it.
[[nodiscard]] PacketImage encode(const JobPacket& job);
[[nodiscard]] JobPacket decode_job(const std::byte* image);

}  // namespace castor::gpu
