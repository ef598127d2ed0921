// Summary of a report for users.

#include <algorithm>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <vector>

#include "castor/base/words.h"
#include "castor/gpu/report.h"

namespace castor::gpu {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostKernels = 20;

[[gnu::format(printf, 1, 2)]] std::string text(const char* format, ...) {
  char line[400];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  return line;
}

/// Returns a number with three digits and a unit: "812 ps", "12.3 us".
std::string scaled(double value, const std::vector<const char*>& units, double step = 1000) {
  std::size_t unit = 0;
  for (; value >= step - 0.5 && unit + 1 < units.size(); ++unit) value /= step;
  return text("%.*f %s", unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2, value, units[unit]);
}

std::string time_text(std::uint64_t picoseconds) {
  return scaled(static_cast<double>(picoseconds), {"ps", "ns", "us", "ms", "s"});
}

std::string bytes_text(std::uint64_t bytes) {
  return scaled(static_cast<double>(bytes), {"B", "KB", "MB", "GB", "TB"});
}

// Sums over all launches of one kernel name.
struct Kernels {
  std::string name;
  std::uint64_t launches = 0, cycles = 0, picoseconds = 0, thread_blocks = 0, warp_instructions = 0;
};

std::vector<Kernels> kernels_of(const Json& report) {
  std::vector<Kernels> kernels;
  for (const Json& one : report.at("kernels")) {
    const std::string name = one.at("name");
    auto at = std::find_if(kernels.begin(), kernels.end(), [&](const Kernels& each) { return each.name == name; });
    if (at == kernels.end()) at = kernels.insert(at, {name, 0, 0, 0, 0, 0});
    at->launches += one.value("kernels", std::uint64_t{1});
    at->cycles += one.value("cycles", std::uint64_t{0});
    at->picoseconds +=
        one.value("time_ps", one.at("end_ps").get<std::uint64_t>() - one.at("start_ps").get<std::uint64_t>());
    at->thread_blocks += one.at("thread_blocks").get<std::uint64_t>();
    at->warp_instructions += one.at("warp_instructions").get<std::uint64_t>();
  }
  return kernels;
}

std::string kernel_table(std::vector<Kernels> kernels, bool timing) {
  std::size_t left_out = 0;
  if (kernels.size() > kMostKernels) {
    std::stable_sort(kernels.begin(), kernels.end(), [](const Kernels& a, const Kernels& b) {
      return a.picoseconds != b.picoseconds ? a.picoseconds > b.picoseconds : a.warp_instructions > b.warp_instructions;
    });
    left_out = kernels.size() - kMostKernels;
    kernels.resize(kMostKernels);
  }
  if (kernels.empty()) return "  no kernel was completed\n";
  std::string result = timing ? "  launches       cycles       time   blocks  warp instrs    IPC  kernel\n"
                              : "  launches   blocks  warp instrs  kernel\n";
  for (const Kernels& one : kernels) {
    result += text("  %8" PRIu64, one.launches);
    if (timing) result += text(" %12" PRIu64 " %10s", one.cycles, time_text(one.picoseconds).c_str());
    result += text(" %8" PRIu64 " %12" PRIu64, one.thread_blocks, one.warp_instructions);
    if (timing) {
      result += one.cycles == 0
                    ? "      -"
                    : text(" %6.2f", static_cast<double>(one.warp_instructions) / static_cast<double>(one.cycles));
    }
    result += "  " + base::readable_name(one.name) + "\n";
  }
  if (left_out != 0) result += text("  and %zu more, with less time\n", left_out);
  return result;
}

// The ratios of a report, as numbers and as text.
class Ratios {
 public:
  explicit Ratios(const Json& all) : all_(all) {}
  [[nodiscard]] std::uint64_t numerator(const char* name) const { return all_.at(name).at("numerator"); }
  [[nodiscard]] std::uint64_t denominator(const char* name) const { return all_.at(name).at("denominator"); }
  [[nodiscard]] double value(const char* name) const {
    const Json& value = all_.at(name).at("value");
    return value.is_null() ? 0 : value.get<double>();
  }
  /// Returns "12.3 %".
  [[nodiscard]] std::string percent(const char* name) const {
    return all_.at(name).at("value").is_null() ? "-" : text("%.1f %%", 100 * value(name));
  }
  /// Returns "12.3 % of 4567 hit", or "none".
  [[nodiscard]] std::string hits(const char* name) const {
    return denominator(name) == 0 ? "none" : percent(name) + text(" of %" PRIu64 " hit", denominator(name));
  }

 private:
  const Json& all_;
};

std::string timing_lines(const Json& report) {
  const Ratios ratios(report.at("ratios"));
  std::string result;
  if (ratios.numerator("ipc") != 0) {
    result +=
        text("  issue       %.2f warp instructions per cycle of the run, %s of lanes active, %s of warp slots used\n",
             ratios.value("ipc"), ratios.percent("active_lanes").c_str(), ratios.percent("occupancy").c_str());
    result += "  schedulers ";
    const std::pair<const char*, const char*> stalls[] = {
        {"scheduler_issued", "issued"},        {"scheduler_idle", "idle"},
        {"scheduler_raw", "register"},         {"scheduler_raw_memory", "load"},
        {"scheduler_memory_pipe", "LSU busy"}, {"scheduler_compute_pipe", "unit busy"}};
    for (const auto& [name, label] : stalls) {
      result += text(" %s %s%s", label, ratios.percent(name).c_str(), name == stalls[5].first ? "\n" : ",");
    }
    result += "  L1          reads " + ratios.hits("l1_read_hits") + ", writes " + ratios.hits("l1_write_hits") + "\n";
  }
  result += "  L2          reads " + ratios.hits("l2_read_hits") + ", writes " + ratios.hits("l2_write_hits");
  if (ratios.denominator("l2_atomic_hits") != 0) result += ", atomics " + ratios.hits("l2_atomic_hits");
  result += "\n  DRAM        ";
  if (ratios.numerator("dram_bandwidth") == 0) {
    result += "no traffic\n";
  } else {
    result += bytes_text(ratios.numerator("dram_bandwidth")) +
              text(" moved, %.1f GB/s over the run of %.1f possible, efficiency %s, rows %s\n",
                   ratios.value("dram_bandwidth"), report.at("peak_gb_per_s").get<double>(),
                   ratios.percent("dram_efficiency").c_str(), ratios.hits("dram_row_hits").c_str());
  }
  std::uint64_t copies = 0, bytes = 0;
  for (const char* const engine : {"copy0", "copy1"}) {
    copies += report.at("statistics").at(engine).at("copies").get<std::uint64_t>();
    bytes += report.at("statistics").at(engine).at("copy_bytes").get<std::uint64_t>();
  }
  if (copies != 0) result += text("  copies      %" PRIu64 " with ", copies) + bytes_text(bytes) + "\n";
  return result;
}

}  // namespace

std::string summary(const std::string& report_json) {
  const Json report = Json::parse(report_json);
  const bool timing = report.at("mode") == "timing";
  std::string result = report.at("machine").get<std::string>();
  if (timing) {
    result += text(", timing: %" PRIu64 " cycles, ", report.at("cycles").get<std::uint64_t>()) +
              time_text(report.at("time").at("picoseconds")) + " simulated\n";
  } else {
    result += text(", functional, no time: %" PRIu64 " warp instructions\n",
                   report.at("warp_instructions").get<std::uint64_t>());
  }
  result += kernel_table(kernels_of(report), timing);
  if (timing) result += timing_lines(report);
  if (const auto beyond = report.find("launches_beyond_limits"); beyond != report.end()) {
    result += text("  launches by device code beyond a limit: %" PRIu64 " spilled, %" PRIu64 " refused, %" PRIu64
                   " without room\n",
                   beyond->at("spilled").get<std::uint64_t>(), beyond->at("refused").get<std::uint64_t>(),
                   beyond->at("without_room").get<std::uint64_t>());
  }
  return result;
}

}  // namespace castor::gpu
