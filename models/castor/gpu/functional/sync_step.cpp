#include "castor/gpu/functional/sync_step.h"

#include <algorithm>
#include <cstring>

#include "castor/base/error.h"
#include "castor/gpu/execution/lane_access.h"
#include "castor/gpu/execution/sync_operands.h"
#include "castor/isa/site_check.h"

namespace castor::gpu::functional {

using isa::LaneMask;

void lose_values(const isa::Program& program, std::uint32_t pc, Warp& warp, unsigned lanes) {
  const isa::SyncSite* const site = isa::find_site(program, pc);
  CASTOR_ASSERT(site != nullptr, "record %u of %s is no site", pc, program.kernel.c_str());
  const std::size_t row = std::size_t{lanes} * 4;
  for (std::uint32_t r = 0; r < program.registers; ++r)
    if (!site->registers[r]) std::memset(warp.registers + r * row, kLostByte, row);
  if (site->predicates) return;
  for (LaneMask& predicate : warp.predicates) predicate = ~predicate;
}

void note_read_only(const isa::Record& record, const isa::RegisterView& view, LaneMask mask,
                    std::vector<ReadOnlyRange>& ranges) {
  const unsigned lane = first_lane(mask);
  const auto shared = lane_value<std::uint32_t>(view, record.src[0], lane);
  if (static_cast<isa::SyncOp>(record.imm) == isa::SyncOp::kReadOnly) {
    ranges.push_back({shared, lane_value<std::uint64_t>(view, record.src[1], lane),
                      lane_value<std::uint32_t>(view, record.src[2], lane)});
    return;
  }
  const auto holds = [&](const ReadOnlyRange& range) {
    return shared >= range.shared && shared - range.shared < range.bytes;
  };
  ranges.erase(std::remove_if(ranges.begin(), ranges.end(), holds), ranges.end());
}

std::optional<ExecutionFault> read_sync(const isa::Record& record, const isa::RegisterView& view, LaneMask mask,
                                        LaneMask live, SyncWait& wait) {
  if (auto wrong = check_sync(record, view, mask, live)) return wrong;
  const SyncOperands operands = sync_operands(record, view, first_lane(mask));
  wait.event = operands.event;
  wait.target = operands.target;
  return std::nullopt;
}

}  // namespace castor::gpu::functional
