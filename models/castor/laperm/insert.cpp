#include "castor/laperm/engine.h"

namespace castor::laperm {

bool Engine::accepts(const Inputs& in) const {
  return in.push_cnt != 0 && in.push_kd < params_.NumKd && (in.push_level == 0 || in.push_sm < params_.NumSm) &&
         !kernels_.full(in.push_kd);
}

Engine::Route Engine::route(const Parked& item, const Inputs& in) const {
  Route where{Target::kPark, 0, 0};
  if (item.level == 0) {
    if (!host_.full()) where.target = Target::kHost;
    return where;
  }
  const unsigned level = item.level < params_.LvlMax ? item.level : params_.LvlMax;
  const unsigned set = set_of(item.sm, in.policy);
  const unsigned list = set * params_.LvlMax + level - 1;
  where.set = static_cast<U8>(set);
  where.list = static_cast<U16>(list);
  const bool over = memory_.pending(list) || (sets_.open() >> set & 1U) == 0;
  if (!over) {
    if (!reply_.valid) where.target = Target::kChip;  // one insertion per cycle; replies have priority
  } else if (!request_.valid && memory_.counts()[list] < ring_size(in.ovf_log2) &&
             !(wrote_ && refill_set(kNoSet) != kNoSet)) {
    where.target = Target::kMemory;
  }
  return where;
}

/// Returns the set of the next read, or kNoSet if no read is possible; `inserted`: set that gets an item on chip at
/// this edge.
unsigned Engine::refill_set(unsigned inserted) const {
  if (request_.valid || tags_.count() >= params_.RefillMax) return kNoSet;
  U32 sets = memory_.sets() & sets_.open();
  if (sets != 0 && inserted != kNoSet && sets_.nearly_full(inserted)) sets &= ~(U32{1} << inserted);
  return sets != 0 ? first_from(sets, refill_next_) : kNoSet;
}

void Engine::step_reply(const Inputs& in) {
  if (reply_.valid) {
    const unsigned list = reply_.list;
    const unsigned set = list / params_.LvlMax;
    chip_.append(set, list, reply_.item);
    sets_.keep(set);
    memory_.arrive(list);
    reply_ = {};
  }
  if (in.mem_rvalid == 0) return;
  if (tags_.count() == 0) {
    err_ |= kErrorReply;
    return;
  }
  reply_ = {true, tags_.oldest(), unpack(in.mem_rdata, params_)};
  tags_.pop();
}

void Engine::step_item(const Parked& item, const Route& route, const Inputs& in) {
  parked_ = {};
  switch (route.target) {
    case Target::kHost:
      host_.push(item.item);
      break;
    case Target::kChip:
      chip_.append(route.set, route.list, item.item);
      sets_.add(route.set);
      break;
    case Target::kMemory: {
      const U32 idx = memory_.write(route.set, route.list, ring_mask(in.ovf_log2));
      request_ = {true, true, route.list, idx, pack(item.item, params_)};
      wrote_ = true;
      break;
    }
    case Target::kPark:
      parked_ = item;
      break;
    case Target::kNone:
      break;
  }
}

void Engine::step_refill(unsigned set, const Inputs& in) {
  const auto list = static_cast<U16>(memory_.highest_list(set));
  request_ = {true, false, list, memory_.read(set, list, ring_mask(in.ovf_log2)), {}};
  sets_.promise(set);
  tags_.push(list);
  refill_next_ = static_cast<U8>(set + 1 == params_.sets() ? 0U : set + 1);
  wrote_ = false;
}

}  // namespace castor::laperm
