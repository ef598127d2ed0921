// Report entries of kernels.

#include "castor/base/words.h"
#include "castor/gpu/kernel_rows.h"
#include "castor/gpu/memory/transaction.h"
#include "castor/gpu/occupancy.h"
#include "castor/gpu/report.h"

namespace castor::gpu {
namespace {

using Json = nlohmann::ordered_json;

Json sizes(const Dim3& size) { return {size.x, size.y, size.z}; }

Json stalls_json(const SmTime& time) {
  Json result = Json::object();
  for (std::size_t i = 0; i < kStallClasses; ++i) result[stall_infos()[i].name] = time.stalls[i];
  return result;
}

Json occupancy_json(const KernelStatistics& kernel, const Machine& machine) {
  const LaunchShape& shape = kernel.shape;
  const Occupancy fit = occupancy(machine, {static_cast<unsigned>(shape.block.count()), shape.registers,
                                            shape.static_shared + shape.dynamic_shared});
  return {{"blocks_per_sm", fit.tbs_per_sm},
          {"limited_by", std::string(name(fit.limit))},
          {"theoretical", fit.warp_occupancy}};
}

std::uint64_t count(const KernelStatistics& kernel, std::string_view wanted) {
  for (const auto& [name, value] : kernel.counts) {
    if (name == wanted) return value;
  }
  return 0;
}

}  // namespace

const std::vector<ReportField>& kernel_fields() {
  static const std::vector<ReportField> fields = {
      {"name", "name", "name of the kernel in PTX", false},
      {"demangled", "name", "demangled name of the kernel; equal to `name` if that is not mangled", false},
      {"ticket", "", "number of the launch among all submitted work", true},
      {"start_ps", "ps", "time at which the kernel's table entry was written", false},
      {"end_ps", "ps", "time at which the kernel was complete", false},
      {"cycles", "cycles", "core cycles from `start_ps` to `end_ps`", true},
      {"grid", "", "thread blocks: x, y, z", false},
      {"block", "", "threads of a block: x, y, z", false},
      {"registers", "", "registers per thread", false},
      {"static_shared_bytes", "bytes", "shared memory of a block, declared by the kernel", false},
      {"dynamic_shared_bytes", "bytes", "shared memory of a block, requested by the launch", false},
      {"local_bytes", "bytes", "local memory of a thread, spills included", false},
      {"spill_bytes", "bytes", "local memory of a thread for spilled registers", false},
      {"occupancy.blocks_per_sm", "", "blocks of the kernel that an otherwise empty SM holds", false},
      {"occupancy.limited_by", "name", "limiting resource: TB slots, warps, threads, registers, shared memory", false},
      {"occupancy.theoretical", "", "warps of `occupancy.blocks_per_sm` blocks / sm.warps", false},
      {"occupancy.achieved", "",
       "`warp_ticks` / (`sm_ticks` x sm.warps); null if no SM held this kernel alone, and with `--replay`", true},
      {"occupancy.sm_ticks", "cycles", "ticks of SMs that held blocks of this kernel and of no other", true},
      {"occupancy.warp_ticks", "cycles", "warps that had not exited, summed over `occupancy.sm_ticks`", true},
      {"stalls.issued` ... `stalls.compute_pipe", "cycles",
       "scheduler ticks during `occupancy.sm_ticks`, by the classes of `gpu.total.stall`", true},
      {"traffic.l1_bytes", "bytes",
       "bytes of the sectors that the kernel's accesses to global and local memory touch, line by line", true},
      {"traffic.l2_bytes", "bytes",
       "bytes of the sectors that the kernel's requests to L2 read or write, instruction fetches included", true},
      {"traffic.dram_read_bytes", "bytes", "bytes of the sectors that L2 read from DRAM for the kernel", true},
      {"traffic.dram_write_bytes", "bytes",
       "bytes of the sectors that L2 wrote to DRAM because of the kernel's requests, whichever kernel stored them",
       true},
      {"thread_blocks", "", "thread blocks of the grid", false},
      {"warp_instructions", "", "warp instructions issued", false},
      {"thread_instructions", "", "warp instructions issued, weighted by active lanes", false},
      {"kernels", "",
       "only in rows after the first run.kernel_rows rows: number of kernels of this name that the row sums", false},
      {"time_ps", "ps",
       "only in rows that sum kernels: sum of the kernels' times; `cycles` is a sum, too, `start_ps` the first start, "
       "`end_ps` the last end",
       false},
      {"counts", "", "counts of the table below", false},
  };
  return fields;
}

Json kernel_json(const KernelStatistics& kernel, const Machine& machine) {
  const LaunchShape& shape = kernel.shape;
  Json result = {{"name", kernel.kernel},
                 {"demangled", base::demangled(kernel.kernel)},
                 {"grid", sizes(shape.grid)},
                 {"block", sizes(shape.block)},
                 {"registers", shape.registers},
                 {"static_shared_bytes", shape.static_shared},
                 {"dynamic_shared_bytes", shape.dynamic_shared},
                 {"local_bytes", shape.local},
                 {"spill_bytes", shape.spills},
                 {"occupancy", occupancy_json(kernel, machine)},
                 {"start_ps", kernel.start},
                 {"end_ps", kernel.end},
                 {"thread_blocks", kernel.thread_blocks},
                 {"warp_instructions", kernel.warp_instructions},
                 {"thread_instructions", kernel.thread_instructions}};
  if (kernel.sum.kernels != 0) {
    result["kernels"] = kernel.sum.kernels;
    result["time_ps"] = kernel.sum.time;
  }
  return result;
}

Json timed_kernel_json(const KernelStatistics& kernel, const Machine& machine, const base::Clock& clock) {
  Json result = kernel_json(kernel, machine);
  result["ticket"] = kernel.ticket;
  result["cycles"] = kernel.sum.kernels != 0 ? kernel.sum.cycles : cycles_between(clock, kernel.start, kernel.end);
  const SmTime& alone = kernel.alone;
  Json& occupancy = result["occupancy"];
  occupancy["achieved"] =
      alone.ticks == 0 ? Json()
                       : Json(static_cast<double>(alone.warps) / (static_cast<double>(alone.ticks) * machine.sm.warps));
  occupancy["sm_ticks"] = alone.ticks;
  occupancy["warp_ticks"] = alone.warps;
  result["stalls"] = stalls_json(alone);
  result["traffic"] = {{"l1_bytes", count(kernel, "sectors") * kSectorBytes},
                       {"l2_bytes", kernel.l2_bytes},
                       {"dram_read_bytes", count(kernel, "memory_read_bytes")},
                       {"dram_write_bytes", count(kernel, "memory_write_bytes")}};
  Json& counts = result["counts"] = Json::object();
  for (const auto& [name, value] : kernel.counts) counts[std::string(name)] = value;
  return result;
}

void add_launches_beyond(Json& report, const LaunchesBeyond& beyond) {
  if (beyond.spilled + beyond.refused + beyond.without_room == 0) return;
  report["launches_beyond_limits"] = {
      {"spilled", beyond.spilled}, {"refused", beyond.refused}, {"without_room", beyond.without_room}};
}

std::string stopped_text(std::uint64_t kernels) {
  return "stopped after " + std::to_string(kernels) + " kernels, as run.stop_after says";
}

std::string lost_launches(const LaunchesBeyond& beyond) {
  std::string text;
  if (beyond.refused != 0) {
    text += std::to_string(beyond.refused) +
            " launches by device code were refused (error 69): more waited than cudaLimitDevRuntimePendingLaunchCount "
            "says; what they would have done is not done, unless the program did it otherwise; pool.full=spill takes "
            "them";
  }
  if (beyond.without_room != 0) {
    if (!text.empty()) text += "\n";
    text += std::to_string(beyond.without_room) +
            " launches by device code got no buffer for their parameters: those that wait take an eighth of the "
            "memory at most, and 256 MiB";
  }
  return text;
}

Json fault_json(const Fault& fault) {
  return {{"kernel", fault.kernel}, {"demangled", base::demangled(fault.kernel)}, {"message", fault.message}};
}

Json beside_kernels_json(const BesideKernels& beside) {
  const auto time = [](const SmTime& of) {
    return Json{{"sm_ticks", of.ticks}, {"warp_ticks", of.warps}, {"stalls", stalls_json(of)}};
  };
  return {{"no_kernel", time(beside.none)},
          {"several_kernels", time(beside.several)},
          {"incomplete_kernels", time(beside.incomplete)},
          {"traffic",
           {{"l1_bytes", beside.l1_bytes},
            {"l2_bytes", beside.l2_bytes},
            {"dram_read_bytes", beside.dram_read_bytes},
            {"dram_write_bytes", beside.dram_write_bytes}}}};
}

}  // namespace castor::gpu
