// Prints docs/statistics.md, or compares it with the given file. The document lists the statistics of the timing GPU,
// from their declarations.

#include <cctype>
#include <set>
#include <string>
#include <vector>

#include "castor/base/document.h"
#include "castor/gpu/kernel_counts.h"
#include "castor/gpu/launch/launch_rows.h"
#include "castor/gpu/page_statistics.h"
#include "castor/gpu/report.h"
#include "castor/gpu/sm/filter_statistics.h"
#include "castor/gpu/sm/swap_port.h"
#include "castor/gpu/sm/tb_mover.h"
#include "castor/gpu/sync_statistics.h"
#include "castor/gpu/timing_device.h"
#include "platforms/machines.h"

namespace {

using castor::base::Statistic;
using castor::base::StatisticGroup;
using castor::base::StatisticInfo;

std::string row(const StatisticInfo& info) {
  const std::string unit = *info.unit == '\0' ? "n" : info.unit;
  return std::string("| `") + info.name + "` | " + unit + " | " + info.meaning + " |\n";
}

// SMs, L2 slices and DRAM channels: the units that `total` adds up.
std::vector<const StatisticGroup*> all_units;

// Returns the heading of a unit: "sm<k>" for "sm0", because all units of a kind have the same statistics, which are
// listed once.
std::string kind_of(const std::string& name) {
  std::string kind = name;
  while (!kind.empty() && std::isdigit(static_cast<unsigned char>(kind.back())) != 0) kind.pop_back();
  return kind == name ? name : kind + "<k>";
}

std::string rows(const StatisticGroup& group, const std::set<std::string>& left_out = {}) {
  std::string text;
  for (const Statistic* const statistic : group.statistics()) {
    if (left_out.count(statistic->info().name) == 0) text += row(statistic->info());
  }
  return text;
}

// Returns all statistics of a group and the groups below it, to compare two groups.
std::string all_rows(const StatisticGroup& group) {
  std::string text = rows(group);
  for (const StatisticGroup* const child : group.groups()) text += child->name() + "\n" + all_rows(*child);
  return text;
}

void write_group(const StatisticGroup& group, const std::string& path, std::string& text);

// Writes the groups below a group; equal neighbours share a table.
void write_children(const StatisticGroup& group, const std::string& path, std::string& text) {
  std::set<std::string> shown;
  const auto& children = group.groups();
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (!shown.insert(kind_of(children[i]->name())).second) continue;
    std::string names = kind_of(children[i]->name());
    for (std::size_t j = i + 1; j < children.size(); ++j) {
      if (all_rows(*children[j]) != all_rows(*children[i]) || !shown.insert(kind_of(children[j]->name())).second)
        continue;
      names += ", " + kind_of(children[j]->name());
    }
    write_group(*children[i], path + "." + names, text);
  }
}

void write_group(const StatisticGroup& group, const std::string& path, std::string& text) {
  std::set<std::string> summed;
  if (path == "gpu.total") {
    for (const StatisticGroup* const unit : all_units) {
      for (const Statistic* const statistic : unit->statistics()) summed.insert(statistic->info().name);
    }
  }
  if (const std::string table = rows(group, summed); !table.empty()) {
    text += "\n## " + path + "\n\n";
    if (!summed.empty()) text += "The sums of all statistics of `sm<k>`, `slice<k>` and `channel<k>`, and:\n\n";
    text += "| name | unit | meaning |\n|---|---|---|\n" + table;
  }
  write_children(group, path, text);
}

/// Units of a GPU below which the statistics of one section are declared.
struct Units {
  StatisticGroup gpu{"gpu"}, sm{gpu, "sm0"}, front_end{gpu, "front_end"};
};
/// Counters of an SM or of the front end, declared below the unit.
template <class Counters>
struct OfSm : Counters {
  explicit OfSm(Units& units) : Counters(units.sm) {}
};
template <class Counters>
struct OfFrontEnd : Counters {
  explicit OfFrontEnd(Units& units) : Counters(units.front_end) {}
};
struct OfFilter {
  explicit OfFilter(Units& units) : statistics(units.sm, counts) {}
  castor::gpu::FilterCounts counts;
  castor::gpu::FilterStatistics statistics;
};

/// Several of these, declared in their order.
template <class... Counters>
struct Declared : Counters... {
  explicit Declared(Units& units) : Counters(units)... {}
};

// Writes a section about statistics that only some machines have. `Counters` declare them; `machines` says which
// machines have them.
template <class... Counters>
void write_section(const std::string& title, const std::string& machines, std::string& text) {
  Units units;
  const Declared<Counters...> counters(units);
  text += "\n## " + title + "\n\n" + machines + "\n";
  write_children(units.gpu, "gpu", text);
}

// Writes the statistics that a mechanism adds, for each mechanism that only some machines have.
void write_mechanisms(std::string& text) {
  using namespace castor::gpu;
  write_section<OfFilter>(
      "With a fetch filter",
      "SMs with a fetch filter (docs/gpu/fetch-filter.md, \"FetchFilter\") have the following statistics, most of them "
      "by\n"
      "instruction class. A marked instruction is an instruction whose mark applies to the shape of its block. Each "
      "execution\n"
      "of a marked instruction is counted as `skipped`, `led` or `executed`. `kernels[].counts` has the same names per "
      "kernel,\n"
      "prefixed with `filter.`.",
      text);
  write_section<OfSm<SyncUpCounters>, OfSm<SyncIssueCounters>, OfFrontEnd<SyncDownCounters>>(
      "With a synchronisation hub",
      "Machines with a hub for synchronisation over the device (docs/gpu/sync-network.md) have the following "
      "statistics.",
      text);
  write_section<OfFrontEnd<PageCounters>>(
      "With memory for thread blocks that are swapped out",
      "Machines with a block that stores swapped-out thread blocks in device memory, and with a synchronisation hub "
      "or\n"
      "`context.mover: engine` (docs/gpu/sync-network.md, \"Images\"), have the following statistics.",
      text);
  write_section<OfSm<MoveCounters>>(
      "With thread blocks that move",
      "SMs that execute instructions on machines with `context.mover: rate`, `engine` or `context.random` "
      "(docs/gpu/moving.md)\n"
      "have:",
      text);
  write_section<OfSm<SwapCounters>>("With a swap engine", "SMs with a swap engine (docs/gpu/swapping.md) have:", text);
}

std::string document() {
  const auto machine = castor::platforms::load_machine("tiny", {"run.windows=1"});
  castor::gpu::TimingDevice device(machine.machine, {});
  std::string text =
      "# Statistics of the timing GPU\n\n"
      "Generated by `castor_statistics_document` from the declarations in the sources; a test compares. The report\n"
      "(`castor run --report FILE`) has the values under `statistics`, units and meanings under `legend`. Unit n is a\n"
      "plain count. `<k>` numbers units of a kind. Inside an SM, cycles are its ticks. `total` adds up all units.\n"
      "Statistics of a hardware block are in the block's own document (docs/blocks).\n";
  for (const StatisticGroup* const group : device.gpu().statistics().groups()) {
    const std::string kind = kind_of(group->name());
    if (kind == "sm<k>" || kind == "slice<k>" || kind == "channel<k>") all_units.push_back(group);
  }
  write_group(device.gpu().statistics(), "gpu", text);
  text +=
      "\n## Per kernel\n\n"
      "The report has a row for every complete kernel, under `kernels[]`. Keys marked * exist for the timing GPU "
      "only.\n"
      "Wherever a report names a kernel, it has `demangled` besides `name`.\n\n| key | unit | meaning "
      "|\n|---|---|---|\n";
  for (const castor::gpu::ReportField& field : castor::gpu::kernel_fields()) {
    const std::string unit = *field.unit == '\0' ? "n" : field.unit;
    text += std::string("| `") + field.name + "`" + (field.timing_only ? " *" : "") + " | " + unit + " | " +
            field.meaning + " |\n";
  }
  text +=
      "\nA tick of an SM counts for a kernel if the SM holds blocks of this kernel only. The tick in which the "
      "kernel's "
      "last\n"
      "block retires no longer counts. Ticks and bytes that belong to no complete kernel are under `beside_kernels`:\n"
      "`no_kernel` (SMs without a block), `several_kernels` (SMs with blocks of several kernels) and "
      "`incomplete_kernels`,\n"
      "each with `sm_ticks`, `warp_ticks` and `stalls`; and `traffic` of incomplete kernels, copies and the front end. "
      "Their\n"
      "sum with all rows of `kernels[]` is the total. DRAM bytes of kernels are counted in sectors, when L2 sends its\n"
      "request; `dram_bytes` of the channels are counted in whole atoms (dram.atom), when they are transferred.\n\n"
      "Counts under `kernels[].counts`, in addition to `warp_instructions.<class>` and `lane_instructions.<class>`.\n"
      "Counts that are 0 are left out.\n\n| name | unit | meaning |\n|---|---|---|\n";
  for (const StatisticInfo& info : castor::gpu::kernel_count_infos()) text += row(info);
  text +=
      "\nAdditional counts in rows of launches by device code:\n\n"
      "| name | unit | meaning |\n|---|---|---|\n";
  for (const StatisticInfo& info : castor::gpu::LaunchRows::infos()) text += row(info);
  text +=
      "\n## Per window\n\n"
      "With `run.windows` the report has the following statistics under `windows.series` for every `run.window` "
      "cycles, "
      "and\n"
      "the instructions of each kernel under `windows.kernels` (docs/gpu/counting.md, \"Windows\").\n\n";
  for (const auto& [name, statistic] : device.gpu().window_series()) text += "* `" + name + "`\n";
  write_mechanisms(text);
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  return castor::base::document_main(argc, argv, "castor_statistics_document", document);
}
