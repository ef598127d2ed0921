// Waveform signals of the front end and the copy engines. Their widths suffice for the largest machine.

#include <algorithm>
#include <string>

#include "castor/gpu/front_end/front_end.h"
#include "castor/gpu/hooks/waves.h"

namespace castor::gpu {
namespace {

constexpr unsigned kShownQueues = 32, kShownEntries = 64;

}  // namespace

template <class Mechanisms>
void BasicFrontEnd<Mechanisms>::add_waves(Waves& waves, const std::string& scope) const {
  for (unsigned q = 0; q < std::min(kShownQueues, queues_.count()); ++q) {
    const std::string queue = "queue" + std::to_string(q);
    waves.add(
        scope, queue + "_state", 2, [this, q] { return static_cast<std::uint64_t>(queues_.state(q)); },
        base::ValueNames(kQueueStateNames));
    waves.add(scope, queue + "_packets", 16, [this, q] { return queues_.size(q); });
  }
  waves.add(scope, "lanes_busy", 16, [this] { return lanes_.busy(); });
  // Masks over the first kernel table entries: `table_valid`: entries in use; `table_waiting`: entries with TBs to
  // place.
  waves.add(scope, "table_valid", kShownEntries, [this] {
    std::uint64_t mask = 0;
    for (unsigned i = 0; i < std::min(kShownEntries, table_.size()); ++i) {
      if (table_[i].state != EntryState::kFree) mask |= std::uint64_t{1} << i;
    }
    return mask;
  });
  waves.add(scope, "table_waiting", kShownEntries, [this] {
    std::uint64_t mask = 0;
    for (unsigned i = 0; i < std::min(kShownEntries, table_.size()); ++i) {
      if (table_[i].state == EntryState::kWritten && table_[i].to_place() != 0) mask |= std::uint64_t{1} << i;
    }
    return mask;
  });
  waves.add(scope, "tbs_placed", 32, [this] { return table_.tbs_placed(); });
  waves.add(scope, "resident_tbs", 16, [this] { return ledger_.resident_total(); });
  waves.add(scope, "tbs_left", 32, [this] {
    std::uint64_t left = 0;
    for (unsigned i = 0; i < table_.size(); ++i) {
      if (table_[i].state == EntryState::kWritten) left += table_[i].to_place();
    }
    return left;
  });
  retire_.add_waves(waves, scope);
}

template <class Mechanisms>
void BasicFrontEnd<Mechanisms>::add_hook_waves(Waves& waves, const std::string& scope) const {
  mechanisms_.each([&](const auto& mechanism) { mechanism.add_waves(waves, scope); });
}

template void FrontEnd::add_waves(Waves& waves, const std::string& scope) const;
template void FrontEnd::add_hook_waves(Waves& waves, const std::string& scope) const;

void CopyEngine::add_waves(Waves& waves, const std::string& scope) const {
  waves.add(scope, "active", 1, &active_);
  waves.add(scope, "jobs", 16, [this] { return jobs_.size(); });
  waves.add(scope, "row", 32, &plan_.row());
  waves.add(scope, "column", 48, &plan_.column());
  waves.add(scope, "in_flight", 16, &in_flight_);
}

}  // namespace castor::gpu
