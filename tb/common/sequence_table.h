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

/// Table of a block's stimulus sequences: each row has a name, a purpose and a factory function.
namespace castor::tb {

/// Name and properties of a stimulus sequence of a block.
struct SequenceInfo {
  std::string_view name;
  std::string_view meaning;
  bool keeps_contract = true;  ///< false: the sequence deliberately violates the input contract of the block
  bool medley = false;         ///< the sequence combines all other sequences that are not `alone`
  twin::Cycle settles = 0;     ///< cycles from reset until the sequence reaches the situation it is made for
  bool alone = false;          ///< the sequence is no part of the medley and has a default run of its own
};
inline constexpr bool kKeepsContract = true, kBreaksContract = false, kAlone = true;

/// Returns the error for an unknown sequence name, with the list of known names.
[[nodiscard]] inline base::InputError no_sequence(std::string_view block, std::string_view name,
                                                  const std::vector<SequenceInfo>& known) {
  std::string names;
  for (const SequenceInfo& info : known) names += (names.empty() ? "" : ", ") + std::string(info.name);
  return base::InputError(std::string(block) + ": no sequence '" + base::printable(name) + "'", "there are: " + names);
}

/// Table of all sequences of a block; the block's bench owns it.
template <class Block>
class SequenceTable {
 public:
  using Params = typename Block::Params;
  using Made = std::unique_ptr<twin::Sequence<Block>>;
  /// Factory of a sequence. Equal parameters, seed and outputs give equal stimulus, whichever twin is driven. The
  /// parameters must be legal; the seed determines all random choices.
  using Make = Made (*)(const Params& params, std::uint64_t seed);
  /// Returns the number of cycles in which the sequence brings a counter or table to its limit at these parameters.
  /// Returns 0 if an episode of usual length suffices or no such counter exists.
  using Long = twin::Cycle (*)(const Params& params);

  struct Row {
    std::string_view name;
    std::string_view meaning;
    bool keeps_contract;
    Make make;
    twin::Cycle settles = 0;
    Long long_run = nullptr;
    bool alone = false;
  };

  SequenceTable(std::initializer_list<Row> rows) : rows_(rows) {
    for (const Row& row : rows_) {
      infos_.push_back({row.name, row.meaning, row.keeps_contract, false, row.settles, row.alone});
    }
  }

  [[nodiscard]] const std::vector<SequenceInfo>& infos() const { return infos_; }
  /// Returns the length in cycles of the long episode of row `row`; 0 if the usual length suffices.
  [[nodiscard]] twin::Cycle long_run(std::size_t row, const Params& params) const {
    return rows_[row].long_run == nullptr ? 0 : rows_[row].long_run(params);
  }

  /// Makes the sequence `name`. Throws InputError, with the list of names, if the table has no such row.
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

/// Factory of a sequence class with the constructor (params, seed).
template <class Block, class SequenceT>
std::unique_ptr<twin::Sequence<Block>> made_of(const typename Block::Params& params, std::uint64_t seed) {
  return std::make_unique<SequenceT>(params, seed);
}

/// Factories for the sequences of a block that has one model of its surroundings, with the constructor (params, knobs,
/// seed). Each sequence is a function (knobs) or (knobs, params) that changes knobs. The function starts from the
/// default knobs, or from knobs that kDraw draws from the seed.
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
