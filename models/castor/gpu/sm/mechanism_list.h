#pragma once

#include <memory>
#include <optional>
#include <type_traits>

#include "castor/gpu/sm/mechanism.h"

namespace castor::gpu {

/// Storage of one mechanism in an SM: the object itself, or, for an optional mechanism, a pointer that may be null.
template <class Mechanism>
class MechanismSlot {
 public:
  explicit MechanismSlot(const SmParts& parts) {
    if constexpr (!Mechanism::kOptional) {
      mechanism_.emplace(parts);
    } else if (Mechanism::present(parts)) {
      mechanism_ = std::make_unique<Mechanism>(parts);
    }
  }
  [[nodiscard]] bool present() const { return !Mechanism::kOptional || mechanism_; }
  [[nodiscard]] Mechanism& operator*() { return *mechanism_; }
  [[nodiscard]] const Mechanism& operator*() const { return *mechanism_; }

 private:
  std::conditional_t<Mechanism::kOptional, std::unique_ptr<Mechanism>, std::optional<Mechanism>> mechanism_;
};

/// Returns whether all optional mechanisms come after the mandatory ones.
template <class... Mechanisms>
constexpr bool optional_ones_last() {
  bool optional = false, good = true;
  ((good = good && (Mechanisms::kOptional || !optional), optional = optional || Mechanisms::kOptional), ...);
  return good;
}

/// The mechanisms of an SM, constructed and called in list order. Mandatory mechanisms come before optional ones, so a
/// machine without optional mechanisms tests one flag per step.
template <class... Mechanisms>
class MechanismList : private MechanismSlot<Mechanisms>... {
 public:
  explicit MechanismList(const SmParts& parts)
      : MechanismSlot<Mechanisms>(parts)...,
        optional_((... || (Mechanisms::kOptional && MechanismSlot<Mechanisms>::present()))) {}

  /// Calls `step(mechanism)` for each mechanism that the machine has.
  template <class Step>
  [[gnu::always_inline]] void each(Step&& step) {
    (call<Mechanisms, false>(*this, step), ...);
    if (optional_) (call<Mechanisms, true>(*this, step), ...);
  }
  template <class Step>
  [[gnu::always_inline]] void each(Step&& step) const {
    (call<Mechanisms, false>(*this, step), ...);
    if (optional_) (call<Mechanisms, true>(*this, step), ...);
  }
  /// Returns a mechanism that every machine has.
  template <class Mechanism>
  [[nodiscard]] Mechanism& get() {
    static_assert(!Mechanism::kOptional);
    return MechanismSlot<Mechanism>::operator*();
  }
  /// Returns a mechanism, or null if the machine does not have it.
  template <class Mechanism>
  [[nodiscard]] const Mechanism* find() const {
    return MechanismSlot<Mechanism>::present() ? &MechanismSlot<Mechanism>::operator*() : nullptr;
  }

 private:
  /// Calls `step` for a mechanism of `list` whose own kOptional equals the template argument, if the machine has the
  /// mechanism.
  template <class Mechanism, bool kOptional, class List, class Step>
  [[gnu::always_inline]] static void call(List& list, Step& step) {
    if constexpr (Mechanism::kOptional == kOptional) {
      auto& slot = static_cast<
          std::conditional_t<std::is_const_v<List>, const MechanismSlot<Mechanism>, MechanismSlot<Mechanism>>&>(list);
      if (slot.present()) step(*slot);
    }
  }
  static_assert(optional_ones_last<Mechanisms...>());

  bool optional_;
};

}  // namespace castor::gpu
