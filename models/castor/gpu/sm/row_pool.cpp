#include "castor/gpu/sm/row_pool.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace castor::gpu {

RowPool::RowPool(const Machine& machine, WarpTable& warps, Scoreboard& scoreboard, Pipelines& pipelines,
                 EventWheel& wheel, SmMemory& memory, unsigned study_rows)
    : warps_(warps),
      scoreboard_(scoreboard),
      pipelines_(pipelines),
      wheel_(wheel),
      memory_(memory),
      rows_(machine.sm.registers / machine.sm.lanes),
      row_bytes_(std::size_t{machine.sm.lanes} * 4),
      used_(rows_),
      read_until_(rows_ + study_rows) {
  values_.assign_zero(size() * row_bytes_);
  for (auto& registers : lead_row_) registers.fill(kNone);
}

std::int16_t RowPool::take(unsigned count) {
  unsigned run = 0;
  for (unsigned row = rows_; row-- > 0;) {
    run = used_[row] ? 0 : run + 1;
    if (run < count) continue;
    std::fill_n(used_.begin() + row, count, true);
    return static_cast<std::int16_t>(row);
  }
  return kNone;
}

void RowPool::give_back(unsigned first, unsigned count) { std::fill_n(used_.begin() + first, count, false); }

void RowPool::start(unsigned w) {
  lead_row_[w].fill(kNone);
  warp_reads_until_[w] = 0;
}

void RowPool::load(unsigned w, unsigned reg, unsigned row) {
  std::memcpy(warps_.view(w).dst(static_cast<isa::OperandIndex>(reg)), value(row), row_bytes_);
}

bool RowPool::copy(unsigned w, unsigned reg, unsigned row, Tick tick) {
  if (scoreboard_.pending(w, reg) || reading(w, tick) || !pipelines_.copy(row, reg, w, tick)) return false;
  load(w, reg, row);
  return true;
}

void RowPool::read(unsigned w, const Decoded& decoded, const std::int16_t* rows, Tick last_operand, Tick tick) {
  for (unsigned i = 0; i < decoded.source_count; ++i) {
    if (rows[i] == kNone) continue;
    Tick& until = read_until_[static_cast<unsigned>(rows[i])];
    until = std::max(until, last_operand);
  }
  if (last_operand <= tick || last_operand <= warp_reads_until_[w]) return;
  warp_reads_until_[w] = last_operand;
  readers_ |= warp_bit(w);
  SmEvent event;  // wakes the SM in the tick in which the filter's oc_idle input changes
  event.kind = SmEvent::Kind::kFetchable;
  wheel_.add(tick, last_operand, event);
}

WarpMask RowPool::readers(Tick tick) {
  for (WarpMask left = readers_; left != 0; left &= left - 1) {
    if (!reading(lowest(left), tick)) readers_ &= ~warp_bit(lowest(left));
  }
  return readers_;
}

void RowPool::expect(unsigned w, const Decoded& decoded, unsigned base, Tick tick, Tick earliest,
                     MemoryOperation* operation) {
  Tick slots[2] = {base::kForever, base::kForever};
  for (unsigned i = 0; i < decoded.dst_count; ++i) {
    const unsigned reg = decoded.dst + i;
    const auto row = static_cast<unsigned>(lead_row_[w][reg]);
    slots[i] = pipelines_.reserve_row_write(row, earliest);
    scoreboard_.expect(w, reg);
    SmEvent told;
    told.kind = SmEvent::Kind::kRowWritten;
    told.warp = warps_[w].tb;
    told.first = static_cast<std::uint8_t>(row - base);
    if (slots[i] == tick) {
      tell(told);
    } else {
      wheel_.add(tick, slots[i], told);
    }
  }
  // Registers written in the same tick share an event. The data of a load are written with the first event.
  const Tick first = std::min(slots[0], slots[1]);
  for (const Tick slot : {first, std::max(slots[0], slots[1])}) {
    if (slot == base::kForever) break;
    SmEvent event;
    event.kind = SmEvent::Kind::kRowReady;
    event.warp = static_cast<std::uint8_t>(w);
    event.first = decoded.dst;
    event.registers = static_cast<std::uint16_t>((slots[0] == slot ? 1 : 0) | (slots[1] == slot ? 2 : 0));
    event.operation = slot == first ? operation : nullptr;
    wheel_.add(tick, slot + 1, event);
    if (slots[0] == slots[1]) break;
  }
}

void RowPool::store(unsigned w, const Decoded& decoded) {
  for (unsigned i = 0; i < decoded.dst_count; ++i) {
    const unsigned reg = decoded.dst + i;
    std::memcpy(place(static_cast<unsigned>(lead_row_[w][reg])),
                warps_.view(w).dst(static_cast<isa::OperandIndex>(reg)), row_bytes_);
  }
}

void RowPool::ready(const SmEvent& event, Tick tick, const Decoded* head) {
  const unsigned w = event.warp;
  if (event.operation != nullptr) {
    const std::uint32_t pc = SmMemory::instruction(*event.operation).pc;
    memory_.complete(*event.operation, warps_.view(w));
    store(w, warps_[w].decoded[pc]);
    scoreboard_.load_done(w);
  }
  for (unsigned left = event.registers; left != 0; left &= left - 1) {
    const unsigned reg = event.first + lowest(left);
    const std::int16_t row = std::exchange(lead_row_[w][reg], kNone);
    pipelines_.row_written(static_cast<unsigned>(row), tick - 1);
    scoreboard_.forget(w, reg);
  }
  scoreboard_.changed(w, head);
}

}  // namespace castor::gpu
