#pragma once

#include <cstdint>

#include "castor/gpu/sm_unit.h"

namespace castor::gpu {

/// A TB that has left its SM before it was complete.
struct SavedTb {
  Cycle visible = 0;
  const KernelContext* kernel = nullptr;
  ItemData item;
  std::uint64_t gid = 0;
  std::uint32_t group = kNoGroup;
  std::uint64_t rest = 0;  ///< what is left of it, in the SM's own unit
};

/// Front end to SM: the TBs of a kernel that are here leave with what is left of them. Their contexts move one after
/// the other: that of the i-th (from 0) has left `first` + (i + 1) x `each` cycles after `visible`.
struct TbSaveMessage {
  Cycle visible = 0;
  const KernelContext* kernel = nullptr;
  Ticket ticket = 0;  ///< of the kernel: in its record another may be by then
  Cycle first = 0, each = 0;
};

/// Front end to SM: a saved TB comes back, and goes on when its context has moved, `load` cycles after `visible`.
struct TbRestoreMessage {
  Cycle visible = 0;
  SavedTb tb;
  Cycle load = 0;
};

/// The side of an SM that can give up TBs before they are complete (docs/gpu/jobs.md, "Preemption"). SMs without it let
/// them drain.
class TbSaver {
 public:
  virtual ~TbSaver() = default;
  /// visible >= now + 1. TBs that are complete before their turn stay and retire.
  virtual void save(const TbSaveMessage& message) = 0;
  /// A TB is on its way, as for SmUnit::start.
  virtual void restore(const TbRestoreMessage& message) = 0;
  /// What has left; its slot, warps and storage are free.
  [[nodiscard]] Mailbox<SavedTb>& saved() { return saved_; }
  /// Who is woken when something leaves.
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
