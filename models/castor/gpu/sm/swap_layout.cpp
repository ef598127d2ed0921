#include "castor/gpu/sm/swap_layout.h"

#include <algorithm>

#include "castor/base/error.h"

namespace castor::gpu {
namespace {

/// Returns `amount` - `used`, at least 0.
[[nodiscard]] unsigned rest(unsigned amount, unsigned used) { return amount - std::min(amount, used); }

/// Adds the places that hold copies of registers or of shared memory. They are cut from `left` lines of the shared
/// memory (`in_shared`) or of the register file.
void add_copies(const SwapDemand& demand, const SwapStorage& most, bool in_shared, unsigned left, SwapLayout& layout) {
  layout.copy_lines = demand.simt + (in_shared ? demand.live : demand.shared);
  unsigned& homes = in_shared ? layout.shared_homes : layout.register_homes;
  const unsigned home = in_shared ? demand.shared : demand.registers;
  const unsigned most_homes = in_shared ? most.shared_homes : most.register_homes;
  layout.copies = std::min({left / (home + layout.copy_lines), rest(std::min(most.places, most.queue), layout.in_place),
                            rest(most_homes, homes)});
  homes += layout.copies;
  if (layout.copies != 0) layout.direction = in_shared ? SwapDirection::kRegisters : SwapDirection::kShared;
}

/// Returns whether homes and places fit into the storage of the SM.
[[nodiscard]] bool fits(const SwapDemand& demand, const SwapLayout& layout, bool in_shared) {
  const unsigned places = layout.in_place * demand.simt + layout.copies * layout.copy_lines;
  return layout.register_homes * demand.registers + (in_shared ? 0 : places) <= demand.file_registers &&
         layout.shared_homes * demand.shared + (in_shared ? places : 0) <= demand.file_shared;
}

}  // namespace

SwapLayout swap_layout(const SwapDemand& demand, const SwapStorage& most) {
  const unsigned by_registers = demand.file_registers / demand.registers;
  const unsigned by_shared = demand.shared == 0 ? ~0U : demand.file_shared / demand.shared;
  const unsigned most_homes = std::min(most.register_homes, most.shared_homes);
  const unsigned spare = rest(std::min({by_registers, by_shared, most_homes}), demand.slots);
  SwapLayout layout;
  layout.register_homes = layout.shared_homes = demand.slots + spare;
  const unsigned left_registers = demand.file_registers - layout.register_homes * demand.registers;
  const unsigned left_shared = demand.file_shared - layout.shared_homes * demand.shared;
  const bool few_registers = by_registers <= by_shared;
  const bool in_shared = left_shared > left_registers || (left_shared == left_registers && few_registers);
  unsigned left = in_shared ? left_shared : left_registers;
  if (spare != 0) layout.in_place = std::min({spare + 1, left / demand.simt, unsigned{most.places}});
  left -= layout.in_place * demand.simt;
  if (few_registers == in_shared) add_copies(demand, most, in_shared, left, layout);
  CASTOR_ASSERT(fits(demand, layout, in_shared), "spare storage of a swap engine is larger than the SM");
  return layout;
}

}  // namespace castor::gpu
