#include "castor/gpu/sm/swap_homes.h"

#include <algorithm>
#include <utility>

#include "castor/gpu/launch_record.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/sm/simt_lines.h"
#include "castor/gpu/sm/thread_blocks.h"
#include "castor/gpu/sm/warp_table.h"

namespace castor::gpu {

SwapHomes::SwapHomes(const Machine& machine, WarpTable& warps, ThreadBlocks& tbs, const SwapStorage& spare)
    : warps_(warps),
      tbs_(tbs),
      registers_(machine.sm.tb_contexts + spare.register_homes),
      shared_(machine.sm.tb_contexts + spare.shared_homes),
      of_(machine.sm.tb_contexts),
      places_(spare.places) {
  warps_.add_row_sets(spare.register_homes * TbState::kWarps);
  tbs_.add_shared_stores(spare.shared_homes);
  for (std::size_t h = 0; h < shared_.size(); ++h) shared_[h] = static_cast<std::uint8_t>(h);
  for (std::size_t c = 0; c < of_.size(); ++c) {
    of_[c] = {static_cast<std::uint8_t>(c), static_cast<std::uint8_t>(c)};
  }
  renumber();
  for (AlignedBytes& place : places_) place.reserve(std::size_t{kPlaceLines} * kSwapLineBytes);
}

void SwapHomes::start(unsigned context) {
  const TbState& tb = tbs_[context];
  Rows& home = registers_[of_[context].registers];
  home.fill(kNoRows);
  for (unsigned i = 0; i < tb.warp_count; ++i) home[i] = static_cast<std::uint16_t>(warps_.rows_of(tb.slots[i]));
}

void SwapHomes::renumber() {
  std::vector<std::uint8_t> stores;
  std::vector<bool> used(shared_.size());
  for (Owned& one : of_) {
    stores.push_back(shared_[one.shared]);
    used[stores.back()] = true;
    one.registers = one.shared = static_cast<std::uint8_t>(stores.size() - 1);
  }
  for (std::size_t s = 0; s < used.size(); ++s) {
    if (!used[s]) stores.push_back(static_cast<std::uint8_t>(s));
  }
  shared_ = std::move(stores);

  std::vector<bool> bound(warps_.row_sets());
  for (unsigned slot = 0; slot < warps_.size(); ++slot) bound[warps_.rows_of(slot)] = true;
  for (Rows& home : registers_) home.fill(kNoRows);
  std::uint16_t next = 0;
  for (std::size_t h = of_.size(); h < registers_.size(); ++h) {
    for (std::uint16_t& one : registers_[h]) {
      while (bound[next]) ++next;
      one = next++;
    }
  }
  for (TbMask left = tbs_.resident(); left != 0; left &= left - 1) start(lowest(left));
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
    of_[context].registers = static_cast<std::uint8_t>(register_home);
    for (unsigned i = 0; i < tb.warp_count; ++i) warps_.use_rows(tb.slots[i], registers_[register_home][i]);
  }
  if (of_[context].shared != shared_home) {
    of_[context].shared = static_cast<std::uint8_t>(shared_home);
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
  const std::uint64_t place = address / kPlaceLines;
  if (place >= places_.size()) return nullptr;
  return places_[place].data() + address % kPlaceLines * kSwapLineBytes;
}

SwapKernel SwapHomes::constants(const TbState& tb) const {
  SwapKernel kernel;
  kernel.warps = static_cast<std::uint8_t>(tb.warp_count);
  kernel.registers = static_cast<std::uint16_t>(tb.kernel->program->registers);
  kernel.simt_lines = static_cast<std::uint16_t>(SimtLines::lines(tb.warp_count));
  kernel.shared_lines = static_cast<std::uint16_t>((tb.kernel->shared_bytes + kSwapLineBytes - 1) / kSwapLineBytes);
  kernel.slots = static_cast<std::uint8_t>(of_.size());
  kernel.register_homes = static_cast<std::uint8_t>(registers_.size());
  kernel.shared_homes = static_cast<std::uint8_t>(shared_.size());
  kernel.places = static_cast<std::uint8_t>(places_.size());
  return kernel;
}

void SwapHomes::poison(unsigned context, const SwapKernel& kernel) {
  for (unsigned i = 0; i < kernel.warps; ++i) {
    for (unsigned reg = 0; reg < kernel.registers; ++reg) {
      std::fill_n(row(of_[context].registers, i, reg), kSwapLineBytes, kSwapPoison);
    }
  }
  if (kernel.shared_lines == 0) return;
  std::fill_n(shared_line(of_[context].shared, 0), std::size_t{kernel.shared_lines} * kSwapLineBytes, kSwapPoison);
}

void SwapHomes::poison_dead(unsigned context, const std::bitset<256>& live) {
  const TbState& tb = tbs_[context];
  for (unsigned reg = 0; reg < tb.kernel->program->registers; ++reg) {
    if (live[reg]) continue;
    for (unsigned i = 0; i < tb.warp_count; ++i) {
      std::fill_n(row(of_[context].registers, i, reg), kSwapLineBytes, kSwapPoison);
    }
  }
}

}  // namespace castor::gpu
