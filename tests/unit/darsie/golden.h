#pragma once

#include <functional>
#include <string>

#include "castor/twin/twin.h"
#include "tb/darsie/script.h"

namespace castor::darsie::test {

/// Follows a golden trace on any twin that has tb::golden_params() and was just reset: all outputs, and all registers
/// that the trace shows. `more` may return other differences of a cycle (groups, reasons); it is called after settle.
/// Returns the first difference with its cycle, or an empty string.
std::string follow_golden(twin::Twin<Block>& machine, const tb::Trace& trace,
                          const std::function<std::string(const tb::TraceRow&)>& more = {});

}  // namespace castor::darsie::test
