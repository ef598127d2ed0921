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

/// Counts of the limit study: executions of instructions by warps (docs/marks.md, "Limit study").
struct RedundancyCounts {
  enum Class : std::uint8_t { kLane, kLoadShared, kLoadGlobal, kOther, kClasses };

  std::uint64_t instructions = 0;  ///< all executions
  /// Executions that are redundant in their thread block, by the shape of their sources.
  std::uint64_t uniform = 0, affine = 0, unstructured = 0;
  std::uint64_t removable = 0;  ///< redundant executions except one per instance and thread block
  std::uint64_t grid = 0;       ///< executions that are redundant in the grid
  std::uint64_t warp = 0;       ///< executions in which every source has one value in all lanes
  /// Per class: all executions; executions that are redundant in their thread block.
  std::array<std::uint64_t, kClasses> all{}, block{};

  [[nodiscard]] std::uint64_t redundant() const { return uniform + affine + unstructured; }
  void add(const RedundancyCounts& other);
  /// Calls f(name, value) for each count, with the names used in reports.
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

/// Instances that were redundant in every thread block of a kernel so far, with hashes of their sources.
class GridRedundancy {
 public:
  /// Adds an instance that is redundant in a thread block.
  void add(std::uint64_t instance, std::uint64_t sources);
  /// Returns the number of instances with equal sources in all `thread_blocks` blocks.
  [[nodiscard]] std::uint64_t redundant(std::uint64_t thread_blocks) const;

 private:
  /// State of an instance, over all thread blocks of the kernel so far.
  struct Seen {
    std::uint64_t sources = 0, blocks = 0;
    bool differ = false;
  };
  std::unordered_map<std::uint64_t, Seen> instances_;
};

/// Limit study: determines which instructions of one thread block are redundant, after the taxonomy of Yeh 2020,
/// chapter 4.
///
/// An instance is one instruction and the number of its earlier executions by a warp. It is redundant in its thread
/// block if every warp executes it with all lanes and with equal rows in all its sources. A redundant instance is
/// uniform if each source has one value in all lanes, and affine if each source is a base plus a constant step from
/// lane to lane. Otherwise it is unstructured. The weakest source decides.
///
/// The source of a special register is the row that it returns. The source of a load is its address, and the loaded row
/// must be equal, too. The following are never redundant: records that write no register, shuffles, votes, clocks,
/// atomics, loads that are not weak, and loads from local memory.
///
/// Limits: values of 8 and 16 bits are compared with the undefined bits above them. Instances are identified by
/// execution counts, so warps with different numbers of loop iterations are compared at equal iterations.
class RedundancyStudy {
 public:
  /// Starts a block of `warps` warps of `lanes` lanes.
  void start(const Launch& launch, unsigned warps, unsigned lanes);
  /// Records the sources; to be called before a warp executes a record. `mask`: lanes that execute.
  void before(unsigned warp, std::uint32_t pc, const isa::RegisterView& view, isa::LaneMask mask);
  /// Records the results; to be called after a lane operation or memory access.
  void after(unsigned warp, std::uint32_t pc, const isa::RegisterView& view);
  /// Ends the block and returns its counts. Adds its redundant instances to `grid`.
  [[nodiscard]] RedundancyCounts finish(GridRedundancy& grid);

 private:
  enum class Shape : std::uint8_t { kUniform, kAffine, kUnstructured };
  /// State of an instance in the block.
  struct Instance {
    std::uint64_t sources = 0, loaded = 0;
    std::uint32_t seen = 0;  ///< number of warps that executed the instance with all lanes
    Shape shape = Shape::kUniform;
    bool equal = true;  ///< sources and loaded values of all these warps are equal
  };
  /// State of the current instance between `before` and `after`.
  struct Current {
    bool candidate = false, load = false;
    std::uint32_t occurrence = 0;
    std::uint64_t sources = 0;
    Shape shape = Shape::kUniform;
  };

  template <class Element>
  void take(const std::byte* row);
  /// Adds `registers` rows of 32-bit registers as sources. Two rows are one row of 64-bit elements.
  void take_rows(const std::byte* rows, unsigned registers);
  void take_mask(isa::LaneMask mask);

  const isa::Program* program_ = nullptr;
  unsigned lanes_ = 32, warps_ = 0;
  isa::LaneMask all_ = 0;
  std::vector<std::uint32_t> executed_;           ///< executions per warp and record
  std::vector<std::vector<Instance>> instances_;  ///< [record][occurrence] state of the instance
  Current current_;
  isa::Access access_{};
  RedundancyCounts counts_;
};

}  // namespace castor::gpu::functional
