#include "platforms/experiments/page.h"

#include <sstream>
#include <utility>

#include "castor/base/error.h"

namespace castor::platforms::experiments {
namespace {

constexpr const char *kOpen = "<!-- ", *kClose = " -->", *kEnd = "<!-- end -->";

// Returns the content of a line that is a Markdown comment; "" for any other line.
std::string comment_of(const std::string& line) {
  const std::string open = kOpen, close = kClose;
  if (line.size() <= open.size() + close.size() || line.rfind(open, 0) != 0) return "";
  if (line.compare(line.size() - close.size(), close.size(), close) != 0) return "";
  return line.substr(open.size(), line.size() - open.size() - close.size());
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> out;
  std::stringstream in(text);
  for (std::string word; std::getline(in, word, separator);) out.push_back(word);
  return out;
}

// Parses a marker such as "table large: Faster than GTO, %". Returns false for a comment that is not a marker.
bool read_marker(const std::string& comment, PagePart& part) {
  const std::size_t colon = comment.find(": ");
  const std::vector<std::string> words = split(comment.substr(0, colon), ' ');
  if (words.empty()) return false;
  if (words[0] == "table") {
    part.kind = PagePart::Kind::kTable;
  } else if (words[0] == "claims") {
    part.kind = PagePart::Kind::kClaims;
  } else if (words[0] != "runs") {
    return false;
  }
  const bool titled = colon != std::string::npos;
  const std::size_t most = part.kind == PagePart::Kind::kRuns ? 1 : 2;
  if (titled != (part.kind == PagePart::Kind::kTable) || words.size() > most) {
    throw base::InputError("no marker: " + comment, "<!-- runs -->, <!-- table SET: TITLE --> or <!-- claims SET -->");
  }
  if (words.size() == 2) part.sets = split(words[1], '+');
  if (titled) part.title = comment.substr(colon + 2);
  return true;
}

std::string without_blank_ends(const std::string& text) {
  const std::size_t first = text.find_first_not_of('\n');
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of('\n') - first + 1);
}

}  // namespace

Page::Page(const std::string& text, const std::string& name) {
  const auto fail = [&](int line, const std::string& what) {
    throw base::InputError(base::SourceLocation{name, line}, what);
  };
  prose_.emplace_back();
  bool inside = false;
  int number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    PagePart part;
    bool begins = false;
    try {
      begins = read_marker(comment_of(line), part);
    } catch (const base::InputError& error) {
      fail(number, error.message() + " (" + error.hint() + ")");
    }
    if (line == kEnd ? !inside : begins && inside) {
      fail(number, inside ? "the part above has no " + std::string(kEnd) : "no part ends here");
    }
    if (begins) {
      part.marker = line;
      part.line = number;
      parts_.push_back(std::move(part));
      inside = true;
    } else if (line == kEnd) {
      inside = false;
      prose_.emplace_back();
    } else {
      (inside ? parts_.back().content : prose_.back()) += line + "\n";
    }
  }
  if (inside) fail(parts_.back().line, "this part has no " + std::string(kEnd));
  for (PagePart& part : parts_) part.content = without_blank_ends(part.content);
}

void Page::fill(std::size_t part, const std::string& content) { parts_.at(part).content = without_blank_ends(content); }

std::string Page::text() const {
  std::string out = prose_.front();
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const PagePart& part = parts_[i];
    out += part.marker + "\n\n" + part.content + (part.content.empty() ? "" : "\n\n") + kEnd + "\n" + prose_[i + 1];
  }
  return out;
}

bool Page::mentions(const std::string& text) const {
  for (const std::string& prose : prose_) {
    if (prose.find(text) != std::string::npos) return true;
  }
  return false;
}

DifferingLines first_difference(const std::string& a, const std::string& b) {
  const std::vector<std::string> of_a = split(a, '\n'), of_b = split(b, '\n');
  std::size_t i = 0;
  while (i < of_a.size() && i < of_b.size() && of_a[i] == of_b[i]) ++i;
  const auto line = [i](const std::vector<std::string>& lines) { return i < lines.size() ? lines[i] : std::string(); };
  return {line(of_a), line(of_b)};
}

}  // namespace castor::platforms::experiments
