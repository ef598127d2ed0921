#include <algorithm>
#include <cerrno>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>

#include "castor/base/dump_text.h"
#include "castor/base/output_file.h"
#include "castor/twin/vcd.h"

namespace castor::twin {
namespace {

/// Reader of one dump: all declarations first, then the changes, one time at a time.
class Reader {
 public:
  Reader(const VcdSource& source, std::size_t index)
      : path_(source.path), file_(source.path), prefix_(std::string(1, static_cast<char>('a' + index))) {
    if (!file_) throw base::InputError("cannot read the waves '" + base::printable(path_, std::string::npos) + "'");
    read_declarations();
    const bool wrapped = tops_.size() == 1 && tops_[0] == source.scope;
    if (!source.scope.empty() && !wrapped) {
      declarations_ = "$scope module " + source.scope + " $end\n" + declarations_ + "$upscope $end\n";
    }
    advance();
  }

  /// Returns the file's time unit as a power of ten in ps: 1 ps = 0, 1 fs = -3.
  [[nodiscard]] int exponent() const { return exponent_; }
  void set_factor(std::uint64_t factor) { factor_ = factor; }
  [[nodiscard]] const std::string& declarations() const { return declarations_; }

  [[nodiscard]] bool done() const { return done_; }
  [[nodiscard]] std::uint64_t time() const { return time_ * factor_; }
  /// Copies all changes of the current time and advances to the next time.
  void copy_to(std::ostream& out) {
    out << changes_;
    advance();
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw base::InputError({path_, line_, 0}, "this is no value change dump: " + why);
  }

  bool line(std::string& text) {
    if (!std::getline(file_, text)) return false;
    ++line_;
    while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) text.pop_back();
    return true;
  }

  /// Returns the words of a command up to its $end; the command may span several lines.
  std::vector<std::string> command(std::istringstream& words) {
    std::vector<std::string> result;
    std::string word, text;
    while (true) {
      while (words >> word) {
        if (word == "$end") return result;
        result.push_back(word);
      }
      if (!line(text)) refuse("a command has no $end");
      words.clear();
      words.str(text);
    }
  }

  void read_declarations() {
    std::string text, word;
    while (line(text)) {
      std::istringstream words(text);
      while (words >> word) {
        if (word.size() < 2 || word[0] != '$') refuse("'" + base::printable(word, 20) + "' before $enddefinitions");
        if (word == "$end") continue;
        const std::vector<std::string> arguments = command(words);
        if (word == "$enddefinitions") return;
        declare(word, arguments);
      }
    }
    refuse("it has no $enddefinitions");
  }

  void declare(const std::string& word, const std::vector<std::string>& arguments) {
    if (word == "$timescale") {
      std::string scale;
      for (const std::string& part : arguments) scale += part;
      read_scale(scale);
    } else if (word == "$scope") {
      if (arguments.size() != 2) refuse("a $scope takes a kind and a name");
      if (depth_++ == 0) tops_.push_back(arguments[1]);
      declarations_ += "$scope " + arguments[0] + " " + arguments[1] + " $end\n";
    } else if (word == "$upscope") {
      if (depth_-- == 0) refuse("an $upscope too many");
      declarations_ += "$upscope $end\n";
    } else if (word == "$var") {
      if (arguments.size() < 4) refuse("a $var takes a kind, a width, an identifier and a name");
      declarations_ += "$var " + arguments[0] + " " + arguments[1] + " " + prefix_ + arguments[2];
      for (std::size_t i = 3; i < arguments.size(); ++i) declarations_ += " " + arguments[i];
      declarations_ += " $end\n";
    }  // $date, $version and $comment are dropped
  }

  void read_scale(const std::string& text) {
    static const std::map<std::string, int> units{{"s", 12}, {"ms", 9}, {"us", 6}, {"ns", 3}, {"ps", 0}, {"fs", -3}};
    static const std::map<std::string, int> numbers{{"1", 0}, {"10", 1}, {"100", 2}};
    const std::size_t digits = text.find_first_not_of("0123456789");
    const auto number = numbers.find(text.substr(0, digits));
    const auto unit = digits == std::string::npos ? units.end() : units.find(text.substr(digits));
    if (number == numbers.end() || unit == units.end()) refuse("time scale '" + base::printable(text, 20) + "'");
    exponent_ = number->second + unit->second;
  }

  /// Reads the changes of the next time into `changes_`.
  void advance() {
    changes_.clear();
    if (at_end_) {
      done_ = true;
      return;
    }
    time_ = next_time_;
    std::string text;
    while (line(text)) {
      if (text.empty()) continue;
      if (text[0] == '#') {
        std::uint64_t next = 0;
        if (text.find_first_not_of("0123456789", 1) != std::string::npos || text.size() < 2 || text.size() > 20) {
          refuse("time '" + base::printable(text, 24) + "'");
        }
        next = std::stoull(text.substr(1));
        if (next < time_) refuse("time goes back to " + std::to_string(next));
        if (next == time_) continue;
        next_time_ = next;
        return;
      }
      copy(text);
    }
    at_end_ = true;
  }

  void copy(const std::string& text) {
    if (text[0] == '$') return;  // $dumpvars, $dumpall ... and their closing $end
    const std::size_t at = base::identifier_at(text);
    if (at == std::string::npos) {
      refuse(std::string("bBrRsS").find(text[0]) != std::string::npos ? "a value without identifier"
                                                                      : "'" + base::printable(text, 20) + "'");
    }
    changes_ += text.substr(0, at) + prefix_ + text.substr(at) + "\n";
  }

  std::string path_;
  std::ifstream file_;
  std::string prefix_;
  std::string declarations_;
  std::vector<std::string> tops_;
  std::string changes_;
  int line_ = 0;
  int depth_ = 0;
  int exponent_ = 0;
  std::uint64_t factor_ = 1;
  std::uint64_t time_ = 0;
  std::uint64_t next_time_ = 0;
  bool at_end_ = false;
  bool done_ = false;
};

}  // namespace

void merge_vcd(const std::vector<VcdSource>& sources, const std::string& output) {
  CASTOR_ASSERT(!sources.empty() && sources.size() <= 26);
  std::vector<std::unique_ptr<Reader>> readers;
  int finest = 12;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i].path == output)
      throw base::InputError("'" + base::printable(output, std::string::npos) + "' is input and output");
    readers.push_back(std::make_unique<Reader>(sources[i], i));
    finest = std::min(finest, readers.back()->exponent());
  }
  errno = 0;
  std::ofstream out(output);
  if (!out) throw base::cannot_write(output);
  static const char* const kNumbers[] = {"1", "10", "100"};
  static const char* const kUnits[] = {"fs", "ps", "ns", "us", "ms", "s"};
  out << "$timescale " << kNumbers[(finest + 3) % 3] << kUnits[(finest + 3) / 3] << " $end\n";
  for (auto& reader : readers) {
    std::uint64_t factor = 1;
    for (int e = finest; e < reader->exponent(); ++e) factor *= 10;
    reader->set_factor(factor);
    out << reader->declarations();
  }
  out << "$enddefinitions $end\n";
  while (true) {
    bool any = false;
    std::uint64_t now = 0;
    for (const auto& reader : readers) {
      if (reader->done()) continue;
      now = any ? std::min(now, reader->time()) : reader->time();
      any = true;
    }
    if (!any) break;
    out << '#' << now << '\n';
    for (const auto& reader : readers) {
      if (!reader->done() && reader->time() == now) reader->copy_to(out);
    }
  }
  errno = 0;
  out.close();
  if (!out) throw base::cannot_write(output);
}

}  // namespace castor::twin
