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
  unsigned bank = 0;          ///< refresh: all
  std::uint64_t row = 0;      ///< activate, read, write
  unsigned column = 0;        ///< read, write: first byte inside the row
  std::uint64_t request = 0;  ///< order of arrival of the request it serves
};

/// One DRAM channel with its controller (docs/gpu/memory.md, "DRAM channel"): first ready, first come, first served;
/// open rows; at most one command per DRAM clock. Each bank's candidate is its oldest row hit, else its oldest request;
/// of the candidates whose command is legal, the oldest column command goes, else the oldest row command.
///
/// Event driven: the clock of the next legal command is computed, and the unit sleeps until the cycle that holds it. A
/// read is answered so that its slice sees it extra_latency + 1 cycles after the cycle in which its data are complete;
/// a write is acknowledged like a read. A request holds its queue place until its last column command.
///
/// With dram.trefi = n > 0, a refresh of all banks falls due every n clocks: from then on no other command is issued
/// until all banks can be closed; closing takes one command (kRefresh), and RP + RC clocks later banks can be activated
/// again (dram.rfc says how many instead of RC). A late refresh does not move the next ones.
///
/// Limits: no power-down, no bus turnaround between ranks, no errors.
class DramChannel final : public sc_core::sc_module, public Unit {
 public:
  /// Statistics go into a group `channel<index>` of `parent`.
  DramChannel(const sc_core::sc_module_name& name, const Machine& machine, unsigned index,
              base::StatisticGroup& parent);

  /// Port of the s-th slice of this channel; credits: one per request, dram.queue / slices of each.
  [[nodiscard]] TargetPort& slice(unsigned s) { return *slices_[s]; }
  [[nodiscard]] unsigned slices() const { return static_cast<unsigned>(slices_.size()); }

  void tick(Cycle now) override;
  void count_until(Cycle now) override;
  /// Declares the unit's signals; called once, before the first cycle.
  void add_waves(Waves& waves, const std::string& scope) const;

  /// Requests whose last column command has not been issued.
  [[nodiscard]] unsigned queued() const { return queued_; }
  /// Those of one slice, its FIFO included.
  [[nodiscard]] unsigned queued(unsigned slice) const;
  [[nodiscard]] bool idle() const;
  /// What the channel waits for, for deadlock reports; empty if idle.
  [[nodiscard]] std::string waiting() const;

  /// Called for every command; may be empty.
  std::function<void(const DramCommand&)> on_command;

 private:
  static constexpr std::int32_t kNone = -1;
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  struct Slot {
    Transaction* transaction = nullptr;
    std::uint64_t arrival = 0;
    std::uint64_t row = 0;
    unsigned column = 0;        ///< of the line
    std::int32_t next = kNone;  ///< younger one of the bank, or of the free list
    std::int32_t previous = kNone;
    std::uint16_t bank = 0;
    std::uint16_t slice = 0;
    std::uint8_t atoms = 0;  ///< still to move
    bool write = false;
    bool started = false;   ///< a column command has been issued
    bool row_miss = false;  ///< a row was activated for it
  };
  struct Bank {
    std::int32_t first = kNone, last = kNone;
    std::int32_t candidate = kNone;
    unsigned group = 0;
    bool open = false;
    std::uint64_t row = 0;
    std::uint64_t column_from = 0, precharge_from = 0, activate_from = 0;  ///< first legal clock
  };
  enum class Wish : std::uint8_t { kRead, kWrite, kActivate, kPrecharge, kHeldRead };
  /// What a bank's candidate wants, apart from the rest: this is read for every command. kHeldRead: a read that has
  /// not started, so needs room in the return queue.
  struct Want {
    std::uint64_t from = 0;  ///< first legal clock by the bank's own rules
    std::uint64_t arrival = 0;
    std::int32_t slot = kNone;
    Wish wish = Wish::kRead;
    std::uint8_t group = 0;
  };
  struct Choice {
    std::uint64_t clock = kNever;
    std::int32_t slot = kNone;
  };

  void take_requests(Cycle now);
  void enqueue(Transaction& transaction, unsigned slice);
  void choose_candidate(unsigned bank);
  [[nodiscard]] bool is_hit(const Bank& bank) const;
  /// Notes what the bank's candidate wants; to be called when candidate, row or times of the bank have changed.
  void update_want(unsigned bank);
  /// First clock at which a bank's command is legal.
  [[nodiscard]] std::uint64_t legal_from(const Want& want) const;
  /// The next command, not before `clock`.
  [[nodiscard]] Choice next_command(std::uint64_t clock) const;
  void issue(const Choice& choice, Cycle now);
  void issue_column(std::int32_t index, Bank& bank, std::uint64_t clock, Cycle now);
  void finish(std::int32_t index, Bank& bank, std::uint64_t clock, Cycle now);
  /// First clock at which the refresh that is due can be given.
  [[nodiscard]] std::uint64_t refresh_clock() const;
  void refresh(std::uint64_t clock);
  /// First cycle in which a read that has been taken frees a place of the return queue.
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
  std::vector<Want> wants_;                ///< per bank
  std::vector<std::uint64_t> busy_banks_;  ///< bit per bank with requests
  std::uint64_t free_from_ = 0;            ///< first clock without a command
  std::uint64_t refresh_due_ = kNever;
  unsigned reads_started_ = 0;  ///< and not answered
  unsigned reads_out_ = 0;      ///< started and not taken by their slice, as far as known in this cycle
  Choice choice_;               ///< the next command, if known
  bool choice_known_ = false;
  bool choice_held_reads_ = false;  ///< it was made with a full return queue
  std::uint64_t active_since_ = 0;

  base::StatisticGroup group_;
  base::Counter n_read_, n_write_, n_activity_, row_hit_, row_miss_, bytes_, refreshes_;
  base::Formula efficiency_;
};

}  // namespace castor::gpu
