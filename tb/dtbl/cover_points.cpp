#include "tb/dtbl/cover_points.h"

namespace castor::dtbl::tb {
namespace {

using Now = castor::tb::Cycle<Block>;
using Row = castor::tb::PointRow<Now>;
using Rows = std::vector<Row>;

constexpr auto kSearch = LaunchState::kSearch;
constexpr auto kGrant = LaunchState::kGrant;
constexpr auto kFall = LaunchState::kFall;

bool off_chip(U32 agei) { return agei != kNone && (agei & kOffChip) != 0; }
bool on_chip(U32 agei) { return (agei & kOffChip) == 0; }

// Conditions of the launch half.
bool beat(const Now& now) { return now.in.agg_valid != 0; }
bool taken(const Now& now) { return beat(now) && now.out.agg_ready != 0; }
bool equal_keys(const Now& now) { return now.in.key_rd == now.in.agg_key; }
bool searches(const Now& now) { return beat(now) && now.probes.launch_state == kSearch; }
bool matches(const Now& now) { return searches(now) && now.in.key_valid != 0 && equal_keys(now); }
bool in_run(const Now& now) {
  return beat(now) && now.probes.launch_state != kSearch && now.in.agg_key == now.probes.run_key;
}
bool fb_waits(const Now& now) { return now.out.fb_valid != 0 && now.in.fb_ready == 0; }
bool att_waits(const Now& now) { return now.out.att_valid != 0 && now.out.att_ready == 0; }
unsigned index_of(const Now& now) {
  unsigned thread = now.in.agg_warp * 32U + now.in.agg_lane;
  if (now.params.HashMode == 1) thread ^= 79U * now.in.agg_sm;
  return thread % now.params.AgtSize;
}
bool counts(const Now& now) { return now.probes.done_valid != 0 && now.probes.busy.test(now.probes.done_age); }
bool frees(const Now& now) { return counts(now) && now.probes.done_left == 1; }
bool granted(const Now& now) { return in_run(now) && now.probes.launch_state == kGrant; }
bool allocates(const Now& now) { return taken(now) && granted(now) && !now.probes.busy.test(index_of(now)); }

// Conditions of the dispatch half.
bool attaches(const Now& now) { return now.out.att_valid != 0 && now.out.att_ready != 0; }
bool marked(const Now& now) { return now.out.dispatch_hold.test(now.out.att_kd); }
bool installs(const Now& now) { return now.in.push_valid != 0 && now.out.push_ready != 0; }
bool places(const Now& now) { return now.out.pl_valid != 0 && now.in.pl_taken != 0; }
bool ends(const Now& now) { return places(now) && now.out.pl_last != 0; }
bool to_current(const Now& now) {
  return attaches(now) && now.probes.dispatch_state != DispatchState::kFree && now.out.att_kd == now.probes.cur_kd;
}
bool tail_in_hand(const Now& now) {
  return to_current(now) && now.probes.row_nagei != kNone && now.probes.row_lagei == now.probes.cur_agei;
}
bool forwards(const Now& now, DispatchState state) {
  return tail_in_hand(now) && !ends(now) && off_chip(now.probes.cur_agei) && now.probes.dispatch_state == state;
}
bool finishes(const Now& now) {
  if (!ends(now)) return false;
  if (now.probes.cur_agei == kNone) return now.probes.row_nagei == kNone;
  return now.probes.cur_agei == now.probes.row_lagei;
}
bool reads(const Now& now) { return now.out.mem_valid != 0 && now.out.mem_write == 0; }
bool writes(const Now& now) { return now.out.mem_valid != 0 && now.out.mem_write != 0; }

/// Returns whether an item of class `from` ended in the previous cycle and an item of class `to` of the same kernel
/// follows.
bool follows(const Now& now, bool (*from)(U32), bool (*to)(U32)) {
  return now.before != nullptr && ends(*now.before) && !finishes(*now.before) && from(now.before->probes.cur_agei) &&
         to(now.probes.cur_agei);
}
bool native(U32 agei) { return agei == kNone; }
bool carries(const Now& now, unsigned low) {
  return now.before != nullptr && places(*now.before) && !ends(*now.before) &&
         (now.before->probes.cur_od >> low) != (now.probes.cur_od >> low);
}

void add_launch(Rows& rows, const Params& params) {
  const auto add = [&rows](const char* name, bool (*seen)(const Now&)) { rows.push_back({name, 0, seen}); };
  add("match in the first entry", [](const Now& now) { return matches(now) && now.out.key_idx == 0; });
  if (params.NumKde > 1) {
    add("match in the last entry",
        [](const Now& now) { return matches(now) && now.out.key_idx + 1U == now.params.NumKde; });
    add("entry looked at in vain",
        [](const Now& now) { return searches(now) && !matches(now) && now.out.key_idx + 1U < now.params.NumKde; });
    add("two entries are held", [](const Now& now) { return now.out.launch_hold.count() == 2; });
  }
  add("no entry matches",
      [](const Now& now) { return searches(now) && !matches(now) && now.out.key_idx + 1U == now.params.NumKde; });
  add("equal key of an entry that is not there",
      [](const Now& now) { return searches(now) && now.in.key_valid == 0 && equal_keys(now); });
  add("entry held by the match alone", [](const Now& now) {
    return matches(now) && now.out.att_valid == 0 && now.out.launch_hold.any() && now.out.dispatch_hold.none();
  });
  add("another key ends a granted run", [](const Now& now) {
    return beat(now) && now.probes.launch_state == kGrant && now.in.agg_key != now.probes.run_key;
  });
  add("another key ends a run that falls back", [](const Now& now) {
    return beat(now) && now.probes.launch_state == kFall && now.in.agg_key != now.probes.run_key;
  });
  add("beat waits for a fallback", [](const Now& now) { return in_run(now) && !taken(now) && fb_waits(now); });
  add("beat waits for an attachment", [](const Now& now) { return in_run(now) && !taken(now) && att_waits(now); });
  add("beat waits for a completion", [](const Now& now) {
    return granted(now) && !taken(now) && !fb_waits(now) && !att_waits(now) && now.probes.done_valid != 0;
  });
  add("group gets an entry", allocates);
  add("group stays in memory",
      [](const Now& now) { return taken(now) && granted(now) && now.probes.busy.test(index_of(now)); });
  add("... beside a completion", [](const Now& now) {
    return taken(now) && granted(now) && now.probes.busy.test(index_of(now)) && now.probes.done_valid != 0;
  });
  add("entry freed in the cycle in which it is wanted",
      [](const Now& now) { return taken(now) && granted(now) && frees(now) && index_of(now) == now.probes.done_age; });
  add("group falls back", [](const Now& now) { return taken(now) && now.probes.launch_state == kFall; });
  add("fallback beside a completion",
      [](const Now& now) { return taken(now) && now.probes.launch_state == kFall && counts(now); });
  add("command of one group",
      [](const Now& now) { return taken(now) && now.in.agg_first != 0 && now.in.agg_last != 0; });
  add("fallback taken as the next comes", [](const Now& now) { return taken(now) && now.out.fb_valid != 0; });
  add("attachment taken as the next comes", [](const Now& now) { return taken(now) && now.out.att_valid != 0; });
  add("32 fallbacks in a command", [](const Now& now) { return now.out.fb_valid != 0 && now.out.fb_ord == 32; });
  add("ordinals of fallbacks begin again", [](const Now& now) { return now.out.fb_valid != 0 && now.out.fb_ord == 0; });
  add("completion of a thread block, others are left", [](const Now& now) { return counts(now) && !frees(now); });
  add("completion of the last thread block of a group", frees);
  add("completion of one of 65536 thread blocks or more",
      [](const Now& now) { return counts(now) && now.probes.done_left >= 0x1'0000U; });
  add("completions in consecutive cycles",
      [](const Now& now) { return counts(now) && now.in.done_valid != 0 && on_chip(now.in.done_agei); });
  add("completion of a native thread block",
      [](const Now& now) { return now.in.done_valid != 0 && now.in.done_agei == kNone; });
  add("completion of a group in memory",
      [](const Now& now) { return now.in.done_valid != 0 && off_chip(now.in.done_agei); });
  add("all entries in use", [](const Now& now) { return now.out.agt_used == now.params.AgtSize; });
  if (params.AgtSize > 64) rows.back().long_run = true;
  add("frame error", [](const Now& now) { return (now.out.launch_err & 1U) != 0; });
  add("completion of nothing", [](const Now& now) { return (now.out.launch_err & 2U) != 0; });
}

void add_pools(Rows& rows, const Params& params) {
  const auto add = [&rows](const char* name, bool (*seen)(const Now&)) { rows.push_back({name, 0, seen}); };
  add("kernel pushed while nothing is distributed",
      [](const Now& now) { return installs(now) && now.probes.dispatch_state == DispatchState::kFree; });
  add("kernel gives way to an attachment", [](const Now& now) { return now.in.push_valid != 0 && attaches(now); });
  add("kernel waits for a link", [](const Now& now) { return now.in.push_valid != 0 && now.out.att_ready == 0; });
  add("group marks its kernel again", [](const Now& now) { return attaches(now) && !marked(now); });
  add("group attaches to an empty pool behind native thread blocks",
      [](const Now& now) { return to_current(now) && now.probes.row_nagei == kNone && !ends(now); });
  add("group attaches as the last native thread block goes",
      [](const Now& now) { return to_current(now) && native(now.probes.cur_agei) && finishes(now); });
  add("group attaches as the pool runs empty",
      [](const Now& now) { return tail_in_hand(now) && !native(now.probes.cur_agei) && ends(now); });
  if (params.AgtSize > 1) {
    add("link from entry to entry", [](const Now& now) {
      return to_current(now) && on_chip(now.probes.row_lagei) && on_chip(now.out.att_agei) &&
             now.probes.row_nagei != kNone;
    });
  }
  add("link from entry to memory", [](const Now& now) {
    return to_current(now) && on_chip(now.probes.row_lagei) && off_chip(now.out.att_agei) &&
           now.probes.row_nagei != kNone;
  });
  add("link to the item in hand before its read", [](const Now& now) { return forwards(now, DispatchState::kReq); });
  add("link to the item in hand before the reply",
      [](const Now& now) { return forwards(now, DispatchState::kWait) && now.in.rsp_valid == 0; });
  add("link to the item in hand beside the reply",
      [](const Now& now) { return forwards(now, DispatchState::kWait) && now.in.rsp_valid != 0; });
  add("link to the item in hand after the reply", [](const Now& now) { return forwards(now, DispatchState::kRun); });
  add("link to the item that begins", [](const Now& now) {
    return now.probes.record_linked != 0 && now.before != nullptr && ends(*now.before) &&
           now.probes.dispatch_state == DispatchState::kReq;
  });
  add("reply to an item that is linked already",
      [](const Now& now) { return now.in.rsp_valid != 0 && now.probes.record_linked != 0; });
  add("the linked group follows", [](const Now& now) {
    return now.before != nullptr && ends(*now.before) && now.before->probes.record_linked != 0 &&
           !finishes(*now.before);
  });
  if (params.NumKde > 1) {
    add("finished, another kernel follows at once", [](const Now& now) {
      return now.before != nullptr && finishes(*now.before) && now.probes.dispatch_state != DispatchState::kFree &&
             now.probes.cur_kd != now.before->probes.cur_kd;
    });
    add("ring full", [](const Now& now) { return now.probes.queue_count + 1U == now.params.NumKde; });
    add("ring wraps", [](const Now& now) {
      return now.before != nullptr && now.before->probes.queue_head + 1U == now.params.NumKde &&
             now.probes.queue_head == 0;
    });
    if (params.NumKde > 100) rows[rows.size() - 2].long_run = true;
  }
  add("finished and marked again at once", [](const Now& now) {
    return now.before != nullptr && finishes(*now.before) && attaches(*now.before) &&
           now.before->out.att_kd == now.before->probes.cur_kd && now.probes.cur_kd == now.before->probes.cur_kd &&
           now.probes.dispatch_state != DispatchState::kFree;
  });
  add("finished, nothing left", [](const Now& now) { return finishes(now) && now.probes.queue_count == 0; });
}

void add_items(Rows& rows, const Params& params) {
  const auto add = [&rows](const char* name, bool (*seen)(const Now&)) { rows.push_back({name, 0, seen}); };
  add("native, then an entry", [](const Now& now) { return follows(now, native, on_chip); });
  if (params.NumKde > 1 || params.AgtSize > 1)
    add("native, then a record", [](const Now& now) { return follows(now, native, off_chip); });
  if (params.AgtSize > 1) add("entry, then an entry", [](const Now& now) { return follows(now, on_chip, on_chip); });
  add("entry, then a record", [](const Now& now) { return follows(now, on_chip, off_chip); });
  add("record, then an entry", [](const Now& now) { return follows(now, off_chip, on_chip); });
  add("record, then a record", [](const Now& now) { return follows(now, off_chip, off_chip); });
  add("offer waits", [](const Now& now) { return now.out.pl_valid != 0 && now.in.pl_taken == 0; });
  add("offer vanishes", [](const Now& now) {
    return now.before != nullptr && now.before->out.pl_valid != 0 && now.before->in.pl_taken == 0 &&
           now.out.pl_valid == 0;
  });
  add("carry into y", [](const Now& now) { return carries(now, 32); });
  add("carry into z", [](const Now& now) { return carries(now, 48); });
  add("row of over 1000 thread blocks ends in x",
      [](const Now& now) { return ends(now) && (now.out.pl_dim & 0xffff'ffffU) > 1000; });
  add("... in y", [](const Now& now) { return ends(now) && (now.out.pl_dim >> 32U & 0xffffU) > 1000; });
  add("... in z", [](const Now& now) { return ends(now) && now.out.pl_dim >> 48U > 1000; });
  for (std::size_t i = rows.size() - 3; i < rows.size(); ++i) rows[i].long_run = true;
  add("item of a size of over 30 bits", [](const Now& now) { return (now.out.pl_dim & 0xffff'ffffU) >> 30U != 0; });
  add("a dimension of 0", [](const Now& now) {
    return places(now) && ((now.out.pl_dim & 0xffff'ffffU) == 0 || (now.out.pl_dim >> 32U & 0xffffU) == 0);
  });
  add("read waits on the port", [](const Now& now) { return now.probes.read_stays != 0; });
  add("link comes while a read is on the port",
      [](const Now& now) { return reads(now) && now.probes.link_valid != 0; });
  add("read waits for a link",
      [](const Now& now) { return writes(now) && now.probes.dispatch_state == DispatchState::kReq; });
  add("... into its own record", [](const Now& now) {
    return writes(now) && now.probes.dispatch_state == DispatchState::kReq &&
           (now.probes.link_rec | kOffChip) == now.probes.cur_agei;
  });
  add("link waits on the port", [](const Now& now) { return writes(now) && now.in.mem_ready == 0; });
  add("link written while a read is outstanding",
      [](const Now& now) { return writes(now) && now.probes.dispatch_state == DispatchState::kWait; });
  add("kernel pushed to a marked entry", [](const Now& now) { return (now.out.dispatch_err & 1U) != 0; });
  add("reply of nothing", [](const Now& now) { return (now.out.dispatch_err & 2U) != 0; });
  add("thread block taken that was not offered", [](const Now& now) { return (now.out.dispatch_err & 4U) != 0; });
}

}  // namespace

std::vector<Row> points(const Params& params) {
  Rows rows;
  add_launch(rows, params);
  add_pools(rows, params);
  add_items(rows, params);
  return rows;
}

}  // namespace castor::dtbl::tb
