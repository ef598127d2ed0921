#pragma once

#include <string>

namespace spdlog {
class logger;
}

namespace castor::base {

/// The logger of one instance, made on first use; the same name gives the same logger for the life of the process.
/// Names are hierarchies with dots ("gpu.sm3.lsu"). It writes to stderr; the level is `warn` unless the environment
/// variable CASTOR_LOG says otherwise (see `log_level_of`). Include <spdlog/spdlog.h> where you write to it; keep it
/// off hot paths. Thread-safe.
[[nodiscard]] spdlog::logger& logger(const std::string& name);

/// Level that a specification in the form of CASTOR_LOG gives a logger: a comma-separated list of `level` (for all) and
/// `name=level` (for that instance and everything below it); of several that fit, the longest name counts. Levels:
/// trace, debug, info, warn, error, critical, off. Throws InputError for a word that is none.
[[nodiscard]] std::string log_level_of(const std::string& specification, const std::string& name);

}  // namespace castor::base
