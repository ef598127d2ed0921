#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "castor/base/error.h"
#include "castor/base/rng.h"
#include "castor/twin/bits.h"
#include "castor/twin/ports.h"

/// Random values near the limits of a range, for fields that carry data: addresses, numbers of thread blocks, program
/// counters, identifiers, times, sizes.
///
/// A width fault shows only where an upper bit matters: a comparison of only 16 bits, a carry lost at bit 32, a table
/// that is full one entry too early. Random values below a small bound never reach the upper bits. Uniform random
/// values hardly ever differ in the upper bits alone. A sequence therefore draws such a field as follows:
///
///   push.param = edges.any(&Inputs::push_param, random_());    // any value of the port
///   need.warps = edges.between(0, 64, below(17));              // a value of a legal range
///   push.cnt = edges.size(1, most, 1 + below(volume));         // a size that costs cycles: few are large
///
/// The last argument is the plain value, which the sequence would have drawn without edges. Widths come from the port
/// list. The distribution is drawn for each episode (EdgeMode). Edges has its own random stream, so an additional field
/// does not change the rest of the stimulus.
namespace castor::tb {

/// Distribution of an episode's values over their range.
enum class EdgeMode : std::uint8_t {
  kPlain,  ///< the plain value of the sequence
  kWhole,  ///< uniform over the range
  kEnds,   ///< limits, powers of two and their neighbours, the middle bit, and runs of ones above a small number
  kTwins,  ///< mostly the previous value with different bits from bit 8, 15, 16, 24, 31, 32 or 48 upwards
  kMixed,  ///< a mode drawn for each value
};
inline constexpr unsigned kEdgeModes = 5;

/// Generator of values near the limits of a range; a sequence owns one.
class Edges {
 public:
  /// The seed selects the first mode; half of all episodes are plain.
  explicit Edges(std::uint64_t seed) : random_(seed ^ 0x6564'6765'73ULL) { draw(); }
  Edges(std::uint64_t seed, EdgeMode mode) : random_(seed ^ 0x6564'6765'73ULL) {
    draw();
    mode_ = mode;
  }

  /// Draws the mode of an episode, and the rate of sizes that are not plain.
  void draw() {
    mode_ = random_.below(2) == 0 ? EdgeMode::kPlain : static_cast<EdgeMode>(1 + random_.below(kEdgeModes - 1));
    static constexpr unsigned kRates[] = {64, 1024, 16384};
    size_rate_ = kRates[random_.below(std::size(kRates))];
    last_.fill(0);
  }
  [[nodiscard]] EdgeMode mode() const { return mode_; }

  /// Returns a value in least..most, or `plain` if the mode is kPlain.
  std::uint64_t between(std::uint64_t least, std::uint64_t most, std::uint64_t plain) {
    CASTOR_ASSERT(least <= most, "a range without values");
    EdgeMode mode = mode_;
    if (mode == EdgeMode::kMixed) mode = static_cast<EdgeMode>(random_.below(kEdgeModes - 1));
    if (mode == EdgeMode::kPlain) return plain;
    const unsigned bits = width(most);
    std::uint64_t& last = last_.at(std::min(bits, 64U));
    std::uint64_t value = mode == EdgeMode::kWhole  ? random_()
                          : mode == EdgeMode::kEnds ? end(least, most, bits)
                                                    : twin_of(last, bits);
    value &= twin::mask(bits);
    if (value < least || value > most) value = least + (most - least == ~0ULL ? value : value % (most - least + 1));
    last = value;
    return value;
  }
  /// Returns a value of `bits` bits.
  std::uint64_t bits(unsigned bits, std::uint64_t plain) { return between(0, twin::mask(bits), plain); }
  /// Returns a value in least..most for a field that costs cycles; nearly all values are plain. Half of the values that
  /// are not plain are a plain value with one additional upper bit; with `alone`, some of them are this bit alone. A
  /// twin that ignores this bit finishes too early.
  std::uint64_t size(std::uint64_t least, std::uint64_t most, std::uint64_t plain, bool alone = false) {
    if (mode_ == EdgeMode::kPlain || random_.below(65536) >= size_rate_) return plain;
    const unsigned bits = width(most);
    if (bits <= kBorders[0] || random_.below(2) == 0) return between(least, most, plain);
    const std::uint64_t high = with_bit(kBorders[0], bits, plain, alone);
    return high >= least && high <= most ? high : plain;
  }
  /// Returns `plain` with one additional bit in the upper half of `bits` bits, or this bit alone, in every mode. Such
  /// values find a twin that ignores one upper bit, even if few of them can be used in a run.
  std::uint64_t tall(unsigned bits, std::uint64_t plain) { return with_bit(bits / 2, bits, plain, true); }
  /// Returns the start value of a counter of `bits` bits. A plain episode starts at `plain`. Other episodes often start
  /// fewer than `steps` counts before the counter wraps or enters its upper half.
  std::uint64_t start(unsigned bits, std::uint64_t steps, std::uint64_t plain) {
    if (mode_ == EdgeMode::kPlain) return plain;
    const std::uint64_t before = 1 + random_.below(std::max<std::uint64_t>(steps, 1));
    switch (random_.below(3)) {
      case 0:
        return (0 - before) & twin::mask(bits);
      case 1:
        return ((std::uint64_t{1} << (bits - 1)) - before) & twin::mask(bits);
      default:
        return ((std::uint64_t{1} << (random_.below(2) == 0 ? random_.below(bits) : border(bits))) - before) &
               twin::mask(bits);
    }
  }

 private:
  static constexpr unsigned kBorders[] = {8, 15, 16, 24, 31, 32, 48};

  static unsigned width(std::uint64_t most) {
    unsigned bits = 0;
    while (bits < 64 && most >> bits != 0) ++bits;
    return bits;
  }
  /// Returns `plain` with one additional bit of least..bits-1; with `alone`, every fourth value has this bit alone.
  std::uint64_t with_bit(unsigned least, unsigned bits, std::uint64_t plain, bool alone) {
    CASTOR_ASSERT(least < bits, "a range without bits");
    const std::uint64_t bit = std::uint64_t{1} << (least + random_.below(bits - least));
    return alone && random_.below(4) == 0 ? bit : plain | bit;
  }
  /// Returns a value at a limit of the range, or a value with an upper bit and few lower bits.
  std::uint64_t end(std::uint64_t least, std::uint64_t most, unsigned bits) {
    const auto power = [&] { return std::uint64_t{1} << random_.below(std::max(bits, 1U)); };
    switch (random_.below(8)) {
      case 0:
        return least;
      case 1:
        return least + 1;
      case 2:
        return most;
      case 3:
        return most - 1;
      case 4:
        return power() + random_.below(3) - 1;
      case 5:
        return (std::uint64_t{1} << (bits / 2)) | random_.below(4);
      case 6:
        return ~(power() - 1) | random_.below(16);
      default:
        return power() | random_.below(16);
    }
  }
  /// Returns a random bit number from kBorders below `bits`, at which a width fault may truncate a value. Returns 0 if
  /// no border is below `bits`.
  unsigned border(unsigned bits) {
    const auto usable = static_cast<std::uint64_t>(
        std::count_if(std::begin(kBorders), std::end(kBorders), [bits](unsigned border) { return border < bits; }));
    return usable == 0 ? 0 : kBorders[random_.below(usable)];
  }
  /// Returns the previous value with different upper bits; sometimes a new small value or the previous value + 1.
  std::uint64_t twin_of(std::uint64_t last, unsigned bits) {
    const std::uint64_t how = random_.below(8);
    if (how == 0 || bits <= kBorders[0]) return random_.below(64);
    if (how == 1) return last + 1;
    if (how == 2) return last ^ std::uint64_t{1} << random_.below(bits);
    const unsigned from = border(bits);
    return how < 5 ? last ^ (std::uint64_t{1} << (from + random_.below(bits - from)))
                   : (last & twin::mask(from)) | (random_() & ~twin::mask(from));
  }

  base::Xoshiro256 random_;
  EdgeMode mode_ = EdgeMode::kPlain;
  unsigned size_rate_ = 0;                // rate of sizes that are not plain, in 1/65536
  std::array<std::uint64_t, 65> last_{};  // last drawn value, indexed by the number of bits of its range
};

/// Returns the shape of an input port, from the port list.
template <class Block, class Field>
[[nodiscard]] twin::Shape input_shape(const typename Block::Params& params, Field Block::Inputs::*port) {
  twin::Shape shape{0, 0};
  Block::each_input(
      [&](const twin::Port& listed, auto member, auto) {
        if constexpr (std::is_same_v<decltype(member), Field Block::Inputs::*>) {
          if (member == port) shape = listed.shape;
        }
      },
      params);
  return shape;
}

/// Generator of edge values for a block's input ports. The widths come from the port list at the given parameters.
template <class Block>
class PortEdges : public Edges {
 public:
  using Inputs = typename Block::Inputs;

  PortEdges(const typename Block::Params& params, std::uint64_t seed) : Edges(seed), params_(params) {}
  PortEdges(const typename Block::Params& params, std::uint64_t seed, EdgeMode mode)
      : Edges(seed, mode), params_(params) {}

  /// Returns a value for one element of the port. In a plain episode, returns `plain` truncated to the port's width.
  template <class Field>
  std::uint64_t any(Field Inputs::*port, std::uint64_t plain) {
    static_assert(std::is_integral_v<Field>, "a port of up to 64 bits");
    const unsigned width = input_shape<Block>(params_, port).bits;
    return bits(width, plain & twin::mask(width));
  }
  /// Returns a value for a wide port, drawn word by word.
  template <unsigned kSize>
  twin::Bits<kSize> any(twin::Bits<kSize> Inputs::*port, twin::Bits<kSize> plain) {
    const unsigned width = input_shape<Block>(params_, port).width();
    for (unsigned word = 0; word * 64 < width; ++word) {
      const unsigned here = std::min(64U, width - word * 64);
      plain.set_word(word, bits(here, plain.word(word) & twin::mask(here)));
    }
    return plain;
  }

 private:
  typename Block::Params params_;
};

}  // namespace castor::tb
