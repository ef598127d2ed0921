#pragma once

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "castor/base/value_names.h"

namespace castor::gpu {

/// Collector of the signals that a waveform file shows. Units and hooks declare their signals here before the first
/// sample (docs/gpu/counting.md, "What is recorded").
///
///     waves.add(scope + ".arbiter", "ready", 64, &ready_mask);
///
/// `scope`: dotted path of the instance. `width`: bits shown, 1..64.
class Waves {
 public:
  virtual ~Waves() = default;

  /// Declares a signal whose value is read from memory at each sample. `value` points to a bool or an integer that
  /// outlives this object. Returns false, at no cost per sample, if the scope is not traced.
  template <class T>
  bool add(std::string_view scope, std::string_view name, unsigned width, const T* value) {
    static_assert(std::is_integral_v<T>, "waves show whole numbers");
    return add_signal(scope, name, width, {value, sizeof(T), {}}, {});
  }
  /// Declares a signal whose value a function returns; the function must have no side effects. With `names`, a second
  /// signal <name>_name shows the value's name.
  bool add(std::string_view scope, std::string_view name, unsigned width, std::function<std::uint64_t()> value,
           base::ValueNames names = {}) {
    return add_signal(scope, name, width, {nullptr, 0, std::move(value)}, names);
  }
  /// Declares the lowest `bits` bits of a mask as signals of at most 64 bits: `name` shows bits 63..0, name_64 shows
  /// bits 127..64, and so on. `mask` outlives this object.
  template <std::size_t N>
  void add_mask(std::string_view scope, const std::string& name, unsigned bits, const std::bitset<N>* mask) {
    static const std::bitset<N> kWord = ~std::uint64_t{0};
    for (unsigned at = 0; at < bits; at += 64) {
      add(scope, at == 0 ? name : name + "_" + std::to_string(at), std::min(bits - at, 64U),
          [mask, at] { return std::uint64_t{(*mask >> at & kWord).to_ullong()}; });
    }
  }
  /// Declares an instance that writes its own value changes. `declarations`: its $scope, $var and $upscope commands,
  /// one per line. `changes` is called at each sample and returns the lines of the changes since the last call; the
  /// first call returns all signals. It must have no other side effect.
  virtual bool add_dump(std::string_view scope, const std::string& declarations,
                        std::function<const std::string&()> changes) = 0;

  /// Returns whether an instance is traced, so that owners of many signals can skip the declarations.
  [[nodiscard]] virtual bool traced(std::string_view scope) const = 0;

 protected:
  /// Source of a signal's value: `bytes` (1, 2, 4 or 8) of memory, or a function if `bytes` is 0.
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
