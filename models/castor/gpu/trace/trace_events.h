#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "castor/base/time.h"
#include "castor/gpu/sm_unit.h"
#include "castor/gpu/trace/trace_file.h"

namespace castor::gpu {

/// Writer for events of the Trace Event Format (JSON object form), one per line: names of processes and tracks, slices,
/// counters, and arrows between slices. Arguments are core cycles; the file contains microseconds of simulated time,
/// exact to the picosecond. The caller checks with `inside` whether an event is in the recorded window.
class TraceEvents {
 public:
  /// Opens the file; `from` and `to` delimit the recorded window. Errors: InputError if `path` cannot be written.
  TraceEvents(const std::string& path, const base::Clock& clock, Cycle from, Cycle to);

  /// Returns whether the cycles `start` to `end` overlap the window.
  [[nodiscard]] bool inside(Cycle start, Cycle end) const { return start <= to_ && end >= from_; }

  /// Write the name of a process or track. Viewers sort processes and tracks by their numbers.
  void name_process(unsigned process, const std::string& name);
  void name_track(unsigned process, unsigned track, const std::string& name);

  /// Start a slice, or the values of a counter from `cycle` on. Calls of `argument` follow, then `end`.
  void begin_slice(std::string_view name, std::string_view category, unsigned process, unsigned track, Cycle start,
                   Cycle end);
  void begin_counter(std::string_view name, unsigned process, Cycle cycle);
  void argument(std::string_view name, std::uint64_t value);
  void argument(std::string_view name, std::string_view value);
  void end();

  /// End of an arrow: start (kTail) or head (kHead).
  enum class ArrowEnd { kTail, kHead };
  /// Writes one end of arrow `id`, attached to the slice on the track at that cycle.
  void arrow(ArrowEnd which, std::string_view name, std::uint64_t id, unsigned process, unsigned track, Cycle cycle);

  void flush() { file_.flush(); }
  void close() { file_.close(); }
  [[nodiscard]] const std::string& error() const { return file_.error(); }

 private:
  void name(std::string_view what, std::string_view order, unsigned process, unsigned track, std::uint64_t number,
            const std::string& text);
  void begin_line(std::string_view name);
  void name_argument(std::string_view name);
  void place(unsigned process, unsigned track);
  void put(std::uint64_t number);
  void put_time(base::Picoseconds time);
  void put_text(std::string_view text);

  TraceFile file_;
  base::Clock clock_;
  Cycle from_, to_;
  bool first_ = true;           // no event has been written
  bool first_argument_ = true;  // the current event has no argument yet
  std::string line_;            // text of the current event
};

}  // namespace castor::gpu
