// Conversions between pairs of 8-bit floating-point values and f32 or f16x2 (PTX ISA, "cvt"). Format e4m3 has no
// infinity and one NaN magnitude, 0x7f. Format e5m2 is the upper half of an f16.

#include "castor/isa/half_float.h"
#include "castor/isa/lanes.h"

namespace castor::isa {
namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;

struct E4m3 {
  static constexpr u32 kFraction = 3;    ///< number of fraction bits
  static constexpr u32 kBias = 7;        ///< exponent bias
  static constexpr u32 kLargest = 0x7e;  ///< bits of the largest finite magnitude, 448
};
struct E5m2 {
  static constexpr u32 kFraction = 2;
  static constexpr u32 kBias = 15;
  static constexpr u32 kLargest = 0x7b;  ///< bits of the largest finite magnitude, 57344
};

/// Returns the nearest value, ties to even; larger magnitudes become the largest finite one. NaN becomes 0x7f.
template <class Format>
u32 fp8_bits(float value) {
  const u32 bits = detail::bits_of(value);
  const u32 magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return 0x7f;
  const u32 exponent = magnitude >> 23;
  constexpr u32 kLeastNormal = 128 - Format::kBias;
  u32 from = magnitude - ((127 - Format::kBias) << 23);
  u32 shift = 23 - Format::kFraction;
  if (exponent < kLeastNormal) {
    from = (magnitude & 0x7fffffu) | 0x800000u;
    shift += kLeastNormal - exponent;
    if (shift > 25) shift = 25;  // below half of the smallest representable step
  }
  u32 result = from >> shift;
  const u32 rest = from & ((1u << shift) - 1);
  const u32 half = 1u << (shift - 1);
  if (rest > half || (rest == half && (result & 1) != 0)) ++result;
  if (result > Format::kLargest) result = Format::kLargest;
  return (bits >> 24 & 0x80u) | result;
}

/// Returns the exact value as float.
template <class Format>
float fp8_value(u32 bits) {
  const u32 sign = (bits & 0x80u) << 24;
  const u32 magnitude = bits & 0x7fu;
  const u32 exponent = magnitude >> Format::kFraction;
  if (magnitude > Format::kLargest)
    return detail::float_of(Format::kBias == 15 && magnitude == 0x7cu ? sign | 0x7f800000u : 0x7fffffffu);
  if (exponent != 0)
    return detail::float_of(sign | ((magnitude << (23 - Format::kFraction)) + ((127 - Format::kBias) << 23)));
  const float step = detail::float_of((128 - Format::kBias - Format::kFraction) << 23);
  const float value = static_cast<float>(magnitude) * step;
  return sign != 0 ? -value : value;
}

/// Replaces a negative value by 0 (`.relu`).
template <bool Relu>
float at_least_zero(float value) {
  return Relu && value <= 0 ? 0.0f : value;
}

/// Packs two floats; the first source becomes the upper element.
template <class Format, bool Relu>
void pack_fp8(const Record&, LaneArgs& args) {
  map<u32, float, float>(args, [](float a, float b) {
    return fp8_bits<Format>(at_least_zero<Relu>(a)) << 8 | fp8_bits<Format>(at_least_zero<Relu>(b));
  });
}
template <class Format, bool Relu>
void halves_to_fp8(const Record&, LaneArgs& args) {
  map<u32, u32>(args, [](u32 pair) {
    const float high = half_value(static_cast<u16>(pair >> 16));
    const float low = half_value(static_cast<u16>(pair));
    return fp8_bits<Format>(at_least_zero<Relu>(high)) << 8 | fp8_bits<Format>(at_least_zero<Relu>(low));
  });
}
template <class Format, bool Relu>
void fp8_to_halves(const Record&, LaneArgs& args) {
  map<u32, u32>(args, [](u32 pair) {
    const float high = at_least_zero<Relu>(fp8_value<Format>(pair >> 8 & 0xffu));
    const float low = at_least_zero<Relu>(fp8_value<Format>(pair & 0xffu));
    return u32{half_bits(high)} << 16 | half_bits(low);
  });
}

/// Selects one of four handlers, by format and `.relu`.
template <LaneFn E4, LaneFn E4Relu, LaneFn E5, LaneFn E5Relu>
LaneFn pick(const Match& match) {
  if (match["f"] == "e4m3x2") return match.has("relu") ? E4Relu : E4;
  return match.has("relu") ? E5Relu : E5;
}

}  // namespace
}  // namespace castor::isa

CASTOR_INSTRUCTIONS(fp8) {
  using namespace castor::isa;  // NOLINT(google-build-using-namespace): the body of one function
  table.add_pure({"cvt.rn.satfinite.[relu].{f:e4m3x2|e5m2x2}.f32", "=d:b16, a:f32, b:f32", TimingClass::kConvert,
                  Kind::kLane,
                  pick<pack_fp8<E4m3, false>, pack_fp8<E4m3, true>, pack_fp8<E5m2, false>, pack_fp8<E5m2, true>>,
                  nullptr, "two floats to a pair of 8-bit floats, a in the upper byte"});
  table.add_pure({"cvt.rn.satfinite.[relu].{f:e4m3x2|e5m2x2}.f16x2", "=d:b16, a:f16x2", TimingClass::kConvert,
                  Kind::kLane,
                  pick<halves_to_fp8<E4m3, false>, halves_to_fp8<E4m3, true>, halves_to_fp8<E5m2, false>,
                       halves_to_fp8<E5m2, true>>,
                  nullptr, "a pair of halves to a pair of 8-bit floats"});
  table.add_pure({"cvt.rn.[relu].f16x2.{f:e4m3x2|e5m2x2}", "=d:f16x2, a:b16", TimingClass::kConvert, Kind::kLane,
                  pick<fp8_to_halves<E4m3, false>, fp8_to_halves<E4m3, true>, fp8_to_halves<E5m2, false>,
                       fp8_to_halves<E5m2, true>>,
                  nullptr, "a pair of 8-bit floats to a pair of halves, exact"});
}
