#pragma once

#include <string>
#include <vector>

#include "castor_cc/options.h"

namespace castor::castor_cc {

/// Paths of the compilers and of Castor's own files. Found relative to the running program, so that a build directory
/// and an installation work alike: <prefix>/bin/castor-cc, <prefix>/share/castor, <prefix>/lib.
struct Toolchain {
  std::string clang_cxx;       ///< compiler for C++ and CUDA, and linker
  std::string clang_c;         ///< compiler for C and OpenCL C
  std::string include_dir;     ///< directory of cuda_runtime.h and the other headers
  std::string libdevice;       ///< path of castor_libdevice.bc
  std::string opencl_library;  ///< path of castor_opencl.bc
  std::string libclc;          ///< path of libclc, for OpenCL functions
  std::string library_dir;     ///< directory for libcastor_cudart.so
  bool has_runtime = false;    ///< libcastor_cudart.so exists
};

/// Finds all paths. Throws base::InputError with the missing file and the package or target that provides it.
[[nodiscard]] Toolchain find_toolchain();

/// Returns the first part of a command that reads CUDA sources for the device: all options that affect how headers are
/// read.
[[nodiscard]] std::vector<std::string> device_reading(const Toolchain& tools, const Options& options);
/// Returns the first part of a command that reads CUDA sources for the host.
[[nodiscard]] std::vector<std::string> host_reading(const Toolchain& tools, const Options& options);
/// Returns the command from CUDA source to LLVM IR as text, device library included, before the first optimisation.
[[nodiscard]] std::vector<std::string> device_command(const Toolchain& tools, const Options& options,
                                                      const Input& input, const std::string& ir);
/// Returns the command from this IR to PTX. Both commands together are equivalent to a single compilation.
[[nodiscard]] std::vector<std::string> code_command(const Toolchain& tools, const Options& options,
                                                    const std::string& ir, const std::string& ptx);
/// Returns the command from this IR to LLVM bitcode, without changes.
[[nodiscard]] std::vector<std::string> bitcode_command(const Toolchain& tools, const std::string& ir,
                                                       const std::string& bitcode);
/// Returns the command from bitcode of several sources to one PTX module for sm_`arch`. `code_flags`: options of the
/// code generator.
[[nodiscard]] std::vector<std::string> device_link_command(const Toolchain& tools, const Options& options,
                                                           const std::vector<std::string>& bitcode, int arch,
                                                           const std::vector<std::string>& code_flags,
                                                           const std::string& ptx);
/// Returns the code generator's options among the device options.
[[nodiscard]] std::vector<std::string> generator_flags(const Options& options);
/// True if the device code is optimised.
[[nodiscard]] bool optimises_device(const Options& options);
/// Returns the command from OpenCL C to PTX.
[[nodiscard]] std::vector<std::string> opencl_command(const Toolchain& tools, const Options& options,
                                                      const std::string& source, const std::string& ptx);
/// Returns a command that writes the optimised LLVM text to `ir`, made from one of the commands above that write PTX.
[[nodiscard]] std::vector<std::string> optimiser_command(std::vector<std::string> command, const std::string& ir);
/// Returns a command that writes the optimised LLVM text, including the modules that the command links, to `ir`.
[[nodiscard]] std::vector<std::string> front_end_command(const std::vector<std::string>& command,
                                                         const std::string& ir);
/// Returns a command that reads this text from `ir` instead of its sources, made from the same `command`.
[[nodiscard]] std::vector<std::string> text_command(const std::vector<std::string>& command, const std::string& ir);
/// Returns a command that runs the back end alone on the LLVM text in `ir`, made from the same `command`.
[[nodiscard]] std::vector<std::string> back_end_command(const std::vector<std::string>& command, const std::string& ir);
/// Returns the host compilation command of any source. `mode`: -c, -S, -E, -M or -MM. `ptx`: image to embed into a CUDA
/// source, or empty. `output`: empty for stdout.
[[nodiscard]] std::vector<std::string> host_command(const Toolchain& tools, const Options& options, const Input& input,
                                                    const std::string& mode, const std::string& ptx,
                                                    const std::string& output);
/// Returns the command that links objects to a program or shared library.
[[nodiscard]] std::vector<std::string> link_command(const Toolchain& tools, const Options& options,
                                                    const std::vector<std::string>& objects, const std::string& output);

}  // namespace castor::castor_cc
