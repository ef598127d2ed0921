#pragma once

#include <array>
#include <bitset>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "castor/lax/ports.h"

namespace castor::lax::tb {

/// What a run of the laxity engine must have reached: every arc of its machines, every reason and error, every policy
/// with no, one and many candidates, and the collisions in which hardware goes wrong (docs/blocks/lax.md,
/// "Verification"). Points that a parameter set cannot have are not in its list.
///
/// Errors and interrupts are seen when a register read shows them; classes and estimates through `peek`, if given.
class CoverPoints {
 public:
  struct Point {
    std::string name;
    std::uint64_t hits = 0;
    bool long_run = false;  ///< takes a million cycles or more
  };
  /// A register as it is now, without side effect; Twin::peek.
  using Peek = std::function<std::optional<U32>(U16)>;

  explicit CoverPoints(const Params& params, Peek peek = {});

  /// One cycle: inputs of its clock edge, outputs, registers before the edge. Cycles come in order, without gaps.
  void sample(const Inputs& in, const Outputs& out, const Probes& probes);

  [[nodiscard]] const std::vector<Point>& points() const { return points_; }
  /// Points that were not reached; without `long_run` those that a short run may miss are left out.
  [[nodiscard]] std::vector<std::string> missing(bool long_run = false) const;
  /// Arcs that do not exist, as they were first seen: a bug of the twin, or of the list. Empty in a good run.
  [[nodiscard]] const std::vector<std::string>& impossible() const { return impossible_; }

 private:
  using Id = std::uint16_t;
  static constexpr Id kNone = 0xFFFF;
  static constexpr unsigned kMain = 15, kSubmit = 6, kJob = 6;

  Id add(std::string name);
  void hit(Id id) {
    if (id != kNone) ++points_[id].hits;
  }
  void hit_if(bool condition, Id id) {
    if (condition) hit(id);
  }
  void declare_arcs();
  void declare_selection();
  void declare_rest();
  void arcs(const Probes& probes);
  void jobs(const Probes& probes);
  void selection(const Inputs& in, const Outputs& out, const Probes& probes);
  void verdicts(const Inputs& in, const Outputs& out, const Probes& probes);
  void collisions(const Inputs& in, const Outputs& out, const Probes& probes);
  void rates(const Inputs& in, const Probes& probes);
  void registers(const Inputs& in, const Outputs& out, const Probes& probes);
  void wrong(const std::string& what);
  [[nodiscard]] static unsigned job_state(const Probes& probes, unsigned queue);
  [[nodiscard]] U32 look(unsigned address) const { return peek_ ? peek_(static_cast<U16>(address)).value_or(0) : 0; }

  Params params_;
  Peek peek_;
  std::vector<Point> points_;
  std::vector<std::string> impossible_;

  std::array<std::array<Id, kMain>, kMain> main_{};
  std::array<std::array<Id, kSubmit>, kSubmit> submit_{};
  std::array<std::array<Id, kJob>, kJob> job_{};
  std::array<Id, 4> main_reset_{};
  std::array<Id, 4> submit_reset_{};
  std::array<std::array<std::array<Id, 3>, 10>, 2> eligible_{};  ///< [parse, dispatch][policy][none, one, many]
  std::array<std::array<Id, 4>, 2> class_{};
  std::array<std::array<Id, 2>, 2> end_queue_{};
  std::array<Id, 8> reason_{};
  std::array<Id, 10> error_{};
  std::array<Id, 7> irq_{};
  std::array<Id, 3> border_{}, event_at_open_{}, kd_at_visit_{}, wait_for_wgc_{};
  std::vector<Id> grant_in_group_;
  struct {
    Id all_in_one, wgc_at_list_read, wait_for_key_commit, wait_for_key_verdict, space, verdicts_full, done_full,
        pend_full, pop_verdict, pop_meets_port, pop_done, table_waits, tick_meets_activity, tick_meets_submit,
        tick_meets_stall, tick_meets_reset, preempt, preempt_ends, reset_takes_verdict, now_wraps, first_rate,
        rate_again, rate_held, rate_saturated, preloaded, cleared, clear_refused, one_slot, full_list, done_in_append,
        bypass, dropped, arrivals_wrap, offer_withdrawn, ack_and_submit, job_met, job_missed, best_effort,
        admission_in_turn, external, below_threshold, demoted, starts_apart, foreign;
  } id_{};

  // What came before
  bool started_ = false;
  bool was_reset_ = false;
  Inputs in_;
  Outputs out_;
  Probes was_;
  U32 control_ = 0x00301582;
  unsigned slots_ = 0;
  unsigned arrivals_ = 0;
  std::array<U32, 256> deadline_{};
  std::array<U64, 256> start_{};
  std::bitset<256> begun_;  ///< kernel types with an event since they were reset or cleared
  bool update_last_ = false;
};

}  // namespace castor::lax::tb
