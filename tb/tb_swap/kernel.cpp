#include "tb/tb_swap/kernel.h"

#include <algorithm>

namespace castor::tb_swap::tb {
namespace {

/// Draws the numbers of one kernel.
class Draw {
 public:
  Draw(const Params& params, const Knobs& knobs, base::Xoshiro256& random, Edges& edges)
      : params_(params), knobs_(knobs), random_(random), edges_(edges) {}

  [[nodiscard]] Kernel kernel() {
    Kernel kernel;
    kernel.warps = size(1, 32, knobs_.warps);
    kernel.regs = size(1, params_.NumRegs, knobs_.regs);
    kernel.simt = size(1, 63, knobs_.simt);
    kernel.smem = chance(knobs_.no_smem) ? 0 : size(1, 2047, knobs_.smem);
    storage(kernel);
    kernel.live = chance(knobs_.live);
    kernel.read_only = chance(knobs_.read_only);
    kernel.threshold = static_cast<unsigned>(edges_.between(8, 1023, knobs_.least_threshold + below(32)));
    const unsigned sites = below(1 + std::min(knobs_.sites, params_.NumSites + 1));
    for (unsigned i = 0; i < sites; ++i) kernel.sites.push_back({site(), mask()});
    return kernel;
  }

 private:
  [[nodiscard]] bool chance(unsigned rate) { return random_.below(kAlways) < rate; }
  [[nodiscard]] unsigned below(unsigned bound) { return static_cast<unsigned>(random_.below(bound)); }

  /// Returns a size that costs cycles.
  [[nodiscard]] unsigned size(unsigned least, unsigned most, unsigned knob) {
    const unsigned limit = std::clamp(knob, least, most);
    if (knobs_.longest) return limit;
    return static_cast<unsigned>(edges_.size(least, most, least + below(limit - least + 1)));
  }
  /// Returns a number of spare homes or of places, at most `most`.
  [[nodiscard]] unsigned spare(unsigned most, unsigned knob) {
    if (knobs_.all_storage) return std::min(most, knob);
    return static_cast<unsigned>(edges_.between(0, most, below(1 + std::min(most, knob))));
  }

  void storage(Kernel& kernel) {
    if (chance(kAlways / 32)) {  // all that there is
      kernel.slots = params_.MaxTb;
      kernel.rhomes = kernel.shomes = params_.NumHomes;
      kernel.in_place = kernel.copies = params_.NumPlaces / 2;
      return;
    }
    const unsigned slots = std::min(params_.MaxTb, std::max(1U, knobs_.slots));
    kernel.slots = knobs_.all_storage ? slots : 1 + below(slots);
    kernel.rhomes = kernel.slots + spare(params_.NumHomes - kernel.slots, knobs_.spare_rhomes);
    kernel.shomes = kernel.slots + spare(params_.NumHomes - kernel.slots, knobs_.spare_shomes);
    kernel.in_place = spare(params_.NumPlaces, knobs_.in_place);
    kernel.copies = spare(params_.NumPlaces - kernel.in_place, knobs_.copies);
    kernel.direction = knobs_.direction < 3 ? knobs_.direction : below(3);
    // A place has 4096 lines.
    if (kernel.direction == 1 && kernel.simt + kernel.warps * kernel.regs > kPlaceLines) kernel.direction = 2;
  }

  /// Returns a site number; the block ignores NumSites and above.
  [[nodiscard]] unsigned site() {
    const unsigned most = chance(kAlways / 8) ? 127 : params_.NumSites - 1;
    return static_cast<unsigned>(edges_.between(0, most, below(most + 1)));
  }

  [[nodiscard]] RegBits mask() {
    if (chance(knobs_.empty_mask)) return {};
    if (chance(knobs_.full_mask)) return RegBits::ones(params_.NumRegs);
    RegBits mask;
    // Bits at and above the number of registers of the kernel are there as well; the block leaves them out.
    for (unsigned word = 0; word * 64 < params_.NumRegs; ++word) {
      mask.set_word(word, random_() & random_() & twin::mask(std::min(64U, params_.NumRegs - word * 64)));
    }
    return edges_.any(&Inputs::site_mask, mask);
  }

  const Params& params_;
  const Knobs& knobs_;
  base::Xoshiro256& random_;
  Edges& edges_;
};

}  // namespace

void Kernel::show(Inputs& in) const {
  in.cfg_valid = 1;
  in.cfg_warps = static_cast<U8>(warps);
  in.cfg_regs = static_cast<U16>(regs);
  in.cfg_simt = static_cast<U8>(simt);
  in.cfg_smem = static_cast<U16>(smem);
  in.cfg_slots = static_cast<U8>(slots);
  in.cfg_rhomes = static_cast<U8>(rhomes);
  in.cfg_shomes = static_cast<U8>(shomes);
  in.cfg_in_place = static_cast<U8>(in_place);
  in.cfg_copies = static_cast<U8>(copies);
  in.cfg_direction = static_cast<U8>(direction);
  in.cfg_live = live ? 1 : 0;
  in.cfg_read_only = read_only ? 1 : 0;
  in.cfg_threshold = static_cast<U16>(threshold);
}

RegBits Kernel::live_registers(const Params& params, unsigned site) const {
  RegBits all = RegBits::ones(regs);
  if (!live || site >= params.NumSites) return all;
  for (auto write = sites.rbegin(); write != sites.rend(); ++write) {
    if (write->site == site) return all & write->mask;
  }
  return all;
}

Kernel draw_kernel(const Params& params, const Knobs& knobs, base::Xoshiro256& random, Edges& edges) {
  return Draw(params, knobs, random, edges).kernel();
}

}  // namespace castor::tb_swap::tb
