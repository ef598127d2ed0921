#include "castor/hookup/lax/lax_configuration.h"

#include <algorithm>
#include <string>

#include "castor/base/error.h"
#include "castor/hookup/twin_of.h"
#include "castor/lax/engine.h"
#include "castor/lax/register_map.h"

namespace castor::hookup {

lax::Params lax_params(const gpu::Machine& machine) {
  lax::Params params;
  params.NumQueues = machine.queue.count;
  params.MaxKt = machine.lax.max_kt;
  params.NumKt = machine.lax.num_kt;
  params.SelWidth = machine.lax.sel_width;
  params.VqDepth = machine.lax.vq_depth;
  params.ParseLanes = machine.parse.lanes;
  params.check();
  return params;
}

std::unique_ptr<twin::Twin<lax::Block>> lax_twin(const gpu::Machine& machine) {
  return twin_of<lax::Block>(machine.block(gpu::Block::kLax).engine, lax_params(machine));
}

std::vector<RegisterValue> lax_registers(const gpu::Machine& machine) {
  namespace reg = lax::reg;
  const gpu::Machine::Lax& m = machine.lax;
  if (m.prema_p != 1 && m.prema_p != 3 && m.prema_p != 9) {
    throw base::InputError("key blocks.lax.prema_p: " + std::to_string(m.prema_p), "1, 3 or 9");
  }
  const auto bit = [](bool value, unsigned at) { return static_cast<std::uint32_t>(value) << at; };
  const auto field = [](auto value, unsigned at) { return static_cast<std::uint32_t>(value) << at; };
  const std::uint32_t ctrl = bit(true, 0) | bit(m.admit, 1) | field(m.policy, 4) | field(m.rate_mode, 8) |
                             field(m.warm_policy, 10) | bit(m.prio_class, 12) | field(m.init_prio, 13) |
                             bit(m.bypass, 15) | bit(m.drop_expired, 16) | field(m.ewma_shift, 17) | field(m.leak, 20) |
                             bit(machine.inspect == gpu::Inspect::kWalk, 23);
  constexpr unsigned kMostStored = 0xffff;  // PARSE_LAT and CKPT_BW only keep what others read
  return {{reg::kUpdPeriod, m.update_period},
          {reg::kParseLat, std::min(machine.parse.latency, kMostStored)},
          {reg::kMinWg, m.min_wg},
          {reg::kPremaPeriod, m.prema_period},
          {reg::kCkptBw, std::min(machine.context.bytes_per_cycle, kMostStored)},
          {reg::kPremaP, m.prema_p},
          {reg::kCtrl, ctrl}};
}

}  // namespace castor::hookup
