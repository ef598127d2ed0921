#pragma once

#include <array>
#include <cstdint>

#include "castor/gpu/hooks/hook.h"
#include "castor/gpu/sync_support.h"
#include "castor/gpu/tb_need.h"

/// Records of the synchronisation network, which connects the synchronisation hub of a GPU with the agents of its SMs
/// (docs/gpu/sync-network.md).
namespace castor::gpu {

/// Message of the synchronisation network. The GPU carries the bits and does not interpret them; the adapters of hub
/// and agents pack and unpack them.
struct SyncMessage {
  static constexpr unsigned kMaxBits = 256;
  std::array<std::uint64_t, 4> word{};  ///< bit i of the message is bit i % 64 of word[i / 64]
  std::uint16_t bits = 0;               ///< length of the message, at most kMaxBits
};
[[nodiscard]] inline bool operator==(const SyncMessage& a, const SyncMessage& b) {
  return a.bits == b.bits && a.word == b.word;
}

/// Message from the hub to one or several SMs.
struct SyncDown {
  SmMask to;  ///< addressed SMs, at least one; several = broadcast
  SyncMessage message;
};
[[nodiscard]] inline bool operator==(const SyncDown& a, const SyncDown& b) {
  return a.to == b.to && a.message == b.message;
}

/// Kernel whose thread blocks synchronise over the whole device.
struct SyncKernel {
  std::uint16_t kd = 0;     ///< kernel table entry
  std::uint16_t queue = 0;  ///< queue through which the kernel came
  std::uint8_t kid = 0;     ///< kernel type, as jobs number it
  std::uint32_t tbs = 0;    ///< TBs of the grid
  std::uint16_t fit = 0;    ///< TBs of the kernel that an otherwise empty SM can hold
  TbNeed need;              ///< SM resources that one TB occupies
  bool owned = false;       ///< not all TBs fit at once; from the end of the fill on the hub gives out the others
  // Options of the launch (castor_sync.h).
  std::uint32_t events = SyncOptions::kMostEvents;  ///< numbers of events are below this
  SyncExit exit = SyncExit::kError;
  SyncSwap swap = SyncSwap::kLazy;
};

}  // namespace castor::gpu
