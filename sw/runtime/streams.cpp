#include "runtime/streams.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "castor/base/error.h"
#include "castor/gpu/machine.h"
#include "runtime/api_error.h"
#include "runtime/run_options.h"

namespace castor::runtime {

Stream& Streams::of(cudaStream_t handle) {
  if (handle == nullptr || handle == cudaStreamLegacy) return legacy_;
  if (handle == cudaStreamPerThread) {
    auto& stream = per_thread_[std::this_thread::get_id()];
    if (stream == nullptr) stream = make();
    return *stream;
  }
  const auto found = streams_.find(handle);
  if (found == streams_.end()) throw ApiError{cudaErrorInvalidResourceHandle};
  return *found->second;
}

std::unique_ptr<Stream> Streams::make() {
  auto stream = std::make_unique<Stream>();
  stream->id = next_stream_++;
  stream->queue = stream->id % device_().machine().queue.count;
  return stream;
}

cudaStream_t Streams::keep(std::unique_ptr<Stream> stream) {
  auto* const handle = reinterpret_cast<cudaStream_t>(stream.get());
  streams_.emplace(handle, std::move(stream));
  return handle;
}

cudaStream_t Streams::create(unsigned flags, int priority) {
  if ((flags & ~static_cast<unsigned>(cudaStreamNonBlocking)) != 0) throw ApiError{cudaErrorInvalidValue};
  auto stream = make();
  stream->blocking = (flags & cudaStreamNonBlocking) == 0;
  stream->priority = priority;
  stream->flags = flags;
  return keep(std::move(stream));
}

void Streams::destroy(cudaStream_t handle) {
  const auto found = streams_.find(handle);
  if (found == streams_.end()) throw ApiError{cudaErrorInvalidResourceHandle};
  submit_job(*found->second);
  if (!device_().complete(found->second->last)) orphans_.push_back(found->second->last);
  if (found->second->job) orphan_jobs_.push_back(*found->second->job);
  streams_.erase(found);
}

JobDriver& Streams::jobs() {
  if (!jobs_) {
    JobDriver::Settings settings;
    settings.from_top = true;  // streams without deadlines use queues from the lowest number up
    jobs_ = std::make_unique<JobDriver>(device_(), settings);
  }
  return *jobs_;
}

cudaStream_t Streams::create_with_deadline(std::uint64_t deadline_ns) {
  JobDriver& driver = jobs();
  end_orphan_jobs();
  if (driver.available() == 0 && driver.judged()) throw ApiError{cudaErrorMemoryAllocation};
  auto stream = std::make_unique<Stream>();
  try {
    stream->job = driver.create(deadline_ns);
  } catch (const base::InputError& error) {
    complain(error.what());
    throw ApiError{cudaErrorInvalidValue};
  }
  stream->id = next_stream_++;
  stream->queue = driver.queue(*stream->job);
  stream->blocking = false;
  return keep(std::move(stream));
}

/// Destroys the JobDriver streams of destroyed streams once their jobs are over.
void Streams::end_orphan_jobs() {
  for (std::size_t i = 0; i < orphan_jobs_.size();) {
    static_cast<void>(jobs_->poll(orphan_jobs_[i]));
    if (jobs_->busy(orphan_jobs_[i])) {
      ++i;
      continue;
    }
    jobs_->destroy(orphan_jobs_[i]);
    orphan_jobs_.erase(orphan_jobs_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void Streams::submit_job(Stream& stream) {
  if (!stream.held) return;
  stream.held = false;
  const std::vector<gpu::Ticket> tickets = jobs().submit(*stream.job);
  if (!tickets.empty()) stream.last = tickets.back();
}

Event& Streams::event_of(cudaEvent_t handle) {
  const auto found = events_.find(handle);
  if (found == events_.end()) throw ApiError{cudaErrorInvalidResourceHandle};
  return *found->second;
}

cudaEvent_t Streams::create_event(unsigned flags) {
  auto event = std::make_unique<Event>();
  event->id = next_event_++;
  event->flags = flags;
  auto* const handle = reinterpret_cast<cudaEvent_t>(event.get());
  events_.emplace(handle, std::move(event));
  return handle;
}

void Streams::destroy_event(cudaEvent_t handle) {
  if (events_.erase(handle) == 0) throw ApiError{cudaErrorInvalidResourceHandle};
}

void Streams::record(Event& event, Stream& stream) {
  event.recorded = true;
  event.capture = 0;
  event.ticket = submit(stream, gpu::EventRecordPacket{event.id, ++event.count});
}

void Streams::wait(Stream& stream, const Event& event) {
  if (!event.recorded || device_().complete(event.ticket)) return;
  submit(stream, gpu::EventWaitPacket{event.id, event.count});
}

gpu::Ticket Streams::submit(Stream& stream, gpu::Packet packet) {
  gpu::Device& target = device_();
  if (auto* const kernel = std::get_if<gpu::KernelPacket>(&packet)) {
    if (stream.job) {
      jobs().enqueue(*stream.job, std::move(*kernel));
      stream.held = true;
      return stream.last;
    }
    if (target.job_control() != nullptr) {
      kernel->kid = jobs().kid_of(kernel->program, kernel->block.count());
    }
  }
  submit_job(stream);
  if (&stream == &legacy_) {
    for (auto& [handle, other] : streams_) {
      if (other->blocking) order_after(stream, *other);
    }
    for (auto& [thread, other] : per_thread_) order_after(stream, *other);
  } else if (stream.blocking) {
    order_after(stream, legacy_);
  }
  stream.last = target.submit(stream.queue, std::move(packet));
  return stream.last;
}

QueueMark Streams::mark(Stream& stream) {
  QueueMark mark;
  mark.event = next_event_++;
  mark.ticket = submit(stream, gpu::EventRecordPacket{mark.event, 1});
  mark.queue = stream.queue;
  return mark;
}

void Streams::wait(Stream& stream, const QueueMark& mark) {
  if (mark.queue == stream.queue || device_().complete(mark.ticket)) return;
  submit(stream, gpu::EventWaitPacket{mark.event, 1});
}

// Takes queues from the highest number down, because the program's streams take queues from the lowest number up.
unsigned Streams::side_queue() {
  const unsigned queues = device_().machine().queue.count;
  return queues - 1 - side_queues_++ % queues;
}

/// Makes `later` wait for `earlier`: the legacy default stream and all blocking streams wait for each other. A wait is
/// always submitted after the record for which it waits, so two packets of one queue cannot block each other.
void Streams::order_after(Stream& later, Stream& earlier) {
  gpu::Device& target = device_();
  if (later.queue == earlier.queue || target.complete(earlier.last)) return;
  const std::uint64_t event = next_event_++;
  earlier.last = target.submit(earlier.queue, gpu::EventRecordPacket{event, 1});
  target.submit(later.queue, gpu::EventWaitPacket{event, 1});
}

std::vector<gpu::Ticket> Streams::under_way() const {
  const gpu::Device& target = device_();
  std::vector<gpu::Ticket> tickets = orphans_;
  tickets.push_back(legacy_.last);
  for (const auto& [handle, stream] : streams_) tickets.push_back(stream->last);
  for (const auto& [thread, stream] : per_thread_) tickets.push_back(stream->last);
  const auto complete = [&](gpu::Ticket ticket) { return target.complete(ticket); };
  tickets.erase(std::remove_if(tickets.begin(), tickets.end(), complete), tickets.end());
  return tickets;
}

std::vector<gpu::Ticket> Streams::youngest() {
  for (auto& [handle, stream] : streams_) submit_job(*stream);
  std::vector<gpu::Ticket> tickets{legacy_.last};
  for (const auto& [handle, stream] : streams_) tickets.push_back(stream->last);
  for (const auto& [thread, stream] : per_thread_) tickets.push_back(stream->last);
  tickets.insert(tickets.end(), orphans_.begin(), orphans_.end());
  orphans_.clear();
  return tickets;
}

void Streams::forget() {
  jobs_.reset();
  orphan_jobs_.clear();
  streams_.clear();
  per_thread_.clear();
  events_.clear();
  legacy_ = Stream{};
  orphans_.clear();
}

}  // namespace castor::runtime
