#include "castor/hookup/darsie/compared/affine_study.h"

#include <algorithm>

#include "castor/base/error.h"
#include "castor/hookup/darsie/compared/affine_instances.h"
#include "castor/hookup/darsie/compared/affine_probe.h"

namespace castor::hookup {

AffineStudy::AffineStudy(const std::string& path) : file_(path) {
  if (!file_) {
    throw base::InputError("cannot write the file of affine instances '" + base::printable(path, 300) +
                           "' (blocks.darsie.affine)");
  }
  file_ << kAffineTitle << std::endl;
}

std::unique_ptr<gpu::BlockStudy> AffineStudy::start(const gpu::Launch& launch, unsigned warps, unsigned lanes) {
  return std::make_unique<AffineProbe>(launch, warps, lanes);
}

void AffineStudy::end(const gpu::Launch& launch, std::uint64_t block, gpu::BlockStudy& study) {
  found_[&launch][static_cast<AffineProbe&>(study).text()].push_back(block);
}

// Writes one set for all thread blocks with equal instances.
void AffineStudy::end(const gpu::Launch& launch) {
  const isa::Program& program = *launch.program;
  file_ << "launch " << launch.ticket << ' ' << program.code.size() << ' ' << program.kernel << '\n';
  for (auto& [set, blocks] : found_[&launch]) {
    std::sort(blocks.begin(), blocks.end());
    std::vector<IndexRange> ranges;
    for (const std::uint64_t block : blocks) add_to(ranges, block);
    file_ << "set " << set << "\ntbs " << text_of(ranges, ' ') << '\n';
  }
  file_.flush();
  found_.erase(&launch);
}

}  // namespace castor::hookup
