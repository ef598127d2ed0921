#pragma once

#include <string>

namespace castor::twin {

/// What is inside a twin of RTL, as text of a value change dump that is taken when somebody asks.
class Inside {
 public:
  Inside() = default;
  virtual ~Inside() = default;
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

  /// Scopes and signals: $scope, $var and $upscope, a line each, the outermost scope is `top`.
  [[nodiscard]] virtual const std::string& declarations() = 0;
  /// What has changed since the last call, at the first one every signal: a line each, without times. Valid until the
  /// next call.
  [[nodiscard]] virtual const std::string& changes() = 0;
};

}  // namespace castor::twin
