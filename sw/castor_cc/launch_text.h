#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "castor_cc/launch_places.h"

namespace castor::castor_cc {

/// Kernels beside which castor-cc can declare a function that a launch's arguments choose, by name without scope.
/// The number is that of template arguments that name them; kManyArguments if there is more than one such kernel, or no
/// such number.
using FoundKernels = std::map<std::string, std::size_t>;
inline constexpr std::size_t kManyArguments = ~std::size_t{0};

/// Adds those of `kernels`, places in `text`.
void add_found_kernels(std::string_view text, const std::vector<SourcePlace>& kernels, FoundKernels& found);

/// What rewrite_launches has to know beside the text.
struct LaunchContext {
  FoundKernels found;                                          ///< of all files
  std::function<std::string(const std::string& file)> read;    ///< text of a file that defines a macro
  std::function<std::string(std::string_view name)> defining;  ///< text of another file that defines a macro, or empty
  bool older = false;                                          ///< C++ before C++17
};

/// Rewrites what clang refuses of launches in device code:
///   * `kernel<<<configuration>>>` becomes `::castor::launch<kernel>(configuration)`; for C++ before C++17,
///     `::castor::launch_of<decltype(&kernel), &kernel>(configuration)`;
///   * where only the arguments tell which kernel of the name is meant, `castor_find_kernel` is declared in front of
///     each, and the launch becomes `::castor::launch_found<decltype(castor_find_kernel(arguments))>(configuration)`;
///   * `pointer<<<configuration>>>` becomes `::castor::launch_pointer(pointer, configuration)`;
///   * a kernel's name as a value becomes `::castor::kernel<kernel>()`;
///   * the use of a macro whose definition has one of these in it, or which has a kernel's name among its arguments,
///     becomes what the macro stands for.
/// Places where nothing of this stands are passed over. Lines keep their numbers. Returns nothing if nothing changes.
[[nodiscard]] std::optional<std::string> rewrite_launches(std::string_view text, const DeviceLaunches& places,
                                                          const LaunchContext& context);

}  // namespace castor::castor_cc
