#pragma once

#include <chrono>

/// Limit of every wait in a test program, far longer than any command takes on a loaded machine. The limit only ends a
/// test that hangs; no result depends on a duration.
constexpr std::chrono::seconds kHangLimit{1800};
