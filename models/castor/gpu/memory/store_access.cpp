#include "castor/gpu/memory/store_access.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "castor/base/error.h"
#include "castor/isa/memory_access.h"

namespace castor::gpu {
namespace {

constexpr std::uint32_t kWholeSector = 0xffffffff;

/// Returns the mask of bytes of one sector that a store writes, bit 0 = lowest address.
std::uint32_t sector_bytes(const MemoryRequest& request, unsigned sector) {
  return static_cast<std::uint32_t>(request.byte_mask[sector / 2] >> sector % 2 * 32);
}

void copy_sectors(std::byte* to, const std::byte* from, unsigned sectors) {
  // Sectors are copied in runs, since whole lines are the common case.
  while (sectors != 0) {
    const unsigned first = static_cast<unsigned>(__builtin_ctz(sectors));
    const unsigned count = static_cast<unsigned>(__builtin_ctz(~(sectors >> first)));
    std::memcpy(to + first * kSectorBytes, from + first * kSectorBytes, std::size_t{count} * kSectorBytes);
    sectors &= ~(((1U << count) - 1) << first);
  }
}

void write_masked(std::byte* to, const MemoryRequest& request) {
  for (unsigned sector = 0; sector < kMaxLineBytes / kSectorBytes; ++sector) {
    std::uint32_t mask = sector_bytes(request, sector);
    const std::size_t base = std::size_t{sector} * kSectorBytes;
    if (mask == kWholeSector) {
      std::memcpy(to + base, request.data + base, kSectorBytes);
      continue;
    }
    for (; mask != 0; mask &= mask - 1) {
      const std::size_t at = base + static_cast<unsigned>(__builtin_ctz(mask));
      to[at] = request.data[at];
    }
  }
}

}  // namespace

void perform(const Store& store, std::uint64_t line, MemoryRequest& request) {
  std::byte* const bytes = store.host(line);
  switch (request.kind) {
    case RequestKind::kLoad:
    case RequestKind::kFetch:
      copy_sectors(request.data, bytes, request.sectors);
      break;
    case RequestKind::kStore:
      write_masked(bytes, request);
      break;
    case RequestKind::kAtomic:
    case RequestKind::kReduction:
    case RequestKind::kPosted:
      for (unsigned i = 0; i < request.lane_count; ++i) {
        LaneOperand& lane = request.lanes[i];
        lane.value = isa::perform_atomic(request.op, request.type, lane.value, lane.compare, bytes + lane.offset);
      }
      break;
  }
}

std::uint8_t whole_sectors(const MemoryRequest& store) {
  unsigned whole = 0;
  for (unsigned sector = 0; sector < kMaxLineBytes / kSectorBytes; ++sector) {
    whole |= static_cast<unsigned>(sector_bytes(store, sector) == kWholeSector) << sector;
  }
  return static_cast<std::uint8_t>(whole);
}

std::uint8_t partial_sectors(const MemoryRequest& store) {
  unsigned partial = 0;
  for (unsigned sector = 0; sector < kMaxLineBytes / kSectorBytes; ++sector) {
    const std::uint32_t mask = sector_bytes(store, sector);
    partial |= static_cast<unsigned>(mask != 0 && mask != kWholeSector) << sector;
  }
  return static_cast<std::uint8_t>(partial);
}

unsigned atomic_cycles(const MemoryRequest& atomic, unsigned words_per_cycle, unsigned word_cycles) {
  std::array<std::uint8_t, kMaxLineBytes / 4> lanes{};
  unsigned most = 1;
  for (unsigned i = 0; i < atomic.lane_count; ++i) {
    const unsigned on_word = ++lanes[atomic.lanes[i].offset / 4];
    most = std::max(most, on_word);
  }
  return std::max(most * word_cycles, (atomic.lane_count + words_per_cycle - 1) / words_per_cycle);
}

unsigned debug_access(const Store& store, tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  const unsigned length = payload.get_data_length();
  if (address < Store::kBase || address - Store::kBase > store.capacity() ||
      length > store.capacity() - (address - Store::kBase)) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return 0;
  }
  if (payload.is_read()) {
    std::memcpy(payload.get_data_ptr(), store.host(address), length);
  } else if (payload.is_write()) {
    std::memcpy(store.host(address), payload.get_data_ptr(), length);
  } else {
    return 0;
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  return length;
}

}  // namespace castor::gpu
