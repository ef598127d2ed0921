#include "tb/lax/ranges.h"

#include <algorithm>
#include <vector>

#include "castor/base/rng.h"
#include "tb/lax/changes.h"
#include "tb/lax/environment.h"

namespace castor::lax::tb {
namespace {

/// Part of a run between two resets: knobs and length.
struct Episode {
  Knobs knobs;
  twin::Cycle cycles = 0;
};

/// Returns the highest bit to which an episode takes counts of completions and periods. A count moves by one per cycle.
constexpr unsigned kHighestWindow = 18;

std::vector<Episode> short_episodes() {
  std::vector<Episode> all;
  const auto add = [&all](void (*change)(Knobs&), twin::Cycle cycles) {
    all.push_back({{}, cycles});
    change(all.back().knobs);
  };
  add(changes::wide_accesses, 3000);
  add(changes::tall_expiry, 6000);
  add(changes::tall_bypass, 8000);
  add(changes::tall_admission, 4000);
  add(changes::tall_ages, 6000);
  add(changes::tall_tokens, 12000);
  add(changes::tall_isolated, 14000);
  add(changes::tall_sums, 6000);
  return all;
}

/// Returns the episodes of a run in their order. After the last one, the run begins again with the first.
std::vector<Episode> episodes(const Params& params) {
  std::vector<Episode> all;
  for (unsigned round = 0; round < 3; ++round) {
    for (const Episode& one : short_episodes()) all.push_back(one);
  }
  for (unsigned bit = 12; bit <= kHighestWindow; ++bit) {
    all.push_back({{}, (twin::Cycle{1} << bit) + 6000});
    changes::window(all.back().knobs, bit);
  }
  all.push_back({{}, 240'000});
  changes::held_grants(all.back().knobs, params);
  all.push_back({{}, 350'000});
  changes::numbers(all.back().knobs, params);
  return all;
}

/// Runs the episodes one after another, each from reset and with a seed of its own.
class Ranges final : public Sequence {
 public:
  Ranges(const Params& params, std::uint64_t seed)
      : params_(params), episodes_(episodes(params)), random_(seed ^ 0x72616E676573ULL) {}

  void begin(Inputs& in) override {
    const Episode& episode = episodes_[next_];
    next_ = (next_ + 1) % episodes_.size();
    left_ = episode.cycles;
    now_ = std::make_unique<Environment>(params_, episode.knobs, random_());
    now_->begin(in);
  }
  [[nodiscard]] bool over() override { return left_ == 0; }
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
  const Params params_;
  const std::vector<Episode> episodes_;
  base::Xoshiro256 random_;
  std::unique_ptr<Environment> now_;
  std::size_t next_ = 0;  // index of the next episode
  twin::Cycle left_ = 0;  // remaining cycles of the current episode
};

}  // namespace

std::unique_ptr<Sequence> made_ranges(const Params& params, std::uint64_t seed) {
  return std::make_unique<Ranges>(params, seed);
}

}  // namespace castor::lax::tb
