// castor run: runs a compiled program, or a kernel of a PTX file.

#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "castor/base/error.h"
#include "castor/base/hash.h"
#include "castor/base/output_file.h"
#include "castor/base/terminal.h"
#include "castor/base/time.h"
#include "castor/base/words.h"
#include "castor/gpu/launch_check.h"
#include "castor/gpu/machine.h"
#include "platforms/cli/arguments.h"
#include "platforms/cli/commands.h"
#include "platforms/cli/files.h"
#include "platforms/cli/kernels.h"
#include "platforms/cli/supervise.h"
#include "runtime/module.h"
#include "runtime/open_device.h"
#include "runtime/run_options.h"
#include "runtime/run_record.h"

namespace castor::platforms::cli {
namespace {

using base::InputError;

struct RunRequest {
  std::string file;
  std::vector<std::string> program_arguments;
  std::string platform;
  std::vector<std::string> overrides;
  std::string replay;
  std::string report, timeline, wave;
  std::vector<std::string> wave_scopes;
  std::optional<std::uint64_t> timeline_from, timeline_to, wave_from, wave_to;
  bool summary = false;
  unsigned max_registers = 0;
  std::string marks;
  std::string kernel;
  std::string grid = "1";
  std::string block = "1";
  std::uint64_t shared = 0;
  std::vector<std::string> arguments;
  std::vector<std::string> dumps;
};

void set(const char* name, const std::string& value) {
  if (!value.empty()) ::setenv(name, value.c_str(), 1);
}

void set(const char* name, const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& one : values) text += (text.empty() ? "" : ";") + one;
  set(name, text);
}

void set(const char* name, const std::optional<std::uint64_t>& value) {
  if (value) set(name, std::to_string(*value));
}

/// Passes the options to the runtime through the environment: the runtime in this process and the runtime in the
/// program's process read them there.
void set_environment(const RunRequest& request) {
  set("CASTOR_PLATFORM", request.platform);
  set("CASTOR_SET", request.overrides);
  set("CASTOR_REPLAY", request.replay);
  set("CASTOR_REPORT", request.report);
  set("CASTOR_TIMELINE", request.timeline);
  set("CASTOR_TIMELINE_FROM", request.timeline_from);
  set("CASTOR_TIMELINE_TO", request.timeline_to);
  set("CASTOR_WAVE", request.wave);
  set("CASTOR_WAVE_FROM", request.wave_from);
  set("CASTOR_WAVE_TO", request.wave_to);
  set("CASTOR_WAVE_SCOPE", request.wave_scopes);
  if (request.summary) set("CASTOR_SUMMARY", "1");
  set("CASTOR_MARKS", request.marks);
  if (request.max_registers != 0) set("CASTOR_MAX_REGISTERS", std::to_string(request.max_registers));
}

/// Returns the files that the run writes at its end according to the options.
std::vector<std::string> files_of(const runtime::RunOptions& options) {
  std::vector<std::string> files;
  for (const std::string* const path :
       {&options.report, &options.device.recording.timeline, &options.device.recording.waves}) {
    if (!path->empty()) files.push_back(*path);
  }
  return files;
}

std::string joined(const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ", ") + base::printable(word, std::string::npos);
  return list;
}

/// Prints which processes of a run opened a device, unless exactly one device was opened. Returns the exit code.
int tell_opened(const std::string& program, const runtime::RunRecord& record, const runtime::RunOptions& options,
                int code) {
  const std::vector<runtime::RunRecord::Process> opened = record.opened();
  const std::vector<std::string> files = files_of(options);
  if (opened.empty()) {
    const std::string what = "neither '" + base::printable(program, std::string::npos) +
                             "' nor a process that it started opened a device: nothing was simulated";
    const std::string hint = " (programs that castor-cc has built do, at their first call of CUDA)";
    if (files.empty()) {
      base::complain("warning: " + what + hint);
      return code;
    }
    base::complain("error " + what + ", and nothing was written to " + joined(files) + hint);
    return code == kGood ? kWrongRequest : code;
  }
  if (opened.size() == 1 || opened.back().files.empty()) return code;
  std::string text = std::to_string(opened.size()) + " processes have opened a device, each with files of its own:";
  for (const runtime::RunRecord::Process& one : opened) {
    if (one.files.empty()) continue;
    text += "\n  " + base::printable(one.program.substr(one.program.rfind('/') + 1)) + " (process " +
            std::to_string(one.pid) + "): " + joined(one.files);
  }
  base::complain(text);
  return code;
}

// Runs the program in a process of its own. The runtime inside the program reads the options from the environment.
int run_program(const RunRequest& request) {
  if (!request.kernel.empty() || !request.arguments.empty() || !request.dumps.empty() || request.shared != 0) {
    throw InputError("--kernel, --arg, --dump and --shared are for PTX files; '" +
                     base::printable(request.file, std::string::npos) +
                     "' is no PTX file (its name does not end in .ptx)");
  }
  set_environment(request);
  const runtime::RunOptions options = runtime::options_from_environment();
  for (const std::string& path : files_of(options)) runtime::check_writable(path);
  runtime::Module::read_marks(options.marks, runtime::check_device(options.device));
  std::vector<std::string> words = request.program_arguments;
  words.insert(words.begin(), request.file);
  std::string& path = words.front();
  if (path.find('/') == std::string::npos && ::access(path.c_str(), X_OK) == 0) path.insert(0, "./");
  const runtime::RunRecord record;
  return supervise(words, [&](int code) { return tell_opened(request.file, record, options, code); });
}

isa::Type scalar_type(std::uint32_t size, const isa::Module& module, const std::string& kernel, std::size_t index) {
  const isa::Function* const function = module.find_function(kernel);
  if (function != nullptr && index < function->parameters.size()) {
    const isa::Variable& parameter = function->parameters[index];
    if (isa::bytes(parameter.type) == parameter.size) return parameter.type;
  }
  throw InputError("parameter " + std::to_string(index) + " of " + base::readable_name(kernel) + " is a struct of " +
                       std::to_string(size) + " bytes",
                   "give its bytes with hex: or file:");
}

struct Bound {
  Argument argument;
  std::uint64_t address = 0;  // address of the buffer in device memory
};

// Returns the parameter block; allocates and fills the buffers in device memory.
std::vector<std::byte> bind(gpu::Device& device, const isa::Module& module, const isa::Program& program,
                            std::vector<Bound>& bound) {
  if (bound.size() != program.parameters.size()) {
    throw InputError("kernel " + base::readable_name(program.kernel) + " takes " +
                         std::to_string(program.parameters.size()) + " arguments, " + std::to_string(bound.size()) +
                         " were given",
                     "one --arg for each, in order");
  }
  std::vector<std::byte> block(program.parameter_bytes);
  for (std::size_t i = 0; i < bound.size(); ++i) {
    const isa::Parameter& parameter = program.parameters[i];
    Argument& argument = bound[i].argument;
    std::vector<std::byte> bytes;
    const bool by_value = argument.buffer && parameter.size != 8 && argument.bytes.size() == parameter.size;
    if (by_value) {
      bytes = argument.bytes;  // the bytes of a struct
    } else if (argument.buffer) {
      if (parameter.size != 8) {
        throw InputError("argument " + std::to_string(i) + " is a buffer of " + std::to_string(argument.bytes.size()) +
                         " bytes, the parameter has " + std::to_string(parameter.size) +
                         " bytes: neither a pointer nor of the same size");
      }
      const auto address =
          device.store().allocate(argument.bytes.size(), gpu::AllocationKind::kHeap, "argument " + std::to_string(i));
      if (!address) throw InputError("device memory is too small for argument " + std::to_string(i));
      std::memcpy(device.store().host(*address), argument.bytes.data(), argument.bytes.size());
      bound[i].address = *address;
      bytes.resize(8);
      std::memcpy(bytes.data(), &*address, 8);
    } else {
      bytes = scalar_bytes(argument.scalar, scalar_type(parameter.size, module, program.kernel, i));
    }
    std::memcpy(block.data() + parameter.offset, bytes.data(), bytes.size());
  }
  return block;
}

void print_values(const Dump& dump, const Bound& bound, const std::byte* data) {
  const std::size_t size = bound.argument.bytes.size();
  const std::size_t element = std::max(isa::bytes(dump.type), 1U);
  std::size_t count = size / element;
  if (dump.count != 0 && dump.count < count) count = dump.count;
  std::printf("argument %zu:", dump.argument);
  for (std::size_t i = 0; i < count; ++i) std::printf(" %s", value_text(data + i * element, dump.type).c_str());
  std::printf("\n");
}

void dump_buffer(const Dump& dump, const Bound& bound, const std::byte* data, nlohmann::ordered_json& results) {
  const std::size_t size = bound.argument.bytes.size();
  const std::uint64_t hash = base::Hash().add_bytes(data, size).value();
  char text[32];
  std::snprintf(text, sizeof text, "%016" PRIx64, hash);
  results.push_back({{"argument", dump.argument}, {"bytes", size}, {"fnv1a64", text}});
  switch (dump.how) {
    case Dump::How::kHash:
      std::printf("argument %zu: fnv1a64 %s\n", dump.argument, text);
      break;
    case Dump::How::kHex: {
      std::printf("argument %zu: ", dump.argument);
      const std::size_t count = dump.count != 0 && dump.count < size ? dump.count : size;
      for (std::size_t i = 0; i < count; ++i) std::printf("%02x", static_cast<unsigned>(data[i]));
      std::printf("\n");
      break;
    }
    case Dump::How::kValues:
      print_values(dump, bound, data);
      break;
    case Dump::How::kFile: {
      base::write_file(dump.path, {reinterpret_cast<const char*>(data), size});
      std::printf("argument %zu: %zu bytes to %s\n", dump.argument, size, dump.path.c_str());
      break;
    }
  }
}

std::string choose_kernel(const isa::Module& module, const std::string& wanted) {
  std::vector<std::string> kernels;
  for (const isa::Function& function : module.functions) {
    if (function.entry && function.defined) kernels.push_back(function.name);
  }
  if (!wanted.empty()) return find_kernel(kernels, wanted, module.file);
  if (kernels.size() == 1) return kernels[0];
  std::string list;
  for (const std::string& kernel : kernels) list += (list.empty() ? "" : ", ") + base::readable_name(kernel);
  throw InputError(
      module.file + " has " + std::to_string(kernels.size()) + " kernels" + (list.empty() ? "" : ": " + list),
      "name one with --kernel");
}

int run_ptx(const RunRequest& request) {
  if (!request.program_arguments.empty()) {
    throw InputError("'" + base::printable(request.program_arguments[0]) + "' follows a PTX file",
                     "arguments of a kernel are given with --arg");
  }
  const std::string text = read_ptx(request.file).front();
  set_environment(request);
  runtime::RunOptions options = runtime::options_from_environment();
  runtime::RunRecord::claim(options);
  if (!options.report.empty()) runtime::check_writable(options.report);
  runtime::Module::set_register_cap(options.max_registers);
  std::vector<Bound> bound;
  for (const std::string& argument : request.arguments) bound.push_back({parse_argument(argument)});
  std::vector<Dump> dumps;
  for (const std::string& dump : request.dumps) {
    dumps.push_back(parse_dump(dump));
    if (dumps.back().argument >= bound.size() || !bound[dumps.back().argument].argument.buffer) {
      throw InputError("dump '" + base::printable(dump) + "': argument " + std::to_string(dumps.back().argument) +
                       " is no buffer");
    }
  }
  gpu::KernelPacket packet;
  std::uint32_t size[3];
  parse_dimensions(request.grid, "grid", size);
  packet.grid = {size[0], size[1], size[2]};
  parse_dimensions(request.block, "block", size);
  packet.block = {size[0], size[1], size[2]};
  packet.dynamic_shared = static_cast<std::uint32_t>(request.shared);

  const std::unique_ptr<gpu::Device> device = runtime::open_device(options.device);
  runtime::Module::read_marks(options.marks, device->machine());
  runtime::Module module(request.file, text);
  module.load(*device);
  const std::string kernel = choose_kernel(module.parsed(), request.kernel);
  runtime::LoadedKernel& loaded = *module.kernel(*device, kernel);
  module.fit(*device, loaded, packet.block.count());
  packet.program = loaded.handle;
  packet.parameters = bind(*device, module.parsed(), *loaded.program, bound);
  const gpu::Ticket ticket = device->submit(0, std::move(packet));
  runtime::interrupt_on_signals(device.get());
  runtime::watch_calls();
  gpu::Outcome outcome{};
  try {
    outcome = device->advance_until(ticket);
  } catch (const base::InputError&) {
    throw;
  } catch (const base::Error& error) {
    static_cast<void>(device->end_recording());
    throw base::Error(runtime::failed_text(error, *device));
  }
  runtime::interrupt_on_signals(nullptr);
  std::fflush(stdout);

  const bool interrupted = !device->fault() && outcome == gpu::Outcome::kInterrupted;
  const bool stopped = !device->fault() && outcome == gpu::Outcome::kStopped && !device->complete(ticket);
  const bool done = !device->fault() && !interrupted && !stopped;
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  if (done) {
    for (const Dump& dump : dumps) {
      const Bound& buffer = bound[dump.argument];
      const std::byte* const data =
          buffer.address != 0 ? device->store().host(buffer.address) : buffer.argument.bytes.data();
      dump_buffer(dump, buffer, data, results);
    }
    std::fflush(stdout);
    if (!options.summary) {
      const gpu::KernelStatistics& statistics = device->kernels().back();
      std::fprintf(stderr, "%s: %" PRIu64 " thread blocks, %" PRIu64 " warp instructions, %u registers, on %s (%s)\n",
                   base::readable_name(kernel).c_str(), statistics.thread_blocks, statistics.warp_instructions,
                   loaded.program->registers, device->machine().name.c_str(),
                   device->has_timing() ? "timing" : "functional");
    }
  } else {
    runtime::complain(interrupted ? runtime::interrupted_text(*device)
                      : stopped   ? device->stopped()
                                  : device->fault()->message);
  }
  std::string report;
  if (!options.report.empty() || options.summary) {
    auto content = nlohmann::ordered_json::parse(device->report_json());
    if (done) content["buffers"] = std::move(results);
    report = content.dump(2);
  }
  const bool written = runtime::end_run(*device, options, report);
  if (interrupted) return runtime::interrupted_code();
  if (!done && !stopped) return kFailed;
  return written ? kGood : kWrongRequest;
}

/// Returns whether a file is PTX, judged by its name. castor-cc also writes PTX into .cubin and .fatbin files.
bool is_ptx(const std::string& file) {
  const auto ends_with = [&](const std::string& end) {
    return file.size() > end.size() && file.compare(file.size() - end.size(), end.size(), end) == 0;
  };
  return ends_with(".ptx") || ends_with(".cubin") || ends_with(".fatbin");
}

}  // namespace

std::vector<std::string> protect_program_arguments(std::vector<std::string> arguments) {
  if (arguments.empty() || arguments[0] != "run") return arguments;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "--") return arguments;
    if (word.empty() || word[0] != '-') {
      if (!is_ptx(word)) arguments.insert(arguments.begin() + static_cast<std::ptrdiff_t>(i), "--");
      return arguments;
    }
    const bool flag =
        word == "--functional" || word == "--summary" || word == "--mangled" || word == "--help" || word == "-h";
    // The option's value is part of the same word: -pNAME or --name=value.
    const bool attached = word.find('=') != std::string::npos || (word[1] != '-' && word.size() > 2);
    if (!flag && !attached) ++i;  // skips the option's value
  }
  return arguments;
}

void add_run(CLI::App& app, int& result) {
  auto request = std::make_shared<RunRequest>();
  CLI::App* const run = app.add_subcommand("run", "Run a program built by castor-cc, or a kernel of a PTX file");
  const auto file = [run](const char* name, std::string& path, const char* meaning) {
    run->add_option(name, path, meaning)->type_name("FILE");
  };
  const CLI::Validator whole = CLI::Validator(CLI::NonNegativeNumber).description("");
  const auto cycle = [run, &whole](const char* name, std::optional<std::uint64_t>& at, const char* meaning) {
    run->add_option(name, at, meaning)->type_name("CYCLE")->check(whole);
  };
  run->add_option("file", request->file, "Program, or file.ptx")->required();
  run->add_option("arguments", request->program_arguments, "Arguments of the program");
  run->add_option("-p,--platform", request->platform, "Machine: a shipped name, a YAML file, or a report of a run")
      ->type_name("NAME");
  run->add_option("--set", request->overrides, "Overrides a value of the machine (repeatable)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  run->add_flag_callback(
      "--functional", [request] { request->overrides.emplace_back("run.functional=1"); },
      "The functional machine: same results, no timing, faster");
  file("--replay", request->replay, "SMs replay the service times of this file, execute nothing");
  run->add_flag("--summary", request->summary, "Lines for people on stderr at the end");
  add_mangled(*run);
  file("--report", request->report, "Write a JSON report");
  file("--timeline", request->timeline, "Write a timeline, for ui.perfetto.dev");
  cycle("--timeline-from", request->timeline_from, "First cycle of the timeline");
  cycle("--timeline-to", request->timeline_to, "Last cycle of the timeline");
  file("--wave", request->wave, "Write waves (VCD), for GTKWave");
  cycle("--wave-from", request->wave_from, "First cycle of the waves");
  cycle("--wave-to", request->wave_to, "Last cycle of the waves");
  run->add_option("--wave-scope", request->wave_scopes,
                  "Instances in the waves, such as gpu.sm0 or 'gpu.slice*' (repeatable)")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  run->add_option("--max-registers", request->max_registers,
                  "Limit of registers per thread; further values are spilled to local memory")
      ->check(CLI::Range(16U, 256U).description("16..256"));
  file("--marks", request->marks, "Marks of redundant instructions, as castor list marks prints them");
  run->add_option("--kernel", request->kernel,
                  "PTX: entry to run, by any of its names; not needed if it is the only one")
      ->type_name("NAME");
  run->add_option("--grid", request->grid, "PTX: thread blocks, X[,Y[,Z]]")->type_name("DIM")->capture_default_str();
  run->add_option("--block", request->block, "PTX: threads per block, X[,Y[,Z]]")
      ->type_name("DIM")
      ->capture_default_str();
  run->add_option("--shared", request->shared, "PTX: bytes of dynamic shared memory")
      ->type_name("BYTES")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{0xffffffff}).description(""));
  run->add_option("--arg", request->arguments,
                  "PTX: next argument, a number or a buffer: zeros:N, zeros:NxTYPE,\n"
                  "iota:NxTYPE[:START], random:NxTYPE[:SEED], value:NxTYPE:V,\n"
                  "hex:BYTES, file:PATH")
      ->type_name("WHAT")
      ->allow_extra_args(false);
  run->add_option("--dump", request->dumps,
                  "PTX: buffer to show afterwards: INDEX:hex[:COUNT], INDEX:hash,\n"
                  "INDEX:TYPE[:COUNT], INDEX:file:PATH")
      ->type_name("WHAT")
      ->allow_extra_args(false);
  run->footer(
      "Example: castor run saxpy.ptx --grid 4 --block 256 --arg 1024 --arg 2.0 \\\n"
      "           --arg iota:1024xf32 --arg zeros:1024xf32 --dump 3:f32:8");
  run->callback([request, &result] { result = is_ptx(request->file) ? run_ptx(*request) : run_program(*request); });
}

}  // namespace castor::platforms::cli
