#include "castor_cc/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "castor/base/error.h"

extern char** environ;

namespace castor::castor_cc {
namespace {

std::atomic<int> pending_signal{0};

extern "C" void note_signal(int number) { pending_signal = number; }

/// Owner of a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { reset(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  void reset() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

/// Owner of a posix_spawn_file_actions_t.
class SpawnActions {
 public:
  SpawnActions() { posix_spawn_file_actions_init(&actions_); }
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

}  // namespace

ProcessResult run_process(const std::vector<std::string>& command) {
  std::array<int, 2> ends{};
  // Close-on-exec: a process started at the same moment by another thread must not hold the writing end open.
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw base::InputError("cannot make a pipe", std::strerror(errno));
  Descriptor read_end(ends[0]);
  Descriptor write_end(ends[1]);
  SpawnActions actions;
  posix_spawn_file_actions_adddup2(actions.get(), write_end.get(), STDERR_FILENO);

  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  // posix_spawn takes char* for historical reasons and does not write through it.
  for (const std::string& a : command) arguments.push_back(const_cast<char*>(a.c_str()));  // NOLINT
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, arguments[0], actions.get(), nullptr, arguments.data(), environ);
  if (failed != 0) {
    throw base::InputError("cannot start '" + command[0] + "': " + std::strerror(failed),
                           "install the packages clang-14 and libclc-14");
  }
  write_end.reset();

  ProcessResult result;
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t got = ::read(read_end.get(), buffer.data(), buffer.size());
    if (got > 0) result.error_text.append(buffer.data(), static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno != EINTR)) break;
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (WIFSIGNALED(status) && result.error_text.empty() && pending_signal == 0) {
    result.error_text = "castor-cc: error: " + command[0] + " was ended by signal " + std::to_string(WTERMSIG(status)) +
                        " (" + ::strsignal(WTERMSIG(status)) + ")\n";
  }
  return result;
}

TemporaryDirectory::TemporaryDirectory() {
  const char* base = std::getenv("TMPDIR");
  std::string pattern = std::string(base != nullptr && *base != 0 ? base : "/tmp") + "/castor-cc-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) {
    throw base::InputError({pattern, 0, 0}, std::string("cannot make a temporary directory: ") + std::strerror(errno),
                           "set TMPDIR to a directory that can be written");
  }
  path_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;  // an error is ignored: a destructor cannot handle a file that remains
  std::filesystem::remove_all(path_, ignored);
}

void defer_signals() {
  struct sigaction action {};
  action.sa_handler = note_signal;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

int deferred_signal() { return pending_signal; }

}  // namespace castor::castor_cc
