#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace castor::castor_cc {

/// Runs the compiler driver for a command line (without the program's name). Returns the exit code. 0: success; 1: a
/// compilation or the link failed; 2: the command line was wrong. Diagnostics go to `err`, answers and --dryrun output
/// to `out`.
int run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace castor::castor_cc
