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

/// A launch, of a kernel or of a group of thread blocks, from its grant on for as long as somebody holds it:
/// bookkeeping of the front end, but for `context`, which SMs read.
struct LaunchRecord {
  KernelContext context;
  LaunchRecord* parent = nullptr;      ///< the launch of which a TB made it, which it holds; null: made by the host
  const LaunchRecord* root = nullptr;  ///< at the top of its tree, the host's
  LaunchId launch = 0;                 ///< its number; 0: of the host, and no TB of it has called the device runtime
  std::uint32_t level = 0;             ///< launches above it
  std::uint8_t parent_sm = 0;          ///< SM of the TB that made it
  std::uint64_t image = 0;             ///< device address of its launch descriptor
  Cycle acquire = 0;                   ///< L1 lines older than this are absent for its TBs
  Cycle called = 0;                    ///< the call that made it issued
  std::uint32_t open = 0;              ///< LaunchTrees: the launch itself, and its children that are not closed
  std::uint32_t holders = 0;           ///< 0: nobody's
};

/// All launch records. A record stays where it is, and is free again when the last that holds it lets go: the entry of
/// the kernel table, each TB from its placement until it is counted, whether it is on an SM or saved, the launch tree,
/// and the records of launches that its TBs made.
class LaunchRecords {
 public:
  LaunchRecords() = default;
  LaunchRecords(const LaunchRecords&) = delete;
  LaunchRecords& operator=(const LaunchRecords&) = delete;

  /// An empty record, which the caller holds; of a launch by the host, or by a TB of `parent` on `parent_sm`.
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
    record.parent_sm = static_cast<std::uint8_t>(parent_sm);
    return record;
  }
  void hold(LaunchRecord& record) {
    CASTOR_ASSERT(record.holders > 0, "a launch record that nobody has is held");
    ++record.holders;
  }
  void let_go(LaunchRecord& record) {
    CASTOR_ASSERT(record.holders > 0, "a launch record is let go once too often");
    if (--record.holders == 0) free(&record);
  }
  /// Records that somebody holds.
  [[nodiscard]] std::size_t live() const { return live_; }

 private:
  // With the last of a parent's holders its parent may go as well.
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
