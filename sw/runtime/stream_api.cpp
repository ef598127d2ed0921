// Runtime API: streams, events, host functions, synchronisation.

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
    session.graphs().captures().refuse_device_wait();
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
  return api([&](Session& session) {
    if (stream != nullptr) session.graphs().captures().leave(session.streams().of(stream));
    session.streams().destroy(stream);
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  return api([&](Session& session) {
    if (flags > cudaEventWaitExternal) throw ApiError{cudaErrorInvalidValue};
    session.check_fault();
    Stream& target = session.streams().of(stream);
    const Event& awaited = session.streams().event_of(event);
    Captures& captures = session.graphs().captures();
    if (flags == cudaEventWaitExternal) {
      if (!captures.takes(target)) throw ApiError{cudaErrorInvalidValue};
      captures.add(target, EventWaitWork{event});
      return;
    }
    if (!captures.wait(target, awaited)) session.streams().wait(target, awaited);
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* userData,
                                  unsigned int flags) {
  return api([&](Session& session) {
    if (callback == nullptr || flags != 0) throw ApiError{cudaErrorInvalidValue};
    session.check_fault();
    if (session.graphs().captures().takes(session.streams().of(stream))) {
      throw ApiError{cudaErrorStreamCaptureUnsupported};
    }
    session.submit_host_function(
        session.streams().of(stream), [=](cudaError_t status) { callback(stream, status, userData); }, true);
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void* userData) {
  return api([&](Session& session) {
    if (fn == nullptr) throw ApiError{cudaErrorInvalidValue};
    session.check_fault();
    Stream& target = session.streams().of(stream);
    if (session.graphs().captures().takes(target)) {
      session.graphs().captures().add(target, HostWork{{fn, userData}});
      return;
    }
    session.submit_host_function(
        target, [=](cudaError_t /*status*/) { fn(userData); }, false);
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return api([&](Session& session) {
    Stream& target = session.streams().of(stream);
    session.graphs().captures().refuse_wait(target);
    session.synchronize(target);
    synchronized(session);
  });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return api([&](Session& session) {
    Stream& target = session.streams().of(stream);
    session.graphs().captures().refuse_wait(target);
    session.streams().submit_job(target);
    session.charge(gpu::HostCall::kQuery);
    session.check_fault();
    if (!session.device().complete(target.last)) throw ApiError{cudaErrorNotReady};
  });
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* devPtr, size_t /*length*/, unsigned int /*flags*/) {
  return api([&](Session& session) {
    if (session.graphs().captures().takes(session.streams().of(stream))) {
      throw ApiError{cudaErrorStreamCaptureUnsupported};
    }
    if (!session.device_address(devPtr)) throw ApiError{cudaErrorInvalidValue};
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

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
  return api([&](Session& session) {
    if (flags > cudaEventRecordExternal) throw ApiError{cudaErrorInvalidValue};
    Event& target = session.streams().event_of(event);
    session.check_fault();
    Stream& recorded = session.streams().of(stream);
    Captures& captures = session.graphs().captures();
    const bool captured = captures.takes(recorded);
    if (flags == cudaEventRecordExternal) {
      if (!captured) throw ApiError{cudaErrorInvalidValue};
      captures.add(recorded, EventRecordWork{event});
    } else if (captured) {
      captures.record(recorded, target);
    } else {
      session.streams().record(target, recorded);
    }
  });
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return api([&](Session& session) {
    const Event& target = session.streams().event_of(event);
    session.graphs().captures().refuse_wait(target);
    session.charge(gpu::HostCall::kQuery);
    session.check_fault();
    if (target.recorded && !session.device().complete(target.ticket)) throw ApiError{cudaErrorNotReady};
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return api([&](Session& session) {
    const Event& target = session.streams().event_of(event);
    session.graphs().captures().refuse_wait(target);
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
    if (first.capture != 0 || last.capture != 0) throw ApiError{cudaErrorCapturedEvent};
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
