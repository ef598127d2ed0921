#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "castor/laperm/params.h"
#include "castor/laperm/ports.h"

/// References for the scheduler LaPerm. One is a machine with cycles, with the rules written down one after the other
/// in plain lists, readable and slow. The other has untimed queues without chip and memory.
namespace castor::laperm::reference {

/// A kernel or group with thread blocks that are not placed yet.
struct Item {
  U32 kd = 0;
  U64 agei = 0, cnt = 0, dim = 0, param = 0;
};
[[nodiscard]] bool operator==(const Item& a, const Item& b);
/// Returns an item in its memory format: {kd, agei, cnt, dim, param}, param in the low bits.
[[nodiscard]] Entry packed(const Item& item, const Params& params);
[[nodiscard]] Item unpacked(const Entry& entry, const Params& params);

/// Returns the queue set of an SM. TB-Pri has one set for all SMs.
[[nodiscard]] U32 set_of(U32 sm, U32 policy, const Params& params);

/// Registers.
struct State {
  struct Need {
    U32 warps = 0, regs = 0, smem = 0;
  };
  struct Parked {
    Item item;
    U32 level = 0, sm = 0;  ///< as pushed
  };
  struct Request {
    bool write = false;
    U32 list = 0, idx = 0;
    Item item;
  };
  struct Reply {
    U32 list = 0;
    Item item;
  };
  U32 cur = 0;
  std::vector<std::deque<Item>> chip;  ///< each list's entries on chip, oldest first
  std::vector<U64> nx;                 ///< next thread block of its head
  std::vector<U32> oc, oh, fl;         ///< each list: entries in memory, index of the oldest, reads in flight
  std::vector<U32> n, rs;              ///< each set: entries on chip, slots promised to reads
  std::deque<Item> host;               ///< queue 0
  U64 nx0 = 0;
  std::vector<Need> need;
  std::vector<U32> qd;  ///< items of each kernel that wait
  std::vector<U32> bk;  ///< backup set of each SM
  std::vector<bool> fit;
  std::optional<Parked> pk;
  std::optional<Request> rq;
  std::deque<U32> tags;
  std::optional<Reply> rf;
  U32 rc = 0;
  bool tn = false;
  U32 err = 0;
};

/// Reference machine with cycles. `settle` returns the outputs of a cycle, `clock` is its edge.
class Machine {
 public:
  explicit Machine(const Params& params);
  void reset();
  [[nodiscard]] Outputs settle(const Inputs& in) const;
  void clock(const Inputs& in);
  [[nodiscard]] Probes probes() const;
  [[nodiscard]] const State& state() const { return s_; }
  /// Checks the invariants of the registers. Returns the violated one in words, or an empty string.
  [[nodiscard]] std::string broken() const;

 private:
  /// Result of the examination in a cycle.
  struct Choice {
    U32 stage = 0;
    bool starve = false, new_backup = false, fits = false, last = false;
    U32 list = 0;    ///< list of stages 1 and 3
    U32 backup = 0;  ///< backup set of stage 3
    Item item;
    U64 pos = 0;
  };
  [[nodiscard]] Choice choose(const Inputs& in) const;
  [[nodiscard]] bool waiting() const;
  [[nodiscard]] bool has(U32 set) const { return s_.n[set] > 0; }
  [[nodiscard]] bool busy(U32 set) const;
  [[nodiscard]] bool in_memory(U32 set) const;
  [[nodiscard]] U32 top(U32 set) const;  ///< list of the highest level with entries on chip
  [[nodiscard]] U32 limit(U32 policy) const;
  [[nodiscard]] bool refill_possible(const Inputs& in, std::optional<U32> inserted) const;
  [[nodiscard]] bool room_for_one(U32 set, std::optional<U32> inserted, U32 policy) const;

  void place(const Choice& choice, State& to) const;
  void reply(const Inputs& in, State& to);
  struct Handled {
    bool wrote = false;
    std::optional<U32> inserted;  ///< set
  };
  Handled item(const Inputs& in, State& to);
  void refill(const Inputs& in, const Handled& handled, State& to);

  Params params_;
  State s_;
  U32 policy_ = kAdaptiveBind;  ///< as last clocked, for `broken`
  // Copies that no hardware has: the contents of memory, and the expected data of reads in flight.
  std::vector<std::deque<Item>> memory_;
  std::deque<Item> fetched_;
  std::string complaint_;
};

/// Untimed reference: for each set and level all items in the order of their pushes, wherever they are stored. Observes
/// the ports of a run, and of the registers only which items are on chip. Reports the first error.
class Queues {
 public:
  explicit Queues(const Params& params) : params_(params), lists_(params.lists()), items_(params.NumKd) {}
  void see(const Inputs& in, const Outputs& out, const Probes& probes);
  [[nodiscard]] const std::string& problem() const { return problem_; }
  /// Returns true if every pushed thread block has been placed.
  [[nodiscard]] bool drained() const;
  [[nodiscard]] U64 thread_blocks() const { return thread_blocks_; }
  [[nodiscard]] U64 pushed() const { return pushed_; }

 private:
  struct Waiting {
    Item item;
    U64 placed = 0;
  };
  void say(const std::string& what) {
    if (problem_.empty()) problem_ = what;
  }
  void see_push(const Inputs& in, const Outputs& out);
  void see_place(const Inputs& in, const Outputs& out, const Probes& probes);
  [[nodiscard]] bool none_of(U32 set) const;
  [[nodiscard]] std::deque<Waiting>& list_of(U32 level, U32 sm, U32 policy);

  Params params_;
  std::vector<std::deque<Waiting>> lists_;
  std::deque<Waiting> host_;
  std::vector<U64> items_;  ///< items by kernel
  struct Coming {
    Item item;
    U32 level = 0, sm = 0;
  };
  std::optional<Coming> coming_;  ///< push that was accepted; it counts when the next one may be accepted
  U64 thread_blocks_ = 0, pushed_ = 0;
  std::string problem_;
};

}  // namespace castor::laperm::reference
