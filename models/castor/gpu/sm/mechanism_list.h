#pragma once

#include <memory>
#include <optional>
#include <type_traits>

#include "castor/gpu/sm/mechanism.h"

namespace castor::gpu {

/// The place of a mechanism in an SM: the mechanism itself, or, if only some machines have it, a pointer.
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

/// Whether no mechanism that every machine has stands behind an optional one.
template <class... Mechanisms>
constexpr bool optional_ones_last() {
  bool optional = false, good = true;
  ((good = good && (Mechanisms::kOptional || !optional), optional = optional || Mechanisms::kOptional), ...);
  return good;
}

/// The mechanisms of an SM, made and called in the order of the list. Those that every machine has stand in front of
/// the optional ones, so that a machine without any of these tests one flag in a step.
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
  /// One of them that every machine has.
  template <class Mechanism>
  [[nodiscard]] Mechanism& get() {
    static_assert(!Mechanism::kOptional);
    return MechanismSlot<Mechanism>::operator*();
  }
  /// One of them; null if the machine does not have it.
  template <class Mechanism>
  [[nodiscard]] const Mechanism* find() const {
    return MechanismSlot<Mechanism>::present() ? &MechanismSlot<Mechanism>::operator*() : nullptr;
  }

 private:
  /// Calls `step` for a mechanism of `list` if it is there and optional or not, as `kOptional` says.
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
