#include "castor/gpu/launch_check.h"

#include "castor/base/words.h"
#include "castor/gpu/occupancy.h"

namespace castor::gpu {
namespace {

std::string text(const Dim3& size) {
  return "(" + std::to_string(size.x) + "," + std::to_string(size.y) + "," + std::to_string(size.z) + ")";
}

}  // namespace

unsigned blocks_per_sm(const Machine& machine, const isa::Program& program, std::uint64_t threads,
                       std::uint64_t dynamic_shared) {
  // No block fits beyond these limits. The check also keeps the sums below from overflowing.
  if (threads > machine.sm.max_tb_threads || dynamic_shared > machine.sm.max_tb_smem) return 0;
  TbDemand demand;
  demand.threads = static_cast<unsigned>(threads);
  demand.registers_per_thread = program.registers;
  demand.shared_bytes = program.shared_bytes + static_cast<unsigned>(dynamic_shared);
  return occupancy(machine, demand).tbs_per_sm;
}

unsigned most_threads(const Machine& machine, const isa::Program& program) {
  const unsigned limit = machine.sm.max_tb_threads;
  unsigned most = program.max_threads != 0 ? std::min(program.max_threads, limit) : limit;
  while (most > machine.sm.lanes && blocks_per_sm(machine, program, most, 0) == 0) most -= machine.sm.lanes;
  return most;
}

LaunchVerdict check_launch(const Machine& machine, const isa::Program& program, const LaunchSize& launch) {
  const auto refuse = [&program](LaunchError error, const std::string& why) {
    return LaunchVerdict{error, "launch of " + base::readable_name(program.kernel) + ": " + why};
  };
  const Dim3& grid = launch.grid;
  const Dim3& block = launch.block;
  // Each dimension is checked on its own, because the 64-bit product of large dimensions can be 0.
  const auto has_zero = [](const Dim3& size) { return size.x == 0 || size.y == 0 || size.z == 0; };
  if (has_zero(grid) || has_zero(block)) {
    return refuse(LaunchError::kZeroDimension, "a dimension is 0: grid " + text(grid) + ", block " + text(block));
  }
  if (grid.x > kMaxGrid[0] || grid.y > kMaxGrid[1] || grid.z > kMaxGrid[2]) {
    return refuse(LaunchError::kGridTooLarge, "grid " + text(grid) + " is beyond (2147483647,65535,65535)");
  }
  if (block.x > kMaxBlock[0] || block.y > kMaxBlock[1] || block.z > kMaxBlock[2] ||
      block.count() > machine.sm.max_tb_threads) {
    return refuse(LaunchError::kBlockTooLarge, "block " + text(block) + " has " + std::to_string(block.count()) +
                                                   " threads; a block of this machine has at most " +
                                                   std::to_string(machine.sm.max_tb_threads) +
                                                   ", and at most (1024,1024,64) by dimension");
  }
  if (program.max_threads != 0 && block.count() > program.max_threads) {
    return refuse(LaunchError::kBlockTooLarge, "block of " + std::to_string(block.count()) +
                                                   " threads; the kernel's launch bounds allow " +
                                                   std::to_string(program.max_threads));
  }
  const std::uint32_t(&required)[3] = program.required_threads;
  if (required[0] != 0 && (block.x != required[0] || block.y != required[1] || block.z != required[2])) {
    return refuse(LaunchError::kRequiredBlock,
                  "block " + text(block) + "; the kernel requires " + text({required[0], required[1], required[2]}));
  }
  const std::uint64_t shared = std::uint64_t{program.shared_bytes} + launch.dynamic_shared;
  if (shared > machine.sm.max_tb_smem) {
    return refuse(LaunchError::kTooMuchShared,
                  std::to_string(shared) + " bytes of shared memory (" + std::to_string(program.shared_bytes) +
                      " static); a block may have " + std::to_string(machine.sm.max_tb_smem));
  }
  if (launch.parameter_bytes != program.parameter_bytes) {
    return refuse(LaunchError::kParameterBytes, std::to_string(launch.parameter_bytes) +
                                                    " bytes of parameters; the kernel takes " +
                                                    std::to_string(program.parameter_bytes));
  }
  if (blocks_per_sm(machine, program, block.count(), launch.dynamic_shared) == 0) {
    return refuse(LaunchError::kTooManyRegisters,
                  std::to_string(block.count()) + " threads of " + std::to_string(program.registers) +
                      " registers do not fit into " + std::to_string(machine.sm.registers) + " registers");
  }
  return {};
}

}  // namespace castor::gpu
