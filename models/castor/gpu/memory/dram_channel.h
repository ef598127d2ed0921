#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/memory/address_map.h"
#include "castor/gpu/memory/dram_clock.h"
#include "castor/gpu/memory/dram_times.h"
#include "castor/gpu/memory/port.h"
#include "castor/gpu/unit.h"

namespace castor::gpu {

class Waves;

/// A command on the command bus of one channel.
struct DramCommand {
  enum class Kind : std::uint8_t { kActivate, kPrecharge, kRead, kWrite, kRefresh };
  Kind kind = Kind::kActivate;
  std::uint64_t clock = 0;
  unsigned bank = 0;          ///< bank of the command; refresh: unused, since a refresh applies to all banks
  std::uint64_t row = 0;      ///< row, of activate, read and write
  unsigned column = 0;        ///< first byte inside the row, of read and write
  std::uint64_t request = 0;  ///< arrival number of the request that the command serves
};

/// One DRAM channel with its controller (docs/gpu/memory.md, "DRAM channel"). Scheduling is first-ready first-come
/// first-served (FR-FCFS) with open rows and at most one command per DRAM clock. Each bank's candidate is its oldest
/// row hit, else its oldest request. Of the candidates whose command is legal, the oldest column command is issued,
/// else the oldest row command.
///
/// The model is event driven: it computes the clock of the next legal command and sleeps until the cycle that contains
/// that clock. A read reply is visible to its slice extra_latency + 1 cycles after the cycle in which its data are
/// complete. A write is acknowledged like a read. A request holds its queue slot until its last column command.
///
/// With dram.trefi = n > 0, a refresh of all banks falls due every n clocks. From then on no other command is issued
/// until all banks can be closed. Closing takes one command (kRefresh). Banks can be activated again RP + RC clocks
/// later (dram.rfc, if set, replaces RC). A late refresh does not delay the following ones.
///
/// Limits: no power-down, no bus turnaround between ranks, no errors.
class DramChannel final : public sc_core::sc_module, public Unit {
 public:
  /// The statistics group `channel<index>` is created in `parent`.
  DramChannel(const sc_core::sc_module_name& name, const Machine& machine, unsigned index,
              base::StatisticGroup& parent);

  /// Returns the port of the s-th slice of this channel. Its credits are requests: dram.queue / slices for each slice.
  [[nodiscard]] TargetPort& slice(unsigned s) { return *slices_[s]; }
  [[nodiscard]] unsigned slices() const { return static_cast<unsigned>(slices_.size()); }

  void tick(Cycle now) override;
  void count_until(Cycle now) override;
  /// Declares the unit's signals; called once, before the first cycle.
  void add_waves(Waves& waves, const std::string& scope) const;

  /// Returns the number of requests whose last column command has not been issued.
  [[nodiscard]] unsigned queued() const { return queued_; }
  /// Returns the number of requests of one slice whose last column command has not been issued, including requests in
  /// its input FIFO.
  [[nodiscard]] unsigned queued(unsigned slice) const;
  [[nodiscard]] bool idle() const;
  /// Returns the requests that the channel is serving, for deadlock reports; empty if idle.
  [[nodiscard]] std::string waiting() const;

  /// Called for every command issued; may be empty.
  std::function<void(const DramCommand&)> on_command;

 private:
  static constexpr std::int32_t kNone = -1;
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  /// Entry of the request queue. A row of `slots_`; linked in the queue of its bank or in the free list.
  struct Slot {
    Transaction* transaction = nullptr;
    std::uint64_t arrival = 0;  ///< order of arrival
    std::uint64_t row = 0;
    unsigned column = 0;        ///< column of the line, byte inside the row
    std::int32_t next = kNone;  ///< next younger entry of the bank, or next entry of the free list
    std::int32_t previous = kNone;
    std::uint16_t bank = 0;
    std::uint16_t slice = 0;
    std::uint8_t atoms = 0;  ///< data bursts still to be transferred
    bool write = false;
    bool started = false;   ///< the first column command has been issued
    bool row_miss = false;  ///< a row was activated for this request
  };
  /// State of a bank and the queue of its requests, oldest first.
  struct Bank {
    std::int32_t first = kNone, last = kNone;
    std::int32_t candidate = kNone;  ///< request chosen for the bank's next command
    unsigned group = 0;
    bool open = false;
    std::uint64_t row = 0;
    /// First clocks in which a column command, precharge or activate is legal by the bank's own timing.
    std::uint64_t column_from = 0, precharge_from = 0, activate_from = 0;
  };
  enum class Wish : std::uint8_t { kRead, kWrite, kActivate, kPrecharge, kHeldRead };
  /// Next command of a bank's candidate, kept separately because every scheduling decision reads it. kHeldRead: a read
  /// without a column command so far, which needs a free slot of the return queue.
  struct Candidate {
    std::uint64_t from = 0;  ///< first clock in which the command is legal by the bank's own timing
    std::uint64_t arrival = 0;
    std::int32_t slot = kNone;
    Wish wish = Wish::kRead;
    std::uint8_t group = 0;
  };
  /// Command to be issued next: its clock and the request that it serves.
  struct Choice {
    std::uint64_t clock = kNever;
    std::int32_t slot = kNone;
  };

  void take_requests(Cycle now);
  void enqueue(Transaction& transaction, unsigned slice);
  void choose_candidate(unsigned bank);
  [[nodiscard]] bool is_hit(const Bank& bank) const;
  /// Recomputes the bank's next command. To be called when candidate, row or timing of the bank have changed.
  void update_want(unsigned bank);
  /// Returns the first clock at which a bank's command is legal.
  [[nodiscard]] std::uint64_t legal_from(const Candidate& want) const;
  /// Returns the next command to issue, not before `clock`.
  [[nodiscard]] Choice next_command(std::uint64_t clock) const;
  void issue(const Choice& choice, Cycle now);
  void issue_column(std::int32_t index, Bank& bank, std::uint64_t clock, Cycle now);
  void finish(std::int32_t index, Bank& bank, std::uint64_t clock, Cycle now);
  /// Returns the first clock at which the due refresh can be issued.
  [[nodiscard]] std::uint64_t refresh_clock() const;
  void refresh(std::uint64_t clock);
  /// Returns the first cycle in which the slice's acceptance of a read frees a slot of the return queue.
  [[nodiscard]] Cycle next_return(Cycle now);
  void tell(DramCommand::Kind kind, std::uint64_t clock, const Slot& slot, unsigned column) const;

  AddressMap map_;
  DramClock clock_;
  Machine::Dram timing_;
  unsigned atom_sectors_;
  DramTimes times_;

  std::vector<std::unique_ptr<TargetPort>> slices_;
  std::vector<Slot> slots_;
  std::int32_t free_slot_ = 0;
  unsigned queued_ = 0;
  std::uint64_t arrivals_ = 0;
  std::vector<Bank> banks_;
  std::vector<Candidate> candidates_;      ///< [bank] next command of the bank's candidate
  std::vector<std::uint64_t> busy_banks_;  ///< one bit per bank: it has requests
  std::uint64_t free_from_ = 0;            ///< first clock in which the command bus is free
  std::uint64_t refresh_due_ = kNever;     ///< clock in which the next refresh falls due
  unsigned reads_started_ = 0;             ///< reads with a column command that are not yet answered
  /// reads with a column command whose reply the slice has not accepted yet, as known in this cycle
  unsigned reads_out_ = 0;
  Choice choice_;  ///< next command, if `choice_known_`
  bool choice_known_ = false;
  bool choice_held_reads_ = false;  ///< `choice_` was made while the return queue was full
  std::uint64_t active_since_ = 0;

  base::StatisticGroup group_;
  base::Counter n_read_, n_write_, n_activity_, row_hit_, row_miss_, bytes_, refreshes_;
  base::Formula efficiency_;
};

}  // namespace castor::gpu
