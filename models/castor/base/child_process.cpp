#include "castor/base/child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "castor/base/error.h"

namespace castor::base {

Answer run(std::vector<std::string> words, const std::string& package) {
  const std::string name = words.at(0);
  int pipe_ends[2];
  if (::pipe2(pipe_ends, O_CLOEXEC) != 0) {
    throw InputError("cannot start " + name + ": " + std::strerror(errno));
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(pipe_ends[1]);
  if (error != 0) {
    ::close(pipe_ends[0]);
    throw InputError("cannot run " + name + ": " + std::strerror(error),
                     "apt-get install " + (package.empty() ? name : package));
  }
  Answer answer;
  char buffer[4096];
  for (;;) {
    const ssize_t length = ::read(pipe_ends[0], buffer, sizeof buffer);
    if (length > 0) {
      answer.text.append(buffer, static_cast<std::size_t>(length));
    } else if (length == 0 || errno != EINTR) {
      break;
    }
  }
  ::close(pipe_ends[0]);
  // `waitpid` reports no exit status if the caller ignores SIGCHLD. The status then stays 0, and only the program's
  // output is used.
  while (::waitpid(child, &answer.status, 0) < 0 && errno == EINTR) {
  }
  return answer;
}

}  // namespace castor::base
