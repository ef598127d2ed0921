#pragma once

#include <vector>

#include "castor/base/time.h"
#include "castor/lax/edge.h"
#include "castor/lax/params.h"
#include "castor/lax/ports.h"

namespace castor::lax {

/// Selection of the queues that the engine offers for parsing and dispatch: passes over all queues, a group of them per
/// cycle. Keeps the results of the latest pass, which repeat while nothing changes.
class Selection {
 public:
  explicit Selection(const Params& params);

  /// Returns the number of groups of queues in a pass.
  [[nodiscard]] unsigned groups() const { return groups_; }
  [[nodiscard]] static bool offers_parse(const State& s, const QueueBits& pe_vec);
  [[nodiscard]] static bool offers_dispatch(const State& s, const QueueBits& de_vec);
  /// Takes the grants and compares one group. `steady`: edges since the last change of a value that the selection
  /// reads.
  void step(State& s, const Inputs& in, base::Cycle steady, Edge& edge);

 private:
  struct Passed {
    Best p;  // best parse key
    Best d;  // best dispatch key
  };

  [[nodiscard]] static bool parse_eligible(const State& s, unsigned q);
  void freeze(State& s, const Inputs& in) const;
  static void compare(Best& best, U64 key, unsigned q, U16 tie);
  void compare_group(State& s) const;

  Params params_;
  unsigned groups_;             // groups of queues in a pass
  unsigned words_;              // 64-bit words of a vector of queues
  std::vector<Passed> passed_;  // best keys after each group of the latest pass
};

}  // namespace castor::lax
