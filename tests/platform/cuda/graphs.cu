// CUDA graphs and stream capture, of both APIs.
#include <cuda.h>

#include <fstream>
#include <string>

#include "feature.h"

__global__ void add(int* out, int value) { *out += value; }
static void CUDART_CB mark(void* data) { *static_cast<int*>(data) += 1; }

static cudaGraphNode_t add_node(cudaGraph_t graph, int* out, int value, cudaGraphNode_t after = nullptr) {
  void* arguments[] = {&out, &value};
  cudaKernelNodeParams params = {};
  params.func = (void*)add;
  params.gridDim = params.blockDim = dim3(1);
  params.kernelParams = arguments;
  cudaGraphNode_t node = nullptr;
  cudaGraphAddKernelNode(&node, graph, &after, after != nullptr, &params);
  return node;
}

static void nodes(cudaStream_t stream) {
  Out o;
  cudaGraph_t graph, clone;
  bool good = GOOD(cudaGraphCreate(&graph, 0));
  const cudaGraphNode_t first = add_node(graph, o.v, 1), second = add_node(graph, o.v, 2, first);
  cudaGraphExec_t exec;
  good = good && second != nullptr && GOOD(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0)) &&
         GOOD(cudaGraphLaunch(exec, stream)) && GOOD(cudaGraphLaunch(exec, stream));
  FEATURE("Graphs", "`cudaGraphCreate`, `cudaGraphAddKernelNode`, `cudaGraphInstantiate`, `cudaGraphLaunch`",
          good && o.is(0, 6));
  cudaGraphExec_t twelve, with;
  cudaGraphInstantiateParams params = {};
  FEATURE("Graphs", "`cudaGraphInstantiate` as CUDA 11 and as CUDA 12 declare it, with flags, with parameters",
          GOOD(cudaGraphInstantiate(&twelve, graph, 0)) &&
              GOOD(cudaGraphInstantiateWithParams(&with, graph, &params)) && GOOD(cudaGraphExecDestroy(twelve)) &&
              GOOD(cudaGraphExecDestroy(with)));
  int host = 40, called = 0;
  cudaGraphNode_t copy, fill, function, empty, child, waits, records;
  cudaEvent_t event;
  cudaMemsetParams bytes = {o.v + 1, 0, 7, 4, 1, 1};
  const cudaHostNodeParams host_function = {mark, &called};
  good = GOOD(cudaGraphClone(&clone, graph)) &&
         GOOD(cudaGraphAddMemcpyNode1D(&copy, graph, &second, 1, o.v, &host, 4, cudaMemcpyDefault)) &&
         GOOD(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &bytes)) &&
         GOOD(cudaGraphAddHostNode(&function, graph, &copy, 1, &host_function)) &&
         GOOD(cudaGraphAddEmptyNode(&empty, graph, &fill, 1)) &&
         GOOD(cudaGraphAddChildGraphNode(&child, graph, &function, 1, clone)) && GOOD(cudaEventCreate(&event)) &&
         GOOD(cudaGraphAddEventRecordNode(&records, graph, &child, 1, event)) &&
         GOOD(cudaGraphAddEventWaitNode(&waits, graph, nullptr, 0, event));
  cudaGraphExec_t all;
  good = good && GOOD(cudaGraphInstantiate(&all, graph, 0)) && GOOD(cudaGraphLaunch(all, stream)) &&
         GOOD(cudaEventSynchronize(event));
  FEATURE("Graphs", "nodes of kernels, copies, fills, host functions, graphs, nothing, event records and waits",
          good && o.is(0, 43) && o.v[1] == 7 && called == 1);
  size_t count = 0;
  cudaGraphNodeType type;
  FEATURE("Graphs", "`cudaGraphGetNodes`, `cudaGraphGetRootNodes`, `cudaGraphGetEdges`, `cudaGraphNodeGetType`",
          GOOD(cudaGraphGetNodes(graph, nullptr, &count)) && count == 9 &&
              GOOD(cudaGraphGetRootNodes(graph, nullptr, &count)) && count == 3 &&
              GOOD(cudaGraphGetEdges(graph, nullptr, nullptr, &count)) && count == 6 &&
              GOOD(cudaGraphNodeGetType(fill, &type)) && type == cudaGraphNodeTypeMemset);
  bytes.value = 9;
  FEATURE("Graphs", "`cudaGraphExecKernelNodeSetParams` and those of other nodes, `cudaGraphNodeSetEnabled`",
          GOOD(cudaGraphExecMemsetNodeSetParams(all, fill, &bytes)) && GOOD(cudaGraphNodeSetEnabled(all, copy, 0)) &&
              GOOD(cudaGraphLaunch(all, stream)) && o.is(1, 9) && o.v[0] == 49);
  cudaGraphExecUpdateResultInfo info;
  FEATURE("Graphs", "`cudaGraphExecUpdate`",
          GOOD(cudaGraphExecUpdate(exec, clone, &info)) && cudaGraphExecUpdate(exec, graph, &info) != cudaSuccess &&
              info.result == cudaGraphExecUpdateErrorTopologyChanged &&
              cudaGetLastError() == cudaErrorGraphExecUpdateFailure);
  const cudaGraphNode_t from = child, to = first;
  FEATURE("Graphs", "a cycle is found by `cudaGraphInstantiate`: `cudaErrorInvalidValue`",
          GOOD(cudaGraphAddDependencies(graph, &from, &to, 1)) &&
              cudaGraphInstantiate(&twelve, graph, 0) == cudaErrorInvalidValue &&
              cudaGetLastError() == cudaErrorInvalidValue);
  const std::string path = "/tmp/castor_graph_" + std::to_string(reinterpret_cast<size_t>(&path)) + ".dot";
  std::string word;
  good = GOOD(cudaGraphDebugDotPrint(graph, path.c_str(), 0)) && (std::ifstream(path) >> word) && word == "digraph";
  std::remove(path.c_str());
  FEATURE("Graphs", "`cudaGraphDebugDotPrint`", good);
  cudaMemAllocNodeParams memory = {};
  cudaUserObject_t object;
  FEATURE(
      "Graphs",
      "nodes that allocate or free memory, conditional nodes, user objects, launches of graphs by device code, "
      "`cudaMallocAsync` during a capture: `cudaErrorNotSupported`",
      cudaGraphAddMemAllocNode(&child, clone, nullptr, 0, &memory) == cudaErrorNotSupported &&
          cudaGraphAddMemFreeNode(&child, clone, nullptr, 0, o.v) == cudaErrorNotSupported &&
          cudaUserObjectCreate(&object, &called, mark, 1, cudaUserObjectNoDestructorSync) == cudaErrorNotSupported &&
          cudaGraphInstantiate(&twelve, clone, cudaGraphInstantiateFlagDeviceLaunch) == cudaErrorNotSupported &&
          cudaGetLastError() == cudaErrorNotSupported);
}

static void capture(cudaStream_t stream) {
  Out o;
  cudaStream_t other;
  cudaEvent_t fork, join;
  cudaStreamCreate(&other);
  cudaEventCreate(&fork);
  cudaEventCreate(&join);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  unsigned long long id = 0;
  bool good = GOOD(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  add<<<1, 1, 0, stream>>>(o.v, 1);
  good = good && GOOD(cudaEventRecord(fork, stream)) && GOOD(cudaStreamWaitEvent(other, fork, 0));
  add<<<1, 1, 0, other>>>(o.v + 1, 2);
  add<<<1, 1, 0, stream>>>(o.v, 3);
  good = good && GOOD(cudaEventRecord(join, other)) && GOOD(cudaStreamWaitEvent(stream, join, 0)) &&
         GOOD(cudaStreamIsCapturing(other, &status)) && status == cudaStreamCaptureStatusActive &&
         GOOD(cudaStreamGetCaptureInfo(stream, &status, &id)) && id != 0 && GOOD(cudaStreamEndCapture(stream, &graph));
  good = good && o.v[0] == 0 && GOOD(cudaGraphInstantiate(&exec, graph, 0)) && GOOD(cudaGraphLaunch(exec, stream));
  FEATURE("Graphs", "`cudaStreamBeginCapture`, `cudaStreamEndCapture`, with forks and joins by events",
          good && o.is(0, 4) && o.v[1] == 2);
  FEATURE("Graphs", "calls that a capture does not allow: `cudaErrorStreamCaptureUnsupported` and its kin",
          GOOD(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal)) &&
              cudaStreamSynchronize(stream) == cudaErrorStreamCaptureUnsupported &&
              cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated &&
              cudaGetLastError() == cudaErrorStreamCaptureInvalidated);
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  FEATURE("Graphs", "`cudaThreadExchangeStreamCaptureMode`",
          GOOD(cudaThreadExchangeStreamCaptureMode(&mode)) && mode == cudaStreamCaptureModeGlobal &&
              GOOD(cudaThreadExchangeStreamCaptureMode(&mode)));
}

static void driver(cudaStream_t stream) {
  int calls = 0;
  Out o;
  CUgraph graph;
  CUgraphNode fill, function;
  CUgraphExec exec;
  const CUDA_MEMSET_NODE_PARAMS bytes = {reinterpret_cast<CUdeviceptr>(o.v), 0, 5, 4, 8, 1};
  const CUDA_HOST_NODE_PARAMS call = {mark, &calls};
  const bool good = cuGraphCreate(&graph, 0) == CUDA_SUCCESS &&
                    cuGraphAddMemsetNode(&fill, graph, nullptr, 0, &bytes, nullptr) == CUDA_SUCCESS &&
                    cuGraphAddHostNode(&function, graph, &fill, 1, &call) == CUDA_SUCCESS &&
                    cuGraphInstantiate(&exec, graph, nullptr, nullptr, 0) == CUDA_SUCCESS &&
                    cuGraphLaunch(exec, stream) == CUDA_SUCCESS && cuStreamSynchronize(stream) == CUDA_SUCCESS;
  FEATURE("Graphs", "the same by the driver API (`cuGraphCreate`, `cuGraphLaunch`, `cuStreamBeginCapture`)",
          good && calls == 1 && o.v[7] == 5);
}

int main() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  nodes(stream);
  capture(stream);
  driver(stream);
  return missing != 0;
}
