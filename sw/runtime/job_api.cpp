// Streams with deadlines (castor_jobs.h).

#include "castor/base/error.h"
#include "castor/gpu/machine.h"
#include "castor_jobs.h"
#include "runtime/session.h"

using namespace castor;
using namespace castor::runtime;

namespace {

// A query costs at least this much simulated time, so that a polling loop ends.
constexpr double kQueryMicroseconds = 1.0;

Stream& job_stream(Session& session, cudaStream_t handle) {
  Stream& stream = session.stream_of(handle);
  if (!stream.job) throw ApiError{cudaErrorInvalidResourceHandle};
  return stream;
}

void fill(castorJobInfo* info, const gpu::JobSignal& signal) {
  if (info == nullptr) return;
  info->status = static_cast<castorJobStatus>(signal.status);
  info->reason = static_cast<castorJobReason>(signal.reason);
  info->cycles = signal.value;
}

bool over(gpu::JobStatus status) { return status != gpu::JobStatus::kPending && status != gpu::JobStatus::kAccepted; }

}  // namespace

extern "C" {

cudaError_t castorStreamCreateWithDeadline(cudaStream_t* stream, unsigned long long deadlineNs, unsigned flags) {
  return api([&](Session& session) {
    if (stream == nullptr || flags != 0) throw ApiError{cudaErrorInvalidValue};
    session.check_fault();
    *stream = session.create_job_stream(deadlineNs);
  });
}

cudaError_t castorStreamSubmit(cudaStream_t stream) {
  return api([&](Session& session) {
    Stream& target = job_stream(session, stream);
    session.check_fault();
    session.charge(session.device().machine().host.launch_us);
    session.submit_job(target);
  });
}

cudaError_t castorStreamPoll(cudaStream_t stream, castorJobInfo* info) {
  return api([&](Session& session) {
    const Stream& target = job_stream(session, stream);
    session.charge(kQueryMicroseconds);
    session.check_fault();
    fill(info, session.jobs().poll(*target.job));
  });
}

cudaError_t castorStreamWaitJob(cudaStream_t stream, castorJobInfo* info) {
  return api([&](Session& session) {
    Stream& target = job_stream(session, stream);
    session.submit_job(target);
    gpu::JobSignal signal = session.jobs().poll(*target.job);
    while (session.jobs().busy(*target.job) && !over(signal.status)) {
      session.wait_for(target.last);
      session.charge(kQueryMicroseconds);  // the signal word follows the last kernel
      session.check_fault();
      signal = session.jobs().poll(*target.job);
      if (const auto last = session.jobs().last_ticket(*target.job); last != 0) target.last = last;
    }
    fill(info, signal);
  });
}

cudaError_t castorStreamSetPriority(cudaStream_t stream, unsigned value) {
  return api([&](Session& session) {
    const Stream& target = job_stream(session, stream);
    session.check_fault();
    session.jobs().set_priority(*target.job, value);
  });
}

}  // extern "C"
