#pragma once

#include <map>
#include <string>
#include <string_view>
#include <type_traits>

#include "castor/base/error.h"
#include "castor/base/time.h"
#include "castor/twin/pack.h"
#include "castor/twin/params.h"
#include "castor/twin/ports.h"

/// Members that every block defines in its type `Block` (for a block `arbiter`: castor::arbiter::Block):
///
///     static constexpr const char* kBlock    "arbiter": name in folders, targets and messages
///     static constexpr const char* kTop      "castor_arbiter": its SystemVerilog module
///     static constexpr const char* kMeaning  one line for tables
///     Params, Inputs, Outputs, Probes        plain structs made from the lists (params.h, ports.h)
///     each_input(f, p), each_output(f, p), each_probe(f, p)   visitors made from the lists
///     Engine                                 the cycle model; may be an incomplete type where only ports are used:
///         explicit Engine(const Params&)     throws InputError for illegal parameters
///         const Outputs& settle(const Inputs&)
///         void clock(const Inputs&)
///         void reset()
///         Cycle quiet() const;  void idle(Cycle n)
///         Probes probes() const
///
/// Optional members and functions:
///
///     static Cycle quiet(const Probes&, const Inputs& last, const Params&)   Engine::quiet from probes, for RTL
///     static constexpr std::string_view kRunning[]   names of probes that change even in idle edges within `quiet`
///                                (timers); waves of a machine omit them. All other probes stay constant
///     skip_idle in tb/<block>/skip.h             applies idle edges to RTL without clocking it (rtl.h)
///     std::optional<U32> Engine::peek(U16 address) const   reads a register for a debugger, without side effects
///
/// A block whose inputs have a field `reg_req` has a register port: see registers.h.
///
/// In each cycle, `settle` is called any number of times with the inputs known so far, then `clock` once with all
/// inputs. The outputs of the cycle are those of the last `settle`; only a kSettle input can change them. Inputs and
/// outputs carry no reset: `reset` sets the state that follows a reset.
namespace castor::twin {

using base::Cycle;

namespace detail {

template <class Block, class = void>
inline constexpr bool has_quiet = false;
template <class Block>
inline constexpr bool has_quiet<
    Block,
    std::void_t<decltype(Block::quiet(typename Block::Probes{}, typename Block::Inputs{}, typename Block::Params{}))>> =
    true;

template <class Engine, class = void>
inline constexpr bool has_peek = false;
template <class Engine>
inline constexpr bool has_peek<Engine, std::void_t<decltype(std::declval<const Engine&>().peek(U16{}))>> = true;

template <class Block, class = void>
inline constexpr bool has_running = false;
template <class Block>
inline constexpr bool has_running<Block, std::void_t<decltype(Block::kRunning)>> = true;

}  // namespace detail

/// Whether a probe of the block changes even in idle edges within `quiet`.
template <class Block>
[[nodiscard]] constexpr bool runs([[maybe_unused]] std::string_view probe) {
  if constexpr (detail::has_running<Block>) {
    for (const std::string_view name : Block::kRunning) {
      if (name == probe) return true;
    }
  }
  return false;
}

/// Whether the block has a register port.
template <class Block, class = void>
inline constexpr bool has_registers = false;
template <class Block>
inline constexpr bool has_registers<Block, std::void_t<decltype(std::declval<typename Block::Inputs&>().reg_req)>> =
    true;

/// Turns the inputs of one cycle into those of an idle cycle: events and payloads 0, levels and time unchanged.
template <class Block>
void make_idle(typename Block::Inputs& in, const typename Block::Params& params) {
  Block::each_input(
      [&in](const Port& port, auto member, auto) {
        if (port.kind == Class::kEvent || port.kind == Class::kPayload) in.*member = {};
      },
      params);
}

/// Advances the time inputs by `n` cycles, modulo their width.
template <class Block>
void advance_time(typename Block::Inputs& in, const typename Block::Params& params, Cycle n) {
  Block::each_input(
      [&in, n](const Port& port, auto member, auto) {
        using Field = std::decay_t<decltype(in.*member)>;
        if constexpr (std::is_integral_v<Field>) {
          if (port.kind == Class::kTime) in.*member = static_cast<Field>((in.*member + n) & mask(port.shape.bits));
        }
      },
      params);
}

/// Returns `params`. Throws InputError if a parameter is illegal, as the block's own `check` decides.
template <class Block>
const typename Block::Params& checked(const typename Block::Params& params) {
  params.check();
  return params;
}

/// Returns the parameters as text: "NumQueues 128, MaxKt 8, ..."
template <class Params>
[[nodiscard]] std::string params_text(const Params& params) {
  std::string text;
  Params::each([&](const Param& param, auto member) {
    text += (text.empty() ? "" : ", ") + std::string(param.name) + " " + std::to_string(params.*member);
  });
  return text;
}

/// Returns parameters from names and values. Throws InputError if a name is unknown or missing; values are not checked.
template <class Params>
[[nodiscard]] Params named_params(const std::map<std::string, std::uint32_t>& values) {
  Params params;
  std::size_t found = 0;
  Params::each([&](const Param& param, auto member) {
    const auto value = values.find(std::string(param.name));
    if (value == values.end()) throw base::InputError("parameter " + std::string(param.name) + " is missing");
    params.*member = value->second;
    ++found;
  });
  if (found != values.size()) {
    for (const auto& [name, value] : values) {
      bool known = false;
      Params::each([&, wanted = std::string_view(name)](const Param& param, auto) { known |= param.name == wanted; });
      if (!known) throw base::InputError("no parameter '" + base::printable(name) + "'");
    }
  }
  return params;
}

template <class Params>
[[nodiscard]] bool same_params(const Params& a, const Params& b) {
  bool same = true;
  Params::each([&](const Param&, auto member) { same = same && a.*member == b.*member; });
  return same;
}

}  // namespace castor::twin
