#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/hooks/hook.h"
#include "castor/gpu/job.h"
#include "castor/gpu/unit.h"

namespace castor::gpu {

/// Queue of accesses to registers of blocks by the host and by device code, served one after the other in the order of
/// the requests (docs/gpu/hooks.md, "Registers"). The oldest access is presented to the hook that serves its register
/// window, until the hook answers. An access to a window that no hook serves is answered with RegisterError::kNoBlock.
///
/// In a cycle: `begin` before all other work; `shown` and `answer` in any step behind it.
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

  /// Returns whether the reply to an access has arrived.
  [[nodiscard]] bool has_reply(std::uint64_t number) const { return replies_.count(number) != 0; }

  /// Adds a window that a hook serves. Called when the hook is attached.
  void serve(unsigned window) { served_.push_back(window); }
  [[nodiscard]] bool serves(unsigned window) const {
    return std::find(served_.begin(), served_.end(), window) != served_.end();
  }

  [[nodiscard]] bool empty() const { return accesses_.empty() && !shown_; }
  /// Starts a cycle. Answers the oldest access with kNoBlock if it is visible and no hook serves its window, and
  /// presents the access that is oldest then. Returns whether one was answered.
  bool begin(Cycle now);
  /// Returns the access to a window that is presented in this cycle; empty if there is none.
  [[nodiscard]] const Maybe<RegisterAccess>& shown(int window) const {
    return shown_ && static_cast<int>(shown_->window) == window ? shown_ : nothing_;
  }
  /// Answers the presented access. It stays presented for the rest of the cycle.
  void answer(const RegisterReply& reply, Cycle now);
  /// Returns the access that a hook has not answered yet; empty if there is none.
  [[nodiscard]] Maybe<RegisterAccess> open() const { return answered_ ? std::nullopt : shown_; }
  /// Returns a line about the access that a hook has not answered yet; empty if there is none.
  [[nodiscard]] std::string waiting() const;
  /// Returns the first cycle after `now` in which an access is presented or refused.
  [[nodiscard]] Cycle next(Cycle now) const {
    return accesses_.empty() || open() ? kForever : std::max(accesses_.front().visible, now + 1);
  }

 private:
  struct Access {
    std::uint64_t id = 0;  ///< number for `reply`; 0: the caller does not want the reply
    RegisterAccess access;
    Cycle visible = 0;
  };

  void finish(const RegisterReply& reply);

  std::vector<unsigned> served_;
  std::deque<Access> accesses_;
  Maybe<RegisterAccess> shown_;  // access presented in this cycle
  const Maybe<RegisterAccess> nothing_;
  bool answered_ = false;  // `shown_` is answered
  std::unordered_map<std::uint64_t, RegisterReply> replies_;
  std::uint64_t last_ = 0;
  base::Counter made_, errors_;
};

}  // namespace castor::gpu
