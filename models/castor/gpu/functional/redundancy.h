#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "castor/gpu/launch_record.h"
#include "castor/isa/memory_access.h"
#include "castor/isa/program.h"

namespace castor::gpu::functional {

/// What a limit study counts: executions of instructions by warps (docs/marks.md, "Limit study").
struct RedundancyCounts {
  enum Class : std::uint8_t { kLane, kLoadShared, kLoadGlobal, kOther, kClasses };

  std::uint64_t instructions = 0;                           ///< all
  std::uint64_t uniform = 0, affine = 0, unstructured = 0;  ///< redundant in their thread block, by their sources
  std::uint64_t removable = 0;                              ///< of these all but one in each thread block
  std::uint64_t grid = 0;                                   ///< redundant in the grid
  std::uint64_t warp = 0;                                   ///< every source is one value in all lanes
  std::array<std::uint64_t, kClasses> all{}, block{};       ///< by class: all; redundant in their thread block

  [[nodiscard]] std::uint64_t redundant() const { return uniform + affine + unstructured; }
  void add(const RedundancyCounts& other);
  /// f(name, value) for each, as the report has them.
  template <class F>
  void each(F f) const {
    f("redundancy_instructions", instructions);
    f("redundancy_block", redundant());
    f("redundancy_uniform", uniform);
    f("redundancy_affine", affine);
    f("redundancy_unstructured", unstructured);
    f("redundancy_removable", removable);
    f("redundancy_grid", grid);
    f("redundancy_warp", warp);
    f("redundancy_all_lane", all[kLane]);
    f("redundancy_block_lane", block[kLane]);
    f("redundancy_all_load_shared", all[kLoadShared]);
    f("redundancy_block_load_shared", block[kLoadShared]);
    f("redundancy_all_load_global", all[kLoadGlobal]);
    f("redundancy_block_load_global", block[kLoadGlobal]);
  }
};

/// Instances that were redundant in every thread block of a kernel so far, with the values of their sources.
class GridRedundancy {
 public:
  /// An instance that is redundant in a thread block.
  void add(std::uint64_t instance, std::uint64_t sources);
  /// Instances with equal sources in all `thread_blocks`.
  [[nodiscard]] std::uint64_t redundant(std::uint64_t thread_blocks) const;

 private:
  struct Seen {
    std::uint64_t sources = 0, blocks = 0;
    bool differ = false;
  };
  std::unordered_map<std::uint64_t, Seen> instances_;
};

/// Which instructions of one thread block are redundant, after the taxonomy of Yeh 2020, chapter 4.
///
/// An instance is one instruction and the number of times that a warp has executed it before. It is redundant in its
/// thread block if every warp executes it with all lanes and equal rows in all its sources; it is then uniform if each
/// source is one value, affine if each is a base and a step from lane to lane, else unstructured (the weakest source
/// counts). Of a special register the row it gives counts as source, of a load the address, and the row loaded has to
/// be equal, too. What writes no register, shuffles, votes, clocks, atomics, and loads that are not weak or are of
/// local memory are never redundant. Limits: values of 8 and 16 bits count with the undefined bits above them;
/// instances are told apart by counts, so warps that go round a loop differently often are compared at equal rounds.
class RedundancyStudy {
 public:
  /// A block starts; `warps` warps of `lanes` lanes.
  void start(const Launch& launch, unsigned warps, unsigned lanes);
  /// Before a warp executes a record; `mask`: lanes that execute.
  void before(unsigned warp, std::uint32_t pc, const isa::RegisterView& view, isa::LaneMask mask);
  /// Behind a lane operation or memory access.
  void after(unsigned warp, std::uint32_t pc, const isa::RegisterView& view);
  /// The block is done.
  [[nodiscard]] RedundancyCounts finish(GridRedundancy& grid);

 private:
  enum class Shape : std::uint8_t { kUniform, kAffine, kUnstructured };
  struct Instance {
    std::uint64_t sources = 0, loaded = 0;
    std::uint32_t seen = 0;  ///< warps that executed it with all lanes
    Shape shape = Shape::kUniform;
    bool equal = true;
  };
  /// The instance between `before` and `after`.
  struct Current {
    bool candidate = false, load = false;
    std::uint32_t occurrence = 0;
    std::uint64_t sources = 0;
    Shape shape = Shape::kUniform;
  };

  template <class Element>
  void take(const std::byte* row);
  /// `registers` rows of 32-bit registers, two of which are one row of 64-bit elements.
  void take_rows(const std::byte* rows, unsigned registers);
  void take_mask(isa::LaneMask mask);

  const isa::Program* program_ = nullptr;
  unsigned lanes_ = 32, warps_ = 0;
  isa::LaneMask all_ = 0;
  std::vector<std::uint32_t> executed_;  ///< per warp and record
  std::vector<std::vector<Instance>> instances_;
  Current current_;
  isa::Access access_{};
  RedundancyCounts counts_;
};

}  // namespace castor::gpu::functional
