#include "castor/gpu/trace/trace_events.h"

#include <charconv>

namespace castor::gpu {

TraceEvents::TraceEvents(const std::string& path, const base::Clock& clock, Cycle from, Cycle to)
    : file_(path, "\n]}\n"), clock_(clock), from_(from), to_(to) {
  file_.append("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
}

// --- Text -------------------------------------------------------------------------------------------------------

void TraceEvents::put(std::uint64_t number) {
  char digits[24];
  line_.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

void TraceEvents::put_time(base::Picoseconds time) {
  put(time / base::kPicosecondsPerMicrosecond);
  char fraction[7] = {'.', '0', '0', '0', '0', '0', '0'};
  std::uint64_t rest = time % base::kPicosecondsPerMicrosecond;
  for (int i = 6; i > 0; --i, rest /= 10) fraction[i] = static_cast<char>('0' + rest % 10);
  line_.append(fraction, sizeof fraction);
}

void TraceEvents::put_text(std::string_view text) {
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

void TraceEvents::begin_line(std::string_view name) {
  line_.clear();
  if (!first_) line_ += ",\n";
  first_ = false;
  line_ += "{\"name\":";
  put_text(name);
}

void TraceEvents::place(unsigned process, unsigned track) {
  line_ += ",\"pid\":";
  put(process);
  line_ += ",\"tid\":";
  put(track);
}

// --- Events -----------------------------------------------------------------------------------------------------

void TraceEvents::name(std::string_view what, std::string_view order, unsigned process, unsigned track,
                       std::uint64_t number, const std::string& text) {
  for (const bool ordering : {false, true}) {
    begin_line(ordering ? order : what);
    line_ += ",\"ph\":\"M\"";
    place(process, track);
    line_ += ",\"args\":{";
    first_argument_ = true;
    if (ordering) {
      argument("sort_index", number);
    } else {
      argument("name", text);
    }
    end();
  }
}

void TraceEvents::name_process(unsigned process, const std::string& text) {
  name("process_name", "process_sort_index", process, 0, process, text);
}

void TraceEvents::name_track(unsigned process, unsigned track, const std::string& text) {
  name("thread_name", "thread_sort_index", process, track, track, text);
}

void TraceEvents::begin_slice(std::string_view name, std::string_view category, unsigned process, unsigned track,
                              Cycle start, Cycle end) {
  begin_line(name);
  line_ += ",\"cat\":";
  put_text(category);
  line_ += ",\"ph\":\"X\"";
  place(process, track);
  line_ += ",\"ts\":";
  put_time(clock_.time_of(start));
  line_ += ",\"dur\":";
  put_time(clock_.time_of(end) - clock_.time_of(start));
  line_ += ",\"args\":{";
  first_argument_ = true;
  argument("cycle", start);
  argument("cycles", end - start);
}

void TraceEvents::begin_counter(std::string_view name, unsigned process, Cycle cycle) {
  begin_line(name);
  line_ += ",\"ph\":\"C\"";
  place(process, 0);
  line_ += ",\"ts\":";
  put_time(clock_.time_of(cycle));
  line_ += ",\"args\":{";
  first_argument_ = true;
}

void TraceEvents::argument(std::string_view name, std::uint64_t value) {
  name_argument(name);
  put(value);
}

void TraceEvents::argument(std::string_view name, std::string_view value) {
  name_argument(name);
  put_text(value);
}

void TraceEvents::name_argument(std::string_view name) {
  if (!first_argument_) line_ += ',';
  first_argument_ = false;
  put_text(name);
  line_ += ':';
}

void TraceEvents::end() {
  line_ += "}}";
  file_.append(line_);
}

void TraceEvents::arrow(ArrowEnd which, std::string_view name, std::uint64_t id, unsigned process, unsigned track,
                        Cycle cycle) {
  begin_line(name);
  line_ += ",\"cat\":";
  put_text(name);
  line_ += which == ArrowEnd::kTail ? ",\"ph\":\"s\",\"id\":" : ",\"ph\":\"f\",\"bp\":\"e\",\"id\":";
  put(id);
  place(process, track);
  line_ += ",\"ts\":";
  put_time(clock_.time_of(cycle));
  line_ += '}';
  file_.append(line_);
}

}  // namespace castor::gpu
