#include "tb/tb_swap/commander.h"

#include <algorithm>

namespace castor::tb_swap::tb {
namespace {

// Memory is cut into units of 32,768 lines. Around the beginnings of units 1, 4, 7 ... are images, around those of
// units 2, 5, 8 ... read-only data: so both can carry into each upper bit of an address.
constexpr unsigned kUnitBits = 15;
constexpr unsigned kMostBefore = 1U << 13;  // lines of an image before the beginning of its unit, at most
constexpr U64 kLast = ((U64{1} << (33 - kUnitBits)) - 3) / 3;

}  // namespace

void Job::show(Inputs& in) const {
  in.job_valid = 1;
  in.job_slot = static_cast<U8>(slot);
  in.job_out = out ? 1 : 0;
  in.job_gid = gid;
  in.job_site = static_cast<U8>(site);
  in.job_new = is_new ? 1 : 0;
  in.job_in_gid = in_gid;
  in.job_entry = entry;
}

void Commander::start(const Kernel& kernel, base::Cycle now) {
  kernel_ = kernel;
  contexts_.assign(params_.MaxTb, {});
  parked_.clear();
  images_.clear();
  left_ = 1 + below(std::max(1U, knobs_.jobs));
  depth_ = static_cast<unsigned>(edges_.between(0, 64, below(1 + knobs_.depth)));
  shut_ = false;
  cut_ = chance(knobs_.cut);
  for (unsigned slot = 0; slot < params_.MaxTb; ++slot) {
    Context& context = contexts_[slot];
    context.segments.assign(params_.RoSegs, {});
    if (slot >= kernel_.slots || chance(kAlways / 8)) continue;
    context.stage = Stage::kRuns;
    context.gid = new_gid();
    context.due = now + below(1 + knobs_.time);
  }
}

unsigned Commander::site() {
  if (chance(knobs_.all_registers)) return 127;
  // Sites without a mask, and numbers beyond the last site, stand for all registers, too.
  return static_cast<unsigned>(edges_.between(0, 127, below(params_.NumSites)));
}

std::optional<Job> Commander::next_job(base::Cycle now) {
  const bool drains = left_ == 0;
  if (drains && (cut_ || parked_.empty())) return std::nullopt;
  const unsigned from = below(kernel_.slots);
  for (unsigned i = 0; i < kernel_.slots; ++i) {
    const unsigned slot = (from + i) % kernel_.slots;
    Context& context = contexts_[slot];
    if (context.stage == Stage::kMoves) continue;
    if (context.stage == Stage::kRuns) {
      if (context.due > now) continue;
      if (drains || chance(knobs_.ends)) {
        context.stage = Stage::kVacant;
        continue;
      }
    }
    return job_of(slot);
  }
  return std::nullopt;
}

/// Makes the job for a context that is vacant or whose thread block waits.
Job Commander::job_of(unsigned slot) {
  Context& context = contexts_[slot];
  Job job;
  job.slot = slot;
  job.out = context.stage == Stage::kRuns;
  // What a job does not use may have any value.
  job.gid = job.out ? context.gid : chance(kAlways / 2) ? new_gid() : 0;
  job.site = job.out || chance(kAlways / 2) ? site() : 0;
  const bool must = left_ == 0 || parked_.size() >= knobs_.parked;
  if (!must && chance(knobs_.foreign)) parked_.push_back(stored_elsewhere());
  move_in(job, !parked_.empty() && (must || chance(knobs_.back)));
  context.stage = Stage::kMoves;
  if (left_ != 0) --left_;
  return job;
}

/// Completes a job: a parked thread block is moved in, or a new one starts.
void Commander::move_in(Job& job, bool parked) {
  Context& context = contexts_[job.slot];
  context.incoming = {};
  job.is_new = !parked;
  job.in_gid = new_gid();
  if (!parked) {
    if (chance(kAlways / 2)) {
      for (unsigned word = 0; word * 64 < Entry::kBits; ++word) {
        job.entry.set_word(word, random_() & twin::mask(std::min(64U, Entry::kBits - word * 64)));
      }
    }
    return;
  }
  auto which = parked_.begin() + below(static_cast<unsigned>(parked_.size()));
  if (chance(knobs_.local_first)) {
    const auto local = std::find_if(parked_.begin(), parked_.end(), is_local);
    if (local != parked_.end()) which = local;
  }
  context.incoming = *which;
  parked_.erase(which);
  job.entry = context.incoming.entry;
  if (!chance(kAlways / 8)) job.in_gid = static_cast<U32>(get(job.entry, kGid));
}

/// Returns a thread block that another SM has stored.
Commander::Parked Commander::stored_elsewhere() {
  Parked parked;
  const unsigned at = site();
  const U64 image = take_image();
  const U64 registers = U64{kernel_.warps} * kernel_.live_registers(params_, at).count();
  put(parked.entry, kGid, new_gid());
  put(parked.entry, kSm, random_());
  put(parked.entry, kRegLoc, kInMemory);
  put(parked.entry, kSmemLoc, kernel_.smem != 0 ? kInMemory : kNoShared);
  put(parked.entry, kSimtLoc, kSimtInMemory);
  put(parked.entry, kRegLine, image + kernel_.simt);
  put(parked.entry, kSite, at);
  put(parked.entry, kSmemLine, kernel_.smem != 0 ? image + kernel_.simt + registers : 0);
  put(parked.entry, kSimtLine, image);
  parked.segments.assign(params_.RoSegs, {});
  for (Segment& segment : parked.segments) {
    if (!kernel_.read_only || kernel_.smem == 0 || chance(kAlways / 2)) continue;
    const Segment drawn = draw_segment();
    const bool meets = std::any_of(parked.segments.begin(), parked.segments.end(),
                                   [&drawn](const Segment& other) { return other.meets(drawn); });
    if (!meets) segment = drawn;
  }
  return parked;
}

/// Returns a unit that is `rest` modulo 3. Some are multiples of a power of two.
U64 Commander::unit(U64 rest, U64 plain) {
  U64 unit = 3 * edges_.between(0, kLast, plain) + rest;
  if (!chance(kAlways / 8)) return unit;
  const unsigned bit = below(15);
  unit = U64{1 + below(3)} << bit;
  while (unit % 3 != rest) unit += U64{1} << bit;
  return unit;
}

U64 Commander::take_image() {
  U64 first = unit(1, images_.size());
  while (images_.count(first) != 0) first = first == 3 * kLast + 1 ? 1 : first + 3;
  images_.insert(first);
  // Half of the images lie across the beginning of the unit.
  const U64 before = chance(kAlways / 2) ? below(std::min(kernel_.lines(), kMostBefore)) : 0;
  return (first << kUnitBits) - before;
}

U64 Commander::read_only_address(unsigned lines) { return (unit(2, below(8)) << kUnitBits) - below(1 + lines); }

/// Returns a segment of lines of shared memory; often at one end of it, or of one line, or all of it.
Segment Commander::draw_segment() {
  Segment segment;
  segment.lines = chance(kAlways / 4) ? 1 : chance(kAlways / 8) ? kernel_.smem : 1 + below(kernel_.smem);
  const unsigned most = kernel_.smem - segment.lines;
  segment.first = chance(kAlways / 4) ? 0 : chance(kAlways / 4) ? most : below(1 + most);
  segment.address = read_only_address(segment.lines);
  return segment;
}

std::optional<SegmentWrite> Commander::next_segment() {
  if (kernel_.smem == 0 || left_ == 0) return std::nullopt;
  const unsigned slot = below(kernel_.slots);
  Context& context = contexts_[slot];
  if (context.stage != Stage::kRuns) return std::nullopt;
  // A segment beyond the last one has no effect.
  const unsigned index = chance(kAlways / 16) ? below(4) : below(params_.RoSegs);
  Segment segment = draw_segment();
  if (chance(knobs_.drop)) segment.lines = 0;
  if (index >= params_.RoSegs) return SegmentWrite{slot, index, segment};
  for (unsigned other = 0; other < params_.RoSegs; ++other) {
    if (other == index || !context.segments[other].meets(segment)) continue;
    // Behind the other segment instead, if there is room.
    segment.first = context.segments[other].first + context.segments[other].lines;
    if (segment.first >= kernel_.smem) return std::nullopt;
    segment.lines = std::min(segment.lines, kernel_.smem - segment.first);
  }
  for (unsigned other = 0; other < params_.RoSegs; ++other) {
    if (other != index && context.segments[other].meets(segment)) return std::nullopt;
  }
  context.segments[index] = segment;
  return SegmentWrite{slot, index, segment};
}

unsigned Commander::local_entries() const {
  return static_cast<unsigned>(std::count_if(parked_.begin(), parked_.end(), is_local));
}

bool Commander::local_room() {
  if (chance(knobs_.reopen)) shut_ = chance(knobs_.shut);
  return !shut_ && local_entries() < depth_;
}

void Commander::park(const Outputs& out) {
  if (out.parked_slot >= contexts_.size()) return;
  Context& context = contexts_[out.parked_slot];
  parked_.push_back({out.parked_entry, context.segments});
  context.segments.assign(params_.RoSegs, {});
}

void Commander::enter(const Outputs& out, base::Cycle now) {
  if (out.enter_slot >= contexts_.size()) return;
  Context& context = contexts_[out.enter_slot];
  if (out.enter_free != 0) {
    images_.erase((out.enter_address + kMostBefore) >> kUnitBits);
  }
  context.segments = context.incoming.segments;
  context.segments.resize(params_.RoSegs);
  context.incoming = {};
  context.gid = out.enter_gid;
  context.due = now + below(1 + knobs_.time);
  // No thread block need start.
  context.stage = out.enter_new != 0 && chance(kAlways / 8) ? Stage::kVacant : Stage::kRuns;
}

bool Commander::idle() const {
  return std::none_of(contexts_.begin(), contexts_.end(),
                      [](const Context& context) { return context.stage == Stage::kMoves; });
}

}  // namespace castor::tb_swap::tb
