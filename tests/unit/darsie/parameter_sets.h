#pragma once

#include <array>

#include "castor/darsie/params.h"

namespace castor::darsie::test {

struct ParameterSet {
  const char* name;
  Params params;
};

/// The kinds of sets that the RTL has, and what they leave out: all at 1, all at their most, few PC bits.
/// NumWarps, NumTbs, NumPst, NumRows, NumSlots, PstRd, DecW, NumIss, NumSrc, NumWb, PcW, RowW, StoreInv, LoadSkip,
/// SkipEn
inline constexpr std::array<ParameterSet, 10> kParameterSets{
    {{"minimum", {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 8, 1, 1, 1, 1}},
     {"odd", {12, 3, 3, 5, 7, 2, 3, 3, 3, 2, 11, 6, 1, 1, 1}},
     {"default", {}},
     {"large", {64, 32, 16, 32, 32, 4, 4, 16, 8, 16, 64, 16, 1, 1, 1}},
     {"proof", {3, 2, 2, 3, 2, 1, 1, 1, 1, 1, 8, 3, 1, 1, 1}},
     {"golden", {4, 2, 2, 4, 32, 2, 2, 8, 6, 16, 48, 11, 1, 1, 1}},
     {"nostore", {12, 3, 3, 5, 7, 2, 2, 4, 4, 4, 16, 6, 0, 1, 1}},
     {"noload", {12, 3, 3, 5, 7, 2, 2, 4, 4, 4, 16, 6, 1, 0, 1}},
     {"noskip", {12, 3, 3, 5, 7, 2, 2, 4, 4, 4, 16, 6, 1, 1, 0}},
     {"one_entry", {8, 2, 1, 32, 16, 1, 2, 4, 4, 4, 24, 9, 1, 1, 1}}}};

}  // namespace castor::darsie::test
