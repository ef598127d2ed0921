#include "castor/gpu/replay/virtual_clocks.h"

#include <algorithm>
#include <limits>

#include "castor/base/error.h"

namespace castor::gpu {

VirtualClocks::VirtualClocks(const Machine& machine, const ReplayFile& file)
    : file_(file),
      mode_(machine.replay.rate),
      wake_always_(file.has_pulses()),
      units_(machine.chip.sms, nullptr),
      resident_(machine.chip.sms, 0) {
  const unsigned sms = machine.chip.sms;
  switch (mode_) {
    case ReplayRate::kNone:
      groups_.resize(1);
      break;
    case ReplayRate::kGpu:
      groups_.resize(1);
      groups_[0].w0 = file.w0(machine.replay.w0);
      break;
    case ReplayRate::kSm:
      groups_.resize(sms);
      for (unsigned sm = 0; sm < sms; ++sm) groups_[sm].w0 = file.w0(sm, machine.replay.w0);
      break;
    case ReplayRate::kTable:
      if (!file.has_rates()) {
        throw base::InputError({file.file(), 0, 0}, "the file has no table of rates, and replay.rate is table",
                               "add 'rates <kernel> ...' with its rows, or choose another replay.rate");
      }
      columns_ = static_cast<unsigned>(file.rates().columns.size());
      column_of_type_.assign(file.types().size(), columns_);
      for (unsigned i = 0; i < columns_; ++i) column_of_type_[file.rates().columns[i]] = i;
      groups_.resize(std::size_t{sms} * (columns_ + 1));
      counts_.assign(sms, std::vector<std::uint32_t>(columns_, 0));
      break;
  }
}

unsigned VirtualClocks::group(unsigned sm, unsigned type) const {
  switch (mode_) {
    case ReplayRate::kSm:
      return sm;
    case ReplayRate::kTable:
      return sm * (columns_ + 1) + column_of_type_[type];
    default:
      return 0;
  }
}

void VirtualClocks::fold(Group& group) {
  group.value += VirtualTime{group.rate} * (group.changed - group.base);
  group.base = group.changed;
  group.rate = group.next_rate;
}

void VirtualClocks::wake(unsigned group, Cycle now) {
  const auto one = [&](unsigned sm) {
    if (units_[sm] != nullptr && resident_[sm] != 0) units_[sm]->wake_at(now + 1);
  };
  if (mode_ == ReplayRate::kGpu) {
    for (unsigned sm = 0; sm < units_.size(); ++sm) one(sm);
  } else {
    one(mode_ == ReplayRate::kTable ? group / (columns_ + 1) : group);
  }
}

void VirtualClocks::set_rate(unsigned group, std::uint64_t rate, Cycle now) {
  Group& g = settled(group, now);
  CASTOR_ASSERT_AT(now, now > g.base, "a virtual clock goes back");
  const std::uint64_t before = g.changed > g.base ? g.next_rate : g.rate;
  if (rate == before) return;
  g.next_rate = rate;
  g.changed = now;
  // A slower clock needs no new wake-up: the SM's pending wake-up is only too early, which is harmless.
  if (rate > before || wake_always_) wake(group, now);
}

void VirtualClocks::change(unsigned sm, unsigned type, unsigned warps, bool in, Cycle now) {
  resident_[sm] += in ? 1U : ~0U;
  if (mode_ == ReplayRate::kNone) return;
  if (mode_ == ReplayRate::kTable) {
    const unsigned column = column_of_type_[type];
    if (column < columns_) counts_[sm][column] += in ? 1U : ~0U;
    return;
  }
  const unsigned which = group(sm, type);
  Group& g = groups_[which];
  g.warps = in ? g.warps + warps : g.warps - warps;
  set_rate(which, g.w0 == 0 || g.warps <= g.w0 ? kFullSpeed : (g.w0 << 32U) / g.warps, now);
}

bool VirtualClocks::commit(unsigned sm, Cycle now) {
  if (mode_ != ReplayRate::kTable) return true;
  const std::vector<std::uint32_t>& counts = counts_[sm];
  const bool empty = std::all_of(counts.begin(), counts.end(), [](std::uint32_t n) { return n == 0; });
  const ReplayRates::Row* const row = empty ? nullptr : file_.rates().find(counts);
  for (unsigned i = 0; i < columns_; ++i) {
    set_rate(sm * (columns_ + 1) + i, row == nullptr || counts[i] == 0 ? kFullSpeed : row->rates[i], now);
  }
  return empty || row != nullptr;
}

std::string VirtualClocks::missing(unsigned sm) const {
  std::string out =
      base::SourceLocation{file_.file(), file_.rates().line, 0}.text() + ": the table of rates has no row";
  for (unsigned i = 0; i < columns_; ++i) out += ' ' + std::to_string(counts_[sm][i]);
  out += " (TBs of";
  for (unsigned i = 0; i < columns_; ++i) out += ' ' + base::printable(file_.types()[file_.rates().columns[i]].name);
  return out + " on SM " + std::to_string(sm) + ")";
}

VirtualTime VirtualClocks::value(unsigned group, Cycle cycle, Cycle now) {
  const Group& g = settled(group, now);
  return g.value + VirtualTime{g.rate} * (cycle - g.base);
}

std::uint64_t VirtualClocks::rate(unsigned group, Cycle now) { return settled(group, now).rate; }

template <class Test>
bool VirtualClocks::any_group(unsigned sm, const Test& test) const {
  if (mode_ != ReplayRate::kTable) return test(groups_[mode_ == ReplayRate::kSm ? sm : 0]);
  const Group* const first = &groups_[sm * (columns_ + 1)];
  return std::any_of(first, first + columns_, test);
}

bool VirtualClocks::changes(unsigned sm, Cycle now) const {
  return any_group(sm, [now](const Group& g) { return g.changed == now && g.next_rate != g.rate; });
}

bool VirtualClocks::changed_since(unsigned sm, Cycle cycle) const {
  return any_group(sm, [cycle](const Group& g) { return g.changed >= cycle; });
}

Cycle VirtualClocks::reached(unsigned group, VirtualTime threshold, Cycle now) {
  const Group& g = settled(group, now);
  const VirtualTime at = g.value + VirtualTime{g.rate} * (now - g.base);
  if (at >= threshold) return now;
  const std::uint64_t rate = g.changed > g.base ? g.next_rate : g.rate;
  const VirtualTime left = threshold - at;
  if (rate == kFullSpeed) return now + static_cast<Cycle>((left + (kFullSpeed - 1)) >> 32U);
  return now + (left <= std::numeric_limits<std::uint64_t>::max() ? (static_cast<std::uint64_t>(left) - 1) / rate + 1
                                                                  : static_cast<Cycle>((left - 1) / rate) + 1);
}

}  // namespace castor::gpu
