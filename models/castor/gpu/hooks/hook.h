#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "castor/base/statistics.h"
#include "castor/base/time.h"

/// The places where a hardware block plugs into the GPU (docs/gpu/hooks.md, "Hooks"). The GPU knows no block: an
/// adapter in `hookup` implements one of these interfaces over a block's twin. An absent hook is a null pointer, the
/// machine then uses its built-in behaviour.
///
/// What a hook sees of the platform is plain records, inline code and abstract classes, so an adapter links nothing of
/// the GPU.
namespace castor::gpu {

using base::Cycle;
using base::kForever;

using WarpMask = std::uint64_t;  ///< bit = warp slot of one SM
using TbMask = std::uint64_t;    ///< bit = TB context of one SM
using SmMask = std::uint64_t;    ///< bit = SM

inline constexpr std::size_t kMaxQueues = 128;
inline constexpr std::size_t kMaxEntries = 256;  ///< of the kernel table
using QueueMask = std::bitset<kMaxQueues>;       ///< bit = queue
using KdMask = std::bitset<kMaxEntries>;         ///< bit = kernel table entry
inline constexpr SmMask kAllSms = ~SmMask{0};

inline constexpr unsigned kMaxSchedulers = 4;
inline constexpr unsigned kMaxPicks = 5;   ///< per scheduler: 2 with issue.warps 2, 5 classes on 64 lanes
inline constexpr unsigned kMaxDecode = 4;  ///< instructions of one decode group
inline constexpr unsigned kMaxIssue = kMaxSchedulers * 2;
inline constexpr unsigned kMaxOperands = 6;  ///< source registers of one instruction

template <class T>
using Maybe = std::optional<T>;

/// Pointer and size; valid during the call only.
template <class T>
struct View {
  const T* data = nullptr;
  std::size_t size = 0;  ///< elements
  [[nodiscard]] const T* begin() const { return data; }
  [[nodiscard]] const T* end() const { return data + size; }
  [[nodiscard]] bool empty() const { return size == 0; }
  const T& operator[](std::size_t i) const { return data[i]; }
};

struct FilterTerms;
struct Machine;
class HookMemory;
class Waves;

/// What a hook gets once, when the machine is built. All of it is valid until `detach`.
struct HookSite {
  const Machine* machine = nullptr;            ///< keys of the machine; constant
  HookMemory* memory = nullptr;                ///< of a dispatch policy; null for other hooks
  unsigned sm = 0;                             ///< hooks inside an SM: which; else 0
  base::StatisticGroup* statistics = nullptr;  ///< the hook's own, for statistics and groups below
  FilterTerms* terms = nullptr;  ///< of a fetch filter, which may change them in `attach`; null for others
  /// Reports that the block has found an error. In the front end all kernels in the table stop, inside an SM the one in
  /// the lowest TB context; the host sees both numbers, which are the block's own, in the fault.
  std::function<void(unsigned code, std::uint64_t info)> error;
};

/// A clocked machine with the grammar of the twins. It may read its `In`, its own state and the constants of its
/// HookSite; it must not keep references into `In`, call back into the platform (`memory` and `error` excepted),
/// allocate, do I/O, or depend on anything else.
class Hook {
 public:
  virtual ~Hook() = default;
  /// Name of the block behind it, for messages; empty: there is none.
  [[nodiscard]] virtual const char* block() const { return ""; }
  /// Called once, before the first `reset`.
  virtual void attach(const HookSite& site) = 0;
  /// Adds what waves show of the hook, in scopes below `scope` ("gpu", inside an SM "gpu.sm3"); sampled behind cycles
  /// in which some unit ticked.
  virtual void add_waves(Waves& /*waves*/, const std::string& /*scope*/) {}
  /// The machine ends before the hook does: what `attach` gave must not be used any more.
  virtual void detach() {}
  /// To the state before the first edge. The next edge is that of cycle 0, or of the cycle in which the device goes on.
  virtual void reset() = 0;
  /// Coming edges that change no output while all inputs stay idle; a lower bound. 0 (clock me) is always right,
  /// kForever = asleep.
  [[nodiscard]] virtual Cycle quiet() const = 0;
  /// Whatever this hook still does by itself, while its inputs rest, will let nothing proceed: if nothing else happens
  /// either, that is a deadlock. False is always right. A hook with periodic work that wakes it for ever says more.
  [[nodiscard]] virtual bool inert() const { return quiet() == kForever; }
  /// Number of the 64 KB register window that it serves; -1 = none. Only the job scheduler's is asked for.
  [[nodiscard]] virtual int window() const { return -1; }
  /// Exactly n such edges, n <= quiet(): events none, levels as in the last In.
  virtual void idle(Cycle n) = 0;
};

template <class In, class Out>
class ClockedHook : public Hook {
 public:
  /// Outputs of this cycle; no observable change of state. May be called twice in a cycle with a growing `In`; an
  /// output marked early depends on state only. The reference holds until the next call.
  virtual const Out& settle(const In& in) = 0;
  /// The edge that ends this cycle; `in` now also holds what the platform did.
  virtual void clock(const In& in) = 0;
};

}  // namespace castor::gpu
