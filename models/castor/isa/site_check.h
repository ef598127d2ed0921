#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "castor/isa/program.h"

namespace castor::isa {

/// A place of device-wide synchronisation in a program (Program::sync) that breaks a rule of the loader.
struct WrongSite {
  std::uint32_t pc = 0;  ///< index of the record
  std::string what;      ///< the broken rule
};

/// Returns the first error in Program::sync, or nothing. The rules (docs/gpu/synchronisation.md, "Sites"): the
/// operations are those of the records; every place where a thread block may sleep is a site, in ascending order; a
/// site names registers of the program only; sites from number kMostSites on name all of them; and no register that a
/// site leaves out is read behind it before it is written.
///
/// The last rule is checked forwards: the values that a site leaves out are followed along all paths, also into callees
/// and back to callers. The compiler finds the registers backwards, so an error of one analysis is found by the other.
[[nodiscard]] std::optional<WrongSite> find_wrong_site(const Program& program);

/// Returns the site at a record, or null.
[[nodiscard]] const SyncSite* find_site(const Program& program, std::uint32_t pc);

}  // namespace castor::isa
