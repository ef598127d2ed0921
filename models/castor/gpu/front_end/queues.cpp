#include "castor/gpu/front_end/queues.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "castor/base/error.h"

namespace castor::gpu {
namespace {

constexpr std::uint64_t kSlotBytes = sizeof(PacketImage);

}  // namespace

Queues::Queues(const Machine& machine, Store& store)
    : store_(store),
      depth_(machine.queue.depth),
      queues_(machine.queue.count),
      inspected_(machine.inspect != Inspect::kOff) {
  coming_.reserve(queues_.size());
}

// Allocates the rings. A ring has one slot more than the queue's depth, because a packet leaves the FIFO when its
// parsing starts, and its image is still read afterwards. The last line of each queue's part holds the completion word.
void Queues::allocate_rings() {
  const std::uint64_t bytes = queues_.size() * (depth_ + 2) * kSlotBytes;
  if (rings_ != 0 && store_.contains(rings_, bytes)) return;
  const auto address = store_.allocate(bytes, AllocationKind::kQueues, "queues");
  if (!address) throw base::InputError("no device memory left for the queues: " + std::to_string(bytes) + " bytes");
  rings_ = *address;
  store_.set_read_only(rings_, true);
}

std::uint64_t Queues::completion_word(unsigned queue) const {
  return rings_ + (queue * (std::uint64_t{depth_} + 2) + depth_ + 1) * kSlotBytes;
}

void Queues::push(unsigned queue, Ticket ticket, Packet packet, Cycle visible, const PacketImage& image) {
  allocate_rings();
  Queue& target = queues_[queue];
  CASTOR_ASSERT(!full(queue), "packet pushed into full queue %u", queue);
  CASTOR_ASSERT(target.packets.empty() || target.packets.back().visible <= visible,
                "packets of queue %u change their order", queue);
  QueuedPacket queued{ticket, std::move(packet), visible, 0};
  queued.image = rings_ + (queue * (std::uint64_t{depth_} + 2) + target.slot) * kSlotBytes;
  target.slot = (target.slot + 1) % (depth_ + 1);
  std::memcpy(store_.host(queued.image), image.data(), image.size());
  target.packets.push_back(std::move(queued));
  if (target.state == QueueState::kEmpty) schedule(queue, visible);
}

void Queues::schedule(unsigned queue, Cycle cycle) {
  Queue& target = queues_[queue];
  target.state = QueueState::kReady;
  target.ready_from = cycle;
  if (!target.coming) coming_.push_back(static_cast<std::uint16_t>(queue));
  target.coming = true;
}

QueueMask& Queues::mask_of(const Packet& packet) {
  const PacketKind kind = packet_kind(packet);
  if (kind == PacketKind::kKernel) return kernels_;
  return kind == PacketKind::kJob && inspected_ ? jobs_ : others_;
}

void Queues::advance(Cycle now) {
  for (std::size_t i = 0; i < coming_.size();) {
    const unsigned index = coming_[i];
    Queue& queue = queues_[index];
    if (queue.ready_from >= now) {
      ++i;
      continue;
    }
    mask_of(queue.packets.front().packet)[index] = true;
    queue.coming = false;
    coming_[i] = coming_.back();
    coming_.pop_back();
  }
}

QueuedPacket Queues::take(unsigned queue, QueueState next, Cycle now) {
  Queue& from = queues_[queue];
  CASTOR_ASSERT_AT(now, from.state == QueueState::kReady && !from.coming,
                   "head packet removed from queue %u, which is %s", queue, name(from.state));
  kernels_[queue] = others_[queue] = jobs_[queue] = false;
  QueuedPacket packet = std::move(from.packets.front());
  from.packets.pop_front();
  from.state = next;
  if (next != QueueState::kReady) {
    ++blocked_;
  } else if (from.packets.empty()) {
    from.state = QueueState::kEmpty;
  } else {
    schedule(queue, std::max(now, from.packets.front().visible));
  }
  return packet;
}

void Queues::release(unsigned queue, Cycle now) {
  Queue& released = queues_[queue];
  CASTOR_ASSERT_AT(now, released.state == QueueState::kParsing || released.state == QueueState::kBlocked,
                   "queue %u released while it is %s", queue, name(released.state));
  --blocked_;
  released.state = QueueState::kEmpty;
  if (!released.packets.empty()) schedule(queue, std::max(now, released.packets.front().visible));
}

void Queues::look_again(unsigned queue, Cycle now) {
  if (queues_[queue].state == QueueState::kReady) schedule(queue, now);
}

std::deque<QueuedPacket> Queues::drop(unsigned queue) {
  Queue& target = queues_[queue];
  kernels_[queue] = others_[queue] = jobs_[queue] = false;
  if (target.coming) coming_.erase(std::find(coming_.begin(), coming_.end(), queue));
  target.coming = false;
  if (target.state == QueueState::kReady) target.state = QueueState::kEmpty;
  return std::exchange(target.packets, {});
}

bool Queues::kernel_waits(Cycle now) const {
  return kernels_.any() || std::any_of(coming_.begin(), coming_.end(), [&](std::uint16_t index) {
           const Queue& queue = queues_[index];
           return queue.ready_from <= now && packet_kind(queue.packets.front().packet) == PacketKind::kKernel;
         });
}

Cycle Queues::next(Cycle now) const {
  Cycle next = kForever;
  for (const std::uint16_t queue : coming_) next = std::min(next, queues_[queue].ready_from);
  return next == kForever ? next : std::max(next, now + 1);
}

}  // namespace castor::gpu
