#include "castor_cc/option_tables.h"

#include <algorithm>
#include <array>
#include <map>

#include "castor_cc/options.h"

namespace castor::castor_cc {

std::string_view short_option(std::string_view name) {
  static const std::map<std::string_view, std::string_view> table = {
      {"--help", "-h"},
      {"-help", "-h"},
      {"--version", "-V"},
      {"-version", "-V"},
      {"--verbose", "-v"},
      {"-dryrun", "--dryrun"},
      {"--compile", "-c"},
      {"-ptx", "--ptx"},
      {"--preprocess", "-E"},
      {"--link", "-link"},
      {"--lib", "-lib"},
      {"--device-c", "-dc"},
      {"--device-w", "-dw"},
      {"--device-link", "-dlink"},
      {"--shared", "-shared"},
      {"--debug", "-g"},
      {"--device-debug", "-G"},
      {"--generate-line-info", "-lineinfo"},
      {"--output-file", "-o"},
      {"--include-path", "-I"},
      {"--define-macro", "-D"},
      {"--undefine-macro", "-U"},
      {"--library", "-l"},
      {"--library-path", "-L"},
      {"--optimize", "-O"},
      {"--pre-include", "-include"},
      {"--system-include", "-isystem"},
      {"--x", "-x"},
      {"--gpu-architecture", "-arch"},
      {"--gpu-code", "-code"},
      {"--generate-code", "-gencode"},
      {"--maxrregcount", "-maxrregcount"},
      {"--compiler-options", "-Xcompiler"},
      {"--linker-options", "-Xlinker"},
      {"--ptxas-options", "-Xptxas"},
      {"--archive-options", "-Xarchive"},
      {"--nvlink-options", "-Xnvlink"},
      {"--compiler-bindir", "-ccbin"},
      {"--cudart", "-cudart"},
      {"--fmad", "-fmad"},
      {"--ftz", "-ftz"},
      {"--prec-div", "-prec-div"},
      {"--prec-sqrt", "-prec-sqrt"},
      {"--use_fast_math", "-use_fast_math"},
      {"--relocatable-device-code", "-rdc"},
      {"--std", "-std"},
      {"--threads", "-t"},
      {"-threads", "-t"},
      {"--machine", "-m"},
      {"--keep", "-keep"},
      {"--save-temps", "-keep"},
      {"-save-temps", "-keep"},
      {"--keep-dir", "-keep-dir"},
      {"--output-directory", "-odir"},
      {"--default-stream", "-default-stream"},
      {"--disable-warnings", "-w"},
      {"--generate-dependencies", "-M"},
      {"--generate-nonsystem-dependencies", "-MM"},
      {"--generate-dependencies-with-compile", "-MD"},
      {"--generate-nonsystem-dependencies-with-compile", "-MMD"},
      {"--dependency-output", "-MF"},
      {"--generate-dependency-targets", "-MP"},
      {"--cubin", "-cubin"},
      {"--fatbin", "-fatbin"},
      {"--cuda", "-cuda"},
      {"--run", "-run"},
      {"--profile", "-pg"},
  };
  const auto found = table.find(name);
  return found == table.end() ? std::string_view() : found->second;
}

bool ignored_flag(std::string_view name) {
  static constexpr std::array kFlags = {std::string_view("--expt-relaxed-constexpr"),
                                        std::string_view("-expt-relaxed-constexpr"),
                                        std::string_view("--expt-extended-lambda"),
                                        std::string_view("-expt-extended-lambda"),
                                        std::string_view("--extended-lambda"),
                                        std::string_view("-extended-lambda"),
                                        std::string_view("-restrict"),
                                        std::string_view("--restrict"),
                                        std::string_view("-extra-device-vectorization"),
                                        std::string_view("--extra-device-vectorization"),
                                        std::string_view("-src-in-ptx"),
                                        std::string_view("--source-in-ptx"),
                                        std::string_view("-allow-unsupported-compiler"),
                                        std::string_view("--allow-unsupported-compiler"),
                                        std::string_view("-link"),
                                        std::string_view("-noprof"),
                                        std::string_view("-no-align-double"),
                                        std::string_view("--no-align-double"),
                                        std::string_view("-display-error-number"),
                                        std::string_view("--display-error-number"),
                                        std::string_view("-no-display-error-number"),
                                        std::string_view("--no-display-error-number"),
                                        std::string_view("-forward-unknown-to-host-compiler"),
                                        std::string_view("--forward-unknown-to-host-compiler"),
                                        std::string_view("-res-usage"),
                                        std::string_view("--resource-usage"),
                                        std::string_view("-dlto"),
                                        std::string_view("-lto"),
                                        std::string_view("-Wno-deprecated-gpu-targets"),
                                        std::string_view("-Wdefault-stream-launch"),
                                        std::string_view("-Wmissing-launch-bounds"),
                                        std::string_view("-Wext-lambda-captures-this"),
                                        std::string_view("-clean"),
                                        std::string_view("-objtemp"),
                                        std::string_view("--objdir-as-tempdir"),
                                        std::string_view("-reorder"),
                                        std::string_view("-nodlink"),
                                        std::string_view("--no-device-link"),
                                        std::string_view("-extensible-whole-program"),
                                        std::string_view("-ewp")};
  return std::find(kFlags.begin(), kFlags.end(), name) != kFlags.end();
}

bool ignored_with_value(std::string_view name) {
  static constexpr std::array kFlags = {std::string_view("-Xptxas"),
                                        std::string_view("-Xnvlink"),
                                        std::string_view("-Xarchive"),
                                        std::string_view("-Xfatbin"),
                                        std::string_view("-Xcudafe"),
                                        std::string_view("-Xcicc"),
                                        std::string_view("-ccbin"),
                                        std::string_view("-diag-suppress"),
                                        std::string_view("--diag-suppress"),
                                        std::string_view("-diag-error"),
                                        std::string_view("--diag-error"),
                                        std::string_view("-diag-warn"),
                                        std::string_view("--diag-warn"),
                                        std::string_view("-keep-dir"),
                                        std::string_view("-opt-info"),
                                        std::string_view("--opt-info"),
                                        std::string_view("-static-global-template-stub"),
                                        std::string_view("-hls"),
                                        std::string_view("-split-compile"),
                                        std::string_view("--split-compile"),
                                        std::string_view("-idp"),
                                        std::string_view("-ddp"),
                                        std::string_view("-dp"),
                                        std::string_view("-optix-ir"),
                                        std::string_view("-arch-list"),
                                        std::string_view("-time"),
                                        std::string_view("--time"),
                                        std::string_view("-nvccbuild")};
  return std::find(kFlags.begin(), kFlags.end(), name) != kFlags.end();
}

bool replaced_library(std::string_view name) {
  static constexpr std::array kNames = {std::string_view("cudart"),  std::string_view("cudart_static"),
                                        std::string_view("cuda"),    std::string_view("cudadevrt"),
                                        std::string_view("culibos"), std::string_view("nvToolsExt")};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

std::string_view help_text() {
  return R"(castor-cc: compile CUDA C++ and OpenCL C for Castor

  castor-cc [options] files          .cu .cpp .c .cl .o .a .so

  castor-cc app.cu -o app            program; run it as ./app
  castor-cc -c a.cu b.cu             objects a.o and b.o
  castor-cc -ptx kernel.cu           device code as kernel.ptx
  castor-cc kernel.cl                OpenCL kernels as kernel.ptx

  -o FILE          output             -c            objects only
  -ptx             PTX only           -E            preprocess
  -cubin -fatbin   PTX as a file that cuModuleLoad takes under that name
  -rdc=true -dc    device code over several files   -dlink   its link alone
  -S               host assembly      -shared       shared library
  -lib             static library     -x LANG       cu, c, c++ or cl
  -I -D -U -include -isystem -std=    as usual; also -W* -f* -m* -g -l -L -M*
  -O0 ... -O3      host and device, default -O2
  -arch=sm_NN      50 to 86, default 60; newer become 86 (also -gencode)
  -maxrregcount N  cap on registers, written into kernels without bounds
  -lineinfo -G     source lines in the PTX; -G compiles device code with -O0
  -use_fast_math   approximate functions, division and square root
  -fmad=false      no contraction of a * b + c in device code
  -Xcompiler A,B   for host compilation       -Xlinker A,B   for the linker
  -t N             files at the same time     @FILE          more arguments
  -v  --dryrun     show the commands; --dryrun does not run them
  -h  --version

  Other options of nvcc are taken and ignored, so Makefiles work with
  NVCC=castor-cc. Exit codes: 0 good, 1 compilation failed, 2 wrong request.
)";
}

}  // namespace castor::castor_cc
