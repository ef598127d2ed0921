#include "castor/gpu/sm/l1_lines.h"

#include <algorithm>
#include <cstring>

namespace castor::gpu {

void copy_bytes(std::byte* to, const std::byte* from, const ByteMask& bytes) {
  for (unsigned half = 0; half < 2; ++half) {
    std::uint64_t left = bytes.word[half];
    if (left == ~std::uint64_t{0}) {
      std::memcpy(to + 64 * half, from + 64 * half, 64);
      continue;
    }
    while (left != 0) {
      const auto at = static_cast<unsigned>(__builtin_ctzll(left));
      const std::uint64_t rest = ~(left >> at);
      const unsigned count = rest == 0 ? 64 - at : static_cast<unsigned>(__builtin_ctzll(rest));
      std::memcpy(to + 64 * half + at, from + 64 * half + at, count);
      left &= at + count >= 64 ? 0 : ~std::uint64_t{0} << (at + count);
    }
  }
}

void L1Lines::close_entries(std::uint64_t line) {
  for (std::uint32_t entry = mshrs_.find(line); entry != MshrFile::kNone;) {
    const std::uint32_t next = mshrs_.older(entry);
    --cache_.at(mshrs_.at(entry).slot).claims;
    mshrs_.close(entry);
    entry = next;
  }
}

void L1Lines::write_back(std::uint32_t slot, PacketSender& sender) const {
  const L1Cache::Line& line = cache_.at(slot);
  Transaction& request = sender.packet(RequestKind::kStore, Client::kLsu, line.owner);
  std::memcpy(request.request.data, cache_.data(slot), line_bytes_);
  sender.send_store(request, line.address, line.dirty, PacketSender::Listener::kNobody);
}

void L1Lines::install(MshrFile::Entry& entry, const Transaction& reply) {
  L1Cache::Line& line = cache_.at(entry.slot);
  const ByteMask added = ByteMask::of_sectors(entry.sectors).without(line.valid);
  line.stamp = line.valid.none() ? reply.request.performed : std::min(line.stamp, reply.request.performed);
  copy_bytes(cache_.data(entry.slot), reply.request.data, added);
  line.valid.add(added);
  --line.claims;
}

void L1Lines::flush_for(Cycle acquire) {
  if (acquire <= flushed_for_) return;
  flushed_for_ = acquire;
  for (std::uint32_t slot = 0; slot < cache_.slots(); ++slot)
    if (cache_.at(slot).present && cache_.at(slot).owner == L1Cache::kNobody) drop(slot);
}

void L1Lines::drop_owned(unsigned context) {
  for (std::uint32_t slot = 0; cache_.owned(context) != 0 && slot < cache_.slots(); ++slot)
    if (cache_.at(slot).present && cache_.at(slot).owner == context) drop(slot);
}

void L1Lines::drop_range(std::uint64_t base, std::uint64_t bytes) {
  for (std::uint32_t slot = 0; slot < cache_.slots(); ++slot)
    if (cache_.at(slot).present && cache_.at(slot).address - base < bytes) drop(slot);
}

void L1Lines::drop(std::uint32_t slot) {
  if (cache_.at(slot).claims != 0) close_entries(cache_.at(slot).address);
  cache_.release(slot);
}

}  // namespace castor::gpu
