#pragma once

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "castor/laperm/engine.h"
#include "castor/twin/block.h"

// The engine with models of its environment: pushes that wait their turn, SMs with resources, the overflow memory.
// Every step checks the rules that hold in every cycle (LapermBench::check), and the placements against the order of
// the pushes.
namespace castor::laperm::test {

/// Item to be pushed. `id` is its group; dimensions and parameters are derived from it.
struct Push {
  U8 level = 0;
  U8 sm = 0;
  U64 cnt = 1;
  U64 id = 0;
  U8 kd = 0;
  U64 from = 0;  ///< first cycle in which it is offered
};

struct Room {
  bool open = true;
  U8 slots = 16, warps = 64;
  U16 regs = 512, smem = 384;
};

struct Placed {
  U64 cycle;
  U8 sm, stage, level;
  U64 id, pos;
  bool last, backup;
};

class LapermBench {
 public:
  LapermBench(const Params& params, U8 policy, U8 ovf_log2) : engine(params), needs(params.NumKd) {
    in.policy = policy;
    in.ovf_log2 = ovf_log2;
    in.kd_ok = KdBits::ones(params.NumKd);
    memory.resize(params.lists());
    for (Need& need : needs) need = {1, 0, 0};
  }

  // Events to be driven.
  std::deque<Push> pushes;
  std::function<Room(unsigned sm)> room = [](unsigned) { return Room{}; };
  bool take = true, mem_ready = true, replies = true;
  U64 delay = 3;  // from the cycle in which a read is taken to its reply

  Engine engine;
  Inputs in;
  std::vector<Need> needs;  // needs by kernel table entry
  U64 cycle = 0;
  std::vector<std::map<U32, Entry>> memory;  // by list and index
  std::vector<Placed> placed;
  unsigned writes = 0, reads = 0, accepted = 0;

  [[nodiscard]] const Params& params() const { return engine.params(); }
  [[nodiscard]] bool busy() const { return !pushes.empty() || !waiting_.empty(); }
  void steps(unsigned n) {
    while (n-- != 0) step();
  }
  void drain(unsigned most = 100'000) {
    while (busy() && most-- != 0) step();
    ASSERT_FALSE(busy()) << "not over in cycle " << cycle;
    steps(2);
  }
  void group(U8 level, U8 sm, U64 id, U64 cnt = 1) { pushes.push_back({level, sm, cnt, id, 0, 0}); }

  /// Runs one cycle and returns its outputs.
  Outputs step() {
    prepare();
    out_ = engine.settle(in);
    in.pl_taken = out_.pl_valid != 0 && take ? 1 : 0;
    check();
    follow();
    engine.clock(in);
    ++cycle;
    return out_;
  }

  /// Returns the order of placements as "id.pos id.pos ...".
  [[nodiscard]] std::string order() const {
    std::string text;
    for (const Placed& p : placed) {
      text += (text.empty() ? "" : " ") + std::to_string(p.id) + "." + std::to_string(p.pos);
    }
    return text;
  }

 private:
  struct Item {
    Push push;
    U64 pos = 0;
  };
  Outputs out_;
  std::optional<Outputs> request_;                                     // memory request that was offered and not
                                                                       // accepted
  std::deque<std::pair<U64, Entry>> due_;                              // replies, by cycle
  std::map<std::pair<unsigned, unsigned>, std::deque<Item>> waiting_;  // by set and level

  [[nodiscard]] unsigned set_of(unsigned sm) const { return in.policy == kTbPri ? 0 : sm / params().ClusterSize; }
  [[nodiscard]] U64 dim(U64 id) const { return (id * 0x9e37'79b9'7f4a'7c15U) & twin::mask(params().DimW); }
  [[nodiscard]] U64 param(U64 id) const { return (id * 0xc2b2'ae3d'27d4'eb4fU) & twin::mask(params().ParamW); }
  [[nodiscard]] std::pair<unsigned, unsigned> list_of(const Push& p) const {
    const unsigned level = p.level < params().LvlMax ? p.level : params().LvlMax;
    return {level == 0 ? 0 : set_of(p.sm), level};
  }

  void prepare() {
    twin::make_idle<Block>(in, params());
    const Outputs seen = engine.settle(in);
    const Room r = room(seen.scan_sm);
    in.room_open = r.open ? 1 : 0;
    in.room_slots = r.slots;
    in.room_warps = r.warps;
    in.room_regs = r.regs;
    in.room_smem = r.smem;
    in.mem_ready = mem_ready ? 1 : 0;
    if (!pushes.empty() && cycle >= pushes.front().from) {
      const Push& p = pushes.front();
      in.push_valid = 1;
      in.push_kd = p.kd;
      in.push_agei = p.id & twin::mask(params().AgeiW);
      in.push_cnt = p.cnt;
      in.push_dim = dim(p.id);
      in.push_param = param(p.id);
      in.push_level = p.level;
      in.push_sm = p.sm;
      in.push_warps = needs[p.kd].warps;
      in.push_regs = needs[p.kd].regs;
      in.push_smem = needs[p.kd].smem;
    }
    if (replies && !due_.empty() && cycle >= due_.front().first) {
      in.mem_rvalid = 1;
      in.mem_rdata = due_.front().second;
      due_.pop_front();
    }
  }

  void follow() {
    if (in.pl_taken != 0) place();
    if (in.push_valid != 0 && out_.push_ready != 0) {
      waiting_[list_of(pushes.front())].push_back({pushes.front()});
      pushes.pop_front();
      ++accepted;
    }
    request_.reset();
    if (out_.mem_valid == 0) return;
    if (in.mem_ready == 0) {
      request_ = out_;
    } else if (out_.mem_we != 0) {
      ++writes;
      EXPECT_EQ(memory[out_.mem_list].count(out_.mem_idx), 0U) << "entry overwritten in cycle " << cycle;
      memory[out_.mem_list][out_.mem_idx] = out_.mem_wdata;
    } else {
      ++reads;
      ASSERT_EQ(memory[out_.mem_list].count(out_.mem_idx), 1U) << "nothing was written, cycle " << cycle;
      due_.emplace_back(cycle + delay, memory[out_.mem_list][out_.mem_idx]);
      memory[out_.mem_list].erase(out_.mem_idx);
    }
  }

  void place() {
    auto at = waiting_.end();
    for (auto list = waiting_.begin(); list != waiting_.end(); ++list) {
      if ((list->second.front().push.id & twin::mask(params().AgeiW)) == out_.pl_agei &&
          list->first.second == out_.pl_level) {
        at = list;
      }
    }
    ASSERT_TRUE(at != waiting_.end()) << "no list has it in front, cycle " << cycle;
    Item& item = at->second.front();
    if (out_.pl_level != 0 && in.policy == kSmxBind) {
      EXPECT_EQ(at->first.first, set_of(out_.pl_sm)) << "cycle " << cycle;
    }
    EXPECT_EQ(out_.pl_kd, item.push.kd) << "cycle " << cycle;
    EXPECT_EQ(out_.pl_dim, dim(item.push.id)) << "cycle " << cycle;
    EXPECT_EQ(out_.pl_param, param(item.push.id)) << "cycle " << cycle;
    EXPECT_EQ(out_.pl_pos, item.pos) << "cycle " << cycle;
    placed.push_back({cycle, out_.pl_sm, out_.ev_stage, out_.pl_level, item.push.id, item.pos, out_.pl_last != 0,
                      out_.ev_backup != 0});
    ++item.pos;
    EXPECT_EQ(out_.pl_last != 0, item.pos == item.push.cnt) << "cycle " << cycle;
    if (item.pos != item.push.cnt) return;
    at->second.pop_front();
    if (at->second.empty()) waiting_.erase(at);
  }

  // Checks the rules that hold in every cycle.
  void check() {
    SCOPED_TRACE("cycle " + std::to_string(cycle));
    EXPECT_EQ(out_.err, 0);
    if (request_) {
      EXPECT_TRUE(out_.mem_valid && out_.mem_we == request_->mem_we && out_.mem_list == request_->mem_list &&
                  out_.mem_idx == request_->mem_idx && out_.mem_wdata == request_->mem_wdata);
    }
    std::vector<unsigned> items(params().NumKd);
    U32 busy = 0;
    for (const auto& [list, queue] : waiting_) {
      if (list.second != 0) busy |= U32{1} << list.first;
      for (const Item& item : queue) ++items[item.push.kd];
    }
    for (unsigned k = 0; k < params().NumKd; ++k) EXPECT_EQ(out_.hold.test(k), items[k] != 0) << "entry " << k;
    EXPECT_EQ(out_.waiting != 0, !waiting_.empty());
    const Probes probes = engine.probes();
    check_sets(probes);
    if (out_.pl_valid != 0) {
      EXPECT_NE(out_.ev_stage, 0);
      EXPECT_EQ(out_.pl_sm, out_.scan_sm);
      EXPECT_EQ(out_.ev_stage == 2, out_.pl_level == 0);
    }
    if (out_.ev_stage >= 2 && probes.pk_valid == 0) {  // an item that is parked is in no queue yet
      EXPECT_EQ(busy >> set_of(out_.scan_sm) & 1U, 0U);
    }
    if (out_.ev_stage == 3) {
      EXPECT_TRUE(in.policy == kAdaptiveBind || in.policy == 0);
      EXPECT_EQ(probes.host_count, 0);
    }
  }

  void check_sets(const Probes& probes) const {
    const unsigned limit = in.policy == kTbPri ? params().sets() * params().BankDepth : params().BankDepth;
    unsigned under_way = 0;
    bool ready = probes.host_count != 0;
    U32 busy = 0;
    for (unsigned c = 0; c < params().sets(); ++c) {
      unsigned fetches = 0, in_memory = 0;
      bool listed = false;
      for (unsigned q = c * params().LvlMax; q < (c + 1) * params().LvlMax; ++q) {
        fetches += probes.fetches[q];
        in_memory += probes.in_memory[q];
        listed |= probes.listed.test(q);
        if (!probes.listed.test(q)) {
          EXPECT_FALSE(probes.begun.test(q)) << "list " << q;
        }
      }
      EXPECT_LE(probes.entries[c] + probes.promised[c], limit) << "set " << c;
      EXPECT_EQ(fetches, probes.promised[c]) << "set " << c;
      EXPECT_EQ(listed, probes.entries[c] != 0) << "set " << c;
      ready |= listed;
      under_way += fetches;
      if (listed || fetches != 0 || in_memory != 0) busy |= U32{1} << c;
    }
    EXPECT_EQ(under_way, probes.tags + unsigned{probes.rf_valid});
    EXPECT_EQ(out_.ready != 0, ready);
    for (unsigned sm = 0; sm < params().NumSm; ++sm) {
      EXPECT_EQ(out_.bound_wait >> sm & 1U, in.policy == kTbPri ? 0U : busy >> (sm / params().ClusterSize) & 1U);
    }
  }
};

/// Returns parameters of a small block with every mechanism.
inline Params small(unsigned sms = 4, unsigned depth = 4) {
  Params p;
  p.NumSm = sms;
  p.LvlMax = 3;
  p.BankDepth = depth;
  p.NumKd = 4;
  p.OvfW = 6;
  p.RefillMax = 2;
  p.QcntW = 8;
  return p;
}

/// Closes every SM for thread blocks; `open` and `open_only` open them again.
inline void close(LapermBench& b) {
  b.room = [](unsigned) { return Room{false}; };
}
inline void open(LapermBench& b) {
  b.room = [](unsigned) { return Room{}; };
}
inline void open_only(LapermBench& b, unsigned which) {
  b.room = [which](unsigned sm) { return Room{sm == which}; };
}

}  // namespace castor::laperm::test
