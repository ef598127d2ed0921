#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "castor/gpu/device.h"
#include "castor/gpu/front_end/completions.h"
#include "castor/gpu/front_end/memory_client.h"
#include "castor/gpu/front_end/queues.h"

namespace castor::gpu {

/// Way in which a packet ended.
enum class PacketEnd : std::uint8_t {
  kDone,
  kRecorded,   ///< record of an event: its completion cycle is never discarded
  kDiscarded,  ///< the packet was dropped with its job
};

/// Completion port: notifies the host by tickets, completion words of queues, signal words of jobs, notices
/// (docs/gpu/front-end.md, "Front end"; docs/gpu/jobs.md, "Jobs"). The front end owns it. A packet is complete on the
/// device in the cycle of `finish`. The host sees the completion when the store of the queue's completion word is
/// acknowledged, which `receive` processes.
///
/// In a cycle: `receive` in F1; `finish` and `signal` in any later step.
class CompletionPort {
 public:
  /// `words`: memory client used only by this port.
  CompletionPort(const Queues& queues, MemoryClient& words) : queues_(queues), words_(words) {}

  /// Issues a new ticket.
  [[nodiscard]] Ticket issue() { return tickets_.issue(); }
  /// Processes acknowledgements of stored words. The host can see the corresponding completions and notices afterwards.
  void receive(Cycle now);
  /// Completes a packet on the device and stores the queue's completion word.
  void finish(unsigned queue, Ticket ticket, Cycle now, PacketEnd end = PacketEnd::kDone);
  /// Stores the signal word of a job. `ticket`: ticket of the job's JOB packet.
  void signal(unsigned queue, Ticket ticket, std::uint64_t address, const JobSignal& signal, Cycle now);
  /// Completes the ticket of a packet that is dropped by `abandon`: at once, without a store of the completion word.
  void drop(Ticket ticket, Cycle now);
  /// Forgets the cycles kept for event records.
  void forget_times() { tickets_.forget_times(); }

  /// Returns whether the host can see that the ticket is complete.
  [[nodiscard]] bool shown(Ticket ticket) const { return tickets_.shown(ticket); }
  /// Returns the cycle in which the ticket completed on the device; 0 while it is not complete.
  [[nodiscard]] Cycle cycle(Ticket ticket) const { return tickets_.cycle(ticket); }
  /// Returns the number of issued tickets whose completion the host cannot see yet.
  [[nodiscard]] std::uint64_t open() const { return tickets_.open(); }
  /// Returns whether stores of completion or signal words are in flight.
  [[nodiscard]] bool notifying() const { return !under_way_.empty(); }
  /// Returns a number that grows with every ticket issued and every completion seen by the host.
  [[nodiscard]] std::uint64_t progress() const { return 2 * tickets_.last() - tickets_.open(); }

  /// Switches the collection of notices for `take_notices` on or off.
  void collect_notices(bool on) { collecting_ = on; }
  [[nodiscard]] bool has_notices() const { return !notices_.empty(); }
  [[nodiscard]] std::vector<Notice> take_notices() { return std::exchange(notices_, {}); }

 private:
  const Queues& queues_;
  MemoryClient& words_;
  Completions tickets_;
  std::deque<Notice> under_way_;  // notices whose word is being stored, in the order of the stores
  std::vector<Notice> notices_;
  bool collecting_ = false;
};

}  // namespace castor::gpu
