#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "castor/gpu/hooks/sync_agent.h"
#include "castor/gpu/hooks/sync_hub.h"
#include "castor/gpu/wait_graph.h"

// A hub and agents that execute the instructions of device-wide synchronisation (docs/gpu/synchronisation.md), for
// kernels whose thread blocks are all resident. They are plain models without a twin: the tests of the timing GPU and
// the test block tests/twin/roster use them. The base of both is a parameter, so that tests can check how they are
// clocked.
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
  enum class Type : std::uint8_t { kArrive, kWait, kSignal, kEnd, kRelease, kWake };
  Type type = Type::kArrive;
  std::uint32_t kernel = 0;             ///< number of the kernel since the reset; messages of older ones are dropped
  std::uint32_t event = 0, target = 0;  ///< kWait, kSignal
  std::uint32_t context = 0, gid = 0;   ///< kArrive, kWait, kEnd
  TbMask wakes = 0;                     ///< kWake: TB contexts that resume

  [[nodiscard]] SyncMessage pack() const {
    SyncMessage message;
    message.bits = SyncMessage::kMaxBits;
    message.word = {static_cast<std::uint64_t>(type) | std::uint64_t{kernel} << 32, event | std::uint64_t{target} << 32,
                    context | std::uint64_t{gid} << 32, wakes};
    return message;
  }
  [[nodiscard]] static SyncModelMessage unpack(const SyncMessage& message) {
    const auto low = [&](unsigned i) { return static_cast<std::uint32_t>(message.word[i]); };
    const auto high = [&](unsigned i) { return static_cast<std::uint32_t>(message.word[i] >> 32); };
    return {static_cast<Type>(low(0)), high(0), low(1), high(1), low(2), high(2), message.word[3]};
  }
};

/// Agent of one SM. It stalls a warp that issues tb.gridsync or tb.wait from the next tick on. When all live warps of a
/// TB are stalled and the TB is quiesced, the agent sends one message for the TB. The agent sends a signal at once. At
/// most one signal issues per tick, and none while kDepth messages wait to be sent.
template <class Base>
class SyncModelAgent : public Base {
 public:
  static constexpr std::size_t kDepth = 8;

  void reset() override {
    tbs_ = {};
    out_ = {};
    queue_.clear();
    kernel_ = 0;
    changed_ = false;
    Base::restart();
  }
  [[nodiscard]] Cycle quiet() const override {
    if (out_.acquire != 0 || !queue_.empty() || changed_) return 0;
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
      ++kernel_;
      queue_.clear();
      tbs_ = {};
      out_.stall = 0;
    } else {
      if (in.send_ready) queue_.pop_front();
      if (in.received) take(SyncModelMessage::unpack(*in.received));
      send_due(in.quiesced);
      for (const SyncIssue& one : in.issue) issue(one);
      for (const WarpExit& one : in.exit) tbs_[one.tb].live &= ~(WarpMask{1} << one.warp);
    }
    for (TbMask left = in.stopped; left != 0; left &= left - 1) {
      out_.stall &= ~tbs_[lowest(left)].arrived;
      tbs_[lowest(left)] = {};
    }
    if (in.start) {
      tbs_[in.start->tb] = {};
      tbs_[in.start->tb].state = State::kRuns;
      tbs_[in.start->tb].context = in.start->tb;
      tbs_[in.start->tb].gid = in.start->gid;
      tbs_[in.start->tb].live = in.start->warps;
    }
    // A TB that has retired is quiesced. Its end may still have to be sent.
    if (in.retired) tbs_[*in.retired].retired = true;
    out_.send.reset();
    if (!queue_.empty()) out_.send = queue_.front().pack();
    changed_ = out_.stall != stall;
  }

 private:
  enum class State : std::uint8_t { kEmpty, kRuns, kWaits, kEnded };
  struct Tb {
    State state = State::kEmpty;
    bool retired = false;
    std::uint32_t context = 0, gid = 0;
    WarpMask live = 0;     ///< warps that have not exited
    WarpMask arrived = 0;  ///< warps that wait
    SyncIssue at;          ///< instruction of the first warp that has arrived
  };

  [[nodiscard]] static unsigned lowest(std::uint64_t mask) { return static_cast<unsigned>(__builtin_ctzll(mask)); }
  /// Returns whether the message of a TB that waits or has ended can be sent.
  [[nodiscard]] static bool is_due(const Tb& tb, TbMask quiesced) {
    return tb.state == State::kRuns && tb.arrived == tb.live && (tb.retired || (quiesced >> tb.context & 1) != 0);
  }

  void send_due(TbMask quiesced) {
    const auto tb = std::find_if(tbs_.begin(), tbs_.end(), [&](const Tb& one) { return is_due(one, quiesced); });
    if (tb == tbs_.end() || queue_.size() >= kDepth) return;
    SyncModelMessage message;
    using Type = SyncModelMessage::Type;
    message.type = tb->live == 0 ? Type::kEnd : tb->at.op == isa::SyncOp::kGridBarrier ? Type::kArrive : Type::kWait;
    message.context = tb->context;
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
    const bool release = message.type == SyncModelMessage::Type::kRelease;
    for (Tb& tb : tbs_) {
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
  std::uint32_t kernel_ = 0;            // kernels announced since the reset
  TbMask quiesced_ = 0;                 // quiesced TBs at the last edge
  bool changed_ = false;                // the last edge has changed `stall`
};

/// Hub: an input register that takes one message per cycle in round robin over the SMs, the grid barrier and the events
/// of the kernel, and a queue of messages to SMs.
template <class Base>
class SyncModelHub : public Base {
 public:
  void reset() override {
    state_ = {};
    out_ = {};
    in_.reset();
    queue_.clear();
    kernel_ = 0;
    changed_ = false;
    Base::restart();
  }
  [[nodiscard]] Cycle quiet() const override { return in_ || !queue_.empty() || changed_ ? 0 : kForever; }
  const HubOut& settle(const HubIn& in) override {
    out_.take.reset();
    for (unsigned i = 1; i <= in.up.size && out_.take.none(); ++i) {
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
    for (const auto& [number, event] : state_.events) {
      graph.say("event " + std::to_string(number) + ": count " + std::to_string(event.count) + " of " +
                std::to_string(event.target) + "; waiting blocks: " + std::to_string(event.sleepers.size()));
    }
  }

 protected:
  void edge(const HubIn& in) override {
    sms_ = static_cast<unsigned>(in.up.size);
    if (!queue_.empty() && (queue_.front().to & ~in.room).none()) queue_.pop_front();
    if (const auto message = std::exchange(in_, std::nullopt)) process(message->second, message->first);
    if (in.launch) {
      state_ = {};
      state_.launch = in.launch;
      ++kernel_;
    }
    if (in.stopped) {
      state_ = {};
      queue_.clear();
    }
    const KdMask hold = out_.hold;
    out_.hold.reset();
    if (state_.launch && state_.ended.size() < state_.launch->tbs) out_.hold[state_.launch->kd] = true;
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
  /// State of the synchronising kernel in the table.
  struct Kernel {
    Maybe<SyncKernel> launch;
    std::set<std::uint32_t> arrived, ended;  ///< thread blocks at the grid barrier; thread blocks that have ended
    std::map<std::uint32_t, Event> events;   ///< events with a count other than 0
    bool failed = false;                     ///< an error was reported
  };

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

  void process(const SyncModelMessage& message, unsigned sm) {
    if (!state_.launch || message.kernel != kernel_) return;
    using Type = SyncModelMessage::Type;
    if (message.type == Type::kWait || message.type == Type::kSignal) return count(message, sm);
    const bool arrives = message.type == Type::kArrive;
    (arrives ? state_.arrived : state_.ended).insert(message.gid);
    if (!state_.arrived.empty() && !state_.ended.empty() && state_.launch->exit == SyncExit::kError)
      return fail(SyncModelError::kEnded, *state_.ended.begin());
    if (!state_.arrived.empty() && state_.arrived.size() == expected()) release();
    if (state_.ended.size() == state_.launch->tbs && !state_.events.empty())
      fail(SyncModelError::kUnbalanced, state_.events.begin()->first);
  }

  void release() {
    SyncModelMessage message;
    message.type = SyncModelMessage::Type::kRelease;
    SmMask all;
    for (unsigned sm = 0; sm < sms_; ++sm) all[sm] = true;
    send(all, message);
    state_.arrived.clear();
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
  std::uint32_t kernel_ = 0;  // kernels announced since the reset
  bool changed_ = false;      // the last edge has changed `hold`
};

}  // namespace castor::gpu::test
