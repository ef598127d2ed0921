#pragma once

/* Jobs with deadlines: what Castor adds to the CUDA runtime for blocks that schedule jobs (docs/gpu/jobs.md, "Jobs").
 *
 *     cudaStream_t stream;
 *     castorStreamCreateWithDeadline(&stream, 300000, 0);          // every job of it: 300 us from its submission
 *     step<<<grid, block, 0, stream>>>(...);                       // kernels are held back ...
 *     step<<<grid, block, 0, stream>>>(...);
 *     castorStreamSubmit(stream);                                  // ... and announced to the device as one job
 *     castorJobInfo job;
 *     castorStreamWaitJob(stream, &job);
 *     if (job.status == castorJobRejected) compute_on_the_host();
 *
 * A stream has one job at a time. What is submitted while a job is under way is added to it. Any other work that is
 * put into the stream (copies, events, synchronisation) submits first what is held back. Kernels of a rejected job are
 * dropped; other work of the stream goes on. Streams with deadlines do not wait for the legacy default stream.
 *
 * On machines that judge no jobs (no block for it) all are accepted, and the status says whether they were in time;
 * the functional machine has no timing, there none is late.
 */

#include <driver_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Best effort: no deadline, never rejected. */
#define castorNoDeadline (~0ULL)

enum castorJobStatus {
  castorJobPending = 0,  /* not judged yet, or nothing was submitted */
  castorJobAccepted = 1, /* under way */
  castorJobRejected = 2, /* refused, or given up later: none of its kernels ran to the end */
  castorJobDone = 3,     /* complete by its deadline */
  castorJobDoneLate = 4, /* complete after its deadline */
  castorJobError = 5     /* the device could not read the announcement */
};

/* Why a job was rejected. */
enum castorJobReason {
  castorReasonNone = 0,
  castorReasonPredictedMiss = 1, /* it would not be done in time behind the work ahead */
  castorReasonExpired = 2,       /* its deadline had passed */
  castorReasonBusy = 3,          /* the queue's last job was not acknowledged */
  castorReasonBadList = 4,       /* too many kernel types, or no thread blocks */
  castorReasonBadKernel = 5,
  castorReasonBadDeadline = 6,
  castorReasonDisabled = 7 /* the engine is off, or the job to add to was over */
};

struct castorJobInfo {
  enum castorJobStatus status;
  enum castorJobReason reason; /* of a rejection */
  unsigned cycles;             /* done: latency in core cycles; accepted, rejected: predicted completion, 0 = none */
};

/* A stream whose jobs have `deadlineNs` nanoseconds from their submission. `flags` must be 0.
 * cudaErrorInvalidValue: null pointer, flags, deadline 0 or more than 2^32 - 2 core cycles;
 * cudaErrorMemoryAllocation: no queue is left. */
cudaError_t castorStreamCreateWithDeadline(cudaStream_t* stream, unsigned long long deadlineNs, unsigned flags);

/* Announces the kernels held back since the last submission. Costs a launch (host.launch_us). Nothing held: nothing
 * happens. cudaErrorInvalidResourceHandle: no stream with a deadline. */
cudaError_t castorStreamSubmit(cudaStream_t stream);

/* How the stream's latest job stands. Costs a query (1 us). */
cudaError_t castorStreamPoll(cudaStream_t stream, struct castorJobInfo* info);

/* Waits until the stream's job is over: rejected, done, done late, error. Submits what is held back. */
cudaError_t castorStreamWaitJob(cudaStream_t stream, struct castorJobInfo* info);

/* External priority of the stream (policy ext): smaller is more urgent. Stored under other policies. */
cudaError_t castorStreamSetPriority(cudaStream_t stream, unsigned value);

/* What the device is told beforehand of a kernel in blocks of so many threads: its time per block when it has the
 * device for itself, in 1/256 core cycles. Policies that know the time of jobs at their arrival (sjf, ljf, prema) need
 * it. Without an engine nothing happens. cudaErrorInvalidValue: a 0; cudaErrorInvalidDeviceFunction: no kernel. */
cudaError_t castorKernelSetIsolatedTime(const void* function, unsigned blockThreads, unsigned timePerBlock);

/* Simulated time, nanoseconds, rounded down: what a program needs that generates load. cudaErrorInvalidValue: null
 * pointer. */
cudaError_t castorHostTime(unsigned long long* timeNs);

/* Lets the device work until the simulated time `timeNs`; if that has passed nothing happens. Errors of kernels that
 * ended meanwhile are returned by the next call. cudaErrorInvalidValue: an hour or more ahead. */
cudaError_t castorHostWaitUntil(unsigned long long timeNs);

#ifdef __cplusplus
}
#endif
