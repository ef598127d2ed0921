// Tests of swapped thread blocks together with a dispatch policy and a job scheduler that count them
// (docs/gpu/moving.md, "Hooks").

#include <set>

#include "castor/base/hash.h"
#include "castor/hookup/waiting_kernels.h"
#include "tests/unit/gpu_moved_programs.h"

namespace castor::gpu::launch_test::moved_placing {
namespace {

constexpr unsigned kSms = 4;

/// Dispatch policy: first come, first served. It keeps an account of each thread block and each kernel table entry;
/// errors in the accounts go to `wrong`.
class Counting final : public ClockedHook<DispatchIn, DispatchOut> {
 public:
  /// `holds`: the policy holds entries whose placed thread blocks are not complete.
  explicit Counting(bool holds = false) : holds_(holds) {}
  void attach(const HookSite& /*site*/) override {}
  void reset() override {}
  [[nodiscard]] Cycle quiet() const override { return kForever; }
  void idle(Cycle n) override { add(n); }
  const DispatchOut& settle(const DispatchIn& in) override {
    out_ = {};
    out_.ready = !kernels_.empty();
    for (unsigned kd = 0; holds_ && kd < open_.size(); ++kd) out_.hold[kd] = open_[kd] != 0;
    if (kernels_.empty()) return out_;
    const int entry = kernels_.oldest(*in.fits);
    out_.fits_head = in.room->fits(static_cast<unsigned>(entry >= 0 ? entry : kernels_.order().front()));
    if (entry >= 0) out_.place = kernels_.next(static_cast<unsigned>(entry));
    return out_;
  }
  void clock(const DispatchIn& in) override {
    kernels_.clock(in);
    if (in.ev.placed) {
      ++placed;
      ++open_[in.ev.placed->kd];
    }
    retired += in.ev.retired.size;
    if (in.ev.done) {
      ++done;
      if (open_[in.ev.done->kd]-- == 0 && holds_) wrong += " entry of a completion has no open block;";
    }
    if (in.ev.completed && holds_ && open_[in.ev.completed->kd] != 0) wrong += " a kernel completes too early;";
    if (retired < done || placed < retired) wrong += " more blocks end than there are;";
    // The resident blocks account for the resources in use; blocks that are swapped out do not count.
    residents_ = 0;
    for (unsigned sm = 0; sm < in.room->sms(); ++sm) {
      unsigned of_sm = 0;
      for (unsigned kd = 0; kd < open_.size(); ++kd) of_sm += in.room->resident(sm, kd);
      residents_ += of_sm;
      if (in.room->capacity().tbs - in.room->free(sm).tbs != of_sm) wrong += " the room is not that of the residents;";
    }
    if (residents_ > placed - retired) wrong += " more residents than blocks;";
    if (residents_ < placed - retired) ++away;
    if ((in.room->changes() != changes_) != (residents_ != last_residents_)) {
      // A block may return in the cycle in which another one leaves.
      if (in.room->changes() < changes_ + 2) wrong += " changes of the room are not counted;";
    }
    changes_ = in.room->changes();
    last_residents_ = residents_;
    add(1);
  }

  std::uint64_t placed = 0, retired = 0, done = 0;
  std::uint64_t away = 0;  ///< clocked cycles in which a placed block was swapped out
  std::string wrong;
  [[nodiscard]] std::string seen() const {
    return std::to_string(sum_) + " in " + std::to_string(edges_) + ", " + std::to_string(placed) + " placed, " +
           std::to_string(retired) + " retired, " + std::to_string(done) + " done" + wrong;
  }

 private:
  void add(Cycle n) {
    edges_ += n;
    sum_ += n * (residents_ + 1000 * (placed - done));
  }

  const bool holds_;
  hookup::WaitingKernels kernels_;
  DispatchOut out_;
  std::array<std::uint64_t, 32> open_{};  ///< [entry] blocks placed and not complete
  std::uint64_t residents_ = 0, last_residents_ = 0, changes_ = 0, edges_ = 0, sum_ = 0;
};

/// Job scheduler with round robin over the queues. Every kPeriod cycles it preempts another queue, or none. It counts
/// completions.
class Preempting final : public JobScheduler {
 public:
  static constexpr Cycle kPeriod = 2000;
  void attach(const HookSite& /*site*/) override {}
  void reset() override {}
  [[nodiscard]] Cycle quiet() const override {
    const Cycle since = edges_ % kPeriod;
    return since == 0 ? 0 : kPeriod - 1 - since;
  }
  void idle(Cycle n) override { edges_ += n; }
  const JobOut& settle(const JobIn& in) override {
    out_.pick = -1;
    for (unsigned i = 1; i <= 3 && out_.pick < 0; ++i) {
      const unsigned queue = (last_ + i) % 3;
      if ((*in.eligible)[queue]) out_.pick = static_cast<int>(queue);
    }
    return out_;
  }
  void clock(const JobIn& in) override {
    if (in.granted >= 0) last_ = static_cast<unsigned>(in.granted);
    if (in.ev.placed) {
      ++placed;
      if (out_.preempt[in.ev.placed->queue] && out_.preempt[in.ev.placed->queue] == before_[in.ev.placed->queue])
        wrong += " a block of a preempted queue is placed;";
    }
    done += in.ev.done ? 1 : 0;
    before_ = out_.preempt;
    if (++edges_ % kPeriod != 0) return;
    out_.preempt.reset();
    const std::uint64_t drawn = base::mix(edges_) % 4;
    if (drawn < 3) out_.preempt[drawn] = true;
  }
  std::uint64_t placed = 0, done = 0;
  std::string wrong;

 private:
  JobOut out_;
  QueueMask before_;
  unsigned last_ = 0;
  Cycle edges_ = 0;
};

struct Work {
  std::vector<std::string> overrides;
  bool holds = false;  ///< the policy holds entries until their blocks are complete
  bool tree = false;   ///< runs kTree; false: kMeet
};

// Runs `work` in a new process. Returns what is wrong, or else whether blocks were swapped out and what the policy and
// the device observed.
std::string run(const Work& work) {
  std::vector<std::string> keys = {"chip.sms=" + std::to_string(kSms)};
  keys.insert(keys.end(), work.overrides.begin(), work.overrides.end());
  return in_process([&]() -> std::string {
    Counting policy(work.holds);
    GroupTimed timed("kepler_ideal", keys, work.tree ? kTree : kMeet, false, false, nullptr,
                     [&](Hooks& hooks) { hooks.dispatch = &policy; });
    timed.blocks_leave = true;
    timed.device.launcher().set_limits({2048, 8});
    constexpr unsigned kBlocks = 60;
    const std::uint64_t out = timed.host.words(kBlocks * 128);
    const Outcome outcome =
        work.tree ? timed.host.run("tree", out, 1, 1, 64) : timed.host.run("meet", out, 0, kBlocks, 128);
    if (outcome != Outcome::kDone) return timed.host.said();
    if (work.tree && timed.host.value(out, 1) != kNodes) return "counted " + std::to_string(timed.host.value(out, 1));
    if (std::string wrong; !work.tree && !(wrong = met(timed.host.values(out, kBlocks * 128))).empty()) return wrong;
    const std::uint64_t blocks = work.tree ? kNodes : kBlocks;
    if (policy.placed != blocks || policy.retired != blocks || policy.done != blocks || !policy.wrong.empty()) {
      return "seen otherwise: " + policy.seen();
    }
    // A block that waits for launches is swapped out for a while. One that is swapped at random may return in the same
    // cycle.
    const bool away = policy.away != 0 || timed.statistic("front_end.tb_saved") != 0;
    const std::string seen = "away " + std::to_string(away) + ", " + policy.seen() + ", statistics " +
                             std::to_string(timed.device.gpu().statistics().hash());
    return timed.left() + seen;
  });
}

void same_whoever_sleeps(const Work& work, const std::string& begin) {
  const std::string first = run(work);
  EXPECT_EQ(first.substr(0, begin.size()), begin) << first;
  for (const char* const other : {"run.sleep=0", "run.shuffle=1"}) {
    Work again = work;
    again.overrides.emplace_back(other);
    EXPECT_EQ(run(again), first) << other;
  }
}

TEST(MovedBesideAPolicy, ABlockThatMovesIsPlacedAndCompleteOnce) {
  same_whoever_sleeps({{}}, "away 0");
  for (const char* const random : {"context.random=1", "context.random=2"}) same_whoever_sleeps({{random}}, "away 1");
  same_whoever_sleeps({{"context.random=3"}, true}, "away 1");
}

// Each SM has a slot for one block, and the tree is deeper than the number of SMs.
TEST(MovedBesideAPolicy, ParentsThatWaitMakeRoomForTheirChildren) {
  const std::vector<std::string> keys = {"sm.tb_slots=1", "sm.tb_contexts=1"};
  same_whoever_sleeps({keys, false, true}, "away 1");
  // Entries are held while their blocks are swapped out, and there are enough entries.
  same_whoever_sleeps({{"table.entries=32"}, true, true}, "away 1");
  for (const char* const random : {"context.random=1", "context.random=2"}) {
    std::vector<std::string> moving = keys;
    moving.emplace_back(random);
    same_whoever_sleeps({moving, false, true}, "away 1");
  }
}

// Runs three queues, one of which is preempted from time to time. With `rate` its blocks are saved; with `drain` they
// run to their end, wherever they are.
std::string preempted(const std::vector<std::string>& overrides) {
  std::vector<std::string> keys = {"chip.sms=" + std::to_string(kSms), "context.bytes_per_cycle=1000"};
  keys.insert(keys.end(), overrides.begin(), overrides.end());
  return in_process([&]() -> std::string {
    Counting policy;
    Preempting scheduler;
    GroupTimed timed("kepler_ideal", keys, kMeet, false, false, nullptr, [&](Hooks& hooks) {
      hooks.dispatch = &policy;
      hooks.job_scheduler = &scheduler;
    });
    timed.blocks_leave = true;
    constexpr unsigned kBlocks = 60;
    std::array<std::uint64_t, 3> out{};
    std::vector<Ticket> tickets;
    for (unsigned queue = 0; queue < 3; ++queue) {
      out[queue] = timed.host.words(kBlocks * 128);
      tickets.push_back(timed.host.submit("meet", out[queue], 0, kBlocks, 128, queue));
    }
    for (const Ticket ticket : tickets) {
      if (timed.device.advance_until(ticket) != Outcome::kDone) return timed.host.said();
    }
    for (const std::uint64_t words : out) {
      if (const std::string wrong = met(timed.host.values(words, kBlocks * 128)); !wrong.empty()) return wrong;
    }
    if (policy.done != 3 * kBlocks || scheduler.placed != 3 * kBlocks || scheduler.done != 3 * kBlocks) {
      return "seen otherwise: " + policy.seen() + ", " + std::to_string(scheduler.done);
    }
    const std::uint64_t saved = timed.statistic("front_end.tb_saved");
    return timed.left() + scheduler.wrong + policy.wrong + "saved " + std::to_string(saved != 0) + ", " +
           policy.seen() + ", statistics " + std::to_string(timed.device.gpu().statistics().hash());
  });
}

TEST(MovedBesideAJobScheduler, QueuesThatArePreemptedAndBlocksThatMove) {
  const std::string still = preempted({});
  EXPECT_EQ(still.substr(0, 7), "saved 0") << still;
  EXPECT_EQ(preempted({"run.sleep=0"}), still);
  for (const char* const mover : {"context.mover=drain", "context.mover=rate"}) {
    for (const char* const random : {"context.random=1", "context.random=2"}) {
      const std::string first = preempted({mover, random});
      EXPECT_EQ(first.substr(0, 7), "saved 1") << first;
      EXPECT_EQ(preempted({mover, random, "run.sleep=0"}), first);
      EXPECT_EQ(preempted({mover, random, "run.shuffle=1"}), first);
    }
  }
}

}  // namespace
}  // namespace castor::gpu::launch_test::moved_placing
