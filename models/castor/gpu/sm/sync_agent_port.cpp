#include "castor/gpu/sm/sync_agent_port.h"

#include <algorithm>

#include "castor/gpu/execution/lane_access.h"
#include "castor/gpu/hook_check.h"
#include "castor/gpu/hooks/waves.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/note_largest.h"
#include "castor/gpu/sm/barriers.h"
#include "castor/gpu/sm/blocked_warps.h"
#include "castor/gpu/sm/instruction_buffer.h"
#include "castor/gpu/sm/issue_stage.h"
#include "castor/gpu/sm/scoreboard.h"
#include "castor/gpu/sm/spin_watch.h"
#include "castor/gpu/sm/thread_blocks.h"
#include "castor/gpu/sm/warp_table.h"
#include "castor/gpu/wait_graph.h"
#include "castor/isa/site_check.h"

namespace castor::gpu {
namespace {

// Returns whether an instruction stops its kernel (check_sync).
[[nodiscard]] bool stops_kernel(const SyncIssue& one) {
  return !one.uniform || (!one.full && contains(isa::kBlockingOps, one.op));
}

// Returns a bit per scheduler that has an instruction in the list.
[[nodiscard]] std::uint64_t schedulers_of(View<SyncIssue> list) {
  std::uint64_t schedulers = 0;
  for (const SyncIssue& one : list) schedulers |= std::uint64_t{1} << one.scheduler;
  return schedulers;
}

}  // namespace

SyncAgentPort::SyncAgentPort(const SmParts& parts)
    : parts_(parts),
      group_(parts.statistics, "sync_agent"),
      counters_(parts.statistics),
      issue_counters_(parts.statistics),
      agent_(*parts.hooks.agent),
      link_(parts.machine.xbar.sync_latency) {
  attach_hook(agent_, "sync_agent", parts, group_);
  quiet_ = agent_.quiet();
  parts.outbox.set_sync_link(link_);
  link_.on_reset([this] { reset(); });
}

// --- S0 --------------------------------------------------------------------------------------------------------------

void SyncAgentPort::begin_tick() {
  in_.kernel_start.reset();
  in_.received.reset();
  in_.start.reset();
  in_.retired.reset();
  in_.exit = {};
  in_.issue = {};
  in_.stopped = 0;
  in_.send_ready = in_.job_ready = false;
  in_.parked.reset();
  candidates_.count = issued_.count = 0;
  refused_ = 0;
}

void SyncAgentPort::take_messages() {
  const Cycle now = parts_.clock.now();
  if (const SyncKernel* const kernel = link_.started(now)) {
    in_.kernel_start = *kernel;
    link_.take_start();
  }
  if (const SyncMessage* const message = link_.received(now)) in_.received = *message;
}

void SyncAgentPort::start(TbStart& start) {
  if (!start.tb.kernel->synchronises) return;
  tbs_ |= TbMask{1} << start.context;
  in_.start = start.event;
}

// Warps that had exited before the TB left do not come back.
void SyncAgentPort::come_back(TbStart& start, const SavedTb& /*saved*/) {
  if (!in_.start) return;
  in_.start->warps &= start.tb.live;
  in_.start->full &= start.tb.live;
}

bool SyncAgentPort::awake() const {
  return tbs_ != 0 || in_.received || in_.kernel_start || out_.send || out_.job || in_.parked || owed_ >= quiet_;
}

void SyncAgentPort::settle_early(WarpMask /*eligible*/) {
  AgentWires& wires = parts_.tbs.engine_moves().agent;
  in_.parked = wires.parked;
  awake_ = awake();
  if (!awake_) return;
  flush();
  in_.now = parts_.clock.now();
  out_ = agent_.settle(in_);
  if (in_.parked) settle_parked(wires);
  show_job(wires);
  const WarpMask stall = out_.stall & live_warps();
  if (stall != parts_.blocked.stalled()) parts_.watch.disturb();
  parts_.blocked.stall(stall);
  waiting_ &= stall;
  for (TbMask left = out_.acquire & tbs_; left != 0; left &= left - 1) parts_.tbs.acquire(lowest(left), in_.now);
}

// Asks the agent whether it takes the TB that the swap engine has moved out. The answer may depend on whether its
// message of the tick is sent.
void SyncAgentPort::settle_parked(AgentWires& wires) {
  const AgentOut early = out_;
  in_.send_ready = out_.send && link_.can_send(in_.now);
  out_ = agent_.settle(in_);
  check_early(early);
  wires.park_ready = out_.park_ready;
}

void SyncAgentPort::show_job(AgentWires& wires) {
  CASTOR_HOOK_CHECK(agent_, in_.now, !out_.job || parts_.hooks.swap != nullptr,
                    "sync_agent of SM %u gives a job, but the machine has no swap engines", parts_.sm);
  wires.job = out_.job;
  wires.local_room = out_.local_room;
}

void SyncAgentPort::check_early(const AgentOut& early) const {
  const bool same = out_.stall == early.stall && out_.acquire == early.acquire && out_.send == early.send &&
                    out_.receive_ready == early.receive_ready && out_.job == early.job &&
                    out_.local_room == early.local_room;
  CASTOR_HOOK_CHECK(agent_, in_.now, same,
                    "sync_agent of SM %u changes an output after settle that may depend on its state only", parts_.sm);
}

// Applies the ticks in which the agent was not called.
void SyncAgentPort::flush() {
  if (owed_ != 0) agent_.idle(owed_);
  if (quiet_ != kForever) quiet_ -= std::min<Cycle>(quiet_, owed_);
  owed_ = 0;
}

WarpMask SyncAgentPort::live_warps() const {
  WarpMask warps = 0;
  for (TbMask left = tbs_; left != 0; left &= left - 1) warps |= parts_.tbs[lowest(left)].live;
  return warps;
}

// --- S5 --------------------------------------------------------------------------------------------------------------

// Returns whether the head of a picked warp is an instruction for the agent.
bool SyncAgentPort::is_candidate(unsigned w) const {
  if ((parts_.buffer.meets() & warp_bit(w)) == 0 || (parts_.buffer.head(w)->flags & kSynchronises) == 0) return false;
  const WarpState& warp = parts_.warps[w];
  const isa::Record& record = warp.records[warp.pc];
  return (tbs_ >> warp.tb & 1) != 0 && contains(kMeetingOps, static_cast<isa::SyncOp>(record.imm)) &&
         isa::guarded(record, warp.predicates, warp.active) != 0;
}

SyncIssue SyncAgentPort::describe(unsigned scheduler, unsigned w) const {
  const WarpState& warp = parts_.warps[w];
  const isa::Record& record = warp.records[warp.pc];
  const isa::RegisterView view = parts_.warps.view(w);
  const LaneMask mask = isa::guarded(record, warp.predicates, warp.active);
  const SyncOperands operands = sync_operands(record, view, first_lane(mask));
  SyncIssue one;
  one.scheduler = static_cast<std::uint8_t>(scheduler);
  one.warp = static_cast<std::uint8_t>(w);
  one.tb = static_cast<std::uint8_t>(warp.tb);
  one.op = static_cast<isa::SyncOp>(record.imm);
  one.full = mask == warp.stack.live();
  one.uniform = !differing_lane(record, view, mask);
  one.operand = {operands.event, operands.target};
  const isa::Program& program = *warp.program;
  if (const isa::SyncSite* const site = isa::find_site(program, warp.pc)) {
    const auto number = static_cast<std::size_t>(site - program.sync.sites.data());
    if (number < isa::kMostSites) one.site = static_cast<std::uint8_t>(number);
  }
  return one;
}

void SyncAgentPort::settle(const Picks& picks) {
  if (tbs_ == 0) return;
  const Schedulers& schedulers = parts_.issue.schedulers();
  std::array<unsigned, kMaxSchedulers> chosen{};  // [scheduler] number of the pick that is its candidate
  for (unsigned s = 0; s < schedulers.count; ++s) {
    bool found = false;
    for (unsigned j = 0; j < schedulers.picks; ++j) {
      if (picks[s][j] < 0 || !is_candidate(static_cast<std::uint8_t>(picks[s][j]))) continue;
      if (found) {
        parts_.issue.refuse(s, j);  // a scheduler issues one such instruction per tick
        continue;
      }
      found = true;
      chosen[s] = j;
      candidates_.add(describe(s, static_cast<std::uint8_t>(picks[s][j])));
    }
  }
  if (candidates_.count == 0) return;
  settle_candidates();
  for (const SyncIssue& one : candidates_.view()) {
    if ((out_.issue_ready >> one.scheduler & 1) != 0) continue;
    refused_ |= warp_bit(one.warp);
    ++issue_counters_.refused;
    parts_.issue.refuse(one.scheduler, chosen[one.scheduler]);
  }
}

void SyncAgentPort::settle_candidates() {
  const AgentOut early = out_;
  in_.issue = candidates_.view();
  out_ = agent_.settle(in_);
  check_early(early);
  CASTOR_HOOK_CHECK(agent_, in_.now, !in_.parked || out_.park_ready == early.park_ready,
                    "sync_agent of SM %u changes park_ready for an instruction", parts_.sm);
}

bool SyncAgentPort::issue(unsigned /*scheduler*/, unsigned w, const isa::Record& record, const Decoded& decoded,
                          LaneMask /*mask*/) {
  if ((decoded.flags & kSynchronises) == 0) return false;
  for (const SyncIssue& one : candidates_.view()) {
    if (one.warp != w || stops_kernel(one)) continue;
    issued_.add(one);
    ++issue_counters_.issued;
    parts_.watch.disturb();
    if (!contains(isa::kBlockingOps, one.op)) continue;
    waiting_ |= warp_bit(w);
    waits_[w] = {
        one.op, {one.operand[0], one.operand[1]}, static_cast<std::uint32_t>(&record - parts_.warps[w].records)};
  }
  return false;
}

// --- S9 --------------------------------------------------------------------------------------------------------------

TbMask SyncAgentPort::quiesced() const {
  const Scoreboard& scoreboard = parts_.scoreboard;
  const WarpMask busy = scoreboard.memory_busy() | scoreboard.in_flight();
  TbMask quiesced = 0;
  for (TbMask tbs = tbs_; tbs != 0; tbs &= tbs - 1) {
    const TbState& tb = parts_.tbs[lowest(tbs)];
    if ((tb.warps & busy) != 0) continue;
    WarpMask left = tb.live;
    while (left != 0 && scoreboard.quiet(lowest(left))) left &= left - 1;
    if (left == 0) quiesced |= tbs & -tbs;
  }
  // The stores of the swap engine that have left a context are older than those of the TB that is there now.
  return quiesced & ~parts_.tbs.engine_moves().agent.open;
}

View<WarpExit> SyncAgentPort::exits() {
  std::size_t count = 0;
  for (const WarpExit& exit : parts_.barriers.exits()) {
    if ((tbs_ >> exit.tb & 1) != 0) exits_[count++] = exit;
  }
  return {exits_.data(), count};
}

void SyncAgentPort::retire(unsigned context, TbRetireMessage& /*message*/) {
  if ((tbs_ >> context & 1) != 0) in_.retired = static_cast<std::uint8_t>(context);
}

void SyncAgentPort::clock() {
  if (!awake_) {
    ++owed_;
    // An SM that never sleeps has no other occasion to bring the agent up to date before a report.
    if (!parts_.machine.run.sleep) flush();
    return;
  }
  ++clocked_;
  in_.exit = exits();
  if (in_.retired) tbs_ &= ~(TbMask{1} << *in_.retired);
  in_.quiesced &= tbs_;
  in_.issue = issued_.view();
  in_.send_ready = out_.send && link_.can_send(in_.now);
  in_.job_ready = out_.job && parts_.tbs.engine_moves().agent.job_ready;
  blocked_ = out_.send && !in_.send_ready;
  agent_.clock(in_);
  if (in_.send_ready) send();
  if (blocked_) ++counters_.blocked;
  if (in_.received && out_.receive_ready) take_received();
  if (in_.start || in_.kernel_start || in_.retired || in_.stopped != 0 || !in_.exit.empty() || in_.job_ready ||
      in_.parked) {
    parts_.clock.stir();
  }
  quiet_ = agent_.quiet();
}

void SyncAgentPort::send() {
  const Cycle arrives = link_.send(*out_.send, in_.now);
  ++counters_.sent;
  note_largest(counters_.fill_max, link_.up_fill(in_.now));
  parts_.outbox.wake_front_end(arrives);
  parts_.clock.stir();
}

void SyncAgentPort::take_received() {
  link_.take_received(in_.now);
  parts_.outbox.wake_front_end(in_.now + 1);
  parts_.watch.disturb();
  parts_.clock.stir();
}

// --- Between ticks ---------------------------------------------------------------------------------------------------

void SyncAgentPort::idle(Tick ticks) {
  owed_ += ticks;
  if (blocked_) counters_.blocked += ticks;
  flush();
}

// A message that has arrived and that the agent does not take wakes nobody again.
Cycle SyncAgentPort::wake() const {
  const Cycle now = parts_.clock.now();
  const Cycle quiet = quiet_ == kForever ? kForever : quiet_ - std::min<Cycle>(quiet_, owed_);
  Cycle wake = quiet >= kForever - now - 1 ? kForever : now + 1 + quiet;
  if (link_.next_received() > now) wake = std::min(wake, link_.next_received());
  if (blocked_) wake = std::min(wake, link_.next_credit());
  return std::min(wake, link_.next_start());
}

void SyncAgentPort::reset() {
  agent_.reset();
  tbs_ = 0;
  in_ = {};
  out_ = {};
  blocked_ = false;
  candidates_.count = issued_.count = 0;
  waiting_ = refused_ = 0;
  quiet_ = agent_.quiet();
  owed_ = 0;
  parts_.blocked.stall(0);
}

void SyncAgentPort::add_waiting(std::vector<WaitReason>& reasons) const {
  const WarpMask stalled = parts_.blocked.stalled();
  for (WarpMask left = waiting_ & stalled; left != 0; left &= left - 1) {
    const Wait& wait = waits_[lowest(left)];
    reasons.push_back({warp_bit(lowest(left)), "waits at " + sync_text(wait.op, wait.operands), wait.pc});
  }
  reasons.push_back({stalled & ~waiting_, "is stalled by the synchronisation agent", std::nullopt});
}

void SyncAgentPort::waits(WaitGraph& graph) const {
  add_waits(agent_, "sync_agent", parts_.sm, graph);
  if (const Cycle arrival = link_.next_received(); arrival != kForever) {
    graph.say("has not taken a message of the hub with arrival cycle " + std::to_string(arrival));
  }
  if (blocked_) {
    graph.say("waits for room in its channel to the hub, which holds " + std::to_string(link_.depth()) + " messages");
  }
  for (WarpMask left = parts_.blocked.stalled(); left != 0; left &= left - 1) {
    graph.add(warp_node(parts_.sm, lowest(left)), sync_hub_node());
  }
}

void SyncAgentPort::add_waves(Waves& waves, const std::string& scope) const {
  agent_.add_waves(waves, scope);
  const std::string net = scope + ".sync_net";
  waves.add(net, "stalled", 64, [this] { return parts_.blocked.stalled(); });
  waves.add(net, "quiesced", 64, [this] { return tbs_ != 0 ? in_.quiesced : 0; });
  waves.add(net, "issued", 8, [this] { return schedulers_of(issued_.view()); });
  waves.add(net, "refused", 64, &refused_);
  waves.add(net, "sends", 1, &in_.send_ready);
  waves.add(net, "blocked", 1, &blocked_);
  waves.add(net, "down_fill", 16, [this] { return link_.down_fill(); });
}

}  // namespace castor::gpu
