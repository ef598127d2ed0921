#pragma once

#include <chrono>

/// Limit of every wait in a test program, far beyond what a command takes on a loaded machine. It ends a test that
/// would never end; no verdict comes from a duration.
constexpr std::chrono::seconds kHangLimit{1800};
