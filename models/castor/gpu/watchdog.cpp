#include "castor/gpu/watchdog.h"

#include <algorithm>
#include <utility>

#include "castor/gpu/spin_report.h"

namespace castor::gpu {
namespace {

// Cycles between two checks whether a watched window is disturbed. The value affects only the cost.
constexpr Cycle kLookPeriod = 256;

}  // namespace

Watchdog::Watchdog(const Machine& machine, const Store& store, FrontEnd& front_end, std::vector<Sm*> cores,
                   MemorySystem& memory, std::vector<CopyEngine*> copies)
    : machine_(machine),
      store_(store),
      front_end_(front_end),
      cores_(std::move(cores)),
      memory_(memory),
      copies_(std::move(copies)),
      hooks_(front_end_, cores_) {
  if (!cores_.empty()) due_ = end_ = machine.watchdog.cycles;
}

void Watchdog::host_waits(bool waits) {
  host_waits_ = waits;
  hooks_.forget();
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

bool Watchdog::units_quiescent() const {
  return std::all_of(copies_.begin(), copies_.end(), [](auto* copy) { return copy->idle(); }) &&
         std::all_of(cores_.begin(), cores_.end(), [](const Sm* sm) { return sm->still(); });
}

bool Watchdog::still() const { return front_end_.still() && units_quiescent(); }

bool Watchdog::undisturbed() const {
  for (unsigned k = 0; k < memory_.slices(); ++k) {
    if (!memory_.slice(k).watching()) return false;
  }
  return std::all_of(cores_.begin(), cores_.end(), [](const Sm* sm) { return sm->watch().is_open(); });
}

bool Watchdog::proven() const {
  return watched_ && undisturbed() && progress() == progress_ && still() &&
         std::all_of(cores_.begin(), cores_.end(), [](const Sm* sm) { return sm->report().stuck(); }) &&
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
  if (idle || !host_waits_)
    hooks_.forget();
  else
    hooks_.look(now, machine_.watchdog.cycles, progress(), memory_.idle() && units_quiescent());
  const std::uint64_t before = std::exchange(progress_, progress());
  if (host_waits_ && before == progress_ && still()) {
    open(now);
    due_ = std::min(now + kLookPeriod, end_);
  }
  return false;
}

std::string Watchdog::report() const {
  std::vector<SpinningWarp> all;
  for (const Sm* const sm : cores_) sm->report().add_spinning(all);
  return spin_report(all, std::to_string(machine_.watchdog.cycles) + " cycles (watchdog.cycles)", store_);
}

}  // namespace castor::gpu
