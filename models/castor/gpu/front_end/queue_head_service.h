#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "castor/gpu/device.h"
#include "castor/gpu/front_end/completion_port.h"
#include "castor/gpu/front_end/copy_engine.h"
#include "castor/gpu/front_end/job_inspector.h"
#include "castor/gpu/front_end/memory_client.h"
#include "castor/gpu/front_end/queues.h"
#include "castor/gpu/machine.h"

namespace castor::gpu {

/// Service of packets at the heads of their queues that need no parse lane (docs/gpu/program.md, "Queues and packets").
/// These are event records, waits for events, host calls, copies, fills, and JOB packets on machines that do not
/// inspect them. The front end owns the service. One packet is served per queue and cycle. Heads of queues in memory
/// are read from memory first.
///
/// In a cycle: `step` in F8 (parse), before all other work of F8.
class QueueHeadService {
 public:
  static constexpr unsigned kCopyEngines = 2;  ///< engine 0: to or inside the device; engine 1: to the host
  using CopyEngines = std::array<CopyEngine*, kCopyEngines>;

  /// `reads`: memory client used only by this service. `copies`: null entries where no copy ever arrives.
  QueueHeadService(const Machine& machine, Queues& queues, MemoryClient& reads, CompletionPort& host,
                   JobInspector& inspector, const CopyEngines& copies);

  void step(Cycle now) {
    serve_images(now);
    if (queues_.others().any()) serve_queue_heads(now);
    if (recorded_) look_again(now);
  }
  /// Returns the count recorded for an event; 0 if it was never recorded.
  [[nodiscard]] std::uint64_t count_of(std::uint64_t event) const;
  /// Forgets all events and pending reads of packets. The queues have been emptied.
  void abandon();

 private:
  /// Count of an event. A count recorded in cycle `since` is visible from the next cycle on.
  struct Event {
    std::uint64_t count = 0, before = 0;
    Cycle since = 0;
    [[nodiscard]] std::uint64_t seen(Cycle now) const { return since < now ? count : before; }
  };
  static constexpr std::uint16_t kNoQueue = 0xffff;

  void serve_images(Cycle now);
  void serve_queue_heads(Cycle now);
  void look_again(Cycle now);
  void serve(unsigned queue, const Packet& packet, Cycle now);
  void wait(unsigned queue, const EventWaitPacket& packet, Cycle now);
  void start_copy(unsigned queue, const Packet& packet, Cycle now);
  void finish(unsigned queue, PacketEnd end, Cycle now);

  bool in_memory_;
  Queues& queues_;
  MemoryClient& reads_;
  CompletionPort& host_;
  JobInspector& inspector_;
  CopyEngines copies_;
  std::unordered_map<std::uint64_t, Event> events_;
  std::vector<std::uint16_t> waiting_;  // queues whose head waits for an event
  bool recorded_ = false;               // an event was recorded in this cycle
  std::deque<std::uint16_t> reading_;   // queues whose head is being read, in the order of the reads
};

}  // namespace castor::gpu
