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

/// Writes waves as a Value Change Dump (IEEE 1800-2017, clause 21.7) with a time unit of 1 ps, readable by GTKWave and
/// the like. SystemC's own tracing needs a running kernel and looks at every signal in every delta cycle; here the
/// owner says when, so nothing is looked at in stretches that the device skips.
///
///     WaveFile waves("run.vcd", {"gpu.sm0", "gpu.*.xbar"}, 1000, 2000);
///     waves.add("gpu.sm0", "ready", 64, &ready_mask);
///     ...
///     if (waves.active(cycle)) waves.sample(cycle, time);   // at the end of a cycle that ran
///     waves.close(time);
///
/// A value holds from its sample's time on. Two states, up to 64 bits. Only changes are written. Cost: a comparison per
/// signal and sample, and what changed. A file that cannot be written further ends in `error` and the run goes on;
/// what was written before stays readable.
///
/// Limits: signals are declared before the first sample; no four-state values; strings are names of values.
class WaveFile final : public Waves {
 public:
  /// `scopes`: instances to trace, as patterns over dotted paths in which '*' stands for any text and '?' for one
  /// character; a pattern takes what lies below an instance too; none = all. Samples outside cycles `from` .. `to`
  /// are left out; the first one behind the window ends it in the file. Errors: InputError if `path` cannot be written.
  WaveFile(const std::string& path, std::vector<std::string> scopes, base::Cycle from = 0,
           base::Cycle to = base::kForever);
  ~WaveFile() override;

  [[nodiscard]] bool traced(std::string_view scope) const override;
  bool add_dump(std::string_view scope, const std::string& declarations,
                std::function<const std::string&()> changes) override;
  /// Patterns that no signal's scope matched so far.
  [[nodiscard]] std::vector<std::string> unmatched() const;
  /// Whether `sample` would look at the signals. False for ever once the window is over or the file has failed.
  [[nodiscard]] bool active(base::Cycle cycle) const { return open_ && cycle >= from_; }
  /// Samples all signals. Cycles and times ascend.
  void sample(base::Cycle cycle, base::Picoseconds time);
  /// Ends the dump at `time` and closes the file.
  void close(base::Picoseconds time);

  [[nodiscard]] std::size_t signals() const { return signals_.size(); }
  /// What went wrong with the file, one line, or empty.
  [[nodiscard]] const std::string& error() const { return file_.error(); }

 private:
  struct Signal {
    Source source;
    std::uint64_t mask = 0, last = 0;
    unsigned width = 0;
    base::ValueNames names;
    std::string scope, name, code, name_code;
  };
  struct Dump {
    std::string scope, declarations;
    std::function<const std::string&()> changes;
    std::string prefix;  ///< of its identifiers
  };

  bool add_signal(std::string_view scope, std::string_view name, unsigned width, Source source,
                  base::ValueNames names) override;
  /// Whether signals of an instance are written. Marks patterns that match.
  [[nodiscard]] bool admit(std::string_view scope);
  [[nodiscard]] static std::uint64_t read(const Signal& signal);
  void write_header();
  void write_value(const Signal& signal, std::uint64_t value);
  void write_changes(const Dump& dump, std::string_view changes);
  void write_time(base::Picoseconds time);

  TraceFile file_;
  std::vector<std::string> scopes_;
  std::vector<bool> matched_;  ///< per pattern
  base::Cycle from_, to_;
  bool open_ = true, begun_ = false;
  base::Picoseconds last_time_ = 0;
  std::vector<Signal> signals_;
  std::vector<Dump> dumps_;
  std::string text_;  ///< sample under construction
};

}  // namespace castor::gpu
