#pragma once

/// Figures of Wang 2016 (docs/results/cdp.md): chapter 3 on a K20c, chapter 4 in a simulator.
namespace castor::workloads::cdp::published {

/// Ticks of a runtime call by a warp in which x lanes call: `warp` + `lane` * x (Wang 2016, table 5).
struct Call {
  double warp, lane;
  [[nodiscard]] constexpr double ticks(double lanes) const { return warp + lane * lanes; }
};
inline constexpr Call kStream = {7165, 0}, kBuffer = {8023, 129}, kLaunch = {12187, 1592};
/// Ticks from the selection of a kernel to its entry in the kernel table (Wang 2016, table 5).
inline constexpr double kDispatch = 283;

/// Speed-up over the flat form.
inline constexpr double kIdeal = 1.43;     ///< mean of Wang 2016, chapter 4; chapter 3 has 1.13 to 2.73
inline constexpr double kReal = 1 / 1.16;  ///< mean of Wang 2016, chapter 4; chapter 3 has 1 / 1.21
/// Speed-ups of single programs (Wang 2016, chapter 3).
inline constexpr double kIdealPackets = 1.96, kIdealStrings = 2.73, kIdealRoad = 1.0;

/// Memory reserved for pending launches and for each level of synchronisation on a K20c (Wang 2016, section 3.4.2.4).
inline constexpr double kReservedMb = 172, kReservedFrom = 32, kReservedKbPerLaunch = 8.3, kLevelMb = 95;

}  // namespace castor::workloads::cdp::published
