#include "castor/gpu/memory/l2_slice.h"

#include <algorithm>

#include "castor/gpu/memory/store_access.h"

namespace castor::gpu {
namespace {

std::uint8_t without(std::uint8_t sectors, unsigned others) { return static_cast<std::uint8_t>(sectors & ~others); }

/// Returns the sectors that must be valid before a request can be performed.
std::uint8_t needed(const MemoryRequest& request) {
  return request.is_write() ? partial_sectors(request) : request.sectors;
}

}  // namespace

L2Slice::L2Slice(const sc_core::sc_module_name& name, const Machine& machine, unsigned index, const Store& store,
                 base::StatisticGroup& parent)
    : sc_module(name),
      network("network", *this, machine.xbar.fifo_flits),
      memory("memory", *this, machine.dram.queue / (machine.l2.slices / machine.dram.channels)),
      map_(machine),
      latency_(machine.l2.latency),
      tags_(machine.l2.sets, machine.l2.ways),
      data_(store, machine.l2.line),
      fills_(machine.l2.mshrs, machine.l2.merges, tags_),
      pipe_(machine.l2.latency),
      group_(parent, "slice" + std::to_string(index)),
      traffic_(group_, machine.table.entries),
      reservation_fail_(group_, {"l2_reservation_fail", "cycles",
                                 "cycles in which the head of the pipe was stalled because a resource was missing"}),
      atomics_(machine, group_),
      replies_(machine, network),
      to_memory_(machine, memory, store, traffic_, group_),
      flush_(tags_, to_memory_),
      dirty_bytes_(group_, {"l2_dirty_bytes", "bytes", "dirty bytes that are not written to DRAM yet"},
                   [this] { return static_cast<double>(dirty_bytes()); }) {}

void L2Slice::tick(Cycle now) {
  stall_reason_ = StallReason::kNothing;
  fill_blocked_ = false;
  replies_.send_delayed(now);
  collect_replies(now);
  if (atomics_.free_at() <= now) {
    if (fill_waits(now)) {
      serve_fill(now);
    } else if (flush_.due(now)) {
      flush_.step(now);
    } else {
      serve_queue_head(now);
    }
  }
  accept(now);
  to_memory_.send(now);
  plan(now);
}

void L2Slice::count_until(Cycle now) {
  if (head_stuck_since_ >= now) return;
  reservation_fail_ += now - head_stuck_since_;
  head_stuck_since_ = now;
}

void L2Slice::collect_replies(Cycle now) {
  // Acknowledgements of write-backs are dropped. External memories may return the reads of one line out of order; such
  // reads are set aside until the older ones have returned.
  while (Transaction* const reply = memory.reply(now)) {
    if (!reply->request.is_write() && !fills_.set_aside(reply->request.tag)) return;
    memory.take_reply(now).release();
  }
}

void L2Slice::serve_fill(Cycle now) {
  const bool fresh = !fills_.serving();
  const std::uint32_t entry = fresh ? memory.reply(now)->request.tag : fills_.served();
  if (!replies_.can_reply(fills_.oldest_waiter(entry).request, now)) {
    fill_blocked_ = true;
    return;
  }
  if (fresh) {
    Transaction& read = memory.take_reply(now);
    to_memory_.check(read);
    read.release();
    fills_.begin(entry);
  }
  const std::size_t way = fills_.way(entry);
  perform_and_reply(fills_.serve(), way, now);
}

void L2Slice::serve_queue_head(Cycle now) {
  if (pipe_.empty() || pipe_.front().due > now) return;
  stall_reason_ = decide(*pipe_.front().transaction, pipe_.front().set, now);
  if (stall_reason_ != StallReason::kNothing) {
    head_stuck_since_ = std::min(head_stuck_since_, now);
    return;
  }
  if (head_stuck_since_ != kForever) reservation_fail_ += now - head_stuck_since_;
  head_stuck_since_ = kForever;
  pipe_.pop_front();
}

L2Slice::StallReason L2Slice::decide(Transaction& transaction, unsigned set, Cycle now) {
  const MemoryRequest& request = transaction.request;
  const std::uint8_t need = needed(request);
  const std::int32_t found = tags_.find(set, transaction.line());
  if (found >= 0) return decide_present(transaction, static_cast<std::size_t>(found), need, now);
  const std::int32_t victim = tags_.victim(set);
  if (victim < 0) return StallReason::kEntry;
  const auto way = static_cast<std::size_t>(victim);
  const std::uint8_t dirty = tags_.line(way).dirty;
  const unsigned places = (dirty != 0 ? 1 : 0) + (need != 0 ? 1 : 0);
  if (to_memory_.room() < places) return StallReason::kMissQueue;
  if (need != 0 && fills_.full()) return StallReason::kEntry;
  if (need == 0 && !replies_.can_reply(request, now)) return StallReason::kCredit;
  to_memory_.write_back(tags_.tag(way), dirty, request);
  tags_.place(way, transaction.line());
  if (need != 0) {
    fetch(transaction, way, need);
  } else {
    traffic_.hit(request);
    perform_and_reply(transaction, way, now);
  }
  return StallReason::kNothing;
}

L2Slice::StallReason L2Slice::decide_present(Transaction& transaction, std::size_t way, std::uint8_t need, Cycle now) {
  const TagArray::Line& line = tags_.line(way);
  if (line.first >= 0) return decide_in_flight(transaction, way, need);
  const std::uint8_t missing = without(need, line.valid);
  if (missing != 0) return miss(transaction, way, missing);
  if (!replies_.can_reply(transaction.request, now)) return StallReason::kCredit;
  tags_.touch(way);
  traffic_.hit(transaction.request);
  perform_and_reply(transaction, way, now);
  return StallReason::kNothing;
}

L2Slice::StallReason L2Slice::decide_in_flight(Transaction& transaction, std::size_t way, std::uint8_t need) {
  const TagArray::Line& line = tags_.line(way);
  const std::uint8_t missing = without(need, line.valid | line.pending);
  if (missing != 0) return miss(transaction, way, missing);
  if (!fills_.can_join(way)) return StallReason::kEntry;
  tags_.touch(way);
  fills_.join(transaction, way);
  traffic_.merged(transaction.request);
  return StallReason::kNothing;
}

/// Handles a request for sectors that are not valid in a present line.
L2Slice::StallReason L2Slice::miss(Transaction& transaction, std::size_t way, std::uint8_t sectors) {
  if (fills_.full()) return StallReason::kEntry;
  if (to_memory_.full()) return StallReason::kMissQueue;
  tags_.touch(way);
  fetch(transaction, way, sectors);
  return StallReason::kNothing;
}

void L2Slice::fetch(Transaction& transaction, std::size_t way, std::uint8_t sectors) {
  const std::uint32_t entry = fills_.open(transaction, way, sectors);
  to_memory_.read(transaction.line(), sectors, entry, transaction.request);
}

void L2Slice::accept(Cycle now) {
  if (pipe_.full() || network.request(now) == nullptr) return;
  Transaction& transaction = network.take_request(now);
  const unsigned set = map_.set(transaction.line());
  pipe_.push_back({&transaction, now + latency_, set});
  // Prefetches tags and data into the host's cache, because the model uses them when the request leaves the pipe.
  tags_.prefetch(set);
  data_.prefetch(transaction.line());
}

void L2Slice::flush(Cycle visible) {
  flush_.ask(visible);
  wake_at(visible);
}

void L2Slice::perform_and_reply(Transaction& transaction, std::size_t way, Cycle now) {
  MemoryRequest& request = transaction.request;
  TagArray::Line& line = tags_.line(way);
  data_.perform(transaction);
  request.performed = now;
  if (request.is_write()) {
    const std::uint8_t written = whole_sectors(request) | partial_sectors(request);
    line.valid |= written;
    line.dirty |= written;
  } else if (request.is_atomic()) {
    line.dirty |= request.sectors;
    const Cycle visible = atomics_.begin(request, now);
    if (visible > now + 1) return replies_.delay(transaction, visible);
  }
  replies_.reply(transaction, now);
}

void L2Slice::plan(Cycle now) {
  const Cycle free = std::max(atomics_.free_at(), now + 1);
  Cycle next = std::min(replies_.next(), to_memory_.next(now));
  if (!pipe_.full() && network.next_request() != kForever) {
    next = std::min(next, std::max(network.next_request(), now + 1));
  }
  if (memory.next_reply() > now) next = std::min(next, memory.next_reply());
  if (fill_blocked_) {
    next = std::min(next, replies_.next_credit());
  } else {
    if (fill_waits(now)) next = std::min(next, free);
    if (flush_.wanted()) next = std::min(next, std::max(flush_.from(), now + 1));
    if (!pipe_.empty()) {
      const Cycle due = pipe_.front().due;
      if (due > now || stall_reason_ == StallReason::kNothing) {
        next = std::min(next, std::max(due, free));
      } else if (stall_reason_ == StallReason::kCredit) {
        next = std::min(next, replies_.next_credit());
      } else if (stall_reason_ == StallReason::kMissQueue && to_memory_.sent()) {
        next = now + 1;
      }
      // If an MSHR or a way is missing, the arrival of a fill wakes the slice.
    }
  }
  sleep_until(next);
}

bool L2Slice::idle() const {
  return network.waiting() == 0 && pipe_.empty() && to_memory_.size() == 0 && replies_.delayed() == 0 &&
         fills_.in_use() == 0 && memory.outstanding() == 0 && !flush_.wanted();
}

std::uint64_t L2Slice::dirty_bytes() const {
  std::uint64_t bytes = 0;
  for (std::size_t way = 0; way < tags_.size(); ++way) {
    const auto sectors = static_cast<unsigned>(tags_.line(way).dirty);
    bytes += static_cast<unsigned>(__builtin_popcount(sectors)) * std::uint64_t{kSectorBytes};
  }
  return bytes;
}

std::size_t L2Slice::held() const { return network.waiting() + pipe_.size() + replies_.delayed() + fills_.waiting(); }

const TagArray::Line* L2Slice::line(std::uint64_t address) const {
  const std::int32_t way = tags_.find(map_.set(address), address);
  return way < 0 ? nullptr : &tags_.line(static_cast<std::size_t>(way));
}

std::string L2Slice::waiting() const {
  if (idle()) return {};
  std::string text = std::string(group_.name()) + ": " + std::to_string(network.waiting()) + " requests queued, " +
                     std::to_string(pipe_.size()) + " in the pipe, " + std::to_string(fills_.in_use()) +
                     " lines being fetched, " + std::to_string(memory.outstanding()) + " memory requests in flight";
  if (stall_reason_ == StallReason::kCredit || fill_blocked_) text += "; waits for the reply network";
  if (stall_reason_ == StallReason::kMissQueue) text += "; waits for a free entry of the miss queue";
  if (stall_reason_ == StallReason::kEntry) text += "; waits for a fill";
  return text;
}

}  // namespace castor::gpu
