#include "castor_cc/launch_places.h"

#include <cstdlib>
#include <optional>
#include <utility>

namespace castor::castor_cc {
namespace {

constexpr std::string_view kError = ": error: ";
constexpr std::string_view kNote = ": note: ";

/// Position "file:line:column" at the begin of a message.
struct Where {
  std::string file;
  SourcePlace place;
};

std::optional<Where> where(std::string_view text) {
  const std::size_t column = text.rfind(':');
  const std::size_t line =
      column == std::string_view::npos || column == 0 ? std::string_view::npos : text.rfind(':', column - 1);
  if (line == std::string_view::npos) return std::nullopt;
  const SourcePlace place{std::strtoul(std::string(text.substr(line + 1)).c_str(), nullptr, 10),
                          std::strtoul(std::string(text.substr(column + 1)).c_str(), nullptr, 10)};
  if (place.line == 0 || place.column == 0) return std::nullopt;
  return Where{std::string(text.substr(0, line)), place};
}

bool begins(std::string_view text, std::string_view with) { return text.rfind(with, 0) == 0; }

/// Collects one error of clang with its notes, and records the launch to which they refer.
class ErrorReader {
 public:
  explicit ErrorReader(FileLaunches& launches) : launches_(launches) {}

  void error(std::string_view before, std::string_view what) {
    end();
    kind_ = begins(what, "reference to __global__ function '")                             ? Kind::kNamed
            : begins(what, "reference to __host__ function '__cudaPushCallConfiguration'") ? Kind::kLaunch
            : begins(what, "no matching function for call to '")                           ? Kind::kDeduced
                                                                                           : Kind::kOther;
    where_ = where(before);
  }
  void note(std::string_view before, std::string_view what) {
    static constexpr std::string_view kExpanded = "expanded from macro '";
    const std::optional<Where> at = where(before);
    if (!at) return;
    if (begins(what, "candidate function not viable: call to __global__ function from __")) kernels_.push_back(*at);
    if (begins(what, kExpanded)) {
      const std::string_view rest = what.substr(kExpanded.size());
      expanded_.emplace_back(std::string(rest.substr(0, rest.find('\''))), *at);
    }
  }
  void end() {
    if (where_ && (kind_ == Kind::kNamed || kind_ == Kind::kLaunch || !kernels_.empty())) record();
    forget();
  }
  void forget() {
    kind_ = Kind::kOther;
    where_.reset();
    kernels_.clear();
    expanded_.clear();
  }

 private:
  enum class Kind { kOther, kNamed, kLaunch, kDeduced };

  void record() {
    DeviceLaunches& in_file = launches_[where_->file];
    if (kind_ == Kind::kNamed) in_file.named.push_back(where_->place);
    if (kind_ == Kind::kLaunch) in_file.launches.push_back(where_->place);
    if (kind_ == Kind::kDeduced) in_file.deduced.push_back(where_->place);
    for (const auto& [name, at] : expanded_) in_file.macros.push_back({where_->place, name, at.file, at.place.line});
    if (kind_ != Kind::kDeduced) return;
    for (const Where& kernel : kernels_) launches_[kernel.file].kernels.push_back(kernel.place);
  }

  FileLaunches& launches_;
  Kind kind_ = Kind::kOther;
  std::optional<Where> where_;
  std::vector<Where> kernels_;
  std::vector<std::pair<std::string, Where>> expanded_;  // name of a macro, position in its definition
};

}  // namespace

FileLaunches device_launches(std::string_view error_text) {
  FileLaunches launches;
  ErrorReader reader(launches);
  while (!error_text.empty()) {
    const std::string_view line = error_text.substr(0, error_text.find('\n'));
    error_text.remove_prefix(line.size() == error_text.size() ? line.size() : line.size() + 1);
    const std::size_t error = line.find(kError);
    const std::size_t note = line.find(kNote);
    // When clang stops after too many errors, the last error may be the first of two errors about one launch. The next
    // run reports it again.
    if (line.find("fatal error: too many errors emitted") != std::string_view::npos) reader.forget();
    if (error != std::string_view::npos) {
      reader.error(line.substr(0, error), line.substr(error + kError.size()));
    } else if (note != std::string_view::npos) {
      reader.note(line.substr(0, note), line.substr(note + kNote.size()));
    }
  }
  reader.end();
  return launches;
}

}  // namespace castor::castor_cc
