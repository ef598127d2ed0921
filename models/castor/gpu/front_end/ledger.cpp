#include "castor/gpu/front_end/ledger.h"

#include <algorithm>

#include "castor/base/error.h"
#include "castor/base/tick_wall.h"

namespace castor::gpu {

Ledger::Ledger(const Machine& machine)
    : entries_(machine.table.entries),
      all_(kAllSms >> (kMaxSms - machine.chip.sms)),
      capacity_{machine.sm.tb_slots, machine.sm.warps, machine.sm.threads,
                machine.sm.registers / machine.sm.reg_alloc_unit, machine.sm.smem_bytes / machine.sm.smem_alloc_unit},
      free_(machine.chip.sms, capacity_),
      last_placed_(machine.chip.sms),
      resident_(std::size_t{machine.chip.sms} * machine.table.entries),
      need_(machine.table.entries),
      fit_(machine.table.entries) {}

bool Ledger::fits(unsigned sm, const TbNeed& need) const {
  const SmResources& room = free_[sm];
  return room.tbs >= 1 && room.warps >= need.warps && room.threads >= need.threads &&
         room.reg_units >= need.reg_units && room.smem_units >= need.smem_units;
}

unsigned Ledger::room_for(unsigned sm, const TbNeed& need) const {
  const SmResources& room = free_[sm];
  const auto within = [](std::uint64_t have, std::uint64_t each, std::uint64_t most) {
    return each == 0 ? most : std::min(most, have / each);
  };
  std::uint64_t tbs = room.tbs;
  tbs = within(room.warps, need.warps, tbs);
  tbs = within(room.threads, need.threads, tbs);
  tbs = within(room.reg_units, need.reg_units, tbs);
  return static_cast<unsigned>(within(room.smem_units, need.smem_units, tbs));
}

SmLoad Ledger::load(unsigned sm, Cycle now) const {
  const Placed& last = last_placed_[sm];
  const bool in_flight = last.cycle != kForever && last.cycle + 1 == now;
  SmLoad load;
  load.in_flight = in_flight;
  load.warps = static_cast<std::uint8_t>(capacity_.warps - free_[sm].warps - (in_flight ? last.warps : 0));
  load.tbs = static_cast<std::uint8_t>(capacity_.tbs - free_[sm].tbs - (in_flight ? 1 : 0));
  return load;
}

void Ledger::watch(unsigned entry, const TbNeed& need) {
  watched_.push_back(static_cast<std::uint16_t>(entry));
  need_[entry] = need;
  for (unsigned sm = 0; sm < sms(); ++sm) fit_[entry].set(sm, fits(sm, need));
}

void Ledger::unwatch(unsigned entry) {
  const auto found = std::find(watched_.begin(), watched_.end(), entry);
  if (found != watched_.end()) watched_.erase(found);
  fit_[entry].reset();
}

void Ledger::update(unsigned sm) {
  for (const std::uint16_t entry : watched_) fit_[entry].set(sm, fits(sm, need_[entry]));
}

void Ledger::debit(unsigned sm, unsigned entry, const TbNeed& need, Cycle now) {
  base::TickWall::check("the ledger");
  CASTOR_ASSERT_AT(now, fits(sm, need), "TB of entry %u placed on SM %u, which lacks the resources", entry, sm);
  SmResources& room = free_[sm];
  room.tbs -= 1;
  room.warps -= need.warps;
  room.threads -= need.threads;
  room.reg_units -= need.reg_units;
  room.smem_units -= need.smem_units;
  ++resident_[sm * entries_ + entry];
  ++resident_total_;
  ++changes_;
  last_placed_[sm] = {now, need.warps};
  update(sm);
}

void Ledger::credit(unsigned sm, unsigned entry, const TbNeed& need) {
  base::TickWall::check("the ledger");
  SmResources& room = free_[sm];
  room.tbs += 1;
  room.warps += need.warps;
  room.threads += need.threads;
  room.reg_units += need.reg_units;
  room.smem_units += need.smem_units;
  CASTOR_ASSERT(room.tbs <= capacity_.tbs && room.warps <= capacity_.warps && room.threads <= capacity_.threads &&
                    room.reg_units <= capacity_.reg_units && room.smem_units <= capacity_.smem_units &&
                    resident_[sm * entries_ + entry] > 0,
                "SM %u returned resources that were not allocated", sm);
  --resident_[sm * entries_ + entry];
  --resident_total_;
  ++changes_;
  update(sm);
}

}  // namespace castor::gpu
