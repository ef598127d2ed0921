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

/// Clock of the machine for which the workloads are defined.
inline constexpr std::uint64_t kCyclesPerSecond = 1'500'000'000;

/// Returns the core cycles of a time in hundredths of a microsecond, the resolution of the published kernel times.
[[nodiscard]] constexpr Cycle cycles_of_centi_us(std::uint64_t centi_us) {
  return centi_us * (kCyclesPerSecond / 1'000'000) / 100;
}

enum class Rate : std::uint8_t { kLow, kMedium, kHigh };
inline constexpr std::array<const char*, 3> kRateNames = {"low", "medium", "high"};
[[nodiscard]] std::optional<Rate> find_rate(std::string_view name);

/// A recurrent network: its kernel calls per time step, and the time of its matrix product.
struct Network {
  std::string name;                ///< part of kernel names
  std::uint32_t gemm_service = 0;  ///< core cycles
  unsigned tensor_per_step = 0;    ///< calls of tensor kernel 4 per time step
  unsigned activation_per_step = 0;
  /// Returns the number of kernels of a job with `steps` time steps: steps x (1 + tensor + activation) + 11.
  [[nodiscard]] unsigned kernels(unsigned steps) const;
};

/// A workload of the evaluation: either recurrent networks (many-kernel) or a single kernel (few-kernel).
struct Workload {
  std::string name;
  Cycle deadline = 0;                    ///< core cycles
  std::array<std::uint64_t, 3> rates{};  ///< jobs per second, by Rate
  /// number of resident warps above which TBs slow down; calibrated (docs/results/lax.md, "Calibration")
  std::uint64_t w0 = 0;
  std::vector<Network> networks;     ///< many-kernel workloads: a job is one of these networks, with equal probability
  std::optional<KernelType> single;  ///< few-kernel workloads: the only kernel
};

/// Returns the workloads LSTM, GRU, VAN, HYBRID, IPV6, CUCKOO, GMM, STEM, then variants.
[[nodiscard]] const std::vector<Workload>& workloads();
/// Number of workloads of the source's tables, which are the first in workloads(); variants follow.
inline constexpr std::size_t kPublished = 8;
[[nodiscard]] std::vector<std::string> workload_names();
/// Returns the workload of that name, or nullptr if there is none.
[[nodiscard]] const Workload* find_workload(std::string_view name);

/// Parameters of Poisson arrivals.
struct Arrivals {
  std::uint64_t per_second = 0;
  unsigned jobs = 128;
  std::uint64_t seed = 1;
};

/// Returns arrival times with independent exponential gaps of mean kCyclesPerSecond / per_second, including the gap
/// before the first job, in whole cycles (rounded down from exact sums). Integer arithmetic gives the same times on
/// every host.
[[nodiscard]] std::vector<Cycle> arrival_times(const Arrivals& arrivals);

/// Returns a random number of time steps of a recurrent job: log-normal, truncated to 1 to 60, mean 16, sigma 0.55 (of
/// the logarithm).
inline constexpr unsigned kMaxSteps = 60;
[[nodiscard]] unsigned draw_steps(base::Xoshiro256& random);
/// Returns P(steps <= s) x 2^32 for s = 1..60.
[[nodiscard]] const std::array<std::uint64_t, kMaxSteps>& steps_distribution();

/// Returns a stream with the kernel types of a workload and without jobs.
[[nodiscard]] JobStream kernels_of(const Workload& workload);
/// Returns a job with arrival 0: for a many-kernel workload, a job of network `variant` with `steps` time steps; for a
/// few-kernel workload, its only job.
[[nodiscard]] Job make_job(const Workload& workload, const JobStream& kernels, unsigned variant, unsigned steps);

/// Returns jobs of a workload. Arrivals, variants and lengths are drawn from separate generators, so that the same seed
/// gives the same lengths at every rate.
[[nodiscard]] JobStream generate(const Workload& workload, const Arrivals& arrivals);

}  // namespace castor::workloads::lax
