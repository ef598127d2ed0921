#include "castor/gpu/sm/issue_values.h"

#include <cstring>

namespace castor::gpu {
namespace {

/// Appends a source row of `lanes` elements of type T to the values: the value in lane 0, and whether all lanes are
/// equal.
template <class T>
void add(IssueValues& values, const std::byte* row, unsigned lanes) {
  T first;
  std::memcpy(&first, row, sizeof first);
  bool uniform = true;
  for (unsigned lane = 1; lane < lanes && uniform; ++lane) {
    uniform = std::memcmp(row + lane * sizeof first, &first, sizeof first) == 0;
  }
  for (unsigned half = 0; half < sizeof first / 4; ++half) {
    const unsigned at = values.sources++;
    if (at >= kMaxOperands) continue;
    std::memcpy(&values.value[at], row + 4 * half, 4);
    if (uniform) values.uniform = static_cast<std::uint8_t>(values.uniform | 1U << at);
  }
}

}  // namespace

IssueValues issue_values(WarpTable& warps, unsigned w, std::uint32_t pc) {
  const WarpState& warp = warps[w];
  const isa::Program& program = *warp.program;
  const isa::Record& record = warp.records[pc];
  const isa::RegisterUse& use = program.uses[pc];
  IssueValues values;
  values.pc = warp.code_base + std::uint64_t{8} * pc;
  values.mark = program.marks.empty() ? 0 : program.marks[pc];
  values.full = isa::guarded(record, warp.predicates, warp.active) == warps.all_lanes();
  values.results = use.dst;
  values.arithmetic = record.kind == isa::Kind::kLane && record.guard == isa::kNoGuard && use.predicates_read == 0 &&
                      use.predicates_written == 0 && (warp.decoded[pc].flags & kReadsClock) == 0;
  if (!values.arithmetic) return values;
  const isa::RegisterView view = warps.view(w);
  for (unsigned i = 0; i < 4; ++i) {
    if (use.src[i] == 1) {
      add<std::uint32_t>(values, view.src(record.src[i]), warps.lanes());
    } else if (use.src[i] == 2) {
      add<std::uint64_t>(values, view.src(record.src[i]), warps.lanes());
    } else if (use.src[i] != 0) {
      values.arithmetic = false;  // vector operands are not reported
    }
  }
  return values;
}

}  // namespace castor::gpu
