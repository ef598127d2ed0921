#pragma once

#include <string>
#include <vector>

namespace castor::platforms::experiments {

/// Paths of CUDA programs of sw/kernels, in the order of their names: "lps", "job_mix", "micro_chains". Taken from
/// kernels/ of the build that this program belongs to, if they are there and younger than their sources and the
/// compiler. The others are compiled by castor-cc into the cache, at most `workers` at once; what is there is not
/// compiled again (docs/decisions/compiled-programs.md). Says on stderr what it compiles. Errors: InputError for a name
/// without a source, a cache that cannot be written, and a program that cannot be compiled, with the command and what
/// it said.
[[nodiscard]] std::vector<std::string> compiled_programs(const std::vector<std::string>& names, unsigned workers);

/// Throws base::Error: `what` cannot be compiled, with the command and what it said into the file `log`.
[[noreturn]] void cannot_compile(const std::string& what, const std::vector<std::string>& words,
                                 const std::string& log);
/// What compiles such a program: castor-cc, its options, the sources; without "-o". Errors: InputError as above.
[[nodiscard]] std::vector<std::string> compile_command(const std::string& name);

}  // namespace castor::platforms::experiments
