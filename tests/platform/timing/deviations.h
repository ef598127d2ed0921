#pragma once

#include <string>

#include "castor/gpu/machine.h"

namespace castor::gpu::timing_test {

/// A closed form that the device misses. The list is the only place where a test accepts another number than the
/// prediction, and it accepts exactly the one stated here.
struct Deviation {
  const char* test;     ///< name of the test in messages: "T9 k=4"
  const char* machine;  ///< empty = all
  long measured;
  const char* reason;
};

/// Fails unless `measured` is within `tolerance` of `predicted`, or equals the value in the list of deviations.
void expect_closed_form(const std::string& test, const Machine& machine, long predicted, long measured,
                        long tolerance = 0);

}  // namespace castor::gpu::timing_test
