// Names and texts of the runtime's error codes.
#include <cuda_runtime.h>

#include <cstdio>

int main() {
  const int codes[] = {0,   1,   2,   3,   4,   9,   12,  13,  17,  20,  21,  35,  98,  100, 101,  200, 209,
                       214, 218, 219, 300, 301, 302, 303, 304, 400, 401, 500, 600, 700, 701, 702,  704, 708,
                       709, 710, 712, 713, 714, 715, 716, 717, 718, 719, 720, 800, 801, 999, 12345};
  for (int code : codes) {
    const cudaError_t error = static_cast<cudaError_t>(code);
    std::printf("%d %s: %s\n", code, cudaGetErrorName(error), cudaGetErrorString(error));
  }
  return 0;
}
