#include "castor_cc/source_overlay.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "castor/base/output_file.h"
#include "castor_cc/launch_text.h"
#include "castor_cc/macro_text.h"
#include "castor_cc/source_text.h"

namespace castor::castor_cc {
namespace {

namespace fs = std::filesystem;

/// Larger files are generated tables without launches; the time for reading them is not worth a better error message.
constexpr std::uintmax_t kLargestFile = 8 << 20;

std::string yaml_quoted(const std::string& path) {
  std::string out = "\"";
  for (const char c : path) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

/// Include directories. `quote`: searched for "name" only, after the including file's folder. `all`: searched for
/// "name" and <name>.
struct SearchPaths {
  std::vector<fs::path> quote;
  std::vector<fs::path> all;
};

SearchPaths search_paths(const std::vector<std::string>& flags, const fs::path& own_headers) {
  SearchPaths paths;
  const auto add = [&](std::vector<fs::path>& list, const std::string& directory) {
    std::error_code error;
    if (!fs::equivalent(directory, own_headers, error)) list.emplace_back(directory);
  };
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (flags[i].compare(0, 2, "-I") == 0 && flags[i].size() > 2) add(paths.all, flags[i].substr(2));
    if (i + 1 == flags.size()) break;
    if (flags[i] == "-isystem" || flags[i] == "-idirafter") add(paths.all, flags[i + 1]);
    if (flags[i] == "-iquote") add(paths.quote, flags[i + 1]);
  }
  return paths;
}

bool is_readable(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && fs::file_size(path, error) <= kLargestFile;
}

std::string content_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream buffer;
  buffer << in.rdbuf();
  return buffer.str();
}

/// Reads each file once, and collects the files that must be rewritten.
class Collector {
 public:
  explicit Collector(SearchPaths paths) : paths_(std::move(paths)) {}

  void visit(const fs::path& file) {
    std::error_code error;
    const fs::path path = fs::absolute(file, error).lexically_normal();
    if (error || !seen.insert(path.string()).second) return;
    if (!is_readable(path)) return;
    const std::string text = content_of(path);
    if (std::optional<std::string> rewritten = rewrite_for_clang(text)) {
      changed.emplace(path.string(), std::move(*rewritten));
    }
    for (const IncludedName& name : included_names(text)) include(path, name);
  }

  std::map<std::string, std::string> changed;  ///< path and new text of the rewritten files
  std::set<std::string> seen;                  ///< paths of the files read

 private:
  void include(const fs::path& from, const IncludedName& name) {
    std::error_code error;
    const auto found = [&](const fs::path& directory) {
      const fs::path candidate = directory / name.name;
      if (!fs::is_regular_file(candidate, error)) return false;
      visit(candidate);
      return true;
    };
    if (name.quoted) {
      if (found(from.parent_path())) return;
      for (const fs::path& directory : paths_.quote) {
        if (found(directory)) return;
      }
    }
    for (const fs::path& directory : paths_.all) {
      if (found(directory)) return;
    }
  }

  SearchPaths paths_;
};

}  // namespace

SourceOverlay::SourceOverlay(const std::string& source, const std::vector<std::string>& flags,
                             const std::string& own_headers, std::string directory)
    : directory_(std::move(directory)) {
  Collector collector(search_paths(flags, own_headers));
  collector.visit(source);
  for (std::size_t i = 0; i + 1 < flags.size(); ++i) {
    if (flags[i] == "-include" || flags[i] == "-imacros") collector.visit(flags[i + 1]);
  }
  changed_ = std::move(collector.changed);
  read_ = std::move(collector.seen);
}

std::string SourceOverlay::text_of(const std::string& file) const {
  std::error_code error;
  const fs::path path = fs::absolute(file, error).lexically_normal();
  if (error) return {};
  const auto found = changed_.find(path.string());
  if (found != changed_.end()) return found->second;
  return is_readable(path) ? content_of(path) : std::string();
}

std::string SourceOverlay::text_defining(std::string_view macro) const {
  for (const std::string& file : read_) {
    std::string text = text_of(file);
    if (defines_macro(text, macro)) return text;
  }
  return {};
}

bool SourceOverlay::rewrite_launches(const FileLaunches& places, bool older) {
  LaunchContext context;
  context.read = [this](const std::string& file) { return text_of(file); };
  context.defining = [this](std::string_view macro) { return text_defining(macro); };
  context.older = older;
  for (const auto& [file, in_file] : places) add_found_kernels(text_of(file), in_file.kernels, context.found);
  std::map<std::string, std::string> rewritten;
  for (const auto& [file, in_file] : places) {
    std::error_code error;
    const fs::path path = fs::absolute(file, error).lexically_normal();
    std::optional<std::string> text = castor_cc::rewrite_launches(text_of(file), in_file, context);
    if (!error && text) rewritten.insert_or_assign(path.string(), std::move(*text));
  }
  for (auto& [path, text] : rewritten) changed_.insert_or_assign(path, std::move(text));
  return !rewritten.empty();
}

std::vector<std::string> SourceOverlay::options() const {
  if (changed_.empty()) return {};
  fs::create_directories(directory_);
  std::string map = "{ \"version\": 0, \"use-external-names\": false, \"roots\": [\n";
  std::size_t number = 0;
  for (const auto& [path, text] : changed_) {
    const fs::path copy = fs::path(directory_) / std::to_string(number);
    base::write_file(copy, text);
    map += std::string(number == 0 ? "" : ",\n") + "  { \"type\": \"file\", \"name\": " + yaml_quoted(path) +
           ", \"external-contents\": " + yaml_quoted(copy.string()) + " }";
    ++number;
  }
  map += "\n] }\n";
  const std::string file = (fs::path(directory_) / "overlay.yaml").string();
  base::write_file(file, map);
  return {"-ivfsoverlay", file};
}

std::vector<std::string> overlay_options(const std::string& source, const std::vector<std::string>& flags,
                                         const std::string& own_headers, const std::string& directory) {
  return SourceOverlay(source, flags, own_headers, directory).options();
}

}  // namespace castor::castor_cc
