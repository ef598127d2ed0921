#pragma once

#include <string>

namespace spdlog {
class logger;
}

namespace castor::base {

/// Returns the logger of one instance; the first call makes it. The same name gives the same logger for the life of the
/// process. Names are hierarchies with dots ("gpu.sm3.lsu"). The logger writes to stderr. Its level is `warn` unless
/// the environment variable CASTOR_LOG sets another one (see `log_level_of`). Code that writes to the logger includes
/// <spdlog/spdlog.h>. Do not call this on hot paths. Thread-safe.
[[nodiscard]] spdlog::logger& logger(const std::string& name);

/// Returns the level that a specification in the form of CASTOR_LOG gives to a logger. The specification is a
/// comma-separated list of `level` (for all) and `name=level` (for that instance and all below it). If several items
/// match, the longest name counts. Levels: trace, debug, info, warn, error, critical, off. Throws InputError for an
/// unknown level.
[[nodiscard]] std::string log_level_of(const std::string& specification, const std::string& name);

}  // namespace castor::base
