#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "castor/base/rng.h"
#include "workloads/job_stream.h"

/// The eight workloads of the laxity engine's evaluation (docs/results/lax.md, "Workloads").
namespace castor::workloads::lax {

/// Clock of the machine on which the workloads are defined.
inline constexpr std::uint64_t kCyclesPerSecond = 1'500'000'000;

/// Core cycles of a time in hundredths of a microsecond, the resolution of the published kernel times.
[[nodiscard]] constexpr Cycle cycles_of_centi_us(std::uint64_t centi_us) {
  return centi_us * (kCyclesPerSecond / 1'000'000) / 100;
}

enum class Rate : std::uint8_t { kLow, kMedium, kHigh };
inline constexpr std::array<const char*, 3> kRateNames = {"low", "medium", "high"};
[[nodiscard]] std::optional<Rate> find_rate(std::string_view name);

/// A recurrent network: what a time step calls, and how long its matrix product takes.
struct Network {
  std::string name;                ///< part of kernel names
  std::uint32_t gemm_service = 0;  ///< core cycles
  unsigned tensor_per_step = 0;    ///< calls of tensor kernel 4
  unsigned activation_per_step = 0;
  /// Kernels of a job of `steps` time steps: steps x (1 + tensor + activation) + 11.
  [[nodiscard]] unsigned kernels(unsigned steps) const;
};

struct Workload {
  std::string name;
  Cycle deadline = 0;                    ///< core cycles
  std::array<std::uint64_t, 3> rates{};  ///< jobs per second, by Rate
  std::uint64_t w0 = 0;                  ///< warps; calibrated (docs/results/lax.md, "Calibration")
  std::vector<Network> networks;         ///< many-kernel: jobs are drawn from them with equal chance
  std::optional<KernelType> single;      ///< few-kernel: the only kernel
};

/// LSTM, GRU, VAN, HYBRID, IPV6, CUCKOO, GMM, STEM, then variants.
[[nodiscard]] const std::vector<Workload>& workloads();
/// Number of workloads of the source's tables at the start of workloads(); variants follow.
inline constexpr std::size_t kPublished = 8;
[[nodiscard]] std::vector<std::string> workload_names();
/// nullptr if there is none.
[[nodiscard]] const Workload* find_workload(std::string_view name);

/// Poisson arrivals.
struct Arrivals {
  std::uint64_t per_second = 0;
  unsigned jobs = 128;
  std::uint64_t seed = 1;
};

/// Arrival times with independent exponential gaps of mean kCyclesPerSecond / per_second, first gap included, in whole
/// cycles (rounded down from exact sums). Whole-number arithmetic: the same on every host.
[[nodiscard]] std::vector<Cycle> arrival_times(const Arrivals& arrivals);

/// Time steps of a recurrent job: truncated log-normal of 1 to 60, mean 16, sigma 0.55 (of the logarithm).
inline constexpr unsigned kMaxSteps = 60;
[[nodiscard]] unsigned draw_steps(base::Xoshiro256& random);
/// P(steps <= s) x 2^32 for s = 1..60.
[[nodiscard]] const std::array<std::uint64_t, kMaxSteps>& steps_distribution();

/// The kernel types of a workload, without jobs.
[[nodiscard]] JobStream kernels_of(const Workload& workload);
/// A job of a many-kernel workload's network `variant` with so many time steps; arrival 0. Of a few-kernel workload its
/// only job.
[[nodiscard]] Job make_job(const Workload& workload, const JobStream& kernels, unsigned variant, unsigned steps);

/// Jobs of a workload. Arrivals, variants and lengths are drawn from generators of their own, so that the same seed
/// gives the same lengths at every rate.
[[nodiscard]] JobStream generate(const Workload& workload, const Arrivals& arrivals);

}  // namespace castor::workloads::lax
