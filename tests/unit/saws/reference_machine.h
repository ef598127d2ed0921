#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "castor/saws/ports.h"
#include "unit/saws/reference.h"

namespace castor::saws::reference {

/// The block put together from the plain parts: lists, GTO pickers with ages, one object per warp, CTA and message, and
/// what happens in which cycle (docs/blocks/saws.md, "Cycle"). As slow as it is plain.
///
/// It also keeps an account of what must hold in every run: `problems()` lists what did not.
class Machine {
 public:
  explicit Machine(const Params& params);

  [[nodiscard]] Outputs settle(const Inputs& in) const;
  void clock(const Inputs& in);
  void reset() { start(0, true); }
  [[nodiscard]] Probes probes() const;

  [[nodiscard]] const Lists& lists() const { return lists_; }
  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }

  /// Counts of events, so that a test can check that they occurred.
  struct Seen {
    std::uint64_t picks = 0, greedy_picks = 0, switches = 0, messages = 0, killed = 0, moves = 0, hits = 0,
                  promoting = 0, all_blocked = 0, lost = 0, errors[3] = {};
    void add(const Seen& other);
  };
  [[nodiscard]] const Seen& seen() const { return seen_; }

 private:
  struct Warp {
    bool allocated = false, live = false, blocked = false;
    unsigned cta = 0;
  };
  struct Cta {
    bool used = false;
    std::vector<unsigned> warps;
    std::uint64_t hits = 0, promoting = 0;
  };
  struct Message {
    unsigned cta = 0;
    bool hit = false, all_blocked = false, killed = false;
    std::uint64_t waited = 0, operations = 0;  ///< cycles in the queue, and CTA operations among them
  };
  /// An event of this cycle that counted.
  struct Accepted {
    unsigned scheduler = 0, cta = 0;
    bool hit = false;
  };

  void start(unsigned mode, bool toggling);
  [[nodiscard]] std::optional<unsigned> pick(unsigned scheduler, const Inputs& in) const;
  [[nodiscard]] Warps warps_of(unsigned scheduler, const Inputs& in) const;
  void broadcast();
  [[nodiscard]] std::vector<Accepted> events(const Inputs& in);
  void send(const std::vector<Accepted>& accepted, const std::vector<std::size_t>& held, const Inputs& in);
  void place(const Inputs& in);
  void free(unsigned cta);
  void error(unsigned bit) {
    error_ |= 1U << bit;
    ++seen_.errors[bit];
  }
  void check();
  void problem(const std::string& what);
  [[nodiscard]] unsigned warp(unsigned scheduler, unsigned local) const { return local * params_.NumSched + scheduler; }

  Params params_;
  Lists lists_;
  std::vector<std::unique_ptr<Gto>> gto_;
  std::vector<unsigned> greedy_register_;  // the last greedy warp, also when it is none any more
  std::vector<Warp> warps_;
  std::vector<Cta> ctas_;
  std::vector<std::deque<Message>> queues_;
  unsigned turn_ = 0, selected_ = 0, error_ = 0;
  bool toggling_ = true;
  unsigned switched_ = 0;  // in this kernel
  std::uint64_t cycle_ = 0;
  std::vector<std::string> problems_;
  Seen seen_;
};

}  // namespace castor::saws::reference
