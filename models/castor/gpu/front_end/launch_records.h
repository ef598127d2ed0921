#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "castor/base/error.h"
#include "castor/base/time.h"
#include "castor/gpu/launch/launcher.h"
#include "castor/gpu/launch_record.h"

namespace castor::gpu {

/// Record of a launch, of a kernel or of a group of thread blocks. It exists from its grant until its last holder
/// releases it. Only the front end uses it, except for `context`, which SMs read.
struct LaunchRecord {
  KernelContext context;
  /// launch whose TB made this launch, held by this record; null for a launch by the host
  LaunchRecord* parent = nullptr;
  const LaunchRecord* root = nullptr;  ///< host launch at the top of the tree
  LaunchId launch = 0;                 ///< number; 0: host launch whose TBs have not called the device runtime
  std::uint32_t level = 0;             ///< nesting depth of the launch in its tree; 0 for a launch by the host
  std::uint16_t parent_sm = 0;         ///< SM of the TB that made the launch
  std::uint64_t image = 0;             ///< device address of the launch descriptor
  Cycle acquire = 0;                   ///< its TBs treat L1 lines older than this cycle as absent
  Cycle called = 0;                    ///< cycle in which the call that made the launch issued
  std::uint32_t open = 0;     ///< set by LaunchTrees: 1 for the launch itself, plus 1 for each child that is not closed
  std::uint32_t holders = 0;  ///< number of holders; 0: the record is free
};

/// All launch records, reference-counted. A record's address does not change. The record is free again when its last
/// holder releases it. Holders are the kernel table entry, the launch tree, and the records of launches made by its
/// TBs. Each TB is a holder too, resident or saved, from its placement until it is counted as complete.
class LaunchRecords {
 public:
  LaunchRecords() = default;
  LaunchRecords(const LaunchRecords&) = delete;
  LaunchRecords& operator=(const LaunchRecords&) = delete;

  /// Takes an empty record, which the caller holds. `parent`: null for a launch by the host; otherwise a TB of `parent`
  /// on `parent_sm` made the launch.
  [[nodiscard]] LaunchRecord& take(LaunchRecord* parent = nullptr, unsigned parent_sm = 0) {
    if (spare_.empty()) spare_.push_back(&records_.emplace_back());
    LaunchRecord& record = *spare_.back();
    spare_.pop_back();
    record.holders = 1;
    record.root = parent == nullptr ? &record : parent->root;
    ++live_;
    if (parent == nullptr) return record;
    hold(*parent);
    record.parent = parent;
    record.level = parent->level + 1;
    record.parent_sm = static_cast<std::uint16_t>(parent_sm);
    return record;
  }
  void hold(LaunchRecord& record) {
    CASTOR_ASSERT(record.holders > 0, "a launch record that nobody has is held");
    ++record.holders;
  }
  /// Releases one hold of the record, which is freed with its last hold.
  void let_go(LaunchRecord& record) {
    CASTOR_ASSERT(record.holders > 0, "a launch record is let go once too often");
    if (--record.holders == 0) free(&record);
  }
  /// Returns the number of records in use.
  [[nodiscard]] std::size_t live() const { return live_; }

 private:
  // Frees a record. Its parent's record is freed too if this record was the parent's last holder.
  void free(LaunchRecord* record) {
    for (; record != nullptr && record->holders == 0; --live_) {
      LaunchRecord* const parent = record->parent;
      *record = {};
      spare_.push_back(record);
      if (parent != nullptr) --parent->holders;
      record = parent;
    }
  }

  std::deque<LaunchRecord> records_;
  std::vector<LaunchRecord*> spare_;
  std::size_t live_ = 0;
};

}  // namespace castor::gpu
