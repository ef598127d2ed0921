#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "castor/base/rng.h"
#include "castor/twin/stimulus.h"
#include "tb/common/sequence_table.h"

namespace castor::tb {

/// Sequence that runs all sequences of a block one after another. Each episode starts with a reset, has its own seed
/// and lasts some thousand cycles. Every other episode is the block's first sequence, with knobs drawn from the
/// episode's seed. The episodes in between run all other sequences in rounds, each round in a random order. A long run
/// therefore contains many traffic mixes. The reset between two episodes hits the block in the state that the previous
/// sequence left. A sequence that asks for resets itself (twin::Sequence::over) has them within its episode.
///
/// Some sequences need many cycles to bring a counter or table to its limit (SequenceTable::Long). Such a sequence has
/// one long episode, after the first round. A sequence with the flag `alone` (SequenceInfo) is left out.
template <class Block>
class Medley final : public twin::Sequence<Block> {
 public:
  static constexpr std::string_view kName = "medley";
  static constexpr std::string_view kMeaning = "all sequences in turn, each some thousand cycles from reset";

  using typename twin::Sequence<Block>::Params;
  using typename twin::Sequence<Block>::Inputs;
  using typename twin::Sequence<Block>::Outputs;

  /// `table` must outlive the medley.
  Medley(const SequenceTable<Block>& table, const Params& params, std::uint64_t seed)
      : table_(table), params_(params), random_(seed ^ 0x6D65646C6579ULL) {
    for (std::size_t i = 0; i < table_.infos().size(); ++i) {
      if (table_.infos()[i].alone) continue;
      ++mixed_;
      if (table_.long_run(i, params_) != 0) long_.push_back(i);
    }
    std::reverse(long_.begin(), long_.end());
  }

  void begin(Inputs& in) override {
    if (now_ != nullptr && left_ != 0) {  // the episode's own sequence asked for the reset
      now_->begin(in);
      return;
    }
    const std::uint64_t seed = random_();
    const std::size_t chosen = next();
    const SequenceInfo& info = table_.infos()[chosen];
    now_ = table_.make(info.name, params_, seed);
    constexpr twin::Cycle kLengths[] = {500, 2000, 2000, 8000};
    const twin::Cycle length = long_episode_ ? table_.long_run(chosen, params_) : 0;
    left_ = std::max({kLengths[random_.below(std::size(kLengths))], info.settles, length}) + random_.below(256);
    now_->begin(in);
  }
  [[nodiscard]] bool keeps_contract() const override { return now_->keeps_contract(); }
  [[nodiscard]] bool over() override { return left_ == 0 || now_->over(); }
  void drive(Inputs& in) override {
    --left_;
    now_->drive(in);
  }
  void react(Inputs& in, const Outputs& out) override { now_->react(in, out); }
  [[nodiscard]] twin::Cycle rest() override { return std::min(now_->rest(), left_); }
  void skip(twin::Cycle n) override {
    left_ -= n;
    now_->skip(n);
  }

 private:
  /// Selects the next episode and returns its row in the table.
  [[nodiscard]] std::size_t next() {
    const std::vector<SequenceInfo>& all = table_.infos();
    first_ = !first_;
    long_episode_ = false;
    if (first_ || mixed_ == 1) return 0;
    if (round_.empty()) {
      if (rounds_ != 0 && !long_.empty()) {
        const std::size_t chosen = long_.back();
        long_.pop_back();
        long_episode_ = true;
        return chosen;
      }
      ++rounds_;
      for (std::size_t i = 1; i < all.size(); ++i) {
        if (!all[i].alone) round_.push_back(i);
      }
      for (std::size_t i = round_.size(); i > 1; --i) std::swap(round_[i - 1], round_[random_.below(i)]);
    }
    const std::size_t chosen = round_.back();
    round_.pop_back();
    return chosen;
  }

  const SequenceTable<Block>& table_;
  const Params params_;
  base::Xoshiro256 random_;
  std::unique_ptr<twin::Sequence<Block>> now_;
  twin::Cycle left_ = 0;            // remaining cycles of the current episode
  std::vector<std::size_t> round_;  // rows not yet used in the current round, the next one last
  std::vector<std::size_t> long_;   // rows that have not had their long episode yet, the next one last
  std::size_t mixed_ = 0;           // number of rows that take part
  unsigned rounds_ = 0;             // number of rounds begun
  bool long_episode_ = false;       // the current episode is a long episode
  bool first_ = false;              // the current episode runs the first row
};

}  // namespace castor::tb
