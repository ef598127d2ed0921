#pragma once

#include <string_view>
#include <systemc>
#include <type_traits>

#include "castor/twin/block.h"

/// SystemC pins of a block, made from its lists of ports:
///
///     struct Pins { ARBITER_INPUTS(CASTOR_INPUT_PIN) ARBITER_OUTPUTS(CASTOR_OUTPUT_PIN) };
///
/// A port that is one bit at all values of the parameters (1, 1 in the list) is a pin of bool. Another integer or
/// enumeration is a pin of the field's integer type. Bits<N> is a pin of sc_bv<N>. Lanes are an sc_vector of pins, one
/// per element of the parameter set.
namespace castor::twin {

/// Returns whether a port is one bit at all values of the parameters. Elements and bits are given as the text of the
/// port's list.
[[nodiscard]] constexpr bool is_one_bit(std::string_view elements, std::string_view bits) {
  return elements == "1" && bits == "1";
}

namespace detail {

template <class T, bool OneBit>
constexpr auto pin_type() {
  if constexpr (OneBit && !is_bits<T>) {
    return std::common_type<bool>{};
  } else if constexpr (is_bits<T>) {
    return std::common_type<sc_dt::sc_bv<static_cast<int>(T::kBits)>>{};
  } else if constexpr (std::is_enum_v<T>) {
    return std::common_type<std::underlying_type_t<T>>{};
  } else {
    return std::common_type<T>{};
  }
}

template <class T, bool OneBit, template <class> class Port>
constexpr auto pin() {
  if constexpr (is_lanes<T>) {
    return std::common_type<
        sc_core::sc_vector<Port<typename decltype(pin_type<typename T::Element, false>())::type>>>{};
  } else {
    return std::common_type<Port<typename decltype(pin_type<T, OneBit>())::type>>{};
  }
}

template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<sc_core::sc_vector<T>> = true;

}  // namespace detail

/// Type of the signal that connects two pins of a field's type.
template <class T, bool OneBit>
using PinType = typename decltype(detail::pin_type<T, OneBit>())::type;
template <class T, bool OneBit>
using InputPin = typename decltype(detail::pin<T, OneBit, sc_core::sc_in>())::type;
template <class T, bool OneBit>
using OutputPin = typename decltype(detail::pin<T, OneBit, sc_core::sc_out>())::type;

/// Copy the value of a pin to a field (read_pin) and of a field to a pin (write_pin).
template <class T, class Pin>
void read_pin(const Pin& pin, T& field) {
  if constexpr (is_lanes<T>) {
    for (unsigned i = 0; i < pin.size(); ++i) read_pin(pin[i], field[i]);
  } else if constexpr (is_bits<T>) {
    const auto& bits = pin.read();
    for (unsigned w = 0; w < T::kWords; ++w) {
      const U64 high = 2 * static_cast<int>(w) + 1 < bits.size() ? U64{bits.get_word(2 * static_cast<int>(w) + 1)} : 0;
      field.set_word(w, high << 32U | bits.get_word(2 * static_cast<int>(w)));
    }
  } else {
    field = static_cast<T>(pin.read());
  }
}

template <class T, class Pin>
void write_pin(Pin& pin, const T& field) {
  if constexpr (is_lanes<T>) {
    for (unsigned i = 0; i < pin.size(); ++i) write_pin(pin[i], field[i]);
  } else if constexpr (is_bits<T>) {
    PinType<T, false> bits;
    for (int w = 0; w < bits.size(); ++w) {
      bits.set_word(w, static_cast<sc_dt::sc_digit>(field.word(static_cast<unsigned>(w) / 2) >> (w % 2 * 32)));
    }
    pin.write(bits);
  } else {
    pin.write(static_cast<std::decay_t<decltype(pin.read())>>(field));
  }
}

/// Binds the pins of a module to the members of the same names in `signals`, which the macros below make. Pins whose
/// names begin with `except` are left out (registers.h binds "reg_" itself).
template <class Block, class ModuleT, class Signals>
void bind_pins(ModuleT& module, Signals& signals, std::string_view except = {}) {
  const auto bind = [&](const Port& port, auto, auto pin) {
    if (except.empty() || port.name.substr(0, except.size()) != except) pin(module)(pin(signals));
  };
  Block::each_input(bind, module.params());
  Block::each_output(bind, module.params());
}

}  // namespace castor::twin

// NOLINTBEGIN(bugprone-macro-parentheses)
#define CASTOR_INPUT_PIN(name_, type_, elements_, bits_, ...) \
  ::castor::twin::InputPin<type_, ::castor::twin::is_one_bit(#elements_, #bits_)> name_##_i{#name_ "_i"};
#define CASTOR_OUTPUT_PIN(name_, type_, elements_, bits_, ...) \
  ::castor::twin::OutputPin<type_, ::castor::twin::is_one_bit(#elements_, #bits_)> name_##_o{#name_ "_o"};
/// Signals for the pins of a block without lanes: `struct Signals { ARBITER_INPUTS(CASTOR_INPUT_SIGNAL) ... };`
#define CASTOR_INPUT_SIGNAL(name_, type_, elements_, bits_, ...)                                                  \
  ::sc_core::sc_signal<::castor::twin::PinType<type_, ::castor::twin::is_one_bit(#elements_, #bits_)>> name_##_i{ \
      #name_ "_i"};
#define CASTOR_OUTPUT_SIGNAL(name_, type_, elements_, bits_, ...)                                                 \
  ::sc_core::sc_signal<::castor::twin::PinType<type_, ::castor::twin::is_one_bit(#elements_, #bits_)>> name_##_o{ \
      #name_ "_o"};
// NOLINTEND(bugprone-macro-parentheses)
