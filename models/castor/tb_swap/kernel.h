#pragma once

#include "castor/tb_swap/ports.h"

namespace castor::tb_swap {

/// Constants of the kernel whose TBs are moved: registers, loaded by cfg_valid.
struct Kernel {
  U8 warps = 0;            // warps of a TB
  U16 regs = 0;            // registers of a thread
  U8 simt = 0;             // SIMT lines of a TB
  U16 smem = 0;            // lines of shared memory of a TB; 0: none
  U8 in_place = 0;         // places for TBs that keep their homes: 0 .. in_place - 1
  U8 copies = 0;           // places for copies, behind those
  U8 direction = 0;        // copies: 0 none, 1 of registers, 2 of shared memory
  bool live = false;       // only live registers move
  bool read_only = false;  // TBs may have read-only segments
  U16 threshold = 0;       // requests of the SM at which accesses to memory pause

  /// Loads the constants that cfg_valid brings.
  void load(const Inputs& in) {
    warps = in.cfg_warps;
    regs = in.cfg_regs;
    simt = in.cfg_simt;
    smem = in.cfg_smem;
    in_place = in.cfg_in_place;
    copies = in.cfg_copies;
    direction = in.cfg_direction;
    live = in.cfg_live != 0;
    read_only = in.cfg_read_only != 0;
    threshold = in.cfg_threshold;
  }
  void probes(Probes& probes) const {
    probes.warps = warps;
    probes.regs = regs;
    probes.simt = simt;
    probes.smem = smem;
    probes.in_place = in_place;
    probes.copies = copies;
    probes.direction = direction;
    probes.live = live ? 1 : 0;
    probes.read_only = read_only ? 1 : 0;
    probes.threshold = threshold;
  }
};

}  // namespace castor::tb_swap
