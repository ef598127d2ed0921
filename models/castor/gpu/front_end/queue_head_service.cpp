#include "castor/gpu/front_end/queue_head_service.h"

#include <algorithm>
#include <utility>

#include "castor/base/error.h"

namespace castor::gpu {

QueueHeadService::QueueHeadService(const Machine& machine, Queues& queues, MemoryClient& reads, CompletionPort& host,
                                   JobInspector& inspector, const CopyEngines& copies)
    : in_memory_(machine.queue.in_memory),
      queues_(queues),
      reads_(reads),
      host_(host),
      inspector_(inspector),
      copies_(copies) {}

// Serves the heads of queues in memory whose images were read.
void QueueHeadService::serve_images(Cycle now) {
  while (reads_.has_reply(now)) {
    const MemoryReply reply = reads_.reply();
    reads_.pop();
    const std::uint16_t queue = reading_.front();
    reading_.pop_front();
    if (queue == kNoQueue) continue;  // the queue was emptied while its head was read
    const PacketKind kind = packet_kind(queues_.head(queue).packet);
    const bool held = kind == PacketKind::kHostCall || kind == PacketKind::kJob;
    serve(queue, held ? queues_.head(queue).packet : decode_packet(reply.data.data()), now);
  }
}

void QueueHeadService::serve_queue_heads(Cycle now) {
  const QueueMask& heads = queues_.others();
  for (std::size_t i = heads._Find_first(); i < heads.size(); i = heads._Find_next(i)) {
    const auto queue = static_cast<unsigned>(i);
    if (in_memory_) {
      queues_.park(queue);
      reading_.push_back(static_cast<std::uint16_t>(queue));
      reads_.read(queues_.head(queue).image, sizeof(PacketImage));
    } else {
      serve(queue, queues_.head(queue).packet, now);
    }
  }
}

void QueueHeadService::look_again(Cycle now) {
  recorded_ = false;
  for (const std::uint16_t queue : waiting_) queues_.look_again(queue, now);
  waiting_.clear();
}

void QueueHeadService::serve(unsigned queue, const Packet& packet, Cycle now) {
  if (const auto* const wait_packet = std::get_if<EventWaitPacket>(&packet)) {
    wait(queue, *wait_packet, now);
  } else if (const auto* const record = std::get_if<EventRecordPacket>(&packet)) {
    Event& event = events_[record->event];
    event = {record->count, event.seen(now), now};
    recorded_ = true;
    finish(queue, PacketEnd::kRecorded, now);
  } else if (const auto* const job = std::get_if<JobPacket>(&packet)) {
    inspector_.serve_unread(queue, *job, now);
  } else if (std::holds_alternative<HostCallPacket>(packet)) {
    const QueuedPacket head = queues_.take(queue, QueueState::kReady, now);
    std::get<HostCallPacket>(head.packet).call();
    host_.finish(queue, head.ticket, now);
  } else {
    start_copy(queue, packet, now);
  }
}

void QueueHeadService::wait(unsigned queue, const EventWaitPacket& packet, Cycle now) {
  const auto found = events_.find(packet.event);
  if (packet.count != 0 && (found == events_.end() || found->second.seen(now) < packet.count)) {
    queues_.park(queue);
    waiting_.push_back(static_cast<std::uint16_t>(queue));
    return;
  }
  finish(queue, PacketEnd::kDone, now);
}

void QueueHeadService::start_copy(unsigned queue, const Packet& packet, Cycle now) {
  // The copy job is filled before the head is removed, because `packet` may be a reference to the head.
  CopyJob job;
  job.visible = now + 1;
  job.queue = queue;
  const auto* const copy = std::get_if<CopyPacket>(&packet);
  const bool to_host = copy != nullptr && copy->destination.index() == 1;
  if (copy != nullptr) {
    job.packet = *copy;
  } else {
    job.packet = std::get<FillPacket>(packet);
  }
  job.ticket = queues_.take(queue, QueueState::kBlocked, now).ticket;
  CopyEngine* const engine = copies_[to_host ? 1 : 0];
  CASTOR_ASSERT_AT(now, engine != nullptr, "copy without copy engine");
  engine->submit(job);
}

void QueueHeadService::finish(unsigned queue, PacketEnd end, Cycle now) {
  host_.finish(queue, queues_.take(queue, QueueState::kReady, now).ticket, now, end);
}

std::uint64_t QueueHeadService::count_of(std::uint64_t event) const {
  const auto found = events_.find(event);
  return found == events_.end() ? 0 : found->second.count;
}

void QueueHeadService::abandon() {
  std::fill(reading_.begin(), reading_.end(), kNoQueue);
  waiting_.clear();
  events_.clear();
}

}  // namespace castor::gpu
