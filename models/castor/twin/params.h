#pragma once

#include <cstdint>
#include <string_view>

/// The one description of a block's structural parameters:
///
///     #define ARBITER_PARAMS(X)
///       /* name      default minimum maximum rule          meaning */
///       X(NumPorts,  8,      2,      64,     kAny,         "ports that ask")
///
/// Names are those of the SystemVerilog module; the defaults must agree with it, which a test checks.
namespace castor::twin {

/// What a value must be besides lying in its range.
enum class Rule : std::uint8_t { kAny, kPowerOfTwo };

/// What a visitor is told of a parameter besides its member.
struct Param {
  std::string_view name;
  std::uint32_t standard;  ///< the default
  std::uint32_t minimum;
  std::uint32_t maximum;
  Rule rule;
  std::string_view meaning;
};

/// Throws InputError if `value` is not a legal value of `param` of the block named `block`.
void check_param(std::string_view block, const Param& param, std::uint32_t value);

}  // namespace castor::twin

/// A struct's members out of a list of parameters: `struct Params { ARBITER_PARAMS(CASTOR_PARAM_FIELD) };`
#define CASTOR_PARAM_FIELD(name_, default_, ...) std::uint32_t name_ = default_;

/// Body of `each_param(f)`: f(Param, member) for every line.
#define CASTOR_VISIT_PARAM(name_, default_, minimum_, maximum_, rule_, meaning_) \
  f(::castor::twin::Param{#name_, default_, minimum_, maximum_, ::castor::twin::Rule::rule_, meaning_}, &Params::name_);
