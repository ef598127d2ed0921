#include <algorithm>
#include <utility>

#include "castor/base/error.h"
#include "castor/gpu/front_end/front_end.h"

namespace castor::gpu {

// F8: heads that need no lane, one grant, one entry written. The grant looks for a lane that was free at the start of
// the cycle.
void FrontEnd::parse(Cycle now) {
  serve_images(now);
  serve_heads(now);
  inspector_.step(now);
  const int queue = scheduler_.on() ? job_pick(now) : parse_.pick(now);
  if (queue >= 0 && lanes_.can_start(now)) {
    scheduler_.grant(queue);
    ParseStage::Granted granted = parse_.grant(static_cast<unsigned>(queue), now);
    if (granted.fault) faults_.fail(granted.entry, std::move(*granted.fault), now);
  }
  const ParseLanes::Lane* const lane = lanes_.finished(now);
  if (lane == nullptr) return;
  if (lane->inspects) {
    const unsigned inspected = lane->entry;
    lanes_.pop();
    inspector_.slot_over(inspected, now);
  } else if (policy_.push_ready()) {
    const unsigned entry = parse_.write(now);
    events_.started(table_[entry].context);
    if (!table_[entry].killed) dispatcher_.push(entry);
  }
}

// --- Packets without a lane -----------------------------------------------------------------------------------------

void FrontEnd::serve_heads(Cycle now) {
  const QueueMask& heads = queues_.others();
  for (std::size_t queue = heads._Find_first(); queue < heads.size(); queue = heads._Find_next(queue)) {
    const auto index = static_cast<unsigned>(queue);
    if (machine_.queue.in_memory) {
      queues_.park(index);
      reading_.push_back(static_cast<std::uint16_t>(index));
      memory_.client(FrontEndMemory::User::kPackets).read(queues_.head(index).image, sizeof(PacketImage));
    } else {
      serve(index, queues_.head(index).packet, now);
    }
  }
  if (!recorded_) return;
  recorded_ = false;
  for (const std::uint16_t queue : waiting_events_) queues_.look_again(queue, now);
  waiting_events_.clear();
}

// Heads of queues in memory, as they were read.
void FrontEnd::serve_images(Cycle now) {
  MemoryClient& packets = memory_.client(FrontEndMemory::User::kPackets);
  while (packets.has_reply(now)) {
    const MemoryReply reply = packets.reply();
    packets.pop();
    const std::uint16_t queue = reading_.front();
    reading_.pop_front();
    if (queue == kNoQueue) continue;  // dropped meanwhile
    const PacketKind kind = packet_kind(queues_.head(queue).packet);
    const bool held = kind == PacketKind::kHostCall || kind == PacketKind::kJob;
    serve(queue, held ? queues_.head(queue).packet : decode_packet(reply.data.data()), now);
  }
}

void FrontEnd::serve(unsigned queue, const Packet& packet, Cycle now) {
  if (const auto* const wait = std::get_if<EventWaitPacket>(&packet)) {
    const auto found = recorded_events_.find(wait->event);
    if (wait->count != 0 && (found == recorded_events_.end() || found->second.seen(now) < wait->count)) {
      queues_.park(queue);
      waiting_events_.push_back(static_cast<std::uint16_t>(queue));
      return;
    }
    completions_.finish(queue, queues_.take(queue, QueueState::kReady, now).ticket, now);
    return;
  }
  if (const auto* const record = std::get_if<EventRecordPacket>(&packet)) {
    Event& event = recorded_events_[record->event];
    event = {record->count, event.seen(now), now};
    recorded_ = true;
    completions_.finish(queue, queues_.take(queue, QueueState::kReady, now).ticket, now, PacketEnd::kRecorded);
    return;
  }
  if (const auto* const job = std::get_if<JobPacket>(&packet)) return inspector_.serve_unread(queue, *job, now);
  if (std::holds_alternative<HostCallPacket>(packet)) {
    const QueuedPacket head = queues_.take(queue, QueueState::kReady, now);
    std::get<HostCallPacket>(head.packet).call();
    completions_.finish(queue, head.ticket, now);
    return;
  }
  // The job is made before the head is taken: without queues in memory it is the head.
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

}  // namespace castor::gpu
