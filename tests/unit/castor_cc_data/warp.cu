// Atomics in every space and scope, votes, shuffles, match, reductions over warps, barriers, fences, clocks, dynamic
// shared memory, cached loads.
extern __shared__ int dynamic_shared[];

__global__ void __launch_bounds__(256, 2) atomics(int* i, unsigned* u, unsigned long long* l, float* f, double* d) {
  __shared__ int bins[32];
  int t = threadIdx.x;
  if (t < 32) bins[t] = 0;
  __syncthreads();
  atomicAdd(&bins[t & 31], 1);
  atomicMax(&bins[3], t);
  __syncthreads();
  atomicAdd(i, bins[t & 31]);
  atomicSub(i + 1, 2);
  atomicMin(i + 2, t);
  atomicCAS(i + 3, 0, t);
  atomicExch(i + 4, t);
  atomicAnd(i + 5, t);
  atomicOr(i + 6, t);
  atomicXor(i + 7, t);
  atomicInc(u, 100u);
  atomicDec(u + 1, 100u);
  atomicMax(u + 2, 7u);
  atomicAdd(l, 5ull);
  atomicCAS(l + 1, 3ull, 4ull);
  atomicMin(l + 2, 6ull);
  atomicAdd(f, 1.5f);
  atomicExch(f + 1, 2.5f);
  atomicAdd(d, 2.5);
  atomicAdd_block(i + 8, 1);
  atomicAdd_system(i + 9, 1);
  atomicCAS_block(u + 3, 1u, 2u);
  __threadfence_block();
  __threadfence();
  __threadfence_system();
}

__global__ void votes(unsigned* out, int limit) {
  int t = threadIdx.x;
  unsigned full = 0xffffffffu;
  unsigned r = __ballot_sync(full, t < limit);
  r += __all_sync(full, t < 100) + __any_sync(full, t == limit);
  r += __popc(__activemask()) + __match_any_sync(full, t & 3);
  int all_equal;
  r += __match_all_sync(full, 5ull, &all_equal) + all_equal;
  r += __reduce_add_sync(full, r) + __reduce_max_sync(full, t);
  r += __syncthreads_count(t & 1) + __syncthreads_and(t) + __syncthreads_or(t);
  r += __clz(t) + __ffs(t) + __brev(t) + __byte_perm(t, r, 0x1234) + __funnelshift_l(t, r, 5) + __umulhi(t, r);
  r += __vadd4(t, r) + __vcmpgtu2(t, r) + __dp4a(t, t, 3) + __fns(r, 0, 2);
  __syncwarp();
  out[t] = r;
}

__global__ void reduce(float* out, const float* __restrict__ in, double* wide, unsigned long long* big) {
  float v = __ldg(in + threadIdx.x) + __ldcs(in + threadIdx.x + 1);
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  double w = __shfl_xor_sync(0xffffffffu, wide[threadIdx.x], 1, 8);
  unsigned long long b = __shfl_sync(0xffffffffu, big[threadIdx.x], 3);
  dynamic_shared[threadIdx.x] = __shfl_up_sync(0xffffffffu, threadIdx.x, 2);
  __syncthreads();
  float4 q = *reinterpret_cast<const float4*>(in + 4 * threadIdx.x);
  __stcg(reinterpret_cast<float4*>(out) + threadIdx.x, q);
  wide[threadIdx.x] = w + dynamic_shared[63 - threadIdx.x];
  big[threadIdx.x] = b + clock64() + clock();
  if (threadIdx.x == 0) out[blockIdx.x] = v;
}

__global__ void barriers(int* out) {
  asm volatile("bar.sync 1, 64;" ::: "memory");
  unsigned lane, sm;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  if (lane == 40) __trap();
  __nanosleep(20);
  out[threadIdx.x] = lane + sm;
}
