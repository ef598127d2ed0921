#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "castor/twin/block.h"
#include "tb/common/cover_points.h"

/// Base classes for a block's own cover points, which supplement the cover points of its ports.
namespace castor::tb {

/// Returns the current value of the register at an address without side effects (Twin::peek). Returns no value if the
/// twin does not support peeking.
using Peek = std::function<std::optional<std::uint32_t>(std::uint16_t)>;

/// One clock cycle of a block: inputs at the clock edge, outputs of the cycle, and probed registers before the edge.
template <class Block>
struct Cycle {
  const typename Block::Inputs& in;
  const typename Block::Outputs& out;
  const typename Block::Probes& probes;
  const typename Block::Params& params;
  const Cycle* before;  ///< previous cycle that was simulated, not skipped; null in the first cycle
};

/// Base class of a block's cover points; the block's ProtocolBench owns it. A derived class has the constructor (cover,
/// params, peek). It sees the simulated cycles in order; cycles in which the block is idle may be skipped.
template <class Block>
class BlockPoints {
 public:
  explicit BlockPoints(const typename Block::Params& params) : params_(params) {}
  virtual ~BlockPoints() = default;
  BlockPoints(const BlockPoints&) = delete;
  BlockPoints& operator=(const BlockPoints&) = delete;

  /// Shows one cycle, and the previous simulated cycle, to the derived class.
  void sample(const typename Block::Inputs& in, const typename Block::Outputs& out,
              const typename Block::Probes& probes) {
    const Cycle<Block> before{in_, out_, probes_, params_, nullptr};
    see({in, out, probes, params_, started_ ? &before : nullptr});
    in_ = in;
    out_ = out;
    probes_ = probes;
    started_ = true;
  }

 protected:
  virtual void see(const Cycle<Block>& now) = 0;

 private:
  const typename Block::Params params_;
  typename Block::Inputs in_;
  typename Block::Outputs out_;
  typename Block::Probes probes_;
  bool started_ = false;
};

/// Cover points that depend on single cycles only: the block supplies a list of names and conditions.
template <class Block, std::vector<PointRow<Cycle<Block>>> (*kRows)(const typename Block::Params&)>
class CyclePoints final : public BlockPoints<Block> {
 public:
  CyclePoints(Cover& cover, const typename Block::Params& params, const Peek& /*peek*/)
      : BlockPoints<Block>(params), points_({cover}, kRows(params)) {}

 private:
  void see(const Cycle<Block>& now) override { points_.see(now); }

  Points<Cycle<Block>> points_;
};

}  // namespace castor::tb
