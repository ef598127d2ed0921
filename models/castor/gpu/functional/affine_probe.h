#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "castor/gpu/hooks/affine_instances.h"
#include "castor/gpu/launch_record.h"
#include "castor/isa/memory_access.h"
#include "castor/isa/program.h"

namespace castor::gpu::functional {

/// Finds what of one thread block is affine while it executes (docs/gpu/fetch-filter.md, "FetchFilter").
///
/// An instance is the k-th execution of a record by every warp of the block. It is affine if every warp executed it for
/// all lanes, and each source and result is b + sx tid.x + sy tid.y + sz tid.z for one (b, sx, sy, sz): modulo 2^32, of
/// 64-bit values modulo 2^64. Looked at are lane operations without predicates whose result depends on their operands
/// or a special register alone (isa::ResultOf), and plain loads if the address is the same for the whole block, and
/// what they load too. The definition is ours; Yeh 2020, section 7.7.1, says that affine instructions are found at run
/// time.
class AffineProbe {
 public:
  /// A block starts; `warps` warps of `lanes` lanes.
  void start(const Launch& launch, unsigned warps, unsigned lanes);
  /// Before a warp executes a record for the lanes of `mask`.
  void before(unsigned warp, std::uint32_t pc, const isa::RegisterView& view, isa::LaneMask mask);
  /// Behind a lane operation or memory access.
  void after(unsigned warp, std::uint32_t pc, const isa::RegisterView& view);
  /// What was affine, as the file of affine instances has it: "4:0-0 7:0-15".
  [[nodiscard]] std::string text() const;

 private:
  /// What the rows of one operand say of its steps, and its first lane in the warps seen.
  struct Value {
    std::uint64_t mask = 0;  ///< all bits of an element
    std::uint64_t x = 0;     ///< step from lane to lane
    std::uint64_t y = 0;     ///< where x wraps, if `has_y`
    std::uint64_t z = 0;     ///< where y wraps, less (Y - 1) y steps, if `has_z`
    bool has_y = false, has_z = false, uniform = false;
    std::vector<std::pair<unsigned, std::uint64_t>> first;
  };
  struct Instance {
    bool affine = true;
    unsigned seen = 0;  ///< warps
    std::vector<Value> values;
  };

  [[nodiscard]] bool is_candidate(std::uint32_t pc) const;
  void add_rows(unsigned warp, const std::byte* rows, unsigned registers, unsigned element, bool uniform);
  template <class T>
  void add(unsigned warp, const std::byte* row, bool uniform);
  [[nodiscard]] static bool merge(Value& into, const Value& from);
  [[nodiscard]] bool solves(const Value& value) const;
  [[nodiscard]] Dim3 thread(unsigned warp, unsigned lane) const;

  const isa::Program* program_ = nullptr;
  Dim3 block_;
  unsigned lanes_ = 32, warps_ = 0;
  isa::LaneMask all_ = 0;
  std::vector<std::vector<std::uint32_t>> executed_;           // [warp][record]
  std::unordered_map<std::uint64_t, Instance> open_;           // by record and occurrence
  std::map<std::uint32_t, std::vector<std::uint32_t>> found_;  // by record: affine occurrences
  // Between `before` and `after`.
  bool looks_ = false;
  bool good_ = false;  // so far every value is affine in this warp
  std::uint64_t key_ = 0;
  std::vector<Value> values_;
  isa::Access access_{};
};

}  // namespace castor::gpu::functional
