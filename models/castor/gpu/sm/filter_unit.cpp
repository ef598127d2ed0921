#include "castor/gpu/sm/filter_unit.h"

#include <algorithm>
#include <utility>

#include "castor/base/error.h"
#include "castor/gpu/execution/barrier_arrival.h"
#include "castor/gpu/execution/lane_access.h"
#include "castor/gpu/occupancy.h"

namespace castor::gpu {
namespace {

using isa::Kind;
using isa::MemoryKind;
using isa::Ordering;
using isa::Record;
using isa::Space;

// 1: only a store of the TB can disturb it; 2: other SMs can.
std::uint8_t load_kind(const Record& record) {
  if (record.kind != Kind::kMemory || record.memory.kind != MemoryKind::kLoad) return 0;
  switch (record.memory.space) {
    case Space::kConst:
    case Space::kParam:
      return 0;
    case Space::kShared:
      return 1;
    default:
      return 2;
  }
}

// Other threads of the TB can see what it writes.
bool is_store(const Record& record) {
  return record.kind == Kind::kMemory && record.memory.kind != MemoryKind::kLoad &&
         record.memory.space != Space::kLocal;
}

// Threads of other SMs can follow: atomics, fences beyond the block, acquire, release, volatile.
bool communicates(const Record& record) {
  if (record.kind == Kind::kFence) return static_cast<isa::FenceScope>(record.imm) != isa::FenceScope::kBlock;
  if (record.kind != Kind::kMemory) return false;
  const isa::MemoryOp& op = record.memory;
  if (op.space != Space::kGlobal && op.space != Space::kGeneric) return false;
  if (op.kind == MemoryKind::kAtomic || op.kind == MemoryKind::kReduction) return true;
  return op.ordering == Ordering::kVolatile || op.ordering == Ordering::kAcquire || op.ordering == Ordering::kRelease ||
         op.ordering == Ordering::kAcqRel;
}

}  // namespace

FilterUnit::FilterUnit(const Machine& machine, unsigned sm, FetchFilter& filter, const SmClock& clock, WarpTable& warps,
                       const ThreadBlocks& tbs, InstructionBuffer& buffer, FetchStage& fetch,
                       const BlockedWarps& blocked, Scoreboard& scoreboard, Pipelines& pipelines, EventWheel& wheel,
                       SmMemory& memory, ControlUnit& control, Executor& executor)
    : machine_(machine),
      sm_(sm),
      filter_(filter),
      clock_(clock),
      warps_(warps),
      tbs_(tbs),
      buffer_(buffer),
      fetch_(fetch),
      blocked_(blocked),
      scoreboard_(scoreboard),
      pipelines_(pipelines),
      control_(control),
      executor_(executor),
      rows_(machine, warps, scoreboard, pipelines, wheel, memory) {}

// --- Thread blocks ---------------------------------------------------------------------------------------------------

// A TB gets an equal part of the rows that its kernel leaves free, if it has marks and that is enough.
void FilterUnit::start(const TbState& tb, unsigned context, TbStartEvent& event) {
  const KernelContext& kernel = *tb.kernel;
  const isa::Program& program = *kernel.program;
  for (WarpMask left = tb.warps; left != 0; left &= left - 1) {
    verdicts_[lowest(left)].fill({});
    rows_.start(lowest(left));
  }
  active_ &= ~tb.warps;
  active_tbs_ &= ~(TbMask{1} << context);
  Pool& pool = pools_[context];
  pool = {};
  const Dim3& block = kernel.block;
  const bool power = block.x <= 32 && (block.x & (block.x - 1)) == 0;
  event.promote = std::uint64_t{block.y} * block.z > 1 && power;
  if (program.marks.empty() || tb.warp_count < 2 || kernel.fit == 0) return;
  const unsigned rows = filter_rows(machine_, kernel.fit, kernel.need.reg_units);
  if (rows == 0) return;
  const std::int16_t base = rows_.take(rows);
  if (base == RowPool::kNone) return;
  pool.base = static_cast<std::uint16_t>(base);
  pool.rows = static_cast<std::uint16_t>(rows);
  pool.slots = static_cast<std::uint16_t>(std::min(program.renamed_registers, std::uint32_t{kMaxSlots}));
  event.enable = true;
  event.base = pool.base;
  event.rows = pool.rows;
  event.slots = pool.slots;
  active_ |= tb.warps;
  active_tbs_ |= TbMask{1} << context;
}

void FilterUnit::stop(const TbState& tb) {
  leaving_ |= tb.live;
  present_ &= ~tb.warps;
}

void FilterUnit::retired(unsigned context) {
  retires_ = static_cast<std::uint8_t>(context);
  if ((active_tbs_ >> context & 1) == 0) return;
  rows_.give_back(pools_[context].base, pools_[context].rows);
  active_tbs_ &= ~(TbMask{1} << context);
  active_ &= ~tbs_[context].warps;
}

// --- S0, S5: what the filter is told and says ------------------------------------------------------------------------

// A warp of an active TB that waits at a barrier is not fetched before the barrier is complete.
void FilterUnit::settle_early(WarpMask eligible) {
  busy_ = false;
  rows_.begin_tick();
  stores_ = barriers_ = 0;
  global_op_ = false;
  branch_ = taken_ = leave_ = 0;
  slot_count_ = issued_count_ = 0;
  retired_ = std::exchange(retires_, std::nullopt);
  in_ = {};
  in_.now = clock_.now();
  const FetchOut& out = filter_.settle(in_);
  out_.hold = out.hold;
  out_.copy = out.copy;
  hold_ = active_ & (out.hold | blocked_.held_at_barrier());
  eligible_ = eligible & warps_.live() & active_ & ~blocked_.held_at_barrier();
}

// Warps whose instructions have come; of them the one that was fetched first is decoded in this tick.
void FilterUnit::find_group() {
  WarpMask due = fetch_.due() & active_ & ~present_ & warps_.live();
  for (; due != 0; due &= due - 1) {
    const unsigned w = lowest(due);
    // A line that comes from memory was missed before; the fetch was then seen in the tick behind it.
    if ((fetch_.arrived() & warp_bit(w)) == 0) {
      fetched_[w] = clock_.tick() - 1;
      if (!fetch_.present(w)) continue;
    }
    present_ |= warp_bit(w);
  }
  present_ &= warps_.live() & fetch_.out();
  DecodeGroup& group = in_.decode;
  group = {};
  if (present_ == 0) return;
  unsigned first = lowest(present_);
  for (WarpMask left = present_; left != 0; left &= left - 1) {
    if (fetched_[lowest(left)] < fetched_[first]) first = lowest(left);
  }
  const WarpState& warp = warps_[first];
  const isa::Program& program = *warp.program;
  const unsigned slots = pools_[warp.tb].slots;
  group.valid = true;
  group.warp = static_cast<std::uint8_t>(first);
  group.pc = warp.code_base + std::uint64_t{8} * warp.pc;
  bool ends = false;
  while (group.count < fetch_.fetching(first) && !ends) {
    const std::uint32_t pc = warp.pc + group.count;
    const Decoded& decoded = warp.decoded[pc];
    DecodeSlot& slot = group.slot[group.count++];
    ends = this->ends(warp, pc);
    const bool renamed = decoded.dst_count != 0 && decoded.dst_count <= 2 && decoded.dst + decoded.dst_count <= slots;
    if (!renamed || program.marks[pc] == 0) continue;
    slot.mark = program.marks[pc];
    slot.ndst = decoded.dst_count;
    for (unsigned i = 0; i < slot.ndst; ++i) slot.dst[i] = static_cast<std::uint8_t>(decoded.dst + i);
    slot.load_kind = load_kind(warp.records[pc]);
  }
}

// Barriers too end what is decoded for a warp of an active TB.
bool FilterUnit::ends(const WarpState& warp, std::uint32_t pc) const {
  const Record& record = warp.records[pc];
  const bool barrier = record.kind == Kind::kBarrier && record.barrier.kind != isa::BarrierKind::kWarp;
  return barrier || (warp.decoded[pc].flags & kEndsDecode) != 0 || pc + 1 == warp.meeting;
}

IssueSlot FilterUnit::slot_of(unsigned w, std::uint32_t pc) const {
  const WarpState& warp = warps_[w];
  const Decoded& decoded = warp.decoded[pc];
  const Verdict& verdict = verdicts_[w][pc % kMaxBuffered];
  const unsigned slots = pools_[warp.tb].slots;
  IssueSlot slot;
  slot.warp = static_cast<std::uint8_t>(w);
  slot.lead = verdict.lead;
  std::copy(std::begin(verdict.tag), std::end(verdict.tag), std::begin(slot.tag));
  for (unsigned i = 0; i < decoded.dst_count && decoded.dst + i < slots; ++i) {
    CASTOR_ASSERT_AT(clock_.now(), slot.ndst < 2, "an instruction writes more than two registers that can be renamed");
    slot.dst[slot.ndst++] = static_cast<std::uint8_t>(decoded.dst + i);
  }
  for (unsigned i = 0; i < decoded.source_count; ++i) {
    if (decoded.sources[i] >= slots) continue;
    CASTOR_ASSERT_AT(clock_.now(), slot.nsrc < kMaxOperands,
                     "an instruction reads more than %u registers that can be renamed", kMaxOperands);
    slot.src[slot.nsrc++] = decoded.sources[i];
  }
  return slot;
}

// What was picked, and behind all picks what may issue as the second of a pair.
void FilterUnit::find_candidates(const Picks& picks) {
  for (unsigned which = 0; which < machine_.issue.per_warp; ++which) {
    for (unsigned s = 0; s < machine_.schedulers; ++s) {
      for (unsigned j = 0; j < machine_.issue.warps; ++j) {
        if (picks[s][j] < 0) continue;
        const unsigned w = static_cast<std::uint8_t>(picks[s][j]);
        if ((active_ & warp_bit(w)) == 0) continue;
        if (which == 1 && (buffer_.size(w) < 2 || buffer_.pool(w) >= UnitPool::kControl)) continue;
        candidates_[w][which].pc = warps_[w].pc + which;
        slot_which_[slot_count_] = static_cast<std::uint8_t>(which);
        slots_[slot_count_++] = slot_of(w, warps_[w].pc + which);
      }
    }
  }
}

void FilterUnit::settle(const Picks& picks, const Maybe<TbStartEvent>& started) {
  FetchIn& in = in_;
  in.eligible = eligible_;
  for (WarpMask left = in.eligible; left != 0; left &= left - 1) show_pc(lowest(left));
  in.pc = pc_of_.data();
  find_group();
  find_candidates(picks);
  in.issued = {slots_.data(), slot_count_};
  in.written = rows_.written();
  in.retire = retired_;
  in.start = started;
  const FetchOut* out = &filter_.settle(in);
  CASTOR_ASSERT_AT(clock_.now(), out->hold == out_.hold && out->copy.has_value() == out_.copy.has_value(),
                   "fetch_filter of SM %u changes hold or copy after settle", sm_);
  for (unsigned i = 0; i < slot_count_; ++i) {
    candidates_[slots_[i].warp][slot_which_[i]].rename = out->rename[i];
  }
  out_ = *out;
  skip(*out);
  for (unsigned n = 0; out->again; ++n) {
    CASTOR_ASSERT_AT(clock_.now(), n < 65536, "fetch_filter of SM %u never ends to ask again", sm_);
    out = &filter_.settle(in);
    skip(*out);
  }
  if (out_.copy) copy(*out_.copy);
}

// S7, done here: nobody looks at the PC of a warp with an empty buffer in between.
void FilterUnit::skip(const FetchOut& out) {
  const WarpMask skipped = out.skip | out.ghost;
  if (skipped == 0) return;
  CASTOR_ASSERT_AT(clock_.now(), (skipped & ~(eligible_ & hold_)) == 0,
                   "fetch_filter of SM %u skips warps that are not eligible and held", sm_);
  busy_ = true;
  for (WarpMask left = skipped; left != 0; left &= left - 1) {
    const unsigned w = lowest(left);
    if ((out.ghost & warp_bit(w)) != 0) compute_ghost(w);
    control_.advance(w);
    show_pc(w);
  }
}

// Executed for its values alone.
void FilterUnit::compute_ghost(unsigned w) {
  const WarpState& warp = warps_[w];
  const Record& record = warp.records[warp.pc];
  CASTOR_ASSERT_AT(clock_.now(), record.kind == Kind::kLane,
                   "fetch_filter of SM %u makes a ghost of more than arithmetic", sm_);
  (void)executor_.compute(w, record, warp.decoded[warp.pc], isa::guarded(record, warp.predicates, warp.active));
}

// S4: a row goes to the warp's own register if both banks are free in this tick.
void FilterUnit::copy(const CopyRequest& request) {
  busy_ = true;  // asks again if it is not served
  CASTOR_ASSERT_AT(clock_.now(), (active_ & warp_bit(request.warp)) != 0 && request.row < rows_.size(),
                   "fetch_filter of SM %u copies row %u for warp %u", sm_, request.row, request.warp);
  in_.copy_ack = rows_.copy(request.warp, request.slot, request.row, clock_.tick());
}

// --- S6 --------------------------------------------------------------------------------------------------------------

// Decodes the group under the filter's verdicts and returns the warps of TBs that the filter does not act on.
WarpMask FilterUnit::decode(WarpMask due) {
  const DecodeGroup& group = in_.decode;
  if (group.valid && (present_ & warp_bit(group.warp)) != 0) {
    const unsigned w = group.warp;
    const WarpState& warp = warps_[w];
    present_ &= ~warp_bit(w);
    unsigned taken = 0;
    for (; taken < group.count && out_.act[taken] != DecodeAct::kSquash; ++taken) {
      Verdict& verdict = verdicts_[w][(warp.pc + taken) % kMaxBuffered];
      verdict = {};
      if (out_.act[taken] != DecodeAct::kLead) continue;
      CASTOR_ASSERT_AT(clock_.now(), group.slot[taken].ndst != 0, "fetch_filter of SM %u elects what cannot be renamed",
                       sm_);
      verdict.lead = true;
      const Pool& pool = pools_[warp.tb];
      for (unsigned i = 0; i < group.slot[taken].ndst; ++i) {
        const unsigned tag = verdict.tag[i] = out_.tag[i];
        CASTOR_ASSERT_AT(clock_.now(), tag < pool.rows, "fetch_filter of SM %u elects for row %u of %u", sm_, tag,
                         pool.rows);
        CASTOR_ASSERT_AT(clock_.now(), !machine_.check.rows || rows_.read_until(pool.base + tag) <= clock_.tick(),
                         "fetch_filter of SM %u gives row %u away while it is read", sm_, tag);
      }
    }
    fetch_.deliver(w, taken, false);
  }
  fetch_.postpone(present_);
  return due & ~active_;
}

// --- Issue -----------------------------------------------------------------------------------------------------------

// True if the filter acts on the warp: the instruction has then issued.
bool FilterUnit::issue(unsigned scheduler, unsigned w, const Record& record, const Decoded& decoded, LaneMask mask) {
  if (active_tbs_ == 0) return false;
  if (mask != 0 && communicates(record)) global_op_ = true;
  if ((active_ & warp_bit(w)) == 0) return false;
  issue_renamed(scheduler, w, record, decoded, mask);
  return true;
}

void FilterUnit::issue_renamed(unsigned scheduler, unsigned w, const Record& record, const Decoded& decoded,
                               LaneMask mask) {
  const WarpState& warp = warps_[w];
  const std::uint32_t pc = warp.pc;
  const Tick tick = clock_.tick();
  buffer_.take(w);
  const auto& both = candidates_[w];
  const IssueRename& rename = both[0].pc == pc ? both[0].rename : both[1].rename;
  CASTOR_ASSERT_AT(clock_.now(), both[0].pc == pc || both[1].pc == pc, "warp %u issues what its filter has not seen",
                   w);
  const IssueSlot slot = slot_of(w, pc);
  issued_slots_[issued_count_++] = slot;
  if (mask != 0 && is_store(record)) stores_ |= TbMask{1} << warp.tb;

  // Values of rows go to the warp's own registers, which nobody reads while a row stands for them.
  std::int16_t rows[Decoded::kMaxSources];
  std::fill(std::begin(rows), std::end(rows), RowPool::kNone);
  for (unsigned i = 0, k = 0; i < decoded.source_count; ++i) {
    if (k == slot.nsrc || decoded.sources[i] != slot.src[k]) continue;
    const std::int16_t row = rows[i] = rename.src_row[k++];
    if (row == RowPool::kNone) continue;
    CASTOR_ASSERT_AT(clock_.now(), static_cast<unsigned>(row) < rows_.size(), "fetch_filter of SM %u renames to row %d",
                     sm_, row);
    rows_.load(w, decoded.sources[i], static_cast<unsigned>(row));
  }
  if (decoded.pool >= UnitPool::kControl) {
    note_control(w, record, mask);
    control_.execute(scheduler, w, record, mask);
    buffer_.update_head(w);
    return;
  }
  Pipelines::Path path;
  if (rename.reuse) {
    CASTOR_ASSERT_AT(clock_.now(), record.kind == Kind::kLane, "fetch_filter of SM %u reuses more than arithmetic",
                     sm_);
    path.last_operand = path.dispatch = tick;
  } else {
    path = pipelines_.reserve_rows(decoded, rows, w, scheduler, tick);
  }
  rows_.read(w, decoded, rows, path.last_operand, tick);
  const bool lead = slot.lead && (mask != 0 || record.kind == Kind::kLane);
  if (lead) {
    for (unsigned i = 0; i < slot.ndst; ++i) {
      rows_.lead(w, slot.dst[i], pools_[warp.tb].base + slot.tag[i]);
    }
  }
  if (decoded.pool <= UnitPool::kShared) {
    executor_.access(path, w, record, decoded, mask);
  } else if (mask == 0 || executor_.compute(w, record, decoded, mask)) {
    const Tick earliest = rename.reuse ? tick + 1 : path.dispatch + decoded.latency;
    if (lead) {
      rows_.expect(w, decoded, pools_[warp.tb].base, tick, earliest, nullptr);
      rows_.store(w, decoded);
    } else {
      scoreboard_.expect_writes(w, decoded, tick, earliest, nullptr);
    }
    control_.advance(w);
  }
  buffer_.update_head(w);
}

// Control transfers and barriers as the filter has to know them.
void FilterUnit::note_control(unsigned w, const Record& record, LaneMask mask) {
  const WarpState& warp = warps_[w];
  const bool conditional = record.guard != isa::kNoGuard;
  const bool kernel_end = record.kind == Kind::kExit || (record.kind == Kind::kReturn && warps_[w].stack.depth() == 0);
  switch (record.kind) {
    case Kind::kBranch:
    case Kind::kCall:
    case Kind::kExit:
    case Kind::kReturn:
      if ((record.kind == Kind::kReturn && !kernel_end) || (mask != 0 && mask != warp.active)) {
        leave_ |= warp_bit(w);
      } else if (conditional && !(kernel_end && mask != 0)) {
        branch_ |= warp_bit(w);
        if (mask != 0) taken_ |= warp_bit(w);
      }
      break;
    case Kind::kBranchIndirect:
    case Kind::kCallIndirect:
      leave_ |= warp_bit(w);
      break;
    case Kind::kBarrier: {
      if (record.barrier.kind == isa::BarrierKind::kWarp || mask == 0) break;
      const auto arrival = barrier_arrival(record, warps_.view(w), mask, warp.warp_in_tb);
      const unsigned whole = tbs_[warp.tb].warp_count * 32 * (warps_.lanes() / 32);
      const bool full = record.barrier.kind != isa::BarrierKind::kArrive && arrival.barrier < 16 &&
                        (arrival.threads ? *arrival.threads == whole : arrival.barrier == 0);
      if (full) {
        pools_[warp.tb].full_barriers |= static_cast<std::uint16_t>(1U << arrival.barrier);
      } else {
        leave_ |= warp_bit(w);
      }
      break;
    }
    default:
      break;
  }
}

void FilterUnit::barrier_met(unsigned context, unsigned barrier) {
  Pool& pool = pools_[context];
  if ((active_tbs_ >> context & 1) == 0 || (pool.full_barriers >> barrier & 1) == 0) return;
  pool.full_barriers &= static_cast<std::uint16_t>(~(1U << barrier));
  barriers_ |= TbMask{1} << context;
}

// --- Results in rows -------------------------------------------------------------------------------------------------

bool FilterUnit::expect_load(unsigned w, const Decoded& decoded, Tick earliest, MemoryOperation& operation) {
  if (!rows_.leads(w, decoded)) return false;
  rows_.expect(w, decoded, pools_[warps_[w].tb].base, clock_.tick(), earliest, &operation);
  return true;
}

void FilterUnit::take(const SmEvent& event) {
  if (event.kind == SmEvent::Kind::kRowWritten) {
    rows_.tell(event);
  } else {
    rows_.ready(event, clock_.tick(), buffer_.head(event.warp));
  }
}

// --- S9 --------------------------------------------------------------------------------------------------------------

void FilterUnit::clock(View<WarpExit> exits, WarpMask in_flight, const Maybe<TbStartEvent>& started,
                       const Maybe<TbStartEvent>& late) {
  FetchIn& in = in_;
  in.issued = {issued_slots_.data(), issued_count_};
  in.written = rows_.written();
  in.stores = stores_;
  in.global_op = global_op_;
  in.branch = branch_;
  in.taken = taken_;
  in.leave = leave_;
  in.barrier = barriers_;
  for (TbMask left = barriers_; left != 0; left &= left - 1) in.barrier_join |= joins(tbs_[lowest(left)]);
  for (const WarpExit& exit : exits) leaving_ |= warp_bit(exit.warp);
  // An exit comes behind the start, also of a warp that is stopped at once.
  const WarpMask starts = (started ? started->warps : 0) | (late ? late->warps : 0);
  const WarpMask out = leaving_ & ~in_flight;
  in.exit = out & ~starts;
  leaving_ &= ~in.exit;
  in.oc_idle = ~WarpMask{0};
  for (WarpMask left = active_; left != 0; left &= left - 1) {
    if (rows_.reading(lowest(left), clock_.tick())) in.oc_idle &= ~(left & (~left + 1));
  }
  filter_.clock(in);
  if (retires_ || in.exit != out) busy_ = true;
}

// Warps that can be in the majority behind a barrier of the whole TB: full ones with all lanes together, at the PC of
// the lowest of them.
WarpMask FilterUnit::joins(const TbState& tb) const {
  WarpMask result = 0;
  std::uint32_t pc = 0;
  for (WarpMask left = tb.live; left != 0; left &= left - 1) {
    const unsigned w = lowest(left);
    const isa::SimtStack& stack = warps_[w].stack;
    if (stack.entries().size() != 1 || stack.live() != warps_.all_lanes()) continue;
    if (result == 0) pc = warps_[w].pc;
    if (warps_[w].pc == pc) result |= warp_bit(w);
  }
  return result;
}

}  // namespace castor::gpu
