#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "castor_cc/ir_locks_access.h"
#include "castor_cc/ir_locks_function.h"

namespace castor::castor_cc {

/// Contiguous blocks of a function that are entered through the first one. clang writes blocks in the order of the
/// source. A loop therefore consists of the blocks from its head to its last back edge, including blocks that end in
/// `break` or `return`.
struct IrRegion {
  std::size_t head = 0;
  std::size_t last = 0;
  bool loop = false;  ///< edges to `head` begin the next iteration
  [[nodiscard]] bool contains(std::size_t block) const { return head <= block && block <= last; }
};

/// Edge that leaves a region; `to` is kReturn if the function ends there.
struct IrExit {
  static constexpr std::size_t kReturn = static_cast<std::size_t>(-1);
  std::size_t from = 0;
  std::size_t to = kReturn;
};

/// Loop that retries a lock, with the edges by which a lane may leave it after it has acquired the lock.
struct LockLoop {
  IrRegion region;
  std::vector<IrExit> exits;
};

/// Finder of the lock loops of one function.
class LockLoops {
 public:
  /// `function` and `values` must outlive this object.
  LockLoops(const IrFunction& function, const IrValues& values);

  /// Returns the lock loops, inner loops first. Does not include loops that are already rewritten: these contain a
  /// block named "castor.lock.".
  [[nodiscard]] const std::vector<LockLoop>& loops() const { return loops_; }
  /// Returns the accesses of the whole function, as its callers see them.
  [[nodiscard]] IrAccess summary() const;

  /// Prefix of the names of all new blocks and values.
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
  std::vector<bool> consumed_;  ///< blocks of the lock loops found so far
};

}  // namespace castor::castor_cc
