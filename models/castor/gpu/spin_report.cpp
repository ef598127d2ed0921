#include "castor/gpu/spin_report.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <map>
#include <set>
#include <utility>

#include "castor/base/words.h"
#include "castor/gpu/execution/fault.h"
#include "castor/gpu/grid_workspaces.h"

namespace castor::gpu {
namespace {

// Number of loops that a report lists. Usually there is one per kernel and polled address.
constexpr std::size_t kLoops = 8;

std::string place(const SpinWatch::Poll& poll, const Store& store) {
  char text[64];
  if (poll.shared) {
    std::snprintf(text, sizeof text, "shared memory at 0x%" PRIx64, poll.address);
    return text;
  }
  std::snprintf(text, sizeof text, "global 0x%" PRIx64, poll.address);
  const Allocation* const allocation = store.find(poll.address);
  if (allocation == nullptr) return text;
  std::string result = std::string(text) + " (byte " + std::to_string(poll.address - allocation->address) + " of " +
                       std::to_string(allocation->size) + " bytes of " + name(allocation->kind);
  if (!allocation->label.empty()) result += " '" + allocation->label + "'";
  return result + ")";
}

// Number of thread blocks that a report names.
constexpr std::uint64_t kNamedBlocks = 8;

// Returns a line per grid barrier at which some of the warps spin: how many blocks have arrived, and which do not wait.
std::string grid_barriers(const std::vector<SpinningWarp>& warps, const Store& store) {
  std::map<const Launch*, std::set<std::uint64_t>> waiting;  // numbers of the blocks that wait at their grid's barrier
  for (const SpinningWarp& one : warps) {
    const Launch& launch = *one.kernel;
    const bool waits = std::any_of(one.polls.begin(), one.polls.end(), [&](const SpinWatch::Poll& poll) {
      return !poll.shared && launch.grid_workspace != 0 && poll.address == launch.grid_workspace;
    });
    if (waits)
      waiting[&launch].insert(one.block.x + launch.grid.x * (one.block.y + std::uint64_t{launch.grid.y} * one.block.z));
  }
  std::string text;
  for (const auto& [launch, blocks] : waiting) {
    const std::uint64_t all = launch->grid.count();
    const GridBarrierState state = grid_barrier_state(store, launch->grid_workspace, all);
    text += "  grid barrier of kernel " + base::readable_name(launch->program->kernel) + ": " +
            std::to_string(state.arrived) + " of " + std::to_string(all) + " blocks have arrived; not waiting there:";
    std::uint64_t named = 0;
    for (std::uint64_t block = 0; block < all && named < kNamedBlocks; ++block) {
      if (blocks.count(block) != 0) continue;
      text += (named++ == 0 ? " " : ", ") + index_text(block_index(launch->grid, block));
    }
    const std::uint64_t missing = all - blocks.size();
    text += missing == 0 ? " none\n" : missing > named ? " and " + std::to_string(missing - named) + " more\n" : "\n";
  }
  return text;
}

}  // namespace

std::string spin_report(const std::vector<SpinningWarp>& warps, const std::string& span, const Store& store) {
  // One line per loop and polled addresses: the first warp that executes the loop, and the number of further warps.
  struct Loop {
    const SpinningWarp* first;
    std::size_t warps;
    std::string reads;
  };
  std::vector<Loop> loops;
  std::map<std::pair<const Launch*, std::string>, std::size_t> known;
  for (const SpinningWarp& one : warps) {
    std::string reads;
    for (const SpinWatch::Poll& poll : one.polls) {
      reads += "\n    reads " + place(poll, store) + ", " + one.kernel->program->describe(poll.pc);
    }
    if (one.more_polls) reads += "\n    and more";
    if (reads.empty()) reads = "\n    reads no memory, " + one.kernel->program->describe(one.pc);
    const auto [found, fresh] = known.emplace(std::make_pair(one.kernel, reads), loops.size());
    if (fresh) {
      loops.push_back({&one, 1, std::move(reads)});
    } else {
      ++loops[found->second].warps;
    }
  }
  std::string text = std::to_string(warps.size()) + (warps.size() == 1 ? " warp repeats its" : " warps repeat their") +
                     " loop for ever: for " + span + " no byte of memory changed, and nothing else is in progress\n";
  for (std::size_t i = 0; i < loops.size() && i < kLoops; ++i) {
    const SpinningWarp& one = *loops[i].first;
    text += "  kernel " + base::readable_name(one.kernel->program->kernel) + ", block " + index_text(one.block) +
            ", warp " + std::to_string(one.warp_in_tb) + (one.place.empty() ? "" : " (" + one.place + ")");
    if (loops[i].warps > 1) text += " and " + std::to_string(loops[i].warps - 1) + " more";
    text += loops[i].reads + "\n";
  }
  if (loops.size() > kLoops) text += "  and " + std::to_string(loops.size() - kLoops) + " other loops\n";
  return text + grid_barriers(warps, store);
}

}  // namespace castor::gpu
