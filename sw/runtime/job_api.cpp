// API functions for streams with deadlines (castor_jobs.h).

#include "castor/base/error.h"
#include "castor/base/time.h"
#include "castor/gpu/machine.h"
#include "castor_jobs.h"
#include "runtime/session.h"

using namespace castor;
using namespace castor::runtime;

namespace {

constexpr unsigned long long kHourNs = 3'600'000'000'000;

Stream& job_stream(Session& session, cudaStream_t handle) {
  Stream& stream = session.streams().of(handle);
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
    *stream = session.streams().create_with_deadline(deadlineNs);
  });
}

cudaError_t castorStreamSubmit(cudaStream_t stream) {
  return api([&](Session& session) {
    Stream& target = job_stream(session, stream);
    session.check_fault();
    session.charge(gpu::HostCall::kLaunch);
    session.streams().submit_job(target);
  });
}

cudaError_t castorStreamPoll(cudaStream_t stream, castorJobInfo* info) {
  return api([&](Session& session) {
    const Stream& target = job_stream(session, stream);
    session.charge(gpu::HostCall::kQuery);
    session.check_fault();
    fill(info, session.streams().jobs().poll(*target.job));
  });
}

cudaError_t castorStreamWaitJob(cudaStream_t stream, castorJobInfo* info) {
  return api([&](Session& session) {
    Stream& target = job_stream(session, stream);
    session.streams().submit_job(target);
    gpu::JobSignal signal = session.streams().jobs().poll(*target.job);
    while (session.streams().jobs().busy(*target.job) && !over(signal.status)) {
      session.wait_for(target.last);
      session.charge(gpu::HostCall::kQuery);  // one query suffices: the signal word is written after the last kernel
      session.check_fault();
      signal = session.streams().jobs().poll(*target.job);
      if (const auto last = session.streams().jobs().last_ticket(*target.job); last != 0) target.last = last;
    }
    fill(info, signal);
  });
}

cudaError_t castorStreamSetPriority(cudaStream_t stream, unsigned value) {
  return api([&](Session& session) {
    const Stream& target = job_stream(session, stream);
    session.check_fault();
    session.streams().jobs().set_priority(*target.job, value);
  });
}

cudaError_t castorKernelSetIsolatedTime(const void* function, unsigned blockThreads, unsigned timePerBlock) {
  return api([&](Session& session) {
    if (blockThreads == 0 || timePerBlock == 0) throw ApiError{cudaErrorInvalidValue};
    session.check_fault();
    LoadedKernel& kernel = session.modules().kernel_of(function);
    JobDriver& jobs = session.streams().jobs();
    if (!jobs.judged()) return;
    const LoadedProgram runs =
        session.modules().loading([&] { return kernel.module->program_for(session.device(), kernel, blockThreads); });
    jobs.set_isolated_time(jobs.kid_of(runs.handle, blockThreads), timePerBlock);
  });
}

cudaError_t castorHostTime(unsigned long long* timeNs) {
  return api([&](Session& session) {
    if (timeNs == nullptr) throw ApiError{cudaErrorInvalidValue};
    *timeNs = session.device().now() / base::kPicosecondsPerNanosecond;
  });
}

cudaError_t castorHostWaitUntil(unsigned long long timeNs) {
  return api([&](Session& session) {
    const unsigned long long now = session.device().now() / base::kPicosecondsPerNanosecond;
    if (timeNs > now && timeNs - now >= kHourNs) throw ApiError{cudaErrorInvalidValue};
    session.wait_until(timeNs * base::kPicosecondsPerNanosecond);
  });
}

}  // extern "C"
