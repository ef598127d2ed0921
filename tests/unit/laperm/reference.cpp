#include "unit/laperm/reference.h"

#include <algorithm>

namespace castor::laperm::reference {
namespace {

bool adaptive(U32 policy) { return policy == kAdaptiveBind || policy == 0; }

/// Entries of a list in memory; 0 without memory.
U32 capacity(U32 ovf_log2, const Params& params) { return ovf_log2 == 0 ? 0 : 1U << std::min(ovf_log2, params.OvfW); }
U32 wrapped(U32 index, U32 cap) { return cap == 0 ? 0 : index % cap; }

Item pushed_item(const Inputs& in) { return {in.push_kd, in.push_agei, in.push_cnt, in.push_dim, in.push_param}; }

bool wrong(const Inputs& in, U64 waiting, const Params& params) {
  return in.push_cnt == 0 || (in.push_level > 0 && in.push_sm >= params.NumSm) || waiting == twin::mask(params.QcntW);
}

}  // namespace

bool operator==(const Item& a, const Item& b) {
  return a.kd == b.kd && a.agei == b.agei && a.cnt == b.cnt && a.dim == b.dim && a.param == b.param;
}

Entry packed(const Item& item, const Params& params) {
  Entry entry;
  unsigned at = 0;
  const auto put = [&entry, &at](U64 value, unsigned bits) {
    for (unsigned i = 0; i < bits; ++i) entry.assign(at++, (value >> i & 1U) != 0);
  };
  put(item.param, params.ParamW);
  put(item.dim, params.DimW);
  put(item.cnt, params.CntW);
  put(item.agei, params.AgeiW);
  put(item.kd, params.kd_bits());
  return entry;
}

Item unpacked(const Entry& entry, const Params& params) {
  unsigned at = 0;
  const auto get = [&entry, &at](unsigned bits) {
    U64 value = 0;
    for (unsigned i = 0; i < bits; ++i) value |= U64{entry.test(at++)} << i;
    return value;
  };
  Item item;
  item.param = get(params.ParamW);
  item.dim = get(params.DimW);
  item.cnt = get(params.CntW);
  item.agei = get(params.AgeiW);
  item.kd = static_cast<U32>(get(params.kd_bits()));
  return item;
}

U32 set_of(U32 sm, U32 policy, const Params& params) { return policy == kTbPri ? 0 : sm / params.ClusterSize; }

Machine::Machine(const Params& params) : params_(params) { reset(); }

void Machine::reset() {
  State s;
  s.chip.resize(params_.lists());
  s.nx.resize(params_.lists());
  s.oc.resize(params_.lists());
  s.oh.resize(params_.lists());
  s.fl.resize(params_.lists());
  s.n.resize(params_.sets());
  s.rs.resize(params_.sets());
  s.need.resize(params_.NumKd);
  s.qd.resize(params_.NumKd);
  for (U32 sm = 0; sm < params_.NumSm; ++sm) s.bk.push_back(sm / params_.ClusterSize);
  s.fit.assign(params_.NumSm, true);
  s_ = s;
  memory_.assign(params_.lists(), {});
  fetched_.clear();
  complaint_.clear();
}

bool Machine::waiting() const {
  return std::any_of(s_.qd.begin(), s_.qd.end(), [](U32 items) { return items > 0; });
}

bool Machine::in_memory(U32 set) const {
  for (U32 l = 0; l < params_.LvlMax; ++l) {
    if (s_.oc[set * params_.LvlMax + l] > 0) return true;
  }
  return false;
}

bool Machine::busy(U32 set) const {
  if (has(set) || in_memory(set)) return true;
  for (U32 l = 0; l < params_.LvlMax; ++l) {
    if (s_.fl[set * params_.LvlMax + l] > 0) return true;
  }
  return false;
}

U32 Machine::top(U32 set) const {
  U32 list = set * params_.LvlMax + params_.LvlMax - 1;
  while (s_.chip[list].empty()) --list;
  return list;
}

U32 Machine::limit(U32 policy) const {
  return policy == kTbPri ? params_.sets() * params_.BankDepth : params_.BankDepth;
}

Machine::Choice Machine::choose(const Inputs& in) const {
  Choice choice;
  if (!waiting() || in.room_open == 0) return choice;
  const U32 c = set_of(s_.cur, in.policy, params_);
  if (busy(c)) {
    if (has(c)) {
      choice.stage = 1;
      choice.list = top(c);
    } else {
      choice.starve = true;
    }
  } else if (!s_.host.empty()) {
    choice.stage = 2;
    choice.item = s_.host.front();
    choice.pos = s_.nx0;
  } else if (adaptive(in.policy)) {
    std::optional<U32> b;
    if (has(s_.bk[s_.cur])) b = s_.bk[s_.cur];
    for (U32 i = 1; i < params_.sets() && !b; ++i) {
      if (has((c + i) % params_.sets())) b = (c + i) % params_.sets();
    }
    if (b) {
      choice.stage = 3;
      choice.list = top(*b);
      choice.backup = *b;
      choice.new_backup = *b != s_.bk[s_.cur];
    }
  }
  if (choice.stage == 0) return choice;
  if (choice.stage != 2) {
    choice.item = s_.chip[choice.list].front();
    choice.pos = s_.nx[choice.list];
  }
  const State::Need need = choice.item.kd < params_.NumKd ? s_.need[choice.item.kd] : State::Need{};
  choice.fits = in.room_slots >= 1 && in.room_warps >= need.warps && in.room_regs >= need.regs &&
                in.room_smem >= need.smem && in.kd_ok.test(choice.item.kd);
  choice.last = ((choice.pos + 1) & twin::mask(params_.CntW)) == choice.item.cnt;
  return choice;
}

Outputs Machine::settle(const Inputs& in) const {
  Outputs out;
  const Choice choice = choose(in);
  out.push_ready = s_.pk ? 0 : 1;
  out.scan_sm = static_cast<U8>(s_.cur);
  if (choice.fits) {
    out.pl_valid = 1;
    out.pl_sm = static_cast<U8>(s_.cur);
    out.pl_kd = static_cast<U8>(choice.item.kd);
    out.pl_agei = choice.item.agei;
    out.pl_level = static_cast<U8>(choice.stage == 2 ? 0 : choice.list % params_.LvlMax + 1);
    out.pl_pos = choice.pos;
    out.pl_last = choice.last ? 1 : 0;
    out.pl_dim = choice.item.dim;
    out.pl_param = choice.item.param;
  }
  out.ev_stage = static_cast<U8>(choice.stage);
  out.ev_backup = choice.new_backup ? 1 : 0;
  out.ev_starve = choice.starve ? 1 : 0;
  if (s_.rq) {
    out.mem_valid = 1;
    out.mem_we = s_.rq->write ? 1 : 0;
    out.mem_list = static_cast<U16>(s_.rq->list);
    out.mem_idx = s_.rq->idx;
    if (s_.rq->write) out.mem_wdata = packed(s_.rq->item, params_);
  }
  for (U32 k = 0; k < params_.NumKd; ++k) out.hold.assign(k, s_.qd[k] > 0);
  out.waiting = waiting() ? 1 : 0;
  out.ready = s_.host.empty() ? 0 : 1;
  for (U32 c = 0; c < params_.sets(); ++c) {
    if (has(c)) out.ready = 1;
  }
  for (U32 sm = 0; sm < params_.NumSm; ++sm) {
    if (s_.fit[sm]) out.fits_head |= 1U << sm;
    if (in.policy != kTbPri && busy(sm / params_.ClusterSize)) out.bound_wait |= 1U << sm;
  }
  out.err = static_cast<U8>(s_.err);
  return out;
}

void Machine::clock(const Inputs& in) {
  // All decisions use the values at the start of the cycle, which stay in s_. Changes go to `to`.
  State to = s_;
  to.err = 0;
  policy_ = in.policy;

  // 1: select
  const Choice choice = choose(in);
  if (choice.stage == 3) to.bk[s_.cur] = choice.backup;
  if (!waiting()) {
    to.fit.assign(params_.NumSm, true);
  } else {
    if (in.room_open != 0) to.fit[s_.cur] = choice.stage == 0 || choice.fits;
    to.cur = (s_.cur + 1) % params_.NumSm;
  }

  if (choice.fits && in.pl_taken != 0) place(choice, to);  // 2
  reply(in, to);                                           // 3
  const Handled handled = item(in, to);                    // 4
  refill(in, handled, to);                                 // 5
  s_ = to;
}

void Machine::place(const Choice& choice, State& to) const {
  U64& nx = choice.stage == 2 ? to.nx0 : to.nx[choice.list];
  if (!choice.last) {
    nx = (nx + 1) & twin::mask(params_.CntW);
    return;
  }
  nx = 0;
  if (choice.item.kd < params_.NumKd) --to.qd[choice.item.kd];
  if (choice.stage == 2) {
    to.host.pop_front();
  } else {
    to.chip[choice.list].pop_front();
    --to.n[choice.list / params_.LvlMax];
  }
}

void Machine::reply(const Inputs& in, State& to) {
  if (s_.rf) {
    const U32 q = s_.rf->list;
    to.chip[q].push_back(s_.rf->item);
    ++to.n[q / params_.LvlMax];
    --to.rs[q / params_.LvlMax];
    --to.fl[q];
  }
  to.rf.reset();
  if (in.mem_rvalid == 0) return;
  if (s_.tags.empty()) {
    to.err |= 2U;
    return;
  }
  to.rf = State::Reply{s_.tags.front(), unpacked(in.mem_rdata, params_)};
  to.tags.pop_front();
  if (!(to.rf->item == fetched_.front()))
    complaint_ = "W12: a read brought another entry than the oldest of its list; ";
  fetched_.pop_front();
}

Machine::Handled Machine::item(const Inputs& in, State& to) {
  std::optional<State::Parked> it = s_.pk;
  if (in.push_valid != 0 && !s_.pk) {
    if (in.push_kd >= params_.NumKd || wrong(in, s_.qd[in.push_kd], params_)) {
      to.err |= 1U;
      return {};
    }
    it = State::Parked{pushed_item(in), in.push_level, in.push_sm};
    ++to.qd[in.push_kd];
    to.need[in.push_kd] = {in.push_warps, in.push_regs, in.push_smem};
  }
  to.pk.reset();
  if (!it) return {};

  const U32 level = std::min(it->level, params_.LvlMax);
  if (level == 0) {
    if (s_.host.size() < params_.NumKd) {
      to.host.push_back(it->item);
    } else {
      to.pk = it;
    }
    return {};
  }
  const U32 c = set_of(it->sm, in.policy, params_);
  const U32 q = c * params_.LvlMax + level - 1;
  const bool over = s_.oc[q] > 0 || s_.fl[q] > 0 || s_.n[c] + s_.rs[c] >= limit(in.policy);
  if (!over) {
    if (s_.rf) {
      to.pk = it;
      return {};
    }
    to.chip[q].push_back(it->item);
    ++to.n[c];
    return {false, c};
  }
  const U32 cap = capacity(in.ovf_log2, params_);
  if (s_.rq || s_.oc[q] >= cap || (s_.tn && refill_possible(in, {}))) {
    to.pk = it;
    return {};
  }
  to.rq = State::Request{true, q, wrapped(s_.oh[q] + s_.oc[q], cap), it->item};
  ++to.oc[q];
  to.tn = true;
  memory_[q].push_back(it->item);
  return {true, {}};
}

bool Machine::room_for_one(U32 set, std::optional<U32> inserted, U32 policy) const {
  return s_.n[set] + s_.rs[set] + (inserted == set ? 1 : 0) < limit(policy) && in_memory(set);
}

bool Machine::refill_possible(const Inputs& in, std::optional<U32> inserted) const {
  if (s_.rq || s_.tags.size() >= params_.RefillMax) return false;
  for (U32 c = 0; c < params_.sets(); ++c) {
    if (room_for_one(c, inserted, in.policy)) return true;
  }
  return false;
}

void Machine::refill(const Inputs& in, const Handled& handled, State& to) {
  if (s_.rq && in.mem_ready != 0) to.rq.reset();
  if (handled.wrote || !refill_possible(in, handled.inserted)) return;
  U32 c = s_.rc;
  while (!room_for_one(c, handled.inserted, in.policy)) c = (c + 1) % params_.sets();
  U32 q = c * params_.LvlMax + params_.LvlMax - 1;
  while (s_.oc[q] == 0) --q;
  const U32 cap = capacity(in.ovf_log2, params_);
  to.rq = State::Request{false, q, wrapped(s_.oh[q], cap), {}};
  to.oh[q] = wrapped(s_.oh[q] + 1, cap);
  --to.oc[q];
  ++to.fl[q];
  ++to.rs[c];
  to.tags.push_back(q);
  to.rc = (c + 1) % params_.sets();
  to.tn = false;
  fetched_.push_back(memory_[q].front());
  memory_[q].pop_front();
}

Probes Machine::probes() const {
  Probes probes;
  for (U32 q = 0; q < params_.lists(); ++q) {
    probes.listed.assign(q, !s_.chip[q].empty());
    probes.begun.assign(q, s_.nx[q] != 0);
    probes.in_memory[q] = s_.oc[q];
    probes.oldest[q] = s_.oh[q];
    probes.fetches[q] = static_cast<U8>(s_.fl[q]);
  }
  for (U32 c = 0; c < params_.sets(); ++c) {
    probes.entries[c] = static_cast<U16>(s_.n[c]);
    probes.promised[c] = static_cast<U8>(s_.rs[c]);
  }
  probes.host_count = static_cast<U16>(s_.host.size());
  probes.host_pos = s_.nx0;
  for (U32 k = 0; k < params_.NumKd; ++k) probes.items[k] = s_.qd[k];
  for (U32 sm = 0; sm < params_.NumSm; ++sm) {
    probes.backup[sm] = static_cast<U8>(s_.bk[sm]);
    if (s_.fit[sm]) probes.fit |= 1U << sm;
  }
  if (s_.pk) {
    probes.pk_valid = 1;
    probes.pk_entry = packed(s_.pk->item, params_);
    probes.pk_level = static_cast<U8>(s_.pk->level);
    probes.pk_sm = static_cast<U8>(s_.pk->sm);
  }
  probes.tags = static_cast<U8>(s_.tags.size());
  if (s_.rf) {
    probes.rf_valid = 1;
    probes.rf_list = static_cast<U16>(s_.rf->list);
    probes.rf_entry = packed(s_.rf->item, params_);
  }
  probes.refill_set = static_cast<U8>(s_.rc);
  probes.wrote = s_.tn ? 1 : 0;
  probes.requested = s_.rq ? 1 : 0;
  probes.error = static_cast<U8>(s_.err);
  return probes;
}

std::string Machine::broken() const {
  std::string found = complaint_;
  std::vector<U32> items(params_.NumKd), fetches(params_.lists());
  const auto count = [&items](const Item& item) { ++items.at(item.kd); };
  for (U32 q : s_.tags) ++fetches[q];
  if (s_.rf) {
    ++fetches[s_.rf->list];
    count(s_.rf->item);
  }
  if (s_.pk) count(s_.pk->item);
  for (const Item& item : s_.host) count(item);
  for (const Item& item : fetched_) count(item);
  for (U32 c = 0; c < params_.sets(); ++c) {
    U32 entries = 0, promised = 0;
    for (U32 q = c * params_.LvlMax; q < (c + 1) * params_.LvlMax; ++q) {
      entries += static_cast<U32>(s_.chip[q].size());
      promised += s_.fl[q];
      for (const Item& item : s_.chip[q]) count(item);
      for (const Item& item : memory_[q]) count(item);
      if (s_.fl[q] != fetches[q]) found += "W11: reads of list " + std::to_string(q) + "; ";
      if (s_.oc[q] != memory_[q].size()) found += "W12: entries in memory of list " + std::to_string(q) + "; ";
      if (s_.chip[q].empty() && s_.nx[q] != 0) found += "W4: position of empty list " + std::to_string(q) + "; ";
    }
    if (s_.n[c] != entries || s_.n[c] + s_.rs[c] > limit(policy_)) found += "W6: set " + std::to_string(c) + "; ";
    if (s_.rs[c] != promised) found += "W11: set " + std::to_string(c) + "; ";
  }
  for (U32 k = 0; k < params_.NumKd; ++k) {
    if (s_.qd[k] != items[k]) found += "W7: items of kernel " + std::to_string(k) + "; ";
  }
  return found;
}

void Queues::see(const Inputs& in, const Outputs& out, const Probes& probes) {
  if (coming_ && out.push_ready != 0) {
    list_of(coming_->level, coming_->sm, in.policy).push_back({coming_->item, 0});
    coming_.reset();
  }
  for (U32 k = 0; k < params_.NumKd; ++k) {
    if (out.hold.test(k) != (items_[k] > 0)) say("hold of kernel " + std::to_string(k));
  }
  if ((out.waiting != 0) == drained()) say("waiting");
  see_place(in, out, probes);
  see_push(in, out);
}

std::deque<Queues::Waiting>& Queues::list_of(U32 level, U32 sm, U32 policy) {
  const U32 l = std::min(level, params_.LvlMax);
  return l == 0 ? host_ : lists_[set_of(sm, policy, params_) * params_.LvlMax + l - 1];
}

bool Queues::none_of(U32 set) const {
  for (U32 q = set * params_.LvlMax; q < (set + 1) * params_.LvlMax; ++q) {
    if (!lists_[q].empty()) return false;
  }
  return true;
}

void Queues::see_place(const Inputs& in, const Outputs& out, const Probes& probes) {
  if (out.pl_valid == 0) return;
  const U32 own = set_of(out.pl_sm, in.policy, params_);
  if (out.pl_sm != out.scan_sm) say("W9: offered for another SM than the one examined");
  if ((out.pl_level == 0) != (out.ev_stage == 2)) say("level 0 in another stage than 2");
  if (out.ev_stage >= 2 && !none_of(own)) say("W2: stage " + std::to_string(out.ev_stage) + " before the SM's own");
  if (out.ev_stage == 3 && !host_.empty()) say("W3: stage 3 before queue 0");
  if (out.ev_stage == 3 && in.policy != kAdaptiveBind && in.policy != 0) say("W3: stage 3 without Adaptive-Bind");
  if (out.pl_level > params_.LvlMax) return say("level above the largest");
  U32 set = own;
  if (out.ev_stage == 3) {
    // The recorded one as long as it has entries on chip, else the next upwards.
    set = probes.backup[out.pl_sm];
    for (U32 i = 1; probes.entries[set] == 0 && i < params_.sets(); ++i) set = (own + i) % params_.sets();
  }
  std::deque<Waiting>& list = out.pl_level == 0 ? host_ : lists_[set * params_.LvlMax + out.pl_level - 1];
  if (list.empty()) return say("W4: nothing waits in the list of the thread block offered");
  Waiting& head = list.front();
  if (out.pl_kd != head.item.kd || out.pl_agei != head.item.agei || out.pl_dim != head.item.dim ||
      out.pl_param != head.item.param || out.pl_pos != head.placed) {
    say("W4: not the next thread block of its list");
  }
  if ((out.pl_last != 0) != (head.placed + 1 == head.item.cnt)) say("W4: last thread block");
  if (out.pl_level != 0) {
    for (U32 q = set * params_.LvlMax + out.pl_level; q < (set + 1) * params_.LvlMax; ++q) {
      if (probes.listed.test(q)) say("W5: a higher level is on chip");
    }
  }
  if (in.pl_taken == 0) return;
  ++thread_blocks_;
  if (++head.placed < head.item.cnt) return;
  --items_[head.item.kd];
  list.pop_front();
}

void Queues::see_push(const Inputs& in, const Outputs& out) {
  if (in.push_valid == 0 || out.push_ready == 0 || in.push_kd >= params_.NumKd) return;
  // The count at the start of the cycle is what the block looks at: a placement of this cycle has already left it here.
  const bool left = out.pl_valid != 0 && in.pl_taken != 0 && out.pl_last != 0 && out.pl_kd == in.push_kd;
  if (wrong(in, items_[in.push_kd] + (left ? 1 : 0), params_)) return;
  coming_ = Coming{pushed_item(in), in.push_level, in.push_sm};
  ++items_[in.push_kd];
  ++pushed_;
}

bool Queues::drained() const {
  return std::all_of(items_.begin(), items_.end(), [](U64 items) { return items == 0; });
}

}  // namespace castor::laperm::reference
