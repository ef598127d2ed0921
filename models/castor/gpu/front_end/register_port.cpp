#include "castor/gpu/front_end/register_port.h"

#include "castor/base/error.h"

namespace castor::gpu {

std::optional<RegisterReply> RegisterPort::reply(std::uint64_t number) {
  const auto found = replies_.find(number);
  if (found == replies_.end()) return std::nullopt;
  const RegisterReply reply = found->second;
  replies_.erase(found);
  return reply;
}

bool RegisterPort::refuse_unserved(int served, Cycle now) {
  if (accesses_.empty() || accesses_.front().visible > now) return false;
  if (served >= 0 && accesses_.front().access.window == static_cast<unsigned>(served)) return false;
  answer({RegisterError::kAddress, 0}, now);
  return true;
}

std::optional<RegisterAccess> RegisterPort::head(int served, Cycle now) const {
  if (accesses_.empty() || accesses_.front().visible > now) return std::nullopt;
  if (served < 0 || accesses_.front().access.window != static_cast<unsigned>(served)) return std::nullopt;
  return accesses_.front().access;
}

void RegisterPort::answer(const RegisterReply& reply, Cycle now) {
  CASTOR_ASSERT_AT(now, !accesses_.empty(), "a hook answers an access that nobody made");
  ++made_;
  if (reply.error != RegisterError::kNone) ++errors_;
  if (accesses_.front().id != 0) replies_[accesses_.front().id] = reply;
  accesses_.pop_front();
}

}  // namespace castor::gpu
