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

/// Queue of the host's accesses to registers of blocks, served one after the other in the order of the requests
/// (docs/gpu/hooks.md, "Hooks", Registers). The oldest access is presented to the block that serves its register
/// window, until the block answers. An access to a window that no block serves is answered with an address error.
///
/// In a cycle: `refuse_unserved` before all other work; `head` and `answer` in F8 (parse).
class RegisterPort {
 public:
  explicit RegisterPort(base::StatisticGroup& statistics)
      : made_(statistics, {"register_accesses", "", "accesses to registers of blocks"}),
        errors_(statistics, {"register_errors", "", "accesses to registers of blocks that were refused"}) {}

  /// Appends an access that is visible from cycle `visible` on. Returns a number for `reply`, or 0 if the caller does
  /// not want (`wanted`) the reply.
  std::uint64_t access(const RegisterAccess& access, Cycle visible, bool wanted) {
    ++last_;
    accesses_.push_back({wanted ? last_ : 0, access, visible});
    return wanted ? last_ : 0;
  }
  /// Returns the reply to an access, once; empty while no reply has arrived.
  [[nodiscard]] std::optional<RegisterReply> reply(std::uint64_t number);

  [[nodiscard]] bool empty() const { return accesses_.empty(); }
  /// Answers the oldest access with an address error if it is visible and not to window `served` (-1: no window is
  /// served). Returns whether it was answered.
  bool refuse_unserved(int served, Cycle now);
  /// Returns the oldest access if it is visible and to the served window.
  [[nodiscard]] std::optional<RegisterAccess> head(int served, Cycle now) const;
  /// Answers the oldest access.
  void answer(const RegisterReply& reply, Cycle now);
  /// Returns the first cycle after `now` in which an access can be served.
  [[nodiscard]] Cycle next(Cycle now) const {
    return accesses_.empty() ? kForever : std::max(accesses_.front().visible, now + 1);
  }

 private:
  struct Access {
    std::uint64_t id = 0;  ///< number for `reply`; 0: the caller does not want the reply
    RegisterAccess access;
    Cycle visible = 0;
  };

  std::deque<Access> accesses_;
  std::unordered_map<std::uint64_t, RegisterReply> replies_;
  std::uint64_t last_ = 0;
  base::Counter made_, errors_;
};

}  // namespace castor::gpu
