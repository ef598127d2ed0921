#include "castor/gpu/memory/l2_flush.h"

namespace castor::gpu {

void L2Flush::step(Cycle now) {
  MemoryRequest nobody{};
  nobody.client = Client::kFrontEnd;
  for (; next_ < tags_.size(); ++next_) {
    const TagArray::Line& line = tags_.line(next_);
    if (tags_.tag(next_) == TagArray::kNoLine || line.first >= 0) continue;
    const bool dirty = line.dirty != 0;
    if (dirty && memory_.full()) return;
    memory_.write_back(tags_.tag(next_), line.dirty, nobody);
    tags_.remove(next_);
    if (dirty) {
      ++next_;
      return;
    }
  }
  from_ = kForever;
  over_from_ = now + 1;
}

}  // namespace castor::gpu
