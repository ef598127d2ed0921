// CUDA graphs of the runtime API: structure, all types of nodes, order of launches, updates, wrong calls.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "check.h"

__global__ void add(int* out, int value, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] += value;
}
__global__ void multiply(int* out, int value, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] *= value;
}
// Takes a while, then appends a digit.
__global__ void append(unsigned long long* out, int digit, int rounds) {
  unsigned long long sum = 0;
  for (int i = 0; i < rounds; ++i) sum = sum * 3 + clock();
  if (sum == 0x123456789abcdefull) *out = 0;  // never, but the loop must run
  *out = *out * 10 + digit;
}
__global__ void sum_of(const int* a, const int* b, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 3 * a[i] + b[i];
}
__global__ void wait_for(volatile int* flag) {
  while (*flag == 0) {
  }
}
__global__ void set(volatile int* flag, int value) { *flag = value; }
__constant__ int table[4];

constexpr int kCount = 100;

void CUDART_CB count_calls(void* data) { ++*static_cast<int*>(data); }

cudaKernelNodeParams kernel_params(void* func, void** arguments, int blocks = 4, int threads = 32) {
  cudaKernelNodeParams params = {};
  params.func = func;
  params.gridDim = dim3(blocks);
  params.blockDim = dim3(threads);
  params.kernelParams = arguments;
  return params;
}

cudaGraphNode_t append_node(cudaGraph_t graph, std::vector<cudaGraphNode_t> after, unsigned long long* out, int digit,
                            int rounds) {
  void* arguments[] = {&out, &digit, &rounds};
  const cudaKernelNodeParams params = kernel_params((void*)append, arguments, 1, 1);
  cudaGraphNode_t node = nullptr;
  GOOD(cudaGraphAddKernelNode(&node, graph, after.data(), after.size(), &params));
  return node;
}

int* device_array() {
  int* memory = nullptr;
  GOOD(cudaMalloc(&memory, kCount * sizeof(int)));
  GOOD(cudaMemset(memory, 0, kCount * sizeof(int)));
  return memory;
}

// copy in -> (add | multiply) -> sum -> copy out, and a host function at the end.
void all_types() {
  int *a = device_array(), *b = device_array(), *c = device_array();
  std::vector<int> in(kCount), out(kCount, -1);
  int calls = 0;
  cudaGraph_t graph;
  GOOD(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t copy_in, fill, left, right, join, copy_out, host, empty;
  GOOD(cudaGraphAddMemcpyNode1D(&copy_in, graph, nullptr, 0, a, in.data(), kCount * sizeof(int),
                                cudaMemcpyHostToDevice));
  cudaMemsetParams bytes = {b, 0, 7, 4, kCount, 1};
  GOOD(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &bytes));
  int value = 5, n = kCount;
  void* left_arguments[] = {&a, &value, &n};
  cudaKernelNodeParams params = kernel_params((void*)add, left_arguments);
  GOOD(cudaGraphAddKernelNode(&left, graph, &copy_in, 1, &params));
  value = 11;
  void* right_arguments[] = {&b, &value, &n};
  params = kernel_params((void*)multiply, right_arguments);
  GOOD(cudaGraphAddKernelNode(&right, graph, &fill, 1, &params));
  value = -1;  // the arguments were copied
  cudaGraphNode_t both[] = {left, right};
  GOOD(cudaGraphAddEmptyNode(&empty, graph, both, 2));
  void* sum_arguments[] = {&a, &b, &c, &n};
  params = kernel_params((void*)sum_of, sum_arguments);
  GOOD(cudaGraphAddKernelNode(&join, graph, &empty, 1, &params));
  cudaMemcpy3DParms back = {};
  back.srcPtr = make_cudaPitchedPtr(c, kCount * sizeof(int), kCount, 1);
  back.dstPtr = make_cudaPitchedPtr(out.data(), kCount * sizeof(int), kCount, 1);
  back.extent = make_cudaExtent(kCount * sizeof(int), 1, 1);
  back.kind = cudaMemcpyDeviceToHost;
  GOOD(cudaGraphAddMemcpyNode(&copy_out, graph, &join, 1, &back));
  const cudaHostNodeParams function = {count_calls, &calls};
  GOOD(cudaGraphAddHostNode(&host, graph, &copy_out, 1, &function));

  // What the program is told of it.
  const cudaGraphNodeType types[] = {cudaGraphNodeTypeMemcpy, cudaGraphNodeTypeMemset, cudaGraphNodeTypeKernel,
                                     cudaGraphNodeTypeKernel, cudaGraphNodeTypeEmpty,  cudaGraphNodeTypeKernel,
                                     cudaGraphNodeTypeMemcpy, cudaGraphNodeTypeHost};
  size_t count = 0;
  GOOD(cudaGraphGetNodes(graph, nullptr, &count));
  CHECK(count == 8);
  cudaGraphNode_t nodes[10];
  count = 10;
  GOOD(cudaGraphGetNodes(graph, nodes, &count));
  CHECK(count == 8 && nodes[8] == nullptr);
  for (size_t i = 0; i < 8; ++i) {
    cudaGraphNodeType type;
    GOOD(cudaGraphNodeGetType(nodes[i], &type));
    CHECK(type == types[i]);
  }
  GOOD(cudaGraphGetRootNodes(graph, nullptr, &count));
  CHECK(count == 2);
  count = 1;
  GOOD(cudaGraphGetRootNodes(graph, nodes, &count));
  CHECK(count == 1 && nodes[0] == copy_in);
  GOOD(cudaGraphGetEdges(graph, nullptr, nullptr, &count));
  CHECK(count == 7);
  cudaGraphNode_t from[7], to[7];
  GOOD(cudaGraphGetEdges(graph, from, to, &count));
  CHECK(from[0] == copy_in && to[0] == left && from[6] == copy_out && to[6] == host);
  cudaGraphEdgeData kind[7];
  std::memset(kind, 1, sizeof kind);
  GOOD(cudaGraphGetEdges(graph, from, to, kind, &count));
  CHECK(kind[6].type == 0 && kind[6].from_port == 0);
  GOOD(cudaGraphNodeGetDependencies(empty, nullptr, &count));
  CHECK(count == 2);
  GOOD(cudaGraphNodeGetDependencies(empty, nodes, &count));
  CHECK(nodes[0] == left && nodes[1] == right);
  GOOD(cudaGraphNodeGetDependentNodes(empty, nodes, &count));
  CHECK(count == 1 && nodes[0] == join);
  GOOD(cudaGraphKernelNodeGetParams(left, &params));
  CHECK(params.func == (void*)add && params.gridDim.x == 4 && params.blockDim.x == 32 && params.extra == nullptr);
  CHECK(*static_cast<int*>(params.kernelParams[1]) == 5 && *static_cast<int**>(params.kernelParams[0]) == a);
  GOOD(cudaGraphMemcpyNodeGetParams(copy_in, &back));
  CHECK(back.srcPtr.ptr == in.data() && back.dstPtr.ptr == a && back.extent.width == kCount * sizeof(int));
  GOOD(cudaGraphMemsetNodeGetParams(fill, &bytes));
  CHECK(bytes.dst == b && bytes.value == 7 && bytes.width == kCount);
  cudaHostNodeParams told;
  GOOD(cudaGraphHostNodeGetParams(host, &told));
  CHECK(told.fn == count_calls && told.userData == &calls);

  cudaGraphExec_t exec;
  GOOD(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  cudaStream_t stream;
  GOOD(cudaStreamCreate(&stream));
  GOOD(cudaGraphUpload(exec, stream));
  for (int round = 1; round <= 3; ++round) {
    for (int i = 0; i < kCount; ++i) in[i] = round * i;  // the copy reads when it runs
    GOOD(cudaGraphLaunch(exec, stream));
    GOOD(cudaStreamSynchronize(stream));
    CHECK(calls == round);
    for (int i = 0; i < kCount; ++i) CHECK(out[i] == 3 * (round * i + 5) + 77);
  }

  // Updates of single nodes hold for later launches; the graph keeps its own.
  value = 100;
  params = kernel_params((void*)add, left_arguments);
  GOOD(cudaGraphExecKernelNodeSetParams(exec, left, &params));
  bytes.value = 2;
  GOOD(cudaGraphExecMemsetNodeSetParams(exec, fill, &bytes));
  int other_calls = 0;
  told.userData = &other_calls;
  GOOD(cudaGraphExecHostNodeSetParams(exec, host, &told));
  std::vector<int> other(kCount, 1);
  GOOD(
      cudaGraphExecMemcpyNodeSetParams1D(exec, copy_in, a, other.data(), kCount * sizeof(int), cudaMemcpyHostToDevice));
  GOOD(cudaGraphLaunch(exec, stream));
  GOOD(cudaStreamSynchronize(stream));
  for (int i = 0; i < kCount; ++i) CHECK(out[i] == 3 * 101 + 22);
  CHECK(calls == 3 && other_calls == 1);
  GOOD(cudaGraphKernelNodeGetParams(left, &params));
  CHECK(*static_cast<int*>(params.kernelParams[1]) == 5);
  // Another kernel with other arguments.
  void* other_arguments[] = {&a, &b, &a, &n};
  params = kernel_params((void*)sum_of, other_arguments);
  GOOD(cudaGraphExecKernelNodeSetParams(exec, left, &params));
  GOOD(cudaGraphExecMemsetNodeSetParams(exec, fill, &bytes));
  // A node that is switched off does nothing.
  unsigned on = 7;
  GOOD(cudaGraphNodeGetEnabled(exec, right, &on));
  CHECK(on == 1);
  GOOD(cudaGraphNodeSetEnabled(exec, right, 0));
  GOOD(cudaGraphNodeSetEnabled(exec, left, 0));
  GOOD(cudaGraphLaunch(exec, stream));
  GOOD(cudaStreamSynchronize(stream));
  for (int i = 0; i < kCount; ++i) CHECK(out[i] == 3 * 1 + 2);
  RETURNS(cudaErrorInvalidValue, cudaGraphNodeSetEnabled(exec, host, 0));

  // A change of the graph does not reach what was instantiated; the whole graph does by an update.
  GOOD(cudaGraphNodeSetEnabled(exec, right, 1));
  GOOD(cudaGraphNodeSetEnabled(exec, left, 1));
  value = 1000;
  params = kernel_params((void*)add, left_arguments);
  GOOD(cudaGraphKernelNodeSetParams(left, &params));
  bytes.value = 0;
  GOOD(cudaGraphMemsetNodeSetParams(fill, &bytes));
  GOOD(cudaGraphMemcpyNodeSetParams1D(copy_in, a, other.data(), kCount * sizeof(int), cudaMemcpyHostToDevice));
  cudaGraphNode_t wrong = graph ? host : nullptr;
  cudaGraphExecUpdateResult result = cudaGraphExecUpdateError;
  GOOD(cudaGraphExecUpdate(exec, graph, &wrong, &result));
  CHECK(wrong == nullptr && result == cudaGraphExecUpdateSuccess);
  GOOD(cudaGraphLaunch(exec, stream));
  GOOD(cudaGraphDestroy(graph));  // the launched one lives on
  GOOD(cudaGraphLaunch(exec, stream));
  GOOD(cudaGraphExecDestroy(exec));  // what is launched is done all the same
  GOOD(cudaStreamSynchronize(stream));
  for (int i = 0; i < kCount; ++i) CHECK(out[i] == 3 * 1001);
  CHECK(calls == 5);
  GOOD(cudaStreamDestroy(stream));
  for (int* memory : {a, b, c}) GOOD(cudaFree(memory));
}

void order_and_concurrency() {
  unsigned long long *order = nullptr, value = 0;
  GOOD(cudaMalloc(&order, sizeof *order));
  GOOD(cudaMemset(order, 0, sizeof *order));
  cudaStream_t first, second;
  GOOD(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  GOOD(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  GOOD(cudaDeviceSynchronize());
  // A diamond of dependencies that were added against the order of the nodes.
  cudaGraph_t graph;
  GOOD(cudaGraphCreate(&graph, 0));
  const cudaGraphNode_t last = append_node(graph, {}, order, 4, 1);
  const cudaGraphNode_t middle = append_node(graph, {}, order, 3, 500);
  const cudaGraphNode_t begin = append_node(graph, {}, order, 2, 1000);
  const cudaGraphNode_t from[] = {begin, middle, begin}, to[] = {middle, last, last};
  GOOD(cudaGraphAddDependencies(graph, from, to, 3));
  cudaGraphExec_t exec;
  GOOD(cudaGraphInstantiate(&exec, graph, 0));
  append<<<1, 1, 0, first>>>(order, 1, 2000);
  GOOD(cudaGraphLaunch(exec, first));
  append<<<1, 1, 0, first>>>(order, 5, 1);
  GOOD(cudaStreamSynchronize(first));
  GOOD(cudaMemcpy(&value, order, sizeof value, cudaMemcpyDeviceToHost));
  CHECK(value == 12345);
  // The same one in another stream comes after.
  GOOD(cudaMemset(order, 0, sizeof *order));
  GOOD(cudaDeviceSynchronize());
  append<<<1, 1, 0, first>>>(order, 1, 2000);
  GOOD(cudaGraphLaunch(exec, first));
  GOOD(cudaGraphLaunch(exec, second));
  GOOD(cudaStreamSynchronize(second));
  GOOD(cudaMemcpy(&value, order, sizeof value, cudaMemcpyDeviceToHost));
  CHECK(value == 1234234);
  // In the legacy default stream, which waits for blocking ones.
  cudaStream_t blocking;
  GOOD(cudaStreamCreate(&blocking));
  GOOD(cudaMemset(order, 0, sizeof *order));
  append<<<1, 1, 0, blocking>>>(order, 1, 2000);
  GOOD(cudaGraphLaunch(exec, nullptr));
  append<<<1, 1, 0, blocking>>>(order, 5, 1);
  GOOD(cudaDeviceSynchronize());
  GOOD(cudaMemcpy(&value, order, sizeof value, cudaMemcpyDeviceToHost));
  CHECK(value == 12345);
  GOOD(cudaStreamDestroy(blocking));
  GOOD(cudaGraphExecDestroy(exec));
  GOOD(cudaGraphDestroy(graph));

  // Branches go on beside each other: each waits for the other one.
  int* flags = nullptr;
  GOOD(cudaMalloc(&flags, 3 * sizeof(int)));
  GOOD(cudaMemset(flags, 0, 3 * sizeof(int)));
  GOOD(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t root, waits, sets, end;
  GOOD(cudaGraphAddEmptyNode(&root, graph, nullptr, 0));
  void* wait_arguments[] = {&flags};
  cudaKernelNodeParams params = kernel_params((void*)wait_for, wait_arguments, 1, 1);
  GOOD(cudaGraphAddKernelNode(&waits, graph, &root, 1, &params));
  int one = 1;
  void* set_arguments[] = {&flags, &one};
  params = kernel_params((void*)set, set_arguments, 1, 1);
  GOOD(cudaGraphAddKernelNode(&sets, graph, &root, 1, &params));
  const cudaGraphNode_t both[] = {waits, sets};
  int zero = 0;
  void* clear_arguments[] = {&flags, &zero};
  params = kernel_params((void*)set, clear_arguments, 1, 1);
  GOOD(cudaGraphAddKernelNode(&end, graph, both, 2, &params));
  GOOD(cudaGraphInstantiateWithFlags(&exec, graph, 0));
  for (int i = 0; i < 3; ++i) GOOD(cudaGraphLaunch(exec, first));
  GOOD(cudaStreamSynchronize(first));
  GOOD(cudaGraphExecDestroy(exec));
  GOOD(cudaGraphDestroy(graph));
  GOOD(cudaFree(flags));
  GOOD(cudaFree(order));
  GOOD(cudaStreamDestroy(first));
  GOOD(cudaStreamDestroy(second));
}

// Many layers in which every node comes after two of the layer before: each adds its two predecessors.
__global__ void add_two(unsigned* out, int a, int b, int to) { out[to] = out[a] + out[b] + 1; }
void many_nodes() {
  constexpr int kWide = 6, kDeep = 12;
  unsigned* cells = nullptr;
  GOOD(cudaMalloc(&cells, kWide * (kDeep + 1) * sizeof *cells));
  std::vector<unsigned> host(kWide * (kDeep + 1), 0), want = host;
  for (int i = 0; i < kWide; ++i) host[i] = want[i] = i * i + 1;
  GOOD(cudaMemcpy(cells, host.data(), host.size() * sizeof *cells, cudaMemcpyHostToDevice));
  cudaGraph_t graph;
  GOOD(cudaGraphCreate(&graph, 0));
  std::vector<cudaGraphNode_t> nodes(host.size(), nullptr);
  for (int layer = 1; layer <= kDeep; ++layer) {
    for (int i = 0; i < kWide; ++i) {
      int to = layer * kWide + i;
      int a = to - kWide, b = (layer - 1) * kWide + (i * layer + 1) % kWide;
      want[to] = want[a] + want[b] + 1;
      void* arguments[] = {&cells, &a, &b, &to};
      const cudaKernelNodeParams params = kernel_params((void*)add_two, arguments, 1, 1);
      const cudaGraphNode_t after[] = {nodes[a], nodes[b]};
      GOOD(cudaGraphAddKernelNode(&nodes[to], graph, after, layer == 1 ? 0 : a == b ? 1 : 2, &params));
    }
  }
  cudaGraphExec_t exec;
  GOOD(cudaGraphInstantiate(&exec, graph));
  GOOD(cudaGraphLaunch(exec, nullptr));
  GOOD(cudaMemcpy(host.data(), cells, host.size() * sizeof *cells, cudaMemcpyDeviceToHost));
  CHECK(host == want);
  GOOD(cudaGraphExecDestroy(exec));
  GOOD(cudaGraphDestroy(graph));
  GOOD(cudaFree(cells));
}

void children_and_clones() {
  unsigned long long *order = nullptr, value = 0;
  GOOD(cudaMalloc(&order, sizeof *order));
  GOOD(cudaMemset(order, 0, sizeof *order));
  cudaGraph_t child, graph, clone, inside;
  GOOD(cudaGraphCreate(&child, 0));
  const cudaGraphNode_t two = append_node(child, {}, order, 2, 800);
  append_node(child, {two}, order, 3, 1);
  GOOD(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t before = append_node(graph, {}, order, 1, 1000), middle, found, again;
  GOOD(cudaGraphAddChildGraphNode(&middle, graph, &before, 1, child));
  const cudaGraphNode_t after = append_node(graph, {middle}, order, 4, 1);
  GOOD(cudaGraphChildGraphNodeGetGraph(middle, &inside));
  CHECK(inside != child);
  size_t count = 0;
  GOOD(cudaGraphGetNodes(inside, nullptr, &count));
  CHECK(count == 2);
  RETURNS(cudaErrorInvalidValue, cudaGraphDestroy(inside));
  append_node(child, {}, order, 9, 1);  // too late for the node
  GOOD(cudaGraphClone(&clone, graph));
  GOOD(cudaGraphNodeFindInClone(&found, after, clone));
  CHECK(found != after);
  GOOD(cudaGraphNodeGetDependencies(found, &again, &(count = 1)));
  cudaGraphNodeType type;
  GOOD(cudaGraphNodeGetType(again, &type));
  CHECK(type == cudaGraphNodeTypeGraph);
  RETURNS(cudaErrorInvalidValue, cudaGraphNodeFindInClone(&found, two, clone));
  GOOD(cudaGraphDestroyNode(after));  // of the original only
  RETURNS(cudaErrorInvalidValue, cudaGraphDestroyNode(after));
  cudaGraphExec_t exec, exec_of_clone;
  GOOD(cudaGraphInstantiate(&exec, graph, 0));
  GOOD(cudaGraphInstantiate(&exec_of_clone, clone, 0));
  GOOD(cudaGraphLaunch(exec, nullptr));
  GOOD(cudaGraphLaunch(exec_of_clone, nullptr));
  GOOD(cudaMemcpy(&value, order, sizeof value, cudaMemcpyDeviceToHost));
  CHECK(value == 1231234);
  // Another graph of the same form inside the node; and of another form.
  cudaGraph_t other;
  GOOD(cudaGraphCreate(&other, 0));
  const cudaGraphNode_t seven = append_node(other, {}, order, 7, 400);
  append_node(other, {seven}, order, 8, 1);
  GOOD(cudaGraphExecChildGraphNodeSetParams(exec, middle, other));
  RETURNS(cudaErrorGraphExecUpdateFailure, cudaGraphExecChildGraphNodeSetParams(exec, middle, child));
  RETURNS(cudaErrorInvalidValue, cudaGraphExecChildGraphNodeSetParams(exec, before, other));
  GOOD(cudaMemset(order, 0, sizeof *order));
  GOOD(cudaGraphLaunch(exec, nullptr));
  GOOD(cudaMemcpy(&value, order, sizeof value, cudaMemcpyDeviceToHost));
  CHECK(value == 178);
  GOOD(cudaGraphExecDestroy(exec));
  GOOD(cudaGraphExecDestroy(exec_of_clone));
  for (cudaGraph_t one : {child, graph, clone, other}) GOOD(cudaGraphDestroy(one));
  RETURNS(cudaErrorInvalidValue, cudaGraphGetNodes(inside, nullptr, &count));
  GOOD(cudaFree(order));
}

void event_nodes() {
  unsigned long long *order = nullptr, value = 0;
  GOOD(cudaMalloc(&order, sizeof *order));
  GOOD(cudaMemset(order, 0, sizeof *order));
  GOOD(cudaDeviceSynchronize());
  cudaStream_t first, second;
  GOOD(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  GOOD(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  cudaEvent_t before, after, got;
  GOOD(cudaEventCreate(&before));
  GOOD(cudaEventCreate(&after));
  cudaGraph_t graph;
  GOOD(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t waits, records;
  GOOD(cudaGraphAddEventWaitNode(&waits, graph, nullptr, 0, before));
  const cudaGraphNode_t kernel = append_node(graph, {waits}, order, 2, 500);
  GOOD(cudaGraphAddEventRecordNode(&records, graph, &kernel, 1, after));
  GOOD(cudaGraphEventWaitNodeGetEvent(waits, &got));
  CHECK(got == before);
  GOOD(cudaGraphEventRecordNodeGetEvent(records, &got));
  CHECK(got == after);
  cudaGraphExec_t exec;
  GOOD(cudaGraphInstantiate(&exec, graph, 0));
  append<<<1, 1, 0, second>>>(order, 1, 2000);
  GOOD(cudaEventRecord(before, second));
  GOOD(cudaGraphLaunch(exec, first));
  GOOD(cudaStreamWaitEvent(second, after));
  append<<<1, 1, 0, second>>>(order, 3, 1);
  GOOD(cudaDeviceSynchronize());
  GOOD(cudaMemcpy(&value, order, sizeof value, cudaMemcpyDeviceToHost));
  CHECK(value == 123);
  float ms = 0;
  GOOD(cudaEventElapsedTime(&ms, before, after));
  CHECK(ms > 0);
  GOOD(cudaGraphExecEventRecordNodeSetEvent(exec, records, before));
  GOOD(cudaGraphExecEventWaitNodeSetEvent(exec, waits, after));
  GOOD(cudaGraphLaunch(exec, first));
  GOOD(cudaEventSynchronize(before));
  GOOD(cudaEventElapsedTime(&ms, after, before));
  CHECK(ms > 0);
  GOOD(cudaEventDestroy(before));
  RETURNS(cudaErrorInvalidResourceHandle, cudaGraphLaunch(exec, first));  // nothing of it is done
  GOOD(cudaStreamSynchronize(first));
  GOOD(cudaMemcpy(&value, order, sizeof value, cudaMemcpyDeviceToHost));
  CHECK(value == 1232);
  GOOD(cudaGraphExecDestroy(exec));
  GOOD(cudaGraphDestroy(graph));
  GOOD(cudaEventDestroy(after));
  GOOD(cudaStreamDestroy(first));
  GOOD(cudaStreamDestroy(second));
  GOOD(cudaFree(order));
}

void copies_and_fills() {
  // Rows with a pitch, symbols, 2 dimensions.
  int* pitched = nullptr;
  size_t pitch = 0;
  GOOD(cudaMallocPitch(&pitched, &pitch, 12, 4));
  int rows[12], back[12] = {}, words[4] = {10, 20, 30, 40}, word = 0;
  for (int i = 0; i < 12; ++i) rows[i] = i + 1;
  cudaGraph_t graph;
  GOOD(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t clear, in, out, to_symbol, from_symbol;
  const cudaMemsetParams all = {pitched, pitch, 0x5a, 1, 12, 4};
  GOOD(cudaGraphAddMemsetNode(&clear, graph, nullptr, 0, &all));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(rows, 12, 3, 4);
  copy.dstPtr = make_cudaPitchedPtr(pitched, pitch, 3, 4);
  copy.extent = make_cudaExtent(8, 3, 1);
  copy.srcPos = make_cudaPos(4, 1, 0);
  copy.dstPos = make_cudaPos(0, 1, 0);
  copy.kind = cudaMemcpyHostToDevice;
  GOOD(cudaGraphAddMemcpyNode(&in, graph, &clear, 1, &copy));
  cudaMemcpy3DParms whole = {};
  whole.srcPtr = make_cudaPitchedPtr(pitched, pitch, 3, 4);
  whole.dstPtr = make_cudaPitchedPtr(back, 12, 3, 4);
  whole.extent = make_cudaExtent(12, 4, 1);
  whole.kind = cudaMemcpyDefault;
  GOOD(cudaGraphAddMemcpyNode(&out, graph, &in, 1, &whole));
  GOOD(cudaGraphAddMemcpyNodeToSymbol(&to_symbol, graph, nullptr, 0, table, words, 16, 0, cudaMemcpyHostToDevice));
  GOOD(
      cudaGraphAddMemcpyNodeFromSymbol(&from_symbol, graph, &to_symbol, 1, &word, table, 4, 8, cudaMemcpyDeviceToHost));
  cudaGraphExec_t exec;
  GOOD(cudaGraphInstantiate(&exec, graph, 0));
  GOOD(cudaGraphLaunch(exec, nullptr));
  GOOD(cudaDeviceSynchronize());
  const int filled = 0x5a5a5a5a;
  const int want[12] = {filled, filled, filled, 5, 6, filled, 8, 9, filled, 11, 12, filled};
  CHECK(std::memcmp(back, want, sizeof want) == 0);
  CHECK(word == 30);
  GOOD(cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, from_symbol, &word, table, 4, 12, cudaMemcpyDeviceToHost));
  GOOD(cudaGraphLaunch(exec, nullptr));
  GOOD(cudaDeviceSynchronize());
  CHECK(word == 40);
  // Only copies and fills of one dimension change in an executable graph, and stay in memory of their type.
  RETURNS(cudaErrorInvalidValue, cudaGraphExecMemcpyNodeSetParams(exec, in, &copy));
  RETURNS(cudaErrorInvalidValue, cudaGraphExecMemsetNodeSetParams(exec, clear, &all));
  RETURNS(cudaErrorInvalidValue,
          cudaGraphExecMemcpyNodeSetParams1D(exec, from_symbol, pitched, words, 4, cudaMemcpyHostToDevice));
  // Wrong copies and fills.
  cudaGraphNode_t node;
  RETURNS(cudaErrorInvalidValue,
          cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, pitched, nullptr, 4, cudaMemcpyHostToDevice));
  RETURNS(cudaErrorInvalidValue,
          cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, rows, words, 4, cudaMemcpyHostToDevice));
  RETURNS(cudaErrorInvalidMemcpyDirection,
          cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, pitched, words, 4, (cudaMemcpyKind)7));
  RETURNS(cudaErrorInvalidMemcpyDirection,
          cudaGraphAddMemcpyNodeToSymbol(&node, graph, nullptr, 0, table, words, 4, 0, cudaMemcpyDeviceToHost));
  RETURNS(cudaErrorInvalidValue,
          cudaGraphAddMemcpyNodeToSymbol(&node, graph, nullptr, 0, table, words, 16, 4, cudaMemcpyHostToDevice));
  RETURNS(cudaErrorInvalidValue,
          cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, pitched, words, 1 << 20, cudaMemcpyHostToDevice));
  cudaMemsetParams wrong = {pitched, pitch, 0, 3, 4, 1};
  RETURNS(cudaErrorInvalidValue, cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &wrong));
  wrong = {rows, 0, 0, 4, 4, 1};
  RETURNS(cudaErrorInvalidValue, cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &wrong));
  wrong = {reinterpret_cast<char*>(pitched) + 1, 0, 0, 2, 4, 1};
  RETURNS(cudaErrorInvalidValue, cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &wrong));
  RETURNS(cudaErrorInvalidValue, cudaGraphAddMemsetNode(&node, graph, nullptr, 0, nullptr));
  size_t count = 0;
  GOOD(cudaGraphGetNodes(graph, nullptr, &count));
  CHECK(count == 5);
  // Memory that is gone when the graph is launched.
  GOOD(cudaFree(pitched));
  RETURNS(cudaErrorInvalidValue, cudaGraphLaunch(exec, nullptr));
  GOOD(cudaGraphExecDestroy(exec));
  GOOD(cudaGraphDestroy(graph));
}

void updates_of_graphs() {
  unsigned long long* order = nullptr;
  GOOD(cudaMalloc(&order, sizeof *order));
  cudaGraph_t graph, longer, turned, typed;
  GOOD(cudaGraphCreate(&graph, 0));
  append_node(graph, {append_node(graph, {}, order, 1, 1)}, order, 2, 1);
  GOOD(cudaGraphClone(&longer, graph));
  append_node(longer, {}, order, 3, 1);
  GOOD(cudaGraphCreate(&turned, 0));
  append_node(turned, {}, order, 1, 1);
  const cudaGraphNode_t alone = append_node(turned, {}, order, 2, 1);
  GOOD(cudaGraphCreate(&typed, 0));
  cudaGraphNode_t first, second;
  GOOD(cudaGraphAddEmptyNode(&first, typed, nullptr, 0));
  GOOD(cudaGraphAddEmptyNode(&second, typed, &first, 1));
  cudaGraphExec_t exec;
  GOOD(cudaGraphInstantiate(&exec, graph, 0));
  cudaGraphExecUpdateResultInfo info = {};
  GOOD(cudaGraphExecUpdate(exec, graph, &info));
  CHECK(info.result == cudaGraphExecUpdateSuccess);
  RETURNS(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(exec, longer, &info));
  CHECK(info.result == cudaGraphExecUpdateErrorTopologyChanged);
  RETURNS(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(exec, turned, &info));
  CHECK(info.result == cudaGraphExecUpdateErrorTopologyChanged && info.errorNode == alone);
  RETURNS(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(exec, typed, &info));
  CHECK(info.result == cudaGraphExecUpdateErrorNodeTypeChanged && info.errorNode == first);
  RETURNS(cudaErrorInvalidValue, cudaGraphExecUpdate(exec, nullptr, &info));
  GOOD(cudaGraphExecDestroy(exec));
  for (cudaGraph_t one : {graph, longer, turned, typed}) GOOD(cudaGraphDestroy(one));
  GOOD(cudaFree(order));
}

void wrong_calls() {
  int* memory = device_array();
  cudaGraph_t graph, other;
  RETURNS(cudaErrorInvalidValue, cudaGraphCreate(nullptr, 0));
  RETURNS(cudaErrorInvalidValue, cudaGraphCreate(&graph, 1));
  GOOD(cudaGraphCreate(&graph, 0));
  GOOD(cudaGraphCreate(&other, 0));
  cudaGraphNode_t a, b, c, foreign, node;
  GOOD(cudaGraphAddEmptyNode(&a, graph, nullptr, 0));
  GOOD(cudaGraphAddEmptyNode(&b, graph, &a, 1));
  GOOD(cudaGraphAddEmptyNode(&c, graph, &b, 1));
  GOOD(cudaGraphAddEmptyNode(&foreign, other, nullptr, 0));
  RETURNS(cudaErrorInvalidValue, cudaGraphAddEmptyNode(nullptr, graph, nullptr, 0));
  RETURNS(cudaErrorInvalidValue, cudaGraphAddEmptyNode(&node, nullptr, nullptr, 0));
  RETURNS(cudaErrorInvalidValue, cudaGraphAddEmptyNode(&node, graph, nullptr, 1));
  RETURNS(cudaErrorInvalidValue, cudaGraphAddEmptyNode(&node, graph, &foreign, 1));
  const cudaGraphNode_t twice[] = {a, a};
  RETURNS(cudaErrorInvalidValue, cudaGraphAddEmptyNode(&node, graph, twice, 2));
  RETURNS(cudaErrorInvalidValue, cudaGraphAddDependencies(graph, &a, &b, 1));  // is there
  RETURNS(cudaErrorInvalidValue, cudaGraphAddDependencies(graph, &a, &foreign, 1));
  RETURNS(cudaErrorInvalidValue, cudaGraphAddDependencies(graph, nullptr, &a, 1));
  RETURNS(cudaErrorInvalidValue, cudaGraphRemoveDependencies(graph, &a, &c, 1));
  cudaGraphEdgeData programmatic = {};
  programmatic.type = 1;
  RETURNS(cudaErrorNotSupported, cudaGraphAddDependencies(graph, &a, &c, &programmatic, 1));
  const cudaGraphEdgeData* whole = nullptr;
  GOOD(cudaGraphAddDependencies(graph, &a, &c, whole, 1));
  GOOD(cudaGraphRemoveDependencies(graph, &a, &c, 1));
  // A cycle is found by the instantiation, and can be taken away.
  GOOD(cudaGraphAddDependencies(graph, &c, &b, 1));
  cudaGraphExec_t exec = nullptr;
  char log[64] = "?";
  RETURNS(cudaErrorInvalidValue, cudaGraphInstantiate(&exec, graph, &node, log, sizeof log));
  CHECK((node == b || node == c) && std::strstr(log, "cycle") != nullptr);
  RETURNS(cudaErrorInvalidValue, cudaGraphInstantiate(&exec, graph, &node, log, 4));
  CHECK(std::strlen(log) == 3);
  cudaGraphInstantiateParams with = {};
  RETURNS(cudaErrorInvalidValue, cudaGraphInstantiateWithParams(&exec, graph, &with));
  CHECK(with.result_out == cudaGraphInstantiateInvalidStructure && with.errNode_out != nullptr);
  GOOD(cudaGraphRemoveDependencies(graph, &c, &b, 1));
  with.flags = cudaGraphInstantiateFlagUpload | cudaGraphInstantiateFlagUseNodePriority;
  GOOD(cudaGraphInstantiateWithParams(&exec, graph, &with));
  CHECK(with.result_out == cudaGraphInstantiateSuccess && with.errNode_out == nullptr);
  unsigned long long flags = 0;
  GOOD(cudaGraphExecGetFlags(exec, &flags));
  CHECK(flags == with.flags);
  GOOD(cudaGraphExecDestroy(exec));
  RETURNS(cudaErrorInvalidValue, cudaGraphExecDestroy(exec));
  RETURNS(cudaErrorInvalidValue, cudaGraphLaunch(exec, nullptr));
  RETURNS(cudaErrorInvalidValue, cudaGraphUpload(exec, nullptr));
  RETURNS(cudaErrorInvalidValue, cudaGraphLaunch(nullptr, nullptr));
  RETURNS(cudaErrorInvalidValue, cudaGraphInstantiate(nullptr, graph, 0));
  RETURNS(cudaErrorInvalidValue, cudaGraphInstantiate(&exec, nullptr, 0));
  RETURNS(cudaErrorInvalidValue, cudaGraphInstantiate(&exec, graph, 1ull << 40));
  RETURNS(cudaErrorNotSupported, cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagDeviceLaunch));
  // Kernels.
  int value = 1, n = 1;
  void* arguments[] = {&memory, &value, &n};
  cudaKernelNodeParams params = kernel_params((void*)add, nullptr);
  RETURNS(cudaErrorInvalidValue, cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params));  // no arguments
  struct {
    int* out;
    int value, n;
  } block = {memory, 3, 1};
  size_t size = sizeof(int*);
  void* extra[] = {(void*)1, &block, (void*)2, &size, nullptr};
  params.extra = extra;
  RETURNS(cudaErrorInvalidValue, cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params));  // too short
  params.kernelParams = arguments;
  RETURNS(cudaErrorInvalidValue, cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params));  // both
  params = kernel_params((void*)add, arguments, 0);
  RETURNS(cudaErrorInvalidConfiguration, cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params));
  params = kernel_params((void*)add, arguments, 1, 5000);
  RETURNS(cudaErrorInvalidConfiguration, cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params));
  params = kernel_params(&value, arguments);
  RETURNS(cudaErrorInvalidDeviceFunction, cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params));
  RETURNS(cudaErrorInvalidValue, cudaGraphAddKernelNode(&node, graph, nullptr, 0, nullptr));
  size = sizeof block;
  params = kernel_params((void*)add, nullptr, 1, 1);
  params.extra = extra;
  GOOD(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params));
  GOOD(cudaGraphInstantiate(&exec, graph, 0));
  GOOD(cudaGraphLaunch(exec, nullptr));
  GOOD(cudaMemcpy(&value, memory, sizeof value, cudaMemcpyDeviceToHost));
  CHECK(value == 3);
  // Nodes of another type, of another graph.
  const cudaHostNodeParams nothing = {nullptr, nullptr};
  cudaGraphNode_t host;
  RETURNS(cudaErrorInvalidValue, cudaGraphAddHostNode(&host, graph, nullptr, 0, &nothing));
  RETURNS(cudaErrorInvalidValue, cudaGraphKernelNodeGetParams(a, &params));
  RETURNS(cudaErrorInvalidValue, cudaGraphKernelNodeSetParams(a, &params));
  RETURNS(cudaErrorInvalidValue, cudaGraphExecKernelNodeSetParams(exec, a, &params));
  RETURNS(cudaErrorInvalidValue, cudaGraphExecKernelNodeSetParams(exec, foreign, &params));
  RETURNS(cudaErrorInvalidValue, cudaGraphKernelNodeGetParams(nullptr, &params));
  cudaGraphNodeType type;
  RETURNS(cudaErrorInvalidValue, cudaGraphNodeGetType(nullptr, &type));
  RETURNS(cudaErrorInvalidValue, cudaGraphNodeGetType(a, nullptr));
  RETURNS(cudaErrorInvalidValue, cudaGraphGetNodes(graph, &a, nullptr));
  cudaEvent_t event = nullptr;
  RETURNS(cudaErrorInvalidResourceHandle, cudaGraphAddEventRecordNode(&host, graph, nullptr, 0, event));
  RETURNS(cudaErrorInvalidValue, cudaGraphAddChildGraphNode(&host, graph, nullptr, 0, nullptr));
  RETURNS(cudaErrorInvalidResourceHandle, cudaGraphLaunch(exec, (cudaStream_t)&value));
  // What there is not.
  RETURNS(cudaErrorNotSupported, cudaGraphAddMemFreeNode(&host, graph, nullptr, 0, memory));
  RETURNS(cudaErrorNotSupported, cudaGraphKernelNodeCopyAttributes(node, node));
  // A picture for Graphviz.
  GOOD(cudaGraphDebugDotPrint(graph, "graphs_test.dot", cudaGraphDebugDotFlagsVerbose));
  std::ostringstream text;
  text << std::ifstream("graphs_test.dot").rdbuf();
  CHECK(text.str().find("digraph") == 0 && text.str().find("add(int*, int, int)") != std::string::npos);
  std::remove("graphs_test.dot");
  RETURNS(cudaErrorOperatingSystem, cudaGraphDebugDotPrint(graph, "/no/such/folder/graph.dot", 0));
  GOOD(cudaGraphExecDestroy(exec));
  GOOD(cudaGraphDestroy(graph));
  RETURNS(cudaErrorInvalidValue, cudaGraphDestroy(graph));
  RETURNS(cudaErrorInvalidValue, cudaGraphNodeGetType(b, &type));
  GOOD(cudaGraphDestroy(other));
  // An empty graph may be launched.
  GOOD(cudaGraphCreate(&graph, 0));
  GOOD(cudaGraphInstantiate(&exec, graph, 0));
  GOOD(cudaGraphLaunch(exec, nullptr));
  GOOD(cudaDeviceSynchronize());
  GOOD(cudaGraphExecDestroy(exec));
  GOOD(cudaGraphDestroy(graph));
  GOOD(cudaFree(memory));
  (void)cudaGetLastError();
}

// A fault in a graph is the device's; after a reset no handle is valid.
void faults() {
  unsigned long long* wild = nullptr;
  cudaGraph_t graph;
  GOOD(cudaGraphCreate(&graph, 0));
  append_node(graph, {}, wild, 1, 1);
  cudaGraphExec_t exec;
  GOOD(cudaGraphInstantiate(&exec, graph, 0));
  GOOD(cudaGraphLaunch(exec, nullptr));
  RETURNS(cudaErrorIllegalAddress, cudaDeviceSynchronize());
  RETURNS(cudaErrorIllegalAddress, cudaGraphLaunch(exec, nullptr));
  GOOD(cudaDeviceReset());
  RETURNS(cudaErrorInvalidValue, cudaGraphLaunch(exec, nullptr));
  RETURNS(cudaErrorInvalidValue, cudaGraphDestroy(graph));
}

int main() {
  all_types();
  order_and_concurrency();
  many_nodes();
  children_and_clones();
  event_nodes();
  copies_and_fills();
  updates_of_graphs();
  wrong_calls();
  faults();
  return verdict();
}
