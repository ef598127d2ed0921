#include "castor/gpu/front_end/owner_gate.h"

#include <variant>

#include "castor/base/words.h"

namespace castor::gpu {

bool OwnerGate::heads_owner(unsigned queue) const {
  const auto* const kernel = std::get_if<KernelPacket>(&queues_.head(queue).packet);
  return kernel != nullptr && kernel->owned;
}

int OwnerGate::candidate() const {
  const QueueMask& ready = queues_.kernels();
  int first = -1;
  for (std::size_t queue = ready._Find_first(); queue < ready.size(); queue = ready._Find_next(queue)) {
    if (!heads_owner(static_cast<unsigned>(queue))) continue;
    const Ticket ticket = queues_.head(static_cast<unsigned>(queue)).ticket;
    if (first < 0 || ticket < queues_.head(static_cast<unsigned>(first)).ticket) first = static_cast<int>(queue);
  }
  return first;
}

int OwnerGate::owner() const {
  for (unsigned entry = 0; owned_ && entry < table_.size(); ++entry) {
    if (table_[entry].state != EntryState::kFree && table_[entry].context().owned) return static_cast<int>(entry);
  }
  return -1;
}

QueueMask OwnerGate::closed() const {
  if (owned_) return ~QueueMask{};
  const int first = candidate();
  if (first < 0) return {};
  QueueMask closed = ~QueueMask{};
  if (trees_.open_launches() == 0) closed[static_cast<std::size_t>(first)] = false;
  return closed;
}

std::string OwnerGate::reason(unsigned queue) const {
  if (!closed()[queue]) return {};
  if (const int entry = owner(); entry >= 0) {
    const isa::Program& program = *table_[static_cast<unsigned>(entry)].context().program;
    return "waits until kernel " + base::readable_name(program.kernel) + " of entry " + std::to_string(entry) +
           ", which has the machine to itself, is complete";
  }
  const int first = candidate();
  if (first == static_cast<int>(queue))
    return "needs the machine to itself and waits until all other kernels are complete";
  return "waits behind the kernel of queue " + std::to_string(first) + ", which needs the machine to itself";
}

void OwnerGate::waits(unsigned queue, WaitGraph& graph) const {
  if (!closed()[queue]) return;
  const int first = owned_ ? -1 : candidate();
  if (first >= 0 && first != static_cast<int>(queue)) {
    graph.add(queue_node(queue), queue_node(static_cast<unsigned>(first)));
    return;
  }
  for (unsigned entry = 0; entry < table_.size(); ++entry) {
    if (table_[entry].state != EntryState::kFree) graph.add(queue_node(queue), graph.kernel(entry));
  }
}

}  // namespace castor::gpu
