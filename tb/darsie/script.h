#pragma once

#include <string_view>
#include <vector>

#include "castor/darsie/ports.h"

/// Stimulus of DARSIE written as text, and two traces that every twin must follow cycle by cycle.
namespace castor::darsie::tb {

/// Adds the inputs that `text` describes to the inputs of a cycle; items are separated by ';'. Warps, TB slots, rows
/// and ports that a parameter set does not have are left out. Items:
///
///     launch t0 warps 0111 full 0111 en 1 promote 1 base 100 rows 4 slots 2      retire t0
///     elig w0@16 w1@8            f_elig and f_pc
///     busy w0 w2                 oc_idle 0, which is 1 for all others
///     decode w0@0 DR:0 V         slots in order: MARK[:dst[,dst]][/ldkind], marks V, CR, DR, BAD
///     issue w0 lead 0 dst 1 src 0    lead with its tags, dst and src with their registers: lists "0,1"
///     wb t0 k0                   store t1      global      br w0 taken      br w0 not     leave w2
///     bar t1 join 0111           exit w0       ack
///
/// Bit 0 of a mask is its rightmost digit. An unknown item is an assertion failure.
void play(std::string_view text, const Params& params, Inputs& in);

/// One cycle of a golden trace: inputs and expected reaction. An empty column means that nothing is expected.
struct TraceRow {
  const char* inputs;
  const char* hold;  ///< expected f_hold
  /// expected values of all other outputs, such as "skip 010; act LEAD,PASS tag 0; row 100; cp w2 row 101 slot 0"
  const char* outputs;
  const char* groups;  ///< expected groups, such as "SKIP{w1} MISS{w0}"
  const char* why;     ///< expected reason of the verdict
  const char* state;   ///< expected registers that the edge changes, such as "pend1=0001 ctr=1"
};
struct Trace {
  const char* name;
  unsigned tb;  ///< TB slot whose registers `state` shows
  std::vector<TraceRow> rows;
};

/// Returns the parameters of the traces: NumWarps 4, NumTbs 2, NumPst 2, NumRows 4, all others at their defaults.
[[nodiscard]] Params golden_params();
/// Returns two traces. The first has a leader, two followers and a vote; the second a synchronisation point, stale
/// loads and a leave.
[[nodiscard]] const std::vector<Trace>& golden_traces();

}  // namespace castor::darsie::tb
