#include "tb/laperm/cover_points.h"

#include <algorithm>

namespace castor::laperm::tb {
namespace {

using Now = castor::tb::Cycle<Block>;
using Row = castor::tb::PointRow<Now>;
using Rows = std::vector<Row>;

bool tb_pri(const Now& now) { return now.in.policy == kTbPri; }
bool smx_bind(const Now& now) { return now.in.policy == kSmxBind; }
bool adaptive(const Now& now) { return now.in.policy == kAdaptiveBind || now.in.policy == 0; }
unsigned set_of(const Now& now, unsigned sm) { return tb_pri(now) ? 0 : sm / now.params.ClusterSize; }
unsigned limit(const Now& now) { return tb_pri(now) ? now.params.sets() * now.params.BankDepth : now.params.BankDepth; }
unsigned capacity(const Now& now) {
  return now.in.ovf_log2 == 0 ? 0 : 1U << std::min<unsigned>(now.in.ovf_log2, now.params.OvfW);
}

// Conditions of the placement.
bool offers(const Now& now) { return now.out.pl_valid != 0; }
bool places(const Now& now) { return offers(now) && now.in.pl_taken != 0; }
bool ends(const Now& now) { return places(now) && now.out.pl_last != 0; }
bool no_fit(const Now& now) { return now.out.ev_stage != 0 && !offers(now); }
/// Returns whether this cycle places the thread block that follows the previous cycle's thread block in the same item.
bool again(const Now& now) {
  return now.before != nullptr && places(*now.before) && places(now) && now.before->out.pl_agei == now.out.pl_agei &&
         now.before->out.pl_kd == now.out.pl_kd && now.before->out.pl_pos + 1 == now.out.pl_pos;
}

// Conditions of pushes. The item in hand is the item that the block handles in this cycle: a new push or the parked
// item.
bool pushes(const Now& now) { return now.in.push_valid != 0 && now.out.push_ready != 0; }
bool refused(const Now& now) {
  const Inputs& in = now.in;
  return in.push_cnt == 0 || in.push_kd >= now.params.NumKd || (in.push_level > 0 && in.push_sm >= now.params.NumSm) ||
         now.probes.items[in.push_kd] == twin::mask(now.params.QcntW);
}
bool accepts(const Now& now) { return pushes(now) && !refused(now); }
bool parked(const Now& now) { return now.probes.pk_valid != 0; }
bool in_hand(const Now& now) { return parked(now) || accepts(now); }
unsigned level_in_hand(const Now& now) {
  return std::min<unsigned>(parked(now) ? now.probes.pk_level : now.in.push_level, now.params.LvlMax);
}
bool dynamic(const Now& now) { return in_hand(now) && level_in_hand(now) > 0; }
unsigned set_in_hand(const Now& now) { return set_of(now, parked(now) ? now.probes.pk_sm : now.in.push_sm); }
unsigned list_in_hand(const Now& now) { return set_in_hand(now) * now.params.LvlMax + level_in_hand(now) - 1; }
bool set_is_full(const Now& now, unsigned set) {
  return 0U + now.probes.entries[set] + now.probes.promised[set] >= limit(now);
}
bool behind_others(const Now& now) {
  return dynamic(now) && (now.probes.in_memory[list_in_hand(now)] > 0 || now.probes.fetches[list_in_hand(now)] > 0);
}
bool goes_to_memory(const Now& now) {
  return dynamic(now) && (behind_others(now) || set_is_full(now, set_in_hand(now)));
}
bool inserts(const Now& now) { return dynamic(now) && !goes_to_memory(now) && now.probes.rf_valid == 0; }

// Conditions of the lists in memory.
bool writes(const Now& now) { return now.out.mem_valid != 0 && now.out.mem_we != 0; }
bool reads(const Now& now) { return now.out.mem_valid != 0 && now.out.mem_we == 0; }
/// Returns whether no request was on the memory port in the previous cycle, so that a request in this cycle is new.
bool begins(const Now& now) { return now.before != nullptr && now.before->out.mem_valid == 0; }
bool lists_in_memory(const Now& now) {
  for (unsigned q = 0; q < now.params.lists(); ++q) {
    if (now.probes.in_memory[q] > 0) return true;
  }
  return false;
}
bool room_in_memory(const Now& now) { return now.probes.in_memory[list_in_hand(now)] < capacity(now); }

void add_stages(Rows& rows, const Params& params) {
  const auto add = [&rows](const char* name, bool (*seen)(const Now&)) { rows.push_back({name, 0, seen}); };
  add("stage 1 under TB-Pri", [](const Now& now) { return places(now) && now.out.ev_stage == 1 && tb_pri(now); });
  add("stage 1 under SMX-Bind", [](const Now& now) { return places(now) && now.out.ev_stage == 1 && smx_bind(now); });
  add("stage 1 under Adaptive-Bind",
      [](const Now& now) { return places(now) && now.out.ev_stage == 1 && adaptive(now); });
  add("stage 2 under TB-Pri", [](const Now& now) { return places(now) && now.out.ev_stage == 2 && tb_pri(now); });
  add("stage 2 under SMX-Bind", [](const Now& now) { return places(now) && now.out.ev_stage == 2 && smx_bind(now); });
  add("stage 2 under Adaptive-Bind",
      [](const Now& now) { return places(now) && now.out.ev_stage == 2 && adaptive(now); });
  add("stage 2 while another set has items", [](const Now& now) {
    return places(now) && now.out.ev_stage == 2 && (now.out.ready != 0) && now.out.bound_wait != 0;
  });
  add("nothing for the SM under SMX-Bind, others have", [](const Now& now) {
    return smx_bind(now) && now.in.room_open != 0 && now.out.waiting != 0 && now.out.ev_stage == 0 &&
           now.out.ev_starve == 0 && now.out.ready != 0;
  });
  if (params.CntW > 1)
    add("placement of a thread block that is not the last", [](const Now& now) { return places(now) && !ends(now); });
  add("placement of the last thread block", ends);
  if (params.CntW > 1) add("consecutive thread blocks of an item on two SMs", again);
  add("head does not fit in stage 1", [](const Now& now) { return no_fit(now) && now.out.ev_stage == 1; });
  add("head does not fit in stage 2", [](const Now& now) { return no_fit(now) && now.out.ev_stage == 2; });
  add("no slot", [](const Now& now) { return no_fit(now) && now.in.room_slots == 0; });
  add("room, but the entry may have no more", [](const Now& now) {
    return no_fit(now) && now.in.room_slots > 0 && now.in.room_warps >= 64 && now.in.room_regs >= 512 &&
           now.in.room_smem >= 384;
  });
  add("SM closed while something waits", [](const Now& now) { return now.in.room_open == 0 && now.out.waiting != 0; });
  add("SM closed, its last look stays", [](const Now& now) {
    return now.in.room_open == 0 && now.out.waiting != 0 && (now.out.fits_head >> now.out.scan_sm & 1U) == 0;
  });
  add("offer not taken", [](const Now& now) { return offers(now) && now.in.pl_taken == 0; });
  add("taken without an offer", [](const Now& now) { return !offers(now) && now.in.pl_taken != 0; });
  add("own items in memory only", [](const Now& now) { return now.out.ev_starve != 0; });
  add("... while queue 0 has kernels",
      [](const Now& now) { return now.out.ev_starve != 0 && now.probes.host_count > 0; });
  rows.back().long_run = params.BankDepth > 64;
  add("rotation stops", [](const Now& now) {
    return now.before != nullptr && now.before->out.waiting != 0 && now.out.waiting == 0 && now.out.scan_sm != 0;
  });
  add("last look of an SM was no fit as everything ends",
      [](const Now& now) { return now.out.waiting == 0 && now.out.fits_head != twin::mask(now.params.NumSm); });
  if (params.sets() > 1) {
    add("stage 3", [](const Now& now) { return places(now) && now.out.ev_stage == 3; });
    add("stage 3 with policy 0", [](const Now& now) { return now.out.ev_stage == 3 && now.in.policy == 0; });
    add("head does not fit in stage 3", [](const Now& now) { return no_fit(now) && now.out.ev_stage == 3; });
    add("new backup set", [](const Now& now) { return now.out.ev_backup != 0; });
    add("backup set used again",
        [](const Now& now) { return places(now) && now.out.ev_stage == 3 && now.out.ev_backup == 0; });
    add("new backup set, head does not fit", [](const Now& now) { return now.out.ev_backup != 0 && no_fit(now); });
    add("stage 3 with nothing to take", [](const Now& now) {
      return adaptive(now) && now.in.room_open != 0 && now.out.waiting != 0 && now.out.ev_stage == 0 &&
             now.out.ev_starve == 0;
    });
    if (params.CntW > 1)
      add("own SM and another take from an item in turn", [](const Now& now) {
        return again(now) && now.before->out.ev_stage != now.out.ev_stage && now.out.pl_level > 0;
      });
  }
  if (params.sets() > 2) {
    add("another backup set after one ran empty", [](const Now& now) {
      return now.out.ev_backup != 0 && now.probes.backup[now.out.scan_sm] != now.out.scan_sm / now.params.ClusterSize;
    });
    add("recorded backup set although a nearer one has items", [](const Now& now) {
      const unsigned sets = now.params.sets(), own = now.out.scan_sm / now.params.ClusterSize;
      return now.out.ev_stage == 3 && now.out.ev_backup == 0 && now.probes.entries[(own + 1) % sets] > 0 &&
             now.probes.backup[now.out.scan_sm] != (own + 1) % sets;
    });
  }
  if (params.LvlMax > 1) {
    add("a higher level goes before an item that was begun", [](const Now& now) {
      if (!places(now) || now.out.ev_stage != 1) return false;
      const unsigned set = set_of(now, now.out.scan_sm);
      for (unsigned l = 1; l < now.out.pl_level; ++l) {
        if (now.probes.begun.test(set * now.params.LvlMax + l - 1)) return true;
      }
      return false;
    });
  }
  if (params.ClusterSize > 1) {
    add("SMs of a cluster take from one item", [](const Now& now) {
      return again(now) && now.out.ev_stage == 1 && now.before->out.ev_stage == 1 && !tb_pri(now);
    });
  }
}

void add_items(Rows& rows, const Params& params) {
  const auto add = [&rows](const char* name, bool (*seen)(const Now&)) { rows.push_back({name, 0, seen}); };
  add("push into an empty machine", [](const Now& now) { return accepts(now) && now.out.waiting == 0; });
  add("host kernel", [](const Now& now) { return accepts(now) && now.in.push_level == 0; });
  if (params.LvlMax < 15)
    add("level above the largest",
        [](const Now& now) { return accepts(now) && now.in.push_level > now.params.LvlMax; });
  add("insertion on chip", inserts);
  add("queue 0 full", [](const Now& now) { return now.probes.host_count == now.params.NumKd; });
  add("parked at queue 0", [](const Now& now) { return parked(now) && now.probes.pk_level == 0; });
  add("parked for a reply",
      [](const Now& now) { return dynamic(now) && !goes_to_memory(now) && now.probes.rf_valid != 0; });
  add("parked for the request register", [](const Now& now) { return goes_to_memory(now) && now.out.mem_valid != 0; });
  add("parked, the list in memory is full", [](const Now& now) {
    return goes_to_memory(now) && capacity(now) > 0 && !room_in_memory(now) && now.out.mem_valid == 0;
  });
  add("parked, there is no memory", [](const Now& now) { return goes_to_memory(now) && capacity(now) == 0; });
  add("push waits for a parked item", [](const Now& now) { return now.in.push_valid != 0 && now.out.push_ready == 0; });
  const bool is_long = params.BankDepth > 64;
  const auto add_full = [&rows, is_long](const char* name, bool (*seen)(const Now&)) {
    rows.push_back({name, 0, seen, is_long});
  };
  add_full("set full", [](const Now& now) {
    return !tb_pri(now) && dynamic(now) && now.probes.entries[set_in_hand(now)] == limit(now);
  });
  add_full("set full with what is promised", [](const Now& now) {
    return dynamic(now) && set_is_full(now, set_in_hand(now)) && now.probes.promised[set_in_hand(now)] > 0;
  });
  add("all of the storage full under TB-Pri",
      [](const Now& now) { return tb_pri(now) && now.probes.entries[0] == limit(now); });
  rows.back().long_run = params.sets() * params.BankDepth > 64;
  add_full("push to a full set as an entry leaves", [](const Now& now) {
    return accepts(now) && dynamic(now) && ends(now) && now.out.pl_level > 0 && set_is_full(now, set_in_hand(now)) &&
           set_of(now, now.out.scan_sm) == set_in_hand(now);
  });
  add("list runs empty as the next comes", [](const Now& now) {
    return inserts(now) && ends(now) && now.out.ev_stage == 1 && now.out.pl_level == level_in_hand(now) &&
           set_of(now, now.out.scan_sm) == set_in_hand(now) && now.probes.entries[set_in_hand(now)] == 1;
  });
  add("queue 0 runs empty as the next comes", [](const Now& now) {
    return accepts(now) && level_in_hand(now) == 0 && ends(now) && now.out.ev_stage == 2 && now.probes.host_count == 1;
  });
  add("last item of a kernel goes as the next comes", [](const Now& now) {
    return accepts(now) && ends(now) && now.out.pl_kd == now.in.push_kd && now.probes.items[now.in.push_kd] == 1;
  });
  add("items of a kernel at their maximum, one more refused", [](const Now& now) {
    return pushes(now) && now.in.push_kd < now.params.NumKd &&
           now.probes.items[now.in.push_kd] == twin::mask(now.params.QcntW);
  });
  if (params.QcntW > 4) rows.pop_back();
  add("push refused", [](const Now& now) { return (now.out.err & 1U) != 0; });
  add("reply of nothing", [](const Now& now) { return (now.out.err & 2U) != 0; });
}

void add_memory(Rows& rows, const Params& params) {
  const bool is_long = params.BankDepth > 64;
  const auto add = [&rows, is_long](const char* name, bool (*seen)(const Now&)) {
    rows.push_back({name, 0, seen, is_long});
  };
  add("write", writes);
  add("read", reads);
  add("write waits", [](const Now& now) { return writes(now) && now.in.mem_ready == 0; });
  add("read waits", [](const Now& now) { return reads(now) && now.in.mem_ready == 0; });
  add("written behind others of its list while its set has room", [](const Now& now) {
    return behind_others(now) && !set_is_full(now, set_in_hand(now)) && room_in_memory(now) && now.out.mem_valid == 0;
  });
  add("write gives way to a refill",
      [](const Now& now) { return reads(now) && begins(now) && goes_to_memory(*now.before); });
  add("refill gives way to a write",
      [](const Now& now) { return writes(now) && begins(now) && lists_in_memory(*now.before); });
  add("as many reads as there may be", [](const Now& now) { return now.probes.tags == now.params.RefillMax; });
  add("reply beside a push", [](const Now& now) { return now.in.mem_rvalid != 0 && accepts(now); });
  add("reply inserted beside a placement", [](const Now& now) { return now.probes.rf_valid != 0 && places(now); });
  add("reply to the list whose head goes", [](const Now& now) {
    return now.probes.rf_valid != 0 && ends(now) && now.out.pl_level == now.probes.rf_list % now.params.LvlMax + 1U &&
           now.out.ev_stage == 1 && set_of(now, now.out.scan_sm) == now.probes.rf_list / now.params.LvlMax;
  });
  add("replies in consecutive cycles",
      [](const Now& now) { return now.probes.rf_valid != 0 && now.in.mem_rvalid != 0 && now.probes.tags > 0; });
  if (params.RefillMax == 1) rows.pop_back();
  add("list in memory wraps", [](const Now& now) {
    return writes(now) && now.out.mem_idx == 0 && begins(now) && now.before->probes.oldest[now.out.mem_list] > 0;
  });
  if (params.OvfW > 8) rows.back().long_run = true;
  add("list in memory full", [](const Now& now) {
    for (unsigned q = 0; q < now.params.lists(); ++q) {
      if (capacity(now) > 0 && now.probes.in_memory[q] == capacity(now)) return true;
    }
    return false;
  });
  add("index beyond a list that has become smaller", [](const Now& now) {
    return accepts(now) && goes_to_memory(now) && capacity(now) > 0 &&
           now.probes.oldest[list_in_hand(now)] >= capacity(now);
  });
  add("insertion takes the last slot that a refill could have", [](const Now& now) {
    const unsigned c = dynamic(now) ? set_in_hand(now) : 0;
    if (!inserts(now) || now.out.mem_valid != 0 || now.probes.tags >= now.params.RefillMax) return false;
    bool waits = false;
    for (unsigned l = 0; l < now.params.LvlMax; ++l) waits |= now.probes.in_memory[c * now.params.LvlMax + l] > 0;
    return waits && now.probes.entries[c] + now.probes.promised[c] + 1U == limit(now);
  });
  if (params.LvlMax == 1) rows.pop_back();
  if (params.sets() > 1) {
    add("sets in turn", [](const Now& now) {
      return reads(now) && begins(now) && now.before->probes.refill_set != now.out.mem_list / now.params.LvlMax;
    });
  }
  if (params.LvlMax > 1) {
    add("higher level inserted while a lower one lies in memory", [](const Now& now) {
      if (!inserts(now)) return false;
      for (unsigned q = set_in_hand(now) * now.params.LvlMax; q < list_in_hand(now); ++q) {
        if (now.probes.in_memory[q] > 0) return true;
      }
      return false;
    });
    add("refill of the highest of several levels", [](const Now& now) {
      if (!reads(now) || !begins(now) || now.out.mem_list % now.params.LvlMax == 0) return false;
      const unsigned first = now.out.mem_list / now.params.LvlMax * now.params.LvlMax;
      for (unsigned q = first; q < now.out.mem_list; ++q) {
        if (now.probes.in_memory[q] > 0) return true;
      }
      return false;
    });
  }
}

}  // namespace

std::vector<Row> points(const Params& params) {
  Rows rows;
  add_stages(rows, params);
  add_items(rows, params);
  add_memory(rows, params);
  return rows;
}

}  // namespace castor::laperm::tb
