// The driver API from plain C++: loads a module from a PTX file, finds kernels and variables in it by name and launches
// them. There is no device code in this source.
#include <cuda.h>

#include "../common/program.h"

using namespace kernels;

#define DRIVER_CHECK(call)                                                                   \
  do {                                                                                       \
    const CUresult status_of_call = (call);                                                  \
    if (status_of_call != CUDA_SUCCESS) {                                                    \
      const char* name = nullptr;                                                            \
      cuGetErrorName(status_of_call, &name);                                                 \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, name ? name : "?"); \
      std::exit(1);                                                                          \
    }                                                                                        \
  } while (0)

template <class T>
CUdeviceptr upload(const std::vector<T>& values) {
  CUdeviceptr address = 0;
  DRIVER_CHECK(cuMemAlloc(&address, values.size() * sizeof(T)));
  DRIVER_CHECK(cuMemcpyHtoD(address, values.data(), values.size() * sizeof(T)));
  return address;
}

template <class T>
std::vector<T> download(CUdeviceptr address, std::size_t size) {
  std::vector<T> values(size);
  DRIVER_CHECK(cuMemcpyDtoH(values.data(), address, size * sizeof(T)));
  return values;
}

int main(int argc, char** argv) {
  long n = 1000, block = 128, seed = 1;
  std::string path = argv[0];
  path = path.substr(0, path.find_last_of('/') + 1) + "driver_launch.ptx";
  Options options("driver_launch", "launches kernels of a PTX file by the driver API");
  options.add("n", &n, 1, 1 << 24, "elements");
  options.add("block", &block, 1, 1024, "threads of a block");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.add_text("ptx", &path, "the PTX file (default: beside the program)");
  options.parse(argc, argv);

  CUdevice device = 0;
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  DRIVER_CHECK(cuInit(0));
  DRIVER_CHECK(cuDeviceGet(&device, 0));
  DRIVER_CHECK(cuDevicePrimaryCtxRetain(&context, device));
  DRIVER_CHECK(cuCtxSetCurrent(context));
  const CUresult loaded = cuModuleLoad(&module, path.c_str());
  if (loaded == CUDA_ERROR_FILE_NOT_FOUND) options.fail("no file '" + path + "'");
  DRIVER_CHECK(loaded);
  CUfunction axpy = nullptr, choose = nullptr, missing = nullptr;
  DRIVER_CHECK(cuModuleGetFunction(&axpy, module, "axpy"));
  DRIVER_CHECK(cuModuleGetFunction(&choose, module, "choose"));
  const CUresult not_there = cuModuleGetFunction(&missing, module, "not_there");
  CUdeviceptr calls = 0;
  std::size_t calls_bytes = 0;
  DRIVER_CHECK(cuModuleGetGlobal(&calls, &calls_bytes, module, "calls"));

  Random random(seed);
  std::vector<float> x(n), y(n), sums(n);
  std::vector<unsigned> words(n), chosen(n);
  float a = 3.0f;
  for (long i = 0; i < n; ++i) {
    x[i] = static_cast<float>(random.range(-1000, 1000));
    y[i] = static_cast<float>(random.range(-1000, 1000));
    sums[i] = a * x[i] + y[i];  // integers, so the sum is exact
    words[i] = static_cast<unsigned>(random.next());
    switch (words[i] % 8) {
      case 0:
        chosen[i] = words[i] + 1;
        break;
      case 1:
        chosen[i] = words[i] * 3;
        break;
      case 2:
        chosen[i] = ~words[i];
        break;
      case 3:
        chosen[i] = words[i] >> 4;
        break;
      default:
        chosen[i] = words[i];
        break;
    }
  }
  unsigned count = static_cast<unsigned>(n);
  CUdeviceptr device_x = upload(x), device_y = upload(y), device_words = upload(words);
  void* axpy_arguments[] = {&device_x, &device_y, &a, &count};
  void* choose_arguments[] = {&device_words, &count};
  const unsigned grid = blocks_for(n, block);
  CUstream stream = nullptr;
  DRIVER_CHECK(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
  DRIVER_CHECK(cuLaunchKernel(axpy, grid, 1, 1, block, 1, 1, 0, stream, axpy_arguments, nullptr));
  DRIVER_CHECK(cuLaunchKernel(choose, grid, 1, 1, block, 1, 1, 0, stream, choose_arguments, nullptr));
  DRIVER_CHECK(cuStreamSynchronize(stream));
  DRIVER_CHECK(cuStreamDestroy(stream));
  int most_threads = 0;
  DRIVER_CHECK(cuFuncGetAttribute(&most_threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, axpy));

  Verdict verdict(options);
  verdict.equal("axpy", download<float>(device_y, n), sums);
  verdict.equal("choose", download<unsigned>(device_words, n), chosen);
  verdict.equal("calls", download<unsigned>(calls, 2), {7 + static_cast<unsigned>(n), 7 + static_cast<unsigned>(n)});
  verdict.equal("bytes of calls", calls_bytes, std::size_t{8});
  verdict.holds("unknown kernel is not found", not_there == CUDA_ERROR_NOT_FOUND);
  verdict.holds("a block may have its threads", most_threads >= block);
  for (CUdeviceptr address : {device_x, device_y, device_words}) DRIVER_CHECK(cuMemFree(address));
  DRIVER_CHECK(cuModuleUnload(module));
  DRIVER_CHECK(cuDevicePrimaryCtxRelease(device));
  return verdict.finish();
}
