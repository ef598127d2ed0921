#include "castor/gpu/sm/filter_decoder.h"

#include "castor/base/error.h"
#include "castor/gpu/hook_check.h"

namespace castor::gpu {
namespace {

using isa::Kind;
using isa::Record;

// Returns the DecodeSlot::load_kind of a record: 1 if only stores of the TB can change the loaded data, 2 if those of
// other SMs can.
std::uint8_t load_kind(const Record& record) {
  if (record.kind != Kind::kMemory || record.memory.kind != isa::MemoryKind::kLoad) return 0;
  switch (record.memory.space) {
    case isa::Space::kConst:
    case isa::Space::kParam:
      return 0;
    case isa::Space::kShared:
      return 1;
    default:
      return 2;
  }
}

}  // namespace

// Collects the warps whose fetched instructions have arrived, and selects the one that was fetched first.
const DecodeGroup& FilterDecoder::find() {
  WarpMask due = fetch_.due() & pools_.fetched() & ~present_ & warps_.live();
  for (; due != 0; due &= due - 1) {
    const unsigned w = lowest(due);
    // For a line that comes from memory, fetched_ was set in the tick of the miss and keeps that value.
    if ((fetch_.arrived() & warp_bit(w)) == 0) {
      fetched_[w] = clock_.tick() - 1;
      if (!fetch_.present(w)) continue;
    }
    present_ |= warp_bit(w);
  }
  // Instructions that were squashed because their TB is about to be swapped out are not due any more.
  present_ &= warps_.live() & fetch_.out() & fetch_.due();
  group_ = {};
  if (present_ == 0) return group_;
  unsigned first = lowest(present_);
  for (WarpMask left = present_; left != 0; left &= left - 1) {
    if (fetched_[lowest(left)] < fetched_[first]) first = lowest(left);
  }
  fill(first);
  return group_;
}

void FilterDecoder::fill(unsigned first) {
  const WarpState& warp = warps_[first];
  const isa::Program& program = *warp.program;
  const unsigned slots = pools_[warp.tb].slots;
  group_.valid = true;
  group_.warp = static_cast<std::uint8_t>(first);
  group_.pc = warp.code_base + std::uint64_t{8} * warp.pc;
  bool ends = false;
  while (group_.count < fetch_.fetching(first) && !ends) {
    const std::uint32_t pc = warp.pc + group_.count;
    const Decoded& decoded = warp.decoded[pc];
    DecodeSlot& slot = group_.slot[group_.count++];
    ends = this->ends(warp, pc);
    const bool renamed = decoded.dst_count != 0 && decoded.dst_count <= 2 && decoded.dst + decoded.dst_count <= slots;
    slot.mark = program.marks.empty() ? 0 : program.marks[pc];
    if (!renamed || (terms_.marked && slot.mark == 0)) {
      slot.mark = 0;
      continue;
    }
    slot.ndst = decoded.dst_count;
    for (unsigned i = 0; i < slot.ndst; ++i) slot.dst[i] = static_cast<std::uint8_t>(decoded.dst + i);
    slot.load_kind = load_kind(warp.records[pc]);
  }
}

// Returns whether decode ends after record `pc`. For warps on which the filter acts, a barrier of the block ends decode
// too.
bool FilterDecoder::ends(const WarpState& warp, std::uint32_t pc) const {
  const Record& record = warp.records[pc];
  const bool barrier = record.kind == Kind::kBarrier && record.barrier.kind != isa::BarrierKind::kWarp;
  return barrier || (warp.decoded[pc].flags & kEndsDecode) != 0 || pc + 1 == warp.meeting;
}

WarpMask FilterDecoder::decode(WarpMask due, const FetchOut& said) {
  if (group_.valid && (present_ & warp_bit(group_.warp)) != 0) deliver(group_.warp, said);
  fetch_.postpone(present_);
  return due & ~pools_.fetched();
}

void FilterDecoder::deliver(unsigned w, const FetchOut& said) {
  const WarpState& warp = warps_[w];
  FilterPools::Pool& pool = pools_[warp.tb];
  present_ &= ~warp_bit(w);
  unsigned taken = 0;
  for (; taken < group_.count && said.act[taken] != DecodeAct::kSquash; ++taken) {
    Verdict& verdict = verdicts_[w][(warp.pc + taken) % kMaxBuffered];
    verdict = {};
    if (said.act[taken] != DecodeAct::kLead) continue;
    CASTOR_HOOK_CHECK(filter_, clock_.now(), group_.slot[taken].ndst != 0,
                      "fetch_filter of SM %u makes a warp lead an instruction without a destination register", sm_);
    verdict.lead = true;
    for (unsigned i = 0; i < group_.slot[taken].ndst; ++i) {
      pool.led[warp.pc + taken][i] = static_cast<std::int16_t>(pool.base + said.tag[i]);
      const unsigned tag = verdict.tag[i] = said.tag[i];
      CASTOR_HOOK_CHECK(filter_, clock_.now(), tag < pool.rows, "fetch_filter of SM %u elects for row %u of %u", sm_,
                        tag, pool.rows);
      CASTOR_HOOK_CHECK(
          filter_, clock_.now(),
          !machine_.check.rows || terms_.study != nullptr || rows_.read_until(pool.base + tag) <= clock_.tick(),
          "fetch_filter of SM %u reallocates row %u while an instruction still reads it", sm_, tag);
    }
  }
  const unsigned squashed = group_.count - taken;
  fetch_.deliver(w, taken, false, squashed);
  if (squashed != 0) counters_.add(warp.tb, [squashed](FilterCounts& counts) { counts.squashes += squashed; });
}

}  // namespace castor::gpu
