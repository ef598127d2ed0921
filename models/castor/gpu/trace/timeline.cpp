#include "castor/gpu/trace/timeline.h"

#include <algorithm>
#include <utility>

#include "castor/base/words.h"

namespace castor::gpu {
namespace {

constexpr unsigned kTracksOfQueue = 2 * Timeline::kTracks;  // tracks for running and for waiting kernels

unsigned lowest_clear(std::uint32_t mask) {
  return mask == ~std::uint32_t{0} ? Timeline::kTracks : static_cast<unsigned>(__builtin_ctz(~mask));
}

[[nodiscard]] std::string_view text(SwapReason reason) {
  switch (reason) {
    case SwapReason::kChildren:
      return "swapped out: waits for launches";
    case SwapReason::kPreemption:
      return "swapped out: preempted";
    case SwapReason::kRandom:
      return "swapped out: at random";
    case SwapReason::kSynchronisation:
      return "swapped out: waits at a barrier or event";
  }
  return "";
}

}  // namespace

Timeline::Timeline(const std::string& path, const Machine& machine, Cycle from, Cycle to)
    : events_(path, base::Clock(base::kilohertz(machine.clock.core_mhz)), from, to),
      window_(std::max<std::uint64_t>(machine.run.window, 1)),
      contexts_(machine.sm.tb_contexts),
      tbs_(std::size_t{machine.chip.sms} * contexts_),
      named_(tbs_.size(), false),
      resident_(machine.chip.sms, 0),
      copies_(2) {
  events_.name_process(kQueues, "front end");
  events_.name_process(kCopies, "copy engines");
  for (unsigned sm = 0; sm < machine.chip.sms; ++sm) events_.name_process(kFirstSm + sm, "SM " + std::to_string(sm));
  for (unsigned engine = 0; engine < copies_.size(); ++engine) {
    events_.name_track(kCopies, engine, "engine " + std::to_string(engine));
  }
  events_.flush();
}

Timeline::~Timeline() {
  if (!closed_) events_.close();
}

const std::string& Timeline::readable(const std::string& kernel) {
  const auto [found, fresh] = readable_.try_emplace(kernel);
  if (fresh) found->second = base::readable_name(kernel);
  return found->second;
}

void Timeline::counter(unsigned process, std::string_view name, std::string_view series, std::uint64_t value,
                       Cycle cycle) {
  if (!events_.inside(cycle, cycle)) return;
  events_.begin_counter(name, process, cycle);
  events_.argument(series, value);
  events_.end();
}

// --- Thread blocks ----------------------------------------------------------------------------------------------

void Timeline::write_tb(unsigned sm, unsigned context, OpenTb& tb, Cycle end, std::string_view state) {
  tb.open = false;
  if (!events_.inside(tb.start, end)) return;
  const std::size_t index = std::size_t{sm} * contexts_ + context;
  if (!named_[index]) events_.name_track(kFirstSm + sm, context, "context " + std::to_string(context));
  named_[index] = true;
  events_.begin_slice(readable(*tb.kernel), "tb", kFirstSm + sm, context, tb.start, end);
  events_.argument("tb", tb.gid);
  if (tb.group != kNoGroup) events_.argument("group", tb.group);
  events_.argument("ticket", tb.ticket);
  if (tb.returned) {
    events_.argument("from SM", tb.from);
    events_.argument("cycles away", tb.away);
  }
  if (!state.empty()) events_.argument("state", state);
  events_.end();
}

// Starts an arrow from the TB that launches to the first TB of the new launch.
void Timeline::launched(const Launch& event) {
  if (!events_.inside(event.cycle, event.cycle)) return;
  events_.arrow(TraceEvents::ArrowEnd::kTail, "launch", event.ticket, kFirstSm + event.sm, event.context, event.cycle);
  arrows_.insert(event.ticket);
}

void Timeline::tb_started(const Tb& event) {
  if (arrows_.erase(event.kernel->ticket) != 0) {
    events_.arrow(TraceEvents::ArrowEnd::kHead, "launch", event.kernel->ticket, kFirstSm + event.sm, event.context,
                  event.cycle);
  }
  OpenTb& tb = tbs_[std::size_t{event.sm} * contexts_ + event.context];
  tb = {true, event.cycle, &event.kernel->program->kernel, event.kernel->ticket, event.gid, event.group};
  if (event.swapped) come_back(event, tb);
  counter(kFirstSm + event.sm, "resident TBs", "TBs", ++resident_[event.sm], event.cycle);
}

void Timeline::tb_retired(const Tb& event) {
  OpenTb& tb = tbs_[std::size_t{event.sm} * contexts_ + event.context];
  if (!tb.open) return;
  write_tb(event.sm, event.context, tb, event.cycle + 1, event.swapped ? text(*event.swapped) : "");
  if (event.swapped) swap_out(event);
  counter(kFirstSm + event.sm, "resident TBs", "TBs", --resident_[event.sm], event.cycle + 1);
}

// Starts an arrow from the TB's stay that ends to its next one.
void Timeline::swap_out(const Tb& event) {
  AwayTb& away = away_[{event.kernel->ticket, event.group, event.gid}] = {0, event.sm, event.cycle};
  counter(kQueues, "swapped-out TBs", "TBs", away_.size(), event.cycle);
  if (!events_.inside(event.cycle, event.cycle)) return;
  away.arrow = ++arrows_of_tbs_;
  events_.arrow(TraceEvents::ArrowEnd::kTail, "swap", away.arrow, kFirstSm + event.sm, event.context, event.cycle);
}

void Timeline::come_back(const Tb& event, OpenTb& tb) {
  const auto found = away_.find({event.kernel->ticket, event.group, event.gid});
  if (found == away_.end()) return;
  const AwayTb away = found->second;
  away_.erase(found);
  tb.returned = true;
  tb.from = away.sm;
  tb.away = event.cycle - away.left;
  counter(kQueues, "swapped-out TBs", "TBs", away_.size(), event.cycle);
  if (away.arrow == 0) return;
  events_.arrow(TraceEvents::ArrowEnd::kHead, "swap", away.arrow, kFirstSm + event.sm, event.context, event.cycle);
}

// Forgets the TBs of a grid that was stopped while they were away. Groups may outlive the grid.
void Timeline::drop_away(Ticket kernel, Cycle cycle) {
  const auto first = away_.lower_bound({kernel, kNoGroup, 0});
  const auto end = away_.lower_bound({kernel + 1, 0, 0});
  if (first == end) return;
  away_.erase(first, end);
  counter(kQueues, "swapped-out TBs", "TBs", away_.size(), cycle);
}

// --- Kernels ------------------------------------------------------------------------------------------------------

Timeline::QueueState& Timeline::queue(unsigned index) {
  if (index >= queues_.size()) queues_.resize(index + 1);
  return queues_[index];
}

unsigned Timeline::take_track(unsigned queue_index, bool waiting) {
  std::uint32_t& used = queue(queue_index).used[waiting ? 1 : 0];
  const unsigned track = lowest_clear(used);
  if (track < kTracks) used |= std::uint32_t{1} << track;
  return track;
}

void Timeline::free_track(unsigned queue_index, bool waiting, unsigned track) {
  if (track < kTracks) queue(queue_index).used[waiting ? 1 : 0] &= ~(std::uint32_t{1} << track);
}

unsigned Timeline::queue_track(unsigned queue_index, bool waiting, unsigned track) {
  const unsigned number = queue_index * kTracksOfQueue + (waiting ? kTracks : 0) + track;
  std::uint32_t& named = queue(queue_index).named[waiting ? 1 : 0];
  if ((named >> track & 1U) == 0) {
    std::string name = "queue " + std::to_string(queue_index);
    if (waiting) name += " waiting";
    if (track != 0) name += ' ' + std::to_string(track);
    events_.name_track(kQueues, number, name);
    named |= std::uint32_t{1} << track;
  }
  return number;
}

void Timeline::kernel_submitted(const Kernel& event) {
  OpenKernel kernel;
  kernel.name = event.name == nullptr ? std::string() : *event.name;
  kernel.queue = event.queue;
  kernel.submitted = event.cycle;
  kernel.track = take_track(event.queue, true);
  counter(kQueues, "queue " + std::to_string(event.queue) + " waiting", "kernels", ++queue(event.queue).waiting,
          event.cycle);
  kernels_[event.ticket] = std::move(kernel);
}

void Timeline::write_waiting(OpenKernel& kernel, Ticket ticket, Cycle end, bool finished) {
  free_track(kernel.queue, true, kernel.track);
  if (kernel.track < kTracks && end > kernel.submitted && events_.inside(kernel.submitted, end)) {
    const unsigned track = queue_track(kernel.queue, true, kernel.track);
    events_.begin_slice(readable(kernel.name), "waiting", kQueues, track, kernel.submitted, end);
    events_.argument("ticket", ticket);
    if (!finished) events_.argument("state", "unfinished");
    events_.end();
  }
  counter(kQueues, "queue " + std::to_string(kernel.queue) + " waiting", "kernels", --queue(kernel.queue).waiting, end);
}

void Timeline::kernel_granted(const Kernel& event) {
  const auto at = kernels_.find(event.ticket);
  if (at == kernels_.end()) {
    // The kernel was not submitted through a host queue, so its track starts here.
    OpenKernel kernel;
    kernel.name = event.name == nullptr ? std::string() : *event.name;
    kernel.queue = event.queue;
    kernel.submitted = kernel.granted = event.cycle;
    kernel.track = take_track(event.queue, false);
    kernels_[event.ticket] = std::move(kernel);
    return;
  }
  OpenKernel& kernel = at->second;
  write_waiting(kernel, event.ticket, event.cycle, true);
  kernel.granted = event.cycle;
  kernel.track = take_track(kernel.queue, false);
}

void Timeline::kernel_written(const Kernel& event) {
  const auto at = kernels_.find(event.ticket);
  if (at == kernels_.end()) return;
  at->second.written = event.cycle;
  at->second.entry = event.entry;
}

void Timeline::write_kernel(OpenKernel& kernel, Ticket ticket, Cycle end, bool finished) {
  free_track(kernel.queue, false, kernel.track);
  if (kernel.track == kTracks || !events_.inside(kernel.granted, end)) return;
  const unsigned track = queue_track(kernel.queue, false, kernel.track);
  events_.begin_slice(readable(kernel.name), "kernel", kQueues, track, kernel.granted, end);
  if (readable(kernel.name) != kernel.name) events_.argument("kernel", kernel.name);
  events_.argument("ticket", ticket);
  if (kernel.written != kForever) events_.argument("entry", kernel.entry);
  if (!finished) events_.argument("state", "unfinished");
  events_.end();
  const Cycle parsed = std::min(kernel.written, end);
  if (parsed > kernel.granted) {
    events_.begin_slice("parsing", "phase", kQueues, track, kernel.granted, parsed);
    events_.end();
  }
  if (end > parsed) {
    events_.begin_slice("running", "phase", kQueues, track, parsed, end);
    events_.end();
  }
}

void Timeline::kernel_completed(const Kernel& event) {
  drop_away(event.ticket, event.cycle);
  const auto at = kernels_.find(event.ticket);
  if (at == kernels_.end()) return;
  OpenKernel& kernel = at->second;
  if (kernel.granted == kForever) {
    write_waiting(kernel, event.ticket, event.cycle + 1, true);
  } else {
    write_kernel(kernel, event.ticket, event.cycle + 1, true);
  }
  kernels_.erase(at);
}

// --- Copies, counters, end --------------------------------------------------------------------------------------

void Timeline::copy_started(const Copy& event) {
  if (event.engine >= copies_.size()) copies_.resize(event.engine + 1);
  copies_[event.engine] = {true, event.cycle, event.ticket, event.bytes, event.what};
}

void Timeline::write_copy(unsigned engine, OpenCopy& copy, Cycle end, bool finished) {
  copy.open = false;
  if (!events_.inside(copy.start, end)) return;
  events_.begin_slice(copy.what, "copy", kCopies, engine, copy.start, end);
  events_.argument("bytes", copy.bytes);
  events_.argument("ticket", copy.ticket);
  if (!finished) events_.argument("state", "unfinished");
  events_.end();
}

void Timeline::copy_completed(const Copy& event) {
  if (event.engine >= copies_.size() || !copies_[event.engine].open) return;
  write_copy(event.engine, copies_[event.engine], event.cycle + 1, true);
}

void Timeline::add_counter(unsigned sm, std::string name, std::vector<Series> series) {
  Counter added{kFirstSm + sm, std::move(name), std::move(series), {}};
  for (const Series& each : added.series) added.last.push_back(each.value());
  counters_.push_back(std::move(added));
  if (next_sample_ == kForever) next_sample_ = window_;
}

void Timeline::add_counter(std::string name, std::vector<Series> series) {
  add_counter(0, std::move(name), std::move(series));
  counters_.back().process = kQueues;
}

void Timeline::sample(Cycle now) {
  if (now < next_sample_) return;
  sample_counters(now, std::max<std::uint64_t>((now - sampled_) / window_, 1));
  next_sample_ = now - now % window_ + window_;
}

void Timeline::sample_counters(Cycle now, std::uint64_t windows) {
  const bool shown = events_.inside(sampled_, now);
  for (Counter& each : counters_) {
    if (shown) events_.begin_counter(each.name, each.process, sampled_);
    for (std::size_t i = 0; i < each.series.size(); ++i) {
      const std::uint64_t value = each.series[i].value();
      if (shown) events_.argument(each.series[i].name, (value - each.last[i]) / windows);
      each.last[i] = value;
    }
    if (shown) events_.end();
  }
  sampled_ = now;
}

void Timeline::close(Cycle now) {
  if (closed_) return;
  closed_ = true;
  for (std::size_t i = 0; i < tbs_.size(); ++i) {
    if (!tbs_[i].open) continue;
    write_tb(static_cast<unsigned>(i / contexts_), static_cast<unsigned>(i % contexts_), tbs_[i],
             std::max(now, tbs_[i].start), "unfinished");
  }
  std::vector<Ticket> tickets;
  for (const auto& [ticket, kernel] : kernels_) tickets.push_back(ticket);
  std::sort(tickets.begin(), tickets.end());
  for (const Ticket ticket : tickets) {
    OpenKernel& kernel = kernels_[ticket];
    if (kernel.granted == kForever) {
      write_waiting(kernel, ticket, std::max(now, kernel.submitted), false);
    } else {
      write_kernel(kernel, ticket, std::max(now, kernel.granted), false);
    }
  }
  kernels_.clear();
  for (unsigned engine = 0; engine < copies_.size(); ++engine) {
    if (copies_[engine].open) write_copy(engine, copies_[engine], std::max(now, copies_[engine].start), false);
  }
  if (now > sampled_) {
    sample_counters(now, 1);
    sample_counters(now, 1);  // ends the counters: shows a growth of 0 from `now` on
  }
  events_.close();
}

}  // namespace castor::gpu
