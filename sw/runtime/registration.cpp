// Functions that the compiler's module constructors call: registration of images, kernels and variables, and the
// configuration of <<<>>>.

#include <cstdint>
#include <memory>
#include <string>

#include "cuda_runtime_api.h"
#include "runtime/session.h"

namespace {

using castor::runtime::Module;
using castor::runtime::Session;

// Wrapper that clang emits around an image. `data` is PTX text that ends with a NUL.
struct FatBinaryWrapper {
  std::int32_t magic;
  std::int32_t version;
  const char* data;
  const void* file_name;
};
constexpr std::int32_t kWrapperMagic = 0x466243b1;
constexpr std::uint32_t kCompiledImageMagic = 0xba55ed50;

// Registered image; its address is the handle that the program holds.
struct Image {
  Module* module = nullptr;
};

/// Launch configuration between __cudaPushCallConfiguration and __cudaPopCallConfiguration.
struct Configuration {
  dim3 grid;
  dim3 block;
  std::size_t shared = 0;
  cudaStream_t stream = nullptr;
  Configuration* outer = nullptr;
};

// Innermost launch configuration of the thread: the argument expressions of a launch may contain launches. A plain
// pointer, since the program's destructors may launch after the thread's objects are destroyed.
thread_local Configuration* innermost = nullptr;

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void* fatCubin) {
  const auto* const wrapper = static_cast<const FatBinaryWrapper*>(fatCubin);
  auto* const image = new Image;  // never freed: the program's last destructor may use the handle
  std::string text;
  std::uint32_t head = 0;
  if (wrapper->magic == kWrapperMagic && wrapper->data != nullptr) {
    __builtin_memcpy(&head, wrapper->data, sizeof head);
    if (head == kCompiledImageMagic) {
      castor::runtime::complain("an image in this program is a binary of another compiler; build it with castor-cc");
    } else {
      text = wrapper->data;
    }
  } else {
    castor::runtime::complain("an image in this program has an unknown format; build it with castor-cc");
  }
  Session& session = Session::instance();
  const Session::Call call(session);
  image->module = session.modules().add(std::move(text));
  return reinterpret_cast<void**>(image);
}

void __cudaRegisterFatBinaryEnd(void** /*fatCubinHandle*/) {}

// Does nothing: the program's destructors may still use the device, and the end-of-run action follows them.
void __cudaUnregisterFatBinary(void** /*fatCubinHandle*/) {}

void __cudaRegisterFunction(void** fatCubinHandle, const char* hostFun, char* /*deviceFun*/, const char* deviceName,
                            int /*thread_limit*/, uint3* /*tid*/, uint3* /*bid*/, dim3* /*bDim*/, dim3* /*gDim*/,
                            int* /*wSize*/) {
  Session& session = Session::instance();
  const Session::Call call(session);
  session.modules().register_function(reinterpret_cast<Image*>(fatCubinHandle)->module, hostFun, deviceName);
}

void __cudaRegisterVar(void** fatCubinHandle, char* hostVar, char* /*deviceAddress*/, const char* deviceName,
                       int /*ext*/, size_t /*size*/, int /*constant*/, int /*global*/) {
  Session& session = Session::instance();
  const Session::Call call(session);
  session.modules().register_variable(reinterpret_cast<Image*>(fatCubinHandle)->module, hostVar, deviceName);
}

unsigned __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem, struct CUstream_st* stream) {
  innermost = new Configuration{gridDim, blockDim, sharedMem, stream, innermost};
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* gridDim, dim3* blockDim, size_t* sharedMem, void* stream) {
  const std::unique_ptr<Configuration> top(innermost);
  if (top == nullptr) return cudaErrorMissingConfiguration;
  innermost = top->outer;
  *gridDim = top->grid;
  *blockDim = top->block;
  *sharedMem = top->shared;
  *static_cast<cudaStream_t*>(stream) = top->stream;
  return cudaSuccess;
}

}  // extern "C"
