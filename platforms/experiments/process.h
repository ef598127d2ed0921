#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace castor::platforms::experiments {

/// A temporary folder, gone with the object.
class Scratch {
 public:
  /// Errors: base::Error if none can be made.
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] std::string file(const char* name) const { return folder_ + "/" + name; }

 private:
  std::string folder_;
};

/// Text that a child process hands to its parent: made before the fork, in memory, so that it needs no room on a disk.
class SharedText {
 public:
  /// Errors: base::Error if there is no memory for it.
  SharedText();
  ~SharedText();
  SharedText(const SharedText&) = delete;
  SharedText& operator=(const SharedText&) = delete;
  void write(const std::string& text) const;
  /// What was written so far.
  [[nodiscard]] std::string read() const;

 private:
  int file_;
};

/// Starts a program, a path or a name on the search path, both outputs into a file. `set_up`, which may be empty,
/// changes the environment in the new process. Errors: base::Error if there is no process.
[[nodiscard]] pid_t start_process(const std::vector<std::string>& words, const std::string& output,
                                  const std::function<void()>& set_up = {});
/// Throws base::InputError, of one line, if `said`, the output of a process that failed, tells that it could not write.
void refuse_full_disk(const std::string& what, const std::string& said);
/// Its wait status, when it has ended. Errors: base::Error.
int wait_for(pid_t child);

/// Several processes at once, each of which is one of `count` pieces of work.
struct Processes {
  std::size_t count = 0;
  unsigned workers = 2;                         ///< at most so many at once
  std::function<pid_t(std::size_t)> start;      ///< begins a piece; no two at a time
  std::function<void(std::size_t, int)> ended;  ///< it ended with this wait status
  std::function<void()> tick = {};              ///< about once a second, if it is set
};
/// Runs all of them. After SIGINT or SIGTERM nothing is started, and what runs is ended; then it throws
/// base::Interrupted with `interrupted_text`.
void run_all(const Processes& work, const char* interrupted_text);
/// In a new process: signals do what they do by default, and it does not outlive the one that started it.
void end_with_parent();

}  // namespace castor::platforms::experiments
