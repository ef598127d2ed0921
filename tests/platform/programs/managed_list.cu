// A linked list in managed memory: built by the host, changed and extended by the device, walked by the host. The same
// pointers are good on both sides.
#include <cuda_runtime.h>

#include <cstdio>

struct Node {
  int value;
  Node* next;
};

__global__ void change(Node* head, Node* spare) {
  Node* node = head;
  for (;; node = node->next) {
    node->value *= 10;
    if (node->next == nullptr) break;
  }
  spare->value = 99;
  spare->next = nullptr;
  node->next = spare;
}

int main() {
  Node* nodes = nullptr;
  int* pinned = nullptr;
  cudaMallocManaged(&nodes, 5 * sizeof(Node));
  nodes[0] = {1, &nodes[2]};
  nodes[2] = {3, &nodes[1]};
  nodes[1] = {2, &nodes[3]};
  nodes[3] = {4, nullptr};
  change<<<1, 1>>>(&nodes[0], &nodes[4]);
  cudaDeviceSynchronize();
  for (const Node* node = nodes; node != nullptr; node = node->next) std::printf("%d ", node->value);
  cudaHostAlloc(&pinned, 64, cudaHostAllocMapped);
  int* on_device = nullptr;
  cudaHostGetDevicePointer(&on_device, pinned, 0);
  cudaMemset(on_device, 1, 4);
  cudaDeviceSynchronize();
  std::printf("\n%x\n", static_cast<unsigned>(pinned[0]));
  cudaPointerAttributes attributes;
  cudaPointerGetAttributes(&attributes, nodes);
  std::printf("type %d\n", static_cast<int>(attributes.type));
  return 0;
}
