#include "tb/saws/cover/simultaneous_points.h"

namespace castor::saws::tb {

using namespace has;  // NOLINT(google-build-using-namespace): constants of one meaning

namespace {

constexpr const char* kStart = "kernel start";
constexpr const char* kOneEvent = "a scheduler has one event at a time";
constexpr const char* kOneOperation = "one operation on CTAs at a time";
constexpr const char* kFreeSlot = "the slot is free before: no warp lives there";
constexpr const char* kOneMessage = "one message acts in a cycle, and not in that of an operation on CTAs";
constexpr const char* kModes = "the one is GTO, the other SAWS";

}  // namespace

bool SimultaneousPoints::OnWarp::reports(bool exit) const {
  const unsigned s = warp % params.NumSched;
  return at(in.wev_valid, s) && at(in.wev_exit, s) == exit && this->Now::warp(s, in.wev_idx[s]) == warp &&
         at(probes.live.word(0), warp);
}

/// Returns whether the warp becomes blocked while no other warp of its CTA is blocked (first hit).
bool SimultaneousPoints::OnWarp::hits() const {
  return reports(false) && (warps_of(probes.warp_cta[warp]) & probes.blocked.word(0) & ~in.unblock.word(0)) == 0;
}

bool SimultaneousPoints::OnScheduler::promoted() const {
  return takes() && source != scheduler && (oldest() & 0xA0U) == 0x20U && has(oldest() & 31U);
}

bool SimultaneousPoints::OnScheduler::demoted() const {
  const unsigned why = params.DemoteAt == 1 ? 0x60U : 0x40U;
  return takes() && source == scheduler && (oldest() & 0x80U) == 0 && (oldest() & why) != 0;
}

bool SimultaneousPoints::OnScheduler::issued() const {
  return gto() && at(in.issue_ack, scheduler) && at(out.issue_valid, scheduler);
}

/// Returns whether the scheduler has a first hit that adds a message to its queue.
bool SimultaneousPoints::OnScheduler::hits() const {
  if (!at(in.wev_valid, scheduler) || params.SawsEn == 0 || probes.selected == 0) return false;
  if (in.wev_idx[scheduler] >= params.warps_per_scheduler()) return false;
  const OnWarp one{static_cast<const Edge&>(*this), warp(scheduler, in.wev_idx[scheduler])};
  const unsigned cta = probes.warp_cta[one.warp];
  return one.hits() && (probes.toggling == 0 || at(probes.toggle, cta)) && !frees(cta) &&
         probes.waiting[scheduler] < params.EvqDepth;
}

bool SimultaneousPoints::OnScheduler::marked() const {
  return frees_cta && probes.waiting[scheduler] != 0 && (probes.oldest[scheduler] & 31U) == in.cta_id;
}

SimultaneousPoints::Rows<SimultaneousPoints::Edge> SimultaneousPoints::rows() {
  using E = Edge;
  const auto starts = [](const E& e) { return e.starts(); };
  return {
      {"switch", "mode", kSaws, [](const E& e) { return e.switches(); }},
      {kStart, "mode", kSaws, starts},
      {"message is taken", "turn", kSaws, [](const E& e) { return e.takes(); }},
      {kStart, "turn", kSaws, starts},
      {"CTA is placed", "cta_used", 0, [](const E& e) { return e.places_cta; }},
      {"CTA is freed", "cta_used", 0, [](const E& e) { return e.frees_cta; }},
      {kStart, "cta_used", 0, starts},
      {"operation is refused", "error", 0, [](const E& e) { return e.operates() && !e.places_cta && !e.frees_cta; }},
      {kStart, "error", 0, starts}};
}

SimultaneousPoints::Rows<SimultaneousPoints::OnWarp> SimultaneousPoints::warp_rows() {
  using E = OnWarp;
  const auto starts = [](const E& e) { return e.starts(); };
  const auto exits = [](const E& e) { return e.reports(true); };
  const auto placed = [](const E& e) { return e.placed(); };
  const auto freed = [](const E& e) { return e.freed(); };
  const auto hits = [](const E& e) { return e.params.SawsEn == 1 && e.probes.toggling != 0 && e.hits(); };
  return {{"1st hit", "toggle", kSaws, hits},
          {"CTA is placed", "toggle", kSaws, placed},
          {kStart, "toggle", kSaws, starts},
          {"warp exits", "live", 0, exits},
          {"CTA is placed", "live", 0, placed},
          {"CTA is freed", "live", 0, freed},
          {kStart, "live", 0, starts},
          {"warp blocks", "blocked", 0, [](const E& e) { return e.reports(false); }},
          {"warp exits", "blocked", 0, exits},
          {"warp is let go", "blocked", 0, [](const E& e) { return e.let_go(); }},
          {"CTA is placed", "blocked", 0, placed},
          {"CTA is freed", "blocked", 0, freed},
          {kStart, "blocked", 0, starts}};
}

SimultaneousPoints::Rows<SimultaneousPoints::OnScheduler> SimultaneousPoints::scheduler_rows() {
  using E = OnScheduler;
  const auto starts = [](const E& e) { return e.starts(); };
  const auto promoted = [](const E& e) { return e.promoted(); };
  const auto demoted = [](const E& e) { return e.demoted(); };
  const auto placed = [](const E& e) { return e.placed(); };
  const auto freed = [](const E& e) { return e.freed(); };
  const auto switches = [](const E& e) { return e.switches(); };
  const auto issued = [](const E& e) { return e.issued(); };
  const auto taken = [](const E& e) { return e.takes() && e.source == e.scheduler; };
  const auto hits = [](const E& e) { return e.hits(); };
  return {{"CTA is promoted", "position", kSaws | kSchedulers, promoted},
          {"CTA is demoted", "position", kSaws, demoted},
          {"CTA is placed", "position", 0, placed},
          {"CTA is freed", "position", 0, freed},
          {"switch", "position", kSaws, switches},
          {kStart, "position", 0, starts},
          {"warp issues", "pointer", 0, issued},
          {"CTA is promoted", "pointer", kSaws | kSchedulers, promoted},
          {"CTA is demoted", "pointer", kSaws, demoted},
          {"CTA is freed", "pointer", 0, freed},
          {"switch", "pointer", kSaws, switches},
          {kStart, "pointer", 0, starts},
          {"warp issues", "greedy", 0, issued},
          {"CTA is freed", "greedy", 0, freed},
          {"switch", "greedy", kSaws, switches},
          {kStart, "greedy", 0, starts},
          {"CTA is placed", "length", 0, placed},
          {"CTA is freed", "length", 0, freed},
          {kStart, "length", 0, starts},
          {"1st hit", "waiting", kSaws, hits},
          {"message is taken", "waiting", kSaws, taken},
          {kStart, "waiting", kSaws, starts},
          {"message is taken", "oldest", kSaws, taken},
          {"message is marked", "oldest", kSaws, [](const E& e) { return e.marked(); }},
          {kStart, "oldest", kSaws, starts}};
}

std::vector<castor::tb::Apart> SimultaneousPoints::apart(const CoverList& list) {
  std::vector<castor::tb::Apart> all = {{"CTA is placed", "CTA is freed", kOneOperation},
                                        {"1st hit", "CTA is placed", kFreeSlot},
                                        {"warp exits", "CTA is placed", kFreeSlot},
                                        {"warp blocks", "CTA is placed", kFreeSlot},
                                        {"warp is let go", "CTA is placed", kFreeSlot},
                                        {"warp blocks", "warp exits", kOneEvent},
                                        {"CTA is promoted", "CTA is demoted", kOneMessage},
                                        {"CTA is promoted", "CTA is placed", kOneMessage},
                                        {"CTA is promoted", "CTA is freed", kOneMessage},
                                        {"CTA is promoted", "switch", kModes},
                                        {"CTA is demoted", "CTA is placed", kOneMessage},
                                        {"CTA is demoted", "CTA is freed", kOneMessage},
                                        {"CTA is demoted", "switch", kModes},
                                        {"CTA is placed", "switch", kOneMessage},
                                        {"CTA is freed", "switch", kOneMessage},
                                        {"warp issues", "CTA is promoted", kModes},
                                        {"warp issues", "CTA is demoted", kModes},
                                        {"message is taken", "message is marked", kOneMessage}};
  if (!list.can(kDeepQueues)) {
    all.push_back({"1st hit", "message is taken", "a queue of one is full until it has been emptied"});
  }
  return all;
}

const std::vector<std::pair<std::string, std::string>>& SimultaneousPoints::reasons() {
  static const std::vector<std::pair<std::string, std::string>> all = {
      {"selected", "written by the start of a kernel alone"},
      {"toggling", "written by the start of a kernel alone"},
      {"allocated", "moves with live, but for exits"},
      {"warp_cta", "moves with live, but for exits"}};
  return all;
}

std::vector<std::string> SimultaneousPoints::forgotten() {
  Rows<Edge> all = rows();
  const auto take = [&all](const auto& rows) {
    for (const auto& row : rows) all.push_back({row.name, row.on, row.needs, nullptr});
  };
  take(warp_rows());
  take(scheduler_rows());
  return castor::tb::forgotten_registers<Block, Edge>(all, reasons());
}

SimultaneousPoints::SimultaneousPoints(const CoverList& list)
    : simultaneous_(list, rows(), apart(list)),
      on_warps_(list, warp_rows(), apart(list)),
      on_schedulers_(list, scheduler_rows(), apart(list)) {}

void SimultaneousPoints::see(const Now& now) {
  const Params& params = now.params;
  Edge edge{now, params.NumSched, false, false};
  for (unsigned s = 0; s < params.NumSched && edge.source == params.NumSched; ++s) {
    const unsigned asked = (now.probes.turn + s) % params.NumSched;
    if (now.probes.waiting[asked] != 0) edge.source = asked;
  }
  if (now.operates() && now.in.cta_id < params.MaxCta) {
    const bool used = at(now.probes.cta_used, now.in.cta_id);
    const U64 mask = now.in.cta_wmask.word(0);
    edge.frees_cta = used && now.in.cta_free != 0;
    edge.places_cta = !used && now.in.cta_free == 0 && mask != 0 && (mask & now.probes.allocated.word(0)) == 0;
  }
  simultaneous_.see(edge);
  const Inputs& in = now.in;
  if (!edge.starts() && (in.wev_valid | in.issue_ack) == 0 && in.unblock.none() && !edge.message_acts()) return;
  U64 warps = edge.places_cta ? now.in.cta_wmask.word(0) : edge.frees_cta ? now.warps_of(now.in.cta_id) : 0;
  warps |= now.in.unblock.word(0);
  for (unsigned s = 0; s < params.NumSched; ++s) {
    const bool exists = at(now.in.wev_valid, s) && now.in.wev_idx[s] < params.warps_per_scheduler();
    if (exists) warps |= U64{1} << now.warp(s, now.in.wev_idx[s]);
    on_schedulers_.see({edge, s});
  }
  for (; warps != 0; warps &= warps - 1) on_warps_.see({edge, lowest(warps)});
}

}  // namespace castor::saws::tb
