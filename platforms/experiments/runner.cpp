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
#include "platforms/experiments/experiment.h"

namespace castor::platforms::experiments {
namespace {

namespace fs = std::filesystem;

std::vector<Registration::Make>& registry() {
  static std::vector<Registration::Make> all;
  return all;
}

volatile std::sig_atomic_t interrupted = 0;
void on_interrupt(int /*signal*/) { interrupted = 1; }

void write_whole(const fs::path& path, const std::string& text) {
  const fs::path part = path.string() + ".part";
  std::ofstream out(part, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw base::InputError(base::SourceLocation{part.string()}, "cannot be written");
  fs::rename(part, path);
}

/// The work of one process. SystemC elaborates once per process, so every run has its own.
[[noreturn]] void work(const Experiment& experiment, const Run& run, const std::string& build, const fs::path& file,
                       const fs::path& errors) {
  int code = 0;
  try {
    std::signal(SIGINT, SIG_DFL);
    Json out;
    out["build"] = build;
    out["parameters"] = run.parameters;
    out["result"] = experiment.execute(run.parameters);
    write_whole(file, out.dump(1) + "\n");
  } catch (const std::exception& error) {
    std::ofstream(errors) << error.what();
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

// Results of another build of this program are not trusted.
std::string Experiment::build() const { return base::Hash().add(contents("/proc/self/exe")).text(); }

void check_names(const std::vector<std::string>& words, const std::vector<std::string>& known, const char* what) {
  for (const std::string& word : words) {
    if (std::find(known.begin(), known.end(), word) != known.end()) continue;
    std::string list;
    for (const std::string& one : known) list += (list.empty() ? "" : ", ") + one;
    throw base::InputError(std::string("no ") + what + " '" + base::printable(word) + "'", "known are " + list);
  }
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

void execute_all(const Experiment& experiment, std::vector<Run>& runs, const RunnerOptions& options) {
  const fs::path folder = fs::path(options.out) / "runs";
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) throw base::InputError(base::SourceLocation{folder.string()}, "cannot be made: " + failed.message());
  const std::string build = experiment.build();
  const auto file_of = [&](const Run& run) { return folder / (run.name + ".json"); };
  const auto load = [&](Run& run) {
    const Json file = Json::parse(contents(file_of(run)), nullptr, false);
    if (file.is_discarded() || !file.contains("result") || file.value("build", "") != build ||
        file["parameters"] != run.parameters) {
      return false;
    }
    run.result = file["result"];
    return true;
  };

  std::vector<Run*> left;
  for (Run& run : runs) {
    if (options.fresh || !load(run)) left.push_back(&run);
  }
  const std::size_t total = left.size();
  std::map<pid_t, Run*> running;
  std::string first_error;
  std::size_t started = 0, finished = 0;
  struct sigaction old {};
  struct sigaction action {};
  action.sa_handler = on_interrupt;  // without SA_RESTART: waitpid comes back
  sigaction(SIGINT, &action, &old);
  interrupted = 0;
  while (!running.empty() || (started < total && interrupted == 0)) {
    while (running.size() < std::max(1U, options.workers) && started < total && interrupted == 0) {
      Run* const run = left[started++];
      const fs::path errors = file_of(*run).string() + ".error";
      fs::remove(errors, failed);
      std::fflush(nullptr);
      const pid_t child = fork();
      if (child < 0) throw base::Error(std::string("no process for a run: ") + std::strerror(errno));
      if (child == 0) work(experiment, *run, build, file_of(*run), errors);
      running.emplace(child, run);
    }
    int status = 0;
    const pid_t child = waitpid(-1, &status, 0);
    if (child < 0) {
      if (errno == EINTR) continue;
      break;
    }
    const auto found = running.find(child);
    if (found == running.end()) continue;
    Run& run = *found->second;
    running.erase(found);
    ++finished;
    if ((!WIFEXITED(status) || WEXITSTATUS(status) != 0 || !load(run)) && interrupted == 0 && first_error.empty()) {
      std::string said = contents(file_of(run).string() + ".error");
      if (WIFSIGNALED(status)) said = std::string("ended by signal ") + strsignal(WTERMSIG(status));
      first_error = "run " + run.name + " failed: " + said;
    }
    if (options.progress) {
      std::fprintf(stderr, "\r%s: %zu of %zu runs (%zu were there)   ", experiment.name(), finished, total,
                   runs.size() - total);
    }
  }
  sigaction(SIGINT, &old, nullptr);
  if (options.progress && total != 0) std::fprintf(stderr, "\n");
  if (interrupted != 0) throw base::Error("interrupted; the same command goes on with the runs that are left");
  if (!first_error.empty()) throw base::Error(first_error);
}

}  // namespace castor::platforms::experiments
