#include "castor/gpu/sm/filter_unit.h"

#include <algorithm>

#include "castor/base/error.h"
#include "castor/gpu/hook_check.h"

namespace castor::gpu {

using isa::Kind;
using isa::Record;

FilterUnit::FilterUnit(const Machine& machine, unsigned sm, FetchFilter& filter, const SmClock& clock, WarpTable& warps,
                       const ThreadBlocks& tbs, InstructionBuffer& buffer, FetchStage& fetch,
                       const BlockedWarps& blocked, Scoreboard& scoreboard, Pipelines& pipelines, EventWheel& wheel,
                       SmMemory& memory, ControlUnit& control, Executor& executor, FaultPort& faults, SpinWatch& watch,
                       base::StatisticGroup& statistics, const FilterTerms& terms)
    : sm_(sm),
      filter_(filter),
      terms_(terms),
      clock_(clock),
      warps_(warps),
      buffer_(buffer),
      blocked_(blocked),
      scoreboard_(scoreboard),
      pipelines_(pipelines),
      control_(control),
      executor_(executor),
      watch_(watch),
      rows_(machine, warps, scoreboard, pipelines, wheel, memory,
            terms.real_rows || !terms.fetch ? 0 : kVirtualRows * machine.sm.tb_contexts),
      ghosts_(warps, scoreboard, executor, rows_),
      counters_(statistics, tbs, machine.table.entries),
      pools_(machine, terms_, tbs, rows_, counters_),
      decoder_(machine, sm, filter, terms_, clock, warps, fetch, rows_, pools_, counters_),
      slots_(machine, terms_, clock, warps, buffer, pools_, decoder_),
      events_(warps, tbs, pools_),
      check_(machine.check.skips && terms.fetch && terms.real_rows
                 ? std::make_unique<SkipCheck>(machine, sm, clock, warps, faults)
                 : nullptr) {}

// --- Thread blocks ---------------------------------------------------------------------------------------------------

void FilterUnit::start(const TbState& tb, unsigned context, TbStartEvent& event) {
  for (WarpMask left = tb.warps; left != 0; left &= left - 1) {
    decoder_.start(lowest(left));
    rows_.start(lowest(left));
    if (check_ != nullptr) check_->start(lowest(left));
  }
  if (check_ != nullptr) check_->start_tb(context);
  events_.start(context);
  pools_.start(tb, context, event);
}

void FilterUnit::stop(const TbState& tb) {
  events_.stop(tb.live);
  decoder_.stop(tb.warps);
  if (check_ != nullptr) check_->stop(tb.warps);
}

void FilterUnit::retired(unsigned context) {
  events_.retired(context);
  pools_.retired(context);
}

// --- S0, S5: what the filter is told and says ------------------------------------------------------------------------

// A warp of an active TB that waits at a barrier is not fetched before the barrier is complete. One that waits for a
// fence or acquire may be fetched, but skips nothing: its leader may have loaded before the fence was complete.
void FilterUnit::settle_early(WarpMask eligible) {
  busy_ = false;
  rows_.begin_tick();
  events_.begin_tick();
  slots_.begin_tick();
  in_ = {};
  in_.now = clock_.now();
  const FetchOut& out = filter_.settle(in_);
  out_.hold = out.hold;
  out_.copy = out.copy;
  hold_ = pools_.fetched() & (out.hold | blocked_.held_at_barrier());
  eligible_ = eligible & warps_.live() & pools_.fetched() &
              ~(blocked_.held_at_barrier() | blocked_.in_fence() | blocked_.in_call() | blocked_.in_runtime());
}

void FilterUnit::settle(const Picks& picks, const Maybe<TbStartEvent>& started) {
  FetchIn& in = in_;
  in.eligible = eligible_;
  for (WarpMask left = shown_pcs(); left != 0; left &= left - 1) show_pc(lowest(left));
  in.pc = pc_of_.data();
  in.decode = decoder_.find();
  slots_.find(picks, in);
  in.written = rows_.written();
  events_.tell_retired(in);
  in.start = started;
  const FetchOut* out = &filter_.settle(in);
  CASTOR_HOOK_CHECK(filter_, clock_.now(), out->hold == out_.hold && out->copy.has_value() == out_.copy.has_value(),
                    "fetch_filter of SM %u changes hold or copy after settle", sm_);
  slots_.take(*out);
  out_ = *out;
  bool moved = skip(*out);
  for (unsigned n = 0; out->again && moved; ++n) {
    CASTOR_HOOK_CHECK(filter_, clock_.now(), n < 65536, "fetch_filter of SM %u never ends to ask again", sm_);
    out = &filter_.settle(in);
    moved = skip(*out);
  }
  if (terms_.ideal) hold_ |= pools_.fetched() & out->wait;
  if (out_.copy) copy(*out_.copy);
}

// S7, done here: nobody looks at the PC of a warp with an empty buffer in between. True if a PC has moved, or a ghost
// was refused.
bool FilterUnit::skip(const FetchOut& out) {
  const WarpMask skipped = out.skip | out.ghost;
  if (skipped == 0) return false;
  CASTOR_HOOK_CHECK(filter_, clock_.now(), (skipped & ~(terms_.ideal ? eligible_ : eligible_ & hold_)) == 0,
                    "fetch_filter of SM %u skips warps that are not eligible and held", sm_);
  const WarpMask refused = in_.refused;
  bool moved = false;
  for (WarpMask left = skipped; left != 0; left &= left - 1) {
    const unsigned w = lowest(left);
    if ((out.ghost & warp_bit(w)) == 0) {
      take_over(w);
    } else if (!compute_ghost(w, out.ghost_loads)) {
      continue;
    }
    control_.advance(w);
    show_pc(w);
    moved = true;
  }
  busy_ |= moved;
  return moved || in_.refused != refused;
}

// A skipped instruction's results are those of its last leader, in rows. While the fixed-point watchdog looks at
// registers, the warp's own follow.
void FilterUnit::take_over(unsigned w) {
  const WarpState& warp = warps_[w];
  const Decoded& decoded = warp.decoded[warp.pc];
  const FilterPools::Pool& pool = pools_[warp.tb];
  const auto kind = static_cast<std::size_t>(decoded.instruction_class);
  counters_.add(warp.tb, [kind](FilterCounts& counts) { ++counts.skipped[kind]; });
  const std::array<std::int16_t, 2>& rows = pool.led[warp.pc];
  const bool led = decoded.dst_count <= 2 && decoded.dst_count != 0 && rows[decoded.dst_count - 1] != RowPool::kNone;
  if (check_ != nullptr) {
    const std::byte* values[2] = {};
    for (unsigned i = 0; led && i < decoded.dst_count; ++i) values[i] = rows_.value(static_cast<unsigned>(rows[i]));
    check_->skipped(w, led ? values : nullptr);
    counters_.add(warp.tb, [](FilterCounts& counts) { ++counts.checked_skips; });
  }
  if (!watch_.is_open()) return;
  for (unsigned i = 0; i < decoded.dst_count; ++i) {
    // An older write that is still to come would stand in the register for good.
    if (!led || scoreboard_.pending(w, decoded.dst + i)) {
      watch_.disturb();
      return;
    }
    rows_.load(w, decoded.dst + i, static_cast<unsigned>(rows[i]));
  }
}

// Executed for its values alone. False if the PC stays.
bool FilterUnit::compute_ghost(unsigned w, View<GhostLoad> loads) {
  const WarpState& warp = warps_[w];
  const std::uint32_t pc = warp.pc;
  const LaneMask mask = isa::guarded(warp.records[pc], warp.predicates, warp.active);
  const auto* const load =
      std::find_if(loads.begin(), loads.end(), [w](const GhostLoad& each) { return each.warp == w; });
  const GhostUnit::Answer answer = ghosts_.execute(w, load == loads.end() ? nullptr : load);
  if (answer == GhostUnit::Answer::kDone && check_ != nullptr) check_->issued(w, pc, warp.decoded[pc], mask, false);
  if (answer == GhostUnit::Answer::kRefused) in_.refused |= warp_bit(w);
  return answer == GhostUnit::Answer::kDone;
}

// S4: a row goes to the warp's own register if both banks are free in this tick.
void FilterUnit::copy(const CopyRequest& request) {
  busy_ = true;  // asks again if it is not served
  CASTOR_HOOK_CHECK(filter_, clock_.now(), (pools_.warps() & warp_bit(request.warp)) != 0 && request.row < rows_.size(),
                    "fetch_filter of SM %u copies row %u for warp %u", sm_, request.row, request.warp);
  in_.copy_ack = rows_.copy(request.warp, request.slot, request.row, clock_.tick());
  if (!in_.copy_ack) return;
  counters_.add(warps_[request.warp].tb, [](FilterCounts& counts) { ++counts.copies; });
  if (check_ != nullptr) check_->copied(request.warp, request.slot);
}

WarpMask FilterUnit::decode(WarpMask due) { return decoder_.decode(due, out_); }

// --- Issue -----------------------------------------------------------------------------------------------------------

// True if the filter acts on the warp: the instruction has then issued.
bool FilterUnit::issue(unsigned scheduler, unsigned w, const Record& record, const Decoded& decoded, LaneMask mask) {
  count_marked(w, decoded);
  if (pools_.tbs() == 0) return false;
  events_.issued(w, record, mask);
  if ((pools_.warps() & warp_bit(w)) == 0) return false;
  issue_renamed(scheduler, w, record, decoded, mask);
  return true;
}

// Marked instructions that issue, whether the filter acts on their warp or not.
void FilterUnit::count_marked(unsigned w, const Decoded& decoded) {
  const WarpState& warp = warps_[w];
  const std::vector<std::uint8_t>& marks = warp.program->marks;
  if (marks.empty() || marks[warp.pc] == 0 || (marks[warp.pc] == 1 && !pools_[warp.tb].promote)) return;
  const auto kind = static_cast<std::size_t>(decoded.instruction_class);
  const bool lead = (pools_.warps() & warp_bit(w)) != 0 && decoder_.verdict(w, warp.pc).lead;
  counters_.add(warp.tb, [kind, lead](FilterCounts& counts) { ++(lead ? counts.led : counts.executed)[kind]; });
}

void FilterUnit::issue_renamed(unsigned scheduler, unsigned w, const Record& record, const Decoded& decoded,
                               LaneMask mask) {
  const WarpState& warp = warps_[w];
  const std::uint32_t pc = warp.pc;
  const Tick tick = clock_.tick();
  buffer_.take(w);
  const IssueRename& rename = slots_.rename(w, pc);
  const IssueSlot& slot = slots_.issue(w, pc);

  // Values of rows go to the warp's own registers, which nobody reads while a row stands for them.
  std::int16_t rows[Decoded::kMaxSources];
  std::fill(std::begin(rows), std::end(rows), RowPool::kNone);
  unsigned row_reads = 0;
  for (unsigned i = 0, k = 0; i < decoded.source_count; ++i) {
    if (k == slot.nsrc || decoded.sources[i] != slot.src[k]) continue;
    const std::int16_t row = rows[i] = rename.src_row[k++];
    if (row == RowPool::kNone) continue;
    CASTOR_HOOK_CHECK(filter_, clock_.now(), static_cast<unsigned>(row) < rows_.size(),
                      "fetch_filter of SM %u renames to row %d", sm_, row);
    rows_.load(w, decoded.sources[i], static_cast<unsigned>(row));
    ++row_reads;
  }
  if (row_reads != 0) counters_.add(warp.tb, [row_reads](FilterCounts& counts) { counts.row_reads += row_reads; });
  if (check_ != nullptr) check_->reads(w, decoded, rows, mask);
  if (decoded.pool >= UnitPool::kControl) {
    events_.control(w, record, mask);
    control_.execute(scheduler, w, record, mask);
    if (check_ != nullptr) check_->issued(w, pc, decoded, mask, false);
    buffer_.update_head(w);
    return;
  }
  Pipelines::Path path;
  if (rename.reuse) {
    CASTOR_HOOK_CHECK(filter_, clock_.now(), record.kind == Kind::kLane,
                      "fetch_filter of SM %u reuses more than arithmetic", sm_);
    path.last_operand = path.dispatch = tick;
    const auto kind = static_cast<std::size_t>(decoded.instruction_class);
    counters_.add(warp.tb, [kind, &decoded](FilterCounts& counts) {
      ++counts.reused[kind];
      counts.reused_reads += decoded.source_count;
    });
  } else {
    path = pipelines_.reserve_rows(decoded, rows, w, scheduler, tick);
  }
  rows_.read(w, decoded, rows, path.last_operand, tick);
  const bool lead = slot.lead && (mask != 0 || record.kind == Kind::kLane);
  if (lead) {
    for (unsigned i = 0; i < slot.ndst; ++i) {
      rows_.lead(w, slot.dst[i], pools_[warp.tb].base + slot.tag[i]);
    }
    counters_.add(warp.tb, [&slot](FilterCounts& counts) { counts.row_writes += slot.ndst; });
    if (check_ != nullptr) check_->leads(w, record);
    if (!terms_.real_rows && record.kind == Kind::kMemory) {
      ghosts_.lead(w, record, mask, pools_[warp.tb].base + slot.tag[0]);
    }
  }
  if (decoded.pool <= UnitPool::kShared) {
    executor_.access(path, w, record, decoded, mask);
  } else if (mask == 0 || executor_.compute(w, record, decoded, mask)) {
    const Tick earliest = rename.reuse ? tick + 1 : path.dispatch + decoded.latency;
    slots_.writes(clock_.now() + (earliest - tick));
    if (lead) {
      rows_.expect(w, decoded, pools_[warp.tb].base, tick, earliest, nullptr);
      rows_.store(w, decoded);
    } else {
      scoreboard_.expect_writes(w, decoded, tick, earliest, nullptr);
    }
    control_.advance(w);
  }
  if (check_ != nullptr) check_->issued(w, pc, decoded, mask, lead);
  buffer_.update_head(w);
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
    const bool loads = event.operation != nullptr;
    const std::uint32_t pc = loads ? SmMemory::instruction(*event.operation).pc : 0;
    rows_.ready(event, clock_.tick(), buffer_.head(event.warp));
    if (loads) loaded(event.warp, pc);
  }
}

// --- S9 --------------------------------------------------------------------------------------------------------------

void FilterUnit::clock(View<WarpExit> exits, WarpMask in_flight, const Maybe<TbStartEvent>& started,
                       const Maybe<TbStartEvent>& late) {
  FetchIn& in = in_;
  slots_.tell_issued(in);
  in.written = rows_.written();
  // An exit comes behind the start, also of a warp that is stopped at once.
  const WarpMask starts = (started ? started->warps : 0) | (late ? late->warps : 0);
  if (events_.tell(in, exits, in_flight, starts)) busy_ = true;
  in.oc_idle = ~(rows_.readers(clock_.tick()) & pools_.warps());
  filter_.clock(in);
}

}  // namespace castor::gpu
