#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "castor/base/time.h"
#include "castor/gpu/hooks/waves.h"
#include "castor/gpu/trace/trace_file.h"

namespace castor::gpu {

/// Writes waveforms as a Value Change Dump (IEEE 1800-2017, clause 21.7) with a time unit of 1 ps, readable by GTKWave
/// and similar viewers. It does not use SystemC's tracing, which needs a running kernel and checks every signal in
/// every delta cycle. Here the owner triggers each sample, so cycles that the device skips cost nothing.
///
///     WaveFile waves("run.vcd", {"gpu.sm0", "gpu.*.xbar"}, 1000, 2000);
///     waves.add("gpu.sm0", "ready", 64, &ready_mask);
///     ...
///     if (waves.active(cycle)) waves.sample(cycle, time);   // at the end of a cycle that ran
///     waves.close(time);
///
/// A value holds from the time of its sample on. Signals have two states and up to 64 bits. Only changes are written.
/// Cost: one comparison per signal and sample, plus the output of changes. If the file can no longer be written,
/// `error` returns why, and the run continues; the text written before stays readable.
///
/// Limits: signals are declared before the first sample; no four-state values; the only strings are names of values.
class WaveFile final : public Waves {
 public:
  /// `scopes`: patterns of the dotted paths of traced instances; '*' matches any text, '?' one character. A pattern
  /// also matches all instances below a matching one. An empty list traces all instances. Samples outside cycles `from`
  /// .. `to` are omitted; the first sample after the window ends the dump. Errors: InputError if `path` cannot be
  /// written.
  WaveFile(const std::string& path, std::vector<std::string> scopes, base::Cycle from = 0,
           base::Cycle to = base::kForever);
  ~WaveFile() override;

  [[nodiscard]] bool traced(std::string_view scope) const override;
  bool add_dump(std::string_view scope, const std::string& declarations,
                std::function<const std::string&()> changes) override;
  /// Returns the patterns that no signal's scope has matched so far.
  [[nodiscard]] std::vector<std::string> unmatched() const;
  /// Returns whether `sample` would read the signals. Stays false once the window is over or the file has failed.
  [[nodiscard]] bool active(base::Cycle cycle) const { return open_ && cycle >= from_; }
  /// Samples all signals. Cycles and times must ascend.
  void sample(base::Cycle cycle, base::Picoseconds time);
  /// Ends the dump at `time` and closes the file.
  void close(base::Picoseconds time);

  [[nodiscard]] std::size_t signals() const { return signals_.size(); }
  /// Returns the error of the file in one line, or empty.
  [[nodiscard]] const std::string& error() const { return file_.error(); }

 private:
  /// A declared signal.
  struct Signal {
    Source source;
    std::uint64_t mask = 0, last = 0;
    unsigned width = 0;
    base::ValueNames names;
    std::string scope, name, code, name_code;
  };
  /// Signals of a dump whose changes another module provides as text.
  struct Dump {
    std::string scope, declarations;
    std::function<const std::string&()> changes;
    std::string prefix;  ///< prefix of its identifiers in this file
  };

  bool add_signal(std::string_view scope, std::string_view name, unsigned width, Source source,
                  base::ValueNames names) override;
  /// Returns whether signals of an instance are traced. Marks the patterns that match.
  [[nodiscard]] bool admit(std::string_view scope);
  [[nodiscard]] static std::uint64_t read(const Signal& signal);
  void write_header();
  void write_value(const Signal& signal, std::uint64_t value);
  void write_changes(const Dump& dump, std::string_view changes);
  void write_time(base::Picoseconds time);

  TraceFile file_;
  std::vector<std::string> scopes_;
  std::vector<bool> matched_;  ///< per pattern: some scope has matched
  base::Cycle from_, to_;
  bool open_ = true, begun_ = false;
  base::Picoseconds last_time_ = 0;
  std::vector<Signal> signals_;
  std::vector<Dump> dumps_;
  std::string text_;  ///< text of the current sample
};

}  // namespace castor::gpu
