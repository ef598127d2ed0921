#include "castor/gpu/front_end/copy_engine.h"

#include <algorithm>
#include <cstring>

#include "castor/base/error.h"

namespace castor::gpu {

CopyEngine::CopyEngine(const sc_core::sc_module_name& name, const Machine& machine, const Store& store, unsigned index,
                       Observer* observer, base::StatisticGroup& statistics)
    : sc_module(name),
      index_(index),
      line_(machine.l2.line),
      flit_(machine.xbar.flit_bytes),
      initiator_(machine.chip.sms + 1 + index),
      store_(store),
      observer_(observer),
      port_("memory", *this, machine.xbar.fifo_flits),
      plan_(machine),
      copies_(statistics, {"copies", "", "copies and fills completed"}),
      bytes_(statistics, {"copy_bytes", "bytes", "bytes that copies and fills wrote"}),
      busy_(statistics, {"copy_busy", "cycles", "cycles in which a copy or fill was active"}) {
  sleep_until(kForever);
}

void CopyEngine::submit(const CopyJob& job) {
  jobs_.push(job);
  wake_at(job.visible);
}

void CopyEngine::tick(Cycle now) {
  if (active_) take_replies(now);
  if (!active_) {
    if (const CopyJob* const job = jobs_.head(now)) {
      start(*job, now);
      jobs_.pop();
    }
  }
  if (active_) {
    send(now);
    if (plan_.peek() == nullptr && in_flight_ == 0 && writes_.empty()) finish(now);
  }
  sleep(now);
}

void CopyEngine::start(const CopyJob& job, Cycle now) {
  active_ = true;
  ticket_ = job.ticket;
  queue_ = job.queue;
  counted_ = now;
  blocked_ = false;
  plan_.start(job.packet, job.ticket, now);
  if (observer_ != nullptr) observer_->copy_started({now, index_, ticket_, plan_.bytes(), plan_.what()});
}

// --- Packets --------------------------------------------------------------------------------------------------------

void CopyEngine::send(Cycle now) {
  blocked_ = false;
  // Writes are sent before new pieces, because the data of each write occupies a transaction.
  if (!writes_.empty()) {
    blocked_ = !send_write(now);
  } else if (const CopyPlan::Piece* const piece = plan_.peek(); piece != nullptr && plan_.due() <= now) {
    blocked_ = !send_piece(*piece, now);
  }
}

void CopyEngine::launch(Transaction& transaction, std::uint64_t address, unsigned bytes, RequestKind kind) {
  MemoryRequest& request = transaction.request;
  const unsigned offset = static_cast<unsigned>(address % line_);
  const unsigned first = offset / kSectorBytes, last = (offset + bytes - 1) / kSectorBytes;
  request.kind = kind;
  request.client = Client::kCopy;
  request.initiator = static_cast<std::uint16_t>(initiator_);
  request.sectors = static_cast<std::uint8_t>((2U << last) - (1U << first));
  request.byte_mask[0] = request.byte_mask[1] = 0;
  if (kind == RequestKind::kStore) {
    for (unsigned i = offset; i < offset + bytes; ++i) request.byte_mask[i / 64] |= std::uint64_t{1} << i % 64;
  }
}

bool CopyEngine::send_piece(const CopyPlan::Piece& piece, Cycle now) {
  const CopyPlan::Mode mode = plan_.mode();
  const std::uint64_t address = mode == CopyPlan::Mode::kInside ? piece.source : piece.device;
  Transaction& transaction = pool_.get();
  MemoryRequest& request = transaction.request;
  launch(transaction, address, piece.bytes, plan_.reads() ? RequestKind::kLoad : RequestKind::kStore);
  const unsigned cost = flits(request.request_bytes(), flit_);
  if (!port_.can_send(cost, now)) {
    transaction.release();
    return false;
  }
  std::byte* const to = request.data + address % line_;
  if (mode == CopyPlan::Mode::kToDevice) {
    std::memcpy(to, piece.host, piece.bytes);
  } else if (mode == CopyPlan::Mode::kFill) {
    plan_.write_pattern(piece, to);
  }
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  request.tag = free_slots_.back();
  free_slots_.pop_back();
  slots_[request.tag] = {piece, plan_.reads()};
  request.issued = now;
  request.id = next_id_++;
  transaction.prepare(address - address % line_);
  plan_.take();
  ++in_flight_;
  port_.send(transaction, cost, now, now + 1);
  return true;
}

// Sends the write of a copy inside the device: the bytes read move to their new offset in the line.
bool CopyEngine::send_write(Cycle now) {
  Transaction& transaction = *writes_.front();
  MemoryRequest& request = transaction.request;
  InFlight& slot = slots_[request.tag];
  const CopyPlan::Piece& piece = slot.piece;
  const std::uint8_t read_sectors = request.sectors;
  launch(transaction, piece.device, piece.bytes, RequestKind::kStore);
  const unsigned cost = flits(request.request_bytes(), flit_);
  if (!port_.can_send(cost, now)) {
    request.sectors = read_sectors;
    return false;
  }
  std::memmove(request.data + piece.device % line_, request.data + piece.source % line_, piece.bytes);
  writes_.pop_front();
  slot.reading = false;
  request.issued = now;
  request.id = next_id_++;
  transaction.prepare(piece.device - piece.device % line_);
  ++in_flight_;
  port_.send(transaction, cost, now, now + 1);
  return true;
}

void CopyEngine::take_replies(Cycle now) {
  while (port_.reply(now) != nullptr) {
    Transaction& transaction = port_.take_reply(now);
    const std::uint32_t tag = transaction.request.tag;
    InFlight& slot = slots_[tag];
    --in_flight_;
    if (slot.reading && plan_.mode() == CopyPlan::Mode::kInside) {
      if (writes_.full()) writes_.set_capacity(writes_.capacity() * 2);
      writes_.push_back(&transaction);
      continue;
    }
    if (slot.reading) {
      std::memcpy(slot.piece.host, transaction.request.data + slot.piece.device % line_, slot.piece.bytes);
    }
    free_slots_.push_back(tag);
    transaction.release();
  }
}

void CopyEngine::finish(Cycle now) {
  count_until(now + 1);
  active_ = false;
  ++copies_;
  bytes_ += plan_.bytes();
  done_.push({now + 1, ticket_, queue_});
  if (front_end_ != nullptr) front_end_->wake_at(now + 1);
  if (observer_ != nullptr) observer_->copy_completed({now, index_, ticket_, plan_.bytes(), plan_.what()});
}

void CopyEngine::count_until(Cycle now) {
  if (!active_ || counted_ >= now) return;
  busy_ += now - counted_;
  counted_ = now;
}

void CopyEngine::sleep(Cycle now) {
  Cycle next = kForever;
  if (active_) {
    next = port_.next_reply();
    if (blocked_) {
      next = std::min(next, port_.next_credit());
    } else if (!writes_.empty()) {
      next = now + 1;
    } else if (plan_.peek() != nullptr) {
      next = std::min(next, plan_.due());
    }
  } else {
    next = jobs_.next();
  }
  sleep_until(next == kForever ? next : std::max(next, now + 1));
}

std::string CopyEngine::waiting() const {
  if (!active_) return {};
  return "copy engine " + std::to_string(index_) + ": ticket " + std::to_string(ticket_) + " at an address " +
         store_.describe(plan_.device()) + ", " + std::to_string(in_flight_) + " packets without reply, " +
         std::to_string(jobs_.size()) + " copies behind it\n";
}

}  // namespace castor::gpu
