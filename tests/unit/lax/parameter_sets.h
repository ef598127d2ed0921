#pragma once

#include <array>

#include "castor/lax/params.h"

namespace castor::lax::test {

struct ParameterSet {
  const char* name;
  Params params;
};

/// The named sets of the RTL (rtl/lax/parameter_sets.json), at which everything about the engine is tested.
inline constexpr std::array<ParameterSet, 6> kParameterSets{{{"minimum", {4, 1, 1, 1, 4, 1}},
                                                             {"odd", {16, 3, 5, 4, 5, 3}},
                                                             {"default", {128, 8, 64, 16, 32, 4}},
                                                             {"large", {256, 16, 256, 32, 64, 8}},
                                                             {"golden", {4, 2, 8, 4, 32, 4}},
                                                             {"proof", {4, 2, 4, 2, 4, 1}}}};

}  // namespace castor::lax::test
