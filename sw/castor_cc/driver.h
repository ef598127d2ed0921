#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace castor::castor_cc {

/// Does what the command line (without the program's name) asks for. Returns the exit code: 0 good, 1 a compilation or
/// the link failed, 2 the request was wrong. Diagnostics go to `err`, answers and --dryrun output to `out`.
int run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace castor::castor_cc
