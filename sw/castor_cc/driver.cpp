#include "castor_cc/driver.h"

#include <algorithm>
#include <atomic>
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
#include "castor_cc/diagnostics.h"
#include "castor_cc/ir_copies.h"
#include "castor_cc/options.h"
#include "castor_cc/process.h"
#include "castor_cc/ptx_text.h"
#include "castor_cc/toolchain.h"

namespace castor::castor_cc {
namespace {

namespace fs = std::filesystem;

constexpr int kGood = 0;
constexpr int kFailed = 1;
constexpr int kWrongRequest = 2;

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.flush();
  if (!out) throw base::InputError({path, 0, 0}, "cannot write the file");
}

std::string with_extension(const std::string& source, const char* extension) {
  return fs::path(source).filename().replace_extension(extension).string();
}

/// One run of the driver: what is common to all its files.
class Job {
 public:
  Job(Options options, Toolchain tools, std::ostream& out, std::ostream& err)
      : options_(std::move(options)), tools_(std::move(tools)), out_(out), err_(err) {}

  int run();

 private:
  struct Result {
    int code = kGood;
    std::string commands;  ///< for -v and --dryrun
    std::string text;      ///< diagnostics
  };

  Result compile(std::size_t index);
  Result compile_cuda(const Input& input, const std::string& mode, const std::string& output, std::size_t index);
  bool make_ptx(const Input& input, const std::string& ptx, std::size_t index, Result& result);
  bool execute(const std::vector<std::string>& command, Result& result, std::string& error_text);
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
};

std::string Job::temporary(std::size_t index, const std::string& path, const char* extension) const {
  const std::string base = temporary_ ? temporary_->path() : "/tmp/castor-cc-XXXXXX";
  return base + "/" + std::to_string(index) + "-" + with_extension(path, extension);
}

bool Job::execute(const std::vector<std::string>& command, Result& result, std::string& error_text) {
  if (options_.verbose || options_.dry_run) result.commands += "#$ " + shell_line(command) + "\n";
  if (options_.dry_run) return true;
  if (deferred_signal() != 0) return false;
  ProcessResult process = run_process(command);
  error_text += process.error_text;
  return process.exit_code == 0;
}

bool Job::make_ptx(const Input& input, const std::string& ptx, std::size_t index, Result& result) {
  std::string errors;
  std::string ir;
  bool good = true;
  if (input.kind == InputKind::kOpenCl) {
    good = execute(opencl_command(tools_, options_, input.path, ptx), result, errors);
  } else {
    const std::string ir_file = temporary(index, input.path, ".ll");
    good = execute(device_command(tools_, options_, input.path, ir_file), result, errors);
    if (good && !options_.dry_run) {
      ir = read_file(ir_file);
      if (optimises_device(options_)) write_file(ir_file, widen_copies(ir));
    }
    good = good && execute(code_command(tools_, options_, ir_file, ptx), result, errors);
  }
  if (options_.dry_run) return true;
  result.text += translate_device_errors(errors, input.path, ir);
  if (!good) {
    result.code = kFailed;
    return false;
  }
  std::string text = read_file(ptx);
  const std::vector<std::string> missing = unresolved_names(text);
  for (const std::string& name : missing) {
    result.text += input.path + ": error: device code uses '" + readable_name(name) +
                   "', which this file declares but does not define\n";
  }
  if (!missing.empty()) {
    result.text +=
        input.path +
        ": note: castor-cc compiles the device code of each file by itself (no -rdc linking): define it in a "
        "header, or #include the .cu file that defines it\n";
    result.code = kFailed;
    return false;
  }
  if (options_.max_registers > 0) write_file(ptx, cap_registers(text, options_.max_registers));
  return true;
}

Job::Result Job::compile_cuda(const Input& input, const std::string& mode, const std::string& output,
                              std::size_t index) {
  Result result;
  const std::string ptx = options_.keep ? with_extension(input.path, ".ptx") : temporary(index, input.path, ".ptx");
  if (!make_ptx(input, ptx, index, result)) return result;
  const std::string device_text = result.text;
  std::string host_errors;
  if (!execute(host_command(tools_, options_, input, mode, ptx, output), result, host_errors)) result.code = kFailed;
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
  if (options_.stage == Stage::kPtx) return with_extension(input.path, ".ptx");
  if (options_.stage == Stage::kAssembly) return with_extension(input.path, ".s");
  return {};
}

Job::Result Job::compile(std::size_t index) {
  const Input& input = options_.inputs[index];
  Result result;
  if (input.kind == InputKind::kObject) return result;
  const std::string output = output_of(index);
  try {
    if (options_.stage == Stage::kPtx || input.kind == InputKind::kOpenCl) {
      if (!make_ptx(input, output, index, result) && !options_.dry_run) {
        std::error_code ignored;  // the file may not exist
        fs::remove(output, ignored);
      }
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
    result.text += without_repeats(errors, "");
  } catch (const base::InputError& e) {
    result.code = kWrongRequest;
    result.text += std::string("castor-cc: ") + e.what() + "\n";
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

/// The step after the objects: link, archive, or the empty object of a device link.
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
    good = execute(link_command(tools_, options_, objects, output), result, errors);
  } else if (options_.stage == Stage::kArchive) {
    std::vector<std::string> command = {"ar", "rcs", options_.output.empty() ? "a.a" : options_.output};
    command.insert(command.end(), objects.begin(), objects.end());
    good = execute(command, result, errors);
  } else {
    const std::string output = options_.output.empty() ? "a_dlink.o" : options_.output;
    good = execute({tools_.clang_c, "-x", "c", "-c", "/dev/null", "-o", output}, result, errors);
  }
  result.code = good ? kGood : kFailed;
  result.text = errors;
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
    // With one dependency file per object the name follows the source; the compiler would derive it from the temporary
    // object instead.
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

}  // namespace

int run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  try {
    Options options = parse_command_line(arguments);
    if (options.stage == Stage::kHelp) {
      out << help_text();
      return kGood;
    }
    if (options.stage == Stage::kVersion) {
      out << "castor-cc " << CASTOR_CC_VERSION << ": CUDA compiler driver of Castor\n"
          << "Compatible with CUDA compilation tools, release 11.2, V11.2.0\n";
      return kGood;
    }
    Toolchain tools = find_toolchain();
    return Job(std::move(options), std::move(tools), out, err).run();
  } catch (const base::InputError& e) {
    err << "castor-cc: " << e.what() << "\n";
    return kWrongRequest;
  } catch (const std::exception& e) {
    err << "castor-cc: " << e.what() << "\n";
    return kFailed;
  }
}

}  // namespace castor::castor_cc
