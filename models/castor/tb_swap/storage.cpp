#include "castor/tb_swap/storage.h"

namespace castor::tb_swap {
namespace {

// Returns a mask with the bits `from` .. `end` - 1 set.
U64 range(unsigned from, unsigned end) { return twin::mask(end) & ~twin::mask(from); }

}  // namespace

void Storage::reset(const Params& params) {
  *this = {};
  homes_ = twin::mask(params.NumHomes);
  places_ = twin::mask(params.NumPlaces);
  tbs_ = static_cast<U8>(params.MaxTb);
}

void Storage::configure(const Inputs& in) {
  free_rhomes_ = range(in.cfg_slots, in.cfg_rhomes) & homes_;
  free_shomes_ = range(in.cfg_slots, in.cfg_shomes) & homes_;
  free_places_ = range(0, in.cfg_in_place + in.cfg_copies) & places_;
  for (unsigned t = 0; t < tbs_; ++t) rhome_[t] = shome_[t] = static_cast<U8>(t);
}

void Storage::set_homes(unsigned slot, U8 rhome, U8 shome) {
  if (slot >= tbs_) return;
  rhome_[slot] = rhome;
  shome_[slot] = shome;
}

unsigned Storage::lowest_place(unsigned from, unsigned end) const {
  const U64 found = free_places_ & range(from, end);
  return found != 0 ? static_cast<unsigned>(__builtin_ctzll(found)) : kNone;
}

void Storage::probes(Probes& probes) const {
  probes.free_rhomes = free_rhomes_;
  probes.free_shomes = free_shomes_;
  probes.free_places = free_places_;
  probes.rhome = rhome_;
  probes.shome = shome_;
}

}  // namespace castor::tb_swap
