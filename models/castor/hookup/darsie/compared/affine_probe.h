#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "castor/gpu/hooks/execution_study.h"
#include "castor/gpu/launch_record.h"
#include "castor/isa/memory_access.h"
#include "castor/isa/program.h"

namespace castor::hookup {

/// Finds the affine instruction instances of one thread block while the functional machine executes it
/// (docs/blocks/darsie.md, "Compared systems").
///
/// An instance is the k-th execution of a record by every warp of the block. It is affine if every warp executed it for
/// all lanes, and each source and result is b + sx tid.x + sy tid.y + sz tid.z for one (b, sx, sy, sz). The arithmetic
/// is modulo 2^32, for 64-bit values modulo 2^64.
///
/// Two types of records are examined. First, lane operations without predicates whose result depends only on their
/// operands or on a special register (isa::ResultOf). Second, plain loads, if address and loaded value are the same for
/// the whole block. The definition is ours; Yeh 2020, section 7.7.1, says that affine instructions are found at run
/// time.
class AffineProbe final : public gpu::BlockStudy {
 public:
  /// Starts a thread block of `warps` warps of `lanes` lanes.
  AffineProbe(const gpu::Launch& launch, unsigned warps, unsigned lanes);
  /// Records the sources.
  void before(unsigned warp, std::uint32_t pc, const isa::RegisterView& view, isa::LaneMask mask) override;
  /// Records the results.
  void after(unsigned warp, std::uint32_t pc, const isa::RegisterView& view) override;
  /// Returns the affine instances of the block in the format of the file of affine instances: "4:0-0 7:0-15".
  [[nodiscard]] std::string text() const;

 private:
  /// Steps of one operand, as derived from the rows of the warps seen so far, and its value in the first lane of each
  /// warp.
  struct Value {
    std::uint64_t mask = 0;  ///< mask of the bits of an element
    std::uint64_t x = 0;     ///< step in x: difference between adjacent lanes of a thread row
    std::uint64_t y = 0;     ///< step where x wraps, valid if `has_y`
    std::uint64_t z = 0;     ///< step where y wraps, minus (Y - 1) y steps; valid if `has_z`
    bool has_y = false, has_z = false, uniform = false;
    std::vector<std::pair<unsigned, std::uint64_t>> first;  ///< per warp seen: warp number and value in lane 0
  };
  /// State of an instance.
  struct Instance {
    bool affine = true;
    unsigned seen = 0;  ///< number of warps that have executed the instance
    std::vector<Value> values;
  };

  [[nodiscard]] bool is_candidate(std::uint32_t pc) const;
  void add_rows(unsigned warp, const std::byte* rows, unsigned registers, unsigned element, bool uniform);
  template <class T>
  void add(unsigned warp, const std::byte* row, bool uniform);
  [[nodiscard]] static bool merge(Value& into, const Value& from);
  [[nodiscard]] bool solves(const Value& value) const;
  [[nodiscard]] gpu::Dim3 thread(unsigned warp, unsigned lane) const;

  const isa::Program& program_;
  const gpu::Dim3 block_;
  const unsigned lanes_, warps_;
  std::vector<std::vector<std::uint32_t>> executed_;  // [warp][record]: number of executions
  std::unordered_map<std::uint64_t, Instance>
      open_;  // instances not yet executed by all warps; by record and occurrence
  std::map<std::uint32_t, std::vector<std::uint32_t>> found_;  // by record: numbers of the affine executions
  // State between `before` and `after`.
  bool looks_ = false;  ///< the current record is examined
  bool good_ = false;   // all values so far are affine in this warp
  std::uint64_t key_ = 0;
  std::vector<Value> values_;
  isa::Access access_{};
};

}  // namespace castor::hookup
