#pragma once

#include <vector>

#include "castor/base/rng.h"
#include "tb/common/edges.h"
#include "tb/tb_swap/entry.h"
#include "tb/tb_swap/knobs.h"

namespace castor::tb_swap::tb {

using Edges = castor::tb::PortEdges<Block>;

/// Read-only segment of a thread block: lines of shared memory that equal lines of global memory.
struct Segment {
  unsigned lines = 0;  ///< 0: no segment
  unsigned first = 0;
  U64 address = 0;

  [[nodiscard]] bool covers(unsigned line) const { return line >= first && line < first + lines; }
  [[nodiscard]] bool meets(const Segment& other) const {
    return lines != 0 && other.lines != 0 && first < other.first + other.lines && other.first < first + lines;
  }
};
using Segments = std::vector<Segment>;

/// Write of the live registers of a site.
struct SiteWrite {
  unsigned site = 0;
  RegBits mask;
};

/// Constants of a kernel, as a driver lays out the storage of an SM, and its sites.
struct Kernel {
  unsigned warps = 1, regs = 1, simt = 1, smem = 0;
  unsigned slots = 1, rhomes = 1, shomes = 1;
  unsigned in_place = 0, copies = 0, direction = 0, threshold = 64;
  bool live = false, read_only = false;
  std::vector<SiteWrite> sites;

  /// Drives the constants and cfg_valid.
  void show(Inputs& in) const;
  /// Returns the registers that are moved for a thread block that waits at `site`.
  [[nodiscard]] RegBits live_registers(const Params& params, unsigned site) const;
  /// Returns the lines of the longest image.
  [[nodiscard]] unsigned lines() const { return simt + warps * regs + smem; }
};

/// Draws a kernel whose contexts fit into images and places.
[[nodiscard]] Kernel draw_kernel(const Params& params, const Knobs& knobs, base::Xoshiro256& random, Edges& edges);

}  // namespace castor::tb_swap::tb
