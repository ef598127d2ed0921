#include "castor/gpu/system_time.h"

#include "castor/base/error.h"

namespace castor::gpu {

SystemTime::SystemTime() : steps_(0), most_(0) {
  const sc_core::sc_time step = sc_core::sc_get_time_resolution();
  constexpr double kSlightlyMore = 1.5e-12;  // resolutions are powers of ten
  if (step.to_seconds() > kSlightlyMore) {
    throw base::InputError("SystemC's time resolution is " + step.to_string() + ", and the GPU's clocks need 1 ps",
                           "call sc_core::sc_set_time_resolution(1, sc_core::SC_PS) before anything has a time");
  }
  steps_ = sc_core::sc_time(1, sc_core::SC_PS).value();
  most_ = kLatest / steps_;
}

}  // namespace castor::gpu
