#include "castor/base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include "castor/base/error.h"
#include "castor/base/terminal.h"
#include "castor/base/tick_wall.h"

namespace castor::base {
namespace {

constexpr std::array<std::string_view, 7> kLevels = {"trace", "debug", "info", "warn", "error", "critical", "off"};

bool is_level(std::string_view text) {
  for (const std::string_view level : kLevels) {
    if (text == level) return true;
  }
  return false;
}

bool covers(std::string_view scope, std::string_view name) {
  if (name.substr(0, scope.size()) != scope) return false;
  return name.size() == scope.size() || name[scope.size()] == '.';
}

struct Loggers {
  std::mutex mutex;
  std::shared_ptr<spdlog::sinks::stderr_color_sink_mt> sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>(
      stderr_has_colour() ? spdlog::color_mode::always : spdlog::color_mode::never);
  std::unordered_map<std::string, std::shared_ptr<spdlog::logger>> by_name;
};

// The loggers are never destroyed, because destructors that run at the end of the program may still log.
Loggers& loggers() {
  static auto* const instance = std::make_unique<Loggers>().release();
  return *instance;
}

std::string level_from_environment(const std::string& name) {
  const char* specification = std::getenv("CASTOR_LOG");
  if (specification == nullptr) return "warn";
  try {
    return log_level_of(specification, name);
  } catch (const InputError& error) {
    // A wrong log level must not stop the program, but the user must be notified once: the error is printed at the
    // first use.
    static std::once_flag once;
    std::call_once(once, [&error] { complain(error.what()); });
    return "warn";
  }
}

}  // namespace

spdlog::logger& logger(const std::string& name) {
  TickWall::check("the log");
  Loggers& all = loggers();
  const std::lock_guard<std::mutex> lock(all.mutex);
  std::shared_ptr<spdlog::logger>& entry = all.by_name[name];
  if (entry == nullptr) {
    entry = std::make_shared<spdlog::logger>(name, all.sink);
    entry->set_level(spdlog::level::from_str(level_from_environment(name)));
    entry->set_pattern("[%n] %^%l%$: %v");
  }
  return *entry;
}

std::string log_level_of(const std::string& specification, const std::string& name) {
  std::string level = "warn";
  std::size_t best = 0;  // length of the longest name matched so far, plus 1; 0 = none matched
  std::string_view rest = specification;
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
    if (item.empty()) continue;
    const std::size_t equals = item.find('=');
    const std::string_view scope = equals == std::string_view::npos ? std::string_view{} : item.substr(0, equals);
    const std::string_view word = equals == std::string_view::npos ? item : item.substr(equals + 1);
    if (!is_level(word)) {
      throw InputError(SourceLocation{"CASTOR_LOG", 0, 0}, "unknown log level \"" + printable(word) + "\"",
                       "levels are trace, debug, info, warn, error, critical, off; or name=level, separated by commas");
    }
    const bool fits = scope.empty() || covers(scope, name);
    if (fits && scope.size() + 1 >= best) {
      best = scope.size() + 1;
      level = std::string(word);
    }
  }
  return level;
}

}  // namespace castor::base
