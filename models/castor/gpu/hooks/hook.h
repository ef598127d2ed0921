#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "castor/base/statistics.h"
#include "castor/base/time.h"

/// Interfaces through which hardware blocks plug into the GPU (docs/gpu/hooks.md, "Hooks"). The GPU has no code for a
/// particular block: an adapter in `hookup` implements one of these interfaces on top of the block's twin. An absent
/// hook is a null pointer, and the machine then uses its built-in behaviour.
///
/// A hook sees the platform only as plain records, inline code and abstract classes, so an adapter does not link the
/// GPU.
namespace castor::gpu {

using base::Cycle;
using base::kForever;

using WarpMask = std::uint64_t;  ///< bit = warp slot of one SM
using TbMask = std::uint64_t;    ///< bit = TB context of one SM

inline constexpr std::size_t kMaxSms = 256;
inline constexpr std::size_t kMaxQueues = 128;
inline constexpr std::size_t kMaxEntries = 256;  ///< most kernel table entries
using SmMask = std::bitset<kMaxSms>;             ///< bit = SM
using QueueMask = std::bitset<kMaxQueues>;       ///< bit = queue
using KdMask = std::bitset<kMaxEntries>;         ///< bit = kernel table entry
inline const SmMask kAllSms = ~SmMask{};

inline constexpr unsigned kMaxSchedulers = 4;
/// most picks per scheduler and tick: 2 with issue.warps 2, 5 (one per issue class) with issue.warps 5
inline constexpr unsigned kMaxPicks = 5;
inline constexpr unsigned kMaxDecode = 4;  ///< most instructions of one decode group
inline constexpr unsigned kMaxIssue = kMaxSchedulers * 2;
inline constexpr unsigned kMaxOperands = 6;  ///< most source registers of one instruction

template <class T>
using Maybe = std::optional<T>;

/// Read-only view of an array: pointer and size. Valid only during the call that passes it.
template <class T>
struct View {
  const T* data = nullptr;
  std::size_t size = 0;  ///< number of elements
  [[nodiscard]] const T* begin() const { return data; }
  [[nodiscard]] const T* end() const { return data + size; }
  [[nodiscard]] bool empty() const { return size == 0; }
  const T& operator[](std::size_t i) const { return data[i]; }
};

struct FilterTerms;
struct Machine;
class HookMemory;
class WaitGraph;
class Waves;

/// Reports errors that a block has detected. The host sees `code` and `info`, both defined by the block, in the fault.
class HookError {
 public:
  using Report = std::function<void(unsigned code, std::uint64_t info, Maybe<unsigned> blamed)>;
  HookError() = default;
  explicit HookError(Report report) : report_(std::move(report)) {}

  explicit operator bool() const { return static_cast<bool>(report_); }
  /// Reports an error that no single kernel has caused. Of a front-end hook it stops all kernels in the table, of an SM
  /// hook the kernel in the lowest TB context.
  void operator()(unsigned code, std::uint64_t info) const { report_(code, info, std::nullopt); }
  /// Reports an error that one kernel has caused; it stops that kernel only. `blamed`: kernel table entry of the kernel
  /// (front-end hook), or a TB context in which the kernel has a TB (SM hook).
  void operator()(unsigned code, std::uint64_t info, unsigned blamed) const { report_(code, info, blamed); }

 private:
  Report report_;
};

/// Platform objects that a hook receives once, when the machine is built. All pointers are valid until `detach`.
struct HookSite {
  const Machine* machine = nullptr;  ///< keys of the machine; constant
  /// dispatch policy and synchronisation hub: access to device memory; null for other hooks
  HookMemory* memory = nullptr;
  HookMemory* second_memory = nullptr;         ///< synchronisation hub: a second access, independent of the first
  unsigned sm = 0;                             ///< hooks inside an SM: index of the SM; else 0
  base::StatisticGroup* statistics = nullptr;  ///< the hook's own group, for its statistics and subgroups
  /// fetch filter: its terms, which the filter may change in `attach`; null for other hooks
  FilterTerms* terms = nullptr;
  HookError error;  ///< reports errors detected by the block
};

/// Base of all hooks: a clocked state machine with the interface of a block's twin. A hook may read its `In`, its own
/// state and the constants of its HookSite. It must not keep references into `In`, allocate, do I/O, or call back into
/// the platform except through `memory` and `error`.
class Hook {
 public:
  virtual ~Hook() = default;
  /// Returns the name of the block that implements the hook, for messages; empty if no block does.
  [[nodiscard]] virtual const char* block() const { return ""; }
  /// Connects the hook to the machine; called once, before the first `reset`.
  virtual void attach(const HookSite& site) = 0;
  /// Declares the hook's waveform signals, in scopes below `scope` ("gpu", inside an SM "gpu.sm3"). They are sampled
  /// after each cycle in which some unit ticked.
  virtual void add_waves(Waves& /*waves*/, const std::string& /*scope*/) {}
  /// Ends the use of the HookSite: the machine is destroyed before the hook, so the hook must not use the site
  /// afterwards.
  virtual void detach() {}
  /// Resets the hook to its state before the first edge. The next edge is that of cycle 0, or of the cycle in which the
  /// device resumes.
  virtual void reset() = 0;
  /// Returns a lower bound of the number of future edges that change no output while all inputs are idle. 0 (clock the
  /// hook) is always correct; kForever: the hook sleeps.
  [[nodiscard]] virtual Cycle quiet() const = 0;
  /// Returns whether the hook, with idle inputs, cannot enable any progress of the machine. If all hooks are inert and
  /// nothing else has work, the machine is deadlocked. False is always correct. A hook with endless periodic work
  /// overrides this.
  [[nodiscard]] virtual bool inert() const { return quiet() == kForever; }
  /// Front-end hooks: returns the window of registers that the hook serves, -1 if none. Window w holds the register
  /// numbers from w * kRegisterWindow on. Constant, may be called before `attach`. An access to the window is presented
  /// to this hook alone, in its input `reg`, until the hook's output `reg` answers it.
  [[nodiscard]] virtual int window() const { return -1; }
  /// Adds who waits at the hook, and for whom, to a deadlock report: lines of text and edges of the wait graph
  /// (castor/gpu/wait_graph.h). Called between cycles.
  virtual void waits(WaitGraph& /*graph*/) const {}
  /// Applies n idle edges at once, n <= quiet(): no events, and levels as in the last `In`.
  virtual void idle(Cycle n) = 0;
};

template <class In, class Out>
/// Hook with typed inputs and outputs; each hook of the machine is an instance of this template.
class ClockedHook : public Hook {
 public:
  /// Returns the outputs of this cycle without an observable change of state. May be called twice in a cycle with a
  /// growing `In`. Outputs marked "early" depend on state only. The reference is valid until the next call.
  virtual const Out& settle(const In& in) = 0;
  /// Applies the clock edge that ends this cycle. `in` now also holds the platform's results of the cycle.
  virtual void clock(const In& in) = 0;
};

}  // namespace castor::gpu
