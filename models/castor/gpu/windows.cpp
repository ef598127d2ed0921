#include "castor/gpu/windows.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "castor/base/words.h"

namespace castor::gpu {

Windows::Windows(Cycle window, StatisticsTotals::Series series, const FrontEnd& front_end, std::vector<Sm*> cores)
    : statistics_(std::move(series)),
      front_end_(front_end),
      cores_(std::move(cores)),
      length_(window),
      last_(statistics_.size(), 0),
      values_(statistics_.size()),
      seen_(front_end.table().size()) {}

void Windows::take_entry(unsigned entry, Ticket ticket, const std::string& name, std::map<Ticket, Kernel>& kernels,
                         std::vector<Counts>& seen) const {
  Counts now;
  for (const Sm* const sm : cores_) {
    const InstructionCounts& counts = sm->accounts().instructions.of_entry(entry);
    for (std::size_t i = 0; i < kInstructionClasses; ++i) {
      now.warps += counts.warps[i];
      now.lanes += counts.lanes[i];
    }
  }
  if (now.warps != seen[entry].warps) {
    Kernel& kernel = kernels[ticket];
    kernel.name = name;
    Counts& window = kernel.windows[count_];
    window.warps += now.warps - seen[entry].warps;
    window.lanes += now.lanes - seen[entry].lanes;
  }
  seen[entry] = now;
}

void Windows::take_entries(std::map<Ticket, Kernel>& kernels, std::vector<Counts>& seen) const {
  const KernelTable& table = front_end_.table();
  for (unsigned entry = 0; entry < table.size(); ++entry) {
    if (table[entry].state != EntryState::kWritten) continue;
    take_entry(entry, table[entry].context().ticket, table[entry].context().program->kernel, kernels, seen);
  }
}

void Windows::kernel_completed(unsigned entry, const KernelStatistics& kernel) {
  take_entry(entry, kernel.ticket, kernel.kernel, kernels_, seen_);
  seen_[entry] = {};
}

void Windows::end_window() {
  for (std::size_t i = 0; i < statistics_.size(); ++i) {
    const std::uint64_t value = statistics_[i].second->integer();
    values_[i].push_back(value - last_[i]);
    last_[i] = value;
  }
  take_entries(kernels_, seen_);
  ++count_;
  start_ += length_;
  if (count_ == kMost) halve();
}

void Windows::halve() {
  for (auto& values : values_) {
    for (std::size_t i = 0; i < count_ / 2; ++i) values[i] = values[2 * i] + values[2 * i + 1];
    values.resize(count_ / 2);
  }
  for (auto& [ticket, kernel] : kernels_) {
    std::map<std::size_t, Counts> halved;
    for (const auto& [window, counts] : kernel.windows) {
      halved[window / 2].warps += counts.warps;
      halved[window / 2].lanes += counts.lanes;
    }
    kernel.windows = std::move(halved);
  }
  count_ /= 2;
  length_ *= 2;
}

std::string Windows::json(Cycle now) const {
  nlohmann::ordered_json out;
  out["cycles"] = length_;
  out["last_cycles"] = now - start_;
  auto& series = out["series"] = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < statistics_.size(); ++i) {
    std::vector<std::uint64_t> values = values_[i];
    values.push_back(statistics_[i].second->integer() - last_[i]);
    const base::StatisticInfo& info = statistics_[i].second->info();
    series[statistics_[i].first] = {{"unit", info.unit}, {"meaning", info.meaning}, {"values", std::move(values)}};
  }
  auto kernels = kernels_;
  auto seen = seen_;
  take_entries(kernels, seen);
  auto& list = out["kernels"] = nlohmann::ordered_json::array();
  for (const auto& [ticket, kernel] : kernels) {
    const std::size_t first = kernel.windows.begin()->first;
    std::vector<std::uint64_t> warps(kernel.windows.rbegin()->first - first + 1, 0);
    std::vector<std::uint64_t> lanes(warps.size(), 0);
    for (const auto& [window, counts] : kernel.windows) {
      warps[window - first] = counts.warps;
      lanes[window - first] = counts.lanes;
    }
    list.push_back({{"ticket", ticket},
                    {"name", kernel.name},
                    {"demangled", base::demangled(kernel.name)},
                    {"first_window", first},
                    {"warp_instructions", std::move(warps)},
                    {"lane_instructions", std::move(lanes)}});
  }
  return out.dump();
}

}  // namespace castor::gpu
