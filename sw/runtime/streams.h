#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <unordered_map>
#include <vector>

#include "castor/gpu/device.h"
#include "driver_types.h"
#include "runtime/job_driver.h"
#include "runtime/open_device.h"

namespace castor::runtime {

class Capture;

/// CUDA stream: ordered work on one of the device's queues (stream k uses queue k mod queue.count).
struct Stream {
  unsigned id = 0;
  unsigned queue = 0;
  bool blocking = true;  ///< synchronises with the legacy default stream
  int priority = 0;
  unsigned flags = 0;
  gpu::Ticket last = 0;                    ///< most recently submitted work
  std::optional<JobDriver::StreamId> job;  ///< stream of the JobDriver, if the stream has deadlines
  bool held = false;                       ///< kernels are enqueued but not yet submitted as a job
  std::shared_ptr<Capture> capture{};  ///< capture that receives the stream's work; null if the stream is not captured
};

/// CUDA event: refers to the work submitted before the event's most recent record.
struct Event {
  std::uint64_t id = 0;
  unsigned flags = 0;
  bool recorded = false;
  gpu::Ticket ticket = 0;   ///< completion handle of the most recent record
  std::uint64_t count = 0;  ///< number of records so far
  /// Capture of the most recent record, 0: none; `nodes`: nodes of the capture's graph to which the event refers.
  std::uint64_t capture = 0;
  std::vector<cudaGraphNode_t> nodes{};
};

/// Position in the order of a queue: covers all work submitted to the queue before it.
struct QueueMark {
  std::uint64_t event = 0;
  unsigned queue = 0;
  gpu::Ticket ticket = 0;
};

/// Streams and events of the program. Keeps the order of work across streams by placing records and waits in the
/// queues. Submits work to the device, and never waits for it. Owned by the Session.
class Streams {
 public:
  explicit Streams(DeviceSource device) : device_(std::move(device)) {}

  /// Returns the stream of a handle. ApiError: invalid resource handle.
  [[nodiscard]] Stream& of(cudaStream_t handle);
  [[nodiscard]] cudaStream_t create(unsigned flags, int priority);
  /// Destroys a stream's handle; its pending work continues.
  void destroy(cudaStream_t handle);
  /// Creates a stream with deadlines. ApiError: invalid value, memory allocation (no queue left).
  [[nodiscard]] cudaStream_t create_with_deadline(std::uint64_t deadline_ns);

  /// Appends work to a stream, in order with the legacy default stream.
  gpu::Ticket submit(Stream& stream, gpu::Packet packet);
  /// Returns the present end of a stream's work, for which other streams can wait.
  [[nodiscard]] QueueMark mark(Stream& stream);
  /// Makes later work of `stream` wait for a mark of another stream.
  void wait(Stream& stream, const QueueMark& mark);
  /// Returns a queue for work besides the program's streams. Counts from the highest queue down, since streams take the
  /// lowest queues first.
  [[nodiscard]] unsigned side_queue();
  /// Submits the kernels that a stream with deadlines holds back, as a job.
  void submit_job(Stream& stream);
  /// Returns the driver of jobs; creates it at first use.
  [[nodiscard]] JobDriver& jobs();

  [[nodiscard]] Event& event_of(cudaEvent_t handle);  ///< ApiError: invalid resource handle
  [[nodiscard]] cudaEvent_t create_event(unsigned flags);
  void destroy_event(cudaEvent_t handle);
  void record(Event& event, Stream& stream);
  void wait(Stream& stream, const Event& event);

  /// Returns the most recent work of every stream, except completed work. Submits nothing.
  [[nodiscard]] std::vector<gpu::Ticket> under_way() const;
  /// Returns the most recent work of every stream, destroyed streams included. Submits held-back jobs first.
  [[nodiscard]] std::vector<gpu::Ticket> youngest();
  /// Ends all streams, events and jobs after a device reset.
  void forget();

 private:
  [[nodiscard]] std::unique_ptr<Stream> make();
  cudaStream_t keep(std::unique_ptr<Stream> stream);
  void order_after(Stream& later, Stream& earlier);
  void end_orphan_jobs();

  DeviceSource device_;
  Stream legacy_;
  std::map<std::thread::id, std::unique_ptr<Stream>> per_thread_;
  std::unordered_map<cudaStream_t, std::unique_ptr<Stream>> streams_;
  std::unordered_map<cudaEvent_t, std::unique_ptr<Event>> events_;
  unsigned next_stream_ = 1;
  std::uint64_t next_event_ = 1;
  unsigned side_queues_ = 0;          // number of side queues handed out so far
  std::vector<gpu::Ticket> orphans_;  // most recent work of destroyed streams
  std::unique_ptr<JobDriver> jobs_;
  std::vector<JobDriver::StreamId> orphan_jobs_;  // JobDriver streams of destroyed streams whose jobs were still in
                                                  // flight
};

}  // namespace castor::runtime
