#pragma once

#include "castor/gpu/hooks/study.h"
#include "castor/gpu/sm/row_pool.h"
#include "castor/gpu/sm/sm_parts.h"

namespace castor::gpu {

/// The parts of an SM that a study uses. Owned by FilterUnit.
class StudyPort final : public StudiedSm {
 public:
  StudyPort(const SmParts& parts, const RowPool& rows) : parts_(parts), rows_(rows) {}

  [[nodiscard]] StudiedWarp warp(unsigned w) const override;
  [[nodiscard]] isa::RegisterView registers(unsigned w) override;
  [[nodiscard]] bool ready(unsigned w) const override;
  void compute(unsigned w) override;
  void load_rows(unsigned w, const std::uint16_t* rows) override;

 private:
  void advance(unsigned w);

  const SmParts parts_;
  const RowPool& rows_;
};

}  // namespace castor::gpu
