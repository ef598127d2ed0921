#include "castor_cc/ir_zeros.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
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
  std::string_view predicate;  ///< one of kMirrored
  std::string_view value, zero;
};

/// Predicates of an order, and the same with the operands exchanged.
constexpr std::string_view kMirrored[][2] = {{"olt", "ogt"}, {"ogt", "olt"}, {"ult", "ugt"}, {"ugt", "ult"},
                                             {"ole", "oge"}, {"oge", "ole"}, {"ule", "uge"}, {"uge", "ule"}};

std::optional<Comparison> comparison(std::string_view rest) {
  const std::size_t space = rest.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  Comparison found{rest.substr(0, space), {}, {}};
  const std::vector<std::string_view> operands = split_operands(rest.substr(space + 1));
  if (operands.size() < 2) return std::nullopt;  // metadata may follow
  const std::string_view left = operands[0].substr(std::min(operands[0].find(' ') + 1, operands[0].size()));
  found.value = left;
  found.zero = operands[1];
  for (const auto& [predicate, mirrored] : kMirrored) {
    if (found.predicate != predicate) continue;
    if (sign_of_zero(left) != 0) return Comparison{mirrored, operands[1], left};
    if (sign_of_zero(operands[1]) != 0) return found;
  }
  return std::nullopt;
}

/// Returns whether a minimum or maximum gives a zero of the wrong sign for the selection of `yes` or `no`. The back end
/// takes the selected zero for the zero of the comparison, whatever its sign.
bool is_wrong(const Comparison& by, std::string_view yes, std::string_view no) {
  if (yes == by.value && sign_of_zero(no) != 0) return by.predicate == (sign_of_zero(no) == '+' ? "olt" : "ogt");
  if (no == by.value && sign_of_zero(yes) != 0) return by.predicate == (sign_of_zero(yes) == '+' ? "ult" : "ugt");
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

/// Search for selections that the optimiser may have made of others that give another zero.
class Doubts {
 public:
  bool found(std::string_view ir) {
    for_each_line(ir, [this](std::string_view line) { read(line); });
    return found_;
  }

 private:
  void read(std::string_view line) {
    if (begins_with(line, "define ")) {
      comparisons_.clear();
      zeros_.clear();
    }
    if (const auto compares = assignment(line, "fcmp"); compares && !compares->ignores_signs) {
      if (const auto found = comparison(compares->rest)) comparisons_[compares->name] = *found;
    } else if (const auto selects = assignment(line, "select"); selects && !selects->ignores_signs) {
      select(selects->name, split_operands(selects->rest));
    }
    for (const std::string_view opcode : {"fpext", "fptrunc"}) {
      const auto casts = assignment(line, opcode);
      if (!casts) continue;
      const std::string_view value = casts->rest.substr(casts->rest.find(' ') + 1);
      found_ = found_ || zeros_.count(value.substr(0, name_length(value))) != 0;
    }
  }

  void select(std::string_view name, const std::vector<std::string_view>& operands) {
    if (operands.size() < 3 || !begins_with(operands[0], "i1 ")) return;
    const auto by = comparisons_.find(operands[0].substr(3));
    if (by == comparisons_.end()) return;
    bool zero = false, value = false;
    for (const std::string_view operand : {operands[1], operands[2]}) {
      const std::string_view arm = operand.substr(operand.find(' ') + 1);
      found_ = found_ || sign_of_zero(arm) == '-';
      zero = zero || sign_of_zero(arm) != 0;
      value = value || arm == by->second.value;
    }
    if (zero && value) zeros_.insert(name);
  }

  std::map<std::string_view, Comparison> comparisons_;  // of this function, by name
  std::set<std::string_view> zeros_;                    // selections between a value and a zero
  bool found_ = false;
};

/// Function that gives its argument, which the optimiser does not know.
constexpr std::string_view kSame = "@castor.same.";

/// Hides an operand of every comparison that may be one with a zero.
class Hider {
 public:
  std::string run(std::string_view ir) {
    for_each_line(ir, [this](std::string_view line) {
      if (!hide(line)) out_.append(line).append("\n");
    });
    for (const std::string_view type : types_) {
      out_.append("declare ").append(type).append(" ").append(kSame).append(type).append("(").append(type);
      out_.append(") nofree nosync nounwind readnone speculatable willreturn\n");
    }
    return std::move(out_);
  }

 private:
  bool hide(std::string_view line) {
    const auto compares = assignment(line, "fcmp");
    if (!compares || compares->ignores_signs) return false;
    const auto ordered = [&](const auto& pair) { return begins_with(compares->rest, pair[0]); };
    if (std::none_of(std::begin(kMirrored), std::end(kMirrored), ordered)) return false;
    const std::string_view typed = compares->rest.substr(4);
    const std::string_view type = typed.substr(0, typed.find(' '));
    if (type != "half" && type != "float" && type != "double") return false;
    const std::vector<std::string_view> operands = split_operands(typed.substr(type.size() + 1));
    if (operands.size() < 2 || is_other_number(operands[0]) || is_other_number(operands[1])) return false;
    const std::string name = "%castor.same." + std::to_string(hidden_++);
    types_.insert(type);
    out_.append("  " + name + " = call ").append(type).append(" ").append(kSame).append(type).append("(");
    out_.append(type).append(" ").append(operands[1]).append(")\n");
    const std::size_t at = static_cast<std::size_t>(operands[1].data() - line.data());
    out_.append(line.substr(0, at)).append(name).append(line.substr(at + operands[1].size())).append("\n");
    return true;
  }
  /// True for a constant that is no zero.
  static bool is_other_number(std::string_view operand) { return operand[0] != '%' && sign_of_zero(operand) == 0; }

  std::set<std::string_view> types_;
  std::size_t hidden_ = 0;
  std::string out_;
};

/// Puts the operands back.
class Shower {
 public:
  std::string run(std::string_view ir) {
    for (std::string_view rest = ir; !rest.empty();) {
      const std::string_view last = begins_with(rest, "define ") ? "\n}\n" : "\n";
      const std::size_t end = std::min(rest.find(last), rest.size() - 1) + 1;
      if (!begins_with(rest, "declare ") || rest.substr(0, end).find(kSame) == std::string_view::npos)
        show(rest.substr(0, end));
      rest.remove_prefix(end);
    }
    return std::move(out_);
  }

 private:
  /// Writes lines of one function, or one other line.
  void show(std::string_view text) {
    values_.clear();
    for_each_line(text, [this](std::string_view line) {
      if (const auto same = hidden(line)) values_[same->name] = same->rest;
    });
    for_each_line(text, [this](std::string_view line) {
      if (const auto same = hidden(line)) {  // stays as a value that is not used, because values are numbered
        const std::string type(same->type);
        out_.append("  ").append(same->name).append(" = bitcast " + type + " ").append(same->rest);
        out_.append(" to " + type + "\n");
      } else {
        replace(line);
      }
    });
  }

  struct Same {
    std::string_view name, type, rest;
  };
  /// Returns name and operand if a line is the call of the function that gives its argument.
  static std::optional<Same> hidden(std::string_view line) {
    const std::size_t at = line.find(kSame);
    if (at == std::string_view::npos || !begins_with(line, "  %")) return std::nullopt;
    const std::size_t open = line.find('(', at);
    const std::string_view operand = split_operands(line.substr(open + 1))[0];
    const std::size_t value = operand.rfind(' ') + 1;
    return Same{line.substr(2, name_length(line.substr(2))), operand.substr(0, operand.find(' ')),
                operand.substr(value)};
  }

  void replace(std::string_view line) {
    while (!values_.empty() && !line.empty()) {
      const std::size_t at = std::min(line.find('%'), line.size());
      const std::size_t length = name_length(line.substr(at));
      std::string_view value = line.substr(at, length);
      for (auto found = values_.find(value); found != values_.end(); found = values_.find(value)) value = found->second;
      out_.append(line.substr(0, at)).append(length == 0 ? line.substr(at, 1) : value);
      line.remove_prefix(std::min(at + std::max<std::size_t>(length, 1), line.size()));
    }
    out_.append(line).append("\n");
  }

  std::map<std::string_view, std::string_view> values_;  // hidden operands of this function, by name
  std::string out_;
};

/// True if the line of PTX, without blanks around it, has one of these beginnings and a zero among its operands.
bool has_zero(std::string_view line, std::initializer_list<std::string_view> opcodes) {
  const auto begins = [&](std::string_view opcode) { return begins_with(line, opcode); };
  if (std::none_of(opcodes.begin(), opcodes.end(), begins)) return false;
  const std::size_t space = line.find_first_of(" \t");
  if (space == std::string_view::npos || line.back() != ';') return false;
  const std::vector<std::string_view> operands = split_operands(line.substr(space + 1, line.size() - space - 2));
  return std::any_of(operands.begin(), operands.end(), [](auto operand) { return is_zero(base::trimmed(operand)); });
}

/// Calls use(line) for the lines that are no inline assembly, without blanks around them.
template <class Use>
void for_each_instruction(std::string_view ptx, const Use& use) {
  InlineAssembly assembly;
  for_each_line(ptx, [&](std::string_view line) {
    if (!assembly.holds(line)) use(base::trimmed(line));
  });
}

}  // namespace

bool has_minimum_with_zero(std::string_view ptx) {
  bool found = false;
  for_each_instruction(ptx, [&](std::string_view line) { found = found || has_zero(line, {"min.f", "max.f"}); });
  return found;
}

bool may_have_exchanged_zeros(std::string_view ptx) {
  bool negative = false, compares = false, casts = false;
  for_each_instruction(ptx, [&](std::string_view line) {
    for (const std::string_view zero : {"0d8000000000000000", "0f80000000", "0x8000"})
      negative = negative || line.find(zero) != std::string_view::npos;
    compares = compares || has_zero(line, {"min.f", "max.f", "setp."});
    casts = casts || (begins_with(line, "cvt.") && line.find(".f") != line.rfind(".f"));
  });
  return compares && (negative || casts);
}

bool has_doubtful_zeros(std::string_view ir) { return Doubts().found(ir); }

std::string hide_comparisons(std::string_view ir) { return Hider().run(ir); }

std::string show_comparisons(std::string_view ir) { return Shower().run(ir); }

std::string keep_signs_of_zeros(std::string_view ir) { return Keeper().run(ir); }

}  // namespace castor::castor_cc
