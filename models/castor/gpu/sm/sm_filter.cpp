// The FetchFilter's side of an SM (docs/gpu.md, "FetchFilter").

#include "castor/gpu/sm/sm_filter.h"

#include <algorithm>
#include <cstring>

#include "castor/base/error.h"
#include "castor/gpu/execution/barrier_arrival.h"
#include "castor/gpu/execution/lane_access.h"
#include "castor/gpu/sm/warp_mask.h"

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
bool stores(const Record& record) {
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

// --- Thread blocks ---------------------------------------------------------------------------------------------------

// A TB gets an equal part of the rows that its kernel leaves free, if it has marks and that is enough.
void Sm::filter_start(const TbState& tb, unsigned context, TbStartEvent& event) {
  Filter& filter = *filter_;
  const KernelContext& kernel = *tb.kernel;
  const isa::Program& program = *kernel.program;
  for (WarpMask left = tb.warps; left != 0; left &= left - 1) {
    filter.verdicts[lowest(left)].fill({});
    filter.lead_row[lowest(left)].fill(Filter::kNoRow);
    filter.reads_until[lowest(left)] = 0;
  }
  filter.active &= ~tb.warps;
  filter.active_tbs &= ~(TbMask{1} << context);
  Filter::Pool& pool = filter.pools[context];
  pool = {};
  const Dim3& block = kernel.block;
  const bool power = block.x <= 32 && (block.x & (block.x - 1)) == 0;
  event.promote = std::uint64_t{block.y} * block.z > 1 && power;
  if (program.marks.empty() || tb.warp_count < 2 || kernel.fit == 0) return;
  const unsigned own = kernel.need.reg_units * machine_.sm.reg_alloc_unit / warps_.lanes();
  if (std::uint64_t{kernel.fit} * own >= filter.rows) return;
  const unsigned rows = std::min(Filter::kMaxRows, (filter.rows - kernel.fit * own) / kernel.fit);
  if (rows < Filter::kLeastRows) return;
  const std::int16_t base = filter.take_rows(rows);
  if (base == Filter::kNoRow) return;
  pool.base = static_cast<std::uint16_t>(base);
  pool.rows = static_cast<std::uint16_t>(rows);
  pool.slots = static_cast<std::uint16_t>(std::min(program.renamed_registers, std::uint32_t{Filter::kMaxSlots}));
  event.enable = true;
  event.base = pool.base;
  event.rows = pool.rows;
  event.slots = pool.slots;
  filter.active |= tb.warps;
  filter.active_tbs |= TbMask{1} << context;
}

void Sm::filter_stop(const TbState& tb) {
  filter_->leaving |= tb.live;
  filter_->present &= ~tb.warps;
}

void Sm::filter_retire(unsigned context) {
  Filter& filter = *filter_;
  filter.retires = static_cast<std::uint8_t>(context);
  if ((filter.active_tbs >> context & 1) == 0) return;
  filter.free_rows(filter.pools[context]);
  filter.active_tbs &= ~(TbMask{1} << context);
  filter.active &= ~tbs_[context].warps;
}

// --- S0, S5: what the filter is told and says ------------------------------------------------------------------------

// A warp of an active TB that waits at a barrier is not fetched before the barrier is complete.
void Sm::filter_early(WarpMask eligible) {
  Filter& filter = *filter_;
  filter.written.clear();
  filter.stores = filter.barriers = 0;
  filter.global_op = false;
  filter.branch = filter.taken = filter.leave = 0;
  filter.slot_count = filter.issued_count = 0;
  filter.retired = std::exchange(filter.retires, std::nullopt);
  filter.fetch = {};
  filter.fetch.now = clock_.now();
  const FetchOut& out = fetch_filter_->settle(filter.fetch);
  filter.out.hold = out.hold;
  filter.out.copy = out.copy;
  filter.hold = filter.active & (out.hold | blocked_.held_at_barrier());
  filter.eligible = eligible & warps_.live() & filter.active & ~blocked_.held_at_barrier();
}

// Warps whose instructions have come; of them the one that was fetched first is decoded in this tick.
void Sm::filter_group() {
  Filter& filter = *filter_;
  WarpMask due = fetch_.due() & filter.active & ~filter.present & warps_.live();
  for (; due != 0; due &= due - 1) {
    const unsigned w = lowest(due);
    // A line that comes from memory was missed before; the fetch was then seen in the tick behind it.
    if ((fetch_.arrived() & warp_bit(w)) == 0) {
      filter.fetched[w] = clock_.tick() - 1;
      if (!fetch_.present(w)) continue;
    }
    filter.present |= warp_bit(w);
  }
  filter.present &= warps_.live() & fetch_.out();
  DecodeGroup& group = filter.fetch.decode;
  group = {};
  if (filter.present == 0) return;
  unsigned first = lowest(filter.present);
  for (WarpMask left = filter.present; left != 0; left &= left - 1) {
    if (filter.fetched[lowest(left)] < filter.fetched[first]) first = lowest(left);
  }
  const WarpState& warp = warps_[first];
  const TbState& tb = tbs_[warp.tb];
  const isa::Program& program = *tb.kernel->program;
  const unsigned slots = filter.pools[warp.tb].slots;
  group.valid = true;
  group.warp = static_cast<std::uint8_t>(first);
  group.pc = warp.code_base + std::uint64_t{8} * warp.pc;
  bool ends = false;
  while (group.count < fetch_.fetching(first) && !ends) {
    const std::uint32_t pc = warp.pc + group.count;
    const Decoded& decoded = warp.decoded[pc];
    DecodeSlot& slot = group.slot[group.count++];
    ends = ends_filtered(warp, pc);
    const bool renamed = decoded.dst_count != 0 && decoded.dst_count <= 2 && decoded.dst + decoded.dst_count <= slots;
    if (!renamed || program.marks[pc] == 0) continue;
    slot.mark = program.marks[pc];
    slot.ndst = decoded.dst_count;
    for (unsigned i = 0; i < slot.ndst; ++i) slot.dst[i] = static_cast<std::uint8_t>(decoded.dst + i);
    slot.load_kind = load_kind(warp.records[pc]);
  }
}

// Barriers too end what is decoded for a warp of an active TB.
bool Sm::ends_filtered(const WarpState& warp, std::uint32_t pc) const {
  const Record& record = warp.records[pc];
  const bool barrier = record.kind == Kind::kBarrier && record.barrier.kind != isa::BarrierKind::kWarp;
  return barrier || (warp.decoded[pc].flags & kEndsDecode) != 0 || pc + 1 == warp.meeting;
}

IssueSlot Sm::filter_slot(unsigned w, std::uint32_t pc) const {
  const WarpState& warp = warps_[w];
  const Decoded& decoded = warp.decoded[pc];
  const Filter::Verdict& verdict = filter_->verdicts[w][pc % Filter::kMaxBuffered];
  const unsigned slots = filter_->pools[warp.tb].slots;
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
void Sm::filter_candidates() {
  Filter& filter = *filter_;
  for (unsigned which = 0; which < machine_.issue.per_warp; ++which) {
    for (unsigned s = 0; s < schedulers_; ++s) {
      for (unsigned j = 0; j < machine_.issue.warps; ++j) {
        if (issue_.picks()[s][j] < 0) continue;
        const unsigned w = static_cast<std::uint8_t>(issue_.picks()[s][j]);
        if ((filter.active & warp_bit(w)) == 0) continue;
        if (which == 1 && (buffer_.size(w) < 2 || buffer_.pool(w) >= UnitPool::kControl)) continue;
        filter.candidates[w][which].pc = warps_[w].pc + which;
        filter.slot_which[filter.slot_count] = static_cast<std::uint8_t>(which);
        filter.slots[filter.slot_count++] = filter_slot(w, warps_[w].pc + which);
      }
    }
  }
}

void Sm::settle_filter() {
  Filter& filter = *filter_;
  FetchIn& in = filter.fetch;
  in.eligible = filter.eligible;
  for (WarpMask left = in.eligible; left != 0; left &= left - 1) show_pc(lowest(left));
  in.pc = filter.pc_of.data();
  filter_group();
  filter_candidates();
  in.issued = {filter.slots.data(), filter.slot_count};
  in.written = {filter.written.data(), filter.written.size()};
  in.retire = filter.retired;
  in.start = hooks_.start();
  const FetchOut* out = &fetch_filter_->settle(in);
  CASTOR_ASSERT_AT(clock_.now(), out->hold == filter.out.hold && out->copy.has_value() == filter.out.copy.has_value(),
                   "fetch_filter of SM %u changes hold or copy after settle", index());
  for (unsigned i = 0; i < filter.slot_count; ++i) {
    filter.candidates[filter.slots[i].warp][filter.slot_which[i]].rename = out->rename[i];
  }
  filter.out = *out;
  skip(*out);
  for (unsigned n = 0; out->again; ++n) {
    CASTOR_ASSERT_AT(clock_.now(), n < 65536, "fetch_filter of SM %u never ends to ask again", index());
    out = &fetch_filter_->settle(in);
    skip(*out);
  }
  if (filter.out.copy) copy_row(*filter.out.copy);
}

void Sm::show_pc(unsigned w) {
  const WarpState& warp = warps_[w];
  filter_->pc_of[w] = tbs_[warp.tb].kernel->code_base + std::uint64_t{8} * warp.pc;
}

// S7, done here: nobody looks at the PC of a warp with an empty buffer in between.
void Sm::skip(const FetchOut& out) {
  const WarpMask skipped = out.skip | out.ghost;
  if (skipped == 0) return;
  Filter& filter = *filter_;
  CASTOR_ASSERT_AT(clock_.now(), (skipped & ~(filter.eligible & filter.hold)) == 0,
                   "fetch_filter of SM %u skips warps that are not eligible and held", index());
  busy_ = true;
  for (WarpMask left = skipped; left != 0; left &= left - 1) {
    const unsigned w = lowest(left);
    if ((out.ghost & warp_bit(w)) != 0) execute_ghost(w);
    control_.advance(w);
    show_pc(w);
  }
}

// Executed for its values alone.
void Sm::execute_ghost(unsigned w) {
  const WarpState& warp = warps_[w];
  const Record& record = warp.records[warp.pc];
  CASTOR_ASSERT_AT(clock_.now(), record.kind == Kind::kLane,
                   "fetch_filter of SM %u makes a ghost of more than arithmetic", index());
  (void)executor_.compute(w, record, warp.decoded[warp.pc], isa::guarded(record, warp.predicates, warp.active));
}

// S4: a row goes to the warp's own register if both banks are free in this tick.
void Sm::copy_row(const CopyRequest& request) {
  Filter& filter = *filter_;
  busy_ = true;  // asks again if it is not served
  CASTOR_ASSERT_AT(clock_.now(), (filter.active & warp_bit(request.warp)) != 0 && request.row < filter.rows,
                   "fetch_filter of SM %u copies row %u for warp %u", index(), request.row, request.warp);
  if (scoreboard_.pending(request.warp, request.slot)) return;
  if (filter.reads_until[request.warp] > clock_.tick()) return;
  if (!pipelines_.copy(request.row, request.slot, request.warp, clock_.tick())) return;
  std::memcpy(warps_.view(request.warp).dst(request.slot), filter.value(request.row), filter.row_bytes);
  filter_->fetch.copy_ack = true;
}

// --- S6 --------------------------------------------------------------------------------------------------------------

// Decodes the group under the filter's verdicts and returns the warps of TBs that the filter does not act on.
WarpMask Sm::filter_decode(WarpMask due) {
  Filter& filter = *filter_;
  const DecodeGroup& group = filter_->fetch.decode;
  if (group.valid && (filter.present & warp_bit(group.warp)) != 0) {
    const unsigned w = group.warp;
    const WarpState& warp = warps_[w];
    filter.present &= ~warp_bit(w);
    unsigned taken = 0;
    for (; taken < group.count && filter.out.act[taken] != DecodeAct::kSquash; ++taken) {
      Filter::Verdict& verdict = filter.verdicts[w][(warp.pc + taken) % Filter::kMaxBuffered];
      verdict = {};
      if (filter.out.act[taken] != DecodeAct::kLead) continue;
      CASTOR_ASSERT_AT(clock_.now(), group.slot[taken].ndst != 0, "fetch_filter of SM %u elects what cannot be renamed",
                       index());
      verdict.lead = true;
      const Filter::Pool& pool = filter.pools[warp.tb];
      for (unsigned i = 0; i < group.slot[taken].ndst; ++i) {
        const unsigned tag = verdict.tag[i] = filter.out.tag[i];
        CASTOR_ASSERT_AT(clock_.now(), tag < pool.rows, "fetch_filter of SM %u elects for row %u of %u", index(), tag,
                         pool.rows);
        CASTOR_ASSERT_AT(clock_.now(), !machine_.check.rows || filter.read_until[pool.base + tag] <= clock_.tick(),
                         "fetch_filter of SM %u gives row %u away while it is read", index(), tag);
      }
    }
    fetch_.deliver(w, taken, false);
  }
  fetch_.postpone(filter.present);
  return due & ~filter.active;
}

// --- Issue -----------------------------------------------------------------------------------------------------------

// True if the filter acts on the warp: the instruction has then issued.
bool Sm::filter_issues(unsigned scheduler, unsigned w, const Record& record, const Decoded& decoded, LaneMask mask) {
  Filter& filter = *filter_;
  if (filter.active_tbs == 0) return false;
  if (mask != 0 && communicates(record)) filter.global_op = true;
  if ((filter.active & warp_bit(w)) == 0) return false;
  issue_filtered(scheduler, w, record, decoded, mask);
  return true;
}

void Sm::issue_filtered(unsigned scheduler, unsigned w, const Record& record, const Decoded& decoded, LaneMask mask) {
  Filter& filter = *filter_;
  const WarpState& warp = warps_[w];
  const std::uint32_t pc = warp.pc;
  const TbMask tb = TbMask{1} << warp.tb;
  buffer_.take(w);
  const auto& both = filter.candidates[w];
  const IssueRename& rename = both[0].pc == pc ? both[0].rename : both[1].rename;
  CASTOR_ASSERT_AT(clock_.now(), both[0].pc == pc || both[1].pc == pc, "warp %u issues what its filter has not seen",
                   w);
  const IssueSlot slot = filter_slot(w, pc);
  filter.issued_slots[filter.issued_count++] = slot;
  if (mask != 0 && stores(record)) filter.stores |= tb;

  // Values of rows go to the warp's own registers, which nobody reads while a row stands for them.
  std::int16_t rows[Decoded::kMaxSources];
  std::fill(std::begin(rows), std::end(rows), Filter::kNoRow);
  for (unsigned i = 0, k = 0; i < decoded.source_count; ++i) {
    if (k == slot.nsrc || decoded.sources[i] != slot.src[k]) continue;
    const std::int16_t row = rows[i] = rename.src_row[k++];
    if (row == Filter::kNoRow) continue;
    CASTOR_ASSERT_AT(clock_.now(), static_cast<unsigned>(row) < filter.rows, "fetch_filter of SM %u renames to row %d",
                     index(), row);
    std::memcpy(warps_.view(w).dst(decoded.sources[i]), filter.value(static_cast<unsigned>(row)), filter.row_bytes);
  }
  if (decoded.pool >= UnitPool::kControl) {
    filter_control(w, record, mask);
    control_.execute(scheduler, w, record, mask);
    buffer_.update_head(w);
    return;
  }
  Pipelines::Path path;
  if (rename.reuse) {
    CASTOR_ASSERT_AT(clock_.now(), record.kind == Kind::kLane, "fetch_filter of SM %u reuses more than arithmetic",
                     index());
    path.last_operand = path.dispatch = clock_.tick();
  } else {
    path = pipelines_.reserve_rows(decoded, rows, w, scheduler, clock_.tick());
  }
  for (unsigned i = 0; i < decoded.source_count; ++i) {
    if (rows[i] == Filter::kNoRow) continue;
    Tick& until = filter.read_until[static_cast<unsigned>(rows[i])];
    until = std::max(until, path.last_operand);
  }
  if (path.last_operand > clock_.tick() && path.last_operand > filter.reads_until[w]) {
    filter.reads_until[w] = path.last_operand;
    SmEvent event;  // the SM is awake when the filter has to be told
    event.kind = SmEvent::Kind::kFetchable;
    wheel_.add(clock_.tick(), path.last_operand, event);
  }
  const bool lead = slot.lead && (mask != 0 || record.kind == Kind::kLane);
  if (lead) {
    for (unsigned i = 0; i < slot.ndst; ++i) {
      filter.lead_row[w][slot.dst[i]] = static_cast<std::int16_t>(filter.pools[warp.tb].base + slot.tag[i]);
    }
  }
  if (decoded.pool <= UnitPool::kShared) {
    executor_.access(path, w, record, decoded, mask);
  } else if (mask == 0 || executor_.compute(w, record, decoded, mask)) {
    const Tick earliest = rename.reuse ? clock_.tick() + 1 : path.dispatch + decoded.latency;
    if (lead) {
      expect_rows(w, decoded, earliest, nullptr);
      store_rows(w, decoded);
    } else {
      scoreboard_.expect_writes(w, decoded, clock_.tick(), earliest, nullptr);
    }
    control_.advance(w);
  }
  buffer_.update_head(w);
}

// Control transfers and barriers as the filter has to know them.
void Sm::filter_control(unsigned w, const Record& record, LaneMask mask) {
  Filter& filter = *filter_;
  const WarpState& warp = warps_[w];
  const bool conditional = record.guard != isa::kNoGuard;
  const bool kernel_end = record.kind == Kind::kExit || (record.kind == Kind::kReturn && warps_[w].stack.depth() == 0);
  switch (record.kind) {
    case Kind::kBranch:
    case Kind::kCall:
    case Kind::kExit:
    case Kind::kReturn:
      if ((record.kind == Kind::kReturn && !kernel_end) || (mask != 0 && mask != warp.active)) {
        filter.leave |= warp_bit(w);
      } else if (conditional && !(kernel_end && mask != 0)) {
        filter.branch |= warp_bit(w);
        if (mask != 0) filter.taken |= warp_bit(w);
      }
      break;
    case Kind::kBranchIndirect:
    case Kind::kCallIndirect:
      filter.leave |= warp_bit(w);
      break;
    case Kind::kBarrier: {
      if (record.barrier.kind == isa::BarrierKind::kWarp || mask == 0) break;
      const auto arrival = barrier_arrival(record, warps_.view(w), mask, warp.warp_in_tb);
      const unsigned whole = tbs_[warp.tb].warp_count * 32 * (warps_.lanes() / 32);
      const bool full = record.barrier.kind != isa::BarrierKind::kArrive && arrival.barrier < 16 &&
                        (arrival.threads ? *arrival.threads == whole : arrival.barrier == 0);
      if (full) {
        filter.pools[warp.tb].full_barriers |= static_cast<std::uint16_t>(1U << arrival.barrier);
      } else {
        filter.leave |= warp_bit(w);
      }
      break;
    }
    default:
      break;
  }
}

void Sm::filter_barrier(unsigned context, unsigned barrier) {
  Filter::Pool& pool = filter_->pools[context];
  if ((filter_->active_tbs >> context & 1) == 0 || (pool.full_barriers >> barrier & 1) == 0) return;
  pool.full_barriers &= static_cast<std::uint16_t>(~(1U << barrier));
  filter_->barriers |= TbMask{1} << context;
}

// Reserves writes of an instruction's results to rows of the pool; data of a load come with the first.
void Sm::expect_rows(unsigned w, const Decoded& decoded, Tick earliest, MemoryOperation* operation) {
  Filter& filter = *filter_;
  const WarpState& warp = warps_[w];
  const unsigned base = filter.pools[warp.tb].base;
  Tick slots[2] = {kForever, kForever};
  for (unsigned i = 0; i < decoded.dst_count; ++i) {
    const unsigned reg = decoded.dst + i;
    const auto row = static_cast<unsigned>(filter.lead_row[w][reg]);
    slots[i] = pipelines_.reserve_row_write(row, earliest);
    scoreboard_.expect(w, reg);
    SmEvent told;
    told.kind = SmEvent::Kind::kRowWritten;
    told.warp = warp.tb;
    told.first = static_cast<std::uint8_t>(row - base);
    if (slots[i] == clock_.tick()) {
      take_row_event(told);
    } else {
      wheel_.add(clock_.tick(), slots[i], told);
    }
  }
  // Registers that are written in the same tick share an event; a load's data come with the first.
  const Tick first = std::min(slots[0], slots[1]);
  for (const Tick slot : {first, std::max(slots[0], slots[1])}) {
    if (slot == kForever) break;
    SmEvent event;
    event.kind = SmEvent::Kind::kRowReady;
    event.warp = static_cast<std::uint8_t>(w);
    event.first = decoded.dst;
    event.registers = static_cast<std::uint16_t>((slots[0] == slot ? 1 : 0) | (slots[1] == slot ? 2 : 0));
    event.operation = slot == first ? operation : nullptr;
    wheel_.add(clock_.tick(), slot + 1, event);
    if (slots[0] == slots[1]) break;
  }
}

// What an instruction has left in the warp's own registers goes to its rows.
void Sm::store_rows(unsigned w, const Decoded& decoded) {
  for (unsigned i = 0; i < decoded.dst_count; ++i) {
    const auto row = static_cast<unsigned>(filter_->lead_row[w][decoded.dst + i]);
    std::memcpy(filter_->value(row), warps_.view(w).dst(static_cast<isa::OperandIndex>(decoded.dst + i)),
                filter_->row_bytes);
  }
}

void Sm::take_row_event(const SmEvent& event) {
  Filter& filter = *filter_;
  if (event.kind == SmEvent::Kind::kRowWritten) {
    filter.written.push_back({event.warp, event.first});
    return;
  }
  const unsigned w = event.warp;
  const WarpState& warp = warps_[w];
  if (event.operation != nullptr) {
    const std::uint32_t pc = SmMemory::instruction(*event.operation).pc;
    memory_side_.complete(*event.operation, warps_.view(w));
    store_rows(w, warp.decoded[pc]);
    scoreboard_.load_done(w);
  }
  for (unsigned left = event.registers; left != 0; left &= left - 1) {
    const unsigned reg = event.first + lowest(left);
    const std::int16_t row = std::exchange(filter.lead_row[w][reg], Filter::kNoRow);
    pipelines_.row_written(static_cast<unsigned>(row), clock_.tick() - 1);
    scoreboard_.forget(w, reg);
  }
  scoreboard_.changed(w, buffer_.head(w));
}

bool Sm::leads(unsigned w, const Decoded& decoded) const {
  return decoded.dst_count != 0 && filter_->lead_row[w][decoded.dst] != Filter::kNoRow;
}

// --- S9 --------------------------------------------------------------------------------------------------------------

void Sm::clock_filter() {
  Filter& filter = *filter_;
  FetchIn& in = filter.fetch;
  in.issued = {filter.issued_slots.data(), filter.issued_count};
  in.written = {filter.written.data(), filter.written.size()};
  in.stores = filter.stores;
  in.global_op = filter.global_op;
  in.branch = filter.branch;
  in.taken = filter.taken;
  in.leave = filter.leave;
  in.barrier = filter.barriers;
  for (TbMask left = filter.barriers; left != 0; left &= left - 1) in.barrier_join |= joins(tbs_[lowest(left)]);
  for (const WarpExit& exit : barriers_.exits()) filter.leaving |= warp_bit(exit.warp);
  // An exit comes behind the start, also of a warp that is stopped at once.
  WarpMask started = hooks_.start() ? hooks_.start()->warps : 0;
  if (hooks_.late_start()) started |= hooks_.late_start()->warps;
  const WarpMask out = filter.leaving & ~scoreboard_.in_flight();
  in.exit = out & ~started;
  filter.leaving &= ~in.exit;
  in.oc_idle = ~WarpMask{0};
  for (WarpMask left = filter.active; left != 0; left &= left - 1) {
    if (filter.reads_until[lowest(left)] > clock_.tick()) in.oc_idle &= ~(left & (~left + 1));
  }
  fetch_filter_->clock(in);
  if (filter.retires || in.exit != out) busy_ = true;
}

// Warps that can be in the majority behind a barrier of the whole TB: full ones with all lanes together, at the PC of
// the lowest of them.
WarpMask Sm::joins(const TbState& tb) const {
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
