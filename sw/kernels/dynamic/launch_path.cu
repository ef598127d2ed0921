// The path of a launch, measured without work: duration of the calls of the device runtime, duration of many launches,
// whether streams of the host wait for each other, and where thread blocks are placed. Clock ticks and counts are
// printed after the word RESULT.
#include <castor_groups.h>
#include <cuda_runtime.h>

#include "../common/program.h"
#include "../microbenchmarks/micro.h"

using namespace kernels;

using Child = void (*)(unsigned*);

__global__ void count_child(unsigned* count) { atomicAdd(count, 1U); }

__device__ Child const kChild[] = {count_child};

struct Calls {
  unsigned* ended;    ///< counter: children that ran
  unsigned* refused;  ///< counter: calls that returned an error or no parameter buffer
  long long* clocks;  ///< ticks of stream creation, parameter buffer and launch, in the first thread
};

/// Launches a child of one thread from each of the first `lanes` lanes of every warp, each into a stream of its own.
__global__ void launch_from_lanes(Calls calls, int lanes) {
  if (static_cast<int>(threadIdx.x % 32) >= lanes) return;
  cudaStream_t stream = nullptr;
  const long long begin = clock64();
  cudaError_t error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  const long long streamed = clock64();
  void* const buffer = cudaGetParameterBuffer(64, sizeof(unsigned*));
  const long long buffered = clock64();
  if (error != cudaSuccess || buffer == nullptr) {
    atomicAdd(calls.refused, 1U);
    return;
  }
  *static_cast<unsigned**>(buffer) = calls.ended;
  const long long ready = clock64();
  error = cudaLaunchDevice(reinterpret_cast<void*>(kChild[0]), buffer, dim3(1), dim3(1), 0, stream);
  const long long launched = clock64();
  if (error != cudaSuccess) atomicAdd(calls.refused, 1U);
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    calls.clocks[0] = streamed - begin;
    calls.clocks[1] = buffered - streamed;
    calls.clocks[2] = launched - ready;
  }
}

/// Launches an aggregated group of one block of one thread from each of the first `lanes` lanes of every warp.
__global__ void launch_groups_from_lanes(Calls calls, int lanes) {
  if (static_cast<int>(threadIdx.x % 32) >= lanes) return;
  const long long begin = clock64();
  void* const buffer = cudaGetParameterBuffer(64, sizeof(unsigned*));
  const long long buffered = clock64();
  if (buffer == nullptr) {
    atomicAdd(calls.refused, 1U);
    return;
  }
  *static_cast<unsigned**>(buffer) = calls.ended;
  const long long ready = clock64();
  const cudaError_t error = cudaLaunchAggGroup(reinterpret_cast<void*>(kChild[0]), buffer, dim3(1), dim3(1), 0);
  const long long launched = clock64();
  if (error != cudaSuccess) atomicAdd(calls.refused, 1U);
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    calls.clocks[1] = buffered - begin;
    calls.clocks[2] = launched - ready;
  }
}

__device__ unsigned own_sm() {
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  return sm;
}

__device__ void spin(long ticks) {
  const long long begin = clock64();
  while (clock64() - begin < ticks) {
  }
}

/// Records the SM of every block, then keeps the block busy for `ticks` clock ticks; block `brief` for a tenth of them.
__global__ void stay(unsigned* sms, long ticks, int brief) {
  if (threadIdx.x == 0) sms[blockIdx.x] = own_sm();
  spin(static_cast<int>(blockIdx.x) == brief ? ticks / 10 : ticks);
}

/// Returns whether consecutive blocks were placed on consecutive SMs, beginning with the SM of the first block.
bool in_turn(const std::vector<unsigned>& sms, std::size_t blocks, unsigned count) {
  for (std::size_t i = 0; i < blocks; ++i) {
    if (sms[i] != (sms[0] + i) % count) return false;
  }
  return true;
}

void measure_calls(micro::Figures& figures, Verdict& verdict, long blocks, long warps, long lanes, long pending) {
  DeviceArray<unsigned> ended(1), refused(1);
  DeviceArray<long long> clocks(3);
  ended.fill_bytes(0);
  refused.fill_bytes(0);
  clocks.fill_bytes(0);
  const long launches = blocks * warps * lanes;
  CUDA_CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, pending != 0 ? pending : launches));
  launch_from_lanes<<<static_cast<unsigned>(blocks), static_cast<unsigned>(32 * warps)>>>(
      {ended.get(), refused.get(), clocks.get()}, static_cast<int>(lanes));
  micro::finish();
  const std::vector<long long> ticks = clocks.download();
  figures.add("stream", static_cast<double>(ticks[0]));
  figures.add("buffer", static_cast<double>(ticks[1]));
  figures.add("launch", static_cast<double>(ticks[2]));
  const unsigned without_room = refused.download()[0];
  figures.add("refused", without_room);
  verdict.equal("children and refused", ended.download()[0] + without_room, static_cast<unsigned>(launches));
  verdict.holds("room for all, if there is no limit", pending != 0 || without_room == 0);
}

/// Measures launches of groups while the kernel that the groups join is resident.
void measure_groups(micro::Figures& figures, Verdict& verdict, long blocks, long warps, long lanes) {
  DeviceArray<unsigned> ended(1), refused(1), warm(1);
  DeviceArray<long long> clocks(3);
  for (DeviceArray<unsigned>* array : {&ended, &refused, &warm}) array->fill_bytes(0);
  clocks.fill_bytes(0);
  const auto child = reinterpret_cast<const void*>(count_child);
  cudaStream_t resident;
  CUDA_CHECK(cudaStreamCreateWithFlags(&resident, cudaStreamNonBlocking));
  CUDA_CHECK(castorHoldKernel(child, 1));
  count_child<<<1, 1, 0, resident>>>(warm.get());
  launch_groups_from_lanes<<<static_cast<unsigned>(blocks), static_cast<unsigned>(32 * warps)>>>(
      {ended.get(), refused.get(), clocks.get()}, static_cast<int>(lanes));
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaStreamSynchronize(nullptr));
  CUDA_CHECK(castorHoldKernel(child, 0));
  CUDA_CHECK(cudaStreamDestroy(resident));
  const std::vector<long long> ticks = clocks.download();
  figures.add("buffer", static_cast<double>(ticks[1]));
  figures.add("launch", static_cast<double>(ticks[2]));
  figures.add("refused", refused.download()[0]);
  verdict.equal("groups", ended.download()[0], static_cast<unsigned>(blocks * warps * lanes));
  verdict.equal("resident kernel", warm.download()[0], 1U);
}

void measure_queues(micro::Figures& figures, Verdict& verdict, long streams, long ticks) {
  std::vector<cudaStream_t> all(streams);
  DeviceArray<unsigned> sms(streams);
  sms.fill_bytes(0xff);
  for (cudaStream_t& stream : all) CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (long i = 0; i < streams; ++i) stay<<<1, 32, 0, all[i]>>>(sms.get() + i, ticks, -1);
  micro::finish();
  for (const cudaStream_t stream : all) CUDA_CHECK(cudaStreamDestroy(stream));
  long ran = 0;
  for (const unsigned sm : sms.download()) ran += sm != 0xffffffffU ? 1 : 0;
  figures.add("kernels", static_cast<double>(ran));
  verdict.equal("kernels", ran, streams);
}

/// Measures where blocks are placed, with shared memory sized so that an SM holds three blocks.
void measure_placement(micro::Figures& figures, Verdict& verdict, long ticks) {
  const cudaDeviceProp device = micro::device();
  const auto sms = static_cast<unsigned>(device.multiProcessorCount);
  const std::size_t third = device.sharedMemPerMultiprocessor / 3 / 256 * 256;
  const unsigned full = 3 * sms;
  const int brief = static_cast<int>(sms) + 4;
  DeviceArray<unsigned> free_chip(8 * sms), full_chip(full + 1), first(full), second(1);
  for (DeviceArray<unsigned>* array : {&free_chip, &full_chip, &first, &second}) array->fill_bytes(0xff);

  stay<<<8 * sms, 32>>>(free_chip.get(), ticks, -1);
  micro::finish();
  const std::vector<unsigned> where = free_chip.download();
  figures.add("in_turn", in_turn(where, where.size(), sms) ? 1 : 0);
  figures.add("first_sm", where[0]);

  stay<<<full + 1, 32, third>>>(full_chip.get(), ticks, brief);
  micro::finish();
  const std::vector<unsigned> waiting = full_chip.download();
  figures.add("fills_in_turn", in_turn(waiting, full, sms) ? 1 : 0);
  figures.add("takes_freed_room", waiting[full] == waiting[brief] ? 1 : 0);

  cudaStream_t one, other;
  CUDA_CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  stay<<<full, 32, third, one>>>(first.get(), 10 * ticks, brief);
  stay<<<1, 32, third, other>>>(second.get(), ticks, -1);
  micro::finish();
  figures.add("next_kernel_joins", second.download()[0] == first.download()[brief] ? 1 : 0);
  CUDA_CHECK(cudaStreamDestroy(one));
  CUDA_CHECK(cudaStreamDestroy(other));
  std::size_t placed = 0;
  for (const DeviceArray<unsigned>* array : {&free_chip, &full_chip, &first, &second}) {
    for (const unsigned sm : array->download()) placed += sm < sms ? 1 : 0;
  }
  verdict.equal("blocks", placed, free_chip.size() + full_chip.size() + first.size() + second.size());
}

int main(int argc, char** argv) {
  std::string part = "calls";
  long blocks = 1, warps = 1, lanes = 1, pending = 0, streams = 64, ticks = 10000;
  Options options("dynamic_launch_path", "times of the way of a launch");
  options.add_text("part", &part, "calls, groups (calls, of thread block groups), queues or placement; default calls");
  options.add("blocks", &blocks, 1, 1 << 16, "calls, groups: blocks that launch");
  options.add("warps", &warps, 1, 32, "calls, groups: warps of a block");
  options.add("lanes", &lanes, 1, 32, "calls, groups: lanes of a warp that launch");
  options.add("pending", &pending, 0, 1 << 18, "calls: limit of pending launches; 0 = as many as there are");
  options.add("streams", &streams, 1, 1024, "queues: streams, with a kernel of one block each");
  options.add("ticks", &ticks, 10, 1 << 20, "queues, placement: ticks that a block stays");
  options.parse(argc, argv);
  if (blocks * warps * lanes > 1 << 18) options.fail("more than 262144 launches");

  micro::Figures figures(part.c_str());
  Verdict verdict(options);
  if (part == "calls") {
    measure_calls(figures, verdict, blocks, warps, lanes, pending);
  } else if (part == "groups") {
    measure_groups(figures, verdict, blocks, warps, lanes);
  } else if (part == "queues") {
    measure_queues(figures, verdict, streams, ticks);
  } else if (part == "placement") {
    measure_placement(figures, verdict, ticks);
  } else {
    options.fail("option 'part' is '" + part + "'; calls, groups, queues and placement are known");
  }
  figures.print();
  verdict.holds("figures", figures.sound());
  return verdict.finish();
}
