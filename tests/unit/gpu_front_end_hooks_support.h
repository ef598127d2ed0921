#pragma once

#include <functional>
#include <vector>

#include "gpu_front_end_support.h"

// Hooks that count their edges and record their inputs, for tests of the front end.
namespace castor::gpu::test::hooks {

constexpr Cycle kSubmit = 10;

/// Counts edges, skipped ones included, and checks that they are consecutive.
template <class Interface>
class Counting : public Interface {
 public:
  void attach(const HookSite& site) override { site_ = site; }
  void reset() override { edges = 0; }
  [[nodiscard]] Cycle quiet() const override { return quiet_edges; }
  void idle(Cycle n) override {
    EXPECT_LE(n, quiet_edges);
    edges += n;
  }
  Cycle quiet_edges = 0;
  Cycle edges = 0;

 protected:
  void edge(Cycle now) {
    EXPECT_EQ(now, edges);
    ++edges;
  }
  HookSite site_;
};

class Governor : public Counting<SmGovernor> {
 public:
  Governor() { out.pulses = true; }
  const GovernOut& settle(const GovernIn& in) override {
    if (decide) decide(in.now, out);
    return out;
  }
  void clock(const GovernIn& in) override {
    edge(in.now);
    if (see) see(in);
  }
  GovernOut out;
  std::function<void(Cycle, GovernOut&)> decide;
  std::function<void(const GovernIn&)> see;
};

/// Strict first come, first served, computed from the policy's inputs alone.
class Fcfs : public Counting<DispatchPolicy> {
 public:
  const DispatchOut& settle(const DispatchIn& in) override {
    out.place.reset();
    out.ready = !items.empty();
    out.push_ready = push_ready;
    out.hold = hold;
    out.fits_head = items.empty() ? kAllSms : 0;
    if (items.empty()) return out;
    const Item& head = items.front();
    for (unsigned sm = 0; sm < in.room->sms(); ++sm) {
      if (in.room->fits(sm, head.item.need)) out.fits_head |= SmMask{1} << sm;
    }
    if ((*in.fits)[head.item.kd] || always_offer) {
      Placement placement;
      placement.kd = head.item.kd;
      placement.position = head.next;
      placement.sm = sm;
      out.place = placement;
    }
    return out;
  }
  void clock(const DispatchIn& in) override {
    edge(in.now);
    if (in.taken) {
      ASSERT_TRUE(out.place.has_value());
      EXPECT_EQ(in.ev.placed.value_or(TbEvent{}).kd, out.place->kd);
      if (++items.front().next == items.front().item.tbs) items.erase(items.begin());
    }
    if (in.push) {
      EXPECT_TRUE(in.ev.pushed.has_value());
      items.push_back({*in.push, 0});
    }
    if (see) see(in);
  }
  struct Item {
    WorkItem item;
    std::uint32_t next;
  };
  std::vector<Item> items;
  DispatchOut out;
  bool push_ready = true, always_offer = false;
  std::uint16_t sm = Placement::kAnySm;
  KdMask hold;
  std::function<void(const DispatchIn&)> see;
};

/// Round robin over the eligible queues.
class RoundRobin : public Counting<JobScheduler> {
 public:
  const JobOut& settle(const JobIn& in) override {
    out.pick = -1;
    for (std::size_t j = 1; j <= kMaxQueues && out.pick < 0; ++j) {
      const std::size_t queue = (last + j) % kMaxQueues;
      if ((*in.eligible)[queue]) out.pick = static_cast<int>(queue);
    }
    return out;
  }
  void clock(const JobIn& in) override {
    edge(in.now);
    if (in.granted >= 0) {
      EXPECT_EQ(in.granted, out.pick);
      last = static_cast<std::size_t>(in.granted);
    }
    if (see) see(in);
  }
  std::size_t last = kMaxQueues - 1;
  JobOut out;
  std::function<void(const JobIn&)> see;
};

}  // namespace castor::gpu::test::hooks
