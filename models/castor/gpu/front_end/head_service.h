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

/// Packets that need no parse lane, at the heads of their queues: records of events and waits for them, host calls,
/// copies and fills, and JOB packets on machines that do not inspect them (docs/gpu/program.md, "Queues and packets").
/// One per queue and cycle; heads of queues in memory are read first.
///
/// In a cycle: `step` in F8, before anything else of it.
class HeadService {
 public:
  static constexpr unsigned kCopyEngines = 2;  ///< to the device and inside it; to the host
  using CopyEngines = std::array<CopyEngine*, kCopyEngines>;

  /// `reads` is used by nobody else. `copies`: null where no copy ever comes.
  HeadService(const Machine& machine, Queues& queues, MemoryClient& reads, CompletionPort& host,
              JobInspector& inspector, const CopyEngines& copies);

  void step(Cycle now) {
    serve_images(now);
    if (queues_.others().any()) serve_heads(now);
    if (recorded_) look_again(now);
  }
  /// Count that an event has; 0 if it was never recorded.
  [[nodiscard]] std::uint64_t count_of(std::uint64_t event) const;
  /// All queues have been emptied: events are forgotten, and what is being read.
  void abandon();

 private:
  /// Recorded in cycle `since`, seen from the next on.
  struct Event {
    std::uint64_t count = 0, before = 0;
    Cycle since = 0;
    [[nodiscard]] std::uint64_t seen(Cycle now) const { return since < now ? count : before; }
  };
  static constexpr std::uint16_t kNoQueue = 0xffff;

  void serve_images(Cycle now);
  void serve_heads(Cycle now);
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
