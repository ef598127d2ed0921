#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "castor/gpu/memory/port.h"
#include "castor/gpu/sm/injection_fifo.h"
#include "castor/gpu/sm/memory_operation.h"
#include "castor/gpu/sm/sm_memory_client.h"

namespace castor::gpu {

/// Packets that the memory side of an SM sends: makes them, holds them in the injection FIFO, sends one per tick, and
/// knows the stores in flight.
///
/// Steps: `stored` in S2, replies; `packet`, `inject`, `send_store`, then `send` in S3, memory; `fetch` in S7,
/// fetch.
class PacketSender {
 public:
  /// Receiver of the acknowledge of a store: the warp, none (write-back of a dirty line), the launch pointers of a
  /// launch record, or the swap engine's port.
  enum class Listener : std::uint8_t { kWarp, kNobody, kRecord, kSwap };
  /// A store in flight; the transaction's tag is its index in `writes`.
  struct Write {
    Transaction* transaction;
    Listener listener;
    std::uint32_t number;  ///< with kRecord: number of the launch record; with kSwap: TB context
  };

  PacketSender(const Machine& machine, unsigned sm, InitiatorPort& port, const TbMemory* contexts);

  /// Returns the number of free entries of the injection FIFO.
  [[nodiscard]] std::size_t room() const { return injection_.room(); }
  /// Returns a new packet of a TB context.
  [[nodiscard]] Transaction& packet(RequestKind kind, Client from, unsigned context);
  [[nodiscard]] Transaction& packet(RequestKind kind, Client from, const MemoryOperation& operation);
  /// Appends a packet for a line to the injection FIFO, which must have room.
  void inject(Transaction& transaction, std::uint64_t line);
  /// Injects a store of the bytes in `bytes`.
  void send_store(Transaction& transaction, std::uint64_t line, const ByteMask& bytes, Listener listener,
                  std::uint32_t number = 0);
  /// Handles the acknowledge of the store with this tag, and returns the store.
  Write stored(std::uint32_t tag);
  /// Injects the fetch of an instruction line.
  void fetch(std::uint64_t line, unsigned context);
  /// Sends the head of the injection FIFO, if the crossbar port has credits.
  void send(Cycle now, Tick tick) {
    sent_ = short_of_credit_ = false;
    if (injection_.tlb() != nullptr) injection_.tlb()->advance(now, tick);
    if (Transaction* const head = injection_.head(); head != nullptr) send(*head, now);
  }
  /// Returns the first tick after `tick` in which `send` has work if nothing else happens, or kForever.
  [[nodiscard]] Tick next(Tick tick) const {
    if (injection_.head() != nullptr && !short_of_credit_) return tick + 1;
    return injection_.tlb() == nullptr ? kForever : std::max(injection_.tlb()->next_tick(), tick + 1);
  }
  /// Returns whether a packet left the injection FIFO in the last tick.
  [[nodiscard]] bool sent() const { return sent_; }
  /// Returns whether the crossbar port had no credit for the head of the injection FIFO in the last tick.
  [[nodiscard]] bool short_of_credit() const { return short_of_credit_; }

  /// Returns the mask of all sectors of a line.
  [[nodiscard]] std::uint8_t all_sectors() const { return all_sectors_; }
  [[nodiscard]] const std::vector<Write>& writes() const { return writes_; }
  [[nodiscard]] bool writes_to(std::uint64_t line) const;
  [[nodiscard]] InjectionFifo& injection() { return injection_; }
  [[nodiscard]] const InjectionFifo& injection() const { return injection_; }

  void set_hand_over(HandOver& hand_over) { hand_over_ = &hand_over; }
  /// Raises the flag that SmMemory::hold_hits has set.
  void raise_hand_over() { hand_over_->raise(); }

 private:
  void send(Transaction& head, Cycle now);

  const Machine& machine_;
  const unsigned sm_;
  const std::uint8_t all_sectors_;
  InitiatorPort& port_;
  const TbMemory* const contexts_;
  InjectionFifo injection_;
  bool sent_ = false, short_of_credit_ = false;
  std::vector<Write> writes_;
  TransactionPool pool_;
  std::uint64_t next_id_ = 0;
  HandOver own_hand_over_;
  HandOver* hand_over_ = &own_hand_over_;
};

}  // namespace castor::gpu
