// Occupancy calculated by a program without a device: plain functions of the limits in a cudaDeviceProp and a
// cudaFuncAttributes. The interface is that of CUDA's header of this name.
//
// Allocation units and the number of resident blocks depend on the compute capability, after the tables of the CUDA
// programming guide for NVIDIA's chips. A machine of Castor may have other values;
// cudaOccupancyMaxActiveBlocksPerMultiprocessor returns the machine's own result.
#pragma once
#define __cuda_occupancy_h__

#include <stddef.h>

typedef enum cudaOccError_enum {
  CUDA_OCC_SUCCESS = 0,
  CUDA_OCC_ERROR_INVALID_INPUT = 1,
  CUDA_OCC_ERROR_UNKNOWN_DEVICE = 2
} cudaOccError;

typedef enum cudaOccCacheConfig_enum {
  CACHE_PREFER_NONE = 0,
  CACHE_PREFER_SHARED = 1,
  CACHE_PREFER_L1 = 2,
  CACHE_PREFER_EQUAL = 3
} cudaOccCacheConfig;
typedef enum cudaOccCarveoutConfig_enum {
  SHAREDMEM_CARVEOUT_DEFAULT = -1,
  SHAREDMEM_CARVEOUT_MAX_SHARED = 100,
  SHAREDMEM_CARVEOUT_MAX_L1 = 0,
  SHAREDMEM_CARVEOUT_HALF = 50
} cudaOccCarveoutConfig;
typedef enum cudaOccPartitionedGCConfig_enum {
  PARTITIONED_GC_OFF = 0,
  PARTITIONED_GC_ON = 1,
  PARTITIONED_GC_ON_STRICT = 2
} cudaOccPartitionedGCConfig;
typedef enum cudaOccFuncShmemConfig_enum {
  FUNC_SHMEM_LIMIT_DEFAULT = 0,
  FUNC_SHMEM_LIMIT_OPTIN = 1
} cudaOccFuncShmemConfig;

/// Bits of cudaOccResult::limitingFactors.
typedef enum cudaOccLimitingFactor_enum {
  OCC_LIMIT_WARPS = 0x01,
  OCC_LIMIT_REGISTERS = 0x02,
  OCC_LIMIT_SHARED_MEMORY = 0x04,
  OCC_LIMIT_BLOCKS = 0x08,
  OCC_LIMIT_BARRIERS = 0x10
} cudaOccLimitingFactor;

/// Limits of a device.
typedef struct cudaOccDeviceProp {
  int computeMajor;
  int computeMinor;
  int maxThreadsPerBlock;
  int maxThreadsPerMultiprocessor;
  int regsPerBlock;
  int regsPerMultiprocessor;
  int warpSize;
  size_t sharedMemPerBlock;
  size_t sharedMemPerMultiprocessor;
  int numSms;
  size_t sharedMemPerBlockOptin;
  size_t reservedSharedMemPerBlock;
#if defined(__cplusplus)
  cudaOccDeviceProp() {}
  template <class Properties>
  cudaOccDeviceProp(const Properties& p)
      : computeMajor(p.major),
        computeMinor(p.minor),
        maxThreadsPerBlock(p.maxThreadsPerBlock),
        maxThreadsPerMultiprocessor(p.maxThreadsPerMultiProcessor),
        regsPerBlock(p.regsPerBlock),
        regsPerMultiprocessor(p.regsPerMultiprocessor),
        warpSize(p.warpSize),
        sharedMemPerBlock(p.sharedMemPerBlock),
        sharedMemPerMultiprocessor(p.sharedMemPerMultiprocessor),
        numSms(p.multiProcessorCount),
        sharedMemPerBlockOptin(p.sharedMemPerBlockOptin),
        reservedSharedMemPerBlock(p.reservedSharedMemPerBlock) {}
#endif
} cudaOccDeviceProp;

/// Resources of a kernel.
typedef struct cudaOccFuncAttributes {
  int maxThreadsPerBlock;
  int numRegs;
  size_t sharedSizeBytes;
  cudaOccPartitionedGCConfig partitionedGCConfig;
  cudaOccFuncShmemConfig shmemLimitConfig;
  size_t maxDynamicSharedSizeBytes;
  int numBlockBarriers;
#if defined(__cplusplus)
  cudaOccFuncAttributes() {}
  template <class Attributes>
  cudaOccFuncAttributes(const Attributes& a)
      : maxThreadsPerBlock(a.maxThreadsPerBlock),
        numRegs(a.numRegs),
        sharedSizeBytes(a.sharedSizeBytes),
        partitionedGCConfig(PARTITIONED_GC_OFF),
        shmemLimitConfig(FUNC_SHMEM_LIMIT_OPTIN),
        maxDynamicSharedSizeBytes(static_cast<size_t>(a.maxDynamicSharedSizeBytes)),
        numBlockBarriers(1) {}
#endif
} cudaOccFuncAttributes;

/// Division of memory between L1 and shared memory. It is accepted without effect: cudaOccDeviceProp gives the shared
/// memory of an SM.
typedef struct cudaOccDeviceState {
  cudaOccCacheConfig cacheConfig;
  int carveoutConfig;
#if defined(__cplusplus)
  cudaOccDeviceState() : cacheConfig(CACHE_PREFER_NONE), carveoutConfig(SHAREDMEM_CARVEOUT_DEFAULT) {}
#endif
} cudaOccDeviceState;

/// Number of resident blocks of an SM, and the number that each resource alone would allow. A resource that the kernel
/// does not use allows INT_MAX blocks.
typedef struct cudaOccResult {
  int activeBlocksPerMultiprocessor;
  unsigned int limitingFactors;
  int blockLimitRegs;
  int blockLimitSharedMem;
  int blockLimitWarps;
  int blockLimitBlocks;
  int blockLimitBarriers;
  int allocatedRegistersPerBlock;
  size_t allocatedSharedMemPerBlock;
  cudaOccPartitionedGCConfig partitionedGCConfig;
} cudaOccResult;

#define CASTOR_OCC_UNLIMITED 0x7fffffff

static inline size_t castor_occ_round_up(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }

/// Returns the most resident blocks of an SM; 0 for an unknown compute capability.
static inline int castor_occ_block_slots(int major, int minor) {
  if (major < 3 || major > 9) return 0;
  if (major == 3) return 16;
  if (major == 7 && minor == 5) return 16;
  if (major == 8 && minor != 0) return minor == 9 ? 24 : 16;
  return 32;
}
/// Returns the number of parts of the register file, one per scheduler. Registers are allocated to whole warps within a
/// part.
static inline int castor_occ_register_parts(int major, int minor) { return major == 6 && minor == 0 ? 2 : 4; }
static inline size_t castor_occ_shared_unit(int major) { return major >= 8 ? 128 : 256; }

static inline cudaOccError cudaOccMaxActiveBlocksPerMultiprocessor(cudaOccResult* result,
                                                                   const cudaOccDeviceProp* properties,
                                                                   const cudaOccFuncAttributes* attributes,
                                                                   const cudaOccDeviceState* state, int blockSize,
                                                                   size_t dynamicSmemSize) {
  if (!result || !properties || !attributes || !state || blockSize <= 0 || properties->warpSize <= 0 ||
      attributes->numRegs < 0) {
    return CUDA_OCC_ERROR_INVALID_INPUT;
  }
  const int slots = castor_occ_block_slots(properties->computeMajor, properties->computeMinor);
  if (slots == 0) return CUDA_OCC_ERROR_UNKNOWN_DEVICE;
  const int warps = (blockSize + properties->warpSize - 1) / properties->warpSize;

  result->blockLimitBlocks = slots;
  result->blockLimitBarriers =
      attributes->numBlockBarriers > 0 ? 16 * slots / attributes->numBlockBarriers : slots * 16;
  result->blockLimitWarps = properties->maxThreadsPerMultiprocessor / properties->warpSize / warps;
  const int most = attributes->maxThreadsPerBlock < properties->maxThreadsPerBlock ? attributes->maxThreadsPerBlock
                                                                                   : properties->maxThreadsPerBlock;
  if (blockSize > most) result->blockLimitWarps = 0;

  const int parts = castor_occ_register_parts(properties->computeMajor, properties->computeMinor);
  const int per_warp = (int)castor_occ_round_up((size_t)attributes->numRegs * (size_t)properties->warpSize, 256);
  const int allocated_warps = (int)castor_occ_round_up((size_t)warps, (size_t)parts);
  result->allocatedRegistersPerBlock = per_warp * allocated_warps;
  result->blockLimitRegs = CASTOR_OCC_UNLIMITED;
  if (per_warp != 0) {
    result->blockLimitRegs = properties->regsPerMultiprocessor / parts / per_warp * parts / warps;
    if (result->allocatedRegistersPerBlock > properties->regsPerBlock) result->blockLimitRegs = 0;
  }

  size_t shared = attributes->sharedSizeBytes + dynamicSmemSize;
  const size_t limit = attributes->shmemLimitConfig == FUNC_SHMEM_LIMIT_OPTIN && properties->sharedMemPerBlockOptin != 0
                           ? properties->sharedMemPerBlockOptin
                           : properties->sharedMemPerBlock;
  const int too_much = shared > limit;
  if (shared != 0 || properties->reservedSharedMemPerBlock != 0) {
    shared = castor_occ_round_up(shared + properties->reservedSharedMemPerBlock,
                                 castor_occ_shared_unit(properties->computeMajor));
  }
  result->allocatedSharedMemPerBlock = shared;
  result->blockLimitSharedMem = CASTOR_OCC_UNLIMITED;
  if (shared != 0) result->blockLimitSharedMem = (int)(properties->sharedMemPerMultiprocessor / shared);
  if (too_much) result->blockLimitSharedMem = 0;

  int blocks = slots;
  const int limits[4] = {result->blockLimitWarps, result->blockLimitRegs, result->blockLimitSharedMem,
                         result->blockLimitBarriers};
  for (int i = 0; i < 4; ++i) blocks = limits[i] < blocks ? limits[i] : blocks;
  result->activeBlocksPerMultiprocessor = blocks;
  result->limitingFactors = (result->blockLimitWarps == blocks ? (unsigned)OCC_LIMIT_WARPS : 0u) |
                            (result->blockLimitRegs == blocks ? (unsigned)OCC_LIMIT_REGISTERS : 0u) |
                            (result->blockLimitSharedMem == blocks ? (unsigned)OCC_LIMIT_SHARED_MEMORY : 0u) |
                            (result->blockLimitBlocks == blocks ? (unsigned)OCC_LIMIT_BLOCKS : 0u) |
                            (result->blockLimitBarriers == blocks ? (unsigned)OCC_LIMIT_BARRIERS : 0u);
  result->partitionedGCConfig = PARTITIONED_GC_OFF;
  return CUDA_OCC_SUCCESS;
}

/// Returns the dynamic shared bytes that each block may have if `numBlocks` blocks are to be resident.
static inline cudaOccError cudaOccAvailableDynamicSMemPerBlock(size_t* bytesAvailable,
                                                               const cudaOccDeviceProp* properties,
                                                               const cudaOccFuncAttributes* attributes,
                                                               const cudaOccDeviceState* state, int numBlocks,
                                                               int blockSize) {
  cudaOccResult result;
  if (!bytesAvailable || numBlocks <= 0) return CUDA_OCC_ERROR_INVALID_INPUT;
  const cudaOccError error =
      cudaOccMaxActiveBlocksPerMultiprocessor(&result, properties, attributes, state, blockSize, 0);
  if (error != CUDA_OCC_SUCCESS) return error;
  if (numBlocks > result.activeBlocksPerMultiprocessor) return CUDA_OCC_ERROR_INVALID_INPUT;
  const size_t unit = castor_occ_shared_unit(properties->computeMajor);
  size_t share = properties->sharedMemPerMultiprocessor / (size_t)numBlocks / unit * unit;
  const size_t used = attributes->sharedSizeBytes + properties->reservedSharedMemPerBlock;
  const size_t limit = properties->sharedMemPerBlock;
  share = share > used ? share - used : 0;
  if (share + attributes->sharedSizeBytes > limit) {
    share = limit > attributes->sharedSizeBytes ? limit - attributes->sharedSizeBytes : 0;
  }
  *bytesAvailable = share;
  return CUDA_OCC_SUCCESS;
}

/// Finds the block size with the most resident threads (the larger of equal ones) and the number of blocks that fill
/// the device. If blockSizeToDynamicSMemSize is null, every block has `dynamicSMemSize` bytes.
static inline cudaOccError cudaOccMaxPotentialOccupancyBlockSize(
    int* minGridSize, int* blockSize, const cudaOccDeviceProp* properties, const cudaOccFuncAttributes* attributes,
    const cudaOccDeviceState* state, size_t (*blockSizeToDynamicSMemSize)(int), size_t dynamicSMemSize) {
  if (!minGridSize || !blockSize || !properties || !attributes || !state || properties->warpSize <= 0) {
    return CUDA_OCC_ERROR_INVALID_INPUT;
  }
  const int limit = attributes->maxThreadsPerBlock < properties->maxThreadsPerBlock ? attributes->maxThreadsPerBlock
                                                                                    : properties->maxThreadsPerBlock;
  const int warp = properties->warpSize;
  int best_threads = 0;
  *minGridSize = 0;
  *blockSize = 0;
  for (int rounded = (limit + warp - 1) / warp * warp; rounded > 0; rounded -= warp) {
    const int size = rounded < limit ? rounded : limit;
    cudaOccResult result;
    const size_t shared = blockSizeToDynamicSMemSize ? blockSizeToDynamicSMemSize(size) : dynamicSMemSize;
    const cudaOccError error =
        cudaOccMaxActiveBlocksPerMultiprocessor(&result, properties, attributes, state, size, shared);
    if (error != CUDA_OCC_SUCCESS) return error;
    if (result.activeBlocksPerMultiprocessor * size > best_threads) {
      best_threads = result.activeBlocksPerMultiprocessor * size;
      *blockSize = size;
      *minGridSize = result.activeBlocksPerMultiprocessor * properties->numSms;
    }
  }
  return CUDA_OCC_SUCCESS;
}

#if defined(__cplusplus)
// Overload for C++ programs that leave out the function of dynamic shared memory.
static inline cudaOccError cudaOccMaxPotentialOccupancyBlockSize(int* minGridSize, int* blockSize,
                                                                 const cudaOccDeviceProp* properties,
                                                                 const cudaOccFuncAttributes* attributes,
                                                                 const cudaOccDeviceState* state,
                                                                 size_t dynamicSMemSize = 0) {
  return cudaOccMaxPotentialOccupancyBlockSize(minGridSize, blockSize, properties, attributes, state, nullptr,
                                               dynamicSMemSize);
}
#endif
