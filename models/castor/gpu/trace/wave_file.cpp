#include "castor/gpu/trace/wave_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <sstream>
#include <utility>

#include "castor/base/dump_text.h"
#include "castor/base/error.h"

namespace castor::gpu {
namespace {

/// Returns whether `pattern` matches the whole text, or a prefix that ends before a dot.
bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0;
  std::size_t star = std::string_view::npos, retry = 0;
  while (true) {
    if (p == pattern.size() && (t == text.size() || text[t] == '.')) return true;
    if (t < text.size() && p < pattern.size() && pattern[p] != '*' && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = t;
    } else if (star != std::string_view::npos && retry < text.size()) {
      p = star + 1;
      t = ++retry;
    } else {
      return false;
    }
  }
}

std::vector<std::string_view> parts_of(std::string_view scope) {
  std::vector<std::string_view> parts;
  while (!scope.empty()) {
    const std::size_t end = std::min(scope.find('.'), scope.size());
    parts.push_back(scope.substr(0, end));
    scope.remove_prefix(std::min(end + 1, scope.size()));
  }
  return parts;
}

/// Replaces characters that are not allowed in the names of a dump.
std::string word(std::string_view name) {
  std::string out(name);
  for (char& c : out) {
    if (c <= ' ' || c > '~') c = '_';
  }
  return out.empty() ? "_" : out;
}

/// Binary digits of all byte values, eight per value.
constexpr std::array<char, 2048> kBits = [] {
  std::array<char, 2048> bits{};
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<char>('0' + (i / 8 >> (7 - i % 8) & 1U));
  return bits;
}();

/// Returns the prefix for the identifiers of dump number `index`; kAfter is appended to them. The identifiers cannot
/// collide with those of signals: no signal code of several characters ends in kAfter, and all prefixes have the same
/// length.
std::string prefix_of(std::size_t index) {
  CASTOR_ASSERT(index < std::size_t{94} * 94);
  return {static_cast<char>('!' + index % 94), static_cast<char>('!' + index / 94)};
}

constexpr char kAfter = '!';

/// Returns the declarations of a dump with prefix and kAfter added to their identifiers.
std::string with_prefix(const std::string& declarations, const std::string& prefix) {
  std::string text;
  std::istringstream lines(declarations);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string command, kind, width;
    if (words >> command && command == "$var" && words >> kind >> width >> std::ws) {
      const auto at = static_cast<std::size_t>(words.tellg());
      line.insert(line.find(' ', at), 1, kAfter).insert(at, prefix);
    }
    text += line + '\n';
  }
  return text;
}

}  // namespace

WaveFile::WaveFile(const std::string& path, std::vector<std::string> scopes, base::Cycle from, base::Cycle to)
    : file_(path, ""), scopes_(std::move(scopes)), matched_(scopes_.size(), false), from_(from), to_(to) {}

WaveFile::~WaveFile() { file_.close(); }

bool WaveFile::traced(std::string_view scope) const {
  return scopes_.empty() ||
         std::any_of(scopes_.begin(), scopes_.end(), [&](const std::string& each) { return matches(each, scope); });
}

std::vector<std::string> WaveFile::unmatched() const {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < scopes_.size(); ++i) {
    if (!matched_[i]) result.push_back(scopes_[i]);
  }
  return result;
}

bool WaveFile::admit(std::string_view scope) {
  CASTOR_ASSERT(!begun_, "a signal is declared after the first sample");
  if (!traced(scope)) return false;
  for (std::size_t i = 0; i < scopes_.size(); ++i) {
    if (!matched_[i] && matches(scopes_[i], scope)) matched_[i] = true;
  }
  return true;
}

bool WaveFile::add_dump(std::string_view scope, const std::string& declarations,
                        std::function<const std::string&()> changes) {
  if (!admit(scope)) return false;
  Dump dump;
  dump.scope = scope;
  dump.declarations = declarations;
  dump.changes = std::move(changes);
  dumps_.push_back(std::move(dump));
  return true;
}

bool WaveFile::add_signal(std::string_view scope, std::string_view name, unsigned width, Source source,
                          base::ValueNames names) {
  CASTOR_ASSERT(width >= 1 && width <= 64, "a signal of %u bits", width);
  if (!admit(scope)) return false;
  Signal signal;
  signal.source = std::move(source);
  signal.width = width;
  signal.names = names;
  signal.mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  signal.scope = scope;
  signal.name = word(name);
  signals_.push_back(std::move(signal));
  return true;
}

std::uint64_t WaveFile::read(const Signal& signal) {
  const void* const at = signal.source.memory;
  const auto load = [at](auto value) {
    std::memcpy(&value, at, sizeof value);
    return static_cast<std::uint64_t>(value);
  };
  switch (signal.source.bytes) {
    case 0:
      return signal.source.function() & signal.mask;
    case 1:
      return load(std::uint8_t{}) & signal.mask;
    case 2:
      return load(std::uint16_t{}) & signal.mask;
    case 4:
      return load(std::uint32_t{}) & signal.mask;
    default:
      return load(std::uint64_t{}) & signal.mask;
  }
}

void WaveFile::write_header() {
  begun_ = true;
  // Signals of one scope are adjacent; otherwise the order of declaration is kept.
  std::vector<std::vector<std::string_view>> paths;
  std::vector<std::size_t> order(signals_.size());
  std::size_t codes = 0;
  for (std::size_t i = 0; i < signals_.size(); ++i) {
    order[i] = i;
    paths.push_back(parts_of(signals_[i].scope));
    signals_[i].code = base::identifier(codes++);
    if (signals_[i].names.any()) signals_[i].name_code = base::identifier(codes++);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return paths[a] < paths[b]; });
  text_ = "$version Castor $end\n$timescale 1ps $end\n";
  std::vector<std::string_view> open;
  const auto go_to = [&](const std::vector<std::string_view>& path) {
    std::size_t same = 0;
    while (same < open.size() && same < path.size() && open[same] == path[same]) ++same;
    for (; open.size() > same; open.pop_back()) text_ += "$upscope $end\n";
    for (; open.size() < path.size(); open.push_back(path[open.size()])) {
      text_ += "$scope module " + word(path[open.size()]) + " $end\n";
    }
  };
  for (const std::size_t index : order) {
    const Signal& signal = signals_[index];
    go_to(paths[index]);
    text_ += "$var wire " + std::to_string(signal.width) + ' ' + signal.code + ' ' + signal.name;
    if (signal.width > 1) text_ += " [" + std::to_string(signal.width - 1) + ":0]";
    text_ += " $end\n";
    if (signal.names.any()) text_ += base::name_variable(signal.name, signal.name_code);
  }
  for (std::size_t i = 0; i < dumps_.size(); ++i) {
    dumps_[i].prefix = prefix_of(i);
    go_to(parts_of(dumps_[i].scope));
    text_ += with_prefix(dumps_[i].declarations, dumps_[i].prefix);
  }
  go_to({});
  text_ += "$enddefinitions $end\n";
}

void WaveFile::write_value(const Signal& signal, std::uint64_t value) {
  char line[80];
  char* at = line;
  if (signal.width == 1) {
    *at++ = static_cast<char>('0' + value);
  } else {
    *at++ = 'b';
    unsigned bytes = value == 0 ? 1 : (71 - static_cast<unsigned>(__builtin_clzll(value))) / 8;
    for (; bytes != 0; --bytes, at += 8) {
      // The leading byte is truncated to the width of the signal.
      const std::uint64_t byte = value >> (8 * (bytes - 1)) & 0xffU;
      std::memcpy(at, &kBits[8 * byte], 8);
    }
    const auto digits = static_cast<unsigned>(at - line - 1);
    if (digits > signal.width) {
      std::memmove(line + 1, line + 1 + digits - signal.width, signal.width);
      at -= digits - signal.width;
    }
    *at++ = ' ';
  }
  text_.append(line, at);
  text_ += signal.code;
  text_ += '\n';
  if (signal.names.any()) text_ += 's' + signal.names.of(value) + ' ' + signal.name_code + '\n';
}

void WaveFile::write_changes(const Dump& dump, std::string_view changes) {
  base::each_change(changes, [&](std::string_view line, std::size_t at) {
    CASTOR_ASSERT(at != std::string_view::npos, "the dump of %s says '%s'", dump.scope.c_str(),
                  base::printable(std::string(line)).c_str());
    text_.append(line.substr(0, at)).append(dump.prefix).append(line.substr(at)).append({kAfter, '\n'});
  });
}

void WaveFile::write_time(base::Picoseconds time) {
  char digits[24];
  text_ += '#';
  text_.append(digits, std::to_chars(digits, digits + sizeof digits, time).ptr);
  text_ += '\n';
  last_time_ = time;
}

void WaveFile::sample(base::Cycle cycle, base::Picoseconds time) {
  if (!active(cycle)) return;
  if (cycle > to_) return close(time);
  if (!begun_) {
    write_header();
    write_time(time);
    text_ += "$dumpvars\n";
    for (Signal& signal : signals_) write_value(signal, signal.last = read(signal));
    for (const Dump& dump : dumps_) write_changes(dump, dump.changes());
    text_ += "$end\n";
  } else {
    text_.clear();
    bool changed = false;
    for (Signal& signal : signals_) {
      const std::uint64_t value = read(signal);
      if (value == signal.last) continue;
      if (!changed) write_time(time);
      changed = true;
      write_value(signal, signal.last = value);
    }
    for (const Dump& dump : dumps_) {
      const std::string& changes = dump.changes();
      if (changes.empty()) continue;
      if (!changed) write_time(time);
      changed = true;
      write_changes(dump, changes);
    }
  }
  file_.append(text_);
  open_ = file_.good();
}

void WaveFile::close(base::Picoseconds time) {
  if (!open_) return;
  open_ = false;
  if (!begun_)
    write_header();
  else
    text_.clear();
  if (time > last_time_) write_time(time);  // gives the last values a duration
  file_.append(text_);
  file_.close();
}

}  // namespace castor::gpu
