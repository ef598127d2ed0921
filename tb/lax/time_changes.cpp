#include "tb/lax/changes.h"

// Changes of deadlines and of the time `now`.

namespace castor::lax::tb::changes {

void all_late(Knobs& knobs) {
  enough_work(knobs);
  knobs.deadline_bits = 4;
  knobs.no_deadline = knobs.extreme_deadline = 0;
  knobs.update_period = 1000;
}

void deadlines(Knobs& knobs) {
  knobs.extreme_deadline = kAlways;
  knobs.no_deadline = 0;
}

void time_wrap(Knobs& knobs) {
  knobs.now = twin::mask(48) - 6000;
  knobs.age_bits = 13;
  knobs.access = 30000;
}

void border(Knobs& knobs) {
  enough_work(knobs);
  knobs.control = kControlLax | 8U;
  knobs.aim = knobs.preload = kAlways;
  knobs.preload_value = 64 * 256;
  knobs.kernel_types = 0;
  knobs.no_deadline = 0;
  knobs.extreme_deadline = 0;
  knobs.append = 0;
  knobs.write = 0;
  knobs.adm_ready = kAlways;
  knobs.adm_stall = 0;
  knobs.submit = 3000;
}

void expiry(Knobs& knobs) {
  enough_work(knobs);
  knobs.control = kControlOpen | 1U << 16U;
  knobs.deadline_bits = 11;
  knobs.no_deadline = 0;
  knobs.slots = 2;
  knobs.update_period = 1000;
}

void leaps(Knobs& knobs) {
  knobs.leap = 200;
  knobs.status_reads = 20000;
  knobs.deadline_bits = 32;
}

void long_times(Knobs& knobs) {
  enough_work(knobs);
  knobs.random_control = true;
  knobs.leap = 300;
  knobs.leap_bits = 37;
  knobs.leap_kind = Leap::kAny;
  knobs.deadline_bits = 31;
  knobs.age_bits = 24;
  knobs.no_deadline = 3000;
  knobs.submit = 8000;
  knobs.kernel_types = 4;
  knobs.groups = 12;
  knobs.slots = 6;
  knobs.update_period = 1000;
  knobs.prema_period = 1100;
  knobs.access = 60000;
  knobs.write = 8000;
  knobs.reconfigure = 800;
}

void instance_times(Knobs& knobs) {
  long_times(knobs);
  knobs.control = kControlInstance;
  knobs.random_control = false;
  // Sometimes the product of a window and 2, 4 or 8 instances is just above 2^32.
  knobs.leap = 70;
  knobs.leap_bits = 32;
  knobs.leap_kind = Leap::kHighPower;
  knobs.slots = 24;
  knobs.write = 0;
}

void borders(Knobs& knobs) {
  enough_work(knobs);
  knobs.policies = 1U << 1U | 1U << 2U | 1U << 8U;
  knobs.leap = 1500;
  knobs.leap_bits = 47;
  knobs.leap_kind = Leap::kBorder;
  knobs.no_deadline = 55000;
  knobs.deadline_bits = 31;
  knobs.age_bits = 1;
  knobs.groups = 4;
  knobs.slots = 2;
  knobs.service = 200;
  knobs.update_period = 1000;
  knobs.write = 8000;
  knobs.reconfigure = 4000;
}

void best_effort(Knobs& knobs) {
  borders(knobs);
  knobs.control = kControlLax;
  knobs.random_control = false;
  knobs.policies = 0;
  knobs.no_deadline = kAlways;
  knobs.write = 0;
}

void waits(Knobs& knobs) {
  enough_work(knobs);
  knobs.policy = 7;
  knobs.isolated = 256 * 256;
  knobs.kernels = knobs.groups = 1;
  knobs.full_list = 0;
  knobs.append = 0;
  knobs.no_deadline = kAlways;
  knobs.slots = 1;
  knobs.service = 1500;
  knobs.leap = 200;
  knobs.leap_bits = 24;
  knobs.leap_kind = Leap::kPower;
  knobs.update_period = knobs.prema_period = 1000;
  knobs.write = 0;
}

void long_waits(Knobs& knobs) {
  waits(knobs);
  knobs.isolated = U32{1} << 31U;
  knobs.prema_priority = 9;
  knobs.leap_bits = 33;
}

void close_deadlines(Knobs& knobs) {
  enough_work(knobs);
  knobs.deadline_bits = 11;
  knobs.end_at_deadline = true;
  knobs.no_deadline = knobs.extreme_deadline = 0;
  knobs.age_bits = 1;
  knobs.groups = knobs.kernels = 1;
  knobs.service = 1;
  knobs.parse_latency = 0;
  knobs.submit = 3000;
  knobs.dispatch_grant = knobs.parse_grant = knobs.event = kAlways;
}

}  // namespace castor::lax::tb::changes
