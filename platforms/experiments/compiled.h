#pragma once

#include <string>
#include <vector>

namespace castor::platforms::experiments {

/// Returns the paths of CUDA programs of sw/kernels, given by name ("lps", "job_mix", "micro_chains"). A program in
/// kernels/ of this build is used if it is newer than its sources and the compiler. All other programs are compiled by
/// castor-cc into the cache, at most `workers` at once, and reused later (docs/decisions/compiled-programs.md). Reports
/// on stderr what it compiles. Throws InputError for a name without a source, a cache that cannot be written, and a
/// program that cannot be compiled, with the command and its output.
[[nodiscard]] std::vector<std::string> compiled_programs(const std::vector<std::string>& names, unsigned workers);

/// Throws base::Error with the message that `what` cannot be compiled, and with the command and its output, which is in
/// the file `log`.
[[noreturn]] void cannot_compile(const std::string& what, const std::vector<std::string>& words,
                                 const std::string& log);
/// Returns the command that compiles a program: castor-cc, its options and the sources, without "-o". Throws InputError
/// for a name without a source.
[[nodiscard]] std::vector<std::string> compile_command(const std::string& name);

}  // namespace castor::platforms::experiments
