#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "castor/dtbl/params.h"
#include "castor/dtbl/ports.h"

/// References for dynamic thread block launch. One is a machine with cycles, which has the rules written down one after
/// the other, readable and slow. The other has an untimed queue of groups for each kernel entry.
namespace castor::dtbl::reference {

/// Returns whether the description of a group is in memory.
[[nodiscard]] inline bool off_chip(U32 group) { return group != kNone && (group >> 31U) != 0; }

/// Three dimensions as the port packs them.
struct Dim {
  U64 x = 0, y = 0, z = 0;
  Dim() = default;
  explicit Dim(U64 packed) : x(packed & 0xFFFFFFFFU), y(packed >> 32U & 0xFFFFU), z(packed >> 48U & 0xFFFFU) {}
  [[nodiscard]] U64 packed() const { return x | y << 32U | z << 48U; }
};

enum class Search { kSearch, kGrant, kFall };
enum class Slot { kFree, kRun, kReq, kWait };

/// Registers of the launch half.
struct LaunchState {
  struct Out {
    bool fb = false;
    U32 kd = 0, agei = 0, cnt = 0, param = 0, level = 0, sm = 0, ord = 0;
    U64 dim = 0;
  };
  Search st = Search::kSearch;
  U32 ptr = 0;
  Key rk{};
  bool mid = false;
  U32 ford = 0;
  std::map<U32, U32> left;  ///< busy entries and their thread blocks that have not finished
  std::optional<U32> cq;    ///< completion taken in the previous cycle
  std::optional<Out> o;
  std::optional<U32> rel;
  U32 err = 0;
};

/// Registers of the dispatch half.
struct DispatchState {
  struct Entry {
    bool mark = false, first = false;
    U32 nagei = kNone, lagei = kNone;
    U64 kdim = 0;
  };
  struct Listed {
    U64 dim = 0;
    U32 param = 0, next = 0;
  };
  struct Loaded {
    U64 dim = 0;
    U32 nxt = 0;
    bool nv = false;
  };
  struct Link {
    U32 rec = 0, data = 0;
  };
  std::vector<Entry> entries;
  U32 served = 0;      ///< number of entries that have left the ring, modulo NumKde: the begin of the ring
  std::deque<U32> fq;  ///< marked entries that are not in the slot, in order
  Slot st = Slot::kFree;
  U32 kd = 0, agei = kNone, pos = 0;
  Dim od;
  Loaded ob;
  std::optional<Link> lw;
  bool ro = false;
  std::map<U32, Listed> list;
  U32 err = 0;
};

/// Reference machine with cycles. `settle` returns the outputs of a cycle, `clock` is its edge.
class Machine {
 public:
  explicit Machine(const Params& params);
  void reset();
  [[nodiscard]] Outputs settle(const Inputs& in) const;
  void clock(const Inputs& in);
  /// A group pushed without a launch, for cases of the dispatch half alone.
  struct Push {
    bool group = false;
    U32 kd = 0, agei = kNone, param = 0;
    U64 dim = 0;
  };
  void clock(const Inputs& in, const Push& push);
  [[nodiscard]] Probes probes() const;
  [[nodiscard]] const LaunchState& launch() const { return l_; }
  [[nodiscard]] const DispatchState& dispatch() const { return d_; }
  /// Checks the invariants of the registers. Returns the violated one in words, or an empty string.
  [[nodiscard]] std::string broken() const;

 private:
  /// Decisions of the launch half in a cycle, from inputs and registers.
  struct Decisions {
    U32 ind = 0;
    bool match = false, taken = false, accept = false;
  };
  [[nodiscard]] Decisions decide(const Inputs& in) const;
  /// The item in the slot.
  struct Item {
    Dim dim;
    U32 param = 0, next = 0;
    bool ex = false, ey = false, ez = false;
    [[nodiscard]] bool last() const { return ex && ey && ez; }
  };
  [[nodiscard]] Item item() const;
  [[nodiscard]] bool reads() const { return d_.st == Slot::kReq && (d_.ro || !d_.lw); }
  [[nodiscard]] bool offers(const Inputs& in) const;
  void clock_launch(const Inputs& in);
  void clock_dispatch(const Inputs& in, const std::optional<Push>& pushed);
  [[nodiscard]] std::optional<Push> pushed(const Inputs& in) const;
  void select(U32 kernel, U32 group);
  void place(const DispatchState& was, const Item& item);
  void push(const Push& pushed);

  Params params_;
  LaunchState l_;
  DispatchState d_;
};

/// Untimed reference: for each kernel entry a queue of groups in the order in which they were attached. Observes the
/// ports of a run and reports the first error.
class Queues {
 public:
  explicit Queues(const Params& params) : params_(params), kernels_(params.NumKde) {}
  void see(const Inputs& in, const Outputs& out);
  [[nodiscard]] const std::string& problem() const { return problem_; }
  /// Returns true if every attached thread block has been distributed.
  [[nodiscard]] bool drained() const;
  [[nodiscard]] U64 thread_blocks() const { return thread_blocks_; }
  [[nodiscard]] U64 groups() const { return groups_; }

 private:
  struct Group {
    U32 agei = kNone, param = 0;
    U64 dim = 0, placed = 0;
    [[nodiscard]] U64 count() const;
  };
  void say(const std::string& what) {
    if (problem_.empty()) problem_ = what;
  }
  void see_taken(const Outputs& out);
  void see_attach(const Outputs& out);
  void see_kernel(const Inputs& in);
  void see_launch(const Inputs& in, const Outputs& out);

  Params params_;
  std::vector<std::deque<Group>> kernels_;
  std::optional<U32> now_;      ///< kernel table entry of which an item is partly placed
  std::deque<Group> accepted_;  ///< beats that have not left through att or fb
  std::deque<U32> levels_;      ///< of those
  U64 thread_blocks_ = 0, groups_ = 0;
  std::string problem_;
};

}  // namespace castor::dtbl::reference
