#include "castor/gpu/watchdog.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <map>
#include <utility>

#include "castor/base/words.h"
#include "castor/gpu/execution/fault.h"

namespace castor::gpu {
namespace {

// Cycles between two looks at whether a watched window is disturbed. Only costs depend on it.
constexpr Cycle kLookPeriod = 256;
// Loops that a report names; one per kernel and place is the rule.
constexpr std::size_t kLoops = 8;

}  // namespace

Watchdog::Watchdog(const Machine& machine, const Store& store, FrontEnd& front_end, std::vector<Sm*> cores,
                   MemorySystem& memory, std::vector<CopyEngine*> copies)
    : machine_(machine),
      store_(store),
      front_end_(front_end),
      cores_(std::move(cores)),
      memory_(memory),
      copies_(std::move(copies)) {
  if (!cores_.empty()) due_ = end_ = machine.watchdog.cycles;
}

void Watchdog::host_waits(bool waits) {
  host_waits_ = waits;
  close();
}

void Watchdog::open(Cycle now) {
  watched_ = true;
  for (Sm* const sm : cores_) sm->watch().open(now);
  for (unsigned k = 0; k < memory_.slices(); ++k) memory_.slice(k).watch(true);
}

void Watchdog::close() {
  if (!watched_) return;
  watched_ = false;
  due_ = end_;
  for (Sm* const sm : cores_) sm->watch().close();
  for (unsigned k = 0; k < memory_.slices(); ++k) memory_.slice(k).watch(false);
}

std::uint64_t Watchdog::progress() const {
  std::uint64_t sum = front_end_.progress();
  for (const Sm* const sm : cores_) sum += sm->progress();
  return sum;
}

bool Watchdog::still() const {
  return front_end_.still() && std::all_of(copies_.begin(), copies_.end(), [](auto* copy) { return copy->idle(); }) &&
         std::all_of(cores_.begin(), cores_.end(), [](const Sm* sm) { return sm->still(); });
}

bool Watchdog::undisturbed() const {
  for (unsigned k = 0; k < memory_.slices(); ++k) {
    if (!memory_.slice(k).watching()) return false;
  }
  return std::all_of(cores_.begin(), cores_.end(), [](const Sm* sm) { return sm->watch().is_open(); });
}

bool Watchdog::proven() const {
  return watched_ && undisturbed() && progress() == progress_ && still() &&
         std::all_of(cores_.begin(), cores_.end(), [](const Sm* sm) { return sm->stuck(); }) &&
         std::any_of(cores_.begin(), cores_.end(), [](const Sm* sm) { return sm->watch().repeating() != 0; });
}

bool Watchdog::look(Cycle now) {
  if (now < end_) {
    due_ = std::min(now + kLookPeriod, end_);
    if (watched_ && !undisturbed()) close();
    return false;
  }
  const bool idle = now > end_;
  end_ = (now / machine_.watchdog.cycles + 1) * machine_.watchdog.cycles;
  due_ = end_;
  if (!idle && proven()) return true;
  close();
  const std::uint64_t before = std::exchange(progress_, progress());
  if (host_waits_ && before == progress_ && still()) {
    open(now);
    due_ = std::min(now + kLookPeriod, end_);
  }
  return false;
}

std::string Watchdog::place(const SpinWatch::Poll& poll) const {
  char text[64];
  if (poll.shared) {
    std::snprintf(text, sizeof text, "shared memory at 0x%" PRIx64, poll.address);
    return text;
  }
  std::snprintf(text, sizeof text, "global 0x%" PRIx64, poll.address);
  const Allocation* const allocation = store_.find(poll.address);
  if (allocation == nullptr) return text;
  std::string result = std::string(text) + " (byte " + std::to_string(poll.address - allocation->address) + " of " +
                       std::to_string(allocation->size) + " bytes of " + name(allocation->kind);
  if (!allocation->label.empty()) result += " '" + allocation->label + "'";
  return result + ")";
}

std::string Watchdog::report() const {
  std::vector<SpinningWarp> all;
  for (const Sm* const sm : cores_) sm->spinning(all);
  // One line per loop and what it reads, with the first warp that does so and how many more.
  struct Loop {
    const SpinningWarp* first;
    std::size_t warps;
    std::string reads;
  };
  std::vector<Loop> loops;
  std::map<std::pair<const KernelContext*, std::string>, std::size_t> known;
  for (const SpinningWarp& one : all) {
    std::string reads;
    for (const SpinWatch::Poll& poll : one.polls) {
      reads += "\n    reads " + place(poll) + ", " + one.kernel->program->describe(poll.pc);
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
  std::string text = std::to_string(all.size()) + (all.size() == 1 ? " warp repeats its" : " warps repeat their") +
                     " loop for ever: for " + std::to_string(machine_.watchdog.cycles) +
                     " cycles (watchdog.cycles) no byte of memory changed, and nothing else is under way\n";
  for (std::size_t i = 0; i < loops.size() && i < kLoops; ++i) {
    const SpinningWarp& one = *loops[i].first;
    text += "  kernel " + base::readable_name(one.kernel->program->kernel) + ", block " + index_text(one.block) +
            ", warp " + std::to_string(one.warp_in_tb) + " (SM " + std::to_string(one.sm) + ", slot " +
            std::to_string(one.slot) + ")";
    if (loops[i].warps > 1) text += " and " + std::to_string(loops[i].warps - 1) + " more";
    text += loops[i].reads + "\n";
  }
  if (loops.size() > kLoops) text += "  and " + std::to_string(loops.size() - kLoops) + " other loops\n";
  return text;
}

}  // namespace castor::gpu
