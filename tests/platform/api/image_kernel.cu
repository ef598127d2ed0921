// The kernel that images.cu loads from a cubin and a fatbin.
extern "C" __global__ void triple(int* values, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) values[i] *= 3;
}
