// A user-defined instruction: hamming.{b32|b64} d, a, b gives the number of bits in which a and b differ.
// docs/guides/adding-an-instruction.md explains it.

#include "castor/isa/lanes.h"

namespace {

using castor::isa::LaneArgs;
using castor::isa::LaneFn;
using castor::isa::Match;
using castor::isa::Record;

// Semantics: one function from source elements to the destination element, applied to all lanes that execute.
template <class T>
void hamming(const Record&, LaneArgs& args) {
  castor::isa::map<std::uint32_t, T, T>(
      args, [](T a, T b) { return static_cast<std::uint32_t>(__builtin_popcountll(a ^ b)); });
}

// The handler for a spelling: the label `t` of the syntax below says which type was written.
LaneFn select_hamming(const Match& match) {
  return castor::isa::bits(match.type("t")) == 64 ? &hamming<std::uint64_t> : &hamming<std::uint32_t>;
}

}  // namespace

CASTOR_INSTRUCTIONS(hamming) {
  table.add_pure({
      "hamming.{t:b32|b64}",           // spelling
      "=d:u32, a:t, b:t",              // operands
      castor::isa::TimingClass::kInt,  // timing: the row of the machine's latency table
      castor::isa::Kind::kLane,        // reads and writes registers only
      select_hamming, nullptr,
      "number of bits in which a and b differ",  // for docs/ptx-coverage.md and `castor list`
  });
}
