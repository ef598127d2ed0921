// The driver API, with a module from PTX in memory.
#include <cuda.h>

#include "feature.h"

static const char* const kModule = R"(
.version 6.0
.target sm_30
.address_size 64
.global .align 4 .u32 cell = 12;
.visible .entry fill(.param .u64 out, .param .u32 value) {
  .reg .u64 %a, %o;
  .reg .u32 %t, %v;
  ld.param.u64 %o, [out];
  ld.param.u32 %v, [value];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %a, %t, 4;
  add.u64 %a, %a, %o;
  st.global.u32 [%a], %v;
  ret;
}
)";

#define DONE(call) ((call) == CUDA_SUCCESS)

int main() {
  CUdevice device = -1;
  int count = 0, value = 0;
  FEATURE("Driver API", "`cuInit`, `cuDeviceGet`, `cuDeviceGetCount`",
          DONE(cuInit(0)) && DONE(cuDeviceGetCount(&count)) && count == 1 && DONE(cuDeviceGet(&device, 0)));
  char name[100];
  size_t bytes = 0;
  FEATURE("Driver API", "`cuDeviceGetName`, `cuDeviceTotalMem`, `cuDeviceGetAttribute`",
          DONE(cuDeviceGetName(name, 100, device)) && DONE(cuDeviceTotalMem(&bytes, device)) && bytes > 0 &&
              DONE(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device)) && value == 32);
  CUcontext context = nullptr, current = nullptr;
  FEATURE("Driver API", "`cuCtxCreate`, `cuCtxGetCurrent`, `cuCtxPushCurrent`, `cuCtxPopCurrent`",
          DONE(cuCtxCreate(&context, 0, device)) && DONE(cuCtxPopCurrent(nullptr)) && DONE(cuCtxPushCurrent(context)) &&
              DONE(cuCtxGetCurrent(&current)) && current == context);
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  FEATURE("Driver API", "`cuModuleLoadData` of PTX, `cuModuleGetFunction`",
          DONE(cuModuleLoadData(&module, kModule)) && DONE(cuModuleGetFunction(&function, module, "fill")));
  CUdeviceptr cell = 0, memory = 0;
  FEATURE("Driver API", "`cuModuleGetGlobal`",
          DONE(cuModuleGetGlobal(&cell, &bytes, module, "cell")) && bytes == 4 && DONE(cuMemcpyDtoH(&value, cell, 4)) &&
              value == 12);
  FEATURE("Driver API", "`cuMemAlloc`, `cuMemFree`, `cuMemcpyHtoD`, `cuMemcpyDtoH`",
          DONE(cuMemAlloc(&memory, 128)) && DONE(cuMemcpyHtoD(memory, &value, 4)) &&
              DONE(cuMemcpyDtoH(&count, memory, 4)) && count == 12);
  FEATURE("Driver API", "`cuMemsetD8`, `cuMemsetD16`, `cuMemsetD32`",
          DONE(cuMemsetD32(memory, 0x11223344, 32)) && DONE(cuMemsetD8(memory, 0xff, 1)) &&
              DONE(cuMemsetD16(memory + 2, 0, 1)) && DONE(cuMemcpyDtoH(&value, memory, 4)) && value == 0x33ff);
  CUstream stream = nullptr;
  CUevent event = nullptr;
  int given = 21;
  void* arguments[] = {&memory, &given};
  int out[32] = {};
  FEATURE("Driver API", "`cuLaunchKernel` with `kernelParams`",
          DONE(cuStreamCreate(&stream, 0)) &&
              DONE(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr)) &&
              DONE(cuStreamSynchronize(stream)) && DONE(cuMemcpyDtoH(out, memory, 128)) && out[31] == 21);
  struct {
    CUdeviceptr out;
    int value;
  } packed = {memory, 22};
  size_t size = 12;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  FEATURE("Driver API", "`cuLaunchKernel` with a packed buffer (`extra`)",
          DONE(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, nullptr, extra)) &&
              DONE(cuStreamSynchronize(stream)) && DONE(cuMemcpyDtoH(out, memory, 128)) && out[31] == 22);
  given = 23;
  CUlaunchAttribute cooperative = {};
  cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  cooperative.value.cooperative = 1;
  CUlaunchConfig config = {1, 1, 1, 32, 1, 1, 0, stream, &cooperative, 1};
  FEATURE("Driver API", "`cuLaunchKernelEx`: cooperative launches; attributes without effect here are accepted",
          DONE(cuLaunchKernelEx(&config, function, arguments, nullptr)) && DONE(cuStreamSynchronize(stream)) &&
              DONE(cuMemcpyDtoH(out, memory, 128)) && out[31] == 23);
  given = 24;
  FEATURE("Driver API", "`cuLaunchCooperativeKernel`",
          DONE(cuLaunchCooperativeKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, arguments)) &&
              DONE(cuStreamSynchronize(stream)) && DONE(cuMemcpyDtoH(out, memory, 128)) && out[31] == 24);
  FEATURE("Driver API", "`cuStreamWaitEvent`, `cuEventRecord`, `cuEventSynchronize`",
          DONE(cuEventCreate(&event, 0)) && DONE(cuEventRecord(event, stream)) &&
              DONE(cuStreamWaitEvent(nullptr, event, 0)) && DONE(cuEventSynchronize(event)));
  FEATURE("Driver API", "`cuFuncGetAttribute`, `cuOccupancyMaxActiveBlocksPerMultiprocessor`",
          DONE(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, function)) && value > 0 &&
              DONE(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, function, 128, 0)) && value > 0);
  CUdeviceptr base = 0;
  FEATURE("Driver API", "`cuMemGetAddressRange`, `cuPointerGetAttribute`",
          DONE(cuMemGetAddressRange(&base, &bytes, memory + 8)) && base == memory && bytes == 128 &&
              DONE(cuPointerGetAttribute(&value, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory)) &&
              value == CU_MEMORYTYPE_DEVICE);
  CUcontext primary = nullptr;
  FEATURE("Driver API", "primary contexts (`cuDevicePrimaryCtxRetain`)",
          DONE(cuDevicePrimaryCtxRetain(&primary, device)) && DONE(cuDevicePrimaryCtxRelease(device)));
  const char* text = nullptr;
  FEATURE("Driver API", "`cuGetErrorName`, `cuGetErrorString`",
          DONE(cuGetErrorName(CUDA_ERROR_INVALID_VALUE, &text)) && std::strcmp(text, "CUDA_ERROR_INVALID_VALUE") == 0);
  FEATURE("Driver API", "PTX that cannot be read gives `CUDA_ERROR_INVALID_PTX`",
          cuModuleLoadData(&module, ".version 6.0\n.target sm_30\nnonsense") == CUDA_ERROR_INVALID_PTX);
  FEATURE("Driver API", "a kernel that is not there gives `CUDA_ERROR_NOT_FOUND`",
          cuModuleGetFunction(&function, module, "nowhere") != CUDA_SUCCESS);
  return missing != 0;
}
