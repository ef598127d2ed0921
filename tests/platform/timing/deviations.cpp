#include "platform/timing/deviations.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

namespace castor::gpu::timing_test {
namespace {

const std::vector<Deviation> kDeviations = {};

}  // namespace

void expect_closed_form(const std::string& test, const Machine& machine, long predicted, long measured,
                        long tolerance) {
  for (const Deviation& one : kDeviations) {
    if (test != one.test || (*one.machine != '\0' && machine.name != one.machine)) continue;
    EXPECT_EQ(measured, one.measured) << test << " on " << machine.name << ": known deviation from " << predicted
                                      << " (" << one.reason << ")";
    return;
  }
  EXPECT_LE(std::labs(measured - predicted), tolerance)
      << test << " on " << machine.name << ": predicted " << predicted << ", measured " << measured;
}

}  // namespace castor::gpu::timing_test
