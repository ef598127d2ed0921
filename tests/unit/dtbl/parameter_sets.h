#pragma once

#include <array>

#include "castor/dtbl/params.h"

/// Parameter sets of tests: one kernel and one group, numbers that are no powers of two, the usual table, the largest
/// one, and both hashes.
namespace castor::dtbl::test {

struct ParameterSet {
  const char* name;
  Params params;
};

inline constexpr std::array<ParameterSet, 7> kParameterSets{{
    {"minimum", {1, 1, 0}},
    {"proof", {2, 2, 0}},
    {"odd", {3, 4, 1}},
    {"five", {5, 16, 0}},
    {"default", {32, 1024, 0}},
    {"large", {32, 2048, 1}},
    {"kernels", {256, 64, 1}},
}};

}  // namespace castor::dtbl::test
