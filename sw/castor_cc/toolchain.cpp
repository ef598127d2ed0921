#include "castor_cc/toolchain.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <string_view>
#include <system_error>

#include "castor/base/error.h"

namespace castor::castor_cc {
namespace {

namespace fs = std::filesystem;

fs::path program_directory() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path(".") : self.parent_path();
}

bool executable(const fs::path& path) { return ::access(path.c_str(), X_OK) == 0; }

/// Returns the compiler that the build found, else a compiler of the same name on the PATH, else the unversioned name
/// if its version is 14.
std::string find_compiler(const std::string& configured, std::initializer_list<const char*> names) {
  if (executable(configured)) return configured;
  const char* path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "";
  for (const char* name : names) {
    for (std::string_view dirs = rest; !dirs.empty();) {
      const std::size_t colon = dirs.find(':');
      const fs::path candidate = fs::path(std::string(dirs.substr(0, colon))) / name;
      if (executable(candidate)) return candidate.string();
      if (colon == std::string_view::npos) break;
      dirs.remove_prefix(colon + 1);
    }
  }
  throw base::InputError(std::string("'") + *names.begin() + "' is not installed", "apt-get install clang-14");
}

fs::path first_existing(const std::vector<fs::path>& candidates) {
  for (const fs::path& c : candidates) {
    std::error_code error;
    if (fs::exists(c, error)) return fs::weakly_canonical(c, error);
  }
  return {};
}

bool holds_other_cuda(const std::string& directory, const Toolchain& tools) {
  std::error_code error;
  const fs::path header = fs::path(directory) / "cuda_runtime.h";
  return fs::exists(header, error) && !fs::equivalent(header, fs::path(tools.include_dir) / "cuda_runtime.h", error);
}

/// Returns the user's flags without include directories of a CUDA toolkit, whose headers would hide Castor's headers.
std::vector<std::string> common_flags(const Toolchain& tools, const Options& options) {
  std::vector<std::string> flags;
  for (std::size_t i = 0; i < options.common_flags.size(); ++i) {
    const std::string& flag = options.common_flags[i];
    if (flag.compare(0, 2, "-I") == 0 && holds_other_cuda(flag.substr(2), tools)) continue;
    if (flag == "-isystem" && i + 1 < options.common_flags.size() &&
        holds_other_cuda(options.common_flags[i + 1], tools)) {
      ++i;
      continue;
    }
    flags.push_back(flag);
  }
  return flags;
}

void append(std::vector<std::string>& command, const std::vector<std::string>& more) {
  command.insert(command.end(), more.begin(), more.end());
}

bool has_standard(const Options& options) {
  for (const std::string& flag : options.common_flags) {
    if (flag.compare(0, 5, "-std=") == 0) return true;
  }
  return false;
}

/// Returns the PTX version that has the instructions of the architecture; at least 6.0, the first version with *_sync
/// instructions.
std::string ptx_feature(int arch) {
  if (arch >= 86) return "+ptx71";
  if (arch >= 80) return "+ptx70";
  if (arch >= 75) return "+ptx63";
  if (arch >= 72) return "+ptx61";
  return "+ptx60";
}

std::string known_arch(int arch) {
  static constexpr int kKnown[] = {86, 80, 75, 72, 70, 62, 61, 60, 53, 52};
  for (const int known : kKnown) {
    if (arch >= known) return "sm_" + std::to_string(known);
  }
  return "sm_50";
}

std::vector<std::string> cuda_flags(const Options& options) {
  // The architecture is passed to the host compilation too, because sources can test it.
  std::vector<std::string> flags = {"-x",
                                    "cuda",
                                    "-nocudainc",
                                    "-nocudalib",
                                    "--cuda-gpu-arch=" + known_arch(options.device_arch),
                                    "-Xclang",  // clang 14 knows no CUDA version after 11.5
                                    "-target-sdk-version=11.2",
                                    "-Wno-unknown-cuda-version",
                                    "-Wno-error=register"};
  if (!has_standard(options)) flags.emplace_back("-std=c++17");
  // The header is included by name. It then counts as a system header: without warnings, and without an entry in the
  // dependency files of -MMD.
  append(flags, {"-include", "cuda_runtime.h"});
  if (options.relocatable) flags.emplace_back("-D__CUDACC_RDC__");
  return flags;
}

std::string optimisation(const Options& options, bool device) {
  if (device && options.device_debug) return "-O0";
  if (!options.optimisation.empty()) return options.optimisation;
  return options.debug && !device ? "-O0" : "-O2";
}

/// Returns the options common to all compilations of device code: to LLVM IR, to PTX, and at the device link.
std::vector<std::string> code_flags(const Options& options, int arch) {
  std::vector<std::string> flags = {
      "-fno-crash-diagnostics", optimisation(options, true), "-Xclang", "-target-feature", "-Xclang",
      ptx_feature(arch)};
  // "on" contracts only inside one expression of the source. "fast", clang's default for CUDA, lets the back end fuse
  // across statements and functions, which would break __fmul_rn and the error-free sums of the maths library.
  flags.emplace_back(options.fused_multiply_add ? "-ffp-contract=on" : "-ffp-contract=off");
  if (options.line_info || options.debug || options.device_debug) flags.emplace_back("-gline-directives-only");
  return flags;
}

}  // namespace

Toolchain find_toolchain() {
  Toolchain tools;
  tools.clang_cxx = find_compiler(CASTOR_CC_CLANGXX, {"clang++-14"});
  tools.clang_c = find_compiler(CASTOR_CC_CLANG, {"clang-14"});
  const fs::path bin = program_directory();
  // The path is not made canonical: in a build directory, the include directory is a symbolic link into the sources.
  const fs::path share = (bin / "../share/castor").lexically_normal();
  std::error_code error;
  if (!fs::exists(share / "include/cuda_runtime.h", error)) {
    throw base::InputError({share.string(), 0, 0}, "the device headers are not where castor-cc expects them",
                           "build the target castor_device, or install Castor as a whole");
  }
  tools.include_dir = (share / "include").string();
  tools.libdevice = (share / "castor_libdevice.bc").string();
  tools.opencl_library = (share / "castor_opencl.bc").string();
  if (!fs::exists(tools.libdevice, error)) {
    throw base::InputError({tools.libdevice, 0, 0}, "the device library is missing", "build the target castor_device");
  }
  tools.libclc = CASTOR_CC_LIBCLC;
  const fs::path library =
      first_existing({bin / ".." / CASTOR_CC_LIBDIR / "libcastor_cudart.so", bin / "../lib/libcastor_cudart.so"});
  tools.has_runtime = !library.empty();
  tools.library_dir =
      tools.has_runtime ? library.parent_path().string() : (bin / ".." / CASTOR_CC_LIBDIR).lexically_normal().string();
  return tools;
}

std::vector<std::string> device_reading(const Toolchain& tools, const Options& options) {
  std::vector<std::string> command = {tools.clang_cxx};
  append(command, cuda_flags(options));
  command.emplace_back("--cuda-device-only");
  append(command, code_flags(options, options.device_arch));
  append(command, common_flags(tools, options));
  append(command, options.device_flags);
  append(command, {"-isystem", tools.include_dir});
  return command;
}

std::vector<std::string> device_command(const Toolchain& tools, const Options& options, const Input& input,
                                        const std::string& ir) {
  std::vector<std::string> command = device_reading(tools, options);
  append(command, input.reading);
  append(command, {"-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes", "-Xclang", "-mlink-builtin-bitcode",
                   "-Xclang", tools.libdevice});
  append(command, {input.path, "-o", ir});
  return command;
}

namespace {

/// Returns a command with the options that clang's driver would add for CUDA by itself. Unused front-end flags are
/// ignored.
std::vector<std::string> generator_command(const std::string& compiler, const char* language, int arch) {
  return {compiler,
          "-x",
          language,
          "-target",
          "nvptx64-nvidia-cuda",
          "-Qunused-arguments",
          "-S",
          "-Xclang",
          "-target-cpu",
          "-Xclang",
          known_arch(arch),
          "-mllvm",
          "-enable-memcpyopt-without-libcalls",
          "-fno-dwarf-directory-asm"};
}

}  // namespace

std::vector<std::string> bitcode_command(const Toolchain& tools, const std::string& ir, const std::string& bitcode) {
  return {tools.clang_cxx,        "-x", "ir", "-target", "nvptx64-nvidia-cuda", "-c", "-emit-llvm", "-Xclang",
          "-disable-llvm-passes", ir,   "-o", bitcode};
}

std::vector<std::string> device_link_command(const Toolchain& tools, const Options& options,
                                             const std::vector<std::string>& bitcode, int arch,
                                             const std::vector<std::string>& code_flags_of_parts,
                                             const std::string& ptx) {
  // The input is an empty C file into which clang links the bitcode files: with bitcode as its input, clang would link
  // nothing.
  std::vector<std::string> command = generator_command(tools.clang_c, "c", arch);
  append(command, code_flags(options, arch));
  append(command, code_flags_of_parts);
  for (const std::string& file : bitcode) append(command, {"-Xclang", "-mlink-bitcode-file", "-Xclang", file});
  append(command, {"/dev/null", "-o", ptx});
  return command;
}

std::vector<std::string> generator_flags(const Options& options) {
  std::vector<std::string> flags;
  for (std::size_t i = 0; i + 1 < options.device_flags.size(); ++i) {
    if (options.device_flags[i] == "-mllvm") append(flags, {"-mllvm", options.device_flags[i + 1]});
  }
  return flags;
}

std::vector<std::string> code_command(const Toolchain& tools, const Options& options, const std::string& ir,
                                      const std::string& ptx) {
  std::vector<std::string> command = generator_command(tools.clang_cxx, "ir", options.device_arch);
  append(command, code_flags(options, options.device_arch));
  append(command, common_flags(tools, options));
  append(command, options.device_flags);
  append(command, {ir, "-o", ptx});
  return command;
}

bool optimises_device(const Options& options) { return optimisation(options, true) != "-O0"; }

std::vector<std::string> opencl_command(const Toolchain& tools, const Options& options, const std::string& source,
                                        const std::string& ptx) {
  if (tools.libclc.empty() || !fs::exists(tools.libclc)) {
    throw base::InputError("libclc for nvptx64 is not installed", "apt-get install libclc-14");
  }
  std::vector<std::string> command = {tools.clang_c,
                                      "-x",
                                      "cl",
                                      "-target",
                                      "nvptx64-nvidia-nvcl",
                                      "-S",
                                      "-fno-crash-diagnostics",
                                      optimisation(options, true)};
  if (!has_standard(options)) command.emplace_back("-cl-std=CL1.2");
  for (std::string flag : common_flags(tools, options)) {
    if (flag.compare(0, 5, "-std=") == 0) flag.replace(0, 1, "-cl-");
    command.push_back(flag);
  }
  append(command, {"-Xclang",
                   "-fdeclare-opencl-builtins",
                   "-Xclang",
                   "-finclude-default-header",
                   "-Wno-linker-warnings",
                   "-Xclang",
                   "-mlink-builtin-bitcode",
                   "-Xclang",
                   tools.opencl_library,
                   "-Xclang",
                   "-mlink-builtin-bitcode",
                   "-Xclang",
                   tools.libclc,
                   "-Xclang",
                   "-target-cpu",
                   "-Xclang",
                   known_arch(options.device_arch),
                   "-Xclang",
                   "-target-feature",
                   "-Xclang",
                   ptx_feature(options.device_arch)});
  command.emplace_back(options.fused_multiply_add ? "-ffp-contract=on" : "-ffp-contract=off");
  append(command, options.device_flags);
  append(command, {source, "-o", ptx});
  return command;
}

namespace {

/// Returns a command of which LLVM's passes leave the code as it is.
std::vector<std::string> without_passes(std::vector<std::string> command) {
  const auto passes = {"-Xclang", "-disable-llvm-passes"};
  command.insert(command.end() - 3, passes.begin(), passes.end());
  return command;
}

}  // namespace

std::vector<std::string> optimiser_command(std::vector<std::string> command, const std::string& ir) {
  command.back() = ir;
  command.insert(command.end() - 2, "-emit-llvm");
  return command;
}

std::vector<std::string> front_end_command(const std::vector<std::string>& command, const std::string& ir) {
  return without_passes(optimiser_command(command, ir));
}

std::vector<std::string> text_command(const std::vector<std::string>& command, const std::string& ir) {
  // The text includes the modules that the command links.
  std::vector<std::string> own;
  for (std::size_t i = 0; i + 3 < command.size(); ++i) {
    if (command[i] == "-Xclang" && command[i + 1].compare(0, 6, "-mlink") == 0) {
      i += 3;
    } else if (command[i] == "-x") {
      append(own, {"-x", "ir", "-Qunused-arguments"});
      ++i;
    } else if (command[i].compare(0, 8, "-cl-std=") != 0) {
      own.push_back(command[i]);
    }
  }
  append(own, {ir, "-o", command.back()});
  return own;
}

std::vector<std::string> back_end_command(const std::vector<std::string>& command, const std::string& ir) {
  return without_passes(text_command(command, ir));
}

namespace {

/// Returns the options of every host compilation, except language and standard.
std::vector<std::string> host_flags(const Toolchain& tools, const Options& options, InputKind kind) {
  std::vector<std::string> flags = {optimisation(options, false)};
  if (options.debug || options.device_debug) flags.emplace_back("-g");
  if (options.shared) flags.emplace_back("-fPIC");
  for (const std::string& flag : common_flags(tools, options)) {
    // In a call with C and C++ files, a C file must not get a C++ standard.
    if (kind == InputKind::kC && flag.compare(0, 8, "-std=c++") == 0) continue;
    flags.push_back(flag);
  }
  append(flags, options.host_flags);
  append(flags, {"-isystem", tools.include_dir});
  return flags;
}

}  // namespace

std::vector<std::string> host_reading(const Toolchain& tools, const Options& options) {
  std::vector<std::string> command = {tools.clang_cxx};
  append(command, cuda_flags(options));
  command.emplace_back("--cuda-host-only");
  // Only for the host side: for the device side, clang 14 would give local kernels and variables names that the host
  // does not register, and would leave references to the old names.
  const Stage stage = options.stage;
  const bool object = stage == Stage::kObject || stage == Stage::kLink || stage == Stage::kArchive;
  if (options.relocatable && object) command.emplace_back("-fgpu-rdc");
  append(command, host_flags(tools, options, InputKind::kCuda));
  return command;
}

std::vector<std::string> host_command(const Toolchain& tools, const Options& options, const Input& input,
                                      const std::string& mode, const std::string& ptx, const std::string& output) {
  std::vector<std::string> command;
  if (input.kind == InputKind::kCuda) {
    command = host_reading(tools, options);
    append(command, input.reading);
    // Inserted at the front, so that the user's options come last.
    if (!ptx.empty()) {
      const auto first = {"-Xclang", "-fcuda-include-gpubinary", "-Xclang", ptx.c_str()};
      command.insert(command.begin() + 1, first.begin(), first.end());
    }
  } else {
    const bool c = input.kind == InputKind::kC;
    command = {c ? tools.clang_c : tools.clang_cxx, "-x", c ? "c" : "c++"};
    if (!c && !has_standard(options)) command.emplace_back("-std=c++17");
    append(command, host_flags(tools, options, input.kind));
  }
  command.push_back(mode);
  if (mode == "-c" || mode == "-S") append(command, options.depend_flags);
  if (mode == "-M" || mode == "-MM") {
    for (std::size_t i = 0; i < options.depend_flags.size(); ++i) {
      if (options.depend_flags[i] != mode) command.push_back(options.depend_flags[i]);
    }
  }
  command.push_back(input.path);
  if (!output.empty()) append(command, {"-o", output});
  return command;
}

std::vector<std::string> link_command(const Toolchain& tools, const Options& options,
                                      const std::vector<std::string>& objects, const std::string& output) {
  std::vector<std::string> command = {tools.clang_cxx};
  if (options.shared) command.emplace_back("-shared");
  append(command, objects);
  append(command, {"-o", output});
  append(command, options.link_flags);
  if (options.link_runtime) {
    // The subdirectory contains libcuda.so.1, the driver's name for the library, for programs that open it themselves.
    append(command, {"-L" + tools.library_dir, "-lcastor_cudart", "-Wl,-rpath," + tools.library_dir,
                     "-Wl,-rpath," + tools.library_dir + "/castor", "-pthread"});
  }
  return command;
}

}  // namespace castor::castor_cc
