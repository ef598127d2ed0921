#include "castor/gpu/sm/filter_unit.h"

#include <algorithm>

#include "castor/base/error.h"
#include "castor/gpu/hook_check.h"
#include "castor/gpu/sm/barriers.h"

namespace castor::gpu {

using isa::Kind;
using isa::Record;

namespace {

// Attaches a filter. Throws InputError if it has a study, whose rows hold results of many iterations, and thread blocks
// are to be swapped out.
FilterTerms attach(FetchFilter& filter, const SmParts& parts, base::StatisticGroup& group) {
  FilterTerms terms;
  attach_hook(filter, "fetch_filter", parts, group, &terms);
  const bool rate = parts.machine.context.mover == ContextMover::kRate;
  if (terms.study == nullptr || (!rate && parts.machine.context.random == 0)) return terms;
  filter.detach();  // it holds references to what is destroyed now
  const std::string key = rate ? "context.mover" : "context.random";
  throw base::InputError("a FetchFilter with a study does not support thread blocks that are swapped out: key " + key +
                             " is " + (rate ? "rate" : "not 0"),
                         "disable the block that is the FetchFilter, or change " + key);
}

}  // namespace

FilterUnit::FilterUnit(const SmParts& parts)
    : parts_(parts),
      group_(parts.statistics, "fetch_filter"),
      filter_(*parts.hooks.fetch_filter),
      terms_(attach(filter_, parts, group_)),
      rows_(parts.machine, parts.warps, parts.scoreboard, parts.pipelines, parts.wheel, parts.memory,
            terms_.study == nullptr ? 0 : terms_.study->rows() * parts.machine.sm.tb_contexts),
      counters_(parts.tbs, parts.machine.table.entries),
      pools_(parts.machine, terms_, parts.tbs, rows_, counters_),
      decoder_(parts, filter_, terms_, rows_, pools_, counters_),
      slots_(parts.machine, terms_, parts.clock, parts.warps, parts.buffer, pools_, decoder_),
      events_(parts.warps, parts.tbs, pools_),
      own_(parts.warps, parts.scoreboard),
      check_(parts.machine.check.skips && terms_.study == nullptr
                 ? std::make_unique<SkipCheck>(parts.machine, parts.sm, parts.clock, parts.warps, parts.faults)
                 : nullptr) {
  if (terms_.study == nullptr) return;
  parts.tbs.pin();
  terms_.study->attach(study_.emplace(parts, rows_));
}

// --- Thread blocks ---------------------------------------------------------------------------------------------------

void FilterUnit::begin(const TbState& tb, unsigned context, TbStartEvent& event, bool restored) {
  for (WarpMask left = tb.warps; left != 0; left &= left - 1) {
    decoder_.start(lowest(left));
    rows_.start(lowest(left));
    own_.start(lowest(left));
    if (check_ != nullptr) check_->start(lowest(left));
  }
  if (check_ != nullptr) check_->start_tb(context);
  events_.start(context);
  pools_.start(tb, context, event, restored);
  if (study_) terms_.study->start(context, *tb.kernel);
}

void FilterUnit::stop(unsigned context) {
  const TbState& tb = parts_.tbs[context];
  if ((frozen_ >> context & 1) == 0) events_.stop(tb.live);
  decoder_.stop(tb.warps);
  if (check_ != nullptr) check_->stop(tb.warps);
}

// Nothing of the TB is in flight: all results of its warps and leaders are in their registers and rows.
void FilterUnit::freeze(unsigned context) {
  const TbState& tb = parts_.tbs[context];
  frozen_ |= TbMask{1} << context;
  parts_.fetch.bar(tb.warps);
  decoder_.stop(tb.warps);
  events_.stop(tb.live);
  if ((pools_.tbs() >> context & 1) == 0) return;
  CASTOR_ASSERT_AT(parts_.clock.now(), pools_[context].moves, "a TB of SM %u is swapped out that must not move",
                   parts_.sm);
  for (WarpMask left = tb.live; left != 0; left &= left - 1) {
    own_.settle(lowest(left));
    if (check_ != nullptr) check_->leaves(lowest(left));
  }
}

void FilterUnit::retired(unsigned context) {
  frozen_ &= ~(TbMask{1} << context);
  events_.retired(context);
  pools_.retired(context);
}

// --- S0, S5: inputs and outputs of the filter
// ---------------------------------------------------------------------------

// A warp of the filter's TBs that waits at a barrier is not fetched before the barrier completes. A warp that waits for
// a fence or acquire may be fetched but skips nothing, because its leader may have loaded before the fence completed.
void FilterUnit::settle_early(WarpMask eligible) {
  rows_.begin_tick();
  events_.begin_tick();
  slots_.begin_tick();
  in_ = {};
  in_.now = parts_.clock.now();
  const FetchOut& out = filter_.settle(in_);
  out_.hold = out.hold;
  out_.copy = out.copy;
  hold_ = pools_.fetched() & (out.hold | parts_.blocked.held_at_barrier());
  eligible_ = eligible & parts_.warps.live() & pools_.fetched() &
              ~(parts_.blocked.held_at_barrier() | parts_.blocked.in_fence() | parts_.blocked.in_call() |
                parts_.blocked.in_runtime());
}

void FilterUnit::settle(const Picks& picks) {
  FetchIn& in = in_;
  in.eligible = eligible_;
  for (WarpMask left = eligible_ & hold_; left != 0; left &= left - 1) {
    const WarpState& warp = parts_.warps[lowest(left)];
    pc_of_[lowest(left)] = warp.code_base + std::uint64_t{8} * warp.pc;
  }
  in.pc = pc_of_.data();
  in.decode = decoder_.find();
  slots_.find(picks, in);
  in.written = rows_.written();
  events_.report_retired(in);
  in.start = starts_.now();
  const FetchOut& out = filter_.settle(in);
  CASTOR_HOOK_CHECK(filter_, parts_.clock.now(), out.hold == out_.hold && out.copy.has_value() == out_.copy.has_value(),
                    "fetch_filter of SM %u changes hold or copy after settle", parts_.sm);
  slots_.take(out);
  out_ = out;
  if (out_.skip != 0) skip(out_.skip);
  if (study_) hold_ |= pools_.fetched() & terms_.study->act(eligible_);
  if (out_.copy) copy(*out_.copy);
}

// Applies the filter's skips. They belong to S7, but can be done here: the PC of a warp with an empty buffer is not
// read in between.
void FilterUnit::skip(WarpMask skipped) {
  CASTOR_HOOK_CHECK(filter_, parts_.clock.now(), (skipped & ~(study_ ? eligible_ : eligible_ & hold_)) == 0,
                    "fetch_filter of SM %u skips warps that are not eligible and held", parts_.sm);
  for (WarpMask left = skipped; left != 0; left &= left - 1) {
    take_over(lowest(left));
    parts_.executor.control().advance(lowest(left));
  }
  parts_.clock.stir();
}

// Accounts for a skipped instruction. Its results are in the pool rows that its last leader wrote.
void FilterUnit::take_over(unsigned w) {
  const WarpState& warp = parts_.warps[w];
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
  if (pool.moves || parts_.watch.is_open()) take_results(w, decoded, led ? &rows : nullptr);
}

// Copies the results of a skipped instruction to the warp's own registers, if the TB may be swapped out or while the
// fixed-point watchdog compares registers. `rows`: rows with the results; null if the instruction has no leader.
void FilterUnit::take_results(unsigned w, const Decoded& decoded, const std::array<std::int16_t, 2>* rows) {
  const bool moves = pools_[parts_.warps[w].tb].moves;
  for (unsigned i = 0; i < decoded.dst_count; ++i) {
    // A pending older write would later overwrite the copied value.
    const bool late = rows == nullptr || parts_.scoreboard.pending(w, decoded.dst + i);
    if (late) parts_.watch.disturb();
    if (late && !moves) return;
    CASTOR_HOOK_CHECK(filter_, parts_.clock.now(), rows != nullptr,
                      "fetch_filter of SM %u skips an instruction that no warp has led", parts_.sm);
    own_.skipped(w, decoded.dst + i, rows_.value(static_cast<unsigned>((*rows)[i])));
  }
}

// S4, register copies: copies a row to the warp's own register, if both banks are free in this tick.
void FilterUnit::copy(const CopyRequest& request) {
  parts_.clock.stir();  // keeps the SM awake, because the filter repeats a request that was not served
  CASTOR_HOOK_CHECK(filter_, parts_.clock.now(),
                    (pools_.warps() & warp_bit(request.warp)) != 0 && request.row < rows_.size(),
                    "fetch_filter of SM %u copies row %u for warp %u", parts_.sm, request.row, request.warp);
  in_.copy_ack = rows_.copy(request.warp, request.slot, request.row, parts_.clock.tick());
  if (!in_.copy_ack) return;
  counters_.add(parts_.warps[request.warp].tb, [](FilterCounts& counts) { ++counts.copies; });
  if (check_ != nullptr) check_->copied(request.warp, request.slot);
}

WarpMask FilterUnit::decode(WarpMask due) { return decoder_.decode(due, out_); }

// --- Issue -----------------------------------------------------------------------------------------------------------

// Issues an instruction. Returns true if the filter acts on the warp and the instruction has issued.
bool FilterUnit::issue(unsigned scheduler, unsigned w, const Record& record, const Decoded& decoded, LaneMask mask) {
  count_marked(w, decoded);
  if (pools_.tbs() == 0) return false;
  events_.issued(w, record, mask);
  if ((pools_.warps() & warp_bit(w)) == 0) return false;
  issue_renamed(scheduler, w, record, decoded, mask);
  return true;
}

// Counts marked instructions that issue, whether or not the filter acts on their warp.
void FilterUnit::count_marked(unsigned w, const Decoded& decoded) {
  const WarpState& warp = parts_.warps[w];
  const std::vector<std::uint8_t>& marks = warp.program->marks;
  if (marks.empty() || marks[warp.pc] == 0 || (marks[warp.pc] == 1 && !pools_[warp.tb].promote)) return;
  const auto kind = static_cast<std::size_t>(decoded.instruction_class);
  const bool lead = (pools_.warps() & warp_bit(w)) != 0 && decoder_.verdict(w, warp.pc).lead;
  counters_.add(warp.tb, [kind, lead](FilterCounts& counts) { ++(lead ? counts.led : counts.executed)[kind]; });
}

// Tells the study of an issuing instruction. Returns whether the study has its result.
bool FilterUnit::known(unsigned w, std::uint32_t pc, const IssueSlot& slot, bool lead, LaneMask mask) {
  StudyIssue issue;
  issue.warp = static_cast<std::uint8_t>(w);
  issue.pc = pc;
  issue.mask = mask;
  const WarpState& warp = parts_.warps[w];
  if (lead) issue.row = static_cast<std::int16_t>(pools_[warp.tb].base + slot.tag[0]);
  if (!terms_.study->issue(issue)) return false;
  CASTOR_HOOK_CHECK(filter_, parts_.clock.now(), warp.records[pc].kind == Kind::kLane,
                    "fetch_filter of SM %u reuses more than arithmetic", parts_.sm);
  const Decoded& decoded = warp.decoded[pc];
  counters_.add(warp.tb, [&decoded](FilterCounts& counts) {
    ++counts.reused[static_cast<std::size_t>(decoded.instruction_class)];
    counts.reused_reads += decoded.source_count;
  });
  return true;
}

void FilterUnit::issue_renamed(unsigned scheduler, unsigned w, const Record& record, const Decoded& decoded,
                               LaneMask mask) {
  const WarpState& warp = parts_.warps[w];
  const std::uint32_t pc = warp.pc;
  const Tick tick = parts_.clock.tick();
  parts_.buffer.take(w);
  own_.written(w, decoded.dst, decoded.dst_count);
  const IssueRename& rename = slots_.rename(w, pc);
  const IssueSlot& slot = slots_.issue(w, pc);
  const bool lead = slot.lead && (mask != 0 || record.kind == Kind::kLane);
  const bool reused = study_ && known(w, pc, slot, lead, mask);

  // Copies the values of renamed sources to the warp's own registers, which no other instruction reads while the rows
  // hold the values.
  std::int16_t rows[Decoded::kMaxSources];
  std::fill(std::begin(rows), std::end(rows), RowPool::kNone);
  unsigned row_reads = 0;
  for (unsigned i = 0, k = 0; i < decoded.source_count; ++i) {
    if (k == slot.nsrc || decoded.sources[i] != slot.src[k]) continue;
    const std::int16_t row = rows[i] = rename.src_row[k++];
    if (row == RowPool::kNone) continue;
    CASTOR_HOOK_CHECK(filter_, parts_.clock.now(), static_cast<unsigned>(row) < rows_.size(),
                      "fetch_filter of SM %u renames to row %d", parts_.sm, row);
    rows_.load(w, decoded.sources[i], static_cast<unsigned>(row));
    ++row_reads;
  }
  if (row_reads != 0) counters_.add(warp.tb, [row_reads](FilterCounts& counts) { counts.row_reads += row_reads; });
  if (check_ != nullptr) check_->reads(w, decoded, rows, mask);
  if (decoded.pool >= UnitPool::kControl) {
    events_.control(w, record, mask);
    parts_.executor.control().execute(scheduler, w, record, mask);
    if (check_ != nullptr) check_->issued(w, pc, decoded, mask, false);
    parts_.buffer.update_head(w);
    return;
  }
  Pipelines::Path path;
  path.last_operand = path.dispatch = tick;
  if (!reused) path = parts_.pipelines.reserve_rows(decoded, rows, w, scheduler, tick);
  rows_.read(w, decoded, rows, path.last_operand, tick);
  if (lead) {
    for (unsigned i = 0; i < slot.ndst; ++i) {
      rows_.lead(w, slot.dst[i], pools_[warp.tb].base + slot.tag[i]);
    }
    counters_.add(warp.tb, [&slot](FilterCounts& counts) { counts.row_writes += slot.ndst; });
    if (check_ != nullptr) check_->leads(w, record);
  }
  if (decoded.pool <= UnitPool::kShared) {
    parts_.executor.access(path, w, record, decoded, mask);
  } else if (mask == 0 || parts_.executor.compute(w, record, decoded, mask)) {
    const Tick earliest = reused ? tick + 1 : path.dispatch + decoded.latency;
    if (study_) terms_.study->writes(parts_.clock.now() + (earliest - tick));
    if (lead) {
      rows_.expect(w, decoded, pools_[warp.tb].base, tick, earliest, nullptr);
      rows_.store(w, decoded);
    } else {
      parts_.scoreboard.expect_writes(w, decoded, tick, earliest, nullptr);
    }
    parts_.executor.control().advance(w);
  }
  if (check_ != nullptr) check_->issued(w, pc, decoded, mask, lead);
  parts_.buffer.update_head(w);
}

// --- Results in rows -------------------------------------------------------------------------------------------------

bool FilterUnit::expect_load(unsigned w, const Decoded& decoded, Tick earliest, MemoryOperation& operation) {
  if (!rows_.leads(w, decoded)) return false;
  rows_.expect(w, decoded, pools_[parts_.warps[w].tb].base, parts_.clock.tick(), earliest, &operation);
  return true;
}

bool FilterUnit::take(const SmEvent& event) {
  if (event.kind == SmEvent::Kind::kRowWritten) {
    rows_.tell(event);
  } else if (event.kind == SmEvent::Kind::kRowReady) {
    const bool loads = event.operation != nullptr;
    const std::uint32_t pc = loads ? SmMemory::instruction(*event.operation).pc : 0;
    rows_.ready(event, parts_.clock.tick(), parts_.buffer.head(event.warp));
    if (loads) loaded(event.warp, pc);
  } else {
    return false;
  }
  return true;
}

// --- S9 --------------------------------------------------------------------------------------------------------------

void FilterUnit::clock() {
  FetchIn& in = in_;
  slots_.report_issued(in);
  in.written = rows_.written();
  // The filter sees an exit after the TB's start, even if the warp is stopped in the tick of its start.
  const Maybe<TbStartEvent>& started = starts_.now();
  const Maybe<TbStartEvent>& late = starts_.late();
  const WarpMask starts = (started ? started->warps : 0) | (late ? late->warps : 0);
  if (events_.tell(in, parts_.barriers.exits(), parts_.scoreboard.in_flight(), starts) || late) parts_.clock.stir();
  in.oc_idle = ~(rows_.readers(parts_.clock.tick()) & pools_.warps());
  filter_.clock(in);
}

// --- Between ticks ---------------------------------------------------------------------------------------------------

void FilterUnit::add_waiting(std::vector<WaitReason>& reasons) const {
  reasons.push_back({hold_ & ~parts_.buffer.valid() & ~parts_.blocked.any(), "is held by the fetch filter"});
}

}  // namespace castor::gpu
