#include "castor/isa/instruction_table.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "castor/base/error.h"
#include "castor/isa/row_parser.h"

namespace castor::isa {

namespace baseline {
void all_families(TableBuilder& table);
}
namespace avx2 {
void all_families(TableBuilder& table);
}

namespace {

struct Extensions {
  std::mutex mutex;
  std::vector<void (*)(TableBuilder&)> functions;
  bool closed = false;
};

Extensions& extensions() {
  // Initialisers of globals in other files add to the list, so it must be a local static and not a global.
  static Extensions all;
  return all;
}

std::string_view first_part(std::string_view spelling) { return spelling.substr(0, spelling.find('.')); }

/// Longest match of a spelling with the rows of its opcode, for the error message.
struct Progress {
  std::size_t part = 0;                    ///< number of dotted parts that matched
  std::vector<std::string_view> expected;  ///< words that could follow the matched parts
  bool end = false;                        ///< whether the spelling could also end after the matched parts
  bool no_such_combination = false;
  bool knows_next = false;  ///< whether the first unmatched word occurs later in the row

  /// Adopts the progress of another row if it matched more parts, or as many and also knows the next word.
  void merge(const Progress& row) {
    if (row.part > part || (row.part == part && row.knows_next && !knows_next)) {
      const bool combination = no_such_combination || row.no_such_combination;
      *this = row;
      no_such_combination = combination;
    } else if (row.part == part && row.knows_next == knows_next) {
      for (const std::string_view what : row.expected) note(part, what);
      end = end || row.end;
      no_such_combination = no_such_combination || row.no_such_combination;
    }
  }

  void note(std::size_t at, std::string_view what) {
    if (at < part) return;
    if (at > part) *this = Progress{at, {}, false, no_such_combination, false};
    if (what.empty())
      end = true;
    else if (std::find(expected.begin(), expected.end(), what) == expected.end())
      expected.push_back(what);
  }
};

bool match_items(const Row& row, const std::vector<std::string_view>& parts, std::size_t item, std::size_t part,
                 std::array<std::int8_t, 16>& choices, Progress& progress) {
  if (item == row.items.size()) {
    if (part == parts.size()) return true;
    progress.note(part, {});
    return false;
  }
  const PatternItem& pattern = row.items[item];
  for (std::size_t i = 0; i < pattern.alternatives.size(); ++i) {
    if (part < parts.size() && parts[part] == pattern.alternatives[i]) {
      choices[item] = static_cast<std::int8_t>(i);
      if (match_items(row, parts, item + 1, part + 1, choices, progress)) return true;
    } else {
      progress.note(part, pattern.alternatives[i]);
    }
  }
  if (!pattern.optional) return false;
  choices[item] = -1;
  return match_items(row, parts, item + 1, part, choices, progress);
}

/// Returns the index of `word` among the alternatives of an item, or -1.
int alternative(const PatternItem& item, std::string_view word) {
  const auto found = std::find(item.alternatives.begin(), item.alternatives.end(), word);
  return found == item.alternatives.end() ? -1 : static_cast<int>(found - item.alternatives.begin());
}

bool knows(const Row& row, std::string_view word) {
  return std::any_of(row.items.begin(), row.items.end(),
                     [&](const PatternItem& item) { return alternative(item, word) >= 0; });
}

/// Whether the parts from `part` on match the items of the row that have no choice yet, in any order. Types must keep
/// their order, and so must words that several items share, because their position decides which operand they describe.
bool match_in_any_sequence(const Row& row, const std::vector<std::string_view>& parts, std::size_t part,
                           std::array<std::int8_t, 16>& choices) {
  const std::size_t count = row.items.size();
  if (part == parts.size()) {
    for (std::size_t i = 0; i < count; ++i)
      if (choices[i] < 0 && !row.items[i].optional) return false;
    return true;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const int choice = choices[i] < 0 ? alternative(row.items[i], parts[part]) : -1;
    if (choice < 0) continue;
    const auto chosen_type = [&](std::size_t j) {
      return choices[j] >= 0 && row.items[j].types[static_cast<std::size_t>(choices[j])] != Type::kNone;
    };
    const bool type = row.items[i].types[static_cast<std::size_t>(choice)] != Type::kNone;
    bool overtakes = false;
    for (std::size_t j = i + 1; j < count && !overtakes; ++j)
      overtakes = (type && chosen_type(j)) || (choices[j] >= 0 && alternative(row.items[j], parts[part]) >= 0);
    if (overtakes) continue;
    choices[i] = static_cast<std::int8_t>(choice);
    if (match_in_any_sequence(row, parts, part + 1, choices)) return true;
    choices[i] = -1;
  }
  return false;
}

std::string list_of(std::vector<std::string_view> words) {
  constexpr std::size_t kMost = 16;
  // Hints such as L2::64B come last, because the user more often misses a type or a rounding mode.
  std::stable_partition(words.begin(), words.end(),
                        [](std::string_view word) { return word.find("::") == std::string_view::npos; });
  std::string text;
  const std::size_t shown = std::min(words.size(), kMost);
  for (std::size_t i = 0; i < shown; ++i) {
    if (i != 0) text += i + 1 == shown && shown == words.size() ? " or " : ", ";
    text += '.';
    text += words[i];
  }
  if (shown < words.size()) text += ", ...";
  return text;
}

std::string explain(std::string_view opcode, const std::vector<std::string_view>& parts, const Progress& progress) {
  std::string understood(opcode);
  for (std::size_t i = 0; i < progress.part && i < parts.size(); ++i) (understood += '.') += parts[i];
  if (progress.no_such_combination && progress.part >= parts.size())
    return "'" + understood + "' does not exist: its modifiers do not go together";
  std::string text = "expected ";
  if (progress.expected.empty())
    text += "nothing more";
  else
    text += list_of(progress.expected) + (progress.end ? " or nothing more" : "");
  text += " after '" + understood + "'";
  if (progress.part < parts.size()) text += ", found '." + base::printable(parts[progress.part], 40) + "'";
  return text;
}

/// Returns the number of insertions, deletions and replacements between two words; results above 2 are not exact.
unsigned distance(std::string_view a, std::string_view b) {
  if (a.size() > b.size() + 2 || b.size() > a.size() + 2 || a.size() > 30) return 99;
  std::array<unsigned, 34> row{};
  for (unsigned j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    unsigned diagonal = row[0];
    row[0] = static_cast<unsigned>(i) + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const unsigned replaced = diagonal + (a[i] != b[j] ? 1 : 0);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view Match::operator[](std::string_view label) const {
  for (std::size_t i = 0; i < row_->items.size(); ++i)
    if (choices_[i] >= 0 && row_->items[i].label == label)
      return row_->items[i].alternatives[static_cast<std::size_t>(choices_[i])];
  return {};
}

bool Match::has(std::string_view text) const {
  for (std::size_t i = 0; i < row_->items.size(); ++i)
    if (choices_[i] >= 0 && row_->items[i].alternatives[static_cast<std::size_t>(choices_[i])] == text) return true;
  return false;
}

Type Match::type(std::string_view label) const {
  for (std::size_t i = 0; i < row_->items.size(); ++i)
    if (choices_[i] >= 0 && row_->items[i].label == label)
      return row_->items[i].types[static_cast<std::size_t>(choices_[i])];
  return Type::kNone;
}

Type Match::type(const OperandSpec& operand) const {
  if (operand.type != Type::kNone) return operand.type;
  const Type type = this->type(operand.type_label);
  return operand.widen ? detail::widened(type) : type;
}

std::string Match::spelling() const {
  std::string text = row_->opcode;
  for (std::size_t i = 0; i < row_->items.size(); ++i) {
    if (choices_[i] < 0) continue;
    text += '.';
    text += row_->items[i].alternatives[static_cast<std::size_t>(choices_[i])];
  }
  return text;
}

// These functions are not inline, so that the baseline code does not use a copy that was compiled for AVX2.
void TableBuilder::add(Row row) { rows_.push_back(std::move(row)); }
void TableBuilder::add_pure(Row row) {
  row.result = ResultOf::kOperands;
  add(std::move(row));
}
void TableBuilder::refuse(std::string opcode, std::string why) {
  refused_.push_back({std::move(opcode), std::move(why)});
}

struct InstructionTable::Impl {
  std::string variant;
  std::vector<std::unique_ptr<Row>> rows;
  std::vector<Unsupported> refused;
  std::unordered_map<std::string_view, std::vector<const Row*>> by_opcode;
  std::unordered_map<std::string_view, const Unsupported*> refused_first;

  // Cache of spellings found before. Only valid spellings are kept, so bad input cannot fill the cache.
  mutable std::mutex mutex;
  mutable std::deque<std::string> spellings;
  mutable std::unordered_map<std::string_view, Match> cache;

  [[nodiscard]] Match look_up(std::string_view spelling, LookupError& error) const;
  [[nodiscard]] Match cached(std::string_view spelling, LookupError& error) const;
  [[nodiscard]] const Unsupported* refusal(std::string_view spelling, const std::vector<std::string_view>& parts) const;
  [[nodiscard]] std::string unknown(std::string_view opcode) const;
};

InstructionTable::InstructionTable(std::string_view variant) : impl_(std::make_unique<Impl>()) {
  impl_->variant = variant;
  TableBuilder builder;
  std::size_t own = 0;
  if (variant == "avx2")
    avx2::all_families(builder);
  else
    baseline::all_families(builder);
  own = builder.rows_.size();
  {
    Extensions& added = extensions();
    const std::lock_guard<std::mutex> lock(added.mutex);
    added.closed = true;
    for (void (*add_rows)(TableBuilder&) : added.functions) add_rows(builder);
  }
  // Rows added by `extend` are searched first.
  std::rotate(builder.rows_.begin(), builder.rows_.begin() + static_cast<std::ptrdiff_t>(own), builder.rows_.end());

  impl_->refused = std::move(builder.refused_);
  for (Row& row : builder.rows_) {
    impl_->rows.push_back(std::make_unique<Row>(std::move(row)));
    detail::parse_row(*impl_->rows.back());
    impl_->by_opcode[impl_->rows.back()->opcode].push_back(impl_->rows.back().get());
  }
  for (const Unsupported& refused : impl_->refused) {
    if (refused.opcode[0] != '%' && refused.opcode.find(' ') == std::string::npos)
      impl_->refused_first.emplace(first_part(refused.opcode), &refused);
  }
}

InstructionTable::~InstructionTable() = default;

bool InstructionTable::has_avx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
         __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("bmi2") != 0;
#else
  return false;
#endif
}

const InstructionTable& InstructionTable::of_variant(std::string_view variant) {
  if (variant == "baseline") {
    static const InstructionTable table("baseline");
    return table;
  }
  if (variant != "avx2")
    throw base::InputError("lane handlers '" + base::printable(variant) + "' do not exist", "use baseline or avx2");
  if (!has_avx2())
    throw base::InputError("this processor cannot run the lane handlers built for AVX2 and FMA", "use baseline");
  static const InstructionTable table("avx2");
  return table;
}

const InstructionTable& InstructionTable::instance() {
  static const InstructionTable& table = []() -> const InstructionTable& {
    const char* const wanted = std::getenv("CASTOR_LANES");
    if (wanted != nullptr && *wanted != 0) return of_variant(wanted);
    return of_variant(has_avx2() ? "avx2" : "baseline");
  }();
  return table;
}

bool InstructionTable::extend(void (*add_rows)(TableBuilder&)) {
  Extensions& added = extensions();
  const std::lock_guard<std::mutex> lock(added.mutex);
  if (added.closed)
    throw base::InputError("instructions were added after the instruction table had been used",
                           "add them before the first module is read, for example by the initialiser of a global");
  added.functions.push_back(add_rows);
  return true;
}

const Unsupported* InstructionTable::Impl::refusal(std::string_view spelling,
                                                   const std::vector<std::string_view>& parts) const {
  const Unsupported* best = nullptr;
  for (const Unsupported& candidate : refused) {
    const std::string_view what = candidate.opcode;
    const std::size_t space = what.find(' ');
    if (what[0] == '.' || space != std::string_view::npos) {
      if (space != std::string_view::npos && first_part(spelling) != what.substr(0, space)) continue;
      const std::string_view part = what.substr(space == std::string_view::npos ? 1 : space + 2);
      if (best == nullptr && std::find(parts.begin(), parts.end(), part) != parts.end()) best = &candidate;
    } else if (spelling.substr(0, what.size()) == what &&
               (spelling.size() == what.size() || spelling[what.size()] == '.')) {
      if (best == nullptr || best->opcode[0] == '.' || best->opcode.find(' ') != std::string::npos ||
          best->opcode.size() < what.size())
        best = &candidate;
    }
  }
  return best;
}

std::string InstructionTable::Impl::unknown(std::string_view opcode) const {
  std::string text = "unknown instruction '" + base::printable(opcode, 40) + "'";
  unsigned best = opcode.size() < 4 ? 2 : 3;
  std::string_view near;
  for (const auto& [name, unused] : by_opcode) {
    if (name[0] == '$') continue;
    const unsigned d = distance(opcode, name);
    if (d < best || (d == best && !near.empty() && name < near)) {
      best = d;
      near = name;
    }
  }
  if (!near.empty()) text += "; did you mean '" + std::string(near) + "'?";
  return text;
}

Match InstructionTable::Impl::look_up(std::string_view spelling, LookupError& error) const {
  const std::string_view opcode = first_part(spelling);
  std::vector<std::string_view> parts;
  for (std::size_t at = opcode.size(); at < spelling.size();) {
    const std::size_t next = std::min(spelling.find('.', at + 1), spelling.size());
    parts.push_back(spelling.substr(at + 1, next - at - 1));
    at = next;
  }
  Progress progress;
  const auto rows_of_opcode = by_opcode.find(opcode);
  if (rows_of_opcode != by_opcode.end()) {
    for (const Row* row : rows_of_opcode->second) {
      std::array<std::int8_t, 16> choices;
      choices.fill(-1);
      Progress reached;
      if (match_items(*row, parts, 0, 0, choices, reached)) {
        const Match match(*row, choices);
        if (row->select == nullptr || row->select(match) != nullptr) return match;
        reached.note(parts.size(), {});
        reached.no_such_combination = true;
      } else if (reached.part < parts.size()) {
        reached.knows_next = knows(*row, parts[reached.part]);
      }
      progress.merge(reached);
    }
  }
  if (rows_of_opcode != by_opcode.end()) {
    for (const Row* row : rows_of_opcode->second) {
      if (parts.size() > row->items.size()) continue;
      std::array<std::int8_t, 16> choices;
      choices.fill(-1);
      if (!match_in_any_sequence(*row, parts, 0, choices)) continue;
      const Match match(*row, choices);
      if (row->select == nullptr || row->select(match) != nullptr) return match;
    }
  }
  if (const Unsupported* const why = refusal(spelling, parts))
    error.message = "'" + base::printable(spelling) + "' is not supported: " + why->why;
  else if (rows_of_opcode == by_opcode.end())
    error.message = unknown(opcode);
  else
    error.message = explain(opcode, parts, progress);
  return {};
}

Match InstructionTable::Impl::cached(std::string_view spelling, LookupError& error) const {
  const std::lock_guard<std::mutex> lock(mutex);
  const auto known = cache.find(spelling);
  if (known != cache.end()) return known->second;
  const Match match = look_up(spelling, error);
  if (match.valid()) {
    spellings.emplace_back(spelling);
    cache.emplace(spellings.back(), match);
  }
  return match;
}

Match InstructionTable::find(std::string_view spelling, LookupError& error) const {
  if (spelling.empty() || spelling[0] == '$') {
    error.message = impl_->unknown(first_part(spelling));
    return {};
  }
  return impl_->cached(spelling, error);
}

bool InstructionTable::is_opcode(std::string_view opcode) const {
  if (opcode.empty() || opcode[0] == '$') return false;
  return impl_->by_opcode.count(opcode) != 0 || impl_->refused_first.count(opcode) != 0;
}

const std::vector<std::unique_ptr<Row>>& InstructionTable::rows() const { return impl_->rows; }
const std::vector<Unsupported>& InstructionTable::refused() const { return impl_->refused; }
const Unsupported* InstructionTable::refused(std::string_view words) const {
  const auto found = std::find_if(impl_->refused.begin(), impl_->refused.end(),
                                  [&](const Unsupported& one) { return one.opcode == words; });
  return found == impl_->refused.end() ? nullptr : &*found;
}
std::string_view InstructionTable::variant() const { return impl_->variant; }

Match InstructionTable::internal(std::string_view spelling) const {
  LookupError error;
  const Match match = impl_->cached(spelling, error);
  CASTOR_ASSERT(match.valid(), "internal instruction %s: %s", std::string(spelling).c_str(), error.message.c_str());
  return match;
}

}  // namespace castor::isa
