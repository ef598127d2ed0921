#include <string>

#include "castor/gpu/front_end/front_end.h"
#include "castor/gpu/front_end/hook_state.h"

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
    if (finished_[index])
      text += hook_ == nullptr || !hook_->held()[index] ? "; completes"
              : hook_->hold[index]                      ? "; held by the dispatch policy"
                                                        : "; held by the launch unit";
    if (kernel.sequencer.left() != 0 && !kernel.killed) {
      const int current = dispatcher_.current();
      if (hooks_.dispatch == nullptr && current >= 0 && static_cast<unsigned>(current) != index) {
        text += "; behind kernel " + table_[static_cast<unsigned>(current)].context.program->kernel + " of entry " +
                number(static_cast<unsigned>(current));
      } else if (ledger_.fits(index) != 0) {
        text += view().takers(index) != 0 ? "; can be placed" : "; SMs with room are closed or above quota";
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
      text += "waits for the kernel or copy before it\n";
    } else if (const auto* const wait = std::get_if<EventWaitPacket>(&head.packet)) {
      const auto found = events_.find(wait->event);
      text += "waits for event " + number(wait->event) + " to reach " + number(wait->count) + ", it has " +
              number(found == events_.end() ? 0 : found->second.count) + "\n";
    } else if (packet_kind(head.packet) != PacketKind::kKernel) {
      text += "is served next\n";
    } else if (lanes_.full()) {
      text += "waits for a parse lane\n";
    } else if (!entry_free(last_ + 1)) {
      text += "waits for a kernel table entry\n";
    } else {
      text += "is parsed next\n";
    }
  }
  return text;
}

}  // namespace castor::gpu
