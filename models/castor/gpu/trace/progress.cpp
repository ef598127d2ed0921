#include "castor/gpu/trace/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "castor/base/words.h"

namespace castor::gpu {
namespace {

using std::chrono::nanoseconds;

constexpr nanoseconds kBetweenWrites = std::chrono::milliseconds(200);
constexpr nanoseconds kBetweenLooks = std::chrono::milliseconds(25);
constexpr std::uint64_t kMostCalls = 1024;  // between two reads of the clock, whose cost per call is then negligible

/// Returns a number with three digits and a letter: "812", "12.3 M".
std::string scaled(double value) {
  static constexpr const char* kLetters[] = {"", " k", " M", " G", " T"};
  std::size_t letter = 0;
  for (; value >= 999.5 && letter < 4; ++letter) value /= 1000;
  char text[32];
  std::snprintf(text, sizeof text, "%.*f%s",
                letter == 0 || value >= 99.95 ? 0
                : value >= 9.995              ? 1
                                              : 2,
                value, kLetters[letter]);
  return text;
}

std::string simulated(base::Picoseconds time) {
  static constexpr const char* kUnits[] = {"ps", "ns", "us", "ms", "s"};
  auto value = static_cast<double>(time);
  std::size_t unit = 0;
  for (; value >= 999.5 && unit < 4; ++unit) value /= 1000;
  char text[32];
  std::snprintf(text, sizeof text, "%.3g %s", value, kUnits[unit]);
  return text;
}

std::string duration(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  char text[32];
  if (whole >= 3600) {
    std::snprintf(text, sizeof text, "%llu:%02u:%02u", static_cast<unsigned long long>(whole / 3600),
                  static_cast<unsigned>(whole / 60 % 60), static_cast<unsigned>(whole % 60));
  } else {
    std::snprintf(text, sizeof text, "%u:%02u", static_cast<unsigned>(whole / 60), static_cast<unsigned>(whole % 60));
  }
  return text;
}

void to_stderr(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

unsigned width_of_stderr() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

Progress::Progress(std::optional<base::Cycle> limit)
    : Progress(
          limit, ::isatty(STDERR_FILENO) == 1 ? Sink(to_stderr) : Sink(),
          [] { return std::chrono::steady_clock::now().time_since_epoch(); }, width_of_stderr) {}

Progress::Progress(std::optional<base::Cycle> limit, Sink sink, Clock clock, Width width)
    : limit_(limit), sink_(std::move(sink)), clock_(std::move(clock)), width_(std::move(width)) {
  if (!enabled()) countdown_ = stride_ = std::numeric_limits<std::uint64_t>::max();
}

Progress::~Progress() { clear(); }

void Progress::clear() {
  if (!shown_) return;
  shown_ = false;
  sink_("\r\x1b[K");
}

/// Returns the kernel's text in at most `room` columns; empty if even the share does not fit.
std::string Progress::kernel_text(const Kernel& kernel, nanoseconds now, std::size_t room) const {
  char share[96];
  std::snprintf(share, sizeof share, " %.1f %% of %llu block%s",
                100 * static_cast<double>(kernel.done) / static_cast<double>(std::max<std::uint64_t>(kernel.blocks, 1)),
                static_cast<unsigned long long>(kernel.blocks), kernel.blocks == 1 ? "" : "s");
  std::string text = share;
  if (kernel.done > done_then_ && now > kernel_seen_) {
    const double seconds = std::chrono::duration<double>(now - kernel_seen_).count();
    const double left =
        static_cast<double>(kernel.blocks - kernel.done) * seconds / static_cast<double>(kernel.done - done_then_);
    if (left < 1e6) text += ", " + duration(left) + " left";
  }
  if (kernel.others != 0) {
    text += " (+" + std::to_string(kernel.others) + (kernel.others == 1 ? " kernel)" : " kernels)");
  }
  std::string name = base::function_name(base::readable_name(kernel.name));
  constexpr std::size_t kShortest = 8;
  if (text.size() + std::min(name.size(), kShortest) > room) return {};
  if (text.size() + name.size() > room) name = name.substr(0, room - text.size() - 3) + "...";
  return name + text;
}

void Progress::show(base::Cycle cycle, base::Picoseconds time, std::uint64_t warp_instructions,
                    const std::optional<Kernel>& kernel) {
  if (!enabled()) {
    countdown_ = stride_;
    return;
  }
  const nanoseconds now = clock_();
  if (kernel && kernel->ticket != ticket_) {
    ticket_ = kernel->ticket;
    kernel_seen_ = now;
    done_then_ = kernel->done;
  }
  if (!started_) {
    started_ = true;
    looked_ = written_ = now;
    cycle_at_write_ = cycle;
    instructions_at_write_ = warp_instructions;
    countdown_ = stride_;
    return;
  }
  // The stride is the number of calls in kBetweenLooks at the last rate. It grows slowly, since calls may become rarer.
  const nanoseconds since = now - looked_;
  looked_ = now;
  if (since < kBetweenLooks / 2) {
    stride_ = std::min<std::uint64_t>(stride_ * 2, kMostCalls);
  } else if (since > kBetweenLooks) {
    stride_ = std::max<std::uint64_t>(stride_ / 4, 1);
  }
  countdown_ = stride_;
  if (now - written_ < kBetweenWrites) return;
  const double seconds = std::chrono::duration<double>(now - written_).count();
  // If there is little room, the kernel's share has priority over the speed.
  const std::string brief = scaled(static_cast<double>(cycle)) + " cycles  " + simulated(time);
  std::string line = brief + " simulated  " +
                     scaled(static_cast<double>(warp_instructions - instructions_at_write_) / seconds) +
                     " warp instructions/s";
  std::string end;
  if (limit_ && *limit_ >= cycle && cycle > cycle_at_write_) {
    const double rate = static_cast<double>(cycle - cycle_at_write_) / seconds;
    const double left = static_cast<double>(*limit_ - cycle) / rate;
    if (left < 1e6) end = "  at most " + duration(left) + " left";
  }
  // The line is cut to the width, since a wrapped line could not be cleared.
  const std::size_t width = std::max(width_(), 2U) - 1;
  for (const std::string& head : {line, brief}) {
    const std::size_t taken = head.size() + end.size() + 2;
    const std::string text = kernel && taken < width ? kernel_text(*kernel, now, width - taken) : std::string();
    if (text.empty()) continue;
    line = head + "  " + text;
    break;
  }
  sink_("\r" + (line + end).substr(0, width) + "\x1b[K");
  shown_ = true;
  written_ = now;
  cycle_at_write_ = cycle;
  instructions_at_write_ = warp_instructions;
}

}  // namespace castor::gpu
