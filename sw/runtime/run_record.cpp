#include "runtime/run_record.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace castor::runtime {
namespace {

constexpr const char* kVariable = "CASTOR_RUN";

/// Line prefixes of the record: a process is a line "process PID PROGRAM", followed by a line "file PATH" for each of
/// its files.
constexpr const char* kProcess = "process ";
constexpr const char* kFile = "file ";

/// The record that the environment names, opened and locked. The descriptor is -1 if the record cannot be opened.
class Opened {
 public:
  Opened() {
    const char* const path = std::getenv(kVariable);
    if (path == nullptr || *path == '\0') return;
    file_ = ::open(path, O_RDWR | O_APPEND | O_CLOEXEC);
    while (file_ >= 0 && ::flock(file_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~Opened() {
    if (file_ >= 0) ::close(file_);  // closing releases the lock
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  explicit operator bool() const { return file_ >= 0; }
  [[nodiscard]] std::string text() const {
    std::string all;
    char part[4096];
    for (;;) {
      const ssize_t got = ::pread(file_, part, sizeof part, static_cast<off_t>(all.size()));
      if (got <= 0) return all;
      all.append(part, static_cast<std::size_t>(got));
    }
  }
  void append(std::string_view lines) const {
    while (!lines.empty()) {
      const ssize_t put = ::write(file_, lines.data(), lines.size());
      if (put <= 0) return;
      lines.remove_prefix(static_cast<std::size_t>(put));
    }
  }

 private:
  int file_ = -1;
};

/// Returns an absolute path without line breaks.
std::string absolute(const std::string& path) {
  std::error_code error;
  std::string text = std::filesystem::absolute(path, error).lexically_normal().string();
  if (error) text = path;
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text;
}

std::size_t claims_of(const std::string& path, const std::string& record) {
  const std::string line = "\n" + (kFile + path) + "\n";
  std::size_t claims = 0;
  for (std::size_t at = record.find(line); at != std::string::npos; at = record.find(line, at + 1)) ++claims;
  return claims;
}

std::string numbered(const std::string& path, std::size_t number) {
  const std::size_t name = path.rfind('/') + 1;  // npos + 1 is 0
  const std::size_t dot = path.rfind('.');
  const std::size_t at = dot == std::string::npos || dot <= name ? path.size() : dot;
  return path.substr(0, at) + "." + std::to_string(number) + path.substr(at);
}

}  // namespace

RunRecord::RunRecord() {
  if (const Opened around; around) {
    begin_ = around.text().size();
    return;
  }
  memory_ = ::memfd_create("castor-run", MFD_CLOEXEC);
  if (memory_ < 0) return;
  const std::string path = "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(memory_);
  ::setenv(kVariable, path.c_str(), 1);
  if (const Opened record; record) {
    record.append("\n");  // every line follows a line break, also the first
    begin_ = 1;
  }
}

RunRecord::~RunRecord() {
  if (memory_ < 0) return;
  ::unsetenv(kVariable);
  ::close(memory_);
}

std::vector<RunRecord::Process> RunRecord::opened() const {
  std::vector<Process> processes;
  const Opened record;
  if (!record) return processes;
  const std::string text = record.text();
  for (std::size_t at = begin_; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    if (line.rfind(kProcess, 0) == 0) {
      char* rest = nullptr;
      const long pid = std::strtol(line.c_str() + std::string_view(kProcess).size(), &rest, 10);
      processes.push_back({pid, *rest == ' ' ? rest + 1 : rest, {}});
    } else if (line.rfind(kFile, 0) == 0 && !processes.empty()) {
      // The record stores the requested name. The actual name follows from the number of earlier claims of the same
      // name.
      const std::string path = line.substr(std::string_view(kFile).size());
      const std::size_t earlier = claims_of(path, text.substr(0, at));
      processes.back().files.push_back(earlier == 0 ? path : numbered(path, earlier + 1));
    }
    if (end == std::string::npos) break;
    at = end + 1;
  }
  return processes;
}

void RunRecord::claim(RunOptions& options) {
  const Opened record;
  if (!record) return;
  const std::string before = record.text();
  std::error_code error;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe", error).string();
  std::string lines = kProcess + std::to_string(::getpid()) + " " + absolute(program) + "\n";
  gpu::Recording& recording = options.device.recording;
  for (std::string* const path : {&options.report, &recording.timeline, &recording.waves}) {
    if (path->empty() || path->compare(0, 5, "/dev/") == 0) continue;
    const std::string whole = absolute(*path);
    if (const std::size_t earlier = claims_of(whole, before); earlier != 0) *path = numbered(*path, earlier + 1);
    lines += kFile + whole + "\n";
  }
  record.append(lines);
}

}  // namespace castor::runtime
