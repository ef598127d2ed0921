#pragma once

#include <cstdint>

#include "castor/gpu/machine.h"

namespace castor::gpu {

/// What hashes add to the number of a channel, set or bank: the number of its round of all of them, folded.
[[nodiscard]] inline std::uint64_t folded(std::uint64_t q) { return q ^ q / 16 ^ q / 256; }

/// The slice, channel, bank and row of each device address (docs/gpu/memory.md, "DRAM channel"). One to one:
/// every (channel, address inside it) is exactly one device address.
class AddressMap {
 public:
  /// A place in the DRAM of one channel.
  struct DramPlace {
    unsigned bank = 0;
    unsigned group = 0;  ///< bank group
    std::uint64_t row = 0;
    unsigned column = 0;  ///< byte inside the row
  };

  /// `machine` is checked: slices are a multiple of channels, sizes are not 0.
  explicit AddressMap(const Machine& machine);

  [[nodiscard]] unsigned channels() const { return channels_; }
  [[nodiscard]] unsigned slices() const { return channels_ * slices_per_channel_; }
  [[nodiscard]] unsigned slices_per_channel() const { return slices_per_channel_; }

  [[nodiscard]] unsigned channel(std::uint64_t address) const;
  /// Number of the slice, 0 .. slices() - 1; slice k belongs to channel k / slices_per_channel().
  [[nodiscard]] unsigned slice(std::uint64_t address) const;
  /// Address inside the channel.
  [[nodiscard]] std::uint64_t channel_address(std::uint64_t address) const {
    return address / kStripe / channels_ * kStripe + address % kStripe;
  }
  /// Number of the line inside its slice.
  [[nodiscard]] std::uint64_t line_in_slice(std::uint64_t address) const;
  /// Set of the line inside its slice.
  [[nodiscard]] unsigned set(std::uint64_t address) const {
    std::uint64_t line = line_in_slice(address);
    if (hash_sets_) line += folded(line / sets_);
    return static_cast<unsigned>((sets_ & (sets_ - 1)) == 0 ? line & (sets_ - 1) : line % sets_);
  }
  /// Place of a channel address.
  [[nodiscard]] DramPlace dram(std::uint64_t channel_address) const;
  /// Channel address of a place.
  [[nodiscard]] std::uint64_t dram_address(const DramPlace& place) const;
  /// Device address of a channel address: the inverse of `channel` and `channel_address`.
  [[nodiscard]] std::uint64_t address(unsigned channel, std::uint64_t channel_address) const;

 private:
  static constexpr std::uint64_t kStripe = 256;  ///< bytes; the same on all machines

  /// What the hash adds to the channel of stripe row q, modulo the number of channels.
  [[nodiscard]] std::uint64_t rotation(std::uint64_t q) const { return hash_ ? folded(q) : 0; }

  unsigned channels_, slices_per_channel_;
  unsigned line_shift_, sets_;
  unsigned row_bytes_, banks_, groups_;
  bool hash_, hash_sets_, hash_banks_;
};

}  // namespace castor::gpu
