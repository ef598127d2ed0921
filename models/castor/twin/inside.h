#pragma once

#include <string>

namespace castor::twin {

/// Internal signals of RTL under simulation, as text of a value change dump that is produced on request.
class Inside {
 public:
  Inside() = default;
  virtual ~Inside() = default;
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

  /// Returns the declarations of scopes and signals: $scope, $var and $upscope, one per line. The outermost scope is
  /// `top`.
  [[nodiscard]] virtual const std::string& declarations() = 0;
  /// Returns the changes since the last call, one line each, without times; the first call returns every signal. Valid
  /// until the next call.
  [[nodiscard]] virtual const std::string& changes() = 0;
};

}  // namespace castor::twin
