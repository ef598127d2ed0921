#pragma once

#include "castor/tb_swap/ports.h"

namespace castor::tb_swap {

/// On-chip storage of the SM: homes of the TB contexts, spare homes, and free places. Each home is that of a context,
/// is that of a parked TB, or is spare.
class Storage {
 public:
  static constexpr unsigned kNone = 64;  ///< no home, no place

  /// Sets the state after reset: nothing is spare or free, every context has home 0.
  void reset(const Params& params);
  /// Sets the state at the start of a kernel: context t has homes t, the other homes are spare, all places are free.
  void configure(const Inputs& in);

  /// Return the homes of a context. A number that is not below MaxTb names no context; its homes read as 0.
  [[nodiscard]] U8 rhome(unsigned slot) const { return rhome_[slot]; }
  [[nodiscard]] U8 shome(unsigned slot) const { return shome_[slot]; }
  void set_homes(unsigned slot, U8 rhome, U8 shome);

  [[nodiscard]] bool spare_rhome() const { return free_rhomes_ != 0; }
  [[nodiscard]] bool spare_shome() const { return free_shomes_ != 0; }
  /// Return the spare home of the lowest number; one must be spare.
  [[nodiscard]] U8 lowest_rhome() const { return static_cast<U8>(__builtin_ctzll(free_rhomes_)); }
  [[nodiscard]] U8 lowest_shome() const { return static_cast<U8>(__builtin_ctzll(free_shomes_)); }
  void take_rhome(unsigned home) { free_rhomes_ &= ~(U64{1} << home); }
  void take_shome(unsigned home) { free_shomes_ &= ~(U64{1} << home); }
  /// Return a home to the spare ones; a home that does not exist is ignored.
  void free_rhome(unsigned home) { free_rhomes_ |= U64{1} << home & homes_; }
  void free_shome(unsigned home) { free_shomes_ |= U64{1} << home & homes_; }

  /// Returns the free place of the lowest number in `from` .. `end` - 1, or kNone.
  [[nodiscard]] unsigned lowest_place(unsigned from, unsigned end) const;
  void take_place(unsigned place) { free_places_ &= ~(U64{1} << place); }
  /// Returns a place to the free ones; a place that does not exist is ignored.
  void free_place(U64 place) {
    if (place < kNone) free_places_ |= U64{1} << place & places_;
  }

  void probes(Probes& probes) const;

 private:
  U64 homes_ = 0;        // homes that exist
  U64 places_ = 0;       // places that exist
  U64 free_rhomes_ = 0;  // spare register homes
  U64 free_shomes_ = 0;  // spare shared homes
  U64 free_places_ = 0;  // free places
  U8 tbs_ = 0;           // MaxTb
  PerTb rhome_;          // register home of each context
  PerTb shome_;          // shared home of each context
};

}  // namespace castor::tb_swap
