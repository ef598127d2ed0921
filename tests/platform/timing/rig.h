#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "castor/gpu/machine.h"
#include "castor/gpu/timing_device.h"
#include "castor/isa/program.h"

// Shared code of the tests of the whole timing GPU: a machine, micro-kernels from PTX text, and a log of events. One
// rig per process, as SystemC elaborates once: cases are ISOLATED, and a case that needs several devices runs each one
// through `in_child`.
namespace castor::gpu::timing_test {

/// The machines that docs/gpu/closed-forms.md, "Closed forms" gives figures for.
inline const std::vector<std::string> kMachines = {"fermi_gtx480_study",  "kepler_k20c_study",    "maxwell_liu13",
                                                   "pascal_titanx_study", "turing_rtx2060_study", "gcn_apu"};

/// One issued instruction.
struct Issued {
  Cycle cycle = 0;
  Tick tick = 0;
  unsigned sm = 0, scheduler = 0, warp = 0;
  std::uint32_t pc = 0;
  Ticket ticket = 0;
};

/// Log of all events of a device, in their order.
class Recorder final : public Observer {
 public:
  struct Tb {
    Cycle cycle = 0;
    unsigned sm = 0;
    std::uint64_t gid = 0;
    Ticket ticket = 0;
  };
  struct Kernel {
    Cycle cycle = 0;
    Ticket ticket = 0;
  };
  std::vector<Issued> issues;
  std::vector<Tb> placed, started, retired;
  std::vector<Kernel> granted, written, completed;
  bool keep_issues = true;  ///< false: only counted
  std::uint64_t issue_count = 0;

  void issued(const Issue& event) override;
  void tb_placed(const Observer::Tb& event) override { placed.push_back(convert(event)); }
  void tb_started(const Observer::Tb& event) override { started.push_back(convert(event)); }
  void tb_retired(const Observer::Tb& event) override { retired.push_back(convert(event)); }
  void kernel_granted(const Observer::Kernel& event) override { granted.push_back({event.cycle, event.ticket}); }
  void kernel_written(const Observer::Kernel& event) override { written.push_back({event.cycle, event.ticket}); }
  void kernel_completed(const Observer::Kernel& event) override { completed.push_back({event.cycle, event.ticket}); }

 private:
  static Tb convert(const Observer::Tb& event) { return {event.cycle, event.sm, event.gid, event.kernel->ticket}; }
};

/// A device with shorthands to load, launch and observe. Kernels get a header: parameters p0.. (u64), loaded into
/// %rd0..; registers %r, %rd, %f (100 each) and %p (8) are declared.
class Rig {
 public:
  /// Instruction caches are ideal unless an override says otherwise; `overrides` are "key=value".
  /// `images`: limits of the images of swap engines, null = those of the hooks.
  explicit Rig(const std::string& machine, const std::vector<std::string>& overrides = {}, const Hooks& hooks = {},
               const SwapLimits* images = nullptr);

  [[nodiscard]] const Machine& machine() const { return device->machine(); }

  /// Compiles and loads a kernel of `parameters` parameters with that body.
  ProgramHandle load(const std::string& body, unsigned parameters = 0, const std::string& declarations = {});
  [[nodiscard]] const isa::Program& program(ProgramHandle handle) const { return device->program(handle); }
  /// Returns the record indices of a timing class, in ascending order.
  [[nodiscard]] std::vector<std::uint32_t> pcs(ProgramHandle handle, isa::TimingClass timing) const;
  /// Returns the record indices of memory operations of one kind and space, in ascending order.
  [[nodiscard]] std::vector<std::uint32_t> memory_pcs(ProgramHandle handle, isa::MemoryKind kind,
                                                      isa::Space space = isa::Space::kGlobal) const;

  Ticket submit(ProgramHandle handle, Dim3 grid, Dim3 block, const std::vector<std::uint64_t>& parameters = {},
                std::uint32_t dynamic_shared = 0, unsigned queue = 0, bool synchronises = false);
  /// Advances the device until the ticket is complete. Throws std::runtime_error if the run ends in another way.
  void finish(Ticket ticket);
  /// Both.
  Ticket run(ProgramHandle handle, Dim3 grid, Dim3 block, const std::vector<std::uint64_t>& parameters = {},
             std::uint32_t dynamic_shared = 0);

  /// Returns the issues of one kernel (of one warp slot of one SM), in order of time.
  [[nodiscard]] std::vector<Issued> issues(Ticket ticket) const;
  [[nodiscard]] std::vector<Issued> issues(Ticket ticket, unsigned sm, unsigned warp) const;
  /// Returns the ticks from the issue of record `from` to that of `to`, in a kernel of one warp that runs each of them
  /// once.
  [[nodiscard]] long distance(Ticket ticket, std::uint32_t from, std::uint32_t to) const;
  /// Returns the cycles from the first issue of a kernel to its completion.
  [[nodiscard]] Cycle duration(Ticket ticket) const;

  std::uint64_t buffer(std::uint64_t bytes);
  template <class T>
  void set(std::uint64_t address, T value) {
    std::memcpy(device->store().host(address), &value, sizeof value);
  }
  template <class T>
  [[nodiscard]] T get(std::uint64_t address) const {
    T value;
    std::memcpy(&value, device->store().host(address), sizeof value);
    return value;
  }

  /// Returns the value of a statistic by its path below the device ("sm0.core.ticks"). Throws if there is no such
  /// statistic.
  [[nodiscard]] std::uint64_t statistic(const std::string& path);

  Recorder recorder;
  std::unique_ptr<TimingDevice> device;
};

/// Runs `work` in a process of its own and returns what it returns. Throws std::runtime_error with the text of what it
/// throws, or if it dies.
std::vector<std::uint64_t> in_child(const std::function<std::vector<std::uint64_t>()>& work);

/// FNV-1a over bytes.
std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t seed = 0xcbf29ce484222325ULL);

}  // namespace castor::gpu::timing_test
