#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "castor_cc/launch_places.h"

namespace castor::castor_cc {

/// Kernels for which a finder function (kernel_finder.h) can be declared, by name without scope. The value is the
/// number of template arguments that select the kernel. It is kManyArguments if several such kernels have the name, or
/// if the number varies.
using FoundKernels = std::map<std::string, std::size_t>;
inline constexpr std::size_t kManyArguments = ~std::size_t{0};

/// Adds the finders of the kernels declared at the positions `kernels` of `text`.
void add_found_kernels(std::string_view text, const std::vector<SourcePlace>& kernels, FoundKernels& found);

/// Information that rewrite_launches needs besides the text.
struct LaunchContext {
  FoundKernels found;                                          ///< kernels with finders, from all files
  std::function<std::string(const std::string& file)> read;    ///< returns the text of a file that defines a macro
  std::function<std::string(std::string_view name)> defining;  ///< returns the text of another file that defines a
                                                               ///< macro, or an empty text
  bool older = false;                                          ///< the standard is older than C++17
};

/// Rewrites launches in device code, which clang refuses:
///   * `kernel<<<configuration>>>` becomes `::castor::launch<kernel>(configuration)`; for C++ before C++17,
///     `::castor::launch_of<decltype(&kernel), &kernel>(configuration)`;
///   * if only the arguments select the kernel among several of the name, `castor_find_kernel` is declared in front of
///     each, and the launch becomes `::castor::launch_found<decltype(castor_find_kernel(arguments))>(configuration)`;
///   * `pointer<<<configuration>>>` becomes `::castor::launch_pointer(pointer, configuration)`;
///   * a kernel's name as a value becomes `::castor::kernel<kernel>()`;
///   * the use of a macro is replaced by its expansion, if the expansion contains one of these forms or the macro has a
///     kernel's name among its arguments.
/// Ignores positions at which none of these forms is found. Lines keep their numbers. Returns nothing if the text stays
/// unchanged.
[[nodiscard]] std::optional<std::string> rewrite_launches(std::string_view text, const DeviceLaunches& places,
                                                          const LaunchContext& context);

}  // namespace castor::castor_cc
