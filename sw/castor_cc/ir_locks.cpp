#include "castor_cc/ir_locks.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "castor_cc/ir_locks_access.h"
#include "castor_cc/ir_locks_function.h"
#include "castor_cc/ir_locks_loops.h"
#include "castor_cc/ir_types.h"

namespace castor::castor_cc {
namespace {

/// Rewrites one lock loop of a function. Names begin with "castor.lock.", which clang never uses.
class LoopWriter {
 public:
  LoopWriter(const IrFunction& function, const LockLoop& loop, std::size_t number)
      : function_(function), loop_(loop), prefix_(std::string(LockLoops::kHead) + std::to_string(number)) {}

  /// Returns the function's new text; nothing if the loop cannot be changed.
  std::optional<std::string> run() {
    const std::vector<IrBlock>& blocks = function_.blocks();
    if (blocks[loop_.region.head].has_phi || (!loop_.exits.empty() && values_escape())) return std::nullopt;
    for (const IrExit& exit : loop_.exits)
      if (exit.to != IrExit::kReturn && blocks[exit.to].has_phi) return std::nullopt;
    for (std::size_t b = 0; b < blocks.size(); ++b) redirect(b);
    return write();
  }

 private:
  /// True if code after the loop uses a value defined inside: a path through the new block would bypass the definition.
  [[nodiscard]] bool values_escape() const {
    std::set<std::string_view> defined;
    const std::vector<IrBlock>& blocks = function_.blocks();
    for (const bool inside : {true, false}) {
      for (std::size_t b = 0; b < blocks.size(); ++b) {
        if (loop_.region.contains(b) != inside) continue;
        for (std::size_t at = blocks[b].label + 1; at < blocks[b].end; ++at) {
          const std::vector<std::string_view> names = names_in(function_.lines()[at]);
          if (inside) {
            if (!names.empty() && begins_with(function_.lines()[at].substr(2), names[0])) defined.insert(names[0]);
          } else {
            for (const std::string_view name : names)
              if (defined.count(name) != 0) return true;
          }
        }
      }
    }
    return false;
  }

  [[nodiscard]] std::string name(std::string_view part) const { return "%" + prefix_ + "." + std::string(part); }
  [[nodiscard]] static std::string block_name(const IrBlock& block) { return "%" + std::string(block.name); }

  /// Returns the number of the exit to a block. Every return is an exit with its own number.
  std::size_t exit_number(std::size_t to, const std::string& leave) {
    const auto found = numbers_.find(to);
    if (to != IrExit::kReturn && found != numbers_.end()) return found->second;
    leaves_.push_back(leave);
    return numbers_[to] = leaves_.size();
  }
  [[nodiscard]] std::string leave(std::size_t number) const {
    return "  store i32 " + std::to_string(number) + ", i32* " + name("exit") + "\n  br label " + name("meet");
  }

  /// Redirects the last instruction of a block to its new targets.
  void redirect(std::size_t b) {
    const IrBlock& block = function_.blocks()[b];
    const std::string head = block_name(function_.blocks()[loop_.region.head]);
    const bool inside = loop_.region.contains(b);
    std::string text;
    for (std::size_t at = block.terminator; at < block.end; ++at)
      text.append(at == block.terminator ? "" : "\n").append(function_.lines()[at]);
    const std::string written = text;
    if (inside) text = with_target(text, head, name("meet"));
    std::string behind;
    for (const IrExit& exit : loop_.exits) {
      if (exit.from != b) continue;
      if (exit.to == IrExit::kReturn) {
        text = leave_by_return(text);
        continue;
      }
      const std::string target = block_name(function_.blocks()[exit.to]);
      const std::size_t number = exit_number(exit.to, "  br label " + target);
      if (block.next.size() == 1) {
        text = leave(number);
        continue;
      }
      const std::string edge = "edge." + std::to_string(edges_++);
      text = with_target(text, target, name(edge));
      behind.append("\n\n").append(prefix_).append(".").append(edge).append(":\n").append(leave(number));
    }
    if (text != written || !behind.empty()) changed_[b] = text + behind;
  }

  std::string leave_by_return(const std::string& text) {
    static constexpr std::string_view kReturn = "  ret ";
    const std::string_view operand = split_operands(std::string_view(text).substr(kReturn.size()))[0];
    const std::string_view type = operand.substr(0, type_length(operand));
    if (type == "void") return leave(exit_number(IrExit::kReturn, text));
    const std::string kind(type);
    const std::string number = std::to_string(leaves_.size() + 1);
    const std::string place = kind + "* " + name("value." + number);
    const std::string result = name("result." + number);
    variables_.append("  ").append(name("value." + number)).append(" = alloca ").append(kind).append("\n");
    const std::string back = "  " + result + " = load " + kind + ", " + place + "\n  ret " + kind + " " + result +
                             text.substr(kReturn.size() + operand.size());
    const std::string store = "  store " + std::string(operand) + ", " + place + "\n";
    return store + leave(exit_number(IrExit::kReturn, back));
  }

  /// Returns the block in which all lanes meet at the end of an iteration, and the exit blocks after the loop.
  [[nodiscard]] std::string meeting() const {
    const std::string head = block_name(function_.blocks()[loop_.region.head]);
    std::string out;
    for (std::size_t k = 0; k < leaves_.size(); ++k) {
      out.append(prefix_).append(".to." + std::to_string(k + 1)).append(":\n  store i32 0, i32* ").append(name("exit"));
      out.append("\n").append(leaves_[k]).append("\n\n");
    }
    out.append(prefix_).append(".meet:\n");
    if (leaves_.empty())
      return out.append("  call void asm sideeffect \"\", \"\"() convergent nounwind\n  br label ")
          .append(head + "\n\n");
    out.append("  ").append(name("taken")).append(" = load i32, i32* ").append(name("exit")).append("\n");
    out.append("  ")
        .append(name("kept"))
        .append(" = call i32 asm sideeffect \"\", \"=r,0\"(i32 ")
        .append(name("taken"));
    out.append(") convergent nounwind\n  switch i32 ")
        .append(name("kept"))
        .append(", label ")
        .append(head)
        .append(" [\n");
    for (std::size_t k = 1; k <= leaves_.size(); ++k)
      out.append("    i32 " + std::to_string(k) + ", label ").append(name("to." + std::to_string(k))).append("\n");
    return out.append("  ]\n\n");
  }

  [[nodiscard]] std::string write() const {
    const std::vector<std::string_view>& lines = function_.lines();
    const std::vector<IrBlock>& blocks = function_.blocks();
    const std::size_t first = blocks[0].label;
    std::string out;
    std::size_t at = 0;
    const auto copy = [&](std::size_t to) {
      for (; at < to; ++at) out.append(lines[at]).append("\n");
    };
    copy(first + 1);
    if (!leaves_.empty()) {
      out.append("  ").append(name("exit")).append(" = alloca i32\n").append(variables_);
      out.append("  store i32 0, i32* ").append(name("exit")).append("\n");
    }
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      if (b == loop_.region.head) {
        copy(blocks[b].label);
        out.append(meeting());
      }
      const auto changed = changed_.find(b);
      if (changed == changed_.end()) continue;
      copy(blocks[b].terminator);
      out.append(changed->second).append("\n");
      at = blocks[b].end;
    }
    copy(lines.size());
    return out;
  }

  const IrFunction& function_;
  const LockLoop& loop_;
  std::string prefix_;
  std::map<std::size_t, std::string> changed_;  ///< per block: last instruction, with the blocks added after it
  std::map<std::size_t, std::size_t> numbers_;  ///< number of each exit, by target block
  std::vector<std::string> leaves_;             ///< instructions of each exit, in the order of numbers from 1 on
  std::string variables_;
  std::size_t edges_ = 0;
};

/// Rewriting of all modules of one program.
class Locks {
 public:
  explicit Locks(std::vector<std::string_view> parts) : parts_(std::move(parts)) {}

  /// Returns the changed texts, by index of the module.
  std::map<std::size_t, std::string> run() {
    std::map<std::size_t, std::string> changed;
    if (std::none_of(parts_.begin(), parts_.end(), may_acquire)) return changed;
    for (std::size_t i = 0; i < parts_.size(); ++i) find_functions(i);
    for (const Function& function : functions_) summarise(function.name);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (std::optional<std::string> text = rewrite_part(i)) changed.emplace(i, std::move(*text));
    }
    return changed;
  }

 private:
  [[nodiscard]] std::optional<std::string> rewrite_part(std::size_t index) const {
    const std::string_view part = parts_[index];
    std::string out;
    std::size_t copied = 0;
    for (const Function& function : functions_) {
      if (function.part != index) continue;
      const auto at = static_cast<std::size_t>(function.text.data() - part.data());
      const std::optional<std::string> changed = rewrite(function.text);
      if (!changed) continue;
      out.append(part.substr(copied, at - copied)).append(*changed);
      copied = at + function.text.size();
    }
    if (copied == 0) return std::nullopt;
    return out.append(part.substr(copied));
  }

  struct Function {
    std::string_view name;
    std::string_view text;  ///< including the line "}" and its line end
    std::size_t part = 0;
  };

  static bool may_acquire(std::string_view ir) {
    for (const std::string_view word :
         {" cmpxchg ", " atomicrmw ", " load volatile ", " load atomic ", "@llvm.nvvm.atomic.", "atom.", "ld."})
      if (ir.find(word) != std::string_view::npos) return true;
    return false;
  }

  void find_functions(std::size_t part) {
    const std::string_view ir = parts_[part];
    static constexpr std::string_view kBegin = "\ndefine ";
    static constexpr std::string_view kEnd = "\n}\n";
    for (std::size_t at = ir.find(kBegin); at != std::string_view::npos; at = ir.find(kBegin, at)) {
      const std::size_t end = ir.find(kEnd, at);
      if (end == std::string_view::npos) return;
      const std::string_view text = ir.substr(at + 1, end + kEnd.size() - at - 1);
      const std::size_t sign = text.find('@');
      const std::vector<std::string_view> names =
          names_in(text.substr(std::min(sign, text.find('\n'))).substr(0, 4096));
      if (!names.empty()) {
        indices_.emplace(names[0].substr(1), functions_.size());
        functions_.push_back({names[0].substr(1), text, part});
      }
      at = end + 1;
    }
  }

  /// Computes the summary of a function, after the summaries of its callees. Recursive calls are not counted.
  void summarise(std::string_view name) {
    const auto found = indices_.find(name);
    if (found == indices_.end() || !begun_.insert(name).second) return;
    const std::optional<IrFunction> function = IrFunction::parse(functions_[found->second].text);
    if (!function) return;
    for (const std::string_view line : function->lines())
      if (const std::string_view callee = callee_of(operation_of(line)); !callee.empty()) summarise(callee);
    const IrValues values(*function, summaries_);
    if (values.accesses().empty()) return;
    summaries_[name] = LockLoops(*function, values).summary();
  }

  /// Returns the new text of a function; nothing if it stays unchanged.
  [[nodiscard]] std::optional<std::string> rewrite(std::string_view text) const {
    std::optional<std::string> changed;
    std::set<std::string> refused;
    // Loops that were rewritten earlier keep their names, so numbering continues after the highest number in use.
    std::size_t number = 0;
    while (text.find(std::string(LockLoops::kHead) + std::to_string(number) + ".") != std::string_view::npos) ++number;
    for (;;) {
      const std::optional<IrFunction> function = IrFunction::parse(changed ? std::string_view(*changed) : text);
      if (!function) return changed;
      const IrValues values(*function, summaries_);
      const LockLoops found(*function, values);
      std::optional<std::string> next;
      for (const LockLoop& loop : found.loops()) {
        const std::string head(function->blocks()[loop.region.head].name);
        if (refused.count(head) != 0) continue;
        next = LoopWriter(*function, loop, number).run();
        if (next) break;
        refused.insert(head);
      }
      if (!next) return changed;
      changed = std::move(next);
      ++number;
    }
  }

  std::vector<std::string_view> parts_;
  std::vector<Function> functions_;
  std::map<std::string_view, std::size_t> indices_;
  std::set<std::string_view> begun_;
  IrSummaries summaries_;
};

}  // namespace

std::string keep_lock_releases(std::string_view ir) {
  std::map<std::size_t, std::string> changed = Locks({ir}).run();
  return changed.empty() ? std::string(ir) : std::move(changed.begin()->second);
}

void keep_lock_releases(std::vector<std::string>& parts) {
  const std::vector<std::string_view> texts(parts.begin(), parts.end());
  for (auto& [index, text] : Locks(texts).run()) parts[index] = std::move(text);
}

}  // namespace castor::castor_cc
