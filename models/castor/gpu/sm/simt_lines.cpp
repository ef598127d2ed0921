#include "castor/gpu/sm/simt_lines.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace castor::gpu {

void SimtLines::start(unsigned warps, bool table) {
  SwapLine poison;
  poison.fill(kSwapPoison);
  lines_.assign(lines(warps) + (table ? 1 : 0), poison);
}

DeepStack SimtLines::pack(unsigned warp, const WarpState& state, std::uint32_t token) {
  const std::vector<isa::SimtStack::Entry>& entries = state.stack.entries();
  const std::size_t fit = std::min<std::size_t>(entries.size(), SimtRecord::kEntries);
  const std::size_t deep = entries.size() - fit;
  SimtRecord record;
  record.token = token;
  record.live = static_cast<std::uint32_t>(state.stack.live());
  record.pc = state.pc;
  record.depth = static_cast<std::uint32_t>(entries.size());
  for (std::size_t i = 0; i < fit; ++i) {
    const isa::SimtStack::Entry& from = entries[deep + i];
    record.entries[i] = {from.pc, from.reconvergence, static_cast<std::uint32_t>(from.mask),
                         from.depth << 1U | (from.frame ? 1U : 0U)};
  }
  for (std::size_t p = 0; p < record.predicates.size(); ++p) {
    record.predicates[p] = static_cast<std::uint32_t>(state.predicates[p]);
  }
  std::memcpy(lines_.front().data() + warp * sizeof record, &record, sizeof record);
  return {entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(deep)};
}

SimtRecord SimtLines::record(unsigned warp) const {
  SimtRecord record;
  std::memcpy(&record, lines_.front().data() + warp * sizeof record, sizeof record);
  return record;
}

isa::SimtStack SimtLines::stack(const SimtRecord& record, const DeepStack& deep) {
  std::vector<isa::SimtStack::Entry> entries = deep;
  for (std::size_t i = 0; deep.size() + i < record.depth && i < SimtRecord::kEntries; ++i) {
    const SimtRecord::Entry& from = record.entries[i];
    isa::SimtStack::Entry& to = entries.emplace_back();
    to.pc = from.pc;
    to.reconvergence = from.reconvergence;
    to.mask = from.mask;
    to.frame = (from.frame & 1U) != 0;
    to.depth = from.frame >> 1U;
  }
  isa::SimtStack stack;
  stack.restore(std::move(entries), record.live);
  return stack;
}

}  // namespace castor::gpu
