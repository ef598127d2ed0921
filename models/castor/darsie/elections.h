#pragma once

#include "castor/darsie/cycle.h"
#include "castor/darsie/rows.h"
#include "castor/darsie/skip_tables.h"
#include "castor/darsie/verdicts.h"

namespace castor::darsie {

/// Decode side: the verdict on the instructions decoded in a cycle, and the election of a leader.
class Elections {
 public:
  explicit Elections(const Params& params) : age_mask_(static_cast<U8>(twin::mask(params.seq_bits()))) {}
  void reset() {
    verdict_ = {};
    squashed_second_ = 0;
    shown_ = false;
  }

  /// Whether the last `find` set d_act or d_tag.
  [[nodiscard]] bool shown() const { return shown_; }
  /// Sets d_act and d_tag.
  void find(const View& view, const Rows& rows, Outputs& out) {
    verdict_.why = Why::kNone;
    squashed_second_ = 0;
    if (shown_ || view.in.d_valid != 0) find_acts(view, rows, out);
  }
  /// Step 4 of an edge: applies the verdict found last.
  void step(const Edge& edge, Rows& rows, SkipTables& tables);

 private:
  void find_acts(const View& view, const Rows& rows, Outputs& out);
  void judge_slots(const Judge& judge, U8 slots, Outputs& out);
  void count_verdict(Counters& counters) const;
  void elect(const Edge& edge, Rows& rows, SkipTables& tables) const;

  U8 age_mask_;             // mask of a sequence number and of differences of sequence numbers
  Verdict verdict_;         // verdict on the redundant instruction being decoded, if any
  U8 squashed_second_ = 0;  // redundant instructions squashed because an earlier one in the decode group is redundant
  bool shown_ = false;      // the outputs hold d_act or d_tag
};

}  // namespace castor::darsie
