// API functions for registers of hardware blocks (castor_registers.h).

#include <cstdio>
#include <string>

#include "castor/gpu/register_error.h"
#include "castor_registers.h"
#include "runtime/session.h"

using namespace castor;
using namespace castor::runtime;

namespace {

unsigned access(Session& session, unsigned number, bool write, unsigned value) {
  session.check_fault();
  gpu::Device& device = session.device();
  const unsigned window = number / gpu::kRegisterWindow;
  if (const std::string why = device.refuses_registers(window); !why.empty()) {
    char text[32];
    std::snprintf(text, sizeof text, "register 0x%x: ", number);
    complain(text + why);
    throw ApiError{cudaErrorNotSupported};
  }
  const gpu::RegisterReply reply = device.access_register({window, write, number % gpu::kRegisterWindow, value});
  session.flush_prints();
  session.check_fault();
  if (reply.error != gpu::RegisterError::kNone) throw ApiError{static_cast<cudaError_t>(gpu::cuda_error(reply.error))};
  return reply.value;
}

}  // namespace

extern "C" {

cudaError_t castorRegisterRead(unsigned number, unsigned* value) {
  return api([&](Session& session) {
    need(value);
    *value = access(session, number, false, 0);
  });
}

cudaError_t castorRegisterWrite(unsigned number, unsigned value) {
  return api([&](Session& session) { access(session, number, true, value); });
}

}  // extern "C"
