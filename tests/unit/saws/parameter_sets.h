#pragma once

#include <array>

#include "castor/saws/params.h"

namespace castor::saws::test {

struct ParameterSet {
  const char* name;
  Params params;
};

/// The named sets of the RTL (rtl/saws/parameter_sets.json), and what they leave out: a list that holds a thread block
/// per warp, the deepest queues, promotion without floor on four schedulers.
inline constexpr std::array<ParameterSet, 10> kParameterSets{{{"minimum", {1, 1, 1, 1, 0, 1, 1, 1}},
                                                              {"odd", {2, 12, 5, 3, 1, 0, 0, 1}},
                                                              {"default", {4, 64, 32, 4, 1, 0, 0, 1}},
                                                              {"two_schedulers", {2, 64, 32, 4, 1, 0, 0, 1}},
                                                              {"large", {2, 64, 32, 16, 0, 0, 1, 1}},
                                                              {"golden", {2, 12, 3, 4, 1, 0, 0, 1}},
                                                              {"proof", {2, 6, 3, 2, 1, 0, 0, 1}},
                                                              {"gto", {4, 64, 32, 4, 1, 0, 0, 0}},
                                                              {"narrow", {4, 20, 13, 1, 0, 1, 1, 1}},
                                                              {"one", {1, 9, 9, 2, 1, 0, 0, 1}}}};

}  // namespace castor::saws::test
