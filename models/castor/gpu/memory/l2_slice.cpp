#include "castor/gpu/memory/l2_slice.h"

#include <algorithm>
#include <cstring>

#include "castor/base/error.h"
#include "castor/gpu/memory/store_access.h"

namespace castor::gpu {
namespace {

constexpr std::array<const char*, static_cast<std::size_t>(Client::kCount)> kClientNames = {
    "lsu", "bypass", "fetch", "constant", "swap", "launch", "front_end", "copy", "host"};

std::uint8_t without(std::uint8_t sectors, unsigned others) { return static_cast<std::uint8_t>(sectors & ~others); }

}  // namespace

struct L2Slice::ClientCounters {
  ClientCounters(base::StatisticGroup& parent, const char* name)
      : group(parent, name),
        hit(group, {"l2_hit", "", "requests performed at their decision"}),
        miss(group, {"l2_miss", "", "requests that opened an MSHR"}),
        merged(group, {"l2_merged", "", "requests that joined an MSHR"}),
        evict_dirty(group, {"l2_evict_dirty", "", "lines written back because of them"}),
        memory_bytes(group, {"memory_bytes", "bytes", "read from DRAM for them"}) {}

  base::StatisticGroup group;
  base::Counter hit, miss, merged, evict_dirty, memory_bytes;
};

L2Slice::L2Slice(const sc_core::sc_module_name& name, const Machine& machine, unsigned index, const Store& store,
                 base::StatisticGroup& parent)
    : sc_module(name),
      network("network", *this, machine.xbar.fifo_flits),
      memory("memory", *this, machine.dram.queue / (machine.l2.slices / machine.dram.channels)),
      store_(store),
      map_(machine),
      latency_(machine.l2.latency),
      line_bytes_(machine.l2.line),
      merges_(machine.l2.merges),
      flit_bytes_(machine.xbar.flit_bytes),
      atomic_latency_(machine.atomic.latency),
      words_per_cycle_(machine.atomic.words_per_cycle),
      tags_(machine.l2.sets, machine.l2.ways),
      entries_(machine.l2.mshrs),
      pipe_(machine.l2.latency),
      miss_queue_(machine.l2.miss_queue),
      delayed_(machine.atomic.latency +
               2),  // each keeps the slice busy for as long as it comes later than the one before
      group_(parent, "slice" + std::to_string(index)),
      read_hit_(group_, {"l2_read_hit", "", "loads and fetches performed at their decision"}),
      read_miss_(group_, {"l2_read_miss", "", "loads and fetches that opened an MSHR"}),
      write_hit_(group_, {"l2_write_hit", "", "stores performed at their decision"}),
      write_miss_(group_, {"l2_write_miss", "", "stores that opened an MSHR: sectors written in part"}),
      atomic_hit_(group_, {"l2_atomic_hit", "", "atomics performed at their decision"}),
      atomic_miss_(group_, {"l2_atomic_miss", "", "atomics that opened an MSHR"}),
      merged_(group_, {"l2_merged", "", "requests that joined an MSHR"}),
      evict_dirty_(group_, {"l2_evict_dirty", "", "lines written back"}),
      reservation_fail_(group_,
                        {"l2_reservation_fail", "cycles", "the head of the pipe stood still for lack of something"}),
      atomic_busy_(group_, {"atomic_busy", "cycles", "atomics kept the slice busy"}),
      fill_differs_(group_,
                    {"l2_fill_differs", "", "sectors that a memory with data of its own returned with other bytes"}),
      by_entry_(machine.table.entries) {
  for (std::size_t i = 0; i + 1 < entries_.size(); ++i) entries_[i].next = static_cast<std::int32_t>(i + 1);
  for (const char* client : kClientNames) by_client_.push_back(std::make_unique<ClientCounters>(group_, client));
}

L2Slice::~L2Slice() = default;

void L2Slice::tick(Cycle now) {
  head_lack_ = Lack::kNothing;
  fill_blocked_ = false;
  miss_sent_ = false;
  send_delayed(now);
  collect_replies(now);
  if (busy_until_ <= now) {
    if (fill_waits(now)) {
      serve_fill(now);
    } else if (flush_from_ <= now) {
      flush_step(now);
    } else {
      serve_head(now);
    }
  }
  accept(now);
  send_miss(now);
  plan(now);
}

void L2Slice::count_until(Cycle now) {
  if (head_stuck_since_ >= now) return;
  reservation_fail_ += now - head_stuck_since_;
  head_stuck_since_ = now;
}

void L2Slice::send_delayed(Cycle now) {
  while (!delayed_.empty() && delayed_.front().visible <= now + 1) {
    const Delayed& oldest = delayed_.front();
    delayed_cost_ -= oldest.cost;
    network.reply(*oldest.transaction, oldest.cost, now, oldest.visible);
    delayed_.pop_front();
  }
}

void L2Slice::collect_replies(Cycle now) {
  // Acknowledges of write-backs say nothing. Reads of one line may come back in another order from memories that are
  // not ours; they wait here for the older ones.
  while (Transaction* const reply = memory.reply(now)) {
    if (!reply->request.is_write()) {
      Entry& entry = entries_[reply->request.tag];
      if (tags_.line(entry.line).first == static_cast<std::int32_t>(reply->request.tag)) return;
      entry.filled = true;
    }
    memory.take_reply(now).release();
  }
}

void L2Slice::serve_fill(Cycle now) {
  const bool fresh = filling_ == kNone;
  const auto index = fresh ? static_cast<std::int32_t>(memory.reply(now)->request.tag) : filling_;
  Entry& entry = entries_[static_cast<std::size_t>(index)];
  Transaction& waiter = *entry.first;
  if (!can_reply(waiter.request, now)) {
    fill_blocked_ = true;
    return;
  }
  if (fresh) {
    Transaction& read = memory.take_reply(now);
    if (memory_keeps_data_) compare_fill(read);
    read.release();
    filling_ = index;
  }
  TagArray::Line& line = tags_.line(entry.line);
  line.valid |= entry.sectors;
  entry.first = waiter.request.next;
  --entry.count;
  perform_and_reply(waiter, static_cast<std::int32_t>(entry.line), now);
  if (entry.count == 0) finish_entry(index);
}

void L2Slice::compare_fill(const Transaction& read) {
  for (unsigned sectors = read.request.sectors; sectors != 0; sectors &= sectors - 1) {
    const std::size_t at = static_cast<unsigned>(__builtin_ctz(sectors)) * std::size_t{kSectorBytes};
    if (std::memcmp(read.request.data + at, store_.host(read.line()) + at, kSectorBytes) != 0) ++fill_differs_;
  }
}

void L2Slice::finish_entry(std::int32_t index) {
  Entry& entry = entries_[static_cast<std::size_t>(index)];
  TagArray::Line& line = tags_.line(entry.line);
  line.first = entry.next;
  filling_ = kNone;
  if (line.first == kNone) {
    line.last = kNone;
    line.pending = 0;
  } else if (entries_[static_cast<std::size_t>(line.first)].filled) {
    filling_ = line.first;
  }
  entry.next = free_entry_;
  free_entry_ = index;
  --entries_used_;
}

void L2Slice::serve_head(Cycle now) {
  if (pipe_.empty() || pipe_.front().due > now) return;
  head_lack_ = decide(*pipe_.front().transaction, pipe_.front().set, now);
  if (head_lack_ != Lack::kNothing) {
    head_stuck_since_ = std::min(head_stuck_since_, now);
    return;
  }
  if (head_stuck_since_ != kForever) reservation_fail_ += now - head_stuck_since_;
  head_stuck_since_ = kForever;
  pipe_.pop_front();
}

L2Slice::Lack L2Slice::decide(Transaction& transaction, unsigned set, Cycle now) {
  const MemoryRequest& request = transaction.request;
  const std::uint8_t need = needed(request);
  std::int32_t way = tags_.find(set, transaction.line());
  if (way >= 0) {
    const TagArray::Line& line = tags_.line(static_cast<std::size_t>(way));
    if (line.first != kNone) return decide_in_flight(transaction, way, need);
    const std::uint8_t missing = without(need, line.valid);
    if (missing == 0) {
      if (!can_reply(request, now)) return Lack::kCredit;
      tags_.touch(static_cast<std::size_t>(way));
      count(request, Event::kHit);
      perform_and_reply(transaction, way, now);
      return Lack::kNothing;
    }
    if (free_entry_ == kNone) return Lack::kEntry;
    if (miss_queue_.full()) return Lack::kMissQueue;
    tags_.touch(static_cast<std::size_t>(way));
    open_entry(transaction, way, missing);
    return Lack::kNothing;
  }
  way = tags_.victim(set);
  if (way < 0) return Lack::kEntry;
  const unsigned places = (tags_.line(static_cast<std::size_t>(way)).dirty != 0 ? 1 : 0) + (need != 0 ? 1 : 0);
  if (miss_queue_.reserve() < places) return Lack::kMissQueue;
  if (need != 0 && free_entry_ == kNone) return Lack::kEntry;
  if (need == 0 && !can_reply(request, now)) return Lack::kCredit;
  write_back(static_cast<std::size_t>(way), request);
  tags_.place(static_cast<std::size_t>(way), transaction.line());
  if (need != 0) {
    open_entry(transaction, way, need);
  } else {
    count(request, Event::kHit);
    perform_and_reply(transaction, way, now);
  }
  return Lack::kNothing;
}

L2Slice::Lack L2Slice::decide_in_flight(Transaction& transaction, std::int32_t way, std::uint8_t need) {
  MemoryRequest& request = transaction.request;
  TagArray::Line& line = tags_.line(static_cast<std::size_t>(way));
  const std::uint8_t missing = without(need, line.valid | line.pending);
  if (missing != 0) {
    if (free_entry_ == kNone) return Lack::kEntry;
    if (miss_queue_.full()) return Lack::kMissQueue;
    tags_.touch(static_cast<std::size_t>(way));
    open_entry(transaction, way, missing);
    return Lack::kNothing;
  }
  Entry& entry = entries_[static_cast<std::size_t>(line.last)];
  if (entry.count >= merges_) return Lack::kEntry;
  tags_.touch(static_cast<std::size_t>(way));
  request.next = nullptr;
  request.missed = true;
  entry.last->request.next = &transaction;
  entry.last = &transaction;
  ++entry.count;
  if (request.is_write()) line.pending |= whole_sectors(request);
  count(request, Event::kMerged);
  return Lack::kNothing;
}

void L2Slice::open_entry(Transaction& transaction, std::int32_t way, std::uint8_t sectors) {
  MemoryRequest& request = transaction.request;
  const std::int32_t index = free_entry_;
  Entry& entry = entries_[static_cast<std::size_t>(index)];
  free_entry_ = entry.next;
  ++entries_used_;
  request.next = nullptr;
  request.missed = true;
  entry = {&transaction, &transaction, 1, static_cast<std::uint32_t>(way), kNone, sectors, false};
  TagArray::Line& line = tags_.line(static_cast<std::size_t>(way));
  if (line.first == kNone) {
    line.first = index;
  } else {
    entries_[static_cast<std::size_t>(line.last)].next = index;
  }
  line.last = index;
  line.pending |= sectors;
  if (request.is_write()) line.pending |= whole_sectors(request);
  Transaction& read = memory_request(RequestKind::kLoad, transaction.line(), sectors, request);
  read.request.tag = static_cast<std::uint32_t>(index);
  miss_queue_.push_back(&read);
  count(request, Event::kMiss);
  by_client_[static_cast<std::size_t>(request.client)]->memory_bytes += read.request.reply_bytes();
}

void L2Slice::write_back(std::size_t way, const MemoryRequest& cause) {
  const TagArray::Line& line = tags_.line(way);
  if (line.dirty == 0) return;
  Transaction& write = memory_request(RequestKind::kStore, tags_.tag(way), line.dirty, cause);
  MemoryRequest& request = write.request;
  for (unsigned sector = 0; sector < kMaxLineBytes / kSectorBytes; ++sector) {
    if ((line.dirty >> sector & 1) != 0) request.byte_mask[sector / 2] |= std::uint64_t{0xffffffff} << sector % 2 * 32;
  }
  // The line has not been touched since it became a victim, so these are the bytes it leaves with.
  if (memory_keeps_data_) std::memcpy(request.data, store_.host(write.line()), line_bytes_);
  miss_queue_.push_back(&write);
  ++evict_dirty_;
  ++by_client_[static_cast<std::size_t>(cause.client)]->evict_dirty;
  if (cause.entry < by_entry_.size()) ++by_entry_[cause.entry].evictions;
}

Transaction& L2Slice::memory_request(RequestKind kind, std::uint64_t line, std::uint8_t sectors,
                                     const MemoryRequest& cause) {
  Transaction& transaction = pool_.get();
  MemoryRequest& request = transaction.request;
  request.kind = kind;
  request.client = cause.client;
  request.initiator = cause.initiator;
  request.entry = cause.entry;
  request.sectors = sectors;
  transaction.prepare(line);
  return transaction;
}

void L2Slice::accept(Cycle now) {
  if (pipe_.full() || network.request(now) == nullptr) return;
  Transaction& transaction = network.take_request(now);
  const unsigned set = map_.set(transaction.line());
  pipe_.push_back({&transaction, now + latency_, set});
  // The host has not seen either for long, and has the time of the pipe to bring them near.
  tags_.prefetch(set);
  store_.prefetch(transaction.line(), line_bytes_);
}

void L2Slice::send_miss(Cycle now) {
  if (miss_queue_.empty() || !memory.can_send(1, now)) return;
  memory.send(*miss_queue_.front(), 1, now, now + 1);
  miss_queue_.pop_front();
  miss_sent_ = true;
}

void L2Slice::flush(Cycle visible) {
  flush_from_ = visible;
  flush_next_ = 0;
  wake_at(visible);
}

void L2Slice::flush_step(Cycle now) {
  MemoryRequest nobody{};
  nobody.client = Client::kFrontEnd;
  for (; flush_next_ < tags_.size(); ++flush_next_) {
    if (tags_.tag(flush_next_) == TagArray::kNoLine || tags_.line(flush_next_).first != kNone) continue;
    const bool dirty = tags_.line(flush_next_).dirty != 0;
    if (dirty && miss_queue_.full()) return;
    write_back(flush_next_, nobody);
    tags_.remove(flush_next_);
    if (dirty) {
      ++flush_next_;
      return;
    }
  }
  flush_from_ = kForever;
  flushed_before_ = now + 1;
}

bool L2Slice::can_reply(const MemoryRequest& request, Cycle now) {
  return network.can_reply(flits(request.reply_bytes(), flit_bytes_) + delayed_cost_, now);
}

void L2Slice::perform_watched(Transaction& transaction) {
  std::array<std::byte, kMaxLineBytes> before;
  const std::byte* const bytes = store_.host(transaction.line());
  std::memcpy(before.data(), bytes, line_bytes_);
  perform(store_, transaction.line(), transaction.request);
  if (std::memcmp(before.data(), bytes, line_bytes_) != 0) watching_ = false;
}

void L2Slice::perform_and_reply(Transaction& transaction, std::int32_t way, Cycle now) {
  MemoryRequest& request = transaction.request;
  TagArray::Line& line = tags_.line(static_cast<std::size_t>(way));
  if (watching_ && (request.is_write() || request.is_atomic())) {
    perform_watched(transaction);
  } else {
    perform(store_, transaction.line(), request);
  }
  request.performed = now;
  const std::uint32_t cost = flits(request.reply_bytes(), flit_bytes_);
  if (request.is_write()) {
    const std::uint8_t written = whole_sectors(request) | partial_sectors(request);
    line.valid |= written;
    line.dirty |= written;
  } else if (request.is_atomic()) {
    line.dirty |= request.sectors;
    const unsigned cycles = atomic_cycles(request, words_per_cycle_);
    busy_until_ = now + cycles;
    atomic_busy_ += cycles;
    if (cycles + atomic_latency_ > 1) {
      delayed_.push_back({&transaction, now + cycles + atomic_latency_, cost});
      delayed_cost_ += cost;
      return;
    }
  }
  network.reply(transaction, cost, now, now + 1);
}

std::uint8_t L2Slice::needed(const MemoryRequest& request) {
  return request.is_write() ? partial_sectors(request) : request.sectors;
}

void L2Slice::count(const MemoryRequest& request, Event event) {
  ClientCounters& client = *by_client_[static_cast<std::size_t>(request.client)];
  Traffic nowhere;
  Traffic& entry = request.entry < by_entry_.size() ? by_entry_[request.entry] : nowhere;
  switch (event) {
    case Event::kHit:
      ++(request.is_write() ? write_hit_ : request.is_atomic() ? atomic_hit_ : read_hit_);
      ++client.hit;
      ++entry.hits;
      break;
    case Event::kMiss:
      ++(request.is_write() ? write_miss_ : request.is_atomic() ? atomic_miss_ : read_miss_);
      ++client.miss;
      ++entry.misses;
      break;
    case Event::kMerged:
      ++merged_;
      ++client.merged;
      ++entry.merged;
      break;
  }
}

void L2Slice::plan(Cycle now) {
  Cycle next = kForever;
  const Cycle free = std::max(busy_until_, now + 1);
  if (!delayed_.empty()) next = std::min(next, delayed_.front().visible - 1);
  if (!miss_queue_.empty()) next = std::min(next, miss_sent_ ? now + 1 : memory.next_credit());
  if (!pipe_.full() && network.next_request() != kForever) {
    next = std::min(next, std::max(network.next_request(), now + 1));
  }
  if (memory.next_reply() > now) next = std::min(next, memory.next_reply());
  if (fill_blocked_) {
    next = std::min(next, network.next_credit());
  } else {
    if (fill_waits(now)) next = std::min(next, free);
    if (flush_from_ != kForever) next = std::min(next, std::max(flush_from_, now + 1));
    if (!pipe_.empty()) {
      const Cycle due = pipe_.front().due;
      if (due > now || head_lack_ == Lack::kNothing) {
        next = std::min(next, std::max(due, free));
      } else if (head_lack_ == Lack::kCredit) {
        next = std::min(next, network.next_credit());
      } else if (head_lack_ == Lack::kMissQueue && miss_sent_) {
        next = now + 1;
      }
      // A missing entry or way comes with a fill.
    }
  }
  sleep_until(next);
}

bool L2Slice::idle() const {
  return network.waiting() == 0 && pipe_.empty() && miss_queue_.empty() && delayed_.empty() && entries_used_ == 0 &&
         memory.outstanding() == 0 && flush_from_ == kForever;
}

std::size_t L2Slice::held() const {
  std::size_t count = network.waiting() + pipe_.size() + delayed_.size();
  for (std::size_t i = 0; i < tags_.size(); ++i) {
    for (std::int32_t e = tags_.line(i).first; e != kNone; e = entries_[static_cast<std::size_t>(e)].next) {
      count += entries_[static_cast<std::size_t>(e)].count;
    }
  }
  return count;
}

const TagArray::Line* L2Slice::line(std::uint64_t address) const {
  const std::int32_t way = tags_.find(map_.set(address), address);
  return way < 0 ? nullptr : &tags_.line(static_cast<std::size_t>(way));
}

std::string L2Slice::waiting() const {
  if (idle()) return {};
  std::string text = std::string(group_.name()) + ": " + std::to_string(network.waiting()) + " requests queued, " +
                     std::to_string(pipe_.size()) + " in the pipe, " + std::to_string(entries_used_) +
                     " lines being fetched, " + std::to_string(memory.outstanding()) + " memory requests under way";
  if (head_lack_ == Lack::kCredit || fill_blocked_) text += "; waits for the reply network";
  if (head_lack_ == Lack::kMissQueue) text += "; waits for room in the miss queue";
  if (head_lack_ == Lack::kEntry) text += "; waits for a fill";
  return text;
}

}  // namespace castor::gpu
