#include "castor/gpu/replay/replay_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <utility>

#include "castor/gpu/hooks/hooks.h"

namespace castor::gpu {
/// Word of a line, and its column from 1 on.
struct ReplayWord {
  std::string_view text;
  int column = 0;
};

namespace {

constexpr std::uint64_t kMostServiceCycles = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMostWarps = 1'000'000;

std::vector<ReplayWord> split(std::string_view line) {
  line = line.substr(0, line.find('#'));
  std::vector<ReplayWord> words;
  const std::string_view space = " \t\r";
  for (std::size_t at = line.find_first_not_of(space); at != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(space, at), line.size());
    words.push_back({line.substr(at, end - at), static_cast<int>(at) + 1});
    at = line.find_first_not_of(space, end);
  }
  return words;
}

}  // namespace

/// Parser of replay files, line by line. A kernel's or table's statements follow its head line.
class ReplayParser {
 public:
  explicit ReplayParser(ReplayFile& out) : out_(out) {}

  void parse(std::string_view text) {
    while (!text.empty()) {
      ++line_;
      const std::size_t end = std::min(text.find('\n'), text.size());
      words_ = split(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
      if (words_.empty()) continue;
      next_ = 0;
      statement();
      if (next_ < words_.size()) fail("'" + base::printable(words_[next_].text) + "' is one word too many");
    }
    if (!begun_) fail("the file is empty", "a replay file starts with 'castor-replay 1'");
    end_kernel();
    finish();
  }

 private:
  [[noreturn]] void fail_at(int line, int column, const std::string& what, const std::string& hint = {}) const {
    throw base::InputError({out_.file_, line, column}, what, hint);
  }
  [[noreturn]] void fail(const std::string& what, const std::string& hint = {}) const {
    fail_at(line_, next_ < words_.size() ? words_[next_].column : 0, what, hint);
  }

  std::string_view word(const char* what) {
    if (next_ == words_.size()) fail(std::string("missing ") + what);
    return words_[next_++].text;
  }

  std::uint64_t number(const char* what, std::uint64_t low, std::uint64_t high) {
    const std::string_view text = word(what);
    --next_;  // messages name the column of the word just read
    if (text[0] == '-') fail(std::string(what) + " '" + base::printable(text) + "' is negative");
    std::uint64_t value = 0;
    for (const char c : text) {
      if (c < '0' || c > '9') fail(std::string(what) + " '" + base::printable(text) + "' is no whole number");
      value = value * 10 + static_cast<std::uint64_t>(c - '0');
      if (value > high) break;
    }
    if (value < low || value > high) {
      fail(std::string(what) + " " + base::printable(text) + " is out of range",
           "allowed: " + std::to_string(low) + " to " + std::to_string(high));
    }
    ++next_;
    return value;
  }

  /// Reads a decimal number (digits, optionally a point and up to nine digits). Returns it x 2^32, rounded down.
  std::uint64_t fraction(const char* what, std::uint64_t most) {
    const std::string_view text = word(what);
    --next_;
    if (text[0] == '-') fail(std::string(what) + " '" + base::printable(text) + "' is negative");
    std::uint64_t digits = 0, scale = 1;
    bool point = false, any = false;
    for (const char c : text) {
      if (c == '.' && !point) {
        point = true;
        continue;
      }
      if (c < '0' || c > '9' || scale == 1'000'000'000) {
        fail(std::string(what) + " '" + base::printable(text) + "' is no decimal number with at most nine places");
      }
      any = true;
      digits = digits * 10 + static_cast<std::uint64_t>(c - '0');
      if (point) scale *= 10;
      if (digits > most * scale) {
        fail(std::string(what) + " " + base::printable(text) + " is out of range",
             "allowed: 0 to " + std::to_string(most));
      }
    }
    if (!any) fail(std::string(what) + " '" + base::printable(text) + "' is no number");
    ++next_;
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((Wide{digits} << 32U) / scale);
  }

  void statement() {
    const std::string_view key = word("statement");
    if (!begun_) {
      if (key != "castor-replay") {
        next_ = 0;
        fail("this is no replay file", "it starts with 'castor-replay 1'");
      }
      number("version", 1, 1);
      begun_ = true;
    } else if (key == "kernel") {
      begin_kernel();
    } else if (key == "rates") {
      begin_rates();
    } else if (key == "row") {
      row();
    } else if (key == "w0") {
      load();
    } else {
      property(key);
    }
  }

  void load() {
    if (next_ < words_.size() && words_[next_].text == "sm") {
      ++next_;
      const auto sm = static_cast<unsigned>(number("SM", 0, 63));
      for (const auto& known : out_.w0_of_sm_) {
        if (known.first == sm) fail("w0 of SM " + std::to_string(sm) + " given twice");
      }
      out_.w0_of_sm_.emplace_back(sm, number("load", 1, kMostWarps));
      return;
    }
    if (out_.has_w0_) fail("w0 given twice");
    out_.w0_ = number("load", 1, kMostWarps);
    out_.has_w0_ = true;
  }

  void begin_kernel() {
    end_kernel();
    in_rates_ = false;
    const std::string name(word("name of the kernel"));
    for (const ReplayType& type : out_.types_) {
      if (type.name != name) continue;
      --next_;
      fail("kernel '" + base::printable(name) + "' declared twice", "first in line " + std::to_string(type.line));
    }
    if (out_.types_.size() == 256) fail("more than 256 kernels");
    out_.types_.emplace_back();
    out_.types_.back().name = name;
    out_.types_.back().line = line_;
    given_.clear();
    in_kernel_ = true;
  }

  [[nodiscard]] bool given(std::string_view key) const {
    return std::find(given_.begin(), given_.end(), key) != given_.end();
  }

  void end_kernel() {
    if (!in_kernel_) return;
    in_kernel_ = false;
    const ReplayType& type = out_.types_.back();
    for (const char* key : {"threads", "registers", "tbs", "service"}) {
      if (!given(key)) {
        fail_at(type.line, 0, "kernel '" + base::printable(type.name) + "' has no '" + std::string(key) + "'");
      }
    }
    if (type.service.kind == ServiceLaw::Kind::kTable && type.service.values.size() != type.tbs) {
      fail_at(service_line_, 0,
              "kernel '" + base::printable(type.name) + "' has " + std::to_string(type.tbs) + " TBs and " +
                  std::to_string(type.service.values.size()) + " recorded services",
              "one for each TB");
    }
  }

  void property(std::string_view key) {
    const std::string name(key);
    --next_;
    if (!in_kernel_) fail("'" + base::printable(key) + "' belongs to no kernel", "start one with 'kernel <name>'");
    ReplayType& type = out_.types_.back();
    if (name != "more") {
      if (given(name)) fail("'" + base::printable(key) + "' given twice");
      given_.push_back(name);
    }
    ++next_;
    if (name == "threads") {
      type.threads = static_cast<std::uint32_t>(number("threads", 1, 65535));
    } else if (name == "registers") {
      type.registers = static_cast<std::uint32_t>(number("registers", 1, 256));
    } else if (name == "shared") {
      type.shared = static_cast<std::uint32_t>(number("shared bytes", 0, std::uint64_t{1} << 30U));
    } else if (name == "tbs") {
      type.tbs = static_cast<std::uint32_t>(number("TBs", 1, 0x7fffffff));
    } else if (name == "energy") {
      type.energy = number("energy", 0, std::uint64_t{1} << 40U);
    } else if (name == "service") {
      service(type.service);
    } else if (name == "more") {
      if (type.service.values.empty()) fail("'more' continues a list of services, and no list precedes it");
      values(type.service);
    } else if (name == "pulse") {
      pulse(type.pulse);
    } else {
      --next_;
      fail("unknown statement '" + base::printable(key) + "'",
           "a kernel has threads, registers, shared, tbs, service, more, pulse and energy");
    }
  }

  void values(ServiceLaw& law) {
    do {
      law.values.push_back(static_cast<std::uint32_t>(number("service", 0, kMostServiceCycles)));
    } while (next_ < words_.size());
  }

  void service(ServiceLaw& law) {
    service_line_ = line_;
    const std::string_view kind = word("service law");
    const auto cycles = [&](const char* what) {
      return static_cast<std::uint32_t>(number(what, 0, kMostServiceCycles));
    };
    if (kind == "constant") {
      law.kind = ServiceLaw::Kind::kConstant;
      law.a = cycles("service");
    } else if (kind == "uniform") {
      law.kind = ServiceLaw::Kind::kUniform;
      law.a = cycles("lowest service");
      law.b = static_cast<std::uint32_t>(number("highest service", law.a, kMostServiceCycles));
    } else if (kind == "exponential") {
      law.kind = ServiceLaw::Kind::kExponential;
      law.a = cycles("mean service");
    } else if (kind == "normal") {
      law.kind = ServiceLaw::Kind::kNormal;
      law.a = cycles("mean service");
      law.b = cycles("standard deviation");
    } else if (kind == "table" || kind == "sample") {
      law.kind = kind == "table" ? ServiceLaw::Kind::kTable : ServiceLaw::Kind::kSample;
      values(law);
    } else {
      --next_;
      fail("unknown service law '" + base::printable(kind) + "'",
           "known: constant, uniform, exponential, normal, table, sample");
    }
  }

  void pulse(ReplayPulse& pulse) {
    std::vector<std::string_view> seen;
    do {
      const std::string_view key = word("name of a wire");
      if (std::find(seen.begin(), seen.end(), key) != seen.end()) {
        --next_;
        fail("'" + base::printable(key) + "' given twice");
      }
      seen.push_back(key);
      if (key == "lanes") {
        pulse.lanes = fraction("lanes", 1024);
      } else if (key == "misses") {
        pulse.misses = fraction("misses", 255);
      } else if (key == "stall") {
        pulse.stall = fraction("stall", 1);
      } else if (key == "outstanding") {
        pulse.outstanding = fraction("outstanding", 65535);
      } else {
        --next_;
        fail("unknown wire '" + base::printable(key) + "'", "known: lanes, misses, stall, outstanding");
      }
    } while (next_ < words_.size());
    out_.has_pulses_ = out_.has_pulses_ || !pulse.none();
  }

  void begin_rates() {
    end_kernel();
    if (!columns_.empty()) fail("a second table of rates", "a file has one");
    in_rates_ = true;
    out_.rates_.line = line_;
    do {
      if (std::any_of(columns_.begin(), columns_.end(),
                      [&](const ReplayWord& w) { return w.text == words_[next_].text; })) {
        fail("kernel '" + base::printable(words_[next_].text) + "' has two columns");
      }
      word("name of a kernel");
      columns_.push_back(words_[next_ - 1]);
    } while (next_ < words_.size());
  }

  void row() {
    if (!in_rates_) fail("'row' belongs to a table of rates", "start one with 'rates <kernel> ...'");
    ReplayRates::Row row;
    row.line = line_;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      row.counts.push_back(static_cast<std::uint32_t>(number("number of TBs", 0, 64)));
    }
    if (word("':'") != ":") {
      --next_;
      fail("expected ':' behind " + std::to_string(columns_.size()) + " numbers of TBs");
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (row.counts[i] == 0) {
        if (word("'-'") != "-") {
          --next_;
          fail("a kernel without TBs has no speed", "write '-'");
        }
        row.rates.push_back(0);
        continue;
      }
      row.rates.push_back(fraction("speed", 1));
      if (row.rates.back() == 0) {
        --next_;
        fail("speed 0: the TBs would never end", "allowed: 2^-32 to 1");
      }
    }
    out_.rates_.rows.push_back(std::move(row));
  }

  void finish() {
    std::vector<unsigned>& names = out_.by_name_;
    for (unsigned i = 0; i < out_.types_.size(); ++i) names.push_back(i);
    std::sort(names.begin(), names.end(),
              [&](unsigned a, unsigned b) { return out_.types_[a].name < out_.types_[b].name; });
    for (const ReplayWord& column : columns_) {
      const int type = out_.find(column.text);
      if (type < 0) {
        fail_at(out_.rates_.line, column.column, "unknown kernel '" + base::printable(column.text) + "'");
      }
      out_.rates_.columns.push_back(static_cast<unsigned>(type));
    }
    std::vector<ReplayRates::Row>& rows = out_.rates_.rows;
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.counts < b.counts; });
    for (std::size_t i = 1; i < rows.size(); ++i) {
      if (rows[i - 1].counts == rows[i].counts) {
        fail_at(rows[i].line, 0, "this row stands in line " + std::to_string(rows[i - 1].line) + " already");
      }
    }
    for (ReplayType& type : out_.types_) {
      auto program = std::make_shared<isa::Program>();
      program->kernel = type.name;
      program->module = out_.file_;
      program->registers = type.registers;
      program->shared_bytes = type.shared;
      type.program = std::move(program);
    }
  }

  ReplayFile& out_;
  std::vector<ReplayWord> words_;
  std::size_t next_ = 0;
  int line_ = 0, service_line_ = 0;
  bool begun_ = false, in_kernel_ = false, in_rates_ = false;
  std::vector<std::string> given_;
  std::vector<ReplayWord> columns_;
};

const ReplayRates::Row* ReplayRates::find(const std::vector<std::uint32_t>& counts) const {
  const auto at = std::lower_bound(rows.begin(), rows.end(), counts,
                                   [](const Row& row, const auto& wanted) { return row.counts < wanted; });
  return at != rows.end() && at->counts == counts ? &*at : nullptr;
}

ReplayFile ReplayFile::parse(std::string_view text, const std::string& file) {
  ReplayFile out;
  out.file_ = file;
  ReplayParser(out).parse(text);
  return out;
}

ReplayFile ReplayFile::read(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file.is_open() || file.bad()) {
    throw base::InputError("cannot read '" + base::printable(path, std::string::npos) +
                           "': " + std::strerror(errno != 0 ? errno : EIO));
  }
  return parse(text, path);
}

int ReplayFile::find(std::string_view name) const {
  const auto at = std::lower_bound(by_name_.begin(), by_name_.end(), name,
                                   [&](unsigned i, std::string_view wanted) { return types_[i].name < wanted; });
  return at != by_name_.end() && types_[*at].name == name ? static_cast<int>(*at) : -1;
}

const ReplayType& ReplayFile::type(std::string_view name) const {
  const int index = find(name);
  if (index >= 0) return types_[static_cast<std::size_t>(index)];
  std::string known;
  for (const ReplayType& each : types_) known += (known.empty() ? "" : ", ") + base::printable(each.name);
  throw base::InputError({file_, 0, 0}, "unknown kernel '" + base::printable(name) + "'",
                         known.empty() ? "the file declares none" : "the file declares " + known);
}

KernelPacket ReplayFile::packet(const ReplayType& type, ProgramHandle handle) {
  KernelPacket packet;
  packet.program = handle;
  packet.grid = {type.tbs, 1, 1};
  packet.block = {type.threads, 1, 1};
  return packet;
}

std::uint64_t ReplayFile::w0(unsigned sm, std::uint64_t otherwise) const {
  for (const auto& [index, load] : w0_of_sm_) {
    if (index == sm) return load;
  }
  return w0(otherwise);
}

void refuse_hooks_in_replay(const Hooks& hooks) {
  const auto refuse = [](const char* hook) {
    throw base::InputError(std::string("a ") + hook + " hook and replay.enable 1 exclude each other",
                           "SMs that replay services execute no instructions");
  };
  if (!hooks.fetch_filter.empty()) refuse("FetchFilter");
  if (!hooks.issue.empty()) refuse("IssuePolicy");
  if (hooks.hub != nullptr) refuse("SyncHub");
  if (!hooks.agents.empty()) refuse("SyncAgent");
  if (!hooks.swap.empty()) refuse("SwapEngine");
}

}  // namespace castor::gpu
