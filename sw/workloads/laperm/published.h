#pragma once

/// Figures of Wang 2016 (docs/results/laperm.md), chapter 5, measured in a simulator. Gains are over round robin in %;
/// hit rates are in percentage points.
namespace castor::workloads::laperm::published {

/// Shares of touched memory blocks in % (Wang 2016, section 5.1.1).
inline constexpr double kParentChild = 38.4, kChildSibling = 30.5, kParentParent = 9.3;

/// Published gains of the policies for one launch model; pri = TB-Pri, bind = SMX-Bind.
struct Gains {
  double pri_l2, pri_l1, pri_ipc, bind_l1, adaptive_ipc;
  double bind_ipc;     ///< IPC gain of SMX-Bind over TB-Pri
  double adaptive_l1;  ///< L1 hit rate of Adaptive-Bind over SMX-Bind
};
/// Gains of CDP and of DTBL (Wang 2016, section 5.3.2).
inline constexpr Gains kCdp = {6.7, 1.1, 4, 6.6, 6, -9, -2.3}, kDtbl = {8.7, 2.1, 13, 13.6, 27, -5, -3.1};

/// Bytes of an SM's queue set and of the host's queue (Wang 2016, section 5.2.5).
inline constexpr double kSetBytes = 3072, kHostBytes = 768;

}  // namespace castor::workloads::laperm::published
