#include "castor/gpu/sm/swap_homes.h"

#include <algorithm>
#include <utility>

#include "castor/gpu/execution/sync_operands.h"
#include "castor/gpu/launch_record.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/sm/simt_lines.h"
#include "castor/gpu/sm/thread_blocks.h"
#include "castor/gpu/sm/warp_table.h"

namespace castor::gpu {

SwapHomes::SwapHomes(const Machine& machine, WarpTable& warps, ThreadBlocks& tbs, const SwapStorage& most)
    : machine_(machine), warps_(warps), tbs_(tbs), most_(most), of_(machine.sm.tb_contexts) {
  tbs_.grow_shared_stores(of_.size());
  for (std::size_t c = 0; c < of_.size(); ++c) of_[c].store = static_cast<std::uint8_t>(c);
}

void SwapHomes::start(unsigned context) {
  const TbState& tb = tbs_[context];
  if (of_[context].registers == kNoHome) return;
  Rows& home = registers_[of_[context].registers];
  home.fill(kNoRows);
  for (unsigned i = 0; i < tb.warp_count; ++i) home[i] = static_cast<std::uint16_t>(warps_.rows_of(tb.slots[i]));
}

void SwapHomes::renumber(const SwapKernel& kernel) {
  kernel_ = kernel;
  for (unsigned c = 0; c < of_.size(); ++c) of_[c].registers = of_[c].shared = c < kernel.slots ? c : kNoHome;
  number_shared(kernel);
  number_registers(kernel);
  for (TbMask left = tbs_.resident(); left != 0; left &= left - 1) start(lowest(left));
  const std::size_t places = kernel.in_place + std::size_t{kernel.copies};
  if (places_.size() < places) places_.resize(places);
  for (std::size_t p = 0; p < places; ++p) places_[p].reserve(std::size_t{place_lines(p)} * kSwapLineBytes);
}

// Stores of contexts without a home stay with them.
void SwapHomes::number_shared(const SwapKernel& kernel) {
  std::vector<bool> used(tbs_.grow_shared_stores(of_.size() + kernel.shared_homes - kernel.slots));
  shared_.clear();
  for (const Owned& one : of_) {
    used[one.store] = true;
    if (one.shared != kNoHome) shared_.push_back(one.store);
  }
  for (std::size_t s = 0; shared_.size() < kernel.shared_homes; ++s) {
    if (!used[s]) shared_.push_back(static_cast<std::uint8_t>(s));
  }
}

void SwapHomes::number_registers(const SwapKernel& kernel) {
  warps_.grow_row_sets(warps_.size() + (kernel.register_homes - kernel.slots) * unsigned{kernel.warps});
  std::vector<bool> bound(warps_.row_sets());
  for (unsigned slot = 0; slot < warps_.size(); ++slot) bound[warps_.rows_of(slot)] = true;
  registers_.resize(kernel.register_homes);
  for (Rows& home : registers_) home.fill(kNoRows);
  std::uint16_t next = 0;
  for (unsigned h = kernel.slots; h < kernel.register_homes; ++h) {
    for (unsigned i = 0; i < kernel.warps; ++i) {
      while (bound[next]) ++next;
      registers_[h][i] = next++;
    }
  }
}

unsigned SwapHomes::place_lines(std::uint64_t place) const {
  if (place < kernel_.in_place) return kernel_.simt_lines;
  return place < unsigned{kernel_.in_place} + kernel_.copies ? kernel_.copy_lines : 0;
}

bool SwapHomes::foreign(unsigned context, bool registers, unsigned home) const {
  for (unsigned c = 0; c < of_.size(); ++c) {
    if (c != context && (registers ? of_[c].registers : of_[c].shared) == home) return true;
  }
  return false;
}

bool SwapHomes::may_enter(unsigned context, unsigned register_home, unsigned shared_home) const {
  if (register_home >= registers_.size() || shared_home >= shared_.size()) return false;
  if (foreign(context, true, register_home) || foreign(context, false, shared_home)) return false;
  const Rows& rows = registers_[register_home];
  const auto end = rows.begin() + tbs_[context].warp_count;
  return std::find(rows.begin(), end, kNoRows) == end;
}

void SwapHomes::enter(unsigned context, unsigned register_home, unsigned shared_home) {
  const TbState& tb = tbs_[context];
  if (of_[context].registers != register_home) {
    of_[context].registers = register_home;
    for (unsigned i = 0; i < tb.warp_count; ++i) warps_.use_rows(tb.slots[i], registers_[register_home][i]);
  }
  if (of_[context].shared != shared_home) {
    of_[context].shared = shared_home;
    of_[context].store = shared_[shared_home];
    tbs_.use_shared_store(context, shared_[shared_home]);
  }
}

std::byte* SwapHomes::row(unsigned home, unsigned warp, unsigned reg) {
  if (registers_[home][warp] == kNoRows) return nullptr;
  return warps_.rows(registers_[home][warp]) + std::size_t{reg} * kSwapLineBytes;
}

std::byte* SwapHomes::shared_line(unsigned home, unsigned line) {
  return tbs_.shared_store(shared_[home]) + std::size_t{line} * kSwapLineBytes;
}

std::byte* SwapHomes::place_line(std::uint64_t address) {
  const std::uint64_t place = address / kPlaceLines, line = address % kPlaceLines;
  return line < place_lines(place) ? places_[place].data() + line * kSwapLineBytes : nullptr;
}

SwapDemand SwapHomes::demand(const TbState& tb) const {
  const KernelContext& kernel = *tb.kernel;
  const isa::Program& program = *kernel.program;
  const auto lines = [](std::uint64_t bytes) {
    return static_cast<unsigned>((bytes + kSwapLineBytes - 1) / kSwapLineBytes);
  };
  SwapDemand demand;
  demand.file_registers = machine_.sm.registers * 4 / kSwapLineBytes;
  demand.file_shared = machine_.sm.smem_bytes / kSwapLineBytes;
  demand.slots = kernel.fit;
  demand.registers = lines(std::uint64_t{kernel.need.reg_units} * machine_.sm.reg_alloc_unit * 4);
  demand.shared = lines(kernel.shared_bytes);
  const bool table = kernel.owned && most_.segments != 0 && contains(program.sync.ops, isa::SyncOp::kReadOnly);
  demand.simt = SimtLines::lines(tb.warp_count) + (table ? 1 : 0);
  const bool one_site = program.sync.sites.size() == 1;
  demand.live = tb.warp_count *
                (one_site ? static_cast<unsigned>(program.sync.sites.front().registers.count()) : program.registers);
  return demand;
}

SwapKernel SwapHomes::constants(const TbState& tb) const {
  const SwapDemand need = demand(tb);
  SwapKernel kernel;
  kernel.warps = static_cast<std::uint8_t>(tb.warp_count);
  kernel.registers = static_cast<std::uint16_t>(tb.kernel->program->registers);
  kernel.simt_lines = static_cast<std::uint16_t>(need.simt);
  kernel.shared_lines = static_cast<std::uint16_t>(need.shared);
  if (!tb.kernel->owned) {
    kernel.slots = kernel.register_homes = kernel.shared_homes = static_cast<std::uint8_t>(of_.size());
    return kernel;
  }
  const SwapLayout layout = swap_layout(need, most_);
  kernel.slots = static_cast<std::uint8_t>(need.slots);
  kernel.register_homes = static_cast<std::uint8_t>(layout.register_homes);
  kernel.shared_homes = static_cast<std::uint8_t>(layout.shared_homes);
  kernel.in_place = static_cast<std::uint8_t>(layout.in_place);
  kernel.copies = static_cast<std::uint8_t>(layout.copies);
  kernel.direction = layout.direction;
  kernel.copy_lines = static_cast<std::uint16_t>(layout.copies == 0 ? 0 : layout.copy_lines);
  return kernel;
}

void SwapHomes::poison(unsigned context, const SwapKernel& kernel) {
  const TbState& tb = tbs_[context];
  for (unsigned i = 0; i < kernel.warps; ++i) {
    std::fill_n(warps_.rows(warps_.rows_of(tb.slots[i])), std::size_t{kernel.registers} * kSwapLineBytes, kSwapPoison);
  }
  std::fill_n(tbs_.shared_store(of_[context].store), std::size_t{kernel.shared_lines} * kSwapLineBytes, kSwapPoison);
}

void SwapHomes::poison_dead(unsigned context, const std::bitset<256>& live) {
  const TbState& tb = tbs_[context];
  for (unsigned i = 0; i < tb.warp_count; ++i) {
    std::byte* const rows = warps_.rows(warps_.rows_of(tb.slots[i]));
    for (unsigned reg = 0; reg < tb.kernel->program->registers; ++reg) {
      if (!live[reg]) std::fill_n(rows + std::size_t{reg} * kSwapLineBytes, kSwapLineBytes, kSwapPoison);
    }
  }
}

void SwapHomes::poison_covered(unsigned context, const SegmentTable& segments) {
  std::byte* const store = tbs_.shared_store(of_[context].store);
  for (std::uint32_t line = 0; line < kernel_.shared_lines; ++line) {
    if (segments.covering(line) != nullptr) {
      std::fill_n(store + std::size_t{line} * kSwapLineBytes, kSwapLineBytes, kSwapPoison);
    }
  }
}

}  // namespace castor::gpu
