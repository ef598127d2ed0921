#include "castor/gpu/front_end/launch_descriptor.h"

#include <algorithm>
#include <cstring>

#include "castor/base/error.h"

namespace castor::gpu {
namespace {

// Offsets in launch descriptors. The word at 4 holds the flags of a launch in its low bits and the kind of packet in
// its highest byte; a launch has kind 0.
constexpr std::size_t kEntry = 0x00, kFlags = 0x04, kParameters = 0x08, kGrid = 0x10, kBlock = 0x18, kRegisters = 0x1e,
                      kShared = 0x20, kLocal = 0x24, kStream = 0x28, kSerial = 0x2c, kKid = 0x30;
constexpr unsigned kKindShift = 24;
constexpr std::uint32_t kByDevice = 1, kParentKnown = 1U << 11, kMostLevel = 15;
constexpr unsigned kLevelShift = 2, kParentShift = 6;
// Offsets in packets other than launches: eight-byte words from 8 on, small fields in the first four bytes.
constexpr std::size_t kSmall = 0x00, kWords = 0x08;
constexpr std::uint32_t kHostSource = 1, kHostDestination = 2;
// Offsets in JOB packets. Word 0 holds the header (vendor packet with barrier), subtype, number of list elements, and
// flags.
constexpr std::size_t kJobId = 0x04, kJobDeadline = 0x08, kJobKernels = 0x0c, kJobStart = 0x10, kJobList = 0x18,
                      kJobSignal = 0x38;
constexpr std::uint32_t kJobHeader = 0x0100, kJobAppend = 1U << 28, kJobBestEffort = 1U << 29;
constexpr unsigned kJobSubtypeShift = 16, kJobCountShift = 24, kJobKidShift = 24;
constexpr std::uint32_t kJobMostCount = 15, kJobTbs = 0xffffff;
constexpr std::uint64_t kJobStartMask = (std::uint64_t{1} << 48) - 1;

template <class T>
void put(PacketImage& image, std::size_t at, std::uint64_t value) {
  const T narrow = static_cast<T>(value);
  std::memcpy(image.data() + at, &narrow, sizeof narrow);
}
template <class T>
T take(const std::byte* image, std::size_t at) {
  T value;
  std::memcpy(&value, image + at, sizeof value);
  return value;
}

PacketImage packet_image(PacketKind kind, std::uint32_t small, std::initializer_list<std::uint64_t> words) {
  PacketImage image{};
  put<std::uint32_t>(image, kSmall, small);
  put<std::uint32_t>(image, kFlags, static_cast<std::uint32_t>(kind) << kKindShift);
  std::size_t at = kWords;
  for (const std::uint64_t word : words) {
    put<std::uint64_t>(image, at, word);
    at += 8;
  }
  return image;
}

std::uint64_t word(const std::byte* image, std::size_t index) { return take<std::uint64_t>(image, kWords + 8 * index); }

}  // namespace

PacketKind packet_kind(const Packet& packet) { return static_cast<PacketKind>(packet.index()); }

const char* packet_name(PacketKind kind) {
  static constexpr const char* kNames[] = {"kernel", "copy", "fill", "event record", "event wait", "host call", "job"};
  return kNames[static_cast<std::size_t>(kind)];
}

PacketImage encode(const LaunchDescriptor& descriptor) {
  PacketImage image{};
  // The descriptor holds the code address relative to the start of device memory, in units of 8 bytes.
  put<std::uint32_t>(image, kEntry, (descriptor.code_base - Store::kBase) / 8);
  put<std::uint64_t>(image, kParameters, descriptor.parameters);
  put<std::uint32_t>(image, kGrid, descriptor.grid.x);
  put<std::uint16_t>(image, kGrid + 4, descriptor.grid.y);
  put<std::uint16_t>(image, kGrid + 6, descriptor.grid.z);
  put<std::uint16_t>(image, kBlock, descriptor.block.x);
  put<std::uint16_t>(image, kBlock + 2, descriptor.block.y);
  put<std::uint16_t>(image, kBlock + 4, descriptor.block.z);
  put<std::uint16_t>(image, kRegisters, descriptor.registers);
  put<std::uint32_t>(image, kShared, descriptor.shared_bytes);
  put<std::uint32_t>(image, kLocal, descriptor.local_bytes);
  put<std::uint32_t>(image, kStream, descriptor.stream);
  put<std::uint32_t>(image, kSerial, descriptor.serial);
  put<std::uint8_t>(image, kKid, descriptor.kid);
  if (descriptor.group) put<std::uint32_t>(image, kGroupLeft, descriptor.grid.count());
  if (descriptor.by_device) {
    put<std::uint32_t>(image, kFlags,
                       kByDevice | std::min<std::uint32_t>(descriptor.level, kMostLevel) << kLevelShift |
                           std::uint32_t{descriptor.parent_sm} << kParentShift | kParentKnown);
  }
  return image;
}

LaunchDescriptor decode_launch(const std::byte* image) {
  LaunchDescriptor descriptor;
  descriptor.code_base = Store::kBase + std::uint64_t{take<std::uint32_t>(image, kEntry)} * 8;
  descriptor.parameters = take<std::uint64_t>(image, kParameters);
  descriptor.grid = {take<std::uint32_t>(image, kGrid), take<std::uint16_t>(image, kGrid + 4),
                     take<std::uint16_t>(image, kGrid + 6)};
  descriptor.block = {take<std::uint16_t>(image, kBlock), take<std::uint16_t>(image, kBlock + 2),
                      take<std::uint16_t>(image, kBlock + 4)};
  descriptor.registers = take<std::uint16_t>(image, kRegisters);
  descriptor.shared_bytes = take<std::uint32_t>(image, kShared);
  descriptor.local_bytes = take<std::uint32_t>(image, kLocal);
  descriptor.stream = take<std::uint32_t>(image, kStream);
  descriptor.serial = take<std::uint32_t>(image, kSerial);
  descriptor.by_device = (take<std::uint32_t>(image, kFlags) & kByDevice) != 0;
  if (!descriptor.by_device) descriptor.kid = take<std::uint8_t>(image, kKid);
  return descriptor;
}

PacketImage encode(const JobPacket& job) {
  PacketImage image{};
  const auto count = std::min<std::uint32_t>(static_cast<std::uint32_t>(job.list.size()), kJobMostCount);
  put<std::uint32_t>(image, 0,
                     kJobHeader | std::uint32_t{job.subtype} << kJobSubtypeShift | count << kJobCountShift |
                         (job.append ? kJobAppend : 0) | (job.best_effort ? kJobBestEffort : 0));
  put<std::uint32_t>(image, kJobId, job.id);
  put<std::uint32_t>(image, kJobDeadline, job.deadline);
  put<std::uint16_t>(image, kJobKernels, job.kernels);
  put<std::uint64_t>(image, kJobStart, job.start & kJobStartMask);
  for (std::size_t i = 0; i < std::min<std::size_t>(job.list.size(), JobPacket::kElements); ++i) {
    const JobElement& element = job.list[i];
    put<std::uint32_t>(image, kJobList + 4 * i, std::uint32_t{element.kid} << kJobKidShift | (element.tbs & kJobTbs));
  }
  put<std::uint64_t>(image, kJobSignal, job.signal);
  return image;
}

JobPacket decode_job(const std::byte* image) {
  JobPacket job;
  const auto first = take<std::uint32_t>(image, 0);
  job.subtype = static_cast<std::uint8_t>(first >> kJobSubtypeShift);
  job.append = (first & kJobAppend) != 0;
  job.best_effort = (first & kJobBestEffort) != 0;
  job.id = take<std::uint32_t>(image, kJobId);
  job.deadline = take<std::uint32_t>(image, kJobDeadline);
  job.kernels = take<std::uint16_t>(image, kJobKernels);
  job.start = take<std::uint64_t>(image, kJobStart) & kJobStartMask;
  job.list.resize(first >> kJobCountShift & kJobMostCount);
  for (std::size_t i = 0; i < std::min<std::size_t>(job.list.size(), JobPacket::kElements); ++i) {
    const auto element = take<std::uint32_t>(image, kJobList + 4 * i);
    job.list[i] = {static_cast<std::uint8_t>(element >> kJobKidShift), element & kJobTbs};
  }
  job.signal = take<std::uint64_t>(image, kJobSignal);
  return job;
}

PacketImage encode(const Packet& packet) {
  if (const auto* const job = std::get_if<JobPacket>(&packet)) return encode(*job);
  if (const auto* const copy = std::get_if<CopyPacket>(&packet)) {
    const bool host_source = copy->source.index() == 1, host_destination = copy->destination.index() == 1;
    const std::uint64_t source =
        host_source ? reinterpret_cast<std::uint64_t>(std::get<1>(copy->source)) : std::get<0>(copy->source);
    const std::uint64_t destination = host_destination ? reinterpret_cast<std::uint64_t>(std::get<1>(copy->destination))
                                                       : std::get<0>(copy->destination);
    return packet_image(PacketKind::kCopy, (host_source ? kHostSource : 0) | (host_destination ? kHostDestination : 0),
                        {source, destination, copy->width, copy->rows, copy->source_pitch, copy->destination_pitch});
  }
  if (const auto* const fill = std::get_if<FillPacket>(&packet)) {
    return packet_image(PacketKind::kFill, fill->pattern_bytes,
                        {fill->address, fill->width, fill->rows, fill->pitch, fill->pattern});
  }
  if (const auto* const record = std::get_if<EventRecordPacket>(&packet)) {
    return packet_image(PacketKind::kEventRecord, 0, {record->event, record->count});
  }
  if (const auto* const wait = std::get_if<EventWaitPacket>(&packet)) {
    return packet_image(PacketKind::kEventWait, 0, {wait->event, wait->count});
  }
  return packet_image(PacketKind::kHostCall, 0, {});
}

Packet decode_packet(const std::byte* image) {
  const auto small = take<std::uint32_t>(image, kSmall);
  switch (static_cast<PacketKind>(take<std::uint32_t>(image, kFlags) >> kKindShift)) {
    case PacketKind::kCopy: {
      CopyPacket copy;
      if ((small & kHostSource) != 0) {
        copy.source = reinterpret_cast<const std::byte*>(word(image, 0));
      } else {
        copy.source = word(image, 0);
      }
      if ((small & kHostDestination) != 0) {
        copy.destination = reinterpret_cast<std::byte*>(word(image, 1));
      } else {
        copy.destination = word(image, 1);
      }
      copy.width = word(image, 2);
      copy.rows = word(image, 3);
      copy.source_pitch = word(image, 4);
      copy.destination_pitch = word(image, 5);
      return copy;
    }
    case PacketKind::kFill: {
      FillPacket fill;
      fill.address = word(image, 0);
      fill.width = word(image, 1);
      fill.rows = word(image, 2);
      fill.pitch = word(image, 3);
      fill.pattern = static_cast<std::uint32_t>(word(image, 4));
      fill.pattern_bytes = small;
      return fill;
    }
    case PacketKind::kEventRecord:
      return EventRecordPacket{word(image, 0), word(image, 1)};
    case PacketKind::kEventWait:
      return EventWaitPacket{word(image, 0), word(image, 1)};
    case PacketKind::kHostCall:
      return HostCallPacket{};
    case PacketKind::kKernel:
    case PacketKind::kJob:
      break;
  }
  CASTOR_ASSERT(false, "a queue's packet in memory is none that was written there");
  return HostCallPacket{};
}

}  // namespace castor::gpu
