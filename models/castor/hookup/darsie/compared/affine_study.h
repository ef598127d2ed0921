#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "castor/gpu/hooks/execution_study.h"

namespace castor::hookup {

/// Writes the affine instances of every launch of a run to a file (affine_instances.h), which DacIdeal reads.
class AffineStudy final : public gpu::ExecutionStudy {
 public:
  /// Throws InputError if the file cannot be written.
  explicit AffineStudy(const std::string& path);

  [[nodiscard]] std::unique_ptr<gpu::BlockStudy> start(const gpu::Launch& launch, unsigned warps,
                                                       unsigned lanes) override;
  void end(const gpu::Launch& launch, std::uint64_t block, gpu::BlockStudy& study) override;
  void end(const gpu::Launch& launch) override;

 private:
  std::ofstream file_;
  /// For each running launch and set of affine instances: the thread blocks with this set.
  std::map<const gpu::Launch*, std::map<std::string, std::vector<std::uint64_t>>> found_;
};

}  // namespace castor::hookup
