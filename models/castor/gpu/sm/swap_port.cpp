#include "castor/gpu/sm/swap_port.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "castor/gpu/hook_check.h"
#include "castor/gpu/hooks/waves.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/saved_tb.h"
#include "castor/gpu/sm/scoreboard.h"
#include "castor/gpu/sm/sm_memory.h"
#include "castor/gpu/sm/spin_watch.h"
#include "castor/gpu/sm/thread_blocks.h"
#include "castor/gpu/sm/warp_table.h"
#include "castor/gpu/wait_graph.h"

namespace castor::gpu {
namespace {

[[nodiscard]] TbMask bit_of(unsigned context) { return TbMask{1} << context; }

// Returns whether the SIMT lines of a kernel's thread blocks end with a table of read-only segments.
[[nodiscard]] bool has_table(const SwapKernel& kernel) { return kernel.simt_lines > SimtLines::lines(kernel.warps); }

// Checks a read-only access: the global address must be that of the segment that covers the line.
void check_read_only(const SmParts& parts, const SwapEngine& engine, const SwapAccess& access) {
  const std::vector<SegmentTable>& segments = parts.tbs.engine_moves().segments;
  const ReadOnlyPromise* const promise = segments.empty() ? nullptr : segments[access.slot].covering(access.line);
  CASTOR_HOOK_CHECK(
      engine, parts.clock.now(),
      !access.store && !access.local && promise != nullptr && promise->address_of(access.line) == access.address,
      "swap engine of SM %u: makes a read-only access to line %u of the shared memory of TB context %u "
      "at 0x%llx, where no segment has it",
      parts.sm, unsigned{access.line}, unsigned{access.slot}, static_cast<unsigned long long>(access.address));
}

// Restores the read-only segments of a thread block whose SIMT line `line` has been loaded, if it is the last one.
void restore_segments(const SmParts& parts, const SwapEngine& engine, unsigned context, const SwapKernel& kernel,
                      SimtLines& lines, const std::byte* line) {
  if (!has_table(kernel) || line != lines.line(lines.size() - 1)) return;
  EngineMoves& moves = parts.tbs.engine_moves();
  SegmentTable& table = moves.segments[context];
  table.read(line);
  for (unsigned i = 0; i < SegmentTable::kMost; ++i) {
    if (!table.used(i)) continue;
    const ReadOnlySegment segment = table.segment(context, i);
    CASTOR_HOOK_CHECK(engine, parts.clock.now(), segment.first + unsigned{segment.lines} <= kernel.shared_lines,
                      "swap engine of SM %u: the SIMT lines of TB context %u are not those that a TB has left",
                      parts.sm, context);
    moves.segment_updates.push_back(segment);
  }
}

// Unpacks the SIMT lines of a TB that has been moved into a context.
void restore(const SmParts& parts, const SwapEngine& engine, const SimtLines& lines, const SwapRecord& saved,
             unsigned context) {
  const TbState& tb = parts.tbs[context];
  for (unsigned i = 0; i < tb.warp_count; ++i) {
    const SimtRecord record = lines.record(i);
    CASTOR_HOOK_CHECK(engine, parts.clock.now(), record.token == saved.token,
                      "swap engine of SM %u: the SIMT lines of TB %llu are not those that it left", parts.sm,
                      static_cast<unsigned long long>(tb.gid));
    if ((tb.live & warp_bit(tb.slots[i])) == 0) continue;
    parts.warps.resume_at(tb.slots[i], SimtLines::stack(record, saved.deep[i]), record.pc, record.predicates);
  }
}

}  // namespace

SwapPort::SwapPort(const SmParts& parts)
    : parts_(parts),
      group_(parts.statistics, "swap_engine"),
      counters_(parts.statistics),
      engine_(*parts.hooks.swap),
      homes_(parts.machine, parts.warps, parts.tbs, engine_.storage()),
      moves_(parts.tbs.engine_moves()),
      agent_(parts),
      pages_(parts.outbox, parts.page_grants),
      moving_(parts.machine.sm.tb_contexts) {
  attach_hook(engine_, "swap_engine", parts, group_);
  quiet_ = engine_.quiet();
}

// --- Jobs ------------------------------------------------------------------------------------------------------------

SwapPort::Moving& SwapPort::ask(const SwapJob& job, const KernelContext& kernel, const SwapKernel& constants) {
  Moving& moving = moving_[job.slot];
  moving.job = job;
  moving.kernel = &kernel;
  moving.constants = constants;
  moving.agent = moving.dropped = moving.parked = moving.entered = false;
  moving.stores = 0;
  moving.since = parts_.clock.tick();
  open_ |= bit_of(job.slot);
  moves_.busy = true;
  queue_.push_back(job.slot);
  parts_.clock.stir();
  return moving;
}

void SwapPort::start(TbStart& start) {
  homes_.start(start.context);
  if (!start.tb.kernel->owned) return;
  const SwapKernel constants = homes_.constants(start.tb);
  CASTOR_ASSERT_AT(parts_.clock.now(), start.context < constants.slots,
                   "a TB starts in context %u of SM %u, where at most %u of its kernel are resident", start.context,
                   parts_.sm, unsigned{constants.slots});
  agent_.own(*start.tb.kernel, constants);
}

// Takes the job that the agent offers in this tick. It waits while a job of its context is open, and while a TB that
// has ended has not retired from it.
void SwapPort::take_agent_job() {
  if (!moves_.agent.job) return;
  const SwapJob& job = *moves_.agent.job;
  if (job.slot < moving_.size() && ((open_ | (job.out ? 0 : parts_.tbs.finished())) & bit_of(job.slot)) != 0) return;
  moves_.agent.job_ready = true;
  if (!agent_.accept(job, engine_)) return;
  Moving& moving = ask(job, agent_.kernel(), agent_.constants());
  moving.agent = true;
  moves_.agent.open |= bit_of(job.slot);
  if (!job.out && has_table(agent_.constants())) moves_.segments[job.slot].clear();
  if (job.out || job.fresh) return;
  moving.lines.start(agent_.constants().warps, has_table(agent_.constants()));
  homes_.poison(job.slot, agent_.constants());
}

// Returns whether the result of a job is not used because its thread block or kernel was stopped.
bool SwapPort::lost(unsigned context) const {
  return moving_[context].dropped || parts_.tbs.killed(*moving_[context].kernel);
}

void SwapPort::freeze(unsigned context) {
  if ((moves_.leaving & bit_of(context)) == 0) return;
  const TbState& tb = parts_.tbs[context];
  Moving& moving = moving_[context];
  moving.record = std::make_shared<SwapRecord>();
  moving.record->token = ++tokens_ << 8U | parts_.sm;
  const bool table = (open_ & bit_of(context)) != 0 && has_table(moving.constants);
  moving.lines.start(tb.warp_count, table);
  if (table) {
    moving.left = std::exchange(moves_.segments[context], {});
    moving.left.write(moving.lines.line(moving.lines.size() - 1));
  }
  for (unsigned i = 0; i < tb.warp_count; ++i) {
    moving.record->deep.push_back(moving.lines.pack(i, parts_.warps[tb.slots[i]], moving.record->token));
    if (!moving.record->deep.back().empty()) ++counters_.deep_stacks;
  }
  if ((open_ & bit_of(context)) != 0) {
    homes_.poison_dead(context, live_registers(*tb.kernel->program, moving.job.site));
    return agent_.frozen(context);
  }
  SwapJob job;
  job.slot = static_cast<std::uint8_t>(context);
  job.out = job.fresh = true;
  job.gid = static_cast<std::uint32_t>(tb.gid);
  ask(job, *tb.kernel, homes_.constants(tb));
}

void SwapPort::leave(unsigned context, SavedTb& saved) {
  if ((moves_.leaving & bit_of(context)) != 0) saved.swap = std::move(moving_[context].record);
}

void SwapPort::come_back(TbStart& start, const SavedTb& saved) {
  if (saved.swap == nullptr) return;
  const TbState& tb = start.tb;
  const unsigned context = start.context;
  if (saved.reason == SwapReason::kSynchronisation)
    return restore(parts_, engine_, moving_[context].lines, *saved.swap, context);
  Moving& moving = moving_[context];
  moving.record = saved.swap;
  moving.lines.start(tb.warp_count);
  const SwapKernel constants = homes_.constants(tb);
  homes_.poison(context, constants);
  SwapJob job;
  job.slot = static_cast<std::uint8_t>(context);
  job.in_gid = static_cast<std::uint32_t>(tb.gid);
  job.entry = saved.swap->entry;
  ask(job, *tb.kernel, constants);
}

// The engine ends a job that it has taken; a job that waits is withdrawn. The context of a TB that has been moved out
// and has not left yet is dropped.
void SwapPort::stop(unsigned context) {
  Moving& moving = moving_[context];
  if ((open_ & bit_of(context)) == 0) return moving.record.reset();
  moving.dropped = true;
  agent_.frozen(context);
  if ((taken_ & bit_of(context)) != 0 || moving.entered) return;
  queue_.erase(std::find(queue_.begin(), queue_.end(), context));
  end(context);
}

WarpMask SwapPort::busy_warps() const {
  WarpMask warps = 0;
  for (TbMask left = open_ & ~agent_.asked(); left != 0; left &= left - 1) warps |= parts_.tbs[lowest(left)].warps;
  return warps;
}

// --- S0 --------------------------------------------------------------------------------------------------------------

void SwapPort::begin_tick() {
  in_.configure.reset();
  in_.sites.reset();
  in_.segment.reset();
  in_.job.reset();
  in_.page.reset();
  in_.access_taken = in_.load_done = false;
  moves_.agent.begin_tick();
  parts_.memory.begin_swaps(false);
}

void SwapPort::take_messages() {
  if (parts_.hooks.agent == nullptr || taken_ == 0) return;
  flush();
  in_.now = parts_.clock.now();
  in_.park_ready = in_.enter_ready = false;
  out_ = engine_.settle(in_);
  if (!out_.parked || out_.parked->slot >= moving_.size()) return;
  const Moving& moving = moving_[out_.parked->slot];
  if (moving.agent && !moving.lingers() && !lost(out_.parked->slot)) moves_.agent.parked = out_.parked;
}

bool SwapPort::awake() const {
  return open_ != 0 || called_open_ || out_.access || agent_.configures() || setup_.sites().pending() ||
         !moves_.segment_updates.empty() || owed_ >= quiet_;
}

// Offers the oldest job, if the engine has the constants and the sites of its kernel. They change when the engine has
// no job.
void SwapPort::offer_job() {
  const Moving* const next = queue_.empty() ? nullptr : &moving_[queue_.front()];
  const bool owned = agent_.configures() || (next != nullptr && next->agent);
  if (agent_.configures() || (next != nullptr && !setup_.knows(next->constants))) {
    if (taken_ != 0) return;
    in_.configure = owned ? agent_.constants() : next->constants;
    homes_.renumber(*in_.configure);
    moves_.segment_updates.clear();
    setup_.configure(*in_.configure, owned ? &agent_.program() : nullptr);
  } else if (setup_.sites().pending()) {
    in_.sites = setup_.sites().next();
  } else if (next != nullptr) {
    in_.job = next->job;
  }
}

// Sets the answers to the engine's outputs of the tick, which its first `settle` has shown.
void SwapPort::answer() {
  in_.park_ready = in_.enter_ready = true;
  in_.local_room = moves_.agent.local_room;
  if (moves_.agent.parked) in_.park_ready = moves_.agent.park_ready;
  if (out_.parked && out_.parked->slot < moving_.size() && moving_[out_.parked->slot].lingers()) in_.park_ready = false;
  if (parts_.hooks.agent == nullptr || taken_ == 0 || !out_.enter) return;
  const unsigned slot = out_.enter->slot;
  if (slot < moving_.size() && moving_[slot].agent) in_.enter_ready = agent_.may_start(moving_[slot].job, engine_);
}

void SwapPort::settle_early(WarpMask /*eligible*/) {
  take_agent_job();
  awake_ = awake();
  if (!awake_) return;
  flush();
  in_.now = parts_.clock.now();
  answer();
  offer_job();
  const bool asked = parts_.hooks.agent != nullptr && taken_ != 0;
  const bool parked = out_.parked.has_value(), entered = out_.enter.has_value();
  out_ = engine_.settle(in_);
  CASTOR_HOOK_CHECK(
      engine_, in_.now, !asked || (out_.parked.has_value() == parked && out_.enter.has_value() == entered),
      "swap engine of SM %u changes parked or enter after settle: they may depend on its state only", parts_.sm);
  check(out_);
  if (out_.block_memory) {
    parts_.memory.begin_swaps(true);
    ++counters_.blocked;
  }
  if (out_.access) in_.access_taken = make_access(*out_.access);
}

void SwapPort::check(const SwapOut& out) const {
  const auto open = [this](unsigned slot) { return slot < moving_.size() && (taken_ & bit_of(slot)) != 0; };
  const auto holds = [&](bool fine, const char* what, unsigned slot) {
    CASTOR_HOOK_CHECK(engine_, in_.now, fine, "swap engine of SM %u: %s TB context %u, which has no such job",
                      parts_.sm, what, slot);
  };
  if (out.parked) {
    const unsigned slot = out.parked->slot;
    holds(open(slot) && moving_[slot].job.out && !moving_[slot].parked, "has moved out", slot);
    CASTOR_HOOK_CHECK(engine_, in_.now, !out.parked->local || in_.local_room,
                      "swap engine of SM %u: keeps the context of TB context %u in the SM, which has no room for it",
                      parts_.sm, slot);
  }
  if (out.enter) {
    const unsigned slot = out.enter->slot;
    holds(open(slot) && moving_[slot].job.fresh == out.enter->fresh && moving_[slot].job.out == moving_[slot].parked,
          "enters", slot);
    CASTOR_HOOK_CHECK(engine_, in_.now, homes_.may_enter(slot, out.enter->register_home, out.enter->shared_home),
                      "swap engine of SM %u: gives TB context %u homes %u and %u, which are not spare", parts_.sm, slot,
                      out.enter->register_home, out.enter->shared_home);
  }
  if (out.page_request) {
    const unsigned slot = *out.page_request;
    holds(open(slot) && moving_[slot].job.out, "asks for an image of", slot);
  }
}

std::byte* SwapPort::line_of(const SwapAccess& access) {
  Moving& moving = moving_[access.slot];
  const bool simt = access.type == SwapAccess::Type::kSimt;
  if (!simt && homes_.foreign(access.slot, access.type == SwapAccess::Type::kRegister, access.home)) return nullptr;
  switch (access.type) {
    case SwapAccess::Type::kSimt:
      return access.line < moving.lines.size() ? moving.lines.line(access.line) : nullptr;
    case SwapAccess::Type::kRegister:
      if (access.home >= homes_.register_homes() || access.warp >= moving.constants.warps) return nullptr;
      return access.reg < moving.constants.registers ? homes_.row(access.home, access.warp, access.reg) : nullptr;
    default:
      if (access.home >= homes_.shared_homes() || access.line >= moving.constants.shared_lines) return nullptr;
      return homes_.shared_line(access.home, access.line);
  }
}

// Makes an access of the engine. A store takes its bytes now and leaves poison. Returns false if the LSU has no entry.
bool SwapPort::make_access(const SwapAccess& access) {
  const unsigned context = access.slot;
  CASTOR_HOOK_CHECK(engine_, in_.now, context < moving_.size() && (taken_ & bit_of(context)) != 0,
                    "swap engine of SM %u: accesses TB context %u, which has no job", parts_.sm, context);
  std::byte* const line = line_of(access);
  std::byte* const place = access.local ? homes_.place_line(access.address) : nullptr;
  CASTOR_HOOK_CHECK(engine_, in_.now,
                    line != nullptr && (access.local ? place != nullptr : access.address % kSwapLineBytes == 0),
                    "swap engine of SM %u: accesses a line that TB context %u does not have", parts_.sm, context);
  if (access.type == SwapAccess::Type::kReadOnly) check_read_only(parts_, engine_, access);
  if (lost(context)) return true;  // memory and storage may belong to others by now
  if (access.local) {
    std::memcpy(access.store ? place : line, access.store ? line : place, kSwapLineBytes);
    if (!access.store)
      restore_segments(parts_, engine_, context, moving_[context].constants, moving_[context].lines, line);
    ++counters_.copies;
  } else if (!access_memory(access, line)) {
    ++counters_.refused;
    return false;
  }
  if (access.store) std::fill_n(line, kSwapLineBytes, kSwapPoison);
  return true;
}

// Returns the image of the thread block that the job moves in, or of the one that it moves out; 0 = none.
std::uint64_t SwapPort::Moving::image(bool out, const AgentJobs& jobs, const Hook& engine) const {
  if (out ? !job.out : job.fresh) return 0;
  if (!out && agent) return jobs.image_of(job.in_gid, engine);
  return record != nullptr ? record->address : 0;
}

// Performs an access to device memory, if the LSU has an entry. It must be inside the image of the thread block that it
// moves; global memory that a read-only segment equals lies elsewhere.
bool SwapPort::access_memory(const SwapAccess& access, std::byte* line) {
  const Moving& moving = moving_[access.slot];
  const std::uint64_t image = moving.image(access.store, agent_, engine_), bytes = moving.kernel->image_bytes;
  CASTOR_HOOK_CHECK(engine_, in_.now,
                    access.type == SwapAccess::Type::kReadOnly ||
                        (image != 0 && access.address >= image && access.address + kSwapLineBytes <= image + bytes),
                    "swap engine of SM %u: %s a line of TB context %u at 0x%llx, outside its image of %llu bytes at "
                    "0x%llx",
                    parts_.sm, access.store ? "stores" : "loads", unsigned{access.slot},
                    static_cast<unsigned long long>(access.address), static_cast<unsigned long long>(bytes),
                    static_cast<unsigned long long>(image));
  const unsigned warp = access.type == SwapAccess::Type::kRegister ? access.warp : 0;
  MemoryIssue issue;
  issue.warp = parts_.tbs[access.slot].slots[warp];
  issue.context = access.slot;
  issue.dispatch = issue.tick = parts_.clock.tick();
  issue.now = in_.now;
  const MemoryOperation* const operation = parts_.memory.swap(access.address, access.store ? line : nullptr, issue);
  if (operation == nullptr) return false;
  if (access.store) {
    ++counters_.stores;
    ++moving_[access.slot].stores;
  } else {
    ++counters_.loads;
    loads_.emplace(operation, Destination{line, access.slot});
  }
  return true;
}

// --- S1 to S3 --------------------------------------------------------------------------------------------------------

void SwapPort::swap_loaded(MemoryOperation& operation, Tick ready) {
  SmEvent event;
  event.kind = SmEvent::Kind::kSwapLoaded;
  event.operation = &operation;
  parts_.wheel.add(parts_.clock.tick(), std::max(ready, parts_.clock.tick() + 1), event);
}

bool SwapPort::take(const SmEvent& event) {
  if (event.kind != SmEvent::Kind::kSwapLoaded) return false;
  const auto load = loads_.find(event.operation);
  const auto [line, context] = load->second;
  parts_.memory.finish_swap(*event.operation, line);
  restore_segments(parts_, engine_, context, moving_[context].constants, moving_[context].lines, line);
  loads_.erase(load);
  ++acknowledges_;
  return true;
}

void SwapPort::swap_stored(unsigned context) {
  if (moving_[context].lingers()) parts_.clock.stir();
  --moving_[context].stores;
  end_if_over(context);
}

// --- S9 --------------------------------------------------------------------------------------------------------------

// Applies the ticks in which the engine was not called.
void SwapPort::flush() {
  if (owed_ != 0) engine_.idle(owed_);
  if (quiet_ != kForever) quiet_ -= std::min<Cycle>(quiet_, owed_);
  owed_ = 0;
}

void SwapPort::clock() {
  if (!awake_) {
    ++owed_;
    // An SM that never sleeps has no other occasion to bring the engine up to date before a report.
    if (!parts_.machine.run.sleep) flush();
    return;
  }
  // The engine knows the segments of a thread block before the load that has brought them is acknowledged.
  in_.load_done = acknowledges_ != 0 && moves_.segment_updates.empty();
  if (!moves_.segment_updates.empty() && !in_.configure) in_.segment = moves_.segment_updates.front();
  in_.outstanding = static_cast<std::uint16_t>(open_ != 0 ? parts_.memory.requests() : 0);
  take_page();
  called_open_ = open_ != 0;
  engine_.clock(in_);
  apply();
  quiet_ = engine_.quiet();
  if (open_ != 0) parts_.watch.disturb();
}

// Requests an image for the engine, and gives it to the engine when it has been granted. The request of a stopped
// thread block is answered at once; its image, if it is granted, goes with the kernel.
void SwapPort::take_page() {
  no_image_.reset();
  if (!out_.page_request) return;
  const unsigned slot = *out_.page_request;
  in_.page = lost(slot) ? Maybe<std::uint64_t>(0) : pages_.image(*moving_[slot].kernel, in_.now);
  if (in_.page) return;
  no_image_ = slot;
  ++counters_.page_waits;
}

// Applies the outputs that were taken at this edge.
void SwapPort::apply() {
  if (in_.load_done) --acknowledges_;
  if (in_.segment) moves_.segment_updates.pop_front();
  if (in_.access_taken && !out_.access->store && (out_.access->local || lost(out_.access->slot))) ++acknowledges_;
  if (in_.page) moving_[*out_.page_request].record->address = *in_.page;
  if (in_.configure) agent_.configured();
  if (in_.sites) setup_.sites().told();
  const bool took_job = in_.job && out_.job_ready;
  if (took_job) {
    ++counters_.jobs;
    taken_ |= bit_of(in_.job->slot);
    queue_.pop_front();
  }
  if (out_.parked && in_.park_ready) park(*out_.parked);
  if (out_.enter && in_.enter_ready) enter(*out_.enter);
  if (in_.configure || in_.sites || in_.segment || took_job || in_.page || in_.access_taken || out_.parked ||
      out_.enter)
    parts_.clock.stir();
}

// A thread block that the agent swaps out leaves the SM while its stores are still in flight.
void SwapPort::park(const SwapParked& parked) {
  Moving& moving = moving_[parked.slot];
  moving.parked = true;
  moving.record->entry = parked.entry;
  if (!moving.agent || lost(parked.slot)) return;
  moves_.done |= bit_of(parked.slot);
  agent_.announce(moving.job.gid, moving.record->address);
  moving.lines.start(moving.constants.warps, has_table(moving.constants));
  if (has_table(moving.constants) && !parked.local) homes_.poison_covered(parked.slot, moving.left);
  moving.since = parts_.clock.tick();
}

void SwapPort::enter(const SwapEnter& entered) {
  Moving& moving = moving_[entered.slot];
  moving.entered = true;
  homes_.enter(entered.slot, entered.register_home, entered.shared_home);
  CASTOR_HOOK_CHECK(engine_, in_.now, entered.gid == moving.job.in_gid,
                    "swap engine of SM %u: enters TB %u into TB context %u, where TB %u comes in", parts_.sm,
                    entered.gid, unsigned{entered.slot}, moving.job.in_gid);
  taken_ &= ~bit_of(entered.slot);
  if (!moving.job.fresh && !lost(entered.slot)) {
    const std::uint64_t image = moving.image(false, agent_, engine_);
    CASTOR_HOOK_CHECK(engine_, in_.now, entered.free.value_or(0) == image,
                      "swap engine of SM %u: does not give back the image of TB %u, which it has moved in", parts_.sm,
                      moving.job.in_gid);
    if (image != 0) pages_.give_back(*moving.kernel, image, in_.now);
  }
  if (moving.agent) agent_.start(moving.job, parts_.clock.tick() - moving.since, engine_);
  end_if_over(entered.slot);
}

// Ends the job of a context whose TB has entered it and whose stores are in memory.
void SwapPort::end_if_over(unsigned context) {
  Moving& moving = moving_[context];
  if (!moving.entered || moving.stores != 0) return;
  if (!moving.agent && !lost(context)) {
    if (!moving.job.fresh) restore(parts_, engine_, moving.lines, *moving.record, context);
    moves_.done |= bit_of(context);
    SmEvent event;
    event.kind = SmEvent::Kind::kMove;
    parts_.wheel.add(parts_.clock.tick(), parts_.clock.tick() + 1, event);
  }
  end(context);
}

// The record of a TB that has been moved out stays until the TB leaves.
void SwapPort::end(unsigned context) {
  open_ &= ~bit_of(context);
  taken_ &= ~bit_of(context);
  moves_.agent.open &= ~bit_of(context);
  moves_.busy = open_ != 0;
  if ((moves_.leaving & bit_of(context)) == 0) moving_[context].record.reset();
  parts_.clock.stir();
}

Cycle SwapPort::wake() const {
  const Cycle now = parts_.clock.now();
  if (setup_.sites().pending() || !moves_.segment_updates.empty() || acknowledges_ != 0 || out_.access ||
      (called_open_ && open_ == 0))
    return now + 1;
  const Cycle quiet = quiet_ == kForever ? kForever : quiet_ - std::min<Cycle>(quiet_, owed_);
  const Cycle wake = quiet >= kForever - now - 1 ? kForever : now + 1 + quiet;
  return no_image_ ? std::min(wake, std::max(pages_.next(), now + 1)) : wake;
}

// --- Between ticks ---------------------------------------------------------------------------------------------------

void SwapPort::idle(Tick ticks) {
  owed_ += ticks;
  if (no_image_) counters_.page_waits += ticks;
  flush();
}

void SwapPort::add_waiting(std::vector<WaitReason>& reasons) const {
  if (no_image_) {
    reasons.push_back({parts_.tbs[*no_image_].warps,
                       "waits for an image in context.region, into which the swap engine moves its thread block"});
  }
  reasons.push_back({busy_warps(), "waits until the swap engine has moved its thread block"});
}

void SwapPort::add_waves(Waves& waves, const std::string& scope) const {
  engine_.add_waves(waves, scope);
  const std::string port = scope + ".swap_port";
  waves.add(port, "open", 64, &open_);
  waves.add(port, "taken", 64, &taken_);
  waves.add(port, "access", 1, [this] { return out_.access ? 1U : 0U; });
  waves.add(port, "access_taken", 1, &in_.access_taken);
  waves.add(port, "load_done", 1, &in_.load_done);
  waves.add(port, "outstanding", 16, &in_.outstanding);
}

}  // namespace castor::gpu
