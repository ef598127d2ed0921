// OpenCL kernels: work-item functions, local memory, maths, vectors, atomics.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel void saxpy(__global float* y, __global const float* x, float a) {
  size_t i = get_global_id(0);
  y[i] = a * x[i] + y[i];
}

__kernel void reduce(__global float* out, __global const float* in, __local float* tile) {
  int l = get_local_id(0);
  tile[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
    if (l < s) tile[l] += tile[l + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) out[get_group_id(0)] = tile[0];
}

__kernel void maths(__global float4* v, __global double* d, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  v[i] = sin(v[i]) * (float4)(1.0f, 2.0f, 3.0f, 4.0f) + native_exp(v[i]) + clamp(v[i], 0.0f, 1.0f) + dot(v[i], v[i]);
  d[i] = exp(d[i]) + pow(d[i], 1.5) + convert_double(i);
}

__kernel void histogram(__global const uchar* in, volatile __global int* bins) {
  atomic_inc(&bins[in[get_global_id(0)]]);
}
