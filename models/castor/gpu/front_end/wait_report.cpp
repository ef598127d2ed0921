#include "castor/gpu/front_end/wait_report.h"

#include "castor/base/words.h"

namespace castor::gpu {
namespace {

// Returns the resource that an SM lacks for a TB; empty if the TB fits.
std::string lacks(const SmResources& room, const TbNeed& need) {
  if (room.tbs < 1) return "TB slots";
  if (room.warps < need.warps) return "warps";
  if (room.threads < need.threads) return "threads";
  if (room.reg_units < need.reg_units) return "registers";
  if (room.smem_units < need.smem_units) return "shared memory";
  return {};
}

std::string number(std::uint64_t value) { return std::to_string(value); }

}  // namespace

std::string WaitReport::text() const {
  std::string text;
  for (unsigned entry = 0; entry < parts_.table.size(); ++entry) {
    if (parts_.table[entry].state != EntryState::kFree) text += kernel_line(entry) + "\n";
  }
  for (unsigned queue = 0; queue < parts_.queues.count(); ++queue) {
    if (parts_.queues.state(queue) == QueueState::kEmpty || parts_.queues.size(queue) == 0) continue;
    text += queue_line(queue) + "\n";
  }
  return text + parts_.more;
}

std::string WaitReport::kernel_line(unsigned entry) const {
  const KernelEntry& kernel = parts_.table[entry];
  const KernelContext& context = kernel.context();
  std::string text = "kernel " + base::readable_name(context.program->kernel) + " (ticket " + number(context.ticket) +
                     ", entry " + number(entry) + ", queue " + number(context.queue) + "): ";
  if (kernel.state == EntryState::kReserved) {
    return text + (parts_.dispatcher.takes(entry) ? "being parsed" : "waits until other kernels have placed their TBs");
  }
  if (kernel.killed) text += "stopped by a fault; ";
  text += number(kernel.sequencer.left()) + " TBs not placed, " + number(kernel.running) + " placed and not complete";
  if (kernel.waiting_groups != 0) text += ", " + number(kernel.waiting_groups) + " TBs of groups not placed";
  if (kernel.suspended != 0) text += ", " + number(kernel.suspended) + " suspended";
  if (kernel.saved != 0) text += ", " + number(kernel.saved) + " saved";
  if (parts_.table.finished()[entry]) {
    const auto held = parts_.held.find(entry);
    text += "; " + (held == parts_.held.end() ? "completes" : held->second);
  }
  if (kernel.to_place() != 0 && !kernel.killed) text += placement(entry);
  return text;
}

// Returns why no TB of a kernel is placed.
std::string WaitReport::placement(unsigned entry) const {
  const KernelContext& context = parts_.table[entry].context();
  if (const int ahead = parts_.dispatcher.ahead_of(entry); ahead >= 0) {
    return "; behind kernel " +
           base::readable_name(parts_.table[static_cast<unsigned>(ahead)].context().program->kernel) + " of entry " +
           number(static_cast<unsigned>(ahead));
  }
  if (context.owned && !parts_.ledger.watches(entry)) return "; the synchronisation hub gives out the others";
  if (const auto room = parts_.dispatcher.grid_room(entry); room && *room < parts_.table[entry].sequencer.left()) {
    return "; waits until all its TBs fit at once, " + number(*room) + " of them fit now";
  }
  if (parts_.ledger.fits(entry) != 0) {
    return parts_.dispatcher.takers(entry).any() ? "; can be placed" : "; SMs with room are closed or above quota";
  }
  std::string text = "; no SM has the free resources:";
  for (unsigned sm = 0; sm < parts_.ledger.sms(); ++sm) {
    text += " SM " + number(sm) + " lacks " + lacks(parts_.ledger.free(sm), context.need) +
            (sm + 1 < parts_.ledger.sms() ? "," : "");
  }
  return text;
}

std::string WaitReport::queue_line(unsigned queue) const {
  const QueuedPacket& head = parts_.queues.head(queue);
  return "queue " + number(queue) + ": " + number(parts_.queues.size(queue)) + " packets, head " +
         packet_name(packet_kind(head.packet)) + " (ticket " + number(head.ticket) + ") " + queue_head_reason(queue);
}

// Returns why the head of a queue cannot proceed.
std::string WaitReport::queue_head_reason(unsigned queue) const {
  const QueueState state = parts_.queues.state(queue);
  const Packet& head = parts_.queues.head(queue).packet;
  if (state == QueueState::kParsing || state == QueueState::kBlocked) {
    const int kernel = kernel_of(queue);
    return "waits for the kernel or copy before it" +
           (kernel >= 0 ? ": " + node(static_cast<unsigned>(kernel)) : std::string());
  }
  if (const auto* const wait = std::get_if<EventWaitPacket>(&head)) {
    const int recorder = recorder_of(*wait);
    return "waits for event " + number(wait->event) + " to reach " + number(wait->count) + ", which is at " +
           number(parts_.heads.count_of(wait->event)) +
           (recorder < 0 ? ", no packet records that"
                         : ", recorded by a packet of queue " + number(static_cast<unsigned>(recorder)));
  }
  const bool kernel = packet_kind(head) == PacketKind::kKernel;
  if (parts_.inspector.announcing(queue)) return "waits for the job scheduler's decision on its job";
  if (kernel && parts_.inspector.withheld()[queue]) {
    return parts_.inspector.refused(queue) ? "belongs to no job, and the announcement of its job was rejected"
                                           : "belongs to no job that was accepted";
  }
  if (!kernel) return "is served next";
  if (const OwnerGate* const gate = parts_.inspector.gate(); gate != nullptr) {
    if (const std::string reason = gate->reason(queue); !reason.empty()) return reason;
  }
  if (parts_.lanes.full()) return "waits for a parse lane";
  return parts_.parse.entry_free(parts_.next) ? "is parsed next" : "waits for a kernel table entry";
}

std::string WaitReport::node(unsigned entry) const {
  return kernel_node(parts_.table[entry].context().program->kernel, entry);
}

// Returns the entry of the kernel for which a queue waits; -1 if the queue waits for a copy.
int WaitReport::kernel_of(unsigned queue) const {
  for (unsigned entry = 0; entry < parts_.table.size(); ++entry) {
    if (parts_.table[entry].state != EntryState::kFree && parts_.table[entry].context().queue == queue) {
      return static_cast<int>(entry);
    }
  }
  return -1;
}

// Returns the queue with a packet that will record the awaited event, -1 = none.
int WaitReport::recorder_of(const EventWaitPacket& wait) const {
  for (unsigned queue = 0; queue < parts_.queues.count(); ++queue) {
    for (const QueuedPacket& packet : parts_.queues.packets(queue)) {
      const auto* const record = std::get_if<EventRecordPacket>(&packet.packet);
      if (record != nullptr && record->event == wait.event && record->count >= wait.count) {
        return static_cast<int>(queue);
      }
    }
  }
  return -1;
}

void WaitReport::add_to(WaitGraph& graph) const {
  const KernelTable& table = parts_.table;
  for (unsigned entry = 0; entry < table.size(); ++entry) {
    if (table[entry].state != EntryState::kFree) graph.name_kernel(entry, node(entry));
  }
  for (unsigned queue = 0; queue < parts_.queues.count(); ++queue) {
    const QueueState state = parts_.queues.state(queue);
    if (state == QueueState::kParsing || state == QueueState::kBlocked) {
      if (const int kernel = kernel_of(queue); kernel >= 0) {
        graph.add(queue_node(queue), node(static_cast<unsigned>(kernel)));
      }
      continue;
    }
    if (state == QueueState::kEmpty || parts_.queues.size(queue) == 0) continue;
    const QueuedPacket& head = parts_.queues.head(queue);
    if (const auto* const wait = std::get_if<EventWaitPacket>(&head.packet)) {
      if (const int recorder = recorder_of(*wait); recorder >= 0) {
        graph.add(queue_node(queue), queue_node(static_cast<unsigned>(recorder)));
      }
    } else if (packet_kind(head.packet) != PacketKind::kKernel) {
      continue;
    } else if (const OwnerGate* const gate = parts_.inspector.gate(); gate != nullptr && gate->closed()[queue]) {
      gate->waits(queue, graph);
    } else if (!parts_.parse.entry_free(parts_.next)) {
      for (unsigned entry = 0; entry < table.size(); ++entry) {
        if (table[entry].state != EntryState::kFree) graph.add(queue_node(queue), node(entry));
      }
    }
  }
  for (unsigned entry = 0; entry < table.size(); ++entry) {
    const KernelEntry& kernel = table[entry];
    if (kernel.state != EntryState::kWritten || kernel.to_place() == 0 || kernel.killed) continue;
    if (kernel.context().owned && !parts_.ledger.watches(entry)) {
      graph.add(node(entry), sync_hub_node());
    } else if (const int ahead = parts_.dispatcher.ahead_of(entry); ahead >= 0) {
      graph.add(node(entry), node(static_cast<unsigned>(ahead)));
    } else if (parts_.ledger.fits(entry) == 0 || parts_.dispatcher.grid_room(entry)) {
      for (unsigned other = 0; other < table.size(); ++other) {
        if (other == entry || table[other].state != EntryState::kWritten || table[other].running == 0) continue;
        graph.add(node(entry), node(other));
      }
    }
  }
}

std::string WaitReport::where(Ticket ticket, const std::string& elsewhere) const {
  for (unsigned queue = 0; queue < parts_.queues.count(); ++queue) {
    const auto& packets = parts_.queues.packets(queue);
    for (std::size_t i = 0; i < packets.size(); ++i) {
      if (packets[i].ticket == ticket) {
        return "in queue " + number(queue) + ", " + number(i) + " packets before it";
      }
    }
  }
  for (unsigned entry = 0; entry < parts_.table.size(); ++entry) {
    if (parts_.table[entry].state != EntryState::kFree && parts_.table[entry].context().ticket == ticket) {
      return node(entry);
    }
  }
  if (!elsewhere.empty()) return elsewhere;
  return parts_.host.shown(ticket) ? "which is complete" : "which is a copy, or its completion word is being written";
}

}  // namespace castor::gpu
