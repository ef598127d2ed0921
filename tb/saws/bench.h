#pragma once

#include <memory>
#include <string>

#include "castor/saws/ports.h"
#include "castor/twin/twin.h"
#include "tb/common/bench.h"
#include "tb/saws/cover_points.h"
#include "tb/saws/sequences.h"

namespace castor::saws {

/// The bench of the warp scheduler SAWS for the twin contract: its own sequences, and its own cover points beside those
/// of the ports (docs/blocks/saws.md, "Verification").
class Bench : public castor::tb::ProtocolBench<Block, tb::CoverPoints, tb::sequences> {
 public:
  using ProtocolBench::ProtocolBench;

  static std::unique_ptr<twin::Sequence<Block>> make(const std::string& name, const Params& params,
                                                     std::uint64_t seed) {
    return tb::make_sequence(name, params, seed);
  }
};

}  // namespace castor::saws
