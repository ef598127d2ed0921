#pragma once

#include <memory>
#include <vector>

#include "castor/darsie/engine.h"
#include "castor/hookup/darsie/darsie_adapter.h"
#include "unit/darsie/marked_kernels.h"

// An SM with the block as its fetch filter, and kernels with marks for it.
namespace castor::hookup::darsie_test {

using gpu::test::Rig;

using darsie::test::kEnd;
using darsie::test::Kernel;
using darsie::test::kMemoryBytes;
using darsie::test::kRedundant;
using darsie::test::kRedundantCode;
using darsie::test::kStart;
using darsie::test::kVector;

/// An SM with or without the block. Its memory begins with some numbers.
class Session {
 public:
  explicit Session(bool with_block, bool sleep = true, const darsie::Params& params = {},
                   const std::vector<std::string>& more = {})
      : adapter_(twin_of(params)),
        rig(gpu::test::machine("pascal_titanx_study", keys(more)), hooks(with_block), sleep) {
    darsie::test::fill_memory(rig, memory);
  }

  /// Loads a kernel with marks.
  gpu::test::Kernel& load(const Kernel& what) { return darsie::test::load_marked(rig, what, memory); }
  /// Returns the words that `tbs` thread blocks have written.
  [[nodiscard]] std::vector<std::uint32_t> words(unsigned tbs) const {
    return darsie::test::words_of(rig, memory, tbs);
  }
  [[nodiscard]] const darsie::Counters& counters() {
    (void)adapter_.twin();  // applies the skipped cycles, which count, too
    return engine_->counters();
  }
  [[nodiscard]] const darsie::State& state() const { return engine_->state(); }

 private:
  static std::vector<std::string> keys(const std::vector<std::string>& more) {
    std::vector<std::string> all = {"icache.ideal=1", "check.rows=1", "check.skips=1"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::unique_ptr<twin::Twin<darsie::Block>> twin_of(const darsie::Params& params) {
    auto twin = std::make_unique<twin::Model<darsie::Block>>(params);
    engine_ = &twin->engine();
    return twin;
  }
  gpu::SmHooks hooks(bool with_block) {
    gpu::SmHooks hooks;
    if (with_block) hooks.fetch_filter = &adapter_;
    return hooks;
  }

  const darsie::Engine* engine_ = nullptr;
  DarsieAdapter adapter_;

 public:
  Rig rig;
  const std::uint64_t memory = rig.store->allocate(kMemoryBytes, gpu::AllocationKind::kHeap).value();
};

}  // namespace castor::hookup::darsie_test
