#include "castor/hookup/lax/lax_configuration.h"

#include <algorithm>
#include <string>

#include "castor/base/error.h"
#include "castor/hookup/keys.h"
#include "castor/lax/register_map.h"

namespace castor::hookup {

// The choices of a key are listed in the order of their values in CTRL (docs/blocks/lax.md, "Registers").
const std::vector<base::SchemaRow>& lax_keys() {
  constexpr unsigned kMostPeriod = 16'777'215;
  static const std::vector<base::SchemaRow> keys{
      number_key("max_kt", 8, "kernels", 1, 16, "kernel types that the list of one job can hold"),
      number_key("num_kt", 64, "kernels", 1, 256, "kernel types of the profiling table"),
      number_key("sel_width", 16, "queues", 1, 256, "queues compared per cycle by the selection; a power of two"),
      number_key("vq_depth", 32, "jobs", 4, 256, "verdicts, and jobs that wait for admission"),
      choice_key("policy", "lax", {"rr", "fcfs", "edf", "sjf", "ljf", "srf", "mlfq", "prema", "lax", "ext"},
                 "order in which jobs are served"),
      flag_key("admit", true, "jobs that cannot meet their deadline are rejected (policies lax and ext)"),
      number_key("update_period", 150'000, "cycles", 1000, kMostPeriod,
                 "period of the updates of rates and priorities"),
      choice_key("rate_mode", "active", {"wall", "active", "instance", "peakhold"},
                 "time by which completions are divided to compute a rate"),
      choice_key("warm_policy", "deadline_ahead", {"optimistic", "deadline_ahead", "preload"},
                 "time that is assumed for work ahead without a rate"),
      number_key("min_wg", 1, "TBs", 1, 255, "completions that are needed to compute a rate"),
      number_key("ewma_shift", 0, "number", 0, 4, "weight of a new rate is 2^-shift"),
      number_key("leak", 3, "number", 1, 7, "rate_mode peakhold: a rate rises by at most 2^-leak"),
      choice_key("init_prio", "highest", {"highest", "lowest", "computed"}, "priority of a new job"),
      flag_key("prio_class", true, "policy lax: a job's class has precedence over its laxity"),
      flag_key("drop_expired", false, "jobs that have not started by their deadline are dropped"),
      flag_key("bypass", false, "a job that fits at once is accepted even if other work is ahead"),
      number_key("prema_period", 375'000, "cycles", 1000, kMostPeriod, "policy prema: period of the rankings"),
      number_key("prema_p", 1, "number", 1, 9, "policy prema: user priority of every job: 1, 3 or 9")};
  return keys;
}

lax::Params lax_params(const gpu::Machine& machine, const Settings& settings) {
  lax::Params params;
  params.NumQueues = machine.queue.count;
  params.MaxKt = settings.number("max_kt");
  params.NumKt = settings.number("num_kt");
  params.SelWidth = settings.number("sel_width");
  params.VqDepth = settings.number("vq_depth");
  params.ParseLanes = machine.parse.lanes;
  params.check();
  return params;
}

std::vector<RegisterValue> lax_registers(const gpu::Machine& machine, const Settings& settings) {
  namespace reg = lax::reg;
  const unsigned user_priority = settings.number("prema_p");
  if (user_priority != 1 && user_priority != 3 && user_priority != 9) {
    throw base::InputError("key blocks.lax.prema_p: " + std::to_string(user_priority), "1, 3 or 9");
  }
  const auto field = [&settings](const char* key, unsigned at) {
    return static_cast<std::uint32_t>(settings.number(key)) << at;
  };
  const std::uint32_t ctrl = 1U | field("admit", 1) | field("policy", 4) | field("rate_mode", 8) |
                             field("warm_policy", 10) | field("prio_class", 12) | field("init_prio", 13) |
                             field("bypass", 15) | field("drop_expired", 16) | field("ewma_shift", 17) |
                             field("leak", 20) | std::uint32_t{machine.inspect == gpu::Inspect::kWalk} << 23U;
  constexpr unsigned kMostStored = 0xffff;  // PARSE_LAT and CKPT_BW are stored only, without effect
  return {{reg::kUpdPeriod, settings.number("update_period")},
          {reg::kParseLat, std::min(machine.parse.latency, kMostStored)},
          {reg::kMinWg, settings.number("min_wg")},
          {reg::kPremaPeriod, settings.number("prema_period")},
          {reg::kCkptBw, std::min(machine.context.bytes_per_cycle, kMostStored)},
          {reg::kPremaP, user_priority},
          {reg::kCtrl, ctrl}};
}

}  // namespace castor::hookup
