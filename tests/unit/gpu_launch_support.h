#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "castor/gpu/functional/functional_device.h"
#include "castor/gpu/link_options.h"
#include "castor/gpu/timing_device.h"
#include "compiler/compiler.h"
#include "platforms/machines.h"
#include "ptx/parser.h"
#include "tests/unit/gpu_trace_support.h"

// Shared code of the tests of launches by device code: PTX of the calls, a device with a module, and a log of its
// events.
namespace castor::gpu::launch_test {

inline Machine machine(const std::string& name, const std::vector<std::string>& overrides = {}) {
  return platforms::load_machine(name, overrides).machine;
}

// --- PTX ------------------------------------------------------------------------------------------------------------

inline const char* const kDeclared = R"(.version 7.0
.target sm_60
.address_size 64
.extern .func (.param .b64 r) cudaGetParameterBuffer (.param .b64 a, .param .b64 b);
.extern .func (.param .b32 r) cudaLaunchDevice (.param .b64 a, .param .b64 b, .param .align 4 .b8 c[12],
  .param .align 4 .b8 d[12], .param .b32 e, .param .b64 f);
.extern .func (.param .b64 r) cudaGetParameterBufferV2 (.param .b64 a, .param .align 4 .b8 b[12],
  .param .align 4 .b8 c[12], .param .b32 d);
.extern .func (.param .b32 r) cudaLaunchDeviceV2 (.param .b64 a, .param .b64 b);
.extern .func (.param .b32 r) cudaDeviceSynchronize ();
.extern .func (.param .b32 r) cudaGetLastError ();
.extern .func (.param .b32 r) cudaStreamCreateWithFlags (.param .b64 a, .param .b32 b);
.extern .func (.param .b32 r) cudaStreamWaitEvent (.param .b64 a, .param .b64 b, .param .b32 c);
.extern .func (.param .b32 r) cudaEventCreateWithFlags (.param .b64 a, .param .b32 b);
.extern .func (.param .b32 r) cudaEventRecord (.param .b64 a, .param .b64 b);
)";

/// Returns PTX that gets a buffer of `bytes` bytes into `to`.
inline std::string get_buffer(const std::string& to, const std::string& bytes) {
  return "{ .param .b64 a; st.param.b64 [a+0], 8; .param .b64 b; st.param.b64 [b+0], " + bytes +
         "; .param .b64 r;\n call.uni (r), cudaGetParameterBuffer, (a, b); ld.param.b64 " + to + ", [r+0]; }\n";
}
struct Shape {
  std::string grid = "1", block = "1", shared = "0", stream = "0";
};
/// Returns PTX that launches `kernel` (a name) with a buffer and puts the call's result into `to`. Clobbers %rd99.
inline std::string launch(const std::string& to, const std::string& kernel, const std::string& buffer,
                          const Shape& shape = {}) {
  const auto axes = [](const std::string& name, const std::string& x) {
    return ".param .align 4 .b8 " + name + "[12]; st.param.b32 [" + name + "+0], " + x + "; st.param.b32 [" + name +
           "+4], 1; st.param.b32 [" + name + "+8], 1;\n";
  };
  return "mov.u64 %rd99, " + kernel + ";\n{ .param .b64 k; st.param.b64 [k+0], %rd99; .param .b64 p; " +
         "st.param.b64 [p+0], " + buffer + ";\n" + axes("g", shape.grid) + axes("b", shape.block) +
         ".param .b32 s; st.param.b32 [s+0], " + shape.shared + "; .param .b64 q; st.param.b64 [q+0], " + shape.stream +
         "; .param .b32 r;\n call.uni (r), cudaLaunchDevice, (k, p, g, b, s, q); ld.param.b32 " + to + ", [r+0]; }\n";
}
/// Returns PTX that creates a stream. The call's result goes into `to`, the handle to the address in `at`.
inline std::string create_stream(const std::string& to, const std::string& at) {
  return "{ .param .b64 a; st.param.b64 [a+0], " + at + "; .param .b32 b; st.param.b32 [b+0], 1; .param .b32 r;\n" +
         " call.uni (r), cudaStreamCreateWithFlags, (a, b); ld.param.b32 " + to + ", [r+0]; }\n";
}
inline std::string synchronize(const std::string& to) {
  return "{ .param .b32 r; call.uni (r), cudaDeviceSynchronize, (); ld.param.b32 " + to + ", [r+0]; }\n";
}
/// Returns a kernel with the parameters out (u64, in %rd0) and number (u32, in %r0). %r1 holds %tid.x, %r2 holds
/// %ctaid.x.
inline std::string kernel(const std::string& name, const std::string& body) {
  return ".visible .entry " + name + "(.param .u64 out, .param .u32 number)\n{\n" +
         ".reg .b32 %r<100>; .reg .b64 %rd<100>; .reg .pred %p<20>;\n" +
         "ld.param.u64 %rd0, [out]; ld.param.u32 %r0, [number]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n" + body +
         "\nret;\n}\n";
}
/// Returns PTX that gets a buffer into `to` and stores the two parameters of `kernel` in it.
inline std::string arguments(const std::string& to, const std::string& out, const std::string& number) {
  return get_buffer(to, "16") + "st.u64 [" + to + "], " + out + ";\nst.u32 [" + to + "+8], " + number + ";\n";
}
/// Returns PTX that computes `to` = out + 4 * `index`.
inline std::string word(const std::string& to, const std::string& index) {
  return "mul.wide.u32 " + to + ", " + index + ", 4;\nadd.u64 " + to + ", " + to + ", %rd0;\n";
}
/// Returns PTX that keeps the warp busy until its clock has advanced by that many ticks. `label` must be unique in the
/// kernel.
inline std::string spend(const std::string& ticks, const std::string& label) {
  return "mov.u64 %rd98, %clock64;\n" + label + ":\nmov.u64 %rd97, %clock64;\nsub.u64 %rd97, %rd97, %rd98;\n" +
         "setp.lt.u64 %p19, %rd97, " + ticks + ";\n@%p19 bra " + label + ";\n";
}
/// out[number] += 1.
inline const std::string kCount = kernel("count", word("%rd1", "%r0") + "red.global.add.u32 [%rd1], 1;");
/// Each thread of blocks of 50 launches once, as fast as the machine accepts launches. out[i] counts the child of
/// thread i, out[2048 + i] is the result of its launch. Stream handles are stored from byte 16384 on.
inline const std::string kBurst =
    kCount + kernel("parent", "mad.lo.u32 %r3, %r2, 50, %r1;\n" + arguments("%rd4", "%rd0", "%r3") +
                                  "add.u32 %r8, %r3, 2048;\n" + word("%rd8", "%r8") + word("%rd7", "%r3") +
                                  "mul.wide.u32 %rd6, %r3, 8; add.u64 %rd6, %rd6, %rd0; add.u64 %rd6, %rd6, 16384;\n" +
                                  create_stream("%r5", "%rd6") + "ld.u64 %rd3, [%rd6];\n" +
                                  launch("%r4", "count", "%rd4", {"1", "1", "0", "%rd3"}) + "st.u32 [%rd8], %r4;");

// --- A device -------------------------------------------------------------------------------------------------------

/// All kernels of a module on a device, including those that other kernels name.
class Loaded {
 public:
  Loaded(Device& device, const std::string& text) {
    const isa::Module module = ptx::parse(kDeclared + text, "test.ptx");
    isa::LinkOptions options = link_options(device.machine());
    options.code_values =
        device.store().allocate(8 * module.functions.size(), AllocationKind::kCode, "functions", 256).value();
    for (std::size_t i = 0; i < module.functions.size(); ++i) {
      options.symbols[module.functions[i].name] = options.code_values + 8 * i;
    }
    for (const isa::Function& function : module.functions) {
      if (!function.entry || !function.defined) continue;
      programs_[function.name] = compiler::compile(module, function.name, options);
      handles_[function.name] = device.load(programs_[function.name]);
    }
    for (const auto& [name, handle] : handles_) device.name_kernel(options.symbols.at(name), handle);
  }
  [[nodiscard]] ProgramHandle operator[](const std::string& kernel) const { return handles_.at(kernel); }
  [[nodiscard]] const isa::Program& program(const std::string& kernel) const { return *programs_.at(kernel); }
  /// Returns the indices of a kernel's records that make the given call.
  [[nodiscard]] std::vector<std::uint32_t> calls(const std::string& kernel, isa::RuntimeCall call) const {
    std::vector<std::uint32_t> found;
    const auto& code = program(kernel).code;
    for (std::uint32_t pc = 0; pc < code.size(); ++pc) {
      if (code[pc].kind == isa::Kind::kRuntimeCall && static_cast<isa::RuntimeCall>(code[pc].imm) == call)
        found.push_back(pc);
    }
    return found;
  }

 private:
  std::map<std::string, std::shared_ptr<const isa::Program>> programs_;
  std::map<std::string, ProgramHandle> handles_;
};

/// Host side of a test: shorthands for a device of either type.
class Host {
 public:
  Host(Device& device, const std::string& text) : device_(device), loaded(device, text) {}

  std::uint64_t words(std::size_t count) {
    const std::uint64_t address = device_.store().allocate(4 * count, AllocationKind::kHeap).value();
    std::memset(device_.store().host(address), 0, 4 * count);
    return address;
  }
  [[nodiscard]] std::vector<std::uint32_t> values(std::uint64_t address, std::size_t count) {
    std::vector<std::uint32_t> result(count);
    std::memcpy(result.data(), device_.store().host(address), 4 * count);
    return result;
  }
  [[nodiscard]] std::uint32_t value(std::uint64_t address, std::size_t index = 0) {
    return values(address + 4 * index, 1)[0];
  }
  void set(std::uint64_t address, const std::vector<std::uint32_t>& values) {
    std::memcpy(device_.store().host(address), values.data(), 4 * values.size());
  }
  Ticket submit(const std::string& kernel, std::uint64_t out, std::uint32_t number = 0, unsigned blocks = 1,
                unsigned threads = 1, unsigned queue = 0) {
    KernelPacket packet;
    packet.program = loaded[kernel];
    packet.grid = {blocks, 1, 1};
    packet.block = {threads, 1, 1};
    packet.parameters.resize(12);
    std::memcpy(&packet.parameters[0], &out, 8);
    std::memcpy(&packet.parameters[8], &number, 4);
    return device_.submit(queue, std::move(packet));
  }
  Outcome run(const std::string& kernel, std::uint64_t out, std::uint32_t number = 0, unsigned blocks = 1,
              unsigned threads = 1) {
    return device_.advance_until(submit(kernel, out, number, blocks, threads));
  }
  /// Text of a fault or deadlock, for messages.
  [[nodiscard]] std::string said() const { return device_.fault() ? device_.fault()->message : "no fault"; }

 private:
  Device& device_;

 public:
  Loaded loaded;
};

/// Log of the events that an observer receives.
class Events final : public Observer {
 public:
  struct Of {
    Ticket ticket = 0;
    Cycle granted = 0, written = 0, completed = 0;
    Cycle placed = 0;  ///< first TB
    std::uint64_t tbs = 0, started = 0, retired = 0;
    std::string name;
  };
  void issued(const Issue& e) override {
    if (!keep_issues) return;
    issues.push_back(e);
    names.push_back(e.kernel->program->kernel);
  }
  void kernel_granted(const Kernel& e) override {
    order.push_back(e.ticket);
    Of& of = at(e.ticket);
    of.granted = e.cycle;
    of.name = *e.name;
  }
  void kernel_written(const Kernel& e) override {
    at(e.ticket).written = e.cycle;
    in_table[e.entry] = e.ticket;
  }
  void kernel_completed(const Kernel& e) override { at(e.ticket).completed = e.cycle; }
  void tb_placed(const Tb& e) override {
    Of& of = at(kernel_of(e));
    if (of.tbs++ == 0) of.placed = e.cycle;
  }
  void tb_started(const Tb& e) override { ++at(kernel_of(e)).started; }
  void tb_retired(const Tb& e) override { ++at(kernel_of(e)).retired; }
  /// Returns the kernel with which a thread block runs. A thread block of a group has the ticket of its own launch.
  [[nodiscard]] Ticket kernel_of(const Tb& e) const {
    return e.group == kNoGroup ? e.kernel->ticket : in_table.at(e.kernel->entry);
  }

  /// Returns the kernels of that name in the order of their grants.
  [[nodiscard]] std::vector<Of> of(const std::string& name) const {
    std::vector<Of> found;
    for (const Ticket ticket : order) {
      if (kernels.at(ticket).name == name) found.push_back(kernels.at(ticket));
    }
    return found;
  }
  struct Step {
    Issue call, next;
  };
  /// Returns each issue of record `pc` of a kernel, with the instruction that the same warp issued next.
  [[nodiscard]] std::vector<Step> steps(const std::string& kernel, std::uint32_t pc) const {
    std::vector<Step> found;
    for (std::size_t i = 0; i < issues.size(); ++i) {
      const Issue& call = issues[i];
      if (call.pc != pc || names[i] != kernel) continue;
      const auto next = std::find_if(issues.begin() + static_cast<std::ptrdiff_t>(i) + 1, issues.end(),
                                     [&](const Issue& e) { return e.sm == call.sm && e.warp == call.warp; });
      if (next != issues.end()) found.push_back({call, *next});
    }
    return found;
  }

  bool keep_issues = false;
  std::vector<Issue> issues;
  std::vector<std::string> names;  ///< kernel name of each issue, since its context may be reused later
  std::map<Ticket, Of> kernels;
  std::map<unsigned, Ticket> in_table;  ///< by entry
  std::vector<Ticket> order;

 private:
  Of& at(Ticket ticket) {
    Of& of = kernels[ticket];
    of.ticket = ticket;
    return of;
  }
};

/// The machine with timing and a module. Only one per process.
class Timed {
 public:
  Timed(const Machine& m, const std::string& text, bool keep_issues = false)
      : device(m, options(events, keep_issues)), host(device, text) {}

  [[nodiscard]] std::uint64_t statistic(const std::string& name) {
    const base::Statistic* const found = device.gpu().statistics().find(name);
    EXPECT_NE(found, nullptr) << name;
    return found == nullptr ? 0 : found->integer();
  }
  [[nodiscard]] std::uint64_t launches() { return statistic("front_end.device_launches.launches"); }
  [[nodiscard]] std::uint64_t granted() { return statistic("front_end.device_launches.granted"); }
  [[nodiscard]] std::uint64_t dropped() { return statistic("front_end.device_launches.dropped"); }
  [[nodiscard]] Cycle cycle(Picoseconds time) { return device.gpu().clock().first_at_or_after(time); }
  /// Returns the cycle in which a ticket of the host was complete.
  [[nodiscard]] Cycle completed(Ticket ticket) { return cycle(device.completion_time(ticket)); }

  Events events;
  TimingDevice device;
  Host host;

 private:
  static TimingDevice::Options options(Events& events, bool keep_issues) {
    events.keep_issues = keep_issues;
    TimingDevice::Options all;
    all.gpu.observer = &events;
    return all;
  }
};

/// Returns the result of `work`, run in a new process.
inline std::string in_process(const std::function<std::string()>& work) {
  const TemporaryPath file(".txt");
  const pid_t child = fork();
  if (child == 0) {
    try {
      std::ofstream(file.path()) << work();
    } catch (const std::exception& error) {
      std::cerr << error.what() << '\n';
      _exit(1);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  return file.text();
}

}  // namespace castor::gpu::launch_test
