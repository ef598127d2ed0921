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

/// How a packet ended.
enum class PacketEnd : std::uint8_t {
  kDone,
  kRecorded,   ///< a record of an event: its cycle stays known for ever
  kDiscarded,  ///< dropped with its job
};

/// News for the host: tickets, completion words of queues, signal words of jobs, notices (docs/gpu/front-end.md,
/// "Front end"; docs/gpu/jobs.md, "Jobs"). A packet is complete on the device in the cycle of `finish`; the host can
/// know it when the store of the queue's completion word is acknowledged, which `receive` sees.
///
/// In a cycle: `receive` in F1; `finish` and `signal` in any step behind it.
class CompletionPort {
 public:
  /// `words` is used by nobody else.
  CompletionPort(const Queues& queues, MemoryClient& words) : queues_(queues), words_(words) {}

  /// A new ticket.
  [[nodiscard]] Ticket issue() { return tickets_.issue(); }
  void receive(Cycle now);
  void finish(unsigned queue, Ticket ticket, Cycle now, PacketEnd end = PacketEnd::kDone);
  /// The signal word of a job; `ticket` is its JOB packet's.
  void signal(unsigned queue, Ticket ticket, std::uint64_t address, const JobSignal& signal, Cycle now);
  /// A packet is dropped with everything else: complete at once, without a word.
  void drop(Ticket ticket, Cycle now);
  /// Cycles of records of events are forgotten.
  void forget_times() { tickets_.forget_times(); }

  /// The host can know that the ticket is complete.
  [[nodiscard]] bool shown(Ticket ticket) const { return tickets_.shown(ticket); }
  /// Cycle in which it completed on the device; 0 while it has not.
  [[nodiscard]] Cycle cycle(Ticket ticket) const { return tickets_.cycle(ticket); }
  /// Tickets of which the host does not know that they are complete.
  [[nodiscard]] std::uint64_t open() const { return tickets_.open(); }
  /// Words are under way.
  [[nodiscard]] bool telling() const { return !under_way_.empty(); }
  /// Grows with every ticket that is issued, and that the host knows.
  [[nodiscard]] std::uint64_t progress() const { return 2 * tickets_.last() - tickets_.open(); }

  void collect_notices(bool on) { collecting_ = on; }
  [[nodiscard]] bool has_notices() const { return !notices_.empty(); }
  [[nodiscard]] std::vector<Notice> take_notices() { return std::exchange(notices_, {}); }

 private:
  const Queues& queues_;
  MemoryClient& words_;
  Completions tickets_;
  std::deque<Notice> under_way_;  // whose word is being stored, in the order of the stores
  std::vector<Notice> notices_;
  bool collecting_ = false;
};

}  // namespace castor::gpu
