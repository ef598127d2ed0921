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

/// What a block brings, as a type `Block` (that of a block `arbiter` is castor::arbiter::Block):
///
///     static constexpr const char* kBlock    "arbiter": its slug; folders, targets and messages are named by it
///     static constexpr const char* kTop      "castor_arbiter": its SystemVerilog module
///     static constexpr const char* kMeaning  one line for tables
///     Params, Inputs, Outputs, Probes        plain structs out of the lists (params.h, ports.h)
///     each_input(f, p), each_output(f, p), each_probe(f, p)   the visitors out of the lists
///     Engine                                 the cycle model; may be incomplete where only ports matter:
///         explicit Engine(const Params&)     throws InputError for illegal parameters
///         const Outputs& settle(const Inputs&)
///         void clock(const Inputs&)
///         void reset()
///         Cycle quiet() const;  void idle(Cycle n)
///         Probes probes() const
///
/// and, if it wants:
///
///     static Cycle quiet(const Probes&, const Inputs& last, const Params&)   the same bound for RTL, from probes alone
///     static constexpr std::string_view kRunning[]   names of probes that also move in idle edges within `quiet`
///                                (timers); all others stay as they are there, and waves of a machine leave these out
///     skip_idle in tb/<block>/skip.h             idle edges of RTL without clocking it (rtl.h)
///     std::optional<U32> Engine::peek(U16 address) const   a register as a debugger sees it, without side effects
///
/// A block whose inputs have a field `reg_req` has a register port: see registers.h.
///
/// A cycle is settle, any number of times, each with what is known of the inputs, then clock with all of them. The
/// outputs of the cycle are those of the last settle; only a kSettle input can change them. Inputs and outputs carry
/// no reset: `reset` is the state after reset has been held.
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

/// Whether a probe of the block also moves in idle edges within `quiet`.
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

/// Makes of the inputs of one cycle those of an idle one: events and payloads 0, levels and time as they are.
template <class Block>
void make_idle(typename Block::Inputs& in, const typename Block::Params& params) {
  Block::each_input(
      [&in](const Port& port, auto member, auto) {
        if (port.kind == Class::kEvent || port.kind == Class::kPayload) in.*member = {};
      },
      params);
}

/// Moves the time inputs on by `n` cycles, modulo their width.
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

/// Throws InputError if a parameter is illegal, by the block's own `check`.
template <class Block>
const typename Block::Params& checked(const typename Block::Params& params) {
  params.check();
  return params;
}

/// "NumQueues 128, MaxKt 8, ..."
template <class Params>
[[nodiscard]] std::string params_text(const Params& params) {
  std::string text;
  Params::each([&](const Param& param, auto member) {
    text += (text.empty() ? "" : ", ") + std::string(param.name) + " " + std::to_string(params.*member);
  });
  return text;
}

/// Parameters out of names and values. Throws InputError if a name is unknown or missing; values are not checked.
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
