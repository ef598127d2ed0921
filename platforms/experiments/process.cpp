#include "platforms/experiments/process.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>

#include "castor/base/error.h"

namespace castor::platforms::experiments {
namespace {

volatile std::sig_atomic_t interrupted = 0;
void on_interrupt(int signal) { interrupted = signal; }
void on_tick(int /*signal*/) {}

/// Installs a signal handler that interrupts waitpid; restores the previous handler at the end of the object's life.
class Handler {
 public:
  Handler(int signal, void (*handler)(int)) : signal_(signal) {
    struct sigaction action {};
    action.sa_handler = handler;  // without SA_RESTART, so that waitpid returns
    sigaction(signal, &action, &old_);
  }
  ~Handler() { sigaction(signal_, &old_, nullptr); }
  Handler(const Handler&) = delete;
  Handler& operator=(const Handler&) = delete;

 private:
  int signal_;
  struct sigaction old_ {};
};

/// Sends SIGALRM once a second while the object lives.
class Ticks {
 public:
  explicit Ticks(bool wanted) {
    if (!wanted) return;
    const itimerval second{{1, 0}, {1, 0}};
    setitimer(ITIMER_REAL, &second, nullptr);
  }
  ~Ticks() {
    const itimerval never{};
    setitimer(ITIMER_REAL, &never, nullptr);
  }
  Ticks(const Ticks&) = delete;
  Ticks& operator=(const Ticks&) = delete;
};

}  // namespace

Scratch::Scratch() {
  std::string name = (std::filesystem::temp_directory_path() / "castor-experiment-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw base::Error("no temporary folder: " + std::string(std::strerror(errno)));
  folder_ = name;
}

Scratch::~Scratch() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

SharedText::SharedText() : file_(::memfd_create("castor-text", MFD_CLOEXEC)) {
  if (file_ < 0) throw base::Error(std::string("no memory for a text: ") + std::strerror(errno));
}

SharedText::~SharedText() { ::close(file_); }

void SharedText::write(const std::string& text) const {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t put = ::write(file_, text.data() + done, text.size() - done);
    if (put <= 0) return;
    done += static_cast<std::size_t>(put);
  }
}

std::string SharedText::read() const {
  std::string text;
  char part[4096];
  for (;;) {
    const ssize_t got = ::pread(file_, part, sizeof part, static_cast<off_t>(text.size()));
    if (got <= 0) return text;
    text.append(part, static_cast<std::size_t>(got));
  }
}

pid_t start_process(const std::vector<std::string>& words, const std::string& output,
                    const std::function<void()>& set_up) {
  std::vector<std::string> copies = words;
  std::vector<char*> pointers;
  pointers.reserve(copies.size() + 1);
  for (std::string& word : copies) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw base::Error("no process for " + words.at(0) + ": " + std::strerror(errno));
  if (child != 0) return child;
  end_with_parent();
  const int out = ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(out, STDERR_FILENO);
  if (set_up) set_up();
  ::execvp(pointers[0], pointers.data());
  std::fprintf(stderr, "%s: %s\n", words[0].c_str(), std::strerror(errno));
  ::_exit(127);
}

void refuse_full_disk(const std::string& what, const std::string& said) {
  for (const int why : {ENOSPC, EDQUOT, EFBIG}) {
    if (said.find(std::strerror(why)) == std::string::npos) continue;
    throw base::InputError(what + " cannot write: " + std::strerror(why),
                           "make room in the cache (CASTOR_CACHE) and for temporary files (TMPDIR)");
  }
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw base::Error(std::string("waiting for a process: ") + std::strerror(errno));
  }
  return status;
}

void end_with_parent() {
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
}

void run_all(const Processes& work, const char* interrupted_text) {
  interrupted = 0;
  const Handler interrupt(SIGINT, on_interrupt), terminate(SIGTERM, on_interrupt), alarm(SIGALRM, on_tick);
  const Ticks ticks(static_cast<bool>(work.tick));
  std::map<pid_t, std::size_t> running;
  std::size_t started = 0;
  while (!running.empty() || (started < work.count && interrupted == 0)) {
    while (running.size() < std::max(1U, work.workers) && started < work.count && interrupted == 0) {
      running.emplace(work.start(started), started);
      ++started;
    }
    // Ctrl-C reaches all processes, but any other signal reaches only this process, so it terminates its children here.
    if (interrupted != 0) {
      for (const auto& [child, piece] : running) ::kill(child, SIGTERM);
    }
    int status = 0;
    const pid_t child = waitpid(-1, &status, 0);
    if (child < 0 && errno != EINTR) break;
    if (const auto found = running.find(child); found != running.end()) {
      const std::size_t piece = found->second;
      running.erase(found);
      work.ended(piece, status);
    }
    if (work.tick) work.tick();
  }
  if (interrupted != 0) throw base::Interrupted(interrupted_text, static_cast<int>(interrupted));
}

}  // namespace castor::platforms::experiments
