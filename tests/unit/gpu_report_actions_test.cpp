// Tests that a device leaves the actions of SystemC reports as the library's user has set them.

#include <gtest/gtest.h>

#include <systemc>

#include "castor/gpu/timing_device.h"
#include "platforms/machines.h"

namespace castor::gpu::gpu_report_actions_test {
namespace {

constexpr const char* kIdle = sc_core::SC_ID_NO_SC_START_ACTIVITY_;

/// Returns the actions currently set for the message, without changing them.
sc_core::sc_actions actions() {
  const sc_core::sc_actions now = sc_core::sc_report_handler::set_actions(kIdle, sc_core::SC_DO_NOTHING);
  sc_core::sc_report_handler::set_actions(kIdle, now);
  return now;
}

/// Advances an idle device, about which SystemC would report.
void run_idle() {
  TimingDevice device(platforms::load_machine("tiny").machine, {});
  device.advance_to(1'000'000);
  device.advance_to(2'000'000);
}

TEST(ReportActions, ThatTheUserHasSetStay) {
  sc_core::sc_report_handler::set_actions(kIdle, sc_core::SC_THROW);
  run_idle();
  EXPECT_EQ(actions(), static_cast<sc_core::sc_actions>(sc_core::SC_THROW));
}

TEST(ReportActions, ThatNobodyHasSetStayUnset) {
  const sc_core::sc_actions before = actions();
  run_idle();
  EXPECT_EQ(actions(), before);
}

}  // namespace
}  // namespace castor::gpu::gpu_report_actions_test
