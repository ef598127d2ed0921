#include "unit/saws/reference_machine.h"

#include <algorithm>

namespace castor::saws::reference {
namespace {

Rules rules_of(const Params& params) {
  Rules rules;
  rules.floor = params.PFloor;
  rules.by_age = params.InitOrder == 1;
  rules.demote_at_hit = params.DemoteAt == 1;
  return rules;
}

}  // namespace

void Machine::Seen::add(const Seen& other) {
  picks += other.picks;
  greedy_picks += other.greedy_picks;
  switches += other.switches;
  messages += other.messages;
  killed += other.killed;
  moves += other.moves;
  hits += other.hits;
  promoting += other.promoting;
  all_blocked += other.all_blocked;
  lost += other.lost;
  for (unsigned bit = 0; bit < 3; ++bit) errors[bit] += other.errors[bit];
}

Machine::Machine(const Params& params)
    : params_(params), lists_(params.NumSched, rules_of(params)), warps_(params.NumWarps), ctas_(params.MaxCta) {
  params.check();
  for (unsigned s = 0; s < params.NumSched; ++s) gto_.push_back(std::make_unique<Gto>(params.warps_per_scheduler()));
  reset();
}

void Machine::start(unsigned mode, bool toggling) {
  const bool whole = params_.SawsEn == 1;
  selected_ = whole ? mode : 0;
  toggling_ = whole ? toggling : true;
  lists_.launch(whole && mode == 2, toggling_);
  for (auto& picker : gto_) picker->launch();
  greedy_register_.assign(params_.NumSched, 0);
  std::fill(warps_.begin(), warps_.end(), Warp{});
  std::fill(ctas_.begin(), ctas_.end(), Cta{});
  queues_.assign(params_.NumSched, {});
  turn_ = error_ = switched_ = 0;
}

Warps Machine::warps_of(unsigned scheduler, const Inputs& in) const {
  Warps result;
  for (unsigned local = 0; local < params_.warps_per_scheduler(); ++local) {
    const unsigned w = warp(scheduler, local);
    result.ready.push_back(in.w_ready[w] && warps_[w].allocated);
  }
  return result;
}

std::optional<unsigned> Machine::pick(unsigned scheduler, const Inputs& in) const {
  const Warps warps = warps_of(scheduler, in);
  if (!lists_.saws()) return gto_[scheduler]->pick(warps, 0);
  // Scans the list from its head in every cycle.
  for (const unsigned cta : lists_.order(scheduler)) {
    for (unsigned local = 0; local < params_.warps_per_scheduler(); ++local) {
      if (warps.ready[local] && warps_[warp(scheduler, local)].cta == cta) return local;
    }
  }
  return std::nullopt;
}

Outputs Machine::settle(const Inputs& in) const {
  Outputs out;
  for (unsigned s = 0; s < params_.NumSched; ++s) {
    if (const auto local = pick(s, in)) {
      out.issue_valid = static_cast<U8>(out.issue_valid | 1U << s);
      out.issue_idx[s] = static_cast<U8>(*local);
    }
    if (queues_[s].size() < params_.EvqDepth) out.wev_ready = static_cast<U8>(out.wev_ready | 1U << s);
  }
  out.mode_saws = lists_.saws() ? 1 : 0;
  out.err = static_cast<U8>(error_);
  return out;
}

void Machine::clock(const Inputs& in) {
  ++cycle_;
  if (in.kernel_start != 0) {
    start(in.mode_sel, in.toggle_en != 0);
    return;
  }
  error_ = 0;
  // What the cycle began with
  const bool gto = !lists_.saws();
  std::vector<std::optional<unsigned>> issued(params_.NumSched), greedy_cta(params_.NumSched);
  std::vector<std::size_t> held;
  for (unsigned s = 0; s < params_.NumSched; ++s) {
    const std::optional<unsigned> picked = pick(s, in);
    if (picked) {
      ++seen_.picks;
      if (gto && gto_[s]->greedy() == picked) ++seen_.greedy_picks;
    }
    if ((in.issue_ack >> s & 1U) != 0) issued[s] = picked;
    greedy_cta[s] = gto_[s]->greedy_cta();
    held.push_back(queues_[s].size());
    for (Message& message : queues_[s]) {
      ++message.waited;
      message.operations += in.cta_valid;
    }
  }

  const bool any = std::any_of(held.begin(), held.end(), [](std::size_t n) { return n > 0; });
  bool switching = false;
  if (in.cta_valid == 0 && any) {
    switching = gto;
    if (switching) {
      lists_.start_saws(greedy_cta);
      ++seen_.switches;
      if (++switched_ > 1) problem("the second switch of a kernel");
    } else {
      broadcast();
    }
  }

  const std::vector<Accepted> accepted = events(in);
  send(accepted, held, in);

  if (in.cta_valid != 0) {
    const bool known = in.cta_id < params_.MaxCta;
    const bool used = known && ctas_[in.cta_id].used;
    if (in.cta_free != 0) {
      used ? free(in.cta_id) : error(0);
    } else {
      bool legal = known && !used && in.cta_wmask.any();
      for (unsigned w = 0; w < params_.NumWarps; ++w) legal = legal && !(in.cta_wmask[w] && warps_[w].allocated);
      legal ? place(in) : error(0);
    }
  }

  // A free takes the greedy warp away, but not one that issues in the same cycle.
  for (unsigned s = 0; s < params_.NumSched; ++s) {
    if (gto && !switching && issued[s]) {
      gto_[s]->issued(*issued[s], 0);
      greedy_register_[s] = *issued[s];
    }
  }
  check();
}

void Machine::broadcast() {
  for (unsigned step = 0; step < params_.NumSched; ++step) {
    const unsigned s = (turn_ + step) % params_.NumSched;
    if (queues_[s].empty()) continue;
    const Message message = queues_[s].front();
    queues_[s].pop_front();
    turn_ = (s + 1) % params_.NumSched;
    const std::uint64_t bound = std::uint64_t{params_.NumSched} * params_.EvqDepth + message.operations + 1;
    if (message.waited > bound) problem("a message waited for " + std::to_string(message.waited) + " cycles");
    ++seen_.messages;
    if (message.killed) {
      ++seen_.killed;
      return;
    }
    std::vector<std::vector<unsigned>> was;
    for (unsigned other = 0; other < params_.NumSched; ++other) was.push_back(lists_.order(other));
    lists_.message(message.cta, s, message.hit, message.all_blocked);
    for (unsigned other = 0; other < params_.NumSched; ++other) {
      if (was[other] != lists_.order(other)) ++seen_.moves;
    }
    return;
  }
}

std::vector<Machine::Accepted> Machine::events(const Inputs& in) {
  for (unsigned w = 0; w < params_.NumWarps; ++w) {
    if (in.unblock[w]) warps_[w].blocked = false;
  }
  std::vector<Accepted> accepted;
  std::vector<bool> was_live;
  for (const Warp& warp : warps_) was_live.push_back(warp.live);
  for (unsigned s = 0; s < params_.NumSched; ++s) {
    if ((in.wev_valid >> s & 1U) == 0) continue;
    if (in.wev_idx[s] >= params_.warps_per_scheduler() || !was_live[warp(s, in.wev_idx[s])]) {
      error(0);
      continue;
    }
    Warp& reporter = warps_[warp(s, in.wev_idx[s])];
    if ((in.wev_exit >> s & 1U) != 0) {
      reporter.live = reporter.blocked = false;
      accepted.push_back({s, reporter.cta, false});
    } else if (reporter.blocked) {
      error(1);
    } else {
      const std::vector<unsigned>& siblings = ctas_[reporter.cta].warps;
      const bool hit = std::none_of(siblings.begin(), siblings.end(), [this](unsigned w) { return warps_[w].blocked; });
      reporter.blocked = true;
      accepted.push_back({s, reporter.cta, hit});
    }
  }
  return accepted;
}

void Machine::send(const std::vector<Accepted>& accepted, const std::vector<std::size_t>& held, const Inputs& in) {
  for (const Accepted& event : accepted) {
    unsigned live = 0, blocked = 0;
    for (const unsigned w : ctas_[event.cta].warps) {
      if (w % params_.NumSched != event.scheduler || !warps_[w].live) continue;
      ++live;
      blocked += warps_[w].blocked ? 1 : 0;
    }
    const bool all = live > 0 && live == blocked;
    bool promotes = false;
    if (event.hit) {
      Cta& cta = ctas_[event.cta];
      if (params_.SawsEn == 1) promotes = lists_.hit_promotes(event.cta);
      ++cta.hits;
      cta.promoting += promotes ? 1 : 0;
      ++seen_.hits;
      seen_.promoting += promotes ? 1 : 0;
      if (params_.SawsEn == 1 && cta.promoting != (toggling_ ? (cta.hits + 1) / 2 : cta.hits)) {
        problem("CTA " + std::to_string(event.cta) + ": " + std::to_string(cta.promoting) + " promotions in " +
                std::to_string(cta.hits) + " hits");
      }
    }
    seen_.all_blocked += all ? 1 : 0;
    if (params_.SawsEn == 0 || selected_ == 0 || (!promotes && !all)) continue;
    if (in.cta_valid != 0 && in.cta_free != 0 && in.cta_id == event.cta) continue;
    if (held[event.scheduler] == params_.EvqDepth) {
      error(2);
      ++seen_.lost;
    } else {
      queues_[event.scheduler].push_back({event.cta, promotes, all, false, 0, 0});
    }
  }
}

void Machine::place(const Inputs& in) {
  Cta& cta = ctas_[in.cta_id];
  cta = {};
  cta.used = true;
  std::vector<unsigned> on;
  for (unsigned s = 0; s < params_.NumSched; ++s) {
    std::vector<unsigned> own;
    for (unsigned local = 0; local < params_.warps_per_scheduler(); ++local) {
      if (in.cta_wmask[warp(s, local)]) own.push_back(local);
    }
    if (own.empty()) continue;
    on.push_back(s);
    gto_[s]->place(in.cta_id, own);
  }
  for (unsigned w = 0; w < params_.NumWarps; ++w) {
    if (!in.cta_wmask[w]) continue;
    warps_[w] = {true, true, false, in.cta_id};
    cta.warps.push_back(w);
  }
  lists_.place(in.cta_id, on);
}

void Machine::free(unsigned cta) {
  for (const unsigned w : ctas_[cta].warps) warps_[w] = {};
  ctas_[cta] = {};
  lists_.remove(cta);
  for (auto& picker : gto_) picker->free(cta);
  for (std::deque<Message>& queue : queues_) {
    for (Message& message : queue) message.killed = message.killed || message.cta == cta;
  }
}

Probes Machine::probes() const {
  Probes probes;
  probes.mode = lists_.saws() ? Mode::kSaws : Mode::kGto;
  probes.selected = static_cast<U8>(selected_);
  probes.toggling = toggling_ ? 1 : 0;
  probes.turn = static_cast<U8>(turn_);
  for (unsigned c = 0; c < params_.MaxCta; ++c) {
    if (ctas_[c].used) probes.cta_used |= U32{1} << c;
    if (lists_.toggle(c)) probes.toggle |= U32{1} << c;
  }
  for (unsigned w = 0; w < params_.NumWarps; ++w) {
    probes.allocated.assign(w, warps_[w].allocated);
    probes.live.assign(w, warps_[w].live);
    probes.blocked.assign(w, warps_[w].blocked);
    if (!warps_[w].allocated) continue;
    probes.warp_cta[w] = static_cast<U8>(warps_[w].cta);
    probes.position[w] = static_cast<U8>(lists_.position(warps_[w].cta, w % params_.NumSched).value());
  }
  for (unsigned s = 0; s < params_.NumSched; ++s) {
    probes.pointer[s] = static_cast<U8>(lists_.saws() ? lists_.p(s) : greedy_register_[s]);
    if (!lists_.saws() && gto_[s]->greedy()) probes.greedy = static_cast<U8>(probes.greedy | 1U << s);
    probes.length[s] = static_cast<U8>(lists_.order(s).size());
    probes.waiting[s] = static_cast<U8>(queues_[s].size());
    if (queues_[s].empty()) continue;
    const Message& oldest = queues_[s].front();
    probes.oldest[s] =
        static_cast<U8>(oldest.cta + (oldest.hit ? 32 : 0) + (oldest.all_blocked ? 64 : 0) + (oldest.killed ? 128 : 0));
  }
  probes.error = static_cast<U8>(error_);
  return probes;
}

void Machine::check() {
  for (unsigned s = 0; s < params_.NumSched; ++s) {
    const unsigned n = static_cast<unsigned>(lists_.order(s).size());
    if (lists_.saws() && (lists_.p(s) < params_.PFloor || lists_.p(s) > std::max(1U, n))) {
      problem("P is " + std::to_string(lists_.p(s)) + " with " + std::to_string(n) + " CTAs in the list");
    }
  }
}

void Machine::problem(const std::string& what) { problems_.push_back("cycle " + std::to_string(cycle_) + ": " + what); }

}  // namespace castor::saws::reference
