#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "castor/base/statistics.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/memory/transaction.h"
#include "castor/gpu/sm/ring.h"
#include "castor/gpu/sm/sm_tlb.h"

namespace castor::gpu {

/// FIFO of an SM's packets for the network, with `l1.miss_queue` entries. With address translation, packets bypass
/// older packets that wait for a translation; the older packets never access the same line (docs/gpu/memory.md,
/// "Address translation"). Instruction fetches are not translated.
class InjectionFifo {
 public:
  explicit InjectionFifo(const Machine& machine) : packets_(machine.l1.miss_queue) {}
  /// Turns on address translation. Statistics go into a group of `sm`.
  void translate(const Machine& machine, SharedTlb& shared, base::StatisticGroup& sm) {
    tlb_ = std::make_unique<SmTlb>(machine, shared, sm);
  }

  [[nodiscard]] std::size_t size() const { return packets_.size(); }
  [[nodiscard]] std::size_t room() const { return packets_.capacity() - packets_.size(); }
  [[nodiscard]] bool empty() const { return packets_.empty(); }
  [[nodiscard]] bool full() const { return packets_.full(); }

  /// Appends a packet; the FIFO must not be full.
  void push(Transaction& packet) {
    packets_.push_back(&packet);
    if (tlb_ != nullptr && packet.request.kind != RequestKind::kFetch) tlb_->look_up(packet.line());
  }
  /// Returns the next packet to be sent, or null if the FIFO is empty or all its packets wait for translations.
  [[nodiscard]] Transaction* head() const {
    if (packets_.empty()) return nullptr;
    return tlb_ == nullptr ? packets_.front() : first_translated();
  }
  /// Removes the packet that `head` returned.
  void pop(const Transaction& head) {
    if (packets_.front() == &head) return packets_.pop_front();
    std::size_t index = 0;
    while (packets_.at(index) != &head) ++index;
    packets_.erase(index);
  }

  /// Returns the SM's TLB, or null without address translation.
  [[nodiscard]] SmTlb* tlb() { return tlb_.get(); }
  [[nodiscard]] const SmTlb* tlb() const { return tlb_.get(); }

 private:
  [[nodiscard]] Transaction* first_translated() const {
    for (std::size_t i = 0; i < packets_.size(); ++i) {
      Transaction* const packet = packets_.at(i);
      if (packet->request.kind == RequestKind::kFetch || !tlb_->waits(packet->line())) return packet;
    }
    return nullptr;
  }

  Ring<Transaction*> packets_;  ///< packets in the order in which they were pushed
  std::unique_ptr<SmTlb> tlb_;  ///< null without address translation
};

}  // namespace castor::gpu
