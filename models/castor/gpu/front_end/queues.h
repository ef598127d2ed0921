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

/// EMPTY -push-> READY -granted-> PARSING -entry written-> BLOCKED -tree complete-> READY or EMPTY. A copy at the head
/// blocks its queue too. READY means that the head may be looked at.
enum class QueueState : std::uint8_t { kEmpty, kReady, kParsing, kBlocked };
inline constexpr const char* kQueueStateNames[] = {"empty", "ready", "parsing", "blocked"};
[[nodiscard]] inline const char* name(QueueState state) { return kQueueStateNames[static_cast<unsigned>(state)]; }

/// A packet in a queue.
struct QueuedPacket {
  Ticket ticket = 0;
  Packet packet;
  Cycle visible = 0;
  std::uint64_t image = 0;  ///< device address of its 64 bytes
};

/// The hardware queues: FIFOs of `queue.depth` packets (docs/gpu/program.md, "Queues and packets").
///
/// Every queue has a ring of 64-byte slots in device memory. On machines with queues in memory all packets lie there
/// and are read from there; on others only launch descriptors do, the FIFO on the chip holds their addresses. What
/// makes a queue ready in cycle c (a doorbell, a completion) is seen from c + 1 on.
class Queues {
 public:
  Queues(const Machine& machine, Store& store);

  [[nodiscard]] unsigned count() const { return static_cast<unsigned>(queues_.size()); }
  [[nodiscard]] bool full(unsigned queue) const { return queues_[queue].packets.size() >= depth_; }
  /// Appends a packet that is visible from cycle `visible` on and writes its image.
  void push(unsigned queue, Ticket ticket, Packet packet, Cycle visible, const PacketImage& image);

  /// Start of a cycle: what became ready in an earlier one is seen.
  void advance(Cycle now);
  /// READY queues as of the start of this cycle, by what is at their head.
  [[nodiscard]] const QueueMask& kernels() const { return kernels_; }
  [[nodiscard]] const QueueMask& others() const { return others_; }
  /// JOB packets, on machines that read them; elsewhere they are among the others.
  [[nodiscard]] const QueueMask& jobs() const { return jobs_; }
  /// A kernel is at the head of a queue that is ready in cycle `now`.
  [[nodiscard]] bool kernel_waits(Cycle now) const;

  [[nodiscard]] QueueState state(unsigned queue) const { return queues_[queue].state; }
  [[nodiscard]] const QueuedPacket& head(unsigned queue) const { return queues_[queue].packets.front(); }
  [[nodiscard]] std::size_t size(unsigned queue) const { return queues_[queue].packets.size(); }
  /// Packets of a queue, the head first.
  [[nodiscard]] const std::deque<QueuedPacket>& packets(unsigned queue) const { return queues_[queue].packets; }

  /// Takes the head of a READY queue. With kReady the next packet is seen from the next cycle on; with another state
  /// the queue is not looked at until `release`.
  QueuedPacket take(unsigned queue, QueueState next, Cycle now);
  /// The entry of the queue's kernel is written.
  void block(unsigned queue) { queues_[queue].state = QueueState::kBlocked; }
  /// What the queue waited for is complete.
  void release(unsigned queue, Cycle now);
  /// The head cannot proceed: not looked at until `look_again`.
  void park(unsigned queue) { others_[queue] = false; }
  void look_again(unsigned queue, Cycle now);
  /// Drops all packets of a queue and returns them.
  std::deque<QueuedPacket> drop(unsigned queue);

  /// Where the queue's completion word lies.
  [[nodiscard]] std::uint64_t completion_word(unsigned queue) const;
  /// First cycle after `now` in which a queue becomes ready or is seen to be; kForever if none is known.
  [[nodiscard]] Cycle next(Cycle now) const;
  /// Queues whose kernel or copy is under way.
  [[nodiscard]] unsigned blocked() const { return blocked_; }

 private:
  struct Queue {
    QueueState state = QueueState::kEmpty;
    bool coming = false;   ///< in coming_
    Cycle ready_from = 0;  ///< seen from the cycle behind it on
    std::uint32_t slot = 0;
    std::deque<QueuedPacket> packets;
  };

  void schedule(unsigned queue, Cycle cycle);
  void allocate_rings();

  Store& store_;
  unsigned depth_;
  std::vector<Queue> queues_;
  std::vector<std::uint16_t> coming_;  // ready, but not seen yet
  [[nodiscard]] QueueMask& mask_of(const Packet& packet);

  QueueMask kernels_, others_, jobs_;
  bool inspected_;
  std::uint64_t rings_ = 0;
  unsigned blocked_ = 0;
};

}  // namespace castor::gpu
