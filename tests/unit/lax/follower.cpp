#include "unit/lax/follower.h"

#include <algorithm>

namespace castor::lax::reference {
namespace {

enum Counter : unsigned { kSubmit, kAccept, kReject, kDone, kMet, kLate, kUpd, kWg, kUseful, kParse, kPreempt, kDrop };
enum Error : unsigned { kUnderflow, kNoJob, kNoSlot, kInFlight, kOrder, kTime, kBeat, kGrant, kReadOnly, kDoneFull };

constexpr std::uint64_t kMostGroups = 0xFFFFFF;

std::uint64_t number(const Integer& value) { return value.convert_to<std::uint64_t>(); }

}  // namespace

Follower::Follower(const Params& params, const Model& model)
    : params_(params),
      model_(model),
      jobs_(params.NumQueues),
      types_(params.NumKt),
      external_(params.NumQueues),
      last_granted_(params.NumQueues - 1) {
  for (unsigned q = 0; q < params.NumQueues; ++q) jobs_[q].queue = q;
}

void Follower::problem(const std::string& what) {
  if (problems_.size() < 10) problems_.push_back("cycle " + std::to_string(cycle_) + ": " + what);
}

void Follower::step(const Inputs& in, const Outputs& out) {
  const Probes probes = model_.probes();
  next_in_ = in;
  if (!first_) {
    process(out, probes);
    compare(out, probes);
    ++cycle_;
  }
  first_ = false;
  in_ = in;
  out_ = out;
  was_ = probes;
}

// Processes the previous cycle, now that the answer to its register access is known.
void Follower::process(const Outputs& out, const Probes& probes) {
  ended_.reset();
  new_errors_ = 0;
  const bool access = in_.reg_req != 0 && out_.reg_ack == 0 && out.reg_ack != 0;
  const bool good = access && out.reg_err == 0;
  if (good && in_.reg_we != 0 && in_.reg_addr == 0x0008 && (in_.reg_wdata & 4U) != 0) {
    write(0x0008, in_.reg_wdata & ~4U, true);
    soft_reset();
    return;
  }
  if (was_.group == 0) pass_begin();  // first: a key written in this cycle is written during the pass
  const bool table = in_.reg_addr >= 0x0400;
  if (access && table) registers(out);
  if (access && in_.reg_we == 0 && in_.reg_addr == 0x0084) {  // reads the register of the last ended job
    const bool some = !done_.empty();
    expect(out.reg_rdata, some ? done_.front().second | (done_.front().first ? 0x100U : 0U) | (1U << 31U) : 0U,
           "DONE_POP");
    if (some) done_.pop_front();
  }
  const std::uint64_t verdicts = verdicts_.size();
  machine(probes);
  events();
  submission();
  grants();
  if ((rules_.policy) != Policy::Prema) {
    preempted_.reset();
    for (Slot& job : jobs_) job.preempted = false;
  }
  // The port takes a verdict before the register.
  if (out_.adm_valid != 0 && in_.adm_ready != 0) {
    verdicts_.pop_front();
  }
  if (access && in_.reg_we == 0 && in_.reg_addr == 0x0080) {
    U32 expected = 0;
    if (verdicts != 0 && in_.adm_ready == 0) {
      const ExpectedVerdict& verdict = verdicts_.front();
      expected = verdict.queue | (verdict.accept ? 0x100U : 0U) | verdict.reason << 9U | 1U << 31U;
      verdicts_.pop_front();
    }
    expect(out.reg_rdata, expected, "VERDICT_POP");
  }
  if (access && !table) registers(out);
  errors_ |= new_errors_;  // a bit that is set and cleared in one cycle stays set
  // The cycle itself, for the kernel types in flight.
  for (KernelType& type : types_) {
    if (type.in_flight == 0) continue;
    ++type.active;
    type.instance += type.in_flight;
  }
  if (was_.group + 1U == params_.groups()) pass_end(out);
}

void Follower::soft_reset() {
  for (unsigned q = 0; q < params_.NumQueues; ++q) {
    set_state(q, JobState::Free);
    jobs_[q].open = jobs_[q].preempted = false;
    jobs_[q].parse_grant = 0;
  }
  open_.reset();
  preempted_.reset();
  for (KernelType& type : types_) {
    const std::uint64_t isolated = type.isolated;
    type = KernelType{};
    type.isolated = isolated;
  }
  verdicts_.clear();
  pending_.clear();
  done_.clear();
  total_ = 0;
  last_update_ = update_interval_ = expected_length_ = length_ = 0;
  threshold_ = 1;
  errors_ = 0;
  grants_ = 0;
  last_granted_ = params_.NumQueues - 1;
  counters_ = {};
  pass_ = {};
  sample_.reset();
}

// ---- registers ----------------------------------------------------------------------------------------------------

void Follower::registers(const Outputs& out) {
  if (in_.reg_we != 0) write(in_.reg_addr, in_.reg_wdata, out.reg_err == 0);
}

void Follower::write(unsigned address, U32 data, bool good) {
  const auto in_table = [&](unsigned base, unsigned step, unsigned count) {
    return address >= base && address < base + step * count;
  };
  if (in_table(0x4000, 32, params_.NumKt) && address % 32 == 0x18 && !good && (data >> 30U & 1U) != 0) error(kOrder);
  if (!good) return;
  if (address == 0x0008) {
    control_ = data;
    pass_.valid = false;
    const auto field = [data](unsigned low, unsigned bits) { return (data >> low) & ((1U << bits) - 1); };
    rules_.admit = field(1, 1) != 0;
    rules_.policy = static_cast<Policy>(field(4, 4));
    rules_.rate = static_cast<RateMode>(field(8, 2));
    rules_.warm = static_cast<Warm>(field(10, 2));
    rules_.classes = field(12, 1) != 0;
    rules_.initial = static_cast<Initial>(field(13, 2));
    rules_.bypass = field(15, 1) != 0;
    rules_.ewma_shift = field(17, 3);
    rules_.leak = field(20, 3);
  } else if (address == 0x0018) {
    rules_.min_groups = data;
  } else if (address == 0x0070) {
    rules_.prema_priority = data;
  } else if (address == 0x0028) {
    errors_ &= ~data;
  } else if (in_table(0x0400, 4, params_.NumQueues)) {
    const unsigned q = (address - 0x0400) / 4;
    external_[q] = data;
    if (rules_.policy == Policy::Ext && live(jobs_[q])) set_key(q, {0, data});
  } else if (in_table(0x0800, 4, params_.NumQueues)) {
    const unsigned q = (address - 0x0800) / 4;
    const JobState state = jobs_[q].state;
    if (state != JobState::Done && state != JobState::Rejected) problem("a queue is freed that has not ended");
    set_state(q, JobState::Free);
  } else if (in_table(0x0C00, 4, params_.NumKt)) {
    types_[(address - 0x0C00) / 4].isolated = data;
  } else if (in_table(0x4000, 32, params_.NumKt)) {
    KernelType& type = types_[(address - 0x4000) / 32];
    if (address % 32 == 0) {
      type.rate = std::max(data, 1U);
      type.exact = Rational(Integer(std::max(data, 1U)), 256);
    } else {
      if (type.in_flight != 0) problem("a kernel type in flight is cleared");
      const std::uint64_t isolated = type.isolated;
      type = KernelType{};
      type.isolated = isolated;
    }
  }
}

Table Follower::rates() const {
  Table table;
  for (unsigned k = 0; k < params_.NumKt; ++k) {
    if (types_[k].rate) table[k] = *types_[k].rate;
  }
  return table;
}

ExactTable Follower::exact_rates() const {
  ExactTable table;
  for (unsigned k = 0; k < params_.NumKt; ++k) {
    if (types_[k].rate) table[k] = types_[k].exact;
  }
  return table;
}

Table Follower::isolated() const {
  Table table;
  for (unsigned k = 0; k < params_.NumKt; ++k) table[k] = types_[k].isolated;
  return table;
}

// ---- state ----------------------------------------------------------------------------------------------------------

void Follower::set_state(unsigned q, JobState state) {
  jobs_[q].state = state;
  for (unsigned bit = 0; bit < 3; ++bit) planes_[bit].assign(q, ((static_cast<unsigned>(state) >> bit) & 1U) != 0);
}

void Follower::set_key(unsigned q, const Rank& key) {
  jobs_[q].key = key;
  pass_.valid = false;
  ++seen_.keys;
}

void Follower::refuse(unsigned q, unsigned reason) {
  verdicts_.push_back({q, false, reason, 0});
  ++counters_[kReject];
}

// ---- events
// -----------------------------------------------------------------------------------------------------------

void Follower::touch(unsigned k) {
  KernelType& type = types_[k];
  if (type.used) return;
  type.used = true;
  type.since = in_.now;
  type.completed = type.active = type.instance = 0;
  type.in_flight = 0;
}

void Follower::events() {
  if (in_.ks_valid != 0) {
    Slot& job = jobs_[in_.ks_qid];
    if (!live(job)) {
      error(kNoJob);
    } else if (job.state == JobState::Running || job.open) {
      error(kOrder);
    } else if (in_.ks_kid >= params_.NumKt) {
      error(kNoSlot);
    } else {
      job.open = true;
      open_.set(in_.ks_qid);
      touch(in_.ks_kid);
      ++types_[in_.ks_kid].in_flight;
    }
  }
  if (in_.ki_valid != 0) {
    Slot& job = jobs_[in_.ki_qid];
    if (!live(job)) {
      error(kNoJob);
    } else if (job.state == JobState::Running || !job.open) {
      error(kOrder);
    } else {
      set_state(in_.ki_qid, JobState::Running);
    }
  }
  if (in_.wgc_valid != 0) {
    Slot& job = jobs_[in_.wgc_qid];
    Launch* left = nullptr;
    bool known = false;
    for (Launch& launch : job.launches) {
      if (launch.kernel != in_.wgc_kid) continue;
      known = true;
      if (left == nullptr && launch.groups > 0) left = &launch;
    }
    if (!live(job)) {
      error(kNoJob);
    } else if (!job.open) {
      error(kInFlight);
    } else if (in_.wgc_kid >= params_.NumKt || !known) {
      error(kNoSlot);
    } else if (left == nullptr) {
      error(kUnderflow);
    } else {
      --left->groups;
      touch(in_.wgc_kid);
      types_[in_.wgc_kid].completed = std::min(types_[in_.wgc_kid].completed + 1, kMostGroups);
      job.done = std::min(job.done + 1, kMostGroups);
      ++counters_[kWg];
    }
  }
  if (in_.kd_valid == 0) return;
  Slot& job = jobs_[in_.kd_qid];
  if (!live(job)) {
    error(kNoJob);
  } else if (job.state == JobState::Ready) {
    error(kOrder);
  } else if (in_.kd_kid >= params_.NumKt || !types_[in_.kd_kid].used || types_[in_.kd_kid].in_flight == 0) {
    error(kInFlight);
  } else {
    --types_[in_.kd_kid].in_flight;
    job.open = job.preempted = false;
    open_.clear(in_.kd_qid);
    preempted_.clear(in_.kd_qid);
    set_state(in_.kd_qid, in_.kd_last != 0 ? JobState::Done : JobState::Ready);
    if (in_.kd_last == 0) return;
    const Integer latency = duration(in_.now, job.start);
    const bool met = job.deadline == infinite() || latency <= job.deadline;
    ended_ = {in_.kd_qid, met ? 1U : 0U, number(latency)};
    ++seen_.ends;
    ++counters_[kDone];
    ++counters_[met ? kMet : kLate];
    if (met) counters_[kUseful] += job.done;
    if (done_.size() == params_.NumQueues) {
      error(kDoneFull);
    } else {
      done_.emplace_back(met, in_.kd_qid);
    }
  }
}

// ---- submissions
// --------------------------------------------------------------------------------------------------------

void Follower::submission() {
  switch (was_.submit_state) {
    case SubmitState::kIdle:
      if (in_.js_valid == 0 || out_.js_ready == 0) return;
      header_ = {in_.js_qid, in_.js_nkt, in_.js_append != 0, in_.js_deadline, in_.js_start, in_.js_fits != 0, {}};
      ++counters_[kSubmit];
      return;
    case SubmitState::kList:
      if (in_.wl_valid != 0) header_.beats.push_back({in_.wl_kid, in_.wl_numwg});
      return;
    case SubmitState::kCommit:
      if (in_.wgc_valid == 0 && was_.main_state != MainState::kVKey) commit();
      return;
    case SubmitState::kCheck:
      return;
    case SubmitState::kMerge: {
      if (in_.wgc_valid != 0) return;
      Launches& list = jobs_[header_.queue].launches;
      list.push_back(staged_[merged_++]);
      // One element per launch, unless a count reaches its limit.
      for (const Launch& slot : aggregated(list)) {
        if (slot.groups == kMostGroups) list = aggregated(list);
      }
      return;
    }
    case SubmitState::kVerdict:
      if (was_.main_state == MainState::kVKey) return;
      ++seen_.appends;
      if (!live(jobs_[header_.queue])) {
        error(kNoJob);
        refuse(header_.queue, static_cast<unsigned>(Reason::NoJob));
      } else if (append_reason_ != Reason::Ok) {
        refuse(header_.queue, static_cast<unsigned>(append_reason_));
      } else {
        verdicts_.push_back({header_.queue, true, 0, 0});
        ++counters_[kAccept];
      }
      return;
  }
}

void Follower::commit() {
  Slot& job = jobs_[header_.queue];
  const Reason reason = check(header_, enabled(), job.state, params_.NumKt, params_.MaxKt);
  if (reason != Reason::Ok) {
    const bool no_list =
        reason == Reason::BadList && std::min<std::size_t>(header_.beats.size(), 31) != header_.announced;
    if (no_list) error(kBeat);
    if (reason == Reason::NoJob && enabled()) error(kNoJob);
    refuse(header_.queue, static_cast<unsigned>(reason));
    return;
  }
  staged_ = aggregated(header_.beats);
  if (header_.append) {
    merged_ = 0;
    const bool fits = appended(job.launches, staged_, params_.MaxKt).has_value();
    append_reason_ = fits ? Reason::Ok : Reason::BadList;
    return;
  }
  job.launches = header_.beats;
  for (const Launch& slot : staged_) {
    if (slot.groups == kMostGroups) job.launches = staged_;
  }
  job.start = header_.start;
  job.deadline = header_.deadline;
  job.fits = header_.fits;
  job.done = 0;
  job.arrival = arrivals_++;
  pass_.valid = false;
  set_state(header_.queue, JobState::Init);
  pending_.push_back(header_.queue);
}

// ---- selection
// ----------------------------------------------------------------------------------------------------------

void Follower::grants() {
  const bool parse = in_.psel_grant != 0 && out_.psel_valid != 0;
  if (in_.psel_grant != 0 && !parse) error(kGrant);
  if (in_.dsel_grant != 0 && out_.dsel_valid == 0) error(kGrant);
  if (!parse) return;
  last_granted_ = out_.psel_qid;
  jobs_[out_.psel_qid].parse_grant = grants_++;
  ++counters_[kParse];
  pass_.parse = false;
  if (rules_.policy == Policy::Rr || rules_.policy == Policy::Mlfq) pass_.dispatch = false;
}

// Determines the eligible queues in the first cycle of a pass, from the registers at the start of the pass.
void Follower::pass_begin() {
  pass_ = {};
  pass_.valid = true;
  const QueueBits live = was_.job_state1.without(was_.job_state2);
  const QueueBits ready = live.without(was_.job_state0);
  const bool ahead = (control_ >> 24U & 1U) != 0;
  const QueueBits parse = in_.pe_vec & (ahead ? live : ready);
  const QueueBits dispatch = (in_.de_vec & ready).without(was_.preempted);
  for (unsigned q = parse.next(); q < params_.NumQueues; q = parse.next(q + 1)) pass_.parse_set.push_back(q);
  for (unsigned q = dispatch.next(); q < params_.NumQueues; q = dispatch.next(q + 1)) pass_.dispatch_set.push_back(q);
}

void Follower::pass_end(const Outputs& out) {
  if (!pass_.valid) return;
  const auto ranked = [this](const std::vector<unsigned>& set) {
    std::vector<Ranked> jobs;
    for (const unsigned q : set) jobs.push_back({jobs_[q], jobs_[q].key});
    return jobs;
  };
  // The winner of the pass is offered if it is still eligible in this moment.
  const auto check_offer = [&](bool valid, unsigned qid, std::optional<unsigned> winner, bool eligible,
                               const char* what) {
    expect(valid ? 1 : 0, winner && eligible && enabled() ? 1 : 0, std::string(what) + " offer");
    if (!valid || !winner) return;
    ++seen_.passes;
    expect(qid, *winner, std::string(what) + " winner");
  };
  const bool ahead = (control_ >> 24U & 1U) != 0;
  if (pass_.parse) {
    const auto winner = first_to_parse(rules_.policy, ranked(pass_.parse_set), last_granted_, params_.NumQueues);
    const bool eligible = winner && next_in_.pe_vec.test(*winner) &&
                          (jobs_[*winner].state == JobState::Ready || (ahead && live(jobs_[*winner])));
    check_offer(out.psel_valid != 0, out.psel_qid, winner, eligible, "parse");
  } else if (out.psel_valid != 0) {
    problem("parse offer right after a grant");
  }
  if (pass_.dispatch) {
    const auto winner = first_to_dispatch(rules_.policy, ranked(pass_.dispatch_set));
    const bool eligible =
        winner && next_in_.de_vec.test(*winner) && jobs_[*winner].state == JobState::Ready && !preempted_.test(*winner);
    check_offer(out.dsel_valid != 0, out.dsel_qid, winner, eligible, "dispatch");
  }
}

// ---- comparison
// -----------------------------------------------------------------------------------------------------------

void Follower::compare(const Outputs& out, const Probes& probes) {
  if (planes_[0] != probes.job_state0 || planes_[1] != probes.job_state1 || planes_[2] != probes.job_state2) {
    problem("job states differ");
  }
  if (open_ != probes.open) problem("open kernels differ");
  if (preempted_ != probes.preempted || preempted_ != out.pre_vec) problem("preemption requests differ");
  expect(probes.verdict_count, verdicts_.size(), "verdicts waiting");
  expect(probes.pend_count, pending_.size(), "jobs waiting");
  expect(probes.done_count, done_.size(), "ended jobs waiting");
  expect(out.adm_valid, verdicts_.empty() ? 0 : 1, "adm_valid");
  if (!verdicts_.empty()) {
    const ExpectedVerdict& verdict = verdicts_.front();
    expect(out.adm_qid, verdict.queue, "adm_qid");
    expect(out.adm_accept, verdict.accept ? 1 : 0, "adm_accept");
    expect(out.adm_reason, verdict.reason, "adm_reason");
    expect(out.adm_est, verdict.estimate, "adm_est");
  }
  expect(out.jd_valid, ended_ ? 1 : 0, "jd_valid");
  if (ended_) {
    expect(out.jd_qid, (*ended_)[0], "jd_qid");
    expect(out.jd_met, (*ended_)[1], "jd_met");
    expect(out.jd_lat, (*ended_)[2], "jd_lat");
  }
  // Offers refer to the current cycle, whatever was selected before.
  const auto ready = [&](unsigned q) { return jobs_[q].state == JobState::Ready; };
  if (out.psel_valid != 0) {
    const bool ahead = (control_ >> 24U & 1U) != 0 && jobs_[out.psel_qid].state == JobState::Running;
    if (!ready(out.psel_qid) && !ahead) problem("a queue is offered for parsing that is not eligible");
  }
  if (out.dsel_valid != 0 && (!ready(out.dsel_qid) || preempted_.test(out.dsel_qid))) {
    problem("a queue is offered for dispatch that is not eligible");
  }
  if ((look(0x0028) & ~(1U << kReadOnly)) != errors_) {
    problem("errors are " + std::to_string(look(0x0028)) + ", expected " + std::to_string(errors_));
  }
  if (probes.main_state == MainState::kIdle && cycle_ % 64 == 0) sweep();
}

// Compares all tables at one moment, so that an entry that changed without an event is found.
void Follower::sweep() {
  ++seen_.sweeps;
  for (unsigned q = 0; q < params_.NumQueues; ++q) {
    const Slot& job = jobs_[q];
    const std::string name = "queue " + std::to_string(q) + " ";
    if (job.state == JobState::Free) continue;
    const unsigned base = 0x8000 + 128 * q;
    expect(look(base), job.deadline, name + "deadline");
    const Launches slots = aggregated(job.launches);
    expect(look(base + 0x1C) >> 16U, slots.size(), name + "slots");
    for (std::size_t s = 0; s < slots.size(); ++s) {
      expect(look(base + 0x40 + 4 * static_cast<unsigned>(s)), slots[s].kernel * (1U << 24U) + slots[s].groups,
             name + "slot " + std::to_string(s));
    }
    if (!live(job)) continue;
    expect(look(base + 0x18), job.key.second % power(32), name + "key");
    expect(look(0x0800 + 4 * q) >> 3U & 3U, job.key.first, name + "class");
    expect(look(base + 0x0C), job.rem, name + "remaining");
    expect(look(base + 0x10), job.dur, name + "duration");
    expect(static_cast<std::int32_t>(look(base + 0x14)), job.lax, name + "laxity");
  }
  for (unsigned k = 0; k < params_.NumKt; ++k) {
    const KernelType& type = types_[k];
    const std::string name = "kernel type " + std::to_string(k) + " ";
    const unsigned base = 0x4000 + 32 * k;
    expect(look(base), type.rate.value_or(0), name + "rate");
    expect(look(base + 4), type.used ? type.completed : 0, name + "completions");
    expect(look(base + 0x18) & 0x3FFFFFFFU, type.used ? type.in_flight : 0, name + "in flight");
    for (unsigned i = 0; i < 4; ++i) {
      expect(look(base + 8 + 4 * i), type.snapshot ? (*type.snapshot)[i] : 0, name + "snapshot " + std::to_string(i));
    }
  }
  for (unsigned n = 0; n < counters_.size(); ++n) {
    expect(look(0x0040 + 4 * n), counters_[n], "counter " + std::to_string(n));
  }
}

}  // namespace castor::lax::reference
