#include "unit/darsie/run.h"

#include "unit/darsie/reference.h"

namespace castor::darsie::test {

std::string run_beside_reference(Device& device, tb::Sequence& sequence, unsigned cycles) {
  auto versions = std::make_unique<reference::Versions>(device.params());
  std::string first;
  try {
    run(
        device, sequence, cycles,
        [&](const Inputs& in, const Outputs& out) {
          if (!first.empty()) return;
          versions->see(in, out);
          if (!versions->problems().empty()) first = "versions: " + versions->problems().front();
        },
        [&] { versions = std::make_unique<reference::Versions>(device.params()); });
  } catch (const base::Error& error) {
    // A kernel has left wrong results in memory, or no thread block has moved.
    if (first.empty()) first = error.what();
  }
  return first;
}

}  // namespace castor::darsie::test
