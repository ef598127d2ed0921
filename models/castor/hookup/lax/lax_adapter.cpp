#include "castor/hookup/lax/lax_adapter.h"

#include <algorithm>
#include <utility>

#include "castor/base/error.h"
#include "castor/lax/arithmetic.h"
#include "castor/lax/register_map.h"

namespace castor::hookup {
namespace {

using gpu::Cycle;

constexpr std::uint64_t kTimeMask = (std::uint64_t{1} << 48) - 1;

// Fields of register CTRL.
lax::Policy policy_of(std::uint32_t ctrl) { return static_cast<lax::Policy>(ctrl >> 4U & 0xfU); }
bool drops_expired(std::uint32_t ctrl) { return (ctrl >> 16U & 1U) != 0; }

}  // namespace

LaxAdapter::LaxAdapter(std::unique_ptr<twin::Twin<lax::Block>> twin, std::vector<RegisterValue> registers)
    : lax_(std::move(twin)),
      registers_(std::move(registers)),
      control_(lax_.params()),
      groups_(lax_.params().groups()),
      dispatch_(*this),
      items_(gpu::kMaxEntries),
      entry_of_(gpu::kMaxQueues, -1) {}

LaxAdapter::~LaxAdapter() = default;

void LaxAdapter::attach(const gpu::HookSite& site) { statistics_ = std::make_unique<LaxStatistics>(*site.statistics); }

void LaxAdapter::detach() { statistics_.reset(); }

// --- Reset and time -------------------------------------------------------------------------------------------------

// The initial register values are written in the cycles before `next_`. Selection passes start in cycles that are
// multiples of the pass length. Padding cycles make the sequence of writes end at such a cycle.
void LaxAdapter::reset() {
  lax_.reset();
  active_.clear();
  std::fill(entry_of_.begin(), entry_of_.end(), -1);
  live_.reset();
  own_.reset();
  asked_own_.reset();
  asked_.reset();
  dated_.reset();
  started_.reset();
  unplaced_.clear();
  acks_.clear();
  access_ = Access::kNone;
  taken_ = false;
  constexpr Cycle kCyclesPerWrite = 2;
  const Cycle writes = registers_.size() * kCyclesPerWrite;
  const Cycle phase = next_ % groups_;
  const Cycle padding = (phase + groups_ - writes % groups_) % groups_;
  Cycle now = next_ - writes - padding;  // cycle number modulo 2^48
  lax::Inputs& to = lax_.in;
  const auto cycle = [&] {
    to.now = now++ & kTimeMask;
    lax_.look();
    lax_.edge();
  };
  for (Cycle i = 0; i < padding; ++i) cycle();
  for (const RegisterValue& value : registers_) {
    to.reg_req = 1;
    to.reg_we = 1;
    to.reg_addr = value.offset;
    to.reg_wdata = value.value;
    if (value.offset == lax::reg::kCtrl) ctrl_ = value.value;
    cycle();
    cycle();
    CASTOR_ASSERT(lax_.out().reg_ack != 0 && lax_.out().reg_err == 0, "register %x of the laxity engine refuses %x",
                  value.offset, value.value);
  }
  to = {};
  to.adm_ready = 1;
}

Cycle LaxAdapter::quiet() const {
  if (access_ != Access::kNone || !acks_.empty() || !unplaced_.empty()) return 0;
  return lax_.quiet();
}

bool LaxAdapter::inert() const {
  if (quiet() == 0 || asked_.any() || may_drop()) return false;
  const bool prema = policy_of(ctrl_) == lax::Policy::kPrema;
  return !prema || (lax_.held().df_vec.none() && lax_.out().pre_vec.none());
}

// Returns whether an update may drop a job. Jobs that wait for their next kernel are dropped at the first update after
// their deadline.
bool LaxAdapter::may_drop() const {
  if (!drops_expired(ctrl_) || policy_of(ctrl_) != lax::Policy::kLax || (live_ & dated_).none()) return false;
  const lax::Probes probes = lax_.probes();
  for (std::size_t q = live_._Find_first(); q < live_.size(); q = live_._Find_next(q)) {
    const auto bit = static_cast<unsigned>(q);
    if (dated_[q] && !probes.open[bit] && probes.job_state1[bit] && !probes.job_state0[bit]) return true;
  }
  return false;
}

void LaxAdapter::idle(Cycle n) {
  lax_.look();
  if (statistics_) statistics_->rest(lax_.in, lax_.out(), n);
  lax_.idle(n);
  next_ += n;
}

void LaxAdapter::edge() {
  const Edge edge = lax_.edge([this](const lax::Inputs& in, const lax::Outputs& out) {
    if (statistics_) statistics_->cycle(in, out);
  });
  // An event may set an error bit at once, or later when the engine processes it.
  if (statistics_ && (edge == Edge::kEvents || (edge == Edge::kLevels && lax_.rests()))) {
    statistics_->see_errors(lax_.probes().errors);
  }
}

// --- Thread blocks --------------------------------------------------------------------------------------------------

const gpu::DispatchOut& LaxAdapter::Dispatch::settle(const gpu::DispatchIn& in) {
  out_ = {};
  owner_.set_vectors(in);
  out_.ready = !owner_.active_.empty();
  if (owner_.active_.empty()) return out_;
  owner_.lax_.in.now = in.now & kTimeMask;
  owner_.lax_.look();
  const lax::Outputs& out = owner_.lax_.out();
  out_.fits_head = in.room->fits(owner_.active_.front());
  if (out.dsel_valid == 0) return out_;
  const int entry = owner_.entry_of_[out.dsel_qid];
  CASTOR_ASSERT_AT(in.now, entry >= 0, "the laxity engine offers queue %u, which has no TB to place", out.dsel_qid);
  gpu::Placement placement;
  placement.kd = static_cast<std::uint16_t>(entry);
  placement.position = owner_.items_[static_cast<unsigned>(entry)].next;
  out_.place = placement;
  out_.fits_head = in.room->fits(static_cast<unsigned>(entry));
  return out_;
}

void LaxAdapter::set_vectors(const gpu::DispatchIn& in) {
  lax::Inputs& to = lax_.in;
  to.de_vec.reset();
  to.df_vec.reset();
  for (const std::uint16_t entry : active_) {
    ((*in.fits)[entry] ? to.de_vec : to.df_vec).set(items_[entry].queue);
  }
}

void LaxAdapter::Dispatch::clock(const gpu::DispatchIn& in) { owner_.place(in); }

void LaxAdapter::place(const gpu::DispatchIn& in) {
  const auto leave = [this](std::uint16_t entry) {
    entry_of_[items_[entry].queue] = -1;
    active_.erase(std::find(active_.begin(), active_.end(), entry));
  };
  taken_ = in.taken;
  if (in.ev.placed) {
    const std::uint16_t entry = in.ev.placed->kd;
    started_[items_[entry].queue] = true;
    if (++items_[entry].next == items_[entry].tbs) leave(entry);
  }
  // Removes a kernel that was aborted before all its TBs were placed.
  if (in.ev.completed && entry_of_[in.ev.completed->queue] == in.ev.completed->kd) leave(in.ev.completed->kd);
  if (!in.push) return;
  items_[in.push->kd] = {in.push->queue, 0, in.push->tbs};
  entry_of_[in.push->queue] = in.push->kd;
  active_.push_back(in.push->kd);
}

// --- Jobs -----------------------------------------------------------------------------------------------------------

const gpu::JobOut& LaxAdapter::settle(const gpu::JobIn& in) {
  present(in);
  lax_.look();
  const lax::Outputs& out = lax_.out();
  job_out_ = {};
  job_out_.beat_ready = in.beat && (in.beat->header ? out.js_ready : out.wl_ready) != 0;
  if (out.adm_valid != 0)
    job_out_.verdict = gpu::Verdict{out.adm_qid, out.adm_accept != 0, out.adm_reason, out.adm_est};
  if (out.psel_valid != 0) job_out_.pick = out.psel_qid;
  if (out.pre_vec.any()) {
    for (unsigned q = 0; q < gpu::kMaxQueues; ++q) job_out_.preempt[q] = out.pre_vec[q];
  }
  if (out.jd_valid != 0) job_out_.end = gpu::JobEnd{out.jd_qid, out.jd_met != 0, out.jd_lat};
  job_out_.irq = out.irq != 0;
  if (out.reg_ack != 0 && access_ == Access::kPlatform) {
    job_out_.reg = gpu::RegisterReply{static_cast<gpu::RegisterError>(out.reg_err), out.reg_rdata};
  }
  return job_out_;
}

// Drives the inputs that do not depend on the block's outputs of this cycle.
void LaxAdapter::present(const gpu::JobIn& in) {
  lax::Inputs& to = lax_.in;
  to.now = in.now & kTimeMask;
  to.pe_vec.reset();
  for (std::size_t q = in.eligible->_Find_first(); q < gpu::kMaxQueues; q = in.eligible->_Find_next(q)) {
    to.pe_vec.set(static_cast<unsigned>(q));
  }
  to.adm_ready = in.verdict_ready ? 1 : 0;
  to.js_valid = to.wl_valid = 0;
  if (in.beat && in.beat->header) {
    const gpu::JobBeat& beat = *in.beat;
    to.js_valid = 1;
    to.js_qid = static_cast<std::uint8_t>(beat.queue);
    to.js_deadline = beat.deadline;
    to.js_start = beat.start & kTimeMask;
    to.js_nkt = beat.kernel_types;
    to.js_append = beat.append ? 1 : 0;
    to.js_fits = beat.fits ? 1 : 0;
  } else if (in.beat) {
    to.wl_valid = 1;
    to.wl_kid = in.beat->kid;
    to.wl_numwg = in.beat->groups;
    to.wl_last = in.beat->last ? 1 : 0;
  }
  present_access(in);
}

// Drives one register access at a time. Acknowledges of the front end's own jobs have priority over accesses of the
// platform.
void LaxAdapter::present_access(const gpu::JobIn& in) {
  lax::Inputs& to = lax_.in;
  if (access_ != Access::kNone) return;
  if (!acks_.empty()) {
    access_ = Access::kOwn;
    to.reg_req = to.reg_we = 1;
    to.reg_addr = static_cast<std::uint16_t>(lax::reg::kQState + 4 * acks_.front());
    to.reg_wdata = lax::reg::kHostAck;
  } else if (in.ev.reg) {
    access_ = Access::kPlatform;
    to.reg_req = 1;
    to.reg_we = in.ev.reg->write ? 1 : 0;
    to.reg_addr = static_cast<std::uint16_t>(in.ev.reg->offset);
    to.reg_wdata = in.ev.reg->value;
  }
}

// Drives events of queues whose job the engine knows.
void LaxAdapter::present_events(const gpu::JobIn& in) {
  lax::Inputs& to = lax_.in;
  to.ks_valid = to.ki_valid = to.wgc_valid = to.kd_valid = 0;
  const auto known = [this](const auto& event) { return event && live_[event->queue]; };
  if (known(in.ev.placed)) {
    const gpu::TbEvent& placed = *in.ev.placed;
    to.ks_valid = placed.first ? 1 : 0;
    to.ki_valid = placed.last ? 1 : 0;
    to.ks_qid = to.ki_qid = static_cast<std::uint8_t>(placed.queue);
    to.ks_kid = placed.kid;
  }
  if (known(in.ev.done)) {
    to.wgc_valid = 1;
    to.wgc_qid = static_cast<std::uint8_t>(in.ev.done->queue);
    to.wgc_kid = in.ev.done->kid;
  }
  if (known(in.ev.completed)) {
    const gpu::KernelEvent& completed = *in.ev.completed;
    if (started_[completed.queue]) {
      to.kd_valid = 1;
      to.kd_qid = static_cast<std::uint8_t>(completed.queue);
      to.kd_kid = completed.kid;
      to.kd_last = completed.queue_empty ? 1 : 0;
    } else {
      unplaced_.push_back({completed.queue, completed.kid, completed.queue_empty});
    }
  }
  if (in.ev.completed) started_[in.ev.completed->queue] = false;
  if (unplaced_.empty() || to.ks_valid != 0 || to.ki_valid != 0 || to.kd_valid != 0) return;
  const Done done = unplaced_.front();
  unplaced_.pop_front();
  to.ks_valid = to.ki_valid = to.kd_valid = 1;
  to.ks_qid = to.ki_qid = to.kd_qid = static_cast<std::uint8_t>(done.queue);
  to.ks_kid = to.kd_kid = done.kid;
  to.kd_last = done.last ? 1 : 0;
}

void LaxAdapter::clock(const gpu::JobIn& in) {
  lax::Inputs& to = lax_.in;
  const lax::Outputs& out = lax_.out();
  CASTOR_ASSERT_AT(in.now, in.now == next_, "the laxity engine's next edge is that of cycle %llu",
                   static_cast<unsigned long long>(next_));
  to.psel_grant = in.granted >= 0 ? 1 : 0;
  to.dsel_grant = taken_ ? 1 : 0;
  present_events(in);
  note(in);
  const bool answered = access_ != Access::kNone && out.reg_ack != 0;
  edge();
  next_ = in.now + 1;
  taken_ = false;
  to.psel_grant = to.dsel_grant = 0;
  to.ks_valid = to.ki_valid = to.wgc_valid = to.kd_valid = to.js_valid = to.wl_valid = 0;
  if (!answered) return;
  if (to.reg_we != 0 && to.reg_addr == lax::reg::kCtrl && out.reg_err == 0) ctrl_ = to.reg_wdata;
  if (access_ == Access::kOwn) acks_.pop_front();
  access_ = Access::kNone;
  to.reg_req = 0;
}

// Tracks the queues for which the engine has a job.
void LaxAdapter::note(const gpu::JobIn& in) {
  const lax::Outputs& out = lax_.out();
  if (in.beat && in.beat->header && out.js_ready != 0) {
    asked_own_[in.beat->queue] = in.beat->own;
    asked_[in.beat->queue] = true;
    if (!in.beat->append) dated_[in.beat->queue] = in.beat->deadline != ~std::uint32_t{0};
  }
  if (out.adm_valid != 0 && lax_.in.adm_ready != 0) {
    const unsigned queue = out.adm_qid;
    if (out.adm_accept != 0) {
      live_[queue] = true;
      if (asked_own_[queue]) own_[queue] = true;
    } else if (out.adm_reason <= 2) {
      // rejected now, or expired later; a verdict with another reason does not concern the queue's live job
      live_[queue] = false;
    }
    asked_own_[queue] = asked_[queue] = false;
  }
  if (out.jd_valid != 0) {
    live_[out.jd_qid] = false;
    if (own_[out.jd_qid]) acks_.push_back(out.jd_qid);
    own_[out.jd_qid] = false;
  }
}

}  // namespace castor::hookup
