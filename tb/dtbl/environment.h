#pragma once

#include <deque>
#include <map>
#include <optional>
#include <queue>
#include <vector>

#include "castor/base/rng.h"
#include "tb/common/edges.h"
#include "tb/dtbl/knobs.h"
#include "tb/dtbl/sequences.h"

namespace castor::dtbl::tb {

/// Model of the GPU around the block. Kernels become resident and are released, threads launch groups, SMs accept and
/// complete thread blocks, and memory holds the records of groups. The model keeps the contract of the block's
/// surroundings, unless the knobs under "Violations of the contract" are set.
///
/// The key inputs must belong to the kernel entry that the block examines in the same cycle. The model therefore tracks
/// the block's search from the beats and agg_ready.
class Environment final : public Sequence {
 public:
  Environment(const Params& params, const Knobs& knobs, std::uint64_t seed);

  void begin(Inputs& in) override;
  void drive(Inputs& in) override;
  void react(Inputs& in, const Outputs& out) override;
  [[nodiscard]] base::Cycle rest() override { return rest_; }
  void skip(base::Cycle n) override {
    rest_ -= n;
    cycle_ += n;
  }
  [[nodiscard]] bool over() override { return knobs_.over != 0 && cycle_ >= over_at_; }

 private:
  struct Entry {
    bool written = false;
    Key key;
    U64 waiting = 0;  ///< thread blocks not yet placed
    U64 running = 0;
  };
  struct Group {
    U64 dim = 0;
    U64 left = 0;
    U32 next = 0;  ///< link in the group's record: reference of the following group
  };
  struct Running {
    base::Cycle due = 0;
    U32 agei = kNone;
    unsigned entry = 0;
    bool operator>(const Running& other) const { return due > other.due; }
  };
  struct Beat {
    bool first = false, last = false;
    U8 sm = 0, warp = 0, lane = 0, level = 0;
    Key key;
    U64 dim = 0;
    U32 param = 0;
  };
  struct Reply {
    base::Cycle due = 0;
    U64 dim = 0;
    U32 next = 0;
  };

  /// Resets the model.
  void forget();
  void draw_key(std::size_t i);
  void new_command();
  void place_record(Beat& beat);
  [[nodiscard]] U64 draw_dim(unsigned most);
  [[nodiscard]] U64 draw_row();
  [[nodiscard]] U64 draw_wide();
  [[nodiscard]] U64 beside_a_power(unsigned bits);
  void show_beat(Inputs& in);
  void follow_search(const Inputs& in, const Outputs& out);
  void follow_attach(const Outputs& out);
  void follow_memory(const Inputs& in, const Outputs& out);
  void act(Inputs& in, const Outputs& out);
  void place(Inputs& in, const Outputs& out);
  void complete(Inputs& in, const Outputs& out);
  void install(Inputs& in, const Outputs& out);
  void release(const Outputs& out);
  void break_a_rule(Inputs& in, const Outputs& out);

  [[nodiscard]] bool chance(unsigned rate) { return random_.below(kAlways) < rate; }
  [[nodiscard]] unsigned below(unsigned bound) { return static_cast<unsigned>(random_.below(bound)); }
  [[nodiscard]] static U64 count(U64 dim);

  Params params_;
  Knobs knobs_;
  base::Xoshiro256 random_;
  castor::tb::PortEdges<Block> edges_;
  std::vector<Key> keys_;
  std::vector<Entry> entries_;
  std::deque<Beat> beats_;        // beats of the command that is being offered
  std::map<U32, Group> groups_;   // groups that are attached and not finished, by reference
  std::vector<Running> running_;  // thread blocks on SMs, as a heap; the earliest completion is on top
  std::optional<Reply> reply_;
  base::Cycle cycle_ = 0;
  base::Cycle rest_ = 0;
  base::Cycle over_at_ = 0;
  bool resting_ = false;
  bool continues_ = false;  // the previous command was not terminated; the next beats continue that command
  U32 block_ = 0;           // memory block with parameters and record of the group launched last
  std::deque<U32> shown_;   // references of the records of the most recent groups
  bool filled_ = false;     // set when the group table becomes full, cleared when it is half empty
  // State of the block's search, as the model reconstructs it from the beats.
  LaunchState search_ = LaunchState::kSearch;
  U8 pointer_ = 0;
  Key run_;
};

}  // namespace castor::dtbl::tb
