#pragma once

#include <array>

#include "castor/darsie/params.h"

namespace castor::darsie::test {

struct ParameterSet {
  const char* name;
  Params params;
};

/// Everything at its least, nothing a power of two, the source's sizes, everything at its most, and the options.
/// Columns: NumWarps, NumTbs, NumPst, NumRows, NumSlots, PstRd, DecW, NumIss, NumSrc, NumWb, PcW, RowW, StoreInv,
/// LoadSkip, SkipEn.
inline constexpr std::array<ParameterSet, 11> kParameterSets{
    {{"one", {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 8, 1, 1, 1, 1}},
     {"odd", {12, 3, 3, 5, 5, 3, 3, 3, 3, 3, 17, 7, 1, 1, 1}},
     {"default", {64, 32, 8, 32, 32, 2, 2, 8, 6, 16, 48, 11, 1, 1, 1}},
     {"large", {64, 32, 16, 32, 32, 4, 4, 16, 8, 16, 64, 16, 1, 1, 1}},
     {"proof", {3, 2, 2, 3, 2, 1, 1, 1, 1, 1, 8, 3, 1, 1, 1}},
     {"golden", {4, 2, 2, 4, 32, 2, 2, 8, 6, 16, 48, 11, 1, 1, 1}},
     {"one_row", {16, 4, 1, 1, 4, 2, 2, 4, 3, 4, 16, 9, 1, 1, 1}},
     {"many_rows", {8, 2, 2, 32, 3, 2, 2, 4, 3, 4, 16, 9, 1, 1, 1}},
     {"nostore", {16, 4, 4, 8, 6, 2, 2, 4, 3, 4, 16, 9, 0, 1, 1}},
     {"noload", {16, 4, 4, 8, 6, 2, 2, 4, 3, 4, 16, 9, 1, 0, 1}},
     {"noskip", {16, 4, 4, 8, 6, 2, 2, 4, 3, 4, 16, 9, 1, 1, 0}}}};

}  // namespace castor::darsie::test
