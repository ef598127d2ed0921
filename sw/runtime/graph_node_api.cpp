// Runtime API: nodes of CUDA graphs, and the parameters of nodes in graphs and in executable graphs.

#include <utility>

#include "cuda_runtime_api.h"
#include "runtime/graph_arguments.h"
#include "runtime/graph_work.h"
#include "runtime/memory_operations.h"
#include "runtime/session.h"

using namespace castor;
using namespace castor::runtime;

namespace {

// Adds a node with the work that `make` returns.
template <class Make>
cudaError_t add_node(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies, std::size_t count,
                     Make make) {
  return api([&](Session& session) {
    need(node);
    Graph& into = session.graphs().of(graph);
    std::vector<cudaGraphNode_t> before = node_list(dependencies, count);
    GraphWork work = make(session);
    check(session, work);
    *node = into.add(std::move(work), std::move(before));
  });
}

// Returns the work of a node. ApiError: invalid value, if the node has another type.
template <class Work>
Work& work_of(Session& session, cudaGraphNode_t node) {
  auto* const work = std::get_if<Work>(&session.graphs().work_of(node));
  if (work == nullptr) throw ApiError{cudaErrorInvalidValue};
  return *work;
}

template <class Work, class Make>
cudaError_t set_node(cudaGraphNode_t node, Make make) {
  return api([&](Session& session) {
    static_cast<void>(work_of<Work>(session, node));
    Work work = make(session);
    check(session, work);
    session.graphs().work_of(node) = std::move(work);
  });
}

template <class Work, class Make>
cudaError_t set_exec_node(cudaGraphExec_t exec, cudaGraphNode_t node, Make make) {
  return api([&](Session& session) {
    GraphExec& target = session.graphs().of(exec);
    if (!std::holds_alternative<Work>(target.work(node))) throw ApiError{cudaErrorInvalidValue};
    Work work = make(session);
    check(session, work);
    target.set_work(session, node, std::move(work));
  });
}

// Makes the work of a kernel node. `params->func` is the kernel's host stub or, from the driver API, its handle. New
// parameters of a node leave it cooperative if it was.
KernelWork kernel_of(Session& session, const cudaKernelNodeParams* params, bool cooperative = false) {
  need(params);
  auto* const handle = reinterpret_cast<LoadedKernel*>(params->func);
  LoadedKernel& kernel = session.modules().has_kernel(handle) ? *handle : session.modules().kernel_of(params->func);
  const LaunchForm form = {params->gridDim, params->blockDim, params->sharedMemBytes, cooperative};
  return kernel_work(session, kernel, form, params->kernelParams, params->extra);
}

CopyWork copy_of(const cudaMemcpy3DParms* params) {
  need(params);
  return CopyWork{*params};
}

CopyWork copy_of(void* dst, const void* src, std::size_t count, cudaMemcpyKind kind) {
  CopyWork work;
  work.request.dstPtr = {dst, count, count, 1};
  work.request.srcPtr = {const_cast<void*>(src), count, count, 1};
  work.request.extent = {count, 1, 1};
  work.request.kind = kind;
  return work;
}

CopyWork copy_to_symbol(Session& session, const void* symbol, const void* src, std::size_t count, std::size_t offset,
                        cudaMemcpyKind kind) {
  if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost) throw ApiError{cudaErrorInvalidMemcpyDirection};
  return copy_of(symbol_address(session, symbol, offset, count), src, count, kind);
}

CopyWork copy_from_symbol(Session& session, void* dst, const void* symbol, std::size_t count, std::size_t offset,
                          cudaMemcpyKind kind) {
  if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost) throw ApiError{cudaErrorInvalidMemcpyDirection};
  return copy_of(dst, symbol_address(session, symbol, offset, count), count, kind);
}

FillWork fill_of(const cudaMemsetParams* params) {
  need(params);
  return FillWork{*params};
}

HostWork host_of(const cudaHostNodeParams* params) {
  need(params);
  return HostWork{*params};
}

ChildWork child_of(Session& session, cudaGraph_t graph) {
  ChildWork work{session.graphs().of(graph).clone()};
  work.graph->embedded = true;
  return work;
}

cudaError_t not_supported() { return last_error() = cudaErrorNotSupported; }

}  // namespace

extern "C" {

// --- Kernels --------------------------------------------------------------------------------------------------------

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph, const cudaGraphNode_t* pDependencies,
                                   size_t numDependencies, const struct cudaKernelNodeParams* pNodeParams) {
  return add_node(pGraphNode, graph, pDependencies, numDependencies,
                  [&](Session& session) { return kernel_of(session, pNodeParams); });
}
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams* pNodeParams) {
  return api([&](Session& session) {
    need(pNodeParams);
    KernelWork& work = work_of<KernelWork>(session, node);
    if (!session.modules().has_kernel(work.kernel)) throw ApiError{cudaErrorInvalidResourceHandle};
    const void* const stub = session.modules().host_stub_of(*work.kernel);
    pNodeParams->func = stub != nullptr ? const_cast<void*>(stub) : work.kernel;
    pNodeParams->gridDim = work.grid;
    pNodeParams->blockDim = work.block;
    pNodeParams->sharedMemBytes = static_cast<unsigned>(work.dynamic_shared);
    pNodeParams->kernelParams = arguments_of(work);
    pNodeParams->extra = nullptr;
  });
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams* pNodeParams) {
  return set_node<KernelWork>(node, [&](Session& session) {
    return kernel_of(session, pNodeParams, work_of<KernelWork>(session, node).cooperative);
  });
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams* pNodeParams) {
  return set_exec_node<KernelWork>(hGraphExec, node, [&](Session& session) {
    const auto& before = std::get<KernelWork>(session.graphs().of(hGraphExec).work(node));
    return kernel_of(session, pNodeParams, before.cooperative);
  });
}

// --- Copies ---------------------------------------------------------------------------------------------------------

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph, const cudaGraphNode_t* pDependencies,
                                   size_t numDependencies, const struct cudaMemcpy3DParms* pCopyParams) {
  return add_node(pGraphNode, graph, pDependencies, numDependencies, [&](Session&) { return copy_of(pCopyParams); });
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                     const cudaGraphNode_t* pDependencies, size_t numDependencies, void* dst,
                                     const void* src, size_t count, enum cudaMemcpyKind kind) {
  return add_node(pGraphNode, graph, pDependencies, numDependencies,
                  [&](Session&) { return copy_of(dst, src, count, kind); });
}
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                           const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                           const void* symbol, const void* src, size_t count, size_t offset,
                                           enum cudaMemcpyKind kind) {
  return add_node(pGraphNode, graph, pDependencies, numDependencies,
                  [&](Session& session) { return copy_to_symbol(session, symbol, src, count, offset, kind); });
}
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                             const cudaGraphNode_t* pDependencies, size_t numDependencies, void* dst,
                                             const void* symbol, size_t count, size_t offset,
                                             enum cudaMemcpyKind kind) {
  return add_node(pGraphNode, graph, pDependencies, numDependencies,
                  [&](Session& session) { return copy_from_symbol(session, dst, symbol, count, offset, kind); });
}
cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms* pNodeParams) {
  return api([&](Session& session) {
    need(pNodeParams);
    *pNodeParams = work_of<CopyWork>(session, node).request;
  });
}
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms* pNodeParams) {
  return set_node<CopyWork>(node, [&](Session&) { return copy_of(pNodeParams); });
}
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* dst, const void* src, size_t count,
                                           enum cudaMemcpyKind kind) {
  return set_node<CopyWork>(node, [&](Session&) { return copy_of(dst, src, count, kind); });
}
cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void* symbol, const void* src,
                                                 size_t count, size_t offset, enum cudaMemcpyKind kind) {
  return set_node<CopyWork>(
      node, [&](Session& session) { return copy_to_symbol(session, symbol, src, count, offset, kind); });
}
cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* dst, const void* symbol, size_t count,
                                                   size_t offset, enum cudaMemcpyKind kind) {
  return set_node<CopyWork>(
      node, [&](Session& session) { return copy_from_symbol(session, dst, symbol, count, offset, kind); });
}
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const struct cudaMemcpy3DParms* pNodeParams) {
  return set_exec_node<CopyWork>(hGraphExec, node, [&](Session&) { return copy_of(pNodeParams); });
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t hGraphExec, cudaGraphNode_t node, void* dst,
                                               const void* src, size_t count, enum cudaMemcpyKind kind) {
  return set_exec_node<CopyWork>(hGraphExec, node, [&](Session&) { return copy_of(dst, src, count, kind); });
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                     const void* symbol, const void* src, size_t count, size_t offset,
                                                     enum cudaMemcpyKind kind) {
  return set_exec_node<CopyWork>(
      hGraphExec, node, [&](Session& session) { return copy_to_symbol(session, symbol, src, count, offset, kind); });
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t hGraphExec, cudaGraphNode_t node, void* dst,
                                                       const void* symbol, size_t count, size_t offset,
                                                       enum cudaMemcpyKind kind) {
  return set_exec_node<CopyWork>(
      hGraphExec, node, [&](Session& session) { return copy_from_symbol(session, dst, symbol, count, offset, kind); });
}

// --- Fills ----------------------------------------------------------------------------------------------------------

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph, const cudaGraphNode_t* pDependencies,
                                   size_t numDependencies, const struct cudaMemsetParams* pMemsetParams) {
  return add_node(pGraphNode, graph, pDependencies, numDependencies, [&](Session&) { return fill_of(pMemsetParams); });
}
cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams* pNodeParams) {
  return api([&](Session& session) {
    need(pNodeParams);
    *pNodeParams = work_of<FillWork>(session, node).request;
  });
}
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams* pNodeParams) {
  return set_node<FillWork>(node, [&](Session&) { return fill_of(pNodeParams); });
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const struct cudaMemsetParams* pNodeParams) {
  return set_exec_node<FillWork>(hGraphExec, node, [&](Session&) { return fill_of(pNodeParams); });
}

// --- Host functions -------------------------------------------------------------------------------------------------

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph, const cudaGraphNode_t* pDependencies,
                                 size_t numDependencies, const struct cudaHostNodeParams* pNodeParams) {
  return add_node(pGraphNode, graph, pDependencies, numDependencies, [&](Session&) { return host_of(pNodeParams); });
}
cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams* pNodeParams) {
  return api([&](Session& session) {
    need(pNodeParams);
    *pNodeParams = work_of<HostWork>(session, node).function;
  });
}
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams* pNodeParams) {
  return set_node<HostWork>(node, [&](Session&) { return host_of(pNodeParams); });
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                           const struct cudaHostNodeParams* pNodeParams) {
  return set_exec_node<HostWork>(hGraphExec, node, [&](Session&) { return host_of(pNodeParams); });
}

// --- Graphs inside nodes, empty nodes -------------------------------------------------------------------------------

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                       const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                       cudaGraph_t childGraph) {
  return add_node(pGraphNode, graph, pDependencies, numDependencies,
                  [&](Session& session) { return child_of(session, childGraph); });
}
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* pGraph) {
  return api([&](Session& session) {
    need(pGraph);
    *pGraph = work_of<ChildWork>(session, node).graph->handle();
  });
}
cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                 cudaGraph_t childGraph) {
  return api([&](Session& session) {
    session.graphs().of(hGraphExec).set_child(session, node, session.graphs().of(childGraph));
  });
}
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph, const cudaGraphNode_t* pDependencies,
                                  size_t numDependencies) {
  return add_node(pGraphNode, graph, pDependencies, numDependencies, [](Session&) { return EmptyWork{}; });
}

// --- Events ---------------------------------------------------------------------------------------------------------

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                        const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                        cudaEvent_t event) {
  return add_node(pGraphNode, graph, pDependencies, numDependencies, [&](Session&) { return EventRecordWork{event}; });
}
cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event_out) {
  return api([&](Session& session) {
    need(event_out);
    *event_out = work_of<EventRecordWork>(session, node).event;
  });
}
cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return set_node<EventRecordWork>(node, [&](Session&) { return EventRecordWork{event}; });
}
cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, cudaEvent_t event) {
  return set_exec_node<EventRecordWork>(hGraphExec, hNode, [&](Session&) { return EventRecordWork{event}; });
}
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                      const cudaGraphNode_t* pDependencies, size_t numDependencies, cudaEvent_t event) {
  return add_node(pGraphNode, graph, pDependencies, numDependencies, [&](Session&) { return EventWaitWork{event}; });
}
cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event_out) {
  return api([&](Session& session) {
    need(event_out);
    *event_out = work_of<EventWaitWork>(session, node).event;
  });
}
cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return set_node<EventWaitWork>(node, [&](Session&) { return EventWaitWork{event}; });
}
cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, cudaEvent_t event) {
  return set_exec_node<EventWaitWork>(hGraphExec, hNode, [&](Session&) { return EventWaitWork{event}; });
}

// --- Refused --------------------------------------------------------------------------------------------------------

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* /*pGraphNode*/, cudaGraph_t /*graph*/,
                                     const cudaGraphNode_t* /*pDependencies*/, size_t /*numDependencies*/,
                                     struct cudaMemAllocNodeParams* /*nodeParams*/) {
  return not_supported();
}
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* /*pGraphNode*/, cudaGraph_t /*graph*/,
                                    const cudaGraphNode_t* /*pDependencies*/, size_t /*numDependencies*/,
                                    void* /*dptr*/) {
  return not_supported();
}
cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t /*hSrc*/, cudaGraphNode_t /*hDst*/) {
  return not_supported();
}
cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* /*pHandle_out*/, cudaGraph_t /*graph*/,
                                             unsigned int /*defaultLaunchValue*/, unsigned int /*flags*/) {
  return not_supported();
}
cudaError_t cudaUserObjectCreate(cudaUserObject_t* /*object_out*/, void* /*ptr*/, cudaHostFn_t /*destroy*/,
                                 unsigned int /*initialRefcount*/, unsigned int /*flags*/) {
  return not_supported();
}
cudaError_t cudaUserObjectRetain(cudaUserObject_t /*object*/, unsigned int /*count*/) { return not_supported(); }
cudaError_t cudaUserObjectRelease(cudaUserObject_t /*object*/, unsigned int /*count*/) { return not_supported(); }
cudaError_t cudaGraphRetainUserObject(cudaGraph_t /*graph*/, cudaUserObject_t /*object*/, unsigned int /*count*/,
                                      unsigned int /*flags*/) {
  return not_supported();
}
cudaError_t cudaGraphReleaseUserObject(cudaGraph_t /*graph*/, cudaUserObject_t /*object*/, unsigned int /*count*/) {
  return not_supported();
}
cudaError_t cudaDeviceGraphMemTrim(int device) {
  // graphs own no device memory, so 0 bytes are in use
  return last_error() = device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

}  // extern "C"
