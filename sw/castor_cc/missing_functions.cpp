#include "castor_cc/missing_functions.h"

#include <array>
#include <set>

#include "castor_cc/kernel_finder.h"
#include "castor_cc/missing.h"

namespace castor::castor_cc {
namespace {

/// Feature that Castor does not have, and an alternative; both as parts of a message.
struct Feature {
  std::string_view what;
  std::string_view instead;
};

constexpr Feature kGraphs = {"parts of CUDA graphs", "make the same launches and copies in streams, ordered by events"};
constexpr Feature kProcesses = {"memory shared between processes", "copy through the host, or use one process"};
constexpr Feature kPools = {"memory pools of one's own", "use cudaMallocAsync, which has the device's pool"};
constexpr Feature kVirtual = {"virtual memory management", "allocate all of it at once with cuMemAlloc"};
constexpr Feature kTextures = {"textures and surfaces", "read the data through a pointer in global memory (__ldg)"};
constexpr Feature kDevices = {"kernels over several devices", "there is one device; launch on it"};
constexpr Feature kLibraries = {"libraries loaded at run time", "load the PTX with cuModuleLoad"};
constexpr Feature kInterop = {"interoperation with other interfaces", "copy through the host with cudaMemcpy"};

constexpr Missing named(std::string_view begins, const Feature& feature) {
  return {begins, feature.what, feature.instead};
}

/// Features by prefix of a name; the first matching entry applies.
constexpr std::array kFeatures = {
    named("cudaGraph", kGraphs),
    named("cuGraph", kGraphs),
    named("CUgraph", kGraphs),
    named("cudaStreamBeginCapture", kGraphs),
    named("cudaStreamEndCapture", kGraphs),
    named("cudaStreamGetCaptureInfo", kGraphs),
    named("cudaStreamUpdateCaptureDependencies", kGraphs),
    named("cudaStreamCaptureMode", kGraphs),
    named("cudaThreadExchangeStreamCaptureMode", kGraphs),
    named("cuStreamBeginCapture", kGraphs),
    named("cuStreamEndCapture", kGraphs),
    named("cudaIpc", kProcesses),
    named("cuIpc", kProcesses),
    named("cudaMemPool", kPools),
    named("cuMemPool", kPools),
    named("cudaMallocFromPoolAsync", kPools),
    named("cuMemAllocAsync", {"memory pools of the driver API", "use cuMemAlloc, or cudaMallocAsync"}),
    named("cuMemFreeAsync", {"memory pools of the driver API", "use cuMemFree, or cudaFreeAsync"}),
    named("cuMemAddress", kVirtual),
    named("cuMemCreate", kVirtual),
    named("cuMemMap", kVirtual),
    named("cuMemUnmap", kVirtual),
    named("cuMemRelease", kVirtual),
    named("cuMemSetAccess", kVirtual),
    named("cuMemGetAllocationGranularity", kVirtual),
    named("cudaResourceDesc", kTextures),
    named("cudaTextureDesc", kTextures),
    named("cudaChannelFormatDesc", kTextures),
    named("cudaMipmappedArray", kTextures),
    named("CUarray", kTextures),
    named("CUtex", kTextures),
    named("cuTex", kTextures),
    named("cuSurf", kTextures),
    named("cuArray", kTextures),
    named("cuMipmapped", kTextures),
    named("cudaMallocMipmappedArray", kTextures),
    named("cudaMemcpyFromArray", kTextures),
    named("cudaMemcpy2DFromArray", kTextures),
    named("cudaArray", kTextures),
    named("cudaGetTexture", kTextures),
    named("cuLaunchCooperativeKernelMultiDevice", kDevices),
    named("cudaLaunchCooperativeKernelMultiDevice", kDevices),
    named("cuGetProcAddress", {"entry points by name", "call the function itself, or find it with dlsym"}),
    named("cudaGetDriverEntryPoint", {"entry points by name", "call the function itself, or find it with dlsym"}),
    named("cuLink", {"linking at run time", "link with castor-cc -rdc=true beforehand"}),
    named("cudaLibrary", kLibraries),
    named("cuLibrary", kLibraries),
    named("cudaExternal", kInterop),
    named("cudaImportExternal", kInterop),
    named("cudaDestroyExternal", kInterop),
    named("cudaSignalExternal", kInterop),
    named("cudaWaitExternal", kInterop),
    named("cudaGraphics", kInterop),
    named("cuGraphics", kInterop),
    named("cuImportExternal", kInterop),
    named("cuStreamWaitValue", {"memory operations of streams", "order streams by events (cuStreamWaitEvent)"}),
    named("cuStreamWriteValue", {"memory operations of streams", "write with cuMemsetD32Async"}),
    named("cudaUserObject", kGraphs),
    named("cudaFuncGetName", {"names of kernels", "keep the name beside the pointer"}),
    named("cudaMemcpyBatchAsync", {"batched copies", "make them one by one with cudaMemcpyAsync"}),
    named("__nv_fp8", {"8-bit floating point", "store bytes and convert in a function of your own"}),
};

constexpr std::size_t kNone = std::string_view::npos;

/// Note on a launch by device code whose kernel castor-cc has given a function that finds it, which the launch does not
/// see.
std::string using_note(std::string_view finder) {
  const std::string kernel(finder.substr(std::string_view(kFinderPrefix).size()));
  return "castor-cc: note: device code launches '" + kernel +
         "' by a name that a using declaration brings, and only the call's arguments tell its template arguments or "
         "overload; write its namespace in the launch: name_of_the_namespace::" +
         kernel + "<<<...>>>(...)\n";
}

std::string launch_note(std::string_view name) {
  return "castor-cc: note: '" + std::string(name) +
         "' is launched by device code (dynamic parallelism) where castor-cc cannot rewrite <<<>>>, in a macro "
         "perhaps; "
         "instead, write castor::launch<" +
         std::string(name) + ">(grid, block, shared, stream)(arguments)\n";
}

}  // namespace

std::string explain_missing_functions(std::string_view error_text) {
  std::string notes;
  std::set<std::string_view> told;
  const auto explain = [&notes, &told](std::string_view name) {
    const Missing* const missing = find_missing(kFeatures, name);
    if (missing != nullptr && told.insert(missing->what).second) {
      notes += missing_note("'" + std::string(name) + "'", *missing);
    }
  };
  for_each_quoted(error_text, "error: use of undeclared identifier '", "", explain);
  for_each_quoted(error_text, "error: unknown type name '", "", explain);
  for (const char* const error : {"error: use of undeclared identifier '", "error: no member named '"}) {
    for_each_quoted(error_text, error, "", [&](std::string_view name) {
      if (name.find(kFinderPrefix) == 0 && told.insert(name).second) notes += using_note(name);
    });
  }
  for (const std::string_view from :
       {" in __global__ function", " in __device__ function", " in __host__ __device__ function"}) {
    for_each_quoted(error_text, "error: reference to __global__ function '", from, [&](std::string_view name) {
      if (told.insert("launch").second) notes += launch_note(name);
    });
  }
  // The code that castor-cc wrote in place of <<<>>> did not compile, since castor-cc could not know the template
  // arguments.
  if (error_text.find("error: no matching function for call to 'launch'") != kNone &&
      error_text.find("invalid explicitly-specified argument for template parameter 'kernel'") != kNone &&
      told.insert("launch").second) {
    notes +=
        "castor-cc: note: device code launches a kernel whose template arguments, or overload, only the call's "
        "arguments "
        "tell; name them all: castor::launch<kernel<int>>(grid, block, shared, stream)(arguments), or "
        "kernel<int><<<...>>>\n";
  }
  const auto called = [&error_text](const char* type) {
    const std::string text = "error: no matching function for call to object of type '";
    return error_text.find(text + type) != kNone || error_text.find(text + "castor::" + type) != kNone;
  };
  if (called("launch_detail::Launch<") || called("launch_detail::NamedLaunch<")) {
    notes +=
        "castor-cc: note: a launch by device code, castor::launch<kernel>(...)(arguments), wants all arguments of the "
        "kernel: default arguments are not known there\n";
  }
  return notes;
}

}  // namespace castor::castor_cc
