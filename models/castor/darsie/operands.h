#pragma once

#include "castor/darsie/cycle.h"
#include "castor/darsie/rows.h"

namespace castor::darsie {

/// Issue side: sources that an issuing instruction reads from rows.
class Operands {
 public:
  void reset() { shown_ = 0; }

  /// Whether the last `find` set i_sren and i_srow.
  [[nodiscard]] bool shown() const { return shown_ != 0; }
  /// Sets i_sren and i_srow.
  void find(const View& view, const Rows& rows, Outputs& out) {
    if ((shown_ | view.in.i_valid) != 0) find_rows(view, rows, out);
  }
  /// Counts the operands that the outputs name.
  void count(const Outputs& out, Counters& counters) const;

 private:
  void find_rows(const View& view, const Rows& rows, Outputs& out);

  U16 shown_ = 0;  // issue ports for which the outputs hold i_sren
};

}  // namespace castor::darsie
