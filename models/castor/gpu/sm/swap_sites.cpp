#include "castor/gpu/sm/swap_sites.h"

#include <algorithm>
#include <tuple>

namespace castor::gpu {
namespace {

[[nodiscard]] std::size_t sites_with_a_set(const isa::Program& program) {
  return std::min(program.sync.sites.size(), isa::kMostSites);
}

}  // namespace

bool is_swap_site(const isa::Program& program, unsigned site) {
  return site == SwapJob::kAllRegisters || site < sites_with_a_set(program);
}

std::bitset<256> live_registers(const isa::Program& program, unsigned site) {
  return site == SwapJob::kAllRegisters ? std::bitset<256>().set() : program.sync.sites[site].registers;
}

void SwapSites::start(const isa::Program* program) {
  next_ = 0;
  masks_.assign(program == nullptr ? 0 : sites_with_a_set(*program), {});
  for (std::size_t site = 0; site < masks_.size(); ++site) {
    masks_[site].site = static_cast<std::uint8_t>(site);
    const std::bitset<256>& live = program->sync.sites[site].registers;
    for (std::size_t reg = 0; reg < live.size(); ++reg) {
      if (live[reg]) masks_[site].live[reg / 64] |= std::uint64_t{1} << reg % 64;
    }
  }
}

bool SwapSetup::knows(const SwapKernel& kernel) const {
  const auto fields = [](const SwapKernel& one) {
    return std::tie(one.warps, one.registers, one.simt_lines, one.shared_lines, one.slots, one.register_homes,
                    one.shared_homes, one.in_place, one.copies, one.direction, one.copy_lines);
  };
  return kernel_ && fields(*kernel_) == fields(kernel);
}

}  // namespace castor::gpu
