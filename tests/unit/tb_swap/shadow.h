#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "castor/base/rng.h"
#include "unit/tb_swap/reference.h"
#include "unit/tb_swap/storage.h"

namespace castor::tb_swap::reference {

/// Observer of the block and its surroundings, cycle by cycle. It performs each access on tokens, and follows the
/// reference: at each decision, access, entry and filled context it notes what differs. The surroundings keep the
/// contract.
///
/// Whenever a thread block is back in a context, every cell of it that is live must hold what it wrote there. Then it
/// writes all cells anew, so nothing of an earlier stay passes for its own.
class Shadow {
 public:
  /// Numbers of events that have been seen.
  struct Seen {
    U64 classes[5] = {};
    U64 returns = 0, starts = 0, foreign = 0;
    U64 stores[3] = {}, loads[4] = {};
    U64 exchanges_in_place = 0, kernels = 0, whole_kernels = 0, checked_cells = 0;
  };

  Shadow(const Params& params, U64 seed) : params_(params), random_(seed ^ 0x736861646F77ULL), machine_(params) {
    reset();
  }

  /// Follows a reset of the block.
  void reset();
  /// Follows one cycle: inputs, outputs, and probes before the edge.
  void see(const Inputs& in, const Outputs& out, const Probes& probes);

  /// Returns what differs, empty if nothing does.
  [[nodiscard]] const std::string& problems() const { return problems_; }
  [[nodiscard]] const Seen& seen() const { return seen_; }

 private:
  /// Thread block in a context or away.
  struct ThreadBlock {
    U64 owner = 0;                    ///< number of its tokens; another one for each stay
    unsigned site = 127;              ///< site at which it was moved out
    std::map<unsigned, Token> equal;  ///< lines of shared memory that equal global memory, with their tokens
    std::vector<Segment> segments;    ///< at the time when it was moved out
    bool foreign = false;             ///< another SM has stored it
  };
  struct Load {
    Access access;
    std::optional<Token> value;  ///< what has been read as the load was accepted; else it is read as it is performed
  };
  struct Arrival {
    Move move;
    std::optional<ThreadBlock> back;  ///< parked thread block that is moved in
  };

  void start_kernel(const Inputs& in);
  void check_registers(const Outputs& out, const Probes& probes);
  void check_port(const Outputs& out);
  void place(const Inputs& in);
  void take_image(const Inputs& in);
  void take_access(const Outputs& out);
  void perform_load();
  void park(const Inputs& in, const Outputs& out);
  void begin_in();
  void know_segments();
  void enter(const Outputs& out);
  void write_segment(const Inputs& in);
  void accept_job(const Inputs& in);

  /// Lets a thread block write all cells of a context.
  void write_all(unsigned slot, ThreadBlock block);
  void check_tokens(const Arrival& arrival);
  void check(bool holds, const std::string& what);
  void check_equal(U64 is, U64 expected, const char* what);

  Params params_;
  base::Xoshiro256 random_;
  Machine machine_;
  Storage storage_;
  bool started_ = false;
  U64 owners_ = 0;
  std::map<unsigned, ThreadBlock> contexts_;  ///< thread blocks in contexts
  std::map<U64, ThreadBlock> parked_;         ///< by the address of their SIMT lines; bit 63: in memory
  std::deque<Job> jobs_;                      ///< accepted, not decided
  std::optional<Move> out_;                   ///< move whose thread block leaves
  std::deque<Access> stores_;                 ///< stores of that move that are still to come
  bool parked_out_ = false;                   ///< its entry has been accepted
  std::deque<Arrival> arrivals_;              ///< moves that have been decided and not begun to move in
  std::optional<Arrival> in_;                 ///< move that moves in
  std::deque<Access> loads_;                  ///< loads of it that are still to come
  bool segments_known_ = false;               ///< loads_ has the loads behind the SIMT lines
  std::deque<Load> in_flight_;
  Inputs last_in_;
  Outputs last_out_;
  Probes last_probes_;
  bool followed_ = false;  ///< the three above are those of the cycle before
  U64 cycle_ = 0;
  std::string problems_;
  Seen seen_;
};

}  // namespace castor::tb_swap::reference
