#include "tb/common/cosim.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "castor/base/error.h"
#include "castor/base/output_file.h"
#include "castor/base/running_call.h"
#include "castor/twin/mismatch.h"
#include "castor/twin/rtl_options.h"

namespace castor::tb {
namespace {

/// Result of the cover points that are not waived: their number, and the names of points never hit.
struct Reached {
  explicit Reached(const CosimResult& result) {
    for (const Cover::Point& point : result.cover) {
      if (!point.waiver.empty()) continue;
      ++wanted;
      if (point.hits == 0) never.push_back(point.name);
    }
  }
  [[nodiscard]] std::size_t hit() const { return wanted - never.size(); }
  [[nodiscard]] double share() const {
    return wanted == 0 ? 100 : 100.0 * static_cast<double>(hit()) / static_cast<double>(wanted);
  }

  std::size_t wanted = 0;
  std::vector<std::string> never;
};

void write_json(const BlockEntry& block, const CosimRequest& request, const CosimResult& result,
                const Reached& reached) {
  nlohmann::ordered_json cover = nlohmann::ordered_json::array();
  for (const Cover::Point& point : result.cover) {
    cover.push_back({{"name", point.name}, {"hits", point.hits}});
    if (!point.waiver.empty()) cover.back()["waiver"] = point.waiver;
  }
  const nlohmann::ordered_json report{
      {"block", block.name},
      {"engine", request.engine},
      {"params", request.params},
      {"sequence", request.sequence.empty() ? std::string(block.sequences.at(0).name) : request.sequence},
      {"seed", request.seed},
      {"cycles", result.cycles},
      {"skipped", result.skipped},
      {"longest", result.longest},
      {"mismatches", result.mismatch.empty() ? 0 : 1},
      {"mismatch", result.mismatch},
      {"seconds", result.seconds},
      {"command", replay_line(block, request)},
      {"cover_points", {{"reached", reached.hit()}, {"wanted", reached.wanted}, {"points", cover}}}};
  base::write_file(request.json, report.dump(2) + '\n');
}

void print(const BlockEntry& block, const CosimRequest& request, const CosimResult& result, const Reached& reached) {
  constexpr std::size_t kShown = 20;  // maximum number of unreached points printed by name
  std::printf(
      "%s %s (%s), seed %llu: %llu cycles, %llu of them skipped, %s, %.0f thousand cycles/s, %zu of %zu cover points "
      "(%.1f %%)\n",
      block.name.c_str(), request.params.c_str(), request.engine.c_str(), static_cast<unsigned long long>(request.seed),
      static_cast<unsigned long long>(result.cycles), static_cast<unsigned long long>(result.skipped),
      !result.mismatch.empty()       ? "FAILED"
      : request.engine == "lockstep" ? "0 mismatches"
                                     : "no failure",
      static_cast<double>(result.cycles) / std::max(result.seconds, 1e-9) / 1e3, reached.hit(), reached.wanted,
      reached.share());
  if (request.cover) {
    for (const Cover::Point& point : result.cover) {
      std::printf("%12llu  %s%s\n", static_cast<unsigned long long>(point.hits), point.name.c_str(),
                  point.waiver.empty() ? "" : ("  (waived: " + point.waiver + ")").c_str());
    }
    return;
  }
  if (reached.never.empty()) return;
  std::string line = "  never:";
  for (std::size_t i = 0; i < std::min(kShown, reached.never.size()); ++i) {
    line += (i == 0 ? " " : ", ") + reached.never[i];
  }
  if (reached.never.size() > kShown)
    line += ", and " + std::to_string(reached.never.size() - kShown) + " more (--cover)";
  std::printf("%s\n", line.c_str());
}

}  // namespace

twin::ParamValues chosen_params(const std::string& block, const ParamSets& sets, const std::string& text) {
  const auto find = [&sets](const std::string& name) {
    return std::find_if(sets.begin(), sets.end(), [&name](const auto& set) { return set.first == name; });
  };
  twin::ParamValues values;
  const auto put = [&values](const std::string& name, std::uint32_t value) {
    const auto known =
        std::find_if(values.begin(), values.end(), [&name](const auto& other) { return other.first == name; });
    if (known != values.end()) {
      known->second = value;
    } else {
      values.emplace_back(name, value);
    }
  };
  if (const auto set = find("default"); set != sets.end()) values = set->second;
  if (text.empty()) return values;
  std::size_t begin = 0;
  for (bool first = true; begin <= text.size(); first = false) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) {
      const auto set = find(word);
      // the word "default" selects the block's own default parameters
      if (set == sets.end() && first && word == "default") continue;
      if (set == sets.end() || !first) {
        std::string names;
        for (const auto& known : sets) names += (names.empty() ? "" : ", ") + known.first;
        throw base::InputError(
            block + ": no parameter set '" + base::printable(word) + "'" + (first ? "" : " behind the first word"),
            (names.empty() ? "there are none" : "sets are " + names) + "; or Name=Value, separated by commas");
      }
      values = set->second;
    } else {
      const std::string digits = word.substr(equals + 1);
      char* rest = nullptr;
      errno = 0;
      const unsigned long long value = std::strtoull(digits.c_str(), &rest, 0);
      if (digits.empty() || *rest != '\0' || digits[0] == '-' || errno != 0 || value > 0xffffffffU) {
        throw base::InputError(block + ": '" + base::printable(word) + "' is no Name=Value", "for example odd,Depth=7");
      }
      put(word.substr(0, equals), static_cast<std::uint32_t>(value));
    }
  }
  return values;
}

std::string replay_line(const BlockEntry& block, const CosimRequest& request) {
  std::string line = "castor cosim " + block.name;
  if (!request.rtl_file.empty()) line += " --rtl " + request.rtl_file;
  if (request.engine != "lockstep") line += " --engine " + request.engine;
  line += " --params " + request.params + " --seed " + std::to_string(request.seed) + " --cycles " +
          std::to_string(request.cycles);
  if (!request.sequence.empty()) line += " --sequence " + request.sequence;
  if (!request.skip) line += " --no-skip";
  return line;
}

namespace {

/// Repeats a run that ended in a mismatch, with waves of the cycles before the mismatch. Returns the text that tells
/// the user where the waves are.
std::string write_window(const BlockEntry& block, CosimRequest request, const CosimResult& result) {
  request.window = true;
  if (request.dump.empty()) {
    std::string params = request.params;
    std::replace(params.begin(), params.end(), ',', '-');
    request.dump = block.name + "-" + params + (request.sequence.empty() ? "" : "-" + request.sequence) + "-" +
                   std::to_string(request.seed);
  }
  const std::string file = request.dump + ".vcd";
  request.wave = file;
  request.wave_depth = twin::kWholeDepth;
  request.wave_from = result.cycles > kWindow ? result.cycles - kWindow : 0;
  request.wave_to = result.cycles + 1 + twin::kCyclesAfterMismatch;
  request.coverage.clear();
  try {
    const CosimResult again = block.run(request, [](base::Cycle) {});
    if (!again.differs || again.cycles != result.cycles) return "the repetition for waves ended otherwise";
  } catch (const base::InputError& error) {
    return std::string("no waves: ") + error.what();
  }
  return "waves:  " + file + ", cycles " + std::to_string(request.wave_from) + " to " + std::to_string(result.cycles) +
         "\n  look:   castor wave " + file + " --view  (how to open it in GTKWave)";
}

struct Outcome {
  int code;
  CosimResult result;
};

/// Executes one run. `window`: a mismatch writes waves.
Outcome cosim_once(const BlockEntry& block, CosimRequest request, bool window);

/// Executes the requests one after another, also after a mismatch, and prints a summary line. Returns the exit code.
int cosim_each(const BlockEntry& block, const std::vector<CosimRequest>& requests) {
  base::Cycle cycles = 0;
  unsigned failed = 0;
  bool window = true;  // whether the next mismatch writes waves; cleared by the first mismatch
  for (const CosimRequest& request : requests) {
    const Outcome outcome = cosim_once(block, request, window);
    failed += outcome.code == 0 ? 0 : 1;
    cycles += outcome.result.cycles;
    window &= !outcome.result.differs;
  }
  std::printf("%s: %zu runs, %llu cycles, %u failed\n", block.name.c_str(), requests.size(),
              static_cast<unsigned long long>(cycles), failed);
  return failed == 0 && !requests.empty() ? 0 : 1;
}

/// Returns a request for every pair of parameter set and sequence.
std::vector<CosimRequest> all_of(const BlockEntry& block, CosimRequest request) {
  std::vector<CosimRequest> requests;
  request.all = false;
  if (request.cycles == 0) request.cycles = kUsualCycles;
  for (const auto& set : block.sets) {
    for (const SequenceInfo& info : block.sequences) {
      if (info.medley) continue;
      request.params = set.first;
      request.values = set.second;
      request.sequence = info.name;
      requests.push_back(request);
    }
  }
  return requests;
}

std::vector<CosimRequest> defaults_of(const BlockEntry& block, CosimRequest request) {
  std::vector<CosimRequest> requests;
  for (const PlannedRun& run : default_runs(block)) {
    request.params = run.set;
    request.values = chosen_params(block.name, block.sets, run.set);
    request.cycles = run.cycles;
    request.sequence = run.sequence;
    requests.push_back(request);
  }
  return requests;
}

}  // namespace

std::vector<PlannedRun> default_runs(const BlockEntry& block) {
  // Budget in bits simulated and compared per set, and the limits of the cycles per set.
  constexpr base::Cycle kBudget = 16'000'000'000, kLeast = 200'000, kMost = 1'000'000, kGranularity = 10'000;
  std::vector<PlannedRun> runs;
  for (const char* const name : {"minimum", "odd", "default", "large"}) {
    const auto set = std::find_if(block.sets.begin(), block.sets.end(), [&](const auto& s) { return s.first == name; });
    if (set == block.sets.end()) continue;
    const Description described = block.describe(set->second);
    base::Cycle bits = 0;
    for (const auto* const ports : {&described.inputs, &described.outputs, &described.probes}) {
      for (const Description::Port& port : *ports) bits += port.width;
    }
    const base::Cycle cycles = std::clamp(kBudget / std::max<base::Cycle>(bits, 1), kLeast, kMost);
    runs.push_back({name, cycles / kGranularity * kGranularity, ""});
  }
  if (runs.empty()) runs.push_back({"default", kUsualCycles, ""});
  const auto usual = std::find_if(runs.begin(), runs.end(), [](const PlannedRun& run) { return run.set == "default"; });
  const PlannedRun run = usual == runs.end() ? runs.front() : *usual;
  for (const SequenceInfo& info : block.sequences) {
    if (info.alone) runs.push_back({run.set, run.cycles, std::string(info.name)});
  }
  return runs;
}

namespace {

/// Returns the share of the cover points, in per cent, that a run of the default sequence must reach. A run as long as
/// the default run of its set must reach the block's share. A shorter run of at least kCoverCycles cycles must reach
/// kCoverLess per cent less. Returns 0 if no share is required.
unsigned wanted_cover(const BlockEntry& block, const CosimRequest& request) {
  const bool by_default = request.sequence.empty() || request.sequence == block.sequences.at(0).name;
  if (!by_default || request.cycles < kCoverCycles || block.least_cover < kCoverLess) return 0;
  for (const PlannedRun& run : default_runs(block)) {
    if (run.set == request.params && run.sequence.empty())
      return block.least_cover - (request.cycles < run.cycles ? kCoverLess : 0);
  }
  return 0;
}

Outcome cosim_once(const BlockEntry& block, CosimRequest request, bool window) {
  if (request.params.empty()) request.params = "default";
  if (request.cycles == 0) request.cycles = kUsualCycles;
  if (!request.json.empty() && !std::ofstream(request.json)) {
    throw base::InputError("cannot write '" + base::printable(request.json) + "'");
  }
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const auto began = std::chrono::steady_clock::now();
  auto told = began;
  const base::CallWatch watch([&](const std::string& text) {
    std::fprintf(stderr, "%scastor: %s\n  replay: %s\n", terminal ? "\n" : "", text.c_str(),
                 replay_line(block, request).c_str());
    std::_Exit(1);
  });
  const CosimResult result = block.run(request, [&](base::Cycle cycle) {
    if (!terminal) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - told < std::chrono::milliseconds(200)) return;
    told = now;
    const double seconds = std::chrono::duration<double>(now - began).count();
    const double rate = static_cast<double>(cycle) / seconds;
    std::fprintf(stderr, "\r%s: %llu of %llu cycles, %.0f thousand/s, %.0f s left   ", block.name.c_str(),
                 static_cast<unsigned long long>(cycle), static_cast<unsigned long long>(request.cycles), rate / 1e3,
                 static_cast<double>(request.cycles - cycle) / rate);
  });
  if (terminal && told != began) std::fprintf(stderr, "\r%78s\r", "");
  const Reached reached(result);
  print(block, request, result, reached);
  if (!request.json.empty()) write_json(block, request, result, reached);
  if (result.mismatch.empty()) {
    const unsigned wanted = wanted_cover(block, request);
    if (reached.share() >= wanted) return {0, result};
    std::fflush(stdout);
    std::fprintf(stderr, "castor: %s: a default run of %llu cycles is to reach %u %% of the cover points\n",
                 block.name.c_str(), static_cast<unsigned long long>(request.cycles), wanted);
    return {1, result};
  }
  std::fflush(stdout);
  std::fprintf(stderr, "castor: %s\n", result.mismatch.c_str());
  if (result.differs && window) {
    std::fprintf(stderr, "  %s\n", write_window(block, request, result).c_str());
  }
  return {1, result};
}

}  // namespace

int cosim(const BlockEntry& block, const CosimRequest& request) {
  if (request.all) return cosim_each(block, all_of(block, request));
  const bool one_run =
      !request.wave.empty() || !request.json.empty() || !request.coverage.empty() || !request.rtl_file.empty();
  if (!one_run && request.params.empty() && request.cycles == 0 && request.sequence.empty()) {
    return cosim_each(block, defaults_of(block, request));
  }
  return cosim_once(block, request, true).code;
}

}  // namespace castor::tb
