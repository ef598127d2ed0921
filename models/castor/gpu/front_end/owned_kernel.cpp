#include "castor/gpu/front_end/owned_kernel.h"

#include "castor/gpu/front_end/dispatcher.h"
#include "castor/gpu/front_end/job_table.h"
#include "castor/gpu/front_end/kernel_table.h"
#include "castor/gpu/front_end/retire_unit.h"
#include "castor/gpu/hook_check.h"
#include "castor/gpu/swap_image.h"

namespace castor::gpu {

OwnedKernel::OwnedKernel(const FrontEndParts& parts)
    : machine_(parts.machine),
      table_(parts.table),
      ledger_(parts.ledger),
      dispatcher_(parts.dispatcher),
      retire_(parts.retire),
      jobs_(parts.jobs) {}

void OwnedKernel::start(unsigned entry) {
  entry_ = static_cast<int>(entry);
  filled_ = done_ = false;
}

void OwnedKernel::complete(const KernelContext& context) {
  for (unsigned sm = 0; sm < ledger_.sms(); ++sm) {
    while (ledger_.resident(sm, context.entry) != 0) ledger_.credit(sm, context.entry, context.need);
  }
  entry_ = -1;
}

void OwnedKernel::show(HubIn& in) const {
  in.next_tb.reset();
  if (entry_ < 0 || !filled_) return;
  const KernelEntry& kernel = table_[static_cast<unsigned>(entry_)];
  if (kernel.sequencer.left() != 0) in.next_tb = static_cast<std::uint32_t>(kernel.sequencer.head(kernel.context()));
}

void OwnedKernel::settle(const Hook& hub, const HubIn& in, const HubOut& out, Cycle now) {
  CASTOR_HOOK_CHECK(hub, now, !out.pop || in.next_tb.has_value(), "sync_hub takes a TB, but none is offered");
  if (entry_ < 0 || !out.done || done_) return;
  const auto entry = static_cast<unsigned>(entry_);
  const KernelEntry& kernel = table_[entry];
  CASTOR_HOOK_CHECK(hub, now, kernel.to_place() == 0,
                    "sync_hub says that all TBs have ended, but %llu TBs of entry %u are not placed",
                    static_cast<unsigned long long>(kernel.to_place()), entry);
  done_ = true;
  if (kernel.killed) drop_away(entry);
}

// Ends the swapped-out TBs of a stopped kernel. All other TBs have retired and are counted one by one.
void OwnedKernel::drop_away(unsigned entry) {
  for (std::uint32_t away = table_[entry].running - retire_.uncounted(entry); away != 0; --away) {
    table_.retire(entry, 0, 0);
    table_.count(entry);
  }
}

void OwnedKernel::clock(const HubOut& out, Cycle now) {
  if (entry_ < 0) return;
  const auto entry = static_cast<unsigned>(entry_);
  if (out.pop) jobs_.placed(table_[entry].context().queue, table_.place(entry, now).last, now);
  if (filled_ || !fill_ends()) return;
  filled_ = true;
  dispatcher_.end_fill(entry);
}

// Returns whether no TB is left to place or no SM has room for the next one. A closed SM counts as open, since its
// resources will be used when it opens. The fill also waits until as many TBs are on the SMs as the launch check
// required.
bool OwnedKernel::fill_ends() const {
  const auto entry = static_cast<unsigned>(entry_);
  const std::uint64_t left = table_[entry].to_place();
  if (left == 0) return true;
  if (dispatcher_.room_in_quota(entry).any()) return false;
  const KernelContext& context = table_[entry].context();
  if (left > machine_.chip.sync.limits.away) return false;
  return context.image_bytes == 0 || images_needed(machine_, context.grid.count(), context.grid.count() - left) <=
                                         images_in_region(machine_, context.image_bytes);
}

}  // namespace castor::gpu
