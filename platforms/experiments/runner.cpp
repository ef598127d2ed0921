#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "castor/base/error.h"
#include "castor/base/hash.h"
#include "castor/base/output_file.h"
#include "platforms/cli/complete.h"
#include "platforms/experiments/experiment.h"
#include "platforms/experiments/process.h"
#include "platforms/experiments/progress.h"

namespace castor::platforms::experiments {
namespace {

namespace fs = std::filesystem;

constexpr int kWrongRequest = 2;  ///< exit code of a run's process that ended with an InputError

std::vector<Registration::Make>& registry() {
  static std::vector<Registration::Make> all;
  return all;
}

void write_whole(const fs::path& path, const std::string& text) {
  const fs::path part = path.string() + ".part";
  base::write_file(part, text);
  fs::rename(part, path);
}

/// Executes one run in its own process, because SystemC can elaborate only once per process.
[[noreturn]] void execute_one(const Experiment& experiment, const Run& run, const std::string& build,
                              const fs::path& file, const SharedText& errors) {
  int code = 0;
  try {
    end_with_parent();
    Json out;
    out["build"] = build;
    out["parameters"] = run.parameters;
    out["result"] = experiment.execute(run.parameters);
    write_whole(file, out.dump(1) + "\n");
  } catch (const base::InputError& error) {
    errors.write(error.what());
    code = kWrongRequest;
  } catch (const std::exception& error) {
    errors.write(error.what());
    code = 1;
  }
  std::fflush(nullptr);
  _exit(code);
}

}  // namespace

Registration::Registration(Make make) { registry().push_back(make); }

std::vector<std::unique_ptr<Experiment>> all_experiments() {
  std::vector<std::unique_ptr<Experiment>> all;
  for (const Registration::Make make : registry()) all.push_back(make());
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return std::strcmp(a->name(), b->name()) < 0; });
  return all;
}

// Results of another build of this program are not reused.
std::string Experiment::build() const { return base::Hash().add(contents("/proc/self/exe")).text(); }

void check_names(const std::vector<std::string>& words, const std::vector<std::string>& known, const char* what) {
  for (const std::string& word : words) cli::check_word(word, known, what);
}

std::string file_word(std::string text) {
  constexpr std::size_t kLongest = 60;
  for (char& c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.') c = '_';
  }
  return text.substr(0, kLongest);
}

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

namespace {

fs::path folder_of_runs(const std::string& out) { return fs::path(out) / "runs"; }

/// Returns the contents of a run's file; an empty object if the file is invalid.
Json run_file(const fs::path& path) {
  Json file = Json::parse(contents(path.string()), nullptr, false);
  return file.is_object() && file.contains("parameters") && file.contains("result") ? file : Json();
}

/// Returns the entry of a run in results.json.
Json row_of(const Run& run) {
  Json row = run.parameters;
  row.update(run.result);
  return row;
}

}  // namespace

void execute_all(const Experiment& experiment, std::vector<Run>& runs, const RunnerOptions& options) {
  const fs::path folder = folder_of_runs(options.out);
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) throw base::InputError(base::SourceLocation{folder.string()}, "cannot be made: " + failed.message());
  const std::string build = experiment.build();
  const auto file_of = [&](const Run& run) { return folder / (run.name + ".json"); };
  const auto load = [&](Run& run) {
    const Json file = run_file(file_of(run));
    if (file.is_null() || file.value("build", "") != build || file["parameters"] != run.parameters) return false;
    run.result = file["result"];
    return true;
  };

  std::vector<Run*> left;
  for (Run& run : runs) {
    if (options.fresh || !load(run)) left.push_back(&run);
  }
  ProgressLine line(experiment.name(), left, runs.size() - left.size(), options.workers);
  std::string first_error;
  bool wrong_request = false;  // the first error is an InputError (such as a full disk), which determines the exit code
  std::vector<std::unique_ptr<SharedText>> said(left.size());
  Processes work;
  work.count = left.size();
  work.workers = options.workers;
  work.start = [&](std::size_t i) {
    Run& run = *left[i];
    const SharedText& errors = *(said[i] = std::make_unique<SharedText>());
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child < 0) throw base::Error(std::string("no process for a run: ") + std::strerror(errno));
    if (child == 0) execute_one(experiment, run, build, file_of(run), errors);
    line.started(i);
    return child;
  };
  work.ended = [&](std::size_t i, int status) {
    Run& run = *left[i];
    line.finished(i);
    const std::unique_ptr<SharedText> errors = std::move(said[i]);
    if ((WIFEXITED(status) && WEXITSTATUS(status) == 0 && load(run)) || !first_error.empty()) return;
    wrong_request = WIFEXITED(status) && WEXITSTATUS(status) == kWrongRequest;
    first_error =
        "run " + run.name + " failed: " +
        (WIFSIGNALED(status) ? std::string("ended by signal ") + strsignal(WTERMSIG(status)) : errors->read());
  };
  if (options.progress) work.tick = [&] { line.show(); };
  run_all(work, "interrupted; the same command goes on with the runs that are left");
  if (options.progress && work.count != 0) std::fprintf(stderr, "\n");
  if (wrong_request) throw base::InputError(first_error);
  if (!first_error.empty()) throw base::Error(first_error);
}

std::vector<Run> stored_runs(const std::string& out) {
  std::map<std::string, Run> by_name;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder_of_runs(out), failed)) {
    if (entry.path().extension() != ".json") continue;
    const Json file = run_file(entry.path());
    if (file.is_null()) continue;
    const std::string name = entry.path().stem().string();
    by_name[name] = {name, file["parameters"], file["result"]};
  }
  if (by_name.empty()) {
    throw base::InputError("no runs in '" + base::printable(folder_of_runs(out).string(), std::string::npos) + "'",
                           "--out names the folder that an experiment has written");
  }
  std::vector<Run> runs;
  const Json rows = Json::parse(contents((fs::path(out) / "results.json").string()), nullptr, false);
  if (!rows.is_array()) {
    for (auto& [name, run] : by_name) runs.push_back(std::move(run));
    return runs;
  }
  std::map<std::string, const Run*> by_row;
  for (const auto& [name, run] : by_name) by_row[row_of(run).dump()] = &run;
  for (const Json& row : rows) {
    const auto found = by_row.find(row.dump());
    if (found == by_row.end()) {
      throw base::InputError(base::SourceLocation{(fs::path(out) / "results.json").string()},
                             "row " + std::to_string(runs.size() + 1) + " is none of the runs beside it",
                             "without that file all runs of the folder are taken");
    }
    runs.push_back(*found->second);
  }
  return runs;
}

}  // namespace castor::platforms::experiments
