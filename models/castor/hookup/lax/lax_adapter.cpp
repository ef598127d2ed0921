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

// Fields of CTRL.
lax::Policy policy_of(std::uint32_t ctrl) { return static_cast<lax::Policy>(ctrl >> 4U & 0xfU); }
bool drops_expired(std::uint32_t ctrl) { return (ctrl >> 16U & 1U) != 0; }

}  // namespace

LaxAdapter::LaxAdapter(std::unique_ptr<twin::Twin<lax::Block>> twin, std::vector<RegisterValue> registers)
    : twin_(std::move(twin)),
      registers_(std::move(registers)),
      control_(twin_->params()),
      groups_(twin_->params().groups()),
      dispatch_(*this),
      items_(gpu::kMaxEntries),
      entry_of_(gpu::kMaxQueues, -1) {}

LaxAdapter::~LaxAdapter() = default;

void LaxAdapter::attach(const gpu::HookSite& site) { statistics_ = std::make_unique<LaxStatistics>(*site.statistics); }

void LaxAdapter::detach() { statistics_.reset(); }

// --- Reset and time -------------------------------------------------------------------------------------------------

// The registers are written in the cycles before the next one. Passes of the selection begin where the cycle is a
// multiple of their length, so the number of those cycles is one that ends so.
void LaxAdapter::reset() {
  twin_->reset();
  in_ = {};
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
  Cycle now = next_ - writes - padding;  // modulo 2^48
  const auto edge = [&] {
    in_.now = now++ & kTimeMask;
    static_cast<void>(twin_->settle(in_));
    twin_->clock(in_);
  };
  for (Cycle i = 0; i < padding; ++i) edge();
  for (const RegisterValue& value : registers_) {
    in_.reg_req = 1;
    in_.reg_we = 1;
    in_.reg_addr = value.offset;
    in_.reg_wdata = value.value;
    if (value.offset == lax::reg::kCtrl) ctrl_ = value.value;
    edge();
    in_.now = now & kTimeMask;
    const lax::Outputs& out = twin_->settle(in_);
    CASTOR_ASSERT(out.reg_ack != 0 && out.reg_err == 0, "register %x of the laxity engine refuses %x", value.offset,
                  value.value);
    edge();
  }
  held_ = in_;
  out_ = {};
  fresh_ = false;
  twin_quiet_ = owed_ = 0;
  in_ = {};
  in_.adm_ready = 1;
}

Cycle LaxAdapter::quiet() const {
  if (access_ != Access::kNone || !acks_.empty() || !unplaced_.empty()) return 0;
  return twin_quiet_ == gpu::kForever ? gpu::kForever : twin_quiet_ - owed_;
}

bool LaxAdapter::inert() const {
  if (quiet() == 0 || asked_.any() || may_drop()) return false;
  const bool prema = policy_of(ctrl_) == lax::Policy::kPrema;
  return !prema || (held_.df_vec.none() && out_.pre_vec.none());
}

// Jobs that wait for their next kernel are dropped at the first update behind their deadline.
bool LaxAdapter::may_drop() const {
  if (!drops_expired(ctrl_) || policy_of(ctrl_) != lax::Policy::kLax || (live_ & dated_).none()) return false;
  const lax::Probes probes = twin_->probes();
  for (std::size_t q = live_._Find_first(); q < live_.size(); q = live_._Find_next(q)) {
    const auto bit = static_cast<unsigned>(q);
    if (dated_[q] && !probes.open[bit] && probes.job_state1[bit] && !probes.job_state0[bit]) return true;
  }
  return false;
}

void LaxAdapter::idle(Cycle n) {
  static_cast<void>(look());
  if (statistics_) statistics_->rest(in_, out_, n);
  owed_ += n;
  next_ += n;
}

bool LaxAdapter::holds() const {
  return in_.pe_vec == held_.pe_vec && in_.de_vec == held_.de_vec && in_.df_vec == held_.df_vec &&
         in_.adm_ready == held_.adm_ready;
}

// Outputs of this cycle. Behind a quiet edge they stay as they were.
const lax::Outputs& LaxAdapter::look() {
  if (fresh_ && holds()) return out_;
  catch_up();
  out_ = twin_->settle(in_);
  fresh_ = holds();
  return out_;
}

void LaxAdapter::edge() {
  const bool events = (in_.js_valid | in_.wl_valid | in_.ks_valid | in_.ki_valid | in_.wgc_valid | in_.kd_valid |
                       in_.psel_grant | in_.dsel_grant | in_.reg_req) != 0;
  if (statistics_) statistics_->cycle(in_, out_);
  if (shown_) {
    shown_->in = in_;
    shown_->out = out_;
  }
  if (!events && fresh_ && owed_ < twin_quiet_ && holds()) {
    ++owed_;
    return;
  }
  catch_up();
  twin_->clock(in_);
  held_ = in_;
  fresh_ = false;
  twin_quiet_ = twin_->quiet();
  if (shown_) shown_->probes = twin_->probes();
  // What an event does wrong shows at once, or later when the machine works on it.
  if (statistics_ && (events || twin_quiet_ != 0)) statistics_->see_errors(twin_->probes().errors);
}

void LaxAdapter::catch_up() {
  if (owed_ == 0) return;
  twin_->idle(owed_);
  if (twin_quiet_ != gpu::kForever) twin_quiet_ -= owed_;
  owed_ = 0;
}

// --- Thread blocks --------------------------------------------------------------------------------------------------

const gpu::DispatchOut& LaxAdapter::Dispatch::settle(const gpu::DispatchIn& in) {
  out_ = {};
  owner_.set_vectors(in);
  out_.ready = out_.waiting = !owner_.active_.empty();
  if (owner_.active_.empty()) return out_;
  owner_.in_.now = in.now & kTimeMask;
  const lax::Outputs& out = owner_.look();
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
  in_.de_vec.reset();
  in_.df_vec.reset();
  for (const std::uint16_t entry : active_) {
    ((*in.fits)[entry] ? in_.de_vec : in_.df_vec).set(items_[entry].queue);
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
  // A kernel that was given up before all of it was placed.
  if (in.ev.completed && entry_of_[in.ev.completed->queue] == in.ev.completed->kd) leave(in.ev.completed->kd);
  if (!in.push) return;
  items_[in.push->kd] = {in.push->queue, 0, in.push->tbs};
  entry_of_[in.push->queue] = in.push->kd;
  active_.push_back(in.push->kd);
}

// --- Jobs -----------------------------------------------------------------------------------------------------------

const gpu::JobOut& LaxAdapter::settle(const gpu::JobIn& in) {
  present(in);
  const lax::Outputs& out = look();
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

// What is known before the outputs of the cycle are.
void LaxAdapter::present(const gpu::JobIn& in) {
  in_.now = in.now & kTimeMask;
  in_.pe_vec.reset();
  for (std::size_t q = in.eligible->_Find_first(); q < gpu::kMaxQueues; q = in.eligible->_Find_next(q)) {
    in_.pe_vec.set(static_cast<unsigned>(q));
  }
  in_.adm_ready = in.verdict_ready ? 1 : 0;
  in_.js_valid = in_.wl_valid = 0;
  if (in.beat && in.beat->header) {
    const gpu::JobBeat& beat = *in.beat;
    in_.js_valid = 1;
    in_.js_qid = static_cast<std::uint8_t>(beat.queue);
    in_.js_deadline = beat.deadline;
    in_.js_start = beat.start & kTimeMask;
    in_.js_nkt = beat.kernel_types;
    in_.js_append = beat.append ? 1 : 0;
    in_.js_fits = beat.fits ? 1 : 0;
  } else if (in.beat) {
    in_.wl_valid = 1;
    in_.wl_kid = in.beat->kid;
    in_.wl_numwg = in.beat->groups;
    in_.wl_last = in.beat->last ? 1 : 0;
  }
  present_access(in);
}

// One access at a time: acknowledges of jobs that nobody else acknowledges come first.
void LaxAdapter::present_access(const gpu::JobIn& in) {
  if (access_ != Access::kNone) return;
  if (!acks_.empty()) {
    access_ = Access::kOwn;
    in_.reg_req = in_.reg_we = 1;
    in_.reg_addr = static_cast<std::uint16_t>(lax::reg::kQState + 4 * acks_.front());
    in_.reg_wdata = lax::reg::kHostAck;
  } else if (in.ev.reg) {
    access_ = Access::kPlatform;
    in_.reg_req = 1;
    in_.reg_we = in.ev.reg->write ? 1 : 0;
    in_.reg_addr = static_cast<std::uint16_t>(in.ev.reg->offset);
    in_.reg_wdata = in.ev.reg->value;
  }
}

// Events of queues whose job the engine knows.
void LaxAdapter::present_events(const gpu::JobIn& in) {
  in_.ks_valid = in_.ki_valid = in_.wgc_valid = in_.kd_valid = 0;
  const auto known = [this](const auto& event) { return event && live_[event->queue]; };
  if (known(in.ev.placed)) {
    const gpu::TbEvent& placed = *in.ev.placed;
    in_.ks_valid = placed.first ? 1 : 0;
    in_.ki_valid = placed.last ? 1 : 0;
    in_.ks_qid = in_.ki_qid = static_cast<std::uint8_t>(placed.queue);
    in_.ks_kid = placed.kid;
  }
  if (known(in.ev.done)) {
    in_.wgc_valid = 1;
    in_.wgc_qid = static_cast<std::uint8_t>(in.ev.done->queue);
    in_.wgc_kid = in.ev.done->kid;
  }
  if (known(in.ev.completed)) {
    const gpu::KernelEvent& completed = *in.ev.completed;
    if (started_[completed.queue]) {
      in_.kd_valid = 1;
      in_.kd_qid = static_cast<std::uint8_t>(completed.queue);
      in_.kd_kid = completed.kid;
      in_.kd_last = completed.queue_empty ? 1 : 0;
    } else {
      unplaced_.push_back({completed.queue, completed.kid, completed.queue_empty});
    }
  }
  if (in.ev.completed) started_[in.ev.completed->queue] = false;
  if (unplaced_.empty() || in_.ks_valid != 0 || in_.ki_valid != 0 || in_.kd_valid != 0) return;
  const Done done = unplaced_.front();
  unplaced_.pop_front();
  in_.ks_valid = in_.ki_valid = in_.kd_valid = 1;
  in_.ks_qid = in_.ki_qid = in_.kd_qid = static_cast<std::uint8_t>(done.queue);
  in_.ks_kid = in_.kd_kid = done.kid;
  in_.kd_last = done.last ? 1 : 0;
}

void LaxAdapter::clock(const gpu::JobIn& in) {
  const lax::Outputs& out = out_;
  CASTOR_ASSERT_AT(in.now, in.now == next_, "the laxity engine's next edge is that of cycle %llu",
                   static_cast<unsigned long long>(next_));
  in_.psel_grant = in.granted >= 0 ? 1 : 0;
  in_.dsel_grant = taken_ ? 1 : 0;
  present_events(in);
  note(in);
  const bool answered = access_ != Access::kNone && out.reg_ack != 0;
  edge();
  next_ = in.now + 1;
  taken_ = false;
  in_.psel_grant = in_.dsel_grant = 0;
  in_.ks_valid = in_.ki_valid = in_.wgc_valid = in_.kd_valid = in_.js_valid = in_.wl_valid = 0;
  if (!answered) return;
  if (in_.reg_we != 0 && in_.reg_addr == lax::reg::kCtrl && out.reg_err == 0) ctrl_ = in_.reg_wdata;
  if (access_ == Access::kOwn) acks_.pop_front();
  access_ = Access::kNone;
  in_.reg_req = 0;
}

// Which queues the engine has a job for.
void LaxAdapter::note(const gpu::JobIn& in) {
  const lax::Outputs& out = out_;
  if (in.beat && in.beat->header && out.js_ready != 0) {
    asked_own_[in.beat->queue] = in.beat->own;
    asked_[in.beat->queue] = true;
    if (!in.beat->append) dated_[in.beat->queue] = in.beat->deadline != ~std::uint32_t{0};
  }
  if (out.adm_valid != 0 && in_.adm_ready != 0) {
    const unsigned queue = out.adm_qid;
    if (out.adm_accept != 0) {
      live_[queue] = true;
      if (asked_own_[queue]) own_[queue] = true;
    } else if (out.adm_reason <= 2) {
      live_[queue] = false;  // refused, or given up later; other reasons leave the queue's job as it is
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
