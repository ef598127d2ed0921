#include "castor_cc/driver.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <ostream>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>

#include "castor/base/error.h"
#include "castor/base/hash.h"
#include "castor/base/output_file.h"
#include "castor/base/words.h"
#include "castor_cc/device_link.h"
#include "castor_cc/diagnostics.h"
#include "castor_cc/elf_file.h"
#include "castor_cc/header_cache.h"
#include "castor_cc/ir_copies.h"
#include "castor_cc/ir_locks.h"
#include "castor_cc/ir_parameters.h"
#include "castor_cc/ir_wide_integers.h"
#include "castor_cc/ir_zeros.h"
#include "castor_cc/launch_places.h"
#include "castor_cc/missing_functions.h"
#include "castor_cc/missing_headers.h"
#include "castor_cc/options.h"
#include "castor_cc/process.h"
#include "castor_cc/ptx_repairs.h"
#include "castor_cc/ptx_text.h"
#include "castor_cc/source_overlay.h"
#include "castor_cc/toolchain.h"

namespace castor::castor_cc {
namespace {

namespace fs = std::filesystem;

constexpr int kGood = 0;
constexpr int kFailed = 1;
constexpr int kWrongRequest = 2;

/// Returns notes on CUDA features that the compiler did not find, with alternatives.
std::string explain_missing(std::string_view errors) {
  return explain_missing_headers(errors) + explain_missing_functions(errors);
}

/// Name of the device link in messages.
constexpr const char* kLinkName = "device link";

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Removes a compiler's incomplete output. Only regular files are removed, no devices such as /dev/null.
void remove_output(const std::string& path) {
  std::error_code ignored;  // the file may not exist
  if (fs::is_regular_file(path, ignored)) fs::remove(path, ignored);
}

std::string with_extension(const std::string& source, const std::string& extension) {
  return fs::path(source).filename().replace_extension(extension).string();
}

/// Returns a name for an object's device code that is unique in its program: a hash of source, output and flags.
std::string unit_name(const std::string& source, const std::string& output, const std::vector<std::string>& flags) {
  base::Hash hash;
  std::error_code ignored;  // if the path cannot be made absolute, the given path is hashed
  hash.add(fs::absolute(source, ignored).string()).add_byte(0).add(fs::absolute(output, ignored).string()).add_byte(0);
  for (const std::string& flag : flags) hash.add(flag).add_byte(0);
  return hash.text();
}

/// True if an object calls the OpenMP runtime by the functions that clang's code uses.
bool needs_clangs_openmp(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    const std::string content = read_file(file);
    for (const ElfObject& object : objects_of(file, content)) {
      for (const std::string_view name : object.undefined_symbols()) {
        if (name.substr(0, 7) == "__kmpc_") return true;
      }
    }
  }
  return false;
}

bool is_before_cxx17(const Options& options) {
  std::string standard;
  for (const std::string& flag : options.common_flags) {
    if (flag.compare(0, 5, "-std=") == 0) standard = flag.substr(flag.size() - std::min<std::size_t>(flag.size(), 2));
  }
  return standard == "03" || standard == "98" || standard == "11" || standard == "0x" || standard == "14" ||
         standard == "1y";
}

/// Throws if a compiler or linker failed because it could not write; its own message for that looks like a crash.
void refuse_full_disk(std::string_view errors) {
  for (const int why : {ENOSPC, EDQUOT, EFBIG, EIO}) {
    const std::string word = std::strerror(why);
    if (errors.find(": " + word + "\n") == std::string_view::npos &&
        errors.find(": '" + word + "'\n") == std::string_view::npos) {
      continue;
    }
    throw base::InputError("the compiler cannot write its output: " + word,
                           "make room where -o says, or for temporary files: TMPDIR names their folder");
  }
}

/// One run of the driver, with the state shared by all its files.
class Job {
 public:
  Job(Options options, Toolchain tools, std::ostream& out, std::ostream& err)
      : options_(std::move(options)), tools_(std::move(tools)), out_(out), err_(err) {}

  int run();

 private:
  struct Result {
    int code = kGood;
    std::string commands;  ///< commands, as -v and --dryrun print them
    std::string text;      ///< diagnostics
  };

  Result compile(std::size_t index);
  Result compile_cuda(Input& input, const std::string& mode, const std::string& output, std::size_t index);
  Result compile_relocatable(Input& input, const std::string& output, std::size_t index);
  bool make_ir(Input& input, const std::string& ir_file, Result& result, std::string& errors, std::string& ir);
  static bool add_wide_functions(Input& input, const std::string& ir_file);
  bool generate(const std::vector<std::string>& command, const std::string& ir_file, Result& result,
                std::string& errors);
  bool restore_zeros(const std::vector<std::string>& command, const std::string& ir_file, Result& result,
                     std::string& errors);
  bool optimise_hidden(const std::vector<std::string>& command, const std::string& ir_file, Result& result,
                       std::string& errors);
  bool make_ptx(Input& input, const std::string& ptx, std::size_t index, Result& result);
  bool finish_ptx(const std::string& source, const std::string& ptx, int max_registers, const std::string& advice,
                  Result& result) const;
  bool link_device_code(std::vector<std::string>& objects, const std::string& output, Result& result);
  /// `reading`, `depend`: arguments of HeaderCache::run, for a command that may use a precompiled header.
  bool execute(const std::vector<std::string>& command, Result& result, std::string& error_text,
               const std::vector<std::string>& reading = {}, const std::string& depend = {});
  bool read_for_host(const Input& input, const std::string& mode, const std::string& ptx, const std::string& output,
                     Result& result, std::string& error_text);
  void check_inputs() const;
  [[nodiscard]] std::string temporary(std::size_t index, const std::string& path, const char* extension) const;
  [[nodiscard]] std::string output_of(std::size_t index) const;
  int finish(std::vector<Result>& results);
  int combine();

  Options options_;
  Toolchain tools_;
  std::ostream& out_;
  std::ostream& err_;
  std::optional<TemporaryDirectory> temporary_;
  HeaderCache headers_;
};

std::string Job::temporary(std::size_t index, const std::string& path, const char* extension) const {
  const std::string base = temporary_ ? temporary_->path() : "/tmp/castor-cc-XXXXXX";
  return base + "/" + std::to_string(index) + "-" + with_extension(path, extension);
}

bool Job::execute(const std::vector<std::string>& command, Result& result, std::string& error_text,
                  const std::vector<std::string>& reading, const std::string& depend) {
  if (options_.verbose || options_.dry_run) result.commands += "#$ " + base::shell_line(command) + "\n";
  if (options_.dry_run) return true;
  if (deferred_signal() != 0) return false;
  const ProcessResult process = reading.empty() ? run_process(command) : headers_.run(command, reading, depend);
  if (process.exit_code != 0) refuse_full_disk(process.error_text);
  error_text += process.error_text;
  return process.exit_code == 0;
}

bool Job::read_for_host(const Input& input, const std::string& mode, const std::string& ptx, const std::string& output,
                        Result& result, std::string& error_text) {
  const std::vector<std::string>& depend = options_.depend_flags;
  const auto named = std::find(depend.begin(), depend.end(), "-MF");
  const bool has_name = named != depend.end() && named + 1 != depend.end();
  // Without a given name, clang itself chooses the name of the dependency file.
  const bool precompiled = depend.empty() || has_name;
  return execute(host_command(tools_, options_, input, mode, ptx, output), result, error_text,
                 precompiled ? host_reading(tools_, options_) : std::vector<std::string>(),
                 has_name ? *(named + 1) : std::string());
}

/// Runs the front end of a device compilation and changes its IR. If the front end reports launches by device code, the
/// launches are rewritten and the front end runs again. The host compilation reads the rewritten source too.
bool Job::make_ir(Input& input, const std::string& ir_file, Result& result, std::string& errors, std::string& ir) {
  for (;;) {
    std::string found;
    const bool good =
        execute(device_command(tools_, options_, input, ir_file), result, found, device_reading(tools_, options_));
    const bool again = !good && input.sources != nullptr &&
                       input.sources->rewrite_launches(device_launches(found), is_before_cxx17(options_));
    if (again) {
      input.reading = input.sources->options();
      continue;
    }
    if (good && !options_.dry_run && add_wide_functions(input, ir_file)) continue;
    errors += found;
    if (!good) return false;
    break;
  }
  if (options_.dry_run) return true;
  ir = read_file(ir_file);
  std::string changed = plain_parameters(ir);
  if (needs_wide_functions(changed)) changed = call_wide_functions(changed);
  changed = keep_lock_releases(expose_local_variables(changed));
  if (optimises_device(options_)) changed = widen_copies(changed);
  base::write_file(ir_file, changed);
  return true;
}

/// Includes the header of the wide-integer functions if the device code in `ir_file` needs it. Returns true if the
/// header was added, so that the front end must run again.
bool Job::add_wide_functions(Input& input, const std::string& ir_file) {
  const auto is_there = std::find(input.reading.begin(), input.reading.end(), kWideIntegersHeader);
  if (is_there != input.reading.end() || !needs_wide_functions(read_file(ir_file))) return false;
  input.reading.insert(input.reading.end(), {"-include", kWideIntegersHeader});
  return true;
}

/// Runs a command that writes PTX, and runs parts of it again where the PTX may have lost the sign of a zero. `ir_file`
/// receives LLVM text on the way.
bool Job::generate(const std::vector<std::string>& command, const std::string& ir_file, Result& result,
                   std::string& errors) {
  if (!execute(command, result, errors)) return false;
  if (options_.dry_run) return true;
  std::string repeated;  // warnings
  if (restore_zeros(command, ir_file, result, repeated)) return true;
  errors = repeated;
  return false;
}

/// Has the optimiser's text written to `ir_file` if the PTX of a command may have lost the sign of a zero. Changes it
/// if need be and gives it to the back end.
bool Job::restore_zeros(const std::vector<std::string>& command, const std::string& ir_file, Result& result,
                        std::string& errors) {
  const std::string ptx = read_file(command.back());
  const bool exchanged = optimises_device(options_) && may_have_exchanged_zeros(ptx);
  if (!exchanged && !has_minimum_with_zero(ptx)) return true;
  if (!execute(optimiser_command(command, ir_file), result, errors)) return false;
  const std::string ir = read_file(ir_file);
  std::string changed = ir;
  if (exchanged && has_doubtful_zeros(ir)) {
    if (!optimise_hidden(command, ir_file, result, errors)) return false;
    changed = show_comparisons(read_file(ir_file));
  }
  changed = keep_signs_of_zeros(changed);
  if (changed == ir) return true;
  base::write_file(ir_file, changed);
  return execute(back_end_command(command, ir_file), result, errors);
}

/// Writes the optimiser's output for the command's text to `ir_file`. Comparisons are hidden from the optimiser.
bool Job::optimise_hidden(const std::vector<std::string>& command, const std::string& ir_file, Result& result,
                          std::string& errors) {
  if (!execute(front_end_command(command, ir_file), result, errors)) return false;
  base::write_file(ir_file, hide_comparisons(read_file(ir_file)));
  return execute(optimiser_command(text_command(command, ir_file), ir_file), result, errors);
}

/// Finishes the PTX that the compiler has written: repairs it, checks for undefined names, limits registers.
bool Job::finish_ptx(const std::string& source, const std::string& ptx, int max_registers, const std::string& advice,
                     Result& result) const {
  const std::string written = read_file(ptx);
  const std::string text = repair_ptx(written);
  const std::vector<std::string> missing = unresolved_names(text);
  for (const std::string& name : missing) {
    result.text += source + ": error: device code uses '" + readable_name(name) + "', which " +
                   (options_.relocatable || source == kLinkName ? "no file of the link defines\n"
                                                                : "this file declares but does not define\n");
  }
  if (!missing.empty()) {
    result.text += source + ": note: " + advice + "\n";
    result.code = kFailed;
    return false;
  }
  std::string finished = max_registers > 0 ? cap_registers(text, max_registers) : text;
  // Programs pass the bytes of an image file to cuModuleLoadData, which reads up to a NUL.
  if (!options_.image.empty()) finished += '\0';
  if (finished != written) base::write_file(ptx, finished);
  return true;
}

bool Job::make_ptx(Input& input, const std::string& ptx, std::size_t index, Result& result) {
  std::string errors;
  std::string ir;
  bool good = true;
  if (input.kind == InputKind::kOpenCl) {
    good = generate(opencl_command(tools_, options_, input.path, ptx), temporary(index, input.path, ".optimised.ll"),
                    result, errors);
  } else {
    const std::string ir_file = temporary(index, input.path, ".ll");
    good = make_ir(input, ir_file, result, errors, ir) &&
           generate(code_command(tools_, options_, ir_file, ptx), temporary(index, input.path, ".optimised.ll"), result,
                    errors);
  }
  if (options_.dry_run) return true;
  result.text += translate_device_errors(errors, input.path, ir) + explain_missing(errors);
  if (!good) {
    result.code = kFailed;
    return false;
  }
  if (options_.relocatable) {  // the PTX of one part of a link may contain undefined names
    const std::string text = repair_ptx(read_file(ptx));
    base::write_file(ptx, options_.max_registers > 0 ? cap_registers(text, options_.max_registers) : text);
    return true;
  }
  return finish_ptx(input.path, ptx, options_.max_registers,
                    "without -rdc=true the device code of each file is compiled by itself: compile all files with "
                    "-rdc=true and link them with castor-cc, or define it in a header",
                    result);
}

/// Compiles a source to an object whose device code is linked later: the IR is stored in a section that the host linker
/// drops.
Job::Result Job::compile_relocatable(Input& input, const std::string& output, std::size_t index) {
  Result result;
  std::string errors;
  std::string ir;
  const std::string ir_file = temporary(index, input.path, ".ll");
  const std::string section = temporary(index, input.path, ".device");
  bool good = make_ir(input, ir_file, result, errors, ir);
  result.text += translate_device_errors(errors, input.path, ir) + explain_missing(errors);
  const std::string device_text = result.text;
  std::string host_errors;
  if (good) {
    // The object's own image is a placeholder that is never loaded.
    if (!options_.dry_run) base::write_file(section, "relocatable device code");
    good = read_for_host(input, "-c", section, output, result, host_errors);
    result.text += without_repeats(host_errors, device_text);
  }
  if (good && !options_.dry_run) {
    const std::string object = read_file(output);
    std::string module(objects_of(output, object).front().section("__nv_module_id"));
    module = module.substr(0, module.find('\0'));
    DevicePart part;
    part.unit = unit_name(input.path, output, options_.common_flags);
    part.arch = options_.device_arch;
    part.max_registers = options_.max_registers;
    part.code_flags = generator_flags(options_);
    part.ir = read_file(ir_file);
    base::write_file(section, write_part(part));
    const std::string name(kDeviceSection);
    std::vector<std::string> command = {"objcopy", "--add-section", name + "=" + section, "--set-section-flags",
                                        name + "=exclude,readonly"};
    for (std::string& option : registration_names(module, part.unit)) command.push_back(std::move(option));
    command.push_back(output);
    std::string copy_errors;
    good = execute(command, result, copy_errors);
    result.text += copy_errors;
  }
  if (!good) {
    result.code = kFailed;
    if (!options_.dry_run) remove_output(output);
  }
  return result;
}

/// Links the device code of `objects`, and of the libraries among the link flags, into the object `output`, which is
/// added to `objects`. Does nothing if there is no such code, or if one of the objects is already the result of a
/// device link.
bool Job::link_device_code(std::vector<std::string>& objects, const std::string& output, Result& result) {
  std::vector<std::string> files = objects;
  for (const std::string& library : options_.link_flags) {
    if (library.compare(0, 2, "-l") != 0) continue;
    for (const std::string& directory : options_.link_flags) {
      const std::string file =
          directory.compare(0, 2, "-L") == 0 ? directory.substr(2) + "/lib" + library.substr(2) + ".a" : std::string();
      std::error_code error;
      if (!file.empty() && fs::exists(file, error)) files.push_back(file);
    }
  }
  std::vector<DevicePart> parts;
  std::vector<std::string> linked;
  for (const std::string& file : files) collect_parts(file, parts, linked);
  const auto is_linked = [&](const DevicePart& part) {
    return std::find(linked.begin(), linked.end(), part.unit) != linked.end();
  };
  parts.erase(std::remove_if(parts.begin(), parts.end(), is_linked), parts.end());
  if (parts.empty()) return true;
  const DevicePart common = common_options(parts);
  const std::vector<Renaming> renamed = separate_local_names(parts);
  const std::string ptx = temporary(0, "linked", ".ptx");
  const std::string stub = temporary(0, "linked", ".c");
  std::vector<std::string> texts;
  for (DevicePart& part : parts) texts.push_back(std::move(part.ir));
  keep_lock_releases(texts);
  std::vector<std::string> bitcode;
  std::string errors;
  bool good = true;
  for (std::size_t i = 0; i < parts.size() && good; ++i) {
    const std::string ir_file = temporary(i, "part", ".linked.ll");
    bitcode.push_back(temporary(i, "part", ".linked.bc"));
    base::write_file(ir_file, texts[i]);
    good = execute(bitcode_command(tools_, ir_file, bitcode.back()), result, errors);
  }
  good = good && generate(device_link_command(tools_, options_, bitcode, common.arch, common.code_flags, ptx),
                          temporary(0, "linked", ".optimised.ll"), result, errors);
  // replaces names of temporary files by the names of the user's files
  for (std::size_t i = 0; i < bitcode.size(); ++i) {
    for (std::size_t at = errors.find(bitcode[i]); at != std::string::npos; at = errors.find(bitcode[i])) {
      errors.replace(at, bitcode[i].size(), parts[i].file);
    }
  }
  result.text += translate_device_errors(readable_link_errors(errors), kLinkName, "");
  if (good) {
    const int registers = options_.max_registers > 0 ? options_.max_registers : common.max_registers;
    good = finish_ptx(kLinkName, ptx, registers, "give the object or library that defines it to castor-cc", result);
  }
  if (good) {
    if (options_.keep) base::write_file("a_dlink.ptx", read_file(ptx));
    base::write_file(stub, registration_source(ptx, parts, renamed));
    std::string stub_errors;
    good = execute({tools_.clang_c, "-x", "c", "-w", "-fPIC", "-c", stub, "-o", output}, result, stub_errors);
    result.text += stub_errors;
  }
  objects.push_back(output);
  return good;
}

Job::Result Job::compile_cuda(Input& input, const std::string& mode, const std::string& output, std::size_t index) {
  if (options_.relocatable) return compile_relocatable(input, output, index);
  Result result;
  const std::string ptx = options_.keep ? with_extension(input.path, ".ptx") : temporary(index, input.path, ".ptx");
  if (!make_ptx(input, ptx, index, result)) return result;
  const std::string device_text = result.text;
  std::string host_errors;
  if (!read_for_host(input, mode, ptx, output, result, host_errors)) result.code = kFailed;
  result.text += without_repeats(host_errors, device_text);
  return result;
}

std::string Job::output_of(std::size_t index) const {
  const Input& input = options_.inputs[index];
  if (options_.stage == Stage::kLink || options_.stage == Stage::kArchive) {
    return temporary(index, input.path, ".o");
  }
  if (!options_.output.empty()) return options_.output;
  if (options_.stage == Stage::kObject) return with_extension(input.path, ".o");
  if (options_.stage == Stage::kPtx) {
    return with_extension(input.path, options_.image.empty() ? std::string(".ptx") : options_.image);
  }
  if (options_.stage == Stage::kAssembly) return with_extension(input.path, ".s");
  return {};
}

Job::Result Job::compile(std::size_t index) {
  Input input = options_.inputs[index];
  Result result;
  if (input.kind == InputKind::kObject) return result;
  const std::string output = output_of(index);
  const bool reads_code = options_.stage != Stage::kPreprocess && options_.stage != Stage::kDependencies;
  try {
    if (input.kind == InputKind::kCuda && reads_code && !options_.dry_run) {
      input.sources = std::make_shared<SourceOverlay>(input.path, options_.common_flags, tools_.include_dir,
                                                      temporary(index, input.path, ".sources"));
      input.reading = input.sources->options();
    }
    if (options_.stage == Stage::kPtx || input.kind == InputKind::kOpenCl) {
      if (!make_ptx(input, output, index, result) && !options_.dry_run) remove_output(output);
      return result;
    }
    std::string mode = "-c";
    if (options_.stage == Stage::kAssembly) mode = "-S";
    if (options_.stage == Stage::kPreprocess) mode = "-E";
    if (options_.stage == Stage::kDependencies) mode = options_.depend_flags.front();
    if (input.kind == InputKind::kCuda && (mode == "-c" || mode == "-S")) {
      return compile_cuda(input, mode, output, index);
    }
    std::string errors;
    if (!execute(host_command(tools_, options_, input, mode, "", output), result, errors)) result.code = kFailed;
    result.text += without_repeats(errors, "") + explain_missing(errors);
  } catch (const base::InputError& e) {
    if (!options_.dry_run && options_.stage != Stage::kDependencies) remove_output(output);
    result.code = kWrongRequest;
    result.text = std::string("castor-cc: ") + e.what() + "\n";
  }
  return result;
}

void Job::check_inputs() const {
  for (const Input& input : options_.inputs) {
    std::error_code error;
    if (!fs::exists(input.path, error)) throw base::InputError({input.path, 0, 0}, "no such file");
  }
  const bool links = options_.stage == Stage::kLink && options_.link_runtime;
  if (links && !tools_.has_runtime && !options_.dry_run) {
    throw base::InputError("the runtime library libcastor_cudart.so is not beside castor-cc",
                           "build the target castor_cudart, or compile with -c or -ptx");
  }
}

int Job::finish(std::vector<Result>& results) {
  int code = kGood;
  for (const Result& result : results) {
    (options_.dry_run ? out_ : err_) << result.commands;
    err_ << result.text;
    code = std::max(code, result.code);
  }
  if (deferred_signal() != 0) return 128 + deferred_signal();
  return code;
}

/// Runs the step after all compilations: link, archive, or device link.
int Job::combine() {
  std::vector<std::string> objects;
  for (std::size_t i = 0; i < options_.inputs.size(); ++i) {
    const Input& input = options_.inputs[i];
    objects.push_back(input.kind == InputKind::kObject ? input.path : output_of(i));
  }
  Result result;
  std::string errors;
  bool good = true;
  if (options_.stage == Stage::kLink) {
    const std::string output = options_.output.empty() ? "a.out" : options_.output;
    if (!options_.dry_run) {
      good = link_device_code(objects, temporary(0, "linked", ".o"), result);
      const std::string note = settle_openmp(options_.link_flags, [&] { return needs_clangs_openmp(objects); });
      if (!note.empty()) result.text += "castor-cc: note: " + note + "\n";
    }
    good = good && execute(link_command(tools_, options_, objects, output), result, errors);
    if (errors.find("cannot find -lomp") != std::string::npos) {
      errors += "castor-cc: note: clang's OpenMP library is not installed: apt-get install libomp-14-dev\n";
    } else if (errors.find("undefined reference to `__kmpc_") != std::string::npos) {
      errors += "castor-cc: note: an object was compiled with -fopenmp: give -Xcompiler -fopenmp at the link, too\n";
    }
  } else if (options_.stage == Stage::kArchive) {
    std::vector<std::string> command = {"ar", "rcs", options_.output.empty() ? "a.a" : options_.output};
    command.insert(command.end(), objects.begin(), objects.end());
    good = execute(command, result, errors);
  } else {
    const std::string output = options_.output.empty() ? "a_dlink.o" : options_.output;
    const std::size_t given = objects.size();
    if (!options_.dry_run) good = link_device_code(objects, output, result);
    // Without device code to link, the output is an empty object, since some Makefiles run -dlink on such files.
    if (good && objects.size() == given) {
      good = execute({tools_.clang_c, "-x", "c", "-c", "/dev/null", "-o", output}, result, errors);
    }
  }
  result.code = good ? kGood : kFailed;
  result.text += errors;
  std::vector<Result> results = {std::move(result)};
  return finish(results);
}

int Job::run() {
  check_inputs();
  for (const std::string& note : options_.notes) err_ << "castor-cc: warning: " << note << "\n";
  if (!options_.dry_run) temporary_.emplace();
  std::size_t sources = 0;
  for (const Input& input : options_.inputs) sources += input.kind != InputKind::kObject ? 1 : 0;
  if (options_.stage != Stage::kDeviceLink && sources > 0) {
    // With one dependency file per object, the file's name must follow the source. The compiler would derive it from
    // the temporary object instead.
    const auto& depend = options_.depend_flags;
    const bool wants_file = std::find_if(depend.begin(), depend.end(), [](const std::string& f) {
                              return f == "-MD" || f == "-MMD";
                            }) != depend.end();
    const bool names_file = std::find(depend.begin(), depend.end(), "-MF") != depend.end();
    if (wants_file && !names_file && options_.stage == Stage::kLink && sources == 1) {
      const std::string base = options_.output.empty() ? options_.inputs.front().path : options_.output;
      options_.depend_flags.insert(options_.depend_flags.end(),
                                   {"-MF", fs::path(base).replace_extension(".d").string()});
    }
    std::vector<Result> results(options_.inputs.size());
    std::size_t workers =
        options_.jobs > 0 ? static_cast<std::size_t>(options_.jobs) : std::max(1U, std::thread::hardware_concurrency());
    workers = std::min(workers, sources);
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
      for (std::size_t i = next++; i < results.size(); i = next++) results[i] = compile(i);
    };
    std::vector<std::thread> threads;
    for (std::size_t t = 1; t < workers; ++t) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
    const int code = finish(results);
    if (code != kGood) return code;
  }
  const bool combines =
      options_.stage == Stage::kLink || options_.stage == Stage::kArchive || options_.stage == Stage::kDeviceLink;
  return combines ? combine() : kGood;
}

int run_job(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  Options options = parse_command_line(arguments);
  if (options.stage == Stage::kHelp) {
    out << help_text();
    return kGood;
  }
  if (options.stage == Stage::kVersion) {
    out << "castor-cc " << CASTOR_CC_VERSION << ": CUDA compiler driver of Castor\n"
        << "Compatible with CUDA compilation tools, release " << CASTOR_CC_CUDA_VERSION << ", V"
        << CASTOR_CC_CUDA_VERSION << ".0\n";
    return kGood;
  }
  Toolchain tools = find_toolchain();
  return Job(std::move(options), std::move(tools), out, err).run();
}

}  // namespace

int run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  try {
    const int code = run_job(arguments, out, err);
    errno = 0;
    if (!out.flush() && errno != EPIPE)
      throw base::InputError("cannot write all of standard output", "is the disk full?");
    return code;
  } catch (const base::InputError& e) {
    err << "castor-cc: " << e.what() << "\n";
    return kWrongRequest;
  } catch (const std::exception& e) {
    err << "castor-cc: " << e.what() << "\n";
    return kFailed;
  }
}

}  // namespace castor::castor_cc
