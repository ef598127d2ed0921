#include "tb/lax/changes.h"

// Changes of rates, policies, updates and registers.

namespace castor::lax::tb::changes {

void rules(Knobs& knobs) {
  knobs.break_rule = 6000;
  knobs.lie = 3000;
  knobs.illegal_access = 10000;
  knobs.status_reads = 30000;
  knobs.future_start = 3000;
}

void equal_keys(Knobs& knobs) {
  enough_work(knobs);
  knobs.policy = 0;
}

void saturation(Knobs& knobs) {
  knobs.huge = kAlways;
  knobs.preload = kAlways;
  knobs.preload_value = ~U32{0};
  knobs.deadline_bits = 32;
  knobs.repeat_beat = 16000;
}

void fastest(Knobs& knobs) {
  knobs.preload = kAlways;
  knobs.preload_value = 1;
  knobs.service = 0;
  knobs.min_groups = 60;
}

void poll(Knobs& knobs) {
  knobs.poll_tables = true;
  knobs.acknowledge = 8000;
}

void reconfigure(Knobs& knobs) {
  knobs.access = 20000;
  knobs.write = 40000;
  knobs.reconfigure = 12000;
  knobs.soft_reset = 800;
}

void resets(Knobs& knobs) {
  enough_work(knobs);
  knobs.policy = 7;
  knobs.append = 20000;
  knobs.update_period = knobs.prema_period = 1000;
  knobs.reset_after_update = 40000;
  knobs.access = 1500;
  knobs.acknowledge = 60000;
  knobs.submit = 20000;
  knobs.reset_at_tick = true;
  knobs.adm_ready = 8000;
  knobs.groups = 30;
}

void overrun(Knobs& knobs) {
  enough_work(knobs);
  knobs.policy = 7;
  knobs.kernel_types = 0;
  knobs.full_list = kAlways / 2;
  knobs.update_period = knobs.prema_period = 1000;
  knobs.slots = 8;
  knobs.groups = 40;
  knobs.status_reads = 65500;  // table accesses wait for the end of an update and occupy the port
}

void published(Knobs& knobs) {
  enough_work(knobs);
  knobs.control = 0x00300183;
  knobs.deadline = 6000;
  knobs.update_period = 1000;
  knobs.slots = 4;
  knobs.service = 600;
}

void frozen(Knobs& knobs) {
  knobs.random_control = false;
  knobs.control = kControlLax | 8U;
  knobs.reconfigure = 300;
}

void back_to_back(Knobs& knobs) {
  enough_work(knobs);
  knobs.control = kControlLax;
  knobs.kernel_types = 0;
  knobs.update_period = 1000;
  knobs.access = 3000;
  knobs.deadline_bits = 30;
  knobs.kernels = 16;
  knobs.groups = 400;
  knobs.slots = 200;
  knobs.service = 1000;
}

void swings(Knobs& knobs) {
  knobs.service_swings = true;
  knobs.service = 4000;
  knobs.groups = 50;
  knobs.slots = 200;
}

void prema(Knobs& knobs) {
  enough_work(knobs);
  knobs.policy = 7;
  knobs.slots = 3;
  knobs.groups = 12;
  knobs.service = 1500;
  knobs.update_period = 1000;
  knobs.prema_period = 1300;
  knobs.deadline_bits = 28;
  knobs.submit = 4000;
}

void bypass(Knobs& knobs) {
  enough_work(knobs);
  knobs.control = kControlLax | 1U << 15U;
  knobs.submit = 600;
  knobs.deadline_bits = 13;
  knobs.update_period = 1000;
}

void tokens(Knobs& knobs) {
  enough_work(knobs);
  knobs.policy = 7;
  knobs.isolated = 120 * 256;
  knobs.deadline_bits = 14;
  knobs.submit = 8000;
  knobs.prema_priority = 1;
  knobs.slots = 2;
  knobs.service = 1500;
  knobs.groups = 12;
  knobs.update_period = 1000;
  knobs.prema_period = 1300;
  knobs.poll_tables = true;
  knobs.acknowledge = 8000;
}

void rankings(Knobs& knobs) {
  enough_work(knobs);
  knobs.policy = 7;
  knobs.policies = 1U << 6U | 1U << 7U;
  knobs.parse_grant = 300;
  knobs.deadline_bits = 16;
  knobs.no_deadline = 0;
  knobs.submit = 8000;
  knobs.slots = 1;
  knobs.service = 900;
  knobs.groups = 12;
  knobs.update_period = 1000;
  knobs.prema_period = 7000;
  knobs.write = 8000;
  knobs.reconfigure = 1500;
}

void products(Knobs& knobs) {
  enough_work(knobs);
  knobs.huge = 24000;
  knobs.preload = kAlways;
  knobs.update_period = 1000;
  knobs.deadline_bits = 32;
  knobs.write = 20000;
  knobs.access = 60000;
}

void powers(Knobs& knobs) {
  products(knobs);
  knobs.huge = 0;
  knobs.powers = 50000;
  knobs.full_list = 0;
  knobs.kernels = 2;
}

void reset_by_turn(Knobs& knobs) {
  enough_work(knobs);
  knobs.policies = 1U;  // round robin only
  knobs.policy = 0;
  knobs.now = twin::mask(48) - 100000;
  knobs.parse_grant = 2000;
  knobs.write = 30000;
  knobs.soft_reset = 300;
  knobs.acknowledge = 8000;
}

void reset_turn(Knobs& knobs) {
  enough_work(knobs);
  knobs.policy = 7;
  knobs.prema_period = 1000;
  knobs.update_period = 1003;
  knobs.reset_after_update = kAlways;
  knobs.pause_after_reset = 1004;
  knobs.submit = 4000;
  knobs.write = 0;
  knobs.access = 1000;
}

void aimed_resets(Knobs& knobs) {
  enough_work(knobs);
  knobs.aim_at = Aim::kResets;
  knobs.control = kControlOpen | 1U << 16U;
  knobs.now = U64{1} << 40U;
  knobs.update_period = knobs.prema_period = 1000;
  knobs.kernel_types = 4;
  knobs.deadline_bits = 10;
  knobs.submit = 8000;
  knobs.append = 2000;
  knobs.slots = 3;
  knobs.kernels = 2;
  knobs.groups = 4;
  knobs.service = 60;
  knobs.break_rule = 2000;
}

void aimed_rankings(Knobs& knobs) {
  equal_tokens(knobs);
  knobs.aim_at = Aim::kRankings;
  knobs.append = 0;
  knobs.kernels = knobs.groups = 1;
  knobs.slots = 2;
  knobs.service = 3000;
}

void aimed_ticks(Knobs& knobs) {
  overrun(knobs);
  knobs.aim_at = Aim::kTicks;
  knobs.queues = knobs.kernel_types = 32;
  knobs.clears = 8000;
}

void clearings(Knobs& knobs) {
  instant(knobs);
  knobs.update_period = 4000;
  knobs.kernel_types = 2;
  knobs.access = knobs.write = knobs.clears = kAlways;
  knobs.adm_ready = 16000;
  knobs.acknowledge = 16000;
  knobs.illegal_access = 0;
  knobs.break_rule = 8000;
}

void equal_tokens(Knobs& knobs) {
  enough_work(knobs);
  knobs.policy = 7;
  knobs.queues = 12;
  knobs.isolated = ~U32{0};
  knobs.priorities = true;
  knobs.write = 20000;
  knobs.reconfigure = 8000;
  knobs.deadline_bits = 28;
  knobs.submit = 8000;
  knobs.slots = 5;
  knobs.service = 900;
  knobs.groups = 12;
  knobs.update_period = 3000;  // a waiting update has priority over a ranking
  knobs.prema_period = 1000;
}

void sampled_ends(Knobs& knobs) {
  enough_work(knobs);
  knobs.end_in_time = true;
  knobs.kernel_types = 2;
  knobs.kernels = 3;
  knobs.groups = 2;
  knobs.service = 20;
  knobs.update_period = 1000;
}

void visited_ends(Knobs& knobs) {
  enough_work(knobs);
  knobs.end_in_visit = true;
  knobs.rest = 0;
  knobs.append = 0;
  knobs.kernels = 1;
  knobs.groups = 2;
  knobs.service = 20;
  knobs.update_period = 1000;
  knobs.access = kAlways;
  knobs.acknowledge = 2000;
  knobs.read_ended = 50000;
  knobs.resubmit = 200;
}

void ranked_ends(Knobs& knobs) {
  equal_tokens(knobs);
  knobs.end_in_time = true;
  knobs.append = 0;
  knobs.kernels = knobs.groups = 1;
  knobs.slots = 2;
  knobs.service = 3000;
}

void early(Knobs& knobs) {
  enough_work(knobs);
  knobs.early = true;
  knobs.write = 8000;
  knobs.soft_reset = 4000;
}

void work_ahead(Knobs& knobs) {
  enough_work(knobs);
  knobs.control = kControlLax | 8U;
  knobs.policy = 1;
  knobs.policies = 1U << 1U | 1U << 8U;
  knobs.kernel_types = 0;
  knobs.huge = knobs.preload = kAlways;
  knobs.preload_value = ~U32{0};
  knobs.deadline = ~U32{0} - 1;
  knobs.adm_ready = knobs.beat = kAlways;
  knobs.adm_stall = 0;
  knobs.slots = 4;
  knobs.service = 20000;
  knobs.write = 4000;
  knobs.reconfigure = 8000;
}

void full_tokens(Knobs& knobs) {
  prema(knobs);
  knobs.isolated = 1;
  knobs.slots = 1;
  knobs.queues = 12;
  knobs.prema_priority = 9;
  knobs.write = 8000;
  knobs.service = 3000;
}

/// Per update, a waiting job of the short kernel types waits for 256 isolated times, a job of the other types for two.
void equal_low_tokens(Knobs& knobs) {
  enough_work(knobs);
  knobs.policy = 7;
  knobs.queues = knobs.kernel_types = 4;
  knobs.isolated = 4 * 256;
  knobs.isolated_other = 512 * 256;
  knobs.full_list = knobs.append = knobs.write = 0;
  knobs.kernels = knobs.groups = 1;
  knobs.age_bits = 14;
  knobs.no_deadline = kAlways;
  knobs.slots = 1;
  knobs.service = 3000;
  knobs.update_period = knobs.prema_period = 1024;
}

void demoted(Knobs& knobs) {
  enough_work(knobs);
  knobs.policy = 6;
  knobs.queues = 4;
  knobs.deadline_bits = 14;
  knobs.no_deadline = knobs.extreme_deadline = 0;
  knobs.kernels = 12;
  knobs.groups = 2;
  knobs.slots = 3;
  knobs.update_period = 1000;
  knobs.write = 0;
}

void external(Knobs& knobs) {
  enough_work(knobs);
  knobs.policy = 9;
  knobs.access = kAlways;
  knobs.write = 50000;
  knobs.update_period = 20000;
}

void pops(Knobs& knobs) {
  enough_work(knobs);
  knobs.control = kControlOpen | 1U << 16U;
  knobs.adm_ready = 400;
  knobs.adm_stall = 0;
  knobs.access = kAlways;
  knobs.acknowledge = 30000;
  knobs.verdict_pops = 20000;
  knobs.status_reads = 60000;  // table accesses wait for the end of an admission pass and occupy the port
  knobs.kernels = knobs.groups = 1;
  knobs.service = 3;
  knobs.resubmit = 8000;
  knobs.deadline_bits = 12;
  knobs.update_period = 4000;
}

void seldom_granted(Knobs& knobs) {
  enough_work(knobs);
  knobs.policy = 0;
  knobs.queues = 2;
  knobs.parse_grant = 150;
  knobs.no_deadline = kAlways;
  knobs.append = 0;
  knobs.update_period = 1000;
  knobs.access = 8000;
  knobs.acknowledge = 8000;
  knobs.write = 30000;
  knobs.soft_reset = 1600;
}

}  // namespace castor::lax::tb::changes
