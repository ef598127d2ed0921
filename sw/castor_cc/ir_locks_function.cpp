#include "castor_cc/ir_locks_function.h"

#include <algorithm>

#include "castor_cc/ir_types.h"

namespace castor::castor_cc {
namespace {

constexpr std::string_view kTarget = "label %";

std::string_view instruction_in(std::string_view line) {
  const std::size_t at = line.find_first_not_of(' ');
  return at == std::string_view::npos ? std::string_view() : line.substr(at);
}

/// Returns "7" for a line such as "7:  ; preds = %0"; empty if the line is no label.
std::string_view label_in(std::string_view line) {
  if (line.empty() || line[0] == ' ' || line[0] == ';' || line[0] == '}') return {};
  const std::size_t quote = line[0] == '"' ? line.find('"', 1) : 0;
  const std::size_t colon = quote == std::string_view::npos ? quote : line.find(':', quote);
  return colon == std::string_view::npos ? std::string_view() : line.substr(0, colon);
}

std::size_t global_length(std::string_view text) {
  return text.size() > 1 && text[1] == '"' ? behind_string(text, 1) : name_length("%" + std::string(text.substr(1)));
}

}  // namespace

std::vector<std::string_view> names_in(std::string_view text) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t length = 1;
    if (text[i] == '"') {
      length = behind_string(text, i) - i;
    } else if (text[i] == '%' || text[i] == '@') {
      length = text[i] == '%' ? name_length(text.substr(i)) : global_length(text.substr(i));
      if (length > 1) names.push_back(text.substr(i, length));
      length = std::max<std::size_t>(length, 1);
    }
    i += length;
  }
  return names;
}

std::vector<std::string_view> targets_in(std::string_view text) {
  std::vector<std::string_view> targets;
  for (std::size_t at = text.find(kTarget); at != std::string_view::npos; at = text.find(kTarget, at + 1)) {
    const std::string_view rest = text.substr(at + kTarget.size() - 1);
    targets.push_back(rest.substr(0, name_length(rest)));
  }
  return targets;
}

std::string with_target(std::string_view text, std::string_view from, std::string_view to) {
  std::string changed;
  std::size_t copied = 0;
  for (const std::string_view target : targets_in(text)) {
    if (target != from) continue;
    const auto at = static_cast<std::size_t>(target.data() - text.data());
    changed.append(text.substr(copied, at - copied)).append(to);
    copied = at + target.size();
  }
  return changed.append(text.substr(copied));
}

std::optional<IrFunction> IrFunction::parse(std::string_view text) {
  IrFunction function;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    function.lines_.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!function.read_blocks()) return std::nullopt;
  return function;
}

bool IrFunction::read_blocks() {
  bool open = false;
  for (std::size_t at = 1; at + 1 < lines_.size(); ++at) {
    const std::string_view label = label_in(lines_[at]);
    const std::string_view instruction = instruction_in(lines_[at]);
    if (!label.empty()) {
      if (open) return false;
      blocks_.emplace_back();
      blocks_.back().label = at;
      blocks_.back().name = label;
      open = true;
      continue;
    }
    if (instruction.empty() || instruction[0] == ';') continue;
    if (!open) {
      if (!blocks_.empty()) return false;
      blocks_.emplace_back();
      open = true;
    }
    IrBlock& block = blocks_.back();
    if (instruction.find(" = phi ") != std::string_view::npos) block.has_phi = true;
    const std::string_view opcode = instruction.substr(0, instruction.find(' '));
    if (opcode != "br" && opcode != "switch" && opcode != "ret" && opcode != "unreachable") continue;
    block.terminator = at;
    // The cases of a switch are on separate lines.
    if (opcode == "switch" && instruction.find(']') == std::string_view::npos)
      while (at + 1 < lines_.size() && instruction_in(lines_[at]).substr(0, 1) != "]") ++at;
    block.end = at + 1;
    block.returns = opcode == "ret";
    open = false;
  }
  if (open || blocks_.empty()) return false;
  for (std::size_t b = 0; b < blocks_.size(); ++b)
    if (!blocks_[b].name.empty()) named_.emplace(blocks_[b].name, b);
  for (IrBlock& block : blocks_)
    if (!read_edges(block)) return false;
  mark_reachable();
  return true;
}

bool IrFunction::read_edges(IrBlock& block) {
  for (std::size_t line = block.terminator; line < block.end; ++line) {
    for (const std::string_view target : targets_in(lines_[line])) {
      const auto found = find(target);
      if (!found || *found == 0) return false;
      if (std::find(block.next.begin(), block.next.end(), *found) != block.next.end()) continue;
      block.next.push_back(*found);
      blocks_[*found].before.push_back(static_cast<std::size_t>(&block - blocks_.data()));
    }
  }
  return true;
}

void IrFunction::mark_reachable() {
  std::vector<std::size_t> work = {0};
  blocks_[0].reachable = true;
  while (!work.empty()) {
    const std::size_t block = work.back();
    work.pop_back();
    for (const std::size_t next : blocks_[block].next) {
      if (blocks_[next].reachable) continue;
      blocks_[next].reachable = true;
      work.push_back(next);
    }
  }
}

std::size_t IrFunction::block_of(std::size_t line) const {
  const auto after = std::upper_bound(blocks_.begin(), blocks_.end(), line,
                                      [](std::size_t at, const IrBlock& block) { return at < block.label; });
  return after == blocks_.begin() ? 0 : static_cast<std::size_t>(after - blocks_.begin()) - 1;
}

std::optional<std::size_t> IrFunction::find(std::string_view name) const {
  const auto found = named_.find(name.substr(1));
  if (found == named_.end()) return std::nullopt;
  return found->second;
}

}  // namespace castor::castor_cc
