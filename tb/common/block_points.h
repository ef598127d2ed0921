#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "castor/twin/block.h"
#include "tb/common/cover_points.h"

/// The cover points that a block brings beside those of its ports.
namespace castor::tb {

/// A register as it is now, without side effect; Twin::peek. Empty if nobody can look.
using Peek = std::function<std::optional<std::uint32_t>(std::uint16_t)>;

/// One cycle: inputs of its clock edge, outputs, registers before the edge.
template <class Block>
struct Cycle {
  const typename Block::Inputs& in;
  const typename Block::Outputs& out;
  const typename Block::Probes& probes;
  const typename Block::Params& params;
  const Cycle* before;  ///< the last cycle that was not skipped; none in the first
};

/// The points of a block: a class that derives from it, with the constructor (cover, params, peek), and sees every
/// cycle in their order. Cycles in which the block is idle may be missing.
template <class Block>
class BlockPoints {
 public:
  explicit BlockPoints(const typename Block::Params& params) : params_(params) {}
  virtual ~BlockPoints() = default;
  BlockPoints(const BlockPoints&) = delete;
  BlockPoints& operator=(const BlockPoints&) = delete;

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

/// The points of a block that are all about cycles: a list of names and conditions is all there is to write.
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
