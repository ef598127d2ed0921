#include "platforms/experiments/lax/lax_programs.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "castor/base/error.h"
#include "castor/base/output_file.h"
#include "platforms/experiments/compiled.h"
#include "platforms/experiments/lax/lax_run.h"
#include "platforms/machines.h"
#include "workloads/lax/evaluation.h"
#include "workloads/lax/published.h"
#include "workloads/lax/workloads.h"

namespace castor::platforms::experiments::lax {
namespace {

namespace lax = workloads::lax;
using workloads::Cycle;
using workloads::JobStream;

constexpr const char* kMachine = "gcn_apu";
constexpr unsigned kMeanSteps = 16;         // time steps of a recurrent job, as in the workloads
constexpr unsigned kCrowd = 24;             // number of concurrent jobs that measure the capacity
constexpr std::uint64_t kSoon = 1'000'000;  // ns between jobs that run alone

std::uint64_t scaled(std::uint64_t value, std::uint64_t numerator, std::uint64_t denominator) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((Wide{value} * numerator + denominator / 2) / denominator);
}

// Converts machine cycles to whole nanoseconds. The machine has the clock of the workloads.
std::uint64_t nanoseconds(Cycle cycles) { return scaled(cycles, 1'000'000'000, lax::kCyclesPerSecond); }

/// Runs the program on a list of jobs and returns its report.
Json run_jobs(const CudaProgram& program, const std::string& list, const std::vector<std::string>& overrides) {
  const Scratch scratch;
  const std::string jobs = scratch.file("jobs");
  base::write_file(jobs, list);
  Json json = program.run(kMachine, overrides, {"--divide", "1", "--list", jobs});
  if (!json.contains("jobs")) throw base::Error("job_mix left no report of its jobs");
  return json;
}

const lax::Workload& workload_of(const std::string& name) {
  const lax::Workload* const workload = lax::find_workload(name);
  CASTOR_ASSERT(workload != nullptr);
  return *workload;
}

// Returns the program's job type for a network. The type has half the network's hidden units, so that a run stays
// short.
std::string network_kind(const std::string& name) {
  static const std::vector<std::pair<const char*, const char*>> kKinds = {
      {"lstm", "lstm64"}, {"gru", "gru64"}, {"gru256", "gru128"}, {"van", "van64"}, {"van256", "van128"}};
  for (const auto& [published, kind] : kKinds) {
    if (name == published) return kind;
  }
  throw base::Error("network " + name + " is not among the program's");
}

std::string kind_of(const lax::Workload& workload, unsigned variant) {
  return workload.single ? workload.single->name : network_kind(workload.networks[variant].name);
}

// Returns the program's kernel for a kernel type of the workloads.
std::string kernel_name(const std::string& type) {
  constexpr std::string_view kGemm = "gemm_";
  return type.compare(0, kGemm.size(), kGemm) == 0 ? std::string(kGemm) + network_kind(type.substr(kGemm.size()))
                                                   : type;
}

unsigned steps_of(const lax::Workload& workload, const workloads::Job& job) {
  if (workload.single) return 1;
  const lax::Network& network = workload.networks[job.variant];
  return static_cast<unsigned>(job.kernels.size() - network.kernels(0)) / (network.kernels(1) - network.kernels(0));
}

std::string job_line(const std::string& kind, unsigned steps, std::uint64_t arrival_ns, std::uint64_t deadline_ns) {
  return "job " + kind + " " + std::to_string(steps) + " " + std::to_string(arrival_ns) + " " +
         std::to_string(deadline_ns) + "\n";
}

// Returns the kernel that a mangled name of the program belongs to.
std::string name_of_kernel(const std::string& mangled) {
  static const std::vector<std::pair<const char*, const char*>> kNames = {
      {"7tensor1", "tensor1"},
      {"7tensor2", "tensor2"},
      {"7tensor3", "tensor3"},
      {"7tensor4", "tensor4"},
      {"10activation", "activation"},
      {"7productILi64ELNS_4CellE0E", "gemm_lstm64"},
      {"7productILi64ELNS_4CellE1E", "gemm_gru64"},
      {"7productILi128ELNS_4CellE1E", "gemm_gru128"},
      {"7productILi64ELNS_4CellE2E", "gemm_van64"},
      {"7productILi128ELNS_4CellE2E", "gemm_van128"},
      {"14longest_prefix", "ipv6"},
      {"13cuckoo_lookup", "cuckoo"},
      {"9gmm_score", "gmm"},
      {"4stem", "stem"},
  };
  for (const auto& [part, name] : kNames) {
    if (mangled.find(part) != std::string::npos) return name;
  }
  throw base::Error("kernel " + mangled + " is of no type of the workloads");
}

// Returns the mean cycles of a launch alone, by kernel type. Uses only launches of the report that began at `from`
// (picoseconds) or later.
std::vector<std::uint64_t> kernel_times(const Json& report, const JobStream& stream, std::uint64_t from) {
  std::vector<std::uint64_t> sum(stream.types.size()), count(stream.types.size());
  for (const Json& kernel : report.at("kernels")) {
    const std::string name = name_of_kernel(kernel.at("name").get<std::string>());
    if (kernel.at("start_ps").get<std::uint64_t>() < from) continue;
    for (std::size_t type = 0; type < stream.types.size(); ++type) {
      if (kernel_name(stream.types[type].name) != name) continue;
      sum[type] += kernel.at("cycles").get<std::uint64_t>();
      ++count[type];
    }
  }
  for (std::size_t type = 0; type < sum.size(); ++type) {
    if (count[type] == 0) throw base::Error("no launch of kernel " + stream.types[type].name + " was measured");
    sum[type] = std::max<std::uint64_t>(1, (sum[type] + count[type] / 2) / count[type]);
  }
  return sum;
}

// Returns the machine keys of a run. Latencies and periods are converted from source time to the machine's time.
std::vector<std::string> overrides_of(const LaxEntry& entry, const LaxCalibration& calibration,
                                      const std::vector<std::string>& user) {
  std::vector<std::string> all = entry.overrides;
  all.insert(all.end(), user.begin(), user.end());
  std::vector<std::string> with_engine = all;  // keys of the engine exist whether the engine is enabled or not
  with_engine.emplace_back("blocks.lax.engine=model");
  const LoadedMachine loaded = load_machine(kMachine, with_engine);
  const hookup::Settings engine("lax", loaded.config);
  const auto to_machine = [&](std::uint64_t value, std::uint64_t least) {
    return std::to_string(std::max(least, scaled(value, calibration.measured, calibration.published)));
  };
  all.emplace_back("host.launch_us=0");
  all.push_back("parse.latency=" + to_machine(loaded.machine.parse.latency, 1));
  all.push_back("blocks.lax.update_period=" + to_machine(engine.number("update_period"), 1000));
  all.push_back("blocks.lax.prema_period=" + to_machine(engine.number("prema_period"), 1000));
  return all;
}

}  // namespace

// --- Calibration ----------------------------------------------------------------------------------------------------

Json LaxCalibration::json() const {
  return {{"kernels", kernels}, {"measured", measured}, {"published", published}, {"jobs_per_second", jobs_per_second}};
}

LaxCalibration LaxCalibration::of(const Json& json) {
  return {json.at("kernels").get<std::vector<std::uint64_t>>(), json.at("measured").get<std::uint64_t>(),
          json.at("published").get<std::uint64_t>(), json.at("jobs_per_second").get<std::uint64_t>()};
}

LaxPrograms::LaxPrograms(const std::string& program)
    : program_("job_mix", program.empty() ? compiled_programs({"job_mix"}, 1).at(0) : program) {}

LaxCalibration LaxPrograms::calibrate(const std::string& name, unsigned jobs,
                                      const std::vector<std::string>& overrides) const {
  const lax::Workload& workload = workload_of(name);
  const JobStream stream = lax::kernels_of(workload);
  const LaxEntry& rr = *find_lax_entry("RR");
  const unsigned variants = workload.single ? 1 : static_cast<unsigned>(workload.networks.size());
  LaxCalibration out;

  // Each job runs twice. The first run brings the code and the shared data into the caches, as earlier jobs do in a
  // stream.
  std::string alone;
  for (unsigned i = 0; i < 2 * variants; ++i) {
    alone += job_line(kind_of(workload, i % variants), kMeanSteps, i * kSoon, 0);
  }
  const Json lone = run_jobs(program_, alone, overrides_of(rr, {{}, 1, 1, 0}, overrides));
  const Json& jobs_alone = lone.at("jobs");
  if (jobs_alone.size() != 2 * std::size_t{variants}) throw base::Error("jobs of " + name + " alone are missing");
  const auto start_of = [&](std::size_t job) { return jobs_alone.at(job).at("start").get<Cycle>(); };
  for (std::size_t job = 1; job < jobs_alone.size(); ++job) {
    if (jobs_alone.at(job - 1).at("done").get<Cycle>() > start_of(job)) {
      throw base::Error("jobs of " + name + " are not alone: one begins before the one before it is done");
    }
  }
  const auto from = static_cast<std::uint64_t>(scaled(start_of(variants), 1'000'000'000'000, lax::kCyclesPerSecond));
  out.kernels = kernel_times(lone, stream, from);

  for (unsigned variant = 0; variant < variants; ++variant) {
    const workloads::Job job = lax::make_job(workload, stream, variant, kMeanSteps);
    out.published += stream.isolated(job);
    for (const workloads::KernelCall& call : job.kernels) out.measured += out.kernels[call.type];
  }

  std::string crowd;
  for (unsigned i = 0; i < jobs; ++i) crowd += job_line(kind_of(workload, i % variants), kMeanSteps, 0, 0);
  const Json report = run_jobs(program_, crowd, overrides_of(rr, out, overrides));
  Cycle first = base::kForever, last = 0;
  for (const Json& job : report.at("jobs")) {
    first = std::min(first, job.at("start").get<Cycle>());
    last = std::max(last, job.at("done").get<Cycle>());
  }
  if (last <= first) throw base::Error("jobs of " + name + " took no time");
  const Cycle span = scaled(last - first, out.published, out.measured);
  out.jobs_per_second = std::max<std::uint64_t>(1, scaled(jobs, lax::kCyclesPerSecond, std::max<Cycle>(1, span)));
  return out;
}

std::uint64_t lax_programs_rate(const std::string& workload, const std::string& rate,
                                const LaxCalibration& calibration) {
  const lax::Workload& known = workload_of(workload);
  const auto tail_ms = lax::published::value(lax::published::kP99, workload, "RR");
  if (!tail_ms) throw base::InputError("workload " + workload + " has no published capacity", "take another");
  // Published capacity under round robin: 128 jobs at the high rate were complete when the last had arrived and the
  // longest latency had passed.
  const double high = static_cast<double>(known.rates[static_cast<std::size_t>(lax::Rate::kHigh)]);
  const double capacity = 128 / (128 / high + *tail_ms / 1e3);
  const auto asked = static_cast<double>(known.rates[static_cast<std::size_t>(*lax::find_rate(rate))]);
  const double rate_here = asked * static_cast<double>(calibration.jobs_per_second) / capacity;
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(rate_here)));
}

// --- A run ----------------------------------------------------------------------------------------------------------

Json LaxPrograms::run(const Json& parameters) const {
  const lax::Workload& workload = workload_of(parameters.at("workload").get<std::string>());
  const LaxEntry* const entry = find_lax_entry(parameters.at("scheduler").get<std::string>());
  CASTOR_ASSERT(entry != nullptr);
  const LaxCalibration calibration = LaxCalibration::of(parameters.at("calibration"));
  lax::Arrivals arrivals;
  arrivals.per_second = parameters.at("per_second").get<std::uint64_t>();
  arrivals.jobs = parameters.at("jobs").get<unsigned>();
  arrivals.seed = parameters.at("seed").get<std::uint64_t>();
  JobStream stream = lax::generate(workload, arrivals);

  const auto to_machine = [&](Cycle cycles) { return scaled(cycles, calibration.measured, calibration.published); };
  std::string list;
  for (std::size_t type = 0; type < stream.types.size(); ++type) {
    const std::uint64_t time = calibration.kernels[type] * 256 / stream.types[type].tbs;
    list += "isolated " + kernel_name(stream.types[type].name) + " " +
            std::to_string(std::max<std::uint64_t>(1, time)) + "\n";
  }
  for (const workloads::Job& job : stream.jobs) {
    list += job_line(kind_of(workload, job.variant), steps_of(workload, job), nanoseconds(to_machine(job.arrival)),
                     nanoseconds(to_machine(job.deadline)));
  }
  const Json report =
      run_jobs(program_, list, overrides_of(*entry, calibration, parameters.value("set", std::vector<std::string>())));

  // From here on, times are in source time, so that the figures can be compared with published figures.
  const auto to_source = [&](Cycle cycles) { return scaled(cycles, calibration.published, calibration.measured); };
  for (std::size_t type = 0; type < stream.types.size(); ++type) {
    stream.types[type].service = static_cast<std::uint32_t>(to_source(calibration.kernels[type]));
  }
  workloads::RunOutcome outcome;
  outcome.jobs.resize(stream.jobs.size());
  outcome.cycles = to_source(report.at("cycles").get<Cycle>());
  for (const Json& record : report.at("jobs")) {
    const auto index = record.at("id").get<std::size_t>() - 1;  // jobs have ids in the order of their announcement
    if (index >= outcome.jobs.size()) throw base::Error("the report has a job that is not in the list");
    const workloads::Job& job = stream.jobs[index];
    workloads::JobOutcome& end = outcome.jobs[index];
    end.tbs = record.at("tbs").get<std::uint64_t>();
    const auto done = record.at("done").get<Cycle>();
    if (done == 0) {
      end.end = workloads::JobOutcome::End::kRejected;
      continue;
    }
    end.end = workloads::JobOutcome::End::kDone;
    // Whether the deadline was met is decided on the device; rounding of times here does not change it.
    const Cycle latency = to_source(done - record.at("start").get<Cycle>());
    end.finished = job.arrival + (record.at("met").get<bool>() ? std::min(latency, job.deadline)
                                                               : std::max(latency, job.deadline + 1));
  }
  Json out = lax_figures(stream, outcome);
  out["machine_cycles"] = report.at("cycles");
  out["warp_instructions"] = report.at("warp_instructions");
  return out;
}

// --- Report ---------------------------------------------------------------------------------------------------------

void report_lax_calibration(const std::vector<Run>& runs, Output& output) {
  Table table;
  table.title = "The machine and the published one";
  table.head = {"workload", "cycles of the mean job alone", "published / measured", "jobs at once",
                "kernels alone, cycles"};
  table.note =
      "Times of results are multiplied by published / measured. Jobs at once: capacity under round robin x time alone.";
  std::vector<std::string> seen;
  for (const Run& run : runs) {
    const auto name = run.parameters.at("workload").get<std::string>();
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) continue;
    seen.push_back(name);
    const LaxCalibration c = LaxCalibration::of(run.parameters.at("calibration"));
    const JobStream stream = lax::kernels_of(workload_of(name));
    const auto variants = std::max<std::size_t>(1, workload_of(name).networks.size());
    std::string kernels;
    for (std::size_t type = 0; type < stream.types.size(); ++type) {
      kernels += (kernels.empty() ? "" : ", ") + stream.types[type].name + " " + std::to_string(c.kernels[type]);
    }
    const double together = static_cast<double>(c.jobs_per_second) * static_cast<double>(c.published) /
                            static_cast<double>(variants) / static_cast<double>(lax::kCyclesPerSecond);
    table.rows.push_back({name, std::to_string(c.measured / variants),
                          fixed(static_cast<double>(c.published) / static_cast<double>(c.measured), 1),
                          fixed(together, 2), kernels});
  }
  output.table(table);
}

}  // namespace castor::platforms::experiments::lax
