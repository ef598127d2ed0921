// Compares random kernels with a plain reference of the rules, cycle by cycle. Also compares runs with and without
// sleeping, in fixed and in shuffled order of units.

#include "gpu_front_end_support.h"
#include "tests/common/sanitized.h"

namespace castor::gpu::gpu_front_end_random_test {
namespace {

using test::Logged;
using test::Rig;

struct Shape {
  unsigned queue = 0;
  Cycle visible = 0;
  std::uint32_t tbs = 1, threads = 32;
  unsigned registers = 16, shared = 0;
};

struct Scenario {
  std::vector<std::string> keys;
  std::vector<Shape> kernels;  // ascending `visible`
  std::uint64_t seed = 0;
};

Cycle service(std::uint64_t seed, Ticket ticket, std::uint64_t gid) {
  return 1 + base::mix(seed ^ ticket * 7919 ^ gid) % 120;
}

Scenario scenario(std::uint64_t seed) {
  base::Xoshiro256 random(seed);
  Scenario result;
  result.seed = seed;
  const unsigned queues = 1U << random.below(5);
  const auto key = [&](const std::string& name, std::uint64_t value) {
    result.keys.push_back(name + "=" + std::to_string(value));
  };
  key("chip.sms", 1 + random.below(6));
  key("queue.count", queues);
  key("queue.depth", 64);
  key("parse.lanes", 1 + random.below(5));
  key("parse.latency", random.below(3) == 0 ? 0 : 1 + random.below(90));
  key("parse.interval", 1 + random.below(2) * random.below(40));
  key("parse.select_scan", random.below(2) == 0 ? 0 : 1 + random.below(queues));
  key("table.entries", 1 + random.below(8));
  key("done_fifo", 1 + random.below(3));
  result.keys.emplace_back(random.below(2) == 0 ? "dispatch.bypass=off" : "dispatch.bypass=sticky");
  result.keys.emplace_back(random.below(4) == 0 ? "dispatch.search=rr_one" : "dispatch.search=rr_all");
  Cycle visible = 1;
  for (unsigned i = 0; i < 40; ++i) {
    visible += random.below(5) == 0 ? random.below(300) : random.below(3);
    Shape shape;
    shape.queue = static_cast<unsigned>(random.below(queues));
    shape.visible = visible;
    shape.tbs = 1 + static_cast<std::uint32_t>(random.below(30));
    shape.threads = 1 + static_cast<std::uint32_t>(random.below(600));
    shape.registers = 1 + static_cast<unsigned>(random.below(60));
    shape.shared = static_cast<unsigned>(random.below(3) == 0 ? random.below(48000) : 0);
    result.kernels.push_back(shape);
  }
  return result;
}

// --- The reference
// ----------------------------------------------------------------------------------------------------

// Reference that evaluates all state with plain loops in every cycle. SMs act like test::FakeSm. The memory answers
// descriptor reads with the stub's latency.
class Reference {
 public:
  Reference(const Machine& machine, const Scenario& scenario, Cycle read_cycles)
      : m_(machine),
        scenario_(scenario),
        read_cycles_(read_cycles),
        sms_(machine.chip.sms),
        queues_(machine.queue.count),
        entries_(machine.table.entries),
        rr_queue_(machine.queue.count - 1),
        rr_sm_(machine.chip.sms - 1),
        rr_done_(machine.chip.sms - 1) {}

  std::vector<Logged> run() {
    unsigned completed = 0;
    for (Cycle c = 0; completed < scenario_.kernels.size() && c < 2'000'000; ++c) {
      for (std::size_t k = 0; k < scenario_.kernels.size(); ++k) {
        if (scenario_.kernels[k].visible == c) queues_[scenario_.kernels[k].queue].waiting.push_back(k);
      }
      // Retire wires and freed resources. Completions are counted one per cycle.
      for (Sm& sm : sms_) {
        if (sm.wire_at != c || sm.wire < 0) continue;
        give(sm, need(entries_[sm.wire].kernel), 1);
        sm.done.push_back(sm.wire);
      }
      for (unsigned j = 1; j <= sms_.size(); ++j) {
        const unsigned s = (rr_done_ + j) % sms_.size();
        if (sms_[s].done.empty()) continue;
        rr_done_ = s;
        --entries_[sms_[s].done.front()].running;
        sms_[s].done.erase(sms_[s].done.begin());
        return_credits(sms_[s], c);
        sms_[s].credits_back = c;
        ++sms_[s].credits_returning;
        break;
      }
      place(c);
      for (unsigned e = 0; e < entries_.size(); ++e) {
        Entry& entry = entries_[e];
        if (entry.state != 2 || entry.next != kernel(entry).tbs || entry.running != 0) continue;
        log_.push_back({"completed", c, entry.kernel + 1, kernel(entry).queue, e});
        entry.state = 0;
        entry.freed = c;
        queues_[kernel(entry).queue].busy = false;
        queues_[kernel(entry).queue].unblocked = c;
        ++completed;
        break;
      }
      parse(c);
      for (Sm& sm : sms_) tick_sm(sm, c);
    }
    return log_;
  }

 private:
  struct Need {
    std::int64_t warps, registers, shared;
  };
  struct Resident {
    int entry;
    Cycle end;
  };
  struct Sm {
    std::int64_t tbs = -1, warps = 0, threads = 0, registers = 0, shared = 0;  // free
    std::map<unsigned, Resident> slots;
    std::vector<std::pair<Cycle, Resident>> inbox;
    std::vector<int> done;
    int wire = -1;
    Cycle wire_at = 0;
    int credits = -1;
    int credits_returning = 0;
    Cycle credits_back = 0;
  };
  struct Queue {
    std::vector<std::size_t> waiting;
    bool busy = false;
    Cycle unblocked = 0;
  };
  struct Entry {
    int state = 0;  // free, reserved, written
    std::size_t kernel = 0;
    std::uint32_t next = 0, running = 0;
    Cycle freed = 0;
  };
  struct Lane {
    unsigned entry;
    Cycle finish;
  };

  const Shape& kernel(const Entry& entry) const { return scenario_.kernels[entry.kernel]; }
  static std::int64_t round_up(std::int64_t value, std::int64_t unit) { return (value + unit - 1) / unit * unit; }
  Need need(std::size_t k) const {
    const Shape& shape = scenario_.kernels[k];
    const std::int64_t warps = round_up(shape.threads, 32) / 32;
    return {warps, warps * round_up(shape.registers * 32, m_.sm.reg_alloc_unit),
            round_up(shape.shared, m_.sm.smem_alloc_unit)};
  }
  void give(Sm& sm, const Need& n, int sign) const {
    if (sm.tbs < 0) {
      sm.tbs = m_.sm.tb_slots;
      sm.warps = m_.sm.warps;
      sm.threads = m_.sm.threads;
      sm.registers = m_.sm.registers;
      sm.shared = m_.sm.smem_bytes;
    }
    sm.tbs += sign;
    sm.warps += sign * n.warps;
    sm.threads += sign * n.warps * 32;
    sm.registers += sign * n.registers;
    sm.shared += sign * n.shared;
  }
  bool fits(Sm& sm, const Need& n) const {
    give(sm, {0, 0, 0}, 0);
    return sm.tbs >= 1 && sm.warps >= n.warps && sm.threads >= n.warps * 32 && sm.registers >= n.registers &&
           sm.shared >= n.shared;
  }

  // Returns credits to the front end for the messages that were consumed in an earlier cycle.
  void return_credits(Sm& sm, Cycle c) const {
    if (sm.credits < 0) sm.credits = static_cast<int>(m_.done_fifo);
    if (sm.credits_returning == 0 || sm.credits_back >= c) return;
    sm.credits += sm.credits_returning;
    sm.credits_returning = 0;
  }
  void tick_sm(Sm& sm, Cycle c) {
    return_credits(sm, c);
    if (!sm.inbox.empty() && sm.inbox.front().first <= c) {
      unsigned slot = 0;
      while (sm.slots.count(slot) != 0) ++slot;
      Resident tb = sm.inbox.front().second;
      tb.end = c + tb.end - 1;
      sm.slots[slot] = tb;
      sm.inbox.erase(sm.inbox.begin());
    }
    for (auto it = sm.slots.begin(); it != sm.slots.end(); ++it) {
      if (it->second.end > c || sm.credits == 0) continue;
      --sm.credits;
      sm.wire = it->second.entry;
      sm.wire_at = c + 1;
      sm.slots.erase(it);
      return;
    }
  }

  bool try_place(unsigned e, Cycle c) {
    Entry& entry = entries_[e];
    const Need n = need(entry.kernel);
    for (unsigned j = 1; j <= sms_.size(); ++j) {
      const unsigned s = (rr_sm_ + j) % static_cast<unsigned>(sms_.size());
      if (m_.dispatch.search == DispatchSearch::kRoundRobinOne && s != c % sms_.size()) continue;
      if (!fits(sms_[s], n)) continue;
      give(sms_[s], n, -1);
      rr_sm_ = s;
      log_.push_back({"placed", c, entry.kernel + 1, entry.next, s});
      sms_[s].inbox.push_back({c + 1, {static_cast<int>(e), service(scenario_.seed, entry.kernel + 1, entry.next)}});
      ++entry.next;
      ++entry.running;
      return true;
    }
    return false;
  }
  void place(Cycle c) {
    if (items_.empty()) return;
    const bool sticky = m_.dispatch.bypass == DispatchBypass::kSticky;
    if (current_ < 0 || !sticky) current_ = static_cast<int>(items_.front());
    int placed = -1;
    if (try_place(static_cast<unsigned>(current_), c)) {
      placed = current_;
    } else if (sticky) {
      for (const unsigned item : items_) {
        if (static_cast<int>(item) != current_ && try_place(item, c)) {
          placed = static_cast<int>(item);
          break;
        }
      }
    }
    if (placed < 0) return;
    current_ = placed;
    const Entry& entry = entries_[static_cast<unsigned>(placed)];
    if (entry.next == kernel(entry).tbs) {
      items_.erase(std::find(items_.begin(), items_.end(), static_cast<unsigned>(placed)));
      current_ = -1;
    }
  }

  int offer(const std::vector<bool>& eligible) {
    const auto first = [&](const std::vector<bool>& set) {
      for (unsigned j = 1; j <= set.size(); ++j) {
        const unsigned q = (rr_queue_ + j) % static_cast<unsigned>(set.size());
        if (set[q]) return static_cast<int>(q);
      }
      return -1;
    };
    if (m_.parse.select_scan == 0) return first(eligible);
    return p_valid_ && eligible[p_queue_] ? static_cast<int>(p_queue_) : -1;
  }
  // Models the scan of the laxity engine (docs/blocks/lax.md, "Cycle") in policy 0, register by register.
  void scan(const std::vector<bool>& ready, int granted) {
    const unsigned width = m_.parse.select_scan, count = static_cast<unsigned>(ready.size());
    const unsigned groups = (count + width - 1) / width;
    if (group_ == 0) {
      frozen_ = ready;
      best_ = -1;
    }
    const auto tie = [&](unsigned q) { return (q + count - rr_queue_ - 1) % count; };
    for (unsigned q = group_ * width; q < std::min((group_ + 1) * width, count); ++q) {
      if (frozen_[q] && (best_ < 0 || tie(q) < tie(static_cast<unsigned>(best_)))) best_ = static_cast<int>(q);
    }
    if (group_ < groups - 1) {
      ++group_;
      if (granted >= 0) dropped_ = true;
    } else {
      p_valid_ = best_ >= 0 && granted < 0 && !dropped_;
      if (p_valid_) p_queue_ = static_cast<unsigned>(best_);
      dropped_ = false;
      group_ = 0;
    }
    if (granted >= 0) {
      p_valid_ = false;
      rr_queue_ = static_cast<unsigned>(granted);
    }
  }

  void parse(Cycle c) {
    std::vector<bool> ready(queues_.size());
    for (unsigned q = 0; q < queues_.size(); ++q) {
      const Queue& queue = queues_[q];
      ready[q] = !queue.busy && !queue.waiting.empty() && scenario_.kernels[queue.waiting.front()].visible < c &&
                 (queue.unblocked < c);
    }
    int free_entry = -1;
    for (unsigned e = 0; e < entries_.size() && free_entry < 0; ++e) {
      if (entries_[e].state == 0 && entries_[e].freed < c) free_entry = static_cast<int>(e);
    }
    int granted = -1;
    if (free_entry >= 0 && lanes_.size() < m_.parse.lanes && c >= next_grant_) granted = offer(ready);
    if (m_.parse.select_scan != 0) {
      scan(ready, granted);
    } else if (granted >= 0) {
      rr_queue_ = static_cast<unsigned>(granted);
    }
    if (granted >= 0) {
      Queue& queue = queues_[static_cast<unsigned>(granted)];
      Entry& entry = entries_[static_cast<unsigned>(free_entry)];
      entry = {1, queue.waiting.front(), 0, 0, 0};
      queue.waiting.erase(queue.waiting.begin());
      queue.busy = true;
      next_grant_ = c + m_.parse.interval;
      const Cycle read = m_.parse.latency == 0 ? 0 : read_cycles_;
      lanes_.push_back({static_cast<unsigned>(free_entry), c + std::max<Cycle>({1, m_.parse.latency, read})});
      log_.push_back({"granted", c, entry.kernel + 1, static_cast<std::uint64_t>(granted),
                      static_cast<std::uint64_t>(free_entry)});
    }
    if (!lanes_.empty() && lanes_.front().finish <= c) {
      Entry& entry = entries_[lanes_.front().entry];
      entry.state = 2;
      items_.push_back(lanes_.front().entry);
      log_.push_back({"written", c, entry.kernel + 1, kernel(entry).queue, lanes_.front().entry});
      lanes_.erase(lanes_.begin());
    }
  }

  const Machine& m_;
  const Scenario& scenario_;
  Cycle read_cycles_;
  std::vector<Sm> sms_;
  std::vector<Queue> queues_;
  std::vector<Entry> entries_;
  std::vector<Lane> lanes_;
  std::vector<unsigned> items_;
  int current_ = -1;
  unsigned rr_queue_, rr_sm_, rr_done_;
  Cycle next_grant_ = 0;
  unsigned group_ = 0, p_queue_ = 0;
  int best_ = -1;
  bool p_valid_ = false, dropped_ = false;
  std::vector<bool> frozen_;
  std::vector<Logged> log_;
};

// --- Runs
// -------------------------------------------------------------------------------------------------------------

struct Result {
  std::vector<Logged> events;
  std::string statistics;
  std::uint64_t ticks = 0;
  Cycle end = 0;
};

Result run(const Scenario& scenario, bool every_cycle, std::uint64_t shuffle,
           std::vector<Logged>* reference = nullptr) {
  Rig::Options options;
  options.every_cycle = every_cycle;
  options.shuffle = shuffle;
  // The port could delay a read behind another one. With a latency of one cycle this never happens.
  options.latency = 1;
  options.service = [&](const KernelContext& kernel, std::uint64_t gid) {
    return service(scenario.seed, kernel.ticket, gid);
  };
  Rig rig(test::load(scenario.keys), options);
  std::map<Cycle, unsigned> placements;
  for (const Shape& shape : scenario.kernels) {
    const ProgramHandle program = rig.program("k" + std::to_string(shape.queue), shape.registers, shape.shared);
    rig.submit(shape.queue, Rig::kernel(program, shape.tbs, shape.threads), shape.visible);
  }
  rig.run(3'000'000);
  EXPECT_TRUE(rig.front_end->idle()) << rig.front_end->waiting();
  rig.now += 100;  // counters that grow with time have to agree beyond the last event, too
  Result result;
  result.events = rig.log.events;
  std::sort(result.events.begin(), result.events.end());
  rig.now = 3'000'000;
  result.statistics = rig.statistics();
  result.ticks = rig.ticks;

  // Conservation: every TB starts and retires once, all resources are free at the end, and at most one TB is placed per
  // cycle.
  std::set<std::pair<std::uint64_t, std::uint64_t>> started, retired;
  std::size_t total = 0;
  for (const Logged& event : rig.log.of("started")) EXPECT_TRUE(started.insert({event.a, event.b}).second) << event;
  for (const Logged& event : rig.log.of("retired")) EXPECT_TRUE(retired.insert({event.a, event.b}).second) << event;
  for (const Shape& shape : scenario.kernels) total += shape.tbs;
  EXPECT_EQ(started.size(), total);
  EXPECT_EQ(retired.size(), total);
  std::set<Cycle> cycles;
  for (const Logged& event : rig.log.of("placed")) EXPECT_TRUE(cycles.insert(event.cycle).second) << event;
  for (unsigned sm = 0; sm < rig.sms.size(); ++sm) {
    const SmResources& free = rig.front_end->ledger().free(sm);
    EXPECT_EQ(free.tbs, rig.machine.sm.tb_slots);
    EXPECT_EQ(free.warps, rig.machine.sm.warps);
    EXPECT_EQ(free.threads, rig.machine.sm.threads);
    EXPECT_EQ(rig.sms[sm]->used().tbs, 0U);
  }
  if (reference != nullptr) {
    // Read sent in the cycle of the grant, at the memory one later, answered a cycle later, taken and seen.
    *reference = Reference(rig.machine, scenario, 1 + 1 + 1 + 1).run();
    std::sort(reference->begin(), reference->end());
  }
  return result;
}

class FrontEndRandom : public testing::TestWithParam<std::uint64_t> {};

TEST_P(FrontEndRandom, AgreesWithThePlainReferenceInEveryEvent) {
  const std::uint64_t seed = GetParam();
  const Scenario made = scenario(seed);
  SCOPED_TRACE("seed " + std::to_string(seed) + ": " + testing::PrintToString(made.keys));
  std::vector<Logged> expected;
  const Result result = run(made, false, 0, &expected);
  std::vector<Logged> events;
  for (const Logged& event : result.events) {
    if (event.what == "granted" || event.what == "written" || event.what == "placed" || event.what == "completed") {
      events.push_back(event);
    }
  }
  ASSERT_EQ(events.size(), expected.size());
  for (std::size_t i = 0; i < events.size(); ++i) ASSERT_EQ(events[i], expected[i]) << "event " << i;
}

TEST_P(FrontEndRandom, SleepingAndTheOrderOfUnitsChangeNothing) {
  const std::uint64_t seed = GetParam();
  const Scenario made = scenario(seed);
  SCOPED_TRACE("seed " + std::to_string(seed) + ": " + testing::PrintToString(made.keys));
  const Result base = run(made, false, 0);
  for (const bool every_cycle : {false, true}) {
    for (const std::uint64_t shuffle : {std::uint64_t{0}, seed + 1}) {
      if (!every_cycle && shuffle == 0) continue;
      const Result other = run(made, every_cycle, shuffle);
      ASSERT_EQ(base.events.size(), other.events.size());
      for (std::size_t i = 0; i < base.events.size(); ++i) ASSERT_EQ(base.events[i], other.events[i]) << "event " << i;
      ASSERT_EQ(base.statistics, other.statistics);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, FrontEndRandom, testing::Range<std::uint64_t>(1, unless_sanitized(61, 21)));

}  // namespace
}  // namespace castor::gpu::gpu_front_end_random_test
