#include <algorithm>
#include <string>

#include "castor/base/error.h"
#include "castor/gpu/front_end/front_end.h"
#include "castor/gpu/front_end/hook_state.h"

namespace castor::gpu {
namespace {

Cycle after(Cycle now, Cycle quiet) { return quiet >= kForever - now - 1 ? kForever : now + 1 + quiet; }

}  // namespace

void FrontEnd::attach_hooks(base::StatisticGroup& statistics) {
  if (hooks_.job_scheduler == nullptr && hooks_.dispatch == nullptr && hooks_.governors.empty()) return;
  hook_ = std::make_unique<HookState>(machine_);
  const auto attach = [&](Hook& hook, FrontEndMemory::User user, const std::string& name) {
    HookSite site;
    site.machine = &machine_;
    site.memory = &memory_.client(user);
    site.statistics = &hook_->groups.emplace_back(statistics, name);
    site.error = [this, name](unsigned code, std::uint64_t info) { hook_error(name.c_str(), code, info); };
    hook.attach(site);
    hook.reset();
  };
  for (std::size_t i = 0; i < hooks_.governors.size(); ++i) {
    attach(*hooks_.governors[i], FrontEndMemory::User::kGovernors, "governor" + std::to_string(i));
  }
  if (hooks_.dispatch != nullptr) attach(*hooks_.dispatch, FrontEndMemory::User::kDispatchPolicy, "dispatch_policy");
  if (hooks_.job_scheduler != nullptr) {
    attach(*hooks_.job_scheduler, FrontEndMemory::User::kJobScheduler, "job_scheduler");
  }
}

// Nobody can say which kernel a block's error concerns: all stop.
void FrontEnd::hook_error(const char* hook, unsigned code, std::uint64_t info) {
  for (unsigned entry = 0; entry < table_.size(); ++entry) {
    KernelEntry& kernel = table_[entry];
    if (kernel.state == EntryState::kFree) continue;
    Fault fault;
    fault.kind = FaultKind::kIllegalInstruction;
    fault.kernel = kernel.context.program->kernel;
    fault.message = std::string(hook) + " reports error " + std::to_string(code) + " (information " +
                    std::to_string(info) + ") in cycle " + std::to_string(last_) + " while kernel " + fault.kernel +
                    " is in the table";
    fail(kernel, std::move(fault), last_);
  }
}

void FrontEnd::skip_hooks(Cycle cycles) {
  for (SmGovernor* const governor : hooks_.governors) governor->idle(cycles);
  if (hooks_.dispatch != nullptr) hooks_.dispatch->idle(cycles);
  if (hooks_.job_scheduler != nullptr) hooks_.job_scheduler->idle(cycles);
}

// What holds at the start of the cycle, before anything in it happens.
void FrontEnd::begin_hooks(Cycle now) {
  hook_->events = {};
  hook_->retired.clear();
  hook_->job.granted = -1;
  hook_->moving = false;
  if (hooks_.governors.empty()) return;
  for (unsigned sm = 0; sm < sms_.size(); ++sm) {
    hook_->pulses[sm] = sms_[sm]->pulse(now);
    hook_->loads[sm] = ledger_.load(sm, now);
    hook_->moving = hook_->moving || hook_->loads[sm].in_flight;
  }
}

// F4: what governors allow together: the fewest SMs, the smallest quotas, the fewest clocks.
void FrontEnd::govern(Cycle now) {
  if (hooks_.governors.empty()) return;
  hook_->govern.now = now;
  open_ = clock_enable_ = kAllSms;
  quota_ = nullptr;
  uncore_enable_ = true;
  for (SmGovernor* const governor : hooks_.governors) {
    const GovernOut& out = governor->settle(hook_->govern);
    open_ &= out.open;
    clock_enable_ &= out.clock_enable;
    uncore_enable_ = uncore_enable_ && out.uncore_enable;
    if (out.quota == nullptr) continue;
    CASTOR_ASSERT_AT(now, out.quota->entries == table_.size(), "quota table of %u entries, the kernel table has %u",
                     out.quota->entries, table_.size());
    if (quota_ == nullptr) {
      quota_ = out.quota;
      continue;
    }
    for (std::size_t i = 0; i < hook_->allowed.size(); ++i) {
      hook_->allowed[i] = std::min(quota_->allowed[i], out.quota->allowed[i]);
    }
    quota_ = &hook_->combined;
  }
}

// Entries whose next TB could be placed now. Of a stopped kernel anything can: it is dropped.
void FrontEnd::show_fits() {
  hook_->fits.reset();
  const DispatchView view = this->view();
  for (const std::uint16_t entry : ledger_.watched()) hook_->fits[entry] = view.takers(entry) != 0;
  if (hooks_.dispatch == nullptr) return;
  for (unsigned entry = 0; entry < table_.size(); ++entry) {
    const KernelEntry& kernel = table_[entry];
    if (kernel.killed && kernel.state == EntryState::kWritten && kernel.sequencer.left() > 0) hook_->fits[entry] = true;
  }
}

// F8: which queue the job scheduler wants, if it may be granted.
int FrontEnd::job_pick(Cycle now) {
  JobIn& in = hook_->job;
  in.now = now;
  in.beat.reset();
  in.verdict_ready = true;
  in.granted = -1;
  hook_->eligible.reset();
  if (entry_free(now)) {
    const QueueMask& kernels = queues_.kernels();
    for (std::size_t q = kernels._Find_first(); q < kernels.size(); q = kernels._Find_next(q))
      hook_->eligible[q] = true;
  }
  show_fits();
  in.ev = hook_->events;
  const JobOut& out = hooks_.job_scheduler->settle(in);
  if (out.preempt != hook_->preempt) hook_->preempt = out.preempt;
  if (out.pick < 0) return -1;
  CASTOR_ASSERT_AT(now, static_cast<std::size_t>(out.pick) < hook_->eligible.size(), "job scheduler picks source %d",
                   out.pick);
  return hook_->eligible[static_cast<std::size_t>(out.pick)] ? out.pick : -1;
}

// F10: all hooks see what happened.
void FrontEnd::clock_hooks(Cycle now) {
  if (hook_ == nullptr) return;
  FrontEvents& events = hook_->events;
  events.retired = {hook_->retired.data(), hook_->retired.size()};
  if (hooks_.dispatch == nullptr) {
    hook_->ready = hook_->waiting = !dispatcher_.empty();
    hook_->fits_head = dispatcher_.empty() ? 0 : ledger_.fits(static_cast<unsigned>(dispatcher_.current()));
    hook_->bound_wait = 0;
  }
  if (!hooks_.governors.empty()) {
    GovernIn& in = hook_->govern;
    in.now = now;
    in.fits_head = hook_->fits_head;
    in.bound_wait = hook_->bound_wait;
    in.ready = hook_->ready;
    in.waiting = hook_->waiting || queues_.kernel_waits(now) || lanes_.busy() != 0;
    in.ev = events;
    for (SmGovernor* const governor : hooks_.governors) governor->clock(in);
  }
  if (hooks_.dispatch != nullptr) {
    hook_->dispatch.now = now;
    hook_->dispatch.push = events.pushed;
    hook_->dispatch.ev = events;
    hooks_.dispatch->clock(hook_->dispatch);
  }
  if (hooks_.job_scheduler != nullptr) {
    hook_->job.now = now;
    hook_->job.ev = events;
    hooks_.job_scheduler->clock(hook_->job);
  }
  hook_->stopped.reset();
  if (hook_->preempt.none()) return;
  for (const std::uint16_t entry : ledger_.watched()) {
    hook_->stopped[entry] = hook_->preempt[table_[entry].context.queue];
  }
}

// What happened in this cycle may change what hooks see in the next; from then on their inputs rest.
Cycle FrontEnd::next_hook(Cycle now) const {
  const FrontEvents& events = hook_->events;
  if (hook_->moving || !hook_->retired.empty() || events.placed || events.done || events.started || events.completed ||
      hook_->job.granted >= 0 || hook_->dispatch.reply) {
    return now + 1;
  }
  Cycle next = kForever;
  for (const SmGovernor* const governor : hooks_.governors) next = std::min(next, after(now, governor->quiet()));
  if (hooks_.dispatch != nullptr) next = std::min(next, after(now, hooks_.dispatch->quiet()));
  if (hooks_.job_scheduler != nullptr) next = std::min(next, after(now, hooks_.job_scheduler->quiet()));
  return next;
}

}  // namespace castor::gpu
