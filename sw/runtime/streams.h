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

/// A CUDA stream: an order of work on one of the device's queues (stream k is queue k mod queue.count).
struct Stream {
  unsigned id = 0;
  unsigned queue = 0;
  bool blocking = true;  ///< orders itself with the legacy default stream
  int priority = 0;
  unsigned flags = 0;
  gpu::Ticket last = 0;                    ///< youngest work
  std::optional<JobDriver::StreamId> job;  ///< it has deadlines: the driver's stream
  bool held = false;                       ///< kernels wait to be announced
  std::shared_ptr<Capture> capture{};      ///< its work becomes nodes of a graph, until that capture ends
};

/// A CUDA event.
struct Event {
  std::uint64_t id = 0;
  unsigned flags = 0;
  bool recorded = false;
  gpu::Ticket ticket = 0;   ///< of the youngest record
  std::uint64_t count = 0;  ///< records so far
  /// Capture that the youngest record was in, 0: none; and the nodes of its graph that the event then stood for.
  std::uint64_t capture = 0;
  std::vector<cudaGraphNode_t> nodes{};
};

/// A place in the order of a queue: all that was submitted to it before.
struct QueueMark {
  std::uint64_t event = 0;
  unsigned queue = 0;
  gpu::Ticket ticket = 0;
};

/// The streams and events of the program, and the order of the work that is given to them: what comes after what on
/// which queue. Gives work to the device, never waits for it.
class Streams {
 public:
  explicit Streams(DeviceSource device) : device_(std::move(device)) {}

  [[nodiscard]] Stream& of(cudaStream_t handle);  ///< ApiError: invalid resource handle
  [[nodiscard]] cudaStream_t create(unsigned flags, int priority);
  /// Its pending work goes on; only the handle ends.
  void destroy(cudaStream_t handle);
  /// A stream with deadlines. ApiError: invalid value, memory allocation (no queue left).
  [[nodiscard]] cudaStream_t create_with_deadline(std::uint64_t deadline_ns);

  /// Appends work to a stream with the legacy default stream's ordering.
  gpu::Ticket submit(Stream& stream, gpu::Packet packet);
  /// The present end of a stream's work, and a wait of another stream for it.
  [[nodiscard]] QueueMark mark(Stream& stream);
  void wait(Stream& stream, const QueueMark& mark);
  /// Queue for work beside that of the program's streams: those that have fewest of them come first.
  [[nodiscard]] unsigned side_queue();
  /// Announces what a stream with deadlines holds back.
  void submit_job(Stream& stream);
  /// The driver of jobs; made at first use.
  [[nodiscard]] JobDriver& jobs();

  [[nodiscard]] Event& event_of(cudaEvent_t handle);  ///< ApiError: invalid resource handle
  [[nodiscard]] cudaEvent_t create_event(unsigned flags);
  void destroy_event(cudaEvent_t handle);
  void record(Event& event, Stream& stream);
  void wait(Stream& stream, const Event& event);

  /// Youngest work of every stream, without those that are complete. Announces nothing.
  [[nodiscard]] std::vector<gpu::Ticket> under_way() const;
  /// Youngest work of every stream, of those that were destroyed too; what is held back is announced before.
  [[nodiscard]] std::vector<gpu::Ticket> youngest();
  /// Ends all streams and events and forgets all jobs: the device was reset.
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
  unsigned side_queues_ = 0;          // given out so far
  std::vector<gpu::Ticket> orphans_;  // youngest work of destroyed streams
  std::unique_ptr<JobDriver> jobs_;
  std::vector<JobDriver::StreamId> orphan_jobs_;  // of destroyed streams, under way then
};

}  // namespace castor::runtime
