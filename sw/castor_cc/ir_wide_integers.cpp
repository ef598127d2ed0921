#include "castor_cc/ir_wide_integers.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "castor_cc/ir_types.h"

namespace castor::castor_cc {
namespace {

/// Operation that the PTX back end does not support, with its replacement function.
struct Operation {
  std::string_view name;    ///< name in LLVM IR, with the type of its operands
  std::string_view result;  ///< result type of a conversion; empty if the result is i128
  std::string_view function;
};

constexpr std::array kOperations = {
    Operation{"sdiv i128 ", "", "castor_divide_s128"},
    Operation{"udiv i128 ", "", "castor_divide_u128"},
    Operation{"srem i128 ", "", "castor_remainder_s128"},
    Operation{"urem i128 ", "", "castor_remainder_u128"},
    Operation{"sitofp i128 ", "float", "castor_float_of_s128"},
    Operation{"uitofp i128 ", "float", "castor_float_of_u128"},
    Operation{"sitofp i128 ", "double", "castor_double_of_s128"},
    Operation{"uitofp i128 ", "double", "castor_double_of_u128"},
    Operation{"fptosi float ", "i128", "castor_s128_of_float"},
    Operation{"fptoui float ", "i128", "castor_u128_of_float"},
    Operation{"fptosi double ", "i128", "castor_s128_of_double"},
    Operation{"fptoui double ", "i128", "castor_u128_of_double"},
};

/// Returns the call that replaces a line such as "  %r = sdiv i128 %a, %b" or "  %r = sitofp i128 %a to float", with
/// its metadata; nothing for any other line.
std::optional<std::string> called(std::string_view line) {
  const std::size_t equals = line.find(" = ");
  if (!begins_with(line, "  %") || equals == std::string_view::npos) return std::nullopt;
  const std::string_view what = line.substr(equals + 3);
  for (const Operation& operation : kOperations) {
    if (!begins_with(what, operation.name)) continue;
    const std::string_view type = operation.name.substr(operation.name.find(' ') + 1);
    std::string_view operands = what.substr(operation.name.size());
    const std::size_t tail = std::min(operands.find(", !"), operands.size());
    const std::string_view metadata = operands.substr(tail);
    operands = operands.substr(0, tail);
    std::string call = std::string(line.substr(0, equals + 3)) + "call ";
    if (operation.result.empty()) {
      const std::size_t comma = operands.find(", ");
      if (comma == std::string_view::npos) return std::nullopt;
      call.append("i128 @").append(operation.function).append("(i128 ").append(operands.substr(0, comma));
      call.append(", i128 ").append(operands.substr(comma + 2));
    } else {
      const std::size_t to = operands.find(" to ");
      if (to == std::string_view::npos || operands.substr(to + 4) != operation.result) continue;
      call.append(operation.result).append(" @").append(operation.function).append("(").append(type);
      call.append(operands.substr(0, to));
    }
    return call.append(")").append(metadata);
  }
  return std::nullopt;
}

/// Returns the call that replaces a line, if any.
std::optional<std::string> wide_call(std::string_view line) {
  return line.find("i128") != std::string_view::npos ? called(line) : std::nullopt;
}

}  // namespace

bool needs_wide_functions(std::string_view ir) {
  if (ir.find("i128") == std::string_view::npos) return false;
  bool any = false;
  for_each_line(ir, [&](std::string_view line) { any = any || wide_call(line).has_value(); });
  return any;
}

std::string call_wide_functions(std::string_view ir) {
  std::string out;
  for_each_line(ir, [&](std::string_view line) {
    const std::optional<std::string> call = wide_call(line);
    out.append(call ? std::string_view(*call) : line).append("\n");
  });
  return out;
}

}  // namespace castor::castor_cc
