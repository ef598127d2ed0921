// Streams of jobs with deadlines that arrive at given times, regardless of the device's state. Job types: recurrent
// networks step by step (chains of up to hundreds of small kernels), lookups of packets, scores of speech frames, stems
// of words. With `--list` the jobs come from a file, which `castor experiment lax --tier programs` writes. A device
// with a laxity engine may refuse jobs; results of the other jobs are compared with the host's.
#include <castor_jobs.h>
#include <cuda_runtime.h>

#include <fstream>
#include <map>
#include <sstream>

#include "lookups.h"
#include "networks.h"
#include "speech.h"

using namespace kernels;
using job_mix::Cell;
using job_mix::Family;
using job_mix::Job;

void job_mix::set_isolated(const void* kernel, unsigned block_threads, unsigned time) {
  CUDA_CHECK(castorKernelSetIsolatedTime(kernel, block_threads, time));
}

namespace {

// Job types. Networks are named after cell type and number of hidden units.
const char* const kKinds[] = {"lstm64", "gru64", "gru128", "van64", "van128", "ipv6", "cuckoo", "gmm", "stem"};

std::unique_ptr<Family> make_family(const std::string& kind, const job_mix::Sizes& sizes) {
  if (kind == "lstm64") return std::make_unique<job_mix::Networks<64, Cell::kLstm>>("lstm64", sizes);
  if (kind == "gru64") return std::make_unique<job_mix::Networks<64, Cell::kGru>>("gru64", sizes);
  if (kind == "gru128") return std::make_unique<job_mix::Networks<128, Cell::kGru>>("gru128", sizes);
  if (kind == "van64") return std::make_unique<job_mix::Networks<64, Cell::kVanilla>>("van64", sizes);
  if (kind == "van128") return std::make_unique<job_mix::Networks<128, Cell::kVanilla>>("van128", sizes);
  if (kind == "ipv6") return std::make_unique<job_mix::Ipv6>(sizes);
  if (kind == "cuckoo") return std::make_unique<job_mix::Cuckoo>(sizes);
  if (kind == "gmm") return std::make_unique<job_mix::Gmm>(sizes);
  if (kind == "stem") return std::make_unique<job_mix::Stem>(sizes);
  return nullptr;
}

// Reads a job list. Its lines are "isolated KERNEL TIME" (execution time of one block alone, in 1/256 core cycles) and
// "job KIND STEPS ARRIVAL DEADLINE". STEPS is 1 except for recurrent networks; times are in nanoseconds; deadline 0
// means none.
void read_list(const Options& options, const std::string& path, std::vector<Job>& jobs,
               std::vector<std::pair<std::string, unsigned>>& isolated) {
  std::ifstream file(path);
  if (!file) options.fail("cannot read '" + path + "'");
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    std::istringstream words(line);
    std::string what, rest;
    words >> what;
    bool good = what.empty();
    if (what == "isolated") {
      std::string kernel;
      unsigned time = 0;
      good = static_cast<bool>(words >> kernel >> time) && time != 0;
      isolated.emplace_back(kernel, time);
    } else if (what == "job") {
      Job job;
      good = static_cast<bool>(words >> job.kind >> job.steps >> job.arrival >> job.deadline) && job.steps >= 1 &&
             job.steps <= 60 && std::find(std::begin(kKinds), std::end(kKinds), job.kind) != std::end(kKinds) &&
             (jobs.empty() || job.arrival >= jobs.back().arrival);
      jobs.push_back(job);
    }
    if (!good || words >> rest) options.fail(path + ":" + std::to_string(number) + ": '" + line + "' is no job");
  }
  if (jobs.empty() || jobs.size() > 120) options.fail(path + ": 1 to 120 jobs");
}

}  // namespace

int main(int argc, char** argv) {
  long count = 9, steps = 2, divide = 16, gap = 2000, deadline = 2000, seed = 1, report = 0;
  std::string list, kind = "all";
  Options options("job_mix", "jobs with deadlines that come at given times");
  options.add("jobs", &count, 1, 120, "jobs");
  options.add("steps", &steps, 1, 60, "steps of the longest recurrent network");
  options.add("divide", &divide, 1, 64, "thread counts of the full size are divided by it");
  options.add("gap", &gap, 0, 1000000000, "nanoseconds from one arrival to the next");
  options.add("deadline", &deadline, 1, 1000000, "microseconds from arrival to deadline");
  options.add("seed", &seed, 0, 1000000, "seed of the data");
  options.add("report", &report, 0, 1, "1: a line for each job on standard error");
  options.add_text("kind", &kind, "lstm64 gru64 gru128 van64 van128 ipv6 cuckoo gmm stem, or all in turn");
  options.add_text("list", &list, "file of jobs instead");
  options.parse(argc, argv);

  std::vector<Job> jobs;
  std::vector<std::pair<std::string, unsigned>> isolated;
  if (!list.empty()) {
    read_list(options, list, jobs, isolated);
  } else {
    if (kind != "all" && std::find(std::begin(kKinds), std::end(kKinds), kind) == std::end(kKinds)) {
      options.fail("no kind '" + kind + "'");
    }
    Random random(seed);
    for (long i = 0; i < count; ++i) {
      Job job;
      job.kind = kind == "all" ? kKinds[i % 9] : kind;
      job.steps = random.range(1, steps);
      job.arrival = i * gap;
      job.deadline = deadline * 1000;
      jobs.push_back(job);
    }
  }

  job_mix::Sizes sizes;
  sizes.divide = divide;
  sizes.seed = static_cast<unsigned>(seed);
  for (const Job& job : jobs) sizes.longest = std::max(sizes.longest, job.steps);
  std::map<std::string, std::unique_ptr<Family>> families;
  std::map<std::string, std::vector<bool>> ran;
  std::vector<int> numbers;
  for (const Job& job : jobs) {
    auto& family = families[job.kind];
    if (family == nullptr) family = make_family(job.kind, sizes);
    numbers.push_back(family->add(job));
  }
  for (auto& [name, family] : families) family->upload();
  for (const auto& [name, time] : isolated) {
    bool known = false;
    for (auto& [of, family] : families) known = family->set_isolated(name, time) || known;
    if (!known) options.fail("no kernel '" + name + "' in these jobs");
  }
  CUDA_CHECK(cudaDeviceSynchronize());

  // Everything is prepared before the first job arrives: the kernels of a job wait in its stream until the job is
  // announced.
  std::vector<cudaStream_t> streams(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const unsigned long long time = jobs[i].deadline != 0 ? jobs[i].deadline : castorNoDeadline;
    CUDA_CHECK(castorStreamCreateWithDeadline(&streams[i], time, 0));
    families[jobs[i].kind]->launch(numbers[i], streams[i]);
  }
  unsigned long long start = 0;
  CUDA_CHECK(castorHostTime(&start));
  start += 1000;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    CUDA_CHECK(castorHostWaitUntil(start + jobs[i].arrival));
    CUDA_CHECK(castorStreamSubmit(streams[i]));
  }

  const char* const names[] = {"pending", "accepted", "rejected", "done", "done late", "error"};
  long open = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    castorJobInfo info;
    CUDA_CHECK(castorStreamWaitJob(streams[i], &info));
    CUDA_CHECK(cudaStreamDestroy(streams[i]));
    const bool done = info.status == castorJobDone || info.status == castorJobDoneLate;
    if (!done && info.status != castorJobRejected) ++open;
    ran[jobs[i].kind].push_back(done);
    if (report != 0) {
      std::fprintf(stderr, "job %zu: %s, %s, reason %d, %u cycles\n", i, jobs[i].kind.c_str(), names[info.status],
                   static_cast<int>(info.reason), info.cycles);
    }
  }

  Verdict verdict(options);
  for (auto& [name, family] : families) {
    family->download();
    family->check(ran[name], verdict);
  }
  verdict.equal("jobs that are not over", open, 0L);
  return verdict.finish();
}
