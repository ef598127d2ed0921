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

/// Packets of an SM that wait for the network, `l1.miss_queue` at most. They leave in the order in which they came; on
/// machines that translate addresses younger ones pass those that wait for a translation, which never are of the same
/// line (docs/gpu/memory.md, "Address translation"). Instructions are not translated.
class InjectionFifo {
 public:
  explicit InjectionFifo(const Machine& machine) : packets_(machine.l1.miss_queue) {}
  /// From now on addresses are translated; statistics go into a group of `sm`.
  void translate(const Machine& machine, SharedTlb& shared, base::StatisticGroup& sm) {
    tlb_ = std::make_unique<SmTlb>(machine, shared, sm);
  }

  [[nodiscard]] std::size_t size() const { return packets_.size(); }
  [[nodiscard]] std::size_t room() const { return packets_.capacity() - packets_.size(); }
  [[nodiscard]] bool empty() const { return packets_.empty(); }
  [[nodiscard]] bool full() const { return packets_.full(); }

  /// There must be room.
  void push(Transaction& packet) {
    packets_.push_back(&packet);
    if (tlb_ != nullptr && packet.request.kind != RequestKind::kFetch) tlb_->look_up(packet.line());
  }
  /// The packet that leaves next; null if there is none or all wait for translations.
  [[nodiscard]] Transaction* head() const {
    if (packets_.empty()) return nullptr;
    return tlb_ == nullptr ? packets_.front() : first_translated();
  }
  /// Takes out what `head` returned.
  void pop(const Transaction& head) {
    if (packets_.front() == &head) return packets_.pop_front();
    std::size_t index = 0;
    while (packets_.at(index) != &head) ++index;
    packets_.erase(index);
  }

  /// The address translation of the SM; null without.
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

  Ring<Transaction*> packets_;
  std::unique_ptr<SmTlb> tlb_;
};

}  // namespace castor::gpu
