#include "platforms/experiments/children/placement.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <unordered_map>
#include <vector>

#include "castor/base/error.h"

namespace castor::platforms::experiments {
namespace {

constexpr const char* kLaperm[] = {"pushes",  "push_wait", "own",   "host",          "stolen",
                                   "backups", "starved",   "unfit", "memory_writes", "memory_reads"};
constexpr const char* kChildL1[] = {"l1_read_hit", "l1_read_miss"};
constexpr const char* kL2[] = {"l2_hit", "l2_miss", "l2_merged"};

struct Launch {
  unsigned sm = 0;         ///< SM of the direct parent
  std::uint64_t call = 0;  ///< cycle of the launch call
  std::uint64_t first = UINT64_MAX;
};
struct Tb {
  std::uint64_t ticket = 0, start = 0;
  unsigned sm = 0;
};
struct Events {
  std::unordered_map<std::uint64_t, Launch> launches;
  std::vector<Tb> tbs;
};

// Reads a timeline, which has one event per line. Only the processes of SMs contain thread blocks and the begins of
// launch arrows.
Events read(const std::string& path, double mhz) {
  std::ifstream in(path);
  if (!in) throw base::Error("there is no timeline");
  Events out;
  std::string line;
  while (std::getline(in, line)) {
    const bool tb = line.find("\"cat\":\"tb\"") != std::string::npos;
    if (!tb && line.find("\"cat\":\"launch\",\"ph\":\"s\"") == std::string::npos) continue;
    if (line.back() == ',') line.pop_back();
    const Json event = Json::parse(line, nullptr, false);
    if (event.is_discarded()) throw base::Error("no event of a timeline: " + line);
    const unsigned sm = event.at("pid").get<unsigned>();
    if (tb) {
      const Json& about = event.at("args");
      out.tbs.push_back({about.at("ticket").get<std::uint64_t>(), about.at("cycle").get<std::uint64_t>(), sm});
    } else {
      const auto call = static_cast<std::uint64_t>(std::llround(event.at("ts").get<double>() * mhz));
      out.launches[event.at("id").get<std::uint64_t>()] = {sm, call, UINT64_MAX};
    }
  }
  return out;
}

double median(std::vector<std::uint64_t> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  const auto at = [&](std::size_t i) { return static_cast<double>(values[i]); };
  return values.size() % 2 == 1 ? at(half) : (at(half - 1) + at(half)) / 2;
}

void add_timeline(const std::string& path, double mhz, Json& out) {
  Events events = read(path, mhz);
  std::uint64_t children = 0, at_home = 0;
  for (const Tb& tb : events.tbs) {
    const auto found = events.launches.find(tb.ticket);
    if (found == events.launches.end()) continue;
    ++children;
    at_home += tb.sm == found->second.sm ? 1 : 0;
    found->second.first = std::min(found->second.first, tb.start);
  }
  std::vector<std::uint64_t> waits;
  for (const auto& [ticket, launch] : events.launches) {
    if (launch.first != UINT64_MAX) waits.push_back(launch.first - launch.call);
  }
  out["blocks_seen"] = events.tbs.size();
  out["launches_seen"] = events.launches.size();
  out["launches_placed"] = waits.size();
  out["child_blocks"] = children;
  out["at_home"] = at_home;
  out["wait_median"] = median(std::move(waits));
}

}  // namespace

void add_placement(const Json& report, const std::string& timeline, Json& out) {
  add_timeline(timeline, report.at("configuration").at("keys").at("clock.core_mhz").at("value").get<double>(), out);
  const Json& statistics = report.at("statistics");
  std::uint64_t sms = 0, most = 0;
  for (const auto& [unit, group] : statistics.items()) {
    if (unit.rfind("sm", 0) != 0) continue;
    ++sms;
    most = std::max(most, group.at("occupancy_warps_sum").get<std::uint64_t>());
  }
  out["fullest_sm_room"] = sms * most;
  for (const char* const name : kL2) {
    std::uint64_t sum = 0;
    for (const Json& kernel : report.at("kernels")) {
      sum += kernel.value("counts", Json::object()).value(name, std::uint64_t{0});
    }
    out[std::string("kernel_") + name] = sum;
  }
  for (const char* const name : kChildL1) {
    std::uint64_t sum = 0;
    for (const Json& kernel : report.at("kernels")) {
      const Json counts = kernel.value("counts", Json::object());
      if (counts.value("level", 0U) == 0 && !counts.contains("groups")) continue;
      sum += counts.value(name, std::uint64_t{0});
    }
    out[std::string("child_l1_") + (name + std::string("l1_read_").size())] = sum;
  }
  out["stale_hit"] = statistics.at("total").at("stale_hit");
  const Json::json_pointer block("/front_end/dispatch_policy/laperm");
  if (!statistics.contains(block)) return;
  for (const char* const name : kLaperm) out[name] = statistics.at(block).at(name);
}

std::string placement_figures() {
  std::string all = " blocks launches placed children home median room kernels stale child_l1";
  for (const char* const name : kLaperm) all += std::string(" ") + name;
  for (const char* const name : kL2) all += std::string(" ") + name;
  return all;
}

}  // namespace castor::platforms::experiments
