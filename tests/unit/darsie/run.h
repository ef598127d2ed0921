#pragma once

#include <functional>
#include <memory>
#include <string>

#include "castor/twin/twin.h"
#include "tb/darsie/sequences.h"

namespace castor::darsie::test {

/// The block under test, any twin. Tests of the stimulus and the reference use literal::Machine; tests of a twin use
/// that twin.
using Device = twin::Twin<Block>;
using MakeDevice = std::function<std::unique_ptr<Device>(const Params&)>;

/// Runs `cycles` cycles of a sequence. Calls `watch(in, out)` before each edge, and `anew()` at each reset. Throws what
/// the sequence throws.
template <class Watch, class Restart>
void run(Device& device, tb::Sequence& sequence, unsigned cycles, Watch watch, Restart anew) {
  Inputs in;
  sequence.begin(in);
  for (unsigned cycle = 0; cycle < cycles; ++cycle) {
    if (sequence.over()) {
      device.reset();
      in = {};
      sequence.begin(in);
      anew();
    }
    twin::make_idle<Block>(in, device.params());
    sequence.drive(in);
    const Outputs out = device.settle(in);
    sequence.react(in, out);
    watch(in, out);
    device.clock(in);
  }
}

/// Runs a sequence that keeps the contract beside the reference with versions; what was wrong first, empty if nothing.
[[nodiscard]] std::string run_beside_reference(Device& device, tb::Sequence& sequence, unsigned cycles);

}  // namespace castor::darsie::test
