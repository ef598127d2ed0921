#include "castor/gpu/spin_report.h"

#include <cinttypes>
#include <cstdio>
#include <map>
#include <utility>

#include "castor/base/words.h"
#include "castor/gpu/execution/fault.h"

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
  return text;
}

}  // namespace castor::gpu
