#include "tb/lax/changes.h"

// Changes that take values to the ends of their ranges.

namespace castor::lax::tb::changes {

void tall_expiry(Knobs& knobs) {
  expiry(knobs);
  knobs.tall_deadline = kAlways / 2;
  knobs.tall_age = kAlways / 8;
  knobs.slots = 1;
}

void tall_bypass(Knobs& knobs) {
  bypass(knobs);
  knobs.submit = kAlways;
  knobs.tall_deadline = kAlways * 7 / 8;
  knobs.no_deadline = knobs.extreme_deadline = 1000;
  knobs.deadline_bits = 4;
  knobs.age_bits = 12;
  knobs.preload = 0;
  knobs.kernels = knobs.groups = 1;
  knobs.service = 200;
  knobs.parse_latency = 0;
  knobs.adm_ready = knobs.beat = knobs.parse_grant = knobs.dispatch_grant = knobs.event = kAlways;
  knobs.acknowledge = 40000;
}

void tall_admission(Knobs& knobs) {
  tall_bypass(knobs);
  knobs.control = kControlLax | 1U << 15U;
  knobs.tall_age = kAlways / 4;
  knobs.preload = knobs.powers = kAlways;
}

void tall_ages(Knobs& knobs) {
  enough_work(knobs);
  knobs.tall_deadline = kAlways;
  knobs.tall_age = kAlways * 7 / 8;
  knobs.poll_tables = true;
  knobs.kernels = knobs.groups = 1;
  knobs.service = 60;
  knobs.update_period = 1000;
  knobs.acknowledge = 20000;
  knobs.access = 60000;
}

/// Between two updates a waiting job gets 4 units of 1/256 token, and 2^(n - 8) units if `now` jumps by 2^n cycles.
void tall_tokens(Knobs& knobs) {
  waits(knobs);
  knobs.isolated = U32{1} << 24U;
  knobs.leap_bits = 33;
  knobs.leap = 60;
  knobs.service = 3000;
  knobs.prema_period = 9000;
  knobs.access = kAlways;
}

void tall_isolated(Knobs& knobs) {
  prema(knobs);
  knobs.submit = kAlways;
  knobs.powers = kAlways;
  knobs.full_list = 0;
  knobs.kernels = knobs.groups = 1;
  knobs.slots = 1;
  knobs.service = 300;
  knobs.update_period = knobs.prema_period = 1000;
  knobs.acknowledge = 40000;
}

void tall_sums(Knobs& knobs) {
  powers(knobs);
  knobs.powers = kAlways;
  knobs.no_deadline = 0;
  knobs.groups = knobs.service = 1;
  knobs.parse_latency = 0;
  knobs.adm_ready = knobs.beat = knobs.parse_grant = knobs.dispatch_grant = knobs.event = kAlways;
  knobs.acknowledge = 30000;
}

void tall_lists(Knobs& knobs) {
  tall_sums(knobs);
  knobs.full_list = kAlways / 2;
  knobs.append = 6000;
  knobs.split_beat = 30000;
  knobs.deadline_bits = 20;
  knobs.write = 0;
}

/// Lists of one slot less than the most, so that a second beat of the last slot's kernel type fits.
void nearly_full_lists(Knobs& knobs, const Params& params) {
  enough_work(knobs);
  knobs.kernel_types = params.MaxKt > 1 ? params.MaxKt - 1 : 1;
  knobs.full_list = knobs.repeat_beat = kAlways;
  knobs.split_beat = 0;
  knobs.append = 30000;
  knobs.groups = 4;
  knobs.service = 20;
  knobs.acknowledge = 40000;
}

void wide_accesses(Knobs& knobs) {
  enough_work(knobs);
  knobs.future_start = 6000;
  knobs.beyond = kAlways / 2;
  knobs.access = 60000;
  knobs.break_rule = 12000;
  knobs.long_lists = true;
}

void full_verdicts(Knobs& knobs) {
  headers(knobs);
  knobs.adm_ready = 100;
  knobs.deadline_bits = 4;
  knobs.no_deadline = 0;
  knobs.control = kControlLax;
  knobs.kernels = knobs.groups = 1;
}

/// Round robin: queues take their turns while parsed kernels of three others wait for long.
void held_grants(Knobs& knobs, const Params& params) {
  numbers(knobs, params);
  knobs.policy = knobs.policies = 0;
  knobs.write = 0;
  knobs.no_deadline = kAlways;
  knobs.vector_noise = 0;
  knobs.hold_grants = true;
}

/// ... and jobs of one isolated time, so that their arrival numbers decide.
void held_arrivals(Knobs& knobs, const Params& params) {
  held_grants(knobs, params);
  knobs.policy = 3;
  knobs.isolated = 256;
}

void window(Knobs& knobs, unsigned bit) {
  long_job(knobs);
  knobs.policy = 7;
  knobs.groups = (1U << bit) + 40;
  knobs.exact_groups = true;
  knobs.split_beat = knobs.full_list = 0;
  knobs.last_submission = 400;
  knobs.min_groups = 255;
  knobs.update_period = (1U << bit) + 1500;
  knobs.prema_period = (1U << bit) + 2500;
  knobs.access = kAlways;
  knobs.write = knobs.vector_noise = 0;
}

}  // namespace castor::lax::tb::changes
