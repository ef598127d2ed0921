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

/// Highest bit to which an episode takes counts of completions and periods. A count moves by one per cycle.
constexpr unsigned kHighestWindow = 17;

/// Adds an episode with the default knobs after a change.
template <class Change, class... More>
void add(std::vector<Episode>& all, twin::Cycle cycles, Change change, More... more) {
  all.push_back({{}, cycles});
  change(all.back().knobs, more...);
}

void add_short_episodes(std::vector<Episode>& all, const Params& params) {
  add(all, 3000, changes::wide_accesses);
  add(all, 6000, changes::tall_expiry);
  add(all, 6000, changes::tall_bypass);
  add(all, 8000, changes::tall_admission);
  add(all, 5000, changes::tall_ages);
  add(all, 12000, changes::tall_tokens);
  add(all, 14000, changes::tall_isolated);
  add(all, 6000, changes::tall_sums);
  add(all, 4000, changes::tall_lists);
  add(all, 3000, changes::nearly_full_lists, params);
  add(all, 3000, changes::full_verdicts);
  add(all, 6000, changes::borders);
  add(all, 6000, changes::best_effort);
  add(all, 8000, changes::long_times);
  add(all, 8000, changes::instance_times);
  add(all, 4000, changes::long_waits);
  add(all, 4000, changes::products);
}

/// Returns the episodes of a run in their order. After the last one, the run begins again with the first.
std::vector<Episode> episodes(const Params& params) {
  std::vector<Episode> all;
  for (unsigned round = 0; round < 3; ++round) add_short_episodes(all, params);
  for (unsigned bit = 12; bit <= kHighestWindow; ++bit) {
    add(all, (twin::Cycle{1} << bit) + 6000, changes::window, bit);
  }
  add(all, 240'000, changes::held_grants, params);
  add(all, 240'000, changes::held_arrivals, params);
  add(all, 240'000, changes::numbers, params);
  return all;
}

/// Runs the episodes one after another, each from reset and with a seed of its own.
class Ranges final : public Sequence {
 public:
  Ranges(const Params& params, std::uint64_t seed)
      : params_(params), episodes_(episodes(params)), random_(seed ^ 0x72616E676573ULL) {
    start();
  }

  void begin(Inputs& in) override {
    if (driven_) start();
    now_->begin(in);
  }
  [[nodiscard]] bool over() override { return left_ == 0; }
  void drive(Inputs& in) override {
    driven_ = true;
    left_ -= std::min<twin::Cycle>(left_, 1);
    now_->drive(in);
  }
  void react(Inputs& in, const Outputs& out) override { now_->react(in, out); }
  [[nodiscard]] twin::Cycle rest() override { return std::min(now_->rest(), left_); }
  void skip(twin::Cycle n) override {
    left_ -= n;
    now_->skip(n);
  }

 private:
  /// Starts the next episode.
  void start() {
    const Episode& episode = episodes_[next_];
    next_ = (next_ + 1) % episodes_.size();
    left_ = episode.cycles;
    Knobs knobs = episode.knobs;
    if (knobs.now == 0) knobs.now = random_() & kTimeMask;
    now_ = std::make_unique<Environment>(params_, knobs, random_());
    driven_ = false;
  }

  const Params params_;
  const std::vector<Episode> episodes_;
  base::Xoshiro256 random_;
  std::unique_ptr<Environment> now_;
  std::size_t next_ = 0;  // index of the next episode
  twin::Cycle left_ = 0;  // remaining cycles of the current episode
  bool driven_ = false;   // the current episode has begun
};

}  // namespace

std::unique_ptr<Sequence> made_ranges(const Params& params, std::uint64_t seed) {
  return std::make_unique<Ranges>(params, seed);
}

}  // namespace castor::lax::tb
