#pragma once

#include <array>
#include <tuple>

#include "platforms/blocks.h"
#include "tests/common/sanitized.h"
#include "tests/unit/gpu_launch_support.h"

// Shared code of the tests of groups of thread blocks that device code launches (cudaLaunchAggGroup): PTX of the call,
// machines with and without the block, and a log of each thread block.
namespace castor::gpu::launch_test {

// --- PTX ------------------------------------------------------------------------------------------------------------

inline const char* const kGroupDeclared = R"(
.extern .func (.param .b32 r) cudaLaunchAggGroup (.param .b64 kernel, .param .b64 buffer,
  .param .align 4 .b8 groups[12], .param .align 4 .b8 block[12], .param .b32 shared);
)";

struct GroupShape {
  std::array<std::string, 3> grid = {"1", "1", "1"};
  std::array<std::string, 3> block = {"1", "1", "1"};
  std::string shared = "0";
};
inline GroupShape flat(const std::string& grid, const std::string& block) {
  return {{grid, "1", "1"}, {block, "1", "1"}, "0"};
}
/// Returns PTX that launches a group of `kernel` (a name, or a register) with a buffer and puts the call's result into
/// `to`. Clobbers %rd99.
inline std::string launch_group(const std::string& to, const std::string& kernel, const std::string& buffer,
                                const GroupShape& shape) {
  const auto axes = [](const std::string& name, const std::array<std::string, 3>& of) {
    return ".param .align 4 .b8 " + name + "[12]; st.param.b32 [" + name + "+0], " + of[0] + "; st.param.b32 [" + name +
           "+4], " + of[1] + "; st.param.b32 [" + name + "+8], " + of[2] + ";\n";
  };
  return "mov.u64 %rd99, " + kernel + ";\n{ .param .b64 k; st.param.b64 [k+0], %rd99; .param .b64 p; " +
         "st.param.b64 [p+0], " + buffer + ";\n" + axes("g", shape.grid) + axes("b", shape.block) +
         ".param .b32 s; st.param.b32 [s+0], " + shape.shared + "; .param .b32 r;\n" +
         " call.uni (r), cudaLaunchAggGroup, (k, p, g, b, s); ld.param.b32 " + to + ", [r+0]; }\n";
}
/// Returns PTX that waits until the word at an address is at least `value`. Clobbers %r96, %p17. `label` must be unique
/// in the kernel.
inline std::string await(const std::string& address, const std::string& value, const std::string& label) {
  return label + ":\nld.volatile.global.u32 %r96, [" + address + "];\nsetp.lt.u32 %p17, %r96, " + value +
         ";\n@%p17 bra " + label + ";\n";
}
inline std::string add(const std::string& address, const std::string& value) {
  return "red.global.add.u32 [" + address + "], " + value + ";\n";
}
/// Returns PTX that stores `value` at an address. Clobbers %r95.
inline std::string put(const std::string& address, const std::string& value) {
  return "mov.u32 %r95, " + value + ";\nst.volatile.global.u32 [" + address + "], %r95;\n";
}
/// Return PTX that branches to `label` if `a` and `b` are (not) equal. Clobbers %p18.
inline std::string go_if_equal(const std::string& a, const std::string& b, const std::string& label) {
  return "setp.eq.u32 %p18, " + a + ", " + b + ";\n@%p18 bra " + label + ";\n";
}
inline std::string go_unless_equal(const std::string& a, const std::string& b, const std::string& label) {
  return "setp.ne.u32 %p18, " + a + ", " + b + ";\n@%p18 bra " + label + ";\n";
}

// --- What happens ---------------------------------------------------------------------------------------------------

/// Log of every placement, in addition to the log of Events.
class GroupEvents final : public Observer {
 public:
  struct Placed {
    Cycle cycle = 0;
    unsigned sm = 0;
    Ticket ticket = 0;  ///< ticket of the kernel in the table
    std::uint64_t gid = 0;
    std::uint32_t group = kNoGroup;
    std::string kernel;
  };
  void issued(const Issue& e) override { all.issued(e); }
  void kernel_granted(const Kernel& e) override {
    all.kernel_granted(e);
    entries[e.ticket] = e.entry;
    log({0, e.cycle, e.ticket, e.entry, 0});
  }
  void kernel_written(const Kernel& e) override {
    all.kernel_written(e);
    log({1, e.cycle, e.ticket, e.entry, 0});
  }
  void kernel_completed(const Kernel& e) override {
    all.kernel_completed(e);
    log({2, e.cycle, e.ticket, e.entry, 0});
  }
  void tb_placed(const Tb& e) override {
    all.tb_placed(e);
    placed.push_back({e.cycle, e.sm, kernel_of(e), e.gid, e.group, e.kernel->program->kernel});
    log({3, e.cycle, kernel_of(e), e.gid, e.sm});
  }
  void tb_started(const Tb& e) override {
    all.tb_started(e);
    log({4, e.cycle, kernel_of(e), e.gid, e.sm});
  }
  void tb_retired(const Tb& e) override {
    all.tb_retired(e);
    ++retired[{kernel_of(e), e.group, e.gid}];
    log({5, e.cycle, kernel_of(e), e.gid, e.sm});
  }
  [[nodiscard]] Ticket kernel_of(const Tb& e) const { return all.kernel_of(e); }
  /// Returns the placements of groups' thread blocks, in order.
  [[nodiscard]] std::vector<Placed> of_groups() const {
    std::vector<Placed> found;
    for (const Placed& tb : placed) {
      if (tb.group != kNoGroup) found.push_back(tb);
    }
    return found;
  }

  using Event = std::array<std::uint64_t, 5>;
  Events all;
  std::vector<Placed> placed;
  std::map<Ticket, unsigned> entries;
  std::map<std::tuple<Ticket, std::uint32_t, std::uint64_t>, unsigned> retired;
  std::vector<Event> history;  ///< all events, with `keep_history`
  bool keep_history = false;

 private:
  void log(const Event& event) {
    if (keep_history) history.push_back(event);
  }
};

/// The machine with timing, with the blocks that its keys enable, and a module. Only one per process.
class GroupTimed {
 public:
  GroupTimed(const std::string& machine, const std::vector<std::string>& overrides, const std::string& text,
             bool keep_issues = false, bool keep_history = false, SmGovernor* governor = nullptr,
             const std::function<void(Hooks&)>& plug = {})
      : loaded(platforms::load_machine(machine, overrides)),
        device(loaded.machine, options(keep_issues, keep_history, governor, plug)),
        host(device, kGroupDeclared + text) {}

  [[nodiscard]] std::uint64_t statistic(const std::string& name) {
    const base::Statistic* const found = device.gpu().statistics().find(name);
    EXPECT_NE(found, nullptr) << name;
    return found == nullptr ? 0 : found->integer();
  }
  /// Returns a counter of the block.
  [[nodiscard]] std::uint64_t block(const std::string& name) { return statistic("front_end.launch_unit.dtbl." + name); }
  [[nodiscard]] std::uint64_t groups() { return statistic("front_end.device_launches.groups"); }
  [[nodiscard]] std::uint64_t fallbacks() { return statistic("front_end.device_launches.fallbacks"); }
  /// Returns what is left over although no launch is in flight any more, or an empty string.
  [[nodiscard]] std::string left() {
    device.gpu().check_invariants();
    std::string all;
    // Gives L2 time to finish its write-backs.
    static_cast<void>(device.advance_to(device.now() + device.gpu().clock().time_of(1000)));
    if (!device.gpu().idle()) all += " something goes on;";
    if (device.store().used(AllocationKind::kPool) != 0) all += " buffers are left;";
    for (const auto& [tb, times] : events.retired) {
      // A group's reference may be reused for a later group; a kernel's own block retires once.
      if (std::get<1>(tb) == kNoGroup && times != 1 && !blocks_leave) all += " a block retires more than once;";
    }
    for (const auto& [ticket, of] : events.all.kernels) {
      if (of.started != of.retired || of.tbs > of.started) all += " a block is lost;";
      if (of.tbs != of.started && !blocks_leave) all += " a block starts more than once;";
      if (of.granted != 0 && of.completed == 0) all += " a kernel does not complete;";
    }
    return all;
  }
  /// Returns times of the only issue of the call of `kernel` that launches groups, and of the next instruction of its
  /// warp.
  [[nodiscard]] Events::Step call(const std::string& kernel, std::size_t number = 0) const {
    const auto pcs = host.loaded.calls(kernel, isa::RuntimeCall::kLaunchGroup);
    const auto steps = events.all.steps(kernel, pcs.at(number));
    EXPECT_EQ(steps.size(), 1U) << "issues of the call";
    return steps.at(0);
  }

  bool blocks_leave = false;  ///< blocks that wait for launches are swapped out, and start again when they return
  platforms::LoadedMachine loaded;
  GroupEvents events;
  TimingDevice device;
  Host host;

 private:
  TimingDevice::Options options(bool keep_issues, bool keep_history, SmGovernor* governor,
                                const std::function<void(Hooks&)>& plug) {
    events.all.keep_issues = keep_issues;
    events.keep_history = keep_history;
    TimingDevice::Options all;
    platforms::plug_blocks(loaded, all);
    all.gpu.observer = &events;
    if (governor != nullptr) all.gpu.hooks.governors = {governor};
    if (plug) plug(all.gpu.hooks);
    return all;
  }
};

// --- The same on all machines ---------------------------------------------------------------------------------------

struct GroupMachine {
  std::string name;
  std::vector<std::string> overrides;
  bool functional = false;
  [[nodiscard]] bool block() const {
    return std::find(overrides.begin(), overrides.end(), "blocks.dtbl.enable=1") != overrides.end();
  }
  [[nodiscard]] std::string said() const {
    std::string all = name + (functional ? ", without timing" : "");
    for (const std::string& each : overrides) all += ' ' + each;
    return all;
  }
};
inline const std::vector<GroupMachine>& group_machines() {
  static const std::vector<GroupMachine> all = {
      {"tiny", {}, true},
      {"kepler_k20c", {}, true},
      {"kepler_ideal", {}},
      {"kepler_k20c", {}},
      {"kepler_ideal", {"blocks.dtbl.enable=1"}},
      {"kepler_k20c", {"blocks.dtbl.enable=1"}},
      {"kepler_k20c_study", {"blocks.dtbl.enable=1", "blocks.dtbl.hash_mode=1", "launch.commands=8"}},
      {"kepler_ideal", {"blocks.dtbl.enable=1", "blocks.dtbl.agt_size=1", "launch.commands=1"}},
      {"tiny", {"blocks.dtbl.enable=1", "blocks.dtbl.agt_size=16", "table.entries=3", "parse.latency=0"}},
  };
  return all;
}
/// Arguments of a test case. `timed` is null on the machine without timing.
struct GroupRun {
  Device& device;
  Host& host;
  GroupTimed* timed = nullptr;
  bool block = false;
};
using GroupWork = std::function<std::string(const GroupRun&)>;

/// Runs `work` on a machine in a new process. Returns its result and what is left over afterwards.
inline std::string on_machine(const GroupMachine& one, const std::string& text, const GroupWork& work) {
  return in_process([&] {
    std::string said;
    if (one.functional) {
      functional::FunctionalDevice device(machine(one.name, one.overrides), {});
      Host host(device, kGroupDeclared + text);
      said = work({device, host, nullptr, false});
      if (device.store().used(AllocationKind::kPool) != 0) said += " buffers are left;";
    } else {
      GroupTimed timed(one.name, one.overrides, text);
      said = work({timed.device, timed.host, &timed, one.block()});
      said += timed.left();
    }
    if (testing::Test::HasFailure()) said += " failed";
    return said;
  });
}
inline void on_all_machines(const std::string& text, const GroupWork& work, const std::string& expected = "right") {
  for (const GroupMachine& one : sample_if_sanitized(group_machines())) {
    EXPECT_EQ(on_machine(one, text, work), expected) << one.said();
  }
}
/// Returns "right", or the first word of `is` that differs from `should`.
inline std::string compared(const std::vector<std::uint32_t>& is, const std::vector<std::uint32_t>& should) {
  for (std::size_t i = 0; i < should.size(); ++i) {
    if (i >= is.size() || is[i] != should[i]) {
      return "word " + std::to_string(i) + " is " + std::to_string(is.at(i)) + ", not " + std::to_string(should[i]);
    }
  }
  return "right";
}
/// Returns "right", or a message with both numbers if they differ.
inline std::string equal(const char* what, std::uint64_t is, std::uint64_t should) {
  if (is == should) return "right";
  return std::string(what) + " is " + std::to_string(is) + ", not " + std::to_string(should);
}
/// Returns the first element that is not "right".
inline std::string first_wrong(const std::vector<std::string>& all) {
  for (const std::string& each : all) {
    if (each != "right") return each;
  }
  return "right";
}
/// Submits a launch of the host with any dimensions.
inline Ticket submit_shape(Device& device, const Host& host, const std::string& kernel, std::uint64_t out,
                           std::uint32_t number, const Dim3& grid, const Dim3& block, unsigned queue = 0) {
  KernelPacket packet;
  packet.program = host.loaded[kernel];
  packet.grid = grid;
  packet.block = block;
  packet.parameters.resize(12);
  std::memcpy(&packet.parameters[0], &out, 8);
  std::memcpy(&packet.parameters[8], &number, 4);
  return device.submit(queue, std::move(packet));
}

}  // namespace castor::gpu::launch_test
