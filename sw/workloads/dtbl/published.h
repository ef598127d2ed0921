#pragma once

/// Figures of Wang 2016 (docs/results/dtbl.md), chapter 4, measured in a simulator.
namespace castor::workloads::dtbl::published {

/// Mean speed-up over the flat form; CDP is slower than flat.
inline constexpr double kDtbl = 1.21, kDtblIdeal = 1.63, kCdp = 1 / 1.16, kCdpIdeal = 1.43;
/// Speed-up of single workloads over the flat form.
inline constexpr double kGraph500 = 0.97, kStrings = 0.95, kStringsIdeal = 3.10, kStringsCdpIdeal = 2.73;

/// Ticks of the parameter buffer call by a warp in which x lanes call: kBufferWarp + kBufferLane * x (Wang 2016, table
/// 5).
inline constexpr double kBufferWarp = 8023, kBufferLane = 129;

/// Hit rate of the group table with 512 and 1024 entries (Wang 2016, section 4.6.2.5).
inline constexpr double kHits512 = 0.622, kHits1024 = 0.816;
/// Bytes of registers and of the table (Wang 2016, section 4.4).
inline constexpr double kRegisterBytes = 1096, kTableBytes = 20480;

}  // namespace castor::workloads::dtbl::published
