#include "workloads/job_stream.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <initializer_list>
#include <limits>
#include <sstream>
#include <unordered_map>

#include "castor/base/config.h"
#include "castor/base/error.h"
#include "castor/base/words.h"
#include "workloads/lax/workloads.h"

namespace castor::workloads {
namespace {

using base::InputError;
using base::printable;
using base::SourceLocation;

constexpr std::uint64_t kMaxKernelsPerJob = 1'000'000;

class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file) {}

  JobStream stream(const YAML::Node& root) {
    if (!root.IsMap()) fail(root, "not a job stream", "it begins with job-stream: 1");
    if (!root["job-stream"]) fail(root, "key 'job-stream' is missing", "it is 1");
    if (number(root["job-stream"], "job-stream", 0, 1'000'000) != 1) {
      fail(root["job-stream"], "unknown version of job streams", "this program reads version 1");
    }
    if (root["generate"]) {
      keys(root, {"job-stream", "generate"});
      return generate(root["generate"]);
    }
    keys(root, {"job-stream", "name", "w0", "kernels", "jobs"});
    JobStream out;
    out.name = root["name"] ? text(root["name"], "name") : "jobs";
    if (root["w0"]) out.w0 = number(root["w0"], "w0", 1, 1'000'000);
    for (const YAML::Node& node : list(root, "kernels")) kernel(node, out);
    for (const YAML::Node& node : list(root, "jobs")) job(node, out);
    return out;
  }

  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& message, const std::string& hint = {}) const {
    throw InputError(SourceLocation{file_, mark.is_null() ? 0 : mark.line + 1, mark.is_null() ? 0 : mark.column + 1},
                     message, hint);
  }

 private:
  [[noreturn]] void fail(const YAML::Node& node, const std::string& message, const std::string& hint = {}) const {
    fail(node.Mark(), message, hint);
  }

  void keys(const YAML::Node& map, std::initializer_list<const char*> allowed) const {
    std::vector<std::string> seen;
    for (const auto& pair : map) {
      const std::string key = pair.first.IsScalar() ? pair.first.Scalar() : std::string();
      const std::vector<std::string> words(allowed.begin(), allowed.end());
      if (std::find(words.begin(), words.end(), key) == words.end()) {
        const std::string meant = base::did_you_mean(key, words);
        fail(pair.first, "unknown key '" + printable(key) + "'",
             meant.empty() ? "known here: " + base::joined(words, ", ") : meant);
      }
      if (std::find(seen.begin(), seen.end(), key) != seen.end()) fail(pair.first, "key '" + key + "' stands twice");
      seen.push_back(key);
    }
  }

  [[nodiscard]] std::string text(const YAML::Node& node, const char* what) const {
    if (!node.IsScalar() || node.Scalar().empty()) fail(node, std::string(what) + " is no word");
    return node.Scalar();
  }

  [[nodiscard]] std::uint64_t number(const YAML::Node& node, const char* what, std::uint64_t low,
                                     std::uint64_t high) const {
    std::uint64_t value = 0;
    const std::string word = node.IsScalar() ? node.Scalar() : std::string();
    const auto end = word.data() + word.size();
    const auto result = std::from_chars(word.data(), end, value);
    if (word.empty() || result.ec != std::errc() || result.ptr != end || value < low || value > high) {
      fail(node, std::string(what) + " is '" + printable(word) + "'",
           "a whole number from " + std::to_string(low) + " to " + std::to_string(high));
    }
    return value;
  }

  [[nodiscard]] YAML::Node list(const YAML::Node& map, const char* key) const {
    const YAML::Node node = map[key];
    if (!node) fail(map, "key '" + std::string(key) + "' is missing");
    if (!node.IsSequence() || node.size() == 0) fail(node, std::string(key) + " is no list with at least one entry");
    return node;
  }

  void need(const YAML::Node& map, std::initializer_list<const char*> wanted) const {
    for (const char* const key : wanted) {
      if (!map[key]) fail(map, "key '" + std::string(key) + "' is missing");
    }
  }

  void kernel(const YAML::Node& node, JobStream& out) {
    if (!node.IsMap())
      fail(node, "a kernel is a mapping", "{name: ..., threads: ..., registers: ..., tbs: ..., service: ...}");
    keys(node, {"name", "threads", "registers", "shared", "tbs", "service"});
    need(node, {"name", "threads", "registers", "tbs", "service"});
    KernelType type;
    type.name = text(node["name"], "name");
    if (type.name.find_first_of(" \t\n#:'\"") != std::string::npos) {
      fail(node["name"], "the name '" + printable(type.name) + "' has blanks, quotes, '#' or ':' in it");
    }
    type.threads = static_cast<std::uint32_t>(number(node["threads"], "threads", 1, 1024));
    type.registers = static_cast<std::uint32_t>(number(node["registers"], "registers", 1, 256));
    if (node["shared"]) type.shared = static_cast<std::uint32_t>(number(node["shared"], "shared", 0, 1U << 20U));
    type.tbs = static_cast<std::uint32_t>(number(node["tbs"], "tbs", 1, (1U << 24U) - 1));
    type.service =
        static_cast<std::uint32_t>(number(node["service"], "service", 1, std::numeric_limits<std::uint32_t>::max()));
    if (!types_.emplace(type.name, static_cast<unsigned>(out.types.size())).second) {
      fail(node["name"], "kernel '" + printable(type.name) + "' is defined twice");
    }
    out.types.push_back(std::move(type));
  }

  [[nodiscard]] unsigned type_of(const YAML::Node& node) const {
    const std::string name = text(node, "kernel");
    const auto found = types_.find(name);
    if (found == types_.end()) {
      std::vector<std::string> names;
      names.reserve(types_.size());
      for (const auto& [known, index] : types_) names.push_back(known);
      std::sort(names.begin(), names.end());
      fail(node, "unknown kernel '" + printable(name) + "'", "defined are " + base::joined(names, ", "));
    }
    return found->second;
  }

  void job(const YAML::Node& node, JobStream& out) {
    if (!node.IsMap()) fail(node, "a job is a mapping", "{arrival: ..., deadline: ..., kernels: [...]}");
    keys(node, {"arrival", "deadline", "variant", "kernels"});
    need(node, {"arrival", "kernels"});
    Job job;
    job.arrival = number(node["arrival"], "arrival", 0, (std::uint64_t{1} << 47U) - 1);
    if (node["deadline"]) job.deadline = number(node["deadline"], "deadline", 1, 0xffff'fffeU);
    if (node["variant"]) job.variant = static_cast<unsigned>(number(node["variant"], "variant", 0, 1000));
    if (!out.jobs.empty() && job.arrival < out.jobs.back().arrival) {
      fail(node["arrival"], "a job arrives before the one above it", "order jobs by arrival");
    }
    for (const YAML::Node& entry : list(node, "kernels")) {
      KernelCall call;
      std::uint64_t times = 1;
      if (entry.IsMap()) {
        keys(entry, {"kernel", "tbs", "times"});
        need(entry, {"kernel"});
        call.type = type_of(entry["kernel"]);
        call.tbs = out.types[call.type].tbs;
        if (entry["tbs"]) call.tbs = static_cast<std::uint32_t>(number(entry["tbs"], "tbs", 1, (1U << 24U) - 1));
        if (entry["times"]) times = number(entry["times"], "times", 1, kMaxKernelsPerJob);
      } else {
        call.type = type_of(entry);
        call.tbs = out.types[call.type].tbs;
      }
      if (job.kernels.size() + times > kMaxKernelsPerJob) {
        fail(entry, "a job of more than " + std::to_string(kMaxKernelsPerJob) + " kernels");
      }
      job.kernels.insert(job.kernels.end(), times, call);
    }
    out.jobs.push_back(std::move(job));
  }

  JobStream generate(const YAML::Node& node) {
    if (!node.IsMap()) fail(node, "generate is a mapping", "{workload: LSTM, rate: high, jobs: 128, seed: 1}");
    keys(node, {"workload", "rate", "jobs", "seed"});
    need(node, {"workload", "rate"});
    lax::Arrivals arrivals;
    if (node["jobs"]) arrivals.jobs = static_cast<unsigned>(number(node["jobs"], "jobs", 1, 1'000'000));
    if (node["seed"]) arrivals.seed = number(node["seed"], "seed", 0, std::numeric_limits<std::uint64_t>::max());
    const std::string name = text(node["workload"], "workload");
    const lax::Workload* const workload = lax::find_workload(name);
    if (workload == nullptr) {
      fail(node["workload"], "unknown workload '" + printable(name) + "'",
           "known are " + base::joined(lax::workload_names(), ", "));
    }
    const std::string rate = text(node["rate"], "rate");
    if (const auto level = lax::find_rate(rate)) {
      arrivals.per_second = workload->rates[static_cast<std::size_t>(*level)];
    } else {
      arrivals.per_second = number(node["rate"], "rate (low, medium, high or jobs per second)", 1, 1'000'000'000);
    }
    return lax::generate(*workload, arrivals);
  }

  const std::string& file_;
  std::unordered_map<std::string, unsigned> types_;
};

}  // namespace

std::uint64_t Job::tbs(std::size_t from) const {
  std::uint64_t sum = 0;
  for (std::size_t i = from; i < kernels.size(); ++i) sum += kernels[i].tbs;
  return sum;
}

Cycle JobStream::isolated(const Job& job, const std::vector<std::uint64_t>& slots, std::size_t from) const {
  Cycle sum = 0;
  for (std::size_t i = from; i < job.kernels.size(); ++i) {
    const KernelCall& call = job.kernels[i];
    const std::uint64_t fit = slots.empty() || slots[call.type] == 0 ? call.tbs : slots[call.type];
    sum += (call.tbs + fit - 1) / fit * types[call.type].service;
  }
  return sum;
}

std::string JobStream::replay_text() const {
  std::ostringstream out;
  out << "castor-replay 1\n";
  if (w0 != 0) out << "w0 " << w0 << '\n';
  for (const KernelType& type : types) {
    out << "kernel " << type.name << "\n  threads " << type.threads << "\n  registers " << type.registers << '\n';
    if (type.shared != 0) out << "  shared " << type.shared << '\n';
    out << "  tbs " << type.tbs << "\n  service constant " << type.service << '\n';
  }
  return out.str();
}

std::string JobStream::to_yaml() const {
  std::ostringstream out;
  out << "job-stream: 1\nname: " << name << '\n';
  if (w0 != 0) out << "w0: " << w0 << '\n';
  out << "kernels:\n";
  for (const KernelType& type : types) {
    out << "  - {name: " << type.name << ", threads: " << type.threads << ", registers: " << type.registers
        << ", shared: " << type.shared << ", tbs: " << type.tbs << ", service: " << type.service << "}\n";
  }
  out << "jobs:\n";
  for (const Job& job : jobs) {
    out << "  - {arrival: " << job.arrival;
    if (job.deadline != Job::kNoDeadline) out << ", deadline: " << job.deadline;
    if (job.variant != 0) out << ", variant: " << job.variant;
    out << ", kernels: [";
    for (std::size_t i = 0; i < job.kernels.size();) {
      const KernelCall& call = job.kernels[i];
      std::size_t times = 1;
      while (i + times < job.kernels.size() && job.kernels[i + times].type == call.type &&
             job.kernels[i + times].tbs == call.tbs) {
        ++times;
      }
      if (i != 0) out << ", ";
      const KernelType& type = types[call.type];
      if (times == 1 && call.tbs == type.tbs) {
        out << type.name;
      } else {
        out << "{kernel: " << type.name << ", tbs: " << call.tbs << ", times: " << times << '}';
      }
      i += times;
    }
    out << "]}\n";
  }
  return out.str();
}

JobStream parse_job_stream(std::string_view text, const std::string& file) {
  Reader reader(file);
  YAML::Node root;
  try {
    root = YAML::Load(std::string(text));
  } catch (const YAML::Exception& error) {
    reader.fail(error.mark, "not YAML: " + printable(error.msg));
  }
  return reader.stream(root);
}

JobStream read_job_stream(const std::string& path) {
  constexpr std::size_t kLimit = std::size_t{64} << 20U;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError(SourceLocation{path}, "cannot be read");
  std::string text(kLimit + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (in.bad()) throw InputError(SourceLocation{path}, "cannot be read");
  if (text.size() > kLimit) throw InputError(SourceLocation{path}, "larger than 64 MiB");
  return parse_job_stream(text, path);
}

}  // namespace castor::workloads
