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

/// Model against RTL from a command line: what `castor cosim` does with a block's bench.so.
namespace castor::tb {

/// What was asked for.
struct CosimRequest {
  std::string engine = "lockstep";  ///< model, rtl or lockstep
  std::string params;               ///< as they were asked for; empty: not said
  twin::ParamValues values;         ///< what that means (chosen_params); the others have the block's defaults
  std::string sequence;             ///< empty: the block's first
  base::Cycle cycles = 0;           ///< 0: not said
  std::uint64_t seed = 1;
  bool skip = true;                       ///< skip idle stretches where the twin allows it
  std::string wave;                       ///< VCD of model and RTL; empty = none
  unsigned wave_depth = 0;                ///< levels of modules inside the RTL in it; 0: ports and probes alone
  base::Cycle wave_from = 0;              ///< first cycle of the waves
  base::Cycle wave_to = ~base::Cycle{0};  ///< one behind the last
  std::string json;                       ///< result as JSON; empty = none
  std::string coverage;                   ///< counts of RTL that has counters; empty = none
  std::string rtl_file;                   ///< RTL object to run instead of the block's own, for the replay line
  twin::RtlSource* rtl = nullptr;         ///< where RTL comes from; outlives the run
  std::string dump;                       ///< a mismatch leaves <dump>.vcd; empty: <block>-<params>-<seed>
  bool window = false;                    ///< the repetition that makes this file
  bool all = false;                       ///< every parameter set with every sequence, `cycles` each
  bool cover = false;                     ///< print every cover point, not only their number
};

/// What happened.
struct CosimResult {
  base::Cycle cycles = 0;
  base::Cycle skipped = 0;
  double seconds = 0;
  std::vector<Cover::Point> cover;
  std::string mismatch;  ///< empty = none
  bool differs = false;  ///< model and RTL do, in cycle `cycles`; else the RTL failed by itself
};

/// Named parameter sets of a block, in the order of its parameter_sets.json.
using ParamSets = std::vector<std::pair<std::string, twin::ParamValues>>;

/// Values of a request "SET", "Name=Value,..." or "SET,Name=Value,...": what is not given is that of the set named
/// first, or else of the set `default` if there is one, which is also what an empty request means. Errors: InputError
/// that lists the sets, or says what a word is.
[[nodiscard]] twin::ParamValues chosen_params(const std::string& block, const ParamSets& sets, const std::string& text);

/// A block as the command line knows it.
struct BlockEntry {
  std::string name;
  std::string meaning;
  ParamSets sets;  ///< set by who loads the bench
  std::vector<SequenceInfo> sequences;
  unsigned least_cover = 0;  ///< per cent of the cover points that each default run must reach
  /// Throws InputError for a wrong request.
  std::function<CosimResult(const CosimRequest&, const std::function<void(base::Cycle)>& progress)> run;
  /// At the default parameters with these values. Errors: InputError for an unknown name or an illegal value.
  std::function<Description(const twin::ParamValues&)> describe;
};

/// What the function `castor_bench_object` of a bench.so gives.
struct BenchObject {
  base::ObjectHeader header;
  BlockEntry (*entry)();
};

/// A run of a block at one of its parameter sets.
struct PlannedRun {
  std::string set;
  base::Cycle cycles = 0;
};

/// What runs if neither set, length nor sequence was said: the sets minimum, odd, default and large, those that the
/// block has. A set's cycles are divided by the width of all its ports and probes, which is what a cycle costs, within
/// bounds: the default set has its long episodes too (SequenceTable::Long), the others at least a round of all
/// sequences.
[[nodiscard]] std::vector<PlannedRun> default_runs(const BlockEntry& block);

/// Runs, prints the result on stdout and a mismatch on stderr. If model and RTL differ, the run is repeated with waves
/// of the last kWindow cycles: ports and probes of the model, and all of the RTL. Exit code: 0 good, 1 mismatch, failed
/// assertion, or a run of the default sequence at a set of default_runs that reached less of the cover points than it
/// should: the block's share if it is as long as the default run, kCoverLess per cent of all points less if it has
/// kCoverCycles or more. A request without set, length and sequence is default_runs, one after another, with a line of
/// all of them at the end, and waves of the first mismatch alone; one without set is the set `default`, one without
/// length kUsualCycles. Throws InputError for a wrong request.
inline constexpr base::Cycle kWindow = 200;
inline constexpr base::Cycle kUsualCycles = 200'000;
inline constexpr base::Cycle kCoverCycles = 200'000;
inline constexpr unsigned kCoverLess = 15;
int cosim(const BlockEntry& block, const CosimRequest& request);

/// The command that repeats a request.
[[nodiscard]] std::string replay_line(const BlockEntry& block, const CosimRequest& request);

}  // namespace castor::tb
