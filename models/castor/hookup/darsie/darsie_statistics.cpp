#include "castor/hookup/darsie/darsie_statistics.h"

#include <utility>

namespace castor::hookup {

DarsieStatistics::Count::Count(base::StatisticGroup& group, base::StatisticInfo info,
                               std::function<std::uint64_t()> read)
    : Statistic(group, info), read_(std::move(read)) {}

DarsieStatistics::DarsieStatistics(base::StatisticGroup& parent, const std::function<const darsie::Counters&()>& read)
    : group_(parent, "darsie") {
  darsie::Counters::each([&](const char* name, const char* unit, const char* meaning, auto member) {
    counts_.emplace_back(group_, base::StatisticInfo{name, unit, meaning}, [read, member] { return read().*member; });
  });
}

}  // namespace castor::hookup
