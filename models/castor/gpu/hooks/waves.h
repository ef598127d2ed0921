#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "castor/base/value_names.h"

namespace castor::gpu {

/// Signals that waves show, as units and hooks declare them before the first sample (docs/gpu/counting.md, "What is
/// recorded").
///
///     waves.add(scope + ".arbiter", "ready", 64, &ready_mask);
///
/// `scope`: dotted path of the instance. `width`: bits shown, 1..64.
class Waves {
 public:
  virtual ~Waves() = default;

  /// A signal that is read from memory when a sample is taken: bool or an unsigned or signed integer, which lives as
  /// long as the waves. False if the scope is not traced: the signal costs nothing.
  template <class T>
  bool add(std::string_view scope, std::string_view name, unsigned width, const T* value) {
    static_assert(std::is_integral_v<T>, "waves show whole numbers");
    return add_signal(scope, name, width, {value, sizeof(T), {}}, {});
  }
  /// A signal that a function gives; it must have no effect. With `names` a signal <name>_name beside it shows them.
  bool add(std::string_view scope, std::string_view name, unsigned width, std::function<std::uint64_t()> value,
           base::ValueNames names = {}) {
    return add_signal(scope, name, width, {nullptr, 0, std::move(value)}, names);
  }
  /// What dumps itself, as instance `scope`: `declarations` are its $scope, $var and $upscope commands, a line each;
  /// `changes` gives the lines of its changes since the last call, at the first one of all its signals. It is asked at
  /// each sample and must have no other effect.
  virtual bool add_dump(std::string_view scope, const std::string& declarations,
                        std::function<const std::string&()> changes) = 0;

  /// Whether an instance is traced; for owners of many signals.
  [[nodiscard]] virtual bool traced(std::string_view scope) const = 0;

 protected:
  /// Where a signal's value comes from: `bytes` of memory (1, 2, 4 or 8), or 0 and a function.
  struct Source {
    const void* memory;
    std::size_t bytes;
    std::function<std::uint64_t()> function;
  };

 private:
  virtual bool add_signal(std::string_view scope, std::string_view name, unsigned width, Source source,
                          base::ValueNames names) = 0;
};

}  // namespace castor::gpu
