#include "castor/gpu/swap_image.h"

#include "castor/gpu/front_end/page_allocator.h"

namespace castor::gpu {
namespace {

std::uint64_t whole_lines(std::uint64_t bytes) { return (bytes + kImageLine - 1) / kImageLine * kImageLine; }

}  // namespace

std::uint64_t image_bytes(const Machine& machine, const isa::Program& program, const TbDemand& block) {
  const SwapLimits& limits = machine.chip.sync.limits;
  if (!limits.images) return 0;
  const std::uint64_t warps = (std::uint64_t{block.threads} + machine.sm.lanes - 1) / machine.sm.lanes;
  // With several sites, thread blocks may wait at a site for which all registers must be kept. A preempted thread block
  // may be anywhere in its program.
  const std::vector<isa::SyncSite>& sites = program.sync.sites;
  const bool one_site = sites.size() == 1 && machine.context.mover != ContextMover::kEngine;
  const std::uint64_t registers =
      limits.live_registers && one_site ? sites.front().registers.count() : block.registers_per_thread;
  const bool predicates = !one_site || !limits.live_registers || sites.front().predicates;
  const std::uint64_t control = limits.warp_bytes + (predicates ? limits.predicate_bytes : 0);
  const bool table = (program.sync.ops & isa::sync_bit(isa::SyncOp::kReadOnly)) != 0;
  return whole_lines(control * warps) + whole_lines(limits.block_bytes) + (table ? kImageLine : 0) +
         whole_lines(warps * registers * machine.sm.lanes * sizeof(std::uint32_t)) + whole_lines(block.shared_bytes);
}

std::uint64_t images_in_region(const Machine& machine, std::uint64_t bytes) {
  return PageAllocator::capacity(machine.context.pages, machine.context.region, bytes);
}

}  // namespace castor::gpu
