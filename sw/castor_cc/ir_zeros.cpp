#include "castor_cc/ir_zeros.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "castor/base/words.h"
#include "castor_cc/ir_types.h"
#include "castor_cc/ptx_text.h"

namespace castor::castor_cc {
namespace {

bool is_zero(std::string_view ptx_operand) {
  return ptx_operand == "0d0000000000000000" || ptx_operand == "0d8000000000000000" || ptx_operand == "0f00000000" ||
         ptx_operand == "0f80000000" || ptx_operand == "0x0000" || ptx_operand == "0x8000";
}

/// Returns the sign of a floating-point zero in LLVM's text: '+' or '-'; 0 if the constant is no zero.
char sign_of_zero(std::string_view constant) {
  if (constant == "0.000000e+00" || constant == "0xH0000") return '+';
  if (constant == "-0.000000e+00" || constant == "0xH8000") return '-';
  return 0;
}

bool is_flag(std::string_view word) {
  static constexpr std::string_view kFlags[] = {"nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc", "fast"};
  return std::find(std::begin(kFlags), std::end(kFlags), word) != std::end(kFlags);
}

/// Parts of an instruction "%name = opcode flags rest".
struct Assignment {
  std::string_view name;
  std::string_view rest;       ///< text after the flags
  bool ignores_signs = false;  ///< a flag (nsz, fast) permits either sign of a zero
};

std::optional<Assignment> assignment(std::string_view line, std::string_view opcode) {
  line = base::trimmed(line);
  const std::size_t length = name_length(line);
  const std::string prefix = " = " + std::string(opcode) + " ";
  if (length == 0 || !begins_with(line.substr(length), prefix)) return std::nullopt;
  Assignment found{line.substr(0, length), line.substr(length + prefix.size())};
  for (;;) {
    const std::string_view word = found.rest.substr(0, found.rest.find(' '));
    if (!is_flag(word)) return found;
    found.ignores_signs = found.ignores_signs || word == "nsz" || word == "fast";
    found.rest.remove_prefix(word.size() + 1);
  }
}

/// A comparison of a value with a zero; the zero is the right operand.
struct Comparison {
  std::string_view predicate;  ///< olt, ogt, ult or ugt
  std::string_view value, zero;
};

std::optional<Comparison> comparison(std::string_view rest) {
  const std::size_t space = rest.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  Comparison found{rest.substr(0, space), {}, {}};
  const std::vector<std::string_view> operands = split_operands(rest.substr(space + 1));
  if (operands.size() != 2) return std::nullopt;
  const std::string_view left = operands[0].substr(std::min(operands[0].find(' ') + 1, operands[0].size()));
  found.value = left;
  found.zero = operands[1];
  static constexpr std::string_view kMirrored[][2] = {{"olt", "ogt"}, {"ogt", "olt"}, {"ult", "ugt"}, {"ugt", "ult"}};
  for (const auto& [predicate, mirrored] : kMirrored) {
    if (found.predicate != predicate) continue;
    if (sign_of_zero(left) != 0) return Comparison{mirrored, operands[1], left};
    if (sign_of_zero(operands[1]) != 0) return found;
  }
  return std::nullopt;
}

/// Returns whether the back end's minimum or maximum for a selection of `yes` or `no` gives a zero of the wrong sign.
bool is_wrong(const Comparison& by, std::string_view yes, std::string_view no) {
  if (yes == by.value && no == by.zero) {
    return by.predicate == (sign_of_zero(no) == '+' ? "olt" : "ogt");
  }
  if (yes == by.zero && no == by.value) {
    return by.predicate == (sign_of_zero(yes) == '+' ? "ult" : "ugt");
  }
  return false;
}

/// Returns the predicate that is true exactly where `predicate` is false. The back end makes minima and maxima from
/// olt, ogt, ult and ugt only.
std::string_view opposite_of(std::string_view predicate) {
  if (predicate == "olt") return "uge";
  if (predicate == "ogt") return "ule";
  return predicate == "ult" ? "oge" : "ole";
}

class Keeper {
 public:
  std::string run(std::string_view ir) {
    for_each_line(ir, [this](std::string_view line) { read(line); });
    return std::move(out_);
  }

 private:
  void read(std::string_view line) {
    if (begins_with(line, "define ")) comparisons_.clear();
    if (const auto compares = assignment(line, "fcmp"); compares && !compares->ignores_signs) {
      if (const auto found = comparison(compares->rest)) comparisons_[compares->name] = *found;
    } else if (const auto selects = assignment(line, "select"); selects && !selects->ignores_signs) {
      if (select(selects->name, selects->rest)) return;
    }
    out_.append(line).append("\n");
  }

  /// "i1 %c, double %x, double 0.000000e+00": writes it by the opposite comparison if it must not become a minimum.
  bool select(std::string_view name, std::string_view rest) {
    const std::vector<std::string_view> operands = split_operands(rest);
    if (operands.size() < 3 || !begins_with(operands[0], "i1 ")) return false;
    const auto by = comparisons_.find(operands[0].substr(3));
    if (by == comparisons_.end()) return false;
    const std::string type(operands[1].substr(0, operands[1].find(' ')));
    const std::string_view yes = operands[1].substr(type.size() + 1), no = operands[2].substr(type.size() + 1);
    if (!is_wrong(by->second, yes, no)) return false;
    const std::string opposite = "%kept.zero." + std::to_string(kept_++);
    out_.append("  " + opposite + " = fcmp " + std::string(opposite_of(by->second.predicate)) + " " + type + " ");
    out_.append(by->second.value).append(", ").append(by->second.zero);
    out_.append("\n  ").append(name).append(" = select i1 " + opposite + ", " + type + " ").append(no);
    out_.append(", " + type + " ").append(yes).append("\n");
    return true;
  }

  std::map<std::string_view, Comparison> comparisons_;  // of this function, by name
  unsigned kept_ = 0;
  std::string out_;
};

}  // namespace

bool has_minimum_with_zero(std::string_view ptx) {
  InlineAssembly assembly;
  bool found = false;
  for_each_line(ptx, [&](std::string_view line) {
    const bool held = assembly.holds(line);
    line = base::trimmed(line);
    if (held || found || !(begins_with(line, "min.f") || begins_with(line, "max.f"))) return;
    const std::size_t space = line.find_first_of(" \t");
    if (space == std::string_view::npos || line.back() != ';') return;
    for (const std::string_view operand : split_operands(line.substr(space + 1, line.size() - space - 2))) {
      found = found || is_zero(base::trimmed(operand));
    }
  });
  return found;
}

std::string keep_signs_of_zeros(std::string_view ir) { return Keeper().run(ir); }

}  // namespace castor::castor_cc
