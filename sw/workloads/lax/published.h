#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

/// Figures that the source of the laxity engine published for the high arrival rate (docs/results/lax.md, "Published
/// figures"). The numbers of jobs that met their deadline are computed from throughputs with a common time base per
/// workload.
namespace castor::workloads::lax::published {

inline constexpr std::size_t kWorkloads = 8;
inline constexpr std::array<std::string_view, kWorkloads> kWorkloadNames = {"LSTM", "GRU",    "VAN", "HYBRID",
                                                                            "IPV6", "CUCKOO", "GMM", "STEM"};
/// A row of a published table: a scheduler's values, by workload.
struct Row {
  std::string_view scheduler;
  std::array<double, kWorkloads> values;
};

/// Jobs (of 128) that met their deadline.
inline constexpr std::array<Row, 11> kMet = {{
    {"RR", {11, 20, 17, 2, 20, 4, 11, 6}},
    {"MLFQ", {9, 15.4, 12, 1, 21, 4, 13.9, 6}},
    {"BAT", {9.9, 17, 17.5, 2, 18, 3.8, 11, 4}},
    {"BAY", {57, 62, 60, 27, 0, 9, 12, 3}},
    {"PRO", {10, 17, 23, 2, 21, 4.1, 11, 4}},
    {"LJF", {8, 34, 11, 18, 20, 4, 11, 6}},
    {"SJF", {62, 76, 66, 30, 20, 4, 11, 6}},
    {"SRF", {66, 78, 69, 40, 20, 4, 11, 6}},
    {"PREMA", {28, 54, 33, 12, 19, 4, 9.4, 36}},
    {"EDF", {26, 41, 27, 8, 20, 4, 10, 6}},
    {"LAX", {71.4, 84.6, 75.2, 41.3, 36.4, 11.5, 22.8, 31.9}},
}};

/// Jobs that met their deadline, per second.
inline constexpr std::array<Row, 11> kThroughput = {{
    {"RR", {511, 912, 729, 85, 13158, 289, 2242, 3937}},
    {"MLFQ", {419, 700, 515, 43, 13816, 289, 2841, 3937}},
    {"BAT", {458, 775, 750, 85, 11842, 276, 2242, 2624}},
    {"BAY", {2651, 2828, 2574, 1147, 0, 651, 2446, 1969}},
    {"PRO", {465, 775, 987, 85, 13816, 295, 2242, 2624}},
    {"LJF", {372, 1551, 472, 766, 13158, 289, 2242, 3937}},
    {"SJF", {2883, 3466, 2832, 1277, 13158, 289, 2242, 3937}},
    {"SRF", {3069, 3558, 2960, 1702, 13158, 289, 2242, 3937}},
    {"PREMA", {1302, 2463, 1416, 511, 12500, 289, 1921, 23622}},
    {"EDF", {1209, 1870, 1158, 340, 13157, 289, 2038, 3937}},
    {"LAX", {3317, 3859, 3226, 1757, 23953, 831, 4646, 20954}},
}};

/// 99th percentile of the latency of jobs that ran, ms.
inline constexpr std::array<Row, 11> kP99 = {{
    {"RR", {47.7, 35.1, 43.9, 84.5, 0.2, 9.7, 41.5, 3.1}},
    {"MLFQ", {38.2, 25.6, 34.2, 75.7, 0.2, 9.0, 42.3, 3.1}},
    {"BAT", {51.9, 37.9, 38.7, 88.4, 0.2, 9.2, 42.2, 3.2}},
    {"BAY", {21.4, 20.4, 9.4, 20.9, 0.0, 1.0, 3.3, 0.3}},
    {"PRO", {6.7, 6.5, 7.0, 2.4, 0.4, 1.3, 1.8, 0.3}},
    {"LJF", {50.1, 36.9, 47.0, 85.7, 0.2, 9.2, 42.2, 3.1}},
    {"SJF", {46.4, 33.7, 43.6, 81.9, 0.2, 9.2, 42.2, 3.1}},
    {"SRF", {46.3, 33.4, 42.9, 83.9, 0.2, 9.2, 42.2, 3.1}},
    {"PREMA", {43.2, 27.6, 38.7, 83.7, 0.2, 9.4, 40.2, 4.8}},
    {"EDF", {37.8, 25.7, 34.9, 75.6, 0.2, 9.2, 42.3, 3.1}},
    {"LAX", {6.0, 6.5, 6.6, 7.2, 0.04, 4.5, 2.8, 0.5}},
}};

/// Energy per job that met its deadline, mJ.
inline constexpr std::array<Row, 11> kEnergy = {{
    {"RR", {1.35, 0.58, 0.72, 15.4, 0.014, 0.78, 2.35, 0.12}},
    {"MLFQ", {1.80, 0.78, 0.96, 31.19, 0.016, 0.78, 1.62, 0.12}},
    {"BAT", {1.47, 0.69, 0.90, 15.39, 0.014, 1.04, 2.78, 0.16}},
    {"BAY", {0.08, 0.07, 0.07, 0.21, 0.00, 0.05, 0.14, 0.011}},
    {"PRO", {0.08, 0.06, 0.08, 0.36, 0.014, 0.05, 0.20, 0.009}},
    {"LJF", {2.32, 1.30, 1.30, 1.65, 0.014, 0.79, 2.55, 0.08}},
    {"SJF", {0.26, 0.21, 0.21, 0.89, 0.014, 0.79, 2.55, 0.08}},
    {"SRF", {0.25, 0.21, 0.21, 0.74, 0.014, 0.79, 2.52, 0.08}},
    {"PREMA", {0.58, 0.43, 0.43, 2.53, 0.014, 0.79, 2.75, 0.21}},
    {"EDF", {0.62, 0.53, 0.53, 3.94, 0.014, 1.05, 3.13, 0.12}},
    {"LAX", {0.08, 0.08, 0.08, 0.15, 0.007, 0.12, 0.21, 0.008}},
}};

/// Time base of the throughputs, ms.
inline constexpr std::array<double, kWorkloads> kTimeBase = {21.53, 21.93, 23.32, 23.53, 1.520, 13.84, 4.91, 1.524};

/// Returns the value of a table; empty if the source has none.
template <std::size_t N>
[[nodiscard]] constexpr std::optional<double> value(const std::array<Row, N>& table, std::string_view workload,
                                                    std::string_view scheduler) {
  for (const Row& row : table) {
    if (row.scheduler != scheduler) continue;
    for (std::size_t i = 0; i < kWorkloads; ++i) {
      if (kWorkloadNames[i] == workload) return row.values[i];
    }
  }
  return std::nullopt;
}

}  // namespace castor::workloads::lax::published
