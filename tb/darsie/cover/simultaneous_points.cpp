#include "tb/darsie/cover/simultaneous_points.h"

namespace castor::darsie::tb {

using namespace has;  // NOLINT(google-build-using-namespace): constants of one meaning

bool SimultaneousPoints::OnWarp::issues() const {
  for (unsigned p = 0; p < f.params.NumIss; ++p) {
    if (contains(f.in.i_valid, p) && f.in.i_warp[p] == w && live() && f.in.i_dv[p] != 0) return true;
  }
  return false;
}

bool SimultaneousPoints::OnTb::writes() const {
  for (unsigned p = 0; p < f.params.NumWb; ++p) {
    if (contains(f.in.wb_valid, p) && f.in.wb_tb[p] == t && f.in.wb_tag[p] < f.params.NumRows) return true;
  }
  return false;
}

SimultaneousPoints::Rows<SimultaneousPoints::OnWarp> SimultaneousPoints::warp_rows() {
  using E = OnWarp;
  constexpr Needs kSkip = kSkips | kWarps;
  const auto skips = [](const E& e) { return e.in(e.f.skipped); };
  const auto leaves = [](const E& e) { return e.in(e.f.leaves); };
  const auto barrier = [](const E& e) { return e.at_barrier(); };
  const auto exits = [](const E& e) { return e.in(e.f.exits); };
  const auto launched = [](const E& e) { return e.launched(); };
  const auto loses = [](const E& e) { return e.in(e.f.losers); };
  return {
      {"exit", "live", 0, exits},
      {"launch", "live", 0, launched},
      {"lost vote", "majority", kWarps, loses},
      {"leave", "majority", 0, leaves},
      {"barrier", "majority", 0, barrier},
      {"exit", "majority", 0, exits},
      {"launch", "majority", 0, launched},
      {"probe without a hit", "miss", kSkip, [](const E& e) { return e.in(e.f.missed); }},
      {"no longer eligible", "miss", kSkip, [](const E& e) { return e.in(e.f.probes.miss) && !e.in(e.f.in.f_elig); }},
      {"election", "miss", kSkip, [](const E& e) { return e.f.leads() && e.live() && e.tb() == e.f.tb; }},
      {"leave", "miss", kSkip, leaves},
      {"exit", "miss", kSkip, exits},
      {"launch", "miss", kSkip, launched},
      {"wait", "lat", kSkip, [](const E& e) { return e.in(e.f.latched); }},
      {"late wait", "lat", kSkip, [](const E& e) { return e.decoded(Why::kLatch); }},
      {"skip", "lat", kSkip, skips},
      {"store ends the wait", "lat", kSkip | kLoads, [](const E& e) { return e.in(e.f.dropped); }},
      {"leave", "lat", kSkip, leaves},
      {"barrier", "lat", kSkip, barrier},
      {"exit", "lat", kSkip, exits},
      {"launch", "lat", kSkip, launched},
      {"park", "stop", kSkip, [](const E& e) { return e.decoded(Why::kPark) || e.decoded(Why::kSetSync); }},
      {"branch", "stop", 0, [](const E& e) { return e.in(e.f.branches); }},
      {"completion", "stop", 0, [](const E& e) { return e.f.completed < 32 && e.in(e.f.majority[e.f.completed]); }},
      {"leave", "stop", 0, leaves},
      {"barrier", "stop", 0, barrier},
      {"exit", "stop", 0, exits},
      {"launch", "stop", 0, launched},
      {"lost vote", "cpy", kWarps, loses},
      {"leave", "cpy", 0, leaves},
      {"barrier", "cpy", 0, barrier},
      {"copies done", "cpy", 0, [](const E& e) { return e.in(e.f.done); }},
      {"exit", "cpy", 0, exits},
      {"launch", "cpy", 0, launched},
      {"skip", "pend", kSkip, skips},
      {"private execution", "pend", kSkip | kLoads,
       [](const E& e) { return e.decoded(Why::kNosk) || e.decoded(Why::kLast) || e.decoded(Why::kNoRow); }},
      {"election", "pend", kSkip, [](const E& e) { return e.f.leads() && e.in(e.f.heirs); }},
      {"second election", "pend", kSkip | kThreeWarps | kLoads | kRows,
       [](const E& e) {
         return e.f.why == Why::kRelead && e.live() && e.tb() == e.f.tb && (e.f.probes.pend[e.w] & e.f.versions) != 0;
       }},
      {"leave", "pend", kSkip, leaves},
      {"barrier", "pend", kSkip, barrier},
      {"exit", "pend", kSkip, exits},
      {"launch", "pend", kSkip, launched},
      {"skip", "ref", kSkip, skips},
      {"issue", "ref", kSkip, [](const E& e) { return e.issues(); }},
      {"copy", "ref", kSkip,
       [](const E& e) { return e.live() && e.f.probes.cpv != 0 && e.f.in.cp_ack != 0 && e.f.probes.cpw == e.w; }},
      {"exit", "ref", kSkip, exits},
      {"launch", "ref", kSkip, launched},
      {"operands read", "ling", kSkip, [](const E& e) { return e.in(e.f.in.oc_idle) && e.live(); }},
      {"skip drops a row", "ling", kSkip, [](const E& e) { return e.in(e.f.skipped) && e.f.probes.ref[e.w] != 0; }},
      {"issue drops a row", "ling", kSkip, [](const E& e) { return e.issues() && e.f.probes.ref[e.w] != 0; }},
      {"exit", "ling", kSkip, exits},
      {"launch", "ling", kSkip, launched}};
}

SimultaneousPoints::Rows<SimultaneousPoints::OnTb> SimultaneousPoints::tb_rows() {
  using E = OnTb;
  constexpr Needs kSkip = kSkips | kWarps;
  const auto elects = [](const E& e) { return e.elects(); };
  const auto launched = [](const E& e) { return e.launched(); };
  const auto barrier = [](const E& e) { return contains(e.f.barriers, e.t) && e.f.team[e.t] != 0; };
  const auto meets = [](const E& e) { return e.meets(); };
  const auto gathers = [](const E& e) { return e.gathers(); };
  const auto gives_up = [](const E& e) { return e.decoded(Why::kSetNoElect); };
  return {
      {"launch", "tl", 0, launched},
      {"retire", "tl", 0, [](const E& e) { return e.f.retires && e.f.in.retire_tb == e.t; }},
      {"store", "pv", kSkip | kLoads | kStores, [](const E& e) { return e.f.stores(e.t) && e.f.probes.pld[e.t] != 0; }},
      {"global communication", "pv", kSkip | kLoads,
       [](const E& e) { return e.f.in.ev_global != 0 && e.f.probes.pgl[e.t] != 0; }},
      {"election", "pv", kSkip, elects},
      {"meeting", "pv", kSkip, meets},
      {"barrier", "pv", kSkip, barrier},
      {"launch", "pv", kSkip, launched},
      {"write", "wb", kSkip, [](const E& e) { return e.writes(); }},
      {"election", "wb", kSkip, elects},
      {"launch", "wb", kSkip, launched},
      {"store", "inv", kSkip | kLoads | kStores,
       [](const E& e) { return e.f.stores(e.t) && (e.f.probes.ld[e.t] & ~e.f.probes.inv[e.t]) != 0; }},
      {"global communication", "inv", kSkip | kLoads,
       [](const E& e) { return e.f.in.ev_global != 0 && (e.f.probes.gl[e.t] & ~e.f.probes.inv[e.t]) != 0; }},
      {"election", "inv", kSkip, elects},
      {"launch", "inv", kSkip, launched},
      {"no row for a stale load", "nosk", kSkip | kLoads | kThreeWarps,
       [](const E& e) { return e.decoded(Why::kNoRow); }},
      {"election", "nosk", kSkip, elects},
      {"launch", "nosk", kSkip, launched},
      {"synchronisation point opens", "sync", kSkip, [](const E& e) { return e.decoded(Why::kSetSync); }},
      {"last warp goes on alone", "sync", kSkip,
       [](const E& e) { return e.decoded(Why::kAlone) && contains(e.f.probes.sync, e.t); }},
      {"synchronisation point completes", "sync", kSkip, gathers},
      {"barrier", "sync", kSkip, barrier},
      {"launch", "sync", kSkip, launched},
      {"synchronisation point completes", "synced", kSkip, gathers},
      {"election", "synced", kSkip, [](const E& e) { return e.decoded(Why::kLead); }},
      {"elections end", "synced", kSkip, gives_up},
      {"meeting", "synced", kSkip, meets},
      {"barrier", "synced", kSkip, barrier},
      {"launch", "synced", kSkip, launched},
      {"elections end", "noel", kSkip, gives_up},
      {"meeting", "noel", kSkip, meets},
      {"barrier", "noel", kSkip, barrier},
      {"launch", "noel", kSkip, launched},
      {"election", "ctr", kSkip, [](const E& e) { return e.decoded(Why::kLead); }},
      {"launch", "ctr", kSkip, launched},
      {"election", "ptr", kSkip, elects},
      {"launch", "ptr", kSkip, launched}};
}

SimultaneousPoints::Rows<SimultaneousPoints::OnSm> SimultaneousPoints::sm_rows() {
  using E = OnSm;
  return {{"copy is asked for", "cpv", kSkips | kWarps, [](const E& e) { return e.f.picks; }},
          {"copy", "cpv", kSkips | kWarps, [](const E& e) { return e.f.probes.cpv != 0 && e.f.in.cp_ack != 0; }},
          {"first group", "rrf", kSkips | kWarps, [](const E& e) { return !e.f.groups.empty(); }},
          {"second group", "rrf", kSkips | kThreeWarps | kGroups, [](const E& e) { return e.f.groups.size() > 1; }},
          {"one could complete", "rrt", 0, [](const E& e) { return e.f.completes != 0; }},
          {"two could complete", "rrt", kWarps | kTbs, [](const E& e) { return size(e.f.completes) > 1; }}};
}

std::vector<castor::tb::Apart> SimultaneousPoints::apart() {
  constexpr const char* kDead = "a launch takes warps that do not live, and a slot without any";
  constexpr const char* kOneGroup = "a warp is in one group at most";
  constexpr const char* kOneVerdict = "one redundant instruction is judged in a cycle";
  constexpr const char* kNoCopy = "a copy is asked for while none is";
  std::vector<castor::tb::Apart> all = {
      {"wait", "skip", kOneGroup},
      {"copy is asked for", "copy", kNoCopy},
      {"private execution", "election", kOneVerdict},
      {"private execution", "second election", kOneVerdict},
      {"no row for a stale load", "election", kOneVerdict},
      {"synchronisation point opens", "last warp goes on alone", kOneVerdict},
      {"election", "elections end", kOneVerdict},
      {"probe without a hit", "no longer eligible", "what is probed is eligible"},
      {"skip", "store ends the wait", "who skips does not wait any more"},
      {"synchronisation point opens", "synchronisation point completes", "only an open one completes"},
      {"synchronisation point completes", "meeting", "a completion is one or the other"}};
  for (const char* event : {"exit",
                            "lost vote",
                            "leave",
                            "barrier",
                            "probe without a hit",
                            "no longer eligible",
                            "election",
                            "wait",
                            "late wait",
                            "skip",
                            "store ends the wait",
                            "park",
                            "branch",
                            "completion",
                            "copies done",
                            "private execution",
                            "second election",
                            "issue",
                            "copy",
                            "operands read",
                            "skip drops a row",
                            "issue drops a row",
                            "no row for a stale load",
                            "synchronisation point opens",
                            "last warp goes on alone",
                            "synchronisation point completes",
                            "elections end",
                            "meeting"}) {
    all.push_back({event, "launch", kDead});
  }
  return all;
}

const std::vector<std::pair<std::string, std::string>>& SimultaneousPoints::reasons() {
  static constexpr const char* kWait = "written with lat";
  static constexpr const char* kLaunch = "written by a launch alone";
  static constexpr const char* kEntry = "written with pv by elections alone";
  static constexpr const char* kRow = "written by elections and launches alone, which cannot meet";
  static constexpr const char* kRequest = "written with cpv, when a copy is asked for";
  static const std::vector<std::pair<std::string, std::string>> all = {
      {"warp_tb", kLaunch},    {"two", kWait},     {"lt0", kWait},
      {"lt1", kWait},          {"lr0", kWait},     {"lr1", kWait},
      {"lld", kWait},          {"lgl", kWait},     {"tk", "written by branches alone"},
      {"en", "moves with tl"}, {"prom", kLaunch},  {"base", kLaunch},
      {"rows", kLaunch},       {"slots", kLaunch}, {"pld", kEntry},
      {"pgl", kEntry},         {"ld", kRow},       {"gl", kRow},
      {"cpw", kRequest},       {"cpk", kRequest},  {"error", "what it was does not count for what it will be"}};
  return all;
}

std::vector<std::string> SimultaneousPoints::forgotten() {
  Rows<OnSm> all = sm_rows();
  const auto take = [&all](const auto& rows) {
    for (const auto& row : rows) all.push_back({row.name, row.on, row.needs, nullptr});
  };
  take(warp_rows());
  take(tb_rows());
  return castor::tb::forgotten_registers<Block, OnSm>(all, reasons());
}

SimultaneousPoints::SimultaneousPoints(const CoverList& list)
    : on_warps_(list, warp_rows(), apart()), on_tbs_(list, tb_rows(), apart()), on_sm_(list, sm_rows(), apart()) {}

void SimultaneousPoints::see(const Facts& now) {
  // Warps with an event in this cycle.
  U64 warps = now.skipped | now.latched | now.missed | now.dropped | now.branches | now.leaves | now.exits | now.done |
              now.losers;
  if (now.launches) warps |= now.in.lnch_warps;
  if (now.leads()) warps |= now.team[now.tb];
  if (now.why != Why::kNone) warps |= bit(now.warp);
  if (now.completed < 32) warps |= now.majority[now.completed];
  if (now.probes.cpv != 0) warps |= bit(now.probes.cpw);
  for (unsigned p = 0; p < now.params.NumIss; ++p) {
    if (contains(now.in.i_valid, p) && now.in.i_warp[p] < now.params.NumWarps) warps |= bit(now.in.i_warp[p]);
  }
  U32 tbs = now.in.ev_store | now.barriers | now.completes;
  if (now.in.ev_global != 0) tbs |= now.probes.tl;
  if (now.launches) tbs |= U32{1} << now.in.lnch_tb;
  if (now.retires) tbs |= U32{1} << now.in.retire_tb;
  if (now.why != Why::kNone) tbs |= U32{1} << now.tb;
  for (unsigned p = 0; p < now.params.NumWb; ++p) {
    if (contains(now.in.wb_valid, p) && now.in.wb_tb[p] < now.params.NumTbs) tbs |= U32{1} << now.in.wb_tb[p];
  }
  for (unsigned t = 0; t < now.params.NumTbs; ++t) {
    if (contains(now.barriers, t)) warps |= now.team[t];
    if (contains(tbs, t)) on_tbs_.see({now, t});
  }
  for (; warps != 0; warps &= warps - 1) on_warps_.see({now, lowest(warps)});
  on_sm_.see({now});
}

}  // namespace castor::darsie::tb
