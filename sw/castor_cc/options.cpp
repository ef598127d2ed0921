#include "castor_cc/options.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <utility>

#include "castor/base/error.h"
#include "castor_cc/option_tables.h"

namespace castor::castor_cc {
namespace {

using base::InputError;

constexpr int kOldestArch = 50;
constexpr int kNewestArch = 86;
/// Preferred architecture if several are given: the default platform reports 6.1, so newer code may not suit it.
constexpr int kPreferredArch = 61;
constexpr int kMaxResponseDepth = 8;

bool starts_with(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

std::vector<std::string> split_commas(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    if (comma > 0) parts.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return parts;
}

std::vector<std::string> expand_responses(const std::vector<std::string>& arguments, int depth) {
  if (depth > kMaxResponseDepth) throw InputError("response files include each other", "check the @file arguments");
  std::vector<std::string> expanded;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& a = arguments[i];
    std::string file;
    if (a.size() > 1 && a[0] == '@') {
      file = a.substr(1);
    } else if (a == "-optf" || a == "--options-file") {
      if (i + 1 == arguments.size()) throw InputError("option '" + a + "' needs a file");
      file = arguments[++i];
    } else {
      expanded.push_back(a);
      continue;
    }
    std::ifstream in(file);
    if (!in) throw InputError({file, 0, 0}, "cannot read the response file");
    std::stringstream text;
    text << in.rdbuf();
    const std::vector<std::string> inner = expand_responses(split_response(text.str()), depth + 1);
    expanded.insert(expanded.end(), inner.begin(), inner.end());
  }
  return expanded;
}

/// Returns the number in "sm_70", "compute_86" or "sm_90a"; 0 if there is none.
int arch_number(std::string_view text) {
  const std::size_t underscore = text.find('_');
  if (underscore == std::string_view::npos) return 0;
  int number = 0;
  for (const char c : text.substr(underscore + 1)) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) break;
    number = number * 10 + (c - '0');
    if (number > 1000) return 0;
  }
  return number;
}

InputKind kind_of(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  const std::string extension = dot == std::string::npos ? "" : path.substr(dot + 1);
  if (extension == "cu") return InputKind::kCuda;
  if (extension == "cl") return InputKind::kOpenCl;
  if (extension == "c") return InputKind::kC;
  if (extension == "cpp" || extension == "cc" || extension == "cxx" || extension == "C" || extension == "c++") {
    return InputKind::kCxx;
  }
  if (extension == "ptx" || extension == "cubin" || extension == "fatbin") {
    throw InputError({path, 0, 0}, "device code is no input of castor-cc",
                     "run it with 'castor run', or load it with cuModuleLoad");
  }
  return InputKind::kObject;
}

/// Parser of one command line, response files included.
class Parser {
 public:
  explicit Parser(std::vector<std::string> arguments) : arguments_(std::move(arguments)) {}

  Options parse() {
    for (at_ = 0; at_ < arguments_.size(); ++at_) parse_one();
    finish();
    return std::move(options_);
  }

 private:
  void parse_one();
  bool parse_stage(std::string_view name);
  bool parse_device(const std::string& name);
  bool parse_language(const std::string& name);
  bool parse_pass_through(const std::string& argument);
  bool parse_dependency(const std::string& name);
  void finish();
  void choose_arch();
  void add_input(const std::string& path);
  void set_stage(Stage stage);

  /// Returns the value of the current option: the text after '=', or the next argument.
  std::string value() {
    if (has_inline_value_) return inline_value_;
    if (at_ + 1 >= arguments_.size()) throw InputError("option '" + arguments_[at_] + "' needs a value");
    return arguments_[++at_];
  }
  bool truth(const std::string& option) {
    const std::string v = has_inline_value_ ? inline_value_ : "true";
    if (v == "true") return true;
    if (v == "false") return false;
    throw InputError("option '" + option + "' takes true or false, not '" + v + "'");
  }

  std::vector<std::string> arguments_;
  std::size_t at_ = 0;
  std::string inline_value_;
  bool has_inline_value_ = false;
  bool only_inputs_ = false;  ///< "--" was read: all further arguments are inputs
  std::string language_;
  std::vector<int> archs_;
  Options options_;
};

void Parser::set_stage(Stage stage) {
  const auto is = [&](Stage wanted) { return options_.stage == wanted || stage == wanted; };
  if (is(Stage::kDeviceLink) && is(Stage::kPtx)) {
    throw InputError("-dlink writes an object, no device code by itself", "leave out -ptx, -cubin or -fatbin");
  }
  options_.stage = stage;
}

void Parser::add_input(const std::string& path) {
  Input input;
  input.path = path;
  if (language_ == "cu") {
    input.kind = InputKind::kCuda;
  } else if (language_ == "c++") {
    input.kind = InputKind::kCxx;
  } else if (language_ == "c") {
    input.kind = InputKind::kC;
  } else if (language_ == "cl") {
    input.kind = InputKind::kOpenCl;
  } else {
    input.kind = kind_of(path);
  }
  options_.inputs.push_back(std::move(input));
}

bool Parser::parse_stage(std::string_view name) {
  if (name == "-h") return set_stage(Stage::kHelp), true;
  if (name == "-V") return set_stage(Stage::kVersion), true;
  if (name == "-dc") options_.relocatable = true;
  if (name == "-c" || name == "-dc" || name == "-dw") return set_stage(Stage::kObject), true;
  if (name == "--ptx") return set_stage(Stage::kPtx), true;
  if (name == "-E") return set_stage(Stage::kPreprocess), true;
  if (name == "-S") return set_stage(Stage::kAssembly), true;
  if (name == "-lib") return set_stage(Stage::kArchive), true;
  if (name == "-dlink") return set_stage(Stage::kDeviceLink), true;
  if (name == "-shared") return options_.shared = true, true;
  if (name == "-cubin" || name == "-fatbin") {
    options_.image = "." + std::string(name.substr(1));
    return set_stage(Stage::kPtx), true;
  }
  if (name == "-cuda") {
    throw InputError("option '-cuda' is not supported: the host side is never written as C++", "use -c or -E");
  }
  if (name == "-run") throw InputError("option '-run' is not supported", "start the program yourself");
  return false;
}

bool Parser::parse_device(const std::string& name) {
  if (name == "-arch" || name == "-code" || name == "-gencode") {
    // Examples of values: "arch=compute_70,code=[sm_70,compute_70]", "sm_70", "native", "all-major".
    for (const std::string& part : split_commas(value())) {
      const int number = arch_number(part);
      if (number != 0) archs_.push_back(number);
    }
    return true;
  }
  if (name == "-maxrregcount") {
    const std::string text = value();
    int count = 0;
    for (const char c : text) count = std::isdigit(static_cast<unsigned char>(c)) != 0 ? count * 10 + (c - '0') : 10000;
    if (text.empty() || count > 255) {
      throw InputError("option '-maxrregcount' takes a number of registers from 0 to 255, not '" + text + "'");
    }
    options_.max_registers = count;
    return true;
  }
  auto& device = options_.device_flags;
  if (name == "-use_fast_math") {
    options_.fused_multiply_add = true;
    device.insert(device.end(), {"-fcuda-approx-transcendentals", "-fcuda-flush-denormals-to-zero", "-mllvm",
                                 "-nvptx-prec-divf32=0", "-mllvm", "-nvptx-prec-sqrtf32=0"});
    return true;
  }
  if (name == "-fmad") return options_.fused_multiply_add = truth(name), true;
  if (name == "-ftz") {
    if (truth(name)) device.emplace_back("-fcuda-flush-denormals-to-zero");
    return true;
  }
  if (name == "-prec-div") {
    if (!truth(name)) device.insert(device.end(), {"-mllvm", "-nvptx-prec-divf32=1"});
    return true;
  }
  if (name == "-prec-sqrt") {
    if (!truth(name)) device.insert(device.end(), {"-mllvm", "-nvptx-prec-sqrtf32=0"});
    return true;
  }
  if (name == "-rdc") return options_.relocatable = truth(name), true;
  if (name == "-G") return options_.device_debug = true, true;
  if (name == "-lineinfo") return options_.line_info = true, true;
  if (name == "-default-stream") {
    const std::string which = value();
    if (which == "per-thread") {
      options_.notes.emplace_back("-default-stream per-thread: the legacy default stream is used instead");
    } else if (which != "legacy" && which != "null") {
      throw InputError("option '-default-stream' takes legacy or per-thread, not '" + which + "'");
    }
    return true;
  }
  return false;
}

bool Parser::parse_language(const std::string& name) {
  if (name == "-x") {
    language_ = value();
    if (language_ == "cuda") language_ = "cu";
    if (language_ == "none") language_.clear();
    static constexpr std::array kLanguages = {std::string_view(""), std::string_view("cu"), std::string_view("c++"),
                                              std::string_view("c"), std::string_view("cl")};
    if (std::find(kLanguages.begin(), kLanguages.end(), language_) == kLanguages.end()) {
      throw InputError("option '-x' takes cu, c, c++ or cl, not '" + language_ + "'");
    }
    return true;
  }
  if (name == "-std") {
    options_.common_flags.push_back("-std=" + value());
    return true;
  }
  if (name == "-m") {
    if (value() != "64") throw InputError("only 64-bit programs are supported", "leave out -m");
    return true;
  }
  if (name == "-m64") return true;
  if (name == "-m32") throw InputError("only 64-bit programs are supported", "leave out -m32");
  if (name == "-cudart") return options_.link_runtime = value() != "none", true;
  if (name == "-t") {
    const std::string text = value();
    options_.jobs = 0;
    for (const char c : text) {
      if (std::isdigit(static_cast<unsigned char>(c)) == 0 || options_.jobs > 999) {
        throw InputError("option '-t' takes a number of threads, not '" + text + "'");
      }
      options_.jobs = options_.jobs * 10 + (c - '0');
    }
    return true;
  }
  if (name == "-odir") {
    throw InputError("option '-odir' is not supported", "give the output with -o");
  }
  return false;
}

bool Parser::parse_dependency(const std::string& name) {
  if (name == "-M" || name == "-MM") {
    options_.depend_flags.push_back(name);
    return set_stage(Stage::kDependencies), true;
  }
  if (name == "-MD" || name == "-MMD" || name == "-MP" || name == "-MG") {
    options_.depend_flags.push_back(name);
    return true;
  }
  if (name == "-MF" || name == "-MT" || name == "-MQ") {
    const std::string v = value();
    options_.depend_flags.push_back(name);
    options_.depend_flags.push_back(v);
    return true;
  }
  return false;
}

/// Handles options that are passed on to the host compiler unchanged.
bool Parser::parse_pass_through(const std::string& argument) {
  // Options for every compilation, with the value attached or as the next argument.
  static constexpr std::array kJoined = {std::string_view("-I"), std::string_view("-D"), std::string_view("-U")};
  for (const std::string_view prefix : kJoined) {
    if (!starts_with(argument, prefix)) continue;
    std::string v = argument.substr(prefix.size());
    if (v.empty()) v = value();
    options_.common_flags.push_back(std::string(prefix) + v);
    return true;
  }
  static constexpr std::array kSeparate = {std::string_view("-include"), std::string_view("-isystem"),
                                           std::string_view("-iquote"), std::string_view("-idirafter"),
                                           std::string_view("-imacros")};
  for (const std::string_view prefix : kSeparate) {
    if (!starts_with(argument, prefix)) continue;
    std::string v = argument.size() > prefix.size() ? argument.substr(prefix.size()) : value();
    if (!v.empty() && v[0] == '=') v.erase(0, 1);
    options_.common_flags.emplace_back(prefix);
    options_.common_flags.push_back(v);
    return true;
  }
  if (starts_with(argument, "-l") || starts_with(argument, "-L")) {
    std::string v = argument.substr(2);
    if (v.empty()) v = value();
    if (argument[1] == 'l' && replaced_library(v)) return true;
    options_.link_flags.push_back(argument.substr(0, 2) + v);
    return true;
  }
  if (argument == "-g" || starts_with(argument, "-g")) {
    options_.debug = argument != "-g0";
    if (argument.size() > 2) options_.host_flags.push_back(argument);
    return true;
  }
  if (argument == "-pthread") {
    options_.host_flags.push_back(argument);
    options_.link_flags.push_back(argument);
    return true;
  }
  if (argument == "-w" || argument == "-pedantic" || argument == "-pedantic-errors" || argument == "-ansi") {
    options_.common_flags.push_back(argument);
    return true;
  }
  if (starts_with(argument, "-Wl,")) {
    options_.link_flags.push_back(argument);
    return true;
  }
  if (starts_with(argument, "-Wa,") || starts_with(argument, "-Wp,") || argument == "-pipe") {
    options_.host_flags.push_back(argument);
    return true;
  }
  if (argument == "-Werror") {
    // nvcc's -Werror requires a type of warning as value; other compilers' -Werror does not.
    static constexpr std::array kKinds = {std::string_view("all-warnings"),
                                          std::string_view("cross-execution-space-call"),
                                          std::string_view("reorder"),
                                          std::string_view("default-stream-launch"),
                                          std::string_view("ext-lambda-captures-this"),
                                          std::string_view("deprecated-declarations")};
    std::string kind = has_inline_value_ ? inline_value_ : "";
    if (!has_inline_value_ && at_ + 1 < arguments_.size() &&
        std::find(kKinds.begin(), kKinds.end(), arguments_[at_ + 1]) != kKinds.end()) {
      kind = arguments_[++at_];
    }
    const bool of_nvcc = std::find(kKinds.begin(), kKinds.end(), kind) != kKinds.end();
    if (kind.empty() || kind == "all-warnings") {
      options_.common_flags.emplace_back("-Werror");
    } else if (!of_nvcc) {
      options_.common_flags.push_back("-Werror=" + kind);
    }
    return true;
  }
  if (starts_with(argument, "-W")) {
    options_.common_flags.push_back(argument);
    return true;
  }
  if (starts_with(argument, "-fsanitize") || argument == "-fopenmp" || starts_with(argument, "-flto") ||
      argument == "-pg" || argument == "--coverage") {
    options_.host_flags.push_back(argument);
    options_.link_flags.push_back(argument);
    return true;
  }
  if (starts_with(argument, "-f") || starts_with(argument, "-m")) {
    options_.host_flags.push_back(argument);
    return true;
  }
  if (argument == "-static" || argument == "-rdynamic" || argument == "-s" || argument == "-pie" ||
      argument == "-no-pie" || argument == "-nostdlib" || starts_with(argument, "-static-lib")) {
    options_.link_flags.push_back(argument);
    return true;
  }
  return false;
}

void Parser::parse_one() {
  const std::string argument = arguments_[at_];
  if (argument.empty()) return;
  if (argument == "--" && !only_inputs_) return void(only_inputs_ = true);
  if (only_inputs_ || argument[0] != '-' || argument == "-") {
    // With "./" in front of the name, the compilers do not mistake the file for an option.
    const bool like_option = argument[0] == '-' && argument != "-";
    add_input(like_option ? "./" + argument : argument);
    return;
  }
  std::string name = argument;
  has_inline_value_ = false;
  const std::size_t equals = argument.find('=');
  const bool like_nvcc = equals != std::string::npos && !starts_with(argument, "-D") && !starts_with(argument, "-W") &&
                         !starts_with(argument, "-I") && !starts_with(argument, "-f");
  const bool like_compilers =
      starts_with(argument, "-fmad=") || starts_with(argument, "-ftz=") || starts_with(argument, "-Werror=");
  if (like_nvcc || like_compilers) {
    name = argument.substr(0, equals);
    inline_value_ = argument.substr(equals + 1);
    has_inline_value_ = true;
  }
  const std::string_view short_name = short_option(name);
  const bool renamed = !short_name.empty();
  if (renamed) name = short_name;

  if (name == "-v") return void(options_.verbose = true);
  if (name == "--dryrun") return void(options_.dry_run = true);
  if (name == "-keep") return void(options_.keep = true);
  if (ignored_flag(name)) return;
  if (ignored_with_value(name)) return void(value());
  if (name == "-Xcompiler") {
    for (std::string& flag : split_commas(value())) {
      if (flag == "-fopenmp" || flag == "-pthread" || starts_with(flag, "-fsanitize")) {
        options_.link_flags.push_back(flag);
      }
      options_.host_flags.push_back(std::move(flag));
    }
    return;
  }
  if (name == "-Xlinker") {
    for (const std::string& flag : split_commas(value())) options_.link_flags.push_back("-Wl," + flag);
    return;
  }
  if (name == "-Xclang" || name == "-mllvm") {
    options_.common_flags.push_back(name);
    options_.common_flags.push_back(value());
    return;
  }
  if (parse_stage(name) || parse_device(name) || parse_language(name) || parse_dependency(name)) return;
  if (name == "-o") return void(options_.output = value());
  if (starts_with(name, "-o") && !renamed && name.size() > 2) return void(options_.output = argument.substr(2));
  if (name == "-O" && (renamed || has_inline_value_)) return void(options_.optimisation = "-O" + value());
  if (starts_with(name, "-O")) {
    options_.optimisation = name == "-O" ? "-O1" : name;
    return;
  }
  if (name == "-Werror") {
    if (parse_pass_through(name)) return;
  }
  if (parse_pass_through(renamed ? name : argument)) return;
  throw InputError("unknown option '" + base::printable(argument) + "'",
                   "castor-cc --help lists the options; those of the host compiler go behind -Xcompiler");
}

void Parser::choose_arch() {
  if (archs_.empty()) return;
  int best = 0;
  int lowest = archs_.front();
  for (const int arch : archs_) {
    lowest = std::min(lowest, arch);
    if (arch <= kPreferredArch) best = std::max(best, arch);
  }
  options_.device_arch = std::clamp(best != 0 ? best : lowest, kOldestArch, kNewestArch);
}

void Parser::finish() {
  choose_arch();
  if (options_.stage == Stage::kHelp || options_.stage == Stage::kVersion) return;
  if (options_.inputs.empty()) throw InputError("no input file", "name a .cu, .cpp, .c, .cl, .o or .a file");
  std::size_t sources = 0;
  std::size_t kernels = 0;
  for (const Input& input : options_.inputs) {
    sources += input.kind != InputKind::kObject ? 1 : 0;
    kernels += input.kind == InputKind::kOpenCl ? 1 : 0;
  }
  if (kernels != 0 && options_.stage == Stage::kLink) {
    if (kernels != options_.inputs.size()) {
      throw InputError("OpenCL kernels compile to PTX and cannot be linked into a program",
                       "compile the .cl files by themselves and load the PTX with cuModuleLoad or 'castor run'");
    }
    options_.stage = Stage::kPtx;
  }
  const bool one_output_each = options_.stage == Stage::kObject || options_.stage == Stage::kPtx ||
                               options_.stage == Stage::kAssembly || options_.stage == Stage::kPreprocess;
  if (one_output_each && !options_.output.empty() && sources > 1) {
    throw InputError("-o names one file, but " + std::to_string(sources) + " sources are given",
                     "compile them one by one, or leave out -o");
  }
  if (options_.stage == Stage::kDeviceLink && sources != 0) {
    throw InputError("-dlink takes objects, but a source is given", "compile it with -dc first");
  }
  if (options_.relocatable && options_.stage == Stage::kAssembly) {
    throw InputError("-S cannot hold relocatable device code", "use -c, or leave out -rdc=true");
  }
  if (options_.relocatable && !options_.image.empty()) {
    throw InputError("-" + options_.image.substr(1) + " is loaded as it is and cannot be linked",
                     "leave out -rdc=true, or compile with -dc and link a program");
  }
  if (options_.stage == Stage::kPtx) {
    for (const Input& input : options_.inputs) {
      if (input.kind != InputKind::kCuda && input.kind != InputKind::kOpenCl) {
        throw InputError({input.path, 0, 0}, "holds no device code", "give .cu or .cl files, or say -x cu");
      }
    }
  }
}

}  // namespace

std::string settle_openmp(std::vector<std::string>& link_flags, const std::function<bool()>& compiled_by_clang) {
  const auto asks = [](const std::string& flag) { return flag == "-fopenmp"; };
  const auto is_gnu = [](const std::string& flag) { return flag == "-lgomp" || flag == "-Wl,-lgomp"; };
  if (std::none_of(link_flags.begin(), link_flags.end(), is_gnu)) return {};
  if (std::none_of(link_flags.begin(), link_flags.end(), asks) && !compiled_by_clang()) return {};
  link_flags.erase(std::remove_if(link_flags.begin(), link_flags.end(), is_gnu), link_flags.end());
  if (std::none_of(link_flags.begin(), link_flags.end(), asks)) link_flags.emplace_back("-fopenmp");
  return "-lgomp: clang's OpenMP runtime is linked in its place, which the host code needs and which has the functions "
         "of both";
}

std::vector<std::string> split_response(std::string_view text) {
  std::vector<std::string> arguments;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size() && quote != '\'') {
      word += text[++i];
      in_word = true;
    } else if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
      in_word = true;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      if (in_word) arguments.push_back(std::exchange(word, {}));
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (quote != 0) throw InputError("a quote in a response file is not closed");
  if (in_word) arguments.push_back(word);
  return arguments;
}

Options parse_command_line(const std::vector<std::string>& arguments) {
  return Parser(expand_responses(arguments, 0)).parse();
}

}  // namespace castor::castor_cc
