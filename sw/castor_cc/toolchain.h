#pragma once

#include <string>
#include <vector>

#include "castor_cc/options.h"

namespace castor::castor_cc {

/// Where the compiler and Castor's own files are. Found relative to the running program, so that a build directory and
/// an installation work alike: <prefix>/bin/castor-cc, <prefix>/share/castor, <prefix>/lib.
struct Toolchain {
  std::string clang_cxx;       ///< C++, CUDA and the linker
  std::string clang_c;         ///< C and OpenCL C
  std::string include_dir;     ///< cuda_runtime.h and its kin
  std::string libdevice;       ///< castor_libdevice.bc
  std::string opencl_library;  ///< castor_opencl.bc
  std::string libclc;          ///< libclc for the OpenCL functions
  std::string library_dir;     ///< where libcastor_cudart.so is or belongs
  bool has_runtime = false;    ///< whether it is there
};

/// Locates everything. Throws base::InputError that names what is missing and the package or target that brings it.
[[nodiscard]] Toolchain find_toolchain();

/// The beginning of a command that reads CUDA sources for the device, or for the host: everything that decides what
/// their headers mean.
[[nodiscard]] std::vector<std::string> device_reading(const Toolchain& tools, const Options& options);
[[nodiscard]] std::vector<std::string> host_reading(const Toolchain& tools, const Options& options);
/// CUDA source to LLVM text, device library included, before the first optimisation.
[[nodiscard]] std::vector<std::string> device_command(const Toolchain& tools, const Options& options,
                                                      const Input& input, const std::string& ir);
/// That text to PTX. Both commands together give what one would.
[[nodiscard]] std::vector<std::string> code_command(const Toolchain& tools, const Options& options,
                                                    const std::string& ir, const std::string& ptx);
/// That text to LLVM bitcode, as it is.
[[nodiscard]] std::vector<std::string> bitcode_command(const Toolchain& tools, const std::string& ir,
                                                       const std::string& bitcode);
/// Bitcode of several sources to one PTX module for sm_`arch`; `code_flags` go to the code generator.
[[nodiscard]] std::vector<std::string> device_link_command(const Toolchain& tools, const Options& options,
                                                           const std::vector<std::string>& bitcode, int arch,
                                                           const std::vector<std::string>& code_flags,
                                                           const std::string& ptx);
/// Options of the code generator among those for the device.
[[nodiscard]] std::vector<std::string> generator_flags(const Options& options);
/// Whether the device code is optimised at all.
[[nodiscard]] bool optimises_device(const Options& options);
/// OpenCL C to PTX.
[[nodiscard]] std::vector<std::string> opencl_command(const Toolchain& tools, const Options& options,
                                                      const std::string& source, const std::string& ptx);
/// One of the commands above that write PTX, with LLVM text behind the optimiser in its place.
[[nodiscard]] std::vector<std::string> optimiser_command(std::vector<std::string> command, const std::string& ir);
/// The back end's part of such a command alone, on that text.
[[nodiscard]] std::vector<std::string> back_end_command(const std::vector<std::string>& command, const std::string& ir);
/// Host side of any source. `mode` is -c, -S, -E, -M or -MM; `ptx` is embedded into CUDA sources unless it is empty;
/// `output` empty means stdout.
[[nodiscard]] std::vector<std::string> host_command(const Toolchain& tools, const Options& options, const Input& input,
                                                    const std::string& mode, const std::string& ptx,
                                                    const std::string& output);
[[nodiscard]] std::vector<std::string> link_command(const Toolchain& tools, const Options& options,
                                                    const std::vector<std::string>& objects, const std::string& output);

}  // namespace castor::castor_cc
