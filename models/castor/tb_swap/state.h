#pragma once

#include "castor/tb_swap/counters.h"
#include "castor/tb_swap/entry.h"
#include "castor/tb_swap/jobs.h"
#include "castor/tb_swap/kernel.h"
#include "castor/tb_swap/segments.h"
#include "castor/tb_swap/sites.h"
#include "castor/tb_swap/storage.h"

namespace castor::tb_swap {

/// What an access register holds: one access to a line, as at the ports access_*.
struct Access {
  bool store = false;
  AccessType type = AccessType::kSimt;
  bool local = false;
  U8 slot = 0;
  U8 warp = 0;
  U8 reg = 0;
  U16 line = 0;
  U8 home = 0;
  U64 address = 0;
};

/// Access that a machine wants to make in this cycle.
struct Want {
  bool valid = false;
  bool local = false;                  ///< the address is that of a place, so the access is never throttled
  unsigned segment = Segments::kNone;  ///< read-only segment that covers the current line
};

/// Facts of the start of a cycle by which a machine takes its step.
struct Turn {
  bool granted = false;                ///< the machine makes its access in this cycle
  unsigned segment = Segments::kNone;  ///< Want::segment
  bool handed = false;                 ///< HandOver::valid
  bool storing = false;                ///< a store is offered
};

/// State that both machines of the engine use.
struct State {
  Kernel kernel;
  JobQueue jobs;
  HandOver hand;
  Sites sites;
  Segments segments;
  Storage storage;
  Outputs out;  // output registers: the access register, and what the machines offer
  Counters counters;

  /// Writes the access register, which must be empty.
  void offer(const Access& access) {
    out.access_valid = 1;
    out.access_store = access.store ? 1 : 0;
    out.access_type = access.type;
    out.access_local = access.local ? 1 : 0;
    out.access_slot = access.slot;
    out.access_warp = access.warp;
    out.access_reg = access.reg;
    out.access_line = access.line;
    out.access_home = access.home;
    out.access_address = access.address;
    out.block_memory = access.local ? 0 : 1;
    count(access);
  }
  /// Empties the access register.
  void withdraw() {
    out.access_valid = out.access_store = out.access_local = out.block_memory = 0;
    out.access_type = {};
    out.access_slot = out.access_warp = out.access_reg = out.access_home = 0;
    out.access_line = 0;
    out.access_address = 0;
  }

 private:
  void count(const Access& access) {
    const auto type = static_cast<unsigned>(access.type);
    if (access.local) return Counters::add(access.store ? counters.copied_out : counters.copied_in);
    Counters::add(access.store ? counters.stored[type] : counters.loaded[type]);
  }
};

}  // namespace castor::tb_swap
