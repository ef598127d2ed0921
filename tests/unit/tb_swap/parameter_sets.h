#pragma once

#include <array>

#include "castor/tb_swap/params.h"

/// Parameter sets of tests, those of rtl/tb_swap/parameter_sets.json: the smallest, numbers that are no powers of two,
/// the usual machine, that of the proofs, and the largest.
namespace castor::tb_swap::test {

struct ParameterSet {
  const char* name;
  Params params;
};

// MaxTb, NumHomes, NumPlaces, NumRegs, NumSites, RoSegs
inline constexpr std::array<ParameterSet, 5> kParameterSets{{
    {"minimum", {1, 1, 1, 8, 1, 1}},
    {"odd", {5, 11, 7, 37, 3, 3}},
    {"default", {}},
    {"proof", {2, 3, 2, 8, 2, 1}},
    {"large", {64, 64, 64, 256, 64, 4}},
}};

}  // namespace castor::tb_swap::test
