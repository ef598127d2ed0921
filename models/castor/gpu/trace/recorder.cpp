#include "castor/gpu/trace/recorder.h"

#include <array>
#include <utility>

#include "castor/base/error.h"
#include "castor/gpu/gpu.h"

namespace castor::gpu {
namespace {

// Without a terminal a run pays only for a countdown.
Progress::Sink no_terminal() { return {}; }

void check_window(const char* what, Cycle from, Cycle to) {
  if (from > to) {
    throw base::InputError(std::string(what) + ": the window ends with cycle " + std::to_string(to) +
                           ", before it starts with cycle " + std::to_string(from));
  }
}

}  // namespace

TraceRecorder::TraceRecorder(const Recording& recording, const Machine& machine)
    : window_(machine.run.window),
      wave_from_(recording.wave_from),
      wave_to_(recording.wave_to),
      progress_(recording.progress ? Progress(machine.run.max_cycles)
                                   : Progress(machine.run.max_cycles, no_terminal(), Progress::Clock())) {
  check_window("timeline", recording.timeline_from, recording.timeline_to);
  check_window("waves", recording.wave_from, recording.wave_to);
  if (!recording.timeline.empty()) {
    timeline_ = std::make_unique<Timeline>(recording.timeline, machine, recording.timeline_from, recording.timeline_to);
  }
  if (!recording.waves.empty()) {
    waves_ = std::make_unique<WaveFile>(recording.waves, recording.wave_scopes, recording.wave_from, recording.wave_to);
    next_wave_ = wave_from_;
  }
}

TraceRecorder::~TraceRecorder() = default;

void TraceRecorder::attach(Gpu& gpu) {
  gpu_ = &gpu;
  if (timeline_) add_counters();
  if (waves_) {
    gpu.add_waves(*waves_);
    const std::vector<std::string> unmatched = waves_->unmatched();
    if (!unmatched.empty()) {
      throw base::InputError("no instance matches the wave scope '" + base::printable(unmatched.front()) + "'",
                             "instances are gpu.front_end, gpu.copy0, gpu.sm0, gpu.sm0.l1, gpu.xbar, gpu.slice0, "
                             "gpu.channel0 and so on; '*' and '?' are wildcards");
    }
  }
  plan();
  gpu.set_recorder(this);
}

void TraceRecorder::plan() {
  next_look_ = next_sample_;
  if (next_wave_ == kForever) return;
  const Cycle wave = waves_begun_ ? wave_to_ : wave_from_;
  if (wave != kForever) next_look_ = std::min(next_look_, wave + 1);
}

void TraceRecorder::add_counters() {
  static constexpr std::array<const char*, kStallClasses> kNames = {"issued",     "idle",        "raw",
                                                                    "raw memory", "memory pipe", "compute pipe"};
  for (unsigned i = 0; i < gpu_->sms(); ++i) {
    const Sm* const sm = gpu_->core(i);
    if (sm == nullptr) continue;  // an SM that replays service times has no instruction counters
    timeline_->add_counter(i, "warp instructions", {{"issued", [sm] { return sm->accounts().instructions.total(); }}});
    std::vector<Timeline::Series> series;
    for (std::size_t c = 0; c < kStallClasses; ++c) {
      series.push_back({kNames[c], [sm, c] {
                          std::uint64_t sum = 0;
                          for (const auto& scheduler : sm->counters().stall) sum += scheduler[c];
                          return sum;
                        }});
    }
    timeline_->add_counter(i, "scheduler ticks", std::move(series));
  }
  next_sample_ = timeline_->next_sample();
}

void TraceRecorder::look(Cycle cycle) {
  if (cycle >= next_sample_) sample_counters(cycle);
  if (next_wave_ != kForever) {
    // The window may start and end while the device sleeps.
    if (!waves_begun_ && cycle > wave_from_) sample_waves(wave_from_);
    if (cycle > wave_to_) close_waves(cycle);
  }
  plan();
}

void TraceRecorder::sample_counters(Cycle cycle) {
  // No unit has acted between the last cycle that ran and this one, so values of skipped cycles follow from the state.
  // Counters grow equally in all windows in between, so one sample covers these windows.
  gpu_->count_until(next_sample_);
  timeline_->sample(next_sample_);
  const Cycle last = cycle - cycle % window_;
  if (last >= timeline_->next_sample()) {
    gpu_->count_until(last);
    timeline_->sample(last);
  }
  next_sample_ = timeline_->error().empty() ? timeline_->next_sample() : kForever;
}

void TraceRecorder::sample_waves(Cycle cycle) {
  waves_->sample(cycle, gpu_->clock().time_of(cycle));
  if (!waves_begun_) {
    waves_begun_ = true;
    plan();
  }
  if (!waves_->active(cycle)) next_wave_ = kForever;
}

void TraceRecorder::close_waves(Cycle cycle) {
  waves_->close(gpu_->clock().time_of(wave_to_ < cycle ? wave_to_ + 1 : cycle));
  next_wave_ = kForever;
}

void TraceRecorder::show_progress(Cycle cycle) {
  const KernelTable& table = gpu_->front_end().table();
  std::optional<Progress::Kernel> oldest;
  unsigned others = 0;
  for (unsigned entry = 0; entry < table.size(); ++entry) {
    const KernelEntry& kernel = table[entry];
    if (kernel.state != EntryState::kWritten) continue;
    if (oldest) ++others;
    if (oldest && oldest->ticket < kernel.context().ticket) continue;
    oldest = {kernel.context().program->kernel, kernel.context().ticket, kernel.retired + kernel.dropped,
              kernel.context().grid.count(), 0};
  }
  if (oldest) oldest->others = others;
  progress_.show(cycle, gpu_->clock().time_of(cycle), gpu_->warp_instructions(), oldest);
}

void TraceRecorder::close(Cycle now) {
  progress_.clear();
  if (gpu_ == nullptr) return;
  gpu_->set_recorder(nullptr);
  if (timeline_) {
    if (now >= next_sample_) sample_counters(now);
    gpu_->count_until(now);
    timeline_->close(now);
  }
  if (waves_) {
    if (!waves_begun_ && next_wave_ < now) sample_waves(wave_from_);
    close_waves(now);
  }
  gpu_ = nullptr;
}

std::vector<std::string> TraceRecorder::take_errors() {
  std::vector<std::string> result;
  if (std::exchange(errors_reported_, true)) return result;
  if (timeline_ && !timeline_->error().empty()) result.push_back(timeline_->error());
  if (waves_ && !waves_->error().empty()) result.push_back(waves_->error());
  return result;
}

}  // namespace castor::gpu
