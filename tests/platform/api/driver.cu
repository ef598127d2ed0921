// The driver API with a PTX file and with text: globals, both ways to pass parameters, log, handles, wrong names.
// Argument: the PTX file scale.ptx.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "check.h"

#define DRIVER(code, call)                                         \
  do {                                                             \
    const CUresult result_ = (call);                               \
    const char* name_ = "?";                                       \
    cuGetErrorName(result_, &name_);                               \
    if (result_ != (code)) fail(__FILE__, __LINE__, #call, name_); \
  } while (0)
#define DONE(call) DRIVER(CUDA_SUCCESS, call)

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  CUdeviceptr early = 0;
  DRIVER(CUDA_ERROR_NOT_INITIALIZED, cuMemAlloc(&early, 16));
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuInit(1));
  DONE(cuInit(0));
  CUdevice device;
  CUcontext context, current;
  int count = 0, major = 0, minor = 0;
  DONE(cuDeviceGetCount(&count));
  CHECK(count == 1);
  DONE(cuDeviceGet(&device, 0));
  DRIVER(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&device, 1));
  char name[64];
  DONE(cuDeviceGetName(name, sizeof name, device));
  CHECK(std::strncmp(name, "Castor ", 7) == 0);
  DONE(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
  DONE(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
  CHECK(major >= 2);
  DONE(cuCtxCreate(&context, 0, device));
  DONE(cuCtxGetCurrent(&current));
  CHECK(current == context);
  // All forms of the creation of a context, and of the end of one's turn.
  CUctxCreateParams creation = {nullptr, 0, nullptr};
  CUexecAffinityParam affinity = {CU_EXEC_AFFINITY_TYPE_SM_COUNT, {{1}}};
  CUctxCigParam graphics = {CIG_DATA_TYPE_NV_BLOB, nullptr};
  DONE(cuCtxCreate(&current, nullptr, 0, device));
  CHECK(current == context);
  DONE(cuCtxCreate(&current, &creation, CU_CTX_SCHED_AUTO, device));
  DONE(cuCtxCreate_v2(&current, 0, device));
  DONE(cuCtxCreate_v3(&current, nullptr, 0, 0, device));
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuCtxCreate_v3(&current, nullptr, 1, 0, device));
  DRIVER(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, cuCtxCreate_v3(&current, &affinity, 1, 0, device));
  creation = {&affinity, 1, nullptr};
  DRIVER(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, cuCtxCreate(&current, &creation, 0, device));
  creation = {nullptr, 0, &graphics};
  DRIVER(CUDA_ERROR_NOT_SUPPORTED, cuCtxCreate(&current, &creation, 0, device));
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuCtxCreate(nullptr, nullptr, 0, device));
  DRIVER(CUDA_ERROR_INVALID_DEVICE, cuCtxCreate(&current, nullptr, 0, 1));
  DONE(cuCtxPopCurrent(nullptr));
  DONE(cuCtxPushCurrent(context));
  current = nullptr;
  DONE(cuCtxPopCurrent(&current));
  CHECK(current == context);
  // There is no other device that could be a peer; the runtime says the same.
  int peers = 1;
  DONE(cuDeviceCanAccessPeer(&peers, device, device));
  CHECK(peers == 0);
  DRIVER(CUDA_ERROR_INVALID_DEVICE, cuDeviceCanAccessPeer(&peers, device, 1));
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuDeviceCanAccessPeer(nullptr, device, device));
  DRIVER(CUDA_ERROR_INVALID_DEVICE,
         cuDeviceGetP2PAttribute(&peers, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, device, device));
  DRIVER(CUDA_ERROR_INVALID_CONTEXT, cuCtxEnablePeerAccess(context, 0));
  DRIVER(CUDA_ERROR_INVALID_CONTEXT, cuCtxEnablePeerAccess(nullptr, 0));
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuCtxEnablePeerAccess(context, 1));
  DRIVER(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, cuCtxDisablePeerAccess(context));
  GOOD(cudaGetLastError());
  RETURNS(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(0, 0));
  RETURNS(cudaErrorInvalidValue, cudaDeviceEnablePeerAccess(0, 1));
  RETURNS(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(0));
  RETURNS(cudaErrorInvalidDevice, cudaDeviceDisablePeerAccess(1));
  GOOD(cudaDeviceCanAccessPeer(&peers, 0, 0));
  CHECK(peers == 0);
  RETURNS(cudaErrorInvalidDevice, cudaGetLastError());

  CUmodule module, other;
  CUfunction scale, none;
  DRIVER(CUDA_ERROR_FILE_NOT_FOUND, cuModuleLoad(&module, "/no/such/file.ptx"));
  DONE(cuModuleLoad(&module, argv[1]));
  DRIVER(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&none, module, "no_such_kernel"));
  DRIVER(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&none, module, "offset"));  // a variable
  DONE(cuModuleGetFunction(&scale, module, "scale"));

  CUdeviceptr offset = 0;
  std::size_t size = 0;
  DRIVER(CUDA_ERROR_NOT_FOUND, cuModuleGetGlobal(&offset, &size, module, "no_such_variable"));
  DONE(cuModuleGetGlobal(&offset, &size, module, "offset"));
  CHECK(size == 4);
  int value = 0;
  DONE(cuMemcpyDtoH(&value, offset, 4));
  CHECK(value == 1000);
  value = 5;
  DONE(cuMemcpyHtoD(offset, &value, 4));

  // out[i] = in[i] * factor + offset
  constexpr unsigned kCount = 100;
  int host[kCount];
  for (unsigned i = 0; i < kCount; ++i) host[i] = static_cast<int>(i);
  CUdeviceptr in = 0, out = 0;
  DONE(cuMemAlloc(&in, sizeof host));
  DONE(cuMemAlloc(&out, sizeof host));
  DONE(cuMemcpyHtoD(in, host, sizeof host));
  unsigned n = kCount;
  int factor = 3;
  void* parameters[] = {&out, &in, &n, &factor};
  DONE(cuLaunchKernel(scale, 4, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr));
  DONE(cuMemcpyDtoH(host, out, sizeof host));
  for (unsigned i = 0; i < kCount; ++i) CHECK(host[i] == static_cast<int>(3 * i + 5));

  struct {
    CUdeviceptr out, in;
    unsigned n;
    int factor;
  } block = {out, in, kCount, -2};
  std::size_t block_size = sizeof block;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_BUFFER_SIZE, &block_size,
                   CU_LAUNCH_PARAM_END};
  DONE(cuLaunchKernel(scale, 4, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra));
  DONE(cuCtxSynchronize());
  DONE(cuMemcpyDtoH(host, out, sizeof host));
  for (unsigned i = 0; i < kCount; ++i) CHECK(host[i] == 5 - 2 * static_cast<int>(i));
  block_size = 20;  // too short
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(scale, 4, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra));
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(scale, 4, 1, 1, 32, 1, 1, 0, nullptr, parameters, extra));
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(scale, 4, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr));
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(scale, 0, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr));
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(scale, 1, 1, 1, 2048, 1, 1, 0, nullptr, parameters, nullptr));
  DRIVER(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  GOOD(cudaGetLastError());  // driver calls do not touch the runtime's last error
  int registers = 0;
  DONE(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, scale));
  CHECK(registers > 0 && registers <= 255);

  // Text with an error: the log names line and column.
  char log[200];
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  const char* const bad =
      ".version 6.0\n.target sm_60\n.address_size 64\n.visible .entry k()\n{\n  mov.u32 %r1, 5;\n}\n";
  std::memset(log, 'x', sizeof log);
  DRIVER(CUDA_ERROR_INVALID_PTX, cuModuleLoadDataEx(&other, bad, 2, options, values));
  CHECK(std::memchr(log, 0, sizeof log) != nullptr);
  CHECK(std::strstr(log, ":6:") != nullptr && std::strstr(log, "%r1") != nullptr);
  values[1] = reinterpret_cast<void*>(std::size_t{10});  // a short buffer is filled and ended
  std::memset(log, 'x', sizeof log);
  DRIVER(CUDA_ERROR_INVALID_PTX, cuModuleLoadDataEx(&other, bad, 2, options, values));
  CHECK(log[9] == 0 && log[10] == 'x');

  // A second module of the same text is its own.
  std::ostringstream text;
  text << std::ifstream(argv[1]).rdbuf();
  DONE(cuModuleLoadData(&other, text.str().c_str()));
  CUdeviceptr offset_again = 0;
  DONE(cuModuleGetGlobal(&offset_again, nullptr, other, "offset"));
  CHECK(offset_again != offset);
  DONE(cuMemcpyDtoH(&value, offset_again, 4));
  CHECK(value == 1000);
  CUfunction scale_again;
  DONE(cuModuleGetFunction(&scale_again, other, "scale"));
  DONE(cuModuleUnload(other));
  DRIVER(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(other));
  DRIVER(CUDA_ERROR_INVALID_HANDLE, cuModuleGetFunction(&none, other, "scale"));
  DRIVER(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel(scale_again, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(&value, offset_again, 4));
  DONE(cuLaunchKernel(scale, 4, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr));  // the first one works on

  DONE(cuMemsetD32(out, 0x01020304, kCount));
  DONE(cuMemsetD16(out, 0xbeef, 1));
  DONE(cuMemsetD8(out + 3, 0x77, 1));
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(out + 2, 0, 1));
  DONE(cuMemcpyDtoH(host, out, sizeof host));
  CHECK(host[0] == 0x7702beef && host[99] == 0x01020304);
  DONE(cuMemFree(in));
  DONE(cuMemFree(out));
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuMemFree(out));

  // A fault: its code at the next call, and at every one after it.
  CUdeviceptr null = 0;
  void* wrong[] = {&null, &null, &n, &factor};
  DONE(cuLaunchKernel(scale, 1, 1, 1, 1, 1, 1, 0, nullptr, wrong, nullptr));
  DRIVER(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
  DRIVER(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemAlloc(&in, 16));
  return verdict();
}
