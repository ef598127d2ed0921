#include "castor/gpu/gpu.h"

#include <algorithm>
#include <cstring>
#include <utility>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "castor/base/error.h"
#include "castor/gpu/away_tbs.h"
#include "castor/gpu/front_end/composition.h"
#include "castor/gpu/kernel_counts.h"
#include "castor/gpu/trace/recorder.h"

namespace castor::gpu {
namespace {

SmHooks hooks_of(const Hooks& hooks, AwayTbs* away, unsigned sm) {
  SmHooks result;
  if (!hooks.swap.empty()) result.swap = hooks.swap[sm];
  if (!hooks.fetch_filter.empty()) result.fetch_filter = hooks.fetch_filter[sm];
  if (!hooks.issue.empty()) result.issue = hooks.issue[sm];
  if (!hooks.agents.empty()) result.agent = hooks.agents[sm];
  result.away = away;
  return result;
}

// Returns a mask of the units that are due in `cycle`, one bit for each of `count` <= 64 units.
inline std::uint64_t due_units(const Cycle* wakes, std::size_t count, Cycle cycle) {
  std::uint64_t due = 0;
  std::size_t left = count;
#ifdef __SSE2__
  // A unit is due if its wake is below cycle + 1. All cycles are below 2^63 except kForever, so the sign of the
  // difference decides, unless the wake itself is kForever.
  if (left % 2 != 0) due = static_cast<std::uint64_t>(wakes[--left] <= cycle);
  const __m128i limit = _mm_set1_epi64x(static_cast<long long>(cycle + 1));
  for (; left != 0; left -= 2) {
    const __m128i wake = _mm_loadu_si128(reinterpret_cast<const __m128i*>(wakes + left - 2));
    const __m128i below = _mm_andnot_si128(wake, _mm_sub_epi64(wake, limit));
    due = 4 * due + static_cast<unsigned>(_mm_movemask_pd(_mm_castsi128_pd(below)));
  }
#endif
  for (; left != 0; --left) due = 2 * due + static_cast<std::uint64_t>(wakes[left - 1] <= cycle);
  return due;
}

}  // namespace

Gpu::Gpu(const sc_core::sc_module_name& name, const Machine& machine, Store& store, const ProgramTable& programs,
         const Options& options)
    : sc_module(name),
      machine_(machine),
      clock_(base::kilohertz(machine.clock.core_mhz)),
      statistics_("gpu"),
      cycles_(statistics_, {"cycles", "cycles", "core cycles up to the last cycle with work"}),
      memory_(std::make_unique<MemorySystem>(machine, store, statistics_)),
      governed_(!options.hooks.governors.empty()),
      shuffle_(machine.run.seed),
      process_(clock_, *this) {
  std::vector<SmUnit*> sms;
  if (options.replay != nullptr) refuse_hooks_in_replay(options.hooks);
  (void)checked(machine, options.hooks);
  if (!options.hooks.agents.empty() && !options.hooks.swap.empty()) away_ = std::make_unique<AwayTbs>();
  if (options.replay != nullptr) virtual_clocks_ = std::make_unique<VirtualClocks>(machine, *options.replay);
  for (unsigned i = 0; i < machine.chip.sms; ++i) {
    const std::string sm_name = "sm" + std::to_string(i);
    if (options.replay != nullptr) {
      auto sm = std::make_unique<ReplaySm>(sm_name.c_str(), i, machine, *options.replay, *virtual_clocks_, statistics_,
                                           options.observer);
      connect(sm->memory, memory_->input(i));
      sms_.push_back(std::move(sm));
    } else {
      auto sm = std::make_unique<Sm>(sm_name.c_str(), machine, i, store, statistics_,
                                     hooks_of(options.hooks, away_.get(), i), options.observer, memory_->tlb());
      connect(sm->memory, memory_->input(i));
      cores_.push_back(sm.get());
      sms_.push_back(std::move(sm));
    }
    sms.push_back(sms_.back().get());
  }
  std::array<CopyEngine*, FrontEnd::kCopyEngines> copies{};
  for (unsigned i = 0; i < copies.size(); ++i) {
    const std::string copy_name = "copy" + std::to_string(i);
    copies_[i] = std::make_unique<CopyEngine>(copy_name.c_str(), machine, store, i, options.observer,
                                              groups_.emplace_back(statistics_, copy_name));
    copies[i] = copies_[i].get();
    connect(copies_[i]->memory_port(), memory_->input(memory_->copy_input(i)));
  }
  front_end_ = std::make_unique<FrontEnd>("front_end", machine, store, programs, std::move(sms), copies, options.hooks,
                                          options.observer, groups_.emplace_back(statistics_, "front_end"));
  connect(front_end_->memory_port(), memory_->input(memory_->front_end_input()));
  if (machine.l2.flush_at_kernel_end) front_end_->releases().set_memory(*memory_);

  units_ = memory_->units();
  for (const auto& copy : copies_) units_.push_back(copy.get());
  for (const auto& sm : sms_) units_.push_back(sm.get());
  units_.push_back(front_end_.get());
  wakes_.resize(units_.size());
  for (std::size_t i = 0; i < units_.size(); ++i) {
    units_[i]->keep_wake_in(wakes_[i]);
    order_.push_back(static_cast<unsigned>(i));
  }

  handing_over_ = std::make_unique<bool[]>((cores_.size() + kFlagsPerWord - 1) / kFlagsPerWord * kFlagsPerWord);
  for (std::size_t i = 0; i < cores_.size(); ++i) cores_[i]->keep_hand_over_in(handing_over_[i]);

  totals_ = std::make_unique<StatisticsTotals>(statistics_);
  monitor_ = std::make_unique<RunMonitor>(RunMonitor::Sights{
      machine, store, *front_end_, *memory_, cores_, {copies.begin(), copies.end()}, units_, *totals_});

  SC_HAS_PROCESS(Gpu);
  SC_METHOD(process);
}

Gpu::~Gpu() = default;

void Gpu::count_until(Cycle cycle) {
  for (Unit* const unit : units_) unit->count_until(cycle);
}

base::StatisticGroup& Gpu::statistics() {
  count_until(now_);
  return statistics_;
}

std::uint64_t Gpu::warp_instructions() const {
  std::uint64_t sum = 0;
  for (const Sm* const sm : cores_) sum += sm->accounts().instructions.total();
  return sum;
}

Cycle Gpu::next_cycle() const {
  Cycle next = kForever;
  for (const Cycle wake : wakes_) {
    if (wake <= now_) return now_;
    next = std::min(next, wake);
  }
  if (next == kForever) return next;
  if (!machine_.run.sleep) return now_;
  // Cycles at which a limit is checked always run, even if the device sleeps, so that the limit ends the run there.
  const Cycle end = machine_.run.max_cycles.value_or(kForever) - 1;
  if (end >= now_) next = std::min(next, end);
  if (machine_.run.stop_at > now_) next = std::min(next, machine_.run.stop_at - 1);
  if (machine_.run.max_instructions) {
    next = std::min(next, (now_ + kLimitPeriod - 1) / kLimitPeriod * kLimitPeriod);
  }
  return std::max(std::min(next, monitor_->window_end()), now_);
}

bool Gpu::quiescent() const {
  for (std::size_t i = 0; i < units_.size(); ++i) {
    if (wakes_[i] != kForever && units_[i] != front_end_.get()) return false;
  }
  return front_end_->rests();
}

// No tick makes another unit due in the same cycle. The due units can therefore be found for many units at once,
// without a branch per unit that the host would mispredict.
void Gpu::tick_due(Cycle cycle) {
  for (std::size_t first = 0; first < units_.size(); first += 64) {
    const std::size_t count = std::min<std::size_t>(units_.size() - first, 64);
    std::uint64_t due = due_units(wakes_.data() + first, count, cycle);
    Unit* const* const units = units_.data() + first;
    for (; due != 0; due &= due - 1) units[static_cast<unsigned>(__builtin_ctzll(due))]->tick(cycle);
  }
}

// In most cycles no SM has output to hand over, so several flags are tested at once.
inline void Gpu::hand_over(Cycle cycle) {
  for (std::size_t first = 0; first < cores_.size(); first += kFlagsPerWord) {
    std::uint64_t some = 0;
    std::memcpy(&some, &handing_over_[first], sizeof some);
    if (some == 0) continue;
    const std::size_t end = std::min(first + kFlagsPerWord, cores_.size());
    for (std::size_t i = first; i < end; ++i) {
      if (std::exchange(handing_over_[i], false)) cores_[i]->hand_over(cycle);
    }
  }
}

void Gpu::run_cycle(Cycle cycle) {
  CASTOR_ASSERT_AT(cycle, cycle >= now_, "cycles go backwards");
  if (recorder_ != nullptr) recorder_->begin(cycle);
  if (cycle >= monitor_->due()) monitor_->look(cycle);
  if (machine_.run.shuffle) {
    for (std::size_t i = order_.size() - 1; i > 0; --i) std::swap(order_[i], order_[shuffle_.below(i + 1)]);
  }
  now_ = cycle + 1;
  if (machine_.run.sleep && !machine_.run.shuffle) {
    tick_due(cycle);
  } else {
    for (const unsigned i : order_) {
      if (!machine_.run.sleep || wakes_[i] <= cycle) units_[i]->tick(cycle);
    }
  }
  hand_over(cycle);
  if (KernelStatistics* const kernel = front_end_->releases().fresh()) collect(*kernel);
  cycles_ += now_ - cycles_.value();
  if (governed_) apply_clock_enables(now_);
  if (recorder_ != nullptr) recorder_->end(cycle);
}

void Gpu::add_waves(Waves& waves) const {
  const std::string scope = "gpu.";
  front_end_->add_waves(waves, scope + "front_end");
  front_end_->add_hook_waves(waves, "gpu");
  for (std::size_t i = 0; i < copies_.size(); ++i) copies_[i]->add_waves(waves, scope + "copy" + std::to_string(i));
  for (std::size_t i = 0; i < sms_.size(); ++i) sms_[i]->add_waves(waves, scope + "sm" + std::to_string(i));
  memory_->add_waves(waves, scope);
}

// Collects the counters of a completed kernel. At most one kernel completes per cycle.
void Gpu::collect(KernelStatistics& kernel) {
  if (!front_end_->releases().fresh_is_part()) monitor_->kernel_completed(kernel);
  if (away_) away_->clear();  // a kernel that owns the machine is alone, so it is this one that is complete
  outside_read_notice_.tell(kernel.kernel, collect_kernel_counts(cores_, *memory_, kernel));
  front_end_->releases().file();
}

BesideKernels Gpu::beside_kernels() {
  count_until(now_);
  return count_beside_kernels(cores_, *memory_, front_end_->table().size());
}

void Gpu::apply_clock_enables(Cycle next) {
  const SmMask& wanted = front_end_->mechanism<GovernorSide>().governors().clock_enable();
  for (std::size_t sm = 0; sm < sms_.size(); ++sm) {
    if (wanted[sm] != enabled_[sm]) sms_[sm]->set_clock_enable(wanted[sm], next);
  }
  enabled_ = wanted;
}

bool Gpu::idle() const {
  if (!front_end_->idle() || !memory_->idle()) return false;
  return std::all_of(sms_.begin(), sms_.end(), [](const auto& sm) { return sm->idle(); }) &&
         std::all_of(copies_.begin(), copies_.end(), [](const auto& copy) { return copy->idle(); });
}

void Gpu::check_invariants() const {
  memory_->check_links();
  for (const Sm* const sm : cores_) sm->check_invariants(front_end_->ledger().free(sm->index()));
}

std::string Gpu::waiting() const {
  std::string text = front_end_->waiting();
  for (const auto& sm : sms_) text += sm->waiting();
  for (const auto& copy : copies_) text += copy->waiting();
  text += memory_->waiting();
  WaitGraph graph;
  front_end_->waits(graph);
  for (const auto& sm : sms_) sm->waits(graph);
  return text + graph.said() + graph.cycle_text();
}

std::string Gpu::waiting(Ticket ticket) const {
  return "host: waits for ticket " + std::to_string(ticket) + ", " + front_end_->where(ticket) + "\n" + waiting();
}

}  // namespace castor::gpu
