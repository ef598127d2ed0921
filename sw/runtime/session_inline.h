#pragma once

// Definitions of the templates of session.h.

#include "castor/base/error.h"
#include "runtime/session.h"

namespace castor::runtime {

template <class F>
cudaError_t api(F body) {
  cudaError_t result = cudaSuccess;
  Session& session = Session::instance();
  if (session.called_from_host_call()) return last_error() = cudaErrorNotPermitted;
  try {
    const Session::Call call(session);
    body(session);
  } catch (const ApiError& error) {
    result = error.code;
  } catch (const base::InputError& error) {
    complain(error.what());
    result = cudaErrorInvalidValue;
  } catch (const base::Error& error) {
    session.end_failed(error);
  } catch (const std::bad_alloc&) {
    result = cudaErrorMemoryAllocation;
  }
  if (result != cudaSuccess && result != cudaErrorNotReady) last_error() = result;
  return result;
}

}  // namespace castor::runtime
