#include "castor/gpu/outside_reads.h"

#include <spdlog/spdlog.h>

#include "castor/base/log.h"
#include "castor/base/words.h"

namespace castor::gpu {

void OutsideReads::add(const OutsideReads& other) {
  if (other.lanes == 0) return;
  if (lanes == 0 || other.first_at < first_at) {
    first_at = other.first_at;
    first = other.first;
  }
  lanes += other.lanes;
}

void OutsideReadNotice::tell(const std::string& kernel, const OutsideReads& reads) {
  if (reads.lanes == 0 || !told_.insert(kernel).second) return;
  base::logger("memory").warn(
      "kernel {}: loads outside of allocations, as memory.check page allows; in this launch: {}, "
      "first: {}",
      base::readable_name(kernel), reads.lanes, reads.first);
}

}  // namespace castor::gpu
