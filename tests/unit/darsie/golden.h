#pragma once

#include <functional>
#include <string>

#include "castor/twin/twin.h"
#include "tb/darsie/script.h"

namespace castor::darsie::test {

/// Follows a golden trace on any twin that has tb::golden_params() and was just reset: all outputs, and all registers
/// that the trace shows. `more` may say what else differs in a cycle (groups, reasons), behind settle. What differs
/// first, with its cycle; empty if nothing does.
std::string follow_golden(twin::Twin<Block>& machine, const tb::Trace& trace,
                          const std::function<std::string(const tb::TraceRow&)>& more = {});

}  // namespace castor::darsie::test
