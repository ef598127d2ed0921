#include "ptx/labels.h"

namespace castor::ptx {

void Labels::declare(const Token& name, const Labelled& meaning) {
  if (!labels_.try_emplace({names_.scope(), name.text}, meaning).second) text_.fail_duplicate(name);
}

void Labels::use(const Token& name, Where where, std::size_t first, std::size_t second) {
  uses_.push_back({name, names_.scope(), where, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(second)});
}

Labelled* Labels::find(std::string_view name, std::uint32_t scope) {
  for (;;) {
    const auto found = labels_.find({scope, name});
    if (found != labels_.end()) return &found->second;
    if (scope == 0) return nullptr;
    scope = names_.parent(scope);
  }
}

void Labels::resolve() {
  // Only labels that are used are stored, because labels of debug information would split basic blocks needlessly.
  const auto label_index = [&](Labelled& found, const Token& name) {
    if (found.label == 0) {
      function_.labels.push_back({std::string(name.text), found.index});
      found.label = static_cast<std::uint32_t>(function_.labels.size());
    }
    return found.label - 1;
  };
  for (const Use& use : uses_) {
    Labelled* const found = find(use.name.text, use.scope);
    const bool wants_table = use.where == Where::kTableOperand;
    if (found == nullptr) {
      text_.fail(use.name,
                 std::string(wants_table ? "unknown .branchtargets list " : "unknown label ") + describe(use.name));
    }
    const Labelled::Kind wanted = wants_table ? Labelled::Kind::kTargets : Labelled::Kind::kPosition;
    if (found->kind != wanted) {
      text_.fail_expected(
          use.name, wants_table ? "the name of a .branchtargets list" : "a label that stands before an instruction");
    }
    switch (use.where) {
      case Where::kOperand:
        function_.body[use.first].operands[use.second].index = label_index(*found, use.name);
        break;
      case Where::kTable:
        function_.tables[use.first].labels[use.second] = label_index(*found, use.name);
        break;
      case Where::kTableOperand:
        function_.body[use.first].operands[use.second].index = found->index;
        break;
    }
  }
}

}  // namespace castor::ptx
