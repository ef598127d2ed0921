#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "castor/dtbl/engine.h"

// The engine with models of its environment: kernel table, SMs that complete thread blocks, memory with records. Every
// step checks the rules that hold in every cycle (DtblBench::check), and the placements against the order of the
// pushes.
namespace castor::dtbl::test {

inline constexpr U64 dims(U64 x, U64 y = 1, U64 z = 1) { return z << 48U | y << 32U | x; }
inline constexpr U64 volume(U64 dim) { return (dim & 0xffff'ffffU) * (dim >> 32U & 0xffffU) * (dim >> 48U); }

inline Key key(U32 pc, U32 x = 32, U32 y = 1, U32 z = 1, U32 shared = 0) {
  Key k;
  k.set_word(0, U64{pc} | U64{x} << 32U | U64{y} << 43U | U64{z} << 54U | U64{shared & 7U} << 61U);
  k.set_word(1, shared >> 3U);
  return k;
}

struct Beat {
  Key key;
  bool first = true, last = true;
  U8 sm = 0, warp = 0, lane = 0;
  U64 dim = dims(1);
  U32 param = 0;
};

struct Kernel {
  U8 kd = 0;
  U64 dim = dims(1);
  Key key;
};

struct Placed {
  U64 cycle;
  U8 kd;
  U32 agei, pos;
  bool last;
};

class DtblBench {
 public:
  explicit DtblBench(U32 kdes = 4, U32 ages = 4, U32 hash = 0) : engine(Params{kdes, ages, hash}), table(kdes) {
    in.fits = KdeBits::ones(kdes);
    out = engine.settle(in);
  }

  // Events to be driven.
  std::deque<Beat> beats;
  std::deque<Kernel> kernels;
  bool fall = true, take = true, memory = true, track = true;
  U64 tb_time = 6, delay = 3;

  Engine engine;
  Inputs in;
  Outputs out;
  U64 cycle = 0;

  struct Entry {
    std::optional<Key> key;
    U64 running = 0;
    struct Item {
      U32 agei;
      U64 dim;
      U32 param;
      U32 pos = 0;
    };
    std::deque<Item> items;  // not yet placed entirely
  };
  std::vector<Entry> table;
  struct Record {
    U64 dim = 0;
    U32 next = 0;
  };
  std::map<U32, Record> records;  // by reference
  std::map<U32, U64> left;        // by attached group: thread blocks not finished
  std::vector<Placed> placed;
  std::vector<U32> fallback_ords;
  unsigned accepted = 0, on_chip = 0, off_chip = 0, links = 0, reads = 0, attached = 0;

  [[nodiscard]] bool busy() const {
    return !beats.empty() || !kernels.empty() || !running_.empty() || out.att_valid != 0 || out.fb_valid != 0 ||
           out.dispatch_hold.any() || out.agt_used != 0;
  }
  void steps(unsigned n) {
    while (n-- != 0) step();
  }
  void drain(unsigned most = 100'000) {
    while (busy() && most-- != 0) step();
    ASSERT_FALSE(busy()) << "not over in cycle " << cycle;
  }

  /// Runs one cycle and returns its outputs.
  Outputs step() {
    prepare();
    out = engine.settle(in);
    check();
    happen();
    engine.clock(in);
    ++cycle;
    follow();
    Inputs idle = in;
    twin::make_idle<Block>(idle, engine.params());
    in = idle;
    out = engine.settle(in);
    return *before_;
  }

 private:
  struct Running {
    U64 due;
    U8 kd;
    U32 agei;
  };
  std::deque<Running> running_;
  std::optional<Inputs> reply_;
  U64 reply_due_ = 0;
  std::optional<Outputs> before_;
  bool att_stays_ = false, fb_stays_ = false, mem_stays_ = false;
  std::vector<U8> released_;

  void prepare() {
    const Outputs seen = engine.settle(in);
    in.fb_ready = fall ? 1 : 0;
    in.mem_ready = memory ? 1 : 0;
    if (!beats.empty()) {
      const Beat& b = beats.front();
      in.agg_valid = 1;
      in.agg_first = b.first;
      in.agg_last = b.last;
      in.agg_sm = b.sm;
      in.agg_warp = b.warp;
      in.agg_lane = b.lane;
      in.agg_key = b.key;
      in.agg_dim = b.dim;
      in.agg_cnt = static_cast<U32>(volume(b.dim));
      in.agg_param = b.param;
    }
    const Entry& e = table[seen.key_idx];
    in.key_valid = e.key ? 1 : 0;
    in.key_rd = e.key.value_or(Key{});
    if (!kernels.empty()) {
      const Kernel& k = kernels.front();
      in.push_valid = 1;
      in.push_kd = k.kd;
      in.push_dim = k.dim;
    }
    if (reply_ && cycle >= reply_due_) {
      in.rsp_valid = 1;
      in.rsp_dim = reply_->rsp_dim;
      in.rsp_next = reply_->rsp_next;
    }
    for (auto r = running_.begin(); r != running_.end(); ++r) {
      if (cycle < r->due) continue;
      in.done_valid = 1;
      in.done_agei = r->agei;
      break;
    }
  }

  void happen() {
    const Outputs& o = out;
    in.pl_taken = o.pl_valid != 0 && take ? 1 : 0;
    att_stays_ = o.att_valid != 0 && o.att_ready == 0;
    fb_stays_ = o.fb_valid != 0 && in.fb_ready == 0;
    mem_stays_ = o.mem_valid != 0 && in.mem_ready == 0;
    before_ = o;
    released_.clear();
    for (unsigned e = 0; e < table.size(); ++e) {
      Entry& entry = table[e];
      if (entry.key && entry.items.empty() && entry.running == 0 && track && !o.launch_hold.test(e) &&
          !o.dispatch_hold.test(e)) {
        released_.push_back(static_cast<U8>(e));
      }
    }
  }

  // Applies the effects of the edge to the bench's models of memory and kernel table.
  void follow() {
    const Outputs& o = *before_;
    for (const U8 e : released_) table[e].key.reset();
    if (o.agg_ready != 0) {
      ++accepted;
      beats.pop_front();
    }
    if (in.rsp_valid != 0) reply_.reset();
    if (o.fb_valid != 0 && in.fb_ready != 0) fallback_ords.push_back(o.fb_ord);
    if (in.pl_taken != 0) place(o);
    if (in.done_valid != 0) complete();
    if (o.att_valid != 0 && o.att_ready != 0) attach(o);
    if (in.push_valid != 0 && o.push_ready != 0) install();
    if (o.mem_valid != 0 && in.mem_ready != 0) access(o);
  }

  void place(const Outputs& o) {
    Entry& e = table[o.pl_kd];
    placed.push_back({cycle - 1, o.pl_kd, o.pl_agei, o.pl_pos, o.pl_last != 0});
    running_.push_back({cycle - 1 + tb_time, o.pl_kd, o.pl_agei});
    ++e.running;
    ASSERT_FALSE(e.items.empty()) << "cycle " << cycle - 1;
    Entry::Item& item = e.items.front();
    EXPECT_EQ(o.pl_agei, item.agei) << "cycle " << cycle - 1;
    EXPECT_EQ(o.pl_dim, item.dim) << "cycle " << cycle - 1;
    EXPECT_EQ(o.pl_param, item.param) << "cycle " << cycle - 1;
    EXPECT_EQ(o.pl_pos, item.pos) << "cycle " << cycle - 1;
    ++item.pos;
    EXPECT_EQ(o.pl_last != 0, item.pos == volume(item.dim)) << "cycle " << cycle - 1;
    if (o.pl_last != 0) e.items.pop_front();
  }

  void complete() {
    for (auto r = running_.begin(); r != running_.end(); ++r) {
      if (cycle - 1 < r->due) continue;
      --table[r->kd].running;
      if (r->agei != kNone && --left.at(r->agei) == 0) {
        left.erase(r->agei);
        records.erase(r->agei);
      }
      running_.erase(r);
      return;
    }
  }

  void install() {
    Entry& e = table[in.push_kd];
    e.key = kernels.front().key;
    kernels.pop_front();
    e.items.push_back({kNone, in.push_dim, 0});
  }

  void attach(const Outputs& o) {
    Entry& e = table[o.att_kd];
    ++attached;
    ((o.att_agei & kOffChip) != 0 ? off_chip : on_chip) += 1;
    e.items.push_back({o.att_agei, o.att_dim, o.att_param});
    EXPECT_EQ(left.count(o.att_agei), 0U) << "reference in use, cycle " << cycle - 1;
    left[o.att_agei] = o.att_cnt;
    EXPECT_EQ(o.att_cnt, volume(o.att_dim));
    if ((o.att_agei & kOffChip) != 0) records[o.att_agei] = {o.att_dim, 0x5a5a5a5a};
  }

  void access(const Outputs& o) {
    const U32 record = kOffChip | static_cast<U32>(o.mem_addr / 16 - (o.mem_write != 0 ? 3 : 0));
    ASSERT_EQ(records.count(record), 1U) << "no such record: " << std::hex << o.mem_addr;
    if (o.mem_write != 0) {
      EXPECT_EQ(o.mem_addr % 16, 8U);
      records[record].next = o.mem_wdata;
      ++links;
      return;
    }
    ASSERT_FALSE(reply_.has_value());
    reply_ = Inputs{};
    reply_->rsp_dim = records[record].dim;
    reply_->rsp_next = records[record].next;
    reply_due_ = cycle - 1 + delay;
    ++reads;
  }

  // Checks the rules that hold in every cycle.
  void check() {
    const Launch& l = engine.launch();
    const Dispatch& d = engine.dispatch();
    if (before_) {
      const Outputs& b = *before_;
      if (att_stays_) {
        EXPECT_TRUE(out.att_valid && out.att_agei == b.att_agei && out.att_dim == b.att_dim);
      }
      if (fb_stays_) {
        EXPECT_TRUE(out.fb_valid && out.fb_rec == b.fb_rec && out.fb_ord == b.fb_ord);
      }
      if (mem_stays_) {
        EXPECT_TRUE(out.mem_valid && out.mem_write == b.mem_write && out.mem_addr == b.mem_addr &&
                    out.mem_wdata == b.mem_wdata);
      }
    }
    EXPECT_EQ(l.busy.count(), l.used);
    EXPECT_EQ(out.agt_used, l.used);
    EXPECT_FALSE(d.mark.any() && d.st == DispatchState::kFree) << "cycle " << cycle;
    if (!track) return;
    EXPECT_EQ(out.launch_err, 0) << "cycle " << cycle;
    EXPECT_EQ(out.dispatch_err, 0) << "cycle " << cycle;
    if (l.st == LaunchState::kGrant) {
      EXPECT_TRUE(table[l.ptr].key.has_value()) << "cycle " << cycle;
    }
    if (out.att_valid != 0) {
      EXPECT_TRUE(table[out.att_kd].key.has_value()) << "cycle " << cycle;
    }
    std::vector<unsigned> marks(table.size());
    for (unsigned i = 0; i < d.count; ++i) ++marks[d.fq[(d.head + i) % table.size()]];
    if (d.st != DispatchState::kFree) ++marks[d.kd];
    AgeBits seen;
    for (unsigned e = 0; e < table.size(); ++e) {
      EXPECT_EQ(marks[e], d.mark.test(e) ? 1U : 0U) << "entry " << e << ", cycle " << cycle;
      EXPECT_EQ(d.mark.test(e), !table[e].items.empty()) << "entry " << e << ", cycle " << cycle;
      if (d.nagei[e] == kNone) continue;
      EXPECT_TRUE(d.mark.test(e));
      check_pool(e, seen);
    }
    for (const auto& [agei, count] : left) {
      if ((agei & kOffChip) != 0) continue;
      EXPECT_TRUE(l.busy.test(agei)) << "AGE " << agei << ", cycle " << cycle;
      EXPECT_EQ(l.left[agei], count + (l.cq_valid && l.cq_age == agei ? 1 : 0)) << "AGE " << agei;
    }
  }

  void check_pool(unsigned e, AgeBits& seen) {
    const Dispatch& d = engine.dispatch();
    U32 g = d.nagei[e];
    for (unsigned n = 0; n < 5000; ++n) {
      if ((g & kOffChip) == 0) {
        EXPECT_TRUE(engine.launch().busy.test(g)) << "entry " << e << ", cycle " << cycle;
        EXPECT_FALSE(seen.test(g)) << "AGE " << g << " in two pools";
        seen.set(g);
      }
      if (g == d.lagei[e]) return;
      if ((g & kOffChip) == 0) {
        g = d.lnext[g];
      } else if (d.st != DispatchState::kFree && d.agei == g && (d.ob_linked || d.st == DispatchState::kRun)) {
        g = d.ob_next;
      } else if (d.lw_valid && (d.lw_rec | kOffChip) == g) {
        g = d.lw_data;
      } else if (reply_ && d.agei == g) {
        g = reply_->rsp_next;
      } else {
        ASSERT_EQ(records.count(g), 1U) << std::hex << g << ", entry " << e << ", cycle " << std::dec << cycle;
        g = records[g].next;
      }
    }
    ADD_FAILURE() << "the pool of entry " << e << " does not end";
  }
};

/// A command of one warp: beats with ascending lanes.
inline void command(DtblBench& b, const Key& k, unsigned count, U64 dim, U32 param, U8 sm = 0, U8 warp = 0) {
  for (unsigned i = 0; i < count; ++i) {
    b.beats.push_back(
        {k, i == 0, i + 1 == count, sm, warp, static_cast<U8>(i), dim, static_cast<U32>(param + 0x10U * i)});
  }
}

}  // namespace castor::dtbl::test
