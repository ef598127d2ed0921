// Driver API: modules from PTX, functions, launches, occupancy.

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "castor/gpu/machine.h"
#include "runtime/driver.h"
#include "runtime/kernel_launch.h"

using namespace castor;
using namespace castor::runtime;

namespace {

// Log buffer of the caller, which also receives the messages of a failed module load.
struct ErrorLog {
  char* buffer = nullptr;
  std::size_t size = 0;

  void write(const std::string& text) const {
    if (buffer == nullptr || size == 0) return;
    const std::size_t length = std::min(size - 1, text.size());
    std::memcpy(buffer, text.data(), length);
    buffer[length] = 0;
  }
};

void load_module(Session& session, CUmodule* module, std::string text, std::string name, const ErrorLog& log = {}) {
  need_pointer(module);
  session.check_fault();
  Module* const added = session.modules().add(std::move(text), std::move(name));
  try {
    added->load(session.device());
  } catch (const base::InputError& error) {
    session.modules().remove(added, session.opened());
    log.write(error.what());
    complain(error.what());
    throw ApiError{cudaErrorInvalidPtx};
  }
  *module = reinterpret_cast<CUmodule>(added);
}

Module& module_of(Session& session, CUmodule handle) {
  auto* const module = reinterpret_cast<Module*>(handle);
  if (!session.modules().has(module)) throw ApiError{cudaErrorInvalidResourceHandle};
  return *module;
}

}  // namespace

LoadedKernel& castor::runtime::kernel_of(const Session& session, CUfunction handle) {
  auto* const kernel = reinterpret_cast<LoadedKernel*>(handle);
  if (!session.modules().has_kernel(kernel)) throw ApiError{cudaErrorInvalidResourceHandle};
  return *kernel;
}

extern "C" {

CUresult cuModuleLoad(CUmodule* module, const char* fname) {
  return driver([&](Session& session) {
    need_pointer(fname);
    std::ifstream file(fname, std::ios::binary);
    std::ostringstream text;
    if (file) text << file.rdbuf();
    if (!file) throw ApiError{cudaErrorFileNotFound};
    // Files written by castor-cc -cubin and -fatbin end with a NUL.
    load_module(session, module, text.str().c_str(), fname);
  });
}

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned int numOptions, CUjit_option* options,
                            void** optionValues) {
  return driver([&](Session& session) {
    need_pointer(image);
    ErrorLog log;
    for (unsigned i = 0; i < numOptions; ++i) {
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER) log.buffer = static_cast<char*>(optionValues[i]);
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) {
        log.size = reinterpret_cast<std::size_t>(optionValues[i]) & 0xffffffff;
      }
    }
    load_module(session, module, static_cast<const char*>(image), "image.ptx", log);
  });
}
CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}
CUresult cuModuleLoadFatBinary(CUmodule* module, const void* fatCubin) { return cuModuleLoadData(module, fatCubin); }

CUresult cuModuleUnload(CUmodule hmod) {
  return driver([&](Session& session) {
    Module& module = module_of(session, hmod);
    session.synchronize_device();
    session.modules().remove(&module, session.opened());
  });
}

CUresult cuModuleGetFunction(CUfunction* hfunc, CUmodule hmod, const char* name) {
  return driver([&](Session& session) {
    need_pointer(hfunc);
    need_pointer(name);
    Module& module = module_of(session, hmod);
    LoadedKernel* const kernel = session.modules().loading([&] { return module.kernel(session.device(), name); });
    if (kernel == nullptr) throw ApiError{cudaErrorSymbolNotFound};
    *hfunc = reinterpret_cast<CUfunction>(kernel);
  });
}

CUresult cuModuleGetGlobal(CUdeviceptr* dptr, size_t* bytes, CUmodule hmod, const char* name) {
  return driver([&](Session& session) {
    need_pointer(name);
    const DeviceSymbol* const symbol = module_of(session, hmod).symbol(session.device(), name);
    if (symbol == nullptr) throw ApiError{cudaErrorSymbolNotFound};
    if (dptr != nullptr) *dptr = symbol->address;
    if (bytes != nullptr) *bytes = symbol->size;
  });
}

CUresult cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                        unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
                        unsigned int sharedMemBytes, CUstream hStream, void** kernelParams, void** extra) {
  return driver([&](Session& session) {
    LoadedKernel& kernel = kernel_of(session, f);
    Stream& stream = session.streams().of(hStream);
    const dim3 grid{gridDimX, gridDimY, gridDimZ};
    const dim3 block{blockDimX, blockDimY, blockDimZ};
    launch_block(session, kernel, {grid, block, sharedMemBytes}, parameter_block(kernel, kernelParams, extra), stream);
  });
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                                   unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
                                   unsigned int sharedMemBytes, CUstream hStream, void** kernelParams) {
  return driver([&](Session& session) {
    LoadedKernel& kernel = kernel_of(session, f);
    Stream& stream = session.streams().of(hStream);
    const dim3 grid{gridDimX, gridDimY, gridDimZ};
    const dim3 block{blockDimX, blockDimY, blockDimZ};
    launch(session, kernel, {grid, block, sharedMemBytes, true}, kernelParams, stream);
  });
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction f, void** kernelParams, void** extra) {
  return driver([&](Session& session) {
    need_pointer(config);
    LoadedKernel& kernel = kernel_of(session, f);
    Stream& stream = session.streams().of(config->hStream);
    const dim3 grid{config->gridDimX, config->gridDimY, config->gridDimZ};
    const dim3 block{config->blockDimX, config->blockDimY, config->blockDimZ};
    const auto* const attributes = reinterpret_cast<const cudaLaunchAttribute*>(config->attrs);
    const bool cooperative = is_cooperative(attributes, config->numAttrs);
    launch_block(session, kernel, {grid, block, config->sharedMemBytes, cooperative},
                 parameter_block(kernel, kernelParams, extra), stream);
  });
}

CUresult cuFuncGetAttribute(int* pi, CUfunction_attribute attrib, CUfunction hfunc) {
  return driver([&](Session& session) {
    need_pointer(pi);
    cudaFuncAttributes attributes;
    fill_attributes(session, kernel_of(session, hfunc), attributes);
    switch (attrib) {
      case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *pi = attributes.maxThreadsPerBlock;
        return;
      case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *pi = static_cast<int>(attributes.sharedSizeBytes);
        return;
      case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
        *pi = static_cast<int>(attributes.constSizeBytes);
        return;
      case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *pi = static_cast<int>(attributes.localSizeBytes);
        return;
      case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *pi = attributes.numRegs;
        return;
      case CU_FUNC_ATTRIBUTE_PTX_VERSION:
        *pi = attributes.ptxVersion;
        return;
      case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *pi = attributes.binaryVersion;
        return;
      case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
        *pi = attributes.cacheModeCA;
        return;
      case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *pi = attributes.maxDynamicSharedSizeBytes;
        return;
      case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *pi = attributes.preferredShmemCarveout;
        return;
      default:
        throw ApiError{cudaErrorInvalidValue};
    }
  });
}

CUresult cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value) {
  return driver([&](Session& session) {
    set_attribute(session, kernel_of(session, hfunc), static_cast<cudaFuncAttribute>(attrib), value);
  });
}
CUresult cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache /*config*/) {
  return driver([&](Session& session) { static_cast<void>(kernel_of(session, hfunc)); });
}
CUresult cuFuncSetSharedMemConfig(CUfunction hfunc, CUsharedconfig /*config*/) {
  return driver([&](Session& session) { static_cast<void>(kernel_of(session, hfunc)); });
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, CUfunction func, int blockSize,
                                                     size_t dynamicSMemSize) {
  return driver([&](Session& session) {
    need_pointer(numBlocks);
    *numBlocks = resident_blocks(session, kernel_of(session, func), blockSize, dynamicSMemSize);
  });
}

CUresult cuOccupancyMaxPotentialBlockSize(int* minGridSize, int* blockSize, CUfunction func,
                                          CUoccupancyB2DSize blockSizeToDynamicSMemSize, size_t dynamicSMemSize,
                                          int blockSizeLimit) {
  return driver([&](Session& session) {
    need_pointer(minGridSize);
    need_pointer(blockSize);
    LoadedKernel& kernel = kernel_of(session, func);
    const gpu::Machine& machine = session.device().machine();
    cudaFuncAttributes attributes;
    fill_attributes(session, kernel, attributes);
    int most = attributes.maxThreadsPerBlock;
    if (blockSizeLimit > 0) most = std::min(most, blockSizeLimit);
    // Chooses the largest of the block sizes for which the most threads are resident.
    int best_threads = 0;
    const int step = static_cast<int>(machine.sm.lanes);
    for (int threads = (most + step - 1) / step * step; threads > 0; threads -= step) {
      const int size = std::min(threads, most);
      const std::size_t shared = blockSizeToDynamicSMemSize ? blockSizeToDynamicSMemSize(size) : dynamicSMemSize;
      const int blocks = resident_blocks(session, kernel, size, shared);
      if (blocks * size > best_threads) {
        best_threads = blocks * size;
        *blockSize = size;
        *minGridSize = blocks * static_cast<int>(machine.chip.sms);
      }
    }
    if (best_threads == 0) throw ApiError{cudaErrorInvalidValue};
  });
}

}  // extern "C"
