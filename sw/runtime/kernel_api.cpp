// Runtime API: launch of kernels, their attributes, occupancy.

#include <algorithm>
#include <cstring>

#include "castor/base/words.h"
#include "castor/gpu/launch_check.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/occupancy.h"
#include "castor_groups.h"
#include "cuda.h"
#include "cuda_runtime_api.h"
#include "runtime/kernel_launch.h"
#include "runtime/session.h"

namespace castor::runtime {
namespace {

cudaError_t error_of(gpu::LaunchError error) {
  switch (error) {
    case gpu::LaunchError::kNone:
      return cudaSuccess;
    case gpu::LaunchError::kZeroDimension:
    case gpu::LaunchError::kBlockTooLarge:
    case gpu::LaunchError::kGridTooLarge:
      return cudaErrorInvalidConfiguration;
    case gpu::LaunchError::kRequiredBlock:
    case gpu::LaunchError::kTooMuchShared:
    case gpu::LaunchError::kParameterBytes:
    case gpu::LaunchError::kSyncOptions:
      return cudaErrorInvalidValue;
    case gpu::LaunchError::kNotAnswered:
    case gpu::LaunchError::kBarrierAndLaunches:
      return cudaErrorNotSupported;
    case gpu::LaunchError::kNoSwapMemory:
      return cudaErrorMemoryAllocation;
    case gpu::LaunchError::kTooManyBlocks:
      return cudaErrorCooperativeLaunchTooLarge;
    case gpu::LaunchError::kTooManyRegisters:
      return cudaErrorLaunchOutOfResources;
  }
  return cudaErrorUnknown;
}

constexpr std::size_t kDefaultDynamicShared = 48 * 1024;

// Returns the shared memory that a block may have: 48 KB unless the program has requested more for this kernel.
std::size_t shared_limit(const gpu::Machine& machine, const LoadedKernel& kernel) {
  const std::size_t limit = std::min<std::size_t>(machine.sm.max_tb_smem, kDefaultDynamicShared);
  return std::max<std::size_t>(limit, kernel.program->shared_bytes + kernel.dynamic_shared_limit);
}

// Returns the parameter block that the caller passes ready-made (CU_LAUNCH_PARAM_BUFFER_POINTER).
std::vector<std::byte> ready_block(void** extra) {
  const void* pointer = nullptr;
  std::size_t size = 0;
  for (void** at = extra; *at != CU_LAUNCH_PARAM_END; at += 2) {
    if (at[0] == CU_LAUNCH_PARAM_BUFFER_POINTER) {
      pointer = at[1];
    } else if (at[0] == CU_LAUNCH_PARAM_BUFFER_SIZE) {
      size = *static_cast<const std::size_t*>(at[1]);
    } else {
      throw ApiError{cudaErrorInvalidValue};
    }
  }
  if (pointer == nullptr) throw ApiError{cudaErrorInvalidValue};
  const auto* const bytes = static_cast<const std::byte*>(pointer);
  return {bytes, bytes + size};
}

}  // namespace

gpu::KernelPacket launch_packet(Session& session, LoadedKernel& kernel, const LaunchForm& form,
                                std::vector<std::byte> parameters) {
  session.check_fault();
  gpu::Device& device = session.device();
  if (kernel.program->stack_bytes != 0 || kernel.program->may_recurse || !kernel.program->named_kernels.empty())
    session.modules().loading([&] { kernel.module->restack(device, kernel); });
  gpu::KernelPacket packet;
  packet.grid = {form.grid.x, form.grid.y, form.grid.z};
  packet.block = {form.block.x, form.block.y, form.block.z};
  packet.dynamic_shared = static_cast<std::uint32_t>(std::min<std::size_t>(form.dynamic_shared, 0xffffffff));
  packet.cooperative = form.cooperative;
  packet.parameters = std::move(parameters);
  packet.sync = kernel.sync;
  gpu::LaunchVerdict verdict = gpu::check_launch(device.machine(), *kernel.program, packet);
  if (verdict.error == gpu::LaunchError::kTooManyRegisters) {
    session.modules().loading([&] { kernel.module->fit(device, kernel, packet.block.count()); });
    verdict = gpu::check_launch(device.machine(), *kernel.program, packet);
  }
  if (verdict.error != gpu::LaunchError::kNone) {
    complain(verdict.message);
    throw ApiError{error_of(verdict.error)};
  }
  if (kernel.program->shared_bytes + form.dynamic_shared > shared_limit(device.machine(), kernel)) {
    complain("launch of " + base::readable_name(kernel.program->kernel) +
             ": more than 48 KB of shared memory need cudaFuncSetAttribute");
    throw ApiError{cudaErrorInvalidValue};
  }
  packet.program = kernel.handle;
  return packet;
}

void launch_block(Session& session, LoadedKernel& kernel, const LaunchForm& form, std::vector<std::byte> parameters,
                  Stream& stream) {
  const bool captured = session.graphs().captures().takes(stream);
  gpu::KernelPacket packet = launch_packet(session, kernel, form, std::move(parameters));
  if (captured) {
    session.graphs().captures().add(
        stream,
        KernelWork{
            &kernel, form.grid, form.block, form.dynamic_shared, std::move(packet.parameters), form.cooperative, {}});
    return;
  }
  session.flush_prints();
  session.streams().submit(stream, std::move(packet));
  session.charge(gpu::HostCall::kLaunch);
}

std::vector<std::byte> parameter_block(const LoadedKernel& kernel, void** arguments, void** extra) {
  const isa::Program& program = *kernel.program;
  if (extra != nullptr) {
    if (arguments != nullptr) throw ApiError{cudaErrorInvalidValue};
    std::vector<std::byte> parameters = ready_block(extra);
    // The caller's block may be longer than the parameters, by trailing padding, but not shorter.
    if (parameters.size() < program.parameter_bytes) {
      complain("launch of " + base::readable_name(program.kernel) + ": " + std::to_string(parameters.size()) +
               " bytes of parameters; the kernel takes " + std::to_string(program.parameter_bytes));
      throw ApiError{cudaErrorInvalidValue};
    }
    parameters.resize(program.parameter_bytes);
    return parameters;
  }
  if (arguments == nullptr && !program.parameters.empty()) throw ApiError{cudaErrorInvalidValue};
  std::vector<std::byte> parameters(program.parameter_bytes);
  for (std::size_t i = 0; i < program.parameters.size(); ++i) {
    const isa::Parameter& parameter = program.parameters[i];
    if (parameter.size != 0) std::memcpy(parameters.data() + parameter.offset, arguments[i], parameter.size);
  }
  return parameters;
}

void launch(Session& session, LoadedKernel& kernel, const LaunchForm& form, void** arguments, Stream& stream) {
  launch_block(session, kernel, form, parameter_block(kernel, arguments, nullptr), stream);
}

bool is_cooperative(const cudaLaunchAttribute* attributes, unsigned count) {
  if (attributes == nullptr && count != 0) throw ApiError{cudaErrorInvalidValue};
  bool cooperative = false;
  for (unsigned i = 0; i < count; ++i) {
    const cudaLaunchAttributeValue& value = attributes[i].val;
    switch (attributes[i].id) {
      case cudaLaunchAttributeCooperative:
        cooperative = value.cooperative != 0;
        break;
      case cudaLaunchAttributeClusterDimension:
        // Clusters have one thread block each.
        if (value.clusterDim.x != 1 || value.clusterDim.y != 1 || value.clusterDim.z != 1)
          throw ApiError{cudaErrorNotSupported};
        break;
      case cudaLaunchAttributeIgnore:
      case cudaLaunchAttributeAccessPolicyWindow:
      case cudaLaunchAttributeSynchronizationPolicy:
      case cudaLaunchAttributePriority:
      case cudaLaunchAttributeMemSyncDomain:
      case cudaLaunchAttributeMemSyncDomainMap:
      case cudaLaunchAttributeClusterSchedulingPolicyPreference:
      case cudaLaunchAttributePreferredSharedMemoryCarveout:
      // The kernel may start early; it starts when the kernels before it in its stream are complete.
      case cudaLaunchAttributeProgrammaticStreamSerialization:
        break;
      default:
        throw ApiError{cudaErrorNotSupported};
    }
  }
  return cooperative;
}

int resident_blocks(Session& session, LoadedKernel& kernel, int block_threads, std::size_t dynamic_shared) {
  const gpu::Machine& machine = session.device().machine();
  if (block_threads <= 0) throw ApiError{cudaErrorInvalidValue};
  if (static_cast<unsigned>(block_threads) > machine.sm.max_tb_threads) return 0;
  const auto threads = static_cast<unsigned>(block_threads);
  const LoadedProgram runs =
      session.modules().loading([&] { return kernel.module->program_for(session.device(), kernel, threads); });
  return static_cast<int>(gpu::blocks_per_sm(machine, *runs.program, threads, dynamic_shared));
}

void set_attribute(Session& session, LoadedKernel& kernel, cudaFuncAttribute attribute, int value) {
  switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
      if (value < 0 ||
          kernel.program->shared_bytes + static_cast<std::size_t>(value) > session.device().machine().sm.max_tb_smem) {
        throw ApiError{cudaErrorInvalidValue};
      }
      kernel.dynamic_shared_limit = static_cast<std::uint32_t>(value);
      return;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
      if (value < -1 || value > 100) throw ApiError{cudaErrorInvalidValue};
      return;
    default:
      throw ApiError{cudaErrorInvalidValue};
  }
}

void fill_attributes(Session& session, const LoadedKernel& kernel, cudaFuncAttributes& attributes) {
  const gpu::Machine& machine = session.device().machine();
  const isa::Program& program = *kernel.program;
  attributes = {};
  attributes.sharedSizeBytes = program.shared_bytes;
  attributes.localSizeBytes = program.local_bytes;
  attributes.numRegs = static_cast<int>(program.registers);
  attributes.ptxVersion = 60;
  attributes.binaryVersion =
      static_cast<int>(machine.chip.capability.major_number * 10 + machine.chip.capability.minor_number);
  attributes.maxThreadsPerBlock = static_cast<int>(gpu::most_threads(machine, program));
  const std::size_t limit = shared_limit(machine, kernel);
  attributes.maxDynamicSharedSizeBytes =
      static_cast<int>(limit > program.shared_bytes ? limit - program.shared_bytes : 0);
  attributes.preferredShmemCarveout = -1;
}

}  // namespace castor::runtime

using namespace castor;
using namespace castor::runtime;

extern "C" {

cudaError_t cudaLaunchKernel(const void* func, dim3 gridDim, dim3 blockDim, void** args, size_t sharedMem,
                             cudaStream_t stream) {
  return api([&](Session& session) {
    LoadedKernel& kernel = session.modules().kernel_of(func);
    launch(session, kernel, {gridDim, blockDim, sharedMem}, args, session.streams().of(stream));
  });
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* func, void** args) {
  return api([&](Session& session) {
    if (config == nullptr) throw ApiError{cudaErrorInvalidValue};
    LoadedKernel& kernel = session.modules().kernel_of(func);
    const bool cooperative = is_cooperative(config->attrs, config->numAttrs);
    launch(session, kernel, {config->gridDim, config->blockDim, config->dynamicSmemBytes, cooperative}, args,
           session.streams().of(config->stream));
  });
}

cudaError_t cudaLaunchCooperativeKernel(const void* func, dim3 gridDim, dim3 blockDim, void** args, size_t sharedMem,
                                        cudaStream_t stream) {
  return api([&](Session& session) {
    LoadedKernel& kernel = session.modules().kernel_of(func);
    launch(session, kernel, {gridDim, blockDim, sharedMem, true}, args, session.streams().of(stream));
  });
}

cudaError_t cudaFuncSetCacheConfig(const void* func, enum cudaFuncCache /*cacheConfig*/) {
  return api([&](Session& session) { static_cast<void>(session.modules().kernel_of(func)); });
}

cudaError_t cudaFuncSetSharedMemConfig(const void* func, enum cudaSharedMemConfig /*config*/) {
  return api([&](Session& session) { static_cast<void>(session.modules().kernel_of(func)); });
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes* attr, const void* func) {
  return api([&](Session& session) {
    if (attr == nullptr) throw ApiError{cudaErrorInvalidValue};
    fill_attributes(session, session.modules().kernel_of(func), *attr);
  });
}

cudaError_t castorHoldKernel(const void* func, int on) {
  return api([&](Session& session) {
    const LoadedKernel& kernel = session.modules().kernel_of(func);
    session.check_fault();
    session.device().hold_kernel(kernel.handle, on != 0);
  });
}

cudaError_t cudaFuncSetAttribute(const void* func, enum cudaFuncAttribute attr, int value) {
  return api([&](Session& session) { set_attribute(session, session.modules().kernel_of(func), attr, value); });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, const void* func, int blockSize,
                                                          size_t dynamicSMemSize) {
  return api([&](Session& session) {
    if (numBlocks == nullptr) throw ApiError{cudaErrorInvalidValue};
    *numBlocks = resident_blocks(session, session.modules().kernel_of(func), blockSize, dynamicSMemSize);
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, const void* func, int blockSize,
                                                                   size_t dynamicSMemSize, unsigned int flags) {
  if (flags > 1) return last_error() = cudaErrorInvalidValue;
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks, func, blockSize, dynamicSMemSize);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* dynamicSmemSize, const void* func, int numBlocks,
                                                      int blockSize) {
  return api([&](Session& session) {
    const LoadedKernel& kernel = session.modules().kernel_of(func);
    if (dynamicSmemSize == nullptr || numBlocks <= 0 || blockSize <= 0) throw ApiError{cudaErrorInvalidValue};
    const gpu::Machine& machine = session.device().machine();
    const std::size_t unit = machine.sm.smem_alloc_unit;
    const std::size_t per_block = machine.sm.smem_bytes / static_cast<unsigned>(numBlocks) / unit * unit;
    const std::size_t most = std::min<std::size_t>(per_block, machine.sm.max_tb_smem);
    *dynamicSmemSize = most > kernel.program->shared_bytes ? most - kernel.program->shared_bytes : 0;
  });
}

}  // extern "C"
