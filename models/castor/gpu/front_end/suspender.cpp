#include "castor/gpu/front_end/suspender.h"

#include <algorithm>

namespace castor::gpu {

Suspender::Suspender(const Machine& machine, const std::vector<SmUnit*>& sms, KernelTable& table, Ledger& ledger,
                     Dispatcher& dispatcher, RetireUnit& retire, DeviceLauncher& launches, ParseLanes& lanes,
                     HookEvents& events, base::StatisticGroup& statistics)
    : machine_(machine),
      sms_(sms),
      table_(table),
      ledger_(ledger),
      dispatcher_(dispatcher),
      retire_(retire),
      launches_(launches),
      lanes_(lanes),
      events_(events),
      group_(statistics, "suspension"),
      suspended_(group_, {"suspended", "", "TBs swapped out while they waited for their launches"}),
      resumed_(group_, {"resumed", "", "swapped-out TBs that were placed again"}),
      detached_kernels_(
          group_, {"detached", "",
                   "times that a kernel released its table entry because all its remaining TBs were swapped out"}) {}

void Suspender::take(Cycle now) {
  for (SmUnit* const sm : sms_) {
    while (const TbSaveMessage* const message = sm->suspended().head(now)) {
      const KernelContext& context = *message->tb->kernel;
      const SwappedTb away = {message->tb, &table_.record_of(context)};
      sm->suspended().pop();
      ledger_.credit(sm->index(), context.entry, context.need);
      table_.suspend(context.entry);
      events_.left(tb_event(context, sm->index(), away.tb->gid));
      ++suspended_;
      const BlockId block = away.tb->caller;
      const bool goes_on = launches_.launcher().blocks().open_children(block) == 0 || launches_.stopped(*away.record);
      if (goes_on) {
        ready_.push_back(away);
        stirred_ = true;
      } else {
        waiting_.emplace(block, away);
      }
    }
  }
}

bool Suspender::children_closed(BlockId block) {
  const auto found = waiting_.find(block);
  if (found == waiting_.end()) return false;
  ready_.push_back(std::move(found->second));
  waiting_.erase(found);
  stirred_ = true;
  return true;
}

void Suspender::restore(Cycle now) {
  if (placeable_.empty()) return;
  const SwappedTb away = placeable_.front();
  const unsigned entry = away.record->context.entry;
  const SmMask takers = dispatcher_.sms_for_restored(entry);
  if (takers.none()) return;
  placeable_.pop_front();
  const unsigned sm = dispatcher_.place_restored(entry, takers, now);
  table_.resume(entry);
  events_.restored(tb_event(*away.tb->kernel, sm, away.tb->gid));
  ++resumed_;
  // From the acquire cycle of the message on, the TB sees the data that its launches have written.
  sms_[sm]->start(away.start_message(now, context_move_time(machine_, away.tb->kernel->need)));
}

void Suspender::add_waiting(DispatchState& state) const {
  state.waiting = state.waiting || !ready_.empty() || !in_lanes_.empty() || !placeable_.empty();
  if (!placeable_.empty()) state.fits_head = dispatcher_.room_again(placeable_.front().record->context.entry);
}

int Suspender::deserted(const KdMask& held) const {
  for (unsigned entry = 0; entry < table_.size() && suspended_.value() != 0; ++entry) {
    if (table_[entry].deserted() && !held[entry]) return static_cast<int>(entry);
  }
  return -1;
}

void Suspender::detach(unsigned entry, Cycle now) {
  const LaunchRecord* const record = table_[entry].record;
  detached_[record] = table_.detach(entry, now);
  ++detached_kernels_;
}

int Suspender::grant(Cycle now) {
  const SwappedTb away = std::move(ready_.front());
  ready_.pop_front();
  offers_ = false;
  stirred_ = true;
  int taken = -1;
  if (const auto found = detached_.find(away.record); found != detached_.end()) {
    taken = table_.first_free(now);
    table_.reserve_again(static_cast<unsigned>(taken), std::move(found->second));
    detached_.erase(found);
  }
  const unsigned entry = away.record->context.entry;
  table_.expect(entry);
  lanes_.resume(entry, away.record->image, now);
  in_lanes_.push_back(away);
  return taken;
}

void Suspender::finish(Cycle /*now*/) {
  const SwappedTb away = std::move(in_lanes_.front());
  in_lanes_.pop_front();
  const unsigned entry = away.record->context.entry;
  table_.write_again(entry);
  const bool stopped = launches_.stopped(*away.record);
  if (stopped && !table_[entry].killed && away.tb->group == kNoGroup) table_.kill(entry);
  if (stopped || table_[entry].killed) {
    drop(away);
  } else {
    placeable_.push_back(away);
  }
}

void Suspender::drop(const SwappedTb& away) {
  launches_.end_block(away.tb->caller);
  const KernelContext& context = away.record->context;
  if (context.group == kNoGroup && !events_.on()) return table_.drop_suspended(context.entry);
  // A dropped TB goes through the retire unit if a launch unit or another hook counts it too.
  table_.resume(context.entry);
  retire_.drop(tb_event(context, 0, away.tb->gid), 0);
}

void Suspender::stop(const LaunchRecord& root) {
  const auto of_tree = [&root](const SwappedTb& away) { return away.record->root == &root; };
  for (auto at = waiting_.begin(); at != waiting_.end();) {
    if (!of_tree(at->second)) {
      ++at;
      continue;
    }
    ready_.push_back(std::move(at->second));
    at = waiting_.erase(at);
  }
  for (const SwappedTb& away : placeable_) {
    if (of_tree(away)) drop(away);
  }
  placeable_.erase(std::remove_if(placeable_.begin(), placeable_.end(), of_tree), placeable_.end());
  stirred_ = true;
}

Cycle Suspender::next(const KdMask& held, Cycle now) const {
  if (stirred_ || deserted(held) >= 0) return now + 1;
  if (!placeable_.empty() && dispatcher_.sms_for_restored(placeable_.front().record->context.entry).any())
    return now + 1;
  Cycle next = kForever;
  for (SmUnit* const sm : sms_) next = std::min(next, sm->suspended().next());
  return next == kForever ? next : std::max(next, now + 1);
}

std::string Suspender::waiting() const {
  const std::size_t blocks = waiting_.size() + ready_.size() + in_lanes_.size() + placeable_.size();
  if (blocks == 0) return {};
  return "  " + std::to_string(blocks) + " thread blocks are swapped out, " + std::to_string(waiting_.size()) +
         " of them until the kernels that they launched end\n";
}

}  // namespace castor::gpu
