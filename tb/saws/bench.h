#pragma once

#include <memory>
#include <string>
#include <vector>

#include "castor/saws/ports.h"
#include "castor/twin/twin.h"
#include "tb/common/bench.h"
#include "tb/saws/cover_points.h"
#include "tb/saws/sequences.h"

namespace castor::saws {

/// The bench of the warp scheduler SAWS for the twin contract: its own sequences, and its own cover points beside those
/// of the ports (docs/blocks/saws.md, "Verification").
class Bench : public castor::tb::Bench<Block> {
 public:
  explicit Bench(const twin::Twin<Block>& machine) : castor::tb::Bench<Block>(machine), points_(machine.params()) {
    for (const auto& point : points_.points()) numbers_.push_back(cover().add(point.name));
  }

  void watch(const Inputs& in, const Outputs& out, const Probes& probes) override {
    castor::tb::Bench<Block>::watch(in, out, probes);
    points_.sample(in, out, probes);
  }
  void finish() override {
    for (std::size_t i = 0; i < numbers_.size(); ++i) cover().set_hits(numbers_[i], points_.points()[i].hits);
  }

  static std::vector<castor::tb::SequenceInfo> sequences() {
    std::vector<castor::tb::SequenceInfo> all;
    for (const tb::SequenceInfo& info : tb::sequences())
      all.push_back({std::string(info.name), std::string(info.meaning)});
    return all;
  }

  static std::unique_ptr<twin::Sequence<Block>> make(const std::string& name, const Params& params,
                                                     std::uint64_t seed) {
    return tb::make_sequence(name, params, seed);
  }

 private:
  tb::CoverPoints points_;
  std::vector<unsigned> numbers_;
};

}  // namespace castor::saws
