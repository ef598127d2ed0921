#include "unit/darsie/reference.h"

#include <algorithm>

namespace castor::darsie::reference {
namespace {

constexpr bool has(U64 mask, unsigned b) { return (mask >> b & 1U) != 0; }
std::string name(unsigned warp) { return "warp " + std::to_string(warp); }

}  // namespace

Versions::Versions(const Params& params) : params_(params), warps_(params.NumWarps), tbs_(params.NumTbs) {}

void Versions::problem(const std::string& what) {
  if (problems_.size() < 5) problems_.push_back("cycle " + std::to_string(cycle_) + ": " + what);
}

std::vector<unsigned> Versions::warps_of(unsigned t) const {
  std::vector<unsigned> result;
  for (unsigned w = 0; w < warps_.size(); ++w) {
    if (warps_[w].live && warps_[w].tb == t) result.push_back(w);
  }
  return result;
}

/// Returns true if a row is free: its version is written back, every warp has passed it, and no warp holds it or may
/// still read it.
bool Versions::row_free(unsigned t, unsigned row) const {
  const Part& part = tbs_[t].in_row[row];
  if (!part.of) return true;
  if (!part.of->written[part.which]) return false;
  for (const unsigned w : warps_of(t)) {
    const Warp& warp = warps_[w];
    if (std::find(warp.ahead.begin(), warp.ahead.end(), part.of) != warp.ahead.end()) return false;
    if (std::find(warp.holds.begin(), warp.holds.end(), part) != warp.holds.end()) return false;
    if (std::find(warp.lingers.begin(), warp.lingers.end(), part) != warp.lingers.end()) return false;
  }
  return true;
}

const Versions::Part* Versions::held(const Warp& warp, unsigned slot) const {
  for (const Part& part : warp.holds) {
    if (part.slot() == slot) return &part;
  }
  return nullptr;
}

void Versions::let_go(Warp& warp, unsigned slot) {
  const auto same = [slot](const Part& part) { return part.slot() == slot; };
  warp.holds.erase(std::remove_if(warp.holds.begin(), warp.holds.end(), same), warp.holds.end());
}

std::optional<unsigned> Versions::complete_tb() const {
  for (unsigned i = 0; i < tbs_.size(); ++i) {
    const unsigned t = static_cast<unsigned>((next_tb_ + i) % tbs_.size());
    bool any = false, all = true;
    for (const unsigned w : warps_of(t)) {
      any = any || warps_[w].majority;
      all = all && (!warps_[w].majority || warps_[w].stopped);
    }
    if (any && all) return t;
  }
  return std::nullopt;
}

void Versions::see(const Inputs& in, const Outputs& out) {
  check_hold(in, out);
  check_skips(in, out);
  check_decode(in, out);
  check_operands(in, out);
  check_copy(out);
  if (out.err != 0) problem("error " + std::to_string(out.err));

  // What is judged on the state before the edge.
  const std::optional<unsigned> complete = complete_tb();
  const std::optional<Request> next = next_copy();
  std::vector<bool> copying, done;
  std::vector<std::vector<Part>> before;
  for (const Warp& warp : warps_) {
    copying.push_back(warp.copies);
    done.push_back(warp.copies && warp.holds.empty());
    before.push_back(warp.holds);
  }
  move_writes(in);
  move_memory(in);
  move_skips(out);
  move_decode(in);
  move_issues(in);
  move_meeting(complete);
  move_branches(in);
  move_barriers(in, copying);
  move_copies(in, next, done);
  move_exits(in);
  move_reads(in, before);
  move_tbs(in);
  ++cycle_;
}

// What the outputs must be

void Versions::check_hold(const Inputs& /*in*/, const Outputs& out) {
  for (unsigned w = 0; w < warps_.size(); ++w) {
    const Warp& warp = warps_[w];
    if (has(out.maj, w) != (warp.live && warp.majority))
      problem(name(w) + " in the majority: " + std::to_string(has(out.maj, w)));
    const bool blocked = warp.stopped || warp.copies || warp.waits;
    if (blocked && !has(out.f_hold, w)) problem(name(w) + " is not held");
    const bool may_be_held = blocked || (warp.majority && tbs_[warp.tb].entries);
    if (has(out.f_hold, w) && !(warp.live && may_be_held)) problem(name(w) + " is held for nothing");
  }
}

void Versions::check_skips(const Inputs& in, const Outputs& out) {
  for (unsigned w = 0; w < warps_.size(); ++w) {
    if (!has(out.f_skip, w)) continue;
    const Warp& warp = warps_[w];
    ++seen_.skips;
    if (!has(in.f_elig, w) || !has(out.f_hold, w) || !warp.majority) {
      problem(name(w) + " skips and may not");
    } else if (warp.ahead.empty()) {
      problem(name(w) + " skips what nobody has led");
    } else if (warp.ahead.front()->pc != in.f_pc[w]) {
      problem(name(w) + " skips an instruction out of its turn");
    } else if (!warp.ahead.front()->complete()) {
      problem(name(w) + " skips what is not written");
    } else if (warp.ahead.front()->stale) {
      problem(name(w) + " skips a load that a store has made stale");
    }
  }
}

unsigned Versions::Verdict::act() const {
  switch (why) {
    case Why::kPass:
      return 0;
    case Why::kLead:
    case Why::kAgain:
      return 1;
    case Why::kLate:
    case Why::kGather:
    case Why::kOpen:
      return 3;
    default:
      return 2;
  }
}

bool Versions::redundant(const Inputs& in, unsigned s) const {
  const Warp& warp = warps_[in.d_warp];
  const Tb& tb = tbs_[warp.tb];
  const bool marked = in.d_mark[s] == 2 || (in.d_mark[s] == 1 && tb.promotes);
  const unsigned count = in.d_ndst[s];
  if (!warp.majority || !marked || count == 0 || count > 2 || params_.SkipEn == 0) return false;
  for (unsigned a = 0; a < count; ++a) {
    if (in.d_dst[2 * s + a] >= tb.slots) return false;
  }
  return in.d_ldkind[s] == 0 || params_.LoadSkip != 0;
}

Versions::Verdict Versions::judge(const Inputs& in, unsigned s) {
  using Why = Verdict::Why;
  const unsigned w = in.d_warp, count = in.d_ndst[s];
  const Warp& warp = warps_[w];
  const Tb& tb = tbs_[warp.tb];
  Verdict verdict;
  verdict.warp = w;
  verdict.slot = s;
  for (unsigned k = 0; k < tb.rows; ++k) {
    if (row_free(warp.tb, k)) verdict.free.push_back(k);
  }
  const bool room = verdict.free.size() >= count;
  const std::vector<unsigned> team = warps_of(warp.tb);
  if (!warp.ahead.empty()) {
    // All warps of the majority pass the same instructions, so the next version for the warp must be this one.
    const Version& next = *warp.ahead.front();
    const bool same = next.pc == ((in.d_pc + 8 * s) & twin::mask(params_.PcW)) && next.count == count &&
                      next.slot[0] == in.d_dst[2 * s] && (count == 1 || next.slot[1] == in.d_dst[2 * s + 1]);
    if (!same) problem(name(w) + " decodes a redundant instruction out of its turn");
    const bool others = std::any_of(team.begin(), team.end(), [&](unsigned x) {
      return x != w &&
             std::find(warps_[x].ahead.begin(), warps_[x].ahead.end(), warp.ahead.front()) != warps_[x].ahead.end();
    });
    verdict.why = next.abandoned                           ? Why::kAbandoned
                  : next.stale && !others                  ? Why::kLast
                  : next.stale && room && !tb.no_elections ? Why::kAgain
                  : next.stale                             ? Why::kNoRow
                                                           : Why::kLate;
    return verdict;
  }
  const bool alone = std::none_of(team.begin(), team.end(), [&](unsigned x) { return x != w && warps_[x].majority; });
  verdict.why = alone             ? Why::kAlone
                : tb.no_elections ? Why::kNoElections
                : tb.gathering    ? Why::kGather
                : room            ? Why::kLead
                : tb.gathered     ? Why::kGiveUp
                                  : Why::kOpen;
  return verdict;
}

void Versions::check_decode(const Inputs& in, const Outputs& out) {
  verdict_ = {};
  if (in.d_valid == 0) return;
  bool squashed = false, judged = false;
  for (unsigned s = 0; s < params_.DecW && has(in.d_valid, s); ++s) {
    unsigned act = squashed ? 3 : 0;
    if (!squashed && redundant(in, s)) {
      if (judged) {
        act = 3;
      } else {
        verdict_ = judge(in, s);
        act = verdict_.act();
        ++seen_.verdicts;
      }
      judged = true;
    }
    squashed = squashed || act == 3;
    if (out.d_act[s] != act) {
      problem(name(in.d_warp) + ", decode slot " + std::to_string(s) + ": verdict " + std::to_string(out.d_act[s]) +
              ", expected " + std::to_string(act));
    }
    if (act != 1) continue;
    for (unsigned a = 0; a < in.d_ndst[s]; ++a) {
      if (out.d_tag[a] != verdict_.free[a]) {
        problem("row " + std::to_string(out.d_tag[a]) + " is given away, the lowest free one is " +
                std::to_string(verdict_.free[a]));
      }
    }
  }
}

void Versions::check_operands(const Inputs& in, const Outputs& out) {
  for (unsigned p = 0; p < params_.NumIss; ++p) {
    if (!has(in.i_valid, p)) continue;
    const Warp& warp = warps_[in.i_warp[p]];
    for (unsigned a = 0; a < params_.NumSrc; ++a) {
      if (!has(in.i_sv[p], a)) continue;
      const unsigned at = p * params_.NumSrc + a;
      const Part* part = held(warp, in.i_src[at]);
      if (has(out.i_sren[p], a) != (part != nullptr)) {
        problem(name(in.i_warp[p]) + " reads register " + std::to_string(in.i_src[at]) + " at the wrong place");
      } else if (part != nullptr) {
        ++seen_.renamed_reads;
        const unsigned row = (tbs_[warp.tb].base + part->row()) & static_cast<unsigned>(twin::mask(params_.RowW));
        if (out.i_srow[at] != row) problem(name(in.i_warp[p]) + " reads another version than it holds");
      }
    }
  }
}

std::optional<Versions::Request> Versions::next_copy() const {
  for (unsigned w = 0; w < warps_.size(); ++w) {
    if (!warps_[w].copies) continue;
    const Part* lowest = nullptr;
    for (const Part& part : warps_[w].holds) {
      if (part.of->written[part.which] && (lowest == nullptr || part.row() < lowest->row())) lowest = &part;
    }
    if (lowest != nullptr) return Request{w, *lowest};
  }
  return std::nullopt;
}

void Versions::check_copy(const Outputs& out) {
  if ((out.cp_valid != 0) != request_.has_value()) {
    problem("a copy is asked for: " + std::to_string(out.cp_valid));
    return;
  }
  if (!request_) return;
  const Tb& tb = tbs_[warps_[request_->warp].tb];
  const unsigned row = (tb.base + request_->part.row()) & static_cast<unsigned>(twin::mask(params_.RowW));
  if (out.cp_warp != request_->warp || out.cp_row != row || out.cp_slot != request_->part.slot()) {
    problem("the wrong copy is asked for");
  }
}

// What the edge does

void Versions::move_writes(const Inputs& in) {
  for (unsigned p = 0; p < params_.NumWb; ++p) {
    if (!has(in.wb_valid, p)) continue;
    const Part& part = tbs_[in.wb_tb[p]].in_row[in.wb_tag[p]];
    if (part.of) part.of->written[part.which] = true;
  }
}

void Versions::move_memory(const Inputs& in) {
  for (unsigned t = 0; t < tbs_.size(); ++t) {
    const bool store = params_.StoreInv != 0 && has(in.ev_store, t);
    for (const unsigned w : warps_of(t)) {
      Warp& warp = warps_[w];
      for (const Shared& version : warp.ahead) {
        version->stale = version->stale || (store && version->load) || (in.ev_global != 0 && version->global);
      }
      if (warp.waits && warp.ahead.front()->stale) warp.waits = false;
    }
  }
}

void Versions::move_skips(const Outputs& out) {
  for (unsigned w = 0; w < warps_.size(); ++w) {
    Warp& warp = warps_[w];
    if (!has(out.f_skip, w) || warp.ahead.empty()) continue;
    const Shared version = warp.ahead.front();
    warp.ahead.pop_front();
    warp.waits = false;
    for (unsigned a = 0; a < version->count; ++a) let_go(warp, version->slot[a]);
    for (unsigned a = 0; a < version->count; ++a) warp.holds.push_back({version, a});
  }
}

void Versions::move_decode(const Inputs& in) {
  using Why = Verdict::Why;
  if (verdict_.why == Why::kPass) return;
  Warp& warp = warps_[verdict_.warp];
  Tb& tb = tbs_[warp.tb];
  switch (verdict_.why) {
    case Why::kNoRow:
      warp.ahead.front()->abandoned = true;
      [[fallthrough]];
    case Why::kAbandoned:
    case Why::kLast:
      warp.ahead.pop_front();
      ++seen_.privates;
      break;
    case Why::kAgain:
      ++seen_.releads;
      elect(in, warp.ahead.front());
      break;
    case Why::kLate:
      // If a store of this very cycle has made the version stale, the warp does not wait.
      warp.waits = !warp.ahead.front()->stale;
      ++seen_.late;
      break;
    case Why::kAlone:
      tb.gathering = false;
      [[fallthrough]];
    case Why::kNoElections:
      ++seen_.privates;
      break;
    case Why::kOpen:
      tb.gathering = true;
      [[fallthrough]];
    case Why::kGather:
      warp.stopped = true;
      ++seen_.parked;
      break;
    case Why::kLead:
      elect(in, nullptr);
      break;
    default:
      tb.no_elections = true;
      tb.gathered = false;
      ++seen_.privates;
  }
}

/// Elects the warp of the verdict as leader. With `instead`, it leads a stale version again, for the warps that have
/// not passed that version.
void Versions::elect(const Inputs& in, const Shared& instead) {
  const unsigned s = verdict_.slot, t = warps_[verdict_.warp].tb;
  Tb& tb = tbs_[t];
  const auto version = std::make_shared<Version>();
  version->pc = (in.d_pc + 8 * s) & twin::mask(params_.PcW);
  version->count = in.d_ndst[s];
  version->load = in.d_ldkind[s] != 0;
  version->global = in.d_ldkind[s] >= 2;
  for (unsigned a = 0; a < version->count; ++a) {
    version->slot[a] = in.d_dst[2 * s + a];
    version->row[a] = verdict_.free[a];
    tb.in_row[verdict_.free[a]] = {version, a};
  }
  ++seen_.leads;
  tb.entries = true;
  if (!instead) tb.gathered = false;
  for (const unsigned w : warps_of(t)) {
    Warp& warp = warps_[w];
    const auto old = std::find(warp.ahead.begin(), warp.ahead.end(), instead);
    const bool has_old = instead != nullptr && old != warp.ahead.end();
    if (w == verdict_.warp) {
      if (has_old) warp.ahead.erase(old);
    } else if (has_old) {
      *old = version;
    } else if (instead == nullptr && warp.majority) {
      warp.ahead.push_back(version);
    }
    unsigned same = 0;
    for (const Shared& other : warp.ahead) same += other->slot[0] == version->slot[0] ? 1 : 0;
    seen_.most_versions = std::max(seen_.most_versions, same);
  }
}

void Versions::move_issues(const Inputs& in) {
  for (unsigned p = 0; p < params_.NumIss; ++p) {
    if (!has(in.i_valid, p)) continue;
    Warp& warp = warps_[in.i_warp[p]];
    for (unsigned a = 0; a < 2; ++a) {
      if (!has(in.i_dv[p], a)) continue;
      let_go(warp, in.i_dst[2 * p + a]);
      if (has(in.i_lead, p)) warp.holds.push_back(tbs_[warp.tb].in_row[in.i_tag[2 * p + a]]);
    }
  }
}

void Versions::region_end(unsigned t) { tbs_[t].no_elections = tbs_[t].gathered = tbs_[t].entries = false; }

void Versions::leave(Warp& warp) {
  warp.majority = false;
  warp.copies = true;
}

void Versions::move_meeting(std::optional<unsigned> complete) {
  if (!complete) return;
  const unsigned t = *complete;
  next_tb_ = static_cast<unsigned>((t + 1) % tbs_.size());
  std::vector<unsigned> taken, others;
  for (const unsigned w : warps_of(t)) {
    if (!warps_[w].majority) continue;
    warps_[w].stopped = false;
    (warps_[w].taken ? taken : others).push_back(w);
  }
  if (tbs_[t].gathering) {
    tbs_[t].gathering = false;
    tbs_[t].gathered = true;
    return;
  }
  ++seen_.meetings;
  const bool tie = taken.size() == others.size();
  const bool keep_taken = tie ? taken.front() < others.front() : taken.size() > others.size();
  for (const unsigned w : keep_taken ? others : taken) {
    leave(warps_[w]);
    ++seen_.votes;
  }
  for (const unsigned w : warps_of(t)) {
    if (!warps_[w].ahead.empty()) problem(name(w) + " has not passed everything at a meeting");
  }
  region_end(t);
}

void Versions::move_branches(const Inputs& in) {
  // A warp that this vote has removed, and one that stops only now, were in the majority before the edge.
  for (unsigned w = 0; w < warps_.size(); ++w) {
    Warp& warp = warps_[w];
    if (!warp.majority) continue;
    if (has(in.br, w)) {
      warp.stopped = true;
      warp.taken = has(in.br_taken, w);
    }
    if (!has(in.leave, w)) continue;
    leave(warp);
    warp.ahead.clear();
    warp.stopped = warp.waits = false;
  }
}

void Versions::move_barriers(const Inputs& in, const std::vector<bool>& copying) {
  for (unsigned t = 0; t < tbs_.size(); ++t) {
    if (!has(in.bar, t) || !tbs_[t].enabled) continue;
    for (const unsigned w : warps_of(t)) {
      Warp& warp = warps_[w];
      if (!warp.ahead.empty() || warp.stopped || warp.waits) problem(name(w) + " has something before it at a barrier");
      const bool joins = has(in.bar_join, w) && !copying[w];
      if (warp.majority && !joins) leave(warp);
      warp.majority = joins;
    }
    tbs_[t].gathering = false;
    region_end(t);
  }
}

void Versions::move_copies(const Inputs& in, const std::optional<Request>& next, const std::vector<bool>& done) {
  if (request_) {
    if (in.cp_ack != 0) {
      auto& holds = warps_[request_->warp].holds;
      holds.erase(std::remove(holds.begin(), holds.end(), request_->part), holds.end());
      request_.reset();
      ++seen_.copies;
    }
  } else {
    request_ = next;
  }
  for (unsigned w = 0; w < warps_.size(); ++w) {
    if (done[w]) warps_[w].copies = false;
  }
}

void Versions::move_exits(const Inputs& in) {
  for (unsigned w = 0; w < warps_.size(); ++w) {
    if (has(in.exit, w)) warps_[w] = {};
  }
}

/// Keeps the rows that a warp has dropped until none of its issued instructions has operands left to read.
void Versions::move_reads(const Inputs& in, const std::vector<std::vector<Part>>& before) {
  for (unsigned w = 0; w < warps_.size(); ++w) {
    Warp& warp = warps_[w];
    if (!warp.live || has(in.oc_idle, w)) {
      warp.lingers.clear();
      continue;
    }
    for (const Part& part : before[w]) {
      const bool still = std::find(warp.holds.begin(), warp.holds.end(), part) != warp.holds.end();
      if (!still) warp.lingers.push_back(part);
    }
  }
}

void Versions::move_tbs(const Inputs& in) {
  if (in.retire_valid != 0) tbs_[in.retire_tb] = {};
  if (in.lnch_valid == 0) return;
  Tb& tb = tbs_[in.lnch_tb];
  if (tb.used) problem("a thread block is started in a slot that is in use");
  tb = {};
  tb.used = true;
  tb.enabled = in.lnch_en != 0;
  tb.promotes = in.lnch_promote != 0;
  tb.base = in.lnch_base;
  tb.rows = in.lnch_rows;
  tb.slots = in.lnch_slots;
  tb.in_row.resize(params_.NumRows);
  for (unsigned w = 0; w < warps_.size(); ++w) {
    if (!has(in.lnch_warps, w)) continue;
    warps_[w] = {};
    warps_[w].live = true;
    warps_[w].tb = in.lnch_tb;
    warps_[w].majority = tb.enabled && has(in.lnch_full, w);
  }
}

}  // namespace castor::darsie::reference
