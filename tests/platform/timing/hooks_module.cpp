// A shared object with one adapter per hook that links nothing of the GPU, and calls whatever hooks are offered
// (docs/gpu/hooks.md, "Hooks"). Linked with --no-undefined: it does not link if a hook shows more than records, inline
// code and abstract classes.

#include "platform/timing/hooks_module.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/hooks/dispatch_policy.h"
#include "castor/gpu/hooks/events.h"
#include "castor/gpu/hooks/fetch_filter.h"
#include "castor/gpu/hooks/hook.h"
#include "castor/gpu/hooks/hook_memory.h"
#include "castor/gpu/hooks/issue_policy.h"
#include "castor/gpu/hooks/job_control.h"
#include "castor/gpu/hooks/job_scheduler.h"
#include "castor/gpu/hooks/resource_view.h"
#include "castor/gpu/hooks/sm_governor.h"
#include "castor/gpu/hooks/sync_agent.h"
#include "castor/gpu/hooks/sync_hub.h"
#include "castor/gpu/hooks/sync_message.h"
#include "castor/gpu/hooks/waves.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/wait_graph.h"

namespace castor::gpu::timing_test {
namespace {

/// Base of adapters that are clocked in every cycle and count their edges as statistic and wave.
template <class In, class Out, class Base = ClockedHook<In, Out>>
class Adapter : public Base {
 public:
  void attach(const HookSite& site) override {
    site_ = site;
    edges_ = std::make_unique<base::Counter>(*site.statistics,
                                             base::StatisticInfo{"edges", "cycles", "edges of the adapter"});
  }
  void detach() override {
    edges_.reset();
    ++seen->detached;
  }
  void add_waves(Waves& waves, const std::string& scope) override {
    if (!waves.traced(scope + ".module")) return;
    waves.add(scope + ".module", "edges", 32, &count_);
    waves.add(scope + ".module", "odd", 1, [this] { return count_ & 1U; });
  }
  void reset() override {}
  [[nodiscard]] Cycle quiet() const override { return 0; }
  void idle(Cycle n) override { count_ += n; }
  void clock(const In& in) override {
    ++*edges_;
    ++count_;
    see(in);
  }
  ModuleHooks::Seen* seen = nullptr;

 protected:
  virtual void see(const In& in) = 0;
  HookSite site_;
  Out out_{};

 private:
  std::unique_ptr<base::Counter> edges_;
  std::uint32_t count_ = 0;
};

class Control final : public JobControl {
 public:
  [[nodiscard]] unsigned window() const override { return 3; }
  [[nodiscard]] unsigned list_types() const override { return 2; }
  [[nodiscard]] unsigned kernel_types() const override { return 5; }
  [[nodiscard]] std::optional<RegisterAccess> acknowledge(unsigned) const override { return std::nullopt; }
  [[nodiscard]] std::optional<RegisterAccess> clear_type(std::uint8_t) const override { return std::nullopt; }
  [[nodiscard]] std::optional<RegisterAccess> set_priority(unsigned queue, std::uint32_t value) const override {
    return RegisterAccess{window(), true, 4 * queue, value};
  }
  [[nodiscard]] std::optional<RegisterAccess> set_isolated_time(std::uint8_t, std::uint32_t) const override {
    return std::nullopt;
  }
};

/// Job scheduler that picks the lowest eligible queue.
class Scheduler final : public Adapter<JobIn, JobOut, JobScheduler> {
 public:
  [[nodiscard]] int window() const override { return static_cast<int>(control_.window()); }
  [[nodiscard]] const JobControl* control() const override { return &control_; }
  const JobOut& settle(const JobIn& in) override {
    out_ = {};
    if (in.eligible->any()) out_.pick = static_cast<int>(in.eligible->_Find_first());
    if (in.ev.reg) out_.reg = RegisterReply{RegisterError::kNone, in.ev.reg->value + 1};
    return out_;
  }

 private:
  void see(const JobIn& in) override {
    seen->picks += in.granted >= 0 ? 1 : 0;
    seen->retired += in.ev.retired.size;
    if (in.ev.reg) seen->access = *in.ev.reg;
  }
  Control control_;
};

/// Dispatch policy that places the oldest kernel on the first SM on which it fits.
class Policy final : public Adapter<DispatchIn, DispatchOut> {
 public:
  std::uint64_t word = 0;
  [[nodiscard]] std::size_t open() const { return site_.memory->open(); }

  const DispatchOut& settle(const DispatchIn& in) override {
    out_ = {};
    out_.ready = !items_.empty();
    if (items_.empty()) return out_;
    const Item& item = items_.front();
    out_.fits_head = in.room->fits(item.kd);
    const SmMask takers = out_.fits_head & in.open;
    for (unsigned sm = 0; sm < in.room->sms(); ++sm) {
      if (!takers[sm] || !in.room->fits(sm, item.need)) continue;
      if (in.room->free(sm).tbs + in.room->resident(sm, item.kd) > in.room->capacity().tbs) continue;
      out_.place = Placement{item.kd, static_cast<std::uint16_t>(sm), item.next, false};
      break;
    }
    return out_;
  }

 private:
  struct Item {
    std::uint16_t kd = 0;
    std::uint32_t next = 0, tbs = 0;
    TbNeed need;
  };
  void see(const DispatchIn& in) override {
    if (word != 0) {
      site_.memory->add(word, 1, 4, 1);
      site_.memory->read(word, 4, 2);
      word = 0;
    }
    if (in.reply && in.reply->tag == 2) std::memcpy(&seen->word, in.reply->data.data(), 4);
    if (in.taken) {
      ++seen->placements;
      if (++items_.front().next == items_.front().tbs) items_.pop_front();
    }
    if (!in.push) return;
    if (seen->free_warps == 0) {
      for (unsigned sm = 0; sm < site_.machine->chip.sms; ++sm) seen->free_warps += in.room->free(sm).warps;
    }
    items_.push_back({in.push->kd, 0, in.push->tbs, in.push->need});
  }
  std::deque<Item> items_;
};

class Governor final : public Adapter<GovernIn, GovernOut> {
 public:
  Governor() { out_.pulses = true; }
  const GovernOut& settle(const GovernIn& /*in*/) override { return out_; }

 private:
  void see(const GovernIn& in) override {
    for (const SmPulse& pulse : in.pulse) seen->pulses += pulse != SmPulse{} ? 1 : 0;
  }
};

class Filter final : public Adapter<FetchIn, FetchOut> {
 public:
  const FetchOut& settle(const FetchIn& /*in*/) override { return out_; }

 private:
  void see(const FetchIn& in) override { seen->starts += in.start ? 1 : 0; }
};

/// Issue policy that picks the lowest ready warp of each scheduler.
class Issue final : public Adapter<IssueIn, IssueOut> {
 public:
  const IssueOut& settle(const IssueIn& in) override {
    for (auto& picks : out_.pick) std::fill(std::begin(picks), std::end(picks), std::int8_t{-1});
    const unsigned schedulers = site_.machine->schedulers;
    for (unsigned s = 0; s < schedulers; ++s) {
      for (unsigned w = s; w < 64 && out_.pick[s][0] < 0; w += schedulers) {
        if ((in.ready >> w & 1) != 0) out_.pick[s][0] = static_cast<std::int8_t>(w);
      }
    }
    return out_;
  }

 private:
  void see(const IssueIn& in) override { seen->issues += static_cast<unsigned>(__builtin_popcount(in.ack[0])); }
};

/// Hub that sends one message to every SM, and accepts the replies.
class Hub final : public Adapter<HubIn, HubOut> {
 public:
  const HubOut& settle(const HubIn& in) override {
    out_.take.reset();
    out_.down.reset();
    SmMask all;
    for (unsigned sm = 0; sm < site_.machine->chip.sms; ++sm) all[sm] = true;
    if (!sent_) out_.down = SyncDown{all, {}};
    for (std::size_t sm = 0; sm < in.up.size; ++sm) out_.take[sm] = in.up[sm].has_value();
    return out_;
  }
  void waits(WaitGraph& graph) const override { graph.say("waits for " + graph.kernel(0)); }

 private:
  void see(const HubIn& /*in*/) override {
    sent_ = true;
    seen->messages += out_.take.count();
  }
  bool sent_ = false;
};

/// Agent that answers every message.
class Agent final : public Adapter<AgentIn, AgentOut> {
 public:
  const AgentOut& settle(const AgentIn& /*in*/) override { return out_; }

 private:
  void see(const AgentIn& in) override {
    if (in.send_ready) out_.send.reset();
    if (in.received) out_.send = *in.received;
  }
};

class All final : public ModuleHooks {
 public:
  explicit All(unsigned sms) : filters_(sms), issue_(sms), agents_(sms) {
    const auto count = [this](auto& adapter) { adapter.seen = &seen_; };
    count(scheduler_);
    count(policy_);
    count(governor_);
    std::for_each(filters_.begin(), filters_.end(), count);
    std::for_each(issue_.begin(), issue_.end(), count);
    count(hub_);
    std::for_each(agents_.begin(), agents_.end(), count);
    hooks_.job_scheduler = &scheduler_;
    hooks_.dispatch = &policy_;
    hooks_.governors = {&governor_};
    for (auto& one : filters_) hooks_.fetch_filter.push_back(&one);
    for (auto& one : issue_) hooks_.issue.push_back(&one);
    hooks_.hub = &hub_;
    for (auto& one : agents_) hooks_.agents.push_back(&one);
  }
  [[nodiscard]] const Hooks& hooks() const override { return hooks_; }
  void set_word(std::uint64_t address) override { policy_.word = address; }
  [[nodiscard]] Seen seen() const override {
    Seen seen = seen_;
    if (seen.detached == 0) seen.open = policy_.open();
    return seen;
  }

 private:
  Seen seen_;
  Scheduler scheduler_;
  Policy policy_;
  Governor governor_;
  std::deque<Filter> filters_;
  std::deque<Issue> issue_;
  Hub hub_;
  std::deque<Agent> agents_;
  Hooks hooks_;
};

}  // namespace
}  // namespace castor::gpu::timing_test

extern "C" castor::gpu::timing_test::ModuleHooks* castor_test_make_hooks(unsigned sms);
castor::gpu::timing_test::ModuleHooks* castor_test_make_hooks(unsigned sms) {
  return new castor::gpu::timing_test::All(sms);
}
