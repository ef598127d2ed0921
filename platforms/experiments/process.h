#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace castor::platforms::experiments {

/// A temporary folder, removed with the object.
class Scratch {
 public:
  /// Creates the folder. Throws base::Error if that fails.
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] std::string file(const char* name) const { return folder_ + "/" + name; }

 private:
  std::string folder_;
};

/// Text that a child process passes to its parent. It is created before the fork, in memory, so that it needs no disk
/// space.
class SharedText {
 public:
  /// Throws base::Error if memory is exhausted.
  SharedText();
  ~SharedText();
  SharedText(const SharedText&) = delete;
  SharedText& operator=(const SharedText&) = delete;
  void write(const std::string& text) const;
  /// Returns the text written so far.
  [[nodiscard]] std::string read() const;

 private:
  int file_;
};

/// Starts a program (a path, or a name on PATH) with both outputs redirected into a file. `set_up`, which may be empty,
/// changes the environment in the new process. Throws base::Error if no process can be created.
[[nodiscard]] pid_t start_process(const std::vector<std::string>& words, const std::string& output,
                                  const std::function<void()>& set_up = {});
/// Throws base::InputError with one line if `said`, the output of a failed process, shows that the disk was full.
void refuse_full_disk(const std::string& what, const std::string& said);
/// Waits until the process has ended and returns its wait status. Throws base::Error.
int wait_for(pid_t child);

/// `count` pieces of work, each executed in a process of its own, several at once.
struct Processes {
  std::size_t count = 0;
  unsigned workers = 2;                         ///< largest number of concurrent processes
  std::function<pid_t(std::size_t)> start;      ///< starts the process of a piece; calls do not overlap
  std::function<void(std::size_t, int)> ended;  ///< called at the end of a piece, with its wait status
  std::function<void()> tick = {};              ///< if set, called about once a second
};
/// Executes all processes of `work`. After SIGINT or SIGTERM, starts no further process, terminates the running ones,
/// and throws base::Interrupted with `interrupted_text`.
void run_all(const Processes& work, const char* interrupted_text);
/// Call in a new process: restores the default actions of signals, and makes the process end with its parent.
void end_with_parent();

}  // namespace castor::platforms::experiments
