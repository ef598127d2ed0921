#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "castor/base/error.h"
#include "castor/gpu/device.h"
#include "runtime/open_device.h"

namespace castor::runtime {

/// What the user asked for, as the environment says it (docs/guides/running.md). `castor run` sets the environment from
/// its options, so there is one reader of it for programs and PTX files.
struct RunOptions {
  DeviceOptions device;
  std::string report;                                          ///< path of the JSON report; empty: none
  bool summary = false;                                        ///< lines for people on stderr
  unsigned max_registers = 0;                                  ///< 0: no cap of the user's
  std::chrono::nanoseconds patience{std::chrono::seconds(2)};  ///< with a program that stays outside; 0: endless
  std::string marks;  ///< path of a list of marks that replaces the compiler's; empty: none
};

/// Reads CASTOR_PLATFORM, CASTOR_SET and so on. Errors: InputError naming the variable, its value and what is allowed.
[[nodiscard]] RunOptions options_from_environment();

/// Makes sure, before a run, that a file can be written, and leaves none behind. Errors: InputError.
void check_writable(const std::string& path);

/// The end of a run, of whatever kind: ends timeline and waves, writes `report` to where `options` says, prints the
/// summary. Every file that could not be written is one line on stderr; then the result is false.
[[nodiscard]] bool end_run(gpu::Device& device, const RunOptions& options, const std::string& report);

/// From now on the first SIGINT (Ctrl-C), and the first SIGTERM (a batch system whose time is over), asks `device` to
/// stop its advance, and the second ends the process at once; null = no longer. A program that handles or ignores one
/// of them itself keeps its way. The handler does nothing but Device::interrupt.
void interrupt_on_signals(gpu::Device* device);
/// Exit code of a run that such a signal ended, as a shell reports it: 130 or 143.
[[nodiscard]] int interrupted_code();

/// "interrupted after 17.4 us of simulated time"
[[nodiscard]] std::string interrupted_text(const gpu::Device& device);

/// What to tell of a run that a block of the device ended (a difference between model and RTL in lockstep): its
/// message, the device's cycle, and the command that repeats the run.
[[nodiscard]] std::string failed_text(const base::Error& error, const gpu::Device& device);

/// From now on the process ends, with a message and code 1, if a call of a block does not return (base::CallWatch). For
/// processes that have loaded blocks; more than once is once.
void watch_calls();

/// Prints "castor: text" on stderr.
void complain(const std::string& text);

}  // namespace castor::runtime
