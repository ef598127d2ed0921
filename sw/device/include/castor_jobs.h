#pragma once

/* Jobs with deadlines: Castor's extension of the CUDA runtime for blocks that schedule jobs (docs/gpu/jobs.md, "Jobs").
 *
 *     cudaStream_t stream;
 *     castorStreamCreateWithDeadline(&stream, 300000, 0);          // each job: 300 us from its submission
 *     step<<<grid, block, 0, stream>>>(...);                       // kernels are held back ...
 *     step<<<grid, block, 0, stream>>>(...);
 *     castorStreamSubmit(stream);                                  // ... and submitted to the device as one job
 *     castorJobInfo job;
 *     castorStreamWaitJob(stream, &job);
 *     if (job.status == castorJobRejected) compute_on_the_host();
 *
 * A stream has one job at a time. Kernels submitted while a job is in flight are added to it. Other work in the stream
 * (copies, events, synchronisation) first submits the kernels held back. Kernels of a rejected job are dropped; other
 * work of the stream still runs. Streams with deadlines do not wait for the legacy default stream.
 *
 * A machine without a block that judges jobs accepts all jobs, and the status says whether a job met its deadline. The
 * functional machine has no timing, so no job is late there.
 */

#include <driver_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Best effort: the job has no deadline and is never rejected. */
#define castorNoDeadline (~0ULL)

enum castorJobStatus {
  castorJobPending = 0,  /* not judged yet, or nothing was submitted */
  castorJobAccepted = 1, /* in flight */
  castorJobRejected = 2, /* refused, or aborted later: none of its kernels completed */
  castorJobDone = 3,     /* complete by its deadline */
  castorJobDoneLate = 4, /* complete after its deadline */
  castorJobError = 5     /* the device could not read the JOB packet */
};

/* Reason why a job was rejected. */
enum castorJobReason {
  castorReasonNone = 0,
  castorReasonPredictedMiss = 1, /* the job would miss its deadline behind earlier work */
  castorReasonExpired = 2,       /* the job's deadline had passed */
  castorReasonBusy = 3,          /* the queue's previous job was not acknowledged */
  castorReasonBadList = 4,       /* too many kernel types, or no thread blocks */
  castorReasonBadKernel = 5,
  castorReasonBadDeadline = 6,
  castorReasonDisabled = 7 /* the engine is off, or the job to extend was over */
};

struct castorJobInfo {
  enum castorJobStatus status;
  enum castorJobReason reason; /* reason of a rejection */
  unsigned cycles;             /* done: latency in core cycles; accepted, rejected: predicted completion, 0: none */
};

/* Creates a stream whose jobs must complete within `deadlineNs` nanoseconds of submission. `flags` must be 0.
 * cudaErrorInvalidValue: null pointer, flags, deadline 0 or more than 2^32 - 2 core cycles;
 * cudaErrorMemoryAllocation: no queue is left. */
cudaError_t castorStreamCreateWithDeadline(cudaStream_t* stream, unsigned long long deadlineNs, unsigned flags);

/* Submits the kernels held back since the last submission as a job. Takes the host time of a launch (host.launch_us).
 * No effect if no kernel is held back. cudaErrorInvalidResourceHandle: the stream has no deadline. */
cudaError_t castorStreamSubmit(cudaStream_t stream);

/* Returns the state of the stream's latest job. Takes the host time of a query (1 us). */
cudaError_t castorStreamPoll(cudaStream_t stream, struct castorJobInfo* info);

/* Submits the kernels held back, and waits until the job is over: rejected, done, done late or error. */
cudaError_t castorStreamWaitJob(cudaStream_t stream, struct castorJobInfo* info);

/* Sets the external priority of the stream (policy ext): smaller is more urgent. Other policies only store it. */
cudaError_t castorStreamSetPriority(cudaStream_t stream, unsigned value);

/* Sets the isolated time of a kernel with `blockThreads` threads per block: its time per block on a device without
 * other work, in 1/256 core cycles. Policies that know a job's time at its arrival (sjf, ljf, prema) need it. No effect
 * without an engine. cudaErrorInvalidValue: an argument is 0; cudaErrorInvalidDeviceFunction: no kernel. */
cudaError_t castorKernelSetIsolatedTime(const void* function, unsigned blockThreads, unsigned timePerBlock);

/* Returns the simulated time in nanoseconds, rounded down, for programs that generate load. cudaErrorInvalidValue: null
 * pointer. */
cudaError_t castorHostTime(unsigned long long* timeNs);

/* Advances the device to the simulated time `timeNs`; no effect if that has passed. The next call returns errors of
 * kernels that end in the meantime. cudaErrorInvalidValue: `timeNs` is an hour or more ahead. */
cudaError_t castorHostWaitUntil(unsigned long long timeNs);

#ifdef __cplusplus
}
#endif
