#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "castor/base/shared_object.h"
#include "castor/base/time.h"
#include "castor/twin/rtl_object.h"
#include "tb/common/bench.h"
#include "tb/common/cover.h"
#include "tb/common/description.h"

/// Co-simulation of model and RTL from the command line: implements `castor cosim`, which loads a block's bench.so.
namespace castor::tb {

/// Options of one co-simulation run.
struct CosimRequest {
  std::string engine = "lockstep";  ///< simulated twin: model, rtl or lockstep
  std::string params;               ///< parameter text of the command line; empty: not given
  /// Parameter values that `params` selects (chosen_params); all other parameters have the block's defaults.
  twin::ParamValues values;
  std::string sequence;    ///< name of the sequence; empty: the block's first sequence
  base::Cycle cycles = 0;  ///< length of the run in cycles; 0: not given
  std::uint64_t seed = 1;
  bool skip = true;                       ///< skip idle cycles where the twin allows it
  std::string wave;                       ///< VCD file for the waves of model and RTL; empty: no waves
  unsigned wave_depth = 0;                ///< levels of RTL module hierarchy in the waves; 0: ports and probes only
  base::Cycle wave_from = 0;              ///< first cycle in the waves
  base::Cycle wave_to = ~base::Cycle{0};  ///< first cycle after the waves
  std::string json;                       ///< file for the result as JSON; empty: none
  std::string coverage;                   ///< file for the coverage counts of RTL built with coverage; empty: none
  std::string rtl_file;            ///< RTL object that replaces the block's own; the replay line repeats this option
  twin::RtlSource* rtl = nullptr;  ///< provides the RTL; must outlive the run
  std::string dump;                ///< base name of the mismatch waves <dump>.vcd; empty: <block>-<params>-<seed>
  bool window = false;             ///< this run is the repetition that writes <dump>.vcd
  bool all = false;                ///< run every sequence with every parameter set, each for `cycles` cycles
  bool cover = false;              ///< print all cover points, not only their number
};

/// Result of one co-simulation run.
struct CosimResult {
  base::Cycle cycles = 0;
  base::Cycle skipped = 0;
  base::Cycle longest = 0;  ///< cycles of the longest part of the run without a reset of the twin
  double seconds = 0;
  std::vector<Cover::Point> cover;
  std::string mismatch;  ///< message of the mismatch or failed assertion; empty: none
  bool differs = false;  ///< true: model and RTL differ in cycle `cycles`; false: the RTL alone failed
};

/// Named parameter sets of a block, in the order of its parameter_sets.json.
using ParamSets = std::vector<std::pair<std::string, twin::ParamValues>>;

/// Returns the parameter values of a request "SET", "Name=Value,..." or "SET,Name=Value,...". A parameter that is not
/// given has its value from the set SET. If SET is missing, its value comes from the set `default`, if the block has
/// this set. An empty request selects the set `default`. Throws InputError, which lists the sets, for an unknown set or
/// a malformed word.
[[nodiscard]] twin::ParamValues chosen_params(const std::string& block, const ParamSets& sets, const std::string& text);

/// Entry of a block in the command line's table; a block's bench.so provides it.
struct BlockEntry {
  std::string name;
  std::string meaning;
  ParamSets sets;  ///< parameter sets; filled in by the code that loads bench.so
  std::vector<SequenceInfo> sequences;
  unsigned least_cover = 0;  ///< share of the cover points in per cent that each default run must reach
  /// Runs one co-simulation. Throws InputError for an invalid request.
  std::function<CosimResult(const CosimRequest&, const std::function<void(base::Cycle)>& progress)> run;
  /// Describes the ports at the default parameters, overridden by the given values. Throws InputError for an unknown
  /// name or an illegal value.
  std::function<Description(const twin::ParamValues&)> describe;
};

/// Return type of the function `castor_bench_object`, which every bench.so exports.
struct BenchObject {
  base::ObjectHeader header;
  BlockEntry (*entry)();
};

/// A planned co-simulation run of a block: parameter set, length in cycles and sequence.
struct PlannedRun {
  std::string set;
  base::Cycle cycles = 0;
  std::string sequence;  ///< name of the sequence; empty: the block's first sequence
};

/// Returns the runs of a request without parameter set, length and sequence. These are the sets minimum, odd, default
/// and large, as far as the block has them. The cost of a cycle is proportional to the total width of all ports and
/// probes. The number of cycles is inversely proportional to this width, and clamped. The default set includes the long
/// episodes (SequenceTable::Long); every other set runs at least one round of all sequences. Each sequence with the
/// flag `alone` (SequenceInfo) has one more run, at the default set and of its cycles.
[[nodiscard]] std::vector<PlannedRun> default_runs(const BlockEntry& block);

/// Runs the request, prints the result on stdout and a mismatch on stderr. If model and RTL differ, the run is repeated
/// with waves of the last kWindow cycles: ports and probes of the model, and all signals of the RTL.
///
/// Returns exit code 0 if all is good. Returns 1 on a mismatch, a failed assertion, or too few reached cover points.
/// Cover points are only required of the default sequence at a set of default_runs. A run at least as long as the
/// default run must reach the block's share (`least_cover`). A shorter run of at least kCoverCycles cycles may reach
/// fewer points, by at most kCoverLess per cent of all points.
///
/// A request without set, length and sequence executes all default_runs, prints a summary line, and writes waves of the
/// first mismatch only. Otherwise, a request without set uses the set `default`, and a request without length runs
/// kUsualCycles cycles. Throws InputError for an invalid request.
inline constexpr base::Cycle kWindow = 200;
inline constexpr base::Cycle kUsualCycles = 200'000;
inline constexpr base::Cycle kCoverCycles = 200'000;
inline constexpr unsigned kCoverLess = 15;
int cosim(const BlockEntry& block, const CosimRequest& request);

/// Returns the command line that repeats a request.
[[nodiscard]] std::string replay_line(const BlockEntry& block, const CosimRequest& request);

}  // namespace castor::tb
