// Runtime API: structure of CUDA graphs, executable graphs, capture of streams.

#include <algorithm>
#include <cstring>
#include <fstream>

#include "castor/base/words.h"
#include "cuda_runtime_api.h"
#include "runtime/graph_arguments.h"
#include "runtime/graph_work.h"
#include "runtime/session.h"

using namespace castor;
using namespace castor::runtime;

namespace {

constexpr unsigned long long kInstantiateFlags =
    cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload | cudaGraphInstantiateFlagUseNodePriority;

// Writes `all` to an array of the program and sets `count` to the number of elements written. Without an array
// (`wanted` false) `count` becomes the number of elements that exist.
template <class T, class Put>
void hand_out(const std::vector<T>& all, bool wanted, std::size_t* count, Put put) {
  need(count);
  if (wanted) {
    for (std::size_t i = 0; i < *count; ++i) put(i, i < all.size() ? all[i] : T{});
    *count = std::min(*count, all.size());
  } else {
    *count = all.size();
  }
}

void hand_out(const std::vector<cudaGraphNode_t>& all, cudaGraphNode_t* nodes, cudaGraphEdgeData* data,
              std::size_t* count) {
  hand_out(all, nodes != nullptr, count, [&](std::size_t i, cudaGraphNode_t node) {
    nodes[i] = node;
    if (data != nullptr) data[i] = {};
  });
}

std::vector<Graph::Edge> edge_list(const cudaGraphNode_t* from, const cudaGraphNode_t* to, std::size_t count) {
  std::vector<Graph::Edge> edges;
  if (count == 0) return edges;
  need(from);
  need(to);
  for (std::size_t i = 0; i < count; ++i) edges.emplace_back(from[i], to[i]);
  return edges;
}

cudaGraphExec_t instantiate(Session& session, cudaGraph_t graph, unsigned long long flags, cudaGraphNode_t& error) {
  if ((flags & cudaGraphInstantiateFlagDeviceLaunch) != 0) throw ApiError{cudaErrorNotSupported};
  if ((flags & ~kInstantiateFlags) != 0) throw ApiError{cudaErrorInvalidValue};
  Graphs& graphs = session.graphs();
  return graphs.keep(std::make_unique<GraphExec>(session, graphs.of(graph), flags, error));
}

const char* name_of_type(std::size_t type) {
  constexpr const char* kNames[] = {"KERNEL", "MEMCPY", "MEMSET",     "HOST",
                                    "GRAPH",  "EMPTY",  "WAIT_EVENT", "EVENT_RECORD"};
  return kNames[type];
}

void write_dot(std::ostream& out, const Graph& graph, unsigned& clusters) {
  out << "subgraph cluster_" << clusters++ << " {\nlabel=\"graph_" << graph.handle() << "\"\n";
  for (const auto& [handle, node] : graph.nodes()) {
    out << "\"node_" << handle << "\" [label=\"" << name_of_type(node.work.index());
    if (const auto* const kernel = std::get_if<KernelWork>(&node.work)) {
      out << "\\n" << base::readable_name(kernel->kernel->program->kernel);
    }
    out << "\"];\n";
    for (const cudaGraphNode_t from : node.dependencies) {
      out << "\"node_" << from << "\" -> \"node_" << handle << "\";\n";
    }
    if (const auto* const child = std::get_if<ChildWork>(&node.work)) write_dot(out, *child->graph, clusters);
  }
  out << "}\n";
}

}  // namespace

extern "C" {

// --- Structure ------------------------------------------------------------------------------------------------------

cudaError_t cudaGraphCreate(cudaGraph_t* pGraph, unsigned int flags) {
  return api([&](Session& session) {
    need(pGraph);
    if (flags != 0) throw ApiError{cudaErrorInvalidValue};
    *pGraph = session.graphs().keep(session.graphs().make());
  });
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return api([&](Session& session) { session.graphs().destroy(graph); });
}
cudaError_t cudaGraphClone(cudaGraph_t* pGraphClone, cudaGraph_t originalGraph) {
  return api([&](Session& session) {
    need(pGraphClone);
    *pGraphClone = session.graphs().keep(session.graphs().of(originalGraph).clone());
  });
}
cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* pNode, cudaGraphNode_t originalNode, cudaGraph_t clonedGraph) {
  return api([&](Session& session) {
    need(pNode);
    static_cast<void>(session.graphs().graph_of(originalNode));
    const auto& nodes = session.graphs().of(clonedGraph).nodes();
    const auto found =
        std::find_if(nodes.begin(), nodes.end(), [&](const auto& one) { return one.second.original == originalNode; });
    if (found == nodes.end()) throw ApiError{cudaErrorInvalidValue};
    *pNode = found->first;
  });
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType* pType) {
  return api([&](Session& session) {
    need(pType);
    *pType = static_cast<cudaGraphNodeType>(session.graphs().work_of(node).index());
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* numNodes) {
  return api([&](Session& session) {
    std::vector<cudaGraphNode_t> all;
    for (const auto& [handle, node] : session.graphs().of(graph).nodes()) all.push_back(handle);
    hand_out(all, nodes, nullptr, numNodes);
  });
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* pRootNodes, size_t* pNumRootNodes) {
  return api(
      [&](Session& session) { hand_out(session.graphs().of(graph).roots(), pRootNodes, nullptr, pNumRootNodes); });
}
cudaError_t cudaGraphGetEdges_v2(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                                 cudaGraphEdgeData* edgeData, size_t* numEdges) {
  return api([&](Session& session) {
    if ((from == nullptr) != (to == nullptr)) throw ApiError{cudaErrorInvalidValue};
    hand_out(session.graphs().of(graph).edges(), from != nullptr, numEdges,
             [&](std::size_t i, const Graph::Edge& edge) {
               from[i] = edge.first;
               to[i] = edge.second;
               if (edgeData != nullptr) edgeData[i] = {};
             });
  });
}
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, size_t* numEdges) {
  return cudaGraphGetEdges_v2(graph, from, to, nullptr, numEdges);
}
cudaError_t cudaGraphNodeGetDependencies_v2(cudaGraphNode_t node, cudaGraphNode_t* pDependencies,
                                            cudaGraphEdgeData* edgeData, size_t* pNumDependencies) {
  return api([&](Session& session) {
    hand_out(session.graphs().graph_of(node).node(node).dependencies, pDependencies, edgeData, pNumDependencies);
  });
}
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* pDependencies,
                                         size_t* pNumDependencies) {
  return cudaGraphNodeGetDependencies_v2(node, pDependencies, nullptr, pNumDependencies);
}
cudaError_t cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t node, cudaGraphNode_t* pDependentNodes,
                                              cudaGraphEdgeData* edgeData, size_t* pNumDependentNodes) {
  return api([&](Session& session) {
    hand_out(session.graphs().graph_of(node).dependents(node), pDependentNodes, edgeData, pNumDependentNodes);
  });
}
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* pDependentNodes,
                                           size_t* pNumDependentNodes) {
  return cudaGraphNodeGetDependentNodes_v2(node, pDependentNodes, nullptr, pNumDependentNodes);
}
cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                        const cudaGraphEdgeData* edgeData, size_t numDependencies) {
  return api([&](Session& session) {
    only_whole_nodes(edgeData, numDependencies);
    session.graphs().of(graph).connect(edge_list(from, to, numDependencies));
  });
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                     size_t numDependencies) {
  return cudaGraphAddDependencies_v2(graph, from, to, nullptr, numDependencies);
}
cudaError_t cudaGraphRemoveDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                           const cudaGraphEdgeData* edgeData, size_t numDependencies) {
  return api([&](Session& session) {
    only_whole_nodes(edgeData, numDependencies);
    session.graphs().of(graph).disconnect(edge_list(from, to, numDependencies));
  });
}
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                        size_t numDependencies) {
  return cudaGraphRemoveDependencies_v2(graph, from, to, nullptr, numDependencies);
}
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  return api([&](Session& session) { session.graphs().graph_of(node).remove(node); });
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned int /*flags*/) {
  return api([&](Session& session) {
    need(path);
    const Graph& drawn = session.graphs().of(graph);
    std::ofstream file(path);
    unsigned clusters = 0;
    file << "digraph dot {\n";
    write_dot(file, drawn, clusters);
    file << "}\n";
    file.close();
    if (!file) throw ApiError{cudaErrorOperatingSystem};
  });
}

// --- Executable graphs ----------------------------------------------------------------------------------------------

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* pGraphExec, cudaGraph_t graph, cudaGraphNode_t* pErrorNode,
                                 char* pLogBuffer, size_t bufferSize) {
  return api([&](Session& session) {
    need(pGraphExec);
    cudaGraphNode_t error = nullptr;
    if (pLogBuffer != nullptr && bufferSize != 0) pLogBuffer[0] = 0;
    try {
      *pGraphExec = instantiate(session, graph, 0, error);
    } catch (const ApiError&) {
      if (pErrorNode != nullptr) *pErrorNode = error;
      if (error != nullptr && pLogBuffer != nullptr && bufferSize != 0) {
        std::strncpy(pLogBuffer, "the graph has a cycle", bufferSize - 1);
        pLogBuffer[bufferSize - 1] = 0;
      }
      throw;
    }
    if (pErrorNode != nullptr) *pErrorNode = nullptr;
  });
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* pGraphExec, cudaGraph_t graph, unsigned long long flags) {
  return api([&](Session& session) {
    need(pGraphExec);
    cudaGraphNode_t error = nullptr;
    if ((flags & cudaGraphInstantiateFlagUpload) != 0)
      throw ApiError{cudaErrorInvalidValue};  // the call names no
                                              // stream for the upload
    *pGraphExec = instantiate(session, graph, flags, error);
  });
}
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* pGraphExec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* instantiateParams) {
  return api([&](Session& session) {
    need(pGraphExec);
    need(instantiateParams);
    cudaGraphInstantiateParams& params = *instantiateParams;
    if ((params.flags & cudaGraphInstantiateFlagUpload) != 0) {
      static_cast<void>(session.streams().of(params.uploadStream));
    }
    params.errNode_out = nullptr;
    try {
      *pGraphExec = instantiate(session, graph, params.flags, params.errNode_out);
      params.result_out = cudaGraphInstantiateSuccess;
    } catch (const ApiError&) {
      params.result_out =
          params.errNode_out != nullptr ? cudaGraphInstantiateInvalidStructure : cudaGraphInstantiateError;
      throw;
    }
  });
}
cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t graphExec, unsigned long long* flags) {
  return api([&](Session& session) {
    need(flags);
    *flags = session.graphs().of(graphExec).flags();
  });
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graphExec) {
  return api([&](Session& session) { session.graphs().destroy(graphExec); });
}

// Checks the handles only: a graph launch needs no data on the device in advance.
cudaError_t cudaGraphUpload(cudaGraphExec_t graphExec, cudaStream_t stream) {
  return api([&](Session& session) {
    static_cast<void>(session.graphs().of(graphExec));
    static_cast<void>(session.streams().of(stream));
    session.check_fault();
  });
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream) {
  return api([&](Session& session) {
    Graphs& graphs = session.graphs();
    GraphExec& exec = graphs.of(graphExec);
    Stream& target = session.streams().of(stream);
    if (graphs.captures().takes(target)) {
      ChildWork child{exec.graph(graphs.make())};
      child.graph->embedded = true;
      graphs.captures().add(target, std::move(child));
      return;
    }
    exec.launch(session, target);
  });
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph, cudaGraphNode_t* hErrorNode_out,
                                enum cudaGraphExecUpdateResult* updateResult_out) {
  return api([&](Session& session) {
    GraphExec& exec = session.graphs().of(hGraphExec);
    const GraphExec::Update update = exec.update(session, session.graphs().of(hGraph));
    if (hErrorNode_out != nullptr) *hErrorNode_out = update.node;
    if (updateResult_out != nullptr) *updateResult_out = update.result;
    if (update.result != cudaGraphExecUpdateSuccess) throw ApiError{cudaErrorGraphExecUpdateFailure};
  });
}
cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, unsigned int isEnabled) {
  return api([&](Session& session) { session.graphs().of(hGraphExec).enable(hNode, isEnabled != 0); });
}
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, unsigned int* isEnabled) {
  return api([&](Session& session) {
    need(isEnabled);
    *isEnabled = session.graphs().of(hGraphExec).enabled(hNode) ? 1 : 0;
  });
}

// --- Capture --------------------------------------------------------------------------------------------------------

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
  return api([&](Session& session) {
    Stream& target = session.streams().of(stream);
    session.check_fault();
    session.graphs().captures().begin(target, mode);
  });
}
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                          const cudaGraphEdgeData* dependencyData, size_t numDependencies,
                                          enum cudaStreamCaptureMode mode) {
  return api([&](Session& session) {
    Stream& target = session.streams().of(stream);
    session.check_fault();
    only_whole_nodes(dependencyData, numDependencies);
    std::shared_ptr<Graph> into = session.graphs().shared(graph);
    std::vector<cudaGraphNode_t> nodes = node_list(dependencies, numDependencies);
    for (const cudaGraphNode_t node : nodes) static_cast<void>(into->node(node));
    session.graphs().captures().begin(target, mode, std::move(into), std::move(nodes));
  });
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* pGraph) {
  return api([&](Session& session) {
    need(pGraph);
    *pGraph = nullptr;
    *pGraph = session.graphs().keep(session.graphs().captures().end(session.streams().of(stream)));
  });
}

cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, enum cudaStreamCaptureStatus* captureStatus_out,
                                        unsigned long long* id_out, cudaGraph_t* graph_out,
                                        const cudaGraphNode_t** dependencies_out,
                                        const cudaGraphEdgeData** edgeData_out, size_t* numDependencies_out) {
  return api([&](Session& session) {
    need(captureStatus_out);
    *captureStatus_out = cudaStreamCaptureStatusNone;
    const Stream& target = session.streams().of(stream);
    Capture* const capture = target.capture.get();
    if (capture == nullptr) {
      if (session.graphs().captures().bars(target)) throw ApiError{cudaErrorStreamCaptureImplicit};
      return;
    }
    const bool active = capture->state == Capture::State::kActive;
    *captureStatus_out = active ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusInvalidated;
    if (!active) return;
    capture->shown = capture->branch(target).last;
    if (id_out != nullptr) *id_out = capture->id;
    if (graph_out != nullptr) *graph_out = capture->graph->handle();
    if (dependencies_out != nullptr) *dependencies_out = capture->shown.data();
    if (edgeData_out != nullptr) *edgeData_out = nullptr;
    if (numDependencies_out != nullptr) *numDependencies_out = capture->shown.size();
  });
}
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus* captureStatus_out,
                                        unsigned long long* id_out, cudaGraph_t* graph_out,
                                        const cudaGraphNode_t** dependencies_out, size_t* numDependencies_out) {
  return cudaStreamGetCaptureInfo_v3(stream, captureStatus_out, id_out, graph_out, dependencies_out, nullptr,
                                     numDependencies_out);
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus* captureStatus_out,
                                     unsigned long long* id_out) {
  return cudaStreamGetCaptureInfo_v2(stream, captureStatus_out, id_out, nullptr, nullptr, nullptr);
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus* pCaptureStatus) {
  return cudaStreamGetCaptureInfo(stream, pCaptureStatus, nullptr);
}

cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t stream, cudaGraphNode_t* dependencies,
                                                   const cudaGraphEdgeData* dependencyData, size_t numDependencies,
                                                   unsigned int flags) {
  return api([&](Session& session) {
    if (flags > cudaStreamSetCaptureDependencies) throw ApiError{cudaErrorInvalidValue};
    only_whole_nodes(dependencyData, numDependencies);
    session.graphs().captures().set_dependencies(session.streams().of(stream), node_list(dependencies, numDependencies),
                                                 flags == cudaStreamAddCaptureDependencies);
  });
}
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* dependencies,
                                                size_t numDependencies, unsigned int flags) {
  return cudaStreamUpdateCaptureDependencies_v2(stream, dependencies, nullptr, numDependencies, flags);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode* mode) {
  return api([&](Session&) {
    need(mode);
    *mode = Captures::exchange_mode(*mode);
  });
}

}  // extern "C"
