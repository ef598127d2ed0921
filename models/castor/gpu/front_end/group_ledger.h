#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "castor/gpu/front_end/launch_records.h"
#include "castor/gpu/group.h"

namespace castor::gpu {

/// Groups of thread blocks that are with a kernel of the table, by the numbers that the launch unit gave them: from the
/// attachment until the last TB is counted (docs/gpu/launches.md, "Groups of thread blocks").
class GroupLedger {
 public:
  struct Group {
    LaunchRecord* record = nullptr;  ///< of its launch, which it holds; `context.entry` is its kernel's
    std::uint64_t next = 0;          ///< position of the TB that is placed next
    std::uint64_t total = 0;
    std::uint64_t counted = 0;
    bool stopped = false;  ///< nothing of it is placed any more
  };

  /// The number is nobody's.
  void add(std::uint32_t number, LaunchRecord& record, bool stopped) {
    CASTOR_ASSERT(number != kNoGroup && groups_.count(number) == 0, "group %x is there already", number);
    groups_[number] = {&record, 0, record.context.grid.count(), 0, stopped};
  }
  void remove(std::uint32_t number) { groups_.erase(number); }
  /// A group that is there.
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
  /// Calls use(group) for each, in ascending order of launches.
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
