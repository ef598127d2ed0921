#include "castor/gpu/memory/dram_channel.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "castor/base/error.h"

namespace castor::gpu {
namespace {

// Sets `from` to at least `clock`.
void raise(std::uint64_t& from, std::uint64_t clock) { from = std::max(from, clock); }

}  // namespace

DramClock::DramClock(const Machine& machine)
    : core_(base::kilohertz(machine.clock.core_mhz)), dram_(base::kilohertz(machine.clock.dram_mhz)) {
  const std::uint64_t common = std::gcd(core_, dram_);
  core_ /= common;
  dram_ /= common;
  narrow_ = (~std::uint64_t{0} - dram_) / std::max(core_, dram_);
}

DramChannel::DramChannel(const sc_core::sc_module_name& name, const Machine& machine, unsigned index,
                         base::StatisticGroup& parent)
    : sc_module(name),
      map_(machine),
      clock_(machine),
      timing_(machine.dram),
      atom_sectors_(machine.dram.atom / kSectorBytes),
      times_(machine),
      slots_(machine.dram.queue),
      banks_(machine.dram.banks),
      candidates_(machine.dram.banks),
      busy_banks_((machine.dram.banks + 63) / 64),
      refresh_due_(machine.dram.trefi != 0 ? machine.dram.trefi : kNever),
      group_(parent, "channel" + std::to_string(index)),
      n_read_(group_, {"dram_n_read", "", "column reads"}),
      n_write_(group_, {"dram_n_write", "", "column writes"}),
      n_activity_(group_, {"dram_n_activity", "clocks", "DRAM clocks with a pending request"}),
      row_hit_(group_, {"dram_row_hit", "", "requests whose row was open, or was opened for an older request"}),
      row_miss_(group_, {"dram_row_miss", "", "requests for which a row was opened"}),
      bytes_(group_, {"dram_bytes", "bytes", "bytes transferred"}),
      refreshes_(group_, {"dram_refreshes", "", "refreshes of all banks"}),
      efficiency_(group_, {"dram_efficiency", "", "(n_read + n_write) x burst / n_activity"}, [this] {
        const auto busy = static_cast<double>(n_activity_.value());
        return busy == 0 ? 0 : static_cast<double>((n_read_.value() + n_write_.value()) * times_.burst()) / busy;
      }) {
  for (std::size_t i = 0; i + 1 < slots_.size(); ++i) slots_[i].next = static_cast<std::int32_t>(i + 1);
  for (unsigned b = 0; b < banks_.size(); ++b) banks_[b].group = b % machine.dram.groups;
  for (unsigned s = 0; s < map_.slices_per_channel(); ++s) {
    slices_.push_back(
        std::make_unique<TargetPort>(("slice" + std::to_string(s)).c_str(), *this, machine.dram.return_queue));
  }
}

void DramChannel::tick(Cycle now) {
  take_requests(now);
  reads_out_ = reads_started_;
  for (const auto& port : slices_) reads_out_ += port->unreturned(now);
  if (choice_held_reads_ != (reads_out_ >= timing_.return_queue)) choice_known_ = false;
  const std::uint64_t end = clock_.first(now + 1);
  const std::uint64_t begin = clock_.first(now);
  Cycle next = kForever;
  while (queued_ != 0) {
    // A command chosen for a later clock stays the choice until the next command of some bank changes.
    if (!choice_known_) choice_ = next_command(std::max(free_from_, begin));
    choice_known_ = true;
    choice_held_reads_ = reads_out_ >= timing_.return_queue;
    const Choice choice = choice_;
    if (choice.clock == kNever) break;
    if (refresh_due_ <= choice.clock) {
      const std::uint64_t clock = refresh_clock();
      if (clock >= end) {
        next = clock_.cycle_of(clock);
        break;
      }
      refresh(clock);
      continue;
    }
    if (choice.clock >= end) {
      next = clock_.cycle_of(choice.clock);
      break;
    }
    issue(choice, now);
  }
  if (queued_ != 0 && reads_out_ >= timing_.return_queue) next = std::min(next, next_return(now));
  for (const auto& port : slices_) next = std::min(next, port->next_request());
  sleep_until(next);
}

void DramChannel::count_until(Cycle now) {
  if (queued_ == 0) return;
  const std::uint64_t clock = clock_.first(now);
  if (clock <= active_since_) return;
  n_activity_ += clock - active_since_;
  active_since_ = clock;
}

void DramChannel::take_requests(Cycle now) {
  for (unsigned s = 0; s < slices_.size(); ++s) {
    while (slices_[s]->request(now) != nullptr) {
      if (queued_ == 0) active_since_ = clock_.first(now);
      enqueue(slices_[s]->accept_request(now), s);
    }
  }
}

void DramChannel::enqueue(Transaction& transaction, unsigned slice) {
  const MemoryRequest& request = transaction.request;
  const AddressMap::DramPlace place = map_.dram(map_.channel_address(transaction.line()));
  const std::int32_t index = free_slot_;
  CASTOR_ASSERT(index != kNone && request.sectors != 0, "a request for a DRAM queue that is full");
  Slot& slot = slots_[static_cast<std::size_t>(index)];
  free_slot_ = slot.next;
  slot = {};
  slot.transaction = &transaction;
  slot.arrival = arrivals_++;
  slot.row = place.row;
  slot.column = place.column;
  slot.bank = static_cast<std::uint16_t>(place.bank);
  slot.slice = static_cast<std::uint16_t>(slice);
  slot.write = request.is_write();
  for (unsigned sectors = request.sectors; sectors != 0; sectors &= sectors - 1) {
    slot.atoms |= static_cast<std::uint8_t>(1U << static_cast<unsigned>(__builtin_ctz(sectors)) / atom_sectors_);
  }
  Bank& bank = banks_[place.bank];
  slot.previous = bank.last;
  if (bank.last == kNone) {
    bank.first = index;
    busy_banks_[place.bank / 64] |= std::uint64_t{1} << place.bank % 64;
  } else {
    slots_[static_cast<std::size_t>(bank.last)].next = index;
  }
  bank.last = index;
  // The new request is the youngest. It becomes the bank's candidate only if it is the bank's first request or its only
  // row hit.
  if (bank.candidate == kNone || (!is_hit(bank) && bank.open && bank.row == slot.row)) {
    bank.candidate = index;
    update_want(place.bank);
  }
  ++queued_;
}

bool DramChannel::is_hit(const Bank& bank) const {
  return bank.open && slots_[static_cast<std::size_t>(bank.candidate)].row == bank.row;
}

void DramChannel::choose_candidate(unsigned number) {
  Bank& bank = banks_[number];
  bank.candidate = bank.first;
  if (bank.open) {
    for (std::int32_t i = bank.first; i != kNone; i = slots_[static_cast<std::size_t>(i)].next) {
      if (slots_[static_cast<std::size_t>(i)].row == bank.row) {
        bank.candidate = i;
        break;
      }
    }
  }
  update_want(number);
}

void DramChannel::update_want(unsigned number) {
  choice_known_ = false;
  const Bank& bank = banks_[number];
  if (bank.candidate == kNone) return;
  const Slot& slot = slots_[static_cast<std::size_t>(bank.candidate)];
  Candidate& want = candidates_[number];
  want.slot = bank.candidate;
  want.arrival = slot.arrival;
  want.group = static_cast<std::uint8_t>(bank.group);
  if (!bank.open) {
    want.wish = Wish::kActivate;
    want.from = bank.activate_from;
  } else if (slot.row != bank.row) {
    want.wish = Wish::kPrecharge;
    want.from = bank.precharge_from;
  } else {
    want.wish = slot.write ? Wish::kWrite : slot.started ? Wish::kRead : Wish::kHeldRead;
    want.from = bank.column_from;
  }
}

std::uint64_t DramChannel::legal_from(const Candidate& want) const {
  switch (want.wish) {
    case Wish::kActivate:
      return std::max(want.from, times_.activate_from());
    case Wish::kPrecharge:
      return want.from;
    case Wish::kWrite:
      return std::max(want.from, times_.column_from(true, want.group));
    case Wish::kHeldRead:
      if (reads_out_ >= timing_.return_queue) return kNever;
      [[fallthrough]];
    case Wish::kRead:
      break;
  }
  return std::max(want.from, times_.column_from(false, want.group));
}

DramChannel::Choice DramChannel::next_command(std::uint64_t clock) const {
  Choice best;
  bool best_column = false;
  std::uint64_t best_arrival = 0;
  for (std::size_t word = 0; word < busy_banks_.size(); ++word) {
    for (std::uint64_t bits = busy_banks_[word]; bits != 0; bits &= bits - 1) {
      const Candidate& want = candidates_[word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits))];
      const std::uint64_t from = legal_from(want);
      if (from == kNever) continue;
      const std::uint64_t at = std::max(from, clock);
      if (at > best.clock) continue;
      const bool column = want.wish != Wish::kActivate && want.wish != Wish::kPrecharge;
      if (at == best.clock && (column != best_column ? best_column : best_arrival < want.arrival)) continue;
      best = {at, want.slot};
      best_column = column;
      best_arrival = want.arrival;
    }
  }
  return best;
}

void DramChannel::issue(const Choice& choice, Cycle now) {
  Slot& slot = slots_[static_cast<std::size_t>(choice.slot)];
  Bank& bank = banks_[slot.bank];
  const std::uint64_t clock = choice.clock;
  free_from_ = clock + 1;
  choice_known_ = false;
  if (is_hit(bank)) {
    issue_column(choice.slot, bank, clock, now);
    return;
  }
  if (bank.open) {
    tell(DramCommand::Kind::kPrecharge, clock, slot, 0);
    bank.open = false;
    raise(bank.activate_from, clock + timing_.rp);
  } else {
    tell(DramCommand::Kind::kActivate, clock, slot, 0);
    bank.open = true;
    bank.row = slot.row;
    bank.column_from = clock + timing_.rcd;
    bank.precharge_from = clock + timing_.ras;
    bank.activate_from = clock + timing_.rc;
    times_.activate(clock);
    slot.row_miss = true;
  }
  choose_candidate(slot.bank);
}

void DramChannel::issue_column(std::int32_t index, Bank& bank, std::uint64_t clock, Cycle now) {
  Slot& slot = slots_[static_cast<std::size_t>(index)];
  const auto atom = static_cast<unsigned>(__builtin_ctz(slot.atoms));
  slot.atoms &= static_cast<std::uint8_t>(slot.atoms - 1);
  times_.column(slot.write, bank.group, clock);
  if (slot.write) {
    raise(bank.precharge_from, clock + timing_.wl + times_.burst() + timing_.wr);
    ++n_write_;
  } else {
    raise(bank.precharge_from, clock + timing_.rtpl);
    ++n_read_;
  }
  bytes_ += timing_.atom;
  tell(slot.write ? DramCommand::Kind::kWrite : DramCommand::Kind::kRead, clock, slot,
       slot.column + atom * timing_.atom);
  if (!slot.started) {
    slot.started = true;
    ++(slot.row_miss ? row_miss_ : row_hit_);
    if (!slot.write) {
      ++reads_started_;
      ++reads_out_;
    }
  }
  if (slot.atoms == 0) {
    finish(index, bank, clock, now);
  } else {
    update_want(slot.bank);
  }
}

void DramChannel::finish(std::int32_t index, Bank& bank, std::uint64_t clock, Cycle now) {
  Slot& slot = slots_[static_cast<std::size_t>(index)];
  (slot.previous == kNone ? bank.first : slots_[static_cast<std::size_t>(slot.previous)].next) = slot.next;
  (slot.next == kNone ? bank.last : slots_[static_cast<std::size_t>(slot.next)].previous) = slot.previous;
  if (bank.first == kNone) {
    bank.candidate = kNone;
    busy_banks_[slot.bank / 64] &= ~(std::uint64_t{1} << slot.bank % 64);
  } else {
    choose_candidate(slot.bank);
  }
  // All replies are timed by the same formula, so they leave in the order of their last column commands. An
  // acknowledgement of a write takes no slot of the return queue.
  TargetPort& port = *slices_[slot.slice];
  port.release(*slot.transaction, now);
  port.reply(*slot.transaction, slot.write ? 0 : 1, now,
             clock_.cycle_of(clock + timing_.cl + times_.burst()) + 1 + timing_.extra_latency);
  if (!slot.write) --reads_started_;
  slot.next = free_slot_;
  free_slot_ = index;
  if (--queued_ == 0 && clock + 1 > active_since_) n_activity_ += clock + 1 - active_since_;
}

std::uint64_t DramChannel::refresh_clock() const {
  std::uint64_t clock = std::max(refresh_due_, free_from_);
  for (const Bank& bank : banks_) {
    if (bank.open) raise(clock, bank.precharge_from);
  }
  return clock;
}

void DramChannel::refresh(std::uint64_t clock) {
  Slot all;
  all.arrival = arrivals_;
  tell(DramCommand::Kind::kRefresh, clock, all, 0);
  ++refreshes_;
  free_from_ = clock + 1;
  choice_known_ = false;
  refresh_due_ += timing_.trefi;
  const std::uint64_t over = clock + timing_.rp + (timing_.rfc != 0 ? timing_.rfc : timing_.rc);
  for (unsigned b = 0; b < banks_.size(); ++b) {
    banks_[b].open = false;
    raise(banks_[b].activate_from, over);
    choose_candidate(b);
  }
}

Cycle DramChannel::next_return(Cycle now) {
  Cycle next = kForever;
  for (const auto& port : slices_) {
    // Asks the port for all credits. The refused query makes the port wake this unit when the next credit returns.
    if (!port->can_reply(port->credits().depth(), now)) next = std::min(next, port->next_credit());
  }
  return next;
}

unsigned DramChannel::queued(unsigned slice) const {
  auto count = static_cast<unsigned>(slices_[slice]->waiting());
  for (const Bank& bank : banks_) {
    for (std::int32_t i = bank.first; i != kNone; i = slots_[static_cast<std::size_t>(i)].next) {
      count += slots_[static_cast<std::size_t>(i)].slice == slice ? 1 : 0;
    }
  }
  return count;
}

bool DramChannel::idle() const {
  if (queued_ != 0) return false;
  return std::all_of(slices_.begin(), slices_.end(), [](const auto& port) { return port->waiting() == 0; });
}

std::string DramChannel::waiting() const {
  if (idle()) return {};
  std::string text = group_.name() + ": " + std::to_string(queued_) + " requests queued";
  if (reads_out_ >= timing_.return_queue) text += ", return queue full";
  return text;
}

void DramChannel::tell(DramCommand::Kind kind, std::uint64_t clock, const Slot& slot, unsigned column) const {
  if (!on_command) return;
  on_command({kind, clock, slot.bank, slot.row, column, slot.arrival});
}

}  // namespace castor::gpu
