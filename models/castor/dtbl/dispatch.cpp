#include "castor/dtbl/engine.h"

namespace castor::dtbl {

namespace {

constexpr U64 kNextOffset = 0x38;  // offset in a group's record of the reference to the next group

bool ends(U32 at, U32 size) { return U64{at} + 1 >= size; }

bool last_of(const Dim& at, const Dim& dim) { return ends(at.x, dim.x) && ends(at.y, dim.y) && ends(at.z, dim.z); }

}  // namespace

Engine::Item Engine::item() const {
  const U32 agei = dispatch_.agei;
  if (agei == kNone) return {Dim::of(dispatch_.kdim[dispatch_.kd]), 0, kNone};
  if (off_chip(agei)) return {Dim::of(dispatch_.ob_dim), (agei & ~kOffChip) + 4, dispatch_.ob_next};
  const U16 i = age(agei);
  return {Dim::of(dispatch_.ldim[i]), dispatch_.lparam[i], dispatch_.lnext[i]};
}

void Engine::settle_offer() {
  offer_presented_ = !offer_presented_;
  const Item current = offer_presented_ ? item() : Item{};
  out_.pl_valid = offer_presented_ ? 1 : 0;
  out_.pl_kd = offer_presented_ ? dispatch_.kd : U8{0};
  out_.pl_agei = offer_presented_ ? dispatch_.agei : 0;
  out_.pl_pos = offer_presented_ ? dispatch_.pos : 0;
  out_.pl_dim = current.dim.bits();
  out_.pl_param = current.param;
  out_.pl_last = offer_presented_ && last_of(dispatch_.od, current.dim) ? 1 : 0;
}

Engine::Push Engine::pushed(const Inputs& in) const {
  if (dispatch_.lw_valid) return {};
  const Output& o = launch_.o;
  if (o.valid && !o.fallback) return {true, true, o.kd, o.agei, o.param, o.dim};
  if (in.push_valid != 0) return {true, false, in.push_kd, kNone, 0, in.push_dim};
  return {};
}

void Engine::clock_dispatch(const Inputs& in, const Push& push) {
  const bool offered = dispatch_.st == DispatchState::kRun && in.fits.test(dispatch_.kd);
  dispatch_.err = 0;
  const bool waits = dispatch_.st == DispatchState::kWait;
  step_memory(in);
  if (in.rsp_valid != 0) {
    if (waits) {
      step_reply(in);
    } else {
      dispatch_.err |= kErrorReply;
    }
  }
  if (in.pl_taken != 0) {
    if (offered) {
      step_place();
    } else {
      dispatch_.err |= kErrorTaken;
    }
  }
  if (push.valid) step_push(push);
  step_next();
  show_dispatch();
}

void Engine::step_memory(const Inputs& in) {
  const bool read = reads();
  const bool taken = in.mem_ready != 0;
  dispatch_.ro = read && !taken;
  if (!taken) return;
  if (read) {
    dispatch_.st = DispatchState::kWait;
  } else {
    dispatch_.lw_valid = false;
  }
}

void Engine::step_reply(const Inputs& in) {
  dispatch_.ob_dim = in.rsp_dim;
  if (!dispatch_.ob_linked) dispatch_.ob_next = in.rsp_next;
  dispatch_.st = DispatchState::kRun;
}

void Engine::step_place() {
  const Item current = item();
  Dim& od = dispatch_.od;
  if (!last_of(od, current.dim)) {
    ++dispatch_.pos;
    if (!ends(od.x, current.dim.x)) {
      ++od.x;
    } else {
      od.x = 0;
      if (!ends(od.y, current.dim.y)) {
        ++od.y;
      } else {
        od.y = 0;
        ++od.z;
      }
    }
    return;
  }
  const U8 kd = dispatch_.kd;
  U32 next = current.next;
  if (dispatch_.agei == kNone) {
    dispatch_.first.clear(kd);
    next = dispatch_.nagei[kd];
  } else if (dispatch_.agei == dispatch_.lagei[kd]) {
    next = kNone;
  }
  dispatch_.nagei[kd] = next;
  if (next == kNone) {
    dispatch_.mark.clear(kd);
    dispatch_.st = DispatchState::kFree;
  } else {
    select(kd, next);
  }
}

void Engine::step_push(const Push& push) {
  const U8 kd = push.kd;
  if (!push.group) {
    if (dispatch_.mark.test(kd)) {
      dispatch_.err |= kErrorPush;
      return;
    }
    dispatch_.nagei[kd] = kNone;
    dispatch_.kdim[kd] = push.dim;
    mark(kd, true);
    return;
  }
  const U32 group = push.agei;
  if (!off_chip(group)) {
    dispatch_.ldim[age(group)] = push.dim;
    dispatch_.lparam[age(group)] = push.param;
  }
  const U32 tail = dispatch_.lagei[kd];
  if (dispatch_.nagei[kd] == kNone) {
    // The pool is empty, so the entry of its former last group may belong to another group now.
    dispatch_.nagei[kd] = group;
  } else if ((tail & kOffChip) == 0) {
    dispatch_.lnext[age(tail)] = group;
  } else if (dispatch_.st != DispatchState::kFree && dispatch_.agei == tail) {
    dispatch_.ob_next = group;
    dispatch_.ob_linked = true;
  } else {
    dispatch_.lw_valid = true;
    dispatch_.lw_rec = tail & ~kOffChip;
    dispatch_.lw_data = group;
  }
  dispatch_.lagei[kd] = group;
  if (!dispatch_.mark.test(kd)) mark(kd, false);
}

void Engine::step_next() {
  if (dispatch_.st != DispatchState::kFree || dispatch_.count == 0) return;
  const U8 kd = dispatch_.fq[dispatch_.head];
  dispatch_.head = static_cast<U16>(dispatch_.head + 1U == params_.NumKde ? 0U : dispatch_.head + 1U);
  --dispatch_.count;
  select(kd, dispatch_.first.test(kd) ? kNone : dispatch_.nagei[kd]);
}

void Engine::mark(U8 kd, bool first) {
  dispatch_.mark.set(kd);
  dispatch_.first.assign(kd, first);
  dispatch_.fq[(dispatch_.head + U32{dispatch_.count}) % params_.NumKde] = kd;
  ++dispatch_.count;
}

void Engine::select(U8 kd, U32 agei) {
  dispatch_.kd = kd;
  dispatch_.agei = agei;
  dispatch_.od = {};
  dispatch_.pos = 0;
  if (off_chip(agei)) {
    dispatch_.st = DispatchState::kReq;
    dispatch_.ob_linked = false;
  } else {
    dispatch_.st = DispatchState::kRun;
  }
}

void Engine::show_dispatch() {
  if (offer_presented_) settle_offer();
  const bool runs = dispatch_.st == DispatchState::kRun;
  const bool read = reads();
  const bool write = !read && dispatch_.lw_valid;
  out_.cur_valid = runs ? 1 : 0;
  out_.cur_kd = runs ? dispatch_.kd : U8{0};
  out_.dispatch_hold = dispatch_.mark;
  out_.mem_valid = read || write ? 1 : 0;
  out_.mem_write = write ? 1 : 0;
  out_.mem_addr = read ? U64{dispatch_.agei & ~kOffChip} * 16 : write ? U64{dispatch_.lw_rec} * 16 + kNextOffset : 0;
  out_.mem_wdata = write ? dispatch_.lw_data : 0;
  out_.dispatch_err = dispatch_.err;
}

void Engine::show_ready() {
  out_.att_ready = dispatch_.lw_valid ? 0 : 1;
  out_.push_ready = out_.att_ready != 0 && out_.att_valid == 0 ? 1 : 0;
}

}  // namespace castor::dtbl
