#include "castor/hookup/darsie/compared/issue_values.h"

#include <cstring>

#include "castor/hookup/darsie/compared/compared_system.h"
#include "castor/isa/warp_context.h"

namespace castor::hookup {
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
    if (at >= gpu::kMaxOperands) continue;
    std::memcpy(&values.value[at], row + 4 * half, 4);
    if (uniform) values.uniform = static_cast<std::uint8_t>(values.uniform | 1U << at);
  }
}

}  // namespace

IssueValues issue_values(gpu::StudiedSm& sm, const gpu::StudyIssue& issue) {
  const gpu::StudiedWarp warp = sm.warp(issue.warp);
  const isa::RegisterView view = sm.registers(issue.warp);
  const isa::Program& program = *warp.program;
  const isa::Record& record = program.code[issue.pc];
  const isa::RegisterUse& use = program.uses[issue.pc];
  IssueValues values;
  values.pc = warp.code_base + std::uint64_t{8} * issue.pc;
  values.mark = program.marks.empty() ? 0 : program.marks[issue.pc];
  values.full = issue.mask == all_lanes(view);
  values.results = use.dst;
  values.arithmetic = record.kind == isa::Kind::kLane && record.guard == isa::kNoGuard && use.predicates_read == 0 &&
                      use.predicates_written == 0 && !isa::may_read_clock(record);
  if (!values.arithmetic) return values;
  for (unsigned i = 0; i < 4; ++i) {
    if (use.src[i] == 1) {
      add<std::uint32_t>(values, view.src(record.src[i]), view.lanes);
    } else if (use.src[i] == 2) {
      add<std::uint64_t>(values, view.src(record.src[i]), view.lanes);
    } else if (use.src[i] != 0) {
      values.arithmetic = false;  // vector operands are not reported
    }
  }
  return values;
}

}  // namespace castor::hookup
