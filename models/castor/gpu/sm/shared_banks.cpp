#include "castor/gpu/sm/shared_banks.h"

#include <algorithm>

#include "castor/gpu/sm/warp_mask.h"

namespace castor::gpu {
namespace {

using isa::LaneMask;

// Returns whether all lanes' pieces lie within a window as wide as the banks, so that no two different pieces share a
// bank.
bool in_one_window(const std::uint64_t* offset, unsigned lanes, unsigned banks, unsigned shift) {
  const std::uint64_t first = offset[0] >> shift;
  std::uint64_t distance = 0;
  for (unsigned lane = 0; lane < lanes; ++lane) distance |= (offset[lane] >> shift) - first;
  return distance < banks;
}

}  // namespace

unsigned bank_rounds(const std::uint64_t* offset, LaneMask mask, unsigned lanes, unsigned lane_bytes,
                     const SharedBanks& banks, bool atomic) {
  const unsigned group = banks.group(lane_bytes);
  const auto shift = static_cast<unsigned>(__builtin_ctz(banks.interleave));
  const auto row_shift = static_cast<unsigned>(__builtin_ctz(banks.count * banks.bytes / banks.interleave));
  unsigned rounds = 0;
  for (unsigned start = 0; start < lanes; start += group) {
    const LaneMask all = lane_range(start, group);
    const LaneMask here = mask & all;
    if (lane_bytes <= banks.interleave && !atomic && here == all &&
        in_one_window(offset + start, group, banks.count, shift)) {
      ++rounds;
      continue;
    }
    std::uint64_t used = 0;  // bit per bank that has to deliver a row
    std::uint64_t first_row[64];
    std::uint8_t depth[64];  // different rows of the bank; for atomics the number of lanes
    // [bank] list of further rows: index + 1 in `rows` of the row added last, 0 = no further row
    std::uint8_t more[64];
    struct {
      std::uint64_t row;
      std::uint8_t next;
    } rows[64];
    unsigned count = 0;
    unsigned most = 0;
    for (LaneMask left = here; left != 0; left &= left - 1) {
      const std::uint64_t first = offset[lowest(left)] >> shift;
      const std::uint64_t end = (offset[lowest(left)] + lane_bytes + banks.interleave - 1) >> shift;
      for (std::uint64_t piece = first; piece < end; ++piece) {
        const auto bank = static_cast<unsigned>(piece & (banks.count - 1));
        const std::uint64_t row = piece >> row_shift;
        if ((used >> bank & 1) == 0) {
          used |= std::uint64_t{1} << bank;
          first_row[bank] = row;
          more[bank] = 0;
          depth[bank] = 1;
          most = std::max(most, 1U);
          continue;
        }
        if (!atomic) {  // lanes in the same row of a bank share one read
          if (first_row[bank] == row) continue;
          unsigned at = more[bank];
          while (at != 0 && rows[at - 1].row != row) at = rows[at - 1].next;
          if (at != 0) continue;
          rows[count] = {row, more[bank]};
          more[bank] = static_cast<std::uint8_t>(++count);
        }
        most = std::max<unsigned>(most, ++depth[bank]);
      }
    }
    rounds += most;
  }
  return rounds;
}

}  // namespace castor::gpu
