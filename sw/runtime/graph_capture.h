#pragma once

#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "driver_types.h"
#include "runtime/graph.h"
#include "runtime/streams.h"

namespace castor::runtime {

/// A capture: a graph that grows by what is given to some streams, instead of that being done. It begins in one stream;
/// others join it when they wait for an event of it.
class Capture {
 public:
  enum class State : std::uint8_t { kActive, kInvalidated, kEnded };
  /// A stream of the capture, and the nodes that its next work comes after.
  struct Branch {
    Stream* stream = nullptr;  ///< null: destroyed
    std::vector<cudaGraphNode_t> last;
  };

  std::uint64_t id = 0;
  State state = State::kActive;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread;
  std::shared_ptr<Graph> graph;
  bool into = false;                   ///< the graph is the program's own, not new
  std::vector<Branch> branches;        ///< the first is where it began
  std::vector<cudaGraphNode_t> shown;  ///< dependencies as the program was last told them

  [[nodiscard]] Branch& branch(const Stream& stream);
};

/// All captures of the program that have not ended. Limits: for one thread at a time.
class Captures {
 public:
  explicit Captures(GraphHandles& handles) : handles_(handles) {}

  /// A capture into a new graph. ApiError: capture unsupported (legacy stream), illegal state (it is capturing).
  void begin(Stream& stream, cudaStreamCaptureMode mode);
  /// A capture into a graph of the program, behind some of its nodes.
  void begin(Stream& stream, cudaStreamCaptureMode mode, std::shared_ptr<Graph> graph,
             std::vector<cudaGraphNode_t> dependencies);
  /// Ends the capture that began in `stream`, and returns its graph. ApiError: illegal state, unmatched, wrong thread;
  /// and invalidated, unjoined: the capture has ended then too, and its graph is gone.
  [[nodiscard]] std::shared_ptr<Graph> end(Stream& stream);

  /// Whether work for the stream becomes nodes of a graph now. ApiError: invalidated; implicit, for the legacy stream
  /// while a stream that is ordered with it is captured.
  [[nodiscard]] bool takes(const Stream& stream);
  /// Whether the stream is the legacy one, and one that is ordered with it is captured.
  [[nodiscard]] bool bars(const Stream& stream) const;
  /// Appends a node to a stream that is captured.
  void add(Stream& stream, GraphWork work);
  /// Lets an event stand for the present end of a stream that is captured.
  void record(Stream& stream, Event& event);
  /// A wait for an event while the stream or the event belongs to a capture: the stream joins it. False if neither
  /// does. ApiError: isolation, merge, captured event.
  [[nodiscard]] bool wait(Stream& stream, const Event& event);
  /// Replaces the nodes that the stream's next work comes after, or adds to them. ApiError: illegal state, invalid
  /// value.
  void set_dependencies(Stream& stream, const std::vector<cudaGraphNode_t>& nodes, bool add);

  /// Refuses a question about a stream, or a wait for it, if it is captured. ApiError: capture unsupported.
  void refuse_wait(const Stream& stream);
  /// The same for an event. ApiError: captured event.
  void refuse_wait(const Event& event);
  /// Refuses a wait for the whole device during a capture. ApiError: capture unsupported.
  void refuse_device_wait();
  /// Refuses calls that may wait implicitly, as the modes of the captures and of the thread say.
  /// ApiError: capture unsupported.
  void refuse_unsafe();
  /// The stream is going to be destroyed.
  void leave(Stream& stream);
  /// Sets the mode of the calling thread and returns the one before.
  [[nodiscard]] static cudaStreamCaptureMode exchange_mode(cudaStreamCaptureMode mode);
  /// Ends all captures: the device was reset.
  void forget();

 private:
  void finish(Capture& capture);
  [[nodiscard]] Capture* find(std::uint64_t id) const;

  GraphHandles& handles_;
  std::vector<std::shared_ptr<Capture>> captures_;
  std::uint64_t last_ = 0;
};

}  // namespace castor::runtime
