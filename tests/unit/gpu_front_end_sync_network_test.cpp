// Tests of the synchronisation network between its two ends: arrival times, order, free entries, parallel channels,
// sleeping (docs/gpu/sync-network.md).
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "castor/base/rng.h"
#include "castor/gpu/front_end/sync_network.h"
#include "common/sync_stubs.h"

namespace castor::gpu::gpu_front_end_sync_network_test {
namespace {

using test::sync_message;
using test::SyncSeen;

/// An SM's end of a link. It sends the messages of `wants`, each from its cycle on, and accepts messages in cycles for
/// which `takes` returns true. It sleeps as an SM does.
class End final : public SmUnit {
 public:
  End(unsigned index, unsigned latency) : SmUnit(index, 1), link(latency) {
    outbox_.set_sync_link(link);
    sleep_until(kForever);
  }
  void tick(Cycle now) override {
    bool again = false;
    if (const SyncMessage* const message = link.received(now); message != nullptr && takes(now)) {
      received.push_back({now, message->word[0]});
      link.take_received(now);
      again = true;
    }
    const bool wants_now = next < wants.size() && wants[next] <= now;
    blocked = wants_now && !link.can_send(now);
    if (wants_now && !blocked) {
      EXPECT_EQ(link.send(sync_message(next, index()), now), now + link.latency());
      sent.push_back({now, next++});
      most = std::max(most, link.up_fill(now));
      again = true;
    }
    Cycle wake = again || polls ? now + 1 : kForever;
    if (link.next_received() > now) wake = std::min(wake, link.next_received());
    if (blocked) wake = std::min(wake, link.next_credit());
    if (!blocked && next < wants.size()) wake = std::min(wake, wants[next]);
    sleep_until(std::max(wake, now + 1));
    ++ticks;
  }
  void kill(const KernelContext& /*kernel*/, Cycle /*visible*/) override {}
  void set_clock_enable(bool /*enable*/, Cycle /*from*/) override {}
  std::optional<Fault> serve(unsigned /*warp*/, DeviceServices* /*services*/, Cycle /*resume*/) override { return {}; }
  [[nodiscard]] bool idle() const override { return true; }
  [[nodiscard]] std::string waiting() const override { return {}; }

  SyncLink link;
  std::vector<Cycle> wants;
  std::function<bool(Cycle)> takes = [](Cycle) { return true; };
  bool polls = false;  ///< ticks in every cycle, because `takes` changes with time
  std::vector<SyncSeen> sent, received;
  std::size_t next = 0;
  bool blocked = false;
  unsigned most = 0;
  std::uint64_t ticks = 0;
};

/// Network with its ends. The hub's end sends the messages of `wants`, each from its cycle on.
struct Rig {
  struct Want {
    Cycle from;
    SmMask to;
  };
  Rig(unsigned sms, unsigned latency) {
    std::vector<SmUnit*> units;
    for (unsigned i = 0; i < sms; ++i) {
      ends.push_back(std::make_unique<End>(i, latency));
      units.push_back(ends.back().get());
    }
    taken.resize(sms);
    network = std::make_unique<SyncNetwork>(units, statistics);
  }
  void hub(Cycle now) {
    network->begin(now);
    SmMask take;
    for (unsigned sm = 0; sm < ends.size(); ++sm) {
      const Maybe<SyncMessage>& head = network->up()[sm];
      EXPECT_EQ(head.has_value(), network->arrived()[sm]);
      if (!head || !takes(now, sm)) continue;
      EXPECT_EQ(head->word[3], sm);
      taken[sm].push_back({now, head->word[0]});
      take[sm] = true;
    }
    const bool sends = next < wants.size() && wants[next].from <= now && network->fits(wants[next].to);
    network->take(take, now);
    if (!sends) return;
    network->send({wants[next].to, sync_message(next)}, now);
    sent.push_back({now, next++});
  }
  /// Runs cycles until `end`, with the hub before (`order` 0), after (1), or between (2) the SMs. Sleeping ends are
  /// skipped.
  void run(Cycle end, unsigned order = 0) {
    for (; now < end; ++now) {
      const std::size_t at = order == 0 ? 0 : order == 1 ? ends.size() : ends.size() / 2;
      for (std::size_t i = 0; i <= ends.size(); ++i) {
        if (i == at) hub(now);
        if (i < ends.size() && ends[i]->wake() <= now) ends[i]->tick(now);
      }
      for (const auto& one : ends) one->link.deliver();
    }
  }
  [[nodiscard]] std::uint64_t statistic(const std::string& name) const {
    return statistics.find("sync_net." + name)->integer();
  }

  base::StatisticGroup statistics{"front_end"};
  std::vector<std::unique_ptr<End>> ends;
  std::unique_ptr<SyncNetwork> network;
  std::vector<Want> wants;
  std::function<bool(Cycle, unsigned)> takes = [](Cycle, unsigned) { return true; };
  std::vector<std::vector<SyncSeen>> taken;  // [sm]
  std::vector<SyncSeen> sent;
  std::size_t next = 0;
  Cycle now = 0;
};

constexpr unsigned kLatencies[] = {1, 2, 20, 255};
constexpr unsigned kSizes[] = {1, 2, 64, 65, 256};

SmMask first_sms(unsigned sms) {
  SmMask mask;
  for (unsigned sm = 0; sm < sms; ++sm) mask[sm] = true;
  return mask;
}

/// Returns `count` messages, one per cycle from `cycle` on.
std::vector<SyncSeen> one_per_cycle(Cycle cycle, std::size_t count, std::uint64_t value = 0) {
  std::vector<SyncSeen> list;
  for (std::size_t i = 0; i < count; ++i) list.push_back({cycle + i, value + i});
  return list;
}

TEST(SyncNetwork, AMessageArrivesTheLatencyAfterItWasSentInBothDirections) {
  for (const unsigned latency : kLatencies) {
    for (const unsigned sms : kSizes) {
      for (const unsigned order : {0U, 1U, 2U}) {
        SCOPED_TRACE(std::to_string(sms) + " SMs, latency " + std::to_string(latency));
        Rig rig(sms, latency);
        const unsigned last = sms - 1;
        rig.ends[last]->wants = {7};
        rig.ends[last]->wake_at(7);
        rig.wants = {{9, SmMask{}.set(last)}};
        rig.run(2000, order);
        EXPECT_EQ(rig.taken[last], (std::vector<SyncSeen>{{7 + latency, 0}}));
        EXPECT_EQ(rig.ends[last]->received, (std::vector<SyncSeen>{{9 + latency, 0}}));
        for (unsigned sm = 0; sm < last; ++sm) EXPECT_TRUE(rig.ends[sm]->received.empty());
        EXPECT_EQ(rig.network->in_flight(), 0U);
      }
    }
  }
}

TEST(SyncNetwork, ABurstTakesOneCycleForEachMessageOfAChannelAndAllChannelsGoInParallel) {
  constexpr std::size_t kBurst = 600;
  for (const unsigned latency : kLatencies) {
    for (const unsigned sms : kSizes) {
      SCOPED_TRACE(std::to_string(sms) + " SMs, latency " + std::to_string(latency));
      Rig rig(sms, latency);
      for (const auto& end : rig.ends) {
        end->wants.assign(kBurst, 5);
        end->wake_at(5);
      }
      for (std::size_t i = 0; i < kBurst; ++i) rig.wants.push_back({5, first_sms(sms)});
      rig.run(5 + kBurst + latency + 10, latency % 3);
      EXPECT_EQ(rig.sent, one_per_cycle(5, kBurst));
      for (unsigned sm = 0; sm < sms; ++sm) {
        ASSERT_EQ(rig.ends[sm]->sent, one_per_cycle(5, kBurst)) << sm;
        ASSERT_EQ(rig.taken[sm], one_per_cycle(5 + latency, kBurst)) << sm;
        ASSERT_EQ(rig.ends[sm]->received, one_per_cycle(5 + latency, kBurst)) << sm;
        // The receiver takes every message at once, so one entry of the channel is never used.
        EXPECT_EQ(rig.ends[sm]->most, latency + 1) << sm;
      }
      EXPECT_EQ(rig.statistic("down_messages"), kBurst * sms);
      EXPECT_EQ(rig.statistic("up_taken"), kBurst * sms);
      EXPECT_EQ(rig.statistic("broadcasts"), sms == 1 ? 0 : kBurst);
      EXPECT_EQ(rig.statistic("down_fill_max"), latency + 1);
    }
  }
}

TEST(SyncNetwork, AChannelWhoseReceiverStallsHoldsTheLatencyPlusTwo) {
  for (const unsigned latency : kLatencies) {
    for (const unsigned order : {0U, 1U}) {
      SCOPED_TRACE("latency " + std::to_string(latency));
      const std::size_t depth = latency + 2, count = depth + 5;
      const Cycle opens = 3 * latency + 100;
      Rig rig(2, latency);
      rig.takes = [&](Cycle now, unsigned /*sm*/) { return now >= opens; };
      rig.ends[1]->wants.assign(count, 4);
      rig.ends[1]->wake_at(4);
      rig.ends[0]->takes = [&](Cycle now) { return now >= opens; };
      rig.ends[0]->polls = true;
      rig.ends[0]->wake_at(0);
      for (std::size_t i = 0; i < count; ++i) rig.wants.push_back({4, SmMask{1}});
      rig.run(opens + 3 * latency + 50, order);
      // The first `depth` messages are sent at once, each later one in the cycle after an entry was freed.
      std::vector<SyncSeen> sent = one_per_cycle(4, depth);
      for (std::size_t i = depth; i < count; ++i) sent.push_back({opens + 1 + (i - depth), i});
      EXPECT_EQ(rig.ends[1]->sent, sent);
      EXPECT_EQ(rig.sent, sent);
      std::vector<SyncSeen> taken;
      for (std::size_t i = 0; i < count; ++i) {
        taken.push_back({std::max<Cycle>(opens + i, sent[i].cycle + latency), i});
      }
      EXPECT_EQ(rig.taken[1], taken);
      EXPECT_EQ(rig.ends[0]->received, taken);
      EXPECT_EQ(rig.statistic("down_fill_max"), depth);
    }
  }
}

TEST(SyncNetwork, ABroadcastWaitsForTheOneFullChannel) {
  constexpr unsigned kSms = 65, kFull = 64;
  for (const unsigned latency : {1U, 20U}) {
    const Cycle opens = 1000;
    Rig rig(kSms, latency);
    rig.ends[kFull]->takes = [&](Cycle now) { return now >= opens; };
    rig.ends[kFull]->polls = true;
    rig.ends[kFull]->wake_at(0);
    for (unsigned i = 0; i < latency + 2; ++i) rig.wants.push_back({3, SmMask{}.set(kFull)});
    rig.wants.push_back({200, first_sms(kSms)});
    rig.run(2000);
    // An entry that is freed in cycle `opens` can be used from the next cycle on.
    EXPECT_EQ(rig.sent.back(), (SyncSeen{opens + 1, latency + 2}));
    for (unsigned sm = 0; sm < kSms; ++sm) {
      ASSERT_EQ(rig.ends[sm]->received.size(), sm == kFull ? latency + 3 : 1U);
      EXPECT_EQ(rig.ends[sm]->received.back().cycle,
                std::max<Cycle>(opens + 1 + latency, sm == kFull ? opens + latency + 2 : 0));
    }
    // The channel of an SM that is not addressed may be full.
    rig.wants.push_back({2100, SmMask{}.set(kFull)});
    rig.ends[kFull]->takes = [](Cycle) { return false; };
    for (unsigned i = 1; i < latency + 2; ++i) rig.wants.push_back({2100, SmMask{}.set(kFull)});
    rig.wants.push_back({2500, first_sms(kFull)});
    rig.run(2600);
    EXPECT_EQ(rig.sent.back().cycle, 2500U);
  }
}

TEST(SyncNetwork, EndsWithoutWorkAreNotWoken) {
  Rig rig(3, 20);
  rig.ends[1]->wants = {100};
  rig.ends[1]->wake_at(100);
  rig.wants = {{300, SmMask{}.set(2)}};
  rig.run(1000);
  EXPECT_EQ(rig.ends[0]->ticks, 0U);
  EXPECT_EQ(rig.ends[1]->ticks, 2U);  // sends the message, and then finds no more work
  EXPECT_EQ(rig.ends[2]->ticks, 2U);
  EXPECT_EQ(rig.network->next(), kForever);
}

TEST(SyncNetwork, ResetDropsWhatIsInFlightAndFreesAllPlaces) {
  constexpr unsigned kLatency = 20;
  Rig rig(2, kLatency);
  rig.takes = [&](Cycle now, unsigned /*sm*/) { return now > 500; };
  // One message is taken in the last cycle before the reset. Its entry must not be freed twice.
  rig.ends[0]->takes = [](Cycle now) { return now == 29 || now > 500; };
  rig.ends[0]->polls = true;
  rig.ends[0]->wants.assign(kLatency + 2, 5);
  rig.ends[0]->wake_at(5);
  for (unsigned i = 0; i < kLatency + 2; ++i) rig.wants.push_back({5, SmMask{1}});
  unsigned resets = 0;
  rig.ends[0]->link.on_reset([&] { ++resets; });
  rig.run(30);
  EXPECT_EQ(rig.network->in_flight(), 2 * (kLatency + 2) - 1);
  EXPECT_FALSE(rig.network->room()[0]);
  rig.network->reset();
  EXPECT_EQ(resets, 1U);
  EXPECT_EQ(rig.network->in_flight(), 0U);
  EXPECT_TRUE(rig.network->arrived().none());
  EXPECT_EQ(rig.network->next(), kForever);
  // The whole channel is free again in both directions.
  rig.ends[0]->received.clear();
  rig.ends[0]->wants.insert(rig.ends[0]->wants.end(), kLatency + 3, 100);
  for (unsigned i = 0; i < kLatency + 3; ++i) rig.wants.push_back({100, SmMask{1}});
  rig.ends[0]->wake_at(100);
  rig.run(400);
  EXPECT_EQ(rig.sent.back().cycle, 100U + kLatency + 1);
  EXPECT_EQ(rig.ends[0]->sent.back().cycle, 100U + kLatency + 1);
  EXPECT_TRUE(rig.taken[0].empty());
  rig.run(600);
  EXPECT_EQ(rig.taken[0].size(), kLatency + 3);
  EXPECT_EQ(rig.sent.back().cycle, 502U) << "the last one waits for a place";
  EXPECT_EQ(rig.ends[0]->sent.back().cycle, 502U);
  EXPECT_EQ(rig.taken[0].front(), (SyncSeen{501, kLatency + 2}));
  EXPECT_EQ(rig.ends[0]->received.front(), (SyncSeen{501, kLatency + 2}));
}

// --- Random traffic against recurrences ------------------------------------------------------------------------------

/// Returns the cycles in which an endpoint accepts messages: a random pattern of bursts.
std::vector<bool> pattern(base::Xoshiro256& random, Cycle end) {
  std::vector<bool> open(end);
  for (Cycle at = 0; at < end;) {
    const bool value = random.below(3) != 0;
    for (std::uint64_t left = 1 + random.below(value ? 60 : 120); left != 0 && at < end; --left) open[at++] = value;
  }
  return open;
}

Cycle first_open(const std::vector<bool>& open, Cycle from) {
  while (from < open.size() && !open[from]) ++from;
  return from;
}

/// Computes the times of one channel. Message k is sent when it is wanted, after message k - 1 was sent in an earlier
/// cycle and message k - depth was taken in an earlier cycle. It is taken in the first open cycle from its arrival on,
/// after message k - 1.
struct Channel {
  Channel(unsigned latency, std::vector<bool> open) : latency(latency), open(std::move(open)) {}
  [[nodiscard]] Cycle room() const { return taken.size() < latency + 2 ? 0 : taken[taken.size() - (latency + 2)] + 1; }
  void send(Cycle cycle) {
    sent.push_back(cycle);
    const Cycle behind = taken.empty() ? 0 : taken.back() + 1;
    taken.push_back(first_open(open, std::max(cycle + latency, behind)));
  }
  unsigned latency;
  std::vector<bool> open;
  std::vector<Cycle> sent, taken;
};

std::vector<SyncSeen> seen(const std::vector<Cycle>& cycles, const std::vector<std::uint64_t>& values, Cycle end) {
  std::vector<SyncSeen> list;
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    if (cycles[i] < end) list.push_back({cycles[i], values[i]});
  }
  return list;
}

void random_traffic(std::uint64_t seed, unsigned sms, unsigned latency) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  constexpr Cycle kEnd = 6000;
  base::Xoshiro256 random(seed);
  Rig rig(sms, latency);
  std::vector<Channel> up, down;
  std::vector<std::vector<std::uint64_t>> down_values(sms);
  for (unsigned sm = 0; sm < sms; ++sm) {
    up.emplace_back(latency, pattern(random, kEnd));
    down.emplace_back(latency, pattern(random, kEnd));
    Cycle at = 0;
    while (at < kEnd) {
      rig.ends[sm]->wants.push_back(at);
      at += random.below(8) == 0 ? random.below(400) : random.below(2);
    }
    rig.ends[sm]->takes = [&down, sm](Cycle now) { return bool{down[sm].open[now]}; };
    rig.ends[sm]->polls = true;
    rig.ends[sm]->wake_at(0);
  }
  rig.takes = [&up](Cycle now, unsigned sm) { return bool{up[sm].open[now]}; };
  for (Cycle at = 0; at < kEnd; at += random.below(6) == 0 ? random.below(300) : random.below(3)) {
    SmMask to;
    for (unsigned sm = 0; sm < sms; ++sm) to[sm] = random.below(3) != 0;
    if (to.none() || random.below(2) == 0) to = SmMask{}.set(random.below(sms));
    rig.wants.push_back({at, to});
  }
  rig.run(kEnd, static_cast<unsigned>(seed % 3));

  // Computes the expected result.
  for (unsigned sm = 0; sm < sms; ++sm) {
    Cycle free = 0;
    std::vector<std::uint64_t> numbers;
    for (const Cycle want : rig.ends[sm]->wants) {
      const Cycle cycle = std::max({want, free, up[sm].room()});
      free = cycle + 1;
      up[sm].send(cycle);
      numbers.push_back(numbers.size());
    }
    ASSERT_EQ(rig.ends[sm]->sent, seen(up[sm].sent, numbers, kEnd)) << "SM " << sm;
    ASSERT_EQ(rig.taken[sm], seen(up[sm].taken, numbers, kEnd)) << "SM " << sm;
    ASSERT_GT(rig.taken[sm].size(), 100U);
  }
  Cycle free = 0;
  std::vector<Cycle> sent;
  std::vector<std::uint64_t> numbers;
  for (const Rig::Want& want : rig.wants) {
    Cycle cycle = std::max(want.from, free);
    for (unsigned sm = 0; sm < sms; ++sm) {
      if (want.to[sm]) cycle = std::max(cycle, down[sm].room());
    }
    free = cycle + 1;
    for (unsigned sm = 0; sm < sms; ++sm) {
      if (!want.to[sm]) continue;
      down[sm].send(cycle);
      down_values[sm].push_back(numbers.size());
    }
    sent.push_back(cycle);
    numbers.push_back(numbers.size());
  }
  ASSERT_EQ(rig.sent, seen(sent, numbers, kEnd));
  for (unsigned sm = 0; sm < sms; ++sm) {
    ASSERT_EQ(rig.ends[sm]->received, seen(down[sm].taken, down_values[sm], kEnd)) << "SM " << sm;
  }
}

TEST(SyncNetwork, RandomTrafficFollowsTheRecurrences) {
  std::uint64_t seed = 1;
  for (const unsigned latency : kLatencies) {
    for (const unsigned sms : {1U, 2U, 5U, 65U}) random_traffic(seed++, sms, latency);
  }
}

}  // namespace
}  // namespace castor::gpu::gpu_front_end_sync_network_test
