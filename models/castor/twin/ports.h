#pragma once

#include <cstdint>
#include <string_view>

#include "castor/twin/bits.h"
#include "castor/twin/lanes.h"

/// The only description of a block's ports, and the structs and functions made from it.
///
/// A block writes three lists in its ports.h: inputs, outputs and probes, one line per port:
///
///     #define ARBITER_INPUTS(X)
///       /* name     type  elements  bits        class   timing   meaning */
///       X(request,  U64,  1,        p.NumPorts, kLevel, kSettle, "requesting ports")
///
/// - name: the SystemVerilog port without `_i`/`_o`, also the field and the pin;
/// - type: U8, U16, U32, U64 (also for one bit), an enumeration over one of them, Bits<N>, or an alias of Lanes<T, N>;
/// - elements, bits: shape in this parameter set, `p` being the block's Params; the port is elements x bits wide;
/// - class: see Class; timing: see Timing; meaning: a few words for tables, waves and errors.
///
/// CASTOR_PORT_LISTS makes the structs and the visitors from the lists. The visitors drive pins, binding, comparison,
/// waves, stimulus and tables.
namespace castor::twin {

using U8 = std::uint8_t;
using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;

/// Class of a port, which decides its value in an idle cycle.
enum class Class : std::uint8_t {
  kEvent,    ///< valid, request, grant, ready of a handshake; idle value 0
  kLevel,    ///< a condition; keeps its last value in an idle cycle
  kPayload,  ///< data of a valid signal; while the valid is 0, an input is ignored and an output is 0
  kTime,     ///< the cycle counter; grows by 1 in each cycle
};

/// Combinational or registered timing of a port within a cycle.
enum class Timing : std::uint8_t {
  kEdge,           ///< input: affects the clock edge only
  kSettle,         ///< input: an output of the same cycle depends on it
  kRegistered,     ///< output: a function of registers only
  kCombinational,  ///< output: depends on a kSettle input of the same cycle
};

/// Number and width of a port's elements in one parameter set.
struct Shape {
  unsigned elements = 1;
  unsigned bits = 1;  ///< bits of one element

  [[nodiscard]] constexpr unsigned width() const { return elements * bits; }
};

/// Returns ones in the low `bits` bits; `bits` is 0..64.
[[nodiscard]] constexpr U64 mask(unsigned bits) { return bits >= 64 ? ~U64{0} : (U64{1} << bits) - 1; }

/// Returns ceil(log2(value)); `value` is 1 or more.
[[nodiscard]] constexpr unsigned log2_ceil(U64 value) {
  unsigned bits = 0;
  while ((U64{1} << bits) < value) {
    ++bits;
  }
  return bits;
}

/// Description of a port that a visitor receives together with the member and the pin.
struct Port {
  std::string_view name;
  Shape shape;
  std::string_view width;  ///< elements and bits as written in the list: "1 x p.NumQueues"
  Class kind;
  Timing timing;
  std::string_view meaning;
};

}  // namespace castor::twin

/// Members of a struct from a list of ports or probes: `struct Inputs { ARBITER_INPUTS(CASTOR_FIELD) };`
#define CASTOR_FIELD(name_, type_, ...) type_ name_{};

// clang-format off
/// Bodies of `each_input(f, p)`, `each_output(f, p)` and `each_probe(f, p)`: call f(Port, member, pin) for every line.
/// `pin` is a function that returns the member `<name>_i`, `<name>_o` or `probe_<name>_o` of an object.
#define CASTOR_VISIT_INPUT(name_, type_, elements_, bits_, class_, timing_, meaning_)                       \
  f(CASTOR_PORT(name_, elements_, bits_, class_, timing_, meaning_), &Inputs::name_,                        \
    [](auto& pins) -> decltype((pins.name_##_i)) { return pins.name_##_i; });
#define CASTOR_VISIT_OUTPUT(name_, type_, elements_, bits_, class_, timing_, meaning_)                      \
  f(CASTOR_PORT(name_, elements_, bits_, class_, timing_, meaning_), &Outputs::name_,                       \
    [](auto& pins) -> decltype((pins.name_##_o)) { return pins.name_##_o; });
#define CASTOR_VISIT_PROBE(name_, type_, elements_, bits_, meaning_)                                        \
  f(CASTOR_PORT(name_, elements_, bits_, kLevel, kRegistered, meaning_), &Probes::name_,                    \
    [](auto& pins) -> decltype((pins.probe_##name_##_o)) { return pins.probe_##name_##_o; });

#define CASTOR_PORT(name_, elements_, bits_, class_, timing_, meaning_)                                     \
  (::castor::twin::Port{#name_, ::castor::twin::Shape{unsigned(elements_), unsigned(bits_)},                \
                        #elements_ " x " #bits_, ::castor::twin::Class::class_,                             \
                        ::castor::twin::Timing::timing_, meaning_})

/// Makes the types of a block's ports from its three lists, in the block's namespace behind Params. Struct Inputs holds
/// the inputs of one cycle, without reset; the caller must keep each field within the width of its port. Struct Outputs
/// holds the outputs of one cycle, struct Probes the registers that are compared between model and RTL. Struct
/// PortLists, the base of Block, has these types and the visitors. For the lists ARBITER_INPUTS, ARBITER_OUTPUTS and
/// ARBITER_PROBES in castor::arbiter: `CASTOR_PORT_LISTS(ARBITER, arbiter)`.
#define CASTOR_PORT_LISTS(prefix_, namespace_)                              \
  struct Inputs {                                                           \
    prefix_##_INPUTS(CASTOR_FIELD)                                          \
  };                                                                        \
  struct Outputs {                                                          \
    prefix_##_OUTPUTS(CASTOR_FIELD)                                         \
  };                                                                        \
  struct Probes {                                                           \
    prefix_##_PROBES(CASTOR_FIELD)                                          \
  };                                                                        \
  struct PortLists {                                                        \
    using Params = namespace_::Params;                                      \
    using Inputs = namespace_::Inputs;                                      \
    using Outputs = namespace_::Outputs;                                    \
    using Probes = namespace_::Probes;                                      \
    template <class F>                                                      \
    static void each_input(F f, [[maybe_unused]] const Params& p) {         \
      prefix_##_INPUTS(CASTOR_VISIT_INPUT)                                  \
    }                                                                       \
    template <class F>                                                      \
    static void each_output(F f, [[maybe_unused]] const Params& p) {        \
      prefix_##_OUTPUTS(CASTOR_VISIT_OUTPUT)                                \
    }                                                                       \
    template <class F>                                                      \
    static void each_probe(F f, [[maybe_unused]] const Params& p) {         \
      prefix_##_PROBES(CASTOR_VISIT_PROBE)                                  \
    }                                                                       \
  };
// clang-format on
