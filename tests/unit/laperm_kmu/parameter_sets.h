#pragma once

#include <array>

#include "castor/laperm_kmu/params.h"

/// Parameter sets of tests, those of rtl/laperm_kmu/parameter_sets.json: the smallest, numbers that are no powers of
/// two, the usual machine, that of the proofs, more queues than lists, and the largest.
namespace castor::laperm_kmu::test {

struct ParameterSet {
  const char* name;
  Params params;
};

// NumSm, LvlMax, NumHq
inline constexpr std::array<ParameterSet, 6> kParameterSets{{
    {"minimum", {2, 1, 1}},
    {"odd", {5, 3, 7}},
    {"default", {}},
    {"proof", {2, 2, 2}},
    {"queues", {3, 2, 100}},
    {"large", {32, 15, 128}},
}};

}  // namespace castor::laperm_kmu::test
