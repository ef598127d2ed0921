#pragma once

#include "tb/lax/knobs.h"

/// Changes that the directed sequences make to the default knobs (`rules` changes drawn knobs). Each function has the
/// name of its sequence; the table in sequences.cpp states the purpose of each sequence.
namespace castor::lax::tb::changes {

/// Reset value and ENABLE: policy LAX, admission test, rates by active time
inline constexpr U32 kControlLax = 0x00301583;
inline constexpr U32 kControlInstance = 0x00301683;  ///< kControlLax with rates by instance time
inline constexpr U32 kControlOpen = 0x00301581;      ///< kControlLax without admission test

/// Sets up a host that always has a job to submit and does not change the configuration.
void enough_work(Knobs& knobs);

// Amount and speed of traffic (traffic_changes.cpp)
void completions(Knobs& knobs);
void one_slot(Knobs& knobs);
void instant(Knobs& knobs);
void headers(Knobs& knobs);
void verdict_stall(Knobs& knobs);
void acknowledge(Knobs& knobs);
void sleepy(Knobs& knobs);
void bursts_before(Knobs& knobs);
void bursts_with(Knobs& knobs);
void bursts_after(Knobs& knobs);
void appends(Knobs& knobs);
void arrivals(Knobs& knobs);
void long_job(Knobs& knobs);
void foreign(Knobs& knobs);
void crowd(Knobs& knobs);
void append_races(Knobs& knobs);
void in_flight(Knobs& knobs);
void numbers(Knobs& knobs, const Params& params);

// Deadlines and jumps of the time `now` (time_changes.cpp)
void all_late(Knobs& knobs);
void deadlines(Knobs& knobs);
void time_wrap(Knobs& knobs);
void border(Knobs& knobs);
void expiry(Knobs& knobs);
void leaps(Knobs& knobs);
void long_times(Knobs& knobs);
void instance_times(Knobs& knobs);
void borders(Knobs& knobs);
void best_effort(Knobs& knobs);
void waits(Knobs& knobs);
void long_waits(Knobs& knobs);
void close_deadlines(Knobs& knobs);

// Rates, policies, updates and registers (policy_changes.cpp)
void rules(Knobs& knobs);
void equal_keys(Knobs& knobs);
void saturation(Knobs& knobs);
void fastest(Knobs& knobs);
void poll(Knobs& knobs);
void reconfigure(Knobs& knobs);
void resets(Knobs& knobs);
void overrun(Knobs& knobs);
void published(Knobs& knobs);
void frozen(Knobs& knobs);
void back_to_back(Knobs& knobs);
void swings(Knobs& knobs);
void prema(Knobs& knobs);
void bypass(Knobs& knobs);
void tokens(Knobs& knobs);
void rankings(Knobs& knobs);
void products(Knobs& knobs);
void reset_by_turn(Knobs& knobs);
void reset_turn(Knobs& knobs);
void aimed_resets(Knobs& knobs);
void aimed_rankings(Knobs& knobs);
void aimed_ticks(Knobs& knobs);
void clearings(Knobs& knobs);
void equal_tokens(Knobs& knobs);
void sampled_ends(Knobs& knobs);
void visited_ends(Knobs& knobs);
void ranked_ends(Knobs& knobs);
void early(Knobs& knobs);
void work_ahead(Knobs& knobs);
void full_tokens(Knobs& knobs);
void equal_low_tokens(Knobs& knobs);
void demoted(Knobs& knobs);
void external(Knobs& knobs);
void pops(Knobs& knobs);
void seldom_granted(Knobs& knobs);
void powers(Knobs& knobs);

// Ends of ranges (range_changes.cpp)
void tall_expiry(Knobs& knobs);
void tall_bypass(Knobs& knobs);
void tall_admission(Knobs& knobs);
void tall_ages(Knobs& knobs);
void tall_tokens(Knobs& knobs);
void tall_isolated(Knobs& knobs);
void tall_sums(Knobs& knobs);
void tall_lists(Knobs& knobs);
void nearly_full_lists(Knobs& knobs, const Params& params);
void wide_accesses(Knobs& knobs);
void full_verdicts(Knobs& knobs);
void held_grants(Knobs& knobs, const Params& params);
void held_arrivals(Knobs& knobs, const Params& params);
/// A job whose completions and periods have bit `bit` as their only high bit. It takes 2^bit + 6000 cycles.
void window(Knobs& knobs, unsigned bit);

}  // namespace castor::lax::tb::changes
