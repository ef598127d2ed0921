#pragma once

#include <cstdint>

#include "castor/gpu/hooks/fetch_filter.h"

namespace castor::hookup {

/// Base of the systems that DARSIE is compared with. Each is a fetch filter in C++ without RTL (docs/blocks/darsie.md,
/// "Compared systems"). Its state changes at clock edges with events only, so it may sleep between events.
class ComparedSystem : public gpu::FetchFilter {
 public:
  void detach() override { detach_statistics(); }
  /// Returns 0 after an edge that may have changed the outputs.
  [[nodiscard]] gpu::Cycle quiet() const override { return changed_ ? 0 : gpu::kForever; }
  void idle(gpu::Cycle /*n*/) override {}

 protected:
  virtual void detach_statistics() = 0;
  /// Writes to `tags` the lowest virtual rows of a TB for which `taken(tag)` is false, at most `count`. Returns the
  /// number of rows written.
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
