#pragma once

#include <cstdint>
#include <optional>

#include "castor/gpu/hooks/job_control.h"
#include "castor/lax/params.h"
#include "castor/lax/register_map.h"

namespace castor::hookup {

/// Register accesses by which the driver controls the laxity engine (docs/blocks/lax.md, "Registers").
class LaxControl final : public gpu::JobControl {
 public:
  /// Register window at which programs for the engine expect its registers.
  static constexpr unsigned kWindow = 0;

  explicit LaxControl(const lax::Params& params) : list_types_(params.MaxKt), kernel_types_(params.NumKt) {}

  [[nodiscard]] unsigned window() const override { return kWindow; }
  [[nodiscard]] unsigned list_types() const override { return list_types_; }
  [[nodiscard]] unsigned kernel_types() const override { return kernel_types_; }
  [[nodiscard]] std::optional<gpu::RegisterAccess> acknowledge(unsigned queue) const override {
    return write(lax::reg::kQState + 4 * queue, lax::reg::kHostAck);
  }
  [[nodiscard]] std::optional<gpu::RegisterAccess> clear_type(std::uint8_t kid) const override {
    return write(lax::reg::kKpt + lax::reg::kKptStride * kid + lax::reg::kKptState, lax::reg::kKptClear);
  }
  [[nodiscard]] std::optional<gpu::RegisterAccess> set_priority(unsigned queue, std::uint32_t value) const override {
    return write(lax::reg::kQPrio + 4 * queue, value);
  }
  [[nodiscard]] std::optional<gpu::RegisterAccess> set_isolated_time(std::uint8_t kid,
                                                                     std::uint32_t value) const override {
    return write(lax::reg::kTpwIso + 4U * kid, value);
  }

 private:
  [[nodiscard]] static gpu::RegisterAccess write(std::uint32_t offset, std::uint32_t value) {
    return {kWindow, true, offset, value};
  }

  unsigned list_types_, kernel_types_;
};

}  // namespace castor::hookup
