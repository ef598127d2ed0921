#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace castor::castor_cc {

/// Language or type of an input file, from its extension or from -x.
enum class InputKind { kCuda, kCxx, kC, kOpenCl, kObject };

class SourceOverlay;

/// Input file of the command line.
struct Input {
  std::string path;
  InputKind kind = InputKind::kCuda;
  std::vector<std::string> reading = {};             ///< options with which clang reads the source as nvcc would
  std::shared_ptr<SourceOverlay> sources = nullptr;  ///< overlay that yields `reading`, if sources may be rewritten
};

/// Last step of the compilation.
enum class Stage {
  kLink,          ///< program or shared library
  kObject,        ///< -c: one object per source
  kPtx,           ///< -ptx, -cubin, -fatbin: device code of each source as PTX text
  kPreprocess,    ///< -E
  kDependencies,  ///< -M, -MM: makefile rules on stdout
  kAssembly,      ///< -S: host assembly
  kArchive,       ///< -lib: static library of the objects
  kDeviceLink,    ///< -dlink: the device code of all objects linked, as one object
  kHelp,
  kVersion
};

/// Parsed command line. Lists keep the order of the command line.
struct Options {
  Stage stage = Stage::kLink;
  std::vector<Input> inputs;
  std::string output;
  int device_arch = 60;                   ///< NN of sm_NN given to the device compiler, 50 to 86
  std::string optimisation;               ///< "-O2" and so on; empty if not given
  int max_registers = 0;                  ///< -maxrregcount; 0 = no cap
  std::vector<std::string> common_flags;  ///< options for every compilation: -I, -D, -W, -f ...
  std::vector<std::string> host_flags;    ///< for host compilations only
  std::vector<std::string> device_flags;  ///< for the device compilation only
  std::vector<std::string> link_flags;    ///< for the linker, libraries included
  std::vector<std::string> depend_flags;  ///< -MD, -MF and related options
  std::vector<std::string> notes;         ///< notes for the user, printed once
  bool debug = false;                     ///< -g
  bool device_debug = false;              ///< -G
  bool line_info = false;                 ///< -lineinfo
  bool verbose = false;                   ///< -v
  bool dry_run = false;                   ///< --dryrun
  bool keep = false;                      ///< -keep, -save-temps: PTX files are kept next to the output
  bool fused_multiply_add = true;         ///< -fmad
  bool link_runtime = true;               ///< false with -cudart none
  bool shared = false;                    ///< -shared
  bool relocatable = false;               ///< -rdc=true, -dc: device code is linked across files
  std::string image;                      ///< kPtx: ".cubin" or ".fatbin" if requested, else empty
  int jobs = 0;                           ///< -t: files compiled at the same time; 0 = one per processor
};

/// Parses a command line (without the program's name). Response files (@file, --options-file) are expanded first.
/// Options of nvcc that have no effect here are accepted and dropped.
/// Throws base::InputError for unknown options, missing values and unsupported combinations.
[[nodiscard]] Options parse_command_line(const std::vector<std::string>& arguments);

/// Replaces -lgomp by clang's OpenMP runtime if code compiled by clang needs it. That runtime has the entry points of
/// both. This is the case if the flags contain -fopenmp or `compiled_by_clang` returns true. Returns a note for the
/// user, or nothing.
[[nodiscard]] std::string settle_openmp(std::vector<std::string>& link_flags,
                                        const std::function<bool()>& compiled_by_clang);

/// Splits the text of a response file into arguments at white space; quotes and backslashes protect white space.
[[nodiscard]] std::vector<std::string> split_response(std::string_view text);

/// Returns the text of --help, which fits one screen.
[[nodiscard]] std::string_view help_text();

}  // namespace castor::castor_cc
