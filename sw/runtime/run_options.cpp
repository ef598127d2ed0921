#include "runtime/run_options.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "castor/base/error.h"
#include "castor/base/running_call.h"
#include "castor/base/shared_object.h"
#include "castor/base/terminal.h"
#include "castor/base/time.h"
#include "castor/base/words.h"
#include "castor/gpu/launch/launcher.h"
#include "castor/gpu/report.h"

namespace castor::runtime {
namespace {

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find(separator, start), text.size());
    if (end > start) parts.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

[[noreturn]] void refuse(const char* name, const std::string& value, const std::string& allowed) {
  throw base::InputError(std::string(name) + " is '" + base::printable(value) + "'; it must be " + allowed);
}

void read_number(const char* name, std::uint64_t low, std::uint64_t high, const std::string& allowed,
                 std::uint64_t& number) {
  const std::string text = environment(name);
  if (text.empty()) return;
  char* end = nullptr;
  errno = 0;
  const unsigned long long value = std::strtoull(text.c_str(), &end, 10);
  if (text[0] < '0' || text[0] > '9' || *end != 0 || errno != 0 || value < low || value > high) {
    refuse(name, text, allowed);
  }
  number = value;
}

void read_cycle(const char* name, base::Cycle& cycle) {
  read_number(name, 0, base::kForever - 1, "a core cycle, a whole number", cycle);
}

bool read_flag(const char* name, bool otherwise) {
  const std::string text = environment(name);
  if (text.empty()) return otherwise;
  if (text != "0" && text != "1") refuse(name, text, "0 or 1");
  return text == "1";
}

/// Reads a number of seconds, possibly with a fraction.
void read_seconds(const char* name, std::chrono::nanoseconds& span) {
  const std::string text = environment(name);
  if (text.empty()) return;
  constexpr double kMost = 86400;
  double seconds = -1;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, seconds, std::chars_format::fixed);
  if (error != std::errc{} || rest != end || !(seconds >= 0 && seconds <= kMost)) {
    refuse(name, text, "seconds from 0 to 86400");
  }
  span = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds));
}

void check_different(const char* what, const std::string& path, const char* other, const std::string& other_path) {
  if (path.empty() || path != other_path || path.compare(0, 5, "/dev/") == 0) return;
  throw base::InputError(std::string(what) + " and " + other + " go to the same file '" +
                         base::printable(path, std::string::npos) + "'");
}

/// Returns a shell command that repeats this process: the environment variables of the machine, program and arguments.
std::string replay_command() {
  std::string line;
  for (const char* const name :
       {"CASTOR_PLATFORM", "CASTOR_SET", "CASTOR_REPLAY", "CASTOR_MAX_REGISTERS", "CASTOR_MARKS"}) {
    if (const std::string value = environment(name); !value.empty())
      line += name + ("=" + base::shell_word(value)) + " ";
  }
  std::ifstream words("/proc/self/cmdline");
  std::string word;
  for (bool first = true; std::getline(words, word, '\0'); first = false)
    line += (first ? "" : " ") + base::shell_word(word);
  return line;
}

std::atomic<gpu::Device*> interrupted_device{nullptr};
volatile std::sig_atomic_t interrupting_signal = 0;

void on_interrupt(int signal) {
  interrupting_signal = signal;
  if (gpu::Device* const device = interrupted_device.load()) device->interrupt();
}

}  // namespace

RunOptions options_from_environment() {
  RunOptions options;
  DeviceOptions& device = options.device;
  device.platform = environment("CASTOR_PLATFORM");
  device.overrides = split(environment("CASTOR_SET"), ';');
  device.replay = environment("CASTOR_REPLAY");
  gpu::Recording& recording = device.recording;
  recording.timeline = environment("CASTOR_TIMELINE");
  read_cycle("CASTOR_TIMELINE_FROM", recording.timeline_from);
  read_cycle("CASTOR_TIMELINE_TO", recording.timeline_to);
  recording.waves = environment("CASTOR_WAVE");
  recording.wave_scopes = split(environment("CASTOR_WAVE_SCOPE"), ';');
  read_cycle("CASTOR_WAVE_FROM", recording.wave_from);
  read_cycle("CASTOR_WAVE_TO", recording.wave_to);
  recording.progress = ::isatty(STDERR_FILENO) == 1 && read_flag("CASTOR_PROGRESS", true);
  options.report = environment("CASTOR_REPORT");
  check_different("report", options.report, "timeline", recording.timeline);
  check_different("report", options.report, "waves", recording.waves);
  check_different("timeline", recording.timeline, "waves", recording.waves);
  options.marks = environment("CASTOR_MARKS");
  options.summary = read_flag("CASTOR_SUMMARY", false);
  read_seconds("CASTOR_PATIENCE", options.patience);
  std::uint64_t cap = 0;
  read_number("CASTOR_MAX_REGISTERS", 16, 256, "16 to 256", cap);
  options.max_registers = static_cast<unsigned>(cap);
  return options;
}

void check_writable(const std::string& path) {
  const auto refuse = [&path] {
    throw base::InputError("cannot write '" + base::printable(path, std::string::npos) + "': " + std::strerror(errno));
  };
  struct ::stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) errno = EISDIR;
    if (S_ISDIR(status.st_mode) || ::access(path.c_str(), W_OK) != 0) refuse();
    return;
  }
  // The file is not created, so the folder's permissions are checked. A dangling link is found only when the file is
  // opened.
  if (errno != ENOENT || path.empty()) refuse();
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (::access(folder.c_str(), W_OK | X_OK) != 0) refuse();
}

bool end_run(gpu::Device& device, const RunOptions& options, const std::string& report) {
  bool good = true;
  if (const std::string lost = gpu::lost_launches(device.launcher().beyond()); !lost.empty()) complain(lost);
  for (const std::string& refused : device.launcher().refused_groups()) complain(refused);
  for (const std::string& error : device.end_recording()) {
    complain(error);
    good = false;
  }
  if (!options.report.empty()) {
    errno = 0;
    std::ofstream file(options.report);
    file << report << '\n';
    file.close();
    if (!file) {
      complain("cannot write '" + base::printable(options.report) + "': " + std::strerror(errno != 0 ? errno : EIO));
      good = false;
    }
  }
  if (options.summary) std::fputs(gpu::summary(report).c_str(), stderr);
  return good;
}

void interrupt_on_signals(gpu::Device* device) {
  interrupted_device = device;
  if (device == nullptr) return;
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;
    action = {};
    action.sa_handler = on_interrupt;
    // SA_RESETHAND restores the default action after the first signal. SA_RESTART lets blocked system calls of host
    // code continue.
    action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
    ::sigaction(signal, &action, nullptr);
  }
}

int interrupted_code() { return 128 + (interrupting_signal == 0 ? SIGINT : static_cast<int>(interrupting_signal)); }

std::string interrupted_text(const gpu::Device& device) {
  if (!device.has_timing()) return "interrupted";
  char text[80];
  std::snprintf(text, sizeof text, "interrupted after %.3f us of simulated time",
                static_cast<double>(device.now()) / static_cast<double>(base::kPicosecondsPerMicrosecond));
  return text;
}

std::string failed_text(const base::Error& error, const gpu::Device& device) {
  return std::string(error.what()) + "\n  device: core cycle " + std::to_string(device.cycles() - 1) + " of " +
         device.machine().name + "\n  replay: " + replay_command();
}

void watch_calls() {
  if (base::objects_loaded() == 0) return;
  // Never destroyed: the child of a fork has the object's memory but not its thread.
  static const auto* const watch = new base::CallWatch([](const std::string& text) {
    complain(text + "\n  replay: " + replay_command());
    std::_Exit(1);
  });
  static_cast<void>(watch);
}

void complain(const std::string& text) { base::complain(text); }

}  // namespace castor::runtime
