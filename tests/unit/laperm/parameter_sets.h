#pragma once

#include <array>

#include "castor/laperm/params.h"

/// Parameter sets of tests, those of rtl/laperm/parameter_sets.json: the smallest, numbers that are no powers of two,
/// the usual machine, the two of the hand-worked traces, many levels, and SMs that share sets.
namespace castor::laperm::test {

struct ParameterSet {
  const char* name;
  Params params;
};

// NumSm, ClusterSize, LvlMax, BankDepth, NumKd, OvfW, RefillMax, QcntW, AgeiW, CntW, DimW, ParamW
inline constexpr std::array<ParameterSet, 8> kParameterSets{{
    {"minimum", {2, 1, 1, 2, 2, 2, 1, 2, 1, 1, 1, 1}},
    {"odd", {5, 2, 3, 3, 3, 3, 3, 4, 9, 5, 11, 7}},
    {"default", {}},
    {"proof", {2, 1, 2, 2, 2, 2, 1, 3, 1, 2, 1, 1}},
    {"golden", {4, 1, 4, 4, 4, 4, 2, 6, 32, 32, 64, 32}},
    {"overflow", {2, 1, 2, 2, 2, 3, 1, 4, 32, 32, 64, 32}},
    {"deep", {3, 1, 15, 8, 5, 4, 2, 8, 16, 8, 8, 8}},
    {"clusters", {13, 4, 4, 16, 32, 6, 8, 12, 32, 32, 64, 32}},
}};

}  // namespace castor::laperm::test
