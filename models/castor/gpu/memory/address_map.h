#pragma once

#include <cstdint>

#include "castor/gpu/machine.h"

namespace castor::gpu {

/// Returns the value that a hash adds to the number of a channel, set or bank. `q` counts complete rounds over all
/// channels, sets or banks; its bits are folded.
[[nodiscard]] inline std::uint64_t folded(std::uint64_t q) { return q ^ q / 16 ^ q / 256; }

/// Maps each device address to its L2 slice, DRAM channel, bank and row (docs/gpu/memory.md, "DRAM channel"). The
/// mapping is one to one: each (channel, channel address) is exactly one device address.
class AddressMap {
 public:
  /// Location of a byte in the DRAM of one channel.
  struct DramPlace {
    unsigned bank = 0;
    unsigned group = 0;  ///< bank group
    std::uint64_t row = 0;
    unsigned column = 0;  ///< byte inside the row
  };

  /// `machine` must have been checked: slices are a multiple of channels, sizes are not 0.
  explicit AddressMap(const Machine& machine);

  [[nodiscard]] unsigned channels() const { return channels_; }
  [[nodiscard]] unsigned slices() const { return channels_ * slices_per_channel_; }
  [[nodiscard]] unsigned slices_per_channel() const { return slices_per_channel_; }

  [[nodiscard]] unsigned channel(std::uint64_t address) const;
  /// Returns the slice number, 0 .. slices() - 1. Slice k belongs to channel k / slices_per_channel().
  [[nodiscard]] unsigned slice(std::uint64_t address) const;
  /// Returns the address inside the channel.
  [[nodiscard]] std::uint64_t channel_address(std::uint64_t address) const {
    return address / kStripe / channels_ * kStripe + address % kStripe;
  }
  /// Returns the number of the line inside its slice.
  [[nodiscard]] std::uint64_t line_in_slice(std::uint64_t address) const;
  /// Returns the cache set of the line inside its slice.
  [[nodiscard]] unsigned set(std::uint64_t address) const {
    std::uint64_t line = line_in_slice(address);
    if (hash_sets_) line += folded(line / sets_);
    return static_cast<unsigned>((sets_ & (sets_ - 1)) == 0 ? line & (sets_ - 1) : line % sets_);
  }
  /// Returns the DRAM location of a channel address.
  [[nodiscard]] DramPlace dram(std::uint64_t channel_address) const;
  /// Returns the channel address of a DRAM location; the inverse of `dram`.
  [[nodiscard]] std::uint64_t dram_address(const DramPlace& place) const;
  /// Returns the device address of a channel address; the inverse of `channel` and `channel_address`.
  [[nodiscard]] std::uint64_t address(unsigned channel, std::uint64_t channel_address) const;

 private:
  /// Bytes of consecutive addresses in one channel; the same on all machines.
  static constexpr std::uint64_t kStripe = 256;

  /// Returns the value that the hash adds to the channel number of stripe row q, modulo the number of channels.
  [[nodiscard]] std::uint64_t rotation(std::uint64_t q) const { return hash_ ? folded(q) : 0; }

  unsigned channels_, slices_per_channel_;
  unsigned line_shift_, sets_;
  unsigned row_bytes_, banks_, groups_;
  bool hash_, hash_sets_, hash_banks_;
};

}  // namespace castor::gpu
