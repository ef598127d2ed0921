#include "castor_cc/missing_headers.h"

#include <array>
#include <set>

#include "castor_cc/missing.h"

namespace castor::castor_cc {
namespace {

constexpr std::string_view kKernels = "write the algorithm as a kernel of your own, or do this step on the host";
constexpr std::string_view kRead = "read the data through a pointer in global memory (__ldg)";

/// Headers by the beginning of their name; the first matching entry applies.
constexpr std::array kMissing = {
    Missing{"thrust/", "Thrust", kKernels},
    Missing{"cub/", "CUB", "write the block's step with __syncthreads(), warp shuffles or cooperative_groups::reduce"},
    Missing{"cuda/", "libcu++",
            "use CUDA's own functions (atomicAdd, __threadfence, __syncthreads) and the plain C++ library"},
    Missing{"nv/target", "libcu++", "ask __CUDA_ARCH__ with #if"},
    Missing{"cutlass/", "CUTLASS", "write the product as a kernel, as sw/kernels/matmul.cu does"},
    Missing{"cute/", "CUTLASS", "write the product as a kernel, as sw/kernels/matmul.cu does"},
    Missing{"cublas", "cuBLAS", "write the product as a kernel, as sw/kernels/matmul.cu does"},
    Missing{"cufft", "cuFFT", "write the transform as a kernel, as sw/kernels/fft.cu does"},
    Missing{"cusparse", "cuSPARSE", "write the product as a kernel, as sw/kernels/spmv.cu does"},
    Missing{"cusolver", "cuSOLVER", kKernels},
    Missing{"curand_", "cuRAND",
            "curand_kernel.h is here: its XORWOW, Philox4_32_10 and MRG32k3a generators run in kernels"},
    Missing{"curand.h", "the host side of cuRAND",
            "fill the array by a kernel with the generators of curand_kernel.h, which is here"},
    Missing{"cudnn", "cuDNN", kKernels},
    Missing{"cutensor", "cuTENSOR", kKernels},
    Missing{"npp", "NPP", kKernels},
    Missing{"nvjpeg", "nvJPEG", "decode the picture on the host"},
    Missing{"nvgraph", "nvGRAPH", kKernels},
    Missing{"nccl", "NCCL", "one process has one device here; copy with cudaMemcpy"},
    Missing{"nvrtc", "the run-time compiler NVRTC",
            "compile with castor-cc -ptx beforehand and load the file with cuModuleLoad"},
    Missing{"nvJitLink", "the run-time linker nvJitLink", "link with castor-cc -rdc=true beforehand"},
    Missing{"nvPTXCompiler", "the PTX compiler library", "load the PTX with cuModuleLoadData"},
    Missing{"nvvm", "libNVVM", "compile with castor-cc -ptx beforehand and load the file with cuModuleLoad"},
    Missing{"nvml", "the management library NVML", "read clocks and counters from the report of 'castor run --report'"},
    Missing{"cupti", "the profiling library CUPTI", "use 'castor run --report' and '--timeline'"},
    Missing{"mma.h", "tensor cores", "there are none; write the product with fma on float, half2 or double"},
    Missing{"crt/mma", "tensor cores", "there are none; write the product with fma on float, half2 or double"},
    Missing{"cuda_fp8", "8-bit floating point",
            "store bytes and convert in a function of your own, or use cuda_fp16.h"},
    Missing{"cuda_fp4", "4-bit floating point",
            "store bytes and convert in a function of your own, or use cuda_fp16.h"},
    Missing{"cuda_fp6", "6-bit floating point",
            "store bytes and convert in a function of your own, or use cuda_fp16.h"},
    Missing{"cuda_pipeline", "asynchronous copies", "copy into shared memory by assignment, then __syncthreads()"},
    Missing{"cuda_awbarrier", "split barriers", "use __syncthreads(), or the named barriers of PTX"},
    Missing{"cuda_texture_types", "textures", kRead},
    Missing{"texture_indirect_functions", "textures", kRead},
    Missing{"surface_functions", "surfaces", kRead},
    Missing{"cuda_surface_types", "surfaces", kRead},
    Missing{"surface_indirect_functions", "surfaces", kRead},
    Missing{"cuda_gl_interop", "OpenGL interoperation",
            "copy the picture to the host with cudaMemcpy and draw it there"},
    Missing{"cudaGL", "OpenGL interoperation", "copy the picture to the host with cuMemcpyDtoH and draw it there"},
    Missing{"cuda_egl_interop", "EGL interoperation", "copy the picture to the host with cudaMemcpy"},
    Missing{"cudaEGL", "EGL interoperation", "copy the picture to the host with cuMemcpyDtoH"},
    Missing{"cuda_vdpau_interop", "VDPAU interoperation", "copy the picture to the host with cudaMemcpy"},
    Missing{"cudaVDPAU", "VDPAU interoperation", "copy the picture to the host with cuMemcpyDtoH"},
    Missing{"cuda_d3d", "Direct3D interoperation", "copy the picture to the host with cudaMemcpy"},
    Missing{"cudaD3D", "Direct3D interoperation", "copy the picture to the host with cuMemcpyDtoH"},
};

/// Headers that come with the samples, not with the toolkit; they compile if an include directory contains them.
constexpr std::array kOfSamples = {std::string_view("helper_"),      std::string_view("drvapi_error_string"),
                                   std::string_view("exception.h"),  std::string_view("multithreading"),
                                   std::string_view("nvrtc_helper"), std::string_view("rendercheck_gl"),
                                   std::string_view("cutil"),        std::string_view("shrUtils"),
                                   std::string_view("shrQATest"),    std::string_view("sdkHelper"),
                                   std::string_view("timer.h")};

bool has_prefix(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }

std::string explain(std::string_view header) {
  const std::string name = "<" + std::string(header) + ">";
  const std::string note = "castor-cc: note: " + name + " ";
  if (header == "omp.h") return note + "comes with clang's OpenMP library: apt-get install libomp-14-dev\n";
  for (const std::string_view begins : kOfSamples) {
    if (!has_prefix(header, begins)) continue;
    return note +
           "comes with NVIDIA's CUDA samples, not with a compiler: name their folder of common headers with -I, or "
           "check the errors of API calls in a macro of your own\n";
  }
  const Missing* const missing = find_missing(kMissing, header);
  return missing != nullptr ? missing_note(name, *missing) : std::string();
}

}  // namespace

std::string explain_missing_headers(std::string_view error_text) {
  std::string notes;
  std::set<std::string_view> seen;
  for_each_quoted(error_text, "fatal error: '", " file not found", [&](std::string_view header) {
    if (!seen.insert(header).second) return;
    std::string note = explain(header);
    // The folder does not matter: "inc/helper_cuda.h" and "../common/helper_cuda.h" are the same header.
    const std::size_t slash = header.rfind('/');
    if (note.empty() && slash != std::string_view::npos) note = explain(header.substr(slash + 1));
    notes += note;
  });
  return notes;
}

}  // namespace castor::castor_cc
