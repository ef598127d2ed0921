#pragma once

#include <optional>
#include <vector>

/// Warp scheduling in its plain form: lists of thread blocks (CTAs) with insertion and removal, and the schedulers' own
/// policies. No cycles, no registers, no widths (docs/blocks/saws.md, "Verification").
namespace castor::saws::reference {

/// Options of the algorithm.
struct Rules {
  unsigned floor = 1;          ///< least value of the promotion register P
  bool by_age = false;         ///< the switch leaves the greedy CTA where it is
  bool demote_at_hit = false;  ///< a promoting hit moves the CTA to the tail of its own scheduler's list
  bool toggling = true;        ///< every other barrier of a CTA is not promoted
};

/// The lists of an SM's schedulers, in priority order.
class Lists {
 public:
  Lists(unsigned schedulers, const Rules& rules) : rules_(rules), schedulers_(schedulers) {}

  /// Begins a kernel without CTAs. Order: by age, or with promotion from the start.
  void launch(bool saws, bool toggling);

  /// Places a CTA that owns warps of the schedulers `on`.
  void place(unsigned cta, const std::vector<unsigned>& on);
  void remove(unsigned cta);

  /// Begins promotion. `greedy`: per scheduler the CTA of its greedy warp, if it has one.
  void start_saws(const std::vector<std::optional<unsigned>>& greedy);

  /// Processes the first arrival of the CTA at a barrier, on scheduler `from`. All effects take place at once, as the
  /// published algorithm is written.
  void first_hit(unsigned cta, unsigned from, const std::vector<std::optional<unsigned>>& greedy);
  /// Demotes the CTA on scheduler `on`: its last live warp there waits at an open barrier.
  void all_blocked(unsigned cta, unsigned on) { demote(cta, on); }
  /// Processes both events at once, as a machine broadcasts them.
  void message(unsigned cta, unsigned from, bool hit, bool all_blocked);

  /// Returns true if this first arrival promotes the CTA, and inverts the CTA's toggle. For a machine in which the
  /// message arrives later.
  [[nodiscard]] bool hit_promotes(unsigned cta);

  [[nodiscard]] bool saws() const { return saws_; }
  [[nodiscard]] bool toggle(unsigned cta) const { return cta >= toggles_.size() || toggles_[cta]; }
  /// Returns the CTAs of a scheduler, the head first.
  [[nodiscard]] const std::vector<unsigned>& order(unsigned scheduler) const { return schedulers_[scheduler].order; }
  [[nodiscard]] unsigned p(unsigned scheduler) const { return schedulers_[scheduler].p; }
  /// Returns the position of the CTA in the list; nothing if it is not in the list.
  [[nodiscard]] std::optional<unsigned> position(unsigned cta, unsigned scheduler) const;

 private:
  struct Scheduler {
    std::vector<unsigned> order;
    unsigned p = 1;
  };
  void promote(unsigned cta, unsigned from);
  void demote(unsigned cta, unsigned on);
  void lower(Scheduler& scheduler) const;

  Rules rules_;
  std::vector<Scheduler> schedulers_;
  std::vector<bool> toggles_;  // of CTAs that were seen; all others 1
  bool saws_ = false;
};

/// The warps of one scheduler in one cycle, by local index.
struct Warps {
  std::vector<bool> ready;    ///< could issue
  std::vector<bool> live;     ///< placed and not exited; the two-level policy asks
  std::vector<bool> waiting;  ///< for a long-latency load; the two-level policy asks
};

/// Reference of a scheduling policy of one scheduler. For each pick, call `pick`, then `issued` if the instruction
/// issues. With more than one pick per cycle the caller numbers them and removes issued warps from `ready`.
class Picker {
 public:
  explicit Picker(unsigned warps) : cta_(warps) {}
  Picker(const Picker&) = delete;
  Picker& operator=(const Picker&) = delete;
  virtual ~Picker() = default;

  /// Begins a kernel without CTAs.
  virtual void launch();
  /// Places a CTA with these warps (local indices, at least one). A CTA placed later is younger.
  virtual void place(unsigned cta, const std::vector<unsigned>& warps);
  virtual void free(unsigned cta);

  [[nodiscard]] virtual std::optional<unsigned> pick(const Warps& warps, unsigned number) const = 0;
  virtual void issued(unsigned warp, unsigned number) = 0;

 protected:
  [[nodiscard]] unsigned size() const { return static_cast<unsigned>(cta_.size()); }
  /// The CTA of a warp, and when it was placed.
  struct Owner {
    unsigned cta = 0;
    unsigned long age = 0;
  };
  [[nodiscard]] const std::optional<Owner>& owner(unsigned warp) const { return cta_[warp]; }
  /// Returns the first ready warp after `last`, in circular order, for which `in_set(warp)` is true.
  template <class InSet>
  [[nodiscard]] std::optional<unsigned> next_in_circle(const Warps& warps, unsigned last, InSet in_set) const {
    for (unsigned step = 1; step <= size(); ++step) {
      const unsigned warp = (last + step) % size();
      if (warps.ready[warp] && in_set(warp)) return warp;
    }
    return std::nullopt;
  }
  [[nodiscard]] std::optional<unsigned> oldest(const Warps& warps) const;

 private:
  std::vector<std::optional<Owner>> cta_;
  unsigned long placed_ = 0;
};

/// Loose round robin.
class Lrr final : public Picker {
 public:
  explicit Lrr(unsigned warps) : Picker(warps), last_(warps - 1) {}
  void launch() override;
  [[nodiscard]] std::optional<unsigned> pick(const Warps& warps, unsigned number) const override;
  void issued(unsigned warp, unsigned number) override;

 private:
  unsigned last_;
};

/// Oldest first.
class Oldest final : public Picker {
 public:
  using Picker::Picker;
  [[nodiscard]] std::optional<unsigned> pick(const Warps& warps, unsigned number) const override;
  void issued(unsigned warp, unsigned number) override;
};

/// Greedy then oldest; one greedy warp per pick of a cycle.
class Gto final : public Picker {
 public:
  explicit Gto(unsigned warps, unsigned picks = 1) : Picker(warps), greedy_(picks) {}
  void launch() override;
  void free(unsigned cta) override;
  [[nodiscard]] std::optional<unsigned> pick(const Warps& warps, unsigned number) const override;
  void issued(unsigned warp, unsigned number) override;

  /// Returns the greedy warp, if there is one.
  [[nodiscard]] std::optional<unsigned> greedy(unsigned number = 0) const { return greedy_[number]; }
  /// Returns the CTA of the greedy warp; nothing if the warp's slot is free.
  [[nodiscard]] std::optional<unsigned> greedy_cta(unsigned number = 0) const;

 private:
  std::vector<std::optional<unsigned>> greedy_;
};

/// Two-level: groups of neighbouring warps; the active one is left only while all its warps wait for loads.
class TwoLevel final : public Picker {
 public:
  explicit TwoLevel(unsigned warps, unsigned group = 8);
  void launch() override;
  [[nodiscard]] std::optional<unsigned> pick(const Warps& warps, unsigned number) const override;
  void issued(unsigned warp, unsigned number) override;

 private:
  unsigned group_;
  unsigned active_ = 0;
  std::vector<unsigned> last_;  // of each group
};

/// CTA-aware two-level: groups of CTAs; the active one is left when none of its warps is ready.
class Catls final : public Picker {
 public:
  explicit Catls(unsigned warps, unsigned min_warps = 8);
  void launch() override;
  void place(unsigned cta, const std::vector<unsigned>& warps) override;
  void free(unsigned cta) override;
  [[nodiscard]] std::optional<unsigned> pick(const Warps& warps, unsigned number) const override;
  void issued(unsigned warp, unsigned number) override;

 private:
  unsigned min_warps_;
  unsigned active_ = 0;
  std::vector<std::optional<unsigned>> group_of_;  // of each warp
  std::vector<unsigned> last_;                     // of each group
};

}  // namespace castor::saws::reference
