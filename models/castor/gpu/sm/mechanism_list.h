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

/// The mechanisms of an SM, made and asked in the order of the list.
template <class... Mechanisms>
class MechanismList : private MechanismSlot<Mechanisms>... {
 public:
  explicit MechanismList(const SmParts& parts) : MechanismSlot<Mechanisms>(parts)... {}

  /// Calls `step(mechanism)` for each that the machine has.
  template <class Step>
  void each(Step&& step) {
    ((MechanismSlot<Mechanisms>::present() ? step(MechanismSlot<Mechanisms>::operator*()) : void()), ...);
  }
  template <class Step>
  void each(Step&& step) const {
    ((MechanismSlot<Mechanisms>::present() ? step(MechanismSlot<Mechanisms>::operator*()) : void()), ...);
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
};

}  // namespace castor::gpu
