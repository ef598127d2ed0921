// The driver API on modules given as text: good ones, a malformed one, an unknown instruction, unknown names.
#include <cuda.h>

#include <cstdio>

const char* kGood = R"(
.version 6.0
.target sm_60
.address_size 64
.visible .global .align 8 .u64 result;
.visible .entry store(.param .u64 value) {
  .reg .b64 %v;
  ld.param.u64 %v, [value];
  st.global.u64 [result], %v;
  ret;
}
)";
const char* kMalformed =
    ".version 6.0\n.target sm_60\n.address_size 64\n.visible .entry k() {\n  mov.u32 , 5;\n  ret;\n}\n";
const char* kUnknown =
    ".version 6.0\n.target sm_60\n.address_size 64\n.visible .entry k() {\n  frobnicate.u32 %r1, 5;\n  ret;\n}\n";

const char* name(CUresult result) {
  const char* text = nullptr;
  cuGetErrorName(result, &text);
  return text;
}

int main() {
  CUdevice device;
  CUcontext context;
  CUmodule module, other;
  CUfunction function;
  CUdeviceptr address;
  size_t bytes = 0;
  unsigned long long value = 0x123456789abcdefull, got = 0;
  std::printf("before init: %s\n", name(cuDeviceGet(&device, 0)));
  std::printf("init: %s\n", name(cuInit(0)));
  cuDeviceGet(&device, 0);
  cuDevicePrimaryCtxRetain(&context, device);
  cuCtxSetCurrent(context);
  std::printf("good: %s\n", name(cuModuleLoadData(&module, kGood)));
  std::printf("function: %s\n", name(cuModuleGetFunction(&function, module, "store")));
  std::printf("no function: %s\n", name(cuModuleGetFunction(&function, module, "load")));
  cuModuleGetFunction(&function, module, "store");
  std::printf("variable: %s\n", name(cuModuleGetGlobal(&address, &bytes, module, "result")));
  void* arguments[] = {&value};
  std::printf("launch: %s\n", name(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr)));
  std::printf("synchronize: %s\n", name(cuCtxSynchronize()));
  cuMemcpyDtoH(&got, address, bytes);
  std::printf("value %llx in %zu bytes\n", got, bytes);
  std::printf("too many threads: %s\n",
              name(cuLaunchKernel(function, 1, 1, 1, 2048, 1, 1, 0, nullptr, arguments, nullptr)));
  std::printf("malformed: %s\n", name(cuModuleLoadData(&other, kMalformed)));
  std::printf("unknown instruction: %s\n", name(cuModuleLoadData(&other, kUnknown)));
  std::printf("no file: %s\n", name(cuModuleLoad(&other, "/nowhere/at/all.ptx")));
  std::printf("unload: %s\n", name(cuModuleUnload(module)));
  return 0;
}
