#include "castor/gpu/front_end/retire_unit.h"

#include <algorithm>

#include "castor/base/error.h"
#include "castor/gpu/hooks/waves.h"

namespace castor::gpu {

RetireUnit::RetireUnit(const Machine& machine, const std::vector<SmUnit*>& sms, KernelTable& table, Ledger& ledger,
                       HookEvents& events)
    : sms_(sms), table_(table), ledger_(ledger), events_(events), last_(machine.chip.sms) {
  for (std::size_t sm = 0; sm < sms_.size(); ++sm) done_.emplace_back(machine.done_fifo);
}

void RetireUnit::take_wire(unsigned sm, Cycle now) {
  Mailbox<TbRetireMessage>& wire = sms_[sm]->retired();
  const TbRetireMessage& message = *wire.head(now);
  const KernelEntry& kernel = table_.of(*message.kernel);
  CASTOR_ASSERT_AT(now, kernel.running > 0 && !done_[sm].full(), "SM %u retires a TB of %s, which has no TB on an SM",
                   sm, message.kernel->program->kernel.c_str());
  // The room of a kernel that owns the machine stays the kernel's: its hub puts another TB there.
  if (!kernel.context().owned) ledger_.credit(sm, kernel.context().entry, kernel.context().need);
  table_.retire(kernel.context().entry, message.warp_instructions, message.thread_instructions);
  TbEvent event = tb_event(*message.kernel, sm, message.gid);
  event.slot = message.slot;
  done_[sm].push_back(event);
  waiting_.set(sm);
  events_.retired(event);
  if (message.caller != 0) callers_.push_back(message.caller);
  wire.pop();
}

std::uint32_t RetireUnit::uncounted(unsigned entry) const {
  std::size_t tbs = 0;
  for (const auto& fifo : done_) {
    tbs += std::count_if(fifo.begin(), fifo.end(), [entry](const TbEvent& tb) { return tb.kd == entry; });
  }
  return static_cast<std::uint32_t>(tbs);
}

void RetireUnit::drain(Cycle now) {
  if (waiting_.none()) {
    if (!dropped_.empty() && dropped_.front().since < now) drain_dropped();
    return;
  }
  const unsigned sm = last_.first(waiting_);
  last_.chosen(sm);
  const TbEvent tb = done_[sm].front();
  done_[sm].pop_front();
  if (done_[sm].empty()) waiting_.reset(sm);
  sms_[sm]->done_drained(now);
  count(tb);
}

void RetireUnit::drain_dropped() {
  const TbEvent tb = dropped_.front().tb;
  if (events_.retired_on(tb.sm)) return;  // a retired TB of the SM was recorded in this cycle
  dropped_.pop_front();
  events_.retired(tb);
  count(tb);
}

void RetireUnit::count(const TbEvent& tb) {
  if (tb.group == kNoGroup)
    table_.count(tb.kd);
  else
    counted_group_ = tb;
  events_.done(tb);
}

void RetireUnit::add_waves(Waves& waves, const std::string& scope) const {
  waves.add_mask(scope, "done_waiting", ledger_.sms(), &waiting_);
}

}  // namespace castor::gpu
