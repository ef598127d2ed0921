// Capture of streams into CUDA graphs: what becomes of the work, forks and joins by events, calls that end a capture.
#include <cuda_runtime.h>

#include <thread>
#include <vector>

#include "check.h"

__global__ void add(int* out, int value) { out[threadIdx.x] += value; }
__global__ void append(unsigned long long* out, int digit, int rounds) {
  unsigned long long sum = 0;
  for (int i = 0; i < rounds; ++i) sum = sum * 3 + clock();
  if (sum == 0x123456789abcdefull) *out = 0;  // never, but the loop must run
  *out = *out * 10 + digit;
}

void CUDART_CB count_calls(void* data) { ++*static_cast<int*>(data); }
void CUDART_CB never(cudaStream_t, cudaError_t, void*) {}

cudaStream_t a, b;  // non-blocking
cudaEvent_t fork_event, join_event;
int* memory = nullptr;  // 32 words

cudaStreamCaptureStatus status_of(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  GOOD(cudaStreamIsCapturing(stream, &status));
  return status;
}
std::vector<cudaGraphNodeType> types_of(cudaGraph_t graph) {
  size_t count = 0;
  GOOD(cudaGraphGetNodes(graph, nullptr, &count));
  std::vector<cudaGraphNode_t> nodes(count);
  GOOD(cudaGraphGetNodes(graph, nodes.data(), &count));
  std::vector<cudaGraphNodeType> types(count);
  for (size_t i = 0; i < count; ++i) GOOD(cudaGraphNodeGetType(nodes[i], &types[i]));
  return types;
}

void one_stream() {
  int host[32], back[32], calls = 0;
  for (int i = 0; i < 32; ++i) host[i] = i;
  CHECK(status_of(a) == cudaStreamCaptureStatusNone);
  GOOD(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
  CHECK(status_of(a) == cudaStreamCaptureStatusActive && status_of(b) == cudaStreamCaptureStatusNone);
  RETURNS(cudaErrorIllegalState, cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
  RETURNS(cudaErrorIllegalState, cudaGetLastError());
  GOOD(cudaMemcpyAsync(memory, host, sizeof host, cudaMemcpyHostToDevice, a));
  add<<<1, 32, 0, a>>>(memory, 5);
  GOOD(cudaGetLastError());
  GOOD(cudaMemsetAsync(memory + 16, 1, 16, a));
  GOOD(cudaMemcpy2DAsync(back, 64, memory, 64, 64, 2, cudaMemcpyDeviceToHost, a));
  GOOD(cudaLaunchHostFunc(a, count_calls, &calls));
  cudaGraph_t graph = nullptr, growing = nullptr;
  cudaStreamCaptureStatus status;
  unsigned long long id = 0;
  const cudaGraphNode_t* last = nullptr;
  size_t count = 0;
  GOOD(cudaStreamGetCaptureInfo(a, &status, &id));
  CHECK(status == cudaStreamCaptureStatusActive && id != 0);
  GOOD(cudaStreamGetCaptureInfo(a, &status, &id, &growing, &last, &count));
  CHECK(growing != nullptr && count == 1);
  cudaGraphNodeType type;
  GOOD(cudaGraphNodeGetType(last[0], &type));
  CHECK(type == cudaGraphNodeTypeHost);
  const cudaGraphEdgeData* edges = nullptr;
  GOOD(cudaStreamGetCaptureInfo(a, &status, &id, &growing, &last, &edges, &count));
  CHECK(count == 1);
  GOOD(cudaStreamEndCapture(a, &graph));
  CHECK(graph == growing && calls == 0);
  CHECK((types_of(graph) == std::vector<cudaGraphNodeType>{cudaGraphNodeTypeMemcpy, cudaGraphNodeTypeKernel,
                                                           cudaGraphNodeTypeMemset, cudaGraphNodeTypeMemcpy,
                                                           cudaGraphNodeTypeHost}));
  GOOD(cudaGraphGetEdges(graph, nullptr, nullptr, &count));
  CHECK(count == 4);
  cudaGraphExec_t exec;
  GOOD(cudaGraphInstantiate(&exec, graph, 0));
  for (int round = 1; round <= 2; ++round) {
    for (int i = 0; i < 32; ++i) host[i] = round * i;  // read when the copy runs, not when it was captured
    GOOD(cudaGraphLaunch(exec, a));
    GOOD(cudaStreamSynchronize(a));
    CHECK(calls == round);
    for (int i = 0; i < 32; ++i) CHECK(back[i] == (i >= 16 && i < 20 ? 0x01010101 : round * i + 5));
  }
  // The next capture of the same work updates it.
  GOOD(cudaStreamBeginCapture(b, cudaStreamCaptureModeThreadLocal));
  GOOD(cudaMemcpyAsync(memory, host, sizeof host, cudaMemcpyHostToDevice, b));
  add<<<1, 32, 0, b>>>(memory, 50);
  GOOD(cudaMemsetAsync(memory + 16, 2, 16, b));
  GOOD(cudaMemcpy2DAsync(back, 64, memory, 64, 64, 1, cudaMemcpyDeviceToHost, b));
  GOOD(cudaLaunchHostFunc(b, count_calls, &calls));
  cudaGraph_t other;
  GOOD(cudaStreamEndCapture(b, &other));
  cudaGraphExecUpdateResultInfo info;
  RETURNS(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(exec, other, &info));  // the copy has two dimensions
  CHECK(info.result == cudaGraphExecUpdateErrorParametersChanged);
  // A launch that is captured is a graph inside a node.
  GOOD(cudaStreamBeginCapture(b, cudaStreamCaptureModeRelaxed));
  GOOD(cudaGraphLaunch(exec, b));
  add<<<1, 32, 0, b>>>(memory, 1);
  GOOD(cudaStreamEndCapture(b, &growing));
  CHECK((types_of(growing) == std::vector<cudaGraphNodeType>{cudaGraphNodeTypeGraph, cudaGraphNodeTypeKernel}));
  cudaGraphExec_t outer;
  GOOD(cudaGraphInstantiate(&outer, growing, 0));
  GOOD(cudaGraphLaunch(outer, b));
  GOOD(cudaStreamSynchronize(b));
  GOOD(cudaMemcpy(host, memory, sizeof host, cudaMemcpyDeviceToHost));
  CHECK(calls == 3 && host[31] == 2 * 31 + 6 && host[16] == 0x01010102);
  for (cudaGraph_t one : {graph, other, growing}) GOOD(cudaGraphDestroy(one));
  GOOD(cudaGraphExecDestroy(exec));
  GOOD(cudaGraphExecDestroy(outer));
}

void fork_and_join() {
  unsigned long long *order = nullptr, value = 0;
  GOOD(cudaMalloc(&order, 2 * sizeof *order));
  GOOD(cudaMemset(order, 0, 2 * sizeof *order));
  GOOD(cudaDeviceSynchronize());
  GOOD(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
  append<<<1, 1, 0, a>>>(order, 1, 1000);
  GOOD(cudaEventRecord(fork_event, a));
  GOOD(cudaStreamWaitEvent(b, fork_event));
  CHECK(status_of(b) == cudaStreamCaptureStatusActive);
  append<<<1, 1, 0, b>>>(order, 2, 1000);
  append<<<1, 1, 0, a>>>(order + 1, 7, 100);
  GOOD(cudaEventRecord(join_event, b));
  GOOD(cudaStreamWaitEvent(a, join_event));
  append<<<1, 1, 0, a>>>(order, 3, 1);
  cudaGraph_t graph;
  RETURNS(cudaErrorStreamCaptureUnmatched, cudaStreamEndCapture(b, &graph));
  RETURNS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(a, &graph));
  CHECK(graph == nullptr && status_of(a) == cudaStreamCaptureStatusNone && status_of(b) == cudaStreamCaptureStatusNone);
  // The same again, without that mistake.
  GOOD(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
  append<<<1, 1, 0, a>>>(order, 1, 1000);
  GOOD(cudaEventRecord(fork_event, a));
  GOOD(cudaStreamWaitEvent(b, fork_event));
  append<<<1, 1, 0, b>>>(order, 2, 1000);
  append<<<1, 1, 0, a>>>(order + 1, 7, 100);
  GOOD(cudaEventRecord(join_event, b));
  GOOD(cudaStreamWaitEvent(a, join_event));
  append<<<1, 1, 0, a>>>(order, 3, 1);
  GOOD(cudaStreamEndCapture(a, &graph));
  size_t edges = 0, roots = 0;
  GOOD(cudaGraphGetEdges(graph, nullptr, nullptr, &edges));
  GOOD(cudaGraphGetRootNodes(graph, nullptr, &roots));
  CHECK(edges == 4 && roots == 1);
  cudaGraphExec_t exec;
  GOOD(cudaGraphInstantiate(&exec, graph, 0));
  GOOD(cudaGraphLaunch(exec, b));
  GOOD(cudaGraphLaunch(exec, a));
  GOOD(cudaStreamSynchronize(a));
  GOOD(cudaMemcpy(&value, order, sizeof value, cudaMemcpyDeviceToHost));
  CHECK(value == 123123);
  GOOD(cudaMemcpy(&value, order + 1, sizeof value, cudaMemcpyDeviceToHost));
  CHECK(value == 77);
  GOOD(cudaGraphExecDestroy(exec));
  GOOD(cudaGraphDestroy(graph));
  // Work that is not joined.
  GOOD(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
  GOOD(cudaEventRecord(fork_event, a));
  GOOD(cudaStreamWaitEvent(b, fork_event));
  append<<<1, 1, 0, b>>>(order, 2, 1);
  RETURNS(cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(a, &graph));
  CHECK(graph == nullptr && status_of(b) == cudaStreamCaptureStatusNone);
  GOOD(cudaFree(order));
}

// Begins a capture, runs `wrong`, and expects that the capture is or is not good for anything any more.
template <class Wrong>
void breaks(bool invalidates, cudaStream_t stream, Wrong wrong) {
  GOOD(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  add<<<1, 32, 0, stream>>>(memory, 1);
  wrong();
  CHECK(status_of(stream) == (invalidates ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive));
  cudaGraph_t graph = nullptr;
  if (invalidates) {
    RETURNS(cudaErrorStreamCaptureInvalidated, cudaMemsetAsync(memory, 0, 4, stream));
    RETURNS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));
    CHECK(graph == nullptr);
  } else {
    GOOD(cudaStreamEndCapture(stream, &graph));
    GOOD(cudaGraphDestroy(graph));
  }
  (void)cudaGetLastError();
}

void wrong_calls() {
  cudaGraph_t graph;
  int word = 0;
  void* more = nullptr;
  RETURNS(cudaErrorIllegalState, cudaStreamEndCapture(a, &graph));
  RETURNS(cudaErrorStreamCaptureUnsupported, cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal));
  RETURNS(cudaErrorStreamCaptureUnsupported, cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeGlobal));
  RETURNS(cudaErrorInvalidValue, cudaStreamBeginCapture(a, (cudaStreamCaptureMode)3));
  RETURNS(cudaErrorInvalidValue, cudaStreamIsCapturing(a, nullptr));
  breaks(true, a, [] { RETURNS(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(a)); });
  breaks(true, a, [] { RETURNS(cudaErrorStreamCaptureUnsupported, cudaStreamQuery(a)); });
  breaks(true, a, [] { RETURNS(cudaErrorStreamCaptureUnsupported, cudaDeviceSynchronize()); });
  breaks(true, a, [&] { RETURNS(cudaErrorStreamCaptureUnsupported, cudaMalloc(&more, 4)); });
  breaks(true, a, [] { RETURNS(cudaErrorStreamCaptureUnsupported, cudaFree(memory)); });
  breaks(true, a,
         [&] { RETURNS(cudaErrorStreamCaptureUnsupported, cudaMemcpy(&word, memory, 4, cudaMemcpyDeviceToHost)); });
  breaks(true, a, [] {
    GOOD(cudaEventRecord(fork_event, a));
    RETURNS(cudaErrorCapturedEvent, cudaEventQuery(fork_event));
  });
  breaks(true, a, [] {
    GOOD(cudaEventRecord(fork_event, a));
    RETURNS(cudaErrorCapturedEvent, cudaEventSynchronize(fork_event));
  });
  GOOD(cudaEventRecord(join_event, b));  // outside of any capture
  breaks(true, a, [] { RETURNS(cudaErrorStreamCaptureIsolation, cudaStreamWaitEvent(a, join_event)); });
  breaks(true, a, [&] {  // two captures cannot become one
    GOOD(cudaStreamBeginCapture(b, cudaStreamCaptureModeGlobal));
    GOOD(cudaEventRecord(fork_event, a));
    RETURNS(cudaErrorStreamCaptureMerge, cudaStreamWaitEvent(b, fork_event));
    RETURNS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(b, &graph));
  });
  // An event of a capture that has ended.
  RETURNS(cudaErrorCapturedEvent, cudaStreamWaitEvent(b, fork_event));
  float ms = 0;
  RETURNS(cudaErrorCapturedEvent, cudaEventElapsedTime(&ms, join_event, fork_event));
  GOOD(cudaEventRecord(fork_event, a));
  GOOD(cudaEventSynchronize(fork_event));
  // Refused, and the capture goes on.
  breaks(false, a, [] { RETURNS(cudaErrorStreamCaptureUnsupported, cudaStreamAddCallback(a, never, nullptr, 0)); });
  breaks(false, a, [&] { RETURNS(cudaErrorNotSupported, cudaMallocAsync(&more, 4, a)); });
  breaks(false, a, [] { RETURNS(cudaErrorNotSupported, cudaFreeAsync(memory, a)); });
  breaks(false, a, [] { RETURNS(cudaErrorInvalidValue, cudaMemsetAsync(nullptr, 0, 4, a)); });
  // Work of other streams is not captured, and goes on.
  breaks(false, a, [] { add<<<1, 32, 0, b>>>(memory, 1); });
  // The legacy stream waits for blocking streams, which cannot be while one is captured.
  cudaStream_t blocking;
  GOOD(cudaStreamCreate(&blocking));
  cudaStreamCaptureStatus status;
  breaks(false, blocking, [&] { RETURNS(cudaErrorStreamCaptureImplicit, cudaStreamIsCapturing(nullptr, &status)); });
  breaks(true, blocking, [] { RETURNS(cudaErrorStreamCaptureImplicit, cudaMemsetAsync(memory, 0, 4, nullptr)); });
  breaks(true, blocking, [] {
    add<<<1, 1>>>(memory, 1);
    RETURNS(cudaErrorStreamCaptureImplicit, cudaGetLastError());
  });
  breaks(false, a, [] { GOOD(cudaMemsetAsync(memory, 0, 4, nullptr)); });
  // A stream that is destroyed takes its capture with it.
  GOOD(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeGlobal));
  GOOD(cudaStreamDestroy(blocking));
  GOOD(cudaDeviceSynchronize());
  GOOD(cudaGetLastError());
}

void modes_and_threads() {
  cudaGraph_t graph = nullptr;
  void* more = nullptr;
  // A relaxed capture forbids nothing.
  GOOD(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
  GOOD(cudaMalloc(&more, 16));
  GOOD(cudaFree(more));
  GOOD(cudaStreamEndCapture(a, &graph));
  GOOD(cudaGraphDestroy(graph));
  // Nor does a relaxed thread obey one.
  GOOD(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  GOOD(cudaThreadExchangeStreamCaptureMode(&mode));
  CHECK(mode == cudaStreamCaptureModeGlobal);
  GOOD(cudaMalloc(&more, 16));
  GOOD(cudaFree(more));
  GOOD(cudaThreadExchangeStreamCaptureMode(&mode));
  CHECK(mode == cudaStreamCaptureModeRelaxed);
  std::thread([&] { RETURNS(cudaErrorStreamCaptureWrongThread, cudaStreamEndCapture(a, &graph)); }).join();
  std::thread([&] { RETURNS(cudaErrorStreamCaptureUnsupported, cudaMalloc(&more, 16)); }).join();
  RETURNS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(a, &graph));
  // A capture of this thread only is nothing to others.
  GOOD(cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal));
  std::thread([&] {
    GOOD(cudaMalloc(&more, 16));
    GOOD(cudaFree(more));
  }).join();
  GOOD(cudaStreamEndCapture(a, &graph));
  GOOD(cudaGraphDestroy(graph));
  mode = (cudaStreamCaptureMode)3;
  RETURNS(cudaErrorInvalidValue, cudaThreadExchangeStreamCaptureMode(&mode));
  RETURNS(cudaErrorInvalidValue, cudaThreadExchangeStreamCaptureMode(nullptr));
  (void)cudaGetLastError();
}

// External events, dependencies that the program sets, a capture into a graph of the program.
void own_dependencies() {
  GOOD(cudaMemset(memory, 0, 128));
  cudaGraph_t graph, same;
  cudaGraphNode_t first;
  GOOD(cudaGraphCreate(&graph, 0));
  const cudaMemsetParams ones = {memory, 0, 1, 4, 32, 1};
  GOOD(cudaGraphAddMemsetNode(&first, graph, nullptr, 0, &ones));
  RETURNS(cudaErrorInvalidValue, cudaEventRecordWithFlags(fork_event, a, cudaEventRecordExternal));
  RETURNS(cudaErrorInvalidValue, cudaStreamWaitEvent(a, fork_event, cudaEventWaitExternal));
  GOOD(cudaStreamBeginCaptureToGraph(a, graph, &first, nullptr, 1, cudaStreamCaptureModeGlobal));
  add<<<1, 32, 0, a>>>(memory, 10);
  GOOD(cudaEventRecordWithFlags(fork_event, a, cudaEventRecordExternal));
  GOOD(cudaStreamWaitEvent(a, join_event, cudaEventWaitExternal));
  cudaStreamCaptureStatus status;
  cudaGraph_t growing;
  const cudaGraphNode_t* last = nullptr;
  size_t count = 0;
  GOOD(cudaStreamGetCaptureInfo_v2(a, &status, nullptr, &growing, &last, &count));
  CHECK(growing == graph && count == 1);
  cudaGraphNode_t added;
  GOOD(cudaGraphAddEmptyNode(&added, graph, last, count));
  GOOD(cudaStreamUpdateCaptureDependencies(a, &added, 1, cudaStreamSetCaptureDependencies));
  add<<<1, 32, 0, a>>>(memory, 100);
  RETURNS(cudaErrorIllegalState, cudaStreamUpdateCaptureDependencies(b, &added, 1, 0));
  GOOD(cudaStreamEndCapture(a, &same));
  CHECK(same == graph);
  CHECK((types_of(graph) == std::vector<cudaGraphNodeType>{cudaGraphNodeTypeMemset, cudaGraphNodeTypeKernel,
                                                           cudaGraphNodeTypeEventRecord, cudaGraphNodeTypeWaitEvent,
                                                           cudaGraphNodeTypeEmpty, cudaGraphNodeTypeKernel}));
  cudaGraphExec_t exec;
  GOOD(cudaGraphInstantiate(&exec, graph, 0));
  GOOD(cudaEventRecord(join_event, b));
  GOOD(cudaGraphLaunch(exec, a));
  GOOD(cudaEventSynchronize(fork_event));
  GOOD(cudaStreamSynchronize(a));
  int host[32];
  GOOD(cudaMemcpy(host, memory, sizeof host, cudaMemcpyDeviceToHost));
  CHECK(host[0] == 111 && host[31] == 111);
  GOOD(cudaGraphExecDestroy(exec));
  GOOD(cudaGraphDestroy(graph));
  (void)cudaGetLastError();
}

int main() {
  GOOD(cudaMalloc(&memory, 128));
  GOOD(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
  GOOD(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  GOOD(cudaEventCreate(&fork_event));
  GOOD(cudaEventCreate(&join_event));
  one_stream();
  fork_and_join();
  wrong_calls();
  modes_and_threads();
  own_dependencies();
  // The device is reset in the middle of a capture.
  GOOD(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
  add<<<1, 32, 0, a>>>(memory, 1);
  GOOD(cudaDeviceReset());
  GOOD(cudaDeviceSynchronize());
  return verdict();
}
