#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "castor/darsie/ports.h"

/// Reference model of DARSIE in its plain form: per warp the versions that it still has to take, in program order, and
/// per register the version that it holds. It has no bit vectors, ages or skip table. It observes the ports of a block
/// that is used according to its contract, and reports violations of program order (docs/blocks/darsie.md,
/// "Verification").
namespace castor::darsie::reference {

/// The results of one redundant instruction, executed once for all warps of the majority.
struct Version {
  U64 pc = 0;
  unsigned count = 1;              ///< registers
  std::array<unsigned, 2> slot{};  ///< their numbers
  std::array<unsigned, 2> row{};   ///< rows in the pool
  std::array<bool, 2> written{};
  bool load = false, global = false;  ///< a store of the TB may change the loaded value; a store of another SM may, too
  bool stale = false;                 ///< stale for warps that have not passed it
  bool abandoned = false;             ///< warps that have not passed it execute the instruction privately

  [[nodiscard]] bool complete() const { return written[0] && (count == 1 || written[1]); }
};

/// One SM's block as observed at its ports.
class Versions {
 public:
  explicit Versions(const Params& params);

  /// Applies one cycle: the inputs at its edge, and its outputs.
  void see(const Inputs& in, const Outputs& out);

  /// Returns the errors found, the first one first, at most a few.
  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }

  /// Counts of comparisons and events.
  struct Seen {
    std::uint64_t skips = 0, verdicts = 0, leads = 0, releads = 0, late = 0, privates = 0, parked = 0;
    std::uint64_t renamed_reads = 0, copies = 0, meetings = 0, votes = 0;
    unsigned most_versions = 0;  ///< most versions of one register that a warp has not passed
  };
  [[nodiscard]] const Seen& seen() const { return seen_; }

 private:
  using Shared = std::shared_ptr<Version>;
  /// One register of a version.
  struct Part {
    Shared of;
    unsigned which = 0;
    [[nodiscard]] bool operator==(const Part& other) const { return of == other.of && which == other.which; }
    [[nodiscard]] unsigned row() const { return of->row[which]; }
    [[nodiscard]] unsigned slot() const { return of->slot[which]; }
  };
  struct Warp {
    bool live = false, majority = false, stopped = false, taken = false, copies = false;
    bool waits = false;  ///< waits for the version that a decode found
    unsigned tb = 0;
    std::deque<Shared> ahead;   ///< versions not passed, in program order
    std::vector<Part> holds;    ///< registers renamed to a row
    std::vector<Part> lingers;  ///< versions dropped whose rows may still be read
  };
  struct Tb {
    bool used = false, enabled = false, promotes = false;
    unsigned base = 0, rows = 0, slots = 0;
    bool gathering = false, gathered = false, no_elections = false;  ///< the TB is at a synchronisation point; the TB
                                                                     ///< has passed one; no elections until the region
                                                                     ///< ends
    bool entries = false;                                            ///< a leader was elected in this region
    std::vector<Part> in_row;                                        ///< last version written to each row
  };
  /// Result of decoding a redundant instruction.
  struct Verdict {
    enum class Why : std::uint8_t {
      kPass,
      kAbandoned,
      kLast,
      kAgain,
      kNoRow,
      kLate,
      kAlone,
      kNoElections,
      kGather,
      kLead,
      kGiveUp,
      kOpen
    };
    Why why = Why::kPass;
    unsigned warp = 0, slot = 0;  // decode slot
    std::vector<unsigned> free;
    [[nodiscard]] unsigned act() const;
  };
  struct Request {
    unsigned warp;
    Part part;
  };

  void check_hold(const Inputs& in, const Outputs& out);
  void check_skips(const Inputs& in, const Outputs& out);
  void check_decode(const Inputs& in, const Outputs& out);
  [[nodiscard]] bool redundant(const Inputs& in, unsigned s) const;
  [[nodiscard]] Verdict judge(const Inputs& in, unsigned s);
  void check_operands(const Inputs& in, const Outputs& out);
  void check_copy(const Outputs& out);
  [[nodiscard]] std::optional<Request> next_copy() const;

  void move_writes(const Inputs& in);
  void move_memory(const Inputs& in);
  void move_skips(const Outputs& out);
  void move_decode(const Inputs& in);
  void elect(const Inputs& in, const Shared& instead);
  void move_issues(const Inputs& in);
  void move_meeting(std::optional<unsigned> complete);
  void move_branches(const Inputs& in);
  void move_barriers(const Inputs& in, const std::vector<bool>& copying);
  void move_copies(const Inputs& in, const std::optional<Request>& next, const std::vector<bool>& done);
  void move_exits(const Inputs& in);
  void move_reads(const Inputs& in, const std::vector<std::vector<Part>>& before);
  void move_tbs(const Inputs& in);

  [[nodiscard]] std::vector<unsigned> warps_of(unsigned t) const;
  [[nodiscard]] std::optional<unsigned> complete_tb() const;
  [[nodiscard]] bool row_free(unsigned t, unsigned row) const;
  [[nodiscard]] const Part* held(const Warp& warp, unsigned slot) const;
  static void let_go(Warp& warp, unsigned slot);
  void leave(Warp& warp);
  void region_end(unsigned t);
  void problem(const std::string& what);

  const Params params_;
  std::vector<Warp> warps_;
  std::vector<Tb> tbs_;
  std::optional<Request> request_;
  Verdict verdict_;
  unsigned next_tb_ = 0;  // whose completion is looked for first
  std::uint64_t cycle_ = 0;
  std::vector<std::string> problems_;
  Seen seen_;
};

}  // namespace castor::darsie::reference
