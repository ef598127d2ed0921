#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "castor/gpu/front_end/launch_records.h"
#include "castor/gpu/group.h"

namespace castor::gpu {

/// Groups of thread blocks attached to kernels of the table, by the numbers that the launch unit assigned. A group is
/// in the ledger from its attachment until its last TB is counted as complete (docs/gpu/launches.md, "Groups of thread
/// blocks"). The kernel table owns the ledger.
class GroupLedger {
 public:
  struct Group {
    LaunchRecord* record = nullptr;  ///< held by the group; `context.entry` is the kernel's entry
    std::uint64_t next = 0;          ///< position of the group's TB that is placed next
    std::uint64_t total = 0;         ///< TBs of the group
    std::uint64_t counted = 0;       ///< TBs counted as complete
    bool stopped = false;            ///< set by a fault: no TB of the group is placed any more
  };

  /// Adds a group. Its number must not be in use.
  void add(std::uint32_t number, LaunchRecord& record, bool stopped) {
    CASTOR_ASSERT(number != kNoGroup && groups_.count(number) == 0, "group %x is there already", number);
    groups_[number] = {&record, 0, record.context.grid.count(), 0, stopped};
  }
  void remove(std::uint32_t number) { groups_.erase(number); }
  /// Returns a group that is in the ledger.
  [[nodiscard]] Group& at(std::uint32_t number) {
    const auto found = groups_.find(number);
    CASTOR_ASSERT(found != groups_.end(), "there is no group %x", number);
    return found->second;
  }
  [[nodiscard]] const Group& at(std::uint32_t number) const {
    const auto found = groups_.find(number);
    CASTOR_ASSERT(found != groups_.end(), "there is no group %x", number);
    return found->second;
  }
  [[nodiscard]] bool has(std::uint32_t number) const { return groups_.count(number) != 0; }
  [[nodiscard]] bool empty() const { return groups_.empty(); }
  /// Calls use(group) for each group, in ascending order of launches.
  template <class Use>
  void each(const Use& use) {
    std::vector<Group*> groups;
    for (auto& [number, group] : groups_) groups.push_back(&group);
    std::sort(groups.begin(), groups.end(),
              [](const Group* a, const Group* b) { return a->record->launch < b->record->launch; });
    for (Group* const group : groups) use(*group);
  }

 private:
  std::unordered_map<std::uint32_t, Group> groups_;
};

}  // namespace castor::gpu
