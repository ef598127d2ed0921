#include "castor/tb_swap/segments.h"

#include "castor/tb_swap/entry.h"

namespace castor::tb_swap {

void Segments::reset(const Params& params) {
  *this = {};
  tbs_ = static_cast<U8>(params.MaxTb);
  per_tb_ = static_cast<U8>(params.RoSegs);
}

void Segments::write(const Inputs& in) {
  if (in.ro_slot >= tbs_ || in.ro_index >= per_tb_) return;
  const unsigned row = in.ro_slot * per_tb_ + in.ro_index;
  if (in.ro_lines == 0) return set(row, 0, 0, 0);
  set(row, in.ro_lines, in.ro_first, in.ro_address);
}

void Segments::clear(unsigned slot) {
  if (slot >= tbs_) return;
  for (unsigned s = 0; s < per_tb_; ++s) set(slot * per_tb_ + s, 0, 0, 0);
}

U64 Segments::address(unsigned row, unsigned line) const {
  return (address_[row] + (line - first_[row])) & kAddressMask;
}

void Segments::set(unsigned row, U16 lines, U16 first, U64 address) {
  lines_[row] = lines;
  first_[row] = first;
  address_[row] = address;
}

void Segments::probes(Probes& probes) const {
  probes.ro_lines = lines_;
  probes.ro_first = first_;
  probes.ro_address = address_;
}

}  // namespace castor::tb_swap
