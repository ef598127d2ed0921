#include "castor/gpu/launch_check.h"

#include <algorithm>
#include <vector>

#include "castor/base/words.h"
#include "castor/gpu/execution/sync_operands.h"
#include "castor/gpu/occupancy.h"
#include "castor/gpu/swap_image.h"

namespace castor::gpu {
namespace {

std::string text(const Dim3& size) {
  return "(" + std::to_string(size.x) + "," + std::to_string(size.y) + "," + std::to_string(size.z) + ")";
}

// Returns an operation that the program can reach, and where: "it can reach tb.gridsync in kernel ...".
std::string reach_text(const isa::Program& program, const isa::Record& record) {
  return "it can reach " + std::string(isa::name(static_cast<isa::SyncOp>(record.imm))) + " in " +
         program.describe(static_cast<std::uint32_t>(&record - program.code.data()));
}

// Returns why the device does not execute an operation that the program can reach; empty if it does.
std::string why_not_answered(const SyncSupport& support, const isa::Program& program) {
  const auto lacks = [&](const isa::Record& record) {
    return record.kind == isa::Kind::kSync &&
           (!support.executed || (support.answered & isa::sync_bit(static_cast<isa::SyncOp>(record.imm))) == 0);
  };
  const auto found = std::find_if(program.code.begin(), program.code.end(), lacks);
  if (found == program.code.end()) return {};
  const auto op = static_cast<isa::SyncOp>(found->imm);
  const std::string place = reach_text(program, *found);
  if ((support.answered & isa::sync_bit(op)) != 0)
    return place + ", for which this timing GPU has no hub: run.functional=1";
  const std::string owner = support.owner != nullptr ? support.owner(op) : std::string();
  if (owner.empty()) return place + ", which no installed block answers";
  return place + ", which block " + owner + " answers: blocks." + owner + ".enable=1";
}

// Returns why options do not fit a launch; empty if they do.
std::string why_wrong(const SyncOptions& options, const Dim3& grid) {
  if (options.events == 0 || options.events > SyncOptions::kMostEvents)
    return std::to_string(options.events) + " events; a launch has 1 to " + std::to_string(SyncOptions::kMostEvents);
  if (options.order.empty()) return {};
  const std::uint64_t count = grid.count();
  if (options.order.size() != count)
    return "an order of " + std::to_string(options.order.size()) + " thread blocks for a grid of " +
           std::to_string(count);
  std::vector<bool> seen(count, false);
  for (const std::uint32_t block : options.order) {
    if (block >= count || seen[block])
      return "an order of thread blocks that names block " + std::to_string(block) +
             (block < count ? " twice" : ", which the grid does not have");
    seen[block] = true;
  }
  return {};
}

LaunchVerdict refuse(const isa::Program& program, LaunchError error, const std::string& why) {
  return {error, "launch of " + base::readable_name(program.kernel) + ": " + why};
}

// Checks a launch whose thread blocks must all be resident at once. `most`: thread blocks that the machine has room
// for.
LaunchVerdict check_all_resident(const isa::Program& program, const LaunchSize& launch, std::uint64_t most) {
  const std::string why = program.reach.grid_barrier ? "the kernel can wait for its whole grid (grid_group::sync())"
                          : launch.cooperative
                              ? "the launch is cooperative"
                              : "its thread blocks wait for each other, and nothing on this machine swaps them out";
  if (program.reach.launches && needs_all_resident(program, launch.cooperative)) {
    return refuse(program, LaunchError::kBarrierAndLaunches,
                  why + ", and the kernel launches kernels from device code; it cannot do both");
  }
  if (launch.grid.count() <= most) return {};
  return refuse(program, LaunchError::kTooManyBlocks,
                why + ", so its " + std::to_string(launch.grid.count()) +
                    " blocks must be resident at once; this machine has room for " + std::to_string(most));
}

// Returns whether thread blocks of a launch that wait are swapped out on a machine that swaps them out.
bool swaps_out(const isa::Program& program, const SyncOptions* options) {
  const bool barrier = (program.sync.ops & isa::sync_bit(isa::SyncOp::kGridBarrier)) != 0;
  return barrier || options == nullptr || options->swap != SyncSwap::kNever;
}

// Checks a launch whose thread blocks do not all fit at once and are swapped out while they wait. `most`: thread blocks
// that fit on the machine; `image`: bytes in device memory for a swapped-out thread block.
LaunchVerdict check_swapped(const Machine& machine, const isa::Program& program, const LaunchSize& launch,
                            std::uint64_t most, std::uint64_t image) {
  const std::uint64_t count = launch.grid.count();
  const std::string why = std::to_string(count) + " blocks wait for each other; this machine has room for " +
                          std::to_string(most) + ", and ";
  if (program.reach.launches) {
    return refuse(program, LaunchError::kBarrierAndLaunches,
                  why + "the kernel launches kernels from device code, for which no room is left");
  }
  const std::uint64_t away = machine.chip.sync.limits.away;
  if (away < count - most) {
    return refuse(program, LaunchError::kTooManyBlocks,
                  why + "at most " + std::to_string(away) + " can be swapped out");
  }
  const std::uint64_t images = images_needed(machine, count, most);
  const std::uint64_t room = images_in_region(machine, image);
  if (!machine.chip.sync.limits.images || images <= room) return {};
  return refuse(program, LaunchError::kNoSwapMemory,
                why + "its region for contexts (context.region) holds " + std::to_string(room) + " of the " +
                    std::to_string(images) + " images of " + std::to_string(image) + " bytes that may be needed");
}

}  // namespace

bool owns_machine(const Machine& machine, const isa::Program& program, const KernelPacket& packet) {
  if (!synchronises(program, packet) || !machine.chip.sync.swaps) return false;
  const unsigned per_sm = blocks_per_sm(machine, program, packet.block.count(), packet.dynamic_shared);
  return packet.grid.count() > std::uint64_t{per_sm} * machine.chip.sms;
}

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

bool synchronises(const isa::Program& program) { return (program.sync.ops & kMeetingOps) != 0; }

std::string why_synchronises(const isa::Program& program) {
  const auto found = std::find_if(program.code.begin(), program.code.end(), [](const isa::Record& record) {
    return record.kind == isa::Kind::kSync && contains(kMeetingOps, static_cast<isa::SyncOp>(record.imm));
  });
  return found == program.code.end() ? std::string() : reach_text(program, *found);
}

bool waits_resident(const Machine& machine, const isa::Program& program) {
  return (program.sync.ops & isa::kBlockingOps) != 0 && !machine.chip.sync.swaps;
}

LaunchVerdict check_launch(const Machine& machine, const isa::Program& program, const LaunchSize& launch) {
  const auto refuse = [&program](LaunchError error, const std::string& why) {
    return gpu::refuse(program, error, why);
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
  if (program.sync.ops != 0) {
    const std::string why = why_not_answered(machine.chip.sync, program);
    if (!why.empty()) return refuse(LaunchError::kNotAnswered, why);
  }
  if (launch.sync != nullptr) {
    if (!machine.chip.sync.executed)
      return refuse(LaunchError::kNotAnswered,
                    "options of synchronisation, which need a hub on the timing GPU: run.functional=1");
    const std::string why = why_wrong(*launch.sync, grid);
    if (!why.empty()) return refuse(LaunchError::kSyncOptions, why);
  }
  const unsigned per_sm = blocks_per_sm(machine, program, block.count(), launch.dynamic_shared);
  if (per_sm == 0) {
    return refuse(LaunchError::kTooManyRegisters,
                  std::to_string(block.count()) + " threads of " + std::to_string(program.registers) +
                      " registers do not fit into " + std::to_string(machine.sm.registers) + " registers");
  }
  const std::uint64_t most = std::uint64_t{per_sm} * machine.chip.sms;
  const bool waits = (program.sync.ops & isa::kBlockingOps) != 0;
  if (waits_resident(machine, program) || needs_all_resident(program, launch.cooperative))
    return check_all_resident(program, launch, most);
  if (waits && grid.count() > most && swaps_out(program, launch.sync)) {
    const auto threads = static_cast<unsigned>(block.count());
    const auto bytes = static_cast<unsigned>(shared);
    return check_swapped(machine, program, launch, most,
                         image_bytes(machine, program, {threads, program.registers, bytes}));
  }
  return {};
}

}  // namespace castor::gpu
