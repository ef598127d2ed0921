#pragma once

#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "driver_types.h"
#include "runtime/graph.h"
#include "runtime/streams.h"

namespace castor::runtime {

/// Stream capture: work submitted to captured streams is added to a graph instead of being executed. A capture begins
/// in one stream; other streams join it when they wait for an event recorded in it.
class Capture {
 public:
  enum class State : std::uint8_t { kActive, kInvalidated, kEnded };
  /// Captured stream, with the nodes on which its next work depends.
  struct Branch {
    Stream* stream = nullptr;  ///< captured stream; null if the stream was destroyed
    std::vector<cudaGraphNode_t> last;
  };

  std::uint64_t id = 0;
  State state = State::kActive;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread;
  std::shared_ptr<Graph> graph;
  bool into = false;                   ///< the program has provided the graph; otherwise the capture has created it
  std::vector<Branch> branches;        ///< the first is the stream in which the capture began
  std::vector<cudaGraphNode_t> shown;  ///< copy of the dependencies that cudaStreamGetCaptureInfo returned last; the
                                       ///< program may still hold a pointer to it

  [[nodiscard]] Branch& branch(const Stream& stream);
};

/// All captures of the process that have not ended. Not thread-safe.
class Captures {
 public:
  explicit Captures(GraphHandles& handles) : handles_(handles) {}

  /// Begins a capture into a new graph. ApiError: capture unsupported (legacy stream), illegal state (the stream is
  /// already captured).
  void begin(Stream& stream, cudaStreamCaptureMode mode);
  /// Begins a capture into a graph of the program, after some of its nodes.
  void begin(Stream& stream, cudaStreamCaptureMode mode, std::shared_ptr<Graph> graph,
             std::vector<cudaGraphNode_t> dependencies);
  /// Ends the capture that began in `stream`, and returns its graph. ApiError: illegal state, unmatched, wrong thread.
  /// After ApiError invalidated or unjoined the capture has ended too, and its graph is lost.
  [[nodiscard]] std::shared_ptr<Graph> end(Stream& stream);

  /// Returns true if work for the stream is captured. ApiError: invalidated; implicit, for the legacy stream while a
  /// stream that synchronises with it is captured.
  [[nodiscard]] bool takes(const Stream& stream);
  /// Returns true if `stream` is the legacy stream and a stream that synchronises with it is captured.
  [[nodiscard]] bool bars(const Stream& stream) const;
  /// Adds a node with this work to the graph of a captured stream.
  void add(Stream& stream, GraphWork work);
  /// Records an event in a captured stream: the event then refers to the stream's present last nodes.
  void record(Stream& stream, Event& event);
  /// Handles a wait for an event if the stream or the event belongs to a capture; the stream then joins the capture.
  /// Returns false if neither belongs to one. ApiError: isolation, merge, captured event.
  [[nodiscard]] bool wait(Stream& stream, const Event& event);
  /// Replaces the nodes on which the stream's next work depends, or adds to them. ApiError: illegal state, invalid
  /// value.
  void set_dependencies(Stream& stream, const std::vector<cudaGraphNode_t>& nodes, bool add);

  /// Refuses a query of a captured stream, or a wait for it. ApiError: capture unsupported.
  void refuse_wait(const Stream& stream);
  /// Refuses a query of an event of a capture, or a wait for it. ApiError: captured event.
  void refuse_wait(const Event& event);
  /// Refuses a wait for the whole device during a capture. ApiError: capture unsupported.
  void refuse_device_wait();
  /// Refuses calls that may synchronise implicitly, depending on the modes of the captures and of the calling thread.
  /// ApiError: capture unsupported.
  void refuse_unsafe();
  /// Removes a stream from its capture, before the stream is destroyed. The capture ends if it began in this stream.
  void leave(Stream& stream);
  /// Sets the capture mode of the calling thread and returns the previous mode.
  [[nodiscard]] static cudaStreamCaptureMode exchange_mode(cudaStreamCaptureMode mode);
  /// Ends all captures after a device reset.
  void forget();

 private:
  void finish(Capture& capture);
  [[nodiscard]] Capture* find(std::uint64_t id) const;

  GraphHandles& handles_;
  std::vector<std::shared_ptr<Capture>> captures_;
  std::uint64_t last_ = 0;
};

}  // namespace castor::runtime
