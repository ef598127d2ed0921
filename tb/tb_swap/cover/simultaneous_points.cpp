#include "tb/tb_swap/cover/simultaneous_points.h"

namespace castor::tb_swap::tb {
namespace {

constexpr const char* kStart = "kernel start";
constexpr const char* kOneDecision = "a decision does the one or the other";
constexpr const char* kOneJob = "a FIFO of one job accepts none before it is empty";
constexpr const char* kOnePlace = "the only place is free or not";
constexpr const char* kOneHand = "the job is taken from the hand-over before the next one comes";

bool starts(const Edge& e) { return e.was.in.cfg_valid != 0; }
bool job_comes(const Edge& e) { return e.was.in.job_valid != 0 && e.was.out.job_ready != 0; }
bool job_begins(const Edge& e) { return e.was.probes.out_state == OutState::kIdle && e.was.probes.jobs != 0; }
bool decides(const Edge& e) { return !starts(e) && e.was.probes.out_state == OutState::kPlace; }
bool fills(const Edge& e) { return e.was.probes.in_state == InState::kIdle && e.was.probes.hand_valid != 0; }
bool enters(const Edge& e) { return e.was.out.enter_valid != 0 && e.was.in.enter_ready != 0; }
bool hands(const Edge& e) {
  return e.was.probes.out_state == OutState::kHand && e.was.probes.hand_valid == 0 &&
         (e.was.out.access_valid == 0 || e.was.out.access_store == 0);
}
/// Returns whether a bit is set in `now` and not in `was`.
bool gains(U64 was, U64 now) { return (now & ~was) != 0; }
bool segment(const Edge& e) { return e.was.in.ro_valid != 0 && e.was.in.ro_index < e.now.params.RoSegs; }

}  // namespace

std::vector<castor::tb::EventRow<Edge>> SimultaneousPoints::rows() {
  using E = Edge;
  return {
      {"job comes", "jobs", 0, job_comes},
      {"job begins", "jobs", 0, job_begins},
      {kStart, "jobs", 0, starts},
      {"home is taken", "free_rhomes", 0,
       [](const E& e) { return decides(e) && gains(e.now.probes.free_rhomes, e.was.probes.free_rhomes); }},
      {"home becomes spare", "free_rhomes", 0,
       [](const E& e) { return decides(e) && gains(e.was.probes.free_rhomes, e.now.probes.free_rhomes); }},
      {"home is taken", "free_shomes", 0,
       [](const E& e) { return decides(e) && gains(e.now.probes.free_shomes, e.was.probes.free_shomes); }},
      {"home becomes spare", "free_shomes", 0,
       [](const E& e) { return decides(e) && gains(e.was.probes.free_shomes, e.now.probes.free_shomes); }},
      {"place is taken", "free_places", 0,
       [](const E& e) { return decides(e) && e.now.probes.out_class >= 1 && e.now.probes.out_class <= 3; }},
      {"place is freed", "free_places", 0,
       [](const E& e) { return !starts(e) && enters(e) && gains(e.was.probes.free_places, e.now.probes.free_places); }},
      {"context gets its homes", "rhome", 0, fills},
      {kStart, "rhome", 0, starts},
      {"context gets its homes", "shome", 0, fills},
      {kStart, "shome", 0, starts},
      {"segment is written", "ro_lines", 0, segment},
      {"segments of a context are dropped", "ro_lines", 0, fills},
      {kStart, "ro_lines", 0, starts},
      {"site is written", "sites", 0,
       [](const E& e) { return e.was.in.site_valid != 0 && e.was.in.site_index < e.now.params.NumSites; }},
      {kStart, "sites", 0, starts},
      {"job is handed over", "hand_valid", 0, hands},
      {"job is taken", "hand_valid", 0, fills},
      {kStart, "hand_valid", 0, starts},
      {"load is requested", "loads", 0, [](const E& e) { return e.now.offered() && e.now.out.access_store == 0; }},
      {"load is performed", "loads", 0, [](const E& e) { return e.was.in.load_done != 0; }},
      {"threshold is reached", "stopped", 0,
       [](const E& e) {
         return e.was.in.outstanding >= e.was.probes.threshold && e.was.probes.out_state != OutState{};
       }},
      {kStart, "stopped", 0, starts},
      {"access is accepted", "access", 0,
       [](const E& e) { return e.was.out.access_valid != 0 && e.was.in.access_ready != 0; }},
      {"access is offered", "access", 0, [](const E& e) { return e.now.offered(); }},
      {"image is granted", "out_address", 0,
       [](const E& e) { return e.was.out.page_request != 0 && e.was.in.page_valid != 0; }},
      {kStart, "out_address", 0, starts},
      {"entry is accepted", "out_state", 0,
       [](const E& e) { return e.was.out.parked_valid != 0 && e.was.in.parked_ready != 0; }},
      {kStart, "out_state", 0, starts},
      {"context is filled", "in_state", 0, enters},
      {kStart, "in_state", 0, starts}};
}

std::vector<std::pair<std::string, std::string>> SimultaneousPoints::alone() {
  constexpr const char* kConstant = "a kernel start alone loads it";
  constexpr const char* kWithLines = "written with ro_lines";
  constexpr const char* kOneMachine = "one step of its machine at a time";
  constexpr const char* kWithHand = "written with hand_valid";
  std::vector<std::pair<std::string, std::string>> alone;
  for (const char* const name :
       {"warps", "regs", "simt", "smem", "in_place", "copies", "direction", "live", "read_only", "threshold"}) {
    alone.emplace_back(name, kConstant);
  }
  for (const char* const name : {"ro_first", "ro_address"}) alone.emplace_back(name, kWithLines);
  for (const char* const name : {"out_slot", "out_class", "out_next_rhome", "out_next_shome", "out_line", "out_warp",
                                 "out_mask", "in_slot", "in_address", "in_line", "in_warp", "in_mask"}) {
    alone.emplace_back(name, kOneMachine);
  }
  for (const char* const name : {"hand_slot", "hand_rhome", "hand_shome"}) alone.emplace_back(name, kWithHand);
  return alone;
}

std::vector<castor::tb::Apart> SimultaneousPoints::apart(const castor::tb::CoverList& list) {
  std::vector<castor::tb::Apart> pairs = {{"home is taken", "home becomes spare", kOneDecision},
                                          {"job is handed over", "job is taken", kOneHand}};
  if (!list.can(kContexts)) pairs.push_back({"job comes", "job begins", kOneJob});
  if (!list.can(kPlaces)) pairs.push_back({"place is taken", "place is freed", kOnePlace});
  return pairs;
}

SimultaneousPoints::SimultaneousPoints(const castor::tb::CoverList& list) : pairs_(list, rows(), apart(list)) {}

void SimultaneousPoints::see(const Now& now) {
  if (now.before != nullptr) pairs_.see({*now.before, now});
}

}  // namespace castor::tb_swap::tb
