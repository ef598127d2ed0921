#include "platforms/cli/supervise.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "castor/base/error.h"

namespace castor::platforms::cli::detail {
namespace {

constexpr std::array kPassedOn = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

volatile pid_t child = 0;

// Signal handler: forwards a signal to the child. Signals that the kernel sends for the terminal (a key, a hang-up)
// reach all foreground processes anyway and are not forwarded.
void pass_on(int signal, siginfo_t* info, void* /*context*/) {
  if (info->si_code != SI_KERNEL && child > 0) ::kill(child, signal);
}

/// Blocks the forwarded signals while the object lives, or until release().
class Held {
 public:
  Held() {
    sigset_t all;
    ::sigemptyset(&all);
    for (const int signal : kPassedOn) ::sigaddset(&all, signal);
    ::sigprocmask(SIG_BLOCK, &all, &before_);
  }
  ~Held() { release(); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  void release() const { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

/// Runs in the child process: executes the program, or writes errno to `report`.
[[noreturn]] void become(std::vector<std::string> words, pid_t parent, int report, const Held& held) {
  for (const int signal : kPassedOn) {
    struct sigaction now {};
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) ::signal(signal, SIG_DFL);
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // the parent ended before PR_SET_PDEATHSIG took effect
  held.release();
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  // If the name contains a path, execv is used: execvp would start a shell for a file that the system cannot execute.
  words[0].find('/') != std::string::npos ? ::execv(argv[0], argv.data()) : ::execvp(argv[0], argv.data());
  const int why = errno;
  if (::write(report, &why, sizeof why) < 0) ::_exit(126);
  ::_exit(127);
}

}  // namespace

int run_and_wait(const std::vector<std::string>& words) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw base::Error(std::string("no pipe: ") + std::strerror(errno));
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  {
    const Held held;
    for (const int signal : kPassedOn) {
      struct sigaction action {};
      if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
      action = {};
      action.sa_sigaction = pass_on;
      action.sa_flags = static_cast<int>(SA_SIGINFO | SA_RESTART);
      ::sigaction(signal, &action, nullptr);
    }
    child = ::fork();
    if (child == 0) become(words, parent, ends[1], held);
  }
  ::close(ends[1]);
  if (child < 0) {
    const int why = errno;
    ::close(ends[0]);
    throw base::Error(std::string("cannot start a process: ") + std::strerror(why));
  }
  int why = 0;
  ssize_t got = 0;
  while ((got = ::read(ends[0], &why, sizeof why)) < 0 && errno == EINTR) {
  }
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  child = 0;
  if (got == static_cast<ssize_t>(sizeof why)) {
    throw base::InputError("cannot run '" + base::printable(words[0], std::string::npos) + "': " + std::strerror(why),
                           "give a program built by castor-cc, or a .ptx file");
  }
  return status;
}

int shell_code(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

void end_as(int status) {
  if (!WIFSIGNALED(status)) return;
  const rlimit none{0, 0};  // the program has already written its core dump
  ::setrlimit(RLIMIT_CORE, &none);
  std::fflush(nullptr);
  ::signal(WTERMSIG(status), SIG_DFL);
  ::raise(WTERMSIG(status));
}

}  // namespace castor::platforms::cli::detail
