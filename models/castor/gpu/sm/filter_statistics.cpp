#include "castor/gpu/sm/filter_statistics.h"

namespace castor::gpu {

void FilterCounts::add(const FilterCounts& other) {
  each([&](const base::StatisticInfo& /*info*/, auto member) { this->*member += other.*member; });
  each_by_class([&](const char* /*name*/, const char* /*meaning*/, auto member) {
    for (std::size_t i = 0; i < kInstructionClasses; ++i) (this->*member)[i] += (other.*member)[i];
  });
}

FilterStatistics::FilterStatistics(base::StatisticGroup& sm, FilterCounts& counts) : group_(sm, "filter") {
  FilterCounts::each(
      [&](const base::StatisticInfo& info, auto member) { views_.emplace_back(group_, info, counts.*member); });
  FilterCounts::each_by_class([&](const char* name, const char* meaning, auto member) {
    base::StatisticGroup& group = groups_.emplace_back(group_, name);
    for (std::size_t i = 0; i < kInstructionClasses; ++i) {
      views_.emplace_back(group, base::StatisticInfo{gpu::name(static_cast<InstructionClass>(i)).data(), "", meaning},
                          (counts.*member)[i]);
    }
  });
}

}  // namespace castor::gpu
