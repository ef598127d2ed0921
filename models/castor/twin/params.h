#pragma once

#include <cstdint>
#include <string_view>

/// The only description of a block's structural parameters is a list in its params.h:
///
///     #define ARBITER_PARAMS(X)
///       /* name      default minimum maximum rule          meaning */
///       X(NumPorts,  8,      2,      64,     kAny,         "requesting ports")
///
/// Names are those of the SystemVerilog module. The defaults must agree with the module's defaults, which a test
/// checks.
namespace castor::twin {

/// Condition on a parameter's value in addition to its range.
enum class Rule : std::uint8_t { kAny, kPowerOfTwo };

/// Description of a parameter that a visitor receives together with the member.
struct Param {
  std::string_view name;
  std::uint32_t standard;  ///< default value
  std::uint32_t minimum;
  std::uint32_t maximum;
  Rule rule;
  std::string_view meaning;
};

/// Throws InputError if `value` is not a legal value of `param` of the block named `block`.
void check_param(std::string_view block, const Param& param, std::uint32_t value);

}  // namespace castor::twin

/// Members of a struct from a list of parameters: `struct Params { ARBITER_PARAMS(CASTOR_PARAM_FIELD) };`
#define CASTOR_PARAM_FIELD(name_, default_, ...) std::uint32_t name_ = default_;

/// Body of `each_param(f)`: calls f(Param, member) for every line of the list.
#define CASTOR_VISIT_PARAM(name_, default_, minimum_, maximum_, rule_, meaning_) \
  f(::castor::twin::Param{#name_, default_, minimum_, maximum_, ::castor::twin::Rule::rule_, meaning_}, &Params::name_);
