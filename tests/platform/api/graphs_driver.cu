// CUDA graphs and capture of the driver API, alone and mixed with the runtime API. Argument: the PTX file scale.ptx.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstring>

#include "check.h"

#define DRIVER(code, call)                                         \
  do {                                                             \
    const CUresult result_ = (call);                               \
    const char* name_ = "?";                                       \
    cuGetErrorName(result_, &name_);                               \
    if (result_ != (code)) fail(__FILE__, __LINE__, #call, name_); \
  } while (0)
#define DONE(call) DRIVER(CUDA_SUCCESS, call)

constexpr unsigned kCount = 100;

void CUDA_CB count_calls(void* data) { ++*static_cast<int*>(data); }

CUDA_MEMCPY3D copy_of(void* to_host, CUdeviceptr to, const void* from_host, CUdeviceptr from, size_t bytes) {
  CUDA_MEMCPY3D copy = {};
  copy.srcMemoryType = from_host != nullptr ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
  copy.srcHost = from_host;
  copy.srcDevice = from;
  copy.dstMemoryType = to_host != nullptr ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
  copy.dstHost = to_host;
  copy.dstDevice = to;
  copy.WidthInBytes = bytes;
  copy.Height = 1;
  copy.Depth = 1;
  return copy;
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  CUgraph graph = nullptr;
  DRIVER(CUDA_ERROR_NOT_INITIALIZED, cuGraphCreate(&graph, 0));
  DONE(cuInit(0));
  CUcontext context;
  DONE(cuCtxCreate_v2(&context, 0, 0));
  CUmodule module;
  CUfunction scale;
  DONE(cuModuleLoad(&module, argv[1]));
  DONE(cuModuleGetFunction(&scale, module, "scale"));  // out[i] = in[i] * factor + 1000
  CUdeviceptr in = 0, out = 0;
  int host[kCount], back[kCount] = {}, calls = 0;
  DONE(cuMemAlloc(&in, sizeof host));
  DONE(cuMemAlloc(&out, sizeof host));

  // (copy in, fill) -> kernel -> copy out -> host function
  DONE(cuGraphCreate(&graph, 0));
  CUgraphNode copy_in, fill, kernel, copy_out, function;
  CUDA_MEMCPY3D copy = copy_of(nullptr, in, host, 0, sizeof host);
  DONE(cuGraphAddMemcpyNode(&copy_in, graph, nullptr, 0, &copy, context));
  CUDA_MEMSET_NODE_PARAMS bytes = {out, 0, 9, 4, kCount, 1};
  DONE(cuGraphAddMemsetNode(&fill, graph, nullptr, 0, &bytes, context));
  unsigned n = kCount - 1;
  int factor = 3;
  void* arguments[] = {&out, &in, &n, &factor};
  CUDA_KERNEL_NODE_PARAMS params = {};
  params.func = scale;
  params.gridDimX = 4;
  params.gridDimY = params.gridDimZ = 1;
  params.blockDimX = 32;
  params.blockDimY = params.blockDimZ = 1;
  params.kernelParams = arguments;
  const CUgraphNode both[] = {copy_in, fill};
  DONE(cuGraphAddKernelNode(&kernel, graph, both, 2, &params));
  copy = copy_of(back, 0, nullptr, out, sizeof back);
  DONE(cuGraphAddMemcpyNode(&copy_out, graph, &kernel, 1, &copy, context));
  CUDA_HOST_NODE_PARAMS call = {count_calls, &calls};
  DONE(cuGraphAddHostNode(&function, graph, nullptr, 0, &call));
  DONE(cuGraphAddDependencies(graph, &copy_out, &function, 1));
  factor = -1;

  size_t count = 0;
  CUgraphNode nodes[5], to[5];
  DONE(cuGraphGetNodes(graph, nullptr, &count));
  CHECK(count == 5);
  DONE(cuGraphGetRootNodes(graph, nodes, &count));
  CHECK(count == 2 && nodes[0] == copy_in && nodes[1] == fill);
  DONE(cuGraphGetEdges(graph, nullptr, nullptr, &count));
  CHECK(count == 4);
  DONE(cuGraphGetEdges(graph, nodes, to, &count));
  CHECK(nodes[3] == copy_out && to[3] == function);
  CUgraphEdgeData kind[4];
  DONE(cuGraphGetEdges_v2(graph, nodes, to, kind, &count));
  CHECK(kind[0].type == 0);
  DONE(cuGraphNodeGetDependencies(kernel, nullptr, &count));
  CHECK(count == 2);
  DONE(cuGraphNodeGetDependentNodes(kernel, nodes, &count));
  CHECK(count == 1 && nodes[0] == copy_out);
  CUgraphNodeType type;
  DONE(cuGraphNodeGetType(fill, &type));
  CHECK(type == CU_GRAPH_NODE_TYPE_MEMSET);
  CUDA_KERNEL_NODE_PARAMS got = {};
  DONE(cuGraphKernelNodeGetParams(kernel, &got));
  CHECK(got.func == scale && got.gridDimX == 4 && *static_cast<int*>(got.kernelParams[3]) == 3);
  DONE(cuGraphMemcpyNodeGetParams(copy_out, &copy));
  CHECK(copy.dstHost == back && copy.srcDevice == out && copy.WidthInBytes == sizeof back &&
        copy.srcMemoryType == CU_MEMORYTYPE_DEVICE && copy.dstMemoryType == CU_MEMORYTYPE_HOST);
  DONE(cuGraphMemsetNodeGetParams(fill, &bytes));
  CHECK(bytes.dst == out && bytes.value == 9);
  DONE(cuGraphHostNodeGetParams(function, &call));
  CHECK(call.fn == count_calls && call.userData == &calls);

  CUgraphExec exec;
  CUgraphNode error = nullptr;
  char log[32];
  DONE(cuGraphInstantiate(&exec, graph, &error, log, sizeof log));
  CHECK(error == nullptr && log[0] == 0);
  CUstream stream;
  DONE(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  for (unsigned i = 0; i < kCount; ++i) host[i] = static_cast<int>(i);
  DONE(cuGraphUpload(exec, stream));
  DONE(cuGraphLaunch(exec, stream));
  DONE(cuStreamSynchronize(stream));
  CHECK(calls == 1 && back[kCount - 1] == 9);
  for (unsigned i = 0; i < kCount - 1; ++i) CHECK(back[i] == static_cast<int>(3 * i + 1000));

  // Updates; the second form of the parameters, and a block of arguments.
  struct {
    CUdeviceptr out, in;
    unsigned n;
    int factor;
  } block = {out, in, kCount, 7};
  size_t size = sizeof block;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  CUDA_KERNEL_NODE_PARAMS_v2 second = {scale, 2, 1, 1, 64, 1, 1, 0, nullptr, extra, nullptr, nullptr};
  DONE(cuGraphExecKernelNodeSetParams(exec, kernel, &second));
  block.factor = 8;
  DONE(cuGraphLaunch(exec, stream));
  DONE(cuStreamSynchronize(stream));
  for (unsigned i = 0; i < kCount; ++i) CHECK(back[i] == static_cast<int>(7 * i + 1000));
  DONE(cuGraphKernelNodeSetParams_v2(kernel, &second));
  CUgraphExecUpdateResult updated = CU_GRAPH_EXEC_UPDATE_ERROR;
  DONE(cuGraphExecUpdate(exec, graph, &error, &updated));
  CHECK(updated == CU_GRAPH_EXEC_UPDATE_SUCCESS);
  CUgraphExecUpdateResultInfo info;
  DONE(cuGraphExecUpdate(exec, graph, &info));
  int other[kCount] = {};
  copy = copy_of(other, 0, nullptr, out, sizeof other);
  DONE(cuGraphExecMemcpyNodeSetParams(exec, copy_out, &copy, context));
  bytes.value = 1;
  DONE(cuGraphExecMemsetNodeSetParams(exec, fill, &bytes, context));
  DONE(cuGraphLaunch(exec, stream));
  DONE(cuStreamSynchronize(stream));
  for (unsigned i = 0; i < kCount; ++i) CHECK(other[i] == static_cast<int>(8 * i + 1000));
  CHECK(calls == 3);

  // The same graph by the runtime API: handles are one.
  cudaKernelNodeParams seen = {};
  GOOD(cudaGraphKernelNodeGetParams(kernel, &seen));
  CHECK(seen.func == (void*)scale && seen.gridDim.x == 2);
  GOOD(cudaGraphKernelNodeSetParams(kernel, &seen));

  // Wrong calls.
  size = 16;  // too short for the kernel
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuGraphAddKernelNode(&nodes[0], graph, nullptr, 0, &second));
  second.extra = nullptr;
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuGraphAddKernelNode(&nodes[0], graph, nullptr, 0, &second));
  second = {nullptr, 1, 1, 1, 1, 1, 1, 0, arguments, nullptr, reinterpret_cast<CUkern_st*>(&n), nullptr};
  DRIVER(CUDA_ERROR_NOT_SUPPORTED, cuGraphAddKernelNode(&nodes[0], graph, nullptr, 0, &second));
  params.func = nullptr;
  DRIVER(CUDA_ERROR_INVALID_HANDLE, cuGraphAddKernelNode(&nodes[0], graph, nullptr, 0, &params));
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuGraphAddKernelNode_v2(&nodes[0], graph, nullptr, 0, nullptr));
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  DRIVER(CUDA_ERROR_NOT_SUPPORTED, cuGraphAddMemcpyNode(&nodes[0], graph, nullptr, 0, &copy, context));
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuGraphAddMemsetNode(&nodes[0], graph, nullptr, 0, nullptr, context));
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuGraphAddDependencies(graph, &copy_out, &function, 1));
  CUgraphExec none;
  DONE(cuGraphAddDependencies(graph, &function, &copy_out, 1));
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuGraphInstantiate(&none, graph, &error, log, sizeof log));
  CHECK((error == function || error == copy_out) && std::strstr(log, "cycle") != nullptr);
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuGraphInstantiateWithFlags(&none, graph, 0));
  CUDA_GRAPH_INSTANTIATE_PARAMS with = {};
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuGraphInstantiateWithParams(&none, graph, &with));
  CHECK(with.result_out == CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE && with.hErrNode_out != nullptr);
  DONE(cuGraphRemoveDependencies(graph, &function, &copy_out, 1));
  DRIVER(CUDA_ERROR_NOT_SUPPORTED, cuGraphInstantiate(&none, graph, CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH));
  DRIVER(CUDA_ERROR_NOT_SUPPORTED, cuGraphAddMemFreeNode(&nodes[0], graph, nullptr, 0, out));

  // Child graphs, clones, events.
  CUgraph parent, clone, inside;
  CUgraphNode child, records, found;
  CUevent event, same;
  DONE(cuEventCreate(&event, CU_EVENT_DEFAULT));
  DONE(cuGraphCreate(&parent, 0));
  DONE(cuGraphAddChildGraphNode(&child, parent, nullptr, 0, graph));
  DONE(cuGraphAddEventRecordNode(&records, parent, &child, 1, event));
  DONE(cuGraphEventRecordNodeGetEvent(records, &same));
  CHECK(same == event);
  DONE(cuGraphChildGraphNodeGetGraph(child, &inside));
  DONE(cuGraphGetNodes(inside, nullptr, &count));
  CHECK(count == 5);
  DONE(cuGraphClone(&clone, parent));
  DONE(cuGraphNodeFindInClone(&found, records, clone));
  DONE(cuGraphDestroyNode(child));
  with = {};
  CUgraphExec cloned;
  DONE(cuGraphInstantiateWithParams(&cloned, clone, &with));
  CHECK(with.result_out == CUDA_GRAPH_INSTANTIATE_SUCCESS);
  std::memset(back, 0, sizeof back);
  DONE(cuGraphLaunch(cloned, stream));
  DONE(cuEventSynchronize(event));
  for (unsigned i = 0; i < kCount; ++i) CHECK(back[i] == static_cast<int>(8 * i + 1000));
  CHECK(calls == 4);

  // Capture.
  CUstreamCaptureStatus status;
  cuuint64_t id = 0;
  const CUgraphNode* last = nullptr;
  CUgraph captured;
  DONE(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  factor = 2;
  DONE(cuLaunchKernel(scale, 4, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr));
  DONE(cuMemcpyDtoHAsync(back, out, sizeof back, stream));
  DONE(cuLaunchHostFunc(stream, count_calls, &calls));
  DONE(cuStreamIsCapturing(stream, &status));
  CHECK(status == CU_STREAM_CAPTURE_STATUS_ACTIVE);
  DONE(cuStreamGetCaptureInfo(stream, &status, &id));
  CHECK(id != 0);
  DONE(cuStreamGetCaptureInfo_v2(stream, &status, &id, &captured, &last, &count));
  CHECK(count == 1);
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  DONE(cuThreadExchangeStreamCaptureMode(&mode));
  CHECK(mode == CU_STREAM_CAPTURE_MODE_GLOBAL);
  DONE(cuThreadExchangeStreamCaptureMode(&mode));
  DONE(cuStreamEndCapture(stream, &captured));
  CUgraphExec replay;
  DONE(cuGraphInstantiate(&replay, captured, 0));
  DONE(cuGraphLaunch(replay, stream));
  DONE(cuStreamSynchronize(stream));
  for (unsigned i = 0; i < kCount - 1; ++i) CHECK(back[i] == static_cast<int>(2 * i + 1000));
  CHECK(calls == 5);
  DONE(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  DRIVER(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuCtxSynchronize());
  DRIVER(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream, &captured));
  DRIVER(CUDA_ERROR_ILLEGAL_STATE, cuStreamEndCapture(stream, &captured));

  // A kernel whose module is gone.
  DONE(cuModuleUnload(module));
  DRIVER(CUDA_ERROR_INVALID_HANDLE, cuGraphLaunch(exec, stream));
  DRIVER(CUDA_ERROR_INVALID_HANDLE, cuGraphKernelNodeGetParams(kernel, &got));
  for (CUgraphExec one : {exec, cloned, replay}) DONE(cuGraphExecDestroy(one));
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuGraphExecDestroy(exec));
  for (CUgraph one : {graph, parent, clone}) DONE(cuGraphDestroy(one));
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuGraphDestroy(graph));
  DONE(cuEventDestroy(event));
  DONE(cuStreamDestroy(stream));
  DONE(cuMemFree(in));
  DONE(cuMemFree(out));
  GOOD(cudaGetLastError());  // driver calls do not touch the runtime's last error
  return verdict();
}
