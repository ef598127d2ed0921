#pragma once

#include <cstdint>

#include "castor/gpu/hooks/fetch_filter.h"
#include "castor/gpu/hooks/study.h"

namespace castor::hookup {

/// Returns the mask of all lanes of a warp.
[[nodiscard]] inline isa::LaneMask all_lanes(const isa::RegisterView& view) {
  return view.lanes == 64 ? ~isa::LaneMask{0} : (isa::LaneMask{1} << view.lanes) - 1;
}

/// Base of the systems that DARSIE is compared with. Each is a fetch filter with a study, in C++ without RTL
/// (docs/blocks/darsie.md, "Compared systems"). Its state changes at ticks with events only, so it may sleep between
/// events.
class ComparedSystem : public gpu::FetchFilter, public gpu::Study {
 public:
  void attach(const gpu::HookSite& site) override { site.terms->study = this; }
  void attach(gpu::StudiedSm& sm) override { sm_ = &sm; }
  void detach() override { detach_statistics(); }
  /// Returns 0 after an edge that may have changed the outputs.
  [[nodiscard]] gpu::Cycle quiet() const override { return changed_ ? 0 : gpu::kForever; }
  void idle(gpu::Cycle /*n*/) override {}

 protected:
  virtual void detach_statistics() = 0;
  static constexpr unsigned kRows = 256;  ///< rows per TB of systems that have rows

  /// Writes to `tags` the lowest rows of a TB for which `taken(tag)` is false, at most `count`. Returns the number of
  /// rows written.
  template <class Taken>
  [[nodiscard]] static unsigned free_rows(unsigned count, std::uint8_t* tags, Taken&& taken) {
    unsigned found = 0;
    for (unsigned tag = 0; tag < kRows && found < count; ++tag) {
      if (!taken(tag)) tags[found++] = static_cast<std::uint8_t>(tag);
    }
    return found;
  }

  gpu::StudiedSm* sm_ = nullptr;
  bool changed_ = false;
};

}  // namespace castor::hookup
