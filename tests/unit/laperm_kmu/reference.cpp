#include "unit/laperm_kmu/reference.h"

#include <algorithm>
#include <numeric>

namespace castor::laperm_kmu::reference {
namespace {

/// Ends the turn of `served`: moves it and all elements before it to the back.
void turn_over(std::deque<U32>& turns, U32 served) {
  while (turns.back() != served) {
    turns.push_back(turns.front());
    turns.pop_front();
  }
}

}  // namespace

Machine::Machine(const Params& params) : params_(params) { reset(); }

void Machine::reset() {
  sms_.resize(params_.NumSm);
  queues_.resize(params_.NumHq);
  std::iota(sms_.begin(), sms_.end(), 0U);
  std::iota(queues_.begin(), queues_.end(), 0U);
  questions_.clear();
  offered_.reset();
}

bool Machine::is_ready(const Source& source, const Inputs& in) const {
  switch (source.kind) {
    case kList:
      return (in.list_rdy[source.sm] >> (source.level - 1) & 1U) != 0;
    case kSuspended:
      return in.susp_rdy != 0;
    case kHost:
      return in.host_rdy[source.queue];
    case kNothing:
      break;
  }
  return false;
}

Outputs Machine::settle() const {
  Outputs out;
  if (!offered_) return out;
  out.pick_valid = 1;
  out.pick_kind = offered_->kind;
  if (offered_->kind == kList) {
    out.pick_idx = static_cast<U16>(offered_->sm * params_.LvlMax + offered_->level - 1);
  }
  if (offered_->kind == kHost) out.pick_idx = static_cast<U16>(offered_->queue);
  return out;
}

void Machine::clock(const Inputs& in) {
  if (offered_) return serve(in);
  if (!questions_.empty()) return ask(in);
  look_around(in);
}

void Machine::look_around(const Inputs& in) {
  if (in.susp_rdy != 0) {
    offered_ = Source{kSuspended, 0, 0, 0};
    return;
  }
  for (const U32 sm : sms_) {
    if (in.list_rdy[sm] == 0) continue;
    for (U32 level = params_.LvlMax; level >= 1; --level) questions_.push_back({kList, sm, level, 0});
    return;
  }
  for (const U32 queue : queues_) {
    if (!in.host_rdy[queue]) continue;
    offered_ = Source{kHost, 0, 0, queue};
    return;
  }
}

void Machine::ask(const Inputs& in) {
  const Source asked = questions_.front();
  questions_.pop_front();
  if (!is_ready(asked, in)) return;
  questions_.clear();
  offered_ = asked;
}

void Machine::serve(const Inputs& in) {
  const Source source = *offered_;
  if (in.pick_grant == 0 && is_ready(source, in)) return;
  offered_.reset();
  if (in.pick_grant == 0) return;
  if (source.kind == kList) turn_over(sms_, source.sm);
  if (source.kind == kHost) turn_over(queues_, source.queue);
}

Probes Machine::probes() const {
  Probes probes;
  probes.state = offered_ ? State::kOffer : questions_.empty() ? State::kIdle : State::kSearch;
  probes.next_sm = static_cast<U8>(sms_.front());
  probes.next_hq = static_cast<U8>(queues_.front());
  const Outputs out = settle();
  probes.kind = out.pick_kind;
  probes.index = out.pick_idx;
  if (!questions_.empty()) {
    probes.sm = static_cast<U8>(questions_.front().sm);
    probes.level = static_cast<U8>(questions_.front().level);
  }
  if (offered_ && offered_->kind == kList) probes.sm = static_cast<U8>(offered_->sm);
  return probes;
}

std::vector<Source> order_of(std::vector<std::vector<U32>> waiting) {
  std::vector<Source> order;
  for (bool some = true; some;) {
    some = false;
    for (U32 sm = 0; sm < waiting.size(); ++sm) {
      auto& levels = waiting[sm];
      const auto highest = std::find_if(levels.rbegin(), levels.rend(), [](U32 launches) { return launches != 0; });
      if (highest == levels.rend()) continue;
      --*highest;
      order.push_back({kList, sm, static_cast<U32>(levels.rend() - highest), 0});
      some = true;
    }
  }
  return order;
}

}  // namespace castor::laperm_kmu::reference
