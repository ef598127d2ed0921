#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>

#include "castor/base/statistics.h"
#include "castor/gpu/job.h"
#include "castor/gpu/unit.h"

namespace castor::gpu {

/// Accesses of the host to the registers of blocks, one after the other in the order in which they were made
/// (docs/gpu/hooks.md, "Hooks", Registers). The oldest is shown to whom its window belongs until that answers; one to a
/// window that nobody serves is answered with an address error.
///
/// In a cycle: `refuse_unserved` before anything else; `head` and `answer` in F8.
class RegisterPort {
 public:
  explicit RegisterPort(base::StatisticGroup& statistics)
      : made_(statistics, {"register_accesses", "", "accesses to registers of blocks"}),
        errors_(statistics, {"register_errors", "", "of them those that were refused"}) {}

  /// An access that is seen from cycle `visible` on. Returns a number for `reply`, or 0 for one whose reply nobody
  /// wants.
  std::uint64_t access(const RegisterAccess& access, Cycle visible, bool wanted) {
    ++last_;
    accesses_.push_back({wanted ? last_ : 0, access, visible});
    return wanted ? last_ : 0;
  }
  /// The reply, once; empty while there is none.
  [[nodiscard]] std::optional<RegisterReply> reply(std::uint64_t number);

  [[nodiscard]] bool empty() const { return accesses_.empty(); }
  /// The oldest access is answered if it is visible and not to `served`, the one window that is served (-1 = none).
  /// True if it was.
  bool refuse_unserved(int served, Cycle now);
  /// The oldest access, if it is visible and to the window that is served.
  [[nodiscard]] std::optional<RegisterAccess> head(int served, Cycle now) const;
  /// To the oldest access.
  void answer(const RegisterReply& reply, Cycle now);
  /// First cycle after `now` in which there is an access to be looked at.
  [[nodiscard]] Cycle next(Cycle now) const {
    return accesses_.empty() ? kForever : std::max(accesses_.front().visible, now + 1);
  }

 private:
  struct Access {
    std::uint64_t id = 0;  ///< 0: nobody waits
    RegisterAccess access;
    Cycle visible = 0;
  };

  std::deque<Access> accesses_;
  std::unordered_map<std::uint64_t, RegisterReply> replies_;
  std::uint64_t last_ = 0;
  base::Counter made_, errors_;
};

}  // namespace castor::gpu
