#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "castor/darsie/engine.h"
#include "castor/twin/twin.h"

namespace castor::hookup {

/// A twin of the block darsie together with a cycle model that counts events. Needed for RTL, since the hardware has no
/// counters; the counts are a function of ports and registers. The model sees the same clock edges as the twin.
class CountedTwin final : public twin::Twin<darsie::Block> {
 public:
  explicit CountedTwin(std::unique_ptr<twin::Twin<darsie::Block>> twin)
      : Twin(twin->params()), twin_(std::move(twin)), model_(twin_->params()) {}

  [[nodiscard]] const darsie::Counters& counters() const { return model_.counters(); }

  const Outputs& settle(const Inputs& in) override { return twin_->settle(in); }
  void clock(const Inputs& in) override {
    twin_->clock(in);
    model_.clock(in);
  }
  void reset() override {
    twin_->reset();
    model_.reset();
  }
  [[nodiscard]] twin::Cycle quiet() const override { return twin_->quiet(); }
  void idle(twin::Cycle n) override {
    twin_->idle(n);
    model_.idle(n);
  }
  [[nodiscard]] Probes probes() const override { return twin_->probes(); }
  [[nodiscard]] bool has_probes() const override { return twin_->has_probes(); }
  [[nodiscard]] std::optional<twin::U32> peek(twin::U16 address) const override { return twin_->peek(address); }
  [[nodiscard]] twin::Inside* inside() override { return twin_->inside(); }

 private:
  std::unique_ptr<twin::Twin<darsie::Block>> twin_;
  darsie::Engine model_;
};

/// A twin and its counters. The cycle model has counters of its own; any other twin is wrapped in a CountedTwin.
struct Counted {
  std::unique_ptr<twin::Twin<darsie::Block>> twin;
  const darsie::Counters* counters = nullptr;  ///< valid as long as `twin`
};
[[nodiscard]] inline Counted counted(std::unique_ptr<twin::Twin<darsie::Block>> twin) {
  if (const auto* model = dynamic_cast<const twin::Model<darsie::Block>*>(twin.get())) {
    const darsie::Counters& counters = model->engine().counters();
    return {std::move(twin), &counters};
  }
  auto both = std::make_unique<CountedTwin>(std::move(twin));
  const darsie::Counters& counters = both->counters();
  return {std::move(both), &counters};
}

}  // namespace castor::hookup
