#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "castor/base/error.h"
#include "castor/gpu/device.h"
#include "runtime/open_device.h"

namespace castor::runtime {

/// Options of a run, from environment variables (docs/guides/running.md). `castor run` sets the variables from its
/// command line, so programs and PTX files use the same reader.
struct RunOptions {
  DeviceOptions device;
  std::string report;                                          ///< path of the JSON report; empty: none
  bool summary = false;                                        ///< print a summary on stderr
  unsigned max_registers = 0;                                  ///< the user's limit on registers per thread; 0: none
  std::chrono::nanoseconds patience{std::chrono::seconds(2)};  ///< patience with a program outside the API (HostWatch);
                                                               ///< 0: endless
  std::string marks;  ///< path of a list of marks that replaces the compiler's; empty: none
};

/// Reads CASTOR_PLATFORM, CASTOR_SET and the other variables. Errors: InputError with the variable, its value and the
/// allowed values.
[[nodiscard]] RunOptions options_from_environment();

/// Checks before a run that a file can be written; creates no file. Errors: InputError.
void check_writable(const std::string& path);

/// Ends a run: closes timeline and waves, writes `report` to the file of `options`, prints the summary. Reports each
/// file that could not be written by one line on stderr, and then returns false.
[[nodiscard]] bool end_run(gpu::Device& device, const RunOptions& options, const std::string& report);

/// Installs signal handlers, or removes them if `device` is null. The first SIGINT (Ctrl-C) or SIGTERM (batch system)
/// makes `device` stop its advance; the second ends the process at once. A signal that the program itself handles or
/// ignores is left alone. The handler only calls Device::interrupt.
void interrupt_on_signals(gpu::Device* device);
/// Returns the exit code of a run that SIGINT or SIGTERM ended, as a shell reports it: 130 or 143.
[[nodiscard]] int interrupted_code();

/// Returns a text such as "interrupted after 17.4 us of simulated time".
[[nodiscard]] std::string interrupted_text(const gpu::Device& device);

/// Returns the text for a run that a block of the device ended, such as a difference between model and RTL in lockstep:
/// its message, the device's cycle, and the command that repeats the run.
[[nodiscard]] std::string failed_text(const base::Error& error, const gpu::Device& device);

/// Starts the watchdog for calls of blocks: the process ends with a message and code 1 if such a call does not return
/// (base::CallWatch). For processes that have loaded blocks. Repeated calls have no effect.
void watch_calls();

/// Prints "castor: text" on stderr.
void complain(const std::string& text);

}  // namespace castor::runtime
