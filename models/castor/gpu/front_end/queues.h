#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "castor/gpu/device.h"
#include "castor/gpu/front_end/launch_descriptor.h"
#include "castor/gpu/hooks/hook.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/store.h"

namespace castor::gpu {

/// State of a queue: EMPTY -push-> READY -granted-> PARSING -entry written-> BLOCKED -tree complete-> READY or EMPTY. A
/// copy taken from the head blocks its queue too. READY: the packet at the head may be served.
enum class QueueState : std::uint8_t { kEmpty, kReady, kParsing, kBlocked };
inline constexpr const char* kQueueStateNames[] = {"empty", "ready", "parsing", "blocked"};
[[nodiscard]] inline const char* name(QueueState state) { return kQueueStateNames[static_cast<unsigned>(state)]; }

/// Packet in a queue.
struct QueuedPacket {
  Ticket ticket = 0;
  Packet packet;
  Cycle visible = 0;
  std::uint64_t image = 0;  ///< device address of the packet's 64 bytes
};

/// Hardware queues: FIFOs of `queue.depth` packets (docs/gpu/program.md, "Queues and packets"). The front end owns
/// them.
///
/// Every queue has a ring of 64-byte slots in device memory. On machines with queues in memory the ring holds all
/// packets, and the front end reads them from there. On other machines the ring holds only launch descriptors, and the
/// FIFO on the chip holds their addresses. An event in cycle c (a doorbell, a completion) makes a queue ready from c +
/// 1 on.
class Queues {
 public:
  Queues(const Machine& machine, Store& store);

  [[nodiscard]] unsigned count() const { return static_cast<unsigned>(queues_.size()); }
  [[nodiscard]] bool full(unsigned queue) const { return queues_[queue].packets.size() >= depth_; }
  /// Appends a packet that is visible from cycle `visible` on, and writes its image into device memory.
  void push(unsigned queue, Ticket ticket, Packet packet, Cycle visible, const PacketImage& image);

  /// Starts a cycle: queues that became ready in an earlier cycle enter the masks of ready queues.
  void advance(Cycle now);
  /// `kernels`: READY queues with a kernel at their head, as of the start of this cycle. `others`: READY queues with
  /// any other packet at their head.
  [[nodiscard]] const QueueMask& kernels() const { return kernels_; }
  [[nodiscard]] const QueueMask& others() const { return others_; }
  /// Returns the READY queues with a JOB packet at their head, on machines that inspect JOB packets. On other machines
  /// `others` includes these queues.
  [[nodiscard]] const QueueMask& jobs() const { return jobs_; }
  /// Returns whether a kernel is at the head of a queue that is ready in cycle `now`.
  [[nodiscard]] bool kernel_waits(Cycle now) const;

  /// `state`: state of a queue; `head`: packet at its head; `size`: number of its packets.
  [[nodiscard]] QueueState state(unsigned queue) const { return queues_[queue].state; }
  [[nodiscard]] const QueuedPacket& head(unsigned queue) const { return queues_[queue].packets.front(); }
  [[nodiscard]] std::size_t size(unsigned queue) const { return queues_[queue].packets.size(); }
  /// Returns the packets of a queue, the head first.
  [[nodiscard]] const std::deque<QueuedPacket>& packets(unsigned queue) const { return queues_[queue].packets; }

  /// Takes the head of a READY queue. `next`: kReady makes the next packet available from the next cycle on; with
  /// another state the queue serves no packet until `release`.
  QueuedPacket take(unsigned queue, QueueState next, Cycle now);
  /// Marks the queue as blocked: the entry of its kernel is written.
  void block(unsigned queue) { queues_[queue].state = QueueState::kBlocked; }
  /// Unblocks a queue whose kernel or copy is complete.
  void release(unsigned queue, Cycle now);
  /// Excludes a queue from `others` until `look_again`, because its head cannot proceed.
  void park(unsigned queue) { others_[queue] = false; }
  /// Makes a parked queue ready again from the next cycle on.
  void look_again(unsigned queue, Cycle now);
  /// Drops all packets of a queue and returns them.
  std::deque<QueuedPacket> drop(unsigned queue);

  /// Returns the device address of the queue's completion word.
  [[nodiscard]] std::uint64_t completion_word(unsigned queue) const;
  /// Returns the first cycle after `now` in which a queue becomes ready or enters the masks; kForever if none is known.
  [[nodiscard]] Cycle next(Cycle now) const;
  /// Returns the number of queues whose kernel or copy is in flight.
  [[nodiscard]] unsigned blocked() const { return blocked_; }

 private:
  struct Queue {
    QueueState state = QueueState::kEmpty;
    bool coming = false;     ///< the queue is in coming_
    Cycle ready_from = 0;    ///< the queue enters the masks one cycle after this cycle
    std::uint32_t slot = 0;  ///< ring slot of the next packet
    std::deque<QueuedPacket> packets;
  };

  void schedule(unsigned queue, Cycle cycle);
  void allocate_rings();

  Store& store_;
  unsigned depth_;
  std::vector<Queue> queues_;
  std::vector<std::uint16_t> coming_;  // queues that are ready and enter the masks in the next cycles
  [[nodiscard]] QueueMask& mask_of(const Packet& packet);

  QueueMask kernels_, others_, jobs_;
  bool inspected_;
  std::uint64_t rings_ = 0;
  unsigned blocked_ = 0;
};

}  // namespace castor::gpu
