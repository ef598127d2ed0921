#include "castor/gpu/front_end/register_port.h"

#include <cstdio>

#include "castor/base/error.h"

namespace castor::gpu {

std::optional<RegisterReply> RegisterPort::reply(std::uint64_t number) {
  const auto found = replies_.find(number);
  if (found == replies_.end()) return std::nullopt;
  const RegisterReply reply = found->second;
  replies_.erase(found);
  return reply;
}

bool RegisterPort::begin(Cycle now) {
  shown_.reset();
  answered_ = false;
  const auto visible = [&] { return !accesses_.empty() && accesses_.front().visible <= now; };
  bool refused = false;
  if (visible() && !serves(accesses_.front().access.window)) {
    finish({RegisterError::kNoBlock, 0});
    refused = true;
  }
  if (visible() && serves(accesses_.front().access.window)) shown_ = accesses_.front().access;
  return refused;
}

void RegisterPort::answer(const RegisterReply& reply, Cycle now) {
  CASTOR_ASSERT_AT(now, open().has_value(), "a hook answers an access that nobody made");
  finish(reply);
  answered_ = true;
}

void RegisterPort::finish(const RegisterReply& reply) {
  ++made_;
  if (reply.error != RegisterError::kNone) ++errors_;
  if (accesses_.front().id != 0) replies_[accesses_.front().id] = reply;
  accesses_.pop_front();
}

std::string RegisterPort::waiting() const {
  const Maybe<RegisterAccess> access = open();
  if (!access) return {};
  char number[16];
  std::snprintf(number, sizeof number, "0x%x", access->window * kRegisterWindow + access->offset);
  return std::string(access->write ? "write to" : "read of") + " register " + number +
         " is not answered by the block that serves it\n";
}

}  // namespace castor::gpu
