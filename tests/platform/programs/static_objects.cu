// Objects with static storage that call the runtime before main begins, and launch kernels after it has ended.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void add(int* p, int value) { *p += value; }

class Counter {
 public:
  explicit Counter(const char* name) : name_(name) {
    cudaMalloc(&value_, sizeof(int));
    cudaMemset(value_, 0, sizeof(int));
    cudaMemset(value_, 1, 1);
  }
  ~Counter() {
    raise(100);
    std::printf("%s ends with %d\n", name_, read());
    cudaFree(value_);
  }
  void raise(int by) { add<<<1, 1>>>(value_, by); }
  int read() const {
    int value = -1;
    cudaMemcpy(&value, value_, sizeof value, cudaMemcpyDeviceToHost);
    return value;
  }

 private:
  const char* name_;
  int* value_ = nullptr;
};

Counter first("first"), second("second");

int main() {
  first.raise(10);
  std::printf("in main: %d %d\n", first.read(), second.read());
  return 0;
}
