#include "runtime/graph_exec.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "castor/gpu/machine.h"
#include "runtime/graph_work.h"

namespace castor::runtime {
namespace {

constexpr unsigned kMostLanes = 32;
constexpr unsigned kLaneId = ~0U;  // stream number of a lane, which no stream of the program has

// Returns the work of a step: a copy of the node's work without the data that only the node uses.
GraphWork copy_of(const GraphWork& work) {
  if (std::holds_alternative<ChildWork>(work)) return EmptyWork{};
  GraphWork copy = work;
  if (auto* const kernel = std::get_if<KernelWork>(&copy)) kernel->arguments.clear();
  return copy;
}

std::vector<std::size_t> sorted(std::vector<std::size_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

// Number of completed steps in each lane.
using LaneCounts = std::vector<std::size_t>;

void advance(LaneCounts& counts, const LaneCounts& other) {
  for (std::size_t lane = 0; lane < counts.size(); ++lane) counts[lane] = std::max(counts[lane], other[lane]);
}

}  // namespace

GraphExec::GraphExec(Session& session, const Graph& graph, unsigned long long flags, cudaGraphNode_t& error)
    : flags_(flags) {
  static_cast<void>(append(steps_, graph, std::nullopt));
  for (std::size_t i = 0; i < steps_.size(); ++i) numbers_.emplace(steps_[i].origin, i);
  sort(error);
  assign_lanes(std::min(kMostLanes, session.device().machine().queue.count));
  for (Stream& lane : lanes_) {
    lane.id = kLaneId;
    lane.blocking = false;
    lane.queue = session.streams().side_queue();
  }
}

std::size_t GraphExec::append_child(Steps& steps, cudaGraphNode_t node, const Graph& graph) {
  const std::size_t begin = steps.size();
  steps.push_back({node, EmptyWork{}});
  std::vector<std::size_t> ends = append(steps, graph, begin);
  if (ends.empty()) ends.push_back(begin);
  const std::size_t end = steps.size();
  steps.push_back({node, EmptyWork{}, std::move(ends)});
  steps[begin].end = end;
  return end;
}

std::vector<std::size_t> GraphExec::append(Steps& steps, const Graph& graph, std::optional<std::size_t> entry) {
  struct Place {
    std::size_t first = 0;
    std::size_t last = 0;
    bool awaited = false;
  };
  std::map<cudaGraphNode_t, Place> places;
  for (const auto& [handle, node] : graph.nodes()) {
    Place place{steps.size(), steps.size(), false};
    if (const auto* const child = std::get_if<ChildWork>(&node.work)) {
      place.last = append_child(steps, handle, *child->graph);
    } else {
      steps.push_back({handle, copy_of(node.work)});
    }
    places.emplace(handle, place);
  }
  for (const auto& [handle, node] : graph.nodes()) {
    std::vector<std::size_t>& after = steps[places.at(handle).first].after;
    for (const cudaGraphNode_t dependency : node.dependencies) {
      Place& place = places.at(dependency);
      place.awaited = true;
      after.push_back(place.last);
    }
    if (after.empty() && entry) after.push_back(*entry);
  }
  std::vector<std::size_t> ends;
  for (const auto& [handle, place] : places) {
    if (!place.awaited) ends.push_back(place.last);
  }
  return ends;
}

// Orders the steps topologically; among several steps that are ready, the step added first comes first.
void GraphExec::sort(cudaGraphNode_t& error) {
  std::vector<std::vector<std::size_t>> before(steps_.size());
  std::vector<std::size_t> missing(steps_.size());
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    missing[i] = steps_[i].after.size();
    for (const std::size_t other : steps_[i].after) before[other].push_back(i);
    if (missing[i] == 0) ready.push(i);
  }
  while (!ready.empty()) {
    const std::size_t step = ready.top();
    ready.pop();
    order_.push_back(step);
    for (const std::size_t later : before[step]) {
      if (--missing[later] == 0) ready.push(later);
    }
  }
  if (order_.size() == steps_.size()) return;
  // Every remaining step depends on another remaining step, so going from step to dependency often enough reaches a
  // cycle.
  const auto left = [&](std::size_t step) { return missing[step] != 0; };
  std::size_t at = 0;
  while (!left(at)) ++at;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    at = *std::find_if(steps_[at].after.begin(), steps_[at].after.end(), left);
  }
  error = steps_[at].origin;
  throw ApiError{cudaErrorInvalidValue};
}

// Assigns a lane to every step. A step continues the lane of a step on which it depends, if that step is the lane's
// last. Otherwise it takes a lane whose steps are all complete by then, or a new lane.
void GraphExec::assign_lanes(unsigned most) {
  std::vector<std::size_t> last(most);   // last step of each lane
  std::vector<std::size_t> count(most);  // number of steps of each lane
  std::vector<std::size_t> place(steps_.size());
  std::vector<LaneCounts> done(steps_.size());  // [lane] number of steps that are complete once this step is complete
  unsigned used = 0;
  for (const std::size_t number : order_) {
    Step& step = steps_[number];
    LaneCounts before(most);
    for (const std::size_t other : step.after) advance(before, done[other]);
    unsigned lane = most;
    for (const std::size_t other : step.after) {
      if (last[steps_[other].lane] == other) lane = std::min(lane, steps_[other].lane);
    }
    for (unsigned i = 0; i < used && lane == most; ++i) {
      if (count[i] == before[i]) lane = i;
    }
    if (lane == most) lane = used < most ? used++ : static_cast<unsigned>(number % most);
    step.lane = lane;
    LaneCounts covered = count[lane] == 0 ? LaneCounts(most) : done[last[lane]];
    for (const std::size_t other : step.after) {
      const unsigned from = steps_[other].lane;
      if (from == lane || place[other] <= covered[from]) continue;
      step.waits.push_back(other);
      steps_[other].marked = true;
      advance(covered, done[other]);
    }
    place[number] = ++count[lane];
    last[lane] = number;
    covered[lane] = count[lane];
    done[number] = std::move(covered);
  }
  for (unsigned lane = 1; lane < used; ++lane) {
    if (count[lane] <= done[last[0]][lane]) continue;
    joins_.push_back(last[lane]);
    steps_[last[lane]].marked = true;
  }
  lanes_.resize(used > 1 ? used - 1 : 0);
}

void GraphExec::launch(Session& session, Stream& stream) {
  session.check_fault();
  static const GraphWork nothing = EmptyWork{};
  std::vector<PreparedWork> prepared;
  prepared.reserve(steps_.size());
  for (const Step& step : steps_) prepared.emplace_back(session, step.enabled ? step.work : nothing);
  session.flush_prints();
  if (last_) session.streams().wait(stream, *last_);
  submit_steps(session, stream, prepared);
  last_ = session.streams().mark(stream);
  session.charge(gpu::HostCall::kLaunch);
}

void GraphExec::submit_steps(Session& session, Stream& stream, std::vector<PreparedWork>& prepared) {
  Streams& streams = session.streams();
  std::vector<QueueMark> marks(steps_.size());
  std::optional<QueueMark> start;
  if (!lanes_.empty()) start = streams.mark(stream);
  for (const std::size_t number : order_) {
    const Step& step = steps_[number];
    Stream& lane = step.lane == 0 ? stream : lanes_[step.lane - 1];
    if (step.lane != 0 && step.after.empty()) streams.wait(lane, *start);
    for (const std::size_t other : step.waits) streams.wait(lane, marks[other]);
    prepared[number].submit(session, lane);
    if (step.marked) marks[number] = streams.mark(lane);
  }
  for (const std::size_t number : joins_) streams.wait(stream, marks[number]);
}

std::shared_ptr<Graph> GraphExec::graph(std::shared_ptr<Graph> empty) const {
  std::vector<cudaGraphNode_t> nodes(steps_.size());
  for (const std::size_t number : order_) {
    const Step& step = steps_[number];
    std::vector<cudaGraphNode_t> dependencies;
    for (const std::size_t other : step.after) dependencies.push_back(nodes[other]);
    nodes[number] = empty->add(step.enabled ? step.work : GraphWork{EmptyWork{}}, std::move(dependencies));
  }
  return empty;
}

std::size_t GraphExec::number_of(cudaGraphNode_t node) const {
  const auto found = numbers_.find(node);
  if (found == numbers_.end()) throw ApiError{cudaErrorInvalidValue};
  return found->second;
}

const GraphWork& GraphExec::work(cudaGraphNode_t node) const { return steps_[number_of(node)].work; }

void GraphExec::set_work(Session& session, cudaGraphNode_t node, GraphWork work) {
  Step& step = steps_[number_of(node)];
  if (!may_become(session, step.work, work)) throw ApiError{cudaErrorInvalidValue};
  step.work = std::move(work);
}

void GraphExec::set_child(Session& session, cudaGraphNode_t node, const Graph& child) {
  const std::size_t begin = number_of(node);
  if (steps_[begin].end == 0) throw ApiError{cudaErrorInvalidValue};
  Steps fresh;
  static_cast<void>(append_child(fresh, node, child));
  if (fresh.size() != steps_[begin].end - begin + 1 ||
      replace(session, begin, std::move(fresh), true).result != cudaGraphExecUpdateSuccess) {
    throw ApiError{cudaErrorGraphExecUpdateFailure};
  }
}

void GraphExec::enable(cudaGraphNode_t node, bool on) {
  Step& step = steps_[number_of(node)];
  const bool may = std::holds_alternative<KernelWork>(step.work) || std::holds_alternative<CopyWork>(step.work) ||
                   std::holds_alternative<FillWork>(step.work);
  if (!may) throw ApiError{cudaErrorInvalidValue};
  step.enabled = on;
}

bool GraphExec::enabled(cudaGraphNode_t node) const { return steps_[number_of(node)].enabled; }

GraphExec::Update GraphExec::update(Session& session, const Graph& graph) {
  Steps fresh;
  static_cast<void>(append(fresh, graph, std::nullopt));
  if (fresh.size() != steps_.size()) return {cudaGraphExecUpdateErrorTopologyChanged, nullptr};
  return replace(session, 0, std::move(fresh), false);
}

GraphExec::Update GraphExec::replace(Session& session, std::size_t begin, Steps&& fresh, bool inner) {
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    const Step& was = steps_[begin + i];
    const Step& is = fresh[i];
    if (was.work.index() != is.work.index()) return {cudaGraphExecUpdateErrorNodeTypeChanged, is.origin};
    std::vector<std::size_t> after = is.after;
    for (std::size_t& number : after) number += begin;
    if (!(inner && i == 0) && sorted(was.after) != sorted(after))
      return {cudaGraphExecUpdateErrorTopologyChanged, is.origin};
    if (!may_become(session, was.work, is.work)) return {cudaGraphExecUpdateErrorParametersChanged, is.origin};
  }
  for (std::size_t i = 0; i < fresh.size(); ++i) steps_[begin + i].work = std::move(fresh[i].work);
  return {};
}

}  // namespace castor::runtime
