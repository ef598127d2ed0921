#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "castor/laperm_kmu/params.h"
#include "castor/laperm_kmu/ports.h"

/// Reference for the choice of the next kernel, with the rules written down one after the other. It has two forms. One
/// is a machine with cycles, which keeps SMs and queues in the order of their turns and the remaining queries in a
/// list. The other is untimed: the order in which launches leave if all wait from the beginning.
namespace castor::laperm_kmu::reference {

/// Source of kernels that can be granted.
struct Source {
  Kind kind = kNothing;
  U32 sm = 0, level = 0;  ///< SM and level of a list
  U32 queue = 0;
};

/// Reference machine with cycles. `settle` returns the outputs of a cycle, `clock` is its edge.
class Machine {
 public:
  explicit Machine(const Params& params);
  void reset();
  [[nodiscard]] Outputs settle() const;
  void clock(const Inputs& in);
  [[nodiscard]] Probes probes() const;

 private:
  [[nodiscard]] bool is_ready(const Source& source, const Inputs& in) const;
  void look_around(const Inputs& in);
  void ask(const Inputs& in);
  void serve(const Inputs& in);

  Params params_;
  std::deque<U32> sms_, queues_;  ///< in the order of their turns
  std::deque<Source> questions_;  ///< lists of one SM that are still to be examined
  std::optional<Source> offered_;
};

/// Returns the order in which launches leave if all wait from the beginning and nothing else is ready. `waiting` holds
/// counts by SM and by level - 1.
[[nodiscard]] std::vector<Source> order_of(std::vector<std::vector<U32>> waiting);

}  // namespace castor::laperm_kmu::reference
