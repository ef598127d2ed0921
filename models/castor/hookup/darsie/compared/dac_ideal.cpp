#include "castor/hookup/darsie/compared/dac_ideal.h"

#include <algorithm>

#include "castor/base/error.h"
#include "castor/base/words.h"
#include "castor/darsie/masks.h"
#include "castor/isa/memory_access.h"

namespace castor::hookup {

using darsie::for_each_bit;
using darsie::warp_bit;

void DacIdeal::attach(const gpu::HookSite& site) {
  ComparedSystem::attach(site);
  site.terms->marked = false;
  site.terms->slots = 256;
  statistics_ = std::make_unique<DacStatistics>(*site.statistics);
}

void DacIdeal::reset() {
  tbs_ = {};
  warps_ = {};
  own_ = 0;
  acted_ = false;
  out_ = {};
  changed_ = false;
}

// --- Outputs ---------------------------------------------------------------------------------------------------------

const DacIdeal::Load* DacIdeal::find(const Tb& tb, std::uint32_t pc, std::uint32_t occurrence) const {
  const auto found = std::find_if(tb.loads.begin(), tb.loads.end(),
                                  [&](const Load& load) { return load.pc == pc && load.occurrence == occurrence; });
  return found == tb.loads.end() ? nullptr : &*found;
}

DacIdeal::Next DacIdeal::next(unsigned w, std::uint32_t pc) const {
  const Tb& tb = tbs_[warps_[w].tb];
  const std::uint32_t occurrence = warps_[w].done[pc];
  if (!tb.set->has(pc, occurrence) || (own_ & warp_bit(w)) != 0) return Next::kExecute;
  const bool load = is_load(tb, pc);
  if (load && !loads_) return Next::kExecute;
  if (tb.led[pc] <= occurrence) return Next::kLead;
  if (!load) return Next::kGhost;
  const Load* const found = find(tb, pc, occurrence);
  if (found == nullptr) return Next::kExecute;  // the leader had found no free row for the load
  const bool missing = tb.unwritten[found->tag[0]] || (found->results == 2 && tb.unwritten[found->tag[1]]);
  return missing ? Next::kWait : Next::kGhost;
}

// Elects at most one load per decode group, because the answer has row tags for one load only. Squashes instructions
// that another warp has led.
void DacIdeal::judge(const gpu::DecodeGroup& group) {
  const unsigned w = group.warp;
  if (!group.valid || tbs_[warps_[w].tb].set == nullptr) return;
  const Tb& tb = tbs_[warps_[w].tb];
  const auto taken = [&tb](unsigned tag) { return tb.used[tag] || tb.unwritten[tag]; };
  bool elected = false;
  for (unsigned s = 0; s < group.count; ++s) {
    const std::uint32_t pc = record_at(w, group.pc) + s;
    const Next next = this->next(w, pc);
    const bool load = next == Next::kLead && is_load(tb, pc);
    if (next == Next::kGhost || next == Next::kWait || (load && elected)) {
      out_.act[s] = gpu::DecodeAct::kSquash;
      return;
    }
    const unsigned results = group.slot[s].ndst;
    if (!load || results == 0 || free_rows(results, out_.tag, taken) < results) continue;
    out_.act[s] = gpu::DecodeAct::kLead;
    elected = true;
  }
}

const gpu::FetchOut& DacIdeal::settle(const gpu::FetchIn& in) {
  std::fill(std::begin(out_.act), std::end(out_.act), gpu::DecodeAct::kPass);
  judge(in.decode);
  return out_;
}

// --- Ghosts ----------------------------------------------------------------------------------------------------------

// Returns the address from which the warp loads for all lanes, or kNowhere if there are several or a lane does not
// load.
std::uint64_t DacIdeal::address_of(unsigned w, isa::LaneMask mask) {
  const isa::RegisterView view = sm_->registers(w);
  if (mask != all_lanes(view)) return kNowhere;
  const gpu::StudiedWarp warp = sm_->warp(w);
  isa::address(warp.program->code[warp.pc], view, mask, access_);
  const std::uint64_t* const first = access_.address;
  const bool one = std::all_of(first, first + view.lanes, [first](std::uint64_t each) { return each == *first; });
  return one ? *first : kNowhere;
}

bool DacIdeal::issue(const gpu::StudyIssue& issue) {
  Tb& tb = tbs_[warps_[issue.warp].tb];
  if (issue.row < 0) return false;
  for (Load& load : tb.loads) {
    if (tb.base + load.tag[0] == issue.row) load.address = address_of(issue.warp, issue.mask);
  }
  return false;
}

// Completes a load whose data the leader has loaded. Returns false if the warp's address is not the leader's.
bool DacIdeal::take_load(unsigned w, std::uint32_t pc) {
  const Tb& tb = tbs_[warps_[w].tb];
  const Load& load = *find(tb, pc, warps_[w].done[pc]);
  const std::uint64_t address = address_of(w, sm_->warp(w).mask);
  if (address == kNowhere || address != load.address) return false;
  std::uint16_t rows[2] = {};
  for (unsigned i = 0; i < load.results; ++i) rows[i] = static_cast<std::uint16_t>(tb.base + load.tag[i]);
  sm_->load_rows(w, rows);
  return true;
}

// Completes ghosts of a warp until one has to wait for its operands or for its leader's data. Returns whether the warp
// waits so; otherwise it executes its next instruction.
bool DacIdeal::pass_ghosts(unsigned w) {
  Tb& tb = tbs_[warps_[w].tb];
  while (true) {
    const std::uint32_t pc = sm_->warp(w).pc;
    const Next next = this->next(w, pc);
    if (next == Next::kWait) return true;
    if (next != Next::kGhost) return false;
    if (!sm_->ready(w)) return true;
    acted_ = true;
    if (!is_load(tb, pc)) {
      sm_->compute(w);
    } else if (take_load(w, pc)) {
      ++statistics_->ghost_loads;
    } else {
      ++statistics_->refused;
      own_ |= warp_bit(w);
      return false;
    }
    ++statistics_->ghosts;
    pass(tb, w, pc);
  }
}

gpu::WarpMask DacIdeal::act(gpu::WarpMask eligible) {
  gpu::WarpMask waiting = 0;
  for_each_bit(eligible, [&](unsigned w) {
    if (tbs_[warps_[w].tb].set != nullptr && pass_ghosts(w)) waiting |= warp_bit(w);
  });
  return waiting;
}

// --- The edge --------------------------------------------------------------------------------------------------------

void DacIdeal::drop_finished(Tb& tb) {
  const auto finished = [&tb](const Load& load) {
    if ((tb.live & ~load.passed) != 0) return false;
    for (unsigned i = 0; i < load.results; ++i) tb.used.reset(load.tag[i]);
    return true;
  };
  tb.loads.erase(std::remove_if(tb.loads.begin(), tb.loads.end(), finished), tb.loads.end());
}

void DacIdeal::begin(const gpu::TbStartEvent& event) {
  Tb& tb = tbs_[event.tb];
  const gpu::KernelContext& kernel = *tb.kernel;
  const auto launch = instances_->find(kernel.ticket);
  if (launch == instances_->end() || launch->second.kernel != kernel.program->kernel ||
      launch->second.records != kernel.program->code.size()) {
    throw base::InputError("the file of affine instances (blocks.darsie.affine) does not have launch " +
                               std::to_string(kernel.ticket) + " of kernel " +
                               base::readable_name(kernel.program->kernel),
                           "write it with castor run --functional, the same program, arguments and keys");
  }
  tb.set = event.enable ? launch->second.of(event.gid) : nullptr;
  tb.code = kernel.program->code.data();
  tb.code_base = kernel.code_base;
  tb.live = event.warps;
  tb.base = event.base;
  tb.led.assign(launch->second.records, 0);
  tb.loads.clear();
  tb.used.reset();
  tb.unwritten.reset();
  own_ &= ~event.warps;
  for_each_bit(event.warps, [&](unsigned w) {
    warps_[w].tb = event.tb;
    warps_[w].done.assign(launch->second.records, 0);
  });
}

// Notes that a warp has executed or skipped an occurrence of a record.
void DacIdeal::pass(Tb& tb, unsigned w, std::uint32_t pc) {
  const std::uint32_t occurrence = warps_[w].done[pc]++;
  tb.led[pc] = std::max(tb.led[pc], warps_[w].done[pc]);
  own_ &= ~warp_bit(w);
  for (Load& load : tb.loads) {
    if (load.pc == pc && load.occurrence == occurrence) load.passed |= warp_bit(w);
  }
}

void DacIdeal::take_decoded(const gpu::DecodeGroup& group) {
  const unsigned w = group.warp;
  if (!group.valid) return;
  changed_ = true;
  Tb& tb = tbs_[warps_[w].tb];
  if (tb.set == nullptr) return;
  for (unsigned s = 0; s < group.count; ++s) {
    if (out_.act[s] == gpu::DecodeAct::kSquash) {
      ++statistics_->squashes;
      return;
    }
    const std::uint32_t pc = record_at(w, group.pc) + s;
    if (next(w, pc) == Next::kLead) ++statistics_->leads;
    if (out_.act[s] == gpu::DecodeAct::kLead) {
      Load load;
      load.pc = pc;
      load.occurrence = warps_[w].done[pc];
      load.results = group.slot[s].ndst;
      for (unsigned i = 0; i < load.results; ++i) {
        load.tag[i] = out_.tag[i];
        tb.used.set(load.tag[i]);
        tb.unwritten.set(load.tag[i]);
      }
      tb.loads.push_back(load);
    }
    pass(tb, w, pc);
  }
}

void DacIdeal::clock(const gpu::FetchIn& in) {
  changed_ = acted_ || in.exit != 0 || !in.written.empty() || in.start.has_value();
  acted_ = false;
  take_decoded(in.decode);
  if (in.retire) tbs_[*in.retire].set = nullptr;
  for (const gpu::RowEvent& row : in.written) tbs_[row.tb].unwritten.reset(row.tag);
  for_each_bit(in.exit, [&](unsigned w) { tbs_[warps_[w].tb].live &= ~warp_bit(w); });
  if (changed_) {
    for (Tb& tb : tbs_) drop_finished(tb);
  }
  if (in.start) begin(*in.start);
}

}  // namespace castor::hookup
