// Hooks of the front end: what they are told and when (docs/gpu.md, "Hooks").

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
  if (hooks_.job_scheduler == nullptr && hooks_.dispatch == nullptr && hooks_.governors.empty()) {
    return;
  }
  hook_ = std::make_unique<HookState>(machine_);
  hook_->governed.resize(hooks_.governors.size());
  const auto attach = [&](Hook& hook, HookMemory* memory, const std::string& name) {
    HookSite site;
    site.machine = &machine_;
    site.memory = memory;
    site.statistics = &hook_->groups.emplace_back(statistics, name);
    site.error = [this, name](unsigned code, std::uint64_t info) { hook_error(name.c_str(), code, info); };
    hook.attach(site);
    hook.reset();
  };
  for (std::size_t i = 0; i < hooks_.governors.size(); ++i) {
    attach(*hooks_.governors[i], nullptr, "governor" + std::to_string(i));
  }
  if (hooks_.dispatch != nullptr) {
    attach(*hooks_.dispatch, &memory_.client(FrontEndMemory::User::kDispatchPolicy), "dispatch_policy");
  }
  if (hooks_.job_scheduler != nullptr) attach(*hooks_.job_scheduler, nullptr, "job_scheduler");
}

void FrontEnd::detach_hooks() {
  if (hook_ == nullptr) return;
  for (SmGovernor* const governor : hooks_.governors) governor->detach();
  if (hooks_.dispatch != nullptr) hooks_.dispatch->detach();
  if (hooks_.job_scheduler != nullptr) hooks_.job_scheduler->detach();
}

bool FrontEnd::interrupt() const { return hook_ != nullptr && hook_->irq; }

// Nobody can say which kernel a block's error concerns: all stop.
void FrontEnd::hook_error(const char* hook, unsigned code, std::uint64_t info) {
  for (unsigned entry = 0; entry < table_.size(); ++entry) {
    const KernelEntry& kernel = table_[entry];
    if (kernel.state == EntryState::kFree) continue;
    Fault fault;
    fault.kind = FaultKind::kIllegalInstruction;
    fault.kernel = kernel.context.program->kernel;
    fault.message = std::string(hook) + " reports error " + std::to_string(code) + " (information " +
                    std::to_string(info) + ") in cycle " + std::to_string(last_) + " while kernel " + fault.kernel +
                    " is in the table";
    fail(entry, std::move(fault), last_);
  }
}

// Without the uncore only governors are clocked; it was on or off in all of the skipped cycles.
void FrontEnd::skip_hooks(Cycle cycles) {
  for (SmGovernor* const governor : hooks_.governors) governor->idle(cycles);
  if (!uncore_enable_) return;
  if (hooks_.dispatch != nullptr) hooks_.dispatch->idle(cycles);
  if (hooks_.job_scheduler != nullptr) hooks_.job_scheduler->idle(cycles);
}

// What holds at the start of the cycle, before anything in it happens.
void FrontEnd::begin_hooks(Cycle now) {
  hook_->events = {};
  hook_->retired.clear();
  hook_->job.granted = -1;
  hook_->beat_taken = false;
  hook_->moving = false;
  hook_->dispatch.reply.reset();
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
  for (std::size_t i = 0; i < hooks_.governors.size(); ++i) {
    const GovernOut& out = hooks_.governors[i]->settle(hook_->govern);
    hook_->governed[i] = out;
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

// F8: which queue the job scheduler wants, if it may be granted; announcements, verdicts, ends of jobs.
int FrontEnd::job_pick(Cycle now) {
  JobIn& in = hook_->job;
  in.now = now;
  in.granted = -1;
  hook_->eligible.reset();
  if (entry_free(now)) hook_->eligible = ready_;
  show_fits();
  present_register(now);
  in.ev = hook_->events;
  const bool judged = jobs_ && jobs_->judges;
  in.verdict_ready = judged;
  in.beat.reset();
  if (judged && !jobs_->beats.empty()) in.beat = jobs_->beats.front();
  const JobOut& out = hooks_.job_scheduler->settle(in);
  const QueueMask asked = out.preempt & ~hook_->preempt;
  hook_->preempt = out.preempt;
  if (asked.any()) preempt(asked, now);
  hook_->irq = out.irq;
  if (in.beat && out.beat_ready) {
    if (in.beat->header && jobs_->queues[in.beat->queue].ask) jobs_->queues[in.beat->queue].ask->sent = true;
    jobs_->beats.pop_front();
    hook_->beat_taken = true;
  }
  if (judged && out.verdict) take_verdict(*out.verdict, now);
  if (out.end) end_job(*out.end, now);
  if (out.reg) finish_access(*out.reg);
  if (out.pick < 0) return -1;
  CASTOR_ASSERT_AT(now, static_cast<std::size_t>(out.pick) < hook_->eligible.size(), "job scheduler picks queue %d",
                   out.pick);
  return hook_->eligible[static_cast<std::size_t>(out.pick)] ? out.pick : -1;
}

// --- Registers ------------------------------------------------------------------------------------------------------

std::uint64_t FrontEnd::access_register(const RegisterAccess& access, Cycle visible, bool wanted) {
  ++last_access_;
  accesses_.push_back({wanted ? last_access_ : 0, access, visible});
  wake_at(visible);
  return wanted ? last_access_ : 0;
}

std::optional<RegisterReply> FrontEnd::register_reply(std::uint64_t number) {
  const auto found = replies_.find(number);
  if (found == replies_.end()) return std::nullopt;
  const RegisterReply reply = found->second;
  replies_.erase(found);
  return reply;
}

void FrontEnd::finish_access(const RegisterReply& reply) {
  CASTOR_ASSERT_AT(last_, !accesses_.empty(), "a hook answers an access that nobody made");
  ++statistics_.register_accesses;
  if (reply.error != RegisterError::kNone) ++statistics_.register_errors;
  if (accesses_.front().id != 0) replies_[accesses_.front().id] = reply;
  accesses_.pop_front();
  if (jobs_) jobs_->refused.reset();  // the scheduler may think otherwise now
}

// F1: accesses to windows that nobody serves.
void FrontEnd::serve_registers(Cycle now) {
  const auto served = [this](unsigned window) {
    return hooks_.job_scheduler != nullptr && hooks_.job_scheduler->window() == static_cast<int>(window);
  };
  if (accesses_.front().visible <= now && !served(accesses_.front().access.window)) {
    finish_access({RegisterError::kAddress, 0});
  }
}

void FrontEnd::present_register(Cycle now) {
  hook_->events.reg.reset();
  if (accesses_.empty() || accesses_.front().visible > now) return;
  if (hooks_.job_scheduler->window() != static_cast<int>(accesses_.front().access.window)) return;
  hook_->events.reg = accesses_.front().access;
}

Cycle FrontEnd::next_access(Cycle now) const { return std::max(accesses_.front().visible, now + 1); }

void FrontEnd::clock_governors(Cycle now) {
  GovernIn& in = hook_->govern;
  in.now = now;
  in.fits_head = hook_->fits_head;
  in.bound_wait = hook_->bound_wait;
  in.ready = hook_->ready;
  // A kernel whose entry is written in this cycle has left its lane and is not in the policy yet.
  in.waiting = hook_->waiting || hook_->events.pushed.has_value() || queues_.kernel_waits(now) || lanes_.busy() != 0;
  in.ev = hook_->events;
  for (std::size_t i = 0; i < hooks_.governors.size(); ++i) {
    if (!machine_.run.sleep) {  // the runs that check
      const GovernOut& again = hooks_.governors[i]->settle(in);
      const GovernOut& first = hook_->governed[i];
      CASTOR_ASSERT_AT(now,
                       again.open == first.open && again.clock_enable == first.clock_enable &&
                           again.uncore_enable == first.uncore_enable && again.quota == first.quota,
                       "governor%zu changes an output after settle: they depend on its state only", i);
    }
    hooks_.governors[i]->clock(in);
  }
}

// F10: all hooks see what happened.
void FrontEnd::clock_hooks(Cycle now) {
  if (hook_ == nullptr) return;
  const FrontEvents& events = hook_->events;
  if (hooks_.dispatch == nullptr) {
    hook_->ready = hook_->waiting = !dispatcher_.empty();
    hook_->fits_head = dispatcher_.empty() ? 0 : ledger_.fits(static_cast<unsigned>(dispatcher_.current()));
    hook_->bound_wait = 0;
  }
  if (!hooks_.governors.empty()) {
    clock_governors(now);
    check_open(now);
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

// Governors that keep every SM closed while none holds a TB and one waits: only they can end that. If they have not
// after a watchdog's window, or say that they rest for ever, they never will.
void FrontEnd::check_open(Cycle now) {
  if ((open_ & ledger_.all()) != 0 || ledger_.resident_total() != 0 || ledger_.watched().empty()) {
    hook_->closed_since = kForever;
    return;
  }
  if (hook_->closed_since == kForever) hook_->closed_since = now;
  const Cycle closed = now - hook_->closed_since;
  if (closed < machine_.watchdog.cycles) return;
  const auto all = ledger_.all();
  std::string who = "governors together";
  for (std::size_t i = 0; i < hooks_.governors.size(); ++i) {
    if ((hook_->governed[i].open & all) == 0) who = "governor" + std::to_string(i);
  }
  CASTOR_ASSERT_AT(now, closed < machine_.watchdog.cycles,
                   "%s: all SMs have been closed for %llu cycles while none holds a TB and TBs wait", who.c_str(),
                   static_cast<unsigned long long>(closed));
}

// What happened in this cycle may change what hooks see in the next; from then on their inputs rest.
bool FrontEnd::hooks_stirred() const {
  const FrontEvents& events = hook_->events;
  return hook_->moving || !hook_->retired.empty() || events.placed || events.done || events.started ||
         events.completed || hook_->job.granted >= 0 || hook_->beat_taken || events.reg || hook_->dispatch.reply ||
         (hooks_.job_scheduler != nullptr && grantable() != ready_);
}

Cycle FrontEnd::next_hook(Cycle now) const {
  if (hooks_stirred()) return now + 1;
  // Pulses of SMs that ticked before the front end in this cycle; those that tick behind it wake it.
  for (unsigned sm = 0; !hooks_.governors.empty() && sm < sms_.size(); ++sm) {
    if (sms_[sm]->pulse(now + 1) != hook_->pulses[sm]) return now + 1;
  }
  Cycle next = kForever;
  if (hook_->closed_since != kForever) next = hook_->closed_since + machine_.watchdog.cycles;
  for (const SmGovernor* const governor : hooks_.governors) next = std::min(next, after(now, governor->quiet()));
  if (!uncore_enable_) return next;
  if (hooks_.dispatch != nullptr) next = std::min(next, after(now, hooks_.dispatch->quiet()));
  if (hooks_.job_scheduler != nullptr) next = std::min(next, after(now, hooks_.job_scheduler->quiet()));
  return next;
}

}  // namespace castor::gpu
