#pragma once

#include <deque>

#include "castor/tb_swap/ports.h"
#include "tb/common/block_points.h"
#include "tb/tb_swap/entry.h"

namespace castor::tb_swap::tb {

/// Features of parameters that points need.
inline constexpr castor::tb::Needs kSpare = 1;      ///< there are more homes than contexts
inline constexpr castor::tb::Needs kContexts = 2;   ///< more than one context
inline constexpr castor::tb::Needs kPlaces = 4;     ///< more than one place
inline constexpr castor::tb::Needs kSites = 8;      ///< more than one site
inline constexpr castor::tb::Needs kSegments = 16;  ///< more than one segment of a thread block
inline constexpr castor::tb::Needs kBeyond = 32;    ///< segment numbers that do not exist

[[nodiscard]] inline castor::tb::Needs features(const Params& params) {
  return (params.NumHomes > params.MaxTb ? kSpare : 0) | (params.MaxTb > 1 ? kContexts : 0) |
         (params.NumPlaces > 1 ? kPlaces : 0) | (params.NumSites > 1 ? kSites : 0) |
         (params.RoSegs > 1 ? kSegments : 0) | (params.RoSegs < 4 ? kBeyond : 0);
}

/// What cover points ask of a job.
struct JobFacts {
  bool out = false, is_new = false;
  unsigned slot = 0, site = 0;
  unsigned reg_loc = 0, smem_loc = 0, simt_loc = 0;  ///< of the entry; 0 if is_new

  [[nodiscard]] bool brings_registers() const { return !is_new && reg_loc == kInHome; }
  [[nodiscard]] bool brings_shared() const { return !is_new && smem_loc == kInHome; }
};

/// A cycle, with the jobs of both machines; null while a machine is idle.
struct Now : castor::tb::Cycle<Block> {
  const JobFacts* leaving;   ///< job of the machine that moves TBs out
  const JobFacts* entering;  ///< job of the machine that moves TBs in

  [[nodiscard]] bool starts() const { return in.cfg_valid != 0; }
  [[nodiscard]] bool place() const { return probes.out_state == OutState::kPlace && leaving != nullptr && !starts(); }
  /// Returns the job about which has been decided in the cycle before; null if none has.
  [[nodiscard]] const JobFacts* decided() const {
    return before != nullptr && before->in.cfg_valid == 0 && before->probes.out_state == OutState::kPlace ? leaving
                                                                                                          : nullptr;
  }
  /// Returns whether an access has been written in the cycle before.
  [[nodiscard]] bool offered() const {
    return before != nullptr && out.access_valid != 0 &&
           (before->out.access_valid == 0 || before->in.access_ready != 0);
  }
  [[nodiscard]] bool port_free() const { return out.access_valid == 0 || in.access_ready != 0; }
  [[nodiscard]] bool out_local() const { return probes.out_class != 4; }
  /// Returns whether the line of shared memory is in a read-only segment of the context.
  [[nodiscard]] bool covered(unsigned slot, unsigned line) const;
  /// Returns whether a machine has an access to offer.
  [[nodiscard]] bool out_wants() const;
  [[nodiscard]] bool in_wants() const;
  /// Returns whether the access that the second machine wants stays on chip; in_wants() holds.
  [[nodiscard]] bool in_local() const;
};

/// Observer that follows the jobs through the FIFO and both machines.
class Jobs {
 public:
  /// Returns the cycle with its jobs.
  [[nodiscard]] Now follow(const castor::tb::Cycle<Block>& cycle);

 private:
  std::deque<JobFacts> waiting_;
  JobFacts leaving_, handed_, entering_;
};

}  // namespace castor::tb_swap::tb
