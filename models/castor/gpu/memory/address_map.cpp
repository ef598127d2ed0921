#include "castor/gpu/memory/address_map.h"

namespace castor::gpu {
namespace {

/// Returns the stripe number of an address. Device addresses have at most 40 bits, so the number fits in 32 bits and
/// divisions are cheap.
std::uint32_t stripe(std::uint64_t address) { return static_cast<std::uint32_t>(address / 256); }

}  // namespace

AddressMap::AddressMap(const Machine& machine)
    : channels_(machine.dram.channels),
      slices_per_channel_(machine.l2.slices / machine.dram.channels),
      line_shift_(static_cast<unsigned>(__builtin_ctz(machine.l2.line))),  // a power of two
      sets_(machine.l2.sets),
      row_bytes_(machine.dram.row_bytes),
      banks_(machine.dram.banks),
      groups_(machine.dram.groups),
      hash_(machine.map.hash == AddressHash::kXor),
      hash_sets_(machine.l2.set_hash == AddressHash::kXor),
      hash_banks_(machine.map.bank_hash == AddressHash::kXor) {}

unsigned AddressMap::channel(std::uint64_t address) const {
  const std::uint32_t number = stripe(address);
  if (!hash_) return number % channels_;
  return static_cast<unsigned>((number + rotation(number / channels_)) % channels_);
}

unsigned AddressMap::slice(std::uint64_t address) const {
  const std::uint32_t number = stripe(address);
  const std::uint32_t q = number / channels_;
  const std::uint32_t turned =
      hash_ ? static_cast<std::uint32_t>((number + rotation(q)) % channels_) : number % channels_;
  return turned * slices_per_channel_ + q % slices_per_channel_;
}

std::uint64_t AddressMap::line_in_slice(std::uint64_t address) const {
  const std::uint64_t q = stripe(address) / (channels_ * slices_per_channel_);
  return (q * kStripe + address % kStripe) >> line_shift_;
}

AddressMap::DramPlace AddressMap::dram(std::uint64_t channel_address) const {
  const std::uint64_t row = channel_address / row_bytes_;
  DramPlace place;
  place.column = static_cast<unsigned>(channel_address % row_bytes_);
  place.row = row / banks_;
  place.bank = static_cast<unsigned>((hash_banks_ ? row + folded(place.row) : row) % banks_);
  place.group = place.bank % groups_;
  return place;
}

std::uint64_t AddressMap::dram_address(const DramPlace& place) const {
  const std::uint64_t turned = hash_banks_ ? folded(place.row) % banks_ : 0;
  return (place.row * banks_ + (place.bank + banks_ - turned) % banks_) * row_bytes_ + place.column;
}

std::uint64_t AddressMap::address(unsigned channel, std::uint64_t channel_address) const {
  const std::uint64_t q = channel_address / kStripe;
  // Inverse of channel = (r + rotation) mod channels: r = (channel - rotation) mod channels.
  const std::uint64_t turned = rotation(q) % channels_;
  const std::uint64_t r = (channel + channels_ - turned) % channels_;
  return (q * channels_ + r) * kStripe + channel_address % kStripe;
}

}  // namespace castor::gpu
