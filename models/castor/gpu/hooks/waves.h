#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <type_traits>
#include <utility>

namespace castor::gpu {

/// Where units and hooks declare the signals that waves show, before the first sample (docs/gpu.md, "What is
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
    return add_signal(scope, name, width, {value, sizeof(T), {}});
  }
  /// A signal that a function gives; it must have no effect.
  bool add(std::string_view scope, std::string_view name, unsigned width, std::function<std::uint64_t()> value) {
    return add_signal(scope, name, width, {nullptr, 0, std::move(value)});
  }

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
  virtual bool add_signal(std::string_view scope, std::string_view name, unsigned width, Source source) = 0;
};

}  // namespace castor::gpu
