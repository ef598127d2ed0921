#include "castor/tb_swap/out_machine.h"

namespace castor::tb_swap {

Want OutMachine::want(const State& s) const {
  Want want;
  want.local = class_ != kToMemory;
  switch (state_) {
    case OutState::kSimt:
    case OutState::kRegisters:
      want.valid = true;
      break;
    case OutState::kShared:
      if (s.kernel.read_only) want.segment = s.segments.find(job_.slot, at_.line);
      want.valid = at_.line < s.kernel.smem && want.segment == Segments::kNone;
      break;
    default:
      break;
  }
  return want;
}

void OutMachine::clock(const Inputs& in, const Turn& turn, State& s) {
  switch (state_) {
    case OutState::kIdle:
      return step_idle(s);
    case OutState::kPlace:
      return step_place(in, s);
    case OutState::kPage:
      return step_page(in, s);
    case OutState::kSimt:
      if (turn.granted) step_simt(in, s);
      return;
    case OutState::kMask:
      return step_mask(in, s);
    case OutState::kRegisters:
      if (turn.granted) step_registers(in, s);
      return;
    case OutState::kShared:
      return step_shared(in, turn, s);
    case OutState::kPush:
      return step_push(in, s);
    case OutState::kHand:
      return step_hand(turn, s);
  }
}

void OutMachine::step_idle(State& s) {
  if (s.jobs.empty()) return;
  job_ = s.jobs.pop();
  state_ = OutState::kPlace;
}

void OutMachine::step_place(const Inputs& in, State& s) {
  // The TB that is moved in brings a home if it was parked in one.
  const bool rhome = !job_.fresh && register_location(job_.entry) == Location::kHome;
  const bool shome = !job_.fresh && shared_location(job_.entry) == Location::kHome;
  class_ = choose(in, s, rhome, shome);
  Counters::add(s.counters.jobs[class_]);
  choose_rhome(s.storage, rhome);
  choose_shome(s, shome);
  begin_move(s);
}

OutMachine::Class OutMachine::choose(const Inputs& in, const State& s, bool rhome, bool shome) const {
  if (!job_.out) return kNothing;
  if (in.local_room == 0) return kToMemory;
  const Kernel& k = s.kernel;
  const bool registers_stay = rhome || s.storage.spare_rhome();
  const bool shared_stays = k.smem == 0 || shome || s.storage.spare_shome();
  const auto place = [&](unsigned from, unsigned end) { return s.storage.lowest_place(from, end) != Storage::kNone; };
  if (registers_stay && shared_stays && place(0, k.in_place)) return kInPlace;
  if (k.direction == 0 || !place(k.in_place, k.in_place + k.copies)) return kToMemory;
  if (k.direction == 1 && shared_stays) return kRegistersToPlace;
  if (k.direction == 2 && registers_stay) return kSharedToPlace;
  return kToMemory;
}

void OutMachine::choose_rhome(Storage& storage, bool brought) {
  keeps_rhome_ = class_ == kInPlace || class_ == kSharedToPlace;
  const U8 own = storage.rhome(job_.slot);
  next_rhome_ = own;
  if (brought) next_rhome_ = static_cast<U8>(register_line(job_.entry) & 0x3fU);
  if (keeps_rhome_ && !brought) {
    next_rhome_ = storage.lowest_rhome();
    storage.take_rhome(next_rhome_);
  }
  if (brought && !keeps_rhome_) storage.free_rhome(own);
}

void OutMachine::choose_shome(State& s, bool brought) {
  Storage& storage = s.storage;
  keeps_shome_ = s.kernel.smem != 0 && (class_ == kInPlace || class_ == kRegistersToPlace);
  const U8 own = storage.shome(job_.slot);
  next_shome_ = own;
  if (brought) next_shome_ = static_cast<U8>(shared_line(job_.entry) & 0x3fU);
  if (keeps_shome_ && !brought) {
    next_shome_ = storage.lowest_shome();
    storage.take_shome(next_shome_);
  }
  if (brought && !keeps_shome_) storage.free_shome(own);
}

void OutMachine::begin_move(State& s) {
  if (class_ == kNothing) {
    state_ = OutState::kHand;
    return;
  }
  if (class_ == kToMemory) {
    s.out.page_request = 1;
    state_ = OutState::kPage;
    return;
  }
  const unsigned from = class_ == kInPlace ? 0 : s.kernel.in_place;
  const unsigned end = class_ == kInPlace ? s.kernel.in_place : s.kernel.in_place + s.kernel.copies;
  const unsigned place = s.storage.lowest_place(from, end);
  s.storage.take_place(place);
  simt_line_ = at_.address = U64{place} << kPlaceBits;
  state_ = OutState::kSimt;
}

void OutMachine::step_page(const Inputs& in, State& s) {
  if (in.page_valid == 0) return;
  s.out.page_request = 0;
  simt_line_ = at_.address = in.page_address;
  state_ = OutState::kSimt;
}

void OutMachine::step_simt(const Inputs& in, State& s) {
  Access access = store(AccessType::kSimt);
  access.line = static_cast<U16>(at_.line & 0x7ffU);
  s.offer(access);
  if (!at_.pass_simt(s.kernel)) return;
  if (keeps_rhome_) return end_registers(in, s);
  state_ = OutState::kMask;
}

void OutMachine::step_mask(const Inputs& in, State& s) {
  register_line_ = at_.address;
  const RegBits& live = s.sites.registers(job_.site);
  Counters::add(s.counters.dead_registers, s.kernel.warps * (s.kernel.regs - live.count()));
  if (live.none()) return end_registers(in, s);
  at_.mask = live;
  state_ = OutState::kRegisters;
}

void OutMachine::step_registers(const Inputs& in, State& s) {
  Access access = store(AccessType::kRegister);
  access.warp = at_.warp;
  access.reg = at_.reg();
  access.home = s.storage.rhome(job_.slot);
  s.offer(access);
  if (at_.pass_register(s.kernel, s.sites.registers(job_.site))) end_registers(in, s);
}

void OutMachine::end_registers(const Inputs& in, State& s) {
  if (s.kernel.smem == 0 || keeps_shome_) return begin_push(in, s);
  at_.line = 0;
  shared_line_ = at_.address;
  state_ = OutState::kShared;
}

void OutMachine::step_shared(const Inputs& in, const Turn& turn, State& s) {
  if (at_.line >= s.kernel.smem) return begin_push(in, s);
  if (turn.segment != Segments::kNone) {
    at_.line = static_cast<U16>(s.segments.end(turn.segment));
    Counters::add(s.counters.skipped_lines, s.segments.lines(turn.segment));
    return;
  }
  if (!turn.granted) return;
  Access access = store(AccessType::kShared);
  access.line = at_.line;
  access.home = s.storage.shome(job_.slot);
  s.offer(access);
  at_.pass_address();
  at_.pass_line();
}

Access OutMachine::store(AccessType type) const {
  Access access;
  access.store = true;
  access.type = type;
  access.local = class_ != kToMemory;
  access.slot = job_.slot;
  access.address = at_.address;
  return access;
}

void OutMachine::begin_push(const Inputs& in, State& s) {
  state_ = OutState::kPush;
  s.out.parked_valid = 1;
  s.out.parked_slot = job_.slot;
  s.out.parked_local = class_ != kToMemory ? 1 : 0;
  show_parked(in, s);
}

// The homes are those of the context: they remain the ones of the TB that goes until the next TB has the context.
void OutMachine::show_parked(const Inputs& in, State& s) const {
  EntryFields e;
  e.gid = job_.gid;
  e.sm = in.sm_id;
  e.simt_in_memory = class_ == kToMemory;
  e.site = job_.site;
  e.simt_line = simt_line_;
  if (!keeps_rhome_) e.registers = class_ == kRegistersToPlace ? Location::kPlace : Location::kMemory;
  e.register_line = keeps_rhome_ ? s.storage.rhome(job_.slot) : register_line_;
  if (s.kernel.smem == 0) {
    e.shared = Location::kNone;
  } else {
    if (!keeps_shome_) e.shared = class_ == kSharedToPlace ? Location::kPlace : Location::kMemory;
    e.shared_line = keeps_shome_ ? s.storage.shome(job_.slot) : shared_line_;
  }
  s.out.parked_entry = e.pack();
}

void OutMachine::step_push(const Inputs& in, State& s) {
  if (in.parked_ready == 0) return;
  s.out.parked_valid = s.out.parked_slot = s.out.parked_local = 0;
  s.out.parked_entry.reset();
  state_ = OutState::kHand;
}

// Waits until the last store has been accepted: the next TB may write the storage that the store reads.
void OutMachine::step_hand(const Turn& turn, State& s) {
  if (turn.handed || turn.storing) return;
  s.hand = {true, job_.slot, job_.fresh, job_.in_gid, next_rhome_, next_shome_, job_.entry};
  *this = {};
}

void OutMachine::probes(Probes& probes) const {
  probes.out_state = state_;
  probes.out_slot = job_.slot;
  probes.out_class = class_;
  probes.out_next_rhome = next_rhome_;
  probes.out_next_shome = next_shome_;
  probes.out_address = at_.address;
  probes.out_line = at_.line;
  probes.out_warp = at_.warp;
  probes.out_mask = at_.mask;
}

}  // namespace castor::tb_swap
