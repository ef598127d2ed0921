#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "castor/gpu/hooks/sync_agent.h"
#include "castor/gpu/hooks/sync_hub.h"
#include "castor/gpu/wait_graph.h"

// A hub and agents that execute the instructions of device-wide synchronisation (docs/gpu/synchronisation.md). Of a
// kernel that owns the machine they swap thread blocks at grid barriers: one that arrives goes out while another is
// pending, and one that ends makes place for a pending one. They are plain models without a twin: the tests of the
// timing GPU and the test block tests/twin/roster use them. The base of both is a parameter, so that tests can check
// how they are clocked.
namespace castor::gpu::test {

/// Base of a hook without checks of its own.
template <class In, class Out>
class PlainHook : public ClockedHook<In, Out> {
 public:
  void attach(const HookSite& site) override { site_ = site; }
  void detach() override { site_ = {}; }
  void idle(Cycle /*n*/) override {}
  void clock(const In& in) final { edge(in); }

 protected:
  virtual void edge(const In& in) = 0;
  void restart() {}
  HookSite site_;
};

/// Errors that hub and agents report (HookError); the information is the number of the thread block or of the event.
enum class SyncModelError : unsigned {
  kDiffers = 1,    ///< warps of a thread block wait at different instructions or with different operands
  kEvent = 2,      ///< event number beyond the limit, target 0, or a target that differs from the first call of the
                   ///< round
  kEnded = 3,      ///< a thread block ends although others wait, or will wait, at a grid barrier
  kUnbalanced = 4  ///< the kernel has ended with an event that has not fired
};

/// Messages of hub and agents.
struct SyncModelMessage {
  /// kEnd, of a kernel that owns the machine: the context is vacant. kFill: it is so still, behind a release. kPush: a
  /// thread block has been swapped out; with `fresh` its context stays in the SM. kSwap: the thread block that has
  /// arrived goes out, another one comes in. kEnter and kNone answer kEnd and kFill.
  enum class Type : std::uint8_t { kArrive, kWait, kSignal, kEnd, kRelease, kWake, kFill, kPush, kSwap, kEnter, kNone };
  Type type = Type::kArrive;
  std::uint16_t kernel = 0;  ///< number of the kernel since the reset; messages of older ones are dropped
  std::uint8_t context = 0;  ///< kArrive, kWait, kEnd, kFill, kSwap, kEnter, kNone
  bool fresh = false;        ///< kSwap, kEnter: the thread block has not run yet
  std::uint32_t gid = 0;     ///< kArrive, kWait, kEnd, kPush: thread block; kSwap, kEnter: the one that comes in
  std::uint32_t event = 0, target = 0;  ///< kWait, kSignal
  TbMask wakes = 0;                     ///< kWake: TB contexts that resume
  SwapEntry entry;                      ///< kPush, kSwap, kEnter

  [[nodiscard]] bool moves() const { return type == Type::kPush || type == Type::kSwap || type == Type::kEnter; }
  [[nodiscard]] SyncMessage pack() const {
    SyncMessage message;
    message.bits = SyncMessage::kMaxBits;
    message.word[0] = static_cast<std::uint64_t>(type) | std::uint64_t{fresh} << 7U | std::uint64_t{context} << 8U |
                      std::uint64_t{kernel} << 16U | std::uint64_t{gid} << 32U;
    message.word[1] = event | std::uint64_t{target} << 32U;
    message.word[2] = wakes;
    if (moves()) std::copy(entry.word.begin(), entry.word.end(), message.word.begin() + 1);
    return message;
  }
  [[nodiscard]] static SyncModelMessage unpack(const SyncMessage& from) {
    SyncModelMessage message;
    message.type = static_cast<Type>(from.word[0] & 0x7fU);
    message.fresh = (from.word[0] >> 7U & 1U) != 0;
    message.context = static_cast<std::uint8_t>(from.word[0] >> 8U);
    message.kernel = static_cast<std::uint16_t>(from.word[0] >> 16U);
    message.gid = static_cast<std::uint32_t>(from.word[0] >> 32U);
    if (message.moves()) {
      std::copy(from.word.begin() + 1, from.word.end(), message.entry.word.begin());
      return message;
    }
    message.event = static_cast<std::uint32_t>(from.word[1]);
    message.target = static_cast<std::uint32_t>(from.word[1] >> 32U);
    message.wakes = from.word[2];
    return message;
  }
};

/// Agent of one SM. It stalls a warp that issues tb.gridsync or tb.wait from the next tick on. When all live warps of a
/// TB are stalled and the TB is quiesced, the agent sends one message for the TB. The agent sends a signal at once. At
/// most one signal issues per tick, and none while kDepth messages wait to be sent. The agent takes a TB that has been
/// swapped out when no other message waits to be sent. A job names the site at which all warps of its TB wait.
template <class Base>
class SyncModelAgent : public Base {
 public:
  static constexpr std::size_t kDepth = 8;

  void reset() override {
    tbs_ = {};
    out_ = {};
    queue_.clear();
    jobs_.clear();
    kernel_ = 0;
    changed_ = owned_ = false;
    Base::restart();
  }
  [[nodiscard]] Cycle quiet() const override {
    if (out_.acquire != 0 || !queue_.empty() || !jobs_.empty() || changed_) return 0;
    const bool due = std::any_of(tbs_.begin(), tbs_.end(), [this](const Tb& tb) { return is_due(tb, quiesced_); });
    return due ? 0 : kForever;
  }
  const AgentOut& settle(const AgentIn& in) override {
    out_.issue_ready = 0;
    bool room = queue_.size() < kDepth;
    for (const SyncIssue& one : in.issue) {
      const bool signals = one.op == isa::SyncOp::kSignal;
      if (signals && !room) continue;
      room = room && !signals;
      out_.issue_ready |= static_cast<std::uint8_t>(1U << one.scheduler);
    }
    out_.park_ready = in.parked && (queue_.empty() || (queue_.size() == 1 && in.send_ready));
    return out_;
  }
  void waits(WaitGraph& graph) const override {
    for (unsigned context = 0; context < tbs_.size(); ++context) {
      const Tb& tb = tbs_[context];
      if (tb.state != State::kRuns) continue;
      graph.add(sync_hub_node(), block_node(Base::site_.sm, context, tb.gid));
    }
  }

 protected:
  void edge(const AgentIn& in) override {
    const WarpMask stall = out_.stall;
    out_.acquire = 0;
    quiesced_ = in.quiesced;
    if (in.kernel_start) {
      begin(*in.kernel_start);
    } else {
      if (in.send_ready) queue_.pop_front();
      if (in.job_ready) jobs_.pop_front();
      if (in.parked && out_.park_ready) park(*in.parked);
      if (in.received) take(SyncModelMessage::unpack(*in.received));
      send_due(in.quiesced);
      for (const SyncIssue& one : in.issue) issue(one);
      for (const WarpExit& one : in.exit) tbs_[one.tb].live &= ~(WarpMask{1} << one.warp);
    }
    if (in.start) start(*in.start);
    for (TbMask left = in.stopped; left != 0; left &= left - 1) stop(tbs_[lowest(left)]);
    if (in.retired) retire(tbs_[*in.retired]);
    out_.send.reset();
    if (!queue_.empty()) out_.send = queue_.front().pack();
    out_.job.reset();
    if (!jobs_.empty()) out_.job = jobs_.front();
    changed_ = out_.stall != stall;
  }

 private:
  /// kOut: the TB goes out. kFilling: the next one comes in. kVacant: no TB has come. kStopped: the TB was stopped.
  enum class State : std::uint8_t { kEmpty, kRuns, kWaits, kEnded, kOut, kFilling, kVacant, kStopped };
  struct Tb {
    State state = State::kEmpty;
    bool retired = false;
    std::uint32_t context = 0, gid = 0;
    std::uint32_t next = 0;  ///< kOut, kFilling: TB that comes in
    bool out = false;        ///< kOut, kFilling: the job moves this TB out
    WarpMask live = 0;       ///< warps that have not exited
    WarpMask arrived = 0;    ///< warps that wait
    SyncIssue at;            ///< instruction of the first warp that has arrived
  };

  [[nodiscard]] static unsigned lowest(std::uint64_t mask) { return static_cast<unsigned>(__builtin_ctzll(mask)); }
  /// Returns whether the message of a TB that waits or has ended can be sent.
  [[nodiscard]] static bool is_due(const Tb& tb, TbMask quiesced) {
    return tb.state == State::kRuns && tb.arrived == tb.live && (tb.retired || (quiesced >> tb.context & 1) != 0);
  }

  void begin(const SyncKernel& kernel) {
    ++kernel_;
    owned_ = out_.local_room = kernel.owned;
    queue_.clear();
    jobs_.clear();
    tbs_ = {};
    out_.stall = 0;
  }
  void start(const TbStartEvent& event) {
    Tb& tb = tbs_[event.tb] = {};
    tb.state = State::kRuns;
    tb.context = event.tb;
    tb.gid = event.gid;
    tb.live = event.warps;
  }
  /// A TB of a kernel that owns the machine is reported as ended when it retires, and so is at once the TB that would
  /// have taken its context.
  void stop(Tb& tb) {
    out_.stall &= ~tb.arrived;
    if (!owned_) {
      tb = {};
      return;
    }
    if (tb.state == State::kEnded || (tb.state == State::kFilling && !tb.out)) return;
    if (tb.state == State::kOut || tb.state == State::kFilling) {
      jobs_.erase(
          std::remove_if(jobs_.begin(), jobs_.end(), [&tb](const SwapJob& job) { return job.slot == tb.context; }),
          jobs_.end());
      push_end(tb.next, tb.context);
    }
    tb.state = State::kStopped;
  }
  // A TB that has retired is quiesced. Its end may still have to be sent.
  void retire(Tb& tb) {
    tb.retired = true;
    if (tb.state != State::kStopped) return;
    push_end(tb.gid, tb.context);
    tb.state = State::kEmpty;
  }
  void push_end(std::uint32_t gid, std::uint32_t context) {
    SyncModelMessage message;
    message.type = SyncModelMessage::Type::kEnd;
    message.context = static_cast<std::uint8_t>(context);
    message.gid = gid;
    push(message);
  }
  void park(const SwapParked& parked) {
    SyncModelMessage message;
    message.type = SyncModelMessage::Type::kPush;
    message.gid = tbs_[parked.slot].gid;
    message.fresh = parked.local;
    message.entry = parked.entry;
    push(message);
    tbs_[parked.slot].state = State::kFilling;
    out_.stall &= ~tbs_[parked.slot].arrived;
  }
  /// Gives the engine the job that a message orders.
  void move(const SyncModelMessage& message) {
    Tb& tb = tbs_[message.context];
    const bool out = message.type == SyncModelMessage::Type::kSwap;
    if (out && tb.state != State::kWaits) return push_end(message.gid, message.context);  // it was stopped
    SwapJob job;
    job.slot = message.context;
    job.out = tb.out = out;
    job.gid = out ? tb.gid : 0;
    if (out) job.site = tb.at.site;
    job.fresh = message.fresh;
    job.in_gid = tb.next = message.gid;
    job.entry = message.entry;
    jobs_.push_back(job);
    tb.state = out ? State::kOut : State::kFilling;
  }
  void fill(Tb& tb) {
    SyncModelMessage message;
    message.type = SyncModelMessage::Type::kFill;
    message.context = static_cast<std::uint8_t>(tb.context);
    push(message);
    tb.state = State::kEnded;
  }

  void send_due(TbMask quiesced) {
    const auto tb = std::find_if(tbs_.begin(), tbs_.end(), [&](const Tb& one) { return is_due(one, quiesced); });
    if (tb == tbs_.end() || queue_.size() >= kDepth) return;
    SyncModelMessage message;
    using Type = SyncModelMessage::Type;
    message.type = tb->live == 0 ? Type::kEnd : tb->at.op == isa::SyncOp::kGridBarrier ? Type::kArrive : Type::kWait;
    message.context = static_cast<std::uint8_t>(tb->context);
    message.gid = tb->gid;
    message.event = tb->at.operand[0];
    message.target = tb->at.operand[1];
    push(message);
    tb->state = tb->live == 0 ? State::kEnded : State::kWaits;
  }

  void issue(const SyncIssue& one) {
    Tb& tb = tbs_[one.tb];
    if (one.op == isa::SyncOp::kSignal) {
      SyncModelMessage message;
      message.type = SyncModelMessage::Type::kSignal;
      message.event = one.operand[0];
      message.target = one.operand[1];
      push(message);
      return;
    }
    if (tb.arrived == 0) tb.at = one;
    if (tb.at.site != one.site) tb.at.site = SyncIssue::kNoSite;
    if (tb.at.op != one.op || tb.at.operand != one.operand)
      Base::site_.error(static_cast<unsigned>(SyncModelError::kDiffers), tb.gid, one.tb);
    tb.arrived |= WarpMask{1} << one.warp;
    out_.stall |= WarpMask{1} << one.warp;
  }

  void push(SyncModelMessage message) {
    message.kernel = kernel_;
    queue_.push_back(message);
  }

  void take(const SyncModelMessage& message) {
    if (message.kernel != kernel_) return;
    using Type = SyncModelMessage::Type;
    if (message.type == Type::kSwap || message.type == Type::kEnter) return move(message);
    if (message.type == Type::kNone) {
      tbs_[message.context].state = State::kVacant;
      return;
    }
    const bool release = message.type == Type::kRelease;
    for (Tb& tb : tbs_) {
      if (release && tb.state == State::kVacant) fill(tb);
      if (tb.state != State::kWaits) continue;
      if (release ? tb.at.op != isa::SyncOp::kGridBarrier : (message.wakes >> tb.context & 1) == 0) continue;
      out_.stall &= ~tb.arrived;
      out_.acquire |= TbMask{1} << tb.context;
      tb.arrived = 0;
      tb.state = State::kRuns;
    }
  }

  std::array<Tb, 64> tbs_{};
  AgentOut out_;
  std::deque<SyncModelMessage> queue_;  // messages to the hub; the first one is offered
  std::deque<SwapJob> jobs_;            // jobs for the engine; the first one is offered
  std::uint16_t kernel_ = 0;            // kernels announced since the reset
  bool owned_ = false;                  // the kernel owns the machine
  TbMask quiesced_ = 0;                 // quiesced TBs at the last edge
  bool changed_ = false;                // the last edge has changed `stall`
};

/// Hub: an input register that takes one message per cycle in round robin over the SMs, the grid barrier and the events
/// of the kernel, and a queue of messages to SMs. Of a kernel that owns the machine it takes no message before the fill
/// is over, and keeps the TBs that are swapped out in the order in which they have gone out. One whose context stays in
/// its SM comes back to that SM.
template <class Base>
class SyncModelHub : public Base {
 public:
  void reset() override {
    state_ = {};
    out_ = {};
    in_.reset();
    queue_.clear();
    kernel_ = 0;
    changed_ = filled_ = false;
    Base::restart();
  }
  [[nodiscard]] Cycle quiet() const override { return in_ || !queue_.empty() || changed_ || out_.done ? 0 : kForever; }
  const HubOut& settle(const HubIn& in) override {
    out_.take.reset();
    out_.pop = in_ && in.next_tb && wants_tb(in_->second);
    const bool open = !owned() || filled_ || state_.stopped;
    for (unsigned i = 1; open && i <= in.up.size && out_.take.none(); ++i) {
      const auto sm = static_cast<unsigned>((last_ + i) % in.up.size);
      if (in.up[sm]) out_.take[sm] = true;
    }
    return out_;
  }
  void waits(WaitGraph& graph) const override {
    if (!state_.launch) return;
    if (!state_.arrived.empty()) {
      graph.say("grid barrier: " + std::to_string(state_.arrived.size()) + " of " + std::to_string(expected()) +
                " blocks have arrived; missing:" + missing());
    }
    if (!state_.parked.empty()) {
      const auto ready =
          std::count_if(state_.parked.begin(), state_.parked.end(), [](const Away& tb) { return tb.ready; });
      graph.say(std::to_string(state_.parked.size()) + " blocks are swapped out, " + std::to_string(ready) +
                " of them may come back");
    }
    for (const auto& [number, event] : state_.events) {
      graph.say("event " + std::to_string(number) + ": count " + std::to_string(event.count) + " of " +
                std::to_string(event.target) + "; waiting blocks: " + std::to_string(event.sleepers.size()));
    }
  }

 protected:
  void edge(const HubIn& in) override {
    sms_ = static_cast<unsigned>(in.up.size);
    if (!queue_.empty() && (queue_.front().to & ~in.room).none()) queue_.pop_front();
    if (const auto message = std::exchange(in_, std::nullopt)) {
      process(message->second, message->first, out_.pop ? in.next_tb : Maybe<std::uint32_t>{});
    }
    filled_ = in.filled;
    if (in.launch) {
      state_ = {};
      state_.launch = in.launch;
      ++kernel_;
    }
    if (owned() && in.ev.placed && in.ev.placed->kd == state_.launch->kd) state_.on_sms.insert(in.ev.placed->gid);
    if (in.stopped) stop();
    const KdMask hold = out_.hold;
    out_.hold.reset();
    if (state_.launch && !state_.stopped && state_.ended.size() < state_.launch->tbs)
      out_.hold[state_.launch->kd] = true;
    out_.done = owned() && !state_.done && over();
    state_.done = state_.done || out_.done;
    changed_ = out_.hold != hold;
    out_.down.reset();
    if (!queue_.empty()) out_.down = queue_.front();
    if (out_.take.none()) return;
    last_ = static_cast<unsigned>(out_.take._Find_first());
    in_ = {last_, SyncModelMessage::unpack(*in.up[last_])};
  }
  [[nodiscard]] const Maybe<SyncKernel>& launch() const { return state_.launch; }

 private:
  struct Event {
    std::uint32_t count = 0, target = 0;
    std::map<unsigned, TbMask> sleepers;  ///< by SM
  };
  /// Thread block that is swapped out.
  struct Away {
    std::uint32_t gid = 0;
    SwapEntry entry;
    unsigned sm = 0;
    bool local = false;  ///< its context is in SM `sm`, to which it comes back
    bool ready = false;  ///< it may come back
  };
  /// State of the synchronising kernel in the table.
  struct Kernel {
    Maybe<SyncKernel> launch;
    std::set<std::uint32_t> arrived, ended;  ///< thread blocks at the grid barrier; thread blocks that have ended
    std::map<std::uint32_t, Event> events;   ///< events with a count other than 0
    bool failed = false;                     ///< an error was reported
    // Of a kernel that owns the machine.
    std::set<std::uint32_t> on_sms;  ///< TBs that are on an SM, on their way to one or from one
    std::deque<Away> parked;         ///< TBs that are swapped out, in the order in which they have gone out
    bool stopped = false, done = false;
  };
  using Type = SyncModelMessage::Type;

  [[nodiscard]] bool owned() const { return state_.launch && state_.launch->owned; }
  [[nodiscard]] bool over() const {
    if (state_.stopped) return state_.on_sms.empty() && !in_ && queue_.empty();
    return state_.ended.size() == state_.launch->tbs && queue_.empty();
  }
  /// Returns whether a message is answered with a thread block, if one is pending.
  [[nodiscard]] bool wants_tb(const SyncModelMessage& message) const {
    if (!owned() || state_.stopped || state_.failed || message.kernel != kernel_) return false;
    if (message.type == Type::kArrive) return state_.arrived.size() + 1 < expected();
    return message.type == Type::kEnd || message.type == Type::kFill;
  }
  [[nodiscard]] std::size_t expected() const { return state_.launch->tbs - state_.ended.size(); }
  [[nodiscard]] std::string missing() const {
    std::string text;
    for (std::uint32_t gid = 0, named = 0; gid < state_.launch->tbs && named < 8; ++gid) {
      if (state_.arrived.count(gid) + state_.ended.count(gid) != 0) continue;
      text += " " + std::to_string(gid);
      ++named;
    }
    return text;
  }
  void fail(SyncModelError error, std::uint64_t information) {
    if (!std::exchange(state_.failed, true))
      Base::site_.error(static_cast<unsigned>(error), information, state_.launch->kd);
  }

  void stop() {
    const bool owner = owned();
    if (!owner) state_ = {};
    for (const SyncDown& down : queue_) {
      const SyncModelMessage message = SyncModelMessage::unpack(down.message);
      if (owner && message.moves()) state_.on_sms.erase(message.gid);
    }
    queue_.clear();
    state_.stopped = owner;
  }

  void process(const SyncModelMessage& message, unsigned sm, const Maybe<std::uint32_t>& next) {
    if (!state_.launch || message.kernel != kernel_) return;
    if (message.type == Type::kWait || message.type == Type::kSignal) return count(message, sm);
    if (message.type == Type::kEnd || message.type == Type::kPush) state_.on_sms.erase(message.gid);
    if (message.type == Type::kPush) state_.parked.push_back({message.gid, message.entry, sm, message.fresh, false});
    if (state_.stopped || message.type == Type::kPush) return;
    if (message.type == Type::kFill) return give(Type::kEnter, message, sm, next);
    const bool arrives = message.type == Type::kArrive;
    (arrives ? state_.arrived : state_.ended).insert(message.gid);
    if (!state_.arrived.empty() && !state_.ended.empty() && state_.launch->exit == SyncExit::kError)
      return fail(SyncModelError::kEnded, *state_.ended.begin());
    const bool releases = !state_.arrived.empty() && state_.arrived.size() == expected();
    if (releases) release();
    if (state_.ended.size() == state_.launch->tbs && !state_.events.empty())
      fail(SyncModelError::kUnbalanced, state_.events.begin()->first);
    if (!owned() || (arrives && releases) || state_.ended.size() == state_.launch->tbs) return;
    give(arrives ? Type::kSwap : Type::kEnter, message, sm, next);
  }

  /// Returns a thread block that may come back to an SM; those whose context is there come first.
  [[nodiscard]] typename std::deque<Away>::iterator find_ready(unsigned sm) {
    const auto find = [this](auto&& holds) {
      return std::find_if(state_.parked.begin(), state_.parked.end(),
                          [&holds](const Away& tb) { return tb.ready && holds(tb); });
    };
    const auto here = find([sm](const Away& tb) { return tb.local && tb.sm == sm; });
    return here != state_.parked.end() ? here : find([](const Away& tb) { return !tb.local; });
  }
  /// Answers a message with a thread block: one that has not started, else one that is swapped out and may come back. A
  /// thread block that has arrived stays if there is none.
  void give(Type type, const SyncModelMessage& question, unsigned sm, const Maybe<std::uint32_t>& next) {
    SyncModelMessage answer;
    answer.type = type;
    answer.context = question.context;
    if (next) {
      answer.fresh = true;
      answer.gid = *next;
    } else if (const auto ready = find_ready(sm); ready != state_.parked.end()) {
      answer.gid = ready->gid;
      answer.entry = ready->entry;
      state_.parked.erase(ready);
    } else if (type == Type::kSwap) {
      return;
    } else {
      answer.type = Type::kNone;
    }
    if (answer.type != Type::kNone) state_.on_sms.insert(answer.gid);
    SmMask to;
    to[sm] = true;
    send(to, answer);
  }

  void release() {
    SyncModelMessage message;
    message.type = SyncModelMessage::Type::kRelease;
    SmMask all;
    for (unsigned sm = 0; sm < sms_; ++sm) all[sm] = true;
    send(all, message);
    state_.arrived.clear();
    for (Away& tb : state_.parked) tb.ready = true;
  }

  void count(const SyncModelMessage& message, unsigned sm) {
    if (message.event >= state_.launch->events || message.target == 0)
      return fail(SyncModelError::kEvent, message.event);
    Event& event = state_.events[message.event];
    if (event.count != 0 && event.target != message.target) return fail(SyncModelError::kEvent, message.event);
    event.target = message.target;
    if (message.type == SyncModelMessage::Type::kWait) event.sleepers[sm] |= TbMask{1} << message.context;
    if (++event.count < event.target) return;
    for (const auto& [number, contexts] : event.sleepers) {
      SyncModelMessage wake;
      wake.type = SyncModelMessage::Type::kWake;
      wake.wakes = contexts;
      SmMask to;
      to[number] = true;
      send(to, wake);
    }
    state_.events.erase(message.event);
  }

  void send(const SmMask& to, SyncModelMessage message) {
    message.kernel = kernel_;
    queue_.push_back({to, message.pack()});
  }

  Kernel state_;
  HubOut out_;
  Maybe<std::pair<unsigned, SyncModelMessage>> in_;  // input register: SM and message
  unsigned last_ = 0, sms_ = 0;
  std::deque<SyncDown> queue_;
  std::uint16_t kernel_ = 0;  // kernels announced since the reset
  bool changed_ = false;      // the last edge has changed `hold`
  bool filled_ = false;       // HubIn::filled of the last edge
};

}  // namespace castor::gpu::test
