// Streams, events, host functions, synchronisation.

#include <algorithm>

#include "castor/gpu/machine.h"
#include "cuda_runtime_api.h"
#include "runtime/session.h"

using namespace castor;
using namespace castor::runtime;

namespace {

constexpr int kLeastPriority = 0;
constexpr int kGreatestPriority = -5;

constexpr unsigned kEventFlags = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;

void synchronized(Session& session) { session.charge(gpu::HostCall::kSynchronize); }

}  // namespace

extern "C" {

cudaError_t cudaDeviceSynchronize(void) {
  return api([&](Session& session) {
    session.synchronize_device();
    synchronized(session);
  });
}
cudaError_t cudaThreadSynchronize(void) { return cudaDeviceSynchronize(); }

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* pStream, unsigned int flags, int priority) {
  return api([&](Session& session) {
    need(pStream);
    *pStream = session.streams().create(flags, std::clamp(priority, kGreatestPriority, kLeastPriority));
  });
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* pStream, unsigned int flags) {
  return cudaStreamCreateWithPriority(pStream, flags, kLeastPriority);
}
cudaError_t cudaStreamCreate(cudaStream_t* pStream) { return cudaStreamCreateWithFlags(pStream, cudaStreamDefault); }

cudaError_t cudaDeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority) {
  return api([&](Session&) {
    if (leastPriority != nullptr) *leastPriority = kLeastPriority;
    if (greatestPriority != nullptr) *greatestPriority = kGreatestPriority;
  });
}

cudaError_t cudaStreamGetPriority(cudaStream_t hStream, int* priority) {
  return api([&](Session& session) {
    need(priority);
    *priority = session.streams().of(hStream).priority;
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t hStream, unsigned int* flags) {
  return api([&](Session& session) {
    need(flags);
    *flags = session.streams().of(hStream).flags;
  });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return api([&](Session& session) { session.streams().destroy(stream); });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  return api([&](Session& session) {
    if (flags != 0) throw ApiError{cudaErrorInvalidValue};
    session.check_fault();
    session.streams().wait(session.streams().of(stream), session.streams().event_of(event));
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* userData,
                                  unsigned int flags) {
  return api([&](Session& session) {
    if (callback == nullptr || flags != 0) throw ApiError{cudaErrorInvalidValue};
    session.check_fault();
    session.submit_host_function(
        session.streams().of(stream), [=](cudaError_t status) { callback(stream, status, userData); }, true);
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void* userData) {
  return api([&](Session& session) {
    if (fn == nullptr) throw ApiError{cudaErrorInvalidValue};
    session.check_fault();
    session.submit_host_function(
        session.streams().of(stream), [=](cudaError_t /*status*/) { fn(userData); }, false);
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return api([&](Session& session) {
    Stream& target = session.streams().of(stream);
    session.synchronize(target);
    synchronized(session);
  });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return api([&](Session& session) {
    Stream& target = session.streams().of(stream);
    session.streams().submit_job(target);
    session.charge(gpu::HostCall::kQuery);
    session.check_fault();
    if (!session.device().complete(target.last)) throw ApiError{cudaErrorNotReady};
  });
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* devPtr, size_t /*length*/, unsigned int /*flags*/) {
  return api([&](Session& session) {
    static_cast<void>(session.streams().of(stream));
    if (!session.device_address(devPtr)) throw ApiError{cudaErrorInvalidValue};
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus* pCaptureStatus) {
  return api([&](Session& session) {
    need(pCaptureStatus);
    static_cast<void>(session.streams().of(stream));
    *pCaptureStatus = cudaStreamCaptureStatusNone;
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  return api([&](Session& session) {
    need(event);
    if ((flags & ~kEventFlags) != 0) throw ApiError{cudaErrorInvalidValue};
    *event = session.streams().create_event(flags);
  });
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return api([&](Session& session) {
    Event& target = session.streams().event_of(event);
    session.check_fault();
    session.streams().record(target, session.streams().of(stream));
  });
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
  if (flags != 0) return last_error() = cudaErrorInvalidValue;
  return cudaEventRecord(event, stream);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return api([&](Session& session) {
    const Event& target = session.streams().event_of(event);
    session.charge(gpu::HostCall::kQuery);
    session.check_fault();
    if (target.recorded && !session.device().complete(target.ticket)) throw ApiError{cudaErrorNotReady};
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return api([&](Session& session) {
    const Event& target = session.streams().event_of(event);
    if (target.recorded) session.wait_for(target.ticket);
    synchronized(session);
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return api([&](Session& session) { session.streams().destroy_event(event); });
}

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
  return api([&](Session& session) {
    need(ms);
    const Event& first = session.streams().event_of(start);
    const Event& last = session.streams().event_of(end);
    if (!first.recorded || !last.recorded || ((first.flags | last.flags) & cudaEventDisableTiming) != 0) {
      throw ApiError{cudaErrorInvalidResourceHandle};
    }
    session.check_fault();
    const gpu::Device& device = session.device();
    if (!device.complete(first.ticket) || !device.complete(last.ticket)) throw ApiError{cudaErrorNotReady};
    const auto begin = static_cast<double>(device.completion_time(first.ticket));
    const auto finish = static_cast<double>(device.completion_time(last.ticket));
    *ms = static_cast<float>((finish - begin) / static_cast<double>(base::kPicosecondsPerMillisecond));
  });
}

}  // extern "C"
