#include "castor/gpu/sm/skip_check.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <utility>

#include "castor/base/error.h"
#include "castor/gpu/execution/lane_access.h"

namespace castor::gpu {

using isa::Kind;
using isa::Record;

SkipCheck::SkipCheck(const Machine& machine, unsigned sm, const SmClock& clock, WarpTable& warps, FaultPort& faults)
    : sm_(sm),
      clock_(clock),
      warps_(warps),
      faults_(faults),
      row_bytes_(std::size_t{machine.sm.lanes} * 4),
      stride_((std::size_t{machine.sm.max_regs_per_thread} + 1) * row_bytes_),
      steps_(machine.sm.warps),
      leads_(machine.sm.tb_contexts) {
  values_.reserve(stride_ * machine.sm.warps);
}

void SkipCheck::start(unsigned w) {
  std::memset(row_of(w, 0), 0, warps_[w].program->registers * row_bytes_);
  elsewhere_[w] = {};
  steps_[w].clear();
  late_[w].reset();
  failed_ &= ~warp_bit(w);
}

void SkipCheck::stop(WarpMask warps) {
  for (failed_ |= warps; warps != 0; warps &= warps - 1) steps_[lowest(warps)].clear();
}

// --- Steps of a warp
// --------------------------------------------------------------------------------------------------

SkipCheck::Step& SkipCheck::push(unsigned w, Step::Kind kind, std::uint32_t pc) {
  Step& step = steps_[w].emplace_back();
  step.kind = kind;
  step.pc = pc;
  step.cycle = clock_.now();
  return step;
}

// Copies registers of the warp into a step, as whole rows: inactive lanes hold their architectural values too.
void SkipCheck::take_own(unsigned w, Step& step, unsigned reg, unsigned count) {
  step.reg = static_cast<std::uint8_t>(reg);
  step.count = static_cast<std::uint8_t>(count);
  const std::byte* const from = warps_.view(w).dst(static_cast<isa::OperandIndex>(reg));
  step.rows.assign(from, from + count * row_bytes_);
}

void SkipCheck::take_late(unsigned w) {
  if (!late_[w]) return;
  const Late late = *late_[w];
  late_[w].reset();
  take_own(w, push(w, Step::Kind::kWrite, late.pc), late.reg, late.count);
}

void SkipCheck::set_elsewhere(unsigned w, const Decoded& decoded, bool elsewhere) {
  for (unsigned i = 0; i < decoded.dst_count; ++i) {
    const unsigned reg = decoded.dst + i;
    const std::uint64_t bit = std::uint64_t{1} << (reg % 64);
    std::uint64_t& word = elsewhere_[w][reg / 64];
    word = elsewhere ? word | bit : word & ~bit;
  }
}

// Returns whether the instruction reads a register of the warp whose value is only in a pool row, and reports the
// fault.
bool SkipCheck::reads_stale(unsigned w, const Decoded& decoded, const std::int16_t* rows, LaneMask mask) {
  for (unsigned i = 0; i < decoded.source_count; ++i) {
    const unsigned reg = decoded.sources[i];
    if (rows[i] >= 0 || (elsewhere_[w][reg / 64] >> (reg % 64) & 1) == 0) continue;
    const std::uint32_t pc = warps_[w].pc;
    fail(w, pc,
         {FaultKind::kWrongSkip, first_lane(mask),
          place(w, pc, clock_.now()) + " reads its own R" + std::to_string(reg) +
              ", but its value is only in a pool row",
          0});
    return true;
  }
  return false;
}

void SkipCheck::reads(unsigned w, const Decoded& decoded, const std::int16_t* rows, LaneMask mask) {
  if ((failed_ & warp_bit(w)) != 0) return;
  take_late(w);
  if (decoded.source_count == 0 || mask == 0 || reads_stale(w, decoded, rows, mask)) return;
  const WarpState& warp = warps_[w];
  const Record& record = warp.records[warp.pc];
  const isa::RegisterUse& use = warp.program->uses[warp.pc];
  const isa::RegisterView own = warps_.view(w);
  Step& step = push(w, Step::Kind::kRead, warp.pc);
  for (unsigned k = 0; k < 4; ++k) {
    // An address or an arithmetic operand consists of one value; store data may consist of several values.
    const bool one = record.kind == Kind::kLane || k == 0;
    for (unsigned i = 0; i < use.src[k]; i += one ? use.src[k] : 1) {
      const auto reg = static_cast<std::uint8_t>(record.src[k] + i);
      const auto count = static_cast<std::uint8_t>(one ? use.src[k] : 1);
      const std::byte* const from = own.dst(reg);
      step.reads.push_back({reg, count});
      step.rows.insert(step.rows.end(), from, from + count * row_bytes_);
    }
  }
  drain(w);
}

void SkipCheck::leads(unsigned w, const Record& record) {
  Lead& lead = leads_[warps_[w].tb][warps_[w].pc];
  lead.warp = warps_[w].warp_in_tb;
  lead.addresses.clear();
  if (record.kind != Kind::kMemory) return;
  isa::address(record, warps_.view(w), warps_.all_lanes(), access_);
  lead.addresses.assign(access_.address, access_.address + warps_.lanes());
}

void SkipCheck::issued(unsigned w, std::uint32_t pc, const Decoded& decoded, LaneMask mask, bool lead) {
  if ((failed_ & warp_bit(w)) != 0 || decoded.dst_count == 0 || mask == 0) return;
  set_elsewhere(w, decoded, lead);
  if (decoded.pool >= UnitPool::kControl) {
    late_[w] = Late{decoded.dst, decoded.dst_count, pc};
  } else if (decoded.pool <= UnitPool::kShared) {
    if ((decoded.flags & kReturnsData) == 0) return;
    Step& step = push(w, Step::Kind::kLoad, pc);
    step.ready = false;
    step.reg = decoded.dst;
    step.count = decoded.dst_count;
  } else {
    take_own(w, push(w, Step::Kind::kWrite, pc), decoded.dst, decoded.dst_count);
    drain(w);
  }
}

void SkipCheck::loaded(unsigned w, std::uint32_t pc) {
  std::deque<Step>& steps = steps_[w];
  const auto load = std::find_if(steps.begin(), steps.end(), [pc](const Step& step) {
    return step.kind == Step::Kind::kLoad && !step.ready && step.pc == pc;
  });
  if (load == steps.end()) return;
  take_own(w, *load, load->reg, load->count);
  load->ready = true;
  drain(w);
}

void SkipCheck::skipped(unsigned w, const std::byte* const* rows) {
  if ((failed_ & warp_bit(w)) != 0) return;
  take_late(w);
  const WarpState& warp = warps_[w];
  const Decoded& decoded = warp.decoded[warp.pc];
  Step& step = push(w, Step::Kind::kSkip, warp.pc);
  step.reg = decoded.dst;
  step.count = decoded.dst_count;
  std::copy(std::begin(warp.predicates), std::end(warp.predicates), step.predicates.begin());
  const auto lead = leads_[warp.tb].find(warp.pc);
  step.led = rows != nullptr && lead != leads_[warp.tb].end();
  if (step.led) {
    step.leader = lead->second.warp;
    step.addresses = lead->second.addresses;
    for (unsigned i = 0; i < step.count; ++i) step.rows.insert(step.rows.end(), rows[i], rows[i] + row_bytes_);
  }
  set_elsewhere(w, decoded, true);
  drain(w);
}

void SkipCheck::copied(unsigned w, unsigned reg) {
  if ((failed_ & warp_bit(w)) != 0) return;
  elsewhere_[w][reg / 64] &= ~(std::uint64_t{1} << (reg % 64));
  take_own(w, push(w, Step::Kind::kCopy, warps_[w].pc), reg, 1);
  drain(w);
}

void SkipCheck::leaves(unsigned w) {
  if ((failed_ & warp_bit(w)) != 0) return;
  take_late(w);
  drain(w);
  if ((failed_ & warp_bit(w)) != 0) return;
  const std::uint32_t pc = warps_[w].pc;
  CASTOR_ASSERT_AT(clock_.now(), steps_[w].empty(), "a load of warp %u of SM %u is in flight as its block leaves", w,
                   sm_);
  Step step;
  step.pc = pc;
  step.cycle = clock_.now();
  for (unsigned reg = 0; reg < warps_[w].program->registers; ++reg) {
    const std::byte* const own = warps_.view(w).dst(static_cast<isa::OperandIndex>(reg));
    const auto wrong =
        compare(w, step, {static_cast<std::uint8_t>(reg), 1}, own, "is where its warp is swapped out with");
    if (wrong) return fail(w, pc, *wrong);
  }
}

// --- Comparison with the second registers
// -----------------------------------------------------------------------------

void SkipCheck::fail(unsigned w, std::uint32_t pc, const ExecutionFault& what) {
  failed_ |= warp_bit(w);
  steps_[w].clear();
  faults_.report(w, pc, what);
}

void SkipCheck::drain(unsigned w) {
  std::deque<Step>& steps = steps_[w];
  while (!steps.empty() && steps.front().ready) {
    const std::uint32_t pc = steps.front().pc;
    if (const std::optional<ExecutionFault> wrong = run(w, steps.front())) {
      fail(w, pc, *wrong);
      return;
    }
    steps.pop_front();
  }
}

std::optional<ExecutionFault> SkipCheck::run(unsigned w, Step& step) {
  const std::byte* rows = step.rows.data();
  switch (step.kind) {
    case Step::Kind::kRead:
      for (const Operand operand : step.reads) {
        if (auto wrong = compare(w, step, operand, rows, "reads")) return wrong;
        rows += operand.count * row_bytes_;
      }
      return std::nullopt;
    case Step::Kind::kCopy:
      return compare(w, step, {step.reg, step.count}, rows, "comes after a copy of");
    case Step::Kind::kSkip:
      return run_skip(w, step);
    case Step::Kind::kWrite:
    case Step::Kind::kLoad:
      write(w, step);
      return std::nullopt;
  }
  return std::nullopt;
}

void SkipCheck::write(unsigned w, const Step& step) {
  std::memcpy(row_of(w, step.reg), step.rows.data(), step.count * row_bytes_);
}

isa::RegisterView SkipCheck::shadow(unsigned w, LaneMask* predicates) {
  return {row_of(w, 0), warps_[w].constants, predicates, warps_.lanes()};
}

// Executes a skipped instruction on the warp's second registers, and compares the results.
std::optional<ExecutionFault> SkipCheck::run_skip(unsigned w, Step& step) {
  ++checked_;
  const Record& record = warps_[w].records[step.pc];
  if (!step.led) {
    return ExecutionFault{FaultKind::kWrongSkip, 0,
                          place(w, step.pc, step.cycle) + " is skipped, but no leader has executed it", 0};
  }
  if (record.kind == Kind::kMemory) {
    // Two loads of one address may return different values if a store came in between, so the leader's value is used.
    auto wrong = compare_addresses(w, step, record);
    if (!wrong) write(w, step);
    return wrong;
  }
  const isa::RegisterView registers = shadow(w, step.predicates.data());
  isa::LaneArgs args;
  args.halves = warps_.lanes() / 32;
  args.dst = registers.dst(record.dst);
  for (unsigned i = 0; i < 4; ++i) args.src[i] = registers.src(record.src[i]);
  args.predicates = registers.predicates;
  args.mask = warps_.all_lanes();
  args.context = &warps_[w].identity;
  record.handler(record, args);
  return compare(w, step, {step.reg, step.count}, step.rows.data(), "is skipped and takes its leader's value of");
}

std::optional<ExecutionFault> SkipCheck::compare_addresses(unsigned w, const Step& step, const Record& record) {
  isa::address(record, shadow(w, nullptr), warps_.all_lanes(), access_);
  for (unsigned lane = 0; lane < step.addresses.size(); ++lane) {
    if (access_.address[lane] == step.addresses[lane]) continue;
    char text[120];
    std::snprintf(text, sizeof text,
                  " is skipped; in lane %u its leader, warp %u, loads from 0x%" PRIx64 ", not 0x%" PRIx64, lane,
                  step.leader, step.addresses[lane], access_.address[lane]);
    return ExecutionFault{FaultKind::kWrongSkip, lane, place(w, step.pc, step.cycle) + text, 0};
  }
  return std::nullopt;
}

// Compares `rows` with the second registers of an operand. Returns a fault if they differ.
std::optional<ExecutionFault> SkipCheck::compare(unsigned w, const Step& step, Operand operand, const std::byte* rows,
                                                 const char* what) const {
  const std::byte* const right = row_of(w, operand.reg);
  const std::size_t bytes = operand.count * row_bytes_, element = operand.count == 2 ? 8 : 4;
  if (std::memcmp(rows, right, bytes) == 0) return std::nullopt;
  std::size_t at = 0;
  while (std::memcmp(rows + at, right + at, element) == 0) at += element;
  std::uint64_t is = 0, should = 0;
  std::memcpy(&is, rows + at, element);
  std::memcpy(&should, right + at, element);
  const auto lane = static_cast<unsigned>(at / element) % warps_.lanes();
  char text[160];
  std::snprintf(text, sizeof text, " %s R%u: lane %u has 0x%" PRIx64 ", not 0x%" PRIx64, what, operand.reg, lane, is,
                should);
  std::string message = place(w, step.pc, step.cycle) + text;
  if (step.kind == Step::Kind::kSkip) message += "; the leader was warp " + std::to_string(step.leader);
  return ExecutionFault{FaultKind::kWrongSkip, lane, std::move(message), 0};
}

std::string SkipCheck::place(unsigned w, std::uint32_t pc, Cycle cycle) const {
  return "check.skips: record " + std::to_string(pc) + " of warp " + std::to_string(warps_[w].warp_in_tb) + " (SM " +
         std::to_string(sm_) + ", slot " + std::to_string(w) + ", cycle " + std::to_string(cycle) + ")";
}

}  // namespace castor::gpu
