// The main of test programs whose cases run in processes of their own (castor_test(... ISOLATED)): SystemC allows one
// elaboration per process.
//
// The program starts itself again for every case that the filter selects and judges it by its exit and its report. A
// case that crashes, or whose process uses more CPU time than CASTOR_CASE_SECONDS (default 600), has failed, and the
// others still run. How busy the machine is does not matter. A case that waits for ever uses no CPU time: it has failed
// after CASTOR_CASE_HANG_SECONDS (default kHangLimit).
// Options beside GoogleTest's: --castor_jobs=N, or CASTOR_CASE_JOBS: cases at once (default 1; 0 = one per processor);
// --castor_output: show what passing cases print. Reports: --gtest_output=json:<file> only.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/common/environment.h"
#include "tests/common/hang.h"
#include "tests/common/selection.h"

namespace {

using Json = nlohmann::ordered_json;
using Time = std::chrono::steady_clock;

constexpr const char* kChild = "CASTOR_ISOLATED_CASE";  // set in the process of one case

struct Settings {
  std::vector<std::string> arguments;          // program first; GoogleTest's own included
  std::string report;                          // empty = none
  unsigned cpu_seconds = 600;                  // CPU time of the process of one case
  unsigned hang_seconds = kHangLimit.count();  // time of a case that waits for ever
  unsigned jobs = 1;
  bool show_all = false;
};

struct Case {
  std::string suite, name;
  std::string folder;  // folder of output and report
  pid_t process = -1;
  Time::time_point start;
  bool timed_out = false;
  bool failed = false, skipped = false;
  long long milliseconds = 0;
  std::string reason;  // reason of the failure, if it is not a failed assertion
  Json report;         // entry of the case in the report
  Json suite_entry;    // entry of the case's suite, without cases
  [[nodiscard]] std::string full() const { return suite + "." + name; }
};

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Blocks the signals that `run_all` waits for, while the object lives. Child processes start with the previous mask.
class HeldSignals {
 public:
  HeldSignals() {
    sigemptyset(&held_);
    for (const int signal : {SIGCHLD, SIGINT, SIGTERM}) sigaddset(&held_, signal);
    sigprocmask(SIG_BLOCK, &held_, &before_);
  }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  ~HeldSignals() { release(); }
  void release() const { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  /// Returns the next of the signals; -1 if none comes within a second.
  [[nodiscard]] int next() const {
    const timespec second{1, 0};
    return sigtimedwait(&held_, nullptr, &second);
  }

 private:
  sigset_t held_{}, before_{};
};

[[noreturn]] void give_up(const std::string& why) {
  std::cerr << "isolated tests: " << why << '\n';
  std::exit(2);
}

void make_folder(const std::string& path) {
  if (mkdir(path.c_str(), 0700) != 0) give_up("no folder '" + path + "': " + std::strerror(errno));
}

/// Starts the program again and returns the process. Its output goes to `output`. SIGXCPU ends the process when it has
/// used `cpu_seconds` of CPU time.
pid_t start(const std::vector<std::string>& arguments, const std::string& output, unsigned cpu_seconds,
            const HeldSignals& signals) {
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) give_up(std::string("cannot start a process: ") + std::strerror(errno));
  if (child != 0) {
    setpgid(child, child);
    return child;
  }
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(2);
  const int file = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || dup2(file, 1) < 0 || dup2(file, 2) < 0) _exit(2);
  unsetenv("GTEST_OUTPUT");
  unsetenv("GTEST_TOTAL_SHARDS");
  unsetenv("GTEST_SHARD_INDEX");
  setenv(kChild, "1", 1);
  signals.release();
  rlimit limit{};
  getrlimit(RLIMIT_CPU, &limit);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, cpu_seconds);
  setrlimit(RLIMIT_CPU, &limit);
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));  // NOLINT
  argv.push_back(nullptr);
  execv("/proc/self/exe", argv.data());
  _exit(2);
}

std::vector<std::string> with(const Settings& settings, std::initializer_list<std::string> more) {
  std::vector<std::string> out = settings.arguments;
  out.insert(out.end(), more);  // a later argument overrides an earlier one
  return out;
}

/// Returns the cases of this shard, divided as GoogleTest does it (GTEST_TOTAL_SHARDS, GTEST_SHARD_INDEX).
std::vector<Case> shard(std::vector<Case> cases) {
  const char* const total = std::getenv("GTEST_TOTAL_SHARDS");  // NOLINT(concurrency-mt-unsafe)
  const char* const index = std::getenv("GTEST_SHARD_INDEX");   // NOLINT(concurrency-mt-unsafe)
  if (total == nullptr || index == nullptr) return cases;
  const std::size_t step = std::stoul(total);
  std::vector<Case> own;
  for (std::size_t i = std::stoul(index); i < cases.size(); i += step) own.push_back(cases[i]);
  return own;
}

/// Returns the cases that the filter selects, from GoogleTest's own list.
std::vector<Case> list(const Settings& settings, const std::string& folder, const HeldSignals& signals) {
  const std::string output = folder + "/list";
  const pid_t child = start(with(settings, {"--gtest_list_tests"}), output, settings.cpu_seconds, signals);
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) give_up("cannot list the cases:\n" + read(output));
  std::vector<Case> cases;
  std::istringstream lines(read(output));
  std::string line, suite;
  while (std::getline(lines, line)) {
    line = line.substr(0, line.find("  #"));
    while (!line.empty() && line.back() == ' ') line.pop_back();
    if (line.empty()) continue;
    if (line[0] != ' ') {
      if (line.back() == '.') suite = line.substr(0, line.size() - 1);
      continue;
    }
    Case one;
    one.suite = suite;
    one.name = line.substr(2);
    const auto disabled = [](const std::string& name) {
      return name.rfind("DISABLED_", 0) == 0 || name.find("/DISABLED_") != std::string::npos;
    };
    if (!GTEST_FLAG_GET(also_run_disabled_tests) && (disabled(suite) || disabled(one.name))) continue;
    cases.push_back(one);
  }
  return shard(std::move(cases));
}

void begin(Case& one, const Settings& settings, const HeldSignals& signals) {
  std::cout << "[ RUN      ] " << one.full() << std::endl;
  one.start = Time::now();
  one.process = start(with(settings, {"--gtest_filter=" + one.full(), "--gtest_output=json:" + one.folder + "/report",
                                      "--gtest_repeat=1", "--gtest_brief=1", "--gtest_color=no"}),
                      one.folder + "/output", settings.cpu_seconds, signals);
}

/// Sets the result of a case whose process has ended.
void end(Case& one, int status, const Settings& settings) {
  one.milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(Time::now() - one.start).count();
  const Json report = Json::parse(read(one.folder + "/report"), nullptr, false);
  bool ran = false;
  if (!report.is_discarded() && report.value("tests", 0) == 1) {
    one.suite_entry = report["testsuites"][0];
    one.report = one.suite_entry["testsuite"][0];
    one.suite_entry.erase("testsuite");
    ran = true;
  } else {
    one.report = Json{{"name", one.name}, {"status", "RUN"}, {"result", "COMPLETED"}, {"classname", one.suite}};
  }
  const bool assertions = ran && one.report.contains("failures");
  if (one.timed_out) {
    one.reason = "did not end within " + std::to_string(settings.hang_seconds) + " s (CASTOR_CASE_HANG_SECONDS)";
  } else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) {
    one.reason = "used more than " + std::to_string(settings.cpu_seconds) + " s of CPU time (CASTOR_CASE_SECONDS)";
  } else if (WIFSIGNALED(status)) {
    one.reason = std::string("ended by signal ") + std::to_string(WTERMSIG(status)) + ", " +
                 strsignal(WTERMSIG(status));  // NOLINT(concurrency-mt-unsafe)
  } else if (WEXITSTATUS(status) != 0 && !assertions) {
    one.reason = "ended with exit code " + std::to_string(WEXITSTATUS(status)) + " although no assertion failed";
  } else if (!ran) {
    one.reason = "wrote no report";
  }
  one.failed = assertions || !one.reason.empty();
  one.skipped = !one.failed && one.report.value("result", "") == "SKIPPED";
  if (!one.reason.empty()) {
    if (!one.report.contains("failures")) one.report["failures"] = Json::array();
    one.report["failures"].push_back({{"failure", "the case " + one.reason}, {"type", ""}});
  }
  const std::string output = read(one.folder + "/output");
  if (one.failed || settings.show_all) std::cout << output;
  if (!one.reason.empty()) std::cout << one.full() << ' ' << one.reason << '\n';
  std::cout << (one.failed    ? "[  FAILED  ] "
                : one.skipped ? "[  SKIPPED ] "
                              : "[       OK ] ")
            << one.full() << " (" << one.milliseconds << " ms)" << std::endl;
}

void kill_all(std::vector<Case*>& running) {
  for (Case* one : running) kill(-one->process, SIGKILL);
  for (Case* one : running) waitpid(one->process, nullptr, 0);
  running.clear();
}

void run_all(std::vector<Case>& cases, const Settings& settings, const HeldSignals& signals) {
  std::vector<Case*> running;
  std::size_t next = 0;
  const std::chrono::seconds limit(settings.hang_seconds);
  while (next < cases.size() || !running.empty()) {
    while (next < cases.size() && running.size() < settings.jobs) {
      begin(cases[next], settings, signals);
      running.push_back(&cases[next++]);
    }
    bool ended = false;
    for (std::size_t i = 0; i < running.size();) {
      Case& one = *running[i];
      int status = 0;
      if (waitpid(one.process, &status, WNOHANG) == one.process) {
        kill(-one.process, SIGKILL);  // ends processes that the case may have left behind
        running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
        end(one, status, settings);
        ended = true;
        continue;
      }
      if (!one.timed_out && Time::now() - one.start > limit) {
        one.timed_out = true;
        kill(-one.process, SIGKILL);
      }
      ++i;
    }
    if (ended || running.empty()) continue;
    const int signal = signals.next();
    if (signal == SIGINT || signal == SIGTERM) {
      kill_all(running);
      std::signal(signal, SIG_DFL);
      std::raise(signal);
      signals.release();
    }
  }
}

/// Merges the reports of all cases into one report in GoogleTest's format.
Json merge(const std::vector<Case>& cases, long long milliseconds) {
  const auto seconds = [](long long ms) {
    char text[32];
    std::snprintf(text, sizeof text, "%lld.%03llds", ms / 1000, ms % 1000);
    return std::string(text);
  };
  const auto count = [](const Json& tests, const char* key, const char* value) {
    return std::count_if(tests.begin(), tests.end(),
                         [&](const Json& t) { return value == nullptr ? t.contains(key) : t.value(key, "") == value; });
  };
  Json suites = Json::array();
  for (const Case& one : cases) {
    auto suite = std::find_if(suites.begin(), suites.end(), [&](const Json& s) { return s["name"] == one.suite; });
    if (suite == suites.end()) {
      suites.push_back({{"name", one.suite}, {"tests", 0}, {"failures", 0}, {"disabled", 0}, {"errors", 0}});
      suite = suites.end() - 1;
      for (const char* key : {"timestamp", "time"}) {
        if (one.suite_entry.contains(key)) (*suite)[key] = one.suite_entry[key];
      }
      (*suite)["testsuite"] = Json::array();
    }
    (*suite)["testsuite"].push_back(one.report);
  }
  Json out{{"tests", cases.size()},         {"failures", 0},     {"disabled", 0}, {"errors", 0},
           {"time", seconds(milliseconds)}, {"name", "AllTests"}};
  long failures = 0;
  for (Json& suite : suites) {
    const Json& tests = suite["testsuite"];
    suite["tests"] = tests.size();
    suite["failures"] = count(tests, "failures", nullptr);
    failures += suite["failures"].get<long>();
  }
  out["failures"] = failures;
  out["testsuites"] = std::move(suites);
  return out;
}

int run(const Settings& settings, const std::string& folder) {
  make_folder(folder);
  const Time::time_point start = Time::now();
  const HeldSignals signals;
  std::vector<Case> cases = list(settings, folder, signals);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    cases[i].folder = folder + "/" + std::to_string(i);
    make_folder(cases[i].folder);
  }
  std::cout << "[==========] " << cases.size() << " cases, each in a process of its own." << std::endl;
  run_all(cases, settings, signals);
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Time::now() - start).count();
  std::vector<std::string> failed;
  std::size_t skipped = 0;
  for (const Case& one : cases) {
    if (one.failed) failed.push_back(one.full() + (one.reason.empty() ? "" : ": " + one.reason));
    skipped += one.skipped ? 1 : 0;
  }
  std::cout << "[==========] " << cases.size() << " cases ran. (" << took << " ms total)\n[  PASSED  ] "
            << cases.size() - failed.size() - skipped << " cases.\n";
  if (skipped != 0) std::cout << "[  SKIPPED ] " << skipped << " cases.\n";
  for (const std::string& name : failed) std::cout << "[  FAILED  ] " << name << '\n';
  std::cout.flush();
  if (!settings.report.empty()) {
    std::ofstream file(settings.report);
    file << merge(cases, took).dump(2) << '\n';
    file.close();
    if (!file) give_up("cannot write '" + settings.report + "'");
  }
  return failed.empty() ? 0 : 1;
}

unsigned number(const char* text, const std::string& what, unsigned least, unsigned most) {
  char* rest = nullptr;
  const unsigned long value = std::strtoul(text, &rest, 10);
  if (rest == text || *rest != '\0' || value < least || value > most) {
    give_up(what + " '" + text + "' is no number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return static_cast<unsigned>(value);
}

/// Reads a variable into `value`, if it is set.
void read_variable(const char* name, unsigned least, unsigned most, unsigned& value) {
  if (const char* const text = std::getenv(name)) value = number(text, name, least, most);
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  settings.arguments.assign(argv, argv + argc);
  testing::InitGoogleMock(&argc, argv);
  select_source(argc, argv);
  use_build_tree();
  if (std::getenv(kChild) != nullptr || GTEST_FLAG_GET(list_tests)) return RUN_ALL_TESTS();

  read_variable("CASTOR_CASE_JOBS", 0, 1000, settings.jobs);
  read_variable("CASTOR_CASE_SECONDS", 1, 1'000'000, settings.cpu_seconds);
  read_variable("CASTOR_CASE_HANG_SECONDS", 1, 1'000'000, settings.hang_seconds);
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.rfind("--castor_jobs=", 0) == 0) {
      settings.jobs = number(argument.c_str() + 14, "--castor_jobs", 0, 1000);
    } else if (argument == "--castor_output") {
      settings.show_all = true;
    }
  }
  if (settings.jobs == 0) settings.jobs = std::max(1U, std::thread::hardware_concurrency());
  const std::string output = GTEST_FLAG_GET(output);
  if (output.rfind("json:", 0) == 0) {
    settings.report = output.substr(5);
  } else if (!output.empty()) {
    give_up("--gtest_output takes json:<file>, not '" + output + "'");
  }
  const TestFolder folder;
  int status = 0;
  for (int i = 0; i < std::max(1, static_cast<int>(GTEST_FLAG_GET(repeat))); ++i) {
    status |= run(settings, folder.path() + "/" + std::to_string(i));
  }
  return status;
}
