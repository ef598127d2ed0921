#include "tb/lax/cover/simultaneous_points.h"

#include <algorithm>

namespace castor::lax::tb {
namespace {

constexpr const char* kReset = "soft reset";
constexpr const char* kOneAccess = "the register port has one access at a time";
constexpr const char* kOneState = "the main machine is in one state";
constexpr const char* kServedIdle = "tables are served while the main machine is idle";
constexpr const char* kWaits = "the submit machine waits while the main machine decides";
constexpr const char* kEnded = "a job that has ended has no events";
constexpr const char* kFree = "a job arrives in a free queue only";

// Returns the number of the lowest set bit; `bits` must not be all 0.
unsigned first_of(const QueueBits& bits) {
  unsigned w = 0;
  while (bits.word(w) == 0) ++w;
  return 64 * w + static_cast<unsigned>(__builtin_ctzll(bits.word(w)));
}

}  // namespace

// Returns whether an error bit is set that was 0 or is being cleared. After a soft reset the register shows nothing, so
// some errors are derived from the inputs.
bool SimultaneousPoints::SimultaneousEdge::error_is_found() const {
  if (resets()) return event_is_refused() || (in.psel_grant != 0 && out.psel_valid == 0);
  const unsigned left = writes(reg::kErrStat) ? was.errors & ~in.reg_wdata : was.errors;
  return (is.errors & ~left) != 0;
}

bool SimultaneousPoints::SimultaneousEdge::interrupt_is_raised() const {
  if (resets()) return error_is_found() || job_ends();
  const unsigned left = writes(reg::kIrqStat) ? was.interrupts & ~in.reg_wdata : was.interrupts;
  return (is.interrupts & ~left) != 0;
}

// clang-format off
SimultaneousPoints::SimultaneousRows SimultaneousPoints::rows() {
  using E = SimultaneousEdge;
  SimultaneousRows all;
  const auto on = [&all](const char* reg, std::initializer_list<std::pair<const char*, bool (*)(const E&)>> events) {
    for (const auto& [name, seen] : events) all.push_back({name, reg, 0, seen});
    all.push_back({kReset, reg, 0, [](const E& e) { return e.resets(); }});
  };
  const auto update_taken = [](const E& e) { return e.update_is_accepted(); };
  const auto begins = [](const E& e) { return e.admission_begins(); };
  const auto granted = [](const E& e) { return e.parse_is_granted(); };
  const auto pass_ends = [](const E& e) { return e.pass_ends(); };
  const auto arrives = [](const E& e) { return e.job_arrives(); };
  on("update_timer", {{"update timer wraps", [](const E& e) { return e.update_timer_wraps(); }}});
  on("prema_timer", {{"PREMA timer wraps", [](const E& e) { return e.prema_timer_wraps(); }}});
  on("update_waits", {{"update tick", [](const E& e) { return e.update_ticks(); }}, {"update is taken", update_taken}});
  on("prema_waits", {{"PREMA tick", [](const E& e) { return e.prema_ticks(); }},
                     {"ranking is taken", [](const E& e) { return e.ranking_is_accepted(); }}});
  on("turn", {{"update is taken", update_taken}, {"admission begins", begins}});
  on("update_start", {{"update is taken", update_taken}});
  on("update_length", {{"update is taken", update_taken}});
  on("threshold", {{"threshold is found", [](const E& e) { return e.threshold_is_found(); }}});
  on("total", {{"admission begins", begins},
               {"work is added", [](const E& e) { return e.decides(Phase::kScan) || e.decides(Phase::kAdmit); }}});
  on("verdict_count", {{"main machine decides", [](const E& e) { return e.decides(Phase::kAdmit) || e.job_is_dropped(); }},
                       {"submit machine answers",
                        [](const E& e) { return e.append_is_judged() || e.header_is_refused(); }},
                       {"port takes a verdict", [](const E& e) { return e.out.adm_valid != 0 && e.in.adm_ready != 0; }},
                       {"register pops a verdict", [](const E& e) { return e.pops_verdict(); }}});
  on("pend_count", {{"job arrives", arrives}, {"job is judged", [](const E& e) { return e.job_is_judged(); }}});
  on("done_count", {{"job ends", [](const E& e) { return e.job_ends(); }},
                    {"register pops an ended job", [](const E& e) { return e.pops_done(); }}});
  on("errors", {{"error is found", [](const E& e) { return e.error_is_found(); }},
                {"errors are cleared", [](const E& e) { return e.writes(reg::kErrStat); }}});
  on("interrupts", {{"interrupt is raised", [](const E& e) { return e.interrupt_is_raised(); }},
                    {"interrupts are cleared", [](const E& e) { return e.writes(reg::kIrqStat); }}});
  on("now_high", {{"NOW is read", [](const E& e) { return e.reads(0x0030); }}});
  on("group", {{"pass ends", pass_ends}});
  on("parse_offer", {{"pass ends", pass_ends}, {"parse is granted", granted}});
  on("parse_dropped", {{"pass ends", pass_ends}, {"parse is granted", granted}});
  on("dispatch_offer", {{"pass ends", pass_ends}});
  on("last_granted", {{"parse is granted", granted}});
  on("grants", {{"parse is granted", granted}});
  on("arrivals", {{"job arrives", arrives}});
  return all;
}

// Each counter is a register of its own, so the pairs are formed per counter.
std::vector<SimultaneousPoints::SimultaneousRows> SimultaneousPoints::counter_rows() {
  using E = SimultaneousEdge;
  std::vector<SimultaneousRows> all;
  const auto counter = [&all](const char* name, bool (*counts)(const E&)) {
    all.push_back({{name, "counters", 0, counts}, {kReset, "counters", 0, [](const E& e) { return e.resets(); }}});
  };
  counter("header is taken", [](const E& e) { return e.header_is_accepted(); });
  counter("job is accepted or refused", [](const E& e) { return e.decides(Phase::kAdmit); });
  counter("header is refused", [](const E& e) { return e.header_is_refused(); });
  counter("append is judged", [](const E& e) { return e.append_is_judged(); });
  counter("job ends", [](const E& e) { return e.job_ends(); });
  counter("update ends", [](const E& e) { return e.update_ends(); });
  counter("TB completes", [](const E& e) { return e.block_completes(); });
  counter("parse is granted", [](const E& e) { return e.parse_is_granted(); });
  counter("ranking ends", [](const E& e) { return e.ranking_ends(); });
  counter("job is dropped", [](const E& e) { return e.job_is_dropped(); });
  return all;
}

// For a job that is admitted in this cycle, its state after the edge shows whether a simultaneous event was accepted.
SimultaneousPoints::QueueRows SimultaneousPoints::queue_rows() {
  using E = OnQueue;
  const auto resets = [](const E& e) { return e.resets(); };
  const auto admitted = [](const E& e) { return e.decides(Phase::kAdmit) && e.was.queue == e.queue; };
  return {
      {"acknowledge", "job_state0", 0, [](const E& e) { return e.acknowledges(e.queue); }},
      {"admission", "job_state0", 0, admitted},
      {"kernel is issued", "job_state0", 0,
       [](const E& e) {
         const bool early = e.decides(Phase::kAdmit) && e.was.queue == e.queue && job_is(e.is, e.queue, JobState::kRunning);
         return e.in.ki_valid != 0 && e.in.ki_qid == e.queue && (e.kernel_is_issued() || early);
       }},
      {"kernel ends", "job_state0", 0,
       [](const E& e) {
         const bool early = e.decides(Phase::kAdmit) && e.was.queue == e.queue && job_is(e.is, e.queue, JobState::kDone);
         return e.in.kd_valid != 0 && e.in.kd_qid == e.queue && (e.kernel_ends() || early);
       }},
      {"job arrives", "job_state0", 0, [](const E& e) { return e.job_arrives() && e.was.submit_queue == e.queue; }},
      {kReset, "job_state0", 0, resets},
      {"kernel starts", "open", 0, [](const E& e) { return e.kernel_starts() && e.in.ks_qid == e.queue; }},
      {"kernel ends", "open", 0, [](const E& e) { return e.kernel_ends() && e.in.kd_qid == e.queue; }},
      {kReset, "open", 0, resets},
      {"request is ranked", "preempted", 0,
       [](const E& e) { return e.request_is_ranked() && e.was.queue == e.queue; }},
      {"ranking ends", "preempted", 0, [](const E& e) { return e.ranking_ends() && e.was.preempted.test(e.queue); }},
      {"kernel ends", "preempted", 0,
       [](const E& e) { return e.kernel_ends() && e.in.kd_qid == e.queue && e.was.preempted.test(e.queue); }},
      {kReset, "preempted", 0, [](const E& e) { return e.resets() && e.was.preempted.test(e.queue); }}};
}

SimultaneousPoints::TypeRows SimultaneousPoints::type_rows() {
  using E = OnType;
  const auto resets = [](const E& e) { return e.resets(); };
  const auto starts = [](const E& e) { return e.kernel_starts() && e.in.ks_kid == e.type; };
  const auto ends = [](const E& e) { return e.kernel_ends() && e.in.kd_kid == e.type; };
  const auto sampled = [](const E& e) { return e.window_is_sampled() && e.was.kernel_type == e.type; };
  const auto cleared = [](const E& e) {
    const unsigned entry = reg::kProfile + 32 * e.type;
    return e.good && e.uses_tables() && e.writes(entry + 0x18) && (e.in.reg_wdata >> 30U & 1U) != 0 && e.was.types_seen.test(e.type);
  };
  return {{"TB completes", "row_count", 0, [](const E& e) { return e.block_completes() && e.in.wgc_kid == e.type; }},
          {"window is sampled", "row_count", 0, sampled},
          {"type is cleared", "row_count", 0, cleared},
          {kReset, "row_count", 0, resets},
          {"kernel starts", "row_active", 0, starts},
          {"kernel ends", "row_active", 0, ends},
          {"window is sampled", "row_active", 0, sampled},
          {"type is cleared", "row_active", 0, cleared},
          {kReset, "row_active", 0, resets},
          {"rate is measured", "types_rated", 0,
           [](const E& e) { return e.rate_is_written() && e.was.kernel_type == e.type; }},
          {"rate is written", "types_rated", 0,
           [](const E& e) { return e.uses_tables() && e.writes(reg::kProfile + 32 * e.type); }},
          {"type is cleared", "types_rated", 0, cleared},
          {kReset, "types_rated", 0, resets}};
}
// clang-format on

std::vector<castor::tb::Apart> SimultaneousPoints::apart(const CoverList& list) {
  std::vector<castor::tb::Apart> all = {
      {"update is taken", "admission begins", kOneState},
      {"admission begins", "work is added", kOneState},
      {"main machine decides", "submit machine answers", kWaits},
      {"port takes a verdict", "register pops a verdict", "a pop gives way to the port"},
      {"register pops a verdict", kReset, kOneAccess},
      {"register pops an ended job", kReset, kOneAccess},
      {"errors are cleared", kReset, kOneAccess},
      {"interrupts are cleared", kReset, kOneAccess},
      {"NOW is read", kReset, kOneAccess},
      {"acknowledge", kReset, kOneAccess},
      {"acknowledge", "admission", kServedIdle},
      {"acknowledge", "kernel is issued", kEnded},
      {"acknowledge", "kernel ends", kEnded},
      {"admission", "job arrives", kWaits},
      {"kernel is issued", "job arrives", kFree},
      {"kernel ends", "job arrives", kFree},
      {"request is ranked", "ranking ends", kOneState},
      {"window is sampled", "type is cleared", kServedIdle},
      {"type is cleared", kReset, kOneAccess},
      {"rate is measured", "rate is written", kServedIdle},
      {"rate is measured", "type is cleared", kServedIdle},
      {"rate is written", "type is cleared", kOneAccess},
      {"rate is written", kReset, kOneAccess},
  };
  if (!list.can(has::kOverruns)) {
    constexpr const char* kShort = "nothing keeps a tick waiting for the shortest period";
    all.push_back({"update tick", "update is taken", kShort});
    all.push_back({"PREMA tick", "ranking is taken", kShort});
  }
  return all;
}

const std::vector<std::pair<std::string, std::string>>& SimultaneousPoints::reasons() {
  constexpr const char *kMachine = "moved by one machine alone; resets by activity (MachinePoints)",
                       *kPort = "written through the register port alone",
                       *kRow =
                           "a row of a table that one machine "
                           "writes, or moves with row_active",
                       *kHeader = "taken by the submit machine alone", *kFollows = "follows job_state0";
  static const std::vector<std::pair<std::string, std::string>> all = {{"main_state", kMachine},
                                                                       {"submit_state", kMachine},
                                                                       {"phase", kMachine},
                                                                       {"kernel_type", kMachine},
                                                                       {"queue", kMachine},
                                                                       {"job_state1", kFollows},
                                                                       {"job_state2", kFollows},
                                                                       {"enable", kPort},
                                                                       {"update_period", kPort},
                                                                       {"prema_period", kPort},
                                                                       {"control", kPort},
                                                                       {"min_groups", kPort},
                                                                       {"parse_latency", kPort},
                                                                       {"context_speed", kPort},
                                                                       {"prema_priority", kPort},
                                                                       {"irq_enable", kPort},
                                                                       {"row_rate", kRow},
                                                                       {"row_instances", kRow},
                                                                       {"row_window", kRow},
                                                                       {"row_in_flight", kRow},
                                                                       {"row_profile", kRow},
                                                                       {"row_snapshot", kRow},
                                                                       {"row_isolated", kRow},
                                                                       {"row_token", kRow},
                                                                       {"row_start", kRow},
                                                                       {"row_deadline", kRow},
                                                                       {"row_slots", kRow},
                                                                       {"row_done", kRow},
                                                                       {"row_record", kRow},
                                                                       {"row_key", kRow},
                                                                       {"row_arrival", kRow},
                                                                       {"row_grant", kRow},
                                                                       {"row_priority", kRow},
                                                                       {"slot_type", kRow},
                                                                       {"slot_groups", kRow},
                                                                       {"types_seen", "moves with row_active"},
                                                                       {"types_sampled", "moves with types_rated"},
                                                                       {"submit_queue", kHeader},
                                                                       {"submit_deadline", kHeader},
                                                                       {"submit_start", kHeader},
                                                                       {"submit_flags", kHeader},
                                                                       {"submit_beats", kHeader},
                                                                       {"pend_oldest", "follows pend_count"},
                                                                       {"done_oldest", "follows done_count"},
                                                                       {"rest", "of the bench"}};
  return all;
}

std::vector<std::string> SimultaneousPoints::forgotten() {
  SimultaneousRows all = rows();
  const auto take = [&all](const auto& rows) {
    for (const auto& row : rows) all.push_back({row.name, row.on, row.needs, nullptr});
  };
  take(queue_rows());
  take(type_rows());
  for (const SimultaneousRows& rows : counter_rows()) take(rows);
  return castor::tb::forgotten_registers<Block, SimultaneousEdge>(all, reasons());
}

SimultaneousPoints::SimultaneousPoints(const CoverList& list)
    : simultaneous_(list, rows(), apart(list)),
      on_queues_(list, queue_rows(), apart(list)),
      on_types_(list, type_rows(), apart(list)) {
  for (const SimultaneousRows& rows : counter_rows()) counters_.emplace_back(list, rows, apart(list));
}

void SimultaneousPoints::see(const Now& now) {
  if (now.before == nullptr) return;
  const castor::tb::Cycle<Block>& was = *now.before;
  const SimultaneousEdge met{{was.in, was.out, was.probes, now.params, late_}, now.probes, now.out.reg_err == 0};
  late_ = is_late(met, late_);
  simultaneous_.see(met);
  if (met.resets()) {
    for (castor::tb::Simultaneous<SimultaneousEdge>& counter : counters_) counter.see(met);
  }
  see_queues(met);
  see_types(met);
}

// Samples every queue that an event of this edge concerns.
void SimultaneousPoints::see_queues(const SimultaneousEdge& met) {
  std::array<unsigned, 6> queues{};
  std::size_t count = 0;
  const auto add = [&](bool there, unsigned queue) {
    if (there && std::find(queues.begin(), queues.begin() + count, queue) == queues.begin() + count) {
      queues[count++] = queue;
    }
  };
  const Inputs& in = met.in;
  add(in.ks_valid != 0, in.ks_qid);
  add(in.ki_valid != 0, in.ki_qid);
  add(in.kd_valid != 0, in.kd_qid);
  add(met.commits(), met.was.submit_queue);
  add(met.main() >= MainState::kVKey, met.was.queue);
  if (met.ranking_ends() && met.was.preempted.any() && met.resets()) add(true, first_of(met.was.preempted));
  for (std::size_t i = 0; i < count; ++i) on_queues_.see({met, queues[i]});
}

void SimultaneousPoints::see_types(const SimultaneousEdge& met) {
  std::array<unsigned, 4> types{};
  std::size_t count = 0;
  const auto add = [&](bool there, unsigned type) {
    if (there && std::find(types.begin(), types.begin() + count, type) == types.begin() + count) types[count++] = type;
  };
  const Inputs& in = met.in;
  add(in.ks_valid != 0, in.ks_kid);
  add(in.wgc_valid != 0, in.wgc_kid);
  add(in.kd_valid != 0, in.kd_kid);
  add(met.window_is_sampled() || met.rate_is_written(), met.was.kernel_type);
  for (std::size_t i = 0; i < count; ++i) {
    if (types[i] < met.params.NumKt) on_types_.see({met, types[i]});
  }
}

}  // namespace castor::lax::tb
