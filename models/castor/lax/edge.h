#pragma once

#include "castor/lax/state.h"

namespace castor::lax {

/// Values that the steps of one clock edge collect for its last one, Engine::finish.
struct Edge {
  MainState f = MainState::kIdle;  // state of the main machine at the start of the cycle
  bool space = false;              // at the start of the cycle: room for one more job and one more dropped job
  bool had_verdict = false;        // at the start of the cycle: a verdict was waiting
  bool table_access = false;       // a register access reaches the tables in this cycle
  bool soft_reset = false;         // software requests a reset of the engine
  bool pop_verdict = false;        // software reads the oldest verdict
  bool parse_granted = false;      // a legal parse grant has arrived
  bool config_written = false;     // `config` replaces the configuration
  U32 irq = 0;                     // bits to set in IRQ_STAT
  U32 irq_clear = 0;               // bits of IRQ_STAT that software clears
  U32 err = 0;                     // bits to set in ERR_STAT
  U32 err_clear = 0;               // bits of ERR_STAT that software clears
  Config config;                   // configuration as software has written it
};

}  // namespace castor::lax
