#include "castor/twin/rtl_builder.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>

#include "castor/base/error.h"
#include "castor/base/installation.h"
#include "castor/twin/block_folder.h"

namespace castor::twin {
namespace {

/// Standard output of a program, and how it ended as `waitpid` tells it; stdin is empty, stderr goes on to ours.
struct Answer {
  std::string text;
  int status = 0;
};

Answer run(std::vector<std::string> words) {
  int pipe_ends[2];
  if (::pipe2(pipe_ends, O_CLOEXEC) != 0) {
    throw base::InputError(std::string("cannot start python3: ") + std::strerror(errno));
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
    throw base::InputError("cannot run python3: " + std::string(std::strerror(error)), "apt-get install python3");
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
  // A program that ignores SIGCHLD is told nothing; then the text alone counts.
  while (::waitpid(child, &answer.status, 0) < 0 && errno == EINTR) {
  }
  return answer;
}

std::string values_text(const ParamValues& values) {
  std::string text;
  for (const auto& [name, value] : values) {
    text += (text.empty() ? "" : ", ") + name + " " + std::to_string(value);
  }
  return text;
}

}  // namespace

std::string build_rtl(const std::string& manifest, const ParamValues& values, const std::vector<std::string>& options) {
  static std::mutex mutex;
  static std::map<std::string, std::string> known;
  std::vector<std::string> words{"python3",    "-B",       base::data_folder() + "/rtl/synthesis/flows.py",
                                 "rtl-object", "--prefix", base::prefix(),
                                 manifest};
  for (const auto& [name, value] : values) words.push_back(name + "=" + std::to_string(value));
  words.insert(words.end(), options.begin(), options.end());
  std::string request;
  for (const std::string& word : words) request += word + '\n';

  const std::lock_guard<std::mutex> lock(mutex);
  std::string& path = known[request];
  if (!path.empty()) return path;
  Answer answer = run(words);
  while (!answer.text.empty() && answer.text.back() == '\n') answer.text.pop_back();
  if (answer.status != 0 || answer.text.empty()) {
    throw base::InputError("no RTL of '" + manifest + "' at " + values_text(values), "the lines above say why");
  }
  return path = answer.text;
}

std::string RtlBuilder::object(const std::string& block, const ParamValues& values) {
  std::vector<std::string> options;
  if (variant_ == Variant::kCoverage) options.emplace_back("--coverage");
  return build_rtl(find_block(block).manifest(), values, options);
}

}  // namespace castor::twin
