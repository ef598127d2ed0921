#include "castor/gpu/sm/warp_table.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "castor/base/error.h"
#include "castor/gpu/execution/control.h"
#include "castor/gpu/execution/warp_start.h"
#include "castor/gpu/saved_tb.h"
#include "castor/gpu/sm/warp_mask.h"

namespace castor::gpu {
namespace {

// Returns the distance in bytes between the registers of two row sets. It is no multiple of a page, so that equal
// registers of all warps do not fall into one set of the host's cache.
std::size_t slot_stride(const Machine& machine) {
  return std::size_t{machine.sm.max_regs_per_thread + 1} * machine.sm.lanes * 4 + 192;
}

}  // namespace

WarpTable::WarpTable(const Machine& machine, unsigned sm)
    : lanes_(machine.sm.lanes),
      all_lanes_(castor::gpu::all_lanes(lanes_)),
      slots_(machine.sm.warps),
      sm_(sm),
      sms_(machine.chip.sms),
      stride_(slot_stride(machine)),
      row_sets_(machine.sm.warps) {
  CASTOR_ASSERT(machine.sm.warps <= kMaxWarps, "an SM of %u warps", machine.sm.warps);
  rows_.reserve(stride_ * slots_.size());
  for (unsigned w = 0; w < slots_.size(); ++w) use_rows(w, w);
}

void WarpTable::start(unsigned slot, const Start& start) {
  const KernelContext& kernel = *start.kernel;
  WarpState& warp = slots_[slot];
  const auto threads = static_cast<unsigned>(kernel.block.count());
  const unsigned halves = lanes_ / 32;
  identify(kernel, start.item, start.block, lanes_, start.warp_in_tb, warp.identity);
  warp.identity.first_warp = slot * halves;
  warp.identity.warp_slots = size() * halves;
  warp.identity.sm = sm_;
  warp.identity.sms = sms_;
  warp.stack.start(started_lanes(threads, lanes_, start.warp_in_tb), 0);
  warp.program = kernel.program;
  warp.records = kernel.program->code.data();
  warp.decoded = start.program->code.data();
  warp.constants = kernel.constants;
  warp.code_base = kernel.code_base;
  warp.code_size = static_cast<std::uint32_t>(kernel.program->code.size());
  warp.tb = static_cast<std::uint8_t>(start.tb);
  warp.warp_in_tb = static_cast<std::uint8_t>(start.warp_in_tb);
  warp.wakes = base::kForever;
  std::fill(std::begin(warp.predicates), std::end(warp.predicates), 0);
  if (!start.keeps_registers) std::memset(warp.registers, 0, std::size_t{kernel.program->registers} * lanes_ * 4);
  reload(warp);
}

void WarpTable::restore(unsigned slot, const SavedWarp& saved) {
  WarpState& warp = slots_[slot];
  warp.stack = saved.stack;
  reload(warp);
  warp.pc = saved.pc;
  warp.meeting = saved.meeting;
  std::copy(saved.predicates.begin(), saved.predicates.end(), std::begin(warp.predicates));
  std::memcpy(warp.registers, saved.registers.data(), saved.registers.size());
  warp.barrier = saved.barrier;
}

void WarpTable::resume_at(unsigned slot, isa::SimtStack stack, std::uint32_t pc,
                          const std::array<std::uint32_t, 8>& predicates) {
  WarpState& warp = slots_[slot];
  warp.stack = std::move(stack);
  reload(warp);
  warp.pc = pc;
  std::copy(predicates.begin(), predicates.end(), std::begin(warp.predicates));
}

void WarpTable::admit(WarpMask warps, bool by_device) {
  ages_.started(warps, used_);
  used_ |= warps;
  live_ |= warps;
  if (by_device) device_ |= warps;
}

void WarpTable::meet(WarpState& warp) {
  warp.stack.jump(warp.pc);
  reload(warp);
}

void WarpTable::reload(WarpState& warp) {
  const auto& top = warp.stack.entries().back();
  warp.pc = top.pc;
  warp.meeting = top.reconvergence;
  warp.active = top.mask;
  warp.identity.active = top.mask;
  warp.identity.live = warp.stack.live();
}

std::optional<ExecutionFault> WarpTable::transfer(unsigned w, const isa::Record& record, LaneMask mask) {
  WarpState& warp = slots_[w];
  isa::SimtStack& stack = warp.stack;
  std::optional<ExecutionFault> wrong;
  stack.jump(warp.pc);
  if (mask == 0) {
    stack.advance();
  } else {
    switch (record.kind) {
      case isa::Kind::kBranch:
        stack.branch(record.branch, mask);
        break;
      case isa::Kind::kBranchIndirect:
        wrong = branch_indirect(*warp.program, record, view(w), mask, stack);
        break;
      case isa::Kind::kReturn:
        stack.ret(mask);
        break;
      case isa::Kind::kExit:
        stack.exit(mask);
        break;
      default:
        wrong = gpu::call(*warp.program, record, view(w), mask, stack);
        break;
    }
  }
  if (wrong) return wrong;
  if (stack.done()) {
    live_ &= ~warp_bit(w);
    warp.identity.live = warp.identity.active = 0;
  } else {
    reload(warp);
  }
  return wrong;
}

}  // namespace castor::gpu
