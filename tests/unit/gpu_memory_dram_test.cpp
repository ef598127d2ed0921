// Compares the DRAM channel with a checker of its timing rules, and with a second scheduler that evaluates every clock.
// Both are written from the rules alone and share no code with the channel.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "castor/base/rng.h"
#include "castor/gpu/memory/dram_channel.h"
#include "gpu_memory_support.h"

namespace castor::gpu::gpu_memory_dram_test {
namespace {

using Kind = DramCommand::Kind;
using test::memory_machine;

/// A request as it became visible to the channel.
struct Arrival {
  Cycle cycle = 0;
  unsigned slice = 0;
  std::uint64_t line = 0;
  std::uint8_t sectors = 0;
  bool write = false;
};

/// Sends the requests of one slice, and takes each reply after a delay.
class FakeSlice : public Unit {
 public:
  FakeSlice(const std::string& name, unsigned depth, std::uint64_t seed, unsigned slowest)
      : port(name.c_str(), *this, depth), rng_(seed), slowest_(slowest) {}

  InitiatorPort port;
  std::deque<Arrival> to_send;       ///< `cycle`: earliest cycle of the request
  std::vector<Arrival> arrived;      ///< `cycle`: cycle in which the reply is visible
  std::vector<Cycle> taken;          ///< reads
  std::vector<Cycle> reply_visible;  ///< reads

  void tick(Cycle now) override {
    if (port.reply(now) != nullptr && now >= ready_) {
      const bool write = port.reply(now)->request.is_write();
      if (!write) {
        taken.push_back(now);
        reply_visible.push_back(port.reply(now)->request.visible);
      }
      port.take_reply(now).release();
      ready_ = now + 1 + rng_.below(slowest_);
    }
    if (!to_send.empty() && to_send.front().cycle <= now && port.can_send(1, now)) {
      Arrival arrival = to_send.front();
      to_send.pop_front();
      Transaction& transaction = pool_.get();
      transaction.request.kind = arrival.write ? RequestKind::kStore : RequestKind::kLoad;
      transaction.request.sectors = arrival.sectors;
      transaction.prepare(arrival.line);
      arrival.cycle = now + 1;
      arrived.push_back(arrival);
      port.send(transaction, 1, now, now + 1);
    }
    sleep_until(now + 1);
  }
  [[nodiscard]] bool done() const { return to_send.empty() && port.outstanding() == 0; }

 private:
  TransactionPool pool_;
  base::Xoshiro256 rng_;
  unsigned slowest_;
  Cycle ready_ = 0;
};

class ChannelRig : public sc_core::sc_module {
 public:
  ChannelRig(const Machine& m, std::uint64_t seed, unsigned slowest, bool sleep)
      : ChannelRig(sc_core::sc_module_name(sc_core::sc_gen_unique_name("channel_rig")), m, seed, slowest, sleep) {}
  ChannelRig(const sc_core::sc_module_name& name, const Machine& m, std::uint64_t seed, unsigned slowest, bool sleep)
      : sc_module(name), machine(m), statistics("memory"), channel("channel", machine, 0, statistics), sleep_(sleep) {
    for (unsigned s = 0; s < channel.slices(); ++s) {
      slices.push_back(std::make_unique<FakeSlice>("slice_port" + std::to_string(s),
                                                   machine.dram.queue / channel.slices(), seed + s, slowest));
      connect(slices.back()->port, channel.slice(s));
    }
    channel.on_command = [this](const DramCommand& command) { commands.push_back(command); };
  }
  bool run(Cycle limit) {
    for (now = 0; now < limit; ++now) {
      // The channel ticks last in even rigs and first in odd ones; the order must not matter.
      for (auto& slice : slices) slice->tick(now);
      if (!sleep_ || channel.wake() <= now) channel.tick(now);
      if (std::all_of(slices.begin(), slices.end(), [](const auto& s) { return s->done(); })) return true;
    }
    return false;
  }

  Machine machine;
  base::StatisticGroup statistics;
  DramChannel channel;
  std::vector<std::unique_ptr<FakeSlice>> slices;
  std::vector<DramCommand> commands;
  Cycle now = 0;

 private:
  bool sleep_;
};

unsigned burst_of(const Machine& machine) { return std::max(1U, machine.dram.atom / machine.dram.bytes_per_clk); }

/// Checks every pair of commands of a stream against the timing rule for that pair. Returns the violations.
std::vector<std::string> violations(const Machine& machine, const std::vector<DramCommand>& stream) {
  const auto& t = machine.dram;
  const auto burst = static_cast<std::int64_t>(burst_of(machine));
  std::vector<std::string> found;
  const auto is_column = [](const DramCommand& c) { return c.kind == Kind::kRead || c.kind == Kind::kWrite; };
  std::map<unsigned, std::optional<std::uint64_t>> open;
  std::vector<std::size_t> activates;
  for (std::size_t i = 0; i < stream.size(); ++i) {
    const DramCommand& now = stream[i];
    const auto need = [&](std::size_t j, std::int64_t distance, const char* rule) {
      if (static_cast<std::int64_t>(now.clock) - static_cast<std::int64_t>(stream[j].clock) < distance) {
        found.push_back(std::string(rule) + " at clock " + std::to_string(now.clock));
      }
    };
    if (i > 0 && now.clock <= stream[i - 1].clock)
      found.push_back("two commands at clock " + std::to_string(now.clock));
    // Row that must be open in the bank.
    if (now.kind == Kind::kActivate && open[now.bank]) found.emplace_back("activate of an open bank");
    if (now.kind == Kind::kPrecharge && !open[now.bank]) found.emplace_back("precharge of a closed bank");
    if (is_column(now) && open[now.bank] != now.row) found.emplace_back("column command to another row");
    if (now.kind == Kind::kActivate) {
      activates.push_back(i);
      if (activates.size() > 4) need(activates[activates.size() - 5], t.faw, "FAW");
    }
    for (std::size_t j = i; j-- > 0 && now.clock - stream[j].clock < 1000;) {
      const DramCommand& then = stream[j];
      const bool same_bank = then.bank == now.bank || now.kind == Kind::kRefresh;
      const bool same_group = then.bank % t.groups == now.bank % t.groups;
      if (then.kind == Kind::kActivate && now.kind == Kind::kActivate) {
        need(j, t.rrd, "RRD");
        if (same_bank) need(j, t.rc, "RC");
      }
      if (same_bank && then.kind == Kind::kActivate && is_column(now)) need(j, t.rcd, "RCD");
      const bool closes = now.kind == Kind::kPrecharge || now.kind == Kind::kRefresh;
      if (same_bank && closes && then.kind == Kind::kActivate) need(j, t.ras, "RAS");
      if (same_bank && closes && then.kind == Kind::kRead) need(j, t.rtpl, "RTPL");
      if (same_bank && closes && then.kind == Kind::kWrite) need(j, t.wl + burst + t.wr, "WR");
      if (same_bank && then.kind == Kind::kPrecharge && now.kind == Kind::kActivate) need(j, t.rp, "RP");
      if (then.kind == Kind::kRefresh && now.kind == Kind::kActivate)
        need(j, t.rp + (t.rfc != 0 ? t.rfc : t.rc), "refresh");
      if (is_column(then) && is_column(now)) {
        need(j, std::max<std::int64_t>(t.ccd, burst), "CCD");
        if (same_group) need(j, std::max<std::int64_t>(t.ccdl, burst), "CCDL");
        if (then.kind == Kind::kRead && now.kind == Kind::kWrite) need(j, t.cl + burst + t.rtw - t.wl, "read to write");
        if (then.kind == Kind::kWrite && now.kind == Kind::kRead) need(j, t.wl + burst + t.cdlr, "write to read");
      }
    }
    if (now.kind == Kind::kActivate) open[now.bank] = now.row;
    if (now.kind == Kind::kPrecharge) open[now.bank].reset();
    if (now.kind == Kind::kRefresh) open.clear();
  }
  return found;
}

/// Reference scheduler, clock by clock, with plain lists. Returns the commands and, per slice, the cycles in which its
/// reads become visible.
struct Expected {
  std::vector<DramCommand> commands;
  std::vector<std::vector<Cycle>> visible;
};
Expected reference(const Machine& machine, const ChannelRig& rig, const AddressMap& map) {
  struct Request {
    Arrival arrival;
    std::uint64_t number = 0;
    AddressMap::DramPlace place;
    std::vector<unsigned> atoms;
    bool started = false;
  };
  const auto& t = machine.dram;
  const std::int64_t burst = burst_of(machine);
  std::vector<Arrival> arrivals;
  for (const auto& slice : rig.slices) arrivals.insert(arrivals.end(), slice->arrived.begin(), slice->arrived.end());
  std::stable_sort(arrivals.begin(), arrivals.end(), [](const Arrival& a, const Arrival& b) {
    return std::tie(a.cycle, a.slice) < std::tie(b.cycle, b.slice);
  });
  const auto khz = [](double mhz) { return static_cast<std::uint64_t>(mhz * 1000 + 0.5); };
  const std::uint64_t core = khz(machine.clock.core_mhz), dram = khz(machine.clock.dram_mhz);
  Expected expected;
  expected.visible.resize(rig.slices.size());
  std::vector<Request> queue;
  std::map<unsigned, std::uint64_t> open;
  // Last clocks of commands; far in the past at the start.
  constexpr std::int64_t kNever = -100000;
  std::map<unsigned, std::int64_t> act, pre, read, write;
  std::map<unsigned, std::int64_t> group_column;
  std::vector<std::int64_t> acts;
  const auto last = [&](std::map<unsigned, std::int64_t>& of, unsigned key) {
    return of.count(key) != 0 ? of[key] : kNever;
  };
  std::int64_t any_act = kNever, any_column = kNever, any_read = kNever, any_write = kNever;
  std::size_t next = 0;
  std::uint64_t number = 0;
  std::uint64_t started = 0;
  for (Cycle cycle = 0; next < arrivals.size() || !queue.empty(); ++cycle) {
    for (; next < arrivals.size() && arrivals[next].cycle == cycle; ++next) {
      Request request{arrivals[next], number++, map.dram(map.channel_address(arrivals[next].line)), {}, false};
      for (unsigned atom = 0; atom < machine.l2.line / t.atom; ++atom) {
        const unsigned sectors = (1U << t.atom / 32) - 1;
        if ((arrivals[next].sectors >> atom * (t.atom / 32) & sectors) != 0) request.atoms.push_back(atom);
      }
      queue.push_back(request);
    }
    std::uint64_t taken = 0;
    for (const auto& slice : rig.slices) {
      taken += static_cast<std::uint64_t>(std::lower_bound(slice->taken.begin(), slice->taken.end(), cycle) -
                                          slice->taken.begin());
    }
    for (auto clock = static_cast<std::int64_t>(cycle * dram / core);
         clock < static_cast<std::int64_t>((cycle + 1) * dram / core); ++clock) {
      int best = -1;
      bool best_column = false;
      std::map<unsigned, int> candidates;  // per bank: oldest hit, else oldest
      for (int i = 0; i < static_cast<int>(queue.size()); ++i) {
        const unsigned bank = queue[static_cast<std::size_t>(i)].place.bank;
        const auto hit = [&](int k) {
          return open.count(bank) != 0 && open[bank] == queue[static_cast<std::size_t>(k)].place.row;
        };
        if (candidates.count(bank) == 0)
          candidates[bank] = i;
        else if (hit(i) && !hit(candidates[bank]))
          candidates[bank] = i;
      }
      for (const auto& [bank, i] : candidates) {
        const Request& r = queue[static_cast<std::size_t>(i)];
        const bool is_open = open.count(bank) != 0;
        const bool column = is_open && open[bank] == r.place.row;
        bool legal = true;
        const auto after = [&](std::int64_t event, std::int64_t distance) {
          legal = legal && clock >= event + distance;
        };
        if (column) {
          after(last(act, bank), t.rcd);
          after(any_column, std::max<std::int64_t>(t.ccd, burst));
          after(last(group_column, bank % t.groups), std::max<std::int64_t>(t.ccdl, burst));
          if (r.arrival.write)
            after(any_read, t.cl + burst + t.rtw - t.wl);
          else
            after(any_write, t.wl + burst + t.cdlr);
          if (!r.arrival.write && !r.started && started - taken >= t.return_queue) legal = false;
        } else if (is_open) {
          after(last(act, bank), t.ras);
          after(last(read, bank), t.rtpl);
          after(last(write, bank), t.wl + burst + t.wr);
        } else {
          after(last(pre, bank), t.rp);
          after(last(act, bank), t.rc);
          after(any_act, t.rrd);
          if (acts.size() >= 4) after(acts[acts.size() - 4], t.faw);
        }
        if (!legal) continue;
        const bool better = best < 0 || (column && !best_column) ||
                            (column == best_column && r.number < queue[static_cast<std::size_t>(best)].number);
        if (better) {
          best = i;
          best_column = column;
        }
      }
      if (best < 0) continue;
      Request& r = queue[static_cast<std::size_t>(best)];
      const unsigned bank = r.place.bank;
      DramCommand command;
      command.clock = static_cast<std::uint64_t>(clock);
      command.bank = bank;
      command.row = r.place.row;
      command.request = r.number;
      if (best_column) {
        command.kind = r.arrival.write ? Kind::kWrite : Kind::kRead;
        command.column = r.place.column + r.atoms.front() * t.atom;
        r.atoms.erase(r.atoms.begin());
        any_column = group_column[bank % t.groups] = clock;
        (r.arrival.write ? any_write : any_read) = clock;
        (r.arrival.write ? write : read)[bank] = clock;
        if (!r.arrival.write && !r.started) ++started;
        r.started = true;
      } else if (open.count(bank) != 0) {
        command.kind = Kind::kPrecharge;
        open.erase(bank);
        pre[bank] = clock;
      } else {
        command.kind = Kind::kActivate;
        open[bank] = r.place.row;
        act[bank] = any_act = clock;
        acts.push_back(clock);
      }
      expected.commands.push_back(command);
      if (best_column && r.atoms.empty()) {
        if (!r.arrival.write) {
          const auto data = static_cast<std::uint64_t>(clock + t.cl + burst);
          Cycle c = cycle;
          while ((c + 1) * dram / core <= data) ++c;
          expected.visible[r.arrival.slice].push_back(c + 1 + t.extra_latency);
        }
        queue.erase(queue.begin() + best);
      }
    }
  }
  return expected;
}

/// Returns a machine with random DRAM timing. At most 256 bytes of every stripe belong to channel 0.
Machine random_machine(base::Xoshiro256& rng, bool refresh) {
  const auto pick = [&rng](std::int64_t low, std::int64_t high) { return std::to_string(rng.between(low, high)); };
  const std::int64_t rcd = rng.between(1, 20), ras = rcd + rng.between(1, 20), rp = rng.between(1, 20);
  return memory_machine({"clock.dram_mhz=" + pick(200, 3000),
                         "dram.rrd=" + pick(0, 10),
                         "dram.rcd=" + std::to_string(rcd),
                         "dram.ras=" + std::to_string(ras),
                         "dram.rp=" + std::to_string(rp),
                         "dram.rc=" + std::to_string(ras + rp + rng.between(-3, 5)),
                         "dram.cl=" + pick(1, 20),
                         "dram.wl=" + pick(0, 20),
                         "dram.ccd=" + pick(1, 4),
                         "dram.ccdl=" + pick(1, 6),
                         "dram.cdlr=" + pick(0, 8),
                         "dram.wr=" + pick(0, 20),
                         "dram.rtpl=" + pick(0, 9),
                         "dram.queue=" + pick(2, 24),
                         "dram.return_queue=" + pick(1, 12),
                         "dram.extra_latency=" + pick(0, 20),
                         "dram.atom=" + std::to_string(32 << rng.below(3)),
                         "dram.bytes_per_clk=" + std::to_string(8 << rng.below(4)),
                         "dram.banks=" + std::to_string(4 << rng.below(3)),
                         "dram.groups=" + std::to_string(1 << rng.below(3)),
                         "dram.row_bytes=" + std::to_string(512 << rng.below(2)),
                         "dram.faw=" + pick(0, 60),
                         "dram.rtw=" + pick(0, 8),
                         "dram.rfc=" + pick(0, 60),
                         "map.bank_hash=" + std::string(rng.below(2) == 0 ? "off" : "xor"),
                         "dram.trefi=" + std::string(refresh ? pick(200, 600) : "0")},
                        "tiny");
}

void fill(ChannelRig& rig, base::Xoshiro256& rng, const AddressMap& map, unsigned requests) {
  const std::uint64_t span = 1 + rng.below(200);
  const std::uint64_t writes = rng.below(5);
  Cycle cycle = 0;
  for (unsigned i = 0; i < requests; ++i) {
    Arrival arrival;
    do {
      arrival.line = Store::kBase + rng.below(span * 16) * 128;
    } while (map.channel(arrival.line) != 0);
    arrival.slice = map.slice(arrival.line);
    arrival.sectors = static_cast<std::uint8_t>(rng.below(3) == 0 ? 0xf : 1 + rng.below(15));
    arrival.write = rng.below(4) < writes;
    arrival.cycle = cycle;
    rig.slices[arrival.slice]->to_send.push_back(arrival);
    cycle += rng.below(8) == 0 ? rng.below(60) : rng.below(2);
  }
}

class DramRules : public ::testing::TestWithParam<int> {};

TEST_P(DramRules, EveryCommandIsTheOneThatTheRulesChoose) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  SCOPED_TRACE("--gtest_filter=*DramRules*/" + std::to_string(seed));
  base::Xoshiro256 rng(seed);
  const Machine machine = random_machine(rng, false);
  const AddressMap map(machine);
  ChannelRig rig(machine, seed, static_cast<unsigned>(1 + rng.below(20)), true);
  fill(rig, rng, map, 300);
  ASSERT_TRUE(rig.run(1'000'000));
  EXPECT_THAT(violations(machine, rig.commands), ::testing::IsEmpty());
  const Expected expected = reference(machine, rig, map);
  ASSERT_EQ(rig.commands.size(), expected.commands.size());
  for (std::size_t i = 0; i < rig.commands.size(); ++i) {
    const DramCommand &is = rig.commands[i], &should = expected.commands[i];
    ASSERT_TRUE(is.clock == should.clock && is.kind == should.kind && is.bank == should.bank && is.row == should.row &&
                is.request == should.request)
        << "command " << i << ": clock " << is.clock << " for request " << is.request << ", expected clock "
        << should.clock << " for request " << should.request;
    if (is.kind == Kind::kRead || is.kind == Kind::kWrite) {
      ASSERT_EQ(is.column, should.column);
    }
  }
  for (std::size_t s = 0; s < rig.slices.size(); ++s) EXPECT_EQ(rig.slices[s]->reply_visible, expected.visible[s]);
}

TEST_P(DramRules, SleepingChangesNoCommand) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  std::vector<DramCommand> streams[2];
  for (const bool sleep : {false, true}) {
    base::Xoshiro256 rng(seed);
    const Machine machine = random_machine(rng, seed % 2 == 1);
    ChannelRig rig(machine, seed, 10, sleep);
    fill(rig, rng, AddressMap(machine), 300);
    ASSERT_TRUE(rig.run(1'000'000)) << "seed " << seed;
    EXPECT_THAT(violations(machine, rig.commands), ::testing::IsEmpty()) << "seed " << seed;
    streams[sleep ? 1 : 0] = rig.commands;
  }
  ASSERT_EQ(streams[0].size(), streams[1].size());
  for (std::size_t i = 0; i < streams[0].size(); ++i) {
    ASSERT_EQ(streams[0][i].clock, streams[1][i].clock) << "seed " << seed << ", command " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, DramRules, ::testing::Range(1, 41));

TEST(DramChannel, CheckerFindsEveryKindOfViolation) {
  // One stream that keeps all rules, then the same with one command moved or changed.
  const Machine machine =
      memory_machine({"dram.rtw=2"});  // RRD 7, RCD 14, RAS 32, RP 14, RC 45, CCD 2, CCDL 3, burst 2
  const std::vector<DramCommand> good = {
      {Kind::kActivate, 100, 0, 5, 0, 0},  {Kind::kActivate, 107, 1, 5, 0, 1}, {Kind::kRead, 114, 0, 5, 0, 0},
      {Kind::kRead, 121, 1, 5, 0, 1},      {Kind::kRead, 124, 1, 5, 64, 1},    {Kind::kWrite, 137, 1, 5, 64, 2},
      {Kind::kPrecharge, 138, 0, 6, 0, 3}, {Kind::kRead, 150, 1, 5, 0, 4},     {Kind::kActivate, 152, 0, 6, 0, 3},
      {Kind::kPrecharge, 158, 1, 9, 0, 5}, {Kind::kRefresh, 184, 0, 0, 0, 9},  {Kind::kActivate, 243, 3, 1, 0, 9}};
  EXPECT_THAT(violations(machine, good), ::testing::IsEmpty());
  const auto broken = [&](std::size_t index, std::uint64_t clock) {
    std::vector<DramCommand> stream = good;
    stream[index].clock = clock;
    return violations(machine, stream);
  };
  using ::testing::ElementsAre;
  EXPECT_THAT(broken(1, 106), ElementsAre("RRD at clock 106"));
  EXPECT_THAT(broken(2, 113), ElementsAre("RCD at clock 113"));
  EXPECT_THAT(broken(4, 123), ElementsAre("CCDL at clock 123"));
  EXPECT_THAT(broken(5, 136), ElementsAre("read to write at clock 136"));
  EXPECT_THAT(broken(7, 149), ElementsAre("write to read at clock 149"));
  EXPECT_THAT(broken(8, 151), ElementsAre("RP at clock 151"));
  EXPECT_THAT(broken(9, 157), ElementsAre("WR at clock 157"));
  EXPECT_THAT(broken(10, 183), ElementsAre("RAS at clock 183"));
  EXPECT_THAT(broken(11, 242), ElementsAre("refresh at clock 242"));
  EXPECT_THAT(broken(3, 114), ::testing::Contains("two commands at clock 114"));
  std::vector<DramCommand> other_row = good;
  other_row[2].row = 6;
  EXPECT_THAT(violations(machine, other_row), ElementsAre("column command to another row"));
}

TEST(DramChannel, CheckerFindsTheFifthActivateInAWindow) {
  const Machine machine = memory_machine({"dram.faw=40", "dram.rfc=80"});  // RRD 7, RP 14
  std::vector<DramCommand> stream = {{Kind::kActivate, 100, 0, 5, 0, 0}, {Kind::kActivate, 107, 1, 5, 0, 1},
                                     {Kind::kActivate, 114, 2, 5, 0, 2}, {Kind::kActivate, 121, 3, 5, 0, 3},
                                     {Kind::kActivate, 140, 4, 5, 0, 4}, {Kind::kActivate, 147, 5, 5, 0, 5},
                                     {Kind::kRefresh, 200, 0, 0, 0, 6},  {Kind::kActivate, 294, 0, 5, 0, 6}};
  EXPECT_THAT(violations(machine, stream), ::testing::IsEmpty());
  stream[4].clock = 139;
  stream[7].clock = 293;
  EXPECT_THAT(violations(machine, stream), ::testing::ElementsAre("FAW at clock 139", "refresh at clock 293"));
}

// Reads of lines in rows of different banks only: four activates per window and no more.
TEST(DramChannel, ActivatesKeepTheirWindow) {
  for (const unsigned faw : {0U, 28U, 60U, 100U}) {
    const Machine machine = memory_machine(
        {"dram.faw=" + std::to_string(faw), "dram.channels=1", "l2.slices=2", "l2.bytes=256KiB"});  // RRD 7
    const AddressMap map(machine);
    ChannelRig rig(machine, 1, 1, true);
    for (unsigned bank = 0; bank < 16; ++bank) {
      const std::uint64_t line = Store::kBase + std::uint64_t{bank} * machine.dram.row_bytes;
      rig.slices[map.slice(line)]->to_send.push_back({0, map.slice(line), line, 1, false});
    }
    ASSERT_TRUE(rig.run(100'000));
    std::vector<std::uint64_t> clocks;
    for (const DramCommand& command : rig.commands)
      if (command.kind == Kind::kActivate) clocks.push_back(command.clock);
    ASSERT_EQ(clocks.size(), 16U);
    // A read may have the clock in which an activate would be legal.
    const std::uint64_t least = std::uint64_t{3} * std::max(faw, 4 * machine.dram.rrd);
    EXPECT_GE(clocks[15] - clocks[3], least) << "FAW " << faw;
    EXPECT_LE(clocks[15] - clocks[3], least + 12) << "FAW " << faw;
  }
}

TEST(DramChannel, RefreshFallsDueEveryTrefiClocks) {
  const Machine machine = memory_machine({"dram.trefi=1000"});
  const AddressMap map(machine);
  ChannelRig rig(machine, 1, 1, true);
  base::Xoshiro256 rng(3);
  fill(rig, rng, map, 400);
  ASSERT_TRUE(rig.run(1'000'000));
  std::uint64_t due = 1000;
  for (const DramCommand& command : rig.commands) {
    if (command.kind != Kind::kRefresh) {
      EXPECT_LT(command.clock, due + 1000) << "no refresh in time";
      continue;
    }
    // Late by at most the longest way from a command to the precharge: WL + burst + WR or RAS.
    EXPECT_GE(command.clock, due);
    EXPECT_LE(command.clock, due + 32);
    due += 1000;
  }
  EXPECT_GT(due, 1000U);
}

}  // namespace
}  // namespace castor::gpu::gpu_memory_dram_test
