#include "castor/gpu/occupancy.h"

#include <algorithm>
#include <limits>

namespace castor::gpu {
namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint32_t>::max();

std::uint64_t round_up_units(std::uint64_t amount, std::uint64_t unit) { return (amount + unit - 1) / unit; }

std::uint64_t fits(std::uint64_t available, std::uint64_t each) { return each == 0 ? kUnlimited : available / each; }

}  // namespace

std::string_view name(Resource resource) {
  switch (resource) {
    case Resource::kTbSlots:
      return "TB slots";
    case Resource::kWarps:
      return "warps";
    case Resource::kThreads:
      return "threads";
    case Resource::kRegisters:
      return "registers";
    case Resource::kSharedMemory:
      return "shared memory";
  }
  return "";
}

Occupancy occupancy(const Machine& machine, const TbDemand& demand) {
  const Machine::Sm& sm = machine.sm;
  const std::uint64_t warps = round_up_units(std::max(demand.threads, 1U), sm.lanes);
  const std::uint64_t registers_per_warp = std::uint64_t{demand.registers_per_thread} * sm.lanes;
  const std::uint64_t register_units = warps * round_up_units(registers_per_warp, sm.reg_alloc_unit);
  const std::uint64_t shared_units = round_up_units(demand.shared_bytes, sm.smem_alloc_unit);

  Occupancy result;
  result.warps_per_tb = static_cast<unsigned>(warps);
  result.register_units = static_cast<unsigned>(register_units);
  result.shared_units = static_cast<unsigned>(shared_units);

  std::uint64_t tbs = sm.tb_slots;
  result.limit = Resource::kTbSlots;
  const auto limit = [&](Resource resource, std::uint64_t count) {
    if (count >= tbs) return;
    tbs = count;
    result.limit = resource;
  };
  limit(Resource::kWarps, sm.warps / warps);
  limit(Resource::kThreads, demand.threads > sm.max_tb_threads ? 0 : sm.threads / (warps * sm.lanes));
  limit(Resource::kRegisters, demand.registers_per_thread > sm.max_regs_per_thread
                                  ? 0
                                  : fits(sm.registers / sm.reg_alloc_unit, register_units));
  limit(Resource::kSharedMemory,
        demand.shared_bytes > sm.max_tb_smem ? 0 : fits(sm.smem_bytes / sm.smem_alloc_unit, shared_units));

  result.tbs_per_sm = static_cast<unsigned>(tbs);
  result.warp_occupancy = static_cast<double>(tbs * warps) / sm.warps;
  return result;
}

unsigned filter_rows(const Machine& machine, unsigned tbs, unsigned register_units, unsigned most, unsigned least) {
  const std::uint64_t own = std::uint64_t{tbs} * register_units * machine.sm.reg_alloc_unit / machine.sm.lanes;
  const std::uint64_t all = machine.sm.registers / machine.sm.lanes;
  if (tbs == 0 || own >= all) return 0;
  const std::uint64_t rows = std::min<std::uint64_t>(most, (all - own) / tbs);
  return rows < least ? 0 : static_cast<unsigned>(rows);
}

unsigned registers_for(const Machine& machine, unsigned threads, unsigned tbs) {
  const Machine::Sm& sm = machine.sm;
  const std::uint64_t warps = round_up_units(std::max(threads, 1U), sm.lanes) * std::max(tbs, 1U);
  const std::uint64_t units_per_warp = sm.registers / sm.reg_alloc_unit / warps;
  const std::uint64_t registers = units_per_warp * sm.reg_alloc_unit / sm.lanes;
  return static_cast<unsigned>(std::min<std::uint64_t>(registers, sm.max_regs_per_thread));
}

}  // namespace castor::gpu
