#include "castor/tb_swap/in_machine.h"

namespace castor::tb_swap {

Want InMachine::want(const State& s) const {
  Want want;
  switch (state_) {
    case InState::kSimt:
      want.valid = true;
      want.local = !simt_in_memory(job_.entry);
      break;
    case InState::kRegisters:
      want.valid = true;
      want.local = register_location(job_.entry) == Location::kPlace;
      break;
    case InState::kShared:
      want.valid = at_.line < s.kernel.smem;
      if (s.kernel.read_only) want.segment = s.segments.find(job_.slot, at_.line);
      want.local = shared_location(job_.entry) == Location::kPlace && want.segment == Segments::kNone;
      break;
    default:
      break;
  }
  return want;
}

bool InMachine::clock(const Inputs& in, const Turn& turn, unsigned loads, State& s) {
  switch (state_) {
    case InState::kIdle:
      return step_idle(turn, s);
    case InState::kSimt:
      if (turn.granted) step_simt(s);
      break;
    case InState::kSegments:
      if (loads == 0) state_ = InState::kMask;
      break;
    case InState::kMask:
      step_mask(s);
      break;
    case InState::kRegisters:
      if (turn.granted) step_registers(s);
      break;
    case InState::kShared:
      step_shared(turn, s);
      break;
    case InState::kWait:
      if (loads == 0) show_enter(s);
      break;
    case InState::kDone:
      step_done(in, s);
      break;
  }
  return false;
}

bool InMachine::step_idle(const Turn& turn, State& s) {
  if (!turn.handed) return false;
  job_ = s.hand;
  s.hand = {};
  s.storage.set_homes(job_.slot, job_.rhome, job_.shome);
  s.segments.clear(job_.slot);
  if (job_.fresh) {
    show_enter(s);
  } else {
    at_.address = simt_line(job_.entry);
    state_ = InState::kSimt;
  }
  return true;
}

void InMachine::step_simt(State& s) {
  Access access = load(AccessType::kSimt, !simt_in_memory(job_.entry));
  access.line = static_cast<U16>(at_.line & 0x7ffU);
  s.offer(access);
  if (at_.pass_simt(s.kernel)) state_ = s.kernel.read_only ? InState::kSegments : InState::kMask;
}

void InMachine::step_mask(State& s) {
  const RegBits& live = s.sites.registers(site_of(job_.entry));
  if (register_location(job_.entry) == Location::kHome || live.none()) return end_registers();
  at_.mask = live;
  at_.address = register_line(job_.entry);
  state_ = InState::kRegisters;
}

void InMachine::step_registers(State& s) {
  Access access = load(AccessType::kRegister, register_location(job_.entry) == Location::kPlace);
  access.warp = at_.warp;
  access.reg = at_.reg();
  access.home = job_.rhome;
  s.offer(access);
  if (at_.pass_register(s.kernel, s.sites.registers(site_of(job_.entry)))) end_registers();
}

void InMachine::end_registers() {
  const Location shared = shared_location(job_.entry);
  if (shared == Location::kHome || shared == Location::kNone) {
    state_ = InState::kWait;
    return;
  }
  at_.line = 0;
  at_.address = shared_line(job_.entry);
  state_ = InState::kShared;
}

void InMachine::step_shared(const Turn& turn, State& s) {
  if (at_.line >= s.kernel.smem) {
    state_ = InState::kWait;
    return;
  }
  if (!turn.granted) return;
  const bool in_segment = turn.segment != Segments::kNone;
  Access access = in_segment ? load(AccessType::kReadOnly, false)
                             : load(AccessType::kShared, shared_location(job_.entry) == Location::kPlace);
  access.line = at_.line;
  access.home = job_.shome;
  if (in_segment) access.address = s.segments.address(turn.segment, at_.line);
  s.offer(access);
  if (!in_segment) at_.pass_address();
  at_.pass_line();
}

Access InMachine::load(AccessType type, bool local) const {
  Access access;
  access.type = type;
  access.local = local;
  access.slot = job_.slot;
  access.address = at_.address;
  return access;
}

void InMachine::show_enter(State& s) {
  state_ = InState::kDone;
  s.out.enter_valid = 1;
  s.out.enter_slot = job_.slot;
  s.out.enter_new = job_.fresh ? 1 : 0;
  s.out.enter_gid = job_.gid;
  s.out.enter_rhome = job_.rhome;
  s.out.enter_shome = job_.shome;
  if (job_.fresh || !simt_in_memory(job_.entry)) return;
  s.out.enter_free = 1;
  s.out.enter_address = simt_line(job_.entry);
}

void InMachine::step_done(const Inputs& in, State& s) {
  if (in.enter_ready == 0) return;
  if (!job_.fresh && !simt_in_memory(job_.entry)) s.storage.free_place(simt_line(job_.entry) >> kPlaceBits);
  s.out.enter_valid = s.out.enter_slot = s.out.enter_new = s.out.enter_rhome = s.out.enter_shome = 0;
  s.out.enter_gid = 0;
  s.out.enter_free = 0;
  s.out.enter_address = 0;
  *this = {};
}

void InMachine::probes(Probes& probes) const {
  probes.in_state = state_;
  probes.in_slot = job_.slot;
  probes.in_address = at_.address;
  probes.in_line = at_.line;
  probes.in_warp = at_.warp;
  probes.in_mask = at_.mask;
}

}  // namespace castor::tb_swap
