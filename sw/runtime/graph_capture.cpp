#include "runtime/graph_capture.h"

#include <algorithm>
#include <utility>

#include "runtime/api_error.h"

namespace castor::runtime {
namespace {

cudaStreamCaptureMode& thread_mode() {
  thread_local cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  return mode;
}

void merge(std::vector<cudaGraphNode_t>& into, const std::vector<cudaGraphNode_t>& nodes) {
  for (const cudaGraphNode_t node : nodes) {
    if (std::find(into.begin(), into.end(), node) == into.end()) into.push_back(node);
  }
}

void check_mode(cudaStreamCaptureMode mode) {
  if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed) throw ApiError{cudaErrorInvalidValue};
}

// True for the legacy default stream, the only stream with number 0.
bool is_legacy(const Stream& stream) { return stream.id == 0; }

// True if some stream of an active capture synchronises with the legacy stream.
bool orders_with_legacy(const Capture& capture) {
  return capture.state == Capture::State::kActive &&
         std::any_of(capture.branches.begin(), capture.branches.end(),
                     [](const Capture::Branch& branch) { return branch.stream != nullptr && branch.stream->blocking; });
}

[[noreturn]] void invalidate(Capture& capture, cudaError_t code) {
  capture.state = Capture::State::kInvalidated;
  throw ApiError{code};
}

}  // namespace

Capture::Branch& Capture::branch(const Stream& stream) {
  return *std::find_if(branches.begin(), branches.end(),
                       [&](const Branch& branch) { return branch.stream == &stream; });
}

Capture* Captures::find(std::uint64_t id) const {
  const auto found =
      std::find_if(captures_.begin(), captures_.end(), [&](const auto& capture) { return capture->id == id; });
  return found == captures_.end() ? nullptr : found->get();
}

void Captures::begin(Stream& stream, cudaStreamCaptureMode mode) { begin(stream, mode, nullptr, {}); }

void Captures::begin(Stream& stream, cudaStreamCaptureMode mode, std::shared_ptr<Graph> graph,
                     std::vector<cudaGraphNode_t> dependencies) {
  check_mode(mode);
  if (is_legacy(stream)) throw ApiError{cudaErrorStreamCaptureUnsupported};
  if (stream.capture != nullptr) throw ApiError{cudaErrorIllegalState};
  auto capture = std::make_shared<Capture>();
  capture->id = ++last_;
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  capture->into = graph != nullptr;
  capture->graph = capture->into ? std::move(graph) : std::make_shared<Graph>(handles_);
  capture->branches.push_back({&stream, std::move(dependencies)});
  stream.capture = capture;
  captures_.push_back(std::move(capture));
}

std::shared_ptr<Graph> Captures::end(Stream& stream) {
  const std::shared_ptr<Capture> capture = stream.capture;
  if (capture == nullptr) throw ApiError{cudaErrorIllegalState};
  if (capture->branches.front().stream != &stream) invalidate(*capture, cudaErrorStreamCaptureUnmatched);
  if (capture->mode != cudaStreamCaptureModeRelaxed && capture->thread != std::this_thread::get_id()) {
    throw ApiError{cudaErrorStreamCaptureWrongThread};
  }
  const bool valid = capture->state == Capture::State::kActive;
  finish(*capture);
  if (!valid) throw ApiError{cudaErrorStreamCaptureInvalidated};
  const std::vector<cudaGraphNode_t>& joined = capture->branches.front().last;
  for (const Capture::Branch& branch : capture->branches) {
    for (const cudaGraphNode_t node : branch.last) {
      if (!capture->graph->reaches(node, joined)) throw ApiError{cudaErrorStreamCaptureUnjoined};
    }
  }
  return capture->graph;
}

void Captures::finish(Capture& capture) {
  capture.state = Capture::State::kEnded;
  for (const Capture::Branch& branch : capture.branches) {
    if (branch.stream != nullptr) branch.stream->capture.reset();
  }
  captures_.erase(
      std::remove_if(captures_.begin(), captures_.end(), [&](const auto& other) { return other.get() == &capture; }),
      captures_.end());
}

bool Captures::takes(const Stream& stream) {
  if (stream.capture != nullptr) {
    if (stream.capture->state != Capture::State::kActive) throw ApiError{cudaErrorStreamCaptureInvalidated};
    return true;
  }
  if (!bars(stream)) return false;
  for (const auto& capture : captures_) {
    if (orders_with_legacy(*capture)) capture->state = Capture::State::kInvalidated;
  }
  throw ApiError{cudaErrorStreamCaptureImplicit};
}

bool Captures::bars(const Stream& stream) const {
  return is_legacy(stream) && std::any_of(captures_.begin(), captures_.end(),
                                          [](const auto& capture) { return orders_with_legacy(*capture); });
}

void Captures::add(Stream& stream, GraphWork work) {
  Capture& capture = *stream.capture;
  std::vector<cudaGraphNode_t>& last = capture.branch(stream).last;
  // The program may have removed nodes from the graph in the meantime.
  last.erase(std::remove_if(last.begin(), last.end(),
                            [&](cudaGraphNode_t node) { return capture.graph->nodes().count(node) == 0; }),
             last.end());
  last = {capture.graph->add(std::move(work), last)};
}

void Captures::record(Stream& stream, Event& event) {
  event.capture = stream.capture->id;
  event.nodes = stream.capture->branch(stream).last;
}

bool Captures::wait(Stream& stream, const Event& event) {
  if (event.capture == 0) {
    if (!takes(stream)) return false;
    // A wait for an event that was never recorded does nothing.
    if (!event.recorded) return true;
    invalidate(*stream.capture, cudaErrorStreamCaptureIsolation);
  }
  Capture* const capture = find(event.capture);
  if (capture == nullptr) {
    if (stream.capture != nullptr) invalidate(*stream.capture, cudaErrorCapturedEvent);
    throw ApiError{cudaErrorCapturedEvent};
  }
  if (capture->state != Capture::State::kActive) throw ApiError{cudaErrorStreamCaptureInvalidated};
  if (is_legacy(stream)) invalidate(*capture, cudaErrorStreamCaptureImplicit);
  if (stream.capture == nullptr) {
    const auto owner =
        std::find_if(captures_.begin(), captures_.end(), [&](const auto& other) { return other.get() == capture; });
    stream.capture = *owner;
    capture->branches.push_back({&stream, event.nodes});
    return true;
  }
  if (stream.capture.get() != capture) {
    capture->state = Capture::State::kInvalidated;
    invalidate(*stream.capture, cudaErrorStreamCaptureMerge);
  }
  merge(capture->branch(stream).last, event.nodes);
  return true;
}

void Captures::set_dependencies(Stream& stream, const std::vector<cudaGraphNode_t>& nodes, bool add) {
  if (!takes(stream)) throw ApiError{cudaErrorIllegalState};
  for (const cudaGraphNode_t node : nodes) static_cast<void>(stream.capture->graph->node(node));
  std::vector<cudaGraphNode_t>& last = stream.capture->branch(stream).last;
  if (!add) last.clear();
  merge(last, nodes);
}

void Captures::refuse_wait(const Stream& stream) {
  if (takes(stream)) invalidate(*stream.capture, cudaErrorStreamCaptureUnsupported);
  refuse_unsafe();
}

void Captures::refuse_wait(const Event& event) {
  if (event.capture != 0) {
    if (Capture* const capture = find(event.capture)) invalidate(*capture, cudaErrorCapturedEvent);
    throw ApiError{cudaErrorCapturedEvent};
  }
  refuse_unsafe();
}

void Captures::refuse_device_wait() {
  if (captures_.empty()) return;
  for (const auto& capture : captures_) capture->state = Capture::State::kInvalidated;
  throw ApiError{cudaErrorStreamCaptureUnsupported};
}

void Captures::refuse_unsafe() {
  if (thread_mode() == cudaStreamCaptureModeRelaxed) return;
  bool refused = false;
  for (const auto& capture : captures_) {
    if (capture->state != Capture::State::kActive || capture->mode == cudaStreamCaptureModeRelaxed) continue;
    const bool own = capture->thread == std::this_thread::get_id();
    const bool global = thread_mode() == cudaStreamCaptureModeGlobal && capture->mode == cudaStreamCaptureModeGlobal;
    if (!own && !global) continue;
    capture->state = Capture::State::kInvalidated;
    refused = true;
  }
  if (refused) throw ApiError{cudaErrorStreamCaptureUnsupported};
}

void Captures::leave(Stream& stream) {
  const std::shared_ptr<Capture> capture = stream.capture;
  if (capture == nullptr) return;
  if (capture->branches.front().stream == &stream) {
    finish(*capture);
  } else {
    // the nodes that the destroyed stream has added must still be joined before the capture ends
    capture->branch(stream).stream = nullptr;
    stream.capture.reset();
  }
}

cudaStreamCaptureMode Captures::exchange_mode(cudaStreamCaptureMode mode) {
  check_mode(mode);
  return std::exchange(thread_mode(), mode);
}

void Captures::forget() {
  while (!captures_.empty()) finish(*std::shared_ptr<Capture>(captures_.back()));
}

}  // namespace castor::runtime
