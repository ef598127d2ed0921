#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "castor/gpu/hooks/sync_agent.h"
#include "castor/gpu/hooks/sync_hub.h"
#include "castor/gpu/wait_graph.h"

// A hub and agents for tests of the synchronisation network (docs/gpu/sync-network.md).
namespace castor::gpu::test {

/// Returns a message of two words.
inline SyncMessage sync_message(std::uint64_t first, std::uint64_t last = 0) {
  SyncMessage message;
  message.word = {first, 0, 0, last};
  message.bits = SyncMessage::kMaxBits;
  return message;
}

/// A message at one end of the network: cycle and content.
struct SyncSeen {
  Cycle cycle = 0;
  std::uint64_t value = 0;
  friend bool operator==(const SyncSeen& a, const SyncSeen& b) { return a.cycle == b.cycle && a.value == b.value; }
  friend std::ostream& operator<<(std::ostream& out, const SyncSeen& seen) {
    return out << seen.value << "@" << seen.cycle;
  }
};

/// Hook that counts edges, skipped ones included. It checks that edges are consecutive and that only quiet edges are
/// skipped.
template <class In, class Out>
class SyncStub : public ClockedHook<In, Out> {
 public:
  [[nodiscard]] const char* block() const override { return "stub"; }
  void attach(const HookSite& site) override { site_ = site; }
  void detach() override { site_ = {}; }
  void idle(Cycle n) final {
    if (next_ == kForever) return;
    EXPECT_LE(n, this->quiet());
    next_ += n;
  }
  void clock(const In& in) final {
    if (checks_cycles && next_ != kForever) {
      EXPECT_EQ(in.now, next_) << "an edge is lost or comes twice";
    }
    next_ = in.now + 1;
    ++clocked;
    edge(in);
  }
  /// false if the clock is gated, so that cycles are missing
  bool checks_cycles = true;
  unsigned resets = 0;
  std::uint64_t clocked = 0;

 protected:
  virtual void edge(const In& in) = 0;
  /// Returns the first cycle that is neither clocked nor skipped; 0 before the first edge.
  [[nodiscard]] Cycle next() const { return next_ == kForever ? 0 : next_; }
  void restart() {
    next_ = kForever;
    ++resets;
  }
  /// Returns the number of edges before that of `cycle`.
  [[nodiscard]] Cycle until(Cycle cycle) const { return cycle <= next() ? 0 : cycle - next(); }
  HookSite site_;

 private:
  Cycle next_ = kForever;
};

/// Agent that sends messages one after the other, each from a given cycle on. It accepts arriving messages in cycles
/// for which `takes` returns true.
class TrafficAgent final : public SyncStub<AgentIn, AgentOut> {
 public:
  struct Send {
    Cycle from = 0;
    std::uint64_t value = 0;
  };
  std::deque<Send> sends;
  std::function<bool(Cycle)> takes = [](Cycle) { return true; };
  std::vector<SyncSeen> sent, received;

  void reset() override { restart(); }
  // Whether the agent accepts a message depends on the cycle, so no cycle may be skipped while a message waits. The
  // agent sleeps while its own message finds no free entry.
  [[nodiscard]] Cycle quiet() const override {
    if (waiting_) return 0;
    return sends.empty() || blocked_ ? kForever : until(sends.front().from);
  }
  const AgentOut& settle(const AgentIn& in) override {
    out_.send.reset();
    if (!sends.empty() && sends.front().from <= in.now) out_.send = sync_message(sends.front().value, site_.sm);
    out_.receive_ready = takes(in.now);
    return out_;
  }
  void waits(WaitGraph& graph) const override { graph.say("is a stub"); }

 private:
  void edge(const AgentIn& in) override {
    EXPECT_FALSE(in.send_ready && !out_.send);
    if (in.send_ready) {
      sent.push_back({in.now, sends.front().value});
      sends.pop_front();
    }
    blocked_ = out_.send && !in.send_ready;
    waiting_ = in.received && !out_.receive_ready;
    if (in.received && out_.receive_ready) received.push_back({in.now, in.received->word[0]});
  }
  AgentOut out_;
  bool waiting_ = false;  // a message has arrived and is not taken
  bool blocked_ = false;  // the agent's message found no free entry
};

/// Hub that sends messages one after the other, each from a given cycle on. It accepts arriving messages in cycles for
/// which `takes` returns true.
class TrafficHub final : public SyncStub<HubIn, HubOut> {
 public:
  struct Send {
    Cycle from = 0;
    SmMask to;
    std::uint64_t value = 0;
  };
  std::deque<Send> sends;
  std::function<bool(Cycle, unsigned sm)> takes = [](Cycle, unsigned) { return true; };
  std::vector<SyncSeen> sent;
  std::map<unsigned, std::vector<SyncSeen>> taken;  ///< per SM

  void reset() override { restart(); }
  [[nodiscard]] Cycle quiet() const override {
    if (waiting_) return 0;
    return sends.empty() || blocked_ ? kForever : until(sends.front().from);
  }
  const HubOut& settle(const HubIn& in) override {
    out_.down.reset();
    out_.take.reset();
    if (!sends.empty() && sends.front().from <= in.now) {
      out_.down = SyncDown{sends.front().to, sync_message(sends.front().value)};
    }
    for (unsigned sm = 0; sm < in.up.size; ++sm) out_.take[sm] = in.up[sm].has_value() && takes(in.now, sm);
    return out_;
  }

 private:
  void edge(const HubIn& in) override {
    waiting_ = false;
    for (unsigned sm = 0; sm < in.up.size; ++sm) {
      if (!in.up[sm]) continue;
      EXPECT_EQ(in.up[sm]->word[3], sm) << "a message of another SM";
      EXPECT_EQ(in.up[sm]->bits, SyncMessage::kMaxBits);
      if (out_.take[sm]) taken[sm].push_back({in.now, in.up[sm]->word[0]});
      waiting_ = waiting_ || !out_.take[sm];
    }
    blocked_ = out_.down && (out_.down->to & ~in.room).any();
    if (out_.down && !blocked_) {
      sent.push_back({in.now, sends.front().value});
      sends.pop_front();
    }
  }
  HubOut out_;
  bool waiting_ = false, blocked_ = false;  // as in TrafficAgent
};

/// Agent of a barrier over the whole grid that needs no instruction. Every resident TB arrives once, in tick `at` or,
/// with `at` 0, in the tick of its start, and is stalled from the next tick on until the hub's release. The arrival is
/// counted one tick later, and its message is offered two ticks later, if the TB is quiesced.
class BarrierAgent final : public SyncStub<AgentIn, AgentOut> {
 public:
  Cycle at = 0;
  bool waits_quiesced = false;
  std::vector<SyncSeen> arrivals;  ///< tick of the arrival, and TB
  std::vector<Cycle> releases;     ///< ticks in which the release was taken

  void reset() override {
    tbs_.clear();
    out_ = {};
    restart();
  }
  [[nodiscard]] Cycle quiet() const override {
    if (out_.send || out_.acquire != 0) return 0;
    Cycle quiet = kForever;
    for (const auto& [context, tb] : tbs_) {
      if (tb.state == State::kArrived) return 0;
      if (tb.state == State::kRuns) quiet = std::min(quiet, until(at));
    }
    return quiet;
  }
  const AgentOut& settle(const AgentIn& /*in*/) override { return out_; }
  void waits(WaitGraph& graph) const override {
    for (const auto& [context, tb] : tbs_) {
      if (tb.state == State::kSent) graph.say("holds block " + std::to_string(tb.gid));
    }
  }

 private:
  enum class State { kRuns, kArrived, kSent, kReleased };
  struct Tb {
    State state = State::kRuns;
    WarpMask warps = 0;
    std::uint64_t gid = 0;
  };

  void edge(const AgentIn& in) override {
    out_.acquire = 0;
    if (in.send_ready) out_.send.reset();
    for (auto& [context, tb] : tbs_) {
      if (out_.send || tb.state != State::kArrived) continue;
      if (waits_quiesced && (in.quiesced >> context & 1) == 0) continue;
      tb.state = State::kSent;
      out_.send = sync_message(tb.gid, site_.sm);
    }
    if (in.received) {
      releases.push_back(in.now);
      out_.stall = 0;
      for (auto& [context, tb] : tbs_) {
        if (tb.state != State::kSent) continue;
        tb.state = State::kReleased;
        out_.acquire |= TbMask{1} << context;
      }
    }
    if (in.start) tbs_[in.start->tb] = {State::kRuns, in.start->warps, in.start->gid};
    for (auto& [context, tb] : tbs_) {
      if (tb.state != State::kRuns || in.now < at) continue;
      tb.state = State::kArrived;
      out_.stall |= tb.warps;
      arrivals.push_back({in.now, tb.gid});
    }
    if (in.retired) tbs_.erase(*in.retired);
  }
  std::map<unsigned, Tb> tbs_;
  AgentOut out_;
};

/// Hub of that barrier: an input register that takes one message per cycle in round robin over the SMs, a counter, and
/// an output register for the release.
class BarrierHub final : public SyncStub<HubIn, HubOut> {
 public:
  unsigned more = 0;            ///< number of TBs to wait for beyond those of the grid
  bool deaf = false;            ///< takes no message
  bool holds = false;           ///< the hub accepts no message
  std::vector<Cycle> releases;  ///< cycles in which the release was offered first
  std::vector<SyncKernel> launches;
  std::vector<Cycle> stops;
  std::vector<std::pair<Cycle, bool>> fills;  ///< changes of `filled`

  void reset() override {
    in_.reset();
    out_ = {};
    count_ = 0;
    restart();
  }
  [[nodiscard]] Cycle quiet() const override { return in_ || out_.down ? 0 : kForever; }
  const HubOut& settle(const HubIn& in) override {
    out_.take.reset();
    for (unsigned i = 1; !deaf && i <= in.up.size && out_.take.none(); ++i) {
      const auto sm = static_cast<unsigned>((last_ + i) % in.up.size);
      if (in.up[sm]) out_.take[sm] = true;
    }
    return out_;
  }
  void waits(WaitGraph& graph) const override {
    graph.say(std::to_string(count_) + " of " + std::to_string(expected_) + " blocks have arrived");
    graph.add(sync_hub_node(), graph.kernel(0));
  }

 private:
  void edge(const HubIn& in) override {
    if (in.launch) {
      launches.push_back(*in.launch);
      expected_ = in.launch->tbs + more;
      count_ = 0;
      if (holds) out_.hold[in.launch->kd] = true;
    }
    if (in.stopped) stops.push_back(in.now);
    if (fills.empty() || fills.back().second != in.filled) fills.emplace_back(in.now, in.filled);
    if (out_.down && (out_.down->to & ~in.room).none()) out_.down.reset();
    if (in_) {
      in_.reset();
      if (++count_ == expected_) {
        SmMask all;
        for (unsigned sm = 0; sm < in.up.size; ++sm) all[sm] = true;
        out_.down = SyncDown{all, sync_message(1)};
        releases.push_back(in.now + 1);
      }
    }
    if (out_.take.none()) return;
    last_ = static_cast<unsigned>(out_.take._Find_first());
    in_ = in.up[last_];
  }
  Maybe<SyncMessage> in_;
  HubOut out_;
  unsigned last_ = 0;
  std::uint64_t count_ = 0, expected_ = 0;
};

}  // namespace castor::gpu::test
