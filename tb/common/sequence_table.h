#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "castor/base/error.h"
#include "castor/twin/stimulus.h"

/// The sequences of a block: one row each, with a name, what it is for, and how it is made.
namespace castor::tb {

/// A named way to drive a block.
struct SequenceInfo {
  std::string_view name;
  std::string_view meaning;
  bool keeps_contract = true;  ///< false: breaks the rules of the surroundings on purpose
  bool medley = false;         ///< made of the others
  twin::Cycle settles = 0;     ///< cycles from reset until it does what it is for
};
inline constexpr bool kKeepsContract = true, kBreaksContract = false;

/// What to throw for a name that no sequence of the block has.
[[nodiscard]] inline base::InputError no_sequence(std::string_view block, std::string_view name,
                                                  const std::vector<SequenceInfo>& known) {
  std::string names;
  for (const SequenceInfo& info : known) names += (names.empty() ? "" : ", ") + std::string(info.name);
  return base::InputError(std::string(block) + ": no sequence '" + base::printable(name) + "'", "there are: " + names);
}

/// The table of a block.
template <class Block>
class SequenceTable {
 public:
  using Params = typename Block::Params;
  using Made = std::unique_ptr<twin::Sequence<Block>>;
  /// The same parameters and seed give the same stimulus for the same outputs, whatever the twin is. The parameters are
  /// legal; the seed decides everything that is random.
  using Make = Made (*)(const Params& params, std::uint64_t seed);
  /// Cycles after which the sequence has brought a counter or a table to its end at these parameters. 0: an episode of
  /// the usual length does, or there is no such counter.
  using Long = twin::Cycle (*)(const Params& params);

  struct Row {
    std::string_view name;
    std::string_view meaning;
    bool keeps_contract;
    Make make;
    twin::Cycle settles = 0;
    Long long_run = nullptr;
  };

  SequenceTable(std::initializer_list<Row> rows) : rows_(rows) {
    for (const Row& row : rows_) infos_.push_back({row.name, row.meaning, row.keeps_contract, false, row.settles});
  }

  [[nodiscard]] const std::vector<SequenceInfo>& infos() const { return infos_; }
  /// Returns how long row `row` has to run at these parameters, where that is longer than usual; else 0.
  [[nodiscard]] twin::Cycle long_run(std::size_t row, const Params& params) const {
    return rows_[row].long_run == nullptr ? 0 : rows_[row].long_run(params);
  }

  /// A sequence anew. Throws InputError, with the list of names, if there is none of that name.
  [[nodiscard]] Made make(std::string_view name, const Params& params, std::uint64_t seed) const {
    for (const Row& row : rows_) {
      if (row.name != name) continue;
      Made made = row.make(params, seed);
      made->set_keeps_contract(row.keeps_contract);
      return made;
    }
    throw no_sequence(Block::kBlock, name, infos_);
  }

 private:
  std::vector<Row> rows_;
  std::vector<SequenceInfo> infos_;
};

/// How to make a sequence that is a class of its own, with the constructor (params, seed).
template <class Block, class SequenceT>
std::unique_ptr<twin::Sequence<Block>> made_of(const typename Block::Params& params, std::uint64_t seed) {
  return std::make_unique<SequenceT>(params, seed);
}

/// How to make the sequences of a block that has one model of its surroundings, with the constructor (params, knobs,
/// seed). Each is a small function that changes knobs, (knobs) or (knobs, params): their defaults, or those that kDraw
/// draws out of the seed.
template <class Block, class Surroundings, class Knobs, Knobs (*kDraw)(const typename Block::Params&, std::uint64_t)>
struct WithKnobs {
  using Params = typename Block::Params;
  using Made = std::unique_ptr<twin::Sequence<Block>>;

  static Made defaults(const Params& params, std::uint64_t seed) { return made(params, {}, seed); }
  template <auto kChange>
  static Made changed(const Params& params, std::uint64_t seed) {
    return made(params, after<kChange>({}, params), seed);
  }
  static Made drawn(const Params& params, std::uint64_t seed) { return made(params, kDraw(params, seed), seed); }
  template <auto kChange>
  static Made drawn_and_changed(const Params& params, std::uint64_t seed) {
    return made(params, after<kChange>(kDraw(params, seed), params), seed);
  }

 private:
  static Made made(const Params& params, const Knobs& knobs, std::uint64_t seed) {
    return std::make_unique<Surroundings>(params, knobs, seed);
  }
  template <auto kChange>
  static Knobs after(Knobs knobs, const Params& params) {
    if constexpr (std::is_invocable_v<decltype(kChange), Knobs&, const Params&>) {
      kChange(knobs, params);
    } else {
      kChange(knobs);
    }
    return knobs;
  }
};

}  // namespace castor::tb
