#pragma once

#include <cstdint>

#include "castor/gpu/hooks/fetch_filter.h"

namespace castor::hookup {

/// A system that DARSIE is compared with, as a fetch filter of its own: C++ alone, without a twin (docs/blocks/
/// darsie.md, "Compared systems"). It changes by what it is told and by nothing else.
class ComparedSystem : public gpu::FetchFilter {
 public:
  void detach() override { detach_statistics(); }
  /// 0 behind an edge that may have changed what it says.
  [[nodiscard]] gpu::Cycle quiet() const override { return changed_ ? 0 : gpu::kForever; }
  void idle(gpu::Cycle /*n*/) override {}

 protected:
  virtual void detach_statistics() = 0;
  /// The lowest virtual rows of a TB that are not `taken(tag)`, to `tags`; how many there were, at most `count`.
  template <class Taken>
  [[nodiscard]] static unsigned free_rows(unsigned count, std::uint8_t* tags, Taken&& taken) {
    unsigned found = 0;
    for (unsigned tag = 0; tag < gpu::kVirtualRows && found < count; ++tag) {
      if (!taken(tag)) tags[found++] = static_cast<std::uint8_t>(tag);
    }
    return found;
  }

  bool changed_ = false;
};

}  // namespace castor::hookup
