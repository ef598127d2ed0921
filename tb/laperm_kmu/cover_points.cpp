#include "tb/laperm_kmu/cover_points.h"

#include <string>

namespace castor::laperm_kmu::tb {
namespace {

using Now = castor::tb::Cycle<Block>;
using Row = castor::tb::PointRow<Now>;
using Rows = std::vector<Row>;

bool idle(const Now& now) { return now.probes.state == State::kIdle; }
bool searches(const Now& now) { return now.probes.state == State::kSearch; }
bool offers(const Now& now) { return now.probes.state == State::kOffer; }

bool list_ready(const Now& now, unsigned sm, unsigned level) { return (now.in.list_rdy[sm] >> (level - 1) & 1U) != 0; }
bool any_list(const Now& now) {
  for (unsigned sm = 0; sm < now.params.NumSm; ++sm) {
    if (now.in.list_rdy[sm] != 0) return true;
  }
  return false;
}
bool any_host(const Now& now) { return now.in.host_rdy.any(); }
bool resumable(const Now& now) { return now.in.susp_rdy != 0; }
bool nothing(const Now& now) { return !resumable(now) && !any_list(now) && !any_host(now); }

unsigned level_of(const Now& now) { return now.out.pick_idx % now.params.LvlMax + 1; }
/// Returns whether the source of the offer is ready in this cycle.
bool ready(const Now& now) {
  if (now.out.pick_kind == kList) return list_ready(now, now.probes.sm, level_of(now));
  return now.out.pick_kind == kSuspended ? resumable(now) : now.in.host_rdy.test(now.out.pick_idx);
}
bool of(const Now& now, unsigned kind) { return offers(now) && now.out.pick_kind == kind; }
bool granted(const Now& now) { return offers(now) && now.in.pick_grant != 0; }
bool found(const Now& now) { return searches(now) && list_ready(now, now.probes.sm, now.probes.level); }
/// Returns whether an offer begins in this cycle.
bool begins(const Now& now) { return offers(now) && now.before != nullptr && !offers(*now.before); }
/// Returns whether the visit of an SM begins in this cycle.
bool visits(const Now& now) { return idle(now) && !resumable(now) && any_list(now); }

void add_kind(Rows& rows, const std::string& name, unsigned kind) {
  const auto add = [&](const char* what, bool (*seen)(const Now&)) {
    rows.push_back({name + what, 0, [kind, seen](const Now& now) { return of(now, kind) && seen(now); }});
  };
  add(" taken at once", [](const Now& now) { return begins(now) && granted(now); });
  add(" taken later", [](const Now& now) { return !begins(now) && granted(now); });
  add(" waits", [](const Now& now) { return !granted(now) && ready(now); });
  add(" withdrawn", [](const Now& now) { return !granted(now) && !ready(now); });
  add(" taken though it is not ready any more", [](const Now& now) { return granted(now) && !ready(now); });
}

void add_levels(Rows& rows, const Params& params) {
  const auto add = [&rows](const char* name, bool (*seen)(const Now&)) { rows.push_back({name, 0, seen}); };
  for (unsigned level = 1; level <= params.LvlMax; ++level) {
    rows.push_back({"list of level " + std::to_string(level) + " taken", 0,
                    [level](const Now& now) { return of(now, kList) && granted(now) && level_of(now) == level; }});
  }
  if (params.LvlMax == 1) return;
  add("higher level offered, a lower one of the SM is ready", [](const Now& now) {
    return of(now, kList) && (now.in.list_rdy[now.probes.sm] & ((1U << (level_of(now) - 1)) - 1)) != 0;
  });
  add("a higher level arrives while a lower one is offered", [](const Now& now) {
    return of(now, kList) && ready(now) && now.in.list_rdy[now.probes.sm] >> level_of(now) != 0;
  });
  add("a higher level arrives behind the search", [](const Now& now) {
    return searches(now) && !found(now) && now.in.list_rdy[now.probes.sm] >> now.probes.level != 0;
  });
  add("search goes on to the next level",
      [](const Now& now) { return searches(now) && !found(now) && now.probes.level > 1; });
  add("search of all levels, the last is ready", [](const Now& now) { return found(now) && now.probes.level == 1; });
  add("higher level elsewhere, not on the SM visited", [](const Now& now) {
    if (!begins(now) || !of(now, kList)) return false;
    for (unsigned sm = 0; sm < now.params.NumSm; ++sm) {
      if (sm != now.probes.sm && now.in.list_rdy[sm] >> level_of(now) != 0) return true;
    }
    return false;
  });
}

void add_order(Rows& rows) {
  const auto add = [&rows](const char* name, bool (*seen)(const Now&)) { rows.push_back({name, 0, seen}); };
  add("suspended block before a list", [](const Now& now) { return idle(now) && resumable(now) && any_list(now); });
  add("suspended block before a queue", [](const Now& now) { return idle(now) && resumable(now) && any_host(now); });
  add("list before a queue", [](const Now& now) { return visits(now) && any_host(now); });
  add("queue alone", [](const Now& now) { return idle(now) && !resumable(now) && !any_list(now) && any_host(now); });
  add("idle with nothing ready", [](const Now& now) { return idle(now) && nothing(now); });
  add("suspended block arrives in a search", [](const Now& now) { return searches(now) && resumable(now); });
  add("suspended block arrives while something else is offered",
      [](const Now& now) { return offers(now) && now.out.pick_kind != kSuspended && resumable(now) && ready(now); });
  add("list arrives while a queue is offered",
      [](const Now& now) { return of(now, kHost) && ready(now) && any_list(now); });
  add("search finds nothing: the list is gone",
      [](const Now& now) { return searches(now) && !found(now) && now.probes.level == 1; });
  add("... and nothing else is ready",
      [](const Now& now) { return searches(now) && !found(now) && now.probes.level == 1 && nothing(now); });
  add("grant while idle", [](const Now& now) { return idle(now) && now.in.pick_grant != 0; });
  add("grant in a search", [](const Now& now) { return searches(now) && now.in.pick_grant != 0; });
  add("grant takes the last free entry", [](const Now& now) {
    return now.before != nullptr && granted(*now.before) && idle(now) && nothing(now) && !nothing(*now.before);
  });
  add("ready again in the cycle behind a grant",
      [](const Now& now) { return now.before != nullptr && granted(*now.before) && idle(now) && !nothing(now); });
}

void add_rotation(Rows& rows, const Params& params) {
  const auto add = [&rows](const char* name, bool (*seen)(const Now&)) { rows.push_back({name, 0, seen}); };
  add("visit of the SM whose turn it is",
      [](const Now& now) { return visits(now) && now.in.list_rdy[now.probes.next_sm] != 0; });
  add("SM whose turn it is has nothing",
      [](const Now& now) { return visits(now) && now.in.list_rdy[now.probes.next_sm] == 0; });
  add("visit wraps", [](const Now& now) {
    if (!visits(now)) return false;
    for (unsigned sm = now.probes.next_sm; sm < now.params.NumSm; ++sm) {
      if (now.in.list_rdy[sm] != 0) return false;
    }
    return true;
  });
  add("all SMs have launches", [](const Now& now) {
    for (unsigned sm = 0; sm < now.params.NumSm; ++sm) {
      if (now.in.list_rdy[sm] == 0) return false;
    }
    return visits(now);
  });
  add("launch of the last SM taken",
      [](const Now& now) { return of(now, kList) && granted(now) && now.probes.sm + 1U == now.params.NumSm; });
  add("withdrawn launch: the SM keeps its turn", [](const Now& now) {
    return now.before != nullptr && of(*now.before, kList) && !granted(*now.before) && !ready(*now.before) &&
           visits(now) && now.in.list_rdy[now.before->probes.sm] != 0;
  });
  add("same SM twice in a row, alone", [](const Now& now) {
    return of(now, kList) && begins(now) && now.probes.next_sm == (now.probes.sm + 1U) % now.params.NumSm;
  });
  add("kernel of the last queue taken",
      [](const Now& now) { return of(now, kHost) && granted(now) && now.out.pick_idx + 1U == now.params.NumHq; });
  if (params.NumHq == 1) return;
  add("queue whose turn it is has nothing",
      [](const Now& now) { return of(now, kHost) && begins(now) && now.out.pick_idx != now.probes.next_hq; });
  add("queue whose turn it is", [](const Now& now) {
    return of(now, kHost) && begins(now) && now.out.pick_idx == now.probes.next_hq && now.probes.next_hq != 0;
  });
  add("queues wrap", [](const Now& now) { return of(now, kHost) && now.out.pick_idx < now.probes.next_hq; });
}

}  // namespace

Rows points(const Params& params) {
  Rows rows;
  add_kind(rows, "list", kList);
  add_kind(rows, "suspended block", kSuspended);
  add_kind(rows, "queue", kHost);
  add_levels(rows, params);
  add_order(rows);
  add_rotation(rows, params);
  return rows;
}

}  // namespace castor::laperm_kmu::tb
