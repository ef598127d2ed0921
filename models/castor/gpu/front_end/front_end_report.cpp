#include <string>

#include "castor/gpu/front_end/front_end.h"

namespace castor::gpu {
namespace {

// What an SM lacks for a TB, or empty.
std::string lacks(const SmRoom& room, const TbNeed& need) {
  if (room.tbs < 1) return "TB slots";
  if (room.warps < need.warps) return "warps";
  if (room.threads < need.threads) return "threads";
  if (room.reg_units < need.reg_units) return "registers";
  if (room.smem_units < need.smem_units) return "shared memory";
  return {};
}

std::string number(std::uint64_t value) { return std::to_string(value); }

}  // namespace

std::uint64_t FrontEnd::progress() const { return table_.progress() + completions_.progress(); }

std::string FrontEnd::waiting() const {
  std::string text;
  for (unsigned index = 0; index < table_.size(); ++index) {
    const KernelEntry& kernel = table_[index];
    if (kernel.state == EntryState::kFree) continue;
    const KernelContext& context = kernel.context;
    text += "kernel " + context.program->kernel + " (ticket " + number(context.ticket) + ", entry " + number(index) +
            ", queue " + number(context.queue) + "): ";
    if (kernel.state == EntryState::kReserved) {
      text += "being parsed\n";
      continue;
    }
    if (kernel.killed) text += "stopped by a fault; ";
    text += number(kernel.sequencer.left()) + " TBs not placed, " + number(kernel.running) + " placed and not complete";
    if (kernel.saved != 0) text += ", " + number(kernel.saved) + " saved";
    if (table_.finished()[index]) text += !policy_.hold()[index] ? "; completes" : "; held by the dispatch policy";
    if (kernel.sequencer.left() != 0 && !kernel.killed) {
      if (const int ahead = dispatcher_.ahead_of(index); ahead >= 0) {
        text += "; behind kernel " + table_[static_cast<unsigned>(ahead)].context.program->kernel + " of entry " +
                number(static_cast<unsigned>(ahead));
      } else if (ledger_.fits(index) != 0) {
        text += dispatcher_.takers(index) != 0 ? "; can be placed" : "; SMs with room are closed or above quota";
      } else {
        text += "; no SM has room:";
        for (unsigned sm = 0; sm < ledger_.sms(); ++sm) {
          text += " SM " + number(sm) + " lacks " + lacks(ledger_.free(sm), context.need) +
                  (sm + 1 < ledger_.sms() ? "," : "");
        }
      }
    }
    text += "\n";
  }
  for (unsigned queue = 0; queue < queues_.count(); ++queue) {
    const QueueState state = queues_.state(queue);
    if (state == QueueState::kEmpty || queues_.size(queue) == 0) continue;
    const QueuedPacket& head = queues_.head(queue);
    text += "queue " + number(queue) + ": " + number(queues_.size(queue)) + " packets, head " +
            packet_name(packet_kind(head.packet)) + " (ticket " + number(head.ticket) + ") ";
    if (state == QueueState::kParsing || state == QueueState::kBlocked) {
      const int kernel = kernel_of(queue);
      text += "waits for the kernel or copy before it";
      if (kernel >= 0) {
        text += ": " + kernel_node(table_[static_cast<unsigned>(kernel)].context.program->kernel,
                                   static_cast<unsigned>(kernel));
      }
      text += "\n";
    } else if (const auto* const wait = std::get_if<EventWaitPacket>(&head.packet)) {
      text += "waits for event " + number(wait->event) + " to reach " + number(wait->count) + ", it has " +
              number(heads_.count_of(wait->event));
      const int recorder = recorder_of(*wait);
      text += recorder < 0 ? ", no packet records that\n"
                           : ", recorded by a packet of queue " + number(static_cast<unsigned>(recorder)) + "\n";
    } else if (inspector_.asking(queue)) {
      text += "waits for a verdict on its job\n";
    } else if (inspector_.withheld()[queue] && packet_kind(head.packet) == PacketKind::kKernel) {
      text += inspector_.refused(queue) ? "belongs to no job, and its announcement was refused\n"
                                        : "belongs to no job that was accepted\n";
    } else if (packet_kind(head.packet) != PacketKind::kKernel) {
      text += "is served next\n";
    } else if (lanes_.full()) {
      text += "waits for a parse lane\n";
    } else if (!parse_.entry_free(last_ + 1)) {
      text += "waits for a kernel table entry\n";
    } else {
      text += "is parsed next\n";
    }
  }
  return text;
}

// Entry of the kernel that a queue waits for, -1 = none: a copy.
int FrontEnd::kernel_of(unsigned queue) const {
  for (unsigned index = 0; index < table_.size(); ++index) {
    if (table_[index].state != EntryState::kFree && table_[index].context.queue == queue)
      return static_cast<int>(index);
  }
  return -1;
}

// Queue with a packet that will record what is waited for, -1 = none.
int FrontEnd::recorder_of(const EventWaitPacket& wait) const {
  for (unsigned queue = 0; queue < queues_.count(); ++queue) {
    for (const QueuedPacket& packet : queues_.packets(queue)) {
      const auto* const record = std::get_if<EventRecordPacket>(&packet.packet);
      if (record != nullptr && record->event == wait.event && record->count >= wait.count) {
        return static_cast<int>(queue);
      }
    }
  }
  return -1;
}

void FrontEnd::waits(WaitGraph& graph) const {
  const auto node = [this](unsigned entry) { return kernel_node(table_[entry].context.program->kernel, entry); };
  for (unsigned queue = 0; queue < queues_.count(); ++queue) {
    const QueueState state = queues_.state(queue);
    if (state == QueueState::kParsing || state == QueueState::kBlocked) {
      if (const int kernel = kernel_of(queue); kernel >= 0) {
        graph.add(queue_node(queue), node(static_cast<unsigned>(kernel)));
      }
      continue;
    }
    if (state == QueueState::kEmpty || queues_.size(queue) == 0) continue;
    const QueuedPacket& head = queues_.head(queue);
    if (const auto* const wait = std::get_if<EventWaitPacket>(&head.packet)) {
      if (const int recorder = recorder_of(*wait); recorder >= 0) {
        graph.add(queue_node(queue), queue_node(static_cast<unsigned>(recorder)));
      }
    } else if (packet_kind(head.packet) == PacketKind::kKernel && !parse_.entry_free(last_ + 1)) {
      for (unsigned entry = 0; entry < table_.size(); ++entry) {
        if (table_[entry].state != EntryState::kFree) graph.add(queue_node(queue), node(entry));
      }
    }
  }
  for (unsigned entry = 0; entry < table_.size(); ++entry) {
    const KernelEntry& kernel = table_[entry];
    if (kernel.state != EntryState::kWritten || kernel.sequencer.left() == 0 || kernel.killed) continue;
    if (const int ahead = dispatcher_.ahead_of(entry); ahead >= 0) {
      graph.add(node(entry), node(static_cast<unsigned>(ahead)));
    } else if (ledger_.fits(entry) == 0) {
      for (unsigned other = 0; other < table_.size(); ++other) {
        if (other == entry || table_[other].state != EntryState::kWritten || table_[other].running == 0) continue;
        graph.add(node(entry), node(other));
      }
    }
  }
}

std::string FrontEnd::where(Ticket ticket) const {
  for (unsigned queue = 0; queue < queues_.count(); ++queue) {
    const auto& packets = queues_.packets(queue);
    for (std::size_t i = 0; i < packets.size(); ++i) {
      if (packets[i].ticket == ticket) {
        return "in queue " + number(queue) + ", " + number(i) + " packets before it";
      }
    }
  }
  for (unsigned entry = 0; entry < table_.size(); ++entry) {
    if (table_[entry].state != EntryState::kFree && table_[entry].context.ticket == ticket) {
      return kernel_node(table_[entry].context.program->kernel, entry);
    }
  }
  return complete(ticket) ? "which is complete" : "which is a copy, or its completion word is on its way";
}

}  // namespace castor::gpu
