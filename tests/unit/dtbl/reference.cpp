#include "unit/dtbl/reference.h"

#include <algorithm>
#include <set>

namespace castor::dtbl::reference {

Machine::Machine(const Params& params) : params_(params) { reset(); }

void Machine::reset() {
  l_ = {};
  d_ = DispatchState{};
  d_.entries.resize(params_.NumKde);
}

// ---- Launch half

Machine::Decisions Machine::decide(const Inputs& in) const {
  Decisions now;
  U32 tid = (U32{in.agg_warp} << 5U | in.agg_lane) & 0x7FFU;
  if (params_.HashMode == 1) tid ^= (79U * in.agg_sm) & 0xFFFU;
  now.ind = tid % params_.AgtSize;
  now.match = l_.st == Search::kSearch && in.agg_valid != 0 && in.key_valid != 0 && in.key_rd == in.agg_key;
  if (l_.o) now.taken = l_.o->fb ? in.fb_ready != 0 : !d_.lw.has_value();
  const bool stall = l_.st == Search::kGrant && l_.cq && l_.left.count(now.ind) == 0;
  now.accept = in.agg_valid != 0 && l_.st != Search::kSearch && in.agg_key == l_.rk && (!l_.o || now.taken) && !stall;
  return now;
}

void Machine::clock_launch(const Inputs& in) {
  const LaunchState was = l_;
  const Decisions now = decide(in);
  l_.err = 0;
  l_.rel.reset();
  // Processes a completion of the previous cycle.
  l_.cq.reset();
  if (was.cq) {
    const auto entry = l_.left.find(*was.cq);
    if (entry == l_.left.end()) {
      l_.err |= 2U;
    } else if (--entry->second == 0) {
      l_.left.erase(entry);
      l_.rel = was.cq;
    }
  }
  if (now.taken) l_.o.reset();
  if (in.agg_valid != 0 && was.st == Search::kSearch) {
    if (now.match) {
      l_.st = Search::kGrant;
      l_.rk = in.agg_key;
    } else if (was.ptr == params_.NumKde - 1) {
      l_.st = Search::kFall;
      l_.rk = in.agg_key;
      l_.ptr = 0;
    } else {
      ++l_.ptr;
    }
  }
  if (in.agg_valid != 0 && was.st != Search::kSearch && in.agg_key != was.rk) {
    l_.st = Search::kSearch;
    l_.ptr = 0;
  }
  if (now.accept) {
    const bool falls = was.st == Search::kFall;
    if ((in.agg_first != 0) == was.mid) l_.err |= 1U;
    const U32 misses = in.agg_first != 0 ? 0 : was.ford;
    LaunchState::Out out;
    out.fb = falls;
    out.kd = falls ? 0 : was.ptr;
    out.dim = in.agg_dim;
    out.cnt = in.agg_cnt;
    out.param = in.agg_param;
    out.level = in.agg_level;
    out.sm = in.agg_sm;
    out.ord = falls ? (misses + 1) % 64 : 0;
    if (!falls && was.left.count(now.ind) == 0) {
      out.agei = now.ind;
      l_.left[now.ind] = in.agg_cnt;
    } else {
      out.agei = 0x80000000U | ((in.agg_param - 4U) & 0x7FFFFFFFU);
    }
    l_.o = out;
    if (in.agg_last != 0) {
      l_.st = Search::kSearch;
      l_.ptr = 0;
      l_.mid = false;
      l_.ford = 0;
    } else {
      l_.mid = true;
      l_.ford = (misses + (falls ? 1 : 0)) % 64;
    }
  }
  if (in.done_valid != 0) {
    if (in.done_agei < params_.AgtSize) {
      l_.cq = in.done_agei;
    } else if (in.done_agei >> 31U == 0) {
      l_.err |= 2U;
    }
  }
}

// ---- Dispatch half

Machine::Item Machine::item() const {
  Item now;
  if (d_.agei == kNone) {
    now.dim = Dim(d_.entries.at(d_.kd).kdim);
  } else if (off_chip(d_.agei)) {
    now.dim = Dim(d_.ob.dim);
    now.param = (d_.agei & 0x7FFFFFFFU) + 4U;
    now.next = d_.ob.nxt;
  } else if (const auto listed = d_.list.find(d_.agei); listed != d_.list.end()) {
    now.dim = Dim(listed->second.dim);
    now.param = listed->second.param;
    now.next = listed->second.next;
  }
  now.ex = d_.od.x + 1 >= now.dim.x;
  now.ey = d_.od.y + 1 >= now.dim.y;
  now.ez = d_.od.z + 1 >= now.dim.z;
  return now;
}

bool Machine::offers(const Inputs& in) const { return d_.st == Slot::kRun && in.fits.test(d_.kd); }

void Machine::select(U32 kernel, U32 group) {
  d_.kd = kernel;
  d_.agei = group;
  d_.od = {};
  d_.pos = 0;
  d_.st = off_chip(group) ? Slot::kReq : Slot::kRun;
  if (off_chip(group)) d_.ob.nv = false;
}

void Machine::place(const DispatchState& was, const Item& now) {
  if (!now.last()) {
    ++d_.pos;
    if (!now.ex) {
      ++d_.od.x;
      return;
    }
    d_.od.x = 0;
    if (!now.ey) {
      ++d_.od.y;
      return;
    }
    d_.od.y = 0;
    ++d_.od.z;
    return;
  }
  DispatchState::Entry& entry = d_.entries[was.kd];
  const DispatchState::Entry& before = was.entries[was.kd];
  U32 next = now.next;
  if (was.agei == kNone) {
    entry.first = false;
    next = before.nagei;
  } else if (was.agei == before.lagei) {
    next = kNone;
  }
  entry.nagei = next;
  if (next == kNone) {
    entry.mark = false;
    d_.st = Slot::kFree;
  } else {
    select(was.kd, next);
  }
}

void Machine::push(const Push& pushed) {
  DispatchState::Entry& entry = d_.entries.at(pushed.kd);
  if (!pushed.group) {
    if (entry.mark) {
      d_.err |= 1U;
      return;
    }
    entry.mark = entry.first = true;
    entry.nagei = kNone;
    entry.kdim = pushed.dim;
    d_.fq.push_back(pushed.kd);
    return;
  }
  const U32 group = pushed.agei, tail = entry.lagei;
  if (!off_chip(group)) {
    d_.list[group].dim = pushed.dim;
    d_.list[group].param = pushed.param;
  }
  if (entry.nagei == kNone) {
    entry.nagei = group;
  } else if (!off_chip(tail)) {
    d_.list[tail].next = group;
  } else if (d_.st != Slot::kFree && d_.agei == tail) {
    d_.ob.nxt = group;
    d_.ob.nv = true;
  } else {
    d_.lw = {tail & 0x7FFFFFFFU, group};
  }
  entry.lagei = group;
  if (!entry.mark) {
    entry.mark = true;
    entry.first = false;
    d_.fq.push_back(pushed.kd);
  }
}

std::optional<Machine::Push> Machine::pushed(const Inputs& in) const {
  if (d_.lw) return std::nullopt;
  if (l_.o && !l_.o->fb) return Push{true, l_.o->kd, l_.o->agei, l_.o->param, l_.o->dim};
  if (in.push_valid != 0) return Push{false, in.push_kd, kNone, 0, in.push_dim};
  return std::nullopt;
}

void Machine::clock_dispatch(const Inputs& in, const std::optional<Push>& pushed) {
  const DispatchState was = d_;
  const Item now = item();
  const bool read = reads(), offered = offers(in);
  d_.err = 0;
  d_.ro = read && in.mem_ready == 0;
  if ((read || was.lw) && in.mem_ready != 0) {
    if (read) {
      d_.st = Slot::kWait;
    } else {
      d_.lw.reset();
    }
  }
  if (in.rsp_valid != 0) {
    if (was.st == Slot::kWait) {
      d_.ob.dim = in.rsp_dim;
      if (!was.ob.nv) d_.ob.nxt = in.rsp_next;
      d_.st = Slot::kRun;
    } else {
      d_.err |= 2U;
    }
  }
  if (in.pl_taken != 0 && !offered) d_.err |= 4U;
  if (in.pl_taken != 0 && offered) place(was, now);
  if (pushed) push(*pushed);
  if (d_.st == Slot::kFree && !d_.fq.empty()) {
    const U32 kernel = d_.fq.front();
    d_.fq.pop_front();
    d_.served = (d_.served + 1) % params_.NumKde;
    select(kernel, d_.entries[kernel].first ? kNone : d_.entries[kernel].nagei);
  }
}

// ---- Both

Outputs Machine::settle(const Inputs& in) const {
  Outputs out;
  const Decisions now = decide(in);
  out.agg_ready = now.accept ? 1 : 0;
  out.key_idx = static_cast<decltype(out.key_idx)>(l_.ptr);
  if (l_.st == Search::kGrant || now.match) out.launch_hold.set(l_.ptr);
  if (l_.o && !l_.o->fb) {
    out.launch_hold.set(l_.o->kd);
    out.att_valid = 1;
    out.att_kd = static_cast<decltype(out.att_kd)>(l_.o->kd);
    out.att_agei = l_.o->agei;
    out.att_dim = l_.o->dim;
    out.att_cnt = l_.o->cnt;
    out.att_param = l_.o->param;
    out.att_level = static_cast<decltype(out.att_level)>(l_.o->level);
    out.att_sm = static_cast<decltype(out.att_sm)>(l_.o->sm);
  }
  if (l_.o && l_.o->fb) {
    out.fb_valid = 1;
    out.fb_rec = l_.o->agei & 0x7FFFFFFFU;
    out.fb_ord = static_cast<decltype(out.fb_ord)>(l_.o->ord);
    out.fb_level = static_cast<decltype(out.fb_level)>(l_.o->level);
    out.fb_sm = static_cast<decltype(out.fb_sm)>(l_.o->sm);
  }
  if (l_.rel) {
    out.rel_valid = 1;
    out.rel_idx = static_cast<decltype(out.rel_idx)>(*l_.rel);
  }
  out.agt_used = static_cast<decltype(out.agt_used)>(l_.left.size());
  out.launch_err = static_cast<decltype(out.launch_err)>(l_.err);

  out.att_ready = d_.lw ? 0 : 1;
  out.push_ready = d_.lw || (l_.o && !l_.o->fb) ? 0 : 1;
  if (offers(in)) {
    const Item is = item();
    out.pl_valid = 1;
    out.pl_kd = static_cast<decltype(out.pl_kd)>(d_.kd);
    out.pl_agei = d_.agei;
    out.pl_pos = d_.pos;
    out.pl_dim = is.dim.packed();
    out.pl_param = is.param;
    out.pl_last = is.last() ? 1 : 0;
  }
  if (d_.st == Slot::kRun) {
    out.cur_valid = 1;
    out.cur_kd = static_cast<decltype(out.cur_kd)>(d_.kd);
  }
  for (U32 k = 0; k < params_.NumKde; ++k) out.dispatch_hold.assign(k, d_.entries[k].mark);
  if (reads()) {
    out.mem_valid = 1;
    out.mem_addr = U64{d_.agei & 0x7FFFFFFFU} * 16;
  } else if (d_.lw) {
    out.mem_valid = 1;
    out.mem_write = 1;
    out.mem_addr = U64{d_.lw->rec} * 16 + 0x38;
    out.mem_wdata = d_.lw->data;
  }
  out.dispatch_err = static_cast<decltype(out.dispatch_err)>(d_.err);
  return out;
}

Probes Machine::probes() const {
  Probes now;
  now.launch_state = static_cast<dtbl::LaunchState>(l_.st);
  now.run_key = l_.rk;
  now.in_command = l_.mid ? 1 : 0;
  now.fallbacks = static_cast<U8>(l_.ford);
  for (const auto& [index, left] : l_.left) now.busy.set(index);
  if (l_.cq) {
    now.done_valid = 1;
    now.done_age = static_cast<U16>(*l_.cq);
    if (const auto entry = l_.left.find(*l_.cq); entry != l_.left.end()) now.done_left = entry->second;
  }
  now.out_valid = l_.o ? 1 : 0;
  now.out_fallback = l_.o && l_.o->fb ? 1 : 0;
  now.released = l_.rel ? 1 : 0;
  now.launch_error = static_cast<U8>(l_.err);
  now.dispatch_state = static_cast<dtbl::DispatchState>(d_.st);
  for (U32 k = 0; k < params_.NumKde; ++k) now.first.assign(k, d_.entries[k].first);
  now.queue_head = static_cast<U8>(d_.served);
  now.queue_count = static_cast<U16>(d_.fq.size());
  now.queue_oldest = static_cast<U8>(d_.fq.empty() ? 0 : d_.fq.front());
  now.cur_kd = static_cast<U8>(d_.kd);
  now.cur_agei = d_.agei;
  now.cur_od = d_.od.packed();
  now.cur_pos = d_.pos;
  const DispatchState::Entry& row = d_.entries[d_.kd];
  if (row.mark) now.row_nagei = row.nagei;
  if (row.mark && row.nagei != kNone) now.row_lagei = row.lagei;
  if (row.first) now.row_kdim = row.kdim;
  if (d_.st == Slot::kRun && !off_chip(d_.agei) && d_.agei != kNone && d_.agei != row.lagei) {
    now.row_next = item().next;
  }
  now.record_dim = d_.ob.dim;
  now.record_next = d_.ob.nxt;
  now.record_linked = d_.ob.nv ? 1 : 0;
  if (d_.lw) {
    now.link_valid = 1;
    now.link_rec = d_.lw->rec;
    now.link_data = d_.lw->data;
  }
  now.read_stays = d_.ro ? 1 : 0;
  now.dispatch_error = static_cast<U8>(d_.err);
  return now;
}

void Machine::clock(const Inputs& in) {
  const std::optional<Push> push = pushed(in);
  clock_launch(in);
  clock_dispatch(in, push);
}

void Machine::clock(const Inputs& in, const Push& push) {
  clock_launch(in);
  clock_dispatch(in, d_.lw ? std::nullopt : std::optional(push));
}

std::string Machine::broken() const {
  std::multiset<U32> waiting(d_.fq.begin(), d_.fq.end());
  if (d_.st != Slot::kFree) waiting.insert(d_.kd);
  for (U32 k = 0; k < params_.NumKde; ++k) {
    const DispatchState::Entry& entry = d_.entries[k];
    if (entry.nagei != kNone && !entry.mark) return "entry " + std::to_string(k) + " has a pool and no mark";
    if (waiting.count(k) != (entry.mark ? 1U : 0U)) {
      return "entry " + std::to_string(k) + " waits " + std::to_string(waiting.count(k)) + " times";
    }
  }
  if (d_.ro && d_.st != Slot::kReq) return "a read stays on the port outside REQ";
  if (l_.st == Search::kFall && l_.ptr != 0) return "the pointer moved in FALL";
  for (const auto& [index, left] : l_.left) {
    if (left == 0) return "entry " + std::to_string(index) + " of the table is busy with nothing left";
  }
  return {};
}

// ---- Queues of groups

U64 Queues::Group::count() const {
  const Dim d(dim);
  return std::max<U64>(d.x, 1) * std::max<U64>(d.y, 1) * std::max<U64>(d.z, 1);
}

void Queues::see(const Inputs& in, const Outputs& out) {
  if (in.pl_taken != 0 && out.pl_valid != 0) see_taken(out);
  if (in.push_valid != 0 && out.push_ready != 0) see_kernel(in);
  if (out.att_valid != 0 && out.att_ready != 0) see_attach(out);
  see_launch(in, out);
}

void Queues::see_taken(const Outputs& out) {
  ++thread_blocks_;
  const U32 k = out.pl_kd;
  std::deque<Group>& pool = kernels_.at(k);
  const std::string who = "entry " + std::to_string(k) + ": ";
  if (pool.empty()) return say(who + "a thread block of nothing");
  if (now_ && *now_ != k) return say(who + "placed although entry " + std::to_string(*now_) + " is not at its end");
  Group& group = pool.front();
  now_ = k;
  if (out.pl_agei != group.agei) return say(who + "another group than the oldest");
  if (out.pl_pos != static_cast<U32>(group.placed)) return say(who + "another position");
  if (out.pl_dim != group.dim) return say(who + "other dimensions");
  if (out.pl_param != group.param) return say(who + "another parameter address");
  ++group.placed;
  const bool last = group.placed == group.count();
  if ((out.pl_last != 0) != last) return say(who + "last is wrong");
  if (!last) return;
  pool.pop_front();
  // A group pushed in this very cycle is seen one cycle later: the entry then waits behind the others again.
  if (pool.empty()) now_.reset();
}

void Queues::see_kernel(const Inputs& in) {
  std::deque<Group>& pool = kernels_.at(in.push_kd);
  if (pool.empty()) pool.push_back({kNone, 0, in.push_dim, 0});  // else refused
}

void Queues::see_attach(const Outputs& out) {
  ++groups_;
  kernels_.at(out.att_kd)
      .push_back(
          {out.att_agei, off_chip(out.att_agei) ? (out.att_agei & 0x7FFFFFFFU) + 4U : out.att_param, out.att_dim, 0});
}

void Queues::see_launch(const Inputs& in, const Outputs& out) {
  const auto leaves = [this](U32 agei, U64 dim, U32 level, const char* way) {
    if (accepted_.empty()) return say(std::string(way) + " of nothing");
    const Group& group = accepted_.front();
    if (off_chip(agei) && (agei & 0x7FFFFFFFU) != ((group.param - 4U) & 0x7FFFFFFFU)) say("another record");
    if (dim != group.dim || level != levels_.front()) say(std::string(way) + " has another payload");
    accepted_.pop_front();
    levels_.pop_front();
  };
  if (out.att_valid != 0 && out.att_ready != 0) leaves(out.att_agei, out.att_dim, out.att_level, "attach");
  if (out.fb_valid != 0 && in.fb_ready != 0) {
    leaves(0x80000000U | out.fb_rec, accepted_.empty() ? 0 : accepted_.front().dim, out.fb_level, "fallback");
  }
  if (in.agg_valid != 0 && out.agg_ready != 0) {
    accepted_.push_back({kNone, in.agg_param, in.agg_dim, 0});
    levels_.push_back(in.agg_level);
  }
}

bool Queues::drained() const {
  return accepted_.empty() &&
         std::all_of(kernels_.begin(), kernels_.end(), [](const std::deque<Group>& pool) { return pool.empty(); });
}

}  // namespace castor::dtbl::reference
