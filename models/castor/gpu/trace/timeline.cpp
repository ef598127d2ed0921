#include "castor/gpu/trace/timeline.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "castor/base/words.h"

namespace castor::gpu {
namespace {

constexpr unsigned kTracksOfQueue = 2 * Timeline::kTracks;  // running, waiting

unsigned lowest_clear(std::uint32_t mask) {
  return mask == ~std::uint32_t{0} ? Timeline::kTracks : static_cast<unsigned>(__builtin_ctz(~mask));
}

}  // namespace

Timeline::Timeline(const std::string& path, const Machine& machine, Cycle from, Cycle to)
    : file_(path, "\n]}\n"),
      clock_(base::kilohertz(machine.clock.core_mhz)),
      from_(from),
      to_(to),
      window_(std::max<std::uint64_t>(machine.run.window, 1)),
      contexts_(machine.sm.tb_contexts),
      tbs_(std::size_t{machine.chip.sms} * contexts_),
      named_(tbs_.size(), false),
      resident_(machine.chip.sms, 0),
      copies_(2) {
  file_.append("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
  name_process(kQueues, "front end");
  name_process(kCopies, "copy engines");
  for (unsigned sm = 0; sm < machine.chip.sms; ++sm) name_process(kFirstSm + sm, "SM " + std::to_string(sm));
  for (unsigned engine = 0; engine < copies_.size(); ++engine) {
    name_track(kCopies, engine, "engine " + std::to_string(engine));
  }
  file_.flush();
}

Timeline::~Timeline() {
  if (!closed_) file_.close();
}

// --- Text -------------------------------------------------------------------------------------------------------

void Timeline::put(std::uint64_t number) {
  char digits[24];
  line_.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

void Timeline::put_time(base::Picoseconds time) {
  put(time / base::kPicosecondsPerMicrosecond);
  char fraction[7] = {'.', '0', '0', '0', '0', '0', '0'};
  std::uint64_t rest = time % base::kPicosecondsPerMicrosecond;
  for (int i = 6; i > 0; --i, rest /= 10) fraction[i] = static_cast<char>('0' + rest % 10);
  line_.append(fraction, sizeof fraction);
}

void Timeline::put_text(std::string_view text) {
  static constexpr char kDigits[] = "0123456789abcdef";
  line_ += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      line_ += '\\';
      line_ += c;
    } else if (byte < 0x20 || byte > 0x7e) {
      line_ += "\\u00";
      line_ += kDigits[byte >> 4U];
      line_ += kDigits[byte & 15U];
    } else {
      line_ += c;
    }
  }
  line_ += '"';
}

void Timeline::begin_line() {
  line_.clear();
  if (!first_) line_ += ",\n";
  first_ = false;
  line_ += "{\"name\":";
}

void Timeline::end_line() { file_.append(line_); }

void Timeline::name_process(unsigned process, const std::string& name) {
  for (const bool order : {false, true}) {
    begin_line();
    line_ += order ? "\"process_sort_index\"" : "\"process_name\"";
    line_ += ",\"ph\":\"M\",\"pid\":";
    put(process);
    line_ += order ? ",\"tid\":0,\"args\":{\"sort_index\":" : ",\"tid\":0,\"args\":{\"name\":";
    if (order) {
      put(process);
    } else {
      put_text(name);
    }
    line_ += "}}";
    end_line();
  }
}

void Timeline::name_track(unsigned process, unsigned track, const std::string& name) {
  for (const bool order : {false, true}) {
    begin_line();
    line_ += order ? "\"thread_sort_index\"" : "\"thread_name\"";
    line_ += ",\"ph\":\"M\",\"pid\":";
    put(process);
    line_ += ",\"tid\":";
    put(track);
    line_ += order ? ",\"args\":{\"sort_index\":" : ",\"args\":{\"name\":";
    if (order) {
      put(track);
    } else {
      put_text(name);
    }
    line_ += "}}";
    end_line();
  }
}

const std::string& Timeline::readable(const std::string& kernel) {
  const auto [found, fresh] = readable_.try_emplace(kernel);
  if (fresh) found->second = base::readable_name(kernel);
  return found->second;
}

void Timeline::begin_slice(std::string_view name, std::string_view category, unsigned process, unsigned track,
                           Cycle start, Cycle end) {
  begin_line();
  put_text(name);
  line_ += ",\"cat\":";
  put_text(category);
  line_ += ",\"ph\":\"X\",\"pid\":";
  put(process);
  line_ += ",\"tid\":";
  put(track);
  line_ += ",\"ts\":";
  put_time(clock_.time_of(start));
  line_ += ",\"dur\":";
  put_time(clock_.time_of(end) - clock_.time_of(start));
  line_ += ",\"args\":{\"cycle\":";
  put(start);
  argument("cycles", end - start);
}

void Timeline::argument(std::string_view name, std::uint64_t value) {
  line_ += ',';
  put_text(name);
  line_ += ':';
  put(value);
}

void Timeline::argument(std::string_view name, std::string_view value) {
  line_ += ',';
  put_text(name);
  line_ += ':';
  put_text(value);
}

void Timeline::end_slice() {
  line_ += "}}";
  end_line();
}

void Timeline::counter(unsigned process, std::string_view name, std::string_view series, std::uint64_t value,
                       Cycle cycle) {
  if (!inside(cycle, cycle)) return;
  begin_line();
  put_text(name);
  line_ += ",\"ph\":\"C\",\"pid\":";
  put(process);
  line_ += ",\"tid\":0,\"ts\":";
  put_time(clock_.time_of(cycle));
  line_ += ",\"args\":{";
  put_text(series);
  line_ += ':';
  put(value);
  end_slice();
}

// --- Thread blocks ----------------------------------------------------------------------------------------------

void Timeline::write_tb(unsigned sm, unsigned context, OpenTb& tb, Cycle end, bool finished) {
  tb.open = false;
  if (!inside(tb.start, end)) return;
  const std::size_t index = std::size_t{sm} * contexts_ + context;
  if (!named_[index]) name_track(kFirstSm + sm, context, "context " + std::to_string(context));
  named_[index] = true;
  begin_slice(readable(*tb.kernel), "tb", kFirstSm + sm, context, tb.start, end);
  argument("tb", tb.gid);
  if (tb.group != kNoGroup) argument("group", tb.group);
  argument("ticket", tb.ticket);
  if (!finished) argument("state", "unfinished");
  end_slice();
}

// An arrow from the block that launches to the first block of the launch.
void Timeline::arrow_end(char phase, unsigned sm, unsigned context, Ticket ticket, Cycle cycle) {
  begin_line();
  line_ += "\"launch\",\"cat\":\"launch\",\"ph\":\"";
  line_ += phase;
  line_ += phase == 'f' ? "\",\"bp\":\"e\",\"id\":" : "\",\"id\":";
  put(ticket);
  line_ += ",\"pid\":";
  put(kFirstSm + sm);
  line_ += ",\"tid\":";
  put(context);
  line_ += ",\"ts\":";
  put_time(clock_.time_of(cycle));
  line_ += '}';
  end_line();
}

void Timeline::launched(const Launch& event) {
  if (!inside(event.cycle, event.cycle)) return;
  arrow_end('s', event.sm, event.context, event.ticket, event.cycle);
  arrows_.insert(event.ticket);
}

void Timeline::tb_started(const Tb& event) {
  if (arrows_.erase(event.kernel->ticket) != 0) {
    arrow_end('f', event.sm, event.context, event.kernel->ticket, event.cycle);
  }
  OpenTb& tb = tbs_[std::size_t{event.sm} * contexts_ + event.context];
  tb = {true, event.cycle, &event.kernel->program->kernel, event.kernel->ticket, event.gid, event.group};
  counter(kFirstSm + event.sm, "resident TBs", "TBs", ++resident_[event.sm], event.cycle);
}

void Timeline::tb_retired(const Tb& event) {
  OpenTb& tb = tbs_[std::size_t{event.sm} * contexts_ + event.context];
  if (!tb.open) return;
  write_tb(event.sm, event.context, tb, event.cycle + 1, true);
  counter(kFirstSm + event.sm, "resident TBs", "TBs", --resident_[event.sm], event.cycle + 1);
}

// --- Kernels
// ----------------------------------------------------------------------------------------------------------

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
    name_track(kQueues, number, name);
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
  if (kernel.track < kTracks && end > kernel.submitted && inside(kernel.submitted, end)) {
    const unsigned track = queue_track(kernel.queue, true, kernel.track);
    begin_slice(readable(kernel.name), "waiting", kQueues, track, kernel.submitted, end);
    argument("ticket", ticket);
    if (!finished) argument("state", "unfinished");
    end_slice();
  }
  counter(kQueues, "queue " + std::to_string(kernel.queue) + " waiting", "kernels", --queue(kernel.queue).waiting, end);
}

void Timeline::kernel_granted(const Kernel& event) {
  const auto at = kernels_.find(event.ticket);
  if (at == kernels_.end()) {
    // Not from the host's queues: it begins here.
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
  if (kernel.track == kTracks || !inside(kernel.granted, end)) return;
  const unsigned track = queue_track(kernel.queue, false, kernel.track);
  begin_slice(readable(kernel.name), "kernel", kQueues, track, kernel.granted, end);
  if (readable(kernel.name) != kernel.name) argument("kernel", kernel.name);
  argument("ticket", ticket);
  if (kernel.written != kForever) argument("entry", kernel.entry);
  if (!finished) argument("state", "unfinished");
  end_slice();
  const Cycle parsed = std::min(kernel.written, end);
  if (parsed > kernel.granted) {
    begin_slice("parsing", "phase", kQueues, track, kernel.granted, parsed);
    end_slice();
  }
  if (end > parsed) {
    begin_slice("running", "phase", kQueues, track, parsed, end);
    end_slice();
  }
}

void Timeline::kernel_completed(const Kernel& event) {
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
  if (!inside(copy.start, end)) return;
  begin_slice(copy.what, "copy", kCopies, engine, copy.start, end);
  argument("bytes", copy.bytes);
  argument("ticket", copy.ticket);
  if (!finished) argument("state", "unfinished");
  end_slice();
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
  const bool shown = inside(sampled_, now);
  for (Counter& each : counters_) {
    if (shown) {
      begin_line();
      put_text(each.name);
      line_ += ",\"ph\":\"C\",\"pid\":";
      put(each.process);
      line_ += ",\"tid\":0,\"ts\":";
      put_time(clock_.time_of(sampled_));
      line_ += ",\"args\":{";
    }
    for (std::size_t i = 0; i < each.series.size(); ++i) {
      const std::uint64_t value = each.series[i].value();
      if (shown) {
        if (i != 0) line_ += ',';
        put_text(each.series[i].name);
        line_ += ':';
        put((value - each.last[i]) / windows);
      }
      each.last[i] = value;
    }
    if (shown) end_slice();
  }
  sampled_ = now;
}

void Timeline::close(Cycle now) {
  if (closed_) return;
  closed_ = true;
  for (std::size_t i = 0; i < tbs_.size(); ++i) {
    if (!tbs_[i].open) continue;
    write_tb(static_cast<unsigned>(i / contexts_), static_cast<unsigned>(i % contexts_), tbs_[i],
             std::max(now, tbs_[i].start), false);
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
    sample_counters(now, 1);  // nothing from here on
  }
  file_.close();
}

}  // namespace castor::gpu
