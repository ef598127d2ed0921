#include "tb/darsie/cover/rule_points.h"

#include "tb/darsie/bits.h"

namespace castor::darsie::tb {
namespace {

using namespace has;  // NOLINT(google-build-using-namespace): constants of one meaning
using Row = castor::tb::PointRow<Facts>;

template <class Condition>
bool any_tb(const Facts& f, Condition condition) {
  for (unsigned t = 0; t < f.params.NumTbs; ++t) {
    if (condition(t)) return true;
  }
  return false;
}

template <class Condition>
bool any_warp(U64 warps, Condition condition) {
  for (; warps != 0; warps &= warps - 1) {
    if (condition(lowest(warps))) return true;
  }
  return false;
}

/// Returns whether at least one row is not free for exactly the given causes.
bool kept_by(const Facts& f, bool unwritten, bool pending, bool held, bool lingering) {
  if (f.why == Why::kNone) return false;
  U64 pend = 0, ref = 0, ling = 0;
  for (U64 left = f.team[f.tb]; left != 0; left &= left - 1) {
    const unsigned w = lowest(left);
    pend |= f.probes.pend[w];
    ref |= f.probes.ref[w];
    ling |= f.probes.ling[w];
  }
  const U64 away = ~U64{f.probes.wb[f.tb]}, all = twin::mask(f.probes.rows[f.tb]);
  const U64 mine =
      (unwritten ? away : ~away) & (pending ? pend : ~pend) & (held ? ref : ~ref) & (lingering ? ling : ~ling);
  return (mine & all) != 0;
}

/// Returns the largest number of pending versions of the decoded register in one warp.
unsigned versions_of_one(const Facts& f) {
  unsigned most = 0;
  if (f.why == Why::kNone) return 0;
  for (U64 left = f.team[f.tb]; left != 0; left &= left - 1) {
    const U64 pend = f.probes.pend[lowest(left)];
    unsigned same = 0;
    for (U64 rows = pend; rows != 0; rows &= rows - 1)
      same += f.hidden.slot[f.tb][lowest(rows)] == f.in.d_dst[2 * f.place];
    most = same > most ? same : most;
  }
  return most;
}

bool room_for_half(const Facts& f) { return f.count == 2 && size(f.free) == 1; }

std::vector<Row> decode_rows() {
  return {
      {"a second redundant instruction is squashed behind the first", kSkips | kWide,
       [](const Facts& f) { return f.second; }},
      {"an election of one row", kSkips | kWarps, [](const Facts& f) { return f.why == Why::kLead && f.count == 1; }},
      {"an election of two rows", kSkips | kWarps | kRows,
       [](const Facts& f) { return f.why == Why::kLead && f.count == 2; }},
      {"a second election of two rows", kSkips | kThreeWarps | kThreeRows | kLoads,
       [](const Facts& f) { return f.why == Why::kRelead && f.count == 2; }},
      {"an election takes the last row", kSkips | kWarps,
       [](const Facts& f) { return f.leads() && size(f.free) == f.count; }},
      {"rows of an election are no neighbours", kSkips | kWarps | kThreeRows,
       [](const Facts& f) { return f.leads() && f.count == 2 && (f.rows & f.rows << 1U) == 0; }},
      {"one row is free and two are wanted, nothing is before the warp", kSkips | kWarps,
       [](const Facts& f) { return room_for_half(f) && f.versions == 0 && f.why != Why::kAlone; }},
      {"one row is free and two are wanted, a version is stale", kSkips | kThreeWarps | kThreeRows | kLoads,
       [](const Facts& f) { return room_for_half(f) && f.why == Why::kNoRow; }},
      {"an election of a load", kSkips | kWarps | kLoads,
       [](const Facts& f) { return f.leads() && f.in.d_ldkind[f.place] == 1; }},
      {"an election of a global load", kSkips | kWarps | kLoads,
       [](const Facts& f) { return f.leads() && f.in.d_ldkind[f.place] == 2; }},
      {"an election in the cycle of a store", kSkips | kWarps | kStores | kLoads,
       [](const Facts& f) { return f.leads() && f.stores(f.tb) && f.in.d_ldkind[f.place] != 0; }},
      {"an election overwrites a valid entry", kSkips | kWarps,
       [](const Facts& f) { return f.leads() && contains(f.probes.pv[f.tb], f.probes.ptr[f.tb]) && !f.stores(f.tb); }},
      {"an election overwrites an entry that a store clears", kSkips | kWarps | kStores | kLoads,
       [](const Facts& f) {
         return f.leads() && f.stores(f.tb) && contains(f.probes.pv[f.tb] & f.probes.pld[f.tb], f.probes.ptr[f.tb]);
       }},
      {"a late wait for a pair", kSkips | kWarps | kRows,
       [](const Facts& f) { return f.why == Why::kLatch && f.count == 2; }},
      {"a late wait for what is written", kSkips | kWarps,
       [](const Facts& f) { return f.why == Why::kLatch && (f.versions & ~f.probes.wb[f.tb]) == 0; }},
      {"a late wait for what is not", kSkips | kWarps,
       [](const Facts& f) { return f.why == Why::kLatch && (f.versions & ~f.probes.wb[f.tb]) != 0; }},
      {"two versions of a register before a warp", kSkips | kWarps | kRows,
       [](const Facts& f) { return versions_of_one(f) == 2; }},
      {"three or more", kSkips | kWarps | kThreeRows, [](const Facts& f) { return versions_of_one(f) > 2; }},
      {"a promoted instruction", kSkips | kWarps,
       [](const Facts& f) { return f.leads() && f.in.d_mark[f.place] == 1; }},
      {"an instruction that is not promoted", 0,
       [](const Facts& f) {
         return f.in.d_warp < f.params.NumWarps && contains(f.probes.majority, f.in.d_warp) &&
                contains(f.in.d_valid, 0) && f.in.d_mark[0] == 1 && !contains(f.probes.prom, f.tb_of(f.in.d_warp));
       }},
      {"a row is kept by its leader alone", kSkips | kWarps,
       [](const Facts& f) { return kept_by(f, true, false, false, false); }},
      {"... by who has not passed it alone", kSkips | kWarps,
       [](const Facts& f) { return kept_by(f, false, true, false, false); }},
      {"... by who holds it alone", kSkips | kWarps,
       [](const Facts& f) { return kept_by(f, false, false, true, false); }},
      {"... by outstanding reads alone", kSkips | kWarps,
       [](const Facts& f) { return kept_by(f, false, false, false, true); }}};
}

std::vector<Row> memory_rows() {
  return {{"a store makes a load stale", kSkips | kWarps | kLoads | kStores,
           [](const Facts& f) {
             return any_tb(f, [&](unsigned t) { return f.stores(t) && (f.probes.ld[t] & ~f.probes.inv[t]) != 0; });
           }},
          {"a store clears an entry", kSkips | kWarps | kLoads | kStores,
           [](const Facts& f) { return any_tb(f, [&](unsigned t) { return f.stores(t) && f.probes.pld[t] != 0; }); }},
          {"a store leaves entries of others", kSkips | kWarps | kEntries | kStores,
           [](const Facts& f) {
             return any_tb(f, [&](unsigned t) { return f.stores(t) && (f.probes.pv[t] & ~f.probes.pld[t]) != 0; });
           }},
          {"global communication clears entries and leaves others", kSkips | kWarps | kLoads | kEntries,
           [](const Facts& f) {
             return f.in.ev_global != 0 && any_tb(f, [&](unsigned t) {
                      return f.probes.pgl[t] != 0 && (f.probes.pld[t] & ~f.probes.pgl[t]) != 0;
                    });
           }},
          {"global communication reaches two thread blocks", kSkips | kFourWarps | kLoads | kTbs,
           [](const Facts& f) {
             unsigned reached = 0;
             for (unsigned t = 0; t < f.params.NumTbs; ++t)
               reached += f.in.ev_global != 0 && f.probes.pgl[t] != 0 ? 1 : 0;
             return reached > 1;
           }},
          {"a store ends a wait", kSkips | kWarps | kLoads | kStores,
           [](const Facts& f) { return (f.dropped & f.probes.lat) != 0; }},
          {"a store ends a wait that begins", kSkips | kWarps | kLoads | kStores,
           [](const Facts& f) { return (f.dropped & f.latched) != 0; }},
          {"a store ends a late wait that begins", kSkips | kWarps | kLoads | kStores,
           [](const Facts& f) { return f.why == Why::kLatch && contains(f.dropped, f.warp); }},
          {"a skip of a load in the cycle of a store", kSkips | kWarps | kLoads | kStores,
           [](const Facts& f) {
             return any_warp(f.skipped & f.probes.lat & f.probes.lld, [&](unsigned w) { return f.stores(f.tb_of(w)); });
           }},
          {"two rows are written", kSkips | kThreeWarps | kWritePorts | kRows,
           [](const Facts& f) { return size(f.in.wb_valid) > 1; }}};
}

std::vector<Row> event_rows() {
  const auto vote = [](const Facts& f) {
    const U64 m = f.completed < 32 ? f.majority[f.completed] : 0;
    return f.completed < 32 && !contains(f.probes.sync, f.completed) ? m : 0;
  };
  return {
      {"all go one way, taken", 0, [vote](const Facts& f) { return vote(f) != 0 && (vote(f) & ~f.probes.tk) == 0; }},
      {"all go one way, not taken", 0, [vote](const Facts& f) { return vote(f) != 0 && (vote(f) & f.probes.tk) == 0; }},
      {"more take a branch", kThreeWarps,
       [vote](const Facts& f) {
         return f.losers != 0 && (f.losers & f.probes.tk) == 0 && 2 * size(f.losers) < size(vote(f));
       }},
      {"fewer take a branch", kThreeWarps,
       [vote](const Facts& f) { return (f.losers & f.probes.tk) != 0 && 2 * size(f.losers) < size(vote(f)); }},
      {"a tie, the lowest takes it", kWarps,
       [vote](const Facts& f) {
         return f.losers != 0 && 2 * size(f.losers) == size(vote(f)) && (f.losers & f.probes.tk) == 0;
       }},
      {"a tie, the lowest does not", kWarps,
       [vote](const Facts& f) { return 2 * size(f.losers) == size(vote(f)) && (f.losers & f.probes.tk) != 0; }},
      {"a synchronisation point is complete", kSkips | kWarps,
       [](const Facts& f) { return f.completed < 32 && contains(f.probes.sync, f.completed); }},
      {"two thread blocks could complete", kWarps | kTbs, [](const Facts& f) { return size(f.completes) > 1; }},
      {"the later one of two completes", kWarps | kTbs,
       [](const Facts& f) { return size(f.completes) > 1 && f.completed != lowest(f.completes); }},
      {"a warp leaves that holds rows", kSkips | kWarps,
       [](const Facts& f) { return any_warp(f.leaves, [&](unsigned w) { return f.probes.ref[w] != 0; }); }},
      {"a warp leaves that holds none", 0,
       [](const Facts& f) { return any_warp(f.leaves, [&](unsigned w) { return f.probes.ref[w] == 0; }); }},
      {"a warp leaves with instances before it", kSkips | kWarps,
       [](const Facts& f) { return any_warp(f.leaves, [&](unsigned w) { return f.probes.pend[w] != 0; }); }},
      {"a stopped warp leaves", 0, [](const Facts& f) { return (f.leaves & f.probes.stop) != 0; }},
      {"a waiting warp leaves", kSkips | kWarps, [](const Facts& f) { return (f.leaves & f.probes.lat) != 0; }},
      {"a warp outside is told to leave", 0,
       [](const Facts& f) { return (f.in.leave & f.probes.live & ~f.probes.majority) != 0; }},
      {"a warp joins at a barrier", 0, [](const Facts& f) { return (f.joins & ~f.probes.majority) != 0; }},
      {"a warp of the majority does not", 0,
       [](const Facts& f) {
         return any_tb(f, [&](unsigned t) { return contains(f.barriers, t) && (f.majority[t] & ~f.joins) != 0; });
       }},
      {"a warp that copies wants to join", kSkips | kWarps,
       [](const Facts& f) {
         return any_tb(
             f, [&](unsigned t) { return contains(f.barriers, t) && (f.team[t] & f.probes.cpy & f.in.bar_join) != 0; });
       }},
      {"two barriers complete", kTbs | kWarps, [](const Facts& f) { return size(f.barriers) > 1; }},
      {"a barrier of a thread block that is not enabled", 0,
       [](const Facts& f) { return (f.in.bar & f.probes.tl & ~f.probes.en) != 0; }},
      {"a copy waits for its row to be written", kSkips | kWarps,
       [](const Facts& f) {
         return any_warp(f.probes.cpy, [&](unsigned w) {
           return f.probes.ref[w] != 0 && (f.probes.ref[w] & f.probes.wb[f.tb_of(w)]) == 0;
         });
       }},
      {"a copy is served in its first cycle", kSkips | kWarps,
       [](const Facts& f) {
         return f.in.cp_ack != 0 && f.probes.cpv != 0 && f.before != nullptr && f.before->probes.cpv == 0;
       }},
      {"a copy waits to be served", kSkips | kWarps,
       [](const Facts& f) { return f.probes.cpv != 0 && f.before != nullptr && f.before->probes.cpv != 0; }},
      {"two warps want to copy", kSkips | kWarps,
       [](const Facts& f) {
         unsigned wanting = 0;
         for (U64 left = f.probes.cpy; left != 0; left &= left - 1) wanting += f.probes.ref[lowest(left)] != 0 ? 1 : 0;
         return wanting > 1;
       }},
      {"nothing to copy", 0,
       [](const Facts& f) { return f.before != nullptr && (f.done & ~f.before->probes.cpy) != 0; }},
      {"a warp exits alone", 0,
       [](const Facts& f) {
         return any_tb(f, [&](unsigned t) { return size(f.team[t]) == 1 && (f.team[t] & f.exits) != 0; });
       }},
      {"a warp exits while others wait for it", kWarps,
       [](const Facts& f) {
         return any_tb(f, [&](unsigned t) {
           const U64 rest = f.majority[t] & ~f.probes.stop;
           return rest != 0 && rest != f.majority[t] && (rest & ~f.exits) == 0;
         });
       }},
      {"a warp exits that holds rows", kSkips | kWarps,
       [](const Facts& f) { return any_warp(f.exits, [&](unsigned w) { return f.probes.ref[w] != 0; }); }},
      {"a launch", 0, [](const Facts& f) { return f.launches; }},
      {"a launch without the block", 0, [](const Facts& f) { return f.launches && f.in.lnch_en == 0; }},
      {"a launch with a warp that is not full", 0,
       [](const Facts& f) { return f.launches && f.in.lnch_full != f.in.lnch_warps; }},
      {"a launch without rows", 0, [](const Facts& f) { return f.launches && f.in.lnch_rows == 0; }},
      {"a launch with all rows", 0, [](const Facts& f) { return f.launches && f.in.lnch_rows == f.params.NumRows; }},
      {"a launch with all registers", 0,
       [](const Facts& f) { return f.launches && f.in.lnch_slots == f.params.NumSlots; }},
      {"a launch of all warps", 0,
       [](const Facts& f) { return f.launches && f.in.lnch_warps == twin::mask(f.params.NumWarps); }},
      {"a launch into a slot that retires at this edge", 0,
       [](const Facts& f) { return f.launches && f.retires && f.in.lnch_tb == f.in.retire_tb; }},
      {"warp slots of a launch are no neighbours", kThreeWarps, [](const Facts& f) {
         const U64 warps = f.in.lnch_warps >> lowest(f.in.lnch_warps | bit(63));
         return f.launches && (warps & (warps + 1)) != 0;
       }}};
}

std::vector<Row> error_rows() {
  const auto in_range = [](const Facts& f) { return f.in.lnch_valid != 0 && f.in.lnch_tb < f.params.NumTbs; };
  const auto warp_there = [](const Facts& f) {
    return f.in.d_warp < f.params.NumWarps && contains(f.probes.live, f.in.d_warp);
  };
  const auto decodes = [](const Facts& f) { return f.in.d_valid != 0; };
  const auto slot_of_mark = [](const Facts& f, auto condition) {
    for (unsigned s = 0; s < f.params.DecW; ++s) {
      if (contains(f.in.d_valid, s) && f.in.d_warp < f.params.NumWarps && condition(s)) return true;
    }
    return false;
  };
  const auto writes = [](const Facts& f, auto condition) {
    for (unsigned p = 0; p < f.params.NumWb; ++p) {
      if (contains(f.in.wb_valid, p) && condition(f.in.wb_tb[p], f.in.wb_tag[p])) return true;
    }
    return false;
  };
  const auto issues = [](const Facts& f, auto condition) {
    for (unsigned p = 0; p < f.params.NumIss; ++p) {
      if (contains(f.in.i_valid, p) && condition(f.in.i_warp[p])) return true;
    }
    return false;
  };
  return {
      {"error: a launch on a slot that is in use", 0,
       [in_range](const Facts& f) { return in_range(f) && contains(f.probes.tl, f.in.lnch_tb) && !f.retires; }},
      {"error: a launch on a slot that there is not", kRaggedTbs,
       [](const Facts& f) { return f.in.lnch_valid != 0 && f.in.lnch_tb >= f.params.NumTbs; }},
      {"error: a launch without warps", 0, [in_range](const Facts& f) { return in_range(f) && f.in.lnch_warps == 0; }},
      {"error: a launch on live warps", 0,
       [in_range](const Facts& f) { return in_range(f) && (f.in.lnch_warps & f.probes.live) != 0; }},
      {"error: a launch with full warps of others", kWarps,
       [in_range](const Facts& f) { return in_range(f) && (f.in.lnch_full & ~f.in.lnch_warps) != 0; }},
      {"error: a launch with too many rows", 0,
       [in_range](const Facts& f) { return in_range(f) && f.in.lnch_rows > f.params.NumRows; }},
      {"error: a launch with too many registers", 0,
       [in_range](const Facts& f) { return in_range(f) && f.in.lnch_slots > f.params.NumSlots; }},
      {"error: a retire of a slot that is not in use", 0,
       [](const Facts& f) {
         return f.in.retire_valid != 0 && f.in.retire_tb < f.params.NumTbs && !contains(f.probes.tl, f.in.retire_tb);
       }},
      {"error: a retire with live warps", 0,
       [](const Facts& f) {
         return f.in.retire_valid != 0 && f.in.retire_tb < f.params.NumTbs && f.team[f.in.retire_tb] != 0;
       }},
      {"error: a retire of a slot that there is not", kRaggedTbs,
       [](const Facts& f) { return f.in.retire_valid != 0 && f.in.retire_tb >= f.params.NumTbs; }},
      {"error: a write of a written row", 0,
       [writes](const Facts& f) {
         return writes(f, [&](unsigned t, unsigned k) {
           return t < f.params.NumTbs && k < f.params.NumRows && contains(f.probes.wb[t], k);
         });
       }},
      {"error: a write of a row that there is not", kRaggedRows,
       [writes](const Facts& f) { return writes(f, [&](unsigned, unsigned k) { return k >= f.params.NumRows; }); }},
      {"error: a write in a slot that there is not", kRaggedTbs,
       [writes](const Facts& f) { return writes(f, [&](unsigned t, unsigned) { return t >= f.params.NumTbs; }); }},
      {"error: mark 3", 0,
       [slot_of_mark](const Facts& f) { return slot_of_mark(f, [&](unsigned s) { return f.in.d_mark[s] == 3; }); }},
      {"error: a mark without a result", 0,
       [slot_of_mark](const Facts& f) {
         return slot_of_mark(
             f, [&](unsigned s) { return (f.in.d_mark[s] == 1 || f.in.d_mark[s] == 2) && f.in.d_ndst[s] == 0; });
       }},
      {"error: a mark with three", 0,
       [slot_of_mark](const Facts& f) {
         return slot_of_mark(
             f, [&](unsigned s) { return (f.in.d_mark[s] == 1 || f.in.d_mark[s] == 2) && f.in.d_ndst[s] == 3; });
       }},
      {"error: a decode of a dead warp", 0,
       [decodes](const Facts& f) {
         return decodes(f) && f.in.d_warp < f.params.NumWarps && !contains(f.probes.live, f.in.d_warp);
       }},
      {"error: a decode of a warp that there is not", kRaggedWarps,
       [decodes](const Facts& f) { return decodes(f) && f.in.d_warp >= f.params.NumWarps; }},
      {"error: an issue of a dead warp", 0,
       [issues](const Facts& f) {
         return issues(f, [&](unsigned w) { return w < f.params.NumWarps && !contains(f.probes.live, w); });
       }},
      {"error: an issue of a warp that there is not", kRaggedWarps,
       [issues](const Facts& f) { return issues(f, [&](unsigned w) { return w >= f.params.NumWarps; }); }},
      {"error: an exit of a dead warp", 0, [](const Facts& f) { return (f.in.exit & ~f.probes.live) != 0; }},
      {"error: a decode of a stopped warp", 0,
       [decodes, warp_there](const Facts& f) {
         return decodes(f) && warp_there(f) && contains(f.probes.stop, f.in.d_warp);
       }},
      {"error: a decode of a waiting warp", kSkips | kWarps,
       [decodes, warp_there](const Facts& f) {
         return decodes(f) && warp_there(f) && contains(f.probes.lat, f.in.d_warp);
       }},
      {"error: a decode of a copying warp", 0,
       [decodes, warp_there](const Facts& f) {
         return decodes(f) && warp_there(f) && contains(f.probes.cpy, f.in.d_warp);
       }},
      {"error: an exit of a stopped warp", 0, [](const Facts& f) { return (f.exits & f.probes.stop) != 0; }},
      {"error: an exit of a waiting warp", kSkips | kWarps,
       [](const Facts& f) { return (f.exits & f.probes.lat) != 0; }},
      {"error: an exit of a copying warp", 0, [](const Facts& f) { return (f.exits & f.probes.cpy) != 0; }},
      {"error: a barrier with something before a warp", kSkips | kWarps,
       [](const Facts& f) {
         return any_tb(f, [&](unsigned t) {
           return contains(f.barriers, t) && any_warp(f.team[t], [&](unsigned w) { return f.probes.pend[w] != 0; });
         });
       }},
      {"error: a barrier with a stopped warp", 0,
       [](const Facts& f) {
         return any_tb(f, [&](unsigned t) { return contains(f.barriers, t) && (f.team[t] & f.probes.stop) != 0; });
       }},
      {"error: a barrier with a waiting warp", kSkips | kWarps,
       [](const Facts& f) {
         return any_tb(f, [&](unsigned t) { return contains(f.barriers, t) && (f.team[t] & f.probes.lat) != 0; });
       }},
      {"error: an acknowledge of no copy", 0, [](const Facts& f) { return f.in.cp_ack != 0 && f.probes.cpv == 0; }},
      {"two kinds of error in one cycle", 0, [](const Facts& f) { return size(f.probes.error) > 1; }}};
}

std::vector<Row> table_rows() {
  return {
      {"two groups of one thread block", kSkips | kGroups | kThreeWarps,
       [](const Facts& f) { return f.groups.size() > 1 && f.groups[0].tb == f.groups[1].tb; }},
      {"groups of two thread blocks", kSkips | kGroups | kFourWarps | kTbs,
       [](const Facts& f) { return f.groups.size() > 1 && f.groups[0].tb != f.groups[1].tb; }},
      {"two groups skip", kSkips | kGroups | kThreeWarps,
       [](const Facts& f) {
         return f.groups.size() > 1 && f.groups[0].kind <= Group::Kind::kHit && f.groups[1].kind <= Group::Kind::kHit;
       }},
      {"a skip beside a wait", kSkips | kGroups | kThreeWarps,
       [](const Facts& f) { return f.groups.size() > 1 && f.skipped != 0 && f.latched != 0; }},
      {"all groups of a cycle are in use, and a warp is left", kSkips | kThreeWarps,
       [](const Facts& f) {
         return f.groups.size() == f.params.PstRd && (f.in.f_elig & f.probes.majority & (f.ready() | f.probing()) &
                                                      ~(f.skipped | f.latched | f.missed)) != 0;
       }},
      {"a skip table is full", kSkips | kWarps,
       [](const Facts& f) {
         return any_tb(f, [&](unsigned t) { return f.probes.pv[t] == twin::mask(f.params.NumPst); });
       }},
      {"all rows of a pool are given away", kSkips | kWarps,
       [](const Facts& f) { return f.why != Why::kNone && f.free == 0 && f.probes.rows[f.tb] == f.params.NumRows; }},
      {"all TB slots are in use", 0, [](const Facts& f) { return f.probes.tl == twin::mask(f.params.NumTbs); }},
      {"all warp slots are in use", 0, [](const Facts& f) { return f.probes.live == twin::mask(f.params.NumWarps); }},
      {"a warp holds a row for each register", kSkips | kWarps,
       [](const Facts& f) {
         return f.params.NumRows < f.params.NumSlots
                    ? any_warp(f.probes.live,
                               [&](unsigned w) { return f.probes.ref[w] == twin::mask(f.params.NumRows); })
                    : any_warp(f.probes.live, [&](unsigned w) { return size(f.probes.ref[w]) >= f.params.NumSlots; });
       }},
      {"a row is held by one warp and before another", kSkips | kWarps, [](const Facts& f) {
         U64 pend = 0, ref = 0;
         if (f.groups.empty()) return false;
         for (U64 left = f.team[f.groups[0].tb]; left != 0; left &= left - 1) {
           pend |= f.probes.pend[lowest(left)];
           ref |= f.probes.ref[lowest(left)];
         }
         return (pend & ref) != 0;
       }}};
}

std::vector<Row> all_rows() {
  std::vector<Row> all;
  for (auto rows : {decode_rows(), memory_rows(), event_rows(), error_rows(), table_rows()}) {
    for (Row& row : rows) all.push_back(std::move(row));
  }
  return all;
}

std::vector<std::string> why_names(const CoverList& list) {
  std::vector<std::string> names(kWhys.size());
  for (std::size_t i = 1; i < kWhys.size(); ++i) {
    const Why why = static_cast<Why>(i);
    Needs needs = kSkips;
    if (why != Why::kAlone) needs |= kWarps;
    if (why == Why::kLast) needs |= kLoads;
    if (why == Why::kRelead) needs |= kLoads | kThreeWarps | kRows;
    if (why == Why::kNosk || why == Why::kNoRow) needs |= kLoads | kThreeWarps;
    if (list.can(needs)) names[i] = std::string("verdict ") + kWhys[i];
  }
  return names;
}

constexpr const char* kStates[] = {"dead", "off", "copies", "stopped", "waits", "is probed", "runs"};

}  // namespace

RulePoints::RulePoints(const CoverList& list, const Params& params)
    : params_(params),
      rules_(list, all_rows()),
      groups_(list,
              {{"a waiting group skips", kSkips | kWarps, [](const Group& g) { return g.kind == Group::Kind::kWake; }},
               {"a probed group skips", kSkips | kWarps, [](const Group& g) { return g.kind == Group::Kind::kHit; }},
               {"a probed group waits", kSkips | kWarps, [](const Group& g) { return g.kind == Group::Kind::kLatch; }},
               {"no entry for a group", kSkips | kWarps, [](const Group& g) { return g.kind == Group::Kind::kMiss; }},
               {"an entry that a group has passed", kSkips | kWarps,
                [](const Group& g) { return g.kind == Group::Kind::kPassed; }},
               {"a group of several warps skips", kSkips | kThreeWarps,
                [](const Group& g) { return g.kind <= Group::Kind::kHit && size(g.warps) > 1; }},
               {"a group of several warps waits", kSkips | kThreeWarps,
                [](const Group& g) { return g.kind == Group::Kind::kLatch && size(g.warps) > 1; }},
               {"a pair is skipped at once", kSkips | kWarps | kRows,
                [](const Group& g) { return g.kind == Group::Kind::kHit && g.two; }},
               {"a pair is skipped after a wait", kSkips | kWarps | kRows,
                [](const Group& g) { return g.kind == Group::Kind::kWake && g.two; }},
               {"a group waits for a pair", kSkips | kWarps | kRows,
                [](const Group& g) { return g.kind == Group::Kind::kLatch && g.two; }}}),
      whys_(list, why_names(list), [](const Facts& f) { return static_cast<std::size_t>(f.why); }),
      cover_(list.cover) {
  using R = castor::tb::Range<Facts>;
  const auto range = [&](const char* name, U64 most, R::Ends ends, R::Value value) {
    ranges_.emplace_back(list, name, 0, most, ends, std::move(value));
  };
  range("rrt", params.NumTbs - 1, R::Ends::kWraps, [](const Facts& f) { return f.probes.rrt; });
  if (list.can(kSkips | kWarps)) {
    range("rrf", params.NumWarps - 1, R::Ends::kWraps, [](const Facts& f) { return f.probes.rrf; });
    range("ctr", twin::mask(params.seq_bits()), R::Ends::kWraps,
          [this](const Facts& f) { return f.probes.ctr[subject_]; });
    range("ptr", params.NumPst - 1, R::Ends::kWraps, [this](const Facts& f) { return f.probes.ptr[subject_]; });
  }
  range("rows", params.NumRows, R::Ends::kStays, [this](const Facts& f) { return f.probes.rows[subject_]; });
  range("slots", params.NumSlots, R::Ends::kStays, [this](const Facts& f) { return f.probes.slots[subject_]; });

  // State transitions of a warp at one clock edge.
  struct Arc {
    State from, to;
    Needs needs;
  };
  using S = State;
  static constexpr Arc kArcs[] = {{S::kDead, S::kOff, 0},
                                  {S::kDead, S::kRuns, 0},
                                  {S::kOff, S::kDead, 0},
                                  {S::kOff, S::kRuns, 0},
                                  {S::kRuns, S::kDead, 0},
                                  {S::kRuns, S::kCopies, 0},
                                  {S::kRuns, S::kStopped, 0},
                                  {S::kRuns, S::kProbed, kSkips | kWarps},
                                  {S::kRuns, S::kWaits, kSkips | kWarps},
                                  {S::kProbed, S::kRuns, kSkips | kWarps},
                                  {S::kProbed, S::kWaits, kSkips | kWarps},
                                  {S::kProbed, S::kStopped, kSkips | kWarps},
                                  {S::kProbed, S::kCopies, kSkips | kWarps},
                                  {S::kProbed, S::kDead, kSkips | kWarps},
                                  {S::kWaits, S::kProbed, kSkips | kWarps},
                                  {S::kWaits, S::kRuns, kSkips | kWarps | kLoads},
                                  {S::kWaits, S::kCopies, kSkips | kWarps},
                                  {S::kStopped, S::kRuns, 0},
                                  {S::kStopped, S::kProbed, kSkips | kWarps},
                                  {S::kStopped, S::kCopies, 0},
                                  {S::kCopies, S::kOff, 0}};
  arcs_.assign(49, ~0U);
  for (const Arc& arc : kArcs) {
    if (!list.can(arc.needs)) continue;
    const unsigned from = static_cast<unsigned>(arc.from), to = static_cast<unsigned>(arc.to);
    arcs_[from * 7 + to] = cover_.add(std::string("a warp that ") + kStates[from] + ", then " + kStates[to]);
  }
}

RulePoints::State RulePoints::state_of(const Probes& probes, unsigned w) {
  if (!contains(probes.live, w)) return State::kDead;
  if (contains(probes.cpy, w)) return State::kCopies;
  if (contains(probes.stop, w)) return State::kStopped;
  if (contains(probes.lat, w)) return State::kWaits;
  if (!contains(probes.majority, w)) return State::kOff;
  return contains(probes.miss, w) || probes.pv[probes.warp_tb[w]] == 0 ? State::kRuns : State::kProbed;
}

void RulePoints::see_arcs(const Facts& now) {
  for (unsigned w = 0; w < params_.NumWarps; ++w) {
    const State state = state_of(now.probes, w);
    const unsigned point = arcs_[static_cast<unsigned>(states_[w]) * 7 + static_cast<unsigned>(state)];
    if (state != states_[w] && point != ~0U) cover_.hit(point);
    states_[w] = state;
  }
}

void RulePoints::see_ranges(const Facts& now) {
  // The PC ranges belong to the same thread block in every cycle, so that each wrap belongs to a single counter.
  if (now.probes.tl != 0 && !contains(now.probes.tl, subject_)) subject_ = lowest(now.probes.tl);
  for (auto& range : ranges_) range.see(now);
}

void RulePoints::see(const Facts& now) {
  rules_.see(now);
  for (const Group& group : now.groups) groups_.see(group);
  whys_.see(now);
  see_arcs(now);
  see_ranges(now);
}

}  // namespace castor::darsie::tb
