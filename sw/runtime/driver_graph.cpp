// Driver API: graphs and capture of streams. Handles are the runtime API's handles, so programs may mix both APIs.

#include "runtime/driver.h"

using namespace castor;
using namespace castor::runtime;

namespace {

static_assert(sizeof(CUgraphEdgeData) == sizeof(cudaGraphEdgeData));
static_assert(static_cast<int>(CU_GRAPH_NODE_TYPE_EVENT_RECORD) == static_cast<int>(cudaGraphNodeTypeEventRecord));

cudaGraphEdgeData* edges(CUgraphEdgeData* data) { return reinterpret_cast<cudaGraphEdgeData*>(data); }
const cudaGraphEdgeData* edges(const CUgraphEdgeData* data) { return reinterpret_cast<const cudaGraphEdgeData*>(data); }

// Calls a runtime function of a kernel node with the driver's parameters. `Params` is either version of the parameter
// struct.
template <class Params, class Call>
CUresult with_kernel(const Params* from, Call call) {
  cudaKernelNodeParams to{};
  const CUresult known = driver([&](Session& session) {
    need_pointer(from);
    static_cast<void>(kernel_of(session, from->func));
    to.func = reinterpret_cast<void*>(from->func);
    to.gridDim = {from->gridDimX, from->gridDimY, from->gridDimZ};
    to.blockDim = {from->blockDimX, from->blockDimY, from->blockDimZ};
    to.sharedMemBytes = from->sharedMemBytes;
    to.kernelParams = from->kernelParams;
    to.extra = from->extra;
  });
  return known == CUDA_SUCCESS ? forward([&] { return call(&to); }) : known;
}

template <class Params>
CUresult kernel_params(CUgraphNode node, Params* to) {
  if (to == nullptr) return CUDA_ERROR_INVALID_VALUE;
  cudaKernelNodeParams from{};
  return driver([&](Session& session) {
    pass(cudaGraphKernelNodeGetParams(node, &from));
    const auto& work = std::get<KernelWork>(session.graphs().work_of(node));
    *to = {};
    to->func = reinterpret_cast<CUfunction>(work.kernel);
    to->gridDimX = from.gridDim.x;
    to->gridDimY = from.gridDim.y;
    to->gridDimZ = from.gridDim.z;
    to->blockDimX = from.blockDim.x;
    to->blockDimY = from.blockDim.y;
    to->blockDimZ = from.blockDim.z;
    to->sharedMemBytes = from.sharedMemBytes;
    to->kernelParams = from.kernelParams;
  });
}

bool is_kernel_of_library(const CUDA_KERNEL_NODE_PARAMS_v2* params) {
  return params != nullptr && params->func == nullptr && params->kern != nullptr;
}

cudaPitchedPtr side(CUmemorytype type, const void* host, CUdeviceptr device, std::size_t pitch, std::size_t height,
                    const CUDA_MEMCPY3D& copy) {
  if (type < CU_MEMORYTYPE_HOST || type > CU_MEMORYTYPE_UNIFIED) throw ApiError{cudaErrorInvalidValue};
  if (type == CU_MEMORYTYPE_ARRAY) throw ApiError{cudaErrorNotSupported};
  void* const pointer = type == CU_MEMORYTYPE_HOST ? const_cast<void*>(host) : pointer_of(device);
  const std::size_t width = copy.WidthInBytes;
  return {pointer, pitch != 0 ? pitch : width, width, height != 0 ? height : copy.Height};
}

cudaMemcpyKind direction(CUmemorytype from, CUmemorytype to) {
  if (from == CU_MEMORYTYPE_UNIFIED || to == CU_MEMORYTYPE_UNIFIED) return cudaMemcpyDefault;
  if (from == CU_MEMORYTYPE_HOST) return to == CU_MEMORYTYPE_HOST ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice;
  return to == CU_MEMORYTYPE_HOST ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
}

cudaMemcpy3DParms request_of(const CUDA_MEMCPY3D& copy) {
  if (copy.srcLOD != 0 || copy.dstLOD != 0) throw ApiError{cudaErrorInvalidValue};
  cudaMemcpy3DParms to{};
  to.srcPtr = side(copy.srcMemoryType, copy.srcHost, copy.srcDevice, copy.srcPitch, copy.srcHeight, copy);
  to.dstPtr = side(copy.dstMemoryType, copy.dstHost, copy.dstDevice, copy.dstPitch, copy.dstHeight, copy);
  to.srcPos = {copy.srcXInBytes, copy.srcY, copy.srcZ};
  to.dstPos = {copy.dstXInBytes, copy.dstY, copy.dstZ};
  to.extent = {copy.WidthInBytes, copy.Height, copy.Depth};
  to.kind = direction(copy.srcMemoryType, copy.dstMemoryType);
  return to;
}

CUDA_MEMCPY3D request_of(const cudaMemcpy3DParms& copy) {
  CUDA_MEMCPY3D to{};
  const bool known = copy.kind != cudaMemcpyDefault;
  const bool from_host = copy.kind == cudaMemcpyHostToHost || copy.kind == cudaMemcpyHostToDevice;
  const bool to_host = copy.kind == cudaMemcpyHostToHost || copy.kind == cudaMemcpyDeviceToHost;
  const auto type = [&](bool host) {
    return !known ? CU_MEMORYTYPE_UNIFIED : host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
  };
  to.srcMemoryType = type(from_host);
  to.dstMemoryType = type(to_host);
  if (from_host) {
    to.srcHost = copy.srcPtr.ptr;
  } else {
    to.srcDevice = reinterpret_cast<CUdeviceptr>(copy.srcPtr.ptr);
  }
  if (to_host) {
    to.dstHost = copy.dstPtr.ptr;
  } else {
    to.dstDevice = reinterpret_cast<CUdeviceptr>(copy.dstPtr.ptr);
  }
  to.srcXInBytes = copy.srcPos.x;
  to.srcY = copy.srcPos.y;
  to.srcZ = copy.srcPos.z;
  to.srcPitch = copy.srcPtr.pitch;
  to.srcHeight = copy.srcPtr.ysize;
  to.dstXInBytes = copy.dstPos.x;
  to.dstY = copy.dstPos.y;
  to.dstZ = copy.dstPos.z;
  to.dstPitch = copy.dstPtr.pitch;
  to.dstHeight = copy.dstPtr.ysize;
  to.WidthInBytes = copy.extent.width;
  to.Height = copy.extent.height;
  to.Depth = copy.extent.depth;
  return to;
}

template <class Call>
CUresult with_copy(const CUDA_MEMCPY3D* copy, Call call) {
  cudaMemcpy3DParms to{};
  const CUresult known = driver([&](Session&) {
    need_pointer(copy);
    to = request_of(*copy);
  });
  return known == CUDA_SUCCESS ? forward([&] { return call(&to); }) : known;
}

template <class Call>
CUresult with_fill(const CUDA_MEMSET_NODE_PARAMS* fill, Call call) {
  if (fill == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const cudaMemsetParams to = {pointer_of(fill->dst), fill->pitch, fill->value,
                               fill->elementSize,     fill->width, fill->height};
  return forward([&] { return call(&to); });
}

template <class Call>
CUresult with_function(const CUDA_HOST_NODE_PARAMS* function, Call call) {
  if (function == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const cudaHostNodeParams to = {function->fn, function->userData};
  return forward([&] { return call(&to); });
}

}  // namespace

extern "C" {

// --- Structure ------------------------------------------------------------------------------------------------------

CUresult cuGraphCreate(CUgraph* phGraph, unsigned int flags) {
  return forward([&] { return cudaGraphCreate(phGraph, flags); });
}
CUresult cuGraphDestroy(CUgraph hGraph) {
  return forward([&] { return cudaGraphDestroy(hGraph); });
}
CUresult cuGraphClone(CUgraph* phGraphClone, CUgraph originalGraph) {
  return forward([&] { return cudaGraphClone(phGraphClone, originalGraph); });
}
CUresult cuGraphNodeFindInClone(CUgraphNode* phNode, CUgraphNode hOriginalNode, CUgraph hClonedGraph) {
  return forward([&] { return cudaGraphNodeFindInClone(phNode, hOriginalNode, hClonedGraph); });
}
CUresult cuGraphNodeGetType(CUgraphNode hNode, CUgraphNodeType* type) {
  return forward([&] { return cudaGraphNodeGetType(hNode, reinterpret_cast<cudaGraphNodeType*>(type)); });
}
CUresult cuGraphGetNodes(CUgraph hGraph, CUgraphNode* nodes, size_t* numNodes) {
  return forward([&] { return cudaGraphGetNodes(hGraph, nodes, numNodes); });
}
CUresult cuGraphGetRootNodes(CUgraph hGraph, CUgraphNode* rootNodes, size_t* numRootNodes) {
  return forward([&] { return cudaGraphGetRootNodes(hGraph, rootNodes, numRootNodes); });
}
CUresult cuGraphGetEdges_v2(CUgraph hGraph, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* edgeData,
                            size_t* numEdges) {
  return forward([&] { return cudaGraphGetEdges_v2(hGraph, from, to, edges(edgeData), numEdges); });
}
CUresult cuGraphGetEdges(CUgraph hGraph, CUgraphNode* from, CUgraphNode* to, size_t* numEdges) {
  return cuGraphGetEdges_v2(hGraph, from, to, nullptr, numEdges);
}
CUresult cuGraphNodeGetDependencies_v2(CUgraphNode hNode, CUgraphNode* dependencies, CUgraphEdgeData* edgeData,
                                       size_t* numDependencies) {
  return forward(
      [&] { return cudaGraphNodeGetDependencies_v2(hNode, dependencies, edges(edgeData), numDependencies); });
}
CUresult cuGraphNodeGetDependencies(CUgraphNode hNode, CUgraphNode* dependencies, size_t* numDependencies) {
  return cuGraphNodeGetDependencies_v2(hNode, dependencies, nullptr, numDependencies);
}
CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode hNode, CUgraphNode* dependentNodes, CUgraphEdgeData* edgeData,
                                         size_t* numDependentNodes) {
  return forward(
      [&] { return cudaGraphNodeGetDependentNodes_v2(hNode, dependentNodes, edges(edgeData), numDependentNodes); });
}
CUresult cuGraphNodeGetDependentNodes(CUgraphNode hNode, CUgraphNode* dependentNodes, size_t* numDependentNodes) {
  return cuGraphNodeGetDependentNodes_v2(hNode, dependentNodes, nullptr, numDependentNodes);
}
CUresult cuGraphAddDependencies_v2(CUgraph hGraph, const CUgraphNode* from, const CUgraphNode* to,
                                   const CUgraphEdgeData* edgeData, size_t numDependencies) {
  return forward([&] { return cudaGraphAddDependencies_v2(hGraph, from, to, edges(edgeData), numDependencies); });
}
CUresult cuGraphAddDependencies(CUgraph hGraph, const CUgraphNode* from, const CUgraphNode* to,
                                size_t numDependencies) {
  return cuGraphAddDependencies_v2(hGraph, from, to, nullptr, numDependencies);
}
CUresult cuGraphRemoveDependencies_v2(CUgraph hGraph, const CUgraphNode* from, const CUgraphNode* to,
                                      const CUgraphEdgeData* edgeData, size_t numDependencies) {
  return forward([&] { return cudaGraphRemoveDependencies_v2(hGraph, from, to, edges(edgeData), numDependencies); });
}
CUresult cuGraphRemoveDependencies(CUgraph hGraph, const CUgraphNode* from, const CUgraphNode* to,
                                   size_t numDependencies) {
  return cuGraphRemoveDependencies_v2(hGraph, from, to, nullptr, numDependencies);
}
CUresult cuGraphDestroyNode(CUgraphNode hNode) {
  return forward([&] { return cudaGraphDestroyNode(hNode); });
}
CUresult cuGraphDebugDotPrint(CUgraph hGraph, const char* path, unsigned int flags) {
  return forward([&] { return cudaGraphDebugDotPrint(hGraph, path, flags); });
}

// --- Nodes ----------------------------------------------------------------------------------------------------------

CUresult cuGraphAddKernelNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                              size_t numDependencies, const CUDA_KERNEL_NODE_PARAMS* nodeParams) {
  return with_kernel(nodeParams, [&](const cudaKernelNodeParams* params) {
    return cudaGraphAddKernelNode(phGraphNode, hGraph, dependencies, numDependencies, params);
  });
}
CUresult cuGraphAddKernelNode_v2(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                                 size_t numDependencies, const CUDA_KERNEL_NODE_PARAMS_v2* nodeParams) {
  if (is_kernel_of_library(nodeParams)) return CUDA_ERROR_NOT_SUPPORTED;
  return with_kernel(nodeParams, [&](const cudaKernelNodeParams* params) {
    return cudaGraphAddKernelNode(phGraphNode, hGraph, dependencies, numDependencies, params);
  });
}
CUresult cuGraphKernelNodeGetParams(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS* nodeParams) {
  return kernel_params(hNode, nodeParams);
}
CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS_v2* nodeParams) {
  return kernel_params(hNode, nodeParams);
}
CUresult cuGraphKernelNodeSetParams(CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS* nodeParams) {
  return with_kernel(nodeParams,
                     [&](const cudaKernelNodeParams* params) { return cudaGraphKernelNodeSetParams(hNode, params); });
}
CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS_v2* nodeParams) {
  if (is_kernel_of_library(nodeParams)) return CUDA_ERROR_NOT_SUPPORTED;
  return with_kernel(nodeParams,
                     [&](const cudaKernelNodeParams* params) { return cudaGraphKernelNodeSetParams(hNode, params); });
}
CUresult cuGraphAddMemcpyNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                              size_t numDependencies, const CUDA_MEMCPY3D* copyParams, CUcontext /*ctx*/) {
  return with_copy(copyParams, [&](const cudaMemcpy3DParms* params) {
    return cudaGraphAddMemcpyNode(phGraphNode, hGraph, dependencies, numDependencies, params);
  });
}
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode hNode, CUDA_MEMCPY3D* nodeParams) {
  return driver([&](Session&) {
    need_pointer(nodeParams);
    cudaMemcpy3DParms from{};
    pass(cudaGraphMemcpyNodeGetParams(hNode, &from));
    *nodeParams = request_of(from);
  });
}
CUresult cuGraphMemcpyNodeSetParams(CUgraphNode hNode, const CUDA_MEMCPY3D* nodeParams) {
  return with_copy(nodeParams,
                   [&](const cudaMemcpy3DParms* params) { return cudaGraphMemcpyNodeSetParams(hNode, params); });
}
CUresult cuGraphAddMemsetNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                              size_t numDependencies, const CUDA_MEMSET_NODE_PARAMS* memsetParams, CUcontext /*ctx*/) {
  return with_fill(memsetParams, [&](const cudaMemsetParams* params) {
    return cudaGraphAddMemsetNode(phGraphNode, hGraph, dependencies, numDependencies, params);
  });
}
CUresult cuGraphMemsetNodeGetParams(CUgraphNode hNode, CUDA_MEMSET_NODE_PARAMS* nodeParams) {
  return driver([&](Session&) {
    need_pointer(nodeParams);
    cudaMemsetParams from{};
    pass(cudaGraphMemsetNodeGetParams(hNode, &from));
    *nodeParams = {
        reinterpret_cast<CUdeviceptr>(from.dst), from.pitch, from.value, from.elementSize, from.width, from.height};
  });
}
CUresult cuGraphMemsetNodeSetParams(CUgraphNode hNode, const CUDA_MEMSET_NODE_PARAMS* nodeParams) {
  return with_fill(nodeParams,
                   [&](const cudaMemsetParams* params) { return cudaGraphMemsetNodeSetParams(hNode, params); });
}
CUresult cuGraphAddHostNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                            size_t numDependencies, const CUDA_HOST_NODE_PARAMS* nodeParams) {
  return with_function(nodeParams, [&](const cudaHostNodeParams* params) {
    return cudaGraphAddHostNode(phGraphNode, hGraph, dependencies, numDependencies, params);
  });
}
CUresult cuGraphHostNodeGetParams(CUgraphNode hNode, CUDA_HOST_NODE_PARAMS* nodeParams) {
  return driver([&](Session&) {
    need_pointer(nodeParams);
    cudaHostNodeParams from{};
    pass(cudaGraphHostNodeGetParams(hNode, &from));
    *nodeParams = {from.fn, from.userData};
  });
}
CUresult cuGraphHostNodeSetParams(CUgraphNode hNode, const CUDA_HOST_NODE_PARAMS* nodeParams) {
  return with_function(nodeParams,
                       [&](const cudaHostNodeParams* params) { return cudaGraphHostNodeSetParams(hNode, params); });
}
CUresult cuGraphAddChildGraphNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                                  size_t numDependencies, CUgraph childGraph) {
  return forward(
      [&] { return cudaGraphAddChildGraphNode(phGraphNode, hGraph, dependencies, numDependencies, childGraph); });
}
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode hNode, CUgraph* phGraph) {
  return forward([&] { return cudaGraphChildGraphNodeGetGraph(hNode, phGraph); });
}
CUresult cuGraphAddEmptyNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                             size_t numDependencies) {
  return forward([&] { return cudaGraphAddEmptyNode(phGraphNode, hGraph, dependencies, numDependencies); });
}
CUresult cuGraphAddEventRecordNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                                   size_t numDependencies, CUevent event) {
  return forward(
      [&] { return cudaGraphAddEventRecordNode(phGraphNode, hGraph, dependencies, numDependencies, event); });
}
CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode hNode, CUevent* event_out) {
  return forward([&] { return cudaGraphEventRecordNodeGetEvent(hNode, event_out); });
}
CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode hNode, CUevent event) {
  return forward([&] { return cudaGraphEventRecordNodeSetEvent(hNode, event); });
}
CUresult cuGraphAddEventWaitNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                                 size_t numDependencies, CUevent event) {
  return forward([&] { return cudaGraphAddEventWaitNode(phGraphNode, hGraph, dependencies, numDependencies, event); });
}
CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode hNode, CUevent* event_out) {
  return forward([&] { return cudaGraphEventWaitNodeGetEvent(hNode, event_out); });
}
CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode hNode, CUevent event) {
  return forward([&] { return cudaGraphEventWaitNodeSetEvent(hNode, event); });
}

// --- Executable graphs ----------------------------------------------------------------------------------------------

CUresult cuGraphInstantiate(CUgraphExec* phGraphExec, CUgraph hGraph, CUgraphNode* phErrorNode, char* logBuffer,
                            size_t bufferSize) {
  return forward([&] { return cudaGraphInstantiate(phGraphExec, hGraph, phErrorNode, logBuffer, bufferSize); });
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec* phGraphExec, CUgraph hGraph, unsigned long long flags) {
  return forward([&] { return cudaGraphInstantiateWithFlags(phGraphExec, hGraph, flags); });
}
CUresult cuGraphInstantiateWithParams(CUgraphExec* phGraphExec, CUgraph hGraph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS* instantiateParams) {
  if (instantiateParams == nullptr) return CUDA_ERROR_INVALID_VALUE;
  cudaGraphInstantiateParams params = {instantiateParams->flags, instantiateParams->hUploadStream, nullptr,
                                       cudaGraphInstantiateError};
  const CUresult result = forward([&] { return cudaGraphInstantiateWithParams(phGraphExec, hGraph, &params); });
  instantiateParams->hErrNode_out = params.errNode_out;
  instantiateParams->result_out = static_cast<CUgraphInstantiateResult>(params.result_out);
  return result;
}
CUresult cuGraphExecGetFlags(CUgraphExec hGraphExec, cuuint64_t* flags) {
  unsigned long long value = 0;
  return driver([&](Session&) {
    need_pointer(flags);
    pass(cudaGraphExecGetFlags(hGraphExec, &value));
    *flags = value;
  });
}
CUresult cuGraphExecDestroy(CUgraphExec hGraphExec) {
  return forward([&] { return cudaGraphExecDestroy(hGraphExec); });
}
CUresult cuGraphUpload(CUgraphExec hGraphExec, CUstream hStream) {
  return forward([&] { return cudaGraphUpload(hGraphExec, hStream); });
}
CUresult cuGraphLaunch(CUgraphExec hGraphExec, CUstream hStream) {
  return forward([&] { return cudaGraphLaunch(hGraphExec, hStream); });
}
CUresult cuGraphExecUpdate(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphNode* hErrorNode_out,
                           CUgraphExecUpdateResult* updateResult_out) {
  return forward([&] {
    return cudaGraphExecUpdate(hGraphExec, hGraph, hErrorNode_out,
                               reinterpret_cast<cudaGraphExecUpdateResult*>(updateResult_out));
  });
}
CUresult cuGraphExecUpdate_v2(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphExecUpdateResultInfo* resultInfo) {
  if (resultInfo == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *resultInfo = {CU_GRAPH_EXEC_UPDATE_ERROR, nullptr, nullptr};
  return cuGraphExecUpdate(hGraphExec, hGraph, &resultInfo->errorNode, &resultInfo->result);
}
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                        const CUDA_KERNEL_NODE_PARAMS* nodeParams) {
  return with_kernel(nodeParams, [&](const cudaKernelNodeParams* params) {
    return cudaGraphExecKernelNodeSetParams(hGraphExec, hNode, params);
  });
}
CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec hGraphExec, CUgraphNode hNode,
                                           const CUDA_KERNEL_NODE_PARAMS_v2* nodeParams) {
  if (is_kernel_of_library(nodeParams)) return CUDA_ERROR_NOT_SUPPORTED;
  return with_kernel(nodeParams, [&](const cudaKernelNodeParams* params) {
    return cudaGraphExecKernelNodeSetParams(hGraphExec, hNode, params);
  });
}
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_MEMCPY3D* copyParams,
                                        CUcontext /*ctx*/) {
  return with_copy(copyParams, [&](const cudaMemcpy3DParms* params) {
    return cudaGraphExecMemcpyNodeSetParams(hGraphExec, hNode, params);
  });
}
CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                        const CUDA_MEMSET_NODE_PARAMS* memsetParams, CUcontext /*ctx*/) {
  return with_fill(memsetParams, [&](const cudaMemsetParams* params) {
    return cudaGraphExecMemsetNodeSetParams(hGraphExec, hNode, params);
  });
}
CUresult cuGraphExecHostNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                      const CUDA_HOST_NODE_PARAMS* nodeParams) {
  return with_function(nodeParams, [&](const cudaHostNodeParams* params) {
    return cudaGraphExecHostNodeSetParams(hGraphExec, hNode, params);
  });
}
CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, CUgraph childGraph) {
  return forward([&] { return cudaGraphExecChildGraphNodeSetParams(hGraphExec, hNode, childGraph); });
}
CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode, CUevent event) {
  return forward([&] { return cudaGraphExecEventRecordNodeSetEvent(hGraphExec, hNode, event); });
}
CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode, CUevent event) {
  return forward([&] { return cudaGraphExecEventWaitNodeSetEvent(hGraphExec, hNode, event); });
}
CUresult cuGraphNodeSetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int isEnabled) {
  return forward([&] { return cudaGraphNodeSetEnabled(hGraphExec, hNode, isEnabled); });
}
CUresult cuGraphNodeGetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int* isEnabled) {
  return forward([&] { return cudaGraphNodeGetEnabled(hGraphExec, hNode, isEnabled); });
}

// --- Capture --------------------------------------------------------------------------------------------------------

CUresult cuStreamBeginCapture(CUstream hStream, CUstreamCaptureMode mode) {
  return forward([&] { return cudaStreamBeginCapture(hStream, static_cast<cudaStreamCaptureMode>(mode)); });
}
CUresult cuStreamBeginCaptureToGraph(CUstream hStream, CUgraph hGraph, const CUgraphNode* dependencies,
                                     const CUgraphEdgeData* dependencyData, size_t numDependencies,
                                     CUstreamCaptureMode mode) {
  return forward([&] {
    return cudaStreamBeginCaptureToGraph(hStream, hGraph, dependencies, edges(dependencyData), numDependencies,
                                         static_cast<cudaStreamCaptureMode>(mode));
  });
}
CUresult cuStreamEndCapture(CUstream hStream, CUgraph* phGraph) {
  return forward([&] { return cudaStreamEndCapture(hStream, phGraph); });
}
CUresult cuStreamIsCapturing(CUstream hStream, CUstreamCaptureStatus* captureStatus) {
  return forward(
      [&] { return cudaStreamIsCapturing(hStream, reinterpret_cast<cudaStreamCaptureStatus*>(captureStatus)); });
}
CUresult cuStreamGetCaptureInfo_v3(CUstream hStream, CUstreamCaptureStatus* captureStatus_out, cuuint64_t* id_out,
                                   CUgraph* graph_out, const CUgraphNode** dependencies_out,
                                   const CUgraphEdgeData** edgeData_out, size_t* numDependencies_out) {
  return driver([&](Session&) {
    unsigned long long id = 0;
    pass(cudaStreamGetCaptureInfo_v3(hStream, reinterpret_cast<cudaStreamCaptureStatus*>(captureStatus_out), &id,
                                     graph_out, dependencies_out, nullptr, numDependencies_out));
    if (id == 0) return;  // the stream is not being captured
    if (id_out != nullptr) *id_out = id;
    if (edgeData_out != nullptr) *edgeData_out = nullptr;
  });
}
CUresult cuStreamGetCaptureInfo_v2(CUstream hStream, CUstreamCaptureStatus* captureStatus_out, cuuint64_t* id_out,
                                   CUgraph* graph_out, const CUgraphNode** dependencies_out,
                                   size_t* numDependencies_out) {
  return cuStreamGetCaptureInfo_v3(hStream, captureStatus_out, id_out, graph_out, dependencies_out, nullptr,
                                   numDependencies_out);
}
CUresult cuStreamGetCaptureInfo(CUstream hStream, CUstreamCaptureStatus* captureStatus_out, cuuint64_t* id_out) {
  return cuStreamGetCaptureInfo_v2(hStream, captureStatus_out, id_out, nullptr, nullptr, nullptr);
}
CUresult cuStreamUpdateCaptureDependencies_v2(CUstream hStream, CUgraphNode* dependencies,
                                              const CUgraphEdgeData* dependencyData, size_t numDependencies,
                                              unsigned int flags) {
  return forward([&] {
    return cudaStreamUpdateCaptureDependencies_v2(hStream, dependencies, edges(dependencyData), numDependencies, flags);
  });
}
CUresult cuStreamUpdateCaptureDependencies(CUstream hStream, CUgraphNode* dependencies, size_t numDependencies,
                                           unsigned int flags) {
  return cuStreamUpdateCaptureDependencies_v2(hStream, dependencies, nullptr, numDependencies, flags);
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  return forward([&] { return cudaThreadExchangeStreamCaptureMode(reinterpret_cast<cudaStreamCaptureMode*>(mode)); });
}

// --- Refused --------------------------------------------------------------------------------------------------------

CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode /*dst*/, CUgraphNode /*src*/) { return CUDA_ERROR_NOT_SUPPORTED; }
CUresult cuGraphAddMemFreeNode(CUgraphNode* /*phGraphNode*/, CUgraph /*hGraph*/, const CUgraphNode* /*dependencies*/,
                               size_t /*numDependencies*/, CUdeviceptr /*dptr*/) {
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult cuDeviceGraphMemTrim(CUdevice device) {
  return forward([&] { return cudaDeviceGraphMemTrim(device); });
}

// Symbols without a version suffix, for programs that look up functions by name. They have the signatures of the first
// CUDA release with graphs.
#undef cuGraphInstantiate
#undef cuStreamBeginCapture
CUresult cuGraphInstantiate(CUgraphExec* phGraphExec, CUgraph hGraph, CUgraphNode* phErrorNode, char* logBuffer,
                            size_t bufferSize) {
  return cuGraphInstantiate_v2(phGraphExec, hGraph, phErrorNode, logBuffer, bufferSize);
}
CUresult cuStreamBeginCapture(CUstream hStream) {
  return cuStreamBeginCapture_v2(hStream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

}  // extern "C"
