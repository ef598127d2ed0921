#include "castor/hookup/darsie/darsie_adapter.h"

#include <algorithm>
#include <utility>

#include "castor/base/error.h"
#include "castor/darsie/masks.h"
#include "castor/darsie/state.h"

namespace castor::hookup {

using darsie::for_each_bit;
using darsie::has;
using darsie::tb_bit;

DarsieAdapter::DarsieAdapter(std::unique_ptr<twin::Twin<darsie::Block>> twin)
    : DarsieAdapter(counted(std::move(twin))) {}

DarsieAdapter::DarsieAdapter(Counted counted)
    : darsie_(std::move(counted.twin)),
      counters_(counted.counters),
      all_warps_(twin::mask(darsie_.params().NumWarps)),
      pc_mask_(twin::mask(darsie_.params().PcW)),
      registers_(1U << darsie_.params().slot_bits()) {}

void DarsieAdapter::attach(const gpu::HookSite& site) {
  site_ = site;
  statistics_ = std::make_unique<DarsieStatistics>(*site.statistics, [this]() -> const darsie::Counters& {
    (void)darsie_.twin();  // applies the skipped cycles of the twin, which also count
    return *counters_;
  });
}

void DarsieAdapter::detach() { statistics_.reset(); }

void DarsieAdapter::reset() {
  darsie_.reset();
  darsie_.in.oc_idle = all_warps_;
  out_ = {};
  tbs_ = 0;
  live_ = 0;
  rests_ = true;
  tolerated_ = 0;
}

gpu::Cycle DarsieAdapter::quiet() const {
  if (tbs_ == 0) return gpu::kForever;
  return rests_ ? darsie_.quiet() : 0;
}

void DarsieAdapter::idle(gpu::Cycle n) {
  if (tbs_ != 0) darsie_.idle(n);
}

// --- Inputs of the block ---------------------------------------------------------------------------------------------

void DarsieAdapter::present_fetch(const gpu::FetchIn& in) {
  darsie_.in.f_elig = in.eligible & live_;
  // The block reads the PC of held warps only.
  for_each_bit(darsie_.in.f_elig & out_.hold, [&](unsigned w) { darsie_.in.f_pc[w] = in.pc[w] & pc_mask_; });
}

void DarsieAdapter::present_decode(const gpu::DecodeGroup& group) {
  if (!group.valid || !has(live_, group.warp)) return;
  darsie::Inputs& to = darsie_.in;
  to.d_valid = static_cast<darsie::U8>(twin::mask(group.count));
  to.d_warp = group.warp;
  to.d_pc = group.pc & pc_mask_;
  for (unsigned s = 0; s < group.count; ++s) {
    const gpu::DecodeSlot& slot = group.slot[s];
    to.d_mark[s] = slot.mark;
    to.d_ndst[s] = slot.ndst;
    to.d_ldkind[s] = slot.load_kind;
    for (unsigned a = 0; a < slot.ndst; ++a) {
      if (slot.dst[a] >= registers_) {
        to.d_mark[s] = 0;
      } else {
        to.d_dst[2 * s + a] = slot.dst[a];
      }
    }
  }
}

// Drives the issue ports. `issued` replaces the candidates of S5 (issue), which do not matter for the clock edge.
void DarsieAdapter::present_issue(gpu::View<gpu::IssueSlot> issued) {
  darsie::Inputs& to = darsie_.in;
  if (to.i_valid != 0) {
    to.i_warp = to.i_dv = to.i_sv = {};
    to.i_tag = to.i_dst = {};
    to.i_src = {};
    to.i_lead = 0;
  }
  to.i_valid = static_cast<darsie::U16>(twin::mask(static_cast<unsigned>(issued.size)));
  const unsigned sources = darsie_.params().NumSrc;
  for (unsigned p = 0; p < issued.size; ++p) {
    const gpu::IssueSlot& slot = issued[p];
    to.i_warp[p] = slot.warp;
    if (slot.lead) to.i_lead = static_cast<darsie::U16>(to.i_lead | 1U << p);
    for (unsigned a = 0; a < slot.ndst; ++a) {
      if (slot.dst[a] >= registers_) continue;
      to.i_dv[p] = static_cast<darsie::U8>(to.i_dv[p] | 1U << a);
      to.i_dst[2 * p + a] = slot.dst[a];
      if (slot.lead) to.i_tag[2 * p + a] = slot.tag[a];
    }
    for (unsigned a = 0; a < slot.nsrc; ++a) {
      if (slot.src[a] >= registers_) continue;
      to.i_sv[p] = static_cast<darsie::U8>(to.i_sv[p] | 1U << a);
      to.i_src[p * sources + a] = slot.src[a];
    }
  }
}

void DarsieAdapter::present_launch(const gpu::TbStartEvent& start) {
  const darsie::Params& params = darsie_.params();
  darsie::Inputs& to = darsie_.in;
  to.lnch_valid = 1;
  to.lnch_tb = start.tb;
  to.lnch_warps = start.warps;
  to.lnch_full = start.full;
  to.lnch_en = 1;
  to.lnch_promote = start.promote ? 1 : 0;
  to.lnch_base = start.base;
  to.lnch_rows = static_cast<darsie::U8>(std::min<unsigned>(start.rows, params.NumRows));
  to.lnch_slots = static_cast<darsie::U8>(std::min<unsigned>(start.slots, params.NumSlots));
}

void DarsieAdapter::present_events(const gpu::FetchIn& in) {
  darsie::Inputs& to = darsie_.in;
  if ((to.i_valid | in.issued.size) != 0) present_issue(in.issued);
  unsigned port = 0;
  for (const gpu::RowEvent& row : in.written) {
    if (!has(tbs_, row.tb)) continue;
    CASTOR_ASSERT_AT(in.now, port < darsie_.params().NumWb, "SM %u writes more than %u rows in a tick", site_.sm,
                     unsigned{darsie_.params().NumWb});
    to.wb_valid = static_cast<darsie::U16>(to.wb_valid | 1U << port);
    to.wb_tb[port] = row.tb;
    to.wb_tag[port++] = row.tag;
  }
  to.oc_idle = (in.oc_idle | ~live_) & all_warps_;
  to.ev_store = static_cast<darsie::TbMask>(in.stores) & tbs_;
  to.ev_global = in.global_op ? 1 : 0;
  to.br = in.branch & live_;
  to.br_taken = in.taken & to.br;
  to.leave = in.leave & live_;
  to.bar = static_cast<darsie::TbMask>(in.barrier) & tbs_;
  to.bar_join = to.bar != 0 ? in.barrier_join & live_ : 0;
  to.exit = in.exit & live_;
  if (in.retire && has(tbs_, *in.retire)) {
    to.retire_valid = 1;
    to.retire_tb = *in.retire;
  }
  if (starts(in)) present_launch(*in.start);
  to.cp_ack = in.copy_ack || copies_for_nobody(darsie_.out()) ? 1 : 0;
}

// --- Outputs of the block --------------------------------------------------------------------------------------------

bool DarsieAdapter::copies_for_nobody(const darsie::Outputs& out) const {
  return out.cp_valid != 0 && !has(live_, out.cp_warp);
}

void DarsieAdapter::show_registered(const darsie::Outputs& out) {
  CASTOR_ASSERT((out.err & ~tolerated_) == 0, "SM %u breaks the rules of the block darsie: err %u", site_.sm,
                unsigned{out.err});
  out_.hold = out.f_hold;
  out_.copy.reset();
  if (out.cp_valid != 0 && !copies_for_nobody(out)) out_.copy = gpu::CopyRequest{out.cp_warp, out.cp_row, out.cp_slot};
}

void DarsieAdapter::show() {
  const darsie::Outputs& out = darsie_.out();
  show_registered(out);
  out_.skip = out.f_skip;
  for (unsigned s = 0; s < gpu::kMaxDecode; ++s) out_.act[s] = static_cast<gpu::DecodeAct>(out.d_act[s]);
  std::copy_n(out.d_tag.elements.begin(), 2, std::begin(out_.tag));
}

void DarsieAdapter::show_rows(gpu::View<gpu::IssueSlot> issued) {
  const darsie::Outputs& out = darsie_.out();
  const unsigned sources = darsie_.params().NumSrc;
  for (unsigned p = 0; p < issued.size; ++p) {
    for (unsigned a = 0; a < issued[p].nsrc; ++a) {
      out_.rename[p].src_row[a] = static_cast<std::int16_t>(has(out.i_sren[p], a) ? out.i_srow[p * sources + a] : -1);
    }
  }
}

const gpu::FetchOut& DarsieAdapter::settle(const gpu::FetchIn& in) {
  if (tbs_ == 0) return none_;
  if (in.pc == nullptr) {  // S0 (fetch check): the hook does not know the inputs of the tick yet
    if (rests_) return out_;
    darsie_.in.f_elig = 0;  // only registered outputs are needed, so no warp is checked for skips
    show_registered(darsie_.registered());
    return out_;
  }
  present_fetch(in);
  present_decode(in.decode);
  if ((darsie_.in.i_valid | in.issued.size) != 0) present_issue(in.issued);
  if (darsie_.look()) show();
  if (!in.issued.empty()) show_rows(in.issued);
  return out_;
}

void DarsieAdapter::clock(const gpu::FetchIn& in) {
  if (tbs_ == 0 && !starts(in)) return;
  present_events(in);
  const darsie::Inputs& to = darsie_.in;
  const darsie::U8 exits_held = (to.exit & out_.hold) != 0 ? darsie::kErrorState : 0;
  const gpu::WarpMask exits = to.exit, warps = to.lnch_warps;
  const darsie::TbMask retired = to.retire_valid != 0 ? tb_bit(to.retire_tb) : 0;
  const Edge edge = darsie_.edge_of_seen();
  rests_ = edge == Edge::kSkipped;
  if (rests_) return;
  darsie_.make_idle();
  tolerated_ = exits_held;
  live_ = (live_ & ~exits) | warps;
  tbs_ &= ~retired;
  if (warps != 0) tbs_ |= tb_bit(in.start->tb);
}

}  // namespace castor::hookup
