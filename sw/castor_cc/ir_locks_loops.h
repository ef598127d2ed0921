#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "castor_cc/ir_locks_access.h"
#include "castor_cc/ir_locks_function.h"

namespace castor::castor_cc {

/// Blocks of a function that stand together and are entered through the first one. clang writes blocks in the order of
/// the source, so a loop's are those from its head to its last back edge, also where they end in `break` or `return`.
struct IrRegion {
  std::size_t head = 0;
  std::size_t last = 0;
  bool loop = false;  ///< edges to `head` begin the next iteration
  [[nodiscard]] bool contains(std::size_t block) const { return head <= block && block <= last; }
};

/// An edge that leaves a region; `to` is kReturn where the function ends.
struct IrExit {
  static constexpr std::size_t kReturn = static_cast<std::size_t>(-1);
  std::size_t from = 0;
  std::size_t to = kReturn;
};

/// A loop that retries a lock, and its edges that a lane may leave it by after it has got the lock.
struct LockLoop {
  IrRegion region;
  std::vector<IrExit> exits;
};

/// Finds the lock loops of one function.
class LockLoops {
 public:
  /// Both must outlive this.
  LockLoops(const IrFunction& function, const IrValues& values);

  /// Inner loops before those around them. Not those that are rewritten: they have a block called "castor.lock.".
  [[nodiscard]] const std::vector<LockLoop>& loops() const { return loops_; }
  /// What the whole function does, for its callers.
  [[nodiscard]] IrAccess summary() const;

  /// What the names of all new blocks and values begin with.
  static constexpr std::string_view kHead = "castor.lock.";

 private:
  void find_regions();
  void add_longer(const IrRegion& loop);
  [[nodiscard]] bool single_entry(const IrRegion& region) const;
  [[nodiscard]] bool retries(const IrRegion& region) const;
  [[nodiscard]] std::vector<bool> reached(const IrRegion& region, std::size_t from, std::size_t without) const;
  [[nodiscard]] bool leaves(const IrRegion& region, std::size_t from, std::size_t without) const;
  [[nodiscard]] std::vector<bool> chosen(const IrRegion& region, std::size_t acquisition) const;
  [[nodiscard]] std::vector<bool> owner_blocks(const IrRegion& region, std::size_t acquisition) const;
  [[nodiscard]] std::vector<IrExit> exits_of(const IrRegion& region, const std::vector<bool>& from) const;
  [[nodiscard]] std::vector<std::size_t> acquisitions(const IrRegion& region) const;
  void consume(const IrRegion& region);

  const IrFunction& function_;
  const IrValues& values_;
  std::vector<IrRegion> regions_;
  std::vector<LockLoop> loops_;
  std::vector<bool> consumed_;  ///< blocks of lock loops found so far
};

}  // namespace castor::castor_cc
