#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "castor/base/time.h"
#include "tb/common/bench.h"
#include "tb/common/cover.h"
#include "tb/common/description.h"

/// Model against RTL from a command line: what `castor cosim` and the program castor_cosim_<block> do.
namespace castor::tb {

/// What was asked for.
struct CosimRequest {
  std::string engine = "lockstep";  ///< model, rtl or lockstep
  std::string params = "default";
  std::string sequence;  ///< empty: the block's first
  base::Cycle cycles = 200'000;
  std::uint64_t seed = 1;
  bool skip = true;                       ///< skip idle stretches where the twin allows it
  std::string wave;                       ///< VCD of model and RTL; empty = none
  unsigned wave_depth = 0;                ///< levels of modules inside the RTL in it; 0: ports and probes alone
  base::Cycle wave_from = 0;              ///< first cycle of the waves
  base::Cycle wave_to = ~base::Cycle{0};  ///< one behind the last
  std::string json;                       ///< result as JSON; empty = none
  std::string coverage;                   ///< counts of a coverage build (castor_cosim_<block>_coverage)
  std::string dump;                       ///< a mismatch leaves <dump>.vcd; empty: <block>-<params>-<seed>
  bool window = false;                    ///< the repetition that makes this file
  bool all = false;                       ///< every parameter set with every sequence, `cycles` each
  bool cover = false;                     ///< print every cover point, not only their number
  std::string program = "castor cosim";   ///< as the replay line names it
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

/// A block as the command line knows it.
struct BlockEntry {
  std::string name;
  std::string meaning;
  std::vector<std::pair<std::string, std::string>> sets;  ///< name and parameters of the RTL in this program
  std::vector<SequenceInfo> sequences;
  /// Throws InputError for a wrong request.
  std::function<CosimResult(const CosimRequest&, const std::function<void(base::Cycle)>& progress)> run;
  std::function<Description(const std::string& set)> describe;  ///< set "" = the default parameters
};

/// Runs, prints the result on stdout and a mismatch on stderr. If model and RTL differ, the run is repeated with waves
/// of the last kWindow cycles: ports and probes of the model, and all of the RTL. Exit code: 0 good, 1 mismatch or
/// failed assertion. Throws InputError for a wrong request.
inline constexpr base::Cycle kWindow = 200;
int cosim(const BlockEntry& block, const CosimRequest& request);

/// The command that repeats a request.
[[nodiscard]] std::string replay_line(const BlockEntry& block, const CosimRequest& request);

}  // namespace castor::tb
