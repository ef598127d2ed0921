#include "tb/lax/changes.h"

// Changes of the amount and speed of traffic.

namespace castor::lax::tb::changes {

void enough_work(Knobs& knobs) {
  knobs.rest = 0;
  knobs.random_control = false;
  knobs.control = kControlOpen;
  knobs.submit = kAlways;
  knobs.access = 30000;
  knobs.soft_reset = 0;
  knobs.reconfigure = 0;
}

void completions(Knobs& knobs) {
  enough_work(knobs);
  knobs.groups = 2000;
  knobs.service = 1;
  knobs.slots = 2000;
  knobs.dispatch_grant = knobs.event = kAlways;
  knobs.kernels = 1;
}

void one_slot(Knobs& knobs) {
  enough_work(knobs);
  knobs.queues = knobs.kernel_types = 1;
  knobs.groups = 3000;
  knobs.kernels = 1;
  knobs.service = 1;
  knobs.dispatch_grant = knobs.parse_grant = knobs.event = kAlways;
}

void instant(Knobs& knobs) {
  enough_work(knobs);
  knobs.groups = 1;
  knobs.service = 0;
  knobs.parse_latency = 0;
  knobs.update_period = 1000;
  knobs.dispatch_grant = knobs.parse_grant = knobs.event = kAlways;
}

void headers(Knobs& knobs) {
  enough_work(knobs);
  knobs.beat = knobs.adm_ready = kAlways;
  knobs.adm_stall = 0;
  knobs.resubmit = kAlways;
  knobs.acknowledge = kAlways;
}

void verdict_stall(Knobs& knobs) {
  knobs.adm_stall = 300;
  knobs.adm_stall_cycles = 20000;
  knobs.submit = kAlways;
}

void acknowledge(Knobs& knobs) {
  enough_work(knobs);
  knobs.queues = 2;
  knobs.resubmit = kAlways;
  knobs.access = knobs.acknowledge = kAlways;
  knobs.groups = knobs.kernels = 1;
  knobs.service = 3;
}

void sleepy(Knobs& knobs) {
  knobs.rest = 2000;
  knobs.rest_cycles = 6000;
  knobs.adm_ready = kAlways;
  knobs.adm_stall = 0;
  knobs.access = 1000;
}

void bursts_before(Knobs& knobs) {
  knobs.burst_period = 990;
  knobs.update_period = 1000;
  knobs.submit = 20000;
}

void bursts_with(Knobs& knobs) {
  knobs.burst_period = knobs.update_period = 1000;
  knobs.submit = 20000;
}

void bursts_after(Knobs& knobs) {
  knobs.burst_period = 1010;
  knobs.update_period = 1000;
  knobs.submit = 20000;
}

void appends(Knobs& knobs) {
  enough_work(knobs);
  knobs.submit = 1000;
  knobs.append = 20000;
  knobs.append_race = 40000;
  knobs.full_list = 16000;
  knobs.kernel_types = 0;
  knobs.kernels = 2;
  knobs.groups = 3;
  knobs.service = 20;
}

void arrivals(Knobs& knobs) {
  enough_work(knobs);
  knobs.kernels = knobs.groups = 1;
  knobs.service = 1;
  knobs.parse_latency = 0;
  knobs.submit = knobs.beat = knobs.adm_ready = knobs.parse_grant = knobs.dispatch_grant = knobs.event = kAlways;
  knobs.adm_stall = 0;
  knobs.append = 0;
  knobs.access = knobs.acknowledge = kAlways;
  knobs.status_reads = 1000;
  knobs.update_period = 100000;
}

void long_job(Knobs& knobs) {
  enough_work(knobs);
  knobs.queues = knobs.kernel_types = knobs.kernels = 1;
  knobs.groups = 15000;
  knobs.service = 1;
  knobs.slots = 2000;
  knobs.dispatch_grant = knobs.parse_grant = knobs.event = kAlways;
  knobs.no_deadline = kAlways;
  knobs.append = knobs.resubmit = 0;
  knobs.update_period = 9000;
}

void foreign(Knobs& knobs) {
  enough_work(knobs);
  knobs.kernel_types = 0;
  knobs.full_list = kAlways / 2;
  knobs.foreign = 4000;
  knobs.access = 40000;
  knobs.write = 30000;
  knobs.soft_reset = 300;
  knobs.update_period = 1000;
}

void crowd(Knobs& knobs) {
  enough_work(knobs);
  knobs.burst_period = 950;
  knobs.update_period = 1000;
  knobs.kernel_types = 0;
  knobs.kernels = knobs.groups = 1;
  knobs.service = 700;
  knobs.parse_latency = 0;
  knobs.beat = knobs.adm_ready = knobs.parse_grant = knobs.dispatch_grant = knobs.event = kAlways;
  knobs.adm_stall = 0;
  knobs.append = 0;
  knobs.access = knobs.acknowledge = kAlways;
}

void in_flight(Knobs& knobs) {
  enough_work(knobs);
  knobs.kernel_types = knobs.kernels = knobs.groups = 1;
  knobs.full_list = knobs.append = 0;
  knobs.slots = 256;
  knobs.service = 40000;
  knobs.parse_latency = 0;
  knobs.parse_lanes = 8;
  knobs.beat = knobs.adm_ready = knobs.parse_grant = knobs.dispatch_grant = knobs.event = kAlways;
  knobs.adm_stall = 0;
  knobs.no_deadline = kAlways;
  knobs.access = 4000;
  knobs.status_reads = kAlways / 2;
  knobs.acknowledge = kAlways;
}

void numbers(Knobs& knobs, const Params& params) {
  arrivals(knobs);
  knobs.random_control = false;
  knobs.policies = 1U << 0U | 1U << 1U | 1U << 4U | 1U << 8U;
  knobs.full_list = knobs.split_beat = 0;
  knobs.update_period = 1000 + 8 * params.NumQueues;
  knobs.min_groups = 255;  // updates are short, and visit jobs that are live for some cycles only
  knobs.parse_lanes = 8;
  knobs.slots = 256;
  knobs.acknowledge = 65000;
  knobs.write = 8000;
  knobs.reconfigure = 4000;
}

void append_races(Knobs& knobs) {
  appends(knobs);
  knobs.append_race = kAlways;
  knobs.race_at_list = true;
  knobs.event = 20000;
  knobs.groups = 1;
  knobs.kernels = 1;
  knobs.service = 1;
}

}  // namespace castor::lax::tb::changes
