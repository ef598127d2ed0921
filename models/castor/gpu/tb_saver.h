#pragma once

#include <cstdint>

#include "castor/gpu/sm_unit.h"

namespace castor::gpu {

/// Context of a TB that was preempted: swapped out of its SM before it was complete.
struct SavedTb {
  Cycle visible = 0;
  const KernelContext* kernel = nullptr;
  ItemData item;
  std::uint64_t gid = 0;
  std::uint32_t group = kNoGroup;
  std::uint64_t rest = 0;  ///< remaining work of the TB, in a unit of the SM's own choice
};

/// Message from front end to SM: swap out the resident TBs of a kernel with their remaining work. The contexts move one
/// after the other. The context of the i-th TB (i = 0, 1, ...) has been moved `first` + (i + 1) x `each` cycles after
/// `visible`.
struct TbSaveMessage {
  Cycle visible = 0;
  const KernelContext* kernel = nullptr;
  Ticket ticket = 0;  ///< ticket of the kernel; distinguishes it from a later kernel in the same record
  Cycle first = 0, each = 0;
};

/// Message from front end to SM: restore a saved TB. The TB resumes when its context has been moved, `load` cycles
/// after `visible`.
struct TbRestoreMessage {
  Cycle visible = 0;
  SavedTb tb;
  Cycle load = 0;
};

/// Interface of an SM that can preempt TBs (docs/gpu/jobs.md, "Preemption"). An SM without this interface lets its TBs
/// drain.
class TbSaver {
 public:
  virtual ~TbSaver() = default;
  /// Swaps out the TBs of a kernel; message.visible >= now + 1. A TB that completes before its turn is not saved and
  /// retires.
  virtual void save(const TbSaveMessage& message) = 0;
  /// Sends a saved TB to the SM, as SmUnit::start does for a new TB.
  virtual void restore(const TbRestoreMessage& message) = 0;
  /// Returns the mailbox of TBs that were swapped out; their slots, warps and storage are free.
  [[nodiscard]] Mailbox<SavedTb>& saved() { return saved_; }
  /// Sets the unit that is woken when a TB was swapped out.
  void set_saved_reader(Unit& reader) { reader_ = &reader; }

 protected:
  void leave(const SavedTb& tb) {
    if (reader_ != nullptr) reader_->wake_at(tb.visible);
    saved_.push(tb);
  }

 private:
  Unit* reader_ = nullptr;
  Mailbox<SavedTb> saved_;
};

}  // namespace castor::gpu
